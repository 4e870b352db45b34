//! Files of other tools as pieces.

use std::ops::Range;

use super::format::{Format, Kind, Recognized, Says, scoped, slug};
use super::managed::{self, Managed};
use super::piece::{self, Piece, Subject, tidy};
use faber_core::category::Load;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::ContextId;
use faber_core::parse::fields::{self, Fields};
use faber_core::parse::frontmatter::{self, Kind as FrontKind};
use faber_core::rules::{
    glob_invalid, import_inert, import_omitted, import_repaired, invalid_frontmatter,
    unknown_field, wrong_field_type,
};
use faber_core::select::globs;
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::yaml::{Entry, Node};

/// Fields that mean to faber what they mean to everybody, or decide who may see a text: they are
/// kept and count.
const SHARED: [&str; 8] =
    ["keywords", "errors", "tags", "version", "updated", "owner", "visibility", "groups"];

/// Fields that ask nobody to do anything.
const INERT: [&str; 9] =
    ["title", "license", "metadata", "author", "authors", "date", "compatibility", "name", "type"];

/// Reads the pieces of one file. `edited` gives the text of bytes of its body as it is to be, with
/// links that lead where they did.
pub fn pieces(
    sources: &SourceMap,
    file: FileId,
    what: &Recognized,
    edited: &dyn Fn(Range<usize>) -> String,
    found: &mut Vec<Diagnostic>,
) -> Vec<Piece> {
    let source = sources.get(file);
    let mut noticed = Vec::new();
    let parsed = frontmatter::read(sources, file, FrontKind::Context).drain_into(&mut noticed);
    let front = &parsed.front;
    let reader = Reader { what, file, node: &front.node, fields: &front.fields, noticed: &noticed };
    reader.report(&source.text[..parsed.body], found);
    let body = &source.text[parsed.body..];
    let parts = managed::parts(body);
    let mut all = Vec::new();
    for part in &parts {
        let inner = parsed.body + part.inner.start..parsed.body + part.inner.end;
        all.extend(reader.managed(part, inner, edited));
    }
    let own = own_ranges(parsed.body..source.text.len(), parsed.body, &parts);
    let text: String = own.into_iter().map(edited).collect();
    let text = tidy(&text);
    if parts.is_empty() || !text.is_empty() {
        all.push(reader.own(text, found));
    }
    all
}

/// The bytes of `body`, which begins at `start`, outside of `parts`.
fn own_ranges(body: Range<usize>, start: usize, parts: &[Managed]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = body.start;
    for part in parts {
        ranges.push(at..start + part.whole.start);
        at = start + part.whole.end;
    }
    ranges.push(at..body.end);
    ranges
}

struct Reader<'a> {
    what: &'a Recognized,
    file: FileId,
    node: &'a Node,
    fields: &'a Fields,
    noticed: &'a [Diagnostic],
}

