//! The audit log. I/O is in `discover::audit`.

pub mod bound;
pub mod entry;
pub mod figures;
pub mod kind;
pub mod since;
pub mod tally;
pub(crate) mod trace;

use faber_core::resolve::view::Principal;

pub use entry::{AuditEntry, CallOutcome};
pub use trace::{AnswerTrace, arguments};

pub(crate) fn principal_name(principal: &Principal) -> Option<String> {
    let groups: Vec<&str> = principal.groups.iter().map(String::as_str).collect();
    let user = principal.user.as_deref().unwrap_or_default();
    match (user, groups.is_empty()) {
        ("", true) => None,
        (user, true) => Some(user.to_owned()),
        (user, false) => Some(format!("{user}:{}", groups.join(","))),
    }
}

/// # Errors
///
/// If the system has no random numbers.
pub fn session_id() -> std::io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(std::io::Error::other)?;
    Ok(format!("{:016x}", u64::from_le_bytes(random)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_principal_is_written_as_it_is_typed() {
        for text in ["alice", "alice:eng", "alice:a,b"] {
            assert_eq!(principal_name(&Principal::parse(text).unwrap()).as_deref(), Some(text));
        }
        assert_eq!(principal_name(&Principal::default()), None);
        let anonymous = Principal::new(None, ["eng".to_owned()].into());
        assert_eq!(principal_name(&anonymous).as_deref(), Some(":eng"));
    }
}
