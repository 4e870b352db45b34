//! Tests of a pack: which contexts a request loads.

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
