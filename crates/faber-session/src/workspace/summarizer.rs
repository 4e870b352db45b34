//! The command of the user that summarizes, and the answers that are kept of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::discover::cache::Cache;
use crate::discover::summarizer;
use crate::settings::Settings;
use crate::workspace::Workspace;
use faber_core::source::Spanned;

/// The folder of the cache that has answers.
const SUMMARIES: &str = "summaries";

/// A command that summarizes, and where its answers are kept.
pub(super) struct Summarizer<'a> {
    /// The command line.
    command: &'a Spanned<String>,
    /// What keeps answers between runs.
    cache: Option<Cache>,
    /// Answers in this process, by [`Self::name`]. What is asked for twice in one run may be two
    /// contexts with one text, or two budgets that are compared.
    answers: &'a Mutex<BTreeMap<String, String>>,
}

impl<'a> Summarizer<'a> {
    /// A command, with the answers that are kept of the workspace.
    pub(super) fn new(
        command: &'a Spanned<String>,
        workspace: &'a Workspace,
        settings: &Settings,
    ) -> Self {
        // Answers cost money and are those of no version of faber.
        let home = settings.cache.as_deref();
        let root = workspace.files.root();
        let cache = home.and_then(|home| Cache::open(root, home, SUMMARIES));
        Self { command, cache, answers: &workspace.caches.summaries }
    }

    /// What the command answers to a text; kept answers are given again.
    ///
    /// # Errors
    ///
    /// What the command failed with.
    pub(super) fn answer(&self, text: &str) -> Result<String, String> {
        let name = self.name(text);
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = answers().get(&name) {
            return Ok(known.clone());
        }
        let kept = self.cache.as_ref().and_then(|cache| cache.read(&name));
        let answer = if let Some(kept) = kept.and_then(|kept| String::from_utf8(kept).ok()) {
            kept
        } else {
            let answer = summarizer::ask(&self.command.value, text)?;
            if let Some(cache) = &self.cache {
                cache.write(&name, answer.as_bytes());
                cache.trim(SUMMARIES);
            }
            answer
        };
        answers().insert(name, answer.clone());
        Ok(answer)
    }

    /// The file that keeps the answer to a text.
    fn name(&self, text: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.command.value.as_bytes()).update(&[0]).update(text.as_bytes());
        format!("{SUMMARIES}/{}", &hasher.finalize().to_hex()[..32])
    }
}
