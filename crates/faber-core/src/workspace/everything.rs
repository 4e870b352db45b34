//! The contexts of all layers of a workspace, for every principal.

use std::collections::BTreeSet;

use crate::document::{self, ContextId, Layer};
use crate::layer::LayerKind;
use crate::parse::frontmatter;
use crate::workspace::Workspace;
use crate::world::World;

/// The folders of overlays that hold one overlay for each name.
const KINDS: [(&str, LayerKind); 5] = [
    ("platforms", LayerKind::Platform),
    ("roles", LayerKind::RoleOverlay),
    ("teams", LayerKind::Team),
    ("workflows", LayerKind::Workflow),
    ("users", LayerKind::User),
];

impl<W: World> Workspace<W> {
    /// The identities of the context files of every role and every overlay. What those that cannot
    /// be read are called is not known.
    pub fn all_ids(&mut self) -> BTreeSet<ContextId> {
        let layer = |kind, name: &str, folder| Layer { kind, name: Some(name.to_owned()), folder };
        let mut layers = self.libraries();
        layers.extend(self.user_libraries());
        for home in self.role_homes() {
            let names = self.files.directories(&home);
            layers.extend(names.iter().map(|name| layer(LayerKind::Role, name, home.join(name))));
        }
        for home in self.overlay_homes() {
            let folder = home.join("organization");
            layers.push(Layer { kind: LayerKind::Organization, name: None, folder });
            for (below, kind) in KINDS {
                let home = home.join(below);
                let names = self.files.directories(&home);
                layers.extend(names.iter().map(|name| layer(kind, name, home.join(name))));
            }
        }
        let members = self.members(&layers);
        let documents = members.iter().filter_map(|member| {
            let mut found = Vec::new();
            let kind = frontmatter::FrontKind::Context;
            let parsed = frontmatter::read(&self.sources, member.file, kind).value;
            document::parse(&self.sources, &layers, member, parsed, &mut found)
        });
        documents.map(|document| document.id).collect()
    }
}
