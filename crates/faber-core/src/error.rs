//! Failures of faber.

use camino::{Utf8Path, Utf8PathBuf};
use miette::Diagnostic;
use thiserror::Error;

use crate::diagnostic::Diagnostic as Finding;
use crate::escape::{Visible, lines};
use crate::numbers::grouped;
use crate::suggest;

const SHOWN: usize = 8;

/// Exit status 2, or 3 for [`Error::Budget`].
#[derive(Debug, Error, Diagnostic)]
pub enum Error {
    #[error("no faber workspace in `{}` or its parents", Visible(start.as_str()))]
    #[diagnostic(
        code(faber::workspace::missing),
        help("run `faber init` to create one, or name one with `-C DIR`")
    )]
    NoWorkspace { start: Utf8PathBuf },

    #[error("the path `{path}` is not UTF-8")]
    #[diagnostic(code(faber::path::not_utf8), help("faber supports only paths in UTF-8"))]
    NotUtf8 { path: String },

    #[error("cannot {action} {}: {}", quoted(path), reason(source))]
    #[diagnostic(code(faber::io), help("{}", io_help(action, source)))]
    Io { action: &'static str, path: Utf8PathBuf, source: std::io::Error },

    #[error("unknown {what} `{}`", Visible(name))]
    #[diagnostic(code(faber::unknown))]
    Unknown {
        what: &'static str,
        name: String,
        #[help]
        help: String,
    },

    #[error("{}", lines(message))]
    #[diagnostic(code(faber::usage))]
    Usage {
        message: String,
        #[help]
        help: Option<String>,
    },

    #[error("{} {} in the workspace must be fixed first", found.len(), if found.len() == 1 { "error" } else { "errors" })]
    #[diagnostic(code(faber::findings))]
    Findings {
        found: Vec<Finding>,
        places: String,
        #[help]
        help: Option<String>,
    },

    #[error(
        "the budget of {} {} is too small: {} required",
        grouped(*limit),
        if *limit == 1 { "token" } else { "tokens" },
        grouped(*needed)
    )]
    #[diagnostic(code(faber::budget))]
    Budget {
        limit: usize,
        needed: usize,
        #[help]
        help: String,
    },

    #[error("`{}` failed: {}", Visible(command), lines(message))]
    #[diagnostic(code(faber::command))]
    Command {
        command: String,
        message: String,
        #[help]
        help: Option<String>,
    },
}

impl Error {
    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: Some(help.into()) }
    }

    pub fn cause(&self) -> String {
        match self {
            Self::Io { source, .. } => reason(source),
            other => other.to_string(),
        }
    }

    pub fn unknown<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut known: Vec<&str> = known.into_iter().collect();
        if matches!(what, "context" | "id") {
            known.sort_unstable();
        }
        let is_same = |id: &&str| id.rsplit_once('/').is_some_and(|(_, last)| last == name);
        let same: Vec<&str> = known.iter().copied().filter(is_same).collect();
        if same.len() > 1 {
            let message = format!("the name `{}` is ambiguous", Visible(name));
            return Self::usage(message, format!("write {}", any_of(&same)));
        }
        let list = match what {
            "context" => "; `faber list` lists all",
            "role" => "; `faber list roles` lists all",
            "model" => "; `faber list models` lists all",
            _ => "",
        };
        let list = if known.len() > SHOWN { list } else { "" };
        let otherwise = || format!("{}{list}", available(&known));
        Self::unknown_unless_close(what, name, known.iter().copied(), otherwise)
    }

    pub fn unknown_unless_close<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
        otherwise: impl FnOnce() -> String,
    ) -> Self {
        Self::Unknown { what, name: name.to_owned(), help: did_you_mean(name, known, otherwise) }
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Budget { .. } => 3,
            _ => 2,
        }
    }
}

pub fn json_problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split(" at line ").next().unwrap_or(&text) {
        _ if error.is_eof() => "the JSON ends early".to_owned(),
        "expected value" | "expected ident" => "invalid JSON".to_owned(),
        what => format!("invalid JSON: {what}"),
    }
}

fn quoted(path: &Utf8Path) -> String {
    match path.as_str() {
        stream @ ("standard input" | "standard output") => stream.to_owned(),
        path => format!("`{}`", Visible(path)),
    }
}

pub fn did_you_mean<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    match &*suggest::candidates(name, known) {
        [] => otherwise(),
        close => format!("did you mean {}?", any_of(close)),
    }
}

fn any_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

pub fn available<S: AsRef<str>>(known: &[S]) -> String {
    if known.is_empty() {
        return "none available".to_owned();
    }
    let quoted: Vec<String> =
        known.iter().take(SHOWN).map(|name| format!("`{}`", name.as_ref())).collect();
    let more = match known.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("available: {}{more}", quoted.join(", "))
}

fn io_help(action: &str, error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound if matches!(action, "write" | "create") => "create its directory first",
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => {
            "check the path"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "check the permissions",
        ErrorKind::AlreadyExists => "choose another name",
        ErrorKind::AddrInUse => "choose another port, or 0 for a free one",
        ErrorKind::AddrNotAvailable => "choose an address of this computer",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space",
        _ => "check the path, its permissions and the free space",
    }
}

pub const NOT_FOUND: &str = "no such file or directory";

pub fn reason(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::NotFound {
        return NOT_FOUND.to_owned();
    }
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}
