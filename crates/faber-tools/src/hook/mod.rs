//! Delivers contexts to an agent at events of its client.
//!
//! [`deliver::deliver`] makes a [`deliver::Delivery`] of an [`event::HookEvent`]. The formats of
//! clients are not known here.

pub mod deliver;
pub mod event;
pub(crate) mod fit;
pub(crate) mod loaded;
