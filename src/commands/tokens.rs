//! `faber tokens`.

mod tree;

use std::fmt::Write;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::Tokens;
use crate::commands::output;
use faber_core::assemble::counter::ModelCounter;
use faber_core::config;
use faber_core::error::Error;
use faber_core::source::SourceMap;
use faber_core::tokens::{self, Counter};
use faber_output::streams::{ExitStatus, Streams, replaced};
use faber_output::table::{Column, grouped, table};
use faber_output::text;
use faber_session::discover::input;
use faber_session::session::Session;
use faber_session::settings::Settings;

pub(crate) use tree::TokenTree;

const SCHEMA: &str = "faber.tokens/1";

/// `faber tokens --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TokensData {
    /// `faber.tokens/1`.
    pub schema: &'static str,
    /// The counts; those of the first model when models are compared.
    #[serde(flatten)]
    pub counted: Counted,
    /// The counts of every model that is compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Counted>,
    /// The files by folder, with `--tree`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<TokenTree>,
}

/// The tokens of files by one model or encoding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Counted {
    /// The model; none when only an encoding is known.
    pub model: Option<String>,
    /// The encoding.
    pub encoding: &'static str,
    /// Whether a safety margin is added because the model's tokenizer is not public.
    pub estimated: bool,
    /// Whether the tokenizer is not public and counts come from a reconstruction. Each file then counts as a
    /// message, with the tokens around its text.
    pub reconstructed: bool,
    /// The safety margin in percent.
    pub margin: u32,
    /// The window of the model in tokens.
    pub window: Option<u64>,
    /// The files, in the order in which they were named.
    pub files: Vec<FileTokens>,
    /// The sum.
    pub total: usize,
}

/// The tokens of one file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct FileTokens {
    /// As it was named; `-` is standard input.
    pub path: String,
    /// Its tokens.
    pub tokens: usize,
    /// Its bytes.
    pub bytes: usize,
}

pub(crate) fn run(args: &Tokens, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let (first, others) = counters(args, settings)?;
    if args.tree && !others.is_empty() {
        let message = "`--tree` counts with one model";
        return Err(Error::usage(message, "pass `--model` once, or leave `--tree` out"));
    }
    if args.tree {
        return tree(args, &first, streams);
    }
    let stdin = [Utf8PathBuf::from("-")];
    let paths = if args.files.is_empty() { &stdin[..] } else { &args.files };
    let mut texts = Vec::new();
    for path in paths {
        texts.push((path.as_str(), read(path, settings, streams)?));
    }
    let counted = Counted::new(&first, &texts);
    let compares = args.compare || !others.is_empty();
    let others = others.iter().map(|counter| Counted::new(counter, &texts));
    let models: Vec<Counted> =
        if compares { [counted.clone()].into_iter().chain(others).collect() } else { Vec::new() };
    let data = TokensData { schema: SCHEMA, counted, models, tree: None };
    output::print(&data, args.format, streams, human)
}

fn tree(
    args: &Tokens,
    model: &ModelCounter,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let here = [Utf8PathBuf::from(".")];
    let paths = if args.files.is_empty() { &here[..] } else { &args.files };
    let (texts, left_out) = tree::texts(paths, &streams.settings.cwd)?;
    let named: Vec<_> = texts.iter().map(|text| (text.path(paths), &*text.text)).collect();
    let counted = Counted::new(model, &named);
    let tree = TokenTree::new(paths, &texts, &counted.files);
    if left_out > 0 {
        let files = text::counted(left_out, "file");
        streams.note(&format!("{files} left out: not text, too large or not readable\n"));
    }
    let (depth, unicode) = (args.depth, streams.settings.unicode);
    let human = |it: &TokensData| it.tree.iter().map(|tree| tree.human(depth, unicode)).collect();
    let data = TokensData { schema: SCHEMA, counted, models: Vec::new(), tree: Some(tree) };
    output::print(&data, args.format, streams, human)
}