impl Reader<'_> {
    /// The text that is somebody's own.
    fn own(&self, body: String, found: &mut Vec<Diagnostic>) -> Piece {
        let says = self.says();
        let kind = self.what.kind;
        let (name, title) = self.name();
        let id = ContextId::new(kind.category(says), name.as_str());
        let (globs, load) = self.when(found);
        Piece { title, ..self.piece(Subject::Context(id), globs, load, body) }
    }

    /// A part that faber wrote; none when it is no text of its own.
    fn managed(
        &self,
        part: &Managed,
        inner: Range<usize>,
        edited: &dyn Fn(Range<usize>) -> String,
    ) -> Option<Piece> {
        let subject = part.subject.clone()?;
        let mut body = tidy(&edited(inner));
        let shared = self.what.kind.is_shared();
        let (globs, load) = match &part.globs {
            Some(written) => {
                let globs: Vec<String> = globs_of(written);
                // In the file of a folder it is plain for which files a part is.
                if self.what.scope.as_str().is_empty() {
                    body = super::target::without_occasion(&body, &globs);
                }
                (globs, Load::Files)
            }
            None if shared => (Vec::new(), Load::Always),
            None => self.when(&mut Vec::new()),
        };
        let title = match self.what.kind {
            Kind::Skill => self.text("title"),
            _ => self.title().filter(|title| !shared && title != subject.name()),
        };
        Some(Piece { title, managed: true, ..self.piece(subject, globs, load, body) })
    }

    fn piece(&self, subject: Subject, globs: Vec<String>, load: Load, body: String) -> Piece {
        let everything = globs.iter().any(|glob| globs::matches_everything(glob));
        let load = if load == Load::Files && everything { Load::Always } else { load };
        let description = self.fields.description.as_ref();
        let description = description.map(|text| text.value.trim().to_owned());
        Piece {
            subject,
            title: None,
            description: description.filter(|text| !text.is_empty()),
            load,
            globs,
            keywords: self.triggers(),
            extra: self.extra(),
            body,
            at: Span::start_of(self.file),
            managed: false,
            suffix: String::new(),
        }
    }

    fn says(&self) -> Says {
        let listed = |key: &str| self.node.get(key).and_then(Node::items);
        let lists = ["globs", "paths", "applyTo"].map(listed);
        Says {
            always: self.node.get("alwaysApply").and_then(Node::as_bool),
            globs: !self.fields.globs.is_empty(),
            no_globs: self.fields.globs.is_empty()
                && lists.iter().flatten().any(|it| it.is_empty()),
            words: !self.triggers().is_empty(),
        }
    }

    /// Globs from the root and when to load. A file of a folder below speaks for that folder, so
    /// what always holds there holds for the files of that folder.
    fn when(&self, found: &mut Vec<Diagnostic>) -> (Vec<String>, Load) {
        let scope = &self.what.scope;
        let load = self.what.kind.load(self.says());
        let mut globs = Vec::new();
        for glob in &self.fields.globs {
            match globs::parse(glob) {
                Ok(_) => globs.push(scoped(&glob.value, scope)),
                Err(invalid) => found.push(invalid.of(&import_omitted::RULE)),
            }
        }
        let whole = self.what.kind.format() == Format::Copilot && globs == ["**"];
        if whole {
            return (Vec::new(), Load::Always);
        }
        if load == Load::Always && !scope.as_str().is_empty() {
            return (vec![scoped("**", scope)], Load::Files);
        }
        let load = if load == Load::Files && globs.is_empty() { Load::OnDemand } else { load };
        (globs, load)
    }

    /// The name, and the title when what the file calls its name is one for people.
    fn name(&self) -> (String, Option<String>) {
        let title = self.title();
        match title {
            Some(name) if is_name(&name) => (name, self.text("title")),
            title => (self.what.name.clone(), title),
        }
    }

    /// What the file calls itself.
    fn title(&self) -> Option<String> {
        self.text("name").or_else(|| self.text("title"))
    }

    fn text(&self, key: &str) -> Option<String> {
        let text = self.node.get(key).and_then(Node::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// The words of `triggers`.
    fn triggers(&self) -> Vec<String> {
        let Some(node) = self.node.get("triggers") else { return Vec::new() };
        let nodes = node.items().unwrap_or(std::slice::from_ref(node));
        let words = nodes.iter().filter_map(|node| Some(node.as_str()?.trim().to_owned()));
        words.filter(|word| !word.is_empty()).collect()
    }

    /// What is neither carried out nor to be left out.
    fn extra(&self) -> Vec<Entry> {
        let kept = |entry: &&Entry| match self.fate(entry) {
            Fate::Kept | Fate::Idle => true,
            Fate::Read | Fate::LeftOut => false,
        };
        let mut entries: Vec<Entry> = self.node.entries().iter().filter(kept).cloned().collect();
        // A name that is carried along must not become the name.
        entries.retain(|entry| entry.key != "title" && entry.key != "name");
        entries
    }

    fn fate(&self, entry: &Entry) -> Fate {
        let key = &*entry.key;
        let is_read = matches!(
            key,
            "description"
                | "globs"
                | "paths"
                | "applyTo"
                | "alwaysApply"
                | "triggers"
                | "name"
                | "title"
        );
        // Words that trigger are the keywords; both would be one key twice.
        let twice = key == "keywords" && !self.triggers().is_empty();
        if is_read || (entry.value.is_null() && fields::is_known(key)) {
            Fate::Read
        } else if matches!(key, "visibility" | "groups") {
            // What cannot be read must not become visible by being left out.
            Fate::Kept
        } else if SHARED.contains(&key) && !twice && !self.is_faulty(entry) {
            Fate::Kept
        } else if fields::is_known(key) {
            Fate::LeftOut
        } else if INERT.contains(&key) {
            Fate::Kept
        } else {
            Fate::Idle
        }
    }

    /// Whether something was found wrong with the value.
    fn is_faulty(&self, entry: &Entry) -> bool {
        let spans: Vec<Span> = match entry.value.items() {
            Some(items) => items.iter().map(|item| item.span).chain([entry.value.span]).collect(),
            None => vec![entry.value.span],
        };
        let wrong = self.noticed.iter().filter(|found| found.rule() == &wrong_field_type::RULE);
        wrong.into_iter().any(|found| {
            spans.iter().any(|span| {
                span.start <= found.primary.span.start && found.primary.span.end <= span.end
            }) || found.primary.span == entry.key_span
        })
    }

    /// Says what of the front matter is not carried over as it is.
    fn report(&self, head: &str, found: &mut Vec<Diagnostic>) {
        for noticed in self.noticed {
            found.extend(translated(noticed));
        }
        for entry in self.node.entries() {
            match self.fate(entry) {
                Fate::Read | Fate::Kept => {}
                Fate::LeftOut if self.is_faulty(entry) => {}
                Fate::Idle => found.push(import_inert::RULE.at(
                    entry.key_span,
                    format!("`{}` is kept, but has no effect in faber", entry.key),
                )),
                Fate::LeftOut => found.push(
                    import_omitted::RULE
                        .at(
                            entry.key_span,
                            format!("`{}` is left out: it has another meaning in faber", entry.key),
                        )
                        .help("add it to the imported context if faber should use it"),
                ),
            }
        }
        self.report_comments(head, found);
        self.report_names(found);
        self.report_always(found);
    }

    /// Comments of front matter are read by nobody but people, and are lost.
    fn report_comments(&self, head: &str, found: &mut Vec<Diagnostic>) {
        let mut scalars = Vec::new();
        gather_scalars(self.node, &mut scalars);
        scalars.sort_unstable_by_key(|span| (span.start, span.end));
        let mut at = 0;
        for line in head.split_inclusive('\n') {
            let end = at + line.trim_end().len();
            // What stands behind the last value of the line, or in all of it.
            let last = scalars.partition_point(|span| (span.start as usize) < end);
            let from = scalars[..last].last().map_or(at, |span| (span.end as usize).max(at));
            at += line.len();
            let Some(rest) = head.get(from..end) else { continue };
            let begins = from + line.len() == at;
            let comment = rest
                .find('#')
                .filter(|&hash| rest[..hash].ends_with([' ', '\t']) || (begins && hash == 0));
            if let Some(hash) = comment {
                let span = Span::new(self.file, from + hash, end);
                found.push(import_omitted::RULE.at(span, "this comment is left out"));
            }
        }
    }

    /// Says what of a name or of triggers is not carried over.
    fn report_names(&self, found: &mut Vec<Diagnostic>) {
        let entries = self.node.entries().iter();
        for entry in entries.filter(|entry| !entry.value.is_null()) {
            let is_text = entry.value.as_str().is_some();
            let lost = match &*entry.key {
                "name" | "description" => !is_text,
                "title" => !is_text || (self.text("name").is_some_and(|name| !is_name(&name))),
                "triggers" => self.triggers().is_empty(),
                _ => false,
            };
            if lost {
                let note =
                    format!("`{}` is left out: it cannot be read, or is said twice", entry.key);
                found.push(import_omitted::RULE.at(entry.key_span, note));
            }
        }
    }

    fn report_always(&self, found: &mut Vec<Diagnostic>) {
        let Some(value) = self.node.get("alwaysApply") else { return };
        if !value.is_null() && value.as_bool().is_none() {
            found.push(
                import_omitted::RULE
                    .at(value.span, "`alwaysApply` is left out: it is neither true nor false"),
            );
        }
    }
}

/// What becomes of an entry of front matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is said in faber's words.
    Read,
    /// It is kept as it is, and means what it meant.
    Kept,
    /// It is kept as it is, and nothing acts on it.
    Idle,
    /// It is not kept.
    LeftOut,
}

