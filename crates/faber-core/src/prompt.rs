//! The prompt of a role, its rules and its emitted lines.

use std::borrow::Cow;

use camino::Utf8Path;

use crate::context_id::ContextId;
use crate::diagnostic::{Diagnostic, Reported};
use crate::line::Line;
use crate::markdown::says_nothing;
use crate::parse::frontmatter::{self, FrontKind};
use crate::parse::references::scan;
use crate::parse::rules::{self, Need, PromptCache, PromptLoad, PromptRules, SelectionRule};
use crate::parse::{directive, fence};
use crate::resolve::catalog::ContextSet;
use crate::resolve::include::Expander;
use crate::role::{Lineage, Platform, Role};
use crate::rules::empty_prompt;
use crate::select::targets::{TargetResolution, resolve_target};
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::yaml::Node;

#[derive(Debug, Default)]
pub struct Prompt {
    lines: Vec<Line>,
    read: PromptRules,
    asks: Vec<Vec<ResolvedDirective>>,
    keeps_directives: bool,
    pub rules: Vec<SelectionRule>,
    pub loads: Vec<PromptLoad>,
    pub budget: Option<Node>,
}

#[derive(Clone, Debug)]
pub struct ResolvedDirective {
    pub contexts: Option<Vec<ContextId>>,
    pub need: Need,
    pub is_instruction: bool,
}

impl Prompt {
    pub fn resolve(
        &mut self,
        catalog: &ContextSet,
        expander: &Expander<'_>,
        instruction: Option<&Utf8Path>,
    ) {
        let root = expander.role_root.unwrap_or("".into());
        let is_instruction = |target: &str| {
            target.strip_prefix('/').zip(instruction).is_some_and(|(target, path)| {
                path == target || path.strip_prefix(root).is_ok_and(|path| path == target)
            })
        };
        let ask = |ask: &rules::DirectiveTarget| {
            let target = &ask.target.value;
            let contexts = match resolve_target(catalog, expander, &ask.target) {
                TargetResolution::Contexts(contexts) => {
                    Some(contexts.into_iter().map(|context| context.id.clone()).collect())
                }
                TargetResolution::Missing if ask.optional && target.contains('*') => Some(vec![]),
                TargetResolution::Other if Placeholders::is_of_platform(target) => Some(vec![]),
                _ => None,
            };
            let is_instruction = is_instruction(target);
            ResolvedDirective { contexts, need: ask.need, is_instruction }
        };
        let directives = self.read.directives.iter();
        self.asks = directives.map(|directive| directive.asks.iter().map(ask).collect()).collect();
    }

    pub fn directives(&self) -> &[Vec<ResolvedDirective>] {
        if self.keeps_directives { &[] } else { &self.asks }
    }

    pub fn emitted(&self, sources: &SourceMap, done: impl Fn(usize) -> bool) -> Vec<Line> {
        if self.keeps_directives {
            return self.lines.clone();
        }
        rules::emitted(&self.lines, &self.read, |at| at < self.asks.len() && done(at), sources)
    }

    pub fn without_satisfied(
        &self,
        sources: &SourceMap,
        there: impl Fn(&ContextId) -> bool,
    ) -> Vec<Line> {
        let done = |ask: &ResolvedDirective| {
            let contexts = ask.contexts.as_ref();
            contexts.is_some_and(|ids| ask.need == Need::Known || ids.iter().all(&there))
        };
        self.emitted(sources, |at| self.asks[at].iter().all(done))
    }

    pub fn shortest(&self, sources: &SourceMap) -> Vec<Line> {
        self.emitted(sources, |at| self.asks[at].iter().all(|ask| ask.contexts.is_some()))
    }
}

