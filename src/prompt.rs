//! The text of a role: its prompt without what faber has carried out, and the rules read from it.

use crate::diagnostic::{Diagnostic, Reported};
use crate::line::Line;
use crate::parse::fence;
use crate::parse::frontmatter::{self, Kind};
use crate::parse::references;
use crate::parse::rules::{self, Rule};
use crate::resolve::include::Expander;
use crate::role::{Lineage, Platform};
use crate::select::choose::PromptRule;
use crate::source::{FileId, Spanned};
use crate::yaml::Node;

/// A role's prompt, ready to be emitted.
#[derive(Debug, Default)]
pub struct Prompt {
    /// The lines that open the bundle.
    pub lines: Vec<Line>,
    /// The rules of this prompt and of the ancestors' prompts.
    pub rules: Vec<PromptRule>,
    /// `budget` of its front matter, to be merged over the configuration.
    pub budget: Option<Node>,
}

/// Reads the prompts of a role and its ancestors. With `keep_directives` the lines that faber has
/// carried out are emitted too.
pub fn read(
    lineage: &Lineage,
    platform: Option<&Platform>,
    keep_directives: bool,
    expander: &Expander<'_>,
) -> Reported<Prompt> {
    let mut found = Vec::new();
    let mut prompt = Prompt::default();
    for (generation, role) in lineage.roles.iter().enumerate() {
        let path = expander.sources.path(role.prompt).to_owned();
        let parsed =
            frontmatter::read(expander.sources, role.prompt, Kind::Prompt).drain_into(&mut found);
        let lines = expander.lines(role.prompt, parsed.body, &mut found);
        let read = rules::read(expander.sources, &lines);
        let declared = parsed.front.fields.rules.iter().cloned();
        let all = declared.chain(read.rules);
        prompt.rules.extend(all.map(|rule: Rule| PromptRule { rule, path: path.clone() }));
        if generation == 0 {
            let kept = if keep_directives {
                lines
            } else {
                rules::emitted(&lines, &read.understood, expander.sources)
            };
            prompt.lines = fill_in(kept, &role.name, platform, expander);
            prompt.budget.clone_from(&parsed.front.fields.budget);
        }
    }
    Reported { value: prompt, diagnostics: found }
}

/// Fills in what the prompt leaves to the run.
fn fill_in(
    lines: Vec<Line>,
    role: &str,
    platform: Option<&Platform>,
    expander: &Expander<'_>,
) -> Vec<Line> {
    let platform = platform.map(|platform| platform.name.as_str());
    let known = [("{detected}", platform), ("{configured}", platform), ("{role-name}", Some(role))];
    lines
        .into_iter()
        .map(|line| {
            let text = line.text(expander.sources);
            if !text.contains('{') {
                return line;
            }
            let filled = known.iter().fold(text.to_owned(), |text, (placeholder, value)| {
                value.map_or_else(|| text.clone(), |value| text.replace(placeholder, value))
            });
            if filled == text { line } else { Line::inserted(line.origin, &filled) }
        })
        .collect()
}

/// A task or flow that was asked for.
#[derive(Debug)]
pub struct Instruction {
    /// `task` or `flow`.
    pub what: &'static str,
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: FileId,
    /// Its text.
    pub lines: Vec<Line>,
    /// The references that it says to load.
    pub loads: Vec<Spanned<String>>,
}

/// Reads a task or flow.
pub fn instruction(
    what: &'static str,
    name: &str,
    file: FileId,
    expander: &Expander<'_>,
    found: &mut Vec<Diagnostic>,
) -> Instruction {
    let body = fence::body(&expander.sources.get(file).text);
    let lines = expander.lines(file, body, found);
    let loads = references::scan(expander.sources, &lines)
        .into_iter()
        .filter(|reference| reference.load)
        .map(|reference| Spanned { value: reference.text, span: reference.span })
        .collect();
    Instruction { what, name: name.trim_end_matches(".md").to_owned(), file, lines, loads }
}
