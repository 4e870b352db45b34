//! Keeping secrets that were found out of everything that is printed.

use aho_corasick::AhoCorasick;

use crate::diagnostic::Diagnostic;
use crate::source::{SourceMap, Span};

/// The rule whose findings point at secrets.
pub const SECRET: &str = "secret";
/// Shorter texts are no secrets that could be told from other words.
const SHORTEST: usize = 6;

/// Takes secrets out of texts, byte for byte, so that offsets hold.
#[derive(Debug, Default)]
pub struct Redactor {
    secrets: Option<AhoCorasick>,
}

impl Redactor {
    /// Knows the texts at `spans`.
    pub fn new(sources: &SourceMap, spans: &[Span]) -> Self {
        let mut texts: Vec<&str> = spans.iter().map(|span| sources.text(*span).trim()).collect();
        texts.retain(|text| text.len() >= SHORTEST);
        texts.sort_unstable();
        texts.dedup();
        let build = || {
            let kind = aho_corasick::MatchKind::LeftmostLongest;
            AhoCorasick::builder().match_kind(kind).build(&texts).ok()
        };
        Self { secrets: if texts.is_empty() { None } else { build() } }
    }

    /// `text` with `*` for every byte of a secret.
    pub fn redact(&self, text: &str) -> String {
        let Some(secrets) = &self.secrets else { return text.to_owned() };
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for found in secrets.find_iter(text) {
            out.push_str(&text[at..found.start()]);
            out.extend(std::iter::repeat_n('*', found.len()));
            at = found.end();
        }
        out.push_str(&text[at..]);
        out
    }

    /// Whether there is anything to take out.
    pub fn is_idle(&self) -> bool {
        self.secrets.is_none()
    }
}

/// Takes secrets out of what findings say.
pub fn messages(found: &mut [Diagnostic], sources: &SourceMap, secrets: &[Span]) {
    let redactor = Redactor::new(sources, secrets);
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
}
