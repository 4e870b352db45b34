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
use crate::document::ContextId;
use crate::error::Error;
use crate::rules::summarizer_failed;
use crate::select::selection::Selection;
use crate::source::Spanned;

/// The answers to the texts of some contexts.
pub type Answers = BTreeMap<ContextId, String>;

/// How often a summary of the conversation is asked for: with each summary other messages may fit, so
/// that another part of it is the older one. Where no answer is for that part, extracts stay.
const TIMES: usize = 3;

/// Composes with summaries by the command, which `answer` asks about a text. The second value is a finding when it failed; what it
/// was wanted for is then extracted.
///
/// # Errors
///
/// As [`Compose::run`].
pub fn compose(
    compose: &mut Compose<'_>,
    read: &Read,
    selection: &Selection,
    command: &Spanned<String>,
    answer: &(dyn Fn(&str) -> Result<String, String> + Sync),
) -> Result<(Composed, Option<Diagnostic>), Error> {
    let mut asked = BTreeSet::new();
    loop {
        let bundle = compose.run(read, selection.clone())?;
        let wanted = wanted(compose, &bundle, &mut asked);
        if wanted.is_empty() {
            return Ok((bundle, None));
        }
        let texts: Vec<&String> = wanted.keys().collect();
        let answers: Vec<_> = texts.par_iter().map(|text| answer(text)).collect();
        let mut failed = Vec::new();
        for ((text, of), answer) in wanted.into_iter().zip(answers) {
            match answer {
                Ok(answer) => of.into_iter().for_each(|of| match of {
                    Of::Context(id) => {
                        compose.answers.insert(id, answer.clone());
                    }
                    Of::Past => {
                        compose.recaps.insert(text.clone(), answer.clone());
                    }
                }),
                Err(why) => failed.extend(of.into_iter().map(|of| (of, why.clone()))),
            }
        }
        if let Some(first) = failed.first() {
            // What fails once will fail again, and each try may take long.
            let bundle = compose.run(read, selection.clone())?;
            return Ok((bundle, Some(failure(command, first, failed.len()))));
        }
    }
}

/// What a text is of that is to be summarized.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    /// A context.
    Context(ContextId),
    /// The older part of the conversation.
    Past,
}

/// The texts that stand in a bundle as extracts and could be summarized, but for those `asked` for
/// already, and what they are of.
fn wanted(
    compose: &Compose<'_>,
    bundle: &Composed,
    asked: &mut BTreeSet<(Of, String)>,
) -> BTreeMap<String, Vec<Of>> {
    let mut wanted: BTreeMap<String, Vec<Of>> = BTreeMap::new();
    let extracts = bundle.loaded.iter().filter(|loaded| loaded.level == Level::Summary);
    let contexts = extracts.map(|loaded| compose.context(&loaded.id));
    let contexts = contexts.filter(|context| context.front.fields.summary.is_none());
    let contexts = contexts
        .map(|context| (Of::Context(context.id.clone()), context.body.text(compose.sources)));
    let past = bundle.older.iter().map(|older| (Of::Past, older.clone()));
    for (of, text) in contexts.chain(past) {
        let times = asked.iter().filter(|(known, _)| *known == of).count();
        if times < TIMES && asked.insert((of.clone(), text.clone())) {
            wanted.entry(text).or_default().push(of);
        }
    }
    wanted
}

fn failure(command: &Spanned<String>, (of, why): &(Of, String), count: usize) -> Diagnostic {
    let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
    let what = match of {
        Of::Context(id) => id.to_string(),
        Of::Past => "the conversation".to_owned(),
    };
    let message = format!("the summarizer failed for {what}{more}: {why}");
    summarizer_failed::RULE.at(command.span, message).help(
        "the bundle has an extract instead; run the command by hand with a text on standard input",
    )
}
