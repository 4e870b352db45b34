//! All contexts of a workspace, for every principal.

use camino::{Utf8Path, Utf8PathBuf};

use crate::document::{self, Document};
use crate::error::Error;
use crate::layer::LayerKind;
use crate::parse::frontmatter::{self, FrontKind};
use crate::paths::normalize;
use crate::workspace::Workspace;
use crate::world::World;

pub(super) const KINDS: [(&str, LayerKind); 5] = [
    ("platforms", LayerKind::Platform),
    ("roles", LayerKind::RoleOverlay),
    ("teams", LayerKind::Team),
    ("workflows", LayerKind::Workflow),
    ("users", LayerKind::User),
];

impl<W: World> Workspace<W> {
    /// # Errors
    ///
    /// [`Error::Unknown`] for an unknown layer or role.
    pub fn overlay_folder(&self, layer: &str) -> Result<Utf8PathBuf, Error> {
        let is_kind = |kind: &str| KINDS.iter().any(|(known, _)| *known == kind);
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let is_name = |name: &str| {
            name.starts_with(is_plain) && name.chars().all(|c| is_plain(c) || c == '-')
        };
        match layer.split_once('/') {
            None if layer == "organization" => {}
            Some((kind, name)) if is_kind(kind) && is_name(name) => {}
            Some((kind, "")) if is_kind(kind) => {
                let help = format!("write `{kind}/NAME`");
                return Err(Error::usage(format!("the layer `{layer}` needs a name"), help));
            }
            Some((kind, name)) if is_kind(kind) => {
                let message = format!("invalid name `{name}` of a layer in `{kind}`");
                let help = "use lower-case letters, digits and `-`, such as `backend-2`";
                return Err(Error::usage(message, help));
            }
            parts => {
                let name = parts.map(|(_, name)| name).filter(|name| is_name(name));
                let name = name.unwrap_or("NAME");
                let layers = KINDS.map(|(kind, _)| format!("{kind}/{name}"));
                let layers = layers.iter().map(String::as_str).chain(["organization"]);
                return Err(Error::unknown("layer", layer, layers));
            }
        }
        let homes = &self.config.overlays.paths;
        let home = homes.first().and_then(|home| normalize(Utf8Path::new(""), &home.value));
        let folder = home.unwrap_or_else(|| ".faber/overlays".into()).join(layer);
        self.check_role_folder(&folder)?;
        Ok(folder)
    }

    /// # Errors
    ///
    /// [`Error::Unknown`] for the folder or overlay of an unknown role.
    pub fn check_role_folder(&self, folder: &Utf8Path) -> Result<(), Error> {
        let overlays = self.own_overlay_homes().into_iter().map(|home| home.join("roles"));
        let is_role = self
            .own_role_homes()
            .into_iter()
            .chain(overlays)
            .any(|home| folder.parent() == Some(&*home));
        let (names, name) = (self.role_names(), folder.file_name().unwrap_or_default());
        if is_role && !names.iter().any(|known| known == name) {
            return Err(Error::unknown("role", name, names.iter().map(String::as_str)));
        }
        Ok(())
    }

    pub fn all_documents(&mut self) -> Vec<Document> {
        let lineages = self.lineages();
        let layers = self.all_layers(&lineages);
        let (members, _) = self.members(&layers);
        let documents = members.iter().filter_map(|member| {
            let parsed = frontmatter::read(&self.sources, member.file, FrontKind::Context).value;
            document::parse(&self.sources, &layers, member, parsed, &mut Vec::new())
        });
        documents.collect()
    }
}
