//! The layers of a run, before resolving.

use crate::document::{Document, Layer};
use crate::resolve::view::View;
use crate::role::{Lineage, Platform};
use crate::source::{FileId, Spanned};

#[derive(Debug)]
pub struct Pack {
    pub lineage: Option<Lineage>,
    pub platform: Option<Platform>,
    pub layers: Vec<Layer>,
    pub documents: Vec<Document>,
    pub custom: Vec<(Spanned<String>, Option<FileId>)>,
    pub view: View,
}
