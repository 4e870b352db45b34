//! One context at every level of detail.

use crate::assemble::more::FollowUp;
use crate::assemble::needs;
use crate::budget::excerpt::Excerpt;
use crate::budget::extract_cache::ExtractCache;
use crate::budget::focus::Focus;
use crate::budget::level::Level;
use crate::budget::truncate;
use crate::category::Category;
use crate::config::{self, Config};
use crate::layer::LayerKind;
use crate::line::Line;
use crate::markdown;
use crate::render::block::{BundleLine, text_of};
use crate::render::style::{Head, Style};
use crate::resolve::catalog::Resolved;
use crate::select::relevance::Passages;
use crate::source::{SourceMap, Span};
use crate::tokens::Counter;

#[derive(Clone, Debug)]
pub struct Rendering {
    pub level: Level,
    pub lines: Vec<BundleLine>,
    pub tokens: usize,
}

#[derive(Clone)]
pub struct Renderer<'a> {
    sources: &'a SourceMap,
    extracts: &'a ExtractCache,
    counter: Counter,
    style: Style,
    context: &'a Resolved,
    head: Head,
    lines: Vec<Line>,
    text: String,
    /// faber's lines below it: configuration and tools.
    notes: Vec<String>,
    /// The summary by the user's command.
    answer: Option<String>,
    /// How its reader can get the full text.
    more: FollowUp,
}

impl<'a> Renderer<'a> {
    pub fn new(
        sources: &'a SourceMap,
        extracts: &'a ExtractCache,
        counter: &Counter,
        style: Style,
        context: &'a Resolved,
    ) -> Self {
        let lines = context.body.lines(sources);
        let text = crate::line::join(sources, &lines);
        let paths = context.sources.iter().map(|source| sources.path(source.file).to_string());
        let head =
            Head { id: context.id.to_string(), paths: paths.collect(), layer: context.top.name() };
        Self {
            sources,
            extracts,
            counter: counter.clone(),
            style,
            context,
            head,
            lines,
            text,
            notes: Vec::new(),
            answer: None,
            more: FollowUp::default(),
        }
    }

    /// Shows these lines below it.
    #[must_use]
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// Uses this summary if the context has none.
    #[must_use]
    pub(crate) fn with_summary(self, answer: Option<String>) -> Self {
        Self { answer, ..self }
    }

    #[must_use]
    pub(crate) fn for_reader(self, more: FollowUp) -> Self {
        Self { more, ..self }
    }

    pub fn context(&self) -> &'a Resolved {
        self.context
    }

    fn finish(&self, level: Level, lines: Vec<BundleLine>, note: Option<String>) -> Rendering {
        let between = (note.is_some() && !self.notes.is_empty()).then(String::new);
        let notes = note.into_iter().chain(between).chain(self.notes.clone()).collect();
        let lines = self.style.context(&self.head, lines, notes);
        let tokens = self.counter.count(&text_of(&lines));
        Rendering { level, lines, tokens }
    }

    pub fn detailed(&self) -> Rendering {
        let lines = self.lines.iter().map(|line| BundleLine::of(line, self.sources)).collect();
        self.finish(Level::Detailed, lines, None)
    }

    /// `summary` of the front matter, else the summary by the user's command, else an extract.
    pub fn summary(&self) -> Rendering {
        let lines = match (&self.context.front.fields.summary, &self.answer) {
            (Some(summary), _) => declared(&summary.value, summary.span),
            (None, Some(answer)) => {
                let origin = self.lines.first().map(|line| line.origin);
                let line = |text: &str| BundleLine { text: text.to_owned(), origin };
                answer.lines().map(line).collect()
            }
            (None, None) => {
                let body = &self.context.body;
                self.excerpt(self.extracts.summary(body, &self.text, &self.counter, self.sources))
            }
        };
        self.finish(Level::Summary, lines, Some(self.note("a summary")))
    }

    /// `essence` of the front matter, else its description, else its first sentence.
    pub fn essence(&self) -> Rendering {
        let fields = &self.context.front.fields;
        let lines = match fields.essence.as_ref().or(fields.description.as_ref()) {
            Some(essence) => declared(&markdown::collapse(&essence.value), essence.span),
            None => vec![BundleLine {
                text: self.extracts.essence(self.context, self.sources),
                origin: self.lines.first().map(|line| line.origin),
            }],
        };
        self.finish(Level::Essence, lines, Some(self.note("its essence")))
    }

    /// Its beginning in at most `limit` tokens; `None` if nothing fits.
    pub fn truncated(&self, limit: usize) -> Option<Rendering> {
        let cost = |text: &str| {
            let lines = text.lines().map(BundleLine::own).collect();
            self.finish(Level::Truncated, lines, Some(self.cut_note(usize::MAX))).tokens
        };
        let excerpt = truncate::truncate(&self.text, limit, &cost);
        if excerpt.lines.is_empty() || excerpt.complete {
            return None;
        }
        let note = self.cut_note(excerpt.lines.len());
        let rendering = self.finish(Level::Truncated, self.excerpt(excerpt), Some(note));
        (rendering.tokens <= limit).then_some(rendering)
    }

    /// The parts of a text of more than `long` bytes that match `passages`, in each size (bytes)
    /// that is shorter than the text, with the share of its relevance.
    pub fn focused(
        &self,
        long: usize,
        sizes: &[usize],
        passages: &Passages,
    ) -> Vec<(Rendering, f64)> {
        if self.text.len() <= long {
            return Vec::new();
        }
        let Some(focus) = Focus::new(&self.text, &mut passages.scorer()) else {
            return Vec::new();
        };
        let render = |(excerpt, share): (Excerpt, f64)| {
            let note = self.note("the parts that match the request");
            (self.finish(Level::Focused, self.excerpt(excerpt), Some(note)), share)
        };
        let smaller = sizes.iter().filter(|size| **size < self.text.len() * 3 / 4);
        smaller.filter_map(|size| focus.excerpt(*size)).map(render).collect()
    }

    fn excerpt(&self, excerpt: Excerpt) -> Vec<BundleLine> {
        let origin = |from: usize| self.lines.get(from).map(|line| line.origin);
        let lines = excerpt.lines.into_iter();
        lines.map(|line| BundleLine { origin: origin(line.from), text: line.text }).collect()
    }

    fn note(&self, what: &str) -> String {
        let all = format!("all {} lines", self.lines.len());
        self.more.note(&format!("Shortened to {what}"), &self.head.id, &all)
    }

    /// `usize::MAX` stands for an unknown number with the maximum of digits.
    fn cut_note(&self, kept: usize) -> String {
        let all = self.lines.len();
        let kept = kept.min(all);
        self.more.note(&format!("Cut after {kept} of {all} lines"), &self.head.id, "all")
    }
}

fn declared(text: &str, origin: Span) -> Vec<BundleLine> {
    text.lines().map(|line| BundleLine { text: line.to_owned(), origin: Some(origin) }).collect()
}

/// faber's notes below a context: the configuration of its platform or specialist, and the tools.
pub(super) fn notes(context: &Resolved, config: &Config, sources: &SourceMap) -> Vec<String> {
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
