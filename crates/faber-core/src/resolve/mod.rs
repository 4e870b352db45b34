//! From documents and layers to contexts.

mod bases;
mod body;
pub mod catalog;
pub(crate) mod combine;
mod cycles;
pub mod fold;
mod frontmatter_merge;
pub mod include;
pub mod index;
mod key;
mod labels;
pub mod origin;
mod own;
#[cfg(test)]
mod proptests;
mod rules;
pub mod tree;
pub mod view;
