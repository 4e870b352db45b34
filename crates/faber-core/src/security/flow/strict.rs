//! What counts in whole programs, where names are many and mean little.

use super::{RUN_CALLS, base, mentions};
use crate::security::{remote, send};
use crate::word_list::words;

/// Programs and calls that read a file or copy it as a whole.
const READERS: &[&str] = words!("cat, base64, tar, zip, cp, gzip, get-content");
const READ_CALLS: &[&str] = words!(
    "$(<, read(, readfile, read_text, read_bytes, open(, file_get_contents, glob(, iterdir(, readdir"
);

/// Gives the whole text of what was fetched.
const TEXTS: &[&str] = words!("text, content, decode, read, tostring, body, string, strip, trim");

/// What was fetched is the program itself, not one of its arguments.
pub(super) fn runs(line: &str, fetched: &[String]) -> bool {
    RUN_CALLS.iter().any(|call| {
        line.match_indices(call).take(4).any(|(at, _)| {
            let is_part = |char: char| char.is_alphanumeric() || "._$".contains(char);
            let is_method =
                matches!(*call, "exec(" | "eval(" | "execsync(") && line[..at].ends_with(is_part);
            let is_module = ["child_process.", "cp."].iter().any(|it| line[..at].ends_with(it));
            (!is_method || is_module) && is_program(&line[at + call.len()..], fetched)
        })
    })
}

fn is_program(arguments: &str, fetched: &[String]) -> bool {
    let edge = |char: char| char.is_whitespace() || "[](){}\"'`,;:$".contains(char);
    let words = arguments.split(edge).filter(|word| !word.is_empty() && *word != "f");
    let mut words = words.map(|word| {
        let (stem, method) = word.split_once('.').unwrap_or((word, ""));
        let method = method.split('.').next_back().unwrap_or_default();
        if TEXTS.contains(&method) { stem } else { word }
    });
    let is_fetched = |word: &str| fetched.iter().any(|name| name == base(word));
    match words.next() {
        Some("compile") => words.next().is_some_and(is_fetched),
        Some(first) if remote::is_shell(base(first)) || remote::is_interpreter(base(first)) => {
            words.find(|word| !word.starts_with('-')).is_some_and(is_fetched)
        }
        Some("sys.executable") => words.next().is_some_and(is_fetched),
        Some(first) => is_fetched(first),
        None => false,
    }
}

/// A name of an address that the line passes on.
pub(super) fn is_address(line: &str, (name, value): &(String, String)) -> bool {
    value.contains("://") && mentions(line, std::slice::from_ref(name))
}

/// A single variable, or a path alone, is not what it holds.
pub(super) fn reads(line: &str) -> bool {
    if line.contains(".pub") || ["grep ", "sed ", "awk "].iter().any(|it| line.contains(it)) {
        return false;
    }
    let line = line.replace("process.env", "").replace("os.environ", "");
    let edge = |char: char| char.is_whitespace() || "()`;|&$".contains(char);
    let is_secret =
        send::secret_file(&line).is_some() || line.contains("\".ssh\"") || line.contains("'.ssh'");
    is_secret
        && (READ_CALLS.iter().any(|call| line.contains(call))
            || line.split(edge).any(|word| READERS.contains(&word)))
}

/// The variable of a loop.
pub(super) fn each(line: &str) -> Option<String> {
    let (name, _) = line.strip_prefix("for ")?.split_once(" in ")?;
    Some(name.to_owned())
}

/// The file of `urlretrieve(address, file)`.
pub(super) fn retrieved(line: &str) -> Option<String> {
    let calls = ["urlretrieve(", "downloadfile("];
    let at = calls.iter().find_map(|call| Some(line.find(call)? + call.len()))?;
    let mut texts = line[at..].split(['"', '\'']).skip(1).step_by(2);
    texts.find(|text| !text.contains("://")).map(|path| base(path).to_owned())
}

/// Without arguments that prove who asks.
pub(super) fn without_keys(command: &str) -> String {
    const KEYS: &[&str] = words!("--key, --cert, --cacert, --netrc-file, --config, --rsh");
    let is_copy = ["scp ", "rsync ", "sudo scp ", "sudo rsync "];
    let is_copy = is_copy.iter().any(|start| command.starts_with(start));
    let mut is_key = false;
    let words = command.split_whitespace().filter(|word| {
        let is_left = !is_key;
        let names_key = KEYS.contains(word) || is_copy && matches!(*word, "-i" | "-e");
        is_key = is_left && names_key;
        is_left
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(super) fn begins_function(line: &str) -> bool {
    let line = line.trim_start();
    let starts = ["def ", "async def ", "function ", "async function ", "export function "];
    starts.iter().any(|start| line.starts_with(start)) || line.starts_with("export async function ")
}
