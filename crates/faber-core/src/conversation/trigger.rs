//! Actions on large conversations.

crate::named_enum! {
    /// An action at a size of the whole input.
    pub enum Trigger {
        /// Older messages are shortened.
        Summarize = "summarize",
        /// What is shortened or left out can be archived.
        Archive = "archive",
        /// Messages are cut, and contexts shortened.
        Truncate = "truncate",
    }
}
