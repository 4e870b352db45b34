use std::collections::BTreeMap;

use lsp_types::{
    Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString,
};

use crate::lsp::address;
use crate::lsp::analysis::Analysis;
use crate::lsp::client::EditorClient;
use crate::lsp::position::LineIndex;
use crate::lsp::scheduler::AnalysisJob;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::packs::CONFIG;
use faber_core::rule::Rule;
use faber_core::rules::{
    dead_context, deprecated_base, expired, identical_overlay, overlay_for_nobody,
    unreachable_keyword, unused_allow, unused_tool,
};
use faber_core::source::{FileId, Span};
use faber_lint::validate::LintOutcome;

/// Editors fade these.
static UNNECESSARY: [&Rule; 6] = [
    &dead_context::RULE,
    &identical_overlay::RULE,
    &unreachable_keyword::RULE,
    &unused_allow::RULE,
    &unused_tool::RULE,
    &overlay_for_nobody::RULE,
];
/// Editors strike these through.
static DEPRECATED: [&Rule; 2] = [&deprecated_base::RULE, &expired::RULE];

pub(crate) fn all(
    analysis: &Analysis,
    outcome: &LintOutcome,
    job: &AnalysisJob,
    client: EditorClient,
) -> BTreeMap<String, Vec<Shown>> {
    let mut made = Maker { analysis, job, client, files: BTreeMap::new() };
    let mut all: BTreeMap<String, Vec<Shown>> = BTreeMap::new();
    for found in &outcome.found {
        let (address, shown) = made.shown(found);
        all.entry(address).or_default().push(shown);
    }
    all
}

pub(crate) fn one(
    analysis: &Analysis,
    found: &Diagnostic,
    job: &AnalysisJob,
    client: EditorClient,
) -> Shown {
    Maker { analysis, job, client, files: BTreeMap::new() }.shown(found).1
}

struct Maker<'a> {
    analysis: &'a Analysis,
    job: &'a AnalysisJob,
    client: EditorClient,
    files: BTreeMap<FileId, (Option<String>, LineIndex<'a>)>,
}

impl<'a> Maker<'a> {
    fn shown(&mut self, found: &Diagnostic) -> (String, Shown) {
        let span = found.primary.span;
        let mut message = found.message.clone();
        if !found.primary.message.is_empty() {
            message = format!("{message}\n{}", found.primary.message);
        }
        if let Some(help) = &found.help {
            message = format!("{message}\nhelp: {help}");
        }
        let (address, range) = if let Some(address) = self.file(span.file).0.clone() {
            (address, self.range(span))
        } else {
            let place = self.analysis.sources().place(span);
            message = format!("{place}: {message}");
            let path = self.analysis.linter.workspace.files.root().join(CONFIG);
            (address::of(&path), lsp_types::Range::default())
        };
        let labels: &[_] = if self.client.related { &found.related } else { &[] };
        let related = labels.iter().filter_map(|label| {
            let uri = address::typed(self.file(label.span.file).0.as_ref()?)?;
            let location = Location { uri, range: self.range(label.span) };
            Some(DiagnosticRelatedInformation { location, message: label.message.clone() })
        });
        let related: Vec<_> = related.collect();
        let shown = Shown {
            range,
            severity: Some(severity(found.severity())),
            code: Some(NumberOrString::String(found.code().to_owned())),
            code_description: None,
            source: Some("faber".to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            tags: tag(found.rule()).map(|tag| vec![tag]),
            data: None,
        };
        (address, shown)
    }

    fn range(&mut self, span: Span) -> lsp_types::Range {
        self.file(span.file).1.range(span.range())
    }

    fn file(&mut self, file: FileId) -> &(Option<String>, LineIndex<'a>) {
        let (analysis, job, encoding) = (self.analysis, self.job, self.client.encoding);
        self.files
            .entry(file)
            .or_insert_with(|| (address_of(analysis, job, file), analysis.places(file, encoding)))
    }
}

pub(crate) fn address_of(analysis: &Analysis, job: &AnalysisJob, file: FileId) -> Option<String> {
    let path = analysis.sources().path(file);
    let open = job.open.get(path).map(|file| file.address.clone());
    open.or_else(|| analysis.path_of(file).map(|path| address::of(&path)))
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

fn tag(rule: &Rule) -> Option<DiagnosticTag> {
    if UNNECESSARY.contains(&rule) {
        Some(DiagnosticTag::UNNECESSARY)
    } else {
        DEPRECATED.contains(&rule).then_some(DiagnosticTag::DEPRECATED)
    }
}
