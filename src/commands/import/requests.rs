//! Imports of a command line.

use camino::{Utf8Path, Utf8PathBuf};

use super::apply;
use crate::cli::args::Import;
use faber_core::error::Error;
use faber_core::paths::lexical;
use faber_session::discover::files;
use faber_session::settings::Settings;
use faber_tools::exchange::format::Format;
use faber_tools::exchange::record::ImportRequest;

pub(super) struct Destination {
    pub(super) root: Utf8PathBuf,
    pub(super) into: Utf8PathBuf,
    pub(super) is_new: bool,
}

type FormatGroup<'a> = (Option<Format>, Vec<&'a Utf8Path>);

/// One per format, relative to the root.
pub(super) fn requests(
    args: &Import,
    destination: &Destination,
    settings: &Settings,
) -> Result<Vec<ImportRequest>, Error> {
    let groups = split(&args.paths, settings)?;
    let is_other = |(format, _): &FormatGroup<'_>| *format != Some(Format::Markdown);
    if args.category.is_some() && groups.iter().any(is_other) {
        let message = "`--category` needs the format `markdown`";
        return Err(Error::usage(message, "put `markdown` before the paths"));
    }
    let from_root =
        |path: &&Utf8Path| apply::from_root(&destination.root, &lexical(&settings.cwd.join(path)));
    let request = |(format, paths): FormatGroup<'_>| {
        let mut paths: Vec<String> = paths.iter().map(from_root).collect();
        paths.sort();
        paths.dedup();
        let category = args.category.map(|category| category.to_string());
        let format = format.map(|it| it.name().to_owned());
        let into = destination.into.to_string();
        ImportRequest { paths, format, category, translations: args.translations, into }
    };
    Ok(groups.into_iter().map(request).collect())
}

fn split<'a>(words: &'a [Utf8PathBuf], settings: &Settings) -> Result<Vec<FormatGroup<'a>>, Error> {
    let exists = |word: &Utf8Path| files::path_exists(&settings.cwd.join(word));
    let mut groups: Vec<FormatGroup<'_>> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let format = Format::from_name(word.as_str());
        let is_first = at == 0 && words.len() > 1;
        match (format, groups.last_mut()) {
            (Some(_), _) if is_first || !exists(word) => groups.push((format, Vec::new())),
            (None, None) if is_first && !exists(word) && !word.as_str().contains(['.', '/']) => {
                return Err(Error::unknown("format", word.as_str(), Format::NAMES));
            }
            (_, Some((_, paths))) => paths.push(word),
            (_, None) => groups.push((None, vec![word])),
        }
    }
    match groups.iter().find(|(_, paths)| paths.is_empty()) {
        Some((Some(format), _)) => Err(Error::usage(
            format!("no path after the format `{}`", format.name()),
            format!("add files or directories, such as `faber import {} .`", format.name()),
        )),
        _ => Ok(groups),
    }
}
