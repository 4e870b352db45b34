//! Findings as text.

use rayon::prelude::*;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_output::emit::{self, Masks};
use faber_session::settings::{Settings, Verbosity};

use super::FindingSet;

const DRAWN: usize = 64;
const PAGE: usize = 36;

/// Source lines, a line per finding, or a line per rule except for errors: the first that fits a
/// page. Also what `-v` adds.
pub(crate) fn human(
    findings: &FindingSet<'_>,
    settings: &Settings,
    hints: bool,
) -> (String, Option<&'static str>) {
    let all: Vec<&Diagnostic> = findings.found.iter().collect();
    if settings.verbosity == Verbosity::Verbose {
        return (drawn(&all, findings, settings), None);
    }
    let shown = all.into_iter().filter(|it| hints || it.severity() != Severity::Hint);
    let shown: Vec<&Diagnostic> = shown.collect();
    let hides_hints = shown.len() < findings.found.len();
    let is_error = |it: &&Diagnostic| it.severity() == Severity::Error;
    if shown.len() > PAGE {
        let (errors, others): (Vec<_>, Vec<_>) = shown.into_iter().partition(is_error);
        let errors = emit::listed(&errors, findings.sources);
        let text = errors + &emit::grouped(&others, findings.sources);
        let text = emit::painted(&text, settings.color_stdout);
        return (text, Some("each finding with its source lines"));
    }
    let drawn = drawn(&shown, findings, settings);
    if drawn.lines().count() > PAGE {
        let more = if hides_hints { "hints and source lines" } else { "the source lines" };
        let text = emit::listed(&shown, findings.sources);
        return (emit::painted(&text, settings.color_stdout), Some(more));
    }
    (drawn, hides_hints.then_some("hints"))
}

fn drawn(shown: &[&Diagnostic], findings: &FindingSet<'_>, settings: &Settings) -> String {
    let handler = emit::handler(settings, settings.color_stdout);
    let masks = Masks::new(findings.sources, findings.secrets);
    let draw = |found: &&Diagnostic| emit::drawn(&handler, found, findings.sources, &masks);
    shown.par_chunks(DRAWN).map(|some| some.iter().map(draw).collect::<String>()).collect()
}

pub(crate) fn concise(findings: &FindingSet<'_>) -> String {
    let lines = findings.found.iter().map(|found| emit::concise(found, findings.sources) + "\n");
    lines.collect()
}
