use camino::{Utf8Path, Utf8PathBuf};

use faber_core::error::Error;
use faber_core::world::{Unreadable, World};
use faber_output::text::unified_diff;
use faber_session::discover::atomic::Writer;
use faber_session::discover::files::Files;

use super::case::{Case, SnapshotName};

/// File names have at most 255 bytes, characters up to four.
const MAX_NAME: usize = 60;
const MAX_LINES: usize = 60;

const MAX_COMPARED: usize = 1_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    Same,
    Missing,
    Differs(String),
    Unreadable(String),
}

pub fn path(case: &Case, name: &SnapshotName) -> Utf8PathBuf {
    let folder = case.path.parent().unwrap_or(Utf8Path::new(""));
    let file = case.path.file_stem().unwrap_or_default();
    let name = match name {
        SnapshotName::OfCase => file_name(&case.name.value),
        SnapshotName::Named(name) => name.clone(),
    };
    Utf8PathBuf::from(format!("{folder}/snapshots/{file}/{name}.md"))
}

fn file_name(case: &str) -> String {
    let words = case.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_lowercase();
    name.chars().take(MAX_NAME).collect::<String>().trim_end_matches('-').to_owned()
}

pub fn compare(files: &Files, path: &Utf8Path, bundle: &str) -> Compared {
    // A checkout may have CRLF; a bundle has only LF.
    let old = match files.read(path) {
        Ok(text) => text.replace("\r\n", "\n"),
        Err(Unreadable::Missing) => return Compared::Missing,
        Err(trouble) => {
            let found = trouble.diagnostic(&mut faber_core::source::SourceMap::default(), path);
            return Compared::Unreadable(found.message);
        }
    };
    if old == bundle {
        return Compared::Same;
    }
    Compared::Differs(difference(path, &old, bundle))
}

fn difference(path: &Utf8Path, old: &str, bundle: &str) -> String {
    if old.len().max(bundle.len()) > MAX_COMPARED {
        let alike = old.lines().zip(bundle.lines()).take_while(|(old, new)| old == new).count();
        return format!("they differ from line {} on\n", alike + 1);
    }
    let unified = unified_diff(old, bundle, path.as_str(), "assembled now");
    let mut lines: Vec<&str> = unified.lines().take(MAX_LINES).collect();
    let more = unified.lines().count().saturating_sub(lines.len());
    let rest = format!("… and {more} more lines");
    if more > 0 {
        lines.push(&rest);
    }
    lines.join("\n") + "\n"
}

/// # Errors
///
/// [`Error::Io`], and [`Error::Usage`] for a folder outside the workspace.
pub fn write(files: &Files, path: &Utf8Path, bundle: &str) -> Result<(), Error> {
    let writer = Writer::new(files.root());
    if files.exists(path) { writer.replace(path, bundle) } else { writer.create(path, bundle) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cases_become_names_of_files() {
        assert_eq!(file_name("A bill, paid twice!"), "a-bill-paid-twice");
        assert_eq!(file_name("../../etc/passwd"), "etc-passwd");
        assert_eq!(file_name("Größe: 5 %"), "größe-5");
        assert_eq!(file_name("?!"), "");
        assert_eq!(file_name(&"ab ".repeat(99)).chars().count(), MAX_NAME - 1);
    }

    #[test]
    fn a_difference_is_short_whatever_differs() {
        let path = Utf8Path::new("a.md");
        let old: String = (0..200).map(|line| line.to_string() + "\n").collect();
        let shown = difference(path, &old, "1\n2\n");
        assert!(shown.starts_with("--- a.md\n+++ assembled now\n"), "{shown}");
        assert!(shown.ends_with("more lines\n") && shown.lines().count() == MAX_LINES + 1);
        let large = "x\n".repeat(MAX_COMPARED);
        assert_eq!(difference(path, &large, "x\ny\n"), "they differ from line 2 on\n");
    }
}
