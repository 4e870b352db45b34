use std::cell::OnceCell;
use std::ops::Range;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::search::chunk::MAX_CHUNK_BYTES;
use crate::search::item::{self, SearchItem, SourceType, TextLocation};
use crate::search::scope::Scope;
use faber_core::budget::focus::introduces;
use faber_core::layer::LayerKind;
use faber_core::markdown::{self, Block, BlockKind, Containers, Definitions, Lines};
use faber_core::source::SourceMap;
use faber_core::tokens;
pub use faber_session::audit::kind::WEAK;
use faber_session::discover::files::Files;

/// A search result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    /// Its id, which `faber expand` takes.
    pub id: String,
    /// Its text; none in a preview.
    pub content: Option<String>,
    /// The beginning of its text.
    pub preview: String,
    /// Its relevance to the question, from 0 to 1; comparable between questions.
    pub relevance_score: f64,
    /// Its origin.
    pub source: Source,
    /// Whether it is hardly related: it may be about something else.
    pub weak: bool,
    /// The ids of the best five other passages of the same text, in groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<Vec<String>>,
    /// Its size in tokens, estimated.
    pub tokens: usize,
}

/// The origin of a result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Source {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: SourceType,
    /// The scope of its highest layer.
    pub scope: Scope,
    /// Its highest layer; none for the history.
    pub layer: Option<LayerKind>,
    /// Its title.
    pub title: String,
    /// The file, from the workspace root.
    pub path: String,
    /// All files of the text, for its label.
    #[serde(skip)]
    pub files: String,
    /// The pack that the text is of, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The line in the file, from 1.
    pub line: usize,
    /// Its owner.
    pub contributed_by: Option<String>,
    /// The date of its last change or validity, if known: `YYYY-MM-DD`.
    pub created_at: Option<String>,
}

pub fn id(item: &str, anchor: &str) -> String {
    match (anchor.is_empty(), item.contains('#')) {
        (true, _) => item.to_owned(),
        (false, false) => format!("{item}#{anchor}"),
        (false, true) if anchor.starts_with('~') => format!("{item}{anchor}"),
        (false, true) => format!("{item}/{anchor}"),
    }
}

pub fn section(id: &str) -> &str {
    let part = id.rsplit_once('~');
    let part = part.filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    part.map_or(id, |(section, _)| section)
}

#[derive(Debug, Default)]
pub struct DocumentText {
    pub text: String,
    lines_before: usize,
    blocks: OnceCell<Vec<Block>>,
    inner: OnceCell<InnerBlocks>,
    definitions: OnceCell<Definitions>,
}

#[derive(Debug)]
struct InnerBlocks {
    around: Containers,
    blocks: Vec<Block>,
}

impl DocumentText {
    pub fn read(item: &SearchItem, sources: &SourceMap, files: &Files) -> Option<Self> {
        match &item.body {
            TextLocation::Own { text, .. } => Some(Self { text: text.clone(), ..Self::default() }),
            TextLocation::File(start, end, sum) => {
                let path = Utf8Path::new(&item.path);
                let text = match sources.find(path) {
                    Some(file) => sources.get(file).text.clone(),
                    None => files.read(path).ok()?,
                };
                let known = text.get(..*end).filter(|known| item::checksum(known) == *sum)?;
                let (before, own) = known.split_at_checked(*start)?;
                let lines_before = before.bytes().filter(|byte| *byte == b'\n').count();
                Some(Self { text: own.to_owned(), lines_before, ..Self::default() })
            }
        }
    }

    /// LF text, with all that it needs: heading, lead-in, table header, fences, definitions.
    pub fn part(&self, span: Range<usize>) -> String {
        let own = self.text.get(span.clone()).unwrap_or_default();
        if own.trim().is_empty() || own.len() == self.text.len() {
            return own.replace("\r\n", "\n");
        }
        let lines = Lines::new(&self.text);
        let above = self.above(&lines, span.start).unwrap_or_default();
        let above_text: String =
            above.iter().flat_map(|(of, end)| [&self.text[lines.bytes(of)], *end]).collect();
        let mut part = above_text + own;
        let containers = self.open_containers(&lines, span.end);
        for closer in markdown::closer(&part).as_deref().into_iter().chain(containers) {
            part = format!("{part}\n{closer}");
        }
        if part.contains('[') {
            let own = (lines.at(span.start)..lines.at(span.end - 1) + 1, "");
            part += &self.definitions(&lines, &[above, vec![own]].concat(), span.end);
        }
        part.replace("\r\n", "\n")
    }

