//! Thresholds of large conversations.

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

/// In tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triggers {
    pub summarize: u64,
    pub archive: u64,
    pub truncate: u64,
}

impl Triggers {
    pub fn fired(&self, tokens: usize) -> Vec<Trigger> {
        let all = [
            (self.summarize, Trigger::Summarize),
            (self.archive, Trigger::Archive),
            (self.truncate, Trigger::Truncate),
        ];
        let reached = all.into_iter().filter(|(size, _)| tokens as u64 >= *size);
        reached.map(|(_, trigger)| trigger).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_sets_off_what_it_reaches() {
        let triggers = Triggers { summarize: 80, archive: 90, truncate: 95 };
        let names =
            |tokens| triggers.fired(tokens).into_iter().map(Trigger::name).collect::<Vec<_>>();
        assert_eq!(names(79), Vec::<&str>::new());
        assert_eq!(names(80), ["summarize"]);
        assert_eq!(names(94), ["summarize", "archive"]);
        assert_eq!(names(1000), ["summarize", "archive", "truncate"]);
    }
}
