use camino::Utf8Path;

use crate::explain::ExplainInput;
use crate::explain::data::{LineData, LineOrigin, Part};
use faber_core::error::Error;
use faber_core::layer::LayerKind;
use faber_core::render::block::{BundleBlock, BundleBlockKind, BundleLine, bundle_lines};
use faber_core::resolve::origin;
use faber_core::source::Span;
use faber_output::table::{Column, DisplayOptions, table};

pub fn all(subject: ExplainInput<'_>) -> Vec<LineData> {
    numbered(subject, 1, usize::MAX)
}

/// # Errors
///
/// [`Error::Usage`] if the bundle has no line `first`.
pub fn lines(subject: ExplainInput<'_>, first: usize, last: usize) -> Result<Vec<LineData>, Error> {
    let total = bundle_lines(&subject.assembly.bundle.blocks).len();
    if first > total {
        let message = format!("the bundle has no line {first}");
        return Err(Error::usage(message, format!("the bundle has {total} lines")));
    }
    Ok(numbered(subject, first, last))
}

fn numbered(subject: ExplainInput<'_>, first: usize, last: usize) -> Vec<LineData> {
    let blocks = &subject.assembly.bundle.blocks;
    let total = bundle_lines(blocks).len();
    let all = blocks.iter().flat_map(|block| block.lines.iter().map(move |line| (block, line)));
    let wanted = (1..).zip(all).take(total.min(last)).skip(first - 1);
    wanted.map(|(number, (block, line))| data(subject, number, block, line)).collect()
}

fn data(
    subject: ExplainInput<'_>,
    number: usize,
    block: &BundleBlock,
    line: &BundleLine,
) -> LineData {
    let (part, context) = match &block.kind {
        BundleBlockKind::Prompt => (Part::Prompt, None),
        BundleBlockKind::Instruction => (Part::Instruction, None),
        BundleBlockKind::Frame => (Part::Frame, None),
        BundleBlockKind::Context(id) => (Part::Context, Some(id.clone())),
        BundleBlockKind::Catalog => (Part::Catalog, None),
        BundleBlockKind::Conversation | BundleBlockKind::Note | BundleBlockKind::Message(_) => {
            (Part::Conversation, None)
        }
        BundleBlockKind::Input => (Part::Input, None),
        BundleBlockKind::Error => (Part::Error, None),
        BundleBlockKind::Request => (Part::Request, None),
    };
    LineData {
        line: number,
        text: line.text.clone(),
        part,
        context,
        origin: line.origin.map(|span| place(subject, block, span)),
    }
}

fn place(subject: ExplainInput<'_>, block: &BundleBlock, span: Span) -> LineOrigin {
    let original = subject.sources().original(span);
    let file = subject.sources().get(original.file);
    let layer = match &block.kind {
        BundleBlockKind::Context(id) => {
            let context = &subject.assembly.catalog.contexts[id];
            origin::layer_of(span.file, context, subject.sources())
        }
        _ => layer_around(subject, &file.path),
    };
    LineOrigin { path: file.path.to_string(), line: file.line(original.start), layer }
}

fn layer_around(subject: ExplainInput<'_>, path: &Utf8Path) -> LayerKind {
    let layers = subject.assembly.pack.layers.iter();
    let around = layers.filter(|layer| path.starts_with(&layer.folder));
    let innermost = around.max_by_key(|layer| layer.folder.as_str().len());
    innermost.map_or(LayerKind::Role, |layer| layer.kind)
}

pub fn human(lines: &[LineData], look: DisplayOptions) -> String {
    let row = |line: &LineData| {
        let (layer, place) = match &line.origin {
            Some(LineOrigin { path, line, layer }) => (layer.name(), format!("{path}:{line}")),
            None => ("-", says(line)),
        };
        vec![line.line.to_string(), layer.to_owned(), place, "│".to_owned()]
    };
    let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
    let columns = [Column::figures(""), Column::new(""), Column::new(""), Column::new("")];
    let heads = table(&columns, &rows, 0, look.width);
    let both = heads.lines().zip(lines);
    both.map(|(head, line)| format!("{head} {}", line.text).trim_end().to_owned() + "\n").collect()
}

fn says(line: &LineData) -> String {
    match (line.part, &line.context) {
        (Part::Input, _) => "input".to_owned(),
        (Part::Error, _) => "error".to_owned(),
        (Part::Request, _) => "request".to_owned(),
        (Part::Context, Some(id)) => format!("faber, about {id}"),
        (Part::Frame, _) => "faber, above a group".to_owned(),
        (Part::Conversation, _) => "conversation".to_owned(),
        (Part::Catalog, _) => "faber, catalog".to_owned(),
        (Part::Instruction, _) => "faber, about the task or flow".to_owned(),
        (Part::Prompt | Part::Context, _) => "faber".to_owned(),
    }
}
