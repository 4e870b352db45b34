//! Matches files at hand against globs.

use std::borrow::Cow;

use globset::{Glob, GlobBuilder, GlobSet};

use crate::diagnostic::Diagnostic;
use crate::rules::glob_invalid;
use crate::source::Spanned;

/// Private-use: only wildcards match.
const ANY_NAME: char = '\u{e000}';

pub fn matches_everything(glob: &str) -> bool {
    matches!(glob.trim(), "**" | "**/*")
}

/// 2 for `src/*/main.ts`, 0 for `*.ts`.
pub fn named_parts(glob: &str) -> usize {
    let is_name =
        |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains(['*', '?', '[']);
    glob.trim().split('/').filter(is_name).count()
}

/// The folder if `globs` match exactly its files, as `src/**` does.
pub fn folder(globs: &[Spanned<String>]) -> Option<&str> {
    let mut folders = globs.iter().map(|glob| folder_of(&glob.value));
    let first = folders.next()??;
    folders.all(|folder| folder == Some(first)).then_some(first)
}

fn folder_of(glob: &str) -> Option<&str> {
    let glob = glob.trim().trim_start_matches("./").trim_start_matches('/');
    let all = ["/**", "/**/*", "/"].iter().find_map(|all| glob.strip_suffix(all))?;
    let is_name = |part: &str| !matches!(part, "" | "." | "..");
    (is_plain(all) && !all.contains(['*', '?']) && all.split('/').all(is_name)).then_some(all)
}

pub fn is_plain(glob: &str) -> bool {
    !glob.trim().starts_with('!') && !glob.contains(['[', ']', '{', '}', '\\'])
}

/// As in editor rules, `*` stays within a folder, and a glob without a slash matches in any folder.
///
/// # Errors
///
/// `glob-invalid` at the glob.
pub fn parse(glob: &Spanned<String>) -> Result<Glob, Box<Diagnostic>> {
    let text = glob.value.trim().trim_start_matches("./").trim_start_matches('/');
    if text.starts_with('!') {
        return Err(Box::new(invalid(glob, "`!` excludes nothing; name only files to match")));
    }
    let text = if text.contains('/') { text.to_owned() } else { format!("**/{text}") };
    let text = if text.ends_with('/') { format!("{text}**") } else { text };
    GlobBuilder::new(&text).literal_separator(true).build().map_err(|error| {
        let why = error.kind().to_string().replace('\'', "`");
        let why = why.split(" (maybe ").next().unwrap_or(&why);
        Box::new(invalid(glob, why))
    })
}

pub fn invalid(glob: &Spanned<String>, why: &str) -> Diagnostic {
    let message = format!("invalid glob `{}`: {why}", glob.value);
    glob_invalid::RULE.at(glob.span, message)
}

/// `folder` ends with `/`.
pub fn may_match_in(glob: &str, folder: &str) -> bool {
    let glob = glob.trim().trim_start_matches("./").trim_start_matches('/');
    let wildcard = glob.find(['*', '?', '[', '{', '\\']).unwrap_or(glob.len());
    let start = match glob[..wildcard].rfind('/') {
        None => "",
        Some(slash) => &glob[..=slash],
    };
    start.starts_with(folder) || folder.starts_with(start)
}

fn examples(files: &[String]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    files.iter().enumerate().flat_map(|(at, file)| {
        let folder = file.strip_suffix('/');
        let inner = folder.map(|_| (at, Cow::Owned(format!("{file}{ANY_NAME}"))));
        std::iter::once((at, Cow::Borrowed(folder.unwrap_or(file)))).chain(inner)
    })
}

