//! Explains a bundle.

pub(crate) mod bar;
pub mod candidates;
pub mod compare;
pub mod data;
pub(crate) mod facts;
pub(crate) mod known;
pub mod one;
pub mod origins;
pub mod overview;

use faber_core::assemble::Assembly;
use faber_core::source::SourceMap;
use faber_session::session::Workspace;

#[derive(Clone, Copy)]
pub struct ExplainInput<'a> {
    /// Needs `job.trace`.
    pub assembly: &'a Assembly,
    pub workspace: &'a Workspace,
}

pub fn platform(assembly: &Assembly) -> Option<data::PlatformData> {
    assembly.pack.platform.as_ref().map(|platform| data::PlatformData {
        name: platform.name.clone(),
        chosen_by: platform.chosen_by.clone(),
    })
}

impl<'a> ExplainInput<'a> {
    pub(crate) fn sources(self) -> &'a SourceMap {
        &self.workspace.sources
    }
}
