//! The rules and fixes of `faber validate`, the test cases of packs, and trials of contexts.

pub mod testing;
pub mod trial;
pub mod validate;
