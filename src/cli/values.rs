//! Command-line values with their help texts.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use jiff::civil::Date;

use faber_core::assemble::parts::BundlePart;
use faber_core::config::Abstraction;
use faber_core::config::Purpose;
use faber_core::config::{Amount, Freshness, SearchMode, TOO_LARGE};
use faber_core::workspace::is_folder_name;
use faber_server::hook::client::{Client, HookScope};
use faber_tools::hook::event::EventKind;
use faber_tools::memory::remember::NoteScope;
use faber_tools::query::expand::Include;
use faber_tools::search::scope::Scope;
use faber_tools::tune::proposal::ProposalKind;

/// Word, help text and value.
pub(super) type NamedValue<T> = (&'static str, &'static str, T);

pub(super) const SCOPES: &[NamedValue<Scope>] = &[
    ("organization", "The organization's overlay", Scope::Organization),
    ("team", "The team's overlay", Scope::Team),
    ("space", "The project's library, all roles, workflow and platform overlays", Scope::Space),
    ("area", "The role with its overlay", Scope::Area),
    ("historical", "Past conversations and insights", Scope::Historical),
    ("all", "Everywhere", Scope::All),
];

pub(super) const NOTE_SCOPES: &[NamedValue<NoteScope>] = &[
    ("area", "For one role", NoteScope::Area),
    ("space", "In the whole workspace", NoteScope::Space),
    ("team", "For the configured team", NoteScope::Team),
];

pub(super) const HOOK_SCOPES: &[NamedValue<HookScope>] = &[
    ("project", "Everyone who works in the project", HookScope::Project),
    ("user", "You, in all projects", HookScope::User),
    ("local", "You, in this project", HookScope::Local),
];

pub(super) const HOOK_EVENTS: &[NamedValue<EventKind>] = &[
    ("session-start", "A session starts, or continues after a compaction", EventKind::SessionStart),
    ("prompt", "A prompt", EventKind::Prompt),
    ("tool", "A tool touches a file", EventKind::Tool),
    ("tool-failure", "A tool has failed", EventKind::ToolFailure),
    ("instructions", "The client has loaded a file of instructions", EventKind::Instructions),
    ("compaction", "The conversation is about to be compacted", EventKind::Compaction),
    ("session-end", "A session ends", EventKind::SessionEnd),
];

pub(super) const HOOK_CLIENTS: &[NamedValue<Client>] = &[
    ("claude", "Claude Code", Client::Claude),
    ("claude-code", "The same as `claude`", Client::Claude),
    ("codex", "OpenAI Codex CLI", Client::Codex),
    ("cursor", "Cursor", Client::Cursor),
    ("copilot", "GitHub Copilot CLI, and the agent of Visual Studio Code", Client::Copilot),
    ("vscode", "The same as `copilot`", Client::Copilot),
    ("gemini", "Gemini CLI", Client::Gemini),
    ("opencode", "opencode", Client::Opencode),
];

pub(super) const FRESHNESS: &[NamedValue<Freshness>] = &[
    ("auto", "By size and modification time", Freshness::Auto),
    ("trust", "Not at all", Freshness::Trust),
    ("verify", "By reading all files", Freshness::Verify),
];

pub(super) const MODES: &[NamedValue<SearchMode>] = &[
    ("hybrid", "Words and meaning", SearchMode::Hybrid),
    ("keyword", "Words", SearchMode::Keyword),
    ("semantic", "Meaning", SearchMode::Semantic),
];

pub(super) const INCLUDES: &[NamedValue<Include>] = &[
    ("detail", "Its text", Include::Detail),
    ("derivation", "Its sources, by id", Include::Derivation),
    ("evidence", "The texts of its sources", Include::Evidence),
    ("contradictions", "What contradicts it", Include::Contradictions),
    ("related", "Related contexts", Include::Related),
];

pub(crate) fn word_of(include: Include) -> &'static str {
    INCLUDES.iter().find(|(.., known)| *known == include).map_or("text", |(word, ..)| word)
}