    fn block(&self, line: usize) -> (usize, &[Block]) {
        let blocks = self.blocks.get_or_init(|| markdown::blocks(&self.text));
        (blocks.partition_point(|block| block.lines.end <= line), blocks)
    }

    fn above(&self, lines: &Lines<'_>, start: usize) -> Option<Vec<(Range<usize>, &'static str)>> {
        let before = self.text.get(..start)?;
        let may_be_within = || [":::", "</"].iter().any(|it| self.text.contains(it));
        let begins = || self.text[start..].starts_with('#') && markdown::is_plainly_closed(before);
        if before.trim().is_empty() || (begins() && !may_be_within()) {
            return None;
        }
        let line = lines.at(start);
        let around = self.inner(lines).around.around(line).map(|(open, _)| open);
        let around = around.filter(|open| *open < line).map(|open| (open..open + 1, "\n"));
        let is_heading = |block: &Block| matches!(block.kind, BlockKind::Heading { .. });
        let (at, blocks) = self.block(line);
        let block = blocks.get(at)?;
        if is_heading(block) {
            let mut around: Vec<_> = around.collect();
            around.reverse();
            return Some(around);
        }
        let heading = blocks[..at].iter().rev().find(|block| is_heading(block));
        let lead_in = at.checked_sub(1).map(|before| &blocks[before]);
        let lead_in = lead_in.filter(|block| {
            block.kind == BlockKind::Paragraph && introduces(&self.text[lines.bytes(&block.lines)])
        });
        let above = heading.into_iter().chain(lead_in).map(|block| (block.lines.clone(), "\n\n"));
        let opening = self.opening(lines, block, line).map(|opening| (opening, "\n"));
        let mut above: Vec<_> = above.chain(around).chain(opening).collect();
        above.sort_by_key(|(lines, _)| lines.start);
        let bytes = above.iter().map(|(of, _)| lines.bytes(of).len()).sum::<usize>();
        (bytes <= MAX_CHUNK_BYTES).then_some(above)
    }

    fn inner(&self, lines: &Lines<'_>) -> &InnerBlocks {
        self.inner.get_or_init(|| {
            let containers = Containers::of(&self.text);
            let blocks = markdown::blocks_within(&self.text, &containers, |_, _| {});
            InnerBlocks { around: containers.with_tags(lines, &blocks), blocks }
        })
    }

    fn opening(&self, lines: &Lines<'_>, block: &Block, line: usize) -> Option<Range<usize>> {
        let mut block = block;
        if block.kind == BlockKind::Container {
            let blocks = &self.inner(lines).blocks;
            block = blocks.get(blocks.partition_point(|block| block.lines.end <= line))?;
        }
        let end = match &block.kind {
            BlockKind::Table { rows, .. } => rows.first().map_or(line, |(row, _)| *row),
            BlockKind::Fence => block.lines.start + 1,
            _ => return None,
        };
        Some(block.lines.start..end.min(line)).filter(|lines| !lines.is_empty())
    }

    fn open_containers(&self, lines: &Lines<'_>, end: usize) -> Vec<&str> {
        let line = lines.at(end - 1);
        let around = self.inner(lines).around.around(line);
        let around = around.filter(move |(_, close)| line < *close).map(|(_, close)| close);
        around.map(|close| &self.text[lines.range(close)]).collect()
    }

