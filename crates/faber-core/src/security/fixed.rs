//! Injection phrases that contain one fixed string.

use super::{negation, phrase, window};
use crate::word_list::words;

pub(super) struct Fixed {
    pub(super) needles: &'static [&'static str],
    /// If any, one must follow.
    follows: &'static [&'static str],
    /// If any, one must be shortly before.
    leads: &'static [&'static str],
    /// None may follow.
    harmless: &'static [&'static str],
    /// Only if negated: "do not tell".
    is_forbidden: bool,
    /// Only of the model's own rules.
    is_of_rules: bool,
}

const fn phrases(needles: &'static [&'static str]) -> Fixed {
    Fixed {
        needles,
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

const fn of_rules(needles: &'static [&'static str]) -> Fixed {
    Fixed { is_of_rules: true, ..phrases(needles) }
}

const fn forbidden(needles: &'static [&'static str]) -> Fixed {
    Fixed { is_forbidden: true, ..phrases(needles) }
}

const fn told(needles: &'static [&'static str]) -> Fixed {
    Fixed { harmless: TELLS, ..forbidden(needles).follows(PERSONS) }
}

const REVEAL: &[&str] =
    words!("reveal, leak, exfiltrate, repeat, disclose, print, show, output, dump, send");

pub(super) const FIXED: &[Fixed] = &[
    phrases(words!(
        "do anything now, <start_of_turn>, <end_of_turn>, <<sys>>, [/inst], [inst], [tool_results]",
        "[available_tools], \n<system-reminder>, <function_calls>, <function_results>",
        "<invoke name=, <tool_use>, <tool_result>, ### instruction:, repeat the words above",
        "repeat everything above, output everything above, print everything above",
        "disable all safety, disable your safety, disable your guardrails, disable all guardrails",
        "turn off your safety, <tool_call>, <tool_response>, \n\nhuman: , \n\nassistant: ",
        "developer mode enabled, jailbreak mode, end of system prompt, begin system prompt",
        "end system prompt, \nnew instructions:, skip all confirmation, skip any confirmation",
        "skip every confirmation, as if no rules, as if there were no r",
        "replaces all previous instructions, replace all previous instructions",
        "supersedes all previous instructions, supersede all previous instructions",
        "above all other instructions, over all other instructions",
        "priority than the system prompt, priority over the system prompt",
        "precedence over the system prompt, what is your system prompt, bypass the content filter",
        "bypass content filter, disable your content policy, keep this between us",
        "keep quiet about, system override, behind the user's back, secret from the user",
    )),
    forbidden(words!(
        "tell anyone about this, mention this to the user, mention this to anyone",
        "mention these instructions, mention this instruction, reveal these instructions",
        "reveal this instruction, disclose these instructions, let the user know",
    )),
    told(words!(
        "tell the , telling the , inform the , informing the , notify the , notifying the ",
    )),
    of_rules(words!(
        "are void, as void, null and void, are cancelled, are revoked, are suspended, are lifted",
        "are obsolete, do not apply",
    )),
    phrases(&["you are now"]).follows(words!(
        "dan, free, unrestricted, jailbroken, uncensored, in developer, in god, in admin",
        "in debug mode, no longer bound, evil",
    )),
    phrases(&["you are no longer"])
        .follows(words!("bound, restricted, an ai, required to follow, subject to, limited by")),
    phrases(&["from now on you are", "from now on, you are"]).follows(&[
        "dan",
        "free",
        "unrestricted",
        "no longer",
    ]),
    phrases(&["you are not"]).follows(&["bound by", "restricted by", "limited by"]),
    phrases(&["you're no longer"]).follows(&["bound", "restricted", "an ai"]),
    phrases(&["\nsystem:"]).follows(&["you ", "ignore", "override", "disregard", "new "]),
    phrases(&["opposite of what"])
        .follows(words!("the system prompt, your instructions, you were told")),
    phrases(&["the developer message"]).leads(&["ignore", "override", "disregard", "forget"]),
    phrases(words!(
        "your hidden prompt, your system prompt, your initial instructions",
        "your hidden instructions",
    ))
    .leads(REVEAL),
    phrases(&["your instructions"]).leads(&["reveal", "leak", "exfiltrate", "repeat", "disclose"]),
    phrases(&["new instructions"])
        .follows(&[":", " are", " follow"])
        .leads(&["your", "are", "these", "the", "my"]),
    phrases(words!(
        "user need not, user must not, user should not, user must never, user should never"
    ))
    .follows(KNOWS),
    phrases(&["from the user"])
        .leads(words!("hide this, hide it, conceal this, conceal it, keep this, keep it")),
    phrases(&["unrestricted", "jailbroken"]).follows(MODELS),
    phrases(&["uncensored", "unfiltered"]).follows(MODELS).leads(BECOME),
    phrases(words!("without any restrictions, without restrictions, without any filter"))
        .leads(BECOME),
    phrases(&["no restrictions"])
        .follows(&["on you", "on what you", "any more", "now", ".", "!"])
        .leads(&["you have", "you are under", "there are"]),
    of_rules(&["no longer"]).follows(GOVERN),
    forbidden(words!("reveal to the user, mention to the user, disclose to the user"))
        .follows(DEEDS),
    phrases(&["hidden from the user"]).leads(&["keep this", "keep it", "stay", "remain"]),
    phrases(&["pretend"]).follows(words!(
        "you have no r, you have no l, that you have no, you are not bound",
        "there are no r, to have no r",
    )),
    phrases(&["act as if you"]).follows(&["have no r", "had no r", "have no l", "are not bound"]),
];

