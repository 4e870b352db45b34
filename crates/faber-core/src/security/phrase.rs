//! Phrases that try to overrule a prompt.
//!
//! A verb such as "ignore" counts together with what was said before ("previous", "above") and
//! with what a prompt consists of ("instructions", "rules") in the next few words, whatever stands
//! between them. The same three tables hold the words of several languages.

use super::window;

/// Beginnings of verbs, in the lower case in which the automaton looks for ASCII.
pub(super) const VERBS: &[&str] = &[
    "ignor",
    "disregard",
    "forget",
    "overrid",
    "bypass",
    "overrul",
    "vergiss",
    "oubli",
    "olvid",
    "dimentic",
    "esque",
    "negeer",
    "vergeet",
    "zapomnij",
    "игнорир",
    "Игнорир",
    "забуд",
    "Забуд",
    "忽略",
    "无视",
    "無視",
    "忘记",
    "무시",
];

/// Beginnings of words for what came before.
const EARLIER: &[&str] = &[
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "foregoing",
    "former",
    "bisherig",
    "vorherig",
    "vorig",
    "obig",
    "früher",
    "vorangegangen",
    "précédent",
    "précedent",
    "antérieur",
    "ci",
    "anterior",
    "previ",
    "precedent",
    "eerder",
    "poprzedni",
    "wcześniejsz",
    "предыдущ",
    "прежн",
    "предшеств",
];

/// Beginnings of words for what is the model's own; they need a word of `PROMPT`.
const OWN: &[&str] = &[
    "your", "system", "original", "initial", "safety", "dein", "ihre", "tes", "vos", "tus", "sus",
    "tue", "твои", "ваши", "systeem",
];

/// Beginnings of words for what only a prompt has.
const PROMPT: &[&str] = &[
    "instruction",
    "prompt",
    "guideline",
    "training",
    "programming",
    "constraint",
    "restriction",
    "directive",
    "anweisung",
    "instruktion",
    "vorgabe",
    "consigne",
    "instruccion",
    "instruç",
    "istruzion",
    "instructie",
    "instrukcj",
    "polece",
    "инструкц",
    "указан",
    "направ",
];

/// Beginnings of words for what may be part of a prompt.
const RULES: &[&str] = &[
    "rule",
    "direction",
    "command",
    "context",
    "message",
    "polic",
    "regel",
    "befehl",
    "règle",
    "regla",
    "regra",
    "regol",
    "orden",
    "правил",
    "команд",
    "guardrail",
    "conversation",
];

/// Words for what was said before and for prompts in scripts without spaces.
const EARLIER_CJK: &[&str] = &[
    "之前",
    "以上",
    "先前",
    "上述",
    "前面",
    "此前",
    "所有",
    "以前",
    "これまで",
    "上記",
    "前の",
    "すべて",
    "이전",
    "앞선",
    "위의",
    "모든",
    "你的",
    "您的",
];
const PROMPT_CJK: &[&str] = &[
    "指令",
    "指示",
    "提示",
    "命令",
    "说明",
    "规则",
    "ルール",
    "プロンプト",
    "지시",
    "명령",
    "프롬프트",
    "지침",
];

/// How many words after a verb are read.
const WORDS: usize = 9;

/// A phrase that is found by one string.
pub(super) struct Fixed {
    /// What the automaton looks for.
    pub(super) needle: &'static str,
    /// Words one of which must follow; none if the needle says it all.
    follows: &'static [&'static str],
    /// Words one of which must stand closely before.
    leads: &'static [&'static str],
    /// Words that make it harmless when they follow.
    harmless: &'static [&'static str],
}

const fn phrase(needle: &'static str) -> Fixed {
    Fixed { needle, follows: &[], leads: &[], harmless: &[] }
}

/// Verbs of which one stands before what is not to be known.
const NOT: &[&str] = &["not", "don't", "never", "without", "don’t"];
/// Verbs that give a prompt away.
const REVEAL: &[&str] = &[
    "reveal",
    "leak",
    "exfiltrate",
    "repeat",
    "disclose",
    "print",
    "show",
    "output",
    "dump",
    "send",
];

