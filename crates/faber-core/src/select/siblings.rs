//! Copies, and siblings such as `python-mcp-server` and `typescript-mcp-server`.

use std::collections::{BTreeSet, HashMap};

use crate::context_id::ContextId;
use crate::resolve::catalog::{Body, Context};
use crate::source::SourceMap;
use crate::terms::pieces::{is_stop, stem_of};
use crate::terms::query::{self, Term};
use crate::terms::words::Normalizer;

/// Of a named context, relative to another's.
const ALIKE: f64 = 0.8;

pub(super) type Rated<'a> = (&'a ContextId, f64);

pub(super) struct NamedSiblings {
    stems: BTreeSet<String>,
    words: BTreeSet<String>,
    normalizer: Normalizer<'static>,
}

impl NamedSiblings {
    pub(super) fn new(texts: [&str; 2]) -> Self {
        let normalizer = Normalizer::default();
        let terms: Vec<Term<'_>> = texts.into_iter().flat_map(query::terms).collect();
        let is_thing =
            |term: &&Term<'_>| term.is_number() || (term.is_subject() && term.is_thing());
        let things = terms.iter().filter(is_thing);
        let words = things.map(|term| word(term.text, &normalizer)).collect();
        let stems = terms.into_iter().map(|term| term.stem).collect();
        Self { stems, words, normalizer }
    }

