//! Diagnostics and errors as text.

pub mod junit;
mod window;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use camino::Utf8Path;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};

use self::window::Window;

use faber_core::config;
use faber_core::diagnostic::{Diagnostic, Label, Severity};
use faber_core::error::Error;
use faber_core::escape::{Visible, lines as visible_lines};
use faber_core::security::redact::{self, Redactor, hide};
use faber_core::source::{FileId, SourceMap, Span};
use faber_session::settings::{Settings, Verbosity};

use crate::text::counted;

/// Diagnostics with source; others take one line.
const IN_FULL: usize = 5;
const MANY_FILES: usize = 3;
/// Others are only counted.
const AT_ALL: usize = 30;

/// Labels in other files are related diagnostics.
#[derive(Debug)]
struct FindingReport {
    message: String,
    rule: Option<&'static str>,
    severity: miette::Severity,
    source: NamedSource<Window>,
    labels: Vec<LabeledSpan>,
    help: Option<String>,
    related: Vec<FindingReport>,
}

impl std::fmt::Display for FindingReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FindingReport {}

impl miette::Diagnostic for FindingReport {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.rule.map(|rule| Box::new(rule) as _)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        let related = self.related.iter().map(|report| report as &dyn miette::Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(related) as _)
    }
}

#[derive(Debug, Default)]
pub struct Masks {
    spans: BTreeMap<FileId, Vec<Span>>,
    redactor: Redactor,
}

impl Masks {
    pub fn new(sources: &SourceMap, spans: &[Span]) -> Self {
        let redactor = Redactor::new(sources, spans);
        let mut sorted = spans.to_vec();
        sorted.sort_unstable();
        let mut spans: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
        for span in sorted {
            let of_file = spans.entry(span.file).or_default();
            match of_file.last_mut().filter(|last| span.start <= last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => of_file.push(span),
            }
        }
        Self { spans, redactor }
    }

    fn masked(&self, sources: &SourceMap, part: Span) -> String {
        let mut bytes = sources.text(part).as_bytes().to_vec();
        let of_file = self.spans.get(&part.file).map(Vec::as_slice).unwrap_or_default();
        let from = of_file.partition_point(|mask| mask.end <= part.start);
        for mask in of_file[from..].iter().take_while(|mask| mask.start < part.end) {
            let (start, end) = (mask.start.max(part.start), mask.end.min(part.end));
            hide(&mut bytes[(start - part.start) as usize..(end - part.start) as usize]);
        }
        self.redactor.redact(&String::from_utf8_lossy(&bytes))
    }
}

/// `spans` must not be empty.
fn source(sources: &SourceMap, spans: &[Span], masks: &Masks) -> NamedSource<Window> {
    let id = spans[0].file;
    let file = sources.get(id);
    let spans = spans.iter().map(|span| window::shortened(*span, file));
    let start = spans.clone().map(|span| span.start).min().unwrap_or_default();
    let end = spans.map(|span| span.end).max().unwrap_or_default();
    let lines = window::lines(file, start as usize..end as usize);
    let text = masks.masked(sources, Span::new(id, lines.start, lines.end));
    NamedSource::new(Visible(file.path.as_str()).to_string(), Window::new(file, lines.start, &text))
}

fn labeled(label: &Label, sources: &SourceMap) -> LabeledSpan {
    let text = (!label.message.is_empty()).then(|| label.message.clone());
    let range = window::shortened(label.span, sources.get(label.span.file)).range();
    LabeledSpan::new(text, range.start, range.len().max(1))
}

fn report(diagnostic: &Diagnostic, sources: &SourceMap, masks: &Masks) -> FindingReport {
    let primary = diagnostic.primary.span;
    // The lines between distant labels are not scanned.
    let is_near = |label: &&Label| {
        label.span.file == primary.file
            && label.span.start.abs_diff(primary.start) < window::NEAR
            && label.span.end.abs_diff(primary.end) < window::NEAR
    };
    let (same, other): (Vec<_>, Vec<_>) = diagnostic.related.iter().partition(is_near);
    let labels = std::iter::once(&diagnostic.primary).chain(same);
    let spans: Vec<Span> = labels.clone().map(|label| label.span).collect();
    let related = |label: &Label| FindingReport {
        message: label.message.clone(),
        rule: None,
        severity: miette::Severity::Advice,
        source: source(sources, &[label.span], masks),
        labels: vec![labeled(&Label { message: String::new(), ..label.clone() }, sources)],
        help: None,
        related: Vec::new(),
    };
    let severity = match diagnostic.severity() {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
        Severity::Hint => miette::Severity::Advice,
    };
    FindingReport {
        message: diagnostic.message.clone(),
        rule: Some(diagnostic.code()),
        severity,
        source: source(sources, &spans, masks),
        labels: labels.map(|label| labeled(label, sources)).collect(),
        help: diagnostic.help.clone(),
        related: other.into_iter().map(related).collect(),
    }
}

