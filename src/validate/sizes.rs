//! How much a view's contexts take, as the rules about budgets look at it: estimated from bytes, and
//! counted only where the estimate cannot tell, so that most runs need no tokenizer.

use crate::assemble::Job;
use crate::assemble::measure::{Measure, nothing};
use crate::budget::extract;
use crate::config::Limits;
use crate::line::Line;
use crate::resolve::catalog::Resolved;
use crate::source::{FileId, SourceMap};
use crate::tokens::estimate;
use crate::validate::check::ViewInput;

/// Tokens that faber's own line above a context takes, and what it says when it shortens one.
const FRAME: usize = 40;

/// What an estimate says of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// It is kept, however dense the text is.
    Within,
    /// Only counting tells.
    Near,
    /// It is not kept, however sparse the text is.
    Over,
}

/// Holds an estimated figure against a limit. Texts have 3 to 6.75 bytes a token, where the estimate
/// takes 4.5: half as many again, or two thirds.
pub fn guess(estimated: usize, limit: usize) -> Guess {
    if estimated.saturating_mul(3) <= limit.saturating_mul(2) {
        Guess::Within
    } else if estimated.saturating_mul(2) > limit.saturating_mul(3) {
        Guess::Over
    } else {
        Guess::Near
    }
}

/// A number of tokens as one of the machine's.
pub fn tokens(figure: u64) -> usize {
    usize::try_from(figure).unwrap_or(usize::MAX)
}

/// Runs `look` with what measures the contexts of a view; not when its model or encoding is unknown,
/// which is reported elsewhere.
pub fn with_measure(input: &ViewInput<'_>, look: impl FnOnce(&Measure<'_>, &Limits)) {
    let job: Job = nothing();
    let asked = (&job, input.view);
    if let Ok(measure) = Measure::new(input.whole.sources, input.catalog, input.config, asked) {
        look(&measure, measure.limits());
    }
}

/// About how many tokens all of a context takes, and no more than it allows itself.
pub fn whole(context: &Resolved) -> usize {
    let fields = &context.front.fields;
    let cap = fields.max_tokens.as_ref().filter(|_| fields.truncatable);
    let full = estimate(context.body.bytes()) + FRAME;
    full.min(cap.map_or(usize::MAX, |cap| tokens(cap.value)))
}

/// About how many tokens a context takes at summary level.
pub fn summary(context: &Resolved, sources: &SourceMap) -> usize {
    let text = |text: &str| estimate(text.len());
    FRAME
        + match &context.front.fields.summary {
            Some(summary) => text(&summary.value),
            None => text(&extract::summary(&context.body.text(sources), &text).text()),
        }
}

/// About how many tokens a context takes at the least when it has to be there.
pub fn least(context: &Resolved, sources: &SourceMap) -> usize {
    if !context.front.fields.truncatable {
        return whole(context);
    }
    let essence = estimate(extract::essence(context, sources).len()) + FRAME;
    essence.min(whole(context))
}

/// About how many tokens the prompt takes, and its file.
pub fn prompt(input: &ViewInput<'_>) -> Option<(usize, FileId)> {
    let lines: &[Line] = &input.read.prompt.lines;
    let bytes: usize = lines.iter().map(|line| line.origin.range().len() + 1).sum();
    Some((estimate(bytes), input.lineage?.role().prompt))
}
