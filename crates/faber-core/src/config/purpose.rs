//! The purpose of a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

crate::named_enum! {
    /// What the reader of the answer wants to do with it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
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
