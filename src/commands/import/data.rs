//! `faber import --format json`.

use schemars::JsonSchema;
use serde::Serialize;

use faber_output::json::FindingData;

/// `faber import --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ImportData {
    /// `faber.import/1`.
    pub schema: &'static str,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The files of the workspace, by path.
    pub files: Vec<FileData>,
    /// Lost content and other findings.
    pub findings: Vec<FindingData>,
}

/// A file of the workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileData {
    /// Its path from the workspace root.
    pub path: String,
    /// Its id, such as `standard/testing`; null for a file that belongs to a context.
    pub id: Option<String>,
    /// Its source file, as in findings; null for files of a new workspace.
    pub source: Option<String>,
    /// What became of it.
    pub state: ImportState,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ImportState {
    /// It was created, or would be.
    Created,
    /// It is used where it is, or would be.
    InPlace,
    /// It was not edited here and was updated from its source, or would be.
    Updated,
    /// It has the text of its source.
    Unchanged,
    /// It was edited here, and its source has not changed or `--ours` keeps it.
    Edited,
    /// It was removed here, and is not created again.
    Deleted,
    /// Its export by faber has a different text; not overwritten.
    Kept,
    /// It has a different text; not overwritten.
    Refused,
    /// It cannot be written.
    Unwritten,
    /// Its source is gone; not removed.
    Gone,
    /// Its source is gone, and it was removed, or would be.
    Removed,
}

impl ImportState {
    pub(super) fn is_new(self) -> bool {
        matches!(self, Self::Created | Self::InPlace | Self::Updated)
    }
}
