//! Phrases that override a prompt: a verb such as "ignore" shortly before words for earlier text
//! ("previous") or a prompt ("instructions"), in several languages.

use super::window;

pub(super) const VERBS: &[&str] = &[
    "ignor",
    "disregard",
    "forget",
    "overrid",
    "bypass",
    "overrul",
    "discard",
    "dismiss",
    "abandon",
    "nullif",
    "stop following",
    "stop obeying",
    "stop adhering",
    "pay no attention",
    "set aside",
    "throw away",
    "throw out",
    "do not obey",
    "don't obey",
    "do not follow",
    "don't follow",
    "vergiss",
    "oubli",
    "olvid",
    "dimentic",
    "esque",
    "negeer",
    "vergeet",
    "zapomnij",
    "abaikan",
    "bỏ qua",
    "glöm",
    "unohda",
    "ігнор",
    "Ігнор",
    "αγνό",
    "Αγνό",
    "تجاهل",
    "yok say",
    "görmezden gel",
    "अनदेखा",
    "नज़रअंदाज़",
    "игнорир",
    "Игнорир",
    "забуд",
    "Забуд",
    "忽略",
    "无视",
    "無視",
    "忘记",
    "忘れ",
    "무시",
];

/// Prefixes for earlier text.
const EARLIER: &[&str] = &[
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "foregoing",
    "former",
    "bisherig",
    "vorher",
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
    "попередн",
    "tidigare",
    "tidliger",
    "předchoz",
    "předešl",
    "sebelum",
    "trước",
    "aiem",
    "aikaisem",
    "korább",
    "προηγούμεν",
    "السابق",
];

/// Prefixes for the model's own prompt; need a word of `PROMPT`.
const OWN: &[&str] = &[
    "your", "system", "original", "initial", "safety", "dein", "ihre", "tes", "vos", "tus", "sus",
    "tue", "твои", "ваши", "systeem",
];

/// Prefixes of words specific to prompts.
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
    "vorgabe",
    "consigne",
    "instruccion",
    "instruç",
    "istruzion",
    "instructie",
    "instruk",
    "instrucțiun",
    "polece",
    "pokyn",
    "hướng",
    "ohje",
    "utasítás",
    "οδηγ",
    "التعليمات",
    "تعليمات",
    "інструкц",
    "инструкц",
    "указан",
    "направ",
];

/// Prefixes for possible parts of a prompt.
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

/// For languages without spaces or with the verb last.
const EARLIER_CJK: &[&str] = &[
    "之前",
    "以上",
    "先前",
    "上述",
    "前面",
    "此前",
    "所有",
    "以前",
    "従来",
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
    "önceki",
    "tüm ",
    "पिछले",
    "पिछली",
    "सभी",
    "उपरोक्त",
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
    "talimat",
    "komut",
    "निर्देश",
];

/// Maximum after a verb.
const WORDS: usize = 9;

/// The end of the phrase with the verb at `start..end`.
pub(super) fn verb(text: &str, start: usize, end: usize) -> Option<usize> {
    let found = &text[start..end];
    // These languages end with the verb: Japanese, Korean, Hindi, Turkish.
    let last = found.starts_with(['y', 'Y', 'g', 'G']) && !found.starts_with("gl");
    if last || found.chars().next().is_some_and(|char| char >= '\u{900}') {
        return without_spaces(text, start, end);
    }
    let lead = window::before(text, start, 48);
    let attached = lead.chars().next_back().is_some_and(char::is_alphanumeric);
    if (attached && !lead.ends_with(['z', 'Z'])) || is_refused(lead) {
        return None;
    }
    if text[end..].starts_with("ing") && is_described(lead) {
        return None;
    }
    let strict = STRICT.contains(&&*found.to_ascii_lowercase());
    let mut seen = Seen::default();
    let mut above = None;
    let verb = 1 + found.matches(' ').count() + found.matches('\'').count();
    for (count, (at, word)) in words(text, start).take(WORDS + verb).enumerate() {
        if count < verb {
            continue;
        }
        let count = count + 1 - verb;
        let lower = word.to_lowercase();
        // Begins another phrase.
        if VERBS.iter().any(|verb| lower.starts_with(verb)) {
            return None;
        }
        if seen.add(&lower, count, strict) {
            return Some(at + word.len());
        }
        // "Ignore the above and …", "forget everything before" need no noun.
        if let Some(end) = above.filter(|_| matches!(&*lower, "and" | "then" | "instead")) {
            return Some(end);
        }
        let alone = lower == "above" || (seen.everything && seen.earlier);
        above = (alone && count <= 3 && !strict).then_some(at + word.len());
    }
    above
}

/// Common verbs, which need a word specific to prompts.
const STRICT: &[&str] =
    &["overrid", "bypass", "overrul", "discard", "dismiss", "abandon", "nullif", "set aside"];

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says which kind of word was seen")]
struct Seen {
    earlier: bool,
    own: Option<usize>,
    prompt: bool,
    rules: bool,
    everything: bool,
    whatever: bool,
    instructed: bool,
    you: bool,
    given: bool,
    default: bool,
}

impl Seen {
    /// Returns whether the phrase is complete.
    fn add(&mut self, word: &str, count: usize, strict: bool) -> bool {
        let begins = |table: &[&str]| table.iter().any(|stem| word.starts_with(stem));
        let exactly = word == "ci" || !word.starts_with("ci") && !word.starts_with("priorit");
        self.earlier |= begins(EARLIER) && exactly;
        self.prompt |= begins(PROMPT);
        // Ignoring prompt injections is a defense.
        self.prompt &= !word.starts_with("inject");
        self.rules |= begins(RULES) && !strict;
        self.everything |=
            matches!(word, "everything" | "all" | "anything" | "alles" | "tout" | "todo");
        self.whatever |= matches!(
            word,
            "what"
                | "whatever"
                | "anything"
                | "everything"
                | "all"
                | "alles"
                | "was"
                | "todo"
                | "tutto"
        );
        self.instructed |= self.whatever
            && matches!(
                word,
                "told"
                    | "said"
                    | "instructed"
                    | "written"
                    | "taught"
                    | "learned"
                    | "gesagt"
                    | "dicho"
                    | "detto"
            );
        // Settings override default prompts; design systems have guidelines.
        let of_others = (strict && self.default) || (word == "systems" && !self.prompt);
        if begins(OWN) && self.own.is_none() && !of_others {
            self.own = Some(count);
        }
        self.default = word == "default";
        self.you |= word == "you";
        self.given |= self.you && matches!(word, "given" | "received" | "got" | "told");
        let named = self.everything || self.prompt || self.rules;
        let before = self.earlier || matches!(word, "before" | "so") && named;
        let own = self.own.is_some_and(|at| count <= at + 3) && self.prompt;
        let told = self.everything && matches!(word, "told" | "know" | "learned") && count <= 6;
        let said = self.instructed && (self.earlier || word == "before") && !strict;
        let given = self.given && (self.prompt || self.rules);
        (before && (self.prompt || self.rules)) || own || told || said || given
    }
}

/// "never ignore", "attempts to ignore"
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

/// "when the agent starts" before "ignoring": a condition with a third person, which orders nothing.
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

/// With offsets, to the end of the sentence.
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

/// Around a verb without spaces, or at the end.
fn without_spaces(text: &str, start: usize, end: usize) -> Option<usize> {
    let lead = window::line_before(text, start, 60);
    let tail = window::line_after(text, end, 60);
    let lead = lead.to_lowercase();
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