pub fn handler(settings: &Settings, color: bool) -> GraphicalReportHandler {
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    GraphicalReportHandler::new_themed(theme)
        .with_width(settings.width)
        .with_links(false)
        .with_wrap_lines(false)
        .without_cause_chain()
}

pub fn drawn(
    handler: &GraphicalReportHandler,
    diagnostic: &Diagnostic,
    sources: &SourceMap,
    masks: &Masks,
) -> String {
    let mut text = String::new();
    let text_of_file = &sources.get(diagnostic.primary.span.file).text;
    let has_lines = !text_of_file.is_empty() || !diagnostic.related.is_empty();
    let report = || report(diagnostic, sources, masks);
    if !has_lines || handler.render_report(&mut text, &report()).is_err() {
        return listed(&[diagnostic], sources) + "\n";
    }
    let mut parts = text.split("\nAdvice: \n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + "\n" + &part.replacen('☞', "note:", 1)) + "\n"
}

/// As `path:line:col: severity[rule] message`.
pub fn concise(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    concise_at(diagnostic, path_of(diagnostic, sources), sources)
}

pub fn listed(found: &[&Diagnostic], sources: &SourceMap) -> String {
    let mut out = String::new();
    let mut before = None;
    for found in found {
        let _ = writeln!(out, "{}", concise(found, sources));
        let help = found.help.as_deref().map(|help| (found.code(), help));
        if let Some((_, help)) = help.filter(|_| help != before) {
            let _ = writeln!(out, "  help: {help}");
        }
        before = help;
    }
    out
}

/// Colours the severity and rule of lines.
pub fn painted(text: &str, color: bool) -> String {
    if !color {
        return text.to_owned();
    }
    let paint = |line: &str| {
        let colors = [("error[", "31"), ("warning[", "33"), ("hint[", "36")];
        let found = colors.into_iter().filter_map(|(word, color)| Some((line.find(word)?, color)));
        let (start, color) = found.min()?;
        let end = start + line[start..].find(']')? + 1;
        let (before, rest) = line.split_at(start);
        let (mark, message) = rest.split_at(end - start);
        Some(format!("{before}\u{1b}[1;{color}m{mark}\u{1b}[0m{message}"))
    };
    let lines = text.split_inclusive('\n');
    lines.map(|line| paint(line).unwrap_or_else(|| line.to_owned())).collect()
}

pub fn concise_at(diagnostic: &Diagnostic, path: &str, sources: &SourceMap) -> String {
    let severity = diagnostic.severity().name();
    let (code, message) = (diagnostic.code(), &diagnostic.message);
    format!("{}: {severity}[{code}] {message}", place_at(diagnostic, path, sources))
}

fn path_of<'s>(diagnostic: &Diagnostic, sources: &'s SourceMap) -> &'s str {
    sources.path(diagnostic.primary.span.file).as_str()
}

fn place_at(diagnostic: &Diagnostic, path: &str, sources: &SourceMap) -> String {
    let span = diagnostic.primary.span;
    let position = sources.get(span.file).position(span.start);
    format!("{}:{}:{}", Visible(path), position.line, position.column)
}

/// Per rule: count, most frequent message, first places.
pub fn grouped(found: &[&Diagnostic], sources: &SourceMap) -> String {
    let mut rules: BTreeMap<(Severity, &str), Vec<&Diagnostic>> = BTreeMap::new();
    for found in found {
        rules.entry((found.severity(), found.code())).or_default().push(found);
    }
    rules.into_values().map(|found| group(&found, sources)).collect()
}

fn group(found: &[&Diagnostic], sources: &SourceMap) -> String {
    let first = found[0];
    if found.len() == 1 {
        return listed(found, sources);
    }
    let files: BTreeSet<_> = found.iter().map(|found| found.primary.span.file).collect();
    let mut messages: BTreeMap<&str, usize> = BTreeMap::new();
    for found in found {
        *messages.entry(&found.message).or_default() += 1;
    }
    let heading = heading(first, found.len(), files.len());
    let most = messages.iter().max_by_key(|(message, count)| (**count, Reverse(**message)));
    let what = match most {
        Some((message, count)) if *count > 1 && *count < found.len() => {
            format!(", {count} × {}", Visible(message))
        }
        Some((message, count)) if *count == found.len() => format!(": {}", Visible(message)),
        _ => format!(", such as {}", first.message),
    };
    let help = first.help.as_deref().filter(|_| found.iter().all(|one| one.help == first.help));
    let help = help.map(|help| format!("  help: {help}\n")).unwrap_or_default();
    format!("{heading}{what}{}\n{help}", first_places(found, sources))
}

