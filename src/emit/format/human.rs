//! Findings for people: each with the lines that it points at, or each on one line.

use std::fmt::Write;

use crate::emit::{self, Masks};
use crate::settings::Settings;

use super::Findings;

/// Every finding with its lines.
pub fn human(findings: &Findings<'_>, settings: &Settings) -> String {
    let handler = emit::handler(settings, settings.colour_stdout);
    let masks = Masks::new(findings.sources, findings.secrets);
    let mut out = String::new();
    for found in findings.found {
        let before = out.len();
        let report = emit::report(found, findings.sources, &masks);
        // What the handler refuses is still told in one line.
        if handler.render_report(&mut out, &report).is_err() {
            out.truncate(before);
            let _ = writeln!(out, "{}", emit::concise(found, findings.sources));
        }
        out.push('\n');
    }
    out
}

/// Every finding on one line: `path:line:col: severity[rule] message`.
pub fn concise(findings: &Findings<'_>) -> String {
    let lines = findings.found.iter().map(|found| emit::concise(found, findings.sources) + "\n");
    lines.collect()
}
