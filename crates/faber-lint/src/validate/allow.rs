//! Comments `faber: allow RULE: why`, for the next Markdown block or YAML entry; at the start, also
//! for the whole file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rayon::prelude::*;

use crate::validate::check::LintContext;
use crate::validate::policy::{Policy, find, is_security};
use faber_core::diagnostic::Diagnostic;
use faber_core::findings;
use faber_core::markdown::{self, Block, BlockKind, Lines};
use faber_core::packs;
use faber_core::parse::fence::{self, Split};
use faber_core::rules::{self, allow_without_reason, unused_allow};
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::suggest;
use faber_core::workspace::survey::{FileEntry, FileKind};

const WORDS: &str = "faber: allow";

#[derive(Clone, Debug, PartialEq, Eq)]
struct Allow {
    span: Span,
    line: Span,
    /// In the original file, as are `covers`.
    place: Span,
    rules: Vec<String>,
    has_reason: bool,
    covers: Range<usize>,
    leads: bool,
    is_misplaced: bool,
    used: BTreeSet<&'static str>,
}

pub(crate) fn apply(
    found: &mut Vec<Diagnostic>,
    whole: &LintContext<'_>,
    policy: &Policy,
) -> Vec<Diagnostic> {
    let each = whole.survey.files.par_iter().map(|entry| read(whole, entry));
    let each: Vec<Vec<Allow>> = each.collect();
    let mut allows: Vec<Allow> = each.into_iter().flatten().collect();
    if allows.is_empty() {
        return Vec::new();
    }
    allows.sort_by_key(|allow| allow.place);
    allows.dedup_by_key(|allow| allow.place);
    let mut index: BTreeMap<(FileId, String), Vec<usize>> = BTreeMap::new();
    for (at, allow) in allows.iter().enumerate() {
        for rule in allow.rules.iter().filter(|rule| !is_security(rule)) {
            index.entry((allow.place.file, rule.clone())).or_default().push(at);
        }
    }
    let is_allowed = |found: &mut Diagnostic| {
        let span = found.primary.span;
        let Some(candidates) = index.get(&(span.file, found.code().to_owned())) else {
            return false;
        };
        let about_all = span.start == 0 && span.end == 0;
        let line = whole.sources.get(span.file).line(span.start) - 1;
        let leading = candidates.iter().copied().find(|&at| about_all && allows[at].leads);
        let after = candidates.partition_point(|&at| allows[at].covers.start <= line);
        let mut above = candidates[..after].iter().rev().copied();
        let covering = leading.or_else(|| above.find(|&at| allows[at].covers.contains(&line)));
        let Some(at) = covering else { return false };
        allows[at].used.insert(found.code());
        true
    };
    let allowed = found.extract_if(.., is_allowed).collect();
    let mut reported = Vec::new();
    // Those of packs are for their authors, who see more findings.
    let is_own = |allow: &&Allow| packs::of_path(whole.sources.path(allow.place.file)).is_none();
    for allow in allows.iter().filter(is_own) {
        report(allow, policy, &mut reported);
    }
    found.extend(findings::by_place(reported, whole.sources));
    allowed
}

fn report(allow: &Allow, policy: &Policy, found: &mut Vec<Diagnostic>) {
    if allow.is_misplaced {
        let finding = unused_allow::RULE.at(allow.span, "this comment allows nothing");
        found.push(finding.help("write it on a line of its own, above the text"));
        return;
    }
    if !allow.has_reason {
        let finding = allow_without_reason::RULE.at(allow.span, "the comment gives no reason");
        found.push(finding.help("write `faber: allow RULE: why`"));
    }
    let unused = |rule: &&String| policy.is_on(rule) && !allow.used.contains(rule.as_str());
    let unused: Vec<&String> = allow.rules.iter().filter(unused).collect();
    let Some(first) = unused.first() else { return };
    let message = match find(first) {
        None => format!("unknown rule `{first}`"),
        Some(_) if is_security(first) => {
            format!("comments cannot allow the security rule `{first}`")
        }
        Some(_) => format!("no finding of `{first}` here"),
    };
    let known = rules::of_validate().map(|rule| rule.code);
    let meant = if find(first).is_none() { suggest::closest(first, known) } else { None };
    let otherwise = if is_security(first) {
        "fix the text, or turn the rule off in your own configuration"
    } else {
        "remove the comment"
    };
    let mut diagnostic =
        unused_allow::RULE.at(allow.span, message).help(suggest::help(meant, otherwise));
    if unused.len() == allow.rules.len() && meant.is_none() {
        diagnostic = diagnostic.fix(allow.line, "");
    }
    found.push(diagnostic);
}

