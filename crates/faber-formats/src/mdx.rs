//! MDX: Markdown with modules and components.

use faber_core::parse::fence;

pub fn without_modules(text: &str) -> String {
    let body = fence::body(text);
    let (mut out, mut rest) = (text[..body].to_owned(), &text[body..]);
    loop {
        let blank = rest.split_inclusive('\n').take_while(|line| line.trim().is_empty());
        let (gap, modules) = rest.split_at(blank.map(str::len).sum());
        out.push_str(gap);
        let Some(end) = block_end(modules) else { return out + modules };
        // Lines keep their numbers.
        out.extend(modules[..end].chars().filter(|c| matches!(c, '\r' | '\n')));
        rest = &modules[end..];
    }
}

fn block_end(text: &str) -> Option<usize> {
    ["import ", "export "].iter().find(|word| text.starts_with(**word))?;
    let (mut at, mut depth, mut first) = (0, 0_usize, None);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            first = first.or(Some(at));
            if depth == 0 {
                return Some(at);
            }
        }
        for c in line.chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        at += line.len();
    }
    Some(first.filter(|_| depth > 0).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_before_the_text_are_emptied_and_lines_stay() {
        for (text, expected) in [
            ("import A from 'a'\n\n# T\n\nimport x\n", "\n\n# T\n\nimport x\n"),
            (
                "---\ntitle: T\n---\r\n\r\nimport {\r\n  A\r\n} from 'a'\r\n\r\n<A />\r\n",
                "---\ntitle: T\n---\r\n\r\n\r\n\r\n\r\n\r\n<A />\r\n",
            ),
            ("export const a = () => {\n  b()\n\n  c()\n}\n\nText.\n", "\n\n\n\n\n\nText.\n"),
            ("export const a = '{'\n\nText.\n", "\n\nText.\n"),
            ("import 'a'\n\nexport * from 'b'", "\n\n"),
            ("imports are Markdown\n", "imports are Markdown\n"),
        ] {
            assert_eq!(without_modules(text), expected, "{text}");
        }
    }
}
