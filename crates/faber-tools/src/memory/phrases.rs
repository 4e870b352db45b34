//! Finds decisions, rules, preferences and corrections in a conversation by how they are phrased, in English and
//! German.
//!
//! Only what the user says counts, and what the assistant proposes and the user accepts. Questions, hypotheses,
//! quotations, code, instructions for the task at hand and stories are none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compare::{Relation, compare};
use super::dialogue::{Speaker, Turn};
use super::statement::{Sentence, Statement, Writing, sentences};

/// Fewest and most words of a note.
const WORDS: std::ops::RangeInclusive<usize> = 3..=60;
/// Most words of a turn that only accepts.
const ACCEPTING: usize = 12;

faber_core::named_enum! {
    /// Why a sentence is worth a note.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum NoteKind {
        /// Something was decided
        Decision = "decision",
        /// Something holds always or never
        Rule = "rule",
        /// The user likes something better
        Preference = "preference",
        /// The user corrected the assistant
        Correction = "correction",
        /// The user asked to remember it
        Fact = "fact",
    }
}

/// A text of a conversation that is worth a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub kind: NoteKind,
    pub text: String,
    /// The line of the turn.
    pub line: usize,
    /// Whether not everyone may see the turn.
    pub is_restricted: bool,
}

/// What is worth a note in a conversation, in order, each thing once.
pub fn candidates(turns: &[Turn]) -> Vec<Candidate> {
    let mut found: Vec<(Candidate, Statement)> = Vec::new();
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.speaker == Speaker::User) {
        let said = sentences(&own_words(&turn.text), Writing::Chat);
        let mut noted: Vec<(NoteKind, String, &Turn)> = Vec::new();
        if accepts(&said) {
            let before = at.checked_sub(1).map(|before| &turns[before]);
            let proposed = before.and_then(|before| Some((proposal(turns, at)?, before)));
            noted.extend(proposed.map(|(text, before)| (NoteKind::Decision, text, before)));
        }
        let corrects = at > 0 && turns[at - 1].speaker == Speaker::Assistant;
        noted.extend(said.iter().filter_map(|sentence| {
            let (kind, text) = worth(sentence, corrects)?;
            Some((kind, text, turn))
        }));
        for (kind, text, turn) in noted {
            let words = text.split_whitespace().count();
            if !WORDS.contains(&words) {
                continue;
            }
            add(
                &mut found,
                Candidate { kind, text, line: turn.line, is_restricted: turn.is_restricted },
            );
        }
    }
    found.into_iter().map(|(candidate, _)| candidate).collect()
}

/// Adds a candidate, in place of one that says less.
fn add(found: &mut Vec<(Candidate, Statement)>, candidate: Candidate) {
    let statement = Statement::new(&candidate.text);
    let is_in = |a: &Statement, b: &Statement| {
        let (a, b) = (a.terms(), b.terms());
        !a.is_empty() && a.is_subset(&b)
    };
    for (known, said) in found.iter_mut() {
        let is_known = compare(&statement, said) == Some(Relation::Same) || is_in(&statement, said);
        if is_known {
            return;
        }
        if is_in(said, &statement) && known.line == candidate.line {
            (*known, *said) = (candidate, statement);
            return;
        }
    }
    found.push((candidate, statement));
}

/// A message without what tools and clients put into it.
fn own_words(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut tag: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        match tag {
            Some(name) => {
                if trimmed.contains(&format!("</{name}>")) {
                    tag = None;
                }
            }
            None => {
                let name = trimmed.strip_prefix('<').and_then(|rest| rest.split(['>', ' ']).next());
                let is_name = |name: &&str| {
                    !name.is_empty()
                        && name
                            .bytes()
                            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
                };
                match name.filter(is_name) {
                    Some(name) if !trimmed.contains(&format!("</{name}>")) => tag = Some(name),
                    Some(_) => {}
                    None if is_log(trimmed) => {}
                    None => {
                        own.push_str(line);
                        own.push('\n');
                    }
                }
            }
        }
    }
    own
}

/// Whether a line is of a log or a trace.
fn is_log(line: &str) -> bool {
    let upper = [
        "[ERROR]",
        "[WARN",
        "[INFO]",
        "[DEBUG]",
        "ERROR ",
        "WARN ",
        "INFO ",
        "DEBUG ",
        "Traceback ",
    ];
    upper.iter().any(|level| line.starts_with(level)) || line.contains("[ERROR]")
}

