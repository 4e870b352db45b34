//! Shell lines that run downloaded or decoded code.

use std::ops::Range;

use super::table::Table;
use super::{negation, send, window};
use crate::word_list::words;

pub(super) const SOURCES: &[&str] = words!(
    "curl, wget, iwr , irm , invoke-web, invoke-rest, downloadstring, base64, urlopen(",
    "requests.get(, b64decode(, atob(, xxd , mshta, regsvr32, powershell, pwsh, lwp-, aria2c",
    "invoke-expression, npx , bunx , uvx ,  dlx , pipx run, npm exec, nc -e, nc -c, | nc , ncat ",
    "/dev/tcp/, certutil, nslookup, dig $, bitsadmin, authorized_keys",
);

const MAX_LINE_BYTES: usize = 2048;

pub(super) fn line(text: &str, at: usize) -> Range<usize> {
    let start = at - window::line_before(text, at, MAX_LINE_BYTES).len();
    let rest = window::after(text, at, MAX_LINE_BYTES);
    let mut end = 0;
    // Rows of tables end with a bar.
    let row = text[start..].starts_with('|');
    for line in rest.split_inclusive('\n') {
        end += line.len();
        let line = line.trim_end();
        // The end of code, not a continuation in PowerShell.
        let closes_code = line.ends_with('`') && line.matches('`').count() % 2 == 0;
        if row || !line.ends_with(['\\', '|', '`']) || line.ends_with("```") || closes_code {
            break;
        }
    }
    start..at + end
}

type IsDanger = fn(&str) -> bool;

pub(super) fn classify(line: &str) -> Option<&'static str> {
    const DANGERS: [(IsDanger, &str); 9] = [
        (undocumented_pipe, "this runs downloaded code without review"),
        (decoded, "encoded text is decoded and run"),
        (undocumented_powershell, "this runs code that PowerShell downloads or decodes"),
        (stored, "a file is downloaded and run without review"),
        (packaged, "a package is downloaded from a URL and run without review"),
        (handed_over, "a shell is connected to an address"),
        (sends, "a file of secrets is sent to an address"),
        (adds_key, "a key is added that lets its owner log in"),
        (evaluated, "a program evaluates downloaded or decoded code"),
    ];
    let mut line = line.to_ascii_lowercase().replace("\\\r\n", " ").replace("\\\n", " ");
    if line.contains("printf ") {
        line = line.replace("\\n", " \n ");
    }
    DANGERS.iter().find(|(is_danger, _)| is_danger(&line)).map(|(_, reason)| *reason)
}

/// Documented to be run like this.
const INSTALLERS: &[&str] = words!(
    "https://sh.rustup.rs, https://raw.githubusercontent.com/homebrew/install/head/install.sh",
    "https://raw.githubusercontent.com/nvm-sh/nvm/, https://raw.githubusercontent.com/helm/helm/",
    "https://install.python-poetry.org, https://astral.sh/uv/, https://bun.sh/install, https://bun.sh/install.",
    "https://deno.land/install., https://get.pnpm.io/install., https://get.sdkman.io",
    "https://get.k3s.io, https://get.docker.com, https://starship.rs/install.sh",
    "https://ollama.com/install., https://mise.run, https://get.scoop.sh",
    "https://community.chocolatey.org/install.ps1, https://deb.nodesource.com/",
    "https://rpm.nodesource.com/, https://fnm.vercel.app/install, https://get.volta.sh",
    "https://nixos.org/nix/install, https://install.determinate.systems/nix, https://dot.net/",
    "https://aka.ms/, https://aspire.dev/install., https://gh.io/copilot-install",
    "https://claude.ai/install., https://cursor.com/install, https://opencode.ai/install",
    "https://fly.io/install., https://get.pulumi.com, https://cli.doppler.com/install.sh",
    "https://sentry.io/get-cli/, https://tailscale.com/install.sh, https://run.linkerd.io/install",
    "https://fluxcd.io/install.sh, https://istio.io/downloadistio, https://clickhouse.com/",
    "https://sh.jbang.dev, https://pixi.sh/install., https://get.rvm.io",
    "https://foundry.paradigm.xyz, https://setup.atuin.sh, https://apt.llvm.org/llvm.sh",
    "https://bootstrap.pypa.io/get-pip.py, https://repo.anaconda.com/miniconda/",
    "https://raw.githubusercontent.com/ohmyzsh/ohmyzsh/",
    "https://raw.githubusercontent.com/golangci/golangci-lint/",
    "https://raw.githubusercontent.com/aquasecurity/trivy/",
    "https://raw.githubusercontent.com/ajeetdsouza/zoxide/",
);

