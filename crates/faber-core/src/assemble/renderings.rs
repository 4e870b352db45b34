//! One context at every level of detail.

use std::sync::OnceLock;

use camino::Utf8Path;

use crate::assemble::needs;
use crate::assemble::reader::{self, BEST_PARTS, FollowUp};
use crate::budget::excerpt::{Excerpt, ExcerptLine};
use crate::budget::extract_cache::ExtractCache;
use crate::budget::focus::Focus;
use crate::budget::level::Level;
use crate::budget::truncate;
use crate::category::Category;
use crate::config::{self, Config};
use crate::file_text::{Digest, digest_of};
use crate::layer::LayerKind;
use crate::line::{self, Line};
use crate::markdown;
use crate::numbers::float;
use crate::render::block::{BundleLine, text_of};
use crate::render::style::{self, ContextHeading, Style};
use crate::resolve::catalog::Context;
use crate::select::globs;
use crate::select::relevance::Passages;
use crate::source::{SourceMap, Span};
use crate::tokens::Counter;
use crate::workspace::walk;

#[derive(Clone, Debug)]
pub struct Rendering {
    pub level: Level,
    pub tokens: usize,
    excerpt: Option<Excerpt>,
}

#[derive(Clone)]
pub struct Renderer<'a> {
    sources: &'a SourceMap,
    extracts: &'a ExtractCache,
    counter: Counter,
    style: Style,
    pub(super) context: &'a Context,
    head: ContextHeading,
    body: OnceLock<FullText>,
    pub(super) notes: Vec<String>,
    pub(super) answer: Option<String>,
    pub(super) more: FollowUp,
}

#[derive(Clone)]
struct FullText {
    lines: Vec<Line>,
    text: String,
}

impl<'a> Renderer<'a> {
    pub fn new(
        sources: &'a SourceMap,
        extracts: &'a ExtractCache,
        counter: &Counter,
        style: Style,
        context: &'a Context,
    ) -> Self {
        let head = ContextHeading::of(sources, context);
        Self {
            sources,
            extracts,
            counter: counter.clone(),
            style,
            context,
            head,
            body: OnceLock::new(),
            notes: Vec::new(),
            answer: None,
            more: FollowUp::default(),
        }
    }

    fn full(&self) -> &FullText {
        self.body.get_or_init(|| {
            let lines = self.context.body.lines(self.sources);
            let text = line::join(self.sources, &lines);
            FullText { lines, text }
        })
    }

    pub fn detailed(&self) -> Rendering {
        self.form(Level::Detailed, None)
    }

    pub fn summary(&self) -> Rendering {
        let declared = self.context.front.fields.summary.as_ref().map(|summary| &summary.value);
        self.form(Level::Summary, declared.or(self.answer.as_ref()).map(String::as_str))
    }

    pub fn essence(&self) -> Rendering {
        let declared = self.context.front.fields.own_essence();
        self.form(Level::Essence, declared.map(|essence| essence.value.as_str()))
    }

    pub(super) fn is_bare(&self, summary: &Rendering, essence: &Rendering) -> bool {
        let fields = &self.context.front.fields;
        let is_extract = fields.summary.is_none() && self.answer.is_none();
        is_extract && summary.tokens < essence.tokens && {
            let (body, text) = (&self.context.body, &self.full().text);
            let summary = self.extracts.summary(body, text, &self.counter, self.sources);
            summary.without_definitions().iter().all(|line| line.text.starts_with('#'))
        }
    }

    /// The key determines the text, so its count is cached.
    fn form(&self, level: Level, text: Option<&str>) -> Rendering {
        let rendering = |tokens| Rendering { level, tokens, excerpt: None };
        let make = || text_of(&self.lines(&rendering(0)));
        rendering(self.counter.count_known(&self.key(level, text), make))
    }

