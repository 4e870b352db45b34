//! Events of all clients in one form.

use camino::Utf8PathBuf;

const MAX_FILES: usize = 50;
const LOOKED_AT: usize = 64 * 1024;

faber_core::named_enum! {
    /// The kind of event.
    pub enum EventKind {
        /// A session starts, is resumed, or continues after a compaction
        SessionStart = "session-start",
        /// A prompt
        Prompt = "prompt",
        /// A tool touches a file
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
    /// Absolute.
    pub cwd: Option<Utf8PathBuf>,
    pub prompt: String,
    pub is_from_person: bool,
    pub error: String,
    pub files: Vec<String>,
    /// Whether the model has lost the conversation so far.
    pub starts_over: bool,
    /// The conversation, at the end of a session.
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
            transcript: None,
        }
    }

    pub fn prompt(conversation: &str, prompt: &str) -> Self {
        Self { prompt: prompt.to_owned(), ..Self::new(EventKind::Prompt, conversation) }
    }

    /// Why nothing can be delivered.
    pub fn skipped(&self) -> Option<&'static str> {
        match self.kind {
            EventKind::Instructions | EventKind::Compaction | EventKind::SessionEnd => {
                Some("recorded only")
            }
            EventKind::Prompt if self.agent.is_some() => Some("a prompt to a subagent"),
            EventKind::Prompt if !self.is_from_person => Some("no person wrote the prompt"),
            EventKind::Prompt if self.prompt.trim().is_empty() => Some("an empty prompt"),
            EventKind::Tool if self.files.is_empty() => Some("no file is named"),
            EventKind::ToolFailure if self.error.trim().is_empty() => Some("no error text"),
            _ => None,
        }
    }
}

/// Such as `src/main.rs`, `@docs/a.md` or `a.py:12`.
pub(crate) fn named_files(prompt: &str) -> Vec<String> {
    let mut end = prompt.len().min(LOOKED_AT);
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    let mut files: Vec<String> = Vec::new();
    let is_around = |c: char| !(c.is_alphanumeric() || "_./~$[]{}*-".contains(c));
    for word in prompt[..end].split(|c: char| c.is_whitespace() || "\"'`<>(),;|".contains(c)) {
        if word.contains("://") {
            continue;
        }
        let word = word.trim_matches(is_around).trim_end_matches(['.', '/']);
        let word = word.split_once(':').map_or(word, |(path, _)| path);
        if is_file_like(word) && !files.iter().any(|file| file == word) {
            files.push(word.to_owned());
        }
        if files.len() == MAX_FILES {
            break;
        }
    }
    files
}

fn is_file_like(word: &str) -> bool {
    if word.is_empty() || word.len() > 512 || word.contains("//") {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_ending = |ending: &str| {
        (1..=12).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && ending.chars().any(|c| c.is_ascii_alphabetic())
    };
    ending.is_some_and(is_ending) || (word.contains('/') && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_folder_or_an_ending_are_files() {
        let files = named_files(
            "Fix `src/main.rs:12` and @docs/a.md, then (tests/x_test.py). See https://x.org/a.html, \
             3.5 or 1.2.3; Cargo.toml. Also src/main.rs and either/or, e.g. nothing... ./a",
        );
        assert_eq!(
            files,
            [
                "src/main.rs",
                "docs/a.md",
                "tests/x_test.py",
                "Cargo.toml",
                "either/or",
                "e.g",
                "./a"
            ]
        );
        assert!(named_files("").is_empty() && named_files(". .. / // :: …").is_empty());
        let many: Vec<String> = (0..500).map(|at| format!("a{at}.rs")).collect();
        assert_eq!(named_files(&many.join(" ")).len(), MAX_FILES);
        assert!(named_files(&"é".repeat(100_000)).is_empty());
    }
}
