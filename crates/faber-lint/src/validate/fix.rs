use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use faber_core::diagnostic::{Diagnostic, Edit};
use faber_core::rule::Fix;
use faber_core::rules::unknown_field;
use faber_core::source::{FileId, SourceMap};

pub type FixedTexts = BTreeMap<Utf8PathBuf, String>;

pub fn is_fixable(found: &Diagnostic, include_unsafe: bool) -> bool {
    let kind = found.rule().fix;
    !found.fix.is_empty() && (kind == Fix::Safe || (include_unsafe && kind == Fix::Unsafe))
}

/// Returns the number of fixes per file. Overlapping fixes wait.
pub fn apply(
    found: &[Diagnostic],
    sources: &SourceMap,
    include_unsafe: bool,
    texts: &mut FixedTexts,
) -> BTreeMap<FileId, usize> {
    let mut of_file: BTreeMap<FileId, Vec<&Diagnostic>> = BTreeMap::new();
    for found in found.iter().filter(|found| is_fixable(found, include_unsafe)) {
        let file = found.fix[0].span.file;
        let fixable =
            found.fix.iter().all(|edit| edit.span.file == file) && sources.path(file).is_relative();
        if fixable {
            of_file.entry(file).or_default().push(found);
        }
    }
    let mut counts = BTreeMap::new();
    for (file, found) in of_file {
        let text = &sources.get(file).text;
        let (edits, done) = compatible(found, text);
        if done == 0 {
            continue;
        }
        counts.insert(file, done);
        texts.insert(sources.path(file).to_owned(), edited(text, edits));
    }
    counts
}

fn compatible<'a>(mut found: Vec<&'a Diagnostic>, text: &str) -> (Vec<&'a Edit>, usize) {
    found.sort_by_key(|found| found.fix.iter().map(|edit| edit.span.start).min());
    let mut taken: BTreeMap<(u32, u32), Vec<&Edit>> = BTreeMap::new();
    let mut count = 0;
    for found in found {
        let fits = |edit: &Edit| {
            let (start, end) = (edit.span.start, edit.span.end);
            let before = taken.range(..=(start, u32::MAX)).next_back();
            let after = taken.range((start, 0)..).next();
            let touches = |&(from, to): &(u32, u32)| {
                let inserts = start == end || from == to;
                (start < to && from < end) || (inserts && start <= to && from <= end)
            };
            text.get(edit.span.range()).is_some()
                && !is_same_key(found, edit, &taken, text)
                && !before.is_some_and(|(key, _)| touches(key))
                && !after.is_some_and(|(key, _)| touches(key))
        };
        if found.fix.iter().all(fits) {
            for edit in &found.fix {
                taken.entry((edit.span.start, edit.span.end)).or_default().push(edit);
            }
            count += 1;
        }
    }
    (taken.into_values().flatten().collect(), count)
}

/// A second key of one name would be lost.
fn is_same_key(
    found: &Diagnostic,
    edit: &Edit,
    taken: &BTreeMap<(u32, u32), Vec<&Edit>>,
    text: &str,
) -> bool {
    let is_top = |edit: &Edit| text[..edit.span.range().start].ends_with('\n');
    let mut others = taken.values().flatten().filter(|other| is_top(other));
    found.rule() == &unknown_field::RULE
        && is_top(edit)
        && others.any(|other| other.replacement == edit.replacement)
}

fn edited(text: &str, edits: Vec<&Edit>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.span.range();
        out.push_str(&text[at..range.start]);
        out.push_str(&edit.replacement);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::rules::category_mismatch;
    use faber_core::source::Span;

    #[test]
    fn fixes_that_touch_wait_for_another_round() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), "abcdef".to_owned());
        let fix = |start, end, text: &str| {
            let span = Span::new(file, start, end);
            category_mismatch::RULE.at(span, "").fix(span, text)
        };
        let mut texts = FixedTexts::new();
        let found = [fix(1, 3, "X"), fix(2, 4, "Y"), fix(3, 3, "Z"), fix(4, 6, "W")];
        assert_eq!(apply(&found, &sources, false, &mut texts), BTreeMap::from([(file, 2)]));
        assert_eq!(texts[camino::Utf8Path::new("a.md")], "aXdW");
        let [place, end] = [3, 4].map(|at| Span::new(file, at, at));
        let twice = category_mismatch::RULE.at(place, "").fix(place, "X").fix(place, "Y");
        assert_eq!(apply(&[twice.fix(end, "Z")], &sources, false, &mut texts)[&file], 1);
        assert_eq!(texts[camino::Utf8Path::new("a.md")], "abcXYdZef");
    }

    #[test]
    fn one_of_two_keys_is_renamed() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), "---\nx: 1\ny: 2\n---\n".to_owned());
        let fix = |at| {
            let span = Span::new(file, at, at + 1);
            unknown_field::RULE.at(span, "").fix(span, "z")
        };
        let mut texts = FixedTexts::new();
        assert_eq!(apply(&[fix(4), fix(9)], &sources, true, &mut texts)[&file], 1);
        assert_eq!(texts[camino::Utf8Path::new("a.md")], "---\nz: 1\ny: 2\n---\n");
    }

    #[test]
    fn a_guess_is_made_only_when_asked_for() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), "abc".to_owned());
        let span = Span::new(file, 0, 1);
        let found = unknown_field::RULE.at(span, "").fix(span, "x");
        assert!(!is_fixable(&found, false) && is_fixable(&found, true));
    }
}
