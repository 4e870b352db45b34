//! Access to the files of one workspace.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::error::NOT_FOUND;
use crate::file_text::FileText;
use crate::markdown;
use crate::not_utf8::NotUtf8;
use crate::paths::normalize;
use crate::readable::{Refusal, refused_path};
use crate::rules::{not_utf8, oversized_file, special_file, symlink, unavailable_pack, unreadable};
use crate::source::{FileId, SourceMap, Span};

/// Offsets must fit 32 bits.
pub const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// 8 MiB of [`marks`](crate::markdown::marks) would take gigabytes of memory.
pub const MAX_MARKS: usize = 400_000;

/// # Errors
///
/// [`Unreadable::TooLarge`] and [`Unreadable::TooDense`].
pub fn within_limits(text: FileText) -> Result<FileText, Unreadable> {
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(Unreadable::TooLarge(text.len() as u64));
    }
    let marks = if text.len() > MAX_MARKS { markdown::marks(&text) } else { 0 };
    if marks > MAX_MARKS { Err(Unreadable::TooDense(marks)) } else { Ok(text) }
}

/// Paths are relative to the workspace root, the empty path, and separated by `/`.
///
/// Threads call it in parallel. Folders over 64 deep are not read. What an [`Unreadable`] may
/// replace is left out, except for [`Unreadable::Missing`].
pub trait World: Sync {
    /// # Errors
    ///
    /// [`Unreadable`].
    fn read(&self, path: &Utf8Path) -> Result<FileText, Unreadable>;

    /// Sorted by name, with hidden ones.
    ///
    /// # Errors
    ///
    /// [`Unreadable::Missing`] without a folder, else another.
    fn list(&self, folder: &Utf8Path) -> Result<Vec<DirEntry>, Unreadable>;

    /// Follows links.
    fn kind(&self, path: &Utf8Path) -> Kind;

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn refusal(&self, path: &Utf8Path) -> Option<Refusal> {
        refused_path(path)
    }

    fn skips(&self, _folder: &Utf8Path) -> bool {
        false
    }

    /// False for paths that exist only in faber.
    fn is_on_disk(&self, _path: &Utf8Path) -> bool {
        true
    }

    // The methods below are not to be implemented.

    fn is_dir(&self, path: &Utf8Path) -> bool {
        self.kind(path) == Kind::Folder
    }

    fn is_file(&self, path: &Utf8Path) -> bool {
        self.kind(path) == Kind::File
    }

    fn exists(&self, path: &Utf8Path) -> bool {
        self.kind(path) != Kind::Missing
    }

    fn directories(&self, path: &Utf8Path) -> Vec<String> {
        directories_in(self.list(path).unwrap_or_default())
    }

    fn names_ending(&self, path: &Utf8Path, ending: &str) -> Vec<String> {
        names_in(self.list(path).unwrap_or_default(), ending)
    }

    fn markdown_stems(&self, path: &Utf8Path) -> Vec<String> {
        self.names_ending(path, ".md")
    }
}

pub(crate) fn directories_in(mut entries: Vec<DirEntry>) -> Vec<String> {
    entries.retain(|entry| entry.kind == Kind::Folder && !entry.name.starts_with('.'));
    entries.into_iter().map(|entry| entry.name).collect()
}

pub(crate) fn names_in(entries: Vec<DirEntry>, ending: &str) -> Vec<String> {
    let files = entries.into_iter().filter(|entry| entry.kind == Kind::File);
    files.filter_map(|it| it.name.strip_suffix(ending).map(str::to_owned)).collect()
}

macro_rules! forward {
    ($(impl<$($lifetime:lifetime,)? W: $($bound:ident),*> $of:ty;)*) => {$(
        impl<$($lifetime,)? W: World $(+ $bound)* + ?Sized> World for $of {
            fn read(&self, path: &Utf8Path) -> Result<FileText, Unreadable> {
                (**self).read(path)
            }

            fn list(&self, folder: &Utf8Path) -> Result<Vec<DirEntry>, Unreadable> {
                (**self).list(folder)
            }

            fn kind(&self, path: &Utf8Path) -> Kind {
                (**self).kind(path)
            }

            fn variable(&self, name: &str) -> Option<String> {
                (**self).variable(name)
            }

            fn refusal(&self, path: &Utf8Path) -> Option<Refusal> {
                (**self).refusal(path)
            }

            fn skips(&self, folder: &Utf8Path) -> bool {
                (**self).skips(folder)
            }

            fn is_on_disk(&self, path: &Utf8Path) -> bool {
                (**self).is_on_disk(path)
            }
        }
    )*};
}

