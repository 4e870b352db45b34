//! Sources of configuration.

use crate::source::{FileId, SourceMap};

/// Path of the built-in defaults in a [`SourceMap`].
pub const DEFAULTS: &str = "built-in defaults";
/// Path of the environment in a [`SourceMap`].
pub const ENVIRONMENT: &str = "environment";
/// Path of the command line in a [`SourceMap`].
pub(super) const COMMAND_LINE: &str = "command line";

/// A source of configuration; later ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Default,
    /// Outside any workspace.
    User,
    Workspace,
    Overlay,
    Environment,
    CommandLine,
}

/// Whether `file` is a source that is not on disk.
pub fn is_pseudo(sources: &SourceMap, file: FileId) -> bool {
    [DEFAULTS, ENVIRONMENT, COMMAND_LINE].contains(&sources.path(file).as_str())
}
