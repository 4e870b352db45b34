//! The catalog: what exists and is not loaded, as far as its tokens go.

use std::collections::BTreeMap;

use crate::category::Category;
use crate::document::ContextId;
use crate::layer::LayerKind;

/// Where a context belongs, in the reader's terms.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The role and its overlay.
    Area,
    /// The team overlay.
    Team,
    /// The organization overlay.
    Organization,
    /// Project library, platform and workflow overlays.
    Space,
}

impl Scope {
    /// The scope of a context whose highest layer is `top`.
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

    /// The name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Area => "area",
            Self::Team => "team",
            Self::Organization => "organization",
            Self::Space => "space",
        }
    }
}

/// One context of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The context.
    pub id: ContextId,
    /// Where it belongs.
    pub scope: Scope,
}

/// The most characters of an essence on a catalog line.
const ESSENCE_CHARS: usize = 160;

/// The lines of a catalog that names the first `shown` of `entries` and counts all of them.
///
/// `names` gives scopes a name of their own, such as that of the organization.
pub fn lines(
    entries: &[Entry],
    shown: usize,
    names: &BTreeMap<Scope, String>,
    essence: &dyn Fn(&ContextId) -> String,
) -> Vec<String> {
    let mut lines = vec![
        "Known and not loaded. `faber show ID` prints one, `faber list contexts` lists all."
            .to_owned(),
        String::new(),
    ];
    let mut counts: BTreeMap<Scope, BTreeMap<Category, usize>> = BTreeMap::new();
    for entry in entries {
        *counts.entry(entry.scope).or_default().entry(entry.id.category).or_default() += 1;
    }
    for (scope, counts) in &counts {
        let name = names.get(scope).map(|name| format!(" ({name})")).unwrap_or_default();
        let counts: Vec<String> =
            counts.iter().map(|(&category, &n)| counted(category, n)).collect();
        lines.push(format!("- {}{name}: {}", capitalized(scope.name()), counts.join(", ")));
    }
    if shown > 0 {
        lines.push(String::new());
    }
    for entry in &entries[..shown] {
        lines.push(line(&entry.id, &essence(&entry.id)));
    }
    if shown > 0 && shown < entries.len() {
        lines.push(format!("- and {} more", entries.len() - shown));
    }
    lines
}

/// The line of one context.
pub fn line(id: &ContextId, essence: &str) -> String {
    let essence = shortened(essence);
    let colon = if essence.is_empty() { "" } else { ": " };
    format!("- `{id}`{colon}{essence}")
}

fn counted(category: Category, n: usize) -> String {
    let name = if n == 1 { category.row().name } else { category.row().directory };
    // The one folder whose name is no plural.
    let noun = if category == Category::Troubleshooting { " guide" } else { "" };
    let plural = if noun.is_empty() || n == 1 { "" } else { "s" };
    format!("{n} {name}{noun}{plural}")
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// At most [`ESSENCE_CHARS`] characters, cut between words.
fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(ESSENCE_CHARS) else { return text.to_owned() };
    let cut = text[..end].rfind(' ').unwrap_or(end);
    format!("{} …", &text[..cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let entry = |category, name: &str, scope| Entry {
            id: ContextId { category, name: name.into() },
            scope,
        };
        let entries = [
            entry(Category::Pattern, "a", Scope::Area),
            entry(Category::Pattern, "b", Scope::Area),
            entry(Category::Troubleshooting, "c", Scope::Organization),
        ];
        let names = BTreeMap::from([(Scope::Organization, "acme".to_owned())]);
        let text = lines(&entries, 1, &names, &|id| format!("about {}", id.name)).join("\n");
        insta::assert_snapshot!(text, @r"
        Known and not loaded. `faber show ID` prints one, `faber list contexts` lists all.

        - Area: 2 patterns
        - Organization (acme): 1 troubleshooting guide

        - `pattern/a`: about a
        - and 2 more
        ");
        assert_eq!(shortened(&"word ".repeat(100)).chars().count(), 161);
    }
}