    fn definitions(&self, lines: &Lines<'_>, shown: &[(Range<usize>, &str)], end: usize) -> String {
        let all = self.definitions.get_or_init(|| Definitions::of(&self.text, lines));
        let length = |line: usize| {
            let Range { start, end: line_end } = lines.range(line);
            let is_shown = shown.iter().any(|(of, _)| of.contains(&line));
            if is_shown { line_end.min(end).saturating_sub(start) } else { 0 }
        };
        let mut found = String::new();
        let mut next = None;
        for range in all.missing(length) {
            let is_apart = next.replace(range.end) != Some(range.start);
            found += if is_apart { "\n\n" } else { "\n" };
            found += &self.text[lines.bytes(&range)];
        }
        found
    }

    pub fn place(&self, item: &SearchItem, at: usize) -> (String, usize) {
        let (path, line) = self.origin(item, self.line(at));
        (path.to_owned(), line)
    }

    pub fn files(&self, item: &SearchItem, span: Range<usize>) -> String {
        let is_empty = |text: Option<&str>| text.unwrap_or_default().trim().is_empty();
        let is_whole = is_empty(self.text.get(..span.start)) && is_empty(self.text.get(span.end..));
        let mut paths: Vec<&str> = Vec::new();
        if is_whole {
            paths.extend(item.files.iter().map(String::as_str));
        }
        if paths.is_empty() {
            let (first, own) = (self.line(span.start), self.text.get(span).unwrap_or_default());
            let lines = own.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            for (path, _) in lines.map(|(at, _)| self.origin(item, first + at)) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        let cited: Vec<String> = paths.into_iter().map(|path| item.cited(path)).collect();
        if cited.is_empty() { item.cited(&item.path) } else { cited.join(" + ") }
    }

    fn line(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        before.bytes().filter(|byte| *byte == b'\n').count()
    }

    fn origin<'a>(&self, item: &'a SearchItem, line: usize) -> (&'a str, usize) {
        if let TextLocation::Own { paths, origins, .. } = &item.body
            && let Some((path, line)) = origins.get(line)
            && let Some(path) = paths.get(*path as usize)
        {
            return (path, *line as usize);
        }
        (&item.path, self.lines_before + line + 1)
    }
}

pub fn preview(text: &str, max_chars: usize) -> String {
    let text = faber_core::markdown::collapse(text);
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text };
    let head = &text[..end];
    let cut = head.rfind(' ').filter(|&at| at > end / 2).unwrap_or(end);
    format!("{}…", head[..cut].trim_end())
}

pub fn found(
    item: &SearchItem,
    whole: &DocumentText,
    chunk: (Range<usize>, &str),
    relevance: f64,
    has_role: bool,
) -> Found {
    let (span, anchor) = chunk;
    let content = whole.part(span.clone());
    let (path, line) = whole.place(item, span.start);
    let files = whole.files(item, span);
    Found {
        id: id(&item.id, anchor),
        preview: String::new(),
        relevance_score: relevance,
        weak: relevance < WEAK,
        passages: None,
        source: Source {
            kind: item.kind,
            scope: item.scope(has_role),
            layer: item.layers.last().copied(),
            title: item.title.clone(),
            path: item.cited(&path),
            files,
            pack: item.pack.clone(),
            line,
            contributed_by: item.owner.clone(),
            created_at: item.dated.map(|date| date.to_string()),
        },
        tokens: tokens::estimate(content.len()),
        content: Some(content),
    }
}

pub(crate) const MIN_KNOWN_SHARE: f64 = 0.2;

pub const NOTHING_KNOWN: &str = "No relevant passages found.";
const CLOSEST: &str = "No relevant passages found; these are the closest.";
pub const WEAK_ONLY: &str = "Weak matches only: they may be about something else.";

/// Of results.
pub fn status(best: f64) -> Option<&'static str> {
    match best {
        ..MIN_KNOWN_SHARE => Some(CLOSEST),
        ..WEAK => Some(WEAK_ONLY),
        _ => None,
    }
}

pub fn remarks(status: Option<&str>, unknown: &[String]) -> Option<String> {
    let unknown =
        (!unknown.is_empty()).then(|| format!("No text contains: {}.", unknown.join(", ")));
    let all = [status.map(str::to_owned), unknown].into_iter().flatten();
    all.reduce(|before, next| format!("{before} {next}"))
}

