//! Translates requests to English.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use super::function_words::{FunctionWords, Language};
use super::pieces::{is_stop, stem_of};
use super::query::{self, is_name};
use super::words::{Normalizer, is_cjk, is_unspaced, words};

/// Characters that may follow a stem.
const MAX_INFLECTION: usize = 4;

/// In characters.
const MIN_PART: usize = 3;

/// In bytes: splitting takes quadratic time.
const MAX_WORD: usize = 64;

const MAX_PARTS: usize = 3;

const ENOUGH: usize = 100;

const LINKS: [&str; 4] = ["", "s", "n", "en"];

fn lines(language: Language) -> &'static str {
    match language {
        Language::German => include_str!("lexicon/de.txt"),
        Language::Dutch => include_str!("lexicon/nl.txt"),
        Language::French => include_str!("lexicon/fr.txt"),
        Language::Spanish => include_str!("lexicon/es.txt"),
        Language::Portuguese => include_str!("lexicon/pt.txt"),
        Language::Italian => include_str!("lexicon/it.txt"),
        Language::Polish => include_str!("lexicon/pl.txt"),
        Language::Russian => include_str!("lexicon/ru.txt"),
        Language::Japanese => include_str!("lexicon/ja.txt"),
        Language::Chinese => include_str!("lexicon/zh.txt"),
        Language::Korean => include_str!("lexicon/ko.txt"),
    }
}

struct Lexicon {
    language: Language,
    words: HashMap<&'static str, &'static str>,
    stems: HashMap<&'static str, &'static str>,
    longest: usize,
}

impl Lexicon {
    fn new(language: Language) -> Self {
        let (words, stems) = (HashMap::new(), HashMap::new());
        let mut lexicon = Self { language, words, stems, longest: 0 };
        let lines = lines(language).lines().filter_map(|line| line.split_once(": "));
        let entries =
            lines.flat_map(|(english, words)| words.split(' ').map(move |word| (word, english)));
        for (word, english) in entries {
            lexicon.longest = lexicon.longest.max(word.len());
            match word.strip_suffix('-') {
                Some(stem) => lexicon.stems.insert(stem, english),
                None => lexicon.words.insert(word, english),
            };
        }
        lexicon
    }

    fn translate(&self, word: &str) -> Option<Vec<&'static str>> {
        self.parts(word, MAX_PARTS)
    }

    fn parts(&self, word: &str, most: usize) -> Option<Vec<&'static str>> {
        if let Some(english) = self.words.get(word) {
            return Some(vec![english]);
        }
        if word.len() > MAX_WORD {
            return None;
        }
        let is_cut = most > 1 && matches!(self.language, Language::German | Language::Dutch);
        let ends: Vec<usize> = word.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        ends.into_iter().rev().find_map(|end| {
            let (first, rest) = word.split_at(end);
            let stem = self.stems.get(first);
            if rest.chars().count() <= MAX_INFLECTION && stem.is_some() {
                return stem.map(|english| vec![*english]);
            }
            let first = stem.or_else(|| self.words.get(first)).filter(|_| is_cut)?;
            let rests = LINKS.iter().filter_map(|link| rest.strip_prefix(link));
            let mut rests = rests.filter(|rest| rest.chars().count() >= MIN_PART);
            let more = rests.find_map(|rest| self.parts(rest, most - 1))?;
            Some([&[*first], &*more].concat())
        })
    }

    fn known_words(&self, text: &str) -> usize {
        let words = words(text).map(|word| text[word.bytes].to_lowercase());
        words.take(ENOUGH).filter(|word| self.translate(word).is_some()).count()
    }

    fn first_entry(&self, text: &str) -> Option<(usize, &'static str)> {
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let ends: Vec<usize> = ends.take_while(|end| *end <= self.longest).collect();
        ends.into_iter().rev().find_map(|end| Some((end, *self.words.get(&text[..end])?)))
    }
}

