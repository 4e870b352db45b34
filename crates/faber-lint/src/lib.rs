//! Whether a pack is sound: the rules of `faber validate`, their fixes, and the tests that a pack has of
//! itself.

pub mod testing;
pub mod validate;
