//! Rules and fixes of `faber validate`, tests of packs, and trials of contexts.

pub mod testing;
pub mod trial;
pub mod validate;