pub fn read(
    lineage: &Lineage,
    platform: Option<&Platform>,
    keep_directives: bool,
    expander: &Expander<'_>,
    known: Option<&PromptCache>,
) -> Reported<Prompt> {
    let mut found = Vec::new();
    let mut prompt = Prompt { keeps_directives: keep_directives, ..Prompt::default() };
    for (generation, role) in lineage.roles.iter().enumerate() {
        let parsed = frontmatter::read(expander.sources, role.prompt, FrontKind::Prompt)
            .drain_into(&mut found);
        directive::unknown(expander.sources, role.prompt, &mut found);
        let lines = expander.lines(role.prompt, parsed.body, &mut found);
        let mut read = match known {
            Some(known) => known.read(role.prompt, expander.sources, &lines),
            None => rules::read(expander.sources, &lines),
        };
        let placeholders = Placeholders { role: &role.name, platform };
        // Platform detection loads contexts with placeholders.
        read.loads.retain(|load| !load.target.value.contains('{'));
        let asks = read.directives.iter_mut().flat_map(|directive| &mut directive.asks);
        let targets = asks.map(|ask| &mut ask.target);
        for target in targets.chain(read.rules.iter_mut().map(|rule| &mut rule.target)) {
            if let Cow::Owned(filled) = placeholders.fill(&target.value) {
                target.value = filled;
            }
        }
        if generation == 0 {
            found.extend(empty(role, &expander.sources.get(role.prompt).text[parsed.body..]));
            found.extend(read.unread.iter().map(rules::unread));
            let terms = read.rules.iter().flat_map(|rule| &rule.terms);
            found.extend(terms.filter_map(rules::unmatchable));
        }
        prompt.rules.extend(parsed.front.fields.rules.iter().cloned());
        prompt.rules.append(&mut read.rules);
        if generation == 0 {
            let fill = |line| placeholders.fill_line(line, expander.sources);
            prompt.lines = lines.into_iter().map(fill).collect();
            prompt.loads = std::mem::take(&mut read.loads);
            prompt.budget.clone_from(&parsed.front.fields.budget);
            prompt.read = read;
        }
    }
    Reported { value: prompt, diagnostics: found }
}

fn empty(role: &Role, body: &str) -> Option<Diagnostic> {
    says_nothing(body).then(|| {
        empty_prompt::RULE
            .at(Span::start_of(role.prompt), format!("the prompt of `{}` is empty", role.name))
            .help("describe who the model is and what it should do")
    })
}

#[derive(Clone, Copy, Debug)]
pub struct Placeholders<'a> {
    role: &'a str,
    platform: Option<&'a Platform>,
}

impl Placeholders<'_> {
    pub const NAMES: [&'static str; 5] =
        ["detected", "configured", "platform", "configured-platform", "role-name"];

    fn is_of_platform(text: &str) -> bool {
        Self::NAMES[..4].iter().any(|name| text.contains(&format!("{{{name}}}")))
    }

    fn fill<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains('{') {
            return Cow::Borrowed(text);
        }
        let platform = self.platform.map(|platform| platform.name.as_str());
        let value = |name: &str| if name == "role-name" { Some(self.role) } else { platform };
        let known =
            Self::NAMES.iter().filter_map(|name| Some((format!("{{{name}}}"), value(name)?)));
        let filled = known.fold(text.to_owned(), |text, (name, value)| text.replace(&name, value));
        if filled == text { Cow::Borrowed(text) } else { Cow::Owned(filled) }
    }

    fn fill_line(&self, line: Line, sources: &SourceMap) -> Line {
        match self.fill(line.text(sources)) {
            Cow::Owned(filled) => Line::inserted(line.origin, &filled),
            Cow::Borrowed(_) => line,
        }
    }
}

#[derive(Debug)]
pub struct Instruction {
    pub what: &'static str,
    pub name: String,
    pub file: FileId,
    pub lines: Vec<Line>,
    pub loads: Vec<Spanned<String>>,
}

pub fn instruction(
    what: &'static str,
    name: &str,
    file: FileId,
    expander: &Expander<'_>,
    found: &mut Vec<Diagnostic>,
) -> Instruction {
    let body = fence::body(&expander.sources.get(file).text);
    let lines = expander.lines(file, body, found);
    let loads = scan::references(expander.sources, &lines)
        .into_iter()
        .filter(|reference| reference.load)
        .map(|reference| Spanned { value: reference.text, span: reference.span })
        .collect();
    Instruction { what, name: name.trim_end_matches(".md").to_owned(), file, lines, loads }
}