    fn key(&self, level: Level, text: Option<&str>) -> Digest {
        let kind = [level as u8, self.style as u8, u8::from(text.is_some())];
        let body = self.context.body.digest(self.sources);
        let margin = self.counter.margin_percent.to_le_bytes();
        let (paths, notes) = (&self.head.paths, &self.notes);
        let counts = [paths.len(), notes.len()].map(usize::to_le_bytes);
        let data = [body.as_slice(), &kind, &margin, &counts[0], &counts[1]];
        let more = self.more.note(None, "", "");
        let folders = [&self.head.files, &self.head.place];
        let [files, place] = folders.map(|folder| folder.as_deref().unwrap_or_default());
        let own = [&*self.head.id, self.head.layer, files, place, &more, text.unwrap_or_default()];
        let texts = own.into_iter().chain(paths.iter().chain(notes).map(String::as_str));
        digest_of(data.into_iter().chain(texts.map(str::as_bytes)))
    }

    pub fn truncated(&self, limit: usize) -> Option<Rendering> {
        let cost = |text: &str| {
            let lines = text.lines().map(BundleLine::own).collect();
            self.counter.count(&text_of(&self.ended(lines, self.cut_note(usize::MAX))))
        };
        let excerpt = truncate::truncate(&self.full().text, limit, &cost);
        if excerpt.lines.is_empty() || excerpt.complete {
            return None;
        }
        let rendering = self.counted(Level::Truncated, excerpt);
        (rendering.tokens <= limit).then_some(rendering)
    }

    /// For each of `sizes` (bytes) up to the first over `max_tokens`, with the share of relevance.
    pub fn focused(
        &self,
        long: usize,
        sizes: &[usize],
        passages: &Passages,
        max_tokens: usize,
    ) -> Vec<(Rendering, f64)> {
        let body = &self.context.body;
        if body.bytes() < long || self.full().text.len() <= long {
            return Vec::new();
        }
        let text = &self.full().text;
        let Some(focus) = self.extracts.focus(body, text, passages, self.sources) else {
            return Vec::new();
        };
        let smaller = sizes.iter().filter(|size| **size < text.len() * 3 / 4);
        let mut forms: Vec<(Rendering, f64)> = Vec::new();
        for (excerpt, share) in smaller.filter_map(|size| focus.excerpt(*size)) {
            if forms.last().is_some_and(|(form, _)| form.tokens > max_tokens) {
                break;
            }
            forms.push((self.counted(Level::Focused, excerpt), share));
        }
        forms
    }

    /// Up to `limit` tokens, with the share of relevance; the beginning if no part matches.
    pub(super) fn filled(&self, limit: usize, passages: &Passages) -> Option<(Rendering, f64)> {
        let (body, text) = (&self.context.body, &self.full().text);
        let full = self.detailed().tokens;
        let focus = self.extracts.focus(body, text, passages, self.sources);
        let bytes = text.len() * limit / full.max(1);
        let sizes = [100, 90, 80, 70, 60].map(|percent| bytes * percent / 100).into_iter();
        let focused = focus.map(Focus::with_rest).and_then(|focus| {
            let forms = sizes
                .filter_map(|size| focus.excerpt(size))
                .map(|(excerpt, share)| (self.counted(Level::Focused, excerpt), share));
            forms.into_iter().find(|(form, _)| form.tokens <= limit)
        });
        focused.or_else(|| {
            let form = self.truncated(limit)?;
            let share = float(form.tokens) / float(full.max(1));
            Some((form, share))
        })
    }

    fn counted(&self, level: Level, excerpt: Excerpt) -> Rendering {
        let rendering = Rendering { level, tokens: 0, excerpt: Some(excerpt) };
        let tokens = self.counter.count_once(&text_of(&self.lines(&rendering)));
        Rendering { tokens, ..rendering }
    }

