//! Sorts findings and drops redundant ones.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Edit};
use crate::rule::Rule;
use crate::rules::{
    ambiguous_scalar, bad_date, dangling_reference, dangling_related, deprecated_base,
    forbidden_file, invalid_frontmatter, path_escape, strategy_without_base, wrong_field_type,
};
use crate::source::{SourceMap, Span};

/// Consequences of others about the same bytes.
static FOLLOWS: [(&Rule, &[&Rule]); 4] = [
    (&dangling_reference::RULE, &[&forbidden_file::RULE, &path_escape::RULE]),
    (&dangling_related::RULE, &[&dangling_reference::RULE]),
    (&strategy_without_base::RULE, &[&deprecated_base::RULE]),
    (
        &ambiguous_scalar::RULE,
        &[&wrong_field_type::RULE, &invalid_frontmatter::RULE, &bad_date::RULE],
    ),
];

pub fn by_place(mut found: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    for found in &mut found {
        let is_same = |edit: &Edit| {
            let original = sources.original(edit.span);
            original == edit.span
                || (edit.span.start < edit.span.end
                    && sources.text(original).lines().eq(sources.text(edit.span).lines()))
        };
        if !found.fix.iter().all(is_same) {
            found.fix.clear();
        }
        let related = found.related.iter_mut().map(|label| &mut label.span);
        let fixed = found.fix.iter_mut().map(|edit| &mut edit.span);
        for span in related.chain(fixed).chain([&mut found.primary.span]) {
            *span = sources.original(*span);
        }
    }
    let order = sources.positions(found.iter().map(|found| found.primary.span.file));
    let key = |found: &Diagnostic| {
        let Span { file, start, end } = found.primary.span;
        (order[&file], start, end, found.code())
    };
    let mut keyed: Vec<_> = found.into_iter().map(|found| (key(&found), found)).collect();
    keyed.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.message.cmp(&y.message)));
    keyed.dedup_by(|(a, x), (b, y)| a == b && x.message == y.message);
    let mut found: Vec<Diagnostic> = keyed.into_iter().map(|(_, found)| found).collect();
    let is_cause =
        |found: &&Diagnostic| FOLLOWS.iter().any(|(_, causes)| causes.contains(&found.rule()));
    let causes: BTreeSet<(&'static str, Span)> =
        found.iter().filter(is_cause).map(|found| (found.code(), found.primary.span)).collect();
    let follows = |found: &Diagnostic| {
        let span = found.primary.span;
        let has = |cause: &&Rule| span.start < span.end && causes.contains(&(cause.code, span));
        FOLLOWS.iter().any(|(rule, of)| *rule == found.rule() && of.iter().any(has))
    };
    found.retain(|found| !follows(found));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cause_is_one_finding() {
        let mut sources = SourceMap::default();
        let [b, a, again] = ["b.md", "a.md", "b.md"].map(|it| sources.add(it.into(), "abcd"));
        let span = Span::new(b, 0, 2);
        let all = vec![
            dangling_related::RULE.at(span, "related"),
            dangling_reference::RULE.at(span, "dangling"),
            path_escape::RULE.at(span, "escape"),
            path_escape::RULE.at(Span::new(again, 0, 2), "escape"),
            dangling_reference::RULE.at(Span::new(b, 1, 2), "elsewhere"),
            dangling_reference::RULE.at(Span::start_of(a), "of all"),
            path_escape::RULE.at(Span::start_of(a), "of all"),
        ];
        let kept = by_place(all, &sources);
        let kept: Vec<_> = kept.iter().map(|found| (found.code(), &*found.message)).collect();
        assert_eq!(
            kept,
            [
                ("dangling-reference", "of all"),
                ("path-escape", "of all"),
                ("path-escape", "escape"),
                ("dangling-reference", "elsewhere"),
            ]
        );
    }
}
