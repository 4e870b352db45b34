//! The scan for what an attacker, or a slip, leaves in a text that a model will read.
//!
//! It looks at the raw text before anything is parsed: what a parser does not show is what matters
//! here. Two passes share the work. One jumps from one character outside of plain ASCII to the
//! next; one runs an automaton over the strings that are looked at closely. Each closer look is
//! bounded, so the whole is linear whatever the text is. What says something else once it is decoded
//! (values of YAML in quotes, character references, words in pieces) is scanned again as it reads. Of one
//! rule [`MOST`](crate::diagnostic::MOST) findings are kept, but of secrets all: what is printed must not
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

/// How many characters of a text a message shows.
const SHOWN: usize = 60;

/// Whether a character hides or reorders text, whatever is around it. Emoji and fonts need the other unusual ones.
pub(crate) fn hides(char: char) -> bool {
    !matches!(chars::kind(char), CharKind::Ordinary | CharKind::Selector | CharKind::Private)
}

/// Scans the name and the text of one file for everything that the security rules know.
///
/// Findings about the name point at the start of the file and have no fix.
pub fn scan(file: FileId, path: &Utf8Path, text: &str, found: &mut Vec<Diagnostic>) {
    scan_name(file, path, found);
    let from = found.len();
    plain(file, text, found);
    reread::values(file, path, text, from, found);
}

/// As [`scan`], for the name of a file alone.
pub(crate) fn scan_name(file: FileId, path: &Utf8Path, found: &mut Vec<Diagnostic>) {
    let mut named = Findings::default();
    invisible::scan(file, path.as_str(), &mut named);
    close::scan(file, path.as_str(), &mut named);
    let mut named = named.finish();
    // In a text these are ordinary; in a name they break the lines in which it is listed.
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

/// Scans a text as it is, and as it reads once its marks are taken for what they mean.
fn plain(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    let from = found.len();
    let mut written = Findings::default();
    invisible::scan(file, text, &mut written);
    close::scan(file, text, &mut written);
    found.extend(written.finish());
    reread::marks(file, text, from, found);
}

/// The secrets in a text alone. The place of each is in `file`, which has this text.
pub fn secrets(file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    close::scan(file, text, &mut found);
    let mut found = found.finish();
    found.retain(|found| found.rule() == &secret_rule::RULE);
    found
}

/// `text` as a message shows it: in one line, nothing of it invisible, and not all of it if it is
/// long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", Visible(&text[..end])),
        None => Visible(text).to_string(),
    }
}