/// A folder matches if all of its files may. Fails if a valid glob is too large.
pub fn first_matches(globs: &[Glob], files: &[String]) -> Vec<Result<Option<usize>, String>> {
    if files.is_empty() {
        return vec![Ok(None); globs.len()];
    }
    match (GlobSet::new(globs), globs) {
        (Ok(set), _) => {
            let mut first = vec![Ok(None); globs.len()];
            for (at, file) in examples(files) {
                for glob in set.matches(&*file) {
                    first[glob] = first[glob].clone().map(|known| known.or(Some(at)));
                }
            }
            first
        }
        (Err(error), [_]) => vec![Err(error.kind().to_string())],
        (Err(_), _) => {
            globs.iter().flat_map(|glob| first_matches(std::slice::from_ref(glob), files)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceMap, Span};

    fn matches(glob: &str, path: &str) -> bool {
        let file = SourceMap::default().add("a.md".into(), String::new());
        let glob = Spanned { value: glob.to_owned(), span: Span::start_of(file) };
        let Ok(glob) = parse(&glob) else { return false };
        first_matches(&[glob], &[path.to_owned()]) == [Ok(Some(0))]
    }

    #[test]
    fn globs_of_all_files_in_one_folder_name_it() {
        let file = SourceMap::default().add("a.md".into(), String::new());
        let glob = |glob: &&str| Spanned { value: (*glob).to_owned(), span: Span::start_of(file) };
        let folder = |globs: &[&str]| {
            let globs: Vec<_> = globs.iter().map(glob).collect();
            super::folder(&globs).map(str::to_owned)
        };
        for globs in [&["a/b/**"][..], &["./a/b/**/*"], &["/a/b/", " a/b/** "]] {
            assert_eq!(folder(globs).as_deref(), Some("a/b"), "{globs:?}");
        }
        for globs in [
            &[][..],
            &["**"],
            &["/**"],
            &["a/**/*.ts"],
            &["a/*"],
            &["*/b/**"],
            &["a/[b]/**"],
            &["a/../**"],
            &["a/**", "b/**"],
            &["a/**", "*.ts"],
        ] {
            assert_eq!(folder(globs), None, "{globs:?}");
        }
    }

    #[test]
    fn a_glob_names_a_place_or_only_a_kind_of_files() {
        for (glob, parts) in [
            ("src/**/*.ts", 1),
            ("docs/", 1),
            ("**/Cargo.toml", 1),
            ("./tests/*", 1),
            ("{src,web}/**", 1),
            ("infra/main.tf", 2),
        ] {
            assert_eq!(named_parts(glob), parts, "{glob}");
        }
        for glob in ["*.ts", "**/*.{ts,tsx}", "**", "./**/*.md", "**/[a-z]*/*.rs"] {
            assert_eq!(named_parts(glob), 0, "{glob}");
        }
        assert!(["**", "**/*"].into_iter().all(matches_everything));
        assert!(!["*", "*.*", "a/*", "*/*"].into_iter().any(matches_everything));
    }

    #[test]
    fn a_folder_matches_globs_of_its_files() {
        for glob in ["a/b/**", "a/b/*", "a/b/", "a/b", "a/**", "**/b/**", "*"] {
            assert!(matches(glob, "a/b/") && may_match_in(glob, "a/b/"), "{glob}");
        }
        for glob in ["a/b/*.ts", "a/b/c/**", "**/package.json", "*.{ts,tsx}", "a/*/x.md"] {
            assert!(!matches(glob, "a/b/") && may_match_in(glob, "a/b/"), "{glob}");
        }
        for glob in ["a/c/**", "b/*", "a/bc/x.ts"] {
            assert!(!matches(glob, "a/b/") && !may_match_in(glob, "a/b/"), "{glob}");
        }
    }

    #[test]
    fn globs_mean_what_they_mean_in_editor_rules() {
        assert!(matches("src/**/*.ts", "src/app/main.ts") && matches("src/**/*.ts", "src/main.ts"));
        assert!(!matches("src/**/*.ts", "lib/app/main.ts"));
        assert!(matches("*.py", "deep/down/x.py") && !matches("src/*.py", "src/deep/x.py"));
        assert!(matches("**/*.{ts,tsx}", "a/b.tsx") && matches("/docs/", "docs/a/b.md"));
        assert!(!matches("[", "["), "an invalid glob matches nothing");
        assert!(
            is_plain("src/**/*.?s,")
                && !["[", "a]", "{", "}", "\\", "!a"].iter().any(|glob| is_plain(glob))
        );
    }
}
