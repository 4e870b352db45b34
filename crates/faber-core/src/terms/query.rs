//! The terms of a question.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::abbreviations::{self, Phrase};
use super::function_words::FunctionWords;
use super::pieces::{WordPiece, is_stop, pieces, stem_of};
use super::words::{Normalizer, is_unspaced};
use crate::meaning;
use crate::source::char_boundary;
use crate::word_list::words;

const REPLIES: &[&str] = words!(
    "again, agree, agreed, ahead, akkoord, alright, awesome, bedankt, beleza, both, bye, certo",
    "cheers, claro, continua, continuar, continue, cool, correct, correto, dalej, dank, danke",
    "dankje, dankjewel, dobra, dobrze, done, doorgaan, dzięki, dziękuję, exactly, exato",
    "excellent, fine, first, gerne, go, goed, going, good, graag, gracias, great, hello, hey, hi",
    "idealnie, isso, ja, jasne, keep, klopt, kontynuuj, last, lgtm, look, looks, many, merci",
    "mooi, much, muito, nee, nein, next, nice, nie, nope, now, não, obrigada, obrigado, ok, okay",
    "okej, oké, one, ones, other, others, oui, perfect, perfeito, prima, proceed, proszę, right",
    "second, si, sim, sound, sounds, stop, super, sure, tak, thank, thanks, third, thx, try, ty",
    "valeu, verder, wait, weiter, well, wonderful, work, works, wow, y, yeah, yep, yes, yup",
    "zgoda, ótima, ótimo, świetnie, благодарю, большое, верно, да, давай, давайте, дальше",
    "здравствуйте, конечно, круто, ладно, нет, ок, окей, отлично, пожалуйста, понял, понятно",
    "правильно, привет, продолжай, продолжайте, согласен, спасибо, супер, хорошо, 감사합니다",
    "감사해요, 계속, 계속하세요, 계속해, 계속해요, 계속해주세요, 계속해줘, 고마워, 고마워요",
    "고맙습니다, 그래, 그래요, 네, 맞습니다, 맞아요, 아니오, 아니요, 안녕하세요, 알겠습니다",
    "알겠어요, 예, 오케이, 완벽합니다, 완벽해요, 응, 좋네요, 좋습니다, 좋아, 좋아요, 주세요",
    "진행해주세요, 진행해줘, 해주세요, 해줘",
);

const UNSPACED_REPLIES: &[&str] = words!(
    "了解, 承知, 分か, 有難, 有り難, 大丈夫, 続け, 続き, 進め, 願い, 良い, 良さ, 結構, 最高",
    "素晴ら, 助か, 完璧, 問題な, 感謝, 賛成, 同意, 納得, 理解し, 番目, 最初, 最後, 両方, 次",
    "オーケー, オッケー, 谢谢, 多谢, 感谢, 好, 是, 对, 行, 没问题, 继续, 明白, 知道, 收到, 不错",
    "太, 棒, 完美, 正确, 下一步, 第一, 第二, 謝謝, 對, 沒問題, 繼續, 不錯, 正確",
);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    pub text: &'a str,
    pub stem: String,
    /// Counts if a text has it or its parts next to each other.
    pub joined: bool,
    pub count: u32,
    pub synonyms: Vec<Phrase>,
    /// `GPL`, `OAuth2`, `MongoDB`.
    pub is_name: bool,
}

/// Texts without the name are usually about something else.
const NAME: f64 = 2.0;

/// Frequent in requests, rare in texts.
const CONVERSATIONAL: [&str; 19] = *words!(
    "anything, get, give, help, know, let, like, make, need, something, tell, thank",
    "thanks, thing, things, think, try, want, way",
);

const CONVERSATION: f64 = 0.5;

/// Stems.
const REQUESTED: [&str; 25] = *words!(
    "add, ask, chang, check, creat, describ, explain, find, fix, happen, implement, manag, mean",
    "pass, put, remov, run, say, see, show, start, take, updat, use, write",
);

/// Refer to the message before. Sorted.
const VAGUE: &[&str] = words!(
    "actually, already, back, bit, instead, later, line, lines, long, maybe, new, old",
    "output, part, place, really, result, still, stuff, whole, wrong",
);

/// Stems, sorted.
const ROUTINE: [&str; 13] = [
    "build", "commit", "lint", "merg", "open", "pr", "pull", "push", "rebas", "revert", "review",
    "test", "undo",
];

const MAX_PARTS: usize = 4;
const MIN_SUBJECTS: usize = 2;
const SELF_CONTAINED: usize = 3;

