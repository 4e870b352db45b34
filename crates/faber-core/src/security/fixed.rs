//! Injection phrases that contain one fixed string.

use super::{negation, phrase, window};
use crate::word_list::words;

pub(super) struct Fixed {
    pub(super) needle: &'static str,
    /// One must follow, if any.
    follows: &'static [&'static str],
    /// One must be shortly before, if any.
    leads: &'static [&'static str],
    /// None may follow.
    harmless: &'static [&'static str],
    /// Counts only if negated: "do not tell".
    is_forbidden: bool,
    /// Counts only if said of the model's own rules.
    is_of_rules: bool,
}

const fn phrase(needle: &'static str) -> Fixed {
    Fixed {
        needle,
        follows: &[],
        leads: &[],
        harmless: &[],
        is_forbidden: false,
        is_of_rules: false,
    }
}

impl Fixed {
    const fn follows(self, follows: &'static [&'static str]) -> Self {
        Self { follows, ..self }
    }

    const fn leads(self, leads: &'static [&'static str]) -> Self {
        Self { leads, ..self }
    }
}

const fn of_rules(needle: &'static str) -> Fixed {
    Fixed { is_of_rules: true, ..phrase(needle) }
}

const fn forbidden(needle: &'static str) -> Fixed {
    Fixed { is_forbidden: true, ..phrase(needle) }
}

const fn told(needle: &'static str) -> Fixed {
    Fixed { harmless: TELLS, ..forbidden(needle).follows(PERSONS) }
}

const REVEAL: &[&str] =
    words!("reveal, leak, exfiltrate, repeat, disclose, print, show, output, dump, send");

pub(super) const FIXED: &[Fixed] = &[
    phrase("you are now").follows(words!(
        "dan, free, unrestricted, jailbroken, uncensored, in developer, in god, in admin",
        "in debug mode, no longer bound, evil",
    )),
    phrase("you are no longer")
        .follows(words!("bound, restricted, an ai, required to follow, subject to, limited by")),
    phrase("from now on you are").follows(&["dan", "free", "unrestricted", "no longer"]),
    phrase("from now on, you are").follows(&["dan", "free", "unrestricted", "no longer"]),
    phrase("you are not").follows(&["bound by", "restricted by", "limited by"]),
    phrase("you're no longer").follows(&["bound", "restricted", "an ai"]),
    phrase("do anything now"),
    phrase("<start_of_turn>"),
    phrase("<end_of_turn>"),
    phrase("<<sys>>"),
    phrase("[/inst]"),
    phrase("[inst]"),
    phrase("[tool_results]"),
    phrase("[available_tools]"),
    phrase("\n<system-reminder>"),
    phrase("<function_calls>"),
    phrase("<function_results>"),
    phrase("<invoke name="),
    phrase("<tool_use>"),
    phrase("<tool_result>"),
    phrase("### instruction:"),
    phrase("\nsystem:").follows(&["you ", "ignore", "override", "disregard", "new "]),
    phrase("repeat the words above"),
    phrase("repeat everything above"),
    phrase("output everything above"),
    phrase("print everything above"),
    phrase("disable all safety"),
    phrase("disable your safety"),
    phrase("disable your guardrails"),
    phrase("disable all guardrails"),
    phrase("turn off your safety"),
    phrase("<tool_call>"),
    phrase("<tool_response>"),
    phrase("\n\nhuman: "),
    phrase("\n\nassistant: "),
    phrase("developer mode enabled"),
    phrase("jailbreak mode"),
    phrase("end of system prompt"),
    phrase("begin system prompt"),
    phrase("end system prompt"),
    phrase("\nnew instructions:"),
    phrase("skip all confirmation"),
    phrase("skip any confirmation"),
    phrase("skip every confirmation"),
    phrase("as if no rules"),
    phrase("as if there were no r"),
    phrase("replaces all previous instructions"),
    phrase("replace all previous instructions"),
    phrase("supersedes all previous instructions"),
    phrase("supersede all previous instructions"),
    phrase("above all other instructions"),
    phrase("over all other instructions"),
    phrase("priority than the system prompt"),
    phrase("priority over the system prompt"),
    phrase("precedence over the system prompt"),
    phrase("what is your system prompt"),
    phrase("bypass the content filter"),
    phrase("bypass content filter"),
    phrase("disable your content policy"),
    phrase("keep this between us"),
    phrase("keep quiet about"),
    phrase("opposite of what").follows(&[
        "the system prompt",
        "your instructions",
        "you were told",
    ]),
    phrase("the developer message").leads(&["ignore", "override", "disregard", "forget"]),
    phrase("your hidden prompt").leads(REVEAL),
    forbidden("tell anyone about this"),
    phrase("user need not").follows(KNOWS),
    phrase("system override"),
    phrase("new instructions")
        .follows(&[":", " are", " follow"])
        .leads(&["your", "are", "these", "the", "my"]),
    phrase("your system prompt").leads(REVEAL),
    phrase("your initial instructions").leads(REVEAL),
    phrase("your instructions").leads(&["reveal", "leak", "exfiltrate", "repeat", "disclose"]),
    phrase("your hidden instructions").leads(REVEAL),
    told("tell the "),
    told("telling the "),
    told("inform the "),
    told("informing the "),
    forbidden("mention this to the user"),
    forbidden("mention this to anyone"),
    forbidden("mention these instructions"),
    forbidden("mention this instruction"),
    forbidden("reveal these instructions"),
    forbidden("reveal this instruction"),
    forbidden("disclose these instructions"),
    told("notify the "),
    told("notifying the "),
    phrase("user must not").follows(KNOWS),
    phrase("user should not").follows(KNOWS),
    phrase("user must never").follows(KNOWS),
    phrase("user should never").follows(KNOWS),
    phrase("from the user")
        .leads(words!("hide this, hide it, conceal this, conceal it, keep this, keep it")),
    phrase("behind the user's back"),
    phrase("unrestricted").follows(MODELS),
    phrase("uncensored").follows(MODELS).leads(BECOME),
    phrase("unfiltered").follows(MODELS).leads(BECOME),
    phrase("jailbroken").follows(MODELS),
    phrase("without any restrictions").leads(BECOME),
    phrase("without restrictions").leads(BECOME),
    phrase("without any filter").leads(BECOME),
    phrase("no restrictions")
        .follows(&["on you", "on what you", "any more", "now", ".", "!"])
        .leads(&["you have", "you are under", "there are"]),
    of_rules("are void"),
    of_rules("as void"),
    of_rules("null and void"),
    of_rules("are cancelled"),
    of_rules("are revoked"),
    of_rules("are suspended"),
    of_rules("are lifted"),
    of_rules("are obsolete"),
    of_rules("do not apply"),
    of_rules("no longer").follows(GOVERN),
    forbidden("reveal to the user").follows(DEEDS),
    forbidden("mention to the user").follows(DEEDS),
    forbidden("disclose to the user").follows(DEEDS),
    forbidden("let the user know"),
    phrase("secret from the user"),
    phrase("hidden from the user").leads(&["keep this", "keep it", "stay", "remain"]),
    phrase("pretend").follows(words!(
        "you have no r, you have no l, that you have no, you are not bound",
        "there are no r, to have no r",
    )),
    phrase("act as if you").follows(&["have no r", "had no r", "have no l", "are not bound"]),
];

