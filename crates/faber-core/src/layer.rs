//! The layers of a cascade, lowest first.

use serde::{Deserialize, Serialize};

/// The source of a context; later kinds win.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum LayerKind {
    /// `contexts/` at the workspace root.
    Project,
    /// The contexts of the role, its ancestors' first.
    Role,
    /// The organization overlay.
    Organization,
    /// The overlay of the detected platform.
    Platform,
    /// The overlay of the role.
    RoleOverlay,
    /// The overlay of the configured team.
    Team,
    /// The overlay of the configured workflow.
    Workflow,
    /// The overlay of the principal.
    User,
    /// A file that `custom_contexts` names.
    Custom,
}

impl LayerKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Role => "role",
            Self::Organization => "organization",
            Self::Platform => "platform",
            Self::RoleOverlay => "role-overlay",
            Self::Team => "team",
            Self::Workflow => "workflow",
            Self::User => "user",
            Self::Custom => "custom",
        }
    }
}

impl std::fmt::Display for LayerKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