const QUESTION_WORDS: [&str; 9] =
    ["how", "what", "when", "where", "which", "who", "whom", "whose", "why"];
/// Before "I", "we" or "you".
const AUXILIARIES: [&str; 8] = ["am", "are", "can", "could", "do", "may", "must", "should"];
const PREPOSITIONS: [&str; 10] =
    ["after", "at", "before", "by", "for", "from", "in", "on", "to", "with"];
const REFERRING: [&str; 5] = ["it", "its", "their", "them", "they"];

impl Term<'_> {
    pub fn weight(&self) -> f64 {
        let weight = match self.text.to_lowercase() {
            _ if self.is_name => NAME,
            word if CONVERSATIONAL.binary_search(&&*word).is_ok() => CONVERSATION,
            _ => 1.0,
        };
        f64::from(self.count) * weight
    }

    pub fn stems(&self) -> impl Iterator<Item = &str> {
        let words = self.synonyms.iter().filter_map(|form| match &**form {
            [word] => Some(&**word),
            _ => None,
        });
        std::iter::once(&*self.stem).chain(words)
    }

    pub(crate) fn is_subject(&self) -> bool {
        let is_bare = self.text.is_ascii()
            && (self.text.len() == 1 || self.text.bytes().all(|byte| byte.is_ascii_digit()));
        let is_requested = REQUESTED.binary_search(&&*self.stem).is_ok();
        !is_bare && !is_requested && !is_conversational(self.text)
    }

    pub(crate) fn is_number(&self) -> bool {
        let number = self.text.strip_prefix(['v', 'V']).unwrap_or(self.text);
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_digit() || b"._-".contains(&byte))
    }

    pub(crate) fn is_routine(&self) -> bool {
        ROUTINE.binary_search(&&*self.stem).is_ok()
    }

    /// Texts use no other word for it.
    pub fn is_specific(&self, question: &str) -> bool {
        let is_first = || question.trim_start().starts_with(self.text);
        let is_capital = self.text.starts_with(char::is_uppercase) && !is_first();
        let is_named = self.joined || self.is_name || is_capital;
        let is_rare = || meaning::weight(self.text).is_none();
        self.is_subject() && !self.is_ideographic() && (is_named || is_rare())
    }

    pub(crate) fn is_thing(&self) -> bool {
        !self.is_routine() && VAGUE.binary_search(&&*self.text.to_lowercase()).is_err()
    }

    pub(crate) fn is_letter(&self) -> bool {
        matches!(self.text.as_bytes(), [letter] if letter.is_ascii_alphabetic())
    }

    pub(crate) fn is_ideographic(&self) -> bool {
        self.text.starts_with(is_unspaced)
    }
}

/// Splits after question marks, and at "and" before a question.
pub fn parts(text: &str) -> Vec<&str> {
    let mut end = 0;
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        end += word.len();
        (end - word.len(), word.trim_end())
    });
    let words: Vec<(usize, &str)> = words.filter(|(_, word)| !word.is_empty()).collect();
    let starts = (1..words.len()).filter(|&at| {
        let is_after = words[at - 1].1.ends_with(['?', '？']);
        is_after || (words[at].1 == "and" && begins_question(&words[at + 1..]))
    });
    let mut ends: Vec<usize> = starts.map(|at| words[at].0).collect();
    ends.push(text.len());
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in ends {
        match parts.last_mut() {
            Some(last) if !(is_question(&text[start..end]) && is_question(&text[last.clone()])) => {
                last.end = end;
            }
            _ => parts.push(start..end),
        }
        start = end;
    }
    if parts.len() > MAX_PARTS {
        return vec![text];
    }
    parts.into_iter().map(|part| &text[part]).collect()
}

fn begins_question(words: &[(usize, &str)]) -> bool {
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|(_, it)| list.contains(it));
    is(0, &QUESTION_WORDS)
        || (is(0, &PREPOSITIONS) && is(1, &QUESTION_WORDS))
        || (is(0, &AUXILIARIES) && is(1, &["I", "i", "we", "you"]))
}

fn is_question(part: &str) -> bool {
    !refers(part) && subjects(part) >= MIN_SUBJECTS
}

fn refers(text: &str) -> bool {
    let is_referring = |word: &str| REFERRING.contains(&&*word.to_lowercase());
    pieces(text).iter().any(|piece| is_referring(&text[piece.bytes.clone()]))
}

fn subjects(text: &str) -> usize {
    terms(text).iter().filter(|term| term.is_subject()).count()
}

pub(crate) fn goes_on(request: &str) -> bool {
    refers(request) || is_reply(request) || subjects(request) < SELF_CONTAINED
}

