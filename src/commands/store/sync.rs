//! `faber store push` and `pull`.

use camino::{Utf8Component, Utf8Path};

use super::manage::retention;
use super::open::address;
use crate::cli::args::{StorePull, StorePush};
use faber_core::error::Error;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::grouped;
use faber_output::text::counted;
use faber_session::discover::atomic::Writer;
use faber_session::discover::git::Git;
use faber_session::session::Session;
use faber_store::{PushRequest, SpaceName, Store};
use faber_tools::search::stored;
use faber_tools::search::view::IndexRequest;

const MAX_REVISION_CHARS: usize = 200;

pub(super) fn push(args: &StorePush, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let space = SpaceName::parse(&args.space)?;
    let session = Session::open(streams.settings)?;
    let address = address(args.at.store.as_deref(), &session)?;
    let revision = match &args.revision {
        Some(revision) if is_revision(revision) => revision.clone(),
        Some(_) => {
            return Err(Error::usage(
                "the revision is empty, too long or has control characters",
                format!("use one line of at most {MAX_REVISION_CHARS} characters"),
            ));
        }
        None => revision(&session),
    };
    // Connects first, because reading takes longer.
    let mut store = Store::connect(&address)?;
    let request = IndexRequest { role: None, platform: args.view.platform.clone(), scopes: None };
    let view = stored::read(&session, &request, streams)?;
    let principal = session.workspace().principal();
    let by = principal.user.as_deref().unwrap_or("unknown");
    let retention = retention(&session);
    let request = PushRequest { space: &space, revision: &revision, by, retention };
    let done = store.push(request, view)?;
    streams.note(&format!(
        "pushed {space} at {revision}: {} added, {} changed, {} removed, {} unchanged; {} of {} bytes\n",
        done.added,
        done.changed,
        done.removed,
        done.unchanged,
        counted(done.units, "passage"),
        grouped(done.bytes)
    ));
    if done.expired > 0 {
        let count = done.expired;
        streams.note(&format!(
            "skipped {count} of history and memories: older than `store.keep_days`\n"
        ));
    }
    if done.added > 0 && done.removed > 0 && done.changed + done.unchanged == 0 {
        streams.note(&format!(
            "all previous items of `{space}` were replaced; check that the space belongs to this workspace\n"
        ));
    }
    Ok(ExitStatus::Done)
}

fn is_revision(text: &str) -> bool {
    let is_short = text.chars().nth(MAX_REVISION_CHARS).is_none();
    is_short && !text.trim().is_empty() && !text.contains(char::is_control)
}

/// With `-dirty` if files differ from the commit.
fn revision(session: &Session) -> String {
    let git = Git::around(session.root());
    let arguments = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
    let output = git.and_then(|git| git.output(&arguments).ok());
    let text = output.map(|output| String::from_utf8_lossy(&output).trim().to_owned());
    text.filter(|text| !text.is_empty()).unwrap_or_else(|| "unversioned".to_owned())
}

pub(super) fn pull(args: &StorePull, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let space = SpaceName::parse(&args.space)?;
    let session = Session::open_or_empty(streams.settings)?;
    let address = address(args.at.store.as_deref(), &session)?;
    let mut store = Store::connect(&address)?;
    let files = store.files(&session.workspace().principal(), &space)?;
    if files.is_empty() {
        return Err(Error::usage(
            format!("the store has no files of `{space}` that you may see"),
            "check the name of the space, and the user and groups (`--as USER:GROUP`)",
        ));
    }
    if let Some(path) = files.keys().find(|path| !is_text(path)) {
        return Err(Error::usage(
            format!("the store has a file that is not copied: `{}`", path.escape_debug()),
            "only Markdown files and conversations below the directory are copied; push the space again",
        ));
    }
    let folder = streams.settings.start.join(&args.folder);
    let writer = Writer::new(&folder);
    let (mut written, mut same, mut other) = (0, 0, Vec::new());
    for (path, text) in &files {
        let place = folder.join(path);
        match writer.create(Utf8Path::new(path), text) {
            Ok(()) => written += 1,
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::AlreadyExists => {
                let known = session.files().read_elsewhere(&place);
                if known.is_ok_and(|known| *known == **text) {
                    same += 1;
                } else {
                    other.push(place);
                }
            }
            Err(error) => return Err(error),
        }
    }
    for path in &other {
        streams.eprint(&format!(
            "warning: {path} already exists with different content; not overwritten\n"
        ));
    }
    let files = counted(written, "file");
    streams.note(&format!(
        "pulled {space}: {files} written, {same} unchanged, {}\n",
        counted(other.len(), "conflict")
    ));
    Ok(if other.is_empty() { ExitStatus::Done } else { ExitStatus::Findings })
}

fn is_text(path: &str) -> bool {
    let is_plain = !path.contains(|c: char| c.is_control() || c == '\\');
    let lower = path.to_ascii_lowercase();
    let is_own = [".faber/state/", ".faber/cache/"].iter().any(|own| lower.starts_with(own));
    let path = Utf8Path::new(path);
    let is_below = path.components().all(
        |part| matches!(part, Utf8Component::Normal(name) if !name.eq_ignore_ascii_case(".git")),
    );
    is_plain && !is_own && is_below && matches!(path.extension(), Some("md" | "jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_below_the_folder_are_copied() {
        assert!(is_text("contexts/a.md") && is_text(".faber/history/x.jsonl"));
        for path in [
            "../a.md",
            "/etc/a.md",
            ".git/a.md",
            "x/.GIT/a.md",
            ".faber/state/audit.jsonl",
            "a\\b.md",
            "a\n.md",
            "a.sh",
            "a/../../b.md",
            "",
        ] {
            assert!(!is_text(path), "{path}");
        }
    }
}
