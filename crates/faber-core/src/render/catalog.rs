//! The catalog of contexts not loaded.

use std::collections::BTreeMap;

use crate::category::Category;
use crate::config::ConfigSettings;
use crate::context_id::ContextId;
use crate::escape::Visible;
use crate::layer::LayerKind;
use crate::markdown;

crate::named_enum! {
    /// The scope of a context, in the reader's terms.
    pub enum Scope {
        /// The role and its overlay.
        Area = "area",
        /// The team overlay.
        Team = "team",
        /// The organization overlay.
        Organization = "organization",
        /// Project library, platform and workflow overlays.
        Space = "space",
    }
}

impl Scope {
    fn title(self) -> &'static str {
        match self {
            Self::Area => "Role",
            Self::Team => "Team",
            Self::Organization => "Organization",
            Self::Space => "Workspace",
        }
    }

    pub fn of(top: LayerKind) -> Self {
        match top {
            LayerKind::Role | LayerKind::RoleOverlay | LayerKind::User | LayerKind::Custom => {
                Self::Area
            }
            LayerKind::Team => Self::Team,
            LayerKind::Organization => Self::Organization,
            LayerKind::Project | LayerKind::Platform | LayerKind::Workflow => Self::Space,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    pub id: ContextId,
    pub scope: Scope,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextCounts {
    pub kinds: BTreeMap<String, usize>,
    pub categories: BTreeMap<Category, usize>,
}

impl ContextCounts {
    pub fn add(&mut self, kind: Option<&str>, category: Category) {
        let kind = kind.map(|kind| markdown::collapse(kind).to_lowercase());
        let count = match kind.filter(|kind| !kind.is_empty()) {
            Some(kind) => self.kinds.entry(kind).or_default(),
            None => self.categories.entry(category).or_default(),
        };
        *count += 1;
    }

    fn listed(&self) -> Vec<String> {
        let kinds = self.kinds.iter().map(|(kind, &n)| format!("{n} {}", several(kind, n)));
        let categories = self.categories.iter().map(|(&category, &n)| counted(category, n));
        kinds.chain(categories).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    pub scope: Scope,
    pub name: Option<String>,
    pub counts: ContextCounts,
    pub topics: Vec<String>,
}

pub fn names(
    settings: &ConfigSettings,
    role: Option<String>,
    team: Option<String>,
) -> BTreeMap<Scope, String> {
    let organization = settings.organization.as_ref().map(|name| name.value.clone());
    let names = [(Scope::Area, role), (Scope::Team, team), (Scope::Organization, organization)];
    names.into_iter().filter_map(|(scope, name)| Some((scope, name?))).collect()
}

#[derive(Clone, Copy, Debug)]
pub struct UnlistedContexts<'a> {
    pub count: usize,
    pub listed_by: Option<&'a str>,
}

pub fn lines(
    how: &str,
    overviews: &[Overview],
    named: &[String],
    rest: &UnlistedContexts<'_>,
) -> Vec<String> {
    let mut lines = vec![how.to_owned(), String::new()];
    for Overview { scope, name, counts, topics } in overviews {
        let name = name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        let about = if topics.is_empty() { "" } else { "; topics: " };
        let (counts, topics) = (counts.listed().join(", "), topics.join(", "));
        let scope = scope.title();
        lines.push(Visible(&format!("- {scope}{name}: {counts}{about}{topics}")).to_string());
    }
    if !named.is_empty() {
        lines.push(String::new());
        lines.extend_from_slice(named);
    }
    let listed = rest.listed_by.map(|by| format!("{by} lists all"));
    match (rest.count, named.is_empty(), listed) {
        (0, ..) | (_, true, None) => {}
        (more, false, None) => lines.push(format!("- and {more} more")),
        (more, false, Some(listed)) => lines.push(format!("- and {more} more; {listed}")),
        (more, true, Some(listed)) => {
            lines.extend([String::new(), format!("- {more} not listed; {listed}")]);
        }
    }
    lines
}

/// With the number of lines that fit; `None` if even an empty catalog is too large.
pub fn largest<T>(
    limit: usize,
    lines: impl Iterator<Item = (String, usize)>,
    build: impl Fn(&[String]) -> Option<(T, usize)>,
) -> Option<(T, usize)> {
    let (smallest, tokens) = build(&[]).filter(|(_, tokens)| *tokens <= limit)?;
    let mut left = limit - tokens;
    let fitting = |(line, tokens)| {
        left = left.checked_sub(tokens)?;
        Some(line)
    };
    let named: Vec<String> = lines.map_while(fitting).collect();
    for shown in (1..=named.len()).rev() {
        if let Some((whole, _)) = build(&named[..shown]).filter(|(_, tokens)| *tokens <= limit) {
            return Some((whole, shown));
        }
    }
    Some((smallest, 0))
}

pub fn line(id: &str, essence: &str, triggers: Option<&str>) -> String {
    let colon = if essence.is_empty() { "" } else { ": " };
    let triggers = triggers.map(|triggers| format!(" ({triggers})")).unwrap_or_default();
    let id = Visible(id).code();
    Visible(&format!("- `{id}`{colon}{essence}{triggers}")).to_string()
}

/// Alternates between scopes, so none fills a catalog.
pub fn in_turn<T, S: Ord>(entries: Vec<T>, scope: impl Fn(&T) -> S) -> Vec<T> {
    let mut turns: BTreeMap<S, usize> = BTreeMap::new();
    let turn = |entry: T| {
        let turn = turns.entry(scope(&entry)).or_default();
        *turn += 1;
        (*turn, entry)
    };
    let mut entries: Vec<(usize, T)> = entries.into_iter().map(turn).collect();
    entries.sort_by_key(|(turn, _)| *turn);
    entries.into_iter().map(|(_, entry)| entry).collect()
}

fn several(word: &str, n: usize) -> String {
    if n == 1 {
        return word.to_owned();
    }
    let vowels = ['a', 'e', 'i', 'o', 'u'];
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(vowels) => format!("{stem}ies"),
        _ if word.ends_with(['s', 'x']) || word.ends_with("ch") || word.ends_with("sh") => {
            format!("{word}es")
        }
        _ => format!("{word}s"),
    }
}

fn counted(category: Category, n: usize) -> String {
    let name = if n == 1 { category.row().name } else { category.row().directory };
    let noun = if category == Category::Troubleshooting { " guide" } else { "" };
    let plural = if noun.is_empty() || n == 1 { "" } else { "s" };
    format!("{n} {name}{noun}{plural}")
}

pub fn shortened(text: &str, max_chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text.to_owned() };
    let cut = text[..end].rfind(' ').unwrap_or(end);
    format!("{} …", &text[..cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(contexts: &[(Option<&str>, Category)]) -> ContextCounts {
        let mut counts = ContextCounts::default();
        for (kind, category) in contexts {
            counts.add(*kind, *category);
        }
        counts
    }

    #[test]
    fn no_scope_fills_a_catalog_alone() {
        let entries = [(Scope::Area, 1), (Scope::Area, 2), (Scope::Area, 3), (Scope::Space, 4)];
        let order: Vec<u8> =
            in_turn(entries.to_vec(), |entry| entry.0).into_iter().map(|entry| entry.1).collect();
        assert_eq!(order, [1, 4, 2, 3]);
    }

    #[test]
    fn kinds_have_plurals() {
        let words = ["policy", "day", "box", "match", "decision"].map(|word| several(word, 2));
        assert_eq!(words, ["policies", "days", "boxes", "matches", "decisions"]);
        assert_eq!(several("policy", 1), "policy");
    }

    fn overviews() -> [Overview; 2] {
        let topics = ["queues", "locks"].map(str::to_owned).to_vec();
        [
            Overview {
                scope: Scope::Area,
                name: None,
                counts: counts(&[
                    (None, Category::Pattern),
                    (None, Category::Pattern),
                    (None, Category::Standard),
                ]),
                topics,
            },
            Overview {
                scope: Scope::Organization,
                name: Some("acme".to_owned()),
                counts: counts(&[
                    (None, Category::Troubleshooting),
                    (Some("Policy"), Category::Standard),
                    (Some("policy "), Category::Reference),
                    (Some("guideline"), Category::Reference),
                ]),
                topics: Vec::new(),
            },
        ]
    }

    #[test]
    fn entries_over_the_limit_are_counted() {
        let named = [line("pattern/a", "about a", Some("for: a"))];
        let rest = UnlistedContexts { count: 2, listed_by: Some("`list`") };
        let text = lines("Ask for them.", &overviews(), &named, &rest).join("\n");
        insta::assert_snapshot!(text, @r"
        Ask for them.

        - Role: 1 standard, 2 patterns; topics: queues, locks
        - Organization (acme): 1 guideline, 2 policies, 1 troubleshooting guide

        - `pattern/a`: about a (for: a)
        - and 2 more; `list` lists all
        ");
        assert_eq!(shortened(&"word ".repeat(100), 160).chars().count(), 161);
    }

    #[test]
    fn line_breaks_and_hidden_characters_are_escaped() {
        let line = line("pattern/a", "b\u{202e}", Some("for: ship\n\n# Request\n\n\u{1b}[31m"));
        assert_eq!(line, r"- `pattern/a`: b\u{202e} (for: ship\n\n# Request\n\n\u{1b}[31m)");
        let mut overviews = overviews();
        overviews[0].topics = vec!["a\n# b".to_owned()];
        let rest = UnlistedContexts { count: 0, listed_by: None };
        assert!(lines("How.", &overviews, &[], &rest).iter().all(|line| !line.contains('\n')));
    }

    #[test]
    fn as_many_lines_are_named_as_fit() {
        let all: Vec<String> = (0..9).map(|at| line(&format!("pattern/{at}"), "", None)).collect();
        let build = |named: &[String]| {
            let rest = UnlistedContexts { count: all.len() - named.len(), listed_by: None };
            let text = lines("How.", &overviews(), named, &rest).join("\n");
            let size = text.len();
            Some((text, size))
        };
        let fitting =
            |limit| largest(limit, all.iter().map(|line| (line.clone(), line.len())), build);
        let frame = build(&[]).unwrap().1;
        assert!(fitting(frame - 1).is_none());
        assert_eq!(fitting(frame).unwrap().1, 0);
        let mut before = 0;
        for limit in frame..frame + 200 {
            let (text, shown) = fitting(limit).unwrap();
            assert!(text.len() <= limit && shown >= before && shown <= all.len());
            before = shown;
        }
        assert_eq!(before, all.len());
    }
}
