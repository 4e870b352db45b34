//! `faber tokens`.

use std::fmt::Write;
use std::sync::Arc;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, Tokens};
use faber_core::assemble::compose::ModelCounter;
use faber_core::config;
use faber_core::error::Error;
use faber_core::source::SourceMap;
use faber_core::tokens::{Counter, Encoding};
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::files;
use faber_session::session::Session;
use faber_session::settings::Settings;

/// `faber tokens --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokensData {
    /// `faber.tokens/1`.
    pub schema: &'static str,
    /// The encoding.
    pub encoding: &'static str,
    /// Whether a safety margin is added because the model's tokenizer is not public.
    pub estimated: bool,
    /// The files, in the order in which they were named.
    pub files: Vec<FileTokens>,
    /// The sum.
    pub total: usize,
}

/// The tokens of one file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileTokens {
    /// As it was named; `-` is standard input.
    pub path: String,
    /// Its tokens.
    pub tokens: usize,
    /// Its bytes.
    pub bytes: usize,
}

/// Runs it. Works outside of a workspace too, with the user's own configuration.
///
/// # Errors
///
/// An unknown model or encoding, and a file that cannot be read.
pub fn run(args: &Tokens, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let counter = counter(args, settings)?;
    let stdin = [camino::Utf8PathBuf::from("-")];
    let paths = if args.files.is_empty() { &stdin[..] } else { &args.files };
    let mut rows = Vec::new();
    for path in paths {
        let text = read(path, settings, streams)?;
        rows.push(FileTokens {
            path: path.to_string(),
            tokens: counter.count(&text),
            bytes: text.len(),
        });
    }
    let total = rows.iter().map(|file| file.tokens).sum();
    match args.format {
        DataFormat::Json => streams.print_json(&TokensData {
            schema: "faber.tokens/1",
            encoding: counter.encoding.name(),
            estimated: counter.is_estimated(),
            files: rows,
            total,
        })?,
        DataFormat::Human => streams.print(&human(&rows, total))?,
    }
    Ok(ExitStatus::Done)
}

/// The number alone for one text, for scripts; else a line each and the sum.
fn human(counted: &[FileTokens], total: usize) -> String {
    if let [only] = counted {
        return format!("{}\n", only.tokens);
    }
    let width = total.to_string().len();
    let rows =
        counted.iter().map(|file| (file.tokens, file.path.as_str())).chain([(total, "total")]);
    rows.fold(String::new(), |mut out, (tokens, path)| {
        let _ = writeln!(out, "{tokens:>width$} {path}");
        out
    })
}

fn counter(args: &Tokens, settings: &Settings) -> Result<Counter, Error> {
    if let Some(name) = &args.encoding {
        let known = Encoding::NAMES.iter().map(|(name, _)| *name);
        let encoding =
            Encoding::from_name(name).ok_or_else(|| Error::unknown("encoding", name, known))?;
        return Ok(Counter::exact(encoding, &Arc::default()));
    }
    let config = match Session::open(settings) {
        Ok(session) => session.workspace().config,
        Err(Error::NoWorkspace { .. }) => {
            let mut sources = SourceMap::default();
            config::typed(&config::defaults(&mut sources), &sources)
        }
        Err(error) => return Err(error),
    };
    Ok(ModelCounter::new(&config, args.model.as_deref(), &Arc::default())?.counter)
}

fn read(path: &Utf8Path, settings: &Settings, streams: &mut Streams<'_>) -> Result<String, Error> {
    if path == "-" {
        return streams.read_input();
    }
    files::read_input(&settings.cwd.join(path))
}
