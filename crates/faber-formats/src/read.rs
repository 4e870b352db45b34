//! Splits files into pieces.

use std::ops::Range;

use super::format::{Format, LoadConditions, Recognized, SourceKind, scoped, slug};
use super::front;
use super::managed::{self, Managed};
use super::piece::{self, ExchangePiece, Subject, tidy};
use faber_core::budget::gist;
use faber_core::category::Load;
use faber_core::context_id::ContextId;
use faber_core::decision;
use faber_core::diagnostic::Diagnostic;
use faber_core::markdown::{self, BlockKind};
use faber_core::parse::fence;
use faber_core::parse::fields::{self, ContextStatus, Fields};
use faber_core::parse::frontmatter::{self, FrontKind};
use faber_core::rules::{
    glob_invalid, import_inert, import_omitted, import_repaired, invalid_frontmatter,
    unknown_field, wrong_field_type,
};
use faber_core::select::globs;
use faber_core::source::{FileId, SourceMap, Span, Spanned};
use faber_core::yaml::{Entry, Node, ScalarKind};

/// Characters.
const MAX_DESCRIPTION: usize = 200;

const MAX_OCCASIONS: usize = 400;

const READ: [&str; 8] =
    ["description", "globs", "paths", "applyTo", "alwaysApply", "triggers", "name", "title"];

const SHARED: [&str; 8] =
    ["keywords", "errors", "tags", "version", "updated", "owner", "visibility", "groups"];

const INERT: [&str; 7] =
    ["license", "metadata", "author", "authors", "date", "compatibility", "type"];

pub fn pieces(
    sources: &SourceMap,
    file: FileId,
    what: &Recognized,
    edited: &dyn Fn(usize, Range<usize>) -> String,
    found: &mut Vec<Diagnostic>,
) -> Vec<ExchangePiece> {
    let source = sources.get(file);
    let mut noticed = Vec::new();
    let parsed = frontmatter::read(sources, file, FrontKind::Context).drain_into(&mut noticed);
    let front = &parsed.front;
    let body = &source.text[parsed.body..];
    let heading = if matches!(what.kind, SourceKind::Document(_)) { heading(body) } else { None };
    let (node, fields) = (&front.node, &front.fields);
    let reader = PieceReader { what, file, node, fields, noticed: &noticed, heading };
    reader.report(&source.text[..parsed.body], found);
    let mut all = Vec::new();
    let parts = managed::parts(body);
    for (part, subject) in contexts(&parts) {
        let body = tidy(&edited(all.len(), inner(part, parsed.body)));
        all.push(reader.managed(part, subject, body));
    }
    let own = managed::own_ranges(parsed.body..source.text.len(), &parts);
    let texts = own.into_iter().map(|range| tidy(&edited(all.len(), range)));
    let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    if parts.is_empty() || !text.is_empty() {
        all.push(reader.own(text, found));
    }
    all
}

/// Ranges of [`pieces`]. The last is the user's own text.
pub fn ranges(text: &str) -> Vec<Vec<Range<usize>>> {
    let body = fence::body(text);
    let parts = managed::parts(&text[body..]);
    let own = managed::own_ranges(body..text.len(), &parts);
    contexts(&parts).map(|(part, _)| vec![inner(part, body)]).chain([own]).collect()
}

fn contexts(parts: &[Managed]) -> impl Iterator<Item = (&Managed, &Subject)> {
    parts.iter().filter_map(|part| Some((part, part.subject.as_ref()?)))
}

fn inner(part: &Managed, body: usize) -> Range<usize> {
    body + part.inner.start..body + part.inner.end
}

/// A heading of level 1, or the only one of its level, at the start.
fn heading(body: &str) -> Option<String> {
    let blocks = markdown::blocks(body);
    let mut headings = blocks.iter().enumerate().filter_map(|(at, block)| match &block.kind {
        BlockKind::Heading { text, level, .. } if !text.trim().is_empty() => {
            Some((at, *level, text.trim()))
        }
        _ => None,
    });
    let (at, first, text) = headings.next()?;
    let is_whole = first == 1 || (at == 0 && headings.all(|(_, level, _)| level > first));
    is_whole.then(|| text.to_owned())
}

struct PieceReader<'a> {
    what: &'a Recognized,
    file: FileId,
    node: &'a Node,
    fields: &'a Fields,
    noticed: &'a [Diagnostic],
    heading: Option<String>,
}

