//! Paths that are valid on all systems.

use std::collections::HashMap;

use crate::chars;
use crate::letters::folded;

pub const MAX_FILES: usize = 10_000;
pub const MAX_BYTES: u64 = 100 * 1024 * 1024;
const MAX_DEPTH: usize = 32;
/// In bytes.
const MAX_PATH: usize = 512;

const MAX_NAME_BYTES: usize = 64;

/// With any extension.
const DEVICES: [&str; 6] = ["aux", "con", "nul", "prn", "conin$", "conout$"];

pub fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let numbered = |lead: &str| {
        let rest = stem.strip_prefix(lead);
        rest.is_some_and(|rest| {
            rest.chars().count() == 1
                && rest.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c))
        })
    };
    DEVICES.contains(&&*stem) || numbered("com") || numbered("lpt")
}

pub fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.starts_with(is_plain)
        && name.len() <= MAX_NAME_BYTES
        && name.chars().all(|c| is_plain(c) || c == '-')
        && name != "allow"
        && !is_reserved(name)
}

pub fn qualified(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    (is_name(name) && !rest.is_empty()).then_some((name, rest))
}

pub fn refusal(path: &str) -> Option<&'static str> {
    if path.is_empty() || path.len() > MAX_PATH || path.split('/').count() > MAX_DEPTH {
        return Some("the path is empty, too long or too deep");
    }
    if path.contains(is_odd) {
        return Some(
            "the path has one of `\\ : < > \" | ? *`, a control character or one that hides or reorders text",
        );
    }
    path.split('/').find_map(refused_part)
}

fn refused_part(part: &str) -> Option<&'static str> {
    if matches!(part, "" | "." | "..") {
        return Some("the path is absolute, or has `.`, `..` or empty parts");
    }
    if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        return Some("a part of the path begins or ends with a space, or ends with a dot");
    }
    if is_reserved(part) {
        return Some("the name is reserved on Windows");
    }
    let lower = part.to_ascii_lowercase();
    let is_git = lower == ".git" || lower.strip_prefix("git~").is_some_and(|rest| !rest.is_empty());
    is_git.then_some("the name is reserved by git")
}

fn is_odd(c: char) -> bool {
    c.is_control() || "\\:<>\"|?*".contains(c) || chars::hides(c)
}

/// Paths equal but for case or normalization, or a file that is a folder.
pub fn collision<'a>(paths: impl IntoIterator<Item = &'a str>) -> Option<(String, String)> {
    let mut known: HashMap<String, (&'a str, bool)> = HashMap::new();
    for path in paths {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let (part, is_file) = (&path[..end], end == path.len());
            let (first, was_file) = *known.entry(folded(part)).or_insert((part, is_file));
            if first != part || is_file != was_file {
                return Some((first.to_owned(), path.to_owned()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word_list::words;

    #[test]
    fn paths_that_some_system_reads_differently_are_refused() {
        for path in
            ["a.md", "contexts/standards/a-b.md", ".faber/config.yml", "ü/日本.md", "comet.md"]
        {
            assert_eq!(refusal(path), None, "{path}");
        }
        let bad = words!(
            ", /a, a//b, a/./b, a/../b, .., a\\b.md, C:a.md, a:stream, CON.md, a/nul, com1.txt",
            "LPT9, a., a ,  a, .git/config, a/.GIT/x, GIT~1/x, a\nb, a\u{202e}b.md, a\u{200b}.md",
            "a*b, COM¹",
        );
        for path in bad {
            assert!(refusal(path).is_some(), "{path:?}");
        }
        assert!(refusal(&"a/".repeat(40)).is_some() && refusal(&"a".repeat(600)).is_some());
    }

    #[test]
    fn paths_that_are_one_on_some_systems_collide() {
        let collide = |paths: &[&str]| collision(paths.iter().copied()).is_some();
        assert!(!collide(&["a/b.md", "a/c.md", "b/b.md"]));
        assert!(collide(&["README.md", "readme.md"]));
        assert!(collide(&["a/x.md", "A/y.md"]));
        assert!(collide(&["\u{e9}.md", "e\u{301}.md"]));
        assert!(collide(&["a", "a/b"]) && collide(&["a/b", "A"]));
        assert!(collide(&["straße", "STRASSE"]));
    }

    #[test]
    fn names_are_folders_on_every_system() {
        assert!(is_name("acme") && is_name("a-1") && is_name("0"));
        for name in ["", "A", "a/b", "..", "-a", "allow", "con", "nul", "a.b", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