/// The kind and the text of a note, if a sentence is worth one.
fn worth(sentence: &Sentence, corrects: bool) -> Option<(NoteKind, String)> {
    let text = &sentence.text;
    let phrase = Phrase::new(text);
    if phrase.words.is_empty()
        || phrase.is_question
        || phrase.is_hypothesis()
        || phrase.is_for_now()
    {
        return None;
    }
    // What follows a colon is the matter, if only an introduction comes before it.
    if let Some((lead, rest)) = text.split_once(": ")
        && lead.split_whitespace().count() <= 7
        && rest.split_whitespace().count() >= *WORDS.start()
    {
        let lead_kind = Phrase::new(lead).kind(false).or_else(|| Phrase::new(lead).announces());
        if let Some(kind) = Phrase::new(rest).kind(corrects).or(lead_kind) {
            return Some((kind, tidy(rest)));
        }
        return None;
    }
    let kind = phrase.kind(corrects)?;
    Some((kind, tidy(phrase.without_lead())))
}

/// A sentence as a note has it.
fn tidy(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ':']).trim();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Whether a turn does nothing but accept what was proposed before.
fn accepts(said: &[Sentence]) -> bool {
    const ACCEPT: &[&str] = &[
        "yes",
        "yep",
        "yeah",
        "agreed",
        "sounds good",
        "good idea",
        "perfect",
        "great",
        "let's do that",
        "let's go with",
        "go with that",
        "do it that way",
        "ok, let's do",
        "okay, let's do",
        "deal",
        "i agree",
        "ja",
        "einverstanden",
        "klingt gut",
        "gute idee",
        "machen wir so",
        "so machen wir",
        "passt",
        "genau",
        "abgemacht",
    ];
    let Some(first) = said.first() else { return false };
    let lower = first.text.to_lowercase();
    let begins = ACCEPT.iter().any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let has_doubt =
        [" but", "aber", " not ", "n't", "nicht"].iter().any(|word| lower.contains(word));
    begins
        && !has_doubt
        && !first.text.ends_with('?')
        && lower.split_whitespace().count() <= ACCEPTING
}

/// What the assistant proposes before the turn at `at`, as an answer to how something is to be done in general.
fn proposal(turns: &[Turn], at: usize) -> Option<String> {
    const ASKS: &[&str] = &[
        "how should",
        "how do we",
        "how shall",
        "what should",
        "which ",
        "what convention",
        "how will we",
        "wie sollen",
        "wie sollten",
        "wie machen wir",
        "welche",
        "was schlägst du",
        "wie nennen wir",
    ];
    const PROPOSES: &[&str] = &[
        "i suggest",
        "i'd suggest",
        "i propose",
        "i'd propose",
        "my proposal",
        "my suggestion",
        "i recommend",
        "i'd recommend",
        "recommendation",
        "proposal",
        "suggestion",
        "we should",
        "let's",
        "ich schlage vor",
        "mein vorschlag",
        "vorschlag",
        "ich empfehle",
        "wir sollten",
    ];
    let before = at.checked_sub(1).filter(|before| turns[*before].speaker == Speaker::Assistant)?;
    let asked =
        turns[..before].iter().rfind(|turn| turn.speaker == Speaker::User)?.text.to_lowercase();
    if !ASKS.iter().any(|word| asked.contains(word)) {
        return None;
    }
    let said = sentences(&turns[before].text, Writing::Chat);
    said.iter().find_map(|sentence| {
        let lower = sentence.text.to_lowercase();
        let lead = PROPOSES.iter().find(|word| lower.contains(*word))?;
        if sentence.text.ends_with('?') {
            return None;
        }
        // Lower case may be of another length, so the place is looked up in the text itself.
        let rest = match sentence.text.split_once(": ") {
            Some((before, rest)) if before.to_lowercase().contains(lead) => rest,
            _ => {
                let at = sentence.text.to_ascii_lowercase().find(lead)?;
                let rest = &sentence.text[at + lead.len()..];
                ["that we ", "to ", "that ", ", dass wir ", ", "]
                    .iter()
                    .find_map(|word| rest.trim_start().strip_prefix(word))
                    .unwrap_or(rest)
            }
        };
        Some(tidy(rest))
    })
}

/// A sentence in lower case, in words.
struct Phrase<'a> {
    text: &'a str,
    lower: String,
    words: Vec<String>,
    is_question: bool,
}

