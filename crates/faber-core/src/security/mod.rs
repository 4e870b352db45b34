//! Scans texts for attacks on models and for leaked secrets, before parsing.
//!
//! One pass (`unseen`) visits non-ASCII characters, another (`needles`, `close`) examines known
//! strings; each examination is bounded, so scanning takes linear time. Decoded text (quoted YAML
//! values, character references, split words) is scanned again (`reread`). At most
//! [`MOST`](crate::diagnostic::MOST) findings per rule are kept, except secrets: output must redact
//! them all.
//! show them.

mod assignment;
mod blob;
mod chars;
mod close;
mod code;
mod disguise;
mod fixed;
mod fold;
mod hidden;
mod invisible;
pub(crate) mod name;
mod needles;
mod negation;
mod numbers;
mod phrase;
mod placeholder;
mod reading;
pub mod redact;
mod remote;
mod reread;
mod script;
mod secret;
mod send;
pub(crate) mod unseen;
mod window;

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod legitimate;

use camino::Utf8Path;

use chars::CharKind;

use crate::diagnostic::{Diagnostic, Findings};
use crate::escape::Visible;
use crate::rules::{control_character, secret as secret_rule};
use crate::source::{FileId, Span};

/// Maximum characters of a text in a message.
const SHOWN: usize = 60;

/// Whether a character always hides or reorders text. The kinds that emoji and fonts use do not.
pub(crate) fn hides(char: char) -> bool {
    !matches!(chars::kind(char), CharKind::Ordinary | CharKind::Selector | CharKind::Private)
}

/// Scans the name and text of a file with all security rules. Findings about the name point at the
/// start of the file and have no fix.
pub fn scan(file: FileId, path: &Utf8Path, text: &str, found: &mut Vec<Diagnostic>) {
    scan_name(file, path, found);
    let from = found.len();
    plain(file, text, found);
    reread::values(file, path, text, from, found);
}

/// Scans only the name of a file.
pub(crate) fn scan_name(file: FileId, path: &Utf8Path, found: &mut Vec<Diagnostic>) {
    let mut named = Findings::default();
    invisible::scan(file, path.as_str(), &mut named);
    close::scan(file, path.as_str(), &mut named);
    let mut named = named.finish();
    // Allowed in a text; in a name they break lists of files.
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

/// Scans a text as written, and with markup and references decoded.
fn plain(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    let from = found.len();
    let mut written = Findings::default();
    invisible::scan(file, text, &mut written);
    close::scan(file, text, &mut written);
    found.extend(written.finish());
    reread::marks(file, text, from, found);
}

/// Finds only secrets. `file` must contain `text`.
pub fn secrets(file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    close::scan(file, text, &mut found);
    let mut found = found.finish();
    found.retain(|found| found.rule() == &secret_rule::RULE);
    found
}

/// `text` for a message: one line, visible and truncated.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", Visible(&text[..end])),
        None => Visible(text).to_string(),
    }
}