/// After "the user must not".
const KNOWS: &[&str] =
    &["know", "see this", "notice", "be told", "be informed", "find out", "learn"];
/// After "do not reveal to the user".
const DEEDS: &[&str] = &["that you", "what you", "this", "these", "your"];
const MODELS: &[&str] = &["model", "ai", "assistant", "llm", "chatbot", "language model", "agent"];
const BECOME: &[&str] =
    &["act as", "you are", "become", "respond", "behave", "answer", "switch to", "operate"];
/// After "the rules above no longer".
const GOVERN: &[&str] = &["apply", "applies", "valid", "binding", "in force", "in effect", "bind"];

const PERSONS: &[&str] = &["user", "human", "developer", "operator", "maintainer"];

/// Harmless after "do not tell the user".
const TELLS: &[&str] = words!(
    "to , how , what to, what is, what they, when, which, why, you can, about each ",
    "about every single ",
);

const CONDITIONS: &[&str] = &[" unless ", " without ", " until ", " before "];

/// Where the order to conceal something begins, if it is one.
pub(super) fn conceals(text: &str, start: usize, needle: &str, row: usize) -> Option<usize> {
    let row = &FIXED[row];
    if row.is_forbidden {
        return Some(negation::start(text, start));
    }
    let conceals =
        needle.contains("the user") || needle.starts_with("keep ") || row.follows == KNOWS;
    conceals.then_some(start)
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
        || row.harmless == TELLS && CONDITIONS.iter().any(|word| rest.contains(word))
        || row.is_forbidden && rest.starts_with("unless ");
    let is_of_rules = || {
        // "no longer apply to old files" is a fact.
        let scope = rest.split(' ').find(|word| !row.follows.contains(word));
        let is_scoped = matches!(scope, Some("to" | "for" | "in")) && !rest.contains("to you");
        !is_scoped && phrase::names_rules(window::last_sentence(&near))
    };
    let skips = |needle: &str| needle.to_ascii_lowercase().starts_with("skip ");
    let is_option = || skips(&text[start..end]) && phrase::is_option(text, start);
    (!harmless && (!row.is_of_rules || is_of_rules()) && !is_option()).then_some(end)
}