impl<'a> Phrase<'a> {
    fn new(text: &'a str) -> Self {
        let lower = format!(" {} ", unquoted(text).to_lowercase().replace('’', "'"));
        let is_sign = |c: char| !c.is_alphanumeric() && c != '\'';
        let words = lower.split_whitespace().map(|word| word.trim_matches(is_sign).to_owned());
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        let is_question = text.trim_end().ends_with('?') || begins_as_question(&words);
        let lower = format!(" {} ", words.join(" "));
        Self { text, lower, words, is_question }
    }

    fn has(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.lower.contains(&format!(" {phrase} ")))
    }

    fn begins(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.lower.starts_with(&format!(" {phrase} ")))
    }

    fn is_hypothesis(&self) -> bool {
        self.begins(&[
            "if we",
            "if i",
            "wenn wir",
            "wenn ich",
            "falls wir",
            "what if",
            "let's say",
            "say we",
        ]) || self.has(&[
            "suppose",
            "supposing",
            "imagine",
            "what if",
            "hypothetically",
            "assume",
            "assuming",
            "would be",
            "could we",
            "should we",
            "angenommen",
            "stell dir vor",
            "was wäre",
            "wäre",
            "würde",
            "würden",
            "maybe",
            "perhaps",
            "might",
            "vielleicht",
            "i wonder",
            "not sure",
            "thinking about",
            "considering",
        ])
    }

    /// Whether it is about the task at hand alone.
    fn is_for_now(&self) -> bool {
        self.has(&[
            "for now",
            "this time",
            "just now",
            "temporarily",
            "for the moment",
            "today",
            "yet",
            "before you finish",
            "this request",
            "this once",
            "vorerst",
            "erstmal",
            "diesmal",
            "heute",
            "gerade",
            "jetzt gerade",
            "bis morgen",
        ]) && !self.has(&["from now on", "as of today", "ab heute", "ab jetzt"])
    }

    /// What kind of note an introduction before a colon announces.
    fn announces(&self) -> Option<NoteKind> {
        if self.has(&[
            "remember",
            "note",
            "reminder",
            "keep in mind",
            "fyi",
            "merk dir",
            "merke dir",
            "notiz",
            "zur erinnerung",
        ]) {
            return Some(NoteKind::Fact);
        }
        self.has(&[
            "voted",
            "decision",
            "decided",
            "agreed",
            "rule",
            "convention",
            "policy",
            "regel",
            "beschluss",
            "entscheidung",
            "beschlossen",
            "abgestimmt",
        ])
        .then_some(NoteKind::Decision)
    }

    fn kind(&self, corrects: bool) -> Option<NoteKind> {
        if self.is_question || self.is_hypothesis() {
            return None;
        }
        if self.asks_to_remember() {
            return Some(NoteKind::Fact);
        }
        if self.decides() {
            return Some(NoteKind::Decision);
        }
        if self.corrects(corrects) {
            return Some(NoteKind::Correction);
        }
        if self.prefers() {
            return Some(NoteKind::Preference);
        }
        self.rules().then_some(NoteKind::Rule)
    }

    fn asks_to_remember(&self) -> bool {
        let asks = self.has(&[
            "remember that",
            "keep in mind",
            "note that",
            "for the record",
            "for future reference",
            "don't forget that",
            "be aware that",
            "bear in mind",
            "merk dir",
            "merke dir",
            "vergiss nicht dass",
            "zur erinnerung",
            "beachte dass",
        ]);
        let reminds = self.has(&["denk daran dass", "denke daran dass", "denk bitte daran dass"]);
        let is_story =
            self.has(&["i remember", "i don't remember", "can't remember", "do you remember"]);
        (asks || reminds) && !is_story
    }

    fn decides(&self) -> bool {
        const DECIDED: &[&str] = &[
            "decided",
            "agreed",
            "settled on",
            "chose",
            "chosen",
            "voted for",
            "standardized on",
            "standardised on",
            "committed to",
            "switched",
            "switching",
            "moved",
            "moving",
            "migrated",
            "migrating",
            "adopted",
        ];
        const GERMAN: &[&str] = &[
            "beschlossen",
            "entschieden",
            "geeinigt",
            "festgelegt",
            "vereinbart",
            "umgestellt",
            "abgestimmt",
        ];
        let we = self.has(&["we", "we've", "we're", "we'll", "the team", "everyone", "i've", "i"]);
        let wir = self.has(&["wir", "wurde", "es wurde", "das team", "haben uns"]);
        let moves =
            self.has(&["moved", "moving", "switched", "switching", "migrated", "migrating"]);
        let has_both_ends = !moves || self.has(&["to"]);
        let is_open =
            self.has(&["not decided", "haven't decided", "yet", "noch nicht", "nicht entschieden"]);
        let states = self.has(&[
            "the decision is",
            "the decision was",
            "it was decided",
            "the rule is",
            "our policy is",
            "our convention is",
        ]);
        let lasts = self.has(&[
            "from now on",
            "going forward",
            "as of now",
            "starting now",
            "ab sofort",
            "ab jetzt",
            "ab heute",
            "künftig",
            "zukünftig",
            "von nun an",
        ]);
        !is_open
            && (states
                || lasts
                || (we && self.has(DECIDED) && has_both_ends)
                || (wir && self.has(GERMAN)))
    }

    fn corrects(&self, corrects: bool) -> bool {
        const DIRECTIVES: &[&str] = &[
            "use",
            "take",
            "choose",
            "put",
            "name",
            "call it",
            "write",
            "we use",
            "it's called",
            "make it",
            "always",
            "never",
            "nimm",
            "nutze",
            "verwende",
            "benutze",
            "schreib",
            "wir nutzen",
            "wir verwenden",
            "nehmen wir",
        ];
        const SWAPS: &[&str] = &["instead of", "rather than", "statt", "anstatt", "anstelle von"];
        let denies = self.begins(&[
            "no",
            "nope",
            "not",
            "nein",
            "nicht",
            "nee",
            "wrong",
            "falsch",
            "actually",
            "please don't",
        ]);
        let directs = self.words.iter().position(|word| {
            DIRECTIVES.contains(&word.as_str()) && !matches!(word.as_str(), "always" | "never")
        });
        let is_story = self.has(&["i always", "i never", "it never", "it always"]);
        if is_story {
            return false;
        }
        let denied = corrects
            && denies
            && (directs.is_some() || self.has(&["we use", "wir nutzen", "wir verwenden"]));
        // "use X instead of Y" is said of more than the task, if what is to be used is not this one file.
        let swaps = self.has(SWAPS)
            && (self.begins(&[
                "use",
                "please use",
                "verwende",
                "nutze",
                "nimm",
                "prefer",
                "bitte nutze",
                "bitte verwende",
            ]) || self.has(&["we use", "wir nutzen", "wir verwenden"]));
        denied || swaps
    }

    fn prefers(&self) -> bool {
        self.has(&[
            "i prefer",
            "i'd prefer",
            "i would prefer",
            "i'd rather",
            "i would rather",
            "we prefer",
            "we'd rather",
            "my preference is",
            "ich bevorzuge",
            "mir ist lieber",
            "ist mir lieber",
            "ich hätte lieber",
            "wir bevorzugen",
            "ich möchte lieber",
        ])
    }

    fn rules(&self) -> bool {
        self.is_always() || self.is_duty() || self.is_habit()
    }

    /// "always" and "never" of an instruction or of what holds in general, not of a story.
    fn is_always(&self) -> bool {
        const WORDS: &[&str] = &[
            "always",
            "never",
            "immer",
            "nie",
            "niemals",
            "stets",
            "grundsätzlich",
            "ausnahmslos",
            "ausschließlich",
        ];
        const AFTER: &[&str] = &[
            "the",
            "a",
            "an",
            "been",
            "had",
            "has",
            "have",
            "was",
            "were",
            "mind",
            "again",
            "so",
            "too",
            "this",
            "that",
            "it",
            "works",
            "worked",
            "fails",
            "failed",
            "happens",
            "happened",
            "wenn",
            "noch",
            "wieder",
            "mehr",
            "der",
            "die",
            "das",
            "got",
            "seen",
            "understood",
            "ending",
            "returns",
        ];
        let Some(at) = self.words.iter().position(|word| WORDS.contains(&word.as_str())) else {
            return false;
        };
        let before = at.checked_sub(1).map(|before| self.words[before].as_str());
        let next = self.words.get(at + 1).map(String::as_str);
        let is_weak = matches!(
            before,
            Some(
                "not"
                    | "n't"
                    | "doesn't"
                    | "don't"
                    | "nicht"
                    | "noch"
                    | "almost"
                    | "as"
                    | "fast"
                    | "wie"
            )
        ) || next.is_some_and(|next| AFTER.contains(&next));
        let is_own = self
            .has(&["i", "it", "it's", "ich", "mir", "he", "she", "es hat", "hat noch", "ihr"])
            || self.begins(&["this", "that", "das", "dies", "there"]);
        let is_past = self.has(&[
            "has never",
            "have never",
            "had never",
            "was always",
            "were always",
            "used to",
        ]);
        !is_weak && !is_past && !is_own
    }

    /// What must be or must not be.
    fn is_duty(&self) -> bool {
        let subject = self.words.first().map(String::as_str).unwrap_or_default();
        let is_of_one = matches!(
            subject,
            "i" | "you"
                | "it"
                | "this"
                | "that"
                | "there"
                | "we"
                | "he"
                | "she"
                | "ich"
                | "du"
                | "es"
                | "das"
                | "wir"
                | "dies"
        );
        let must = self.has(&[
            "must",
            "must not",
            "mustn't",
            "is not allowed",
            "are not allowed",
            "is forbidden",
            "are forbidden",
            "is required",
            "are required",
            "is mandatory",
            "müssen",
            "dürfen nicht",
            "darf nicht",
            "muss",
            "ist verboten",
            "ist pflicht",
            "sind pflicht",
            "sind verboten",
        ]);
        let of_all = self
            .begins(&["every", "each", "all", "any", "jede", "jeder", "jedes", "alle"])
            && self.has(&[
                "has",
                "have",
                "needs",
                "need",
                "gets",
                "get",
                "should",
                "must",
                "is required",
                "braucht",
                "brauchen",
                "bekommt",
                "hat",
                "haben",
                "soll",
                "sollen",
            ]);
        let of_none = self.begins(&["nothing", "no", "nichts", "kein", "keine"])
            && self.has(&["without", "ohne"]);
        let is_status =
            self.has(&["failed", "passed", "broken", "crashed", "already", "schon", "bereits"]);
        !is_of_one && !is_status && (must || of_all || of_none)
    }

    /// What is done everywhere.
    fn is_habit(&self) -> bool {
        let we = self.has(&[
            "we use",
            "we don't use",
            "we write",
            "we name",
            "we keep",
            "we store",
            "we only use",
            "wir nutzen",
            "wir verwenden",
            "wir schreiben",
            "schreiben wir",
            "nutzen wir",
            "verwenden wir",
            "bei uns",
        ]);
        let everywhere = self.has(&[
            "all",
            "every",
            "everywhere",
            "by default",
            "in this repository",
            "in this repo",
            "in this project",
            "in our",
            "only",
            "überall",
            "alle",
            "allen",
            "jedem",
            "in diesem projekt",
            "standard",
            "nur",
        ]);
        we && everywhere
    }

    /// The text without words that only introduce it.
    fn without_lead(&self) -> &'a str {
        const LEADS: &[&str] = &[
            "please remember that ",
            "remember that ",
            "keep in mind that ",
            "note that ",
            "please note that ",
            "for the record, ",
            "for future reference, ",
            "fyi ",
            "fyi, ",
            "merk dir, dass ",
            "merk dir: ",
            "merk dir bitte, dass ",
            "bitte denk daran, dass ",
            "denk daran, dass ",
            "right. ",
            "ok, ",
            "okay, ",
            "also, ",
            "no, ",
            "nein, ",
            "quick update: ",
            "and ",
        ];
        let mut text = self.text.trim();
        while let Some(lead) = LEADS.iter().find(|lead| {
            text.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead))
        }) {
            text = text[lead.len()..].trim_start();
        }
        text
    }
}