/// Phrases that are found by one string.
pub(super) const FIXED: &[Fixed] = &[
    Fixed {
        needle: "you are now",
        follows: &[
            "dan",
            "free",
            "unrestricted",
            "jailbroken",
            "uncensored",
            "in developer",
            "in god",
            "in admin",
            "in debug mode",
            "no longer bound",
            "evil",
        ],
        ..phrase("")
    },
    Fixed {
        needle: "you are no longer",
        follows: &[
            "bound",
            "restricted",
            "an ai",
            "required to follow",
            "subject to",
            "limited by",
        ],
        ..phrase("")
    },
    Fixed { needle: "you're no longer", follows: &["bound", "restricted", "an ai"], ..phrase("") },
    phrase("do anything now"),
    phrase("<|im_start|>"),
    phrase("<|im_end|>"),
    phrase("<|system|>"),
    phrase("<|endoftext|>"),
    phrase("<|eot_id|>"),
    phrase("<|start_header_id|>"),
    phrase("<<sys>>"),
    phrase("[/inst]"),
    phrase("developer mode enabled"),
    phrase("jailbreak mode"),
    phrase("end of system prompt"),
    phrase("system override"),
    Fixed {
        needle: "new instructions",
        follows: &[":", " are", " follow"],
        leads: &["your", "are", "these", "the", "my"],
        ..phrase("")
    },
    Fixed { needle: "your system prompt", leads: REVEAL, ..phrase("") },
    Fixed { needle: "your initial instructions", leads: REVEAL, ..phrase("") },
    Fixed {
        needle: "your instructions",
        leads: &["reveal", "leak", "exfiltrate", "repeat", "disclose"],
        ..phrase("")
    },
    Fixed { needle: "your hidden instructions", leads: REVEAL, ..phrase("") },
    Fixed { needle: "tell the user", leads: NOT, harmless: TELLS, ..phrase("") },
    Fixed { needle: "telling the user", leads: NOT, harmless: TELLS, ..phrase("") },
    Fixed { needle: "inform the user", leads: NOT, harmless: TELLS, ..phrase("") },
    Fixed { needle: "informing the user", leads: NOT, harmless: TELLS, ..phrase("") },
    Fixed { needle: "follow the previous instructions", leads: NOT, ..phrase("") },
    Fixed { needle: "mention this to the user", leads: NOT, ..phrase("") },
    Fixed { needle: "let the user know", leads: NOT, ..phrase("") },
    Fixed { needle: "secret from the user", ..phrase("") },
    Fixed {
        needle: "hidden from the user",
        leads: &["keep this", "keep it", "stay", "remain"],
        ..phrase("")
    },
    Fixed {
        needle: "pretend",
        follows: &[
            "you have no r",
            "you have no l",
            "that you have no",
            "you are not bound",
            "there are no r",
            "to have no r",
        ],
        ..phrase("")
    },
    Fixed {
        needle: "act as if you",
        follows: &["have no r", "had no r", "have no l", "are not bound"],
        ..phrase("")
    },
];

/// What one may be told not to tell: `do not tell the user to run it`.
const TELLS: &[&str] = &["to ", "how", "what", "when", "which", "why", "you"];

/// Where the phrase ends that begins with the verb in `start..end`, if it is one.
pub(super) fn verb(text: &str, start: usize, end: usize) -> Option<usize> {
    let found = &text[start..end];
    if found.chars().next().is_some_and(|char| char >= '\u{1100}') {
        return without_spaces(text, start, end);
    }
    let lead = window::before(text, start, 48);
    let attached = lead.chars().next_back().is_some_and(char::is_alphanumeric);
    if (attached && !lead.ends_with(['z', 'Z'])) || is_refused(lead) {
        return None;
    }
    let strict = ["overrid", "bypass", "overrul"].contains(&&*found.to_ascii_lowercase());
    let mut seen = Seen::default();
    let mut above = None;
    for (count, (at, word)) in words(text, start).take(WORDS + 1).enumerate() {
        if count == 0 {
            continue;
        }
        let lower = word.to_lowercase();
        // The next verb begins a phrase of its own.
        if VERBS.iter().any(|verb| lower.starts_with(verb)) {
            return None;
        }
        if seen.add(&lower, count, strict) {
            return Some(at + word.len());
        }
        // "Ignore the above and …" names nothing that is above.
        if let Some(end) = above.filter(|_| matches!(&*lower, "and" | "then" | "instead")) {
            return Some(end);
        }
        above = (lower == "above" && count <= 3 && !strict).then_some(at + word.len());
    }
    above
}

/// What the words after a verb were so far.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says which kind of word was seen")]
struct Seen {
    earlier: bool,
    own: Option<usize>,
    prompt: bool,
    rules: bool,
    everything: bool,
}