const BARE_INSTALLERS: &[&str] = &["bun.sh/install.ps1", "get.scoop.sh"];

fn is_documented(line: &str) -> bool {
    (line.contains("://") || bare_addresses(line).next().is_some())
        && bare_addresses(line).all(|address| BARE_INSTALLERS.contains(&address))
        && names_only_installers(line)
}

pub(super) fn names_only_installers(line: &str) -> bool {
    let is_odd = ["..", "%2e", "%2f", "@"].iter().any(|odd| line.contains(odd));
    let mut fetched = line.match_indices("://");
    !is_odd
        && fetched.all(|(at, _)| {
            let address = line.get(at.saturating_sub(5)..).unwrap_or_default();
            INSTALLERS.iter().any(|known| begins_with_installer(address, known))
        })
}

fn begins_with_installer(address: &str, known: &str) -> bool {
    let goes_on = |char: char| char.is_alphanumeric() || "-.@:".contains(char);
    let rest = address.strip_prefix(known);
    rest.is_some_and(|rest| known.ends_with(['/', '.']) || !rest.starts_with(goes_on))
}

fn bare_addresses(line: &str) -> impl Iterator<Item = &str> {
    line.split(['|', ')', ';', '&']).flat_map(|command| {
        let arguments = words(command).skip_while(|word| !is_fetcher(word));
        let arguments = arguments.skip(1).filter(|word| !word.starts_with(['-', '=']));
        arguments
            .filter(|word| !word.contains("://") && (word.contains('.') || *word == "localhost"))
    })
}

pub(super) fn is_refused(lead: &str) -> bool {
    let lead = lead.to_lowercase();
    let mut last = lead.split(|char: char| char.is_whitespace() || char == '`').rev();
    let mut last = last.by_ref().filter(|word| !word.is_empty()).take(3);
    last.any(|word| matches!(word, "avoid" | "nicht" | "nie")) || negation::forbids_order(&lead)
}

const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "iex", "pwsh", "powershell"];
const INTERPRETERS: &[&str] =
    &["python", "python3", "python2", "perl", "ruby", "node", "php", "deno", "osascript"];

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name)
}

fn words(command: &str) -> impl Iterator<Item = &str> + Clone {
    let edge = |char: char| "`\"'()*$ ".contains(char);
    command
        .split(|char: char| char.is_whitespace() || "('\"`".contains(char))
        .map(move |word| word.trim_matches(edge))
        .filter(|word| !word.is_empty())
}

fn pairs<'a>(
    words: impl Iterator<Item = &'a str> + Clone,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    words.clone().zip(words.skip(1))
}

fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

const FETCHERS: Table = Table::new(words!(
    "curl, wget, iwr, irm, invoke-webrequest, invoke-restmethod, lwp-request, lwp-download, aria2c",
    "fetch, curl.exe",
));

/// A name alone is a mention.
pub(super) fn fetches(command: &str) -> bool {
    let mut rest = words(command).skip_while(|word| !is_fetcher(word));
    may_fetch(command) && rest.next().is_some() && rest.next().is_some()
}

pub(super) fn may_fetch(line: &str) -> bool {
    FETCHERS.is_in(line)
}

fn is_fetcher(word: &str) -> bool {
    FETCHERS.strings.contains(&program(word))
}

fn decodes(command: &str) -> bool {
    let flag = |flags: &[&str]| words(command).any(|word| flags.contains(&word));
    (command.contains("base64") && flag(&["-d", "--decode", "-di", "-id", "-d;"]))
        || (command.contains("xxd") && flag(&["-r", "-rp"]))
}

pub(super) fn runs(command: &str) -> bool {
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
    // With its own program, an interpreter only reads data.
    INTERPRETERS.contains(&name)
        && (next == "-" || first.ends_with([';', '.', ',']) || "&|#;".contains(next))
}

