//! Unit tests of a pack: cases that say what a request must and must not load.
//!
//! It assembles as the commands do and compares the outcome with what a
//! case expects. Why an expectation fails is what `explain` says.

pub mod case;
pub(crate) mod check;
pub mod data;
mod fields;
pub mod junit;
pub mod load;
pub mod names;
pub(crate) mod read;
pub mod replay;
pub mod report;
pub mod run;
pub mod snapshot;
pub mod suggest;
mod turns;