    pub fn lines(&self, rendering: &Rendering) -> Vec<BundleLine> {
        if let Some(excerpt) = &rendering.excerpt {
            let note = match rendering.level {
                Level::Truncated => self.cut_note(excerpt.without_definitions().len()),
                _ => self.note(BEST_PARTS),
            };
            return self.ended(self.excerpt(excerpt.clone()), note);
        }
        let fields = &self.context.front.fields;
        match rendering.level {
            Level::Summary => {
                let lines = match (&fields.summary, &self.answer) {
                    (Some(summary), _) => declared(&summary.value, summary.span),
                    (None, Some(answer)) => {
                        let origin = self.origin(0);
                        let line = |text: &str| BundleLine { text: text.to_owned(), origin };
                        answer.lines().map(line).collect()
                    }
                    (None, None) => {
                        let (body, text) = (&self.context.body, &self.full().text);
                        self.excerpt(self.extracts.summary(body, text, &self.counter, self.sources))
                    }
                };
                self.ended(lines, self.note("a summary"))
            }
            Level::Essence => {
                let lines = if let Some(essence) = fields.own_essence() {
                    declared(&markdown::collapse(&essence.value), essence.span)
                } else {
                    let found = self.extracts.gist(&self.context.body, self.sources);
                    let (line, text) = found.unwrap_or_default();
                    vec![BundleLine { text, origin: self.origin(line) }]
                };
                self.ended(lines, self.note("its essence"))
            }
            _ => {
                let FullText { lines, text } = self.full();
                let may_open = text.lines().any(style::may_open);
                let closer = || self.extracts.closer(&self.context.body, text, self.sources);
                let lines = lines.iter().map(|line| BundleLine::of(line, self.sources));
                let closer = may_open.then(closer).flatten().map(BundleLine::own);
                self.shown(lines.chain(closer).collect(), None)
            }
        }
    }

    pub(super) fn outline(&self) -> Vec<BundleLine> {
        self.shown(Vec::new(), None)
    }

    fn ended(&self, mut lines: Vec<BundleLine>, note: String) -> Vec<BundleLine> {
        style::end_blocks(&mut lines);
        self.shown(lines, Some(note))
    }

    fn shown(&self, lines: Vec<BundleLine>, note: Option<String>) -> Vec<BundleLine> {
        let between = (note.is_some() && !self.notes.is_empty()).then(String::new);
        let notes = note.into_iter().chain(between).chain(self.notes.clone()).collect();
        self.style.context(&self.head, lines, notes)
    }

    fn origin(&self, line: usize) -> Option<Span> {
        self.full().lines.get(line).map(|line| line.origin)
    }

    fn excerpt(&self, excerpt: Excerpt) -> Vec<BundleLine> {
        let origin = |line: &ExcerptLine| if line.is_gap() { None } else { self.origin(line.from) };
        let lines = excerpt.lines.into_iter();
        lines.map(|line| BundleLine { origin: origin(&line), text: line.text }).collect()
    }

    fn note(&self, what: &str) -> String {
        let all = reader::all_of(self.full().lines.len());
        self.more.note(Some(what), &self.head.id, &all)
    }

    /// `usize::MAX` reserves room for the longest number.
    fn cut_note(&self, kept: usize) -> String {
        match kept.min(self.full().lines.len()) {
            1 => self.note("its first line"),
            kept => self.note(&format!("its first {kept} lines")),
        }
    }
}

impl ContextHeading {
    pub fn of(sources: &SourceMap, context: &Context) -> Self {
        let cited = |path: &Utf8Path| sources.cited(path).to_string();
        let paths = context.sources.iter().map(|it| cited(sources.original_path(it.file)));
        let mut resources = context.sources.iter().map(|it| walk::resources(sources.path(it.file)));
        Self {
            id: context.id.to_string(),
            paths: paths.collect(),
            layer: context.top.name(),
            files: resources.find(|it| sources.has_resources(it)).map(|folder| cited(&folder)),
            place: globs::folder(&context.front.fields.globs).map(str::to_owned),
        }
    }
}

fn declared(text: &str, origin: Span) -> Vec<BundleLine> {
    text.lines().map(|line| BundleLine { text: line.to_owned(), origin: Some(origin) }).collect()
}

