//! Files and positions in them.

mod aligned;

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::file_text::FileText;
use crate::folder_access::FolderAccess;
use crate::packs::{at_place, root_of};
use aligned::AlignedText;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

impl FileId {
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// In bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// # Panics
    ///
    /// If an offset does not fit `u32`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let narrow = |offset| u32::try_from(offset).expect("a source is at most 8 MiB");
        Self { file, start: narrow(start), end: narrow(end) }
    }

    pub fn start_of(file: FileId) -> Self {
        Self { file, start: 0, end: 0 }
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Spanned<T> {
    pub value: T,
    #[serde(with = "place")]
    pub span: Span,
}

/// Without the file, whose number differs between processes.
pub(crate) mod place {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{FileId, Span};

    pub(crate) fn serialize<S: Serializer>(span: &Span, to: S) -> Result<S::Ok, S::Error> {
        (span.start, span.end).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Span, D::Error> {
        let (start, end) = Deserialize::deserialize(from)?;
        Ok(Span { file: FileId::NONE, start, end })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    /// In characters; without a byte-order mark.
    pub column: usize,
}

#[derive(Debug)]
pub struct SourceFile {
    /// Relative to the workspace root, or absolute outside.
    pub path: Arc<Utf8Path>,
    /// As on disk, with byte-order mark and line endings.
    pub text: FileText,
    origin: Option<Arc<TextOrigin>>,
    lines_above: usize,
    columns_before: usize,
    line_starts: OnceLock<Vec<u32>>,
    characters: OnceLock<Vec<u32>>,
}

#[derive(Debug)]
pub struct TextOrigin {
    file: FileId,
    lines: Vec<u32>,
    aligned: OnceLock<AlignedText>,
}

impl TextOrigin {
    /// `lines`: of `file`, from 0, for each line of the text.
    pub fn new(file: FileId, lines: Vec<u32>) -> Self {
        Self { file, lines, aligned: OnceLock::new() }
    }
}

/// Bytes between cached character counts.
const STEP: usize = 2048;

fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000).count()
}

impl SourceFile {
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| line_starts(&self.text))
    }

    /// From 1.
    pub fn line(&self, offset: u32) -> usize {
        self.lines_above + self.line_starts().partition_point(|&start| start <= offset)
    }

    pub fn position(&self, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.line_starts()[line - self.lines_above - 1] as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        let marks = usize::from(start == 0 && end > 0 && self.text.starts_with('\u{feff}'));
        let before = if start == 0 { self.columns_before } else { 0 };
        Position { line, column: before + self.characters(start, end) + 1 - marks }
    }

    /// Fast for lines as long as the file.
    fn characters(&self, start: usize, end: usize) -> usize {
        let bytes = self.text.as_bytes();
        if end - start <= 2 * STEP {
            return begun(&bytes[start..end]);
        }
        let known = self.characters.get_or_init(|| {
            let mut total = 0;
            let counts = bytes.chunks(STEP).map(|chunk| {
                let before = total;
                total += u32::try_from(begun(chunk)).expect("a chunk is short");
                before
            });
            counts.collect()
        });
        let before = |at: usize| {
            let step = at / STEP;
            let step = step.min(known.len() - 1);
            known[step] as usize + begun(&bytes[step * STEP..at])
        };
        before(end) - before(start)
    }

    /// The inverse of [`Self::position`], clamped.
    ///
    /// # Panics
    ///
    /// Over 4 GiB.
    pub fn offset(&self, position: Position) -> u32 {
        let starts = self.line_starts();
        let line = position.line.saturating_sub(self.lines_above).clamp(1, starts.len());
        let start = starts[line - 1] as usize;
        let text = self.text[start..].lines().next().unwrap_or_default();
        let marks = usize::from(start == 0 && text.starts_with('\u{feff}'));
        let bytes: usize =
            text.chars().take(position.column.max(1) - 1 + marks).map(char::len_utf8).sum();
        u32::try_from(start + bytes).expect("a source is at most 8 MiB")
    }
}

#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    by_path: foldhash::HashMap<PathText, FileId>,
    origins: foldhash::HashMap<PathText, Arc<TextOrigin>>,
    restricted: foldhash::HashMap<PathText, FolderAccess>,
    forbidden: BTreeSet<FileId>,
    resources: BTreeSet<Utf8PathBuf>,
    places: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

