//! Scans texts for attacks on models and leaked secrets, in linear time.
//!
//! `invisible` reports characters, `content_scan` known strings, `reread` decoded text. Secrets
//! have no limit: output must redact all.

mod acts;
mod assignment;
mod blob;
mod code;
mod conceal;
mod content_scan;
mod disguise;
mod effect;
mod fixed;
mod flow;
mod fold;
mod heading;
mod hidden;
mod invisible;
mod joined;
mod markup;
pub(crate) mod name;
mod needles;
mod negation;
mod numbers;
mod order;
mod phrase;
mod placeholder;
mod places;
mod program;
mod reading;
pub mod redact;
mod remote;
mod reread;
mod script;
mod secret;
mod send;
mod stems;
mod table;
mod window;

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod legitimate;
#[cfg(test)]
mod proptests;

use camino::Utf8Path;

use crate::diagnostic::{Diagnostic, Findings};
use crate::rules::{control_character, secret as secret_rule};
use crate::source::{FileId, Span};
use crate::yaml::Node;

/// Findings in the name are at its start, without fix.
pub fn scan(
    file: FileId,
    path: &Utf8Path,
    text: &str,
    front: Option<&Node>,
    found: &mut Vec<Diagnostic>,
) {
    scan_name(file, path, found);
    let mut own = Vec::new();
    plain(file, text, &mut own);
    let parsed = front.is_none().then(|| reread::quoted(file, path, text)).flatten();
    if let Some(front) = front.or(parsed.as_ref()) {
        reread::values(file, path, text, front, &mut own);
    }
    found.append(&mut own);
}

pub(crate) fn scan_name(file: FileId, path: &Utf8Path, found: &mut Vec<Diagnostic>) {
    let mut named = written(file, path.as_str());
    let rule = &control_character::RULE;
    if path.as_str().contains(['\t', '\n', '\r', '\x0c'])
        && named.iter().all(|finding| finding.rule() != rule)
    {
        let message = "a tab or the end of a line";
        named.push(rule.at(Span::start_of(file), message));
    }
    if named.is_empty() {
        found.extend(name::of_path(file, path));
    }
    for mut finding in named {
        finding.primary.span = Span::start_of(file);
        finding.fix.clear();
        finding.related.clear();
        finding.message = format!("in the name of the file: {}", finding.message);
        found.push(finding.help("rename the file"));
    }
}

fn plain(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    let from = found.len();
    found.extend(written(file, text));
    reread::marks(file, text, from, found);
}

fn written(file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    invisible::scan(file, text, &mut found);
    content_scan::scan(file, text, &mut found);
    found.finish()
}

/// What a program does; nothing if `path` and `text` are not those of a program.
pub fn scan_program(file: FileId, path: &Utf8Path, text: &str, found: &mut Vec<Diagnostic>) {
    program::scan(file, path, text, found);
}

pub use program::{command, is_of_tests};

/// `file` must contain `text`.
pub fn secrets(file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    content_scan::scan(file, text, &mut found);
    let mut found = found.finish();
    found.retain(|found| found.rule() == &secret_rule::RULE);
    found
}
