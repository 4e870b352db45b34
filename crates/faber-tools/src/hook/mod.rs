//! Delivers contexts to an agent: an [`event::HookEvent`] becomes a [`deliver::Delivery`].

pub mod deliver;
pub mod event;
pub(crate) mod fit;
pub(crate) mod loaded;
mod offers;
mod part;
