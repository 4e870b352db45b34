use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::fence::{self, Split};
use faber_core::parse::fields;
use faber_core::rules::misplaced_frontmatter::RULE;
use faber_core::source::Span;
use faber_core::yaml;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    let (file, text) = (input.entry.file, input.text());
    let Split::None { body } = fence::split(text) else { return };
    let rest = after_comments(&text[body..]);
    let Split::Closed(fences) = fence::split(rest) else { return };
    let node = yaml::parse_text(&rest[fences.yaml..fences.yaml_end], file);
    let is_known = |node: yaml::Node| node.entries().iter().any(|it| fields::is_known(&it.key));
    if rest.len() < text.len() && node.is_ok_and(is_known) {
        let start = text.len() - rest.len();
        let span = Span::new(file, start, start + "---".len());
        let message = "front matter must begin in the first line; here it is part of the text";
        found.push(RULE.at(span, message).help("move what is above it below its end"));
    }
}

fn after_comments(text: &str) -> &str {
    let text = text.trim_start();
    let comment = text.strip_prefix("<!--").and_then(|rest| rest.split_once("-->"));
    comment.map_or(text, |(_, rest)| after_comments(rest))
}
