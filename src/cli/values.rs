//! Values with their help texts.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use jiff::civil::Date;

use faber_core::config::{Amount, TOO_LARGE};
use faber_core::parse::fields::missing_day;
use faber_core::tokens::Encoding;
use faber_core::workspace::is_folder_name;
use faber_server::hook::client::Client;

pub(super) type NamedValue<T> = (&'static str, &'static str, T);

pub(super) const HOOK_CLIENTS: [NamedValue<Client>; 8] = [
    ("claude", "Claude Code", Client::Claude),
    ("claude-code", "The same as `claude`", Client::Claude),
    ("codex", "OpenAI Codex CLI", Client::Codex),
    ("cursor", "Cursor", Client::Cursor),
    ("copilot", "GitHub Copilot CLI, and the agent of Visual Studio Code", Client::Copilot),
    ("vscode", "The same as `copilot`", Client::Copilot),
    ("gemini", "Gemini CLI", Client::Gemini),
    ("opencode", "opencode", Client::Opencode),
];

pub(super) fn date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| missing_day(text).unwrap_or_else(|| "write YYYY-MM-DD".to_owned()))
}

pub(super) fn folder_name(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Ok(String::new()),
        name if is_folder_name(name) => Ok(name.to_owned()),
        _ => Err("it names a directory of overlays, without `/`"),
    }
}

pub(super) fn tokens<T: TryFrom<u64>>(text: &str) -> Result<T, &'static str> {
    match text.parse() {
        Ok(Amount::Tokens(tokens)) => tokens.try_into().map_err(|_| TOO_LARGE),
        Err(TOO_LARGE) => Err(TOO_LARGE),
        _ => Err("write a number of tokens, such as `800` or `2k`"),
    }
}

pub(super) fn target_tokens(text: &str) -> Result<usize, &'static str> {
    match tokens(text)? {
        0 => Err("write at least 1; without it, the maximum counts"),
        tokens => Ok(tokens),
    }
}

pub(super) fn count<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "write a whole number")
}

pub(super) fn limit(text: &str) -> Result<u8, &'static str> {
    let number = text.parse().ok().filter(|number| (1..=50).contains(number));
    number.ok_or("write a number from 1 to 50")
}

pub(super) fn milliseconds(text: &str) -> Result<u64, &'static str> {
    let number = text.parse().ok().filter(|number| *number <= 10_000);
    number.ok_or("write a number of milliseconds, at most 10000")
}

pub(super) fn parser<T>(
    words: impl IntoIterator<Item = NamedValue<T>>,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let words: Vec<_> = words.into_iter().collect();
    let possible = words.iter().map(|(word, help, _)| {
        PossibleValue::new(*word).help(help.trim_start().trim_end_matches('.'))
    });
    PossibleValuesParser::new(possible.collect::<Vec<_>>()).map(move |typed| {
        let word = words.iter().find(|(word, ..)| *word == typed);
        word.expect("clap refuses every other word").2
    })
}

pub(super) fn encoding() -> impl TypedValueParser<Value = String> {
    suggested(StringValueParser::new(), Encoding::NAMES.map(|(name, _)| name))
}

/// `parser` decides; help and completion offer `words`.
pub(super) fn suggested<P: TypedValueParser>(
    parser: P,
    words: impl IntoIterator<Item = &'static str>,
) -> HelpfulParser<P> {
    HelpfulParser { parser, words: words.into_iter().collect(), tip: |_, _| None }
}

/// `tip` makes a tip from the typed text, for an error of `parser`.
pub(super) fn with_tip<P: TypedValueParser>(parser: P, tip: Tip) -> HelpfulParser<P> {
    HelpfulParser { parser, words: Vec::new(), tip }
}

type Tip = fn(&str, &mut clap::Error) -> Option<String>;

#[derive(Clone)]
pub(super) struct HelpfulParser<P> {
    parser: P,
    words: Vec<&'static str>,
    tip: Tip,
}

impl<P: TypedValueParser> TypedValueParser for HelpfulParser<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        typed: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, argument, typed).map_err(|mut error| {
            if let Some(tip) = (self.tip)(&typed.to_string_lossy(), &mut error) {
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        if self.words.is_empty() {
            return self.parser.possible_values();
        }
        Some(Box::new(self.words.iter().map(|word| PossibleValue::new(*word))))
    }
}