impl Seen {
    /// Adds a word; `true` when the phrase is complete.
    fn add(&mut self, word: &str, count: usize, strict: bool) -> bool {
        let begins = |table: &[&str]| table.iter().any(|stem| word.starts_with(stem));
        let exactly = word == "ci" || !word.starts_with("ci");
        self.earlier |= begins(EARLIER) && exactly;
        self.prompt |= begins(PROMPT);
        self.rules |= begins(RULES) && !strict;
        self.everything |=
            matches!(word, "everything" | "all" | "anything" | "alles" | "tout" | "todo");
        if begins(OWN) && self.own.is_none() {
            self.own = Some(count);
        }
        let before = self.earlier || matches!(word, "before" | "so") && self.everything;
        let own = self.own.is_some_and(|at| count <= at + 3) && self.prompt;
        let told = self.everything && matches!(word, "told" | "know" | "learned") && count <= 6;
        let alone = self.everything && self.earlier && count <= 3 && !strict;
        (before && (self.prompt || self.rules)) || own || told || alone
    }
}

/// Whether the words before a verb refuse it, or only speak of it: "never ignore", "attempts to
/// ignore".
fn is_refused(lead: &str) -> bool {
    let lead = lead.to_lowercase();
    let sentence = lead.rsplit(['.', '!', '?', '\n']).next().unwrap_or_default();
    let mut last = sentence.split_whitespace().rev();
    let refuses = |word: &str| {
        matches!(word, "not" | "never" | "cannot" | "or" | "no" | "nicht" | "nie" | "pas")
            || word.ends_with("n't")
            || word.ends_with("n’t")
    };
    let speaks = |word: &str| {
        let stems = [
            "attempt", "ask", "request", "trying", "tries", "try", "says", "saying", "tells",
            "telling", "claim", "phrase", "like", "instruct",
        ];
        stems.iter().any(|stem| word.starts_with(stem))
    };
    last.clone().take(2).any(refuses) || last.any(speaks)
}

/// The words of `text` from `start` on, with their offsets, to the end of the paragraph.
fn words(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let rest = window::after(text, start, 240);
    let rest = rest.find("\n\n").map_or(rest, |end| &rest[..end]);
    let rest = rest.find(['!', '?', ';']).map_or(rest, |end| &rest[..end]);
    let rest = rest.find(". ").map_or(rest, |end| &rest[..end]);
    let mut at = start;
    rest.split_inclusive(|char: char| !char.is_alphanumeric()).filter_map(move |piece| {
        let here = at;
        at += piece.len();
        let word = piece.trim_end_matches(|char: char| !char.is_alphanumeric());
        (!word.is_empty()).then_some((here, word))
    })
}

/// The phrase around a verb of a script without spaces; in Japanese and Korean it comes last.
fn without_spaces(text: &str, start: usize, end: usize) -> Option<usize> {
    let lead = window::line_before(text, start, 60);
    let tail = window::line_after(text, end, 60);
    let around =
        |table: &[&str]| table.iter().any(|word| lead.contains(word) || tail.contains(word));
    let refused = lead.ends_with("不要") || lead.ends_with("不得") || lead.ends_with("请勿");
    if refused || !around(EARLIER_CJK) {
        return None;
    }
    let last = PROMPT_CJK.iter().filter_map(|word| tail.find(word).map(|at| at + word.len())).min();
    match last {
        Some(length) => Some(end + length),
        None => PROMPT_CJK.iter().any(|word| lead.contains(word)).then_some(end),
    }
}

/// Where the phrase of row `row` of [`FIXED`] ends whose needle is `start..end`, if it is one.
pub(super) fn fixed(text: &str, start: usize, end: usize, row: usize) -> Option<usize> {
    let row = &FIXED[row];
    let lead = window::line_before(text, start, 30).to_lowercase();
    let attached = text[start..].starts_with(|char: char| char.is_alphabetic())
        && lead.ends_with(|char: char| char.is_alphanumeric());
    let tail = window::after(text, end, 40).to_lowercase();
    let tail = tail.trim_start_matches([' ', '*', '_', ',', '\n']);
    let spaced = window::after(text, end, 40).to_lowercase();
    let follows = row.follows.is_empty()
        || row.follows.iter().any(|word| tail.starts_with(word) || spaced.starts_with(word));
    let sentence = lead.rsplit(['.', '!', '?']).next().unwrap_or_default();
    let leads = row.leads.is_empty() || row.leads.iter().any(|word| sentence.contains(word));
    let harmless = row.harmless.iter().any(|word| tail.starts_with(word));
    let refused =
        row.leads == REVEAL && ["not ", "never ", "n't "].iter().any(|no| sentence.contains(no));
    (!attached && follows && leads && !harmless && !refused).then_some(end)
}
