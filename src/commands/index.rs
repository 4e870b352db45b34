//! `faber index`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, IndexCommand, IndexWhat};
use crate::commands::{output, search};
use faber_core::error::Error;
use faber_core::world::mebibytes;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::generation::Generations;
use faber_session::session::Session;
use faber_tools::search::index::SearchIndex;

const SCHEMA: &str = "faber.index/1";

/// `faber index --format json`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct IndexData {
    /// `faber.index/1`.
    pub schema: &'static str,
    /// The path of the index; none if it is only in memory, or was removed.
    pub path: Option<String>,
    /// What can be found in the view.
    pub items: usize,
    /// Chunks of these.
    pub chunks: usize,
    /// Size of the index in bytes.
    pub bytes: usize,
    /// Size of the texts of the view in bytes.
    pub source_bytes: u64,
}

pub(crate) fn run(args: &IndexCommand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let cache = session.caches().disk();
    let mut removed = Vec::new();
    if args.what != IndexWhat::Status
        && let Some(cache) = cache
    {
        let fail =
            |source| Error::Io { action: "remove", path: ".faber/cache/search".into(), source };
        removed = Generations::new(cache).clear().map_err(fail)?;
    }
    if args.what == IndexWhat::Clear {
        streams.note(if removed.is_empty() {
            "no search index to clear\n"
        } else {
            "the search index is removed; the next search builds it again\n"
        });
        if args.data.format == DataFormat::Json {
            streams.print_json(&IndexData { schema: SCHEMA, ..IndexData::default() })?;
        }
        return Ok(ExitStatus::Done);
    }
    let request = search::index_request(args.role.as_ref(), &args.data.view);
    let library = SearchIndex::open(&session, &request, None, streams)?;
    let items = &library.view.items;
    let path = cache.and_then(|cache| Generations::new(cache).folder());
    let data = IndexData {
        schema: SCHEMA,
        path: path.map(|path| path.strip_prefix(&library.root).unwrap_or(&path).to_string()),
        items: items.count(),
        chunks: library.corpus().rows(),
        bytes: library.parts().iter().map(|part| part.bytes().len()).sum(),
        source_bytes: (0..items.count()).map(|at| u64::from(items.facets(at).bytes)).sum(),
    };
    rayon::spawn(move || drop(library));
    output::print(&data, args.data.format, streams, human)
}

fn human(data: &IndexData) -> String {
    let place = data.path.as_deref().unwrap_or("in memory");
    format!(
        "index   {place}, {}\ntexts   {} in {} passages, {}\n",
        mebibytes(data.bytes as u64),
        data.items,
        data.chunks,
        mebibytes(data.source_bytes)
    )
}
