//! Usage errors in the form of all other errors.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};

use crate::cli::args::Cli;
use faber_core::error::{Error, available, did_you_mean};
use faber_core::escape::Visible;
use faber_core::suggest;

/// Commands of other tools.
const ELSEWHERE: [(&str, &str); 19] = [
    ("add", "pack add"),
    ("ask", "query"),
    ("build", "assemble"),
    ("cat", "show"),
    ("check", "validate"),
    ("compile", "assemble"),
    ("count", "tokens"),
    ("create", "new"),
    ("find", "search"),
    ("fix", "validate --fix"),
    ("fmt", "validate --fix"),
    ("format", "validate --fix"),
    ("grep", "search"),
    ("install", "pack add"),
    ("lint", "validate"),
    ("ls", "list"),
    ("run", "assemble"),
    ("update", "pack update"),
    ("version", "--version"),
];

/// Options of most commands, which `validate` does not need.
const OF_LAYERS: [&str; 5] = ["role", "platform", "team", "workflow", "environment"];

/// `words` is the command line after the name of the program.
pub fn usage_error(error: &clap::Error, words: &[String]) -> Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let texts = |kind| match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    };
    let argument = text(ContextKind::InvalidArg);
    let option = without_value(argument);
    let value = text(ContextKind::InvalidValue);
    let valid = texts(ContextKind::ValidValue);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            unknown_command(text(ContextKind::InvalidSubcommand), words)
        }
        ErrorKind::UnknownArgument => unknown_argument(argument, words),
        ErrorKind::InvalidValue if value.is_empty() => {
            let help = match &*valid {
                [] => format!("write `{argument}`"),
                valid => available(valid),
            };
            Error::usage(format!("a value is required for `{option}`"), help)
        }
        ErrorKind::InvalidValue => {
            let help = match error.get(ContextKind::Suggested) {
                Some(ContextValue::StyledStrs(tips)) if !tips.is_empty() => tips[0].to_string(),
                _ => did_you_mean(value, valid.iter().map(String::as_str), || available(&valid)),
            };
            Error::usage(format!("unknown value `{}` for `{option}`", Visible(value)), help)
        }
        ErrorKind::ValueValidation => {
            let reason = error.source().map(ToString::to_string).unwrap_or_default();
            let (reason, help) = match reason.split_once("; ") {
                Some(parts) => parts,
                None if reason.starts_with("write ") => ("", &*reason),
                None => (&*reason, ""),
            };
            let colon = if reason.is_empty() { "" } else { ": " };
            Error::Usage {
                message: format!(
                    "invalid value `{}` for `{option}`{colon}{reason}",
                    Visible(value)
                ),
                help: (!help.is_empty()).then(|| help.to_owned()),
            }
        }
        ErrorKind::TooManyValues => Error::usage(
            format!("`{option}` takes no value"),
            format!("remove `={}`", Visible(value)),
        ),
        ErrorKind::ArgumentConflict => {
            let others = texts(ContextKind::PriorArg);
            let message = match &*others {
                [other] if other == argument => format!("`{option}` is given more than once"),
                others => {
                    let others: Vec<_> = others.iter().map(|other| without_value(other)).collect();
                    format!("`{option}` cannot be used with {}", quoted(&others))
                }
            };
            Error::usage(message, "remove one of them")
        }
        ErrorKind::MissingRequiredArgument => {
            let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
            let usage = usage.trim_start_matches("Usage:").trim();
            let missing = quoted(&texts(ContextKind::InvalidArg));
            Error::usage(format!("missing {missing}"), format!("write `{usage}`"))
        }
        ErrorKind::MissingSubcommand => {
            let known = texts(ContextKind::ValidSubcommand);
            Error::usage("a command is missing", available(&known))
        }
        kind => Error::usage(kind.as_str().unwrap_or("invalid arguments"), see(&called(words, ""))),
    }
}

fn unknown_command(name: &str, words: &[String]) -> Error {
    let command = called(words, name);
    let is_first = command.get_name() == "faber";
    if is_first && let Some((_, ours)) = ELSEWHERE.iter().find(|(theirs, _)| *theirs == name) {
        let help = format!("write `faber {ours}`");
        return Error::Unknown { what: "command", name: name.to_owned(), help };
    }
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let known: Vec<&str> = shown.map(Command::get_name).collect();
    let otherwise = || if is_first { see(&command) } else { available(&known) };
    Error::unknown_unless_close("command", name, known.iter().copied(), otherwise)
}

fn unknown_argument(argument: &str, words: &[String]) -> Error {
    let command = called(words, argument);
    let shown = Visible(argument);
    let Some(option) = argument.strip_prefix("--") else {
        let what = if argument.starts_with('-') { "unknown option" } else { "unexpected argument" };
        let help = request(words).unwrap_or_else(|| see(&command));
        return Error::usage(format!("{what} `{shown}`"), help);
    };
    let name = command.get_name();
    let later = words.iter().filter_map(|word| command.find_subcommand(word));
    let help = if option == "json" && prints_json(&command) {
        "write `--format json`".to_owned()
    } else if name == "validate" && OF_LAYERS.contains(&option) {
        "`validate` checks all roles and layers".to_owned()
    } else if let Some(close) = suggest::candidates(option, options(&command)).first() {
        format!("did you mean `--{close}`?")
    } else if let Some(later) = later.rev().find(|it| options(it).any(|it| it == option)) {
        format!("write it after `{}`", later.get_name())
    } else {
        see(&command)
    };
    Error::usage(format!("unknown option `{shown}`"), help)
}

fn options(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(Arg::get_long)
}

fn prints_json(command: &Command) -> bool {
    let format = command.get_arguments().find(|arg| arg.get_long() == Some("format"));
    format.is_some_and(|arg| arg.get_possible_values().iter().any(|it| it.get_name() == "json"))
}

/// Words without quotation marks.
fn request(words: &[String]) -> Option<String> {
    let (command, request) = words.split_first()?;
    let is_request = matches!(&**command, "assemble" | "explain")
        && request.iter().all(|word| !word.starts_with('-'));
    let request = request.join(" ");
    is_request.then(|| format!("to make a request, write `--request \"{}\"`", Visible(&request)))
}

fn see(command: &Command) -> String {
    format!("see `{} --help`", command.get_bin_name().unwrap_or("faber"))
}

/// The command before `mistake`.
fn called(words: &[String], mistake: &str) -> Command {
    let mut cli = Cli::command();
    cli.build();
    let is_mistake =
        |word: &str| word == mistake || (mistake.starts_with('-') && word.starts_with(mistake));
    let words = words.iter().take_while(|word| !is_mistake(word));
    let command =
        words.fold(&cli, |command, word| command.find_subcommand(word).unwrap_or(command));
    command.clone()
}

fn without_value(argument: &str) -> &str {
    match argument.find([' ', '[', '=']) {
        Some(at) if argument.starts_with('-') => &argument[..at],
        _ => argument,
    }
}

fn quoted(names: &[impl AsRef<str>]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    names.join(", ")
}
