use camino::Utf8Path;

use faber_core::config::Freshness;
use faber_core::error::Error;
use faber_output::streams::Streams;
use faber_session::discover::files::read_regular;
use faber_session::session::Session;
use faber_tools::memory::extract::{self, ExtractOptions, Extracted};
use faber_tools::memory::remember::Memory;
use faber_tools::search::index::SearchIndex;
use faber_tools::search::view::IndexRequest;

pub(super) fn make(session: &Session, path: &Utf8Path) -> Result<Vec<String>, Error> {
    let text = read_regular(path)?;
    let settings = session.settings();
    let (mut out, mut err) = (std::io::sink(), std::io::sink());
    let mut streams =
        Streams { out: &mut out, err: &mut err, input: &mut std::io::empty(), settings };
    let library =
        SearchIndex::open(session, &IndexRequest::default(), Some(Freshness::Auto), &mut streams)?;
    let mut memory = Memory::new(session, &library);
    let name = path.file_name().unwrap_or("transcript");
    let conversation = extract::of_text(name, &text)?;
    let data = extract::extract(&mut memory, &conversation, &ExtractOptions::default())?;
    let made = data.notes.into_iter().filter(|note| note.outcome == Extracted::Created);
    Ok(made.filter_map(|note| note.id).collect())
}
