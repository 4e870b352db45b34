//! All layers of one run with their documents, before resolving.

use crate::document::{Document, Layer};
use crate::resolve::view::View;
use crate::role::{Lineage, Platform};
use crate::source::{FileId, Spanned};

#[derive(Debug)]
pub struct Pack {
    /// The role and its ancestors; `None` for the shared layers alone.
    pub lineage: Option<Lineage>,
    /// The active platform.
    pub platform: Option<Platform>,
    pub layers: Vec<Layer>,
    pub documents: Vec<Document>,
    /// The references of `custom_contexts` in order, with the file if it is a path.
    pub custom: Vec<(Spanned<String>, Option<FileId>)>,
    pub view: View,
}
