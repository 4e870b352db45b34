//! Packs: contexts, roles and overlays from outside of the workspace.

mod forms;
mod git;
mod hostile;
mod layers;
mod remote;
mod trust;
