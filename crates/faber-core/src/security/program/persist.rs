//! What a program leaves behind: code in files that run later, keys that open a machine, and
//! settings of agents.

use std::ops::Range;

use super::{Blanked, remote, send};
use crate::word_list::words;

/// Files that a shell, git or the system runs later.
const RUN_LATER: &[&str] = words!(
    ".bashrc, .zshrc, .profile, .bash_profile, .zprofile, .zshenv, .bash_login, config.fish",
    ".git/hooks/, hookspath, crontab, /etc/cron, .config/autostart, launchagents, launchdaemons",
    "/etc/profile, systemd/user, systemd/system, $profile",
);

const SETTINGS: &[&str] = words!(
    ".claude/settings, .codex/config.toml, .vscode/settings.json, .cursor/permissions.json",
    ".gemini/settings.json",
);

const GRANTS: &[&str] = words!(
    "bypasspermissions, bash(*), enableallprojectmcpservers\":true, danger-full-access",
    "chat.tools.autoapprove\":true, chat.tools.global.autoapprove\":true",
    "skipdangerousmodepermissionprompt\":true",
);

pub(super) fn find(
    original: &str,
    blanked: &Blanked<'_>,
    found: &mut Vec<(Range<usize>, &'static str)>,
    grants: &mut Vec<Range<usize>>,
) {
    for (start, _) in blanked.statements().filter(|(_, line)| line.contains(['>', '|'])) {
        let line = original[start..].split_inclusive('\n').next().unwrap_or_default();
        let own = blanked.documents.iter().find(|(command, _)| *command == start);
        let document = own.map_or("", |(_, range)| &original[range.clone()]);
        let Some(target) = target(line) else { continue };
        let from = start + line.len() - line.trim_start().len();
        let range = from..start + line.trim_end().len();
        let written = written(line, document);
        if RUN_LATER.iter().any(|place| target.contains(place)) {
            let runs = written.lines().any(|line| remote::classify(line).is_some());
            if runs {
                found.push((range, "code that runs or sends data is written where it runs later"));
            }
        } else if SETTINGS.iter().any(|place| target.contains(place)) {
            let dense: String = written.chars().filter(|char| !char.is_whitespace()).collect();
            let dense = dense.to_ascii_lowercase().replace("\\\"", "\"");
            if GRANTS.iter().any(|grant| dense.contains(grant)) {
                grants.push(range);
            }
        }
    }
    if let Some(range) = key(original) {
        found.push((range, "a key is added that lets its owner log in"));
    }
}

/// Where a command writes, in lower case.
fn target(line: &str) -> Option<String> {
    if line.contains("| crontab") {
        return Some("crontab".to_owned());
    }
    let marks = [">>", "> ", ">", "tee -a ", "tee "];
    let (at, mark) = marks.iter().find_map(|mark| Some((line.rfind(mark)?, mark)))?;
    let name = line[at + mark.len()..].split_whitespace().next()?;
    Some(name.trim_matches(['"', '\'']).to_ascii_lowercase())
}

/// The texts of `echo`, `printf` and documents.
fn written(line: &str, document: &str) -> String {
    let said = ["echo ", "printf "].iter().find_map(|say| line.split_once(say));
    let said = said.map_or("", |(_, text)| text.trim_start());
    let said = said.replace("\\n", "\n").replace("\\\"", "\"");
    format!("{}\n{document}", said.trim_start_matches(['\'', '"']))
}

/// A key that is written out, in a program that adds to `authorized_keys`.
fn key(text: &str) -> Option<Range<usize>> {
    let adds = text.lines().any(|line| {
        line.contains("authorized_keys")
            && !line.trim_start().starts_with(['#', '*'])
            && [">>", "tee ", "write", "append", "'a'", "\"a\"", "> "]
                .iter()
                .any(|verb| line.to_ascii_lowercase().contains(verb))
    });
    if !adds {
        return None;
    }
    send::public_key(text)
}