/// In tables, only escaped bars are pipes.
fn pipes(line: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = line.split('|').collect();
    if line.trim_start().starts_with('|') {
        parts.pop();
        for part in &mut parts {
            *part = part.trim_end_matches('\\');
        }
    }
    parts
}

fn undocumented_pipe(line: &str) -> bool {
    (pipeline(line, fetches) || substituted(line)) && !is_documented(line)
}

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

const FETCHING: &[&str] = &["curl", "wget", "fetch", "iwr", "irm", "lwp-request", "sudo"];

/// `bash <(curl …)`, `sh -c "$(curl …)"`
fn substituted(line: &str) -> bool {
    openings(line).any(|(lead, inner, kind)| {
        let fetched = fetches(inner)
            && words(inner).next().is_some_and(|word| FETCHING.contains(&program(word)));
        fetched && takes(lead, kind)
    })
}

/// `… | base64 -d | sh`
fn decoded(line: &str) -> bool {
    pipeline(line, decodes)
        || openings(line).any(|(lead, inner, kind)| decodes(inner) && takes(lead, kind))
}

fn openings(line: &str) -> impl Iterator<Item = (&str, &str, &'static str)> {
    ["<(", "$(", "`"].into_iter().flat_map(move |kind| {
        line.match_indices(kind).take(16).map(move |(at, _)| {
            let inner = &line[at + kind.len()..];
            let close = if kind == "`" { '`' } else { ')' };
            (&line[..at], inner.split(close).next().unwrap_or(inner), kind)
        })
    })
}

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

/// `iwr … | iex`, `powershell -enc …`
fn undocumented_powershell(line: &str) -> bool {
    let words: Vec<&str> =
        line.split(|char: char| !(char.is_alphanumeric() || "-_.".contains(char))).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let runs = has(&["iex", "invoke-expression"]);
    let fetches = line.contains("downloadstring(")
        || line.contains("://")
            && (line.contains("downloadstring")
                || has(&["iwr", "irm", "curl", "wget", "invoke-webrequest", "invoke-restmethod"]));
    let shell = has(&["powershell", "powershell.exe", "pwsh"]);
    let encoded = has(&["-enc", "-encodedcommand", "-ec", "-e"])
        && words.iter().any(|word| word.len() >= 24 && word.chars().all(char::is_alphanumeric));
    let says = |parts: &[&str]| parts.iter().all(|part| line.contains(part));
    let is_danger = (runs && fetches)
        || (shell && encoded)
        || says(&["certutil", "urlcache", "http"])
        || says(&["bitsadmin", "/transfer", "http"])
        || says(&["mshta http"])
        || says(&["regsvr32", "/i:http"]);
    is_danger && !is_documented(line)
}

/// `curl -o x … && sh x`
fn stored(line: &str) -> bool {
    let mut files: Vec<&str> = Vec::new();
    for command in line.split("&&").flat_map(|part| part.split([';', '|'])).take(32) {
        let mut rest = words(command).skip_while(|word| matches!(*word, "sudo" | "env" | "exec"));
        let first = rest.next().unwrap_or_default();
        let run = if SHELLS.contains(&program(first)) || INTERPRETERS.contains(&program(first)) {
            rest.find(|word| !word.starts_with('-')).unwrap_or_default()
        } else if first.starts_with(['.', '/', '~']) {
            first
        } else {
            ""
        };
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        if !run.is_empty() && files.iter().any(|file| *file == run || name(file) == name(run)) {
            return true;
        }
        if fetches(command) {
            let named = pairs(words(command)).filter(|(flag, _)| {
                matches!(*flag, "-o" | "--output" | "--output-document" | ">" | "-outfile")
                    || (flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('o'))
            });
            files.extend(named.map(|(_, file)| file));
            files.extend(words(command).filter(|word| word.contains("://")));
            files.truncate(8);
        }
    }
    false
}

const RUNNERS: &[&str] = &["npx", "bunx", "uvx", "pipx", "dlx", "npm", "pnpm"];

