//! Chooses contexts and their level of detail.

pub(crate) mod excerpt;
pub mod extract;
pub(crate) mod extract_cache;
pub mod focus;
pub mod gist;
pub(crate) mod knapsack;
pub mod level;
pub(crate) mod middle;
pub mod pack;
mod sentence;
#[cfg(test)]
pub(crate) mod strategies;
pub mod truncate;
