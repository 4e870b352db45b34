//! Which contexts are included, and at which level of detail.

#[cfg(test)]
pub(crate) mod arbitrary;
pub mod excerpt;
pub mod extract;
pub mod extract_cache;
pub mod focus;
pub mod knapsack;
pub mod level;
pub mod middle;
pub mod pack;
mod sentence;
pub mod truncate;