pub(super) const PURPOSES: &[NamedValue<Purpose>] = &[
    ("answer", "Answer a question", Purpose::Answer),
    ("verify", "Check whether something is true", Purpose::Verify),
    ("explore", "Get an overview", Purpose::Explore),
    ("decide", "Choose between options", Purpose::Decide),
    ("create", "Create something new", Purpose::Create),
];

pub(super) const ABSTRACTIONS: &[NamedValue<Abstraction>] = &[
    ("detailed", "Everything in full", Abstraction::Detailed),
    ("summary", "Summaries", Abstraction::Summary),
    ("essence", "One sentence per passage", Abstraction::Essence),
    (
        "adaptive",
        "As detailed as the budget allows, the most useful passages first",
        Abstraction::Adaptive,
    ),
];

pub(super) const PROPOSALS: &[NamedValue<ProposalKind>] = &[
    (
        "keyword",
        "Keywords for contexts that requests describe in other words",
        ProposalKind::Keyword,
    ),
    ("always", "Contexts that most requests need", ProposalKind::Always),
    ("on-demand", "Contexts that always load and are not needed", ProposalKind::OnDemand),
    ("related", "Contexts that are needed after another one", ProposalKind::Related),
    ("summary", "Contexts whose shorter form is not enough", ProposalKind::Summary),
    ("unused", "Contexts that no request or search returns", ProposalKind::Unused),
    ("missing", "Questions without an answer", ProposalKind::Missing),
    ("budget", "Parts of the budget that are too small", ProposalKind::Budget),
];

pub(super) const PARTS: &[NamedValue<BundlePart>] = &[
    ("role", "The role's prompt, and the task or flow", BundlePart::Role),
    ("contexts", "The selected contexts", BundlePart::Contexts),
    ("catalog", "The list of contexts that are not loaded", BundlePart::Catalog),
    ("history", "The conversation so far", BundlePart::History),
    ("input", "Material to work on", BundlePart::Input),
    ("error", "The error text", BundlePart::Error),
    ("request", "The request", BundlePart::Request),
];

pub(super) fn date(text: &str) -> Result<Date, &'static str> {
    text.parse().map_err(|_| "not a date; write YYYY-MM-DD")
}

/// The name of a folder of overlays; may be empty.
pub(super) fn folder_name(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Ok(String::new()),
        name if is_folder_name(name) => Ok(name.to_owned()),
        _ => Err("it names a folder of overlays, without `/`"),
    }
}

/// As `--budget` takes them, without a share of the window.
pub(super) fn tokens<T: TryFrom<u64>>(text: &str) -> Result<T, &'static str> {
    match text.parse() {
        Ok(Amount::Tokens(tokens)) => tokens.try_into().map_err(|_| TOO_LARGE),
        Err(TOO_LARGE) => Err(TOO_LARGE),
        _ => Err("write a number of tokens, such as `800` or `2k`"),
    }
}

pub(super) fn count<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "write a whole number")
}

pub(super) fn limit(text: &str) -> Result<u8, &'static str> {
    let number = text.parse().ok().filter(|number| (1..=50).contains(number));
    number.ok_or("write a number from 1 to 50")
}

pub(super) fn parser<T>(words: &'static [NamedValue<T>]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let possible = words.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(possible).map(|typed| {
        let word = words.iter().find(|(word, ..)| *word == typed);
        word.expect("clap refuses every other word").2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_the_library_can_be_typed() {
        let words = |all: &[&'static str]| all.to_vec();
        let of = |table: Vec<&'static str>| table;
        assert_eq!(
            of(PURPOSES.iter().map(|row| row.0).collect()),
            words(&Purpose::ALL.map(|it| it.0))
        );
        assert_eq!(
            of(ABSTRACTIONS.iter().map(|row| row.0).collect()),
            words(&Abstraction::ALL.map(|it| it.0))
        );
        let proposals: Vec<_> = PROPOSALS.iter().map(|(word, _, kind)| (*word, *kind)).collect();
        assert_eq!(proposals, ProposalKind::ALL);
        assert!(SCOPES.iter().all(|(word, _, scope)| scope.name() == *word));
        assert_eq!(PARTS.iter().map(|row| row.2).collect::<Vec<_>>(), BundlePart::ALL);
    }
}
