//! Phrases that override a prompt: a verb such as "ignore" before earlier text or a prompt.

use super::stems::{
    EARLIER, EARLIER_LAST, LAST, NOT, OWN, PROMPT, PROMPT_LAST, RULES, SAID_LAST, STRICT, VERBS,
    WEAK,
};
use super::table::Table;
use super::{negation, window};
use crate::word_list::words;

const MAX_WORDS: usize = 9;

/// In bytes.
const MAX_TAIL: usize = 240;

pub(super) fn verb(text: &str, start: usize, end: usize) -> Option<usize> {
    let found = &*text[start..end].to_lowercase();
    let last = LAST.iter().find(|row| row.0 == found);
    if last.is_some_and(|row| text[end..].starts_with(row.1)) {
        return None;
    }
    // Languages with the verb last: Japanese, Korean, Hindi, Turkish.
    if last.is_some() || found.chars().next().is_some_and(|char| char >= '\u{900}') {
        return without_spaces(text, start, end);
    }
    let lead = window::before(text, start, negation::MAX_LEAD_BYTES);
    let attached = lead.chars().next_back().is_some_and(char::is_alphanumeric);
    // Polish "zignoruj", Arabic "and ignore".
    if (attached && !lead.ends_with(['z', 'Z', 'و'])) || is_refused(lead) {
        return None;
    }
    if is_attribute(lead, found, window::after(text, end, MAX_TAIL)) {
        return None;
    }
    if text[end..].starts_with("ing") && is_described(lead) {
        return None;
    }
    // "N'oublie pas", "vergiss nicht"
    let next = words(text, start).nth(window::words(found).count()).map(|(_, word)| word);
    if matches!(next, Some("pas" | "jamais" | "nicht" | "nie" | "niet" | "nooit")) {
        return None;
    }
    let strict = STRICT.contains(&found);
    // "Models don't follow the system prompt" states a fact.
    let is_denial = found.starts_with("do");
    if (strict || is_denial) && has_subject(lead) || strict && is_option(text, start) {
        return None;
    }
    let mut seen = SeenWords { strict, ..SeenWords::default() };
    let mut above = None;
    let verb = window::words(found).count();
    for (count, (at, word)) in words(text, start).take(MAX_WORDS + verb).enumerate() {
        let lower = word.to_lowercase();
        if count < verb {
            seen.third = verb == 1 && lower.ends_with('s') && !found.ends_with('s');
            continue;
        }
        let count = count + 1 - verb;
        if VERBS.begins(&lower) {
            return None;
        }
        if seen.add(&lower, count) {
            let end = at + word.len();
            // "Override earlier instructions about files" is limited.
            let is_limited = LIMITS.iter().any(|word| text[end..].starts_with(word));
            return (!strict || !is_limited).then_some(end);
        }
        // "Ignore the above and …", "forget everything before" need no noun.
        if let Some(end) = above.filter(|_| matches!(&*lower, "and" | "then" | "instead")) {
            return Some(end);
        }
        let alone = lower == "above" || (seen.everything && seen.earlier);
        above = (alone && count <= 3 && !strict && !seen.third).then_some(at + word.len());
    }
    above
}

/// "The ignore directive must …", "Ignore rules must …"
fn is_attribute(lead: &str, verb: &str, tail: &str) -> bool {
    const GOES_ON: &[&str] = words!("must, can, may, needs, need, goes, go, comes, come, belong");
    let is_noun_too = ["ignor", "overrid", "bypass"].contains(&verb);
    let Some(tail) = tail.trim_start_matches('e').strip_prefix(' ').filter(|_| is_noun_too) else {
        return false;
    };
    let tail = window::first_sentence(tail);
    let mut next = tail.split(' ');
    let (noun, after) = (next.next().unwrap_or_default(), next.next().unwrap_or_default());
    let is_noun = noun.len() > 2
        && noun.bytes().all(|byte| byte.is_ascii_lowercase())
        && !EARLIER.begins(noun)
        && !OWN.begins(noun)
        && !QUANTITIES.contains(&noun)
        && !WHATEVER.contains(&noun);
    let lead = lead.trim_end_matches([' ', '`', '*']).to_lowercase();
    let article = lead.rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    let is_one = matches!(article, "a" | "an" | "the") && !noun.ends_with('s');
    is_noun && (is_one || GOES_ON.contains(&after))
}

pub(super) fn names_rules(sentence: &str) -> bool {
    let mut seen = SeenWords::default();
    let named = words(sentence, 0).any(|(at, word)| seen.add(&word.to_lowercase(), at));
    named || (seen.own.is_some() && seen.rules)
}

