//! The layers of files in a context.

use crate::layer::LayerKind;
use crate::resolve::catalog::Context;
use crate::source::{FileId, SourceMap};

/// Of an included file, the layer of the nearest source.
pub fn layer_of(file: FileId, context: &Context, sources: &SourceMap) -> LayerKind {
    let own = context.sources.iter().find(|source| source.file == file);
    let nearest = || {
        let path = sources.path(file);
        let shared = |other: FileId| {
            let other = sources.path(other);
            path.components().zip(other.components()).take_while(|(a, b)| a == b).count()
        };
        context.sources.iter().max_by_key(|source| shared(source.file))
    };
    own.or_else(nearest).map_or(context.top, |source| source.layer)
}
