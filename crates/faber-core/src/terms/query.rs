//! The terms of a question.

use std::collections::HashMap;

use super::function_words::FunctionWords;
use super::pieces::{WordPiece, is_stop, pieces, stem_of};
use super::words::{Normalizer, is_cjk};

/// Answers, thanks and greetings, sorted.
const REPLIES: [&str; 76] = [
    "again",
    "agree",
    "agreed",
    "ahead",
    "alright",
    "awesome",
    "both",
    "bye",
    "cheers",
    "continue",
    "cool",
    "correct",
    "danke",
    "done",
    "exactly",
    "excellent",
    "fine",
    "first",
    "gerne",
    "go",
    "going",
    "good",
    "gracias",
    "great",
    "hello",
    "hey",
    "hi",
    "ja",
    "keep",
    "last",
    "lgtm",
    "look",
    "looks",
    "many",
    "merci",
    "much",
    "nein",
    "next",
    "nice",
    "nope",
    "now",
    "ok",
    "okay",
    "one",
    "ones",
    "other",
    "others",
    "oui",
    "perfect",
    "proceed",
    "right",
    "second",
    "si",
    "sound",
    "sounds",
    "stop",
    "super",
    "sure",
    "thank",
    "thanks",
    "third",
    "thx",
    "try",
    "ty",
    "wait",
    "weiter",
    "well",
    "wonderful",
    "work",
    "works",
    "wow",
    "y",
    "yeah",
    "yep",
    "yes",
    "yup",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// As first written in the question.
    pub(crate) text: &'a str,
    pub stem: String,
    /// An identifier with parts. It is no evidence if no text has it in one word.
    pub joined: bool,
    pub count: u32,
    /// Written as a name: `GPL`, `OAuth2`, `MongoDB`.
    pub is_name: bool,
}

/// A text without the name is usually about something else.
const NAME: f64 = 2.0;

/// Requests have them whatever they are about, texts rarely; sorted.
const CONVERSATIONAL: [&str; 19] = [
    "anything",
    "get",
    "give",
    "help",
    "know",
    "let",
    "like",
    "make",
    "need",
    "something",
    "tell",
    "thank",
    "thanks",
    "thing",
    "things",
    "think",
    "try",
    "want",
    "way",
];

const CONVERSATION: f64 = 0.5;

/// Stems of what requests ask to do, whatever with; sorted.
const REQUESTED: [&str; 24] = [
    "add",
    "ask",
    "chang",
    "check",
    "creat",
    "describ",
    "explain",
    "find",
    "fix",
    "happen",
    "implement",
    "mean",
    "pass",
    "put",
    "remov",
    "run",
    "say",
    "see",
    "show",
    "start",
    "take",
    "updat",
    "use",
    "write",
];

impl Term<'_> {
    /// More for a name, less for a conversational word.
    pub fn weight(&self) -> f64 {
        let weight = match self.text.to_lowercase() {
            _ if self.is_name => NAME,
            word if CONVERSATIONAL.binary_search(&&*word).is_ok() => CONVERSATION,
            _ => 1.0,
        };
        f64::from(self.count) * weight
    }

    /// Whether a request with this word is about something: not for numbers, letters, and words that
    /// say what to do.
    pub(crate) fn is_subject(&self) -> bool {
        let is_bare = self.text.is_ascii()
            && (self.text.len() == 1 || self.text.bytes().all(|byte| byte.is_ascii_digit()));
        let is_requested = REQUESTED.binary_search(&&*self.stem).is_ok();
        !is_bare && !is_requested && !is_conversational(self.text)
    }

    /// Chinese or Japanese.
    pub(crate) fn is_ideographic(&self) -> bool {
        self.text.starts_with(is_cjk)
    }
}

/// By first occurrence, without function words unless there are no others.
pub fn terms(question: &str) -> Vec<Term<'_>> {
    let pieces = pieces(question);
    let words = pieces.iter().map(|piece| &question[piece.bytes.clone()]);
    let function_words = FunctionWords::of(words.filter(|word| !is_name(word)));
    let says = |text: &str| is_name(text) || !function_words.has(text);
    let found = distinct(question, &pieces, says);
    if found.is_empty() { distinct(question, &pieces, |_| true) } else { found }
}

