//! Findings for people: each with the lines that it points at, or each on one line.

use std::fmt::Write;

use rayon::prelude::*;

use faber_core::diagnostic::Diagnostic;
use faber_output::emit::{self, Masks};
use faber_session::settings::Settings;

use super::FindingSet;

/// Findings rendered into one buffer.
const DRAWN: usize = 64;

/// Every finding with its lines.
pub fn human(findings: &FindingSet<'_>, settings: &Settings) -> String {
    let handler = emit::handler(settings, settings.colour_stdout);
    let masks = Masks::new(findings.sources, findings.secrets);
    let draw = |out: &mut String, found: &Diagnostic| {
        let before = out.len();
        let report = emit::report(found, findings.sources, &masks);
        // A finding that the handler rejects gets one line.
        if handler.render_report(out, &report).is_err() {
            out.truncate(before);
            let _ = writeln!(out, "{}", emit::concise(found, findings.sources));
        }
        out.push('\n');
    };
    let drawn = findings.found.par_chunks(DRAWN).map(|some| {
        let mut out = String::new();
        for found in some {
            draw(&mut out, found);
        }
        out
    });
    drawn.collect()
}

/// Every finding on one line: `path:line:col: severity[rule] message`.
pub fn concise(findings: &FindingSet<'_>) -> String {
    let lines = findings.found.iter().map(|found| emit::concise(found, findings.sources) + "\n");
    lines.collect()
}
