//! Programs that come with contexts: what they download and run, send away, or leave behind.
//!
//! Only what a program does counts: comments, messages, patterns and documentation are blanked
//! first, so that places stay the same.

use std::ops::Range;

use camino::Utf8Path;

use super::{flow, remote, send};
use crate::diagnostic::Diagnostic;
use crate::rules::{broad_permission, remote_execution};
use crate::source::{FileId, Span};
use crate::word_list::words;

mod blank;
mod persist;

pub(crate) use blank::Blanked;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Shell,
    PowerShell,
    Python,
    /// JavaScript, PHP and the like.
    Braces,
    Ruby,
}

impl Language {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "sh" | "bash" | "zsh" | "fish" | "ksh" | "dash" | "ash" | "command" | "bats" => {
                Self::Shell
            }
            "ps1" | "psm1" | "bat" | "cmd" | "pwsh" | "powershell" => Self::PowerShell,
            "py" | "pyw" | "python" | "python2" | "python3" | "uv" => Self::Python,
            "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" | "php" | "node"
            | "deno" | "bun" => Self::Braces,
            "rb" | "ruby" | "pl" | "perl" => Self::Ruby,
            _ => return None,
        })
    }

    fn of(path: &Utf8Path, text: &str) -> Option<Self> {
        let of_name = path.extension().and_then(|end| Self::from_name(&end.to_ascii_lowercase()));
        of_name.or_else(|| {
            let first = text.strip_prefix("#!")?.lines().next()?;
            let mut words = first.split([' ', '/']).filter(|word| !word.is_empty());
            words.find_map(Self::from_name)
        })
    }

    pub(super) fn is_shell(self) -> bool {
        matches!(self, Self::Shell | Self::PowerShell)
    }
}

const OF_TESTS: &[&str] = words!(
    "test, tests, __tests__, testdata, test-data, test_data, fixtures, __fixtures__, mocks",
    "__mocks__, node_modules, vendor, evals",
);

/// Its programs and settings are data, or run on servers only.
pub fn is_of_tests(path: &Utf8Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Utf8Path::components);
    let mut parts = path.file_name().unwrap_or_default().split('.');
    let stem = parts.next().unwrap_or_default();
    let end = path.extension().unwrap_or_default();
    let is_named = parts.any(|part| matches!(part, "test" | "spec"))
        || stem.starts_with("test_")
        || stem.ends_with("_test");
    let is_shell = Language::from_name(end).is_some_and(Language::is_shell);
    folders.into_iter().any(|part| OF_TESTS.contains(&part.as_str())) || is_named && !is_shell
}

pub(super) fn scan(file: FileId, path: &Utf8Path, text: &str, found: &mut Vec<Diagnostic>) {
    let Some(language) = Language::of(path, text) else { return };
    let mut all: Vec<(Range<usize>, &'static str)> = Vec::new();
    let blanked = Blanked::new(text, language);
    commands(&blanked, language, &mut |range, what| all.push((range, what)));
    flow::in_program(&blanked.text, language, |range, what| all.push((range, what)));
    all.extend(reverse_shell(&blanked.text));
    let mut grants = Vec::new();
    persist::find(text, &blanked, &mut all, &mut grants);
    all.sort_by_key(|(range, _)| range.start);
    let mut end = 0;
    for (range, what) in all {
        if range.start < end {
            continue;
        }
        end = range.end;
        let help = "read what it runs and where it sends data before you use it";
        let span = Span::new(file, range.start, range.end);
        found.push(remote_execution::RULE.at(span, what).help(help));
    }
    found.extend(grants.into_iter().map(|range| {
        let message = "this writes a setting that lets an agent act without asking";
        let span = Span::new(file, range.start, range.end);
        broad_permission::RULE.at(span, message).help("delete it; the user decides this")
    }));
}

/// What a command of a hook, a server or a package does.
pub fn command(command: &str) -> Option<&'static str> {
    remote::classify(command)
}

/// What a program calls to run a shell.
const SHELL_CALLS: &[&str] = words!(
    "os.system(, os.popen(, subprocess., check_call(, check_output(, execsync(, spawnsync(",
    "child_process, exec(, spawn(, shell_exec(, passthru(, system(, popen(, execa(, %x(, $`",
);

const MAX_LINE_BYTES: usize = 2048;

fn commands(
    blanked: &Blanked<'_>,
    language: Language,
    report: &mut impl FnMut(Range<usize>, &'static str),
) {
    let mut since = usize::MAX;
    for (start, line) in blanked.statements() {
        if line.len() > MAX_LINE_BYTES {
            continue;
        }
        if !language.is_shell() {
            let lower = line.to_ascii_lowercase();
            let calls = SHELL_CALLS.iter().any(|call| lower.contains(call));
            since = if calls { 0 } else { since.saturating_add(1) };
            if since > 2 && !["exec(", "eval("].iter().any(|call| lower.contains(call)) {
                continue;
            }
        }
        if let Some(what) = remote::classify(line) {
            let from = start + line.len() - line.trim_start().len();
            report(from..start + line.trim_end().len(), what);
        }
    }
}

/// A place, and what must also be in the same program.
const REVERSE_SHELLS: &[&[&str]] = &[
    &["os.dup2(", ".connect(", "fileno()", "/bin/"],
    &["pty.spawn(", ".connect(", "dup2("],
    &["sockets.tcpclient(", "getstream()", "iex"],
    &["sockets.tcpclient(", "getstream()", "invoke-expression"],
    &["spawn('/bin/sh'", "net.", ".pipe(", "connect("],
    &["spawn(\"/bin/sh\"", "net.", ".pipe(", "connect("],
    &["spawn(\"/bin/bash\"", "net.", ".pipe(", "connect("],
    &["tcpsocket.new(", "/bin/sh", "exec"],
    &["tcpsocket.open(", "/bin/sh", "exec"],
    &["fsockopen(", "proc_open(", "/bin/sh"],
];

fn reverse_shell(text: &str) -> Option<(Range<usize>, &'static str)> {
    let lower = text.to_ascii_lowercase();
    let all = |marks: &&&[&str]| marks.iter().all(|mark| lower.contains(mark));
    let marks = REVERSE_SHELLS.iter().find(all)?;
    let start = lower.find(marks[0])?;
    Some((start..start + marks[0].len(), "a shell is connected to an address"))
}

#[cfg(test)]
mod tests;