/// `None` if `question` is in English or without lexicon. Stems that any text `has` stay.
pub fn translated(question: &str, has: &dyn Fn(&str) -> bool) -> Option<String> {
    let plain = words(question).map(|word| &question[word.bytes]).filter(|word| !is_name(word));
    let lexicons = Language::all_of(question, plain).into_iter().map(Lexicon::new);
    let known = lexicons.map(|lexicon| (lexicon.known_words(question), lexicon));
    let (known, lexicon) = known.max_by_key(|(known, _)| *known)?;
    if known == 0 && lexicon.language.is_latin() {
        return None;
    }
    let function_words = FunctionWords::of_language(lexicon.language);
    let normalizer = Normalizer::default();
    let known = RefCell::default();
    let translation = Translation { lexicon, function_words, normalizer, has, known };
    let mut text = String::new();
    let mut end = 0;
    for run in runs(question) {
        text.push_str(&question[end..run.start]);
        end = run.end;
        let word = &question[run.clone()];
        if is_in_code(question, &run) {
            text.push_str(word);
        } else {
            text.push_str(&translation.of(word));
        }
    }
    Some(text + &question[end..])
}

fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for word in words(text).map(|word| word.bytes) {
        let is_ideograph = text[word.clone()].starts_with(is_unspaced);
        match runs.last_mut() {
            Some(run)
                if is_ideograph
                    && run.end == word.start
                    && text[run.clone()].ends_with(is_unspaced) =>
            {
                run.end = word.end;
            }
            _ => runs.push(word),
        }
    }
    runs
}

fn is_in_code(text: &str, word: &Range<usize>) -> bool {
    const SIGNS: [char; 9] = ['_', '/', '\\', '@', '#', '$', '`', '=', '<'];
    let before = text[..word.start].chars().next_back();
    let mut after = text[word.end..].chars();
    let next = after.next();
    let goes_on = after.next().is_some_and(char::is_alphanumeric);
    before.is_some_and(|sign| SIGNS.contains(&sign) || sign == '.')
        || next.is_some_and(|sign| SIGNS.contains(&sign))
        || (next.is_some_and(|sign| matches!(sign, '.' | ':')) && goes_on)
}

struct Translation<'a> {
    lexicon: Lexicon,
    function_words: FunctionWords,
    normalizer: Normalizer<'static>,
    has: &'a dyn Fn(&str) -> bool,
    known: RefCell<HashMap<String, bool>>,
}

