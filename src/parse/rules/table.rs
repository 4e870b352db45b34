//! Tables that map keywords or errors to contexts.

use super::sentence::targets;
use super::{Rule, RuleKind, kind_of_target};
use crate::parse::prose::{Inline, Prose, Table, Token, TokenKind, tokens};
use crate::parse::references::is_context;
use crate::source::Spanned;
use crate::terms::matcher::Matcher;

/// What the rows of a table are, when its header says that they are rules.
pub(crate) fn table_kind(table: &Table) -> Option<RuleKind> {
    let [first, second, ..] = table.header.as_slice() else { return None };
    let says = |cell: &Inline, words: &[&str]| {
        let text = cell.text().to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    if !says(second, &["context", "load", "file", "specialist", "troubleshooting"]) {
        return None;
    }
    if says(first, &["keyword", "trigger"]) {
        Some(RuleKind::Keyword)
    } else {
        says(first, &["error"]).then_some(RuleKind::Error)
    }
}

/// Adds the rules of a table to `rules`. Whether they are all that it says.
pub(super) fn read(
    prose: &Prose<'_>,
    table: &Table,
    kind: RuleKind,
    rules: &mut Vec<Rule>,
) -> bool {
    let mut complete = !table.rows.is_empty();
    for row in &table.rows {
        let [first, second, more @ ..] = row.as_slice() else {
            complete = false;
            continue;
        };
        let terms = terms(prose, first);
        let tokens = tokens(second, &second.all());
        let Some(targets) = targets(&tokens, is_context).filter(|_| !terms.is_empty()) else {
            complete = false;
            continue;
        };
        complete &= targets.pure && more.iter().all(|cell| cell.text().trim().is_empty());
        for range in &targets.ranges {
            let target = prose.spanned(second, range);
            let kind = match (kind, kind_of_target(&target.value)) {
                (RuleKind::Keyword, RuleKind::Platform) => RuleKind::Platform,
                _ => kind,
            };
            rules.push(Rule { kind, terms: terms.clone(), target });
        }
    }
    complete
}

/// The terms of a cell: between commas, without quotation marks and mark-up.
fn terms(prose: &Prose<'_>, cell: &Inline) -> Vec<Spanned<String>> {
    let tokens = tokens(cell, &cell.all());
    let groups = tokens.split(|token| token.is_mark(",;|，、；"));
    let ranges = groups.filter_map(|group| {
        let from = group.iter().position(|token| !token.is_mark(".:"))?;
        let to = group.iter().rposition(|token| !token.is_mark(".:"))?;
        match &group[from..=to] {
            [one @ Token { kind: TokenKind::Quoted | TokenKind::Code, .. }] => {
                Some(one.range.clone())
            }
            [] => None,
            all => Some(all[0].outer.start..all[all.len() - 1].outer.end),
        }
    });
    let terms = ranges.map(|range| prose.spanned(cell, &range));
    terms.filter(|term| !Matcher::is_empty_term(&term.value)).collect()
}
