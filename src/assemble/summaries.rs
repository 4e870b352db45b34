//! Summaries that a command of the user writes.
//!
//! Composing stays a function of values: it is told the answers that there are. Only for what then
//! stands in the bundle as an extract is the command asked, and it is composed anew, until nothing
//! new is wanted. So a command that costs money is run for what is printed, and each text once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use camino::Utf8Path;
use rayon::prelude::*;

use crate::assemble::Read;
use crate::assemble::compose::Compose;
use crate::assemble::finish::Composed;
use crate::budget::level::Level;
use crate::diagnostic::Diagnostic;
use crate::discover::cache::Cache;
use crate::discover::summarizer;
use crate::document::ContextId;
use crate::error::Error;
use crate::select::selection::Selection;
use crate::settings::Settings;
use crate::source::Spanned;

/// The folder of the cache that has answers.
const SUMMARIES: &str = "summaries";

/// The answers to the texts of some contexts.
pub type Answers = BTreeMap<ContextId, String>;

/// Answers that this process has had, by [`Summarizer::name`]. What is asked for twice in one run
/// may be two contexts with one text, or two budgets that are compared.
static ANSWERS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// A command that summarizes, and where its answers are kept.
pub struct Summarizer<'a> {
    /// The command line.
    command: &'a Spanned<String>,
    /// What keeps answers between runs.
    cache: Option<Cache>,
}

/// Composes with summaries by the command. The second value is a finding when it failed; what it
/// was wanted for is then extracted.
///
/// # Errors
///
/// As [`Compose::run`].
pub fn compose(
    mut compose: Compose<'_>,
    read: &Read,
    selection: &Selection,
    summarizer: &Summarizer<'_>,
) -> Result<(Composed, Option<Diagnostic>), Error> {
    let mut asked = BTreeSet::new();
    loop {
        let bundle = compose.run(read, selection.clone())?;
        let extracts = bundle.loaded.iter().filter(|loaded| loaded.level == Level::Summary);
        let contexts = extracts.map(|loaded| compose.context(&loaded.id));
        let mut wanted: BTreeMap<String, Vec<ContextId>> = BTreeMap::new();
        for context in contexts {
            if context.front.fields.summary.is_none() && asked.insert(context.id.clone()) {
                let text = context.body.text(compose.sources);
                wanted.entry(text).or_default().push(context.id.clone());
            }
        }
        if wanted.is_empty() {
            return Ok((bundle, None));
        }
        let texts: Vec<&String> = wanted.keys().collect();
        let answers: Vec<_> = texts.par_iter().map(|text| summarizer.answer(text)).collect();
        let mut failed = Vec::new();
        for (ids, answer) in wanted.into_values().zip(answers) {
            match answer {
                Ok(answer) => {
                    compose.answers.extend(ids.into_iter().map(|id| (id, answer.clone())));
                }
                Err(why) => failed.extend(ids.into_iter().map(|id| (id, why.clone()))),
            }
        }
        if let Some(first) = failed.first() {
            // What fails once will fail again, and each try may take long.
            let bundle = compose.run(read, selection.clone())?;
            return Ok((bundle, Some(summarizer.failure(first, failed.len()))));
        }
    }
}

impl<'a> Summarizer<'a> {
    /// A command, with the answers that are kept of the workspace at `root`.
    pub fn new(command: &'a Spanned<String>, root: &Utf8Path, settings: &Settings) -> Self {
        // Answers cost money and are those of no version of faber.
        let home = settings.cache.as_deref();
        Self { command, cache: home.and_then(|home| Cache::open(root, home, SUMMARIES)) }
    }

    fn answer(&self, text: &str) -> Result<String, String> {
        let name = self.name(text);
        let answers = || ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn failure(&self, (id, why): &(ContextId, String), count: usize) -> Diagnostic {
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let message = format!("the summarizer failed for {id}{more}: {why}");
        Diagnostic::warning("summarizer-failed", self.command.span, message)
            .help("what it was wanted for stands in the bundle as an extract; try the command by hand with a text on its standard input")
    }
}
