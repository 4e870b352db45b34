//! How the reader gets contexts that are not in the bundle.

use serde::Serialize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum FollowUp {
    #[default]
    Commands,
    Tools,
    Nothing,
}

impl FollowUp {
    pub fn catalog(self) -> &'static str {
        match self {
            Self::Commands => {
                "Available, not loaded. `faber search WORDS` searches all contexts and reference files, \
                 `faber expand ID` prints one."
            }
            Self::Tools => {
                "Available, not loaded. `search_context` searches all texts, `expand_context` returns one, \
                 `list_contexts` lists all."
            }
            Self::Nothing => "Not loaded.",
        }
    }

    pub fn list(self) -> Option<&'static str> {
        match self {
            Self::Commands => Some("`faber list contexts`"),
            Self::Tools | Self::Nothing => None,
        }
    }

    /// `form`: "a summary"; `all`: "all 20 lines".
    pub fn note(self, form: Option<&str>, id: &str, all: &str) -> String {
        let form = form.map(|form| format!(" to {form}")).unwrap_or_default();
        let shortened = format!("Shortened{form}");
        match self {
            Self::Commands => format!("[{shortened}; `faber show {id}` prints {all}.]"),
            Self::Tools => format!("[{shortened}; `expand_context` with `{id}` gives {all}.]"),
            Self::Nothing => {
                format!("[{shortened}; the full text of `{id}` is not available here.]")
            }
        }
    }
}

pub const BEST_PARTS: &str = "its best matching parts";

pub fn all_of(lines: usize) -> String {
    match lines {
        1 => "all of it".to_owned(),
        lines => format!("all {lines} lines"),
    }
}