forward! {
    impl<'a, W: Sync> &'a W;
    impl<W: Sync> Box<W>;
    impl<W: Send> Arc<W>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    Missing,
    File,
    Folder,
    /// A dangling link, a pipe or a device.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    pub name: String,
    pub kind: Kind,
    pub trouble: Option<Unreadable>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    Missing,
    Special(&'static str),
    /// In bytes.
    TooLarge(u64),
    /// Lines and Markdown marks.
    TooDense(usize),
    NotUtf8(NotUtf8),
    Name,
    Backslash,
    /// A link out of the workspace.
    Outside,
    Loop,
    /// Differs from the lock. The flag follows `faber pack verify`.
    Damaged {
        pack: String,
        flag: &'static str,
    },
    Io(String),
}

impl Unreadable {
    pub fn diagnostic(&self, sources: &mut SourceMap, path: &Utf8Path) -> Diagnostic {
        let file = match self {
            Self::NotUtf8(why) => sources.add_placeholder_at(path, why.at),
            _ => sources.add_placeholder(path),
        };
        let at = Span::start_of(file);
        match self {
            Self::Missing => unreadable::RULE
                .at(at, "the file was removed while faber read the workspace")
                .help("run the command again"),
            Self::Special(what) => special_file::RULE
                .at(at, format!("this is {what}, not a file"))
                .help(match path.extension() {
                    Some("md") => "contexts are regular files whose names end in `.md`",
                    _ => "replace it with a regular file",
                }),
            Self::TooLarge(bytes) => oversized_file::RULE
                .at(at, format!("the file has {}", too_large(*bytes)))
                .help("split it into smaller contexts"),
            Self::TooDense(marks) => oversized_file::RULE
                .at(at, format!("the file has {}", too_dense(*marks)))
                .help("split it into smaller contexts"),
            Self::NotUtf8(why) => not_utf8::RULE
                .at(at, format!("the file is {}", why.reason()))
                .help("save it as UTF-8"),
            Self::Name => {
                not_utf8::RULE.at(at, "the file name is not UTF-8").help("rename the file")
            }
            Self::Backslash => {
                unreadable::RULE.at(at, "the file name has a `\\`").help("rename the file")
            }
            Self::Outside => symlink::RULE
                .at(at, "the link points outside the workspace and is not followed")
                .help("copy the file into the workspace"),
            Self::Loop => symlink::RULE
                .at(at, "the link points to one of its parent folders")
                .help("remove the link"),
            Self::Damaged { pack, flag } => unavailable_pack::RULE
                .at(at, format!("the file of the pack `{pack}` differs from faber.lock"))
                .help(format!("run `faber pack verify{flag} {pack}`")),
            Self::Io(message) => unreadable::RULE
                .at(at, format!("the file cannot be read: {message}"))
                .help("check its permissions"),
        }
    }
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str(NOT_FOUND),
            Self::Special(what) => write!(f, "it is {what}"),
            Self::TooLarge(bytes) => write!(f, "it has {}", too_large(*bytes)),
            Self::TooDense(marks) => write!(f, "it has {}", too_dense(*marks)),
            Self::NotUtf8(why) => write!(f, "it is {why}"),
            Self::Name => f.write_str("its name is not UTF-8"),
            Self::Backslash => f.write_str("its name has a `\\`"),
            Self::Outside => f.write_str("it is outside the workspace"),
            Self::Loop => f.write_str("it is a link to one of its parent folders"),
            Self::Damaged { pack, flag } => {
                write!(f, "it differs from faber.lock; run `faber pack verify{flag} {pack}`")
            }
            Self::Io(message) => f.write_str(message),
        }
    }
}

fn too_large(bytes: u64) -> String {
    format!("{}; at most {} are read", mebibytes(bytes), mebibytes(MAX_FILE_BYTES))
}

fn too_dense(marks: usize) -> String {
    format!("{marks} lines and Markdown marks; at most {MAX_MARKS} are read")
}

/// Rounded up.
pub fn mebibytes(bytes: u64) -> String {
    const MEBIBYTE: u64 = 1024 * 1024;
    let tenths = (bytes * 10).div_ceil(MEBIBYTE);
    match tenths % 10 {
        0 => format!("{} MiB", tenths / 10),
        rest => format!("{}.{rest} MiB", tenths / 10),
    }
}

/// Unreadable files become findings and `None`.
pub fn read_all(
    world: &impl World,
    paths: &[Utf8PathBuf],
    sources: &mut SourceMap,
    found: &mut Vec<Diagnostic>,
) -> Vec<Option<FileId>> {
    use rayon::prelude::*;
    let texts: Vec<_> = paths.par_iter().map(|path| world.read(path)).collect();
    sources.reserve(paths.len());
    paths.iter().zip(texts).map(|(path, text)| add(path, text, sources, found)).collect()
}

