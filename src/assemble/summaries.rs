//! Summaries that a command of the user writes.
//!
//! Composing stays a function of values: it is told the answers that there are. Only for what then
//! stands in the bundle as an extract is the command asked, and it is composed anew, until nothing
//! new is wanted. So a command that costs money is run for what is printed, and each text once.

use std::collections::{BTreeMap, BTreeSet};

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
use crate::source::Spanned;

/// The answers to the texts of some contexts.
pub type Answers = BTreeMap<ContextId, String>;

/// A command that summarizes, and where its answers are kept.
pub struct Summarizer<'a> {
    /// The command line.
    pub command: &'a Spanned<String>,
    /// What keeps answers between runs, by command and text.
    pub cache: Option<Cache>,
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
        let wanted: Vec<(ContextId, String)> = contexts
            .filter(|context| context.front.fields.summary.is_none())
            .filter(|context| asked.insert(context.id.clone()))
            .map(|context| (context.id.clone(), context.body.text(compose.sources)))
            .collect();
        if wanted.is_empty() {
            return Ok((bundle, None));
        }
        let answers: Vec<_> = wanted.par_iter().map(|(_, text)| summarizer.answer(text)).collect();
        let mut failed = Vec::new();
        for ((id, _), answer) in wanted.into_iter().zip(answers) {
            match answer {
                Ok(answer) => {
                    compose.answers.insert(id, answer);
                }
                Err(why) => failed.push((id, why)),
            }
        }
        if let Some(first) = failed.first() {
            // What fails once will fail again, and each try may take long.
            let bundle = compose.run(read, selection.clone())?;
            return Ok((bundle, Some(summarizer.failure(first, failed.len()))));
        }
    }
}

impl Summarizer<'_> {
    fn answer(&self, text: &str) -> Result<String, String> {
        let command = &self.command.value;
        let mut hasher = blake3::Hasher::new();
        hasher.update(command.as_bytes()).update(&[0]).update(text.as_bytes());
        let name = format!("summaries/{}", &hasher.finalize().to_hex()[..32]);
        let known = self.cache.as_ref().and_then(|cache| cache.read(&name));
        if let Some(known) = known.and_then(|known| String::from_utf8(known).ok()) {
            return Ok(known);
        }
        let answer = summarizer::ask(command, text)?;
        if let Some(cache) = &self.cache {
            cache.write(&name, answer.as_bytes());
        }
        Ok(answer)
    }

    fn failure(&self, (id, why): &(ContextId, String), count: usize) -> Diagnostic {
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let message = format!("the summarizer failed for {id}{more}: {why}");
        Diagnostic::warning("summarizer-failed", self.command.span, message)
            .help("what it was wanted for stands in the bundle as an extract; try the command by hand with a text on its standard input")
    }
}
