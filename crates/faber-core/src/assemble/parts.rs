//! The parts that `--parts` can select.

use std::collections::BTreeSet;

use crate::select::selection::Selection;

crate::named_enum! {
    pub enum BundlePart {
        /// The role's prompt, and the task or flow
        Role = "role",
        /// The selected contexts
        Contexts = "contexts",
        /// The list of contexts that are not loaded
        Catalog = "catalog",
        /// The conversation so far
        History = "history",
        /// Material to work on
        Input = "input",
        /// The error text
        Error = "error",
        /// The request
        Request = "request",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleParts(BTreeSet<BundlePart>);

impl Default for BundleParts {
    fn default() -> Self {
        Self(BundlePart::ALL.map(|(_, part)| part).into())
    }
}

impl BundleParts {
    pub fn new(named: &[BundlePart]) -> Self {
        if named.is_empty() { Self::default() } else { Self(named.iter().copied().collect()) }
    }

    pub fn has(&self, part: BundlePart) -> bool {
        self.0.contains(&part)
    }

    pub fn of(&self, mut selection: Selection) -> Selection {
        if self.has(BundlePart::Contexts) {
            return selection;
        }
        let selected = std::mem::take(&mut selection.selected).into_iter();
        let first: Vec<_> = selected.map(|mut one| (one.id, one.reasons.remove(0))).collect();
        selection.catalogued.extend(first.iter().map(|(id, _)| id.clone()));
        selection.catalogued.sort();
        selection.suggested.splice(..0, first);
        selection
    }
}
