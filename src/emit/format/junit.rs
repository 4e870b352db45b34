//! Findings as `JUnit` XML: one test case per file, which fails by the findings in it.

use std::collections::BTreeMap;
use std::fmt::Write;

use camino::Utf8Path;

use crate::diagnostic::{Diagnostic, Severity};
use crate::emit;

use super::{Findings, xml};

/// The document. A hint fails no case; it stands in its output.
pub fn junit(findings: &Findings<'_>) -> String {
    let mut of_file: BTreeMap<&Utf8Path, Vec<&Diagnostic>> =
        findings.files.iter().map(|path| (path.as_path(), Vec::new())).collect();
    for found in findings.found {
        of_file.entry(findings.sources.path(found.primary.span.file)).or_default().push(found);
    }
    let fails = |found: &&&Diagnostic| found.severity != Severity::Hint;
    let failed = of_file.values().filter(|found| found.iter().any(|one| fails(&one))).count();
    let counts = format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\"", of_file.len());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"faber validate\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"faber validate\" {counts} skipped=\"0\">");
    for (path, found) in of_file {
        let name = xml(path.as_str());
        let _ = write!(
            out,
            "    <testcase name=\"{name}\" classname=\"faber.validate\" file=\"{name}\""
        );
        if found.is_empty() {
            out.push_str("/>\n");
            continue;
        }
        out.push_str(">\n");
        let lines = |found: &[&&Diagnostic]| -> String {
            let lines = found.iter().map(|found| emit::concise(found, findings.sources));
            xml(&lines.collect::<Vec<_>>().join("\n"))
        };
        let failing: Vec<&&Diagnostic> = found.iter().filter(fails).collect();
        if let Some(first) = failing.first() {
            let (rule, message) = (xml(first.rule), xml(&first.message));
            let text = lines(&failing);
            let _ = writeln!(
                out,
                "      <failure type=\"{rule}\" message=\"{message}\">{text}</failure>"
            );
        }
        let hints: Vec<&&Diagnostic> = found.iter().filter(|found| !fails(found)).collect();
        if !hints.is_empty() {
            let _ = writeln!(out, "      <system-out>{}</system-out>", lines(&hints));
        }
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}
