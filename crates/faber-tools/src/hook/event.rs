//! Events of all clients in one form.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use faber_core::source::char_boundary;

const MAX_FILES: usize = 50;
const MAX_LOOKED_UP: usize = 500;
const LOOKED_AT: usize = 64 * 1024;
/// Elements that clients put before a prompt.
const CONTEXT_ELEMENTS: &str = "hook_context ide_ system-reminder system_reminder";
/// Sent instead of a prompt. Other elements are the user's text.
const CLIENT_ELEMENTS: &str = "background-task bash-input bash-stderr bash-stdout command-args \
    command-message command-name environment_context local-command- subagent_notification \
    task-notification teammate-message turn_aborted user-prompt-submit-hook";

faber_core::named_enum! {
    /// The kind of event.
    pub enum EventKind {
        /// A session starts, is resumed, or continues after a compaction
        SessionStart = "session-start",
        /// A prompt
        Prompt = "prompt",
        /// A tool is about to touch a file
        BeforeTool = "before-tool",
        /// A tool has touched a file
        Tool = "tool",
        /// A tool has failed
        ToolFailure = "tool-failure",
        /// The client has loaded a file of instructions
        Instructions = "instructions",
        /// The conversation is about to be compacted
        Compaction = "compaction",
        /// A session ends
        SessionEnd = "session-end",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEvent {
    pub kind: EventKind,
    pub conversation: String,
    pub agent: Option<String>,
    pub cwd: Option<Utf8PathBuf>,
    pub prompt: String,
    pub is_from_person: bool,
    pub error: String,
    pub files: Vec<String>,
    pub starts_over: bool,
    pub clears: bool,
    pub transcript: Option<Utf8PathBuf>,
}

impl HookEvent {
    pub fn new(kind: EventKind, conversation: impl Into<String>) -> Self {
        Self {
            kind,
            conversation: conversation.into(),
            agent: None,
            cwd: None,
            prompt: String::new(),
            is_from_person: true,
            error: String::new(),
            files: Vec::new(),
            starts_over: false,
            clears: false,
            transcript: None,
        }
    }

    pub fn prompt(conversation: &str, prompt: &str) -> Self {
        Self { prompt: prompt.to_owned(), ..Self::new(EventKind::Prompt, conversation) }
    }

    pub(crate) fn request(&self) -> &str {
        written(&self.prompt).unwrap_or_default()
    }

    pub fn skipped(&self) -> Option<&'static str> {
        match self.kind {
            EventKind::Instructions | EventKind::Compaction | EventKind::SessionEnd => {
                Some("recorded only")
            }
            EventKind::Prompt if self.agent.is_some() => Some("a prompt to a subagent"),
            EventKind::Prompt if !self.is_from_person => Some("no person wrote the prompt"),
            EventKind::Prompt => written(&self.prompt).err(),
            EventKind::Tool if self.files.is_empty() => Some("no file is named"),
            EventKind::ToolFailure if self.error.trim().is_empty() => Some("no error text"),
            _ => None,
        }
    }
}

fn written(prompt: &str) -> Result<&str, &'static str> {
    let mut text = prompt.trim();
    while let Some((name, rest)) = leading_element(text) {
        let is_one_of = |all: &str| all.split(' ').any(|known| name.starts_with(known));
        if is_one_of(CLIENT_ELEMENTS) {
            return Err("no person wrote the prompt");
        }
        if !is_one_of(CONTEXT_ELEMENTS) {
            break;
        }
        text = rest.trim_start();
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let is_name = |c: char| c.is_alphanumeric() || "-_:".contains(c);
    let command =
        word.strip_prefix('/').filter(|name| !name.is_empty() && name.chars().all(is_name));
    match (command, rest.trim_start()) {
        (Some(_), "") => Err("a command"),
        (Some(_), rest) => Ok(rest),
        (None, _) if text.is_empty() => Err("an empty prompt"),
        (None, _) => Ok(text),
    }
}

fn leading_element(text: &str) -> Option<(&str, &str)> {
    let (tag, rest) = text.strip_prefix('<')?.split_once('>')?;
    let name = tag.split_whitespace().next()?;
    let (_, after) = rest.split_once(&*format!("</{name}>"))?;
    Some((name, after))
}

/// Existing files, new ones in existing folders, and names in backticks; not `and/or` or `Node.js`.
pub(crate) fn named_files(text: &str, has: impl Fn(&str) -> bool) -> Vec<String> {
    let text = &text[..char_boundary(text, LOOKED_AT)];
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut files: Vec<String> = Vec::new();
    let is_around = |c: char| !(c.is_alphanumeric() || "_./~$[]{}*-".contains(c));
    for word in text.split(|c: char| c.is_whitespace() || "\"'`<>(),;|".contains(c)) {
        if word.contains("://") {
            continue;
        }
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let is_code = text[..start].ends_with('`') && text[start + word.len()..].starts_with('`');
        let word = word.trim_matches(is_around).trim_end_matches(['.', '/']);
        let word = word.split_once(':').map_or(word, |(path, _)| path);
        if !is_file_like(word) || !seen.insert(word) {
            continue;
        }
        let folder = word.rsplit_once('/').map(|(folder, _)| folder);
        let is_new = || folder.is_some_and(|folder| !folder.is_empty() && has(folder));
        if has(word) || has_ending(word) && (is_code || is_new()) {
            files.push(word.to_owned());
        }
        if files.len() == MAX_FILES || seen.len() == MAX_LOOKED_UP {
            break;
        }
    }
    files
}

fn is_file_like(word: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && !matches!(name, "." | "..");
    !word.is_empty()
        && word.len() <= 512
        && !word.contains("//")
        && (has_ending(word) || word.rsplit_once('/').is_some_and(|(_, name)| is_name(name)))
}

fn has_ending(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=12).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && ending.chars().any(|c| c.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_exist_or_are_marked_as_such() {
        let has = |path: &str| {
            ["src", "src/main.rs", "docs/a.md", "Cargo.toml", "a.py", "web/src"].contains(&path)
        };
        let files = |text: &str| named_files(text, has);
        assert_eq!(
            files(
                "Fix src/main.rs:12 and @docs/a.md, then (Cargo.toml). Also src/main.rs, a.py:3 and \
                 `tests/x_test.py`; src/new.rs in web/src/."
            ),
            [
                "src/main.rs",
                "docs/a.md",
                "Cargo.toml",
                "a.py",
                "tests/x_test.py",
                "src/new.rs",
                "web/src"
            ]
        );
        for words in [
            "thanks, that looks great and/or good",
            "user.name is None, why? s.db.Query(id)",
            "Is Node.js faster than Deno? See https://x.org/src/main.rs, 3.5 or 1.2.3",
            "etcdserver/util.go:170 says e.g. nothing... ./a src/either/or `1.2`",
            "",
            ". .. / // :: … ../.. ./.",
        ] {
            assert!(files(words).is_empty(), "{words}: {:?}", files(words));
        }
        let many: Vec<String> = (0..5000).map(|at| format!("a{at}.rs")).collect();
        assert_eq!(named_files(&many.join(" "), |_| true).len(), MAX_FILES);
        let looked_up = std::cell::Cell::new(0);
        let count = |_: &str| {
            looked_up.set(looked_up.get() + 1);
            false
        };
        assert!(named_files(&many.join(" "), count).is_empty());
        assert_eq!(looked_up.get(), MAX_LOOKED_UP);
        assert!(files(&"é".repeat(100_000)).is_empty());
    }

    #[test]
    fn only_the_words_of_a_person_count() {
        for (prompt, expected) in [
            ("fix it", Ok("fix it")),
            ("/review the API", Ok("the API")),
            ("/mcp__x__deploy:now  to staging\n", Ok("to staging")),
            ("/etc/hosts is wrong", Ok("/etc/hosts is wrong")),
            ("<div>a</div> is red", Ok("<div>a</div> is red")),
            ("<app-root> is empty", Ok("<app-root> is empty")),
            ("<my-button>a</my-button> is red", Ok("<my-button>a</my-button> is red")),
            ("<command-bar>a</command-bar> is red", Ok("<command-bar>a</command-bar> is red")),
            (
                "<ide_selection>x</ide_selection><user_story>y</user_story>",
                Ok("<user_story>y</user_story>"),
            ),
            ("<ide_selection>x</ide_selection>\nfix it", Ok("fix it")),
            ("<system-reminder>x</system-reminder> <hook_context>y</hook_context> z", Ok("z")),
            ("/compact", Err("a command")),
            (" <system-reminder>x</system-reminder>", Err("an empty prompt")),
            (
                "<task-notification><id>1</id></task-notification>\nRead it",
                Err("no person wrote the prompt"),
            ),
            ("<local-command-stdout>x</local-command-stdout>", Err("no person wrote the prompt")),
            ("<command-name>/x</command-name>", Err("no person wrote the prompt")),
        ] {
            assert_eq!(written(prompt), expected, "{prompt}");
            assert_eq!(HookEvent::prompt("a", prompt).skipped(), expected.err(), "{prompt}");
        }
    }
}
