//! What is called how in a whole workspace, whoever may see it.

use std::collections::BTreeSet;

use crate::document::ContextId;
use crate::settings::Settings;
use crate::suggest;
use crate::workspace::Workspace;

/// All identities of a workspace; read when first asked for, since only slips and what a view does
/// not have ask for them.
pub struct Names<'a> {
    settings: &'a Settings,
    all: Option<BTreeSet<ContextId>>,
}

impl<'a> Names<'a> {
    /// Those of the workspace around `settings.start`.
    pub fn new(settings: &'a Settings) -> Self {
        Self { settings, all: None }
    }

    fn all(&mut self) -> &BTreeSet<ContextId> {
        self.all.get_or_insert_with(|| {
            // Without a workspace nothing has a name.
            let workspace = Workspace::open(self.settings);
            workspace.map(|mut workspace| workspace.all_ids()).unwrap_or_default()
        })
    }

    /// Whether a context of the workspace has this id or bare name.
    pub fn has(&mut self, name: &str) -> bool {
        self.all().iter().any(|id| id.name == name || id.to_string() == name)
    }

    /// The id or bare name that `name` is probably a slip of.
    pub fn closest(&mut self, name: &str) -> Option<String> {
        let bare = !name.contains('/');
        let known = self.all().iter();
        let known: Vec<String> =
            known.map(|id| if bare { id.name.clone() } else { id.to_string() }).collect();
        suggest::closest(name, known.iter().map(String::as_str)).map(str::to_owned)
    }
}