impl PieceReader<'_> {
    fn own(&self, body: String, found: &mut Vec<Diagnostic>) -> ExchangePiece {
        let says = self.says();
        let kind = self.what.kind;
        let (name, title) = match kind {
            SourceKind::Document(_) => {
                (self.what.name.clone(), self.title().or(self.heading.clone()))
            }
            _ => self.name(),
        };
        let id = ContextId::new(kind.category(says), name.as_str());
        let (globs, load) = self.when(found);
        let own = self.piece(Subject::Context(id), globs, load, body);
        let is_chosen = matches!(kind, SourceKind::Document(_)) || load == Load::OnDemand;
        let description = own.description.clone();
        let title_in_front = self.text("title");
        let derived = || gist::description(&own.body, title_in_front.as_deref());
        let titled = |text: String| match &title {
            Some(title) => gist::titled(title, &name, &text),
            None => text,
        };
        let derived = || Some(piece::shortened(&titled(derived()?), MAX_DESCRIPTION));
        let description = description.or_else(|| is_chosen.then(derived).flatten());
        let description = self.with_occasions(description);
        let mut extra = own.extra;
        if let Some(status) = self.status(&own.body) {
            extra.push(piece::text("status", status.name(), own.at));
            let message = format!(
                "this decision is outdated; imported with `status: {}`, which leaves it out of bundles",
                status.name()
            );
            found.push(import_omitted::RULE.at(own.at, message));
        }
        ExchangePiece { title, description, extra, ..own }
    }

    fn status(&self, body: &str) -> Option<ContextStatus> {
        if !matches!(self.what.kind, SourceKind::Document(_)) {
            return None;
        }
        self.front_status().or_else(|| decision::status(body).map(|stated| stated.status))
    }

    fn front_status(&self) -> Option<ContextStatus> {
        let is_document = matches!(self.what.kind, SourceKind::Document(_));
        decision::of_words(&self.text("status").filter(|_| is_document)?)
    }

    fn managed(&self, part: &Managed, subject: &Subject, mut body: String) -> ExchangePiece {
        let shared = self.what.kind.is_shared();
        let (globs, load) = match &part.globs {
            Some(written) => {
                let globs = fields::split_globs(written).map(|(_, glob)| glob.to_owned());
                let globs: Vec<String> = globs.collect();
                if self.what.scope.as_str().is_empty() {
                    body = managed::without_occasion(&body, &globs);
                }
                (globs, Load::Files)
            }
            None if shared => (Vec::new(), Load::Always),
            None => self.when(&mut Vec::new()),
        };
        let title = match self.what.kind {
            SourceKind::Skill => self.text("title"),
            _ => self.title().filter(|title| !shared && title != subject.name()),
        };
        ExchangePiece { title, managed: true, ..self.piece(subject.clone(), globs, load, body) }
    }

    fn piece(
        &self,
        subject: Subject,
        globs: Vec<String>,
        load: Load,
        body: String,
    ) -> ExchangePiece {
        let everything = globs.iter().any(|glob| globs::matches_everything(glob));
        let load = if load == Load::Files && everything { Load::Always } else { load };
        let description = self.fields.description.as_ref();
        let description = description.map(|text| text.value.trim().to_owned());
        ExchangePiece {
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

    fn with_occasions(&self, description: Option<String>) -> Option<String> {
        let mut text = description.unwrap_or_default();
        let metadata = self.node.get("metadata").map_or(&[][..], Node::entries);
        let own = self.node.entries().iter().filter(|entry| self.is_occasion(entry));
        for entry in own.chain(metadata).filter(|_| self.what.kind == SourceKind::Skill) {
            let said = text.to_lowercase();
            let is_new = |occasion: &String| !said.contains(&occasion.to_lowercase());
            let new: Vec<String> = occasions(entry).into_iter().filter(is_new).collect();
            if !new.is_empty() {
                let gap = match text.chars().next_back() {
                    None => "",
                    Some('.' | '!' | '?' | '。' | '！' | '？') => " ",
                    Some(_) => ". ",
                };
                text.push_str(gap);
                text.push_str(&piece::shortened(&new.join("; "), MAX_OCCASIONS));
            }
        }
        Some(text).filter(|text| !text.is_empty())
    }

    fn is_occasion(&self, entry: &Entry) -> bool {
        let is_skill = self.what.kind == SourceKind::Skill;
        is_skill && !READ.contains(&&*entry.key) && !occasions(entry).is_empty()
    }

    fn says(&self) -> LoadConditions {
        let listed = |key: &str| self.node.get(key).and_then(Node::items);
        let lists = ["globs", "paths", "applyTo"].map(listed);
        let has_globs = !self.globs().is_empty();
        let kind = self.what.kind;
        let heading = self.heading.as_deref().unwrap_or_default();
        let is_manual = kind.is_invoked() && fields::is_manual(self.node);
        let mode = || kind.own_keys().iter().find_map(|key| kind.mode(&self.text(key)?));
        LoadConditions {
            always: self.node.get("alwaysApply").and_then(Node::as_bool),
            globs: has_globs,
            no_globs: !has_globs && lists.iter().flatten().any(|it| it.is_empty()),
            words: !self.triggers().is_empty(),
            topic: front::topic(&self.what.name).or_else(|| front::topic(heading)),
            mode: is_manual.then_some(Load::Never).or_else(mode),
        }
    }

    fn globs(&self) -> Vec<Spanned<String>> {
        let own = self.what.kind.own_keys().iter().filter(|key| key.ends_with("Pattern"));
        let own = own.filter_map(|key| self.node.get(key));
        let items = own.flat_map(|node| node.items().unwrap_or(std::slice::from_ref(node)));
        let own = items.flat_map(|node| {
            let globs = fields::split_globs(node.as_str().unwrap_or_default());
            globs.map(|(_, glob)| Spanned { value: glob.to_owned(), span: node.span })
        });
        self.fields.globs.iter().cloned().chain(own).collect()
    }

    fn when(&self, found: &mut Vec<Diagnostic>) -> (Vec<String>, Load) {
        let scope = &self.what.scope;
        let load = self.what.kind.load(self.says());
        let mut globs = Vec::new();
        for glob in &self.globs() {
            match globs::parse(glob) {
                Ok(_) => globs.push(scoped(&glob.value, scope)),
                Err(invalid) => found.push(invalid.of(&import_omitted::RULE)),
            }
        }
        let whole = self.what.format == Format::Copilot && globs == ["**"];
        if whole {
            return (Vec::new(), Load::Always);
        }
        if load == Load::Always && !scope.as_str().is_empty() {
            return (vec![scoped("**", scope)], Load::Files);
        }
        let load = if load == Load::Files && globs.is_empty() { Load::OnDemand } else { load };
        (globs, load)
    }

    fn name(&self) -> (String, Option<String>) {
        match self.title() {
            Some(name) if is_name(&name) => (name, self.text("title")),
            title => (self.what.name.clone(), title),
        }
    }

    fn title(&self) -> Option<String> {
        self.text("name").or_else(|| self.text("title"))
    }

    fn text(&self, key: &str) -> Option<String> {
        let text = self.node.get(key).and_then(Node::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn triggers(&self) -> Vec<String> {
        let Some(node) = self.node.get("triggers") else { return Vec::new() };
        let nodes = node.items().unwrap_or(std::slice::from_ref(node));
        let words = nodes.iter().filter_map(|node| Some(node.as_str()?.trim().to_owned()));
        words.filter(|word| !word.is_empty()).collect()
    }

    fn extra(&self) -> Vec<Entry> {
        let kept = |entry: &&Entry| matches!(self.fate(entry), FieldUse::Kept | FieldUse::Idle);
        let as_list = |entry: &Entry| match words(entry) {
            Some(words) => piece::list(&entry.key, &words, entry.key_span),
            None => entry.clone(),
        };
        self.node.entries().iter().filter(kept).map(as_list).collect()
    }

    fn fate(&self, entry: &Entry) -> FieldUse {
        let key = &*entry.key;
        let is_read = READ.contains(&key) || self.what.kind.own_keys().contains(&key);
        let twice = key == "keywords" && !self.triggers().is_empty();
        let is_read = is_read || (key == "status" && self.front_status().is_some());
        if is_read || (entry.value.is_null() && fields::is_known(key)) {
            FieldUse::Read
        } else if matches!(key, "visibility" | "groups") {
            // Even if invalid.
            FieldUse::Kept
        } else if SHARED.contains(&key) && !twice && !self.is_faulty(entry) {
            FieldUse::Kept
        } else if fields::is_known(key) {
            FieldUse::LeftOut
        } else if INERT.contains(&key)
            || (key == fields::MANUAL && self.what.kind.is_invoked())
            || self.is_occasion(entry)
        {
            FieldUse::Kept
        } else {
            FieldUse::Idle
        }
    }

    fn is_faulty(&self, entry: &Entry) -> bool {
        if words(entry).is_some() {
            return false;
        }
        let items = entry.value.items().unwrap_or_default();
        let spans: Vec<Span> = items.iter().chain([&entry.value]).map(|it| it.span).collect();
        let wrong = self.noticed.iter().filter(|found| found.rule() == &wrong_field_type::RULE);
        wrong.into_iter().any(|found| {
            spans.iter().any(|span| {
                span.start <= found.primary.span.start && found.primary.span.end <= span.end
            }) || found.primary.span == entry.key_span
        })
    }

    fn report(&self, head: &str, found: &mut Vec<Diagnostic>) {
        let has_status = self.front_status().is_some();
        let is_read = |it: &&Entry| words(it).is_some() || (has_status && it.key == "status");
        let read = self.node.entries().iter().filter(is_read);
        let read: Vec<Span> = read.map(|entry| entry.value.span).collect();
        let is_read = |it: &&Diagnostic| {
            it.rule() == &wrong_field_type::RULE && read.contains(&it.primary.span)
        };
        found.extend(self.noticed.iter().filter(|it| !is_read(it)).filter_map(translated));
        for entry in self.node.entries() {
            let (key, span) = (&entry.key, entry.key_span);
            match self.fate(entry) {
                FieldUse::Read | FieldUse::Kept => {}
                FieldUse::LeftOut if self.is_faulty(entry) => {}
                FieldUse::Idle => {
                    let note = format!("`{key}` is kept, but has no effect in faber");
                    let inert = import_inert::RULE.at(span, note);
                    let is_document = matches!(self.what.kind, SourceKind::Document(_));
                    found.push(if is_document { inert.exceptional() } else { inert });
                }
                FieldUse::LeftOut => {
                    let note = format!("`{key}` is left out: it has another meaning in faber");
                    let help = "add it to the imported context if faber should use it";
                    found.push(import_omitted::RULE.at(span, note).help(help));
                }
            }
        }
        self.report_comments(head, found);
        self.report_names(found);
    }

    fn report_comments(&self, head: &str, found: &mut Vec<Diagnostic>) {
        let mut scalars = Vec::new();
        gather_scalars(self.node, &mut scalars);
        scalars.sort_unstable_by_key(|(span, _)| (span.start, span.end));
        let mut at = 0;
        for line in head.split_inclusive('\n') {
            let end = at + line.trim_end().len();
            let last = scalars.partition_point(|(span, _)| (span.start as usize) < end);
            let last = scalars[..last].last().filter(|(span, _)| span.end as usize > at);
            let from = last.map_or(at, |(span, _)| span.end as usize);
            let is_cut = last.is_some_and(|(span, is_text)| {
                *is_text && !head[span.range()].starts_with(['"', '\'', '|', '>'])
            });
            at += line.len();
            let Some(rest) = head.get(from..end) else { continue };
            let begins = from + line.len() == at;
            let comment = rest
                .find('#')
                .filter(|&hash| rest[..hash].ends_with([' ', '\t']) || (begins && hash == 0));
            if let Some(hash) = comment {
                let span = Span::new(self.file, from + hash, end);
                let is_cut = is_cut && rest[hash + 1..].starts_with(char::is_alphanumeric);
                let note = if is_cut {
                    "the value ends before this `#`; quote it to keep the rest"
                } else {
                    "this comment is left out"
                };
                found.push(import_omitted::RULE.at(span, note));
            }
        }
    }

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
                    format!("`{}` is left out: it cannot be read, or is a duplicate", entry.key);
                found.push(import_omitted::RULE.at(entry.key_span, note));
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldUse {
    Read,
    Kept,
    Idle,
    LeftOut,
}

fn translated(noticed: &Diagnostic) -> Option<Diagnostic> {
    let rule = noticed.rule();
    match rule {
        _ if rule == &unknown_field::RULE || rule == &glob_invalid::RULE => None,
        _ if rule == &invalid_frontmatter::RULE && !noticed.fix.is_empty() => {
            let message = format!("{}; it was read as if fixed", noticed.message);
            Some(import_repaired::RULE.at(noticed.primary.span, message))
        }
        _ => {
            let message =
                format!("left out: {}", noticed.message.trim_end_matches("; the file is not used"));
            Some(import_omitted::RULE.at(noticed.primary.span, message))
        }
    }
}

fn occasions(entry: &Entry) -> Vec<String> {
    let key = entry.key.to_lowercase();
    if !["invoke", "trigger", "when"].iter().any(|word| key.contains(word)) {
        return Vec::new();
    }
    let nodes = entry.value.items().unwrap_or(std::slice::from_ref(&entry.value));
    let texts = nodes.iter().filter_map(Node::scalar).filter(|it| it.kind == ScalarKind::Str);
    let texts = texts.map(|it| markdown::collapse(&it.text));
    texts.filter(|text| !text.is_empty() && text.chars().count() <= MAX_DESCRIPTION).collect()
}

fn words(entry: &Entry) -> Option<Vec<String>> {
    let text = entry.value.as_str().filter(|_| matches!(&*entry.key, "keywords" | "tags"))?;
    let words = text.split([',', '\n']).map(str::trim).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_owned).collect();
    (!words.is_empty()).then_some(words)
}

fn gather_scalars(node: &Node, all: &mut Vec<(Span, bool)>) {
    all.extend(node.scalar().map(|it| (node.span, it.kind == ScalarKind::Str)));
    for item in node.items().unwrap_or_default() {
        gather_scalars(item, all);
    }
    for entry in node.entries() {
        all.push((entry.key_span, false));
        gather_scalars(&entry.value, all);
    }
}

fn is_name(name: &str) -> bool {
    slug(name) == name && piece::file_name(name) == name
}