fn begins_as_question(words: &[String]) -> bool {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let asks = matches!(
        first,
        "why"
            | "how"
            | "what"
            | "who"
            | "where"
            | "which"
            | "does"
            | "did"
            | "is"
            | "are"
            | "can"
            | "could"
            | "should"
            | "shall"
            | "would"
            | "warum"
            | "wieso"
            | "wie"
            | "was"
            | "wer"
            | "wo"
            | "welche"
            | "soll"
            | "sollen"
            | "kann"
            | "können"
    );
    let is_do = first == "do" && matches!(second, "we" | "you" | "i" | "they");
    asks || is_do
}

/// A sentence without what is in quotation marks, if that is more than a name.
fn unquoted(text: &str) -> String {
    const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«')];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c| QUOTES.iter().any(|(open, _)| *open == c)) {
        let open = rest[at..].chars().next().unwrap_or_default();
        let close = QUOTES.iter().find(|(one, _)| *one == open).map_or('"', |(_, close)| *close);
        let inside = &rest[at + open.len_utf8()..];
        out.push_str(&rest[..at]);
        let Some(end) = inside.find(close) else {
            out.push_str(inside);
            return out;
        };
        if inside[..end].split_whitespace().count() < 3 {
            out.push_str(&inside[..end]);
        }
        rest = &inside[end + close.len_utf8()..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONVERSATIONS: &str = include_str!("samples/conversations.txt");

    struct Labelled {
        name: &'static str,
        turns: Vec<Turn>,
        /// The line of the turn and the words of what is worth a note.
        labels: Vec<(usize, String)>,
    }

    fn read(section: &str) -> Vec<Labelled> {
        let (_, rest) = CONVERSATIONS.split_once(&format!("[{section}]\n")).unwrap();
        let rest = rest.split("\n[kept]").next().unwrap();
        let parts = rest.split("\n= ").filter(|part| !part.trim().is_empty());
        parts
            .map(|part| {
                let (name, lines) = part.split_once('\n').unwrap();
                let mut turns: Vec<Turn> = Vec::new();
                for line in lines.lines().filter(|line| !line.is_empty()) {
                    let speaker = match line.get(..3) {
                        Some("U: ") => Some(Speaker::User),
                        Some("A: ") => Some(Speaker::Assistant),
                        Some("T: ") => Some(Speaker::Tool),
                        _ => None,
                    };
                    match speaker {
                        Some(speaker) => turns.push(Turn {
                            line: turns.len() + 1,
                            speaker,
                            text: line[3..].to_owned(),
                            is_restricted: false,
                        }),
                        None => {
                            let last = turns.last_mut().unwrap();
                            last.text.push('\n');
                            last.text.push_str(line.strip_prefix("  ").unwrap());
                        }
                    }
                }
                let mut labels = Vec::new();
                for turn in &mut turns {
                    let marked = turn.text.clone();
                    let found =
                        marked.split("[[").skip(1).map(|rest| rest.split("]]").next().unwrap());
                    labels.extend(found.map(|label| (turn.line, label.to_owned())));
                    turn.text = marked.replace("[[", "").replace("]]", "");
                }
                Labelled { name, turns, labels }
            })
            .collect()
    }

    /// Whether a note has most of a label's words, and few others.
    fn is_that(note: &str, label: &str) -> bool {
        let stems = |text: &str| -> std::collections::BTreeSet<String> {
            faber_core::terms::words::stems(text).into_iter().collect()
        };
        let (note, label) = (stems(note), stems(label));
        let common = note.intersection(&label).count();
        common * 10 >= label.len() * 6 && common * 10 >= note.len() * 6
    }

    /// Notes that are labels, all notes, labels that are found, all labels.
    fn measure(section: &str) -> [usize; 4] {
        let mut figures = [0; 4];
        for conversation in read(section) {
            let found = candidates(&conversation.turns);
            let is_label = |note: &Candidate, (line, label): &(usize, String)| {
                *line == note.line && is_that(&note.text, label)
            };
            for note in &found {
                let right = conversation.labels.iter().any(|label| is_label(note, label));
                figures[0] += usize::from(right);
                if !right {
                    println!("{}: wrong {:?} {}", conversation.name, note.kind, note.text);
                }
            }
            figures[1] += found.len();
            for label in &conversation.labels {
                let is_found = found.iter().any(|note| is_label(note, label));
                figures[2] += usize::from(is_found);
                if !is_found {
                    println!("{}: missed {}", conversation.name, label.1);
                }
            }
            figures[3] += conversation.labels.len();
        }
        println!("{section}: {figures:?}");
        figures
    }

    fn assert_precise(section: &str) {
        let [right, notes, found, labels] = measure(section);
        assert!(right * 10 >= notes * 8, "{right} of {notes} notes are right");
        assert!(found * 10 >= labels * 6, "{found} of {labels} labels are found");
    }

    #[test]
    fn notes_are_found_by_their_phrasing() {
        assert_precise("tuned");
    }

    #[test]
    fn notes_are_found_in_conversations_that_were_not_looked_at_before() {
        assert_precise("kept");
    }
}