/// What reading the front matter noticed, as far as something is lost by it.
fn translated(noticed: &Diagnostic) -> Option<Diagnostic> {
    let rule = noticed.rule();
    match rule {
        _ if rule == &unknown_field::RULE || rule == &glob_invalid::RULE => None,
        _ if rule == &invalid_frontmatter::RULE && !noticed.fix.is_empty() => {
            let message = format!("{}; it was read as if fixed", noticed.message);
            Some(import_repaired::RULE.at(noticed.primary.span, message))
        }
        _ => {
            let message = format!("left out: {}", noticed.message);
            Some(import_omitted::RULE.at(noticed.primary.span, message))
        }
    }
}

/// The places of all values below `node` that are no collections.
fn gather_scalars(node: &Node, all: &mut Vec<Span>) {
    if node.scalar().is_some() {
        all.push(node.span);
    }
    for item in node.items().unwrap_or_default() {
        gather_scalars(item, all);
    }
    for entry in node.entries() {
        all.push(entry.key_span);
        gather_scalars(&entry.value, all);
    }
}

/// The globs in one text, separated by commas.
fn globs_of(text: &str) -> Vec<String> {
    fields::split_globs(text).map(|(_, glob)| glob.to_owned()).collect()
}

/// Whether a name can be the second half of an id as it is.
fn is_name(name: &str) -> bool {
    slug(name) == name && piece::file_name(name) == name
}