fn read(whole: &LintContext<'_>, entry: &FileEntry) -> Vec<Allow> {
    let text = &whole.sources.get(entry.file).text;
    if !text.contains(WORDS) {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let reader = AllowReader { file: entry.file, text, lines: &lines };
    let mut allows = if matches!(entry.kind, FileKind::Agent | FileKind::Config) {
        reader.yaml(0..lines.len())
    } else {
        reader.all()
    };
    if whole.sources.is_made(entry.file) {
        for allow in &mut allows {
            reader.place(allow, whole.sources);
        }
    }
    allows
}

struct AllowReader<'a> {
    file: FileId,
    text: &'a str,
    lines: &'a Lines<'a>,
}

impl AllowReader<'_> {
    fn all(&self) -> Vec<Allow> {
        let (yaml, body) = match fence::split(self.text) {
            Split::None { body } => (0..0, body),
            Split::Closed(fences) | Split::Unclosed(fences) => {
                (self.lines.at(fences.yaml)..self.lines.at(fences.yaml_end), fences.body)
            }
        };
        let mut allows = self.yaml(yaml);
        allows.extend(self.markdown(body));
        allows
    }

    fn place(&self, allow: &mut Allow, sources: &SourceMap) {
        allow.place = sources.original(allow.span);
        let line = |offset: u32| sources.get(allow.place.file).line(offset);
        let covers =
            if allow.covers.is_empty() { None } else { Some(self.lines.bytes(&allow.covers)) };
        let covers = covers.map(|it| sources.original(Span::new(self.file, it.start, it.end)));
        let after = line(allow.place.start);
        allow.covers = covers.map_or(after..after, |it| line(it.start) - 1..line(it.end));
    }

    fn yaml(&self, range: Range<usize>) -> Vec<Allow> {
        let mut allows = Vec::new();
        let mut leads = true;
        let mut entry = range.start..range.start;
        for line in range.clone() {
            let shown = self.lines.text(line).trim();
            let comment = shown.strip_prefix('#').map(str::trim);
            if let Some(says) = comment.and_then(|comment| comment.strip_prefix(WORDS)) {
                if entry.start <= line {
                    entry = self.entry_after(line, range.end);
                }
                allows.extend(self.allow(line, says, entry.clone(), leads));
            }
            leads &= shown.is_empty() || shown.starts_with('#') || shown == "---";
        }
        allows
    }

    fn entry_after(&self, comment: usize, end: usize) -> Range<usize> {
        let indent = |line: usize| {
            let text = self.lines.text(line);
            text.len() - text.trim_start().len()
        };
        let skipped = |line: &usize| {
            let text = self.lines.text(*line).trim_start();
            text.is_empty() || text.starts_with('#')
        };
        let Some(first) = (comment + 1..end).find(|line| !skipped(line)) else {
            return end..end;
        };
        let is_item = |line: usize| self.lines.text(line).trim_start().starts_with("- ");
        let own = indent(first);
        let belongs = |&line: &usize| {
            indent(line) > own
                || (indent(line) == own && is_item(line) && !is_item(first))
                || self.lines.text(line).trim().is_empty()
        };
        first..(first + 1..end).take_while(belongs).last().unwrap_or(first) + 1
    }

    fn markdown(&self, body: usize) -> Vec<Allow> {
        let text = &self.text[body..];
        if !text.contains(WORDS) {
            return Vec::new();
        }
        let blocks = markdown::blocks(text);
        let covering = covering(&blocks);
        let first = self.lines.at(body);
        let own = Lines::new(text);
        let mut allows = Vec::new();
        let mut leads = true;
        for line in 0..own.len() {
            let shown = own.text(line).trim();
            let unmarked = without_markers(shown);
            let inner = unmarked.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
            let says = inner.and_then(|inner| inner.trim().strip_prefix(WORDS));
            let misplaced = comment_in(shown).filter(|_| says.is_none());
            if let Some(says) = says.or(misplaced)
                && let Some(covers) = after_comment(&blocks, &covering, line)
            {
                let covers = covers.start + first..covers.end + first;
                let leads = leads && unmarked == shown;
                let allow = self.allow(line + first, says, covers, leads);
                allows.extend(allow.map(|allow| match misplaced {
                    Some(_) => Allow { is_misplaced: true, rules: Vec::new(), ..allow },
                    None => allow,
                }));
            }
            leads &= shown.is_empty() || says.is_some();
        }
        allows
    }

    fn allow(&self, line: usize, says: &str, covers: Range<usize>, leads: bool) -> Option<Allow> {
        if !says.starts_with([' ', '\t']) {
            return None;
        }
        let (names, reason) = says.split_once(':').unwrap_or((says, ""));
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names = names.take(rules::of_validate().count());
        let range = self.lines.range(line);
        let shown = &self.text[range.clone()];
        let marks = shown.find("<!--").unwrap_or(shown.len() - shown.trim_start().len());
        let end = range.start + shown.trim_end().len();
        let mut next = range.end;
        for part in ["\r", "\n"] {
            next += usize::from(self.text[next..].starts_with(part));
        }
        let span = Span::new(self.file, range.start + marks, end);
        let whole = Span::new(self.file, range.start, next);
        Some(Allow {
            span,
            place: span,
            line: if shown[..marks].trim().is_empty() { whole } else { span },
            rules: names.map(str::to_owned).collect(),
            has_reason: !reason.trim().is_empty(),
            covers,
            leads,
            is_misplaced: false,
            used: BTreeSet::new(),
        })
    }
}