/// In order. Function words only if there is nothing else.
pub fn terms(question: &str) -> Vec<Term<'_>> {
    let pieces = pieces(question);
    let is_loud = pieces.len() > 1 && !question.contains(char::is_lowercase);
    let is_name = |word: &str| !is_loud && is_name(word);
    let words = pieces.iter().map(|piece| &question[piece.bytes.clone()]);
    let function_words = FunctionWords::of(words.filter(|word| !is_name(word)));
    let says = |text: &str| is_name(text) || !function_words.has(text);
    let mut found = distinct(question, &pieces, says);
    if found.is_empty() {
        found = distinct(question, &pieces, |_| true);
    }
    for term in &mut found {
        term.synonyms = abbreviations::forms(&term.stem);
        term.is_name &= !is_loud;
    }
    found
}

/// Parts of an identifier count only next to each other: "a date, a time" is not `DateTime`.
pub(crate) fn joined_terms(question: &str) -> Vec<Term<'_>> {
    let mut terms = terms(question);
    let place = |text: &str| {
        let start = text.as_ptr().addr() - question.as_ptr().addr();
        start..start + text.len()
    };
    let is_within = |part: &Term<'_>, whole: &Range<usize>| {
        let part = place(part.text);
        whole.start <= part.start && part.end <= whole.end && part != *whole
    };
    let mut parts = BTreeSet::new();
    for at in (0..terms.len()).filter(|&at| terms[at].joined).collect::<Vec<_>>() {
        let whole = place(terms[at].text);
        let own: Vec<usize> =
            (0..terms.len()).filter(|&other| is_within(&terms[other], &whole)).collect();
        if own.len() > 1 && own.iter().all(|&part| !terms[part].is_number()) {
            let phrase = own.iter().map(|&part| terms[part].stem.clone()).collect();
            terms[at].synonyms.push(phrase);
            let is_abbreviation =
                |text: &str| text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
            let is_bare =
                |part: &usize| terms[*part].count == 1 && !is_abbreviation(terms[*part].text);
            parts.extend(own.into_iter().filter(is_bare));
        }
    }
    let mut at = 0..;
    terms.retain(|_| at.next().is_some_and(|at| !parts.contains(&at)));
    terms
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
        if is_in_longer(question, pieces, at, &says)
            || is_bare_part(question, pieces, at)
            || is_position(question, bytes)
        {
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
            let joined = *joined && !text.starts_with(is_unspaced);
            terms.push(Term { text, stem, joined, count: 1, synonyms: Vec::new(), is_name });
        }
    }
    terms
}

fn is_in_longer(
    question: &str,
    pieces: &[WordPiece],
    at: usize,
    says: &dyn Fn(&str) -> bool,
) -> bool {
    let WordPiece { bytes, .. } = &pieces[at];
    let mut longer = pieces[at + 1..]
        .iter()
        .take(3)
        .filter(|piece| piece.joined && says(&question[piece.bytes.clone()]));
    question[bytes.clone()].starts_with(is_unspaced)
        && longer.any(|it| it.bytes.start <= bytes.start && bytes.end <= it.bytes.end)
}

fn is_bare_part(question: &str, pieces: &[WordPiece], at: usize) -> bool {
    const FAR: usize = 16;
    let WordPiece { bytes, .. } = &pieces[at];
    let text = question[bytes.clone()].as_bytes();
    let is_bare = match text {
        [one] => one.is_ascii_alphanumeric(),
        [..] => text.len() == 2 && text.iter().all(u8::is_ascii_digit),
    };
    let mut whole = pieces[at + 1..].iter().take(FAR).filter(|piece| piece.joined);
    is_bare && whole.any(|it| it.bytes.start <= bytes.start && bytes.end <= it.bytes.end)
}

fn is_position(question: &str, number: &Range<usize>) -> bool {
    const FAR: usize = 256;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(&question[number.clone()]) || !question[..number.start].ends_with(':') {
        return false;
    }
    let far = char_boundary(question, number.start.saturating_sub(FAR));
    let before = &question[far..number.start - 1];
    let place = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let line = place.rsplit_once(':').filter(|(_, line)| is_number(line));
    let path = line.map_or(place, |(path, _)| path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let column = question[number.end..].strip_prefix(':');
    let is_pair =
        line.is_some() || column.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()));
    let is_file = ending.starts_with(char::is_alphabetic) && ending.len() <= 5;
    is_file && !path.contains("://") && (is_pair || path.contains('/'))
}

