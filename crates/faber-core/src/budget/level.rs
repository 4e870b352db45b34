//! Levels of detail and sections of a bundle.

crate::named_enum! {
    /// How much of a context is in the bundle.
    pub enum Level {
        /// Its full text.
        Detailed = "detailed",
        /// Its beginning, cut at a block boundary.
        Truncated = "truncated",
        /// The parts that match the request.
        Focused = "focused",
        /// Its summary.
        Summary = "summary",
        /// One sentence.
        Essence = "essence",
        /// Its line in the catalog.
        Catalog = "catalog",
        /// Nothing.
        Dropped = "dropped",
    }
}

impl Level {
    /// In thousandths of the full text; for focused forms the minimum.
    pub fn value(self) -> u32 {
        match self {
            Self::Detailed | Self::Truncated => 1000,
            Self::Focused => 300,
            Self::Summary => 200,
            Self::Essence => 50,
            Self::Catalog => 20,
            Self::Dropped => 0,
        }
    }
}

crate::named_enum! {
    /// The parts that a budget is divided into.
    pub enum Section {
        /// The role prompt, the task or flow.
        System = "system",
        /// The user overlay.
        Profile = "profile",
        /// Platform, standards, specialists, custom contexts and the like.
        Location = "location",
        /// Related contexts.
        Related = "related",
        /// The catalog.
        Catalog = "catalog",
        /// Past messages.
        History = "history",
        /// The request and its input.
        Message = "message",
    }
}
