//! Which contexts are included, and at which level of detail.

#[cfg(test)]
pub(crate) mod arbitrary;
pub(crate) mod excerpt;
pub mod extract;
pub(crate) mod extract_cache;
pub mod focus;
pub(crate) mod knapsack;
pub mod level;
pub(crate) mod middle;
pub mod pack;
mod sentence;
pub mod truncate;
