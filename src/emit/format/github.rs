//! Findings as workflow commands of GitHub Actions, escaped as by `@actions/core`.

use std::fmt::Write;

use faber_core::diagnostic::Severity;
use faber_core::escape::Visible;

use super::FindingSet;

pub(crate) fn github(findings: &FindingSet<'_>) -> String {
    let mut out = String::new();
    for found in findings.found.iter().map(|found| findings.placed(found)) {
        let command = match found.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "notice",
        };
        let span = found.primary.span;
        let file = findings.sources.get(span.file);
        let (start, end) = (file.position(span.start), file.position(span.end));
        let path = property(&Visible(&findings.path(span.file)).to_string());
        let _ = write!(out, "::{command} file={path},line={},endLine={}", start.line, end.line);
        // GitHub shows columns only within one line.
        if start.line == end.line {
            let last = end.column.max(start.column + 1) - 1;
            let _ = write!(out, ",col={},endColumn={last}", start.column);
        }
        let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        let message = data(&format!("{}{help}", found.message));
        let _ = writeln!(out, ",title={}::{message}", property(found.code()));
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::rules::{missing_readme, unreadable};
    use faber_core::source::{SourceMap, Span};

    #[test]
    fn separators_of_properties_are_escaped() {
        let mut sources = SourceMap::default();
        let file = sources.add("a,b:c.md".into(), "one\ntwo\n".to_owned());
        let one = unreadable::RULE.at(Span::new(file, 0, 3), "100%").help("x\ny");
        let two = missing_readme::RULE.at(Span::new(file, 0, 7), "::error::x");
        let found = [one, two];
        let home = "packs/one".into();
        let findings = FindingSet {
            found: &found,
            sources: &sources,
            files: &[],
            secrets: &[],
            home,
            packs: &[],
            unchecked: &[],
        };
        assert_eq!(
            github(&findings),
            "::error file=packs/one/a%2Cb%3Ac.md,line=1,endLine=1,col=1,endColumn=3,title=unreadable::100%25%0Ax%0Ay\n\
             ::notice file=packs/one/a%2Cb%3Ac.md,line=1,endLine=2,title=missing-readme::::error::x\n"
        );
    }
}
