//! What a text claims about the repository.

use faber_core::source::Span;

use super::tone::Tone;

#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub span: Span,
    pub tone: Tone,
    pub claim: Claim,
    pub folder: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) enum Claim {
    Path(PathClaim),
    Make(MakeTarget),
    Script(Script),
    Cargo(CargoTarget),
    Version(VersionClaim),
}

#[derive(Clone, Debug, Default)]
pub(super) struct PathClaim {
    pub path: String,
    pub is_folder: bool,
    pub is_link: bool,
    pub is_run: bool,
    pub anchor: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct MakeTarget {
    pub name: String,
    pub folder: Option<String>,
    pub others: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Script {
    pub name: String,
    pub manager: String,
    pub runs_programs: bool,
}

#[derive(Clone, Debug)]
pub(super) struct CargoTarget {
    pub kind: &'static str,
    pub name: String,
}

const COMMON: &str = "all build check clean coverage dev fmt format help install lint run serve start \
    test tests typecheck watch";

impl Mention {
    pub(super) fn is_common(&self) -> bool {
        match &self.claim {
            Claim::Make(MakeTarget { name, .. }) | Claim::Script(Script { name, .. }) => {
                has_word(COMMON, name)
            }
            _ => false,
        }
    }
}

impl PathClaim {
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.strip_suffix(['.', ',', ';']).unwrap_or(text);
        let text = text.split_once("::").map_or(text, |(path, _)| path);
        let text = text.split_once('#').map_or(text, |(path, _)| path);
        let text = without_line(text);
        let text = text.strip_prefix("./").unwrap_or(text);
        let path = text.trim_end_matches('/');
        let is_part = |c: char| c.is_alphanumeric() || "_-./+@()".contains(c);
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let is_host = !rest.is_empty() && !first.starts_with('.') && first.contains('.');
        let is_path = !path.is_empty()
            && path.len() <= 200
            && path.chars().all(is_part)
            && path.starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_')
            && !path.contains("//")
            && !path.contains("...")
            && !is_host;
        let is_placeholder =
            path.split(['/', '.']).any(|part| has_word(WHOLE, &part.to_lowercase()))
                || path
                    .split(['/', '.', '-', '_'])
                    .any(|word| has_word(WORDS, &word.to_lowercase()) || is_date(word));
        let is_folder = text.len() > path.len();
        (is_path && !is_placeholder).then(|| Self {
            path: path.to_owned(),
            is_folder,
            ..Self::default()
        })
    }
}

fn without_line(text: &str) -> &str {
    let end = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':' || c == '-');
    if text[end.len()..].starts_with(':') { end } else { text }
}

const WHOLE: &str = "description feature file filename name path slug something topic x";

const WORDS: &str =
    "abc bar baz dummy example foo my placeholder qux sample some todo xxx xyz your";

fn is_date(word: &str) -> bool {
    word.len() >= 2 && word.bytes().all(|byte| b"YMDNXx".contains(&byte))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VersionClaim {
    pub tool: &'static str,
    pub version: Vec<u32>,
    pub is_least: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShellWord<'a> {
    pub at: usize,
    pub text: &'a str,
}

pub(super) fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_hosts_and_patterns_are_not_paths() {
        for text in [
            "src/*.rs",
            "path/to/x.md",
            "<x>/y.md",
            "example.com/a.md",
            "/abs/x.md",
            "@/a/b.ts",
            "~/x.md",
            "a/.../b.md",
            "src/my-thing.ts",
            "notes/YYYY-MM-DD.md",
            "https://x.y/z",
        ] {
            assert!(PathClaim::read(text).is_none(), "{text}");
        }
        assert_eq!(PathClaim::read("tests/a.py::test_b").unwrap().path, "tests/a.py");
        assert!(PathClaim::read("src/").unwrap().is_folder);
    }
}
