//! Summaries by a user's command, which may cost money: only for extracts in a bundle.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::assemble::builder::BundleBuilder;
use crate::assemble::bundle::Bundle;
use crate::assemble::listing::Listing;
use crate::assemble::resolved::Read;
use crate::budget::level::Level;
use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::rules::summarizer_failed;
use crate::source::Spanned;

const TIMES: usize = 3;

/// If `answer` fails, extracts stay, and the second value reports it.
pub(crate) fn compose(
    builder: &mut BundleBuilder<'_>,
    read: &Read,
    listing: &Listing<'_>,
    command: &Spanned<String>,
    answer: &(dyn Fn(&str) -> Result<String, String> + Sync),
) -> Result<(Bundle, Option<Diagnostic>), Error> {
    let mut asked = BTreeSet::new();
    loop {
        let bundle = builder.run(read, listing)?;
        let wanted = wanted(builder, &bundle, &mut asked);
        if wanted.is_empty() {
            return Ok((bundle, None));
        }
        let texts: Vec<&String> = wanted.keys().collect();
        let answers: Vec<_> = texts.par_iter().map(|text| answer(text)).collect();
        let mut failed = Vec::new();
        for ((text, of), answer) in wanted.into_iter().zip(answers) {
            match answer {
                Ok(answer) => of.into_iter().for_each(|of| match of {
                    SummarySubject::Context(id) => {
                        builder.answers.insert(id, answer.clone());
                    }
                    SummarySubject::Conversation => {
                        builder.recaps.insert(text.clone(), answer.clone());
                    }
                }),
                Err(why) => failed.extend(of.into_iter().map(|of| (of, why.clone()))),
            }
        }
        if let Some(first) = failed.first() {
            let bundle = builder.run(read, listing)?;
            return Ok((bundle, Some(failure(command, first, failed.len()))));
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SummarySubject {
    Context(ContextId),
    Conversation,
}

fn wanted(
    builder: &BundleBuilder<'_>,
    bundle: &Bundle,
    asked: &mut BTreeSet<(SummarySubject, String)>,
) -> BTreeMap<String, Vec<SummarySubject>> {
    let mut wanted: BTreeMap<String, Vec<SummarySubject>> = BTreeMap::new();
    let extracts = bundle.loaded.iter().filter(|loaded| loaded.level == Level::Summary);
    let contexts = extracts.map(|loaded| builder.context(&loaded.id));
    let contexts = contexts.filter(|context| context.front.fields.summary.is_none());
    let contexts = contexts.map(|context| {
        (SummarySubject::Context(context.id.clone()), context.body.text(builder.sources))
    });
    let past = bundle.older.iter().map(|older| (SummarySubject::Conversation, older.clone()));
    for (of, text) in contexts.chain(past) {
        let times = asked.iter().filter(|(known, _)| *known == of).count();
        if times < TIMES && asked.insert((of.clone(), text.clone())) {
            wanted.entry(text).or_default().push(of);
        }
    }
    wanted
}

fn failure(
    command: &Spanned<String>,
    (of, why): &(SummarySubject, String),
    count: usize,
) -> Diagnostic {
    let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
    let what = match of {
        SummarySubject::Context(id) => id.to_string(),
        SummarySubject::Conversation => "the conversation".to_owned(),
    };
    let message = format!("the summarizer failed for {what}{more}: {why}");
    summarizer_failed::RULE.at(command.span, message).help(
        "the bundle has an extract instead; run the command by hand with a text on standard input",
    )
}
