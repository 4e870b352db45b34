//! Shell lines that run what they fetch or decode.

use super::window;

/// Names of programs that fetch or decode, in lower case.
pub(super) const SOURCES: &[&str] = &[
    "curl",
    "wget",
    "iwr ",
    "irm ",
    "invoke-web",
    "invoke-rest",
    "downloadstring",
    "base64",
    "urlopen(",
    "requests.get(",
    "b64decode(",
    "atob(",
    "xxd ",
    "mshta",
    "regsvr32",
    "powershell",
    "pwsh",
    "lwp-",
    "aria2c",
    "invoke-expression",
];

/// How long a line may be, continuations included, in bytes.
const LONGEST: usize = 2048;

/// The range of the shell line that holds `at`: lines that end in a backslash go on.
pub(super) fn line(text: &str, at: usize) -> (usize, usize) {
    let start = at - window::line_before(text, at, LONGEST).len();
    let rest = window::after(text, at, LONGEST);
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with(['\\', '|', '`']) || line.trim_end().ends_with("```") {
            break;
        }
    }
    (start, at + end)
}

/// What is wrong with a shell line, if it runs what it fetches.
pub(super) fn judge(line: &str) -> Option<&'static str> {
    let line = line.to_ascii_lowercase().replace("\\\r\n", " ").replace("\\\n", " ");
    if piped(&line) || substituted(&line) {
        return Some("the output of a program that fetches is run unseen");
    }
    if decoded(&line) {
        return Some("encoded text is decoded and run");
    }
    if powershell(&line) {
        return Some("PowerShell runs what it fetches or decodes");
    }
    evaluated(&line).then_some("a program evaluates what it fetches or decodes")
}

/// Programs that run what they read.
const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "iex", "pwsh", "powershell"];
const INTERPRETERS: &[&str] =
    &["python", "python3", "python2", "perl", "ruby", "node", "php", "deno", "osascript"];

/// The words of a command, without what a shell or Markdown sets around them.
fn words(command: &str) -> impl Iterator<Item = &str> {
    let edge = |char: char| "`\"'()*$ ".contains(char);
    command
        .split_whitespace()
        .map(move |word| word.trim_matches(edge))
        .filter(|word| !word.is_empty())
}

/// The name of a program without its folder.
fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Programs that fetch.
const FETCHERS: &[&str] = &[
    "curl",
    "wget",
    "iwr",
    "irm",
    "invoke-webrequest",
    "invoke-restmethod",
    "lwp-request",
    "lwp-download",
    "aria2c",
    "fetch",
    "curl.exe",
];

/// Whether a command fetches something: a name alone is talk about the program.
fn fetches(command: &str) -> bool {
    let mut rest = words(command).skip_while(|word| !FETCHERS.contains(&program(word)));
    rest.next().is_some() && rest.next().is_some()
}

/// Whether a command decodes something.
fn decodes(command: &str) -> bool {
    let flag = |flags: &[&str]| words(command).any(|word| flags.contains(&word));
    (command.contains("base64") && flag(&["-d", "--decode", "-di", "-id", "-d;"]))
        || (command.contains("xxd") && flag(&["-r", "-rp"]))
}

/// Whether a command runs what it reads from its input.
fn runs(command: &str) -> bool {
    let skipped = |word: &&str| {
        matches!(*word, "sudo" | "env" | "exec" | "command" | "nohup" | "time" | "doas")
            || word.contains('=')
            || word.starts_with('-')
    };
    let mut rest = words(command).skip_while(skipped);
    let Some(first) = rest.next() else { return false };
    let name = program(first).trim_end_matches([';', '.', ',', ':', '&']);
    let next = rest.next().unwrap_or("-");
    if SHELLS.contains(&name) {
        return next != "-c";
    }
    // An interpreter with a program of its own only reads data.
    INTERPRETERS.contains(&name)
        && (next == "-" || first.ends_with([';', '.', ',']) || "&|#;".contains(next))
}

/// The commands of a pipeline. In a row of a table, only an escaped bar is a pipe.
fn pipes(line: &str) -> Vec<&str> {
    if line.trim_start().starts_with('|') {
        return line
            .split('|')
            .map(|part| part.trim_end_matches('\\'))
            .zip(line.split('|').skip(1))
            .map(|(part, _)| part)
            .collect();
    }
    line.split('|').collect()
}

