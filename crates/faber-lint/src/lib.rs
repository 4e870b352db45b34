//! Whether a pack is sound and helps: the rules of `faber validate`, their fixes, the tests that a pack has of
//! itself, and trials of its contexts.

pub mod testing;
pub mod trial;
pub mod validate;
