//! Files as faber read them, and places inside them.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};

/// Names one file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

impl FileId {
    /// Stands for a text that is in no file.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// A half-open range of **bytes** in one file.
///
/// Offsets count from the start of the file, not of the front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file that the range lies in.
    pub file: FileId,
    /// First byte of the range.
    pub start: u32,
    /// One past the last byte of the range.
    pub end: u32,
}

impl Span {
    /// A range of bytes in `file`.
    ///
    /// # Panics
    ///
    /// When an offset does not fit `u32`; discovery refuses files of more than 8 MiB.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let narrow = |offset| u32::try_from(offset).expect("a source is at most 8 MiB");
        Self { file, start: narrow(start), end: narrow(end) }
    }

    /// The empty range at the very start of `file`, for findings about a file as a whole.
    pub fn start_of(file: FileId) -> Self {
        Self { file, start: 0, end: 0 }
    }

    /// The range as indices into the text of the file.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and the bytes that it was read from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it was read.
    pub span: Span,
}

/// A place as people name it: both numbers count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters (not bytes), from 1. A byte-order mark is not a column.
    pub column: usize,
}

/// One file: its path and its text, byte for byte.
#[derive(Debug)]
pub struct SourceFile {
    /// Path from the workspace root, with `/`; absolute when the file lies outside of it.
    pub path: Arc<Utf8Path>,
    /// The text as it stands on disk, byte-order mark and line endings included.
    pub text: String,
    line_starts: OnceLock<Vec<u32>>,
    /// How many characters begin before each multiple of [`STEP`].
    characters: OnceLock<Vec<u32>>,
}

/// After how many bytes characters are counted once and for all.
const STEP: usize = 2048;

/// How many characters begin in `bytes`.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000).count()
}

impl SourceFile {
    /// Byte offsets at which the lines begin; the first is 0.
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            let narrow = |offset| u32::try_from(offset).expect("a source is at most 8 MiB");
            std::iter::once(0).chain(breaks.map(|(at, _)| narrow(at + 1))).collect()
        })
    }

    /// The line, counted from 1, that holds the byte at `offset`.
    pub fn line(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset)
    }

    /// Line and column of the byte at `offset`, clamped to the end of the file.
    ///
    /// # Panics
    ///
    /// Never: a file has at least one line.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.line_starts()[line - 1] as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        let marks = usize::from(start == 0 && end > 0 && self.text.starts_with('\u{feff}'));
        Position { line, column: self.characters(start, end) + 1 - marks }
    }

    /// How many characters begin in these bytes. A line may be as long as the file and have a
    /// finding every few bytes, so far apart ends are not counted between each time.
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
            // A text that ends with a whole chunk has no chunk that begins at its end.
            let step = step.min(known.len() - 1);
            known[step] as usize + begun(&bytes[step * STEP..at])
        };
        before(end) - before(start)
    }

    /// The byte offset of a position, the inverse of [`Self::position`]; clamped to the text.
    ///
    /// # Panics
    ///
    /// When the text is over 4 GiB; discovery refuses files of more than 8 MiB.
    pub fn offset(&self, position: Position) -> u32 {
        let starts = self.line_starts();
        let line = position.line.clamp(1, starts.len());
        let start = starts[line - 1] as usize;
        let text = self.text[start..].lines().next().unwrap_or_default();
        let marks = usize::from(start == 0 && text.starts_with('\u{feff}'));
        let bytes: usize =
            text.chars().take(position.column.max(1) - 1 + marks).map(char::len_utf8).sum();
        u32::try_from(start + bytes).expect("a source is at most 8 MiB")
    }
}

/// All the files of one run, in the order in which they were added.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    // Only ever asked for one path, never walked, so its order cannot reach an output.
    by_path: HashMap<PathText, FileId>,
}

/// A path that is hashed and compared as text: paths as such are, part by part, which is slow.
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
    /// Adds a file and returns its name. A path that was added before keeps its first file in
    /// [`Self::find`].
    ///
    /// # Panics
    ///
    /// With more than 2³² files.
    pub fn add(&mut self, path: Utf8PathBuf, text: String) -> FileId {
        let path: Arc<Utf8Path> =
            if cfg!(windows) { Arc::from(&*slashed(&path)) } else { path.into() };
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files"));
        self.by_path.entry(PathText(Arc::clone(&path))).or_insert(id);
        self.files.push(SourceFile {
            path,
            text,
            line_starts: OnceLock::new(),
            characters: OnceLock::new(),
        });
        id
    }

    /// Makes room for so many more files, since growing takes room twice.
    pub fn reserve(&mut self, more: usize) {
        self.files.reserve(more);
        self.by_path.reserve(more);
    }

    /// Adds an entry for something that is no text that was read, such as a folder, so that a
    /// finding can point at it. [`Self::find`] does not know of it.
    ///
    /// # Panics
    ///
    /// With more than 2³² files.
    pub fn add_placeholder(&mut self, path: &Utf8Path) -> FileId {
        let known = self.find(path);
        let id = self.add(path.to_owned(), String::new());
        if known.is_none() {
            self.by_path.remove(self.files[id.0 as usize].path.as_str());
        }
        id
    }

    /// The file that `id` names.
    ///
    /// # Panics
    ///
    /// When `id` comes from another map.
    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The path of the file that `id` names.
    pub fn path(&self, id: FileId) -> &Utf8Path {
        &self.get(id).path
    }

    /// The text that `span` covers.
    pub fn text(&self, span: Span) -> &str {
        &self.get(span.file).text[span.range()]
    }

    /// The file with this path, if it was read.
    pub fn find(&self, path: &Utf8Path) -> Option<FileId> {
        self.by_path.get(slashed(path).as_str()).copied()
    }

    /// The position of each of these files in the order of their paths; files of one path have one.
    /// Paths are compared part by part, which is slow, so whoever sorts much by path asks first.
    pub fn positions(&self, files: impl Iterator<Item = FileId>) -> HashMap<FileId, usize> {
        let mut files: Vec<FileId> = files.collect();
        files.sort_unstable();
        files.dedup();
        files.sort_by(|&a, &b| self.path(a).cmp(self.path(b)));
        let same = files.chunk_by(|&a, &b| self.path(a) == self.path(b)).enumerate();
        same.flat_map(|(at, files)| files.iter().map(move |&file| (file, at))).collect()
    }

    /// How `path:line` is written for the start of `span`.
    pub fn place(&self, span: Span) -> String {
        let file = self.get(span.file);
        format!("{}:{}", file.path, file.line(span.start))
    }
}

/// A path as it is written in data and compared: with `/` on every system.
fn slashed(path: &Utf8Path) -> Cow<'_, Utf8Path> {
    if cfg!(windows) {
        Cow::Owned(path.as_str().replace('\\', "/").into())
    } else {
        Cow::Borrowed(path)
    }
}

/// The last place in `text`, at or before `at`, that is between two characters.
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
    fn files_stand_by_the_parts_of_their_paths() {
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
        // Counting each from the start of the line would go through 10^11 bytes.
        for nth in 0..30_000 {
            assert_eq!(file.position(nth * 200).column, nth as usize * 100 + 1);
        }
    }
}