#[derive(Clone, Debug)]
pub(crate) struct PathText(pub(crate) Arc<Utf8Path>);

impl Borrow<str> for PathText {
    fn borrow(&self) -> &str {
        self.0.as_str()
    }
}

impl PartialEq for PathText {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for PathText {}

impl Hash for PathText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl SourceMap {
    /// From includes.
    pub fn forbid(&mut self, file: FileId) {
        self.forbidden.insert(file);
    }

    pub fn is_forbidden(&self, file: FileId) -> bool {
        self.forbidden.contains(&file)
    }

    pub fn add_resources(&mut self, folder: &Utf8Path) {
        self.resources.insert(slashed(folder).into_owned());
    }

    pub fn has_resources(&self, folder: &Utf8Path) -> bool {
        self.resources.contains(folder)
    }

    pub fn add_place(&mut self, folder: Utf8PathBuf, place: Utf8PathBuf) {
        self.places.insert(folder, place);
    }

    pub fn place_of_pack(&self, path: &Utf8Path) -> Option<&Utf8Path> {
        self.places.get(root_of(path)?).map(Utf8PathBuf::as_path)
    }

    pub fn cited(&self, path: &Utf8Path) -> Utf8PathBuf {
        at_place(path, self.place_of_pack(path))
    }

    /// [`Self::find`] returns the first file of a path.
    ///
    /// # Panics
    ///
    /// With more than 2³² files.
    pub fn add(&mut self, path: Utf8PathBuf, text: impl Into<FileText>) -> FileId {
        let path: Arc<Utf8Path> =
            if cfg!(windows) { Arc::from(&*slashed(&path)) } else { path.into() };
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files"));
        self.by_path.entry(PathText(Arc::clone(&path))).or_insert(id);
        let origin = self.origins.get(path.as_str()).cloned();
        self.files.push(SourceFile {
            path,
            text: text.into(),
            origin,
            lines_above: 0,
            columns_before: 0,
            line_starts: OnceLock::new(),
            characters: OnceLock::new(),
        });
        id
    }

    pub fn add_made(
        &mut self,
        path: Utf8PathBuf,
        text: impl Into<FileText>,
        origin: TextOrigin,
    ) -> FileId {
        let id = self.add(path, text);
        self.files[id.0 as usize].origin = Some(Arc::new(origin));
        id
    }

    /// For later texts with this path.
    pub fn add_origin(&mut self, path: &Utf8Path, origin: TextOrigin) {
        self.origins.insert(PathText(Arc::from(&*slashed(path))), Arc::new(origin));
    }

    pub fn restrict(&mut self, folder: &Utf8Path, access: FolderAccess) {
        self.restricted.insert(PathText(Arc::from(&*slashed(folder))), access);
    }

    pub fn folder_access(&self, file: FileId) -> FolderAccess {
        if self.restricted.is_empty() {
            return FolderAccess::Open;
        }
        let path = self.path(file).as_str();
        let mut folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        let access = folders.find_map(|folder| self.restricted.get(folder));
        access.cloned().unwrap_or_default()
    }

    /// In the source of generated bytes, else `span`.
    pub fn original(&self, span: Span) -> Span {
        let own = self.get(span.file);
        let Some(origin) = &own.origin else { return span };
        let other = self.get(origin.file);
        let aligned =
            origin.aligned.get_or_init(|| AlignedText::new(&own.text, &other.text, &origin.lines));
        let place = |offset: u32| char_boundary(&other.text, aligned.place(offset as usize));
        let start = place(span.start);
        self.original(Span::new(origin.file, start, place(span.end).max(start)))
    }

    pub fn reserve(&mut self, more: usize) {
        self.files.reserve(more);
        self.by_path.reserve(more);
    }

    /// [`Self::find`] does not find it.
    pub fn add_placeholder(&mut self, path: &Utf8Path) -> FileId {
        let known = self.find(path);
        let id = self.add(path.to_owned(), String::new());
        if known.is_none() {
            self.by_path.remove(self.files[id.0 as usize].path.as_str());
        }
        id
    }

    pub fn add_placeholder_at(&mut self, path: &Utf8Path, at: Position) -> FileId {
        let id = self.add_placeholder(path);
        let file = &mut self.files[id.0 as usize];
        (file.lines_above, file.columns_before) = (at.line - 1, at.column - 1);
        id
    }

