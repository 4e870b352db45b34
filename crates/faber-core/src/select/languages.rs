//! Programming languages that contexts are named after and files are written in.

use crate::word_list::words;

/// Words of names; extensions of files, as in GitHub Linguist.
const LANGUAGES: &[(&[&str], &[&str])] = &[
    (&["python"], &["py", "pyi", "pyx", "ipynb"]),
    (
        words!("typescript, javascript, nodejs"),
        words!("ts, tsx, mts, cts, js, jsx, mjs, cjs, vue, svelte"),
    ),
    (&["java"], &["java"]),
    (&["kotlin"], &["kt", "kts"]),
    (&["swift"], &["swift"]),
    (&["ruby"], &["rb", "erb", "rake"]),
    (&["php"], &["php"]),
    (&["rust"], &["rs"]),
    (&["golang", "go"], &["go"]),
    (&["csharp", "c#", "dotnet"], &["cs", "razor", "cshtml"]),
    (&["cpp", "c++"], words!("c, cc, cpp, cxx, h, hh, hpp, hxx")),
    (&["scala"], &["scala", "sbt"]),
    (&["elixir"], &["ex", "exs", "heex"]),
    (&["haskell"], &["hs"]),
    (&["clojure"], &["clj", "cljs", "cljc"]),
    (&["dart"], &["dart"]),
    (&["lua"], &["lua"]),
    (&["perl"], &["pl", "pm"]),
    (&["julia"], &["jl"]),
    (&["powershell"], &["ps1", "psm1", "psd1"]),
];

/// `go-live-checklist`
const AFTER_A_VERB: &[&str] = &["live", "to", "no"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Language(usize);

pub(crate) fn of_name(name: &str) -> Vec<Language> {
    let words: Vec<&str> = name.split(['-', '_', '.', '/']).collect();
    let own = |(at, word): (usize, &&str)| {
        let is_verb = words.get(at + 1).is_some_and(|next| AFTER_A_VERB.contains(next));
        language(word).filter(|_| *word != "go" || !is_verb)
    };
    words.iter().enumerate().filter_map(own).collect()
}

/// Also by extensions: "port it to TS".
pub(crate) fn of_text(text: &str) -> impl Iterator<Item = Language> {
    let words = text.split(|char: char| !char.is_alphanumeric() && !matches!(char, '#' | '+'));
    words.map(str::to_ascii_lowercase).filter_map(|word| language(&word).or(written_in(&word)))
}

pub(crate) fn of_file(path: &str) -> Option<Language> {
    written_in(path.rsplit_once('.')?.1)
}

fn language(word: &str) -> Option<Language> {
    LANGUAGES.iter().position(|row| row.0.contains(&word)).map(Language)
}

fn written_in(extension: &str) -> Option<Language> {
    LANGUAGES.iter().position(|row| row.1.contains(&extension)).map(Language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_files_have_languages() {
        for (name, file, is_one) in [
            ("python-testing", "src/a.py", true),
            ("testing.typescript", "a.tsx", true),
            ("go", "cmd/main.go", true),
            ("rust_errors", "src/lib.rs", true),
            ("rust-errors", "src/lib.py", false),
            ("go-live-checklist", "main.go", false),
            ("cargo", "main.go", false),
            ("javascript", "A.java", false),
            ("python-testing", "Makefile", false),
        ] {
            let has = of_file(file).is_some_and(|file| of_name(name).contains(&file));
            assert_eq!(has, is_one, "{name} {file}");
        }
        for (text, name) in [("Port it to TS.", "typescript"), ("in C#, please", "csharp")] {
            assert!(of_text(text).any(|it| of_name(name).contains(&it)), "{text}");
        }
    }
}