const PLACES: usize = 3;

fn first_places(found: &[&Diagnostic], sources: &SourceMap) -> String {
    let first = found.iter().take(PLACES).map(|it| place_at(it, path_of(it, sources), sources));
    format!("; first at {}", first.collect::<Vec<_>>().join(", "))
}

fn heading(first: &Diagnostic, findings: usize, files: usize) -> String {
    let (severity, code) = (first.severity().name(), first.code());
    format!("{severity}[{code}] {} in {}", counted(findings, "finding"), counted(files, "file"))
}

fn key(found: &Diagnostic) -> (&'static str, String) {
    (found.code(), found.message.clone())
}

#[derive(Default)]
struct Equals<'a> {
    found: Vec<&'a Diagnostic>,
    files: BTreeSet<&'a Utf8Path>,
}

fn without_equals<'a>(
    shown: &mut Vec<&'a Diagnostic>,
    sources: &'a SourceMap,
) -> BTreeMap<(&'static str, String), Equals<'a>> {
    let mut equals: BTreeMap<_, Equals<'_>> = BTreeMap::new();
    for found in shown.iter().filter(|found| found.severity() != Severity::Error) {
        let equal = equals.entry(key(found)).or_default();
        equal.found.push(found);
        equal.files.insert(sources.path(found.primary.span.file));
    }
    equals.retain(|_, equal| equal.files.len() >= MANY_FILES);
    let mut seen = BTreeSet::new();
    shown.retain(|found| !equals.contains_key(&key(found)) || seen.insert(key(found)));
    equals
}

pub fn findings(diagnostics: &[Diagnostic], sources: &SourceMap, settings: &Settings) -> String {
    let all = settings.verbosity == Verbosity::Verbose;
    let is_shown = |found: &&Diagnostic| all || found.severity() != Severity::Hint;
    let mut shown: Vec<&Diagnostic> = diagnostics.iter().filter(is_shown).collect();
    let equals = if all { BTreeMap::new() } else { without_equals(&mut shown, sources) };
    shown.sort_by_key(|found| (found.severity(), equals.contains_key(&key(found))));
    let counts: Vec<_> = shown.iter().map(|found| equals.get(&key(found))).collect();
    let (full, listed) = if all { (usize::MAX, usize::MAX) } else { (IN_FULL, AT_ALL) };
    let handler = handler(settings, settings.color_stderr);
    let mut printed: Vec<Diagnostic> = shown.iter().take(listed).map(|&one| one.clone()).collect();
    let secrets = redact::secrets_near(&printed, sources, &BTreeSet::new());
    let masks = Masks::new(sources, &secrets);
    redact::messages(&mut printed, &masks.redactor);
    let mut out = String::new();
    for (at, (diagnostic, equal)) in printed.iter().zip(counts).enumerate() {
        if let Some(equal) = equal {
            let heading = heading(diagnostic, equal.found.len(), equal.files.len());
            let places = first_places(&equal.found, sources);
            let heading = painted(&heading, settings.color_stderr);
            let _ = writeln!(out, "{heading}: {}{places}", Visible(&diagnostic.message));
            continue;
        }
        if config::is_command_line(sources, diagnostic.primary.span.file) {
            let (severity, message) = (diagnostic.severity().name(), &diagnostic.message);
            let line = format!("{severity}[{}] {message}", diagnostic.code());
            let _ = writeln!(out, "{}", painted(&line, settings.color_stderr));
            if let Some(help) = &diagnostic.help {
                let _ = writeln!(out, "  help: {help}");
            }
        } else if at < full {
            out.push_str(&drawn(&handler, diagnostic, sources, &masks));
        } else {
            let line = concise(diagnostic, sources);
            let _ = writeln!(out, "{}", painted(&line, settings.color_stderr));
        }
    }
    if shown.len() > listed {
        let _ = writeln!(out, "and {} more findings; `-v` prints all", shown.len() - listed);
    }
    out
}

pub fn failure(error: &Error, color: bool) -> String {
    let [red, cyan, plain] =
        if color { ["\u{1b}[1;31m", "\u{1b}[36m", "\u{1b}[0m"] } else { [""; 3] };
    let mut out = format!("{red}error:{plain} {}\n", visible_lines(&error.to_string()));
    if let Some(help) = miette::Diagnostic::help(error) {
        let _ = writeln!(out, "  {cyan}help:{plain} {}", visible_lines(&help.to_string()));
    }
    out
}