    /// Panics if the file is missing.
    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn path(&self, id: FileId) -> &Utf8Path {
        &self.get(id).path
    }

    pub fn is_made(&self, id: FileId) -> bool {
        self.get(id).origin.is_some()
    }

    pub fn original_path(&self, id: FileId) -> &Utf8Path {
        let own = self.get(id);
        own.origin.as_ref().map_or(&*own.path, |origin| self.original_path(origin.file))
    }

    /// Panics outside of a file or within a character.
    pub fn text(&self, span: Span) -> &str {
        &self.get(span.file).text[span.range()]
    }

    pub fn find(&self, path: &Utf8Path) -> Option<FileId> {
        self.by_path.get(slashed(path).as_str()).copied()
    }

    pub fn positions(&self, files: impl Iterator<Item = FileId>) -> HashMap<FileId, usize> {
        let mut files: Vec<FileId> = files.collect();
        files.sort_unstable();
        files.dedup();
        files.sort_by(|&a, &b| self.path(a).cmp(self.path(b)));
        let same = files.chunk_by(|&a, &b| self.path(a) == self.path(b)).enumerate();
        same.flat_map(|(at, files)| files.iter().map(move |&file| (file, at))).collect()
    }

    pub fn place(&self, span: Span) -> String {
        let span = self.original(span);
        let file = self.get(span.file);
        format!("{}:{}", file.path, file.line(span.start))
    }
}

fn slashed(path: &Utf8Path) -> Cow<'_, Utf8Path> {
    if cfg!(windows) {
        Cow::Owned(path.as_str().replace('\\', "/").into())
    } else {
        Cow::Borrowed(path)
    }
}

pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let breaks = || memchr::memchr_iter(b'\n', text.as_bytes());
    let mut starts = Vec::with_capacity(breaks().count() + 1);
    let behind = breaks().map(|at| u32::try_from(at + 1).expect("a text is below 4 GiB"));
    starts.extend(std::iter::once(0).chain(behind));
    starts
}

pub fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_skip_the_byte_order_mark() {
        let mut sources = SourceMap::default();
        let id = sources.add("a.md".into(), "\u{feff}ab\r\nüx\n".to_owned());
        let file = sources.get(id);
        assert_eq!(file.position(3), Position { line: 1, column: 1 });
        assert_eq!(file.position(7), Position { line: 2, column: 1 });
        assert_eq!(file.position(9), Position { line: 2, column: 2 });
        assert_eq!(file.position(99), Position { line: 3, column: 1 });
        for offset in [3, 4, 7, 9] {
            assert_eq!(file.offset(file.position(offset)), offset);
        }
    }

    #[test]
    fn files_are_sorted_by_the_parts_of_their_paths() {
        let mut sources = SourceMap::default();
        let ids =
            ["b.md", "a-b/c.md", "a/c.md", "b.md"].map(|it| sources.add(it.into(), String::new()));
        let order = sources.positions(ids.into_iter());
        assert_eq!(ids.map(|id| order[&id]), [2, 1, 0, 2]);
        assert_eq!(sources.find(Utf8Path::new("b.md")), Some(ids[0]));
    }

    #[test]
    fn positions_in_a_long_line_are_those_that_counting_gives() {
        let long = "aü€😀".repeat(STEP);
        let text = format!("\u{feff}ab\n{long}\n{}", "x".repeat(STEP * 3));
        let mut sources = SourceMap::default();
        let id = sources.add("a.md".into(), text.clone());
        let file = sources.get(id);
        let starts = [0, 6, 7 + long.len()];
        for (at, _) in text.char_indices().step_by(97).chain([(text.len(), ' ')]) {
            let line = starts.iter().filter(|&&start| start <= at).count();
            let before = text[starts[line - 1]..at].trim_start_matches('\u{feff}');
            let expected = Position { line, column: before.chars().count() + 1 };
            assert_eq!(file.position(u32::try_from(at).unwrap()), expected);
        }
    }

    #[test]
    fn many_positions_in_a_line_of_megabytes_take_linear_time() {
        let mut sources = SourceMap::default();
        let id = sources.add("a.md".into(), "ü".repeat(3 << 20));
        let file = sources.get(id);
        for nth in 0..30_000 {
            assert_eq!(file.position(nth * 200).column, nth as usize * 100 + 1);
        }
    }
}
