//! Recognizes translations by their paths.

use std::collections::{BTreeSet, HashSet};

use camino::{Utf8Path, Utf8PathBuf};

const LANGUAGES: [&str; 31] = [
    "ar", "bg", "bn", "cs", "da", "de", "el", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it",
    "ja", "ko", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh",
];

/// Other codes after a hyphen are words (`user-id.md`) or countries (`pricing-uk.md`).
const AFTER_HYPHEN: [&str; 12] =
    ["cn", "de", "es", "fr", "ja", "jp", "ko", "kr", "pt", "ru", "tw", "zh"];

/// Needs an English or unmarked version next to it.
pub(super) fn translations(paths: &[&Utf8Path]) -> BTreeSet<Utf8PathBuf> {
    let is_english = |part: &str, _| is_of(part, &["en"]);
    let english: Vec<Utf8PathBuf> =
        paths.iter().filter_map(|path| without(path, is_english)).collect();
    let mut tails: HashSet<&str> = english.iter().flat_map(|path| ends(path.as_path())).collect();
    for path in paths.iter().filter(|path| !path.components().any(|it| is_language(it.as_str()))) {
        tails.extend(ends(path));
    }
    let is_translated =
        |path: &&&Utf8Path| match path.components().position(|it| is_language(it.as_str())) {
            Some(at) => {
                let below: Utf8PathBuf = path.components().skip(at + 1).collect();
                !below.as_str().is_empty() && tails.contains(below.as_str())
            }
            None => without(path, is_suffix).is_some_and(|other| tails.contains(other.as_str())),
        };
    paths.iter().filter(is_translated).map(|path| (*path).to_owned()).collect()
}

fn ends(path: &Utf8Path) -> impl Iterator<Item = &str> {
    let text = path.as_str();
    let below = text.match_indices('/').map(|(at, _)| &text[at + 1..]);
    std::iter::once(text).chain(below)
}

fn is_language(part: &str) -> bool {
    is_of(part, &LANGUAGES)
}

fn is_of(part: &str, languages: &[&str]) -> bool {
    let Some((language, region)) = part.split_once(['-', '_']) else {
        return languages.contains(&part);
    };
    let is_script = region.len() == 4 && region.starts_with(|c: char| c.is_ascii_uppercase());
    let is_region = region.len() == 2 || is_script;
    languages.contains(&language) && is_region && region.chars().all(|c| c.is_ascii_alphabetic())
}

fn is_suffix(part: &str, separator: char) -> bool {
    if separator == '-' { is_of(part, &AFTER_HYPHEN) } else { is_language(part) }
}

/// `README.zh-CN.md` as `README.md`, `guide-jp/` as `guide/`.
fn without(path: &Utf8Path, is_suffix: impl Fn(&str, char) -> bool) -> Option<Utf8PathBuf> {
    let cut = |name: &str| {
        let mut separators = name.match_indices(['.', '_', '-']);
        let at = separators.find(|(at, mark)| {
            let separator = mark.chars().next().unwrap_or_default();
            *at > 0 && is_suffix(&name[at + 1..], separator)
        });
        at.map(|(at, _)| name[..at].to_owned())
    };
    if let (Some(stem), Some(ending)) = (path.file_stem().and_then(cut), path.extension()) {
        return Some(path.with_file_name(format!("{stem}.{ending}")));
    }
    let mut above = path.ancestors().skip(1);
    above.find_map(|folder| {
        let below = path.strip_prefix(folder).ok()?;
        Some(folder.with_file_name(cut(folder.file_name()?)?).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_translation_has_an_original() {
        let paths = [
            "skills/review/SKILL.md",
            "docs/ja-JP/skills/review/SKILL.md",
            "docs/zh/skills/own/SKILL.md",
            "guide.md",
            "guide.zh-CN.md",
            "guide_de.md",
            "docs/it/setup.md",
            "go/rules.md",
            "button/index.en-US.md",
            "button/index.zh-CN.md",
            "button/index.ja-JP.md",
            "own/index.zh-CN.md",
            "guide-ja.md",
            "guide-id.md",
            "user-guide/flags.md",
            "user-guide-jp/flags.md",
            "user-guide-jp/own.md",
            "user-guide-uk/flags.md",
        ];
        let all: Vec<&Utf8Path> = paths.iter().map(|path| Utf8Path::new(*path)).collect();
        let found: Vec<String> = translations(&all).into_iter().map(String::from).collect();
        assert_eq!(
            found,
            [
                "button/index.ja-JP.md",
                "button/index.zh-CN.md",
                "docs/ja-JP/skills/review/SKILL.md",
                "guide-ja.md",
                "guide.zh-CN.md",
                "guide_de.md",
                "user-guide-jp/flags.md"
            ]
        );
        for (part, expected) in
            [("pt-BR", true), ("zh_CN", true), ("en", false), ("de-", false), ("id-card", false)]
        {
            assert_eq!(is_language(part), expected, "{part}");
        }
    }
}