const LIMITS: [&str; 4] = [" about ", " for ", " on ", " regarding "];

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says which kind of word was seen")]
struct SeenWords {
    earlier: bool,
    own: Option<usize>,
    prompt: bool,
    rules: bool,
    everything: bool,
    whatever: bool,
    instructed: bool,
    you: bool,
    to_you: bool,
    given: bool,
    default: bool,
    strict: bool,
    /// The verb describes something else: "ignores".
    third: bool,
    /// After a noun: "commit" in "commit message".
    compound: bool,
}

impl SeenWords {
    fn add(&mut self, word: &str, count: usize) -> bool {
        let strict = self.strict;
        let begins = |table: &Table| table.begins(word);
        let exactly = word == "ci" || !word.starts_with("ci") && !word.starts_with("priorit");
        self.earlier |= begins(&EARLIER) && exactly;
        self.prompt |= begins(&PROMPT);
        self.prompt &= !word.starts_with("inject");
        self.rules |= (begins(&RULES) || begins(&WEAK) && !self.compound) && !strict;
        let is_plain =
            begins(&EARLIER) || begins(&OWN) || begins(&PROMPT) || QUANTITIES.contains(&word);
        self.compound = !is_plain;
        self.everything |=
            matches!(word, "everything" | "all" | "anything" | "alles" | "tout" | "todo");
        self.whatever |= WHATEVER.contains(&word);
        self.instructed |= self.whatever && INSTRUCTED.contains(&word);
        // Settings override default prompts; design systems have guidelines.
        let of_others = (strict && self.default) || (word == "systems" && !self.prompt);
        if begins(&OWN) && self.own.is_none() && !of_others {
            self.own = Some(count);
        }
        self.default = word == "default";
        self.you |= word == "you";
        self.given |= self.you && matches!(word, "given" | "received" | "got" | "told");
        let all_given = self.everything && self.given;
        let named = self.everything || self.prompt || self.rules;
        let before = self.earlier || matches!(word, "before" | "so") && named;
        let own = self.own.is_some_and(|at| count <= at + 3) && self.prompt;
        let told = self.everything && matches!(word, "told" | "know" | "learned") && count <= 6;
        self.to_you |= TO_YOU.contains(&word);
        let is_before = self.earlier || BEFORE.contains(&word) || self.to_you;
        let said = self.instructed && is_before && !strict;
        let given = self.given && (self.prompt || self.rules);
        let before = before && (self.prompt || self.rules) || own || told || said;
        all_given || given || (before && !self.third)
    }
}

const WHATEVER: &[&str] = words!(
    "what, whatever, anything, everything, all, alles, was, todo, tutto, quello, ciò, lo, cuanto, tout, ce, tudo",
    "wszystko, всё, все, что, ما, كل",
);
const INSTRUCTED: &[&str] = words!(
    "told, said, instructed, written, taught, learned, gesagt, dicho, dijeron, dijo, detto, dit, dito",
    "disseram, gezegd, powiedziano, говорили, сказали, сказано, велели, قيل",
);
/// After which something was said to the model.
const TO_YOU: &[&str] = words!("dir, te, ti, t, vous, lhe, je, ci, тебе, вам, لك");
const BEFORE: &[&str] =
    words!("before, oben, bisher, vorher, zuvor, avant, antes, prima, wcześniej, раньше, ранее");

const QUANTITIES: &[&str] = &[
    "the", "all", "any", "every", "each", "these", "those", "this", "that", "other", "and", "or",
    "of", "its", "my", "our", "their", "existing", "new",
];

/// "never ignore", "attempts to ignore"
fn is_refused(lead: &str) -> bool {
    let lead = window::last_sentence(lead).to_lowercase();
    let mut last = lead.split_whitespace().rev();
    let refuses = |word: &str| NOT.contains(&word);
    let two =
        last.clone().nth(1).is_some_and(|word| matches!(word, "not" | "never" | "nicht" | "pas"));
    two || last.next().is_some_and(refuses) || negation::forbids_order(&lead) || is_reported(&lead)
}

