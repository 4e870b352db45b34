//! Proposes keywords, loading, budgets and documentation from the audit log.

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
pub use phrases::MIN_TEXTS;
use proposal::Proposal;
use usage::Usage;

/// By kind, then context.
///
/// # Errors
///
/// Errors of [`Session::view`].
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
