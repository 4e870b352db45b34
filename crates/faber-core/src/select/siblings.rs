//! Contexts of one kind for different things, such as `python-mcp-server` and `typescript-mcp-server`.
//!
//! Both resemble a request for an MCP server, but only one of them is meant if the request names it.

use std::collections::BTreeSet;

use crate::document::ContextId;
use crate::terms::pieces::{is_stop, stem_of};
use crate::terms::query;
use crate::terms::words::Normalizer;

/// Compares names of contexts with the words of a request.
pub(super) struct NamedSiblings {
    said: BTreeSet<String>,
    normalizer: Normalizer<'static>,
}

impl NamedSiblings {
    /// The siblings that request and error text name.
    pub(super) fn new(texts: [&str; 2]) -> Self {
        let said = texts.into_iter().flat_map(query::terms).map(|term| term.stem).collect();
        Self { said, normalizer: Normalizer::default() }
    }

    /// Whether the texts name `other` instead of `id`.
    ///
    /// Both have the same category, and their names end alike: a name begins with what distinguishes it
    /// from others of its kind, while names that only begin alike (`python-types`, `python-structure`) are
    /// of different parts of one subject. The texts have a word that both names share and one that only
    /// `other` has, but none of those that only `id` has.
    pub(super) fn prefers(&self, other: &ContextId, id: &ContextId) -> bool {
        if other.category != id.category {
            return false;
        }
        let (own, others) = (self.words(id), self.words(other));
        let alike = |(a, b): &(&String, &String)| a == b;
        let first = own.iter().zip(&others).take_while(alike).count();
        let (own_rest, others_rest) = (&own[first..], &others[first..]);
        let last = own_rest.iter().rev().zip(others_rest.iter().rev()).take_while(alike).count();
        let (only_own, end) = own_rest.split_at(own_rest.len() - last);
        let only_other = &others_rest[..others_rest.len() - last];
        let says = |words: &[String]| words.iter().any(|word| self.said.contains(word));
        let are_siblings = last > 0 && !only_own.is_empty();
        let shares = || says(&own[..first]) || says(end);
        are_siblings && shares() && says(only_other) && !says(only_own)
    }

    /// The stems of a name.
    fn words(&self, id: &ContextId) -> Vec<String> {
        let words = id.name.split(['-', '_', '.', '/']).filter(|word| !is_stop(word));
        words.map(|word| stem_of(word, &self.normalizer)).filter(|word| !word.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category::Category;

    fn prefers(request: &str, other: &str, own: &str) -> bool {
        let [other, own] = [other, own].map(|name| ContextId::new(Category::Standard, name));
        NamedSiblings::new([request, ""]).prefers(&other, &own)
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
        assert!(!NamedSiblings::new(["an MCP server in TypeScript", ""]).prefers(&other, &own));
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