    pub(super) fn named(&self, at: usize, all: &[Rated<'_>]) -> Option<usize> {
        let is_preferred = |other: &usize| self.prefers(all[*other], all[at]);
        let is_last = |other: &usize| !all.iter().any(|next| self.prefers(*next, all[*other]));
        (0..all.len()).filter(is_preferred).find(is_last)
    }

    pub(super) fn says(&self, id: &ContextId) -> bool {
        self.words(id).iter().any(|word| self.words.contains(word))
    }

    /// Whether the texts name `other` instead of `id`.
    fn prefers(&self, (other, theirs): Rated<'_>, (id, own): Rated<'_>) -> bool {
        if other.category != id.category || theirs < ALIKE * own {
            return false;
        }
        let (own, others) = (self.words(id), self.words(other));
        let alike = |(a, b): &(&String, &String)| a == b;
        let first = own.iter().zip(&others).take_while(alike).count();
        let last = own.iter().rev().zip(others.iter().rev()).take_while(alike).count();
        let shared = &mut own[..first].iter().chain(&own[own.len() - last..]);
        let says = |word: &String| self.words.contains(word);
        let only_own: Vec<&String> = own.iter().filter(|word| !others.contains(word)).collect();
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_rest = |word: &&String| !own.contains(word) && (says(word) || !is_number(word));
        let only_other: Vec<&String> = others.iter().filter(is_rest).collect();
        let said = only_other.iter().filter(|word| says(word)).count();
        let is_other = only_own.iter().any(|word| !query::is_action(word));
        is_other
            && shared.any(says)
            && said > 0
            && 3 * said >= only_other.len()
            && !only_own.into_iter().any(|word| self.means(word))
    }

    /// "Debug" may mean a debugger.
    fn means(&self, word: &str) -> bool {
        let stem = stem_of(word, &self.normalizer);
        let verb = stem.strip_suffix("er").or_else(|| stem.strip_suffix("or")).unwrap_or(&stem);
        let mut last = verb.chars().rev();
        let single = last
            .next()
            .filter(|c| last.next() == Some(*c))
            .map(|c| &verb[..verb.len() - c.len_utf8()]);
        let forms = [Some(&*stem), Some(verb), single];
        self.words.contains(word) || forms.into_iter().flatten().any(|it| self.stems.contains(it))
    }

    fn words(&self, id: &ContextId) -> Vec<String> {
        let words = id.name.split(['-', '_', '.', '/']).filter(|word| !is_stop(word));
        words.map(|it| word(it, &self.normalizer)).filter(|word| !word.is_empty()).collect()
    }
}

/// `development` does not name a developer.
fn word(text: &str, normalizer: &Normalizer<'_>) -> String {
    let singular = text.strip_suffix(['s', 'S']).unwrap_or(text).to_lowercase();
    let is_agent = singular.len() > 4 && (singular.ends_with("er") || singular.ends_with("or"));
    if is_agent { singular } else { stem_of(text, normalizer) }
}

/// Removes contexts whose text and globs a `chosen` one or one with a shorter name has; returns
/// each with that other.
pub(crate) fn copies<'a, T>(
    chosen: impl Iterator<Item = &'a Context>,
    close: &mut Vec<(&'a Context, T)>,
    sources: &SourceMap,
) -> Vec<(&'a ContextId, &'a ContextId)> {
    let mut by_ends: HashMap<Vec<u8>, Vec<&Context>> = HashMap::new();
    for context in chosen {
        by_ends.entry(ends(&context.body, sources)).or_default().push(context);
    }
    let mut copies: Vec<(&ContextId, &ContextId)> = Vec::new();
    let mut all: Vec<&Context> = close.iter().map(|(context, _)| *context).collect();
    all.sort_by_key(|context| (context.id.name.len(), &context.id));
    for context in all {
        let ends = ends(&context.body, sources);
        if ends.is_empty() {
            continue;
        }
        let others = by_ends.entry(ends).or_default();
        let is_same = |other: &&&Context| {
            let globs =
                [*other, context].map(|it| it.front.fields.globs.iter().map(|it| &it.value));
            let [theirs, own] = globs;
            other.id == context.id
                || (theirs.eq(own) && other.body.text(sources) == context.body.text(sources))
        };
        match others.iter().find(is_same) {
            Some(other) if other.id != context.id => copies.push((&context.id, &other.id)),
            Some(_) => {}
            None => others.push(context),
        }
    }
    let left_out: BTreeSet<&ContextId> = copies.iter().map(|(copy, _)| *copy).collect();
    close.retain(|(context, _)| !left_out.contains(&context.id));
    copies
}

fn ends(body: &Body, sources: &SourceMap) -> Vec<u8> {
    const BYTES: usize = 64;
    let texts = match body {
        Body::Whole(span) => vec![sources.text(*span)],
        Body::Titled { heading, text } => vec![heading.text(sources), sources.text(*text)],
        Body::Lines(lines) => lines.iter().map(|line| line.text(sources)).collect(),
    };
    let bytes = texts.iter().flat_map(|text| text.bytes());
    let visible = bytes.filter(|byte| !byte.is_ascii_whitespace());
    visible.clone().take(BYTES).chain(visible.rev().take(BYTES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category::Category;

    fn rated(request: &str, (other, theirs): (&str, f64), (name, own): (&str, f64)) -> bool {
        let [other, id] = [other, name].map(|name| ContextId::new(Category::Standard, name));
        NamedSiblings::new([request, ""]).prefers((&other, theirs), (&id, own))
    }

    fn prefers(request: &str, other: &str, own: &str) -> bool {
        rated(request, (other, 0.5), (own, 0.6))
    }

    #[test]
    fn the_named_sibling_is_preferred() {
        let (python, typescript) = ("python-mcp-server", "typescript-mcp-server");
        assert!(prefers("an MCP server in TypeScript", typescript, python));
        assert!(!prefers("an MCP server in TypeScript", python, typescript));
        for request in ["an MCP server", "from Python to TypeScript: an MCP server", "TypeScript"] {
            assert!(!prefers(request, typescript, python), "{request}");
        }
        let pair = ("setup-clerk-next", "add-feature-clerk-next");
        assert!(!prefers("add clerk to our next app", pair.1, pair.0));
        assert!(prefers("PowerShell 7 scripts", "powershell-7-expert", "powershell-5-1-expert"));
        assert!(prefers(
            "a .NET framework service",
            "dotnet-framework-expert",
            "dotnet-core-expert"
        ));
        let [other, own] = [(Category::Standard, typescript), (Category::Playbook, python)]
            .map(|(category, name)| ContextId::new(category, name));
        let siblings = NamedSiblings::new(["an MCP server in TypeScript", ""]);
        assert!(!siblings.prefers((&other, 0.5), (&own, 0.5)));
    }

    #[test]
    fn of_parts_of_a_subject_the_named_one_is_preferred_if_it_is_as_relevant() {
        let (named, other) = ("powershell-7-expert", "powershell-ui-architect");
        let rated =
            |request, named_relevance| rated(request, (named, named_relevance), (other, 0.6));
        assert!(rated("from bash to PowerShell 7", 0.5));
        assert!(!rated("from bash to PowerShell 7", 0.4));
        assert!(!rated("a UI with PowerShell 7", 0.5));
        assert!(!rated("Windows 7", 0.5));
    }

    #[test]
    fn copies_have_the_same_text_for_the_same_files() {
        let texts = [
            "---\ndescription: x\n---\n# T\n\nText.\n",
            "---\ndescription: y\n---\n\n# T\n\nText.\n\n",
            "# T\r\n\r\nText.\r\n",
            "---\nglobs: [c/**]\n---\n# T\n\nText.\n",
            "# T\n\n Text.\n",
            "---\ndescription: z\n---\n",
            "",
        ];
        let mut sources = SourceMap::default();
        let mut contexts = Vec::new();
        for (at, text) in texts.into_iter().enumerate() {
            let file = sources.add(format!("{at}.md").into(), text.to_owned());
            contexts.push(Context::of_file(&at.to_string(), file, &sources));
        }
        contexts[1].body = Body::Lines(contexts[1].body.lines(&sources));
        let mut close = contexts.iter().map(|context| (context, ())).collect();
        let found = copies(std::iter::empty(), &mut close, &sources);
        let names: Vec<_> = found.iter().map(|(copy, of)| (&*copy.name, &*of.name)).collect();
        assert_eq!((names, close.len()), (vec![("1", "0"), ("2", "0")], 5));
    }

    #[test]
    fn the_last_of_several_siblings_is_named() {
        let siblings = NamedSiblings::new(["a new engineer of customer support: onboarding", ""]);
        let named = |relevance: f64| {
            let names =
                ["sales-onboarding", "team-support-onboarding", "customer-support-onboarding"];
            let ids = names.map(|name| ContextId::new(Category::Reference, name));
            let all = [(&ids[0], 0.7), (&ids[1], 0.6), (&ids[2], relevance)];
            siblings.named(0, &all)
        };
        assert_eq!((named(0.6), named(0.5), named(0.4)), (Some(2), None, Some(1)));
    }

    #[test]
    fn other_parts_of_a_subject_are_no_siblings() {
        for (request, other, own) in [
            ("an MCP server in TypeScript", "typescript-mcp-server", "mcp-server"),
            ("an MCP server in TypeScript", "typescript-mcp-server", "mcp-developer"),
            ("slow queries of the database", "database-engineer", "performance-engineer"),
            ("an MCP server", "mcp-server", "mcp-server"),
            ("restore the databases", "database-cloud-database-optimizer", "database-admin"),
            ("UI development", "ui-code-developer", "web-code-developer"),
            ("code review", "code-architect-review", "web-code-reviewer"),
            ("optimize the cloud database", "cloud-database", "optimizer-database"),
            ("a new app", "setting-up-new-rails-app", "create-app"),
            ("a Rails app", "rails-app", "create-app"),
            ("the search shows documents", "type-documents-available-search", "our-search"),
            ("debug D1 queries", "d1-query-optimizer", "d1-debugger"),
        ] {
            assert!(!prefers(request, other, own), "{own}");
        }
    }
}