fn distinct<'a>(
    question: &'a str,
    pieces: &[WordPiece],
    says: impl Fn(&str) -> bool,
) -> Vec<Term<'a>> {
    let normalizer = Normalizer::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut terms: Vec<Term<'_>> = Vec::new();
    for (at, WordPiece { bytes, joined }) in pieces.iter().enumerate() {
        let text = &question[bytes.clone()];
        if is_in_longer(question, pieces, at, &says) {
            continue;
        }
        let stem = stem_of(text, &normalizer);
        if is_stop(text) || stem.is_empty() || !says(text) {
            continue;
        }
        let is_name = is_name(text);
        if let Some(&at) = places.get(&stem) {
            terms[at].count += 1;
            terms[at].is_name |= is_name;
        } else {
            places.insert(stem.clone(), terms.len());
            // A pair of ideographs usually is a word.
            let joined = *joined && !text.starts_with(is_cjk);
            terms.push(Term { text, stem, joined, count: 1, is_name });
        }
    }
    terms
}

/// Whether a longer piece of ideographs, which means more, includes the piece.
fn is_in_longer(
    question: &str,
    pieces: &[WordPiece],
    at: usize,
    says: &dyn Fn(&str) -> bool,
) -> bool {
    let WordPiece { bytes, .. } = &pieces[at];
    // A longer piece follows its last part, so that of the first part is three places further.
    let mut longer = pieces[at + 1..]
        .iter()
        .take(3)
        .filter(|piece| piece.joined && says(&question[piece.bytes.clone()]));
    question[bytes.clone()].starts_with(is_cjk)
        && longer.any(|it| it.bytes.start <= bytes.start && bytes.end <= it.bytes.end)
}

fn is_conversational(word: &str) -> bool {
    let word = &*word.to_lowercase();
    REPLIES.binary_search(&word).is_ok() || CONVERSATIONAL.binary_search(&word).is_ok()
}

/// Whether there is no subject, as in "thanks, looks good" or "2": such words match any text.
pub(crate) fn is_reply(request: &str) -> bool {
    pieces(request).iter().all(|piece| {
        let word = &request[piece.bytes.clone()];
        let is_choice = word.len() == 1 || (word.len() == 2 && word.parse::<u8>().is_ok());
        is_choice || is_stop(word) || is_conversational(word)
    })
}

/// Has a capital after its first letter, which may only start a sentence.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().skip(1).any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_one_term_however_often_it_is_said() {
        let found = terms("Rotate the API keys: how are keys rotated?");
        let plain: Vec<_> = found.iter().map(|term| (&*term.stem, term.count)).collect();
        assert_eq!(plain, [("rotat", 2), ("api", 1), ("key", 2)]);
    }

    #[test]
    fn names_count_twice() {
        let found = terms("Is GPL code allowed? Only gpl. In MongoDB too");
        let plain: Vec<_> = found.iter().map(|term| (term.text, term.weight())).collect();
        let expected = [("GPL", 4.0), ("code", 1.0), ("allowed", 1.0)];
        assert_eq!(plain[..3], expected);
        assert_eq!(plain[3..], [("Mongo", 1.0), ("DB", 2.0), ("MongoDB", 2.0)]);
    }

    #[test]
    fn conversational_words_count_half() {
        assert!(CONVERSATIONAL.is_sorted());
        let found = terms("Help me make the pagination");
        let plain: Vec<_> = found.iter().map(|term| (term.text, term.weight())).collect();
        assert_eq!(plain, [("Help", 0.5), ("make", 0.5), ("pagination", 1.0)]);
    }

    #[test]
    fn a_subject_is_more_than_what_to_do() {
        assert!(REQUESTED.is_sorted());
        let normalizer = Normalizer::default();
        assert!(REQUESTED.iter().all(|stem| stem_of(stem, &normalizer) == *stem));
        let subjects = |request: &'static str| -> Vec<&str> {
            let terms = terms(request).into_iter();
            terms.filter(Term::is_subject).map(|term| term.text).collect()
        };
        for request in ["run it", "does it pass?", "fix 2 of 12, then b", "Writing, using, changes"]
        {
            assert!(subjects(request).is_empty(), "{request}: {:?}", subjects(request));
        }
        assert_eq!(subjects("add a changeset for API v2"), ["changeset", "API", "v2"]);
    }

    #[test]
    fn replies_have_no_subject() {
        assert!(REPLIES.is_sorted());
        for reply in [
            "yes",
            "Thanks, looks good!",
            "ok go on",
            "1",
            "y",
            "12",
            "",
            "Please continue",
            "the second one",
            "no, the other way",
            "tell me more",
        ] {
            assert!(is_reply(reply), "{reply}");
        }
        for request in
            ["yes, rotate the keys", "fix it", "x86", "404", "looks good, now deploy", "鍵"]
        {
            assert!(!is_reply(request), "{request}");
        }
    }
}
