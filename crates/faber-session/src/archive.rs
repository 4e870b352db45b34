//! Keeping past messages where a search of the history finds them.

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::atomic::Writer;
use crate::discover::files::Files;
use faber_core::error::Error;
use faber_core::world::World;

/// Where the history lies, from the workspace root.
pub const HISTORY: &str = ".faber/history";

/// Writes messages, one on each line, to a new file of the history, but for those that some file there
/// has already. Gives back what to say about it; nothing when there was nothing to write.
///
/// The file is named after what it has, so that nothing is ever overwritten.
///
/// # Errors
///
/// What [`Writer::create`] can fail with.
pub fn write(files: &Files, messages: &str) -> Result<Option<String>, Error> {
    let folder = Utf8Path::new(HISTORY);
    let writer = Writer::new(files.root());
    writer.entry(&folder.join("conversation"))?;
    let known = known(files, folder);
    let fresh: Vec<&str> = messages.lines().filter(|line| !known.contains(*line)).collect();
    if fresh.is_empty() {
        return Ok(None);
    }
    let text = fresh.join("\n") + "\n";
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let path: Utf8PathBuf = folder.join(format!("conversation-{}.jsonl", &hash[..16]));
    writer.create(&path, &text)?;
    let count = match fresh.len() {
        1 => "1 message".to_owned(),
        count => format!("{count} messages"),
    };
    Ok(Some(format!("archived {count} in `{path}`\n")))
}

/// Every line of the conversations that are there. What cannot be read is not known.
fn known(files: &Files, folder: &Utf8Path) -> HashSet<String> {
    let names = files.names_ending(folder, ".jsonl").into_iter();
    let texts = names.filter_map(|name| files.read(&folder.join(format!("{name}.jsonl"))).ok());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}
