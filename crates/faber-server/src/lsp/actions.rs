use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, TextEdit, WorkspaceEdit,
};

use crate::lsp::ask::LspRequest;
use crate::lsp::client::FIX_ALL;
use crate::lsp::diagnostics;
use faber_core::diagnostic::Diagnostic;
use faber_core::markdown::{self, Lines};
use faber_core::parse::fence::{self, Split};
use faber_core::rule::Group;
use faber_core::rules::{allow_without_reason, unused_allow};
use faber_core::source::FileId;
use faber_core::workspace::survey::{FileEntry, FileKind};
use faber_lint::validate::fix::{self, FixedTexts};

pub(crate) fn answer(
    ask: &LspRequest<'_>,
    params: &CodeActionParams,
) -> Option<Vec<CodeActionOrCommand>> {
    let entry = ask.analysis.entry_from(ask.path)?;
    let file = ask.file()?;
    let wants = |kind: &CodeActionKind| {
        let includes = |wanted: &CodeActionKind| {
            let rest = kind.as_str().strip_prefix(wanted.as_str());
            wanted.as_str().is_empty()
                || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        params.context.only.as_ref().is_none_or(|only| only.iter().any(includes))
    };
    let places = ask.places(file);
    let line = |line: u32| places.line(line as usize);
    let range = line(params.range.start.line).start..line(params.range.end.line).end;
    let found = ask.outcome?.found.iter().filter(|found| found.primary.span.file == file);
    let touches = |found: &&Diagnostic| {
        let span = found.primary.span.range();
        span.start <= range.end && range.start <= span.end
    };
    let mut actions = Vec::new();
    if wants(&CodeActionKind::QUICKFIX) {
        for found in found.clone().filter(touches) {
            actions.extend(fix(ask, found));
            actions.extend(allow(ask, entry, found));
        }
    }
    if wants(&FIX_ALL) {
        let found: Vec<Diagnostic> = found.cloned().collect();
        actions.extend(fix_all(ask, file, &found));
    }
    Some(actions.into_iter().map(CodeActionOrCommand::CodeAction).collect())
}

fn fix(ask: &LspRequest<'_>, found: &Diagnostic) -> Option<CodeAction> {
    let file = found.fix.first()?.span.file;
    if !fix::is_fixable(found, true) || !found.fix.iter().all(|edit| edit.span.file == file) {
        return None;
    }
    let places = ask.places(file);
    let edits = found.fix.iter().map(|edit| TextEdit {
        range: places.range(edit.span.range()),
        new_text: edit.replacement.clone(),
    });
    let is_safe = fix::is_fixable(found, false);
    let guess = if is_safe { "" } else { " (a guess)" };
    let title = format!("Fix `{}`{guess}: {}", found.code(), found.message);
    let action = for_finding(ask, found, title, edits.collect())?;
    Some(CodeAction { is_preferred: Some(is_safe), ..action })
}

fn fix_all(ask: &LspRequest<'_>, file: FileId, found: &[Diagnostic]) -> Option<CodeAction> {
    let sources = ask.analysis.sources();
    let mut texts = FixedTexts::new();
    fix::apply(found, sources, false, &mut texts);
    let after = texts.get(sources.path(file))?;
    let before = ask.text(file);
    let (bytes, new) = difference(before, after);
    let range = ask.places(file).range(bytes);
    let edits = vec![TextEdit { range, new_text: new.to_owned() }];
    action(ask, "Fix all problems that have a safe fix".to_owned(), FIX_ALL, file, edits)
}

/// Never splits CRLF.
fn difference<'a>(before: &str, after: &'a str) -> (std::ops::Range<usize>, &'a str) {
    fn common(pairs: impl Iterator<Item = (char, char)>) -> usize {
        pairs.take_while(|(a, b)| a == b).map(|(it, _)| it.len_utf8()).sum()
    }
    let mut start = common(before.chars().zip(after.chars()));
    start -= usize::from(before[..start].ends_with('\r'));
    let (old, new) = (&before[start..], &after[start..]);
    let mut end = common(old.chars().rev().zip(new.chars().rev()));
    let ends_with_cr = |text: &str| text[..text.len() - end].ends_with('\r');
    if old[old.len() - end..].starts_with('\n') && (ends_with_cr(old) || ends_with_cr(new)) {
        end -= 1;
    }
    (start..before.len() - end, &new[..new.len() - end])
}

