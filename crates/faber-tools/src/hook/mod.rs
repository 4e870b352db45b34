//! Delivers contexts to an agent, from [`event::HookEvent`] to [`deliver::Delivery`].

pub mod deliver;
pub mod event;
pub(crate) mod fit;
pub(crate) mod loaded;
mod offers;
mod part;