impl Translation<'_> {
    fn of(&self, word: &str) -> String {
        if word.starts_with(is_cjk) {
            let terms = query::terms(word);
            let known = terms.iter().filter(|term| self.have(&term.stem)).count();
            return if 2 * known > terms.len() { word.to_owned() } else { self.segments(word) };
        }
        let is_foreign = !is_name(word)
            && !is_stop(word)
            && !word.contains(|c: char| c.is_ascii_digit())
            && (self.lexicon.language.is_latin() || !word.is_ascii());
        if !is_foreign {
            return word.to_owned();
        }
        if self.function_words.has(word) {
            return String::new();
        }
        if self.is_in_texts(word) {
            return word.to_owned();
        }
        let english = self.lexicon.translate(&word.to_lowercase());
        let best =
            |all: Vec<&'static str>| all.into_iter().map(|of| self.best(of)).collect::<Vec<_>>();
        english.map_or(word.to_owned(), |all| best(all).join(" "))
    }

    fn segments(&self, text: &str) -> String {
        let mut english = String::new();
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            if let Some((length, words)) = self.lexicon.first_entry(&text[at..]) {
                english.extend([" ", self.best(words), " "]);
                at += length;
            } else {
                english.push(first);
                at += first.len_utf8();
            }
        }
        english
    }

    fn best<'a>(&self, synonyms: &'a str) -> &'a str {
        let mut words = synonyms.split(' ');
        let first = words.clone().next().unwrap_or_default();
        words.find(|word| self.is_in_texts(word)).unwrap_or(first)
    }

    fn is_in_texts(&self, word: &str) -> bool {
        self.have(&stem_of(word, &self.normalizer))
    }

    fn have(&self, stem: &str) -> bool {
        let mut known = self.known.borrow_mut();
        *known.entry(stem.to_owned()).or_insert_with(|| (self.has)(stem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGES: [Language; 11] = [
        Language::German,
        Language::Dutch,
        Language::French,
        Language::Spanish,
        Language::Portuguese,
        Language::Italian,
        Language::Polish,
        Language::Russian,
        Language::Japanese,
        Language::Chinese,
        Language::Korean,
    ];

    fn english(question: &str, texts: &str) -> Option<String> {
        let normalizer = Normalizer::default();
        let known: Vec<String> = texts.split(' ').map(|word| stem_of(word, &normalizer)).collect();
        let text = translated(question, &|stem| known.iter().any(|known| known == stem))?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn lexicons_have_no_word_twice() {
        for language in LANGUAGES {
            let mut known = std::collections::HashSet::new();
            for line in lines(language).lines() {
                let (english, words) = line.split_once(": ").unwrap();
                assert!(
                    english.split(' ').all(|word| !word.is_empty() && !is_stop(word)),
                    "{line}"
                );
                for word in words.split(' ') {
                    assert!(known.insert(word), "{language:?}: {word}");
                    assert_eq!(word.to_lowercase(), word, "{language:?}");
                }
            }
            assert!(known.len() > 800, "{language:?}");
        }
    }

    #[test]
    fn words_of_eleven_languages_are_translated() {
        let texts = "delete database user security test write error server memory";
        for (question, expected) in [
            ("Wie lösche ich den Benutzer aus der Datenbank?", "delete user database?"),
            ("Hoe kan ik de gebruiker uit de database verwijderen?", "user database delete?"),
            ("comment supprimer un utilisateur de la base ?", "delete user"),
            ("¿cómo puedo eliminar el usuario de la base de datos?", "delete user"),
            ("como posso excluir o usuário do servidor?", "delete user server?"),
            ("come posso eliminare un utente dal server?", "delete user server?"),
            ("jak usunąć użytkownika z serwera na stałe?", "delete user server"),
            ("как удалить пользователя из базы на сервере?", "delete user"),
            ("サーバーのユーザーを削除する", "server user delete"),
            ("从服务器中删除用户", "server delete user"),
            ("서버에서 사용자를 삭제하려면", "server user delete"),
        ] {
            let english = english(question, texts).unwrap();
            let says = expected.split(' ').all(|word| english.contains(word));
            assert!(says, "{question}: {english}");
        }
    }

    #[test]
    fn long_words_take_no_time() {
        let long = format!("wie ist die Datenbank {}", "datenbank".repeat(100_000));
        assert!(english(&long, "database").unwrap().starts_with("database datenbank"));
    }

    #[test]
    fn compounds_are_split() {
        let texts = "change track database query";
        assert_eq!(english("wie ist die Datenbankänderung", texts).unwrap(), "database change");
        assert_eq!(english("wie ist die Änderungsverfolgung", texts).unwrap(), "change track");
        let parts =
            |count| english(&format!("wie ist die Datenbank {}", "datenbank".repeat(count)), texts);
        assert_eq!(parts(3).unwrap(), "database database database database");
        assert_eq!(parts(4).unwrap(), format!("database {}", "datenbank".repeat(4)));
    }

    #[test]
    fn english_names_code_and_words_of_texts_stay() {
        for question in ["delete the user", "why do the pods die", "", "drop table users;"] {
            assert_eq!(english(question, "delete"), None);
        }
        let kept = "warum ist BullMQ in src/fehler.ts und `benutzer` v2 rot";
        let text = english(kept, "pods").unwrap();
        assert_eq!(text, "BullMQ in src/fehler.ts `benutzer` v2 rot");
        let texts = "die Rechnung stornieren Datenbank";
        let text = english("wie kann ich die Rechnung stornieren", texts).unwrap();
        assert_eq!(text, "Rechnung stornieren");
    }
}
