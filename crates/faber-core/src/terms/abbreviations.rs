//! Abbreviations in questions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::pieces::stem_of;
use super::words::{Normalizer, words};

static FORMS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lines = include_str!("lexicon/abbreviations.txt").lines();
    let entries = lines.filter_map(|line| line.split_once(": "));
    entries.map(|(short, forms)| (short, forms.split(", ").collect())).collect()
});

/// Stems of its words.
pub type Phrase = Vec<String>;

/// `PRs` has no vowel, so its stem keeps the `s`.
pub fn forms(stem: &str) -> Vec<Phrase> {
    let singular = stem.strip_suffix('s').filter(|one| FORMS.contains_key(one));
    let Some(forms) = FORMS.get(singular.unwrap_or(stem)) else { return Vec::new() };
    let normalizer = Normalizer::default();
    let stems = |form: &&str| form.split(' ').map(|word| stem_of(word, &normalizer)).collect();
    singular.map(|one| vec![one.to_owned()]).into_iter().chain(forms.iter().map(stems)).collect()
}

pub fn spelled_out(text: &str) -> Cow<'_, str> {
    let normalizer = Normalizer::default();
    let mut out = String::new();
    let mut end = 0;
    for word in words(text).map(|word| word.bytes) {
        if let Some(forms) = FORMS.get(&*stem_of(&text[word.clone()], &normalizer)) {
            out.extend([&text[end..word.start], forms[0]]);
            end = word.end;
        }
    }
    if end == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[end..]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_stems() {
        let normalizer = Normalizer::default();
        assert!(FORMS.len() > 100);
        for (short, forms) in &*FORMS {
            assert_eq!(stem_of(short, &normalizer), *short);
            assert!(forms.iter().all(|form| !form.is_empty() && form != short), "{short}");
        }
    }

    #[test]
    fn abbreviations_are_spelled_out_in_every_form() {
        assert_eq!(forms("auth"), [["authent"], ["authori"]]);
        assert_eq!(forms("pr"), [["pull", "request"]]);
        assert_eq!(forms("prs"), [vec!["pr"], vec!["pull", "request"]]);
        assert!(forms("kubernet").is_empty());
        assert_eq!(spelled_out("Evals of the DB"), "evaluation of the database");
        assert_eq!(spelled_out("a database"), "a database");
    }
}
