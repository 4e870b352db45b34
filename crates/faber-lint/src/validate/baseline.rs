//! Known findings, hidden until their text changes.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::rule::{Group, Rule};
use faber_core::rules::stale_baseline;
use faber_core::security::redact::Redactor;
use faber_core::source::{FileId, SourceMap, Span};

const SCHEMA: &str = "faber.baseline/1";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct FindingKey {
    rule: String,
    path: String,
    hash: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KnownFinding {
    #[serde(flatten)]
    key: FindingKey,
    count: usize,
}

#[derive(Debug, Deserialize)]
struct Data {
    schema: String,
    findings: Vec<KnownFinding>,
}

#[derive(Clone, Debug)]
pub struct Baseline {
    path: Utf8PathBuf,
    text: String,
    known: Vec<KnownFinding>,
}

impl Baseline {
    /// # Errors
    ///
    /// [`Error::Usage`] if the text is not a baseline.
    pub fn read(path: &Utf8Path, text: String) -> Result<Self, Error> {
        let help = "`faber validate --write-baseline FILE` writes one";
        let data: Data = serde_json::from_str(&text)
            .map_err(|error| Error::usage(format!("`{path}` is not a baseline: {error}"), help))?;
        if data.schema != SCHEMA {
            let message = format!("`{path}` is not a baseline: its schema is `{}`", data.schema);
            return Err(Error::usage(message, help));
        }
        Ok(Self { path: path.to_owned(), text, known: data.findings })
    }

    #[must_use]
    pub fn placed(&self, sources: &mut SourceMap) -> PlacedBaseline<'_> {
        PlacedBaseline { file: sources.add(self.path.clone(), self.text.clone()), baseline: self }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct PlacedBaseline<'a> {
    file: FileId,
    baseline: &'a Baseline,
}

impl PlacedBaseline<'_> {
    pub fn apply(
        &self,
        found: &mut Vec<Diagnostic>,
        sources: &SourceMap,
        redactor: &Redactor,
    ) -> Vec<Diagnostic> {
        let mut left: BTreeMap<&FindingKey, usize> = BTreeMap::new();
        for known in &self.baseline.known {
            *left.entry(&known.key).or_default() += known.count;
        }
        let is_known = |found: &mut Diagnostic| {
            if !is_kept(found.rule()) {
                return false;
            }
            let count = left.get_mut(&key(found, sources, redactor)).filter(|count| **count > 0);
            if let Some(count) = count {
                *count -= 1;
                return true;
            }
            false
        };
        let known = found.extract_if(.., is_known).collect();
        let places = self.places();
        for (key, count) in left.into_iter().filter(|(_, count)| *count > 0) {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let message = format!("`{}` no longer occurs in `{}` ({times})", key.rule, key.path);
            let span = places.get(key).copied().unwrap_or_else(|| Span::start_of(self.file));
            let finding = stale_baseline::RULE.at(span, message);
            found.push(finding.help("update the baseline with `--write-baseline`"));
        }
        known
    }

    fn places(&self) -> BTreeMap<FindingKey, Span> {
        let mut places = BTreeMap::new();
        let mut at = 0;
        for line in self.baseline.text.split_inclusive('\n') {
            let shown = line.trim().trim_end_matches(',');
            if let Ok(known) = serde_json::from_str::<KnownFinding>(shown) {
                let start = at + line.len() - line.trim_start().len();
                places.entry(known.key).or_insert(Span::new(self.file, start, start + shown.len()));
            }
            at += line.len();
        }
        places
    }
}

/// Omits security errors and findings about the check itself.
///
/// # Panics
///
/// Never: the keys are text.
pub fn write(found: &[Diagnostic], sources: &SourceMap, redactor: &Redactor) -> (String, usize) {
    let mut counts: BTreeMap<FindingKey, usize> = BTreeMap::new();
    for found in found.iter().filter(|found| is_kept(found.rule())) {
        *counts.entry(key(found, sources, redactor)).or_default() += 1;
    }
    let total = counts.values().sum();
    let lines = counts.into_iter().map(|(key, count)| {
        serde_json::to_string(&KnownFinding { key, count })
            .expect("the keys of the format are text")
    });
    let lines: Vec<String> = lines.map(|line| format!("    {line}")).collect();
    let list =
        if lines.is_empty() { String::new() } else { format!("\n{}\n  ", lines.join(",\n")) };
    (format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"findings\": [{list}]\n}}\n"), total)
}

fn is_kept(rule: &Rule) -> bool {
    let may_fail = rule.severity == Severity::Error || rule.exception == Some(Severity::Error);
    rule.group != Group::Meta && !(rule.group == Group::Security && may_fail)
}

fn key(found: &Diagnostic, sources: &SourceMap, redactor: &Redactor) -> FindingKey {
    let span = found.primary.span;
    FindingKey {
        rule: found.code().to_owned(),
        path: sources.path(span.file).to_string(),
        hash: hash(found, sources, redactor),
    }
}

/// Redacts secrets: a password could be guessed from its hash.
pub fn hash(found: &Diagnostic, sources: &SourceMap, redactor: &Redactor) -> String {
    let span = found.primary.span;
    let file = sources.get(span.file);
    let text = if span.start < span.end {
        &file.text[span.range()]
    } else if span.start == 0 {
        ""
    } else {
        let at = span.range().start.min(file.text.len());
        let start = file.text[..at].rfind('\n').map_or(0, |line| line + 1);
        file.text[start..].lines().next().unwrap_or_default()
    };
    blake3::hash(redactor.redact(text).as_bytes()).to_hex()[..32].to_owned()
}
