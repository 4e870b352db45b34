//! How the reader of a bundle gets what is not in it.

use serde::Serialize;

/// What the reader has at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum More {
    /// A shell.
    #[default]
    Commands,
    /// The tools of `faber serve`.
    Tools,
    /// Nothing, such as the reader of a request body that declares no tool.
    Nothing,
}

impl More {
    /// What the catalog says above what it lists.
    pub fn catalog(self) -> &'static str {
        match self {
            Self::Commands => {
                "Known and not loaded. `faber show ID` prints one, `faber list contexts` lists all."
            }
            Self::Tools => {
                "Known and not loaded. `expand_context` gives one, `list_contexts` lists all."
            }
            Self::Nothing => "Known and not loaded.",
        }
    }

    /// What lists contexts with their triggers, if the reader has such a thing.
    pub fn triggers(self) -> Option<&'static str> {
        match self {
            Self::Commands => Some("`faber list triggers`"),
            Self::Tools | Self::Nothing => None,
        }
    }

    /// What is said below a context that was `shortened`, such as "Shortened to a summary", of which
    /// there is `all`, such as "all 20 lines".
    pub fn note(self, shortened: &str, id: &str, all: &str) -> String {
        match self {
            Self::Commands => format!("[{shortened}; `faber show {id}` prints {all}.]"),
            Self::Tools => format!("[{shortened}; `expand_context` with `{id}` gives {all}.]"),
            Self::Nothing => {
                format!("[{shortened}; the full text of `{id}` is not available here.]")
            }
        }
    }
}
