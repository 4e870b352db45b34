//! Findings as text.

use std::fmt::Write;

use rayon::prelude::*;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_output::emit::{self, Masks};
use faber_session::settings::{Settings, Verbosity};

use super::FindingSet;

const DRAWN: usize = 64;
const PAGE: usize = 36;

/// Source lines, a line per finding, or a line per rule except for errors: the first that fits a
/// page. Also whether something is omitted.
pub(crate) fn human(findings: &FindingSet<'_>, settings: &Settings, hints: bool) -> (String, bool) {
    let all: Vec<&Diagnostic> = findings.found.iter().collect();
    if settings.verbosity == Verbosity::Verbose {
        return (drawn(&all, findings, settings), false);
    }
    let shown = all.into_iter().filter(|it| hints || it.severity() != Severity::Hint);
    let shown: Vec<&Diagnostic> = shown.collect();
    let is_error = |it: &&Diagnostic| it.severity() == Severity::Error;
    if shown.len() > PAGE {
        let (errors, others): (Vec<_>, Vec<_>) = shown.into_iter().partition(is_error);
        let errors = emit::listed(&errors, findings.sources);
        let text = errors + &emit::grouped(&others, findings.sources);
        return (emit::painted(&text, settings.color_stdout), true);
    }
    let drawn = drawn(&shown, findings, settings);
    if drawn.lines().count() > PAGE {
        let text = emit::listed(&shown, findings.sources);
        return (emit::painted(&text, settings.color_stdout), true);
    }
    (drawn, shown.len() < findings.found.len())
}

fn drawn(shown: &[&Diagnostic], findings: &FindingSet<'_>, settings: &Settings) -> String {
    let handler = emit::handler(settings, settings.color_stdout);
    let masks = Masks::new(findings.sources, findings.secrets);
    let draw = |out: &mut String, found: &Diagnostic| {
        let report = emit::report(found, findings.sources, &masks);
        match emit::rendered(&handler, &report) {
            Ok(text) => out.push_str(&text),
            Err(_) => {
                let _ = writeln!(out, "{}", emit::concise(found, findings.sources));
            }
        }
        out.push('\n');
    };
    let drawn = shown.par_chunks(DRAWN).map(|some| {
        let mut out = String::new();
        for found in some {
            draw(&mut out, found);
        }
        out
    });
    drawn.collect()
}

pub(crate) fn concise(findings: &FindingSet<'_>) -> String {
    let lines = findings.found.iter().map(|found| emit::concise(found, findings.sources) + "\n");
    lines.collect()
}