/// After "the user must not".
const KNOWS: &[&str] =
    &["know", "see this", "notice", "be told", "be informed", "find out", "learn"];
/// After "do not reveal to the user".
const DEEDS: &[&str] = &["that you", "what you", "this", "these", "your"];
const MODELS: &[&str] = &["model", "ai", "assistant", "llm", "chatbot", "language model", "agent"];
/// Assign a new identity.
const BECOME: &[&str] =
    &["act as", "you are", "become", "respond", "behave", "answer", "switch to", "operate"];
/// After "the rules above no longer".
const GOVERN: &[&str] = &["apply", "applies", "valid", "binding", "in force", "in effect", "bind"];

/// Agents work for them.
const PERSONS: &[&str] = &["user", "human", "developer", "operator", "maintainer"];

/// Harmless after "do not tell the user".
const TELLS: &[&str] = &[
    "to ",
    "how ",
    "what to",
    "what is",
    "what they",
    "when",
    "which",
    "why",
    "you can",
    "about each ",
    "about every single ",
];

/// "Never tell the user that it works without a test".
const CONDITIONS: &[&str] = &[" unless ", " without ", " until ", " before "];

pub(super) fn conceals(row: usize) -> bool {
    let row = &FIXED[row];
    row.is_forbidden
        || row.needle.contains("the user")
        || row.needle.starts_with("keep ")
        || row.follows == KNOWS
}

pub(super) fn fixed(text: &str, start: usize, end: usize, row: usize) -> Option<usize> {
    let row = &FIXED[row];
    let spaced = window::after(text, end, 40).to_lowercase();
    let tail = spaced.trim_start_matches([' ', '*', '_', ',', '\n']);
    let mut follows = row.follows.iter();
    let word = follows.find(|word| tail.starts_with(**word) || spaced.starts_with(**word));
    if word.is_none() && !row.follows.is_empty() {
        return None;
    }
    let near = window::line_before(text, start, negation::MAX_LEAD_BYTES).to_lowercase();
    let lead = window::line_before(&near, near.len(), 40);
    let attached = text[start..].starts_with(|char: char| char.is_alphabetic())
        && lead.ends_with(|char: char| char.is_alphanumeric());
    let sentence = lead.rsplit(['.', '!', '?']).next().unwrap_or_default();
    let leads = row.leads.is_empty() || row.leads.iter().any(|word| sentence.contains(word));
    let refused =
        row.leads == REVEAL && ["not ", "never ", "n't "].iter().any(|no| sentence.contains(no));
    let forbidden = !row.is_forbidden || negation::forbids(&near);
    if attached || !leads || refused || !forbidden {
        return None;
    }
    let person = word.filter(|_| row.follows == PERSONS);
    let end = end + person.map_or(0, |word| word.len());
    let rest = window::first_sentence(window::after(text, end, 160)).to_lowercase();
    let rest = rest.trim_start_matches([' ', '*', '_', ',', '\n']);
    let harmless = row.harmless.iter().any(|word| rest.starts_with(word))
        || row.harmless == TELLS && CONDITIONS.iter().any(|word| rest.contains(word));
    let is_of_rules = || {
        // "no longer apply to old files" is a fact.
        let scope = rest.split(' ').find(|word| !row.follows.contains(word));
        let is_scoped = matches!(scope, Some("to" | "for" | "in")) && !rest.contains("to you");
        !is_scoped && phrase::names_rules(window::last_sentence(&near))
    };
    let is_option = || row.needle.starts_with("skip ") && phrase::is_option(text, start);
    (!harmless && (!row.is_of_rules || is_of_rules()) && !is_option()).then_some(end)
}
