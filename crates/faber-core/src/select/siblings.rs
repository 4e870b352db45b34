//! Contexts for different things, such as `python-mcp-server` and `typescript-mcp-server`: a
//! request that names one does not mean the other; and contexts with the same text.

use std::collections::{BTreeSet, HashMap};

use crate::context_id::ContextId;
use crate::resolve::catalog::Context;
use crate::source::SourceMap;
use crate::terms::pieces::{is_stop, stem_of};
use crate::terms::query;
use crate::terms::words::Normalizer;

/// Minimum relative relevance for similar names.
const ALIKE: f64 = 0.8;

pub(super) type Rated<'a> = (&'a ContextId, f64);

pub(super) struct NamedSiblings {
    stems: BTreeSet<String>,
    normalizer: Normalizer<'static>,
}

impl NamedSiblings {
    pub(super) fn new(texts: [&str; 2]) -> Self {
        let stems = texts.into_iter().flat_map(query::terms).map(|term| term.stem).collect();
        Self { stems, normalizer: Normalizer::default() }
    }

    /// The texts name `other` instead of `id`.
    ///
    /// Both have one category; the texts have a word of both names and one of `other` alone, but
    /// none of `id` alone. If names only begin alike (`python-types`, `python-structure`), `other`
    /// must be about as relevant.
    pub(super) fn prefers(&self, (other, theirs): Rated<'_>, (id, own): Rated<'_>) -> bool {
        if other.category != id.category {
            return false;
        }
        let is_as_relevant = theirs >= ALIKE * own;
        let (own, others) = (self.words(id), self.words(other));
        let alike = |(a, b): &(&String, &String)| a == b;
        let first = own.iter().zip(&others).take_while(alike).count();
        let (own_rest, others_rest) = (&own[first..], &others[first..]);
        let last = own_rest.iter().rev().zip(others_rest.iter().rev()).take_while(alike).count();
        let (only_own, end) = own_rest.split_at(own_rest.len() - last);
        let only_other = &others_rest[..others_rest.len() - last];
        let says = |words: &[String]| words.iter().any(|word| self.stems.contains(word));
        let are_siblings = !only_own.is_empty() && (last > 0 || is_as_relevant);
        let shares = || says(&own[..first]) || says(end);
        are_siblings && shares() && says(only_other) && !says(only_own)
    }

    fn words(&self, id: &ContextId) -> Vec<String> {
        let words = id.name.split(['-', '_', '.', '/']).filter(|word| !is_stop(word));
        words.map(|word| stem_of(word, &self.normalizer)).filter(|word| !word.is_empty()).collect()
    }
}

/// Removes contexts with the text of a `chosen` or earlier one; each with that one.
pub(crate) fn copies<'a, T>(
    chosen: impl Iterator<Item = &'a Context>,
    close: &mut Vec<(&'a Context, T)>,
    sources: &SourceMap,
) -> Vec<(&'a ContextId, &'a ContextId)> {
    // Few lengths are equal, so few are hashed.
    let mut by_length: HashMap<usize, Vec<&Context>> = HashMap::new();
    for context in chosen {
        by_length.entry(context.body.bytes()).or_default().push(context);
    }
    let mut copies = Vec::new();
    close.retain(|(context, _)| {
        let others = by_length.entry(context.body.bytes()).or_default();
        let is_same = |other: &&&Context| {
            other.id == context.id || other.body.digest(sources) == context.body.digest(sources)
        };
        match others.iter().find(is_same) {
            Some(other) if other.id != context.id => copies.push((&context.id, &other.id)),
            Some(_) => return true,
            None => {
                others.push(context);
                return true;
            }
        }
        false
    });
    copies
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
        rated(request, (other, 0.3), (own, 0.6))
    }

    #[test]
    fn the_named_sibling_is_preferred() {
        let (python, typescript) = ("python-mcp-server", "typescript-mcp-server");
        assert!(prefers("an MCP server in TypeScript", typescript, python));
        assert!(!prefers("an MCP server in TypeScript", python, typescript));
        for request in ["an MCP server", "from Python to TypeScript: an MCP server", "TypeScript"] {
            assert!(!prefers(request, typescript, python), "{request}");
        }
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
    fn other_parts_of_a_subject_are_no_siblings() {
        for (request, other, own) in [
            ("an MCP server in TypeScript", "typescript-mcp-server", "mcp-server"),
            ("an MCP server in TypeScript", "typescript-mcp-server", "mcp-developer"),
            ("slow queries of the database", "database-engineer", "performance-engineer"),
            ("the structure of Python logs", "python-structure", "python-observability"),
            ("an MCP server", "mcp-server", "mcp-server"),
        ] {
            assert!(!prefers(request, other, own), "{own}");
        }
    }
}