pub fn ranked_with(encoder: &str) -> String {
    format!("Ranked with the encoder {encoder}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_the_chunk() {
        assert_eq!(id("standard/a", ""), "standard/a");
        assert_eq!(id("standard/a", "x/y~2"), "standard/a#x/y~2");
        assert_eq!(id("history/a#3", "~2"), "history/a#3~2");
        assert_eq!(id("history/a#3", "x"), "history/a#3/x");
    }

    #[test]
    fn distant_passages_do_not_count_as_known() {
        let said = [0.0, 0.19, 0.2, 0.44, 0.45, 1.0].map(status);
        let expected = [Some(CLOSEST), Some(WEAK_ONLY), None];
        assert_eq!(said, [0, 0, 1, 1, 2, 2].map(|at: usize| expected[at]));
    }

    #[test]
    fn parts_have_what_makes_them_readable() {
        let table = "| a | b |\n|---|---|\n| 1 | x |\n| 2 | y |\n";
        let code = "Run:\n\n```sh\none\n\ntwo\n```\n\n- three\n";
        let notes =
            "## C\n\n:::tip\n\nd [h].[^i].\n\ne\n:::\n\n[h]: /h\n[^i]: Only [j].\n\nf\n\n[j]: /j\n";
        let nested =
            ":::k\n::::l\n```sh\nm\nn\n```\n::::\no\n:::\n\n<bad>\n\n## E\n\nP.\n\nQ.\n\n</bad>\n";
        let text =
            format!("# T\n\n## A\n\nLead.\n\n{table}\n## B\r\n\r\n{code}\n{notes}\n## D\n{nested}");
        let whole = DocumentText { text: text.clone(), ..DocumentText::default() };
        for (from, to, expected) in [
            ("| 2", "y |", "## A\n\n| a | b |\n|---|---|\n| 2 | y |"),
            ("|---", "x |", "## A\n\n| a | b |\n|---|---|\n| 1 | x |"),
            ("two", "two", "## B\n\nRun:\n\n```sh\ntwo\n```"),
            ("```sh", "one", "## B\n\nRun:\n\n```sh\none\n```"),
            ("- three", "three", "## B\n\n- three"),
            ("Lead", "Lead.", "## A\n\nLead."),
            ("## B", "Run:", "## B\n\nRun:"),
            ("# T", "## A", "# T\n\n## A"),
            (
                "d [h]",
                "[^i].",
                "## C\n\n:::tip\nd [h].[^i].\n:::\n\n[h]: /h\n[^i]: Only [j].\n\n[j]: /j",
            ),
            ("e\n:::", ":::", "## C\n\n:::tip\ne\n:::"),
            ("[h]:", "/h", "## C\n\n[h]: /h"),
            ("m\n", "m", "## D\n\n:::k\n::::l\n```sh\nm\n```\n::::\n:::"),
            ("n\n```", "```", "## D\n\n:::k\n::::l\n```sh\nn\n```\n::::\n:::"),
            ("o\n:::", "o", "## D\n\n:::k\no\n:::"),
            ("## E", "P.", "<bad>\n## E\n\nP.\n</bad>"),
            ("Q.", "Q.", "<bad>\n## E\n\nQ.\n</bad>"),
        ] {
            let start = text.find(from).unwrap();
            let end = start + text[start..].find(to).unwrap() + to.len();
            assert_eq!(whole.part(start..end), expected, "{from}");
        }
    }

    #[test]
    fn remarks_are_one_line() {
        let unknown = ["Kafka".to_owned(), "ghcr".to_owned()];
        assert_eq!(
            remarks(Some(NOTHING_KNOWN), &unknown).as_deref(),
            Some("No relevant passages found. No text contains: Kafka, ghcr.")
        );
        assert_eq!(remarks(None, &[]), None);
    }

    #[test]
    fn previews_end_between_words() {
        assert_eq!(preview("One  two\nthree", 200), "One two three");
        assert_eq!(preview("One two three", 9), "One two…");
        assert_eq!(preview("éééééééé", 3), "ééé…");
    }
}
