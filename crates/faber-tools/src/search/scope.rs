use serde::{Deserialize, Serialize};

use faber_core::layer::LayerKind;
use faber_core::render::catalog;

faber_core::named_enum! {
    /// The scope of an item.
    #[derive(Default)]
    pub enum Scope {
        /// The organization's overlay
        Organization = "organization",
        /// The team's overlay
        Team = "team",
        /// The workspace: its contexts, all roles, workflow and platform overlays
        Space = "space",
        /// The role with its overlay
        Area = "area",
        /// Past conversations and notes
        Historical = "historical",
        /// Everywhere
        #[default]
        All = "all",
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scopes(u8);

impl Scope {
    /// Without a role, roles and users belong to the space.
    pub fn of(layer: LayerKind, has_role: bool) -> Self {
        match catalog::Scope::of(layer) {
            catalog::Scope::Organization => Self::Organization,
            catalog::Scope::Team => Self::Team,
            catalog::Scope::Area if has_role => Self::Area,
            catalog::Scope::Area | catalog::Scope::Space => Self::Space,
        }
    }

    pub fn includes(self, other: Self) -> bool {
        self == other || self == Self::All
    }

    pub fn word(self, layer: Option<LayerKind>) -> &'static str {
        match self {
            _ if layer == Some(LayerKind::User) => "user",
            Self::Space if matches!(layer, Some(LayerKind::Role | LayerKind::RoleOverlay)) => {
                "role"
            }
            Self::Space => "workspace",
            Self::Area => "role",
            other => other.name(),
        }
    }

    pub fn listed(self) -> Option<catalog::Scope> {
        catalog::Scope::from_name(self.name())
    }
}

impl Scopes {
    pub fn of(scopes: impl IntoIterator<Item = Scope>) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | 1 << scope as u8))
    }

    pub(crate) fn of_layers(layers: &[LayerKind], has_role: bool) -> Self {
        let own = layers.iter().map(|layer| Scope::of(*layer, has_role));
        let is_role = layers.contains(&LayerKind::Role);
        Self::of(own.chain(is_role.then_some(Scope::Space)))
    }

    pub fn meet(self, others: Self) -> bool {
        self.0 & others.0 != 0 || others.0 & (1 << Scope::All as u8) != 0
    }

    pub(super) fn bits(self) -> u8 {
        self.0
    }

    pub(super) fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    pub fn has(self, scope: Scope) -> bool {
        scope == Scope::All || self.0 & (1 << scope as u8) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_user_are_not_of_a_role() {
        let words = [LayerKind::User, LayerKind::RoleOverlay].map(|layer| {
            [true, false].map(|has_role| Scope::of(layer, has_role).word(Some(layer)))
        });
        assert_eq!(words, [["user", "user"], ["role", "role"]]);
    }

    #[test]
    fn an_item_of_several_layers_is_in_the_scopes_of_all() {
        let layers = [LayerKind::Role, LayerKind::Organization];
        let scopes = Scopes::of_layers(&layers, true);
        let all = Scope::ALL.into_iter().filter(|(_, scope)| scopes.has(*scope));
        let names: Vec<_> = all.map(|(name, _)| name).collect();
        assert_eq!(names, ["organization", "space", "area", "all"]);
        assert!(!Scopes::of_layers(&layers, false).has(Scope::Area));
        assert!(Scopes::of_layers(&[LayerKind::RoleOverlay], true).has(Scope::Area));
        assert!(!Scopes::of_layers(&[LayerKind::RoleOverlay], true).has(Scope::Space));
    }
}
