use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::fence::{self, Split};
use faber_core::parse::{fields, frontmatter};
use faber_core::yaml;

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    let (file, text) = (input.entry.file, input.text());
    let Split::None { .. } = fence::split(text) else { return };
    let Some(front) = fence::misplaced(text) else { return };
    let yaml = text[front.clone()].split_once('\n').map_or("", |(_, yaml)| yaml);
    let node = yaml::parse_text(yaml, file);
    let is_known = |node: yaml::Node| node.entries().iter().any(|it| fields::is_known(&it.key));
    if node.is_ok_and(is_known) {
        found.push(frontmatter::misplaced(file, text, &front));
    }
}
