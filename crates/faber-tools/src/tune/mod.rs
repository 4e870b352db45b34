//! What the audit log proposes to change: keywords, when contexts load, what loads with them, missing knowledge,
//! budgets.
//!
//! `usage` makes episodes of the calls: a request, what it was given, and what was asked for afterwards. `facts` says
//! what is known of the contexts, `find` and `budget` count, with the bounds of `confidence`; `phrases` finds the words
//! that tell texts apart. `edit` makes texts of proposals. Nothing is written here.

mod budget;
pub(crate) mod confidence;
pub mod edit;
mod facts;
mod find;
mod phrases;
pub mod proposal;
#[cfg(test)]
mod simulation;
pub mod usage;

use faber_core::error::Error;
use faber_session::session::Session;

use facts::PackFacts;
use proposal::Proposal;
use usage::Usage;

/// What the calls of a period propose for a workspace, by kind, then by context; the most frequent first.
///
/// # Errors
///
/// As [`Session::view`].
pub fn proposals(session: &Session, usage: &Usage) -> Result<Vec<Proposal>, Error> {
    let facts = PackFacts::read(session)?;
    let limits = session.workspace().config.budget.limits(None, None);
    let mut found = find::find(usage, &facts);
    found.extend(budget::find(usage, &limits));
    found.sort_by(|a, b| {
        let key = |it: &Proposal| (it.kind, it.context.clone());
        let often = || b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value));
        key(a).cmp(&key(b)).then_with(often)
    });
    Ok(found)
}
