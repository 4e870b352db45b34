//! The log of the calls that a served workspace answers, and what it says.
//!
//! A wing without a window: `entry` is one line of the log and `bound` keeps it small and free of
//! secrets, `tally` adds lines up and `figures` makes rates of the sums, `report` prints them. Files are
//! written and read by `discover::audit`.

pub mod bound;
pub mod entry;
pub mod figures;
pub mod since;
pub mod tally;

use faber_core::resolve::view::Principal;

pub use entry::{AuditEntry, CallOutcome};

/// A principal as `--as` takes one, `USER:GROUP,…`; none when no user asks.
pub fn who(principal: &Principal) -> Option<String> {
    let groups: Vec<&str> = principal.groups.iter().map(String::as_str).collect();
    let user = principal.user.as_deref().unwrap_or_default();
    match (user, groups.is_empty()) {
        ("", true) => None,
        (user, true) => Some(user.to_owned()),
        (user, false) => Some(format!("{user}:{}", groups.join(","))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_principal_is_written_as_it_is_typed() {
        for text in ["alice", "alice:eng", "alice:a,b"] {
            assert_eq!(who(&Principal::parse(text).unwrap()).as_deref(), Some(text));
        }
        assert_eq!(who(&Principal::default()), None);
        let anonymous = Principal { groups: ["eng".to_owned()].into(), ..Principal::default() };
        assert_eq!(who(&anonymous).as_deref(), Some(":eng"));
    }
}
