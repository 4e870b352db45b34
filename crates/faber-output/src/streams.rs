//! Input and output of a command.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{Read, Write};

use camino::Utf8Path;

use crate::emit;
use crate::text::counted;
use faber_core::assemble::{Assembly, ResolvedPack};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::escape::{self, Visible};
use faber_core::not_utf8::NotUtf8;
use faber_core::packs;
use faber_core::resolve::view::Why;
use faber_core::rule::Rule;
use faber_core::rules::{
    not_utf8, oversized_file, special_file, symlink, unavailable_pack, unknown_overlay, unreadable,
};
use faber_core::security::redact;
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::workspace::Viewer;
use faber_session::discover::atomic::Writer;
use faber_session::discover::root;
use faber_session::input_text;
use faber_session::session::{ResolvedView, Session, Workspace};
use faber_session::settings::{Settings, Verbosity};

pub struct Streams<'a> {
    pub out: &'a mut dyn Write,
    pub err: &'a mut dyn Write,
    pub input: &'a mut dyn Read,
    pub settings: &'a Settings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    Done,
    Findings,
    Failed,
}

impl ExitStatus {
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Findings => 1,
            Self::Failed => 2,
        }
    }
}

/// # Panics
///
/// If map keys in `data` are not strings.
pub fn json(data: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(data).expect("the data formats have text keys only");
    escape::json(&text).into_owned() + "\n"
}

static UNREAD: [&Rule; 6] = [
    &unavailable_pack::RULE,
    &unreadable::RULE,
    &not_utf8::RULE,
    &special_file::RULE,
    &oversized_file::RULE,
    &symlink::RULE,
];

pub fn is_unread(found: &Diagnostic) -> bool {
    UNREAD.contains(&found.rule()) && found.severity() != Severity::Hint
}

fn unusable_files(assembly: &Assembly) -> impl Iterator<Item = FileId> {
    let Assembly { pack, bundle, .. } = assembly;
    let excluded = bundle.excluded.iter();
    let excluded = excluded.filter(|it| matches!(it.why, Why::Invalid | Why::Insecure));
    excluded.flat_map(|excluded| {
        let documents = pack.documents.iter().filter(|document| document.id == excluded.id);
        let visible = documents.filter(|document| pack.view.may_report(&document.front.fields));
        visible.map(|document| document.file)
    })
}

fn is_context(path: &Utf8Path) -> bool {
    let is_folder = |part: camino::Utf8Component<'_>| part.as_str() == "contexts";
    let is_of_pack = packs::of_path(path).is_some();
    path.extension() != Some("yml") && (is_of_pack || path.components().any(is_folder))
}

pub fn is_stdout(path: &Utf8Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(&path.as_str())
}

pub fn replaced(name: &str, places: usize) -> String {
    if places == 0 {
        return String::new();
    }
    let (name, places) = (Visible(name), counted(places, "place"));
    format!("warning: `{name}` has invalid UTF-8; {places} replaced with U+FFFD\n")
}

pub const STDOUT: &str = "standard output";

