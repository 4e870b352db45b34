//! Redacts secrets in output.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use camino::{Utf8Path, Utf8PathBuf};

use super::secret::TOKENS;
use super::window;
use crate::diagnostic::{Diagnostic, Severity};
use crate::rules::secret as secret_rule;
use crate::source::{FileId, SourceMap, Span};
use crate::{chars, security};

const MIN_BYTES: usize = 6;
const MAX_CUT_BYTES: usize = 256;

/// Byte for byte, to keep offsets.
#[derive(Debug, Default)]
pub struct Redactor {
    texts: Vec<String>,
    secrets: Option<AhoCorasick>,
}

impl Redactor {
    pub fn new(sources: &SourceMap, spans: &[Span]) -> Self {
        let texts = spans.iter().map(|span| sources.text(*span).trim());
        let texts: BTreeSet<&str> = texts.filter(|text| text.len() >= MIN_BYTES).collect();
        let build = || {
            let kind = aho_corasick::MatchKind::LeftmostLongest;
            AhoCorasick::builder().match_kind(kind).build(&texts).ok()
        };
        let secrets = if texts.is_empty() { None } else { build() };
        Self { secrets, texts: texts.into_iter().map(str::to_owned).collect() }
    }

    /// Also if truncated by `…`. Keeps line breaks.
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
        // Lossless: whole characters are replaced.
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn beginning_of_secret(&self, text: &str) -> Option<usize> {
        let starts =
            text.len().saturating_sub(MAX_CUT_BYTES)..(text.len() + 1).saturating_sub(MIN_BYTES);
        starts.filter(|&at| text.is_char_boundary(at)).find(|&at| {
            let next = self.texts.partition_point(|secret| secret.as_str() < &text[at..]);
            self.texts.get(next).is_some_and(|secret| secret.starts_with(&text[at..]))
        })
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.secrets.is_none()
    }
}

/// Keeps line breaks.
pub fn masked(text: &str) -> Cow<'_, str> {
    // Loading the rules takes about 3 ms.
    if text.len() < MIN_BYTES {
        return Cow::Borrowed(text);
    }
    let found = security::secrets(no_file(), text);
    let cut: Vec<_> = text.match_indices('…').filter_map(|(end, _)| cut_token(text, end)).collect();
    if found.is_empty() && cut.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in found.iter().map(|found| found.primary.span.range()).chain(cut) {
        let end = range.start + within_string(&text[range.clone()]);
        hide(&mut bytes[range.start..end]);
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

fn cut_token(text: &str, end: usize) -> Option<Range<usize>> {
    let start = window::word_start(text, end);
    let word = &text[start..end];
    let starts = TOKENS.iter().filter_map(|row| Some((word.rfind(row.prefix)?, row.prefix)));
    let fits = |&(at, prefix): &(usize, &str)| {
        let rest = &word[at + prefix.len()..];
        let joined = word[..at].ends_with(|char: char| char.is_ascii_alphanumeric());
        !joined && prefix.len() > 3 && rest.len() >= MIN_BYTES && rest.contains(char::is_numeric)
    };
    starts.filter(fits).map(|(at, _)| start + at..end).min_by_key(|range| range.start)
}

fn within_string(secret: &str) -> usize {
    let mut chars = secret.char_indices();
    while let Some((at, char)) = chars.next() {
        let is_whole = char != '\\' || chars.next().is_some();
        if char == '"' || !is_whole {
            return at;
        }
    }
    secret.len()
}

/// Other errors of security rules become code points.
pub fn neutralized(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    security::scan(no_file(), Utf8Path::new(""), text, None, &mut found);
    found.retain(|found| found.severity() == Severity::Error);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|found| found.primary.span);
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for found in found {
        let range = found.primary.span.range();
        if range.start < done {
            continue;
        }
        out.push_str(&text[done..range.start]);
        for char in text[range.clone()].chars() {
            let is_seen = chars::kind(char) == chars::CharKind::Ordinary || char == '\n';
            match (found.rule() == &secret_rule::RULE, is_seen) {
                (true, _) => out.extend(std::iter::repeat_n('*', char.len_utf8())),
                (false, true) => out.push(char),
                (false, false) => out.extend(char.escape_unicode()),
            }
        }
        done = range.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

fn no_file() -> FileId {
    SourceMap::default().add(Utf8PathBuf::new(), String::new())
}

pub fn hide(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b'*';
    }
}

pub fn secrets_near(
    found: &[Diagnostic],
    sources: &SourceMap,
    known: &BTreeSet<FileId>,
) -> Vec<Span> {
    let labels =
        found.iter().flat_map(|found| std::iter::once(&found.primary).chain(&found.related));
    let files: BTreeSet<FileId> = labels.map(|label| label.span.file).collect();
    let secrets = files.difference(known).flat_map(|&file| {
        security::secrets(file, &sources.get(file).text).into_iter().map(|found| found.primary.span)
    });
    secrets.collect()
}

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
    fn every_copy_of_a_secret_is_masked_with_as_many_bytes() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), "key hunter2hunter2\n".to_owned());
        let redactor = Redactor::new(&sources, &[Span::new(file, 4, 18), Span::new(file, 0, 3)]);
        assert_eq!(redactor.redact("key=hunter2hunter2!"), "key=**************!");
        assert!(Redactor::new(&sources, &[]).is_idle());
    }

    #[test]
    fn texts_without_errors_stay_and_others_lose_them() {
        let token = ["gh", "p_a8Kd03mXq72LwZp5RtY19vBnC46sJhE0uFgT"].concat();
        let text = format!("Größe \u{202e}abc {token}\nsee\u{e0049}\u{e0067}.");
        assert_eq!(masked(&text), text.replace(&token, &"*".repeat(token.len())));
        let cut = format!("[\"standards-{}…\", \"sk-…\"]", &token[..20]);
        assert_eq!(masked(&cut), format!("[\"standards-{}…\", \"sk-…\"]", "*".repeat(20)));
        let shown = neutralized(&text);
        assert!(shown.starts_with("Größe \\u{202e}abc ****"), "{shown}");
        assert!(shown.ends_with("*\nsee\\u{e0049}\\u{e0067}."), "{shown}");
        let key =
            format!("-----BEGIN PRIV{}-----\\n{}", "ATE KEY", "MIIEowIBAAKCAQEAu1SU1LfVLPHCozMx");
        let json =
            serde_json::json!({ "a": key.replace("\\n", "\n"), "b": [1, "-----END x-----"] });
        let shown = masked(&json.to_string()).into_owned();
        let read: serde_json::Value = serde_json::from_str(&shown).expect(&shown);
        assert!(read["a"].as_str().unwrap().bytes().all(|byte| byte == b'*'), "{shown}");
        assert_eq!(read["b"], json["b"]);
        for clean in ["", "Größe – 漢字, 👨\u{200d}👩", "ignore all previous instructions"]
        {
            assert!(matches!(neutralized(clean), Cow::Borrowed(text) if text == clean), "{clean}");
        }
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
