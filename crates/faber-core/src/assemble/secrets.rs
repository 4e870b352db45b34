//! Secrets in what is emitted. The bundle stays as it is: whoever assembles it decides.

use crate::diagnostic::Diagnostic;
use crate::render::block::{Block, text_of};
use crate::rules::secret;
use crate::security;
use crate::source::{SourceMap, Span};
use crate::yaml::Node;

/// Warns of the secrets in `blocks`, each where its file has it, unless `validate` of the
/// configuration switches the rule off. What the user gives by hand is the user's own.
pub fn warnings(blocks: &[Block], sources: &SourceMap, validate: Option<&Node>) -> Vec<Diagnostic> {
    if is_off(validate) {
        return Vec::new();
    }
    let each = blocks.iter().flat_map(|block| in_block(block, sources));
    let mut found: Vec<Diagnostic> = each.collect();
    // The catalog repeats what files say of themselves.
    found.sort_by_key(|found| found.primary.span);
    found.dedup_by_key(|found| found.primary.span);
    found
}

/// Whether `validate` of the configuration switches the rule off.
fn is_off(validate: Option<&Node>) -> bool {
    let rules = validate.and_then(|node| node.get("rules"));
    let severity = rules.and_then(|rules| rules.get("secret")).and_then(Node::as_str);
    severity == Some("off")
}

fn in_block(block: &Block, sources: &SourceMap) -> Vec<Diagnostic> {
    let Some(any) = block.lines.iter().find_map(|line| line.origin) else { return Vec::new() };
    let text = text_of(&block.lines);
    let secrets = security::secrets(any.file, &text);
    let (mut found, mut line, mut start) = (Vec::new(), 0, 0);
    // Secrets come in order, and so do lines: one walk over both.
    let mut secrets: Vec<_> = secrets.into_iter().map(|one| (one.primary.span, one)).collect();
    secrets.sort_by_key(|(span, _)| *span);
    for (at, secret) in secrets {
        let at = at.range();
        while start + block.lines[line].text.len() < at.start {
            start += block.lines[line].text.len() + 1;
            line += 1;
        }
        let Some(origin) = block.lines[line].origin else { continue };
        let end = at.end.min(start + block.lines[line].text.len());
        let span = place(&text[at.start..end], origin, sources);
        found.push(
            secret::RULE.at(span, secret.message)
                .help("the secret is in the bundle; revoke it, and use an environment variable instead: `${NAME}`"),
        );
    }
    found
}

/// Where `origin` has `text`; all of it when the line shows it in another form.
fn place(text: &str, origin: Span, sources: &SourceMap) -> Span {
    let Some(at) = sources.text(origin).find(text) else { return origin };
    let start = origin.range().start + at;
    Span::new(origin.file, start, start + text.len())
}
