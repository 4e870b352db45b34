//! All layers of one run with their documents, as they were read.

use crate::document::{Document, Layer};
use crate::resolve::view::View;
use crate::role::{Lineage, Platform};
use crate::source::{FileId, Spanned};

/// All layers of one run, with their documents.
#[derive(Debug)]
pub struct Pack {
    /// The role and its ancestors; none when only the shared layers were asked for.
    pub lineage: Option<Lineage>,
    /// The platform in force.
    pub platform: Option<Platform>,
    /// The layers, lowest first.
    pub layers: Vec<Layer>,
    /// The parsed context files of all layers.
    pub documents: Vec<Document>,
    /// What `custom_contexts` names, in the order of the configuration, with the file when it is
    /// named by a path.
    pub custom: Vec<(Spanned<String>, Option<FileId>)>,
    /// Who asks, when and for what.
    pub view: View,
}
