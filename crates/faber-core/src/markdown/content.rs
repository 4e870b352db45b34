use super::{BlockKind, Lines, blocks};

/// Only headings, rules and comments.
pub fn says_nothing(body: &str) -> bool {
    let is_prose = |line: &str| line.starts_with(|c: char| c.is_alphanumeric());
    if body.split(['\n', '\r']).take(200).any(is_prose) || body.contains("<!-- faber: include ") {
        return false;
    }
    let lines = Lines::new(body);
    blocks(body).iter().all(|block| match block.kind {
        BlockKind::Heading { .. } | BlockKind::Rule => true,
        BlockKind::Html => {
            let start = lines.range(block.lines.start).start;
            is_comment(&body[start..lines.range(block.lines.end - 1).end])
        }
        _ => false,
    })
}

fn is_comment(text: &str) -> bool {
    let mut rest = text.trim();
    while let Some(inner) = rest.strip_prefix("<!--") {
        rest = inner.split_once("-->").map_or("", |(_, after)| after.trim_start());
    }
    rest.is_empty()
}
