//! Keeping secrets that were found out of everything that is printed.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;

use crate::diagnostic::Diagnostic;
use crate::security;
use crate::source::{FileId, SourceMap, Span};

/// The rule whose findings point at secrets.
pub const SECRET: &str = "secret";
/// Shorter texts are no secrets that could be told from other words.
const SHORTEST: usize = 6;
/// The most bytes before a `…` that are looked at for the beginning of a secret.
const LONGEST_CUT: usize = 256;

/// Takes secrets out of texts, byte for byte, so that offsets hold.
#[derive(Debug, Default)]
pub struct Redactor {
    /// The secrets, sorted.
    texts: Vec<String>,
    secrets: Option<AhoCorasick>,
}

impl Redactor {
    /// Knows the texts at `spans`.
    pub fn new(sources: &SourceMap, spans: &[Span]) -> Self {
        let texts = spans.iter().map(|span| sources.text(*span).trim());
        let texts: BTreeSet<&str> = texts.filter(|text| text.len() >= SHORTEST).collect();
        let build = || {
            let kind = aho_corasick::MatchKind::LeftmostLongest;
            AhoCorasick::builder().match_kind(kind).build(&texts).ok()
        };
        let secrets = if texts.is_empty() { None } else { build() };
        Self { secrets, texts: texts.into_iter().map(str::to_owned).collect() }
    }

    /// `text` with `*` for every byte of a secret, also of one that is cut off by `…`. Line breaks
    /// stay.
    pub fn redact(&self, text: &str) -> String {
        let Some(secrets) = &self.secrets else { return text.to_owned() };
        let mut bytes = text.as_bytes().to_vec();
        for found in secrets.find_iter(text) {
            hide(&mut bytes[found.range()]);
        }
        for (cut, _) in text.match_indices('…') {
            if let Some(start) = self.beginning_of_secret(&text[..cut]) {
                hide(&mut bytes[start..cut]);
            }
        }
        // Characters are hidden as a whole, so nothing is lost.
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Where the beginning of a secret starts that `text` ends with.
    fn beginning_of_secret(&self, text: &str) -> Option<usize> {
        let least = text.len().saturating_sub(LONGEST_CUT);
        let starts = text.char_indices().rev().map(|(at, _)| at);
        let mut starts = starts.take_while(|&at| at >= least).collect::<Vec<_>>();
        starts.reverse();
        starts.into_iter().filter(|at| text.len() - at >= SHORTEST).find(|&at| {
            let next = self.texts.partition_point(|secret| secret.as_str() < &text[at..]);
            self.texts.get(next).is_some_and(|secret| secret.starts_with(&text[at..]))
        })
    }

    /// Whether there is anything to take out.
    pub fn is_idle(&self) -> bool {
        self.secrets.is_none()
    }
}

/// Puts `*` for every byte but line breaks.
pub fn hide(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b'*';
    }
}

/// Where secrets stand in the files that findings point at, but for those of `known`.
pub fn beside(found: &[Diagnostic], sources: &SourceMap, known: &BTreeSet<FileId>) -> Vec<Span> {
    let labels =
        found.iter().flat_map(|found| std::iter::once(&found.primary).chain(&found.related));
    let files: BTreeSet<FileId> = labels.map(|label| label.span.file).collect();
    let secrets = files.difference(known).flat_map(|&file| {
        security::secrets(file, &sources.get(file).text).into_iter().map(|found| found.primary.span)
    });
    secrets.collect()
}

/// Takes secrets out of what findings say.
pub fn messages(found: &mut [Diagnostic], redactor: &Redactor) {
    if redactor.is_idle() {
        return;
    }
    for diagnostic in found {
        diagnostic.message = redactor.redact(&diagnostic.message);
        diagnostic.help = diagnostic.help.as_deref().map(|help| redactor.redact(help));
        diagnostic.primary.message = redactor.redact(&diagnostic.primary.message);
        for label in &mut diagnostic.related {
            label.message = redactor.redact(&label.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_bytes_stand_in_for_a_secret_wherever_it_is_repeated() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), "key hunter2hunter2\n".to_owned());
        let redactor = Redactor::new(&sources, &[Span::new(file, 4, 18), Span::new(file, 0, 3)]);
        assert_eq!(redactor.redact("key=hunter2hunter2!"), "key=**************!");
        assert!(Redactor::new(&sources, &[]).is_idle());
    }

    #[test]
    fn a_secret_that_is_cut_off_or_has_several_lines_is_hidden_too() {
        let mut sources = SourceMap::default();
        let text = "ü€hunter2\nhunter3";
        let file = sources.add("a.md".into(), text.to_owned());
        let redactor = Redactor::new(&sources, &[Span::new(file, 0, text.len())]);
        assert_eq!(redactor.redact("x ü€hunter2\nhunter3…"), "x ************\n*******…");
        assert_eq!(redactor.redact("x ü€hunt…, hunt…"), "x *********…, hunt…");
    }
}