fn allow(ask: &LspRequest<'_>, entry: &FileEntry, found: &Diagnostic) -> Option<CodeAction> {
    if found.rule().group == Group::Security || found.rule() == &unused_allow::RULE {
        return None;
    }
    if found.rule() == &allow_without_reason::RULE {
        return add_reason(ask, found);
    }
    let span = found.primary.span;
    let text = ask.text(span.file);
    let is_yaml = matches!(entry.kind, FileKind::Agent | FileKind::Config);
    let (line, is_yaml) = if entry.file == span.file {
        line_above(text, span.range(), is_yaml)?
    } else {
        line_in_body(text, span.range())?
    };
    let lines = Lines::new(text);
    let at = if line < lines.len() { lines.range(line).start } else { text.len() };
    let own = &text[at..];
    let indent = if is_yaml { &own[..own.len() - own.trim_start_matches(' ').len()] } else { "" };
    let words = format!("faber: allow {}: say why", found.code());
    let comment = if is_yaml { format!("{indent}# {words}") } else { format!("<!-- {words} -->") };
    let is_crlf = 2 * text.matches("\r\n").count() > text.matches('\n').count();
    let line_break = if is_crlf { "\r\n" } else { "\n" };
    let before = if at > 0 && !text[..at].ends_with('\n') { line_break } else { "" };
    let places = ask.places(span.file);
    let new_text = format!("{before}{comment}{line_break}");
    let edits = vec![TextEdit { range: places.range(at..at), new_text }];
    let title = format!("Allow `{}` here", found.code());
    for_finding(ask, found, title, edits)
}

fn add_reason(ask: &LspRequest<'_>, found: &Diagnostic) -> Option<CodeAction> {
    let span = found.primary.span;
    let comment = &ask.text(span.file)[span.range()];
    let words = comment.strip_suffix("-->").unwrap_or(comment).trim_end();
    let at = span.range().start + words.len();
    let colon = if words.ends_with(':') { "" } else { ":" };
    let new_text = format!("{colon} say why");
    let edits = vec![TextEdit { range: ask.places(span.file).range(at..at), new_text }];
    for_finding(ask, found, "Add a reason".to_owned(), edits)
}

fn for_finding(
    ask: &LspRequest<'_>,
    found: &Diagnostic,
    title: String,
    edits: Vec<TextEdit>,
) -> Option<CodeAction> {
    let action = action(ask, title, CodeActionKind::QUICKFIX, found.primary.span.file, edits)?;
    let shown = diagnostics::one(ask.analysis, found, ask.job, ask.client);
    Some(CodeAction { diagnostics: Some(vec![shown]), ..action })
}

fn line_above(text: &str, span: std::ops::Range<usize>, is_yaml: bool) -> Option<(usize, bool)> {
    let lines = Lines::new(text);
    if lines.is_empty() {
        return None;
    }
    let line = lines.at(span.start);
    let about_all = span.start == 0 && span.end == 0;
    if is_yaml {
        return Some((if about_all { 0 } else { line }, true));
    }
    let body = match fence::split(text) {
        Split::None { body } => body,
        Split::Closed(fences) | Split::Unclosed(fences) => {
            if about_all {
                return Some((lines.at(fences.yaml), true));
            }
            if span.start < fences.yaml_end {
                return Some((line.max(lines.at(fences.yaml)), true));
            }
            fences.body
        }
    };
    if about_all {
        return Some((0, false));
    }
    let first = lines.at(body);
    let blocks = markdown::blocks(&text[body..]);
    let block = blocks.iter().find(|block| block.lines.contains(&line.saturating_sub(first)));
    Some((block.map_or(line, |block| block.lines.start + first), false))
}

/// Front matter of files that are used in place loses comments.
fn line_in_body(text: &str, span: std::ops::Range<usize>) -> Option<(usize, bool)> {
    let body = fence::body(text);
    if span.end == 0 {
        return Some((Lines::new(text).at(body), false));
    }
    line_above(text, span, false).filter(|(_, is_yaml)| !is_yaml)
}

#[expect(clippy::mutable_key_type, reason = "the protocol's type has addresses as keys")]
fn action(
    ask: &LspRequest<'_>,
    title: String,
    kind: CodeActionKind,
    file: FileId,
    edits: Vec<TextEdit>,
) -> Option<CodeAction> {
    let address = diagnostics::address_of(ask.analysis, ask.job, file)?;
    let changes = HashMap::from([(super::address::typed(&address)?, edits)]);
    let edit = WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    Some(CodeAction { title, kind: Some(kind), edit: Some(edit), ..CodeAction::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_goes_above_what_it_is_about() {
        let text = "---\nname: x\ntags:\n  - a\n---\n# T\n\none\ntwo\n";
        let above = |part: &str| {
            let at = text.find(part).unwrap();
            line_above(text, at..at + part.len(), false)
        };
        assert_eq!(above("- a"), Some((3, true)));
        assert_eq!(above("two"), Some((7, false)), "above the block");
        assert_eq!(line_above(text, 0..0, false), Some((1, true)), "about the file");
        assert_eq!(line_above("# T\n", 0..0, false), Some((0, false)));
        assert_eq!(line_above("a: 1\nb: 2\n", 5..6, true), Some((1, true)));
        assert_eq!(line_above("", 0..0, false), None);
    }

    #[test]
    fn only_what_differs_is_replaced() {
        assert_eq!(difference("aüc", "aöc"), (1..3, "ö"));
        assert_eq!(difference("aa", "aaa"), (2..2, "a"));
        assert_eq!(difference("same", "same"), (4..4, ""));
        assert_eq!(difference("a\r\nb", "a\nb"), (1..3, "\n"));
        assert_eq!(difference("a\nb\r\n", "a\r\nb\r\n"), (1..2, "\r\n"));
    }
}
