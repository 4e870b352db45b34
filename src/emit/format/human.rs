//! Findings as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use rayon::prelude::*;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::source::SourceMap;
use faber_output::emit::{self, Masks};
use faber_session::settings::{Settings, Verbosity};

use super::FindingSet;

const DRAWN: usize = 64;
const PAGE: usize = 36;

/// Source lines, one line per finding, or one per rule except for errors: the first that fits a
/// page.
pub(crate) fn human(findings: &FindingSet<'_>, settings: &Settings, hints: bool) -> (String, bool) {
    let all: Vec<&Diagnostic> = findings.found.iter().collect();
    if settings.verbosity == Verbosity::Verbose {
        return (drawn(&all, findings, settings), false);
    }
    let shown = all.into_iter().filter(|it| hints || it.severity() != Severity::Hint);
    let shown: Vec<&Diagnostic> = shown.collect();
    let is_error = |it: &&Diagnostic| it.severity() == Severity::Error;
    let errors = shown.iter().copied().filter(is_error);
    let help: BTreeSet<&str> = errors.filter_map(|found| found.help.as_deref()).collect();
    let help: String = help.into_iter().flat_map(|help| ["help: ", help, "\n"]).collect();
    if shown.len() > PAGE {
        let (errors, others): (Vec<_>, Vec<_>) = shown.into_iter().partition(is_error);
        let errors = listed(&errors, findings.sources);
        return (errors + &emit::grouped(&others, findings.sources) + &help, true);
    }
    let drawn = drawn(&shown, findings, settings);
    if drawn.lines().count() > PAGE {
        return (listed(&shown, findings.sources) + &help, true);
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
            // A finding that the handler rejects gets one line.
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
    listed(&findings.found.iter().collect::<Vec<_>>(), findings.sources)
}

fn listed(found: &[&Diagnostic], sources: &SourceMap) -> String {
    found.iter().map(|found| emit::concise(found, sources) + "\n").collect()
}