/// Of quotes and lists.
fn without_markers(line: &str) -> &str {
    let mut rest = line;
    loop {
        let item = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let marks =
            if item.len() < rest.len() { &[". ", ") "][..] } else { &[">", "- ", "* ", "+ "] };
        let Some(inner) = marks.iter().find_map(|mark| item.strip_prefix(mark)) else {
            return rest;
        };
        rest = inner.trim_start();
    }
}

fn comment_in(line: &str) -> Option<&str> {
    let at = line.find("<!--").filter(|at| !line[..*at].contains('`'))?;
    let inner = line[at + 4..].split("-->").next()?;
    inner.trim().strip_prefix(WORDS)
}

fn covering(blocks: &[Block]) -> Vec<usize> {
    let mut covering: Vec<usize> = (0..blocks.len()).collect();
    let mut next = None;
    for (at, block) in blocks.iter().enumerate().rev() {
        if block.kind != BlockKind::Html {
            next = Some(at);
        }
        covering[at] = next.unwrap_or(at);
    }
    covering
}

fn after_comment(blocks: &[Block], covering: &[usize], line: usize) -> Option<Range<usize>> {
    let next = blocks.partition_point(|block| block.lines.start <= line);
    let around = next.checked_sub(1).map(|at| &blocks[at]).filter(|b| b.lines.contains(&line));
    match around.map(|block| &block.kind) {
        Some(BlockKind::Fence | BlockKind::IndentedCode) => None,
        Some(BlockKind::Html) | None => {
            let block = covering.get(next).map(|&at| &blocks[at]);
            let none = line + 1..line + 1;
            Some(block.map_or(none, |block| line + 1..block.lines.end))
        }
        Some(_) => Some(line + 1..line + 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(text: &str) -> Vec<(Vec<String>, Range<usize>, bool)> {
        let mut sources = faber_core::source::SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let lines = Lines::new(text);
        let body = fence::body(text);
        let reader = AllowReader { file, text, lines: &lines };
        let mut all = if body > 0 { reader.yaml(0..lines.at(body)) } else { Vec::new() };
        all.extend(reader.markdown(body));
        all.into_iter().map(|a| (a.rules, a.covers, a.has_reason)).collect()
    }

    #[test]
    fn in_markdown_the_block_that_follows_is_covered() {
        let one = |rule: &str| vec![rule.to_owned()];
        let text = "# T\n\n<!-- faber: allow a: why -->\none\ntwo\n\n- x\n  <!-- faber: allow b -->\n- y\n";
        assert_eq!(covered(text), [(one("a"), 3..5, true), (one("b"), 8..9, false)]);
        let stacked = "<!-- faber: allow a: w -->\n<!-- faber: allow b: w -->\n\nx\n";
        assert_eq!(covered(stacked), [(one("a"), 1..4, true), (one("b"), 2..4, true)]);
        assert_eq!(covered("```\n<!-- faber: allow a: w -->\n```\n"), []);
        assert_eq!(covered("<!-- faber: allowed a: w -->\n\nx\n"), []);
        for marks in ["> ", "- ", "1. > "] {
            let text = format!("{marks}<!-- faber: allow a: w -->\n  x\n");
            assert_eq!(covered(&text), [(one("a"), 1..2, true)], "{marks}");
        }
        assert_eq!(covered("`<!-- faber: allow a: w -->`\n"), []);
        for misplaced in ["- <!-- faber: allow a: w --> x\n", "<!-- faber: allow a: w\nw -->\nx\n"]
        {
            let all = covered(misplaced);
            assert!(all.len() == 1 && all[0].0.is_empty(), "{misplaced}: {all:?}");
        }
    }

    #[test]
    fn in_yaml_the_entry_that_follows_is_covered() {
        let text = "---\n# faber: allow a, b: why\nk:\n  - x\n\n  - y\nz: 1\n---\nx\n";
        assert_eq!(covered(text), [(vec!["a".to_owned(), "b".to_owned()], 2..6, true)]);
    }
}
