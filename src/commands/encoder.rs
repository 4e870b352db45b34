//! `faber encoder`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::EncoderCommand;
use crate::commands::output;
use faber_core::error::Error;
use faber_core::world::mebibytes;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::encoder::EncoderFile;
use faber_session::hex::hex;

/// `faber encoder list --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EncoderData {
    /// `faber.encoder/1`.
    pub schema: &'static str,
    /// The encoder; none if there is none.
    pub encoder: Option<EncoderInfo>,
}

/// An encoder.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EncoderInfo {
    /// The name of the model.
    pub name: String,
    /// The file.
    pub path: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// The numbers of a vector.
    pub dimensions: usize,
    /// The layers of the model.
    pub layers: usize,
    /// Its SHA-256.
    pub sha256: String,
}

pub(crate) fn run(
    command: &EncoderCommand,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let folder = streams.settings.data.as_deref().ok_or_else(|| {
        Error::usage("cannot determine the data directory", "set `HOME` or `XDG_DATA_HOME`")
    })?;
    let file = EncoderFile::new(folder);
    match command {
        EncoderCommand::Add { source } => {
            let source = streams.settings.cwd.join(source);
            let encoder = file.add(&source)?;
            streams.note(&format!("added {}; searches use it from now on\n", encoder.name()));
        }
        EncoderCommand::List { format } => {
            let encoder = file.open().map_err(|invalid| {
                Error::usage(
                    format!("the encoder `{}` cannot be used: {invalid}", file.path()),
                    "add it again with `faber encoder add`, or remove it with `faber encoder remove`",
                )
            })?;
            let encoder = encoder.map(|encoder| EncoderInfo {
                name: encoder.name().to_owned(),
                path: file.path().into_string(),
                bytes: encoder.size(),
                dimensions: encoder.width(),
                layers: encoder.layers(),
                sha256: hex(encoder.digest()),
            });
            let data = EncoderData { schema: "faber.encoder/1", encoder };
            output::print_or(&data, *format, streams, human, "no encoder\n")?;
        }
        EncoderCommand::Remove => {
            streams.note(if file.remove()? { "removed\n" } else { "no encoder\n" });
        }
    }
    Ok(ExitStatus::Done)
}

fn human(data: &EncoderData) -> String {
    let Some(encoder) = &data.encoder else { return String::new() };
    let EncoderInfo { name, path, dimensions, layers, sha256, .. } = encoder;
    let size = mebibytes(encoder.bytes as u64);
    format!("{name}  {dimensions} dimensions, {layers} layers, {size}\n{path}\nSHA-256 {sha256}\n")
}