pub(crate) fn is_action(stem: &str) -> bool {
    [&REQUESTED[..], &ROUTINE].iter().any(|list| list.binary_search(&stem).is_ok())
}

fn is_conversational(word: &str) -> bool {
    let word = &*word.to_lowercase();
    REPLIES.binary_search(&word).is_ok() || CONVERSATIONAL.binary_search(&word).is_ok()
}

/// Such as "thanks, looks good" or "2".
pub(crate) fn is_reply(request: &str) -> bool {
    let mut request = Cow::Borrowed(request);
    if request.contains(is_unspaced) {
        for reply in UNSPACED_REPLIES {
            request = request.replace(reply, " ").into();
        }
    }
    let particles = FunctionWords::of(std::iter::empty());
    let normalizer = Normalizer::default();
    pieces(&request).iter().all(|piece| {
        let word = &request[piece.bytes.clone()];
        let is_choice = word.len() == 1 || (word.len() == 2 && word.parse::<u8>().is_ok());
        let is_vague = || {
            VAGUE.binary_search(&&*word.to_lowercase()).is_ok()
                || REQUESTED.binary_search(&&*stem_of(word, &normalizer)).is_ok()
        };
        is_choice || is_stop(word) || is_conversational(word) || particles.has(word) || is_vague()
    })
}

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
    fn letters_and_numbers_of_identifiers_are_no_terms() {
        let found = terms("bump k8s to 4.2.1, step 2 of error_404");
        let plain: Vec<_> = found.iter().map(|term| term.text).collect();
        assert_eq!(plain, ["bump", "k8s", "4.2.1", "step", "2", "error", "404", "error_404"]);
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
    fn questions_are_split_where_each_can_be_answered() {
        for text in [
            "may I remove a skip entry, | and where do I put the annotation of an advice?",
            "which ports must be open for an image | and in which order are sweepers run?",
            "Can I use dashes in posts? | How long is a token valid?",
            "how large is the pool, and how large is it in tests?",
            "what are migrations and how do they run in production?",
            "rules for names and files and what else",
            "What is the pool? Why?",
            "GET /users?name=x and POST /users?id=1",
            "parcels that are heavy and are weighed twice",
            "aa bb? cc dd? ee ff? gg hh? ii jj?",
            "",
        ] {
            let expected: Vec<&str> = text.split("| ").collect();
            let text = expected.concat();
            assert_eq!(parts(&text), expected, "{text}");
        }
    }

    #[test]
    fn names_and_rare_words_are_specific() {
        let question = "Grab the Kafka connector createServerError of ghcr by hand, 12 times";
        let specific = terms(question).into_iter().filter(|term| term.is_specific(question));
        let specific: Vec<&str> = specific.map(|term| term.text).collect();
        assert_eq!(specific, ["Kafka", "Server", "Error", "createServerError", "ghcr"]);
    }

    #[test]
    fn a_short_request_or_one_that_refers_goes_on() {
        for request in [
            "",
            "and the worker?",
            "why is that",
            "rotate them and restart the gateway pods",
            "はい、それでいいです",
        ] {
            assert!(goes_on(request), "{request}");
        }
        for request in ["rotate the signing keys", "Block 203.0.113.0/24 on the registry gateway"] {
            assert!(!goes_on(request), "{request}");
        }
    }

    #[test]
    fn positions_in_files_are_no_terms() {
        let texts = |request| terms(request).iter().map(|term| term.text).collect::<Vec<_>>();
        assert_eq!(texts("fails at src/app.ts:12:7"), ["fails", "src", "app", "ts"]);
        assert_eq!(texts("app.ts:12:7 or lib/a.rs:9"), ["app", "ts", "lib", "rs"]);
        assert_eq!(texts("db.test:5432"), ["db", "test", "5432"]);
        assert!(texts("http://localhost.dev:3000").contains(&"3000"));
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
            "fix it",
            "add a new one",
            "run it and show me the output",
            "ok, now put it back",
            "can you explain that line again",
            "no, the other way",
            "tell me more",
            "なるほど、わかりました",
            "ありがとうございます。了解です、2番目でお願いします",
            "はい、OKです",
            "好的，谢谢，请继续",
            "네, 감사합니다",
            "sim, obrigado",
            "ja, bedankt",
            "tak, dziękuję",
            "да, спасибо",
        ] {
            assert!(is_reply(reply), "{reply}");
        }
        for request in [
            "yes, rotate the keys",
            "fix the build",
            "x86",
            "404",
            "looks good, now deploy",
            "鍵",
            "はい、鍵を",
            "目次",
        ] {
            assert!(!is_reply(request), "{request}");
        }
    }
}