/// `curl … | sh`.
fn piped(line: &str) -> bool {
    pipeline(line, fetches)
}

/// Whether a command that `source` accepts is piped into one that runs it.
fn pipeline(line: &str, source: fn(&str) -> bool) -> bool {
    let table = line.trim_start().starts_with('|');
    let mut carried = false;
    let mut escaped = !table;
    for part in pipes(line) {
        if carried && escaped && runs(part) {
            return true;
        }
        escaped = !table || part.ends_with('\\') || line.contains("\\|");
        let last = part.rsplit([';', '&']).next().unwrap_or(part);
        carried = source(last) || (carried && last.len() == part.len() && !part.is_empty());
    }
    false
}

/// `bash <(curl …)`, `sh -c "$(curl …)"`, `eval "$(curl …)"`.
fn substituted(line: &str) -> bool {
    openings(line).any(|(lead, inner, kind)| {
        let fetched = fetches(inner)
            && words(inner).next().is_some_and(|word| {
                matches!(
                    program(word),
                    "curl" | "wget" | "fetch" | "iwr" | "irm" | "lwp-request" | "sudo"
                )
            });
        fetched && takes(lead, kind)
    })
}

/// `eval "$(… | base64 -d)"`, `… | base64 -d | sh`.
fn decoded(line: &str) -> bool {
    pipeline(line, decodes)
        || openings(line).any(|(lead, inner, kind)| decodes(inner) && takes(lead, kind))
}

/// What stands before and inside of each substitution of a shell line, and how it begins.
fn openings(line: &str) -> impl Iterator<Item = (&str, &str, &'static str)> {
    ["<(", "$(", "`"].into_iter().flat_map(move |kind| {
        line.match_indices(kind).take(16).map(move |(at, _)| {
            let inner = &line[at + kind.len()..];
            let close = if kind == "`" { '`' } else { ')' };
            (&line[..at], inner.split(close).next().unwrap_or(inner), kind)
        })
    })
}

/// Whether what stands before a substitution runs it.
fn takes(lead: &str, kind: &str) -> bool {
    let lead = lead.trim_end().trim_end_matches(['"', '\'', '<']).trim_end();
    let last = lead.rsplit([' ', '\t', '`', '(', '"', '\'', ';', '|', '&']).next().unwrap_or(lead);
    match kind {
        "<(" => {
            SHELLS.contains(&program(last))
                || INTERPRETERS.contains(&program(last))
                || matches!(last, "source" | "." | "-s" | "-x")
        }
        _ => matches!(last, "-c" | "-lc" | "-ec" | "-e" | "eval" | "exec" | "iex" | "source"),
    }
}

/// `iwr … | iex`, `iex (New-Object Net.WebClient).DownloadString(…)`, `powershell -enc …`.
fn powershell(line: &str) -> bool {
    let words: Vec<&str> =
        line.split(|char: char| !(char.is_alphanumeric() || "-_.".contains(char))).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let runs = has(&["iex", "invoke-expression"]);
    let fetches = line.contains("downloadstring")
        || line.contains("://")
            && has(&["iwr", "irm", "curl", "wget", "invoke-webrequest", "invoke-restmethod"]);
    let shell = has(&["powershell", "powershell.exe", "pwsh"]);
    let encoded = has(&["-enc", "-encodedcommand", "-ec", "-e"])
        && words.iter().any(|word| word.len() >= 24 && word.chars().all(char::is_alphanumeric));
    (runs && fetches)
        || (shell && encoded)
        || (line.contains("mshta") && line.contains("mshta http"))
        || (line.contains("regsvr32") && line.contains("/i:http"))
}

/// `exec(urllib.request.urlopen(…).read())`, `eval(atob(…))`.
fn evaluated(line: &str) -> bool {
    let fetch = ["urlopen(", "requests.get(", "b64decode(", "atob("];
    let first = fetch.iter().filter_map(|name| line.find(name)).min();
    first.is_some_and(|at| ["exec(", "eval("].iter().any(|run| line[..at].contains(run)))
}