fn packaged(line: &str) -> bool {
    let mut rest = words(line).skip_while(|word| !RUNNERS.contains(&program(word)));
    let Some(runner) = rest.next() else { return false };
    let installs = matches!(runner, "npm" | "pnpm" | "pipx");
    let rest: Vec<&str> = rest.take(6).collect();
    let runs = !installs || rest.iter().any(|word| matches!(*word, "exec" | "x" | "dlx" | "run"));
    let mut arguments = rest
        .iter()
        .skip_while(|word| word.starts_with('-') || matches!(**word, "exec" | "x" | "dlx" | "run"));
    runs && arguments
        .next()
        .is_some_and(|word| word.starts_with("http://") || word.starts_with("https://"))
}

const SENDING: &[&str] =
    words!("-d, -f, -t, --form, --upload-file, --post-file, --post-data, --body-file");

/// `curl -d @.env …`, `cat ~/.ssh/id_rsa | nc …`
fn sends(line: &str) -> bool {
    let Some(secret) = send::secret_file(line).or_else(|| environment(line)) else { return false };
    let piped = line[secret..].split('|').skip(1).any(|command| {
        let first = words(command).next().unwrap_or_default();
        matches!(program(first), "curl" | "wget" | "nc" | "ncat" | "netcat" | "socat")
    });
    let parts = words(line).flat_map(|word| word.splitn(2, '='));
    let carried = pairs(parts).any(|(flag, value)| {
        let sending = SENDING.contains(&flag) || flag.starts_with("--data");
        let reads = matches!(value, "cat" | "env" | "printenv" | "base64");
        let named = send::secret_file(value).is_some();
        (sending && (named || reads)) || (value.starts_with('@') && named)
    });
    let substituted = fetches(line)
        && line.contains("://")
        && openings(line).any(|(lead, inner, _)| {
            let is_header = ["-h ", "--header", "-u ", "--user"].iter().any(|it| lead.contains(it));
            let reads = words(inner).next().is_some_and(|word| matches!(word, "cat" | "base64"));
            reads && !is_header && send::secret_file(inner).is_some() && !inner.contains(".pub")
        });
    let asked = words(line).any(|word| matches!(word, "nslookup" | "dig" | "host" | "ping"));
    let named = asked && line.contains("$(");
    piped || named || substituted || (fetches(line) && line.contains("://") && carried)
}

/// `echo ssh-ed25519 … >> ~/.ssh/authorized_keys`
fn adds_key(line: &str) -> bool {
    line.contains("authorized_keys")
        && (line.contains('>') || line.contains("tee "))
        && send::public_key(line).is_some()
}

/// `bash -i >& /dev/tcp/…`, `nc -e /bin/sh …`
fn handed_over(line: &str) -> bool {
    let shell = || words(line).any(|word| SHELLS.contains(&program(word)) || word == "cmd.exe");
    let served = pairs(words(line)).any(|(flag, value)| {
        matches!(flag, "-e" | "-c" | "--exec" | "--sh-exec") && SHELLS.contains(&program(value))
    });
    let connects = words(line).any(|word| matches!(program(word), "nc" | "ncat" | "netcat"));
    (line.contains("/dev/tcp/") && line.contains('>') && shell()) || (connects && served)
}

fn environment(line: &str) -> Option<usize> {
    ["$(env)", "`env`", "env |", "$(printenv"].iter().filter_map(|it| line.find(it)).min()
}

/// `eval(atob(…))`
fn evaluated(line: &str) -> bool {
    let fetch = ["urlopen(", "requests.get(", "b64decode(", "atob(", "uri.open(", "await fetch("];
    let first = fetch.iter().filter_map(|name| line.find(name)).min();
    first.is_some_and(|at| {
        let is_part = |char: char| char.is_alphanumeric() || char == '_';
        let is_call = |(run, _): (usize, &str)| !line[..run].ends_with(is_part);
        ["exec(", "eval("].iter().any(|run| line[..at].match_indices(run).any(is_call))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_on_after_continuations_but_not_after_code() {
        for (text, expected) in [
            ("- `irm https://x | iex`\n- `\\`\n", "- `irm https://x | iex`\n"),
            ("irm `\n  https://x | iex\nls\n", "irm `\n  https://x | iex\n"),
            ("curl \\\n  https://x |\n sh\nls\n", "curl \\\n  https://x |\n sh\n"),
        ] {
            assert_eq!(&text[line(text, 1)], expected);
        }
    }
}