pub(crate) fn add(
    path: &Utf8Path,
    text: Result<FileText, Unreadable>,
    sources: &mut SourceMap,
    found: &mut Vec<Diagnostic>,
) -> Option<FileId> {
    match text.and_then(within_limits) {
        Ok(text) => Some(sources.add(path.to_owned(), text)),
        Err(trouble) => {
            found.push(trouble.diagnostic(sources, path));
            None
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct MemoryWorld {
    files: Arc<BTreeMap<Utf8PathBuf, FileText>>,
}

impl MemoryWorld {
    /// Paths outside of the workspace root are found by [`World::read`] only.
    pub fn new<P: Into<Utf8PathBuf>, T: Into<FileText>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        let files = files.into_iter();
        let files = files.map(|(path, text)| (inside(path.into()).unwrap_or_else(|it| it), text));
        Self { files: Arc::new(files.map(|(path, text)| (path, text.into())).collect()) }
    }

    /// # Errors
    ///
    /// The first path out of the workspace.
    pub fn try_new<P: Into<Utf8PathBuf>, T: Into<FileText>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Result<Self, Utf8PathBuf> {
        let files = files.into_iter();
        let files = files.map(|(path, text)| inside(path.into()).map(|path| (path, text.into())));
        Ok(Self { files: Arc::new(files.collect::<Result<_, _>>()?) })
    }

    fn below<'a>(&'a self, folder: &'a Utf8Path) -> impl Iterator<Item = &'a Utf8Path> {
        let from = self.files.range::<Utf8Path, _>((Bound::Included(folder), Bound::Unbounded));
        let below = from.map_while(move |(path, _)| path.strip_prefix(folder).ok());
        below.filter(|below| !below.as_str().is_empty())
    }
}

fn inside(path: Utf8PathBuf) -> Result<Utf8PathBuf, Utf8PathBuf> {
    normalize("".into(), &path.as_str().replace('\\', "/")).ok_or(path)
}

impl World for MemoryWorld {
    fn read(&self, path: &Utf8Path) -> Result<FileText, Unreadable> {
        match self.files.get(path) {
            Some(text) => within_limits(text.clone()),
            None if self.is_dir(path) => Err(Unreadable::Special("a directory")),
            None => Err(Unreadable::Missing),
        }
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<DirEntry>, Unreadable> {
        let mut entries: Vec<DirEntry> = Vec::new();
        for below in self.below(folder) {
            let Some(name) = below.components().next().map(|name| name.as_str()) else { continue };
            let kind = if name.len() == below.as_str().len() { Kind::File } else { Kind::Folder };
            if entries.last().is_none_or(|last| last.name != name) {
                entries.push(DirEntry { name: name.to_owned(), kind, trouble: None });
            }
        }
        if entries.is_empty() { Err(Unreadable::Missing) } else { Ok(entries) }
    }

    fn kind(&self, path: &Utf8Path) -> Kind {
        if self.files.contains_key(path) {
            Kind::File
        } else if self.below(path).next().is_some() {
            Kind::Folder
        } else {
            Kind::Missing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_follow_from_paths() {
        let paths = ["a/b/c.md", "a/b.md", "a-b/d.md", "a/.h/e.md", "f.md"];
        let world = MemoryWorld::new(paths.map(|path| (path, path)));
        assert_eq!(world.directories("".into()), ["a", "a-b"]);
        assert_eq!(world.directories("a".into()), ["b"]);
        assert_eq!(world.markdown_stems("a".into()), ["b"]);
        assert_eq!(world.names_ending("".into(), ""), ["f.md"]);
        assert!(world.is_dir("a/b".into()) && !world.is_dir("a/b.md".into()));
        assert!(!world.exists("a/c".into()) && !world.exists("g".into()));
        assert_eq!(world.read("a/b.md".into()).unwrap(), "a/b.md");
        assert_eq!(world.read("a".into()), Err(Unreadable::Special("a directory")));
        assert_eq!(world.list("g".into()), Err(Unreadable::Missing));
    }

    #[test]
    fn paths_in_memory_are_normalized_and_stay_inside() {
        for path in ["./a/b.md", "a//b.md", "a\\b.md", "x/../a/./b.md"] {
            let world = MemoryWorld::new([(path, "x")]);
            assert_eq!(world.read("a/b.md".into()).unwrap(), "x", "{path}");
        }
        for path in ["/a.md", "../a.md", "a/../../b.md"] {
            assert_eq!(MemoryWorld::try_new([(path, "x")]).err(), Some(path.into()));
        }
    }

    #[test]
    fn pointers_are_worlds_too() {
        fn of(world: impl World) -> bool {
            world.is_dir("a".into()) && world.read("a/b.md".into()).is_ok()
        }
        let world = MemoryWorld::new([("a/b.md", "x")]);
        let shared: Arc<dyn World + Send> = Arc::new(world.clone());
        assert!(of(&world) && of(Box::new(&world)) && of(shared));
    }

    #[test]
    fn texts_in_memory_have_the_limits_of_files() {
        let large = "x".repeat(usize::try_from(MAX_FILE_BYTES).unwrap());
        let read = |text: String| MemoryWorld::new([("a.md", text)]).read("a.md".into());
        assert!(read(large.clone()).is_ok());
        assert_eq!(read(large + "x"), Err(Unreadable::TooLarge(MAX_FILE_BYTES + 1)));
        assert!(read("x\n".repeat(MAX_MARKS)).is_ok());
        let dense = "x\n".repeat(MAX_MARKS + 1);
        assert_eq!(read(dense.clone()), Err(Unreadable::TooDense(MAX_MARKS + 1)));
        let (mut sources, mut found) = (SourceMap::default(), Vec::new());
        assert_eq!(add("a.md".into(), Ok(dense.into()), &mut sources, &mut found), None);
        assert_eq!(found.iter().map(Diagnostic::code).collect::<Vec<_>>(), ["oversized-file"]);
    }
}