/// "a text that asks the model to", not "I ask you to".
fn is_reported(sentence: &str) -> bool {
    const STEMS: &[&str] = &[
        "attempt", "ask", "request", "try", "tries", "tried", "tell", "told", "claim", "instruct",
        "urge", "demand", "persuad", "convinc", "trick", "want", "order",
    ];
    let clause = sentence.rsplit([',', ':', ';', '(']).next().unwrap_or_default();
    let words: Vec<&str> = clause.split_whitespace().collect();
    let [before @ .., "to"] = &*words else { return false };
    // "If a page says to", not "The page says to".
    let is_condition = |word: &&str| matches!(*word, "if" | "when" | "whenever" | "that" | "which");
    let may_say = before.iter().any(is_condition);
    let speaks = |word: &&str| {
        STEMS.iter().any(|stem| word.starts_with(stem)) || may_say && word.starts_with("say")
    };
    let Some(at) = before.iter().rposition(speaks) else { return false };
    let subject = &before[at.saturating_sub(3)..at];
    let is_own =
        subject.iter().any(|word| matches!(*word, "i" | "i'm" | "we" | "we're" | "please"))
            || subject.ends_with(&["you", "are"]);
    let is_of_you = before.get(at + 1) == Some(&"you");
    let is_order =
        at == 0 && !is_of_you && !before[0].ends_with('s') && !before[0].ends_with("ing");
    !is_own && !is_order
}

pub(super) fn is_mentioned(lead: &str) -> bool {
    const TEXTS: &[&str] =
        &["phrase", "string", "text", "sentence", "wording", "payload", "pattern"];
    let sentence = window::last_sentence(lead).to_lowercase();
    let words: Vec<&str> = window::words(&sentence).collect();
    words.windows(2).any(|pair| {
        TEXTS.iter().any(|noun| pair[0].starts_with(noun)) && matches!(pair[1], "like" | "such")
    })
}

/// "tool descriptions" before "override", not "this text".
fn has_subject(lead: &str) -> bool {
    let sentence = window::last_sentence(lead).to_lowercase();
    let Some(word) = sentence.strip_suffix(' ').and_then(|rest| rest.split(' ').next_back()) else {
        return false;
    };
    let is_noun = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    is_noun
        && word.ends_with('s')
        && !matches!(word, "this" | "always" | "rules" | "instructions")
        && !sentence.contains("these ")
}

/// "`-s`: Override the system prompt"
pub(super) fn is_option(text: &str, at: usize) -> bool {
    let line = window::line_before(text, at, 120);
    let option = |part: &str| {
        part.starts_with('-')
            && part[1..].starts_with(|c: char| c == '-' || c.is_ascii_alphabetic())
    };
    let words = || line.split(|char: char| char.is_whitespace() || "`(,/".contains(char));
    words().any(option) && !line.contains(". ")
}

/// "when the agent starts" before "ignoring" orders nothing.
fn is_described(lead: &str) -> bool {
    let lead = lead.to_lowercase();
    let clause = lead.rsplit([',', '.', ':', ';', '!', '?', '\n']).next().unwrap_or_default();
    let words: Vec<&str> = clause.split_whitespace().collect();
    let is_condition = |word: &str| matches!(word, "if" | "when" | "whenever" | "once");
    let Some(at) = words.iter().rposition(|word| is_condition(word)) else { return false };
    match &words[at + 1..] {
        [subject @ .., verb] => {
            matches!(*verb, "is" | "begins" | "continues" | "keeps" | "starts")
                && !subject.is_empty()
                && !subject.contains(&"you")
        }
        [] => false,
    }
}

fn words(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let rest = window::first_sentence(window::after(text, start, MAX_TAIL));
    let mut at = start;
    rest.split_inclusive(|char: char| !char.is_alphanumeric()).filter_map(move |piece| {
        let here = at;
        at += piece.len();
        let word = piece.trim_end_matches(|char: char| !char.is_alphanumeric());
        (!word.is_empty()).then_some((here, word))
    })
}

fn without_spaces(text: &str, start: usize, end: usize) -> Option<usize> {
    const REFUSALS: [&str; 7] = ["不要", "不得", "请勿", "切勿", "不能", "不可", "别"];
    const DENIALS: [&str; 4] = ["しない", "せず", "してはいけ", "하지"];
    let lead = window::line_before(text, start, 60);
    let tail = window::line_after(text, end, 60);
    let lead = lead.to_lowercase();
    let refused = REFUSALS.iter().any(|word| lead.ends_with(word))
        || DENIALS.iter().any(|word| tail.starts_with(word));
    let around = |word: &&str| lead.contains(*word) || tail.contains(*word);
    if refused || !EARLIER_LAST.iter().any(around) {
        return None;
    }
    let object = |part: &str, word: &str| {
        let at = part.find(word)? + word.len();
        (!part[at..].starts_with(['的', 'の', '의'])).then_some(at)
    };
    if SAID_LAST.iter().any(around) {
        return Some(end);
    }
    let last = PROMPT_LAST.iter().filter_map(|word| object(tail, word)).min();
    match last {
        Some(length) => Some(end + length),
        None => PROMPT_LAST.iter().any(|word| object(&lead, word).is_some()).then_some(end),
    }
}