pub(super) fn notes(context: &Context, config: &Config, sources: &SourceMap) -> Vec<String> {
    let mut notes = Vec::new();
    let name = &*context.id.name;
    let configured = match context.id.category {
        Category::Platform if context.base != LayerKind::Platform => context
            .platform
            .as_ref()
            .and_then(|platform| config.platform_config.get(platform))
            .map(|node| ("platform", node)),
        Category::Specialist => config.specialist_config.get(name).map(|node| ("specialist", node)),
        _ => None,
    };
    if let Some((what, node)) = configured {
        let yaml = config::show(&config::without_secrets(node), sources, false);
        if !yaml.trim().is_empty() {
            notes.push(format!("Configuration of this {what}:"));
            notes.push(String::new());
            notes.push("```yaml".to_owned());
            notes.extend(yaml.trim_end().lines().map(str::to_owned));
            notes.push("```".to_owned());
        }
    }
    if let Some(need) = needs::need(context, config, sources) {
        if !notes.is_empty() {
            notes.push(String::new());
        }
        notes.push(needs::line(&need));
    }
    notes
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tokens::Encoding;

    const TEXT: &str = "---\nname: a\n---\n# Deploy\n\nShip it. Always.\n\n## Steps\n\nBuild.\n";

    #[test]
    fn what_a_context_leaves_open_is_closed() {
        let texts = [("```sh\nls", "```"), ("<!-- a", "-->"), ("~~~\n```\na", "~~~")];
        for (text, closer) in texts {
            let mut sources = SourceMap::default();
            let file = sources.add("a.md".into(), text.to_owned());
            let context = Context::of_file("a", file, &sources);
            let (tokens, extracts) = (Arc::default(), ExtractCache::default());
            let counter = Counter::exact(Encoding::O200kBase, &tokens);
            let renderer = Renderer::new(&sources, &extracts, &counter, Style::Text, &context);
            let renderer = Renderer { notes: vec!["[note]".into()], ..renderer };
            let whole = text_of(&renderer.lines(&renderer.detailed()));
            assert_eq!(whole, format!("{text}\n{closer}\n\n[note]\n\n"));
            let renderer = Renderer { answer: Some(text.to_owned()), ..renderer };
            let summary = text_of(&renderer.lines(&renderer.summary()));
            assert!(summary.starts_with(&format!("{text}\n{closer}\n\n")), "{summary}");
        }
    }

    #[test]
    fn a_note_says_what_there_is() {
        for (text, all) in [("One. Two.", "all of it"), ("One.\n\nTwo.", "all 3 lines")] {
            let mut sources = SourceMap::default();
            let file = sources.add("a.md".into(), text.to_owned());
            let context = Context::of_file("a", file, &sources);
            let (tokens, extracts) = (Arc::default(), ExtractCache::default());
            let counter = Counter::exact(Encoding::O200kBase, &tokens);
            let renderer = Renderer::new(&sources, &extracts, &counter, Style::Text, &context);
            let shown = text_of(&renderer.lines(&renderer.essence()));
            assert!(shown.contains(&format!(" prints {all}.]")), "{shown}");
        }
    }

    #[test]
    fn a_form_costs_what_its_lines_do_whatever_was_counted_before() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), TEXT.to_owned());
        let context = Context::of_file("a", file, &sources);
        let text = TEXT.replacen("name: a\n", "globs: packages/a/**\n", 1);
        let file = sources.add("a.md".into(), text);
        let scoped = Context::of_file("a", file, &sources);
        let (tokens, extracts) = (Arc::default(), ExtractCache::default());
        let exact = Counter::exact(Encoding::O200kBase, &tokens);
        let dearer = Counter { margin_percent: 50, ..exact.clone() };
        let (answer, notes) = (Some("Told otherwise.".to_owned()), vec!["MCP".to_owned()]);
        for counter in [&exact, &dearer] {
            for style in [Style::Markdown, Style::Xml, Style::Text] {
                let new = || Renderer::new(&sources, &extracts, counter, style, &context);
                let scoped = Renderer::new(&sources, &extracts, counter, style, &scoped);
                let all = [
                    new(),
                    scoped,
                    Renderer { answer: answer.clone(), ..new() },
                    Renderer { notes: notes.clone(), ..new() },
                    Renderer { more: FollowUp::Nothing, ..new() },
                ];
                for renderer in all {
                    for form in [renderer.detailed(), renderer.summary(), renderer.essence()] {
                        let text = text_of(&renderer.lines(&form));
                        assert_eq!(form.tokens, counter.count(&text), "{text}");
                    }
                }
            }
        }
    }
}