impl Counted {
    fn new<P: AsRef<str> + Sync, T: AsRef<str> + Sync>(
        model: &ModelCounter,
        texts: &[(P, T)],
    ) -> Self {
        let ModelCounter { counter, model, window } = model;
        let file = |(path, text): &(P, T)| FileTokens {
            path: path.as_ref().to_owned(),
            tokens: counter.count_message(text.as_ref()),
            bytes: text.as_ref().len(),
        };
        let files: Vec<FileTokens> = texts.par_iter().map(file).collect();
        Self {
            model: model.clone(),
            encoding: counter.encoding.name(),
            estimated: counter.is_estimated(),
            reconstructed: counter.is_reconstructed(),
            margin: counter.margin_percent,
            window: *window,
            total: files.iter().map(|file| file.tokens).sum(),
            files,
        }
    }
}

fn side_by_side(models: &[Counted]) -> String {
    let columns = [
        Column::new("model"),
        Column::figures("tokens"),
        Column::figures("of window"),
        Column::new("counted with"),
    ];
    let row = |counted: &Counted| {
        let share = counted.window.map(|window| {
            #[allow(clippy::cast_precision_loss)] // one decimal is printed
            let percent = counted.total as f64 * 100.0 / window as f64;
            format!("{percent:.1} %")
        });
        let how = match counted {
            Counted { estimated: true, encoding, margin, .. } => {
                format!("{encoding} plus {margin} %, estimated")
            }
            Counted { reconstructed: true, encoding, .. } => format!("{encoding}, reconstructed"),
            Counted { encoding, .. } => (*encoding).to_owned(),
        };
        let model = counted.model.clone().unwrap_or_default();
        vec![model, grouped(counted.total), share.unwrap_or_default(), how]
    };
    let rows: Vec<_> = models.iter().map(row).collect();
    table(&columns, &rows, 0, usize::MAX).replace('\u{a0}', " ")
}

fn human(data: &TokensData) -> String {
    if !data.models.is_empty() {
        return side_by_side(&data.models);
    }
    let Counted { files, total, .. } = &data.counted;
    if let [only] = &**files {
        return format!("{}\n", only.tokens);
    }
    let width = total.to_string().len();
    let rows = files.iter().map(|file| (file.tokens, file.path.as_str()));
    let rows = rows.chain([(*total, "total")]);
    rows.fold(String::new(), |mut out, (tokens, path)| {
        let _ = writeln!(out, "{tokens:>width$} {path}");
        out
    })
}

fn counters(
    args: &Tokens,
    settings: &Settings,
) -> Result<(ModelCounter, Vec<ModelCounter>), Error> {
    if let Some(name) = &args.encoding {
        let counter = Counter::exact(tokens::encoding(name)?, &Arc::default());
        return Ok((ModelCounter { counter, model: None, window: None }, Vec::new()));
    }
    let config = match Session::open(settings) {
        Ok(session) => session.workspace().config,
        Err(Error::NoWorkspace { .. }) => {
            let mut sources = SourceMap::default();
            config::typed(&config::defaults(&mut sources, None), &sources)
        }
        Err(error) => return Err(error),
    };
    let mut names: Vec<&str> = args.model.iter().map(String::as_str).collect();
    if args.compare && names.len() < 2 {
        let way = |name: &str| {
            let (_, model) = config.models.find(name)?;
            Some((&*model.encoding, model.margin_percent))
        };
        let own = names.first().and_then(|name| way(name));
        let others = config.models.ways().into_iter();
        names.extend(others.filter(|name| own.is_none() || way(name) != own));
    }
    let new = |name| ModelCounter::new(&config, name, &Arc::default());
    let first = new(names.first().copied())?;
    let others = names.iter().skip(1).map(|name| new(Some(*name)));
    Ok((first, others.collect::<Result<_, _>>()?))
}

fn read(path: &Utf8Path, settings: &Settings, streams: &mut Streams<'_>) -> Result<String, Error> {
    if path == "-" {
        return streams.read_log();
    }
    let read = input::read_any(&settings.cwd, path).map_err(|error| match error {
        Error::Usage { message, .. } if message.ends_with("it is a directory") => {
            Error::usage(message, "add `--tree` to count directories")
        }
        other => other,
    })?;
    streams.note(&replaced(path.as_str(), read.replaced));
    Ok(read.text)
}