impl Streams<'_> {
    /// Masks secrets.
    ///
    /// # Errors
    ///
    /// If standard output is closed or full.
    pub fn print(&mut self, text: &str) -> Result<(), Error> {
        self.print_bytes(redact::masked(text).as_bytes())
    }

    /// On a terminal, escapes control and invisible characters.
    ///
    /// # Errors
    ///
    /// See [`Self::print`].
    pub fn print_text(&mut self, text: &str) -> Result<(), Error> {
        let text = self.shown(text);
        self.print(&text)
    }

    pub fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_terminal = self.settings.stdout_width.is_some();
        if is_terminal { escape::lines(text) } else { Cow::Borrowed(text) }
    }

    /// # Errors
    ///
    /// See [`Self::print`].
    pub fn print_unmasked(&mut self, text: &str) -> Result<(), Error> {
        self.print_bytes(text.as_bytes())
    }

    /// # Errors
    ///
    /// See [`Self::print`].
    pub fn print_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let fail = |source| Error::Io { action: "write", path: STDOUT.into(), source };
        self.out.write_all(bytes).map_err(fail)?;
        self.out.flush().map_err(fail)
    }

    /// # Errors
    ///
    /// See [`Self::print`].
    ///
    /// # Panics
    ///
    /// If map keys in `data` are not strings.
    pub fn print_json(&mut self, data: &impl serde::Serialize) -> Result<(), Error> {
        self.print(&json(data))
    }

    /// Prints if `path` is none or standard output.
    ///
    /// # Errors
    ///
    /// See [`Writer::replace`].
    pub fn deliver(&mut self, path: Option<&Utf8Path>, text: &str) -> Result<(), Error> {
        let Some(path) = path.filter(|path| !is_stdout(path)) else { return self.print(text) };
        let writer = Writer::new(&root::find(&self.settings.start)?);
        writer.replace(&self.settings.cwd.join(path), &redact::masked(text))
    }

    /// Masks secrets; ignores a closed stream.
    pub fn eprint(&mut self, text: &str) {
        self.eprint_bytes(redact::masked(text).as_bytes());
    }

    /// Without masking, for cached output.
    pub fn eprint_bytes(&mut self, bytes: &[u8]) {
        let _ = self.err.write_all(bytes);
    }

    pub fn note(&mut self, text: &str) {
        if self.settings.verbosity > Verbosity::Quiet {
            self.eprint(text);
        }
    }

    pub fn eprint_findings(&mut self, workspace: &Workspace) {
        self.eprint_findings_in(&BTreeSet::new(), workspace);
    }

    /// Includes findings about unreadable files; with `-v`, all.
    pub fn eprint_findings_in(&mut self, files: &BTreeSet<FileId>, workspace: &Workspace) {
        if self.settings.verbosity == Verbosity::Quiet {
            return self.eprint_unread(workspace);
        }
        let is_verbose = self.settings.verbosity == Verbosity::Verbose;
        let sources = &workspace.sources;
        let original = |file: &FileId| sources.original(Span::start_of(*file)).file;
        let files: BTreeSet<FileId> = files.iter().map(original).collect();
        let is_about =
            |span: Span| files.contains(&span.file) || !is_context(sources.path(span.file));
        let findings = workspace.findings().into_iter();
        let (shown, others): (Vec<_>, Vec<_>) = findings.partition(|found| {
            let spans = found.related.iter().map(|label| label.span);
            (is_verbose && found.severity() != Severity::Hint)
                || is_unread(found)
                || std::iter::once(found.primary.span).chain(spans).any(is_about)
        });
        self.eprint(&emit::findings(&shown, sources, self.settings));
        self.eprint_others(&others, workspace);
    }

    fn eprint_others(&mut self, others: &[Diagnostic], workspace: &Workspace) {
        if self.settings.verbosity == Verbosity::Verbose {
            let others: Vec<_> = others.iter().collect();
            return self.eprint(&emit::grouped(&others, &workspace.sources));
        }
        let where_they_are =
            match others.iter().filter(|it| it.severity() != Severity::Hint).count() {
                0 => return,
                1 => "1 problem in another file".to_owned(),
                count => format!("{count} problems in other files"),
            };
        self.eprint(&format!("{where_they_are}; run `faber validate`\n"));
    }

    pub fn eprint_fatal(&mut self, error: &Error, workspace: &Workspace) {
        let Error::Findings { found: fatal, .. } = error else { return };
        if self.settings.verbosity > Verbosity::Quiet {
            let files: BTreeSet<_> = fatal.iter().map(|found| found.primary.span.file).collect();
            let mut others = workspace.findings();
            others.retain(|found| !files.contains(&found.primary.span.file));
            self.eprint_others(&others, workspace);
        }
        self.eprint(&emit::findings(fatal, &workspace.sources, self.settings));
    }

    pub fn eprint_assembly_findings(
        &mut self,
        assembled: &Result<Assembly, Error>,
        workspace: &Workspace,
    ) {
        match assembled {
            Ok(assembly) => {
                let mut files = assembly.files();
                files.extend(unusable_files(assembly));
                self.eprint_findings_in(&files, workspace);
            }
            Err(error @ Error::Findings { .. }) => self.eprint_fatal(error, workspace),
            Err(_) => self.eprint_findings(workspace),
        }
    }

    /// Errors are always printed.
    pub fn eprint_concise(&mut self, found: &[Diagnostic], sources: &SourceMap) {
        let least = match self.settings.verbosity {
            Verbosity::Quiet => Severity::Error,
            Verbosity::Normal => Severity::Warning,
            Verbosity::Verbose => Severity::Hint,
        };
        for found in found.iter().filter(|found| found.severity() <= least) {
            self.eprint(&format!("{}\n", emit::concise(found, sources)));
        }
    }

    /// Prints errors that prevent it.
    ///
    /// # Errors
    ///
    /// See [`Workspace::resolve`].
    pub fn view(&mut self, session: &Session, viewer: &Viewer) -> Result<ResolvedView, Error> {
        let mut workspace = session.workspace();
        let resolved = self.resolve(&mut workspace, viewer)?;
        Ok(ResolvedView { workspace, resolved })
    }

    /// # Errors
    ///
    /// See [`Workspace::resolve`].
    pub fn resolve(
        &mut self,
        workspace: &mut Workspace,
        viewer: &Viewer,
    ) -> Result<ResolvedPack, Error> {
        workspace.resolve(viewer).inspect_err(|error| self.eprint_fatal(error, workspace))
    }

    /// Even with `--quiet`.
    pub fn eprint_errors(&mut self, workspace: &Workspace) {
        self.eprint_errors_of(workspace, |_| true);
    }

    /// Errors of texts that the result lacks.
    pub fn eprint_unread(&mut self, workspace: &Workspace) {
        self.eprint_errors_of(workspace, is_unread);
    }

    pub fn eprint_unknown_overlays(&mut self, workspace: &Workspace) {
        let mut found = workspace.findings();
        found.retain(|found| found.rule() == &unknown_overlay::RULE);
        self.note(&emit::findings(&found, &workspace.sources, self.settings));
    }

    fn eprint_errors_of(&mut self, workspace: &Workspace, wanted: fn(&Diagnostic) -> bool) {
        let mut errors = workspace.findings();
        errors.retain(|found| found.severity() == Severity::Error && wanted(found));
        self.eprint(&emit::findings(&errors, &workspace.sources, self.settings));
    }

    /// # Errors
    ///
    /// If reading fails, or for other encodings than UTF-8.
    pub fn read_input(&mut self) -> Result<String, Error> {
        self.read_as(input_text::decode)
    }

    /// Replaces bytes that are not UTF-8, with a note.
    ///
    /// # Errors
    ///
    /// See [`Self::read_input`].
    pub fn read_log(&mut self) -> Result<String, Error> {
        let read = self.read_as(input_text::decode_lossy)?;
        self.note(&replaced("standard input", read.replaced));
        Ok(read.text)
    }

    fn read_as<T>(&mut self, decode: fn(&[u8]) -> Result<T, NotUtf8>) -> Result<T, Error> {
        let mut bytes = Vec::new();
        let fail = |source| Error::Io { action: "read", path: "standard input".into(), source };
        self.input.read_to_end(&mut bytes).map_err(fail)?;
        decode(&bytes)
            .map_err(|why| Error::usage(format!("standard input is {why}"), "convert it to UTF-8"))
    }
}
