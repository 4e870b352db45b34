//! The purpose of a query.

crate::named_enum! {
    /// The purpose of the answer.
    #[derive(Default)]
    pub enum Purpose {
        /// Answer a question.
        #[default]
        Answer = "answer",
        /// Check whether something is true.
        Verify = "verify",
        /// Get an overview.
        Explore = "explore",
        /// Choose between options.
        Decide = "decide",
        /// Make something new.
        Create = "create",
    }
}
