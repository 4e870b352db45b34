//! The level of detail of a query.

crate::named_enum! {
    /// The level of detail of an answer.
    #[derive(Default)]
    pub enum Abstraction {
        /// Everything in full.
        Detailed = "detailed",
        /// Summaries.
        Summary = "summary",
        /// One sentence per passage.
        Essence = "essence",
        /// As detailed as the budget allows, by usefulness.
        #[default]
        Adaptive = "adaptive",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        for (at, (name, abstraction)) in Abstraction::ALL.into_iter().enumerate() {
            assert_eq!((abstraction.name(), abstraction as usize), (name, at));
            assert_eq!(Abstraction::from_name(name), Some(abstraction));
        }
        assert_eq!(Abstraction::from_name("full"), None);
    }
}
