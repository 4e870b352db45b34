//! The layers of a cascade, lowest first.

crate::named_enum! {
    /// The source of a context; later kinds win.
    pub enum LayerKind {
        /// `contexts/` at the workspace root.
        Project = "project",
        /// The contexts of the role, its ancestors' first.
        Role = "role",
        /// The organization overlay.
        Organization = "organization",
        /// The overlay of the detected platform.
        Platform = "platform",
        /// The overlay of the role.
        RoleOverlay = "role-overlay",
        /// The overlay of the configured team.
        Team = "team",
        /// The overlay of the configured workflow.
        Workflow = "workflow",
        /// The overlay of the principal.
        User = "user",
        /// A file that `custom_contexts` names.
        Custom = "custom",
    }
}

impl std::fmt::Display for LayerKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
