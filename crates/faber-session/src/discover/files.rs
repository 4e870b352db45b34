//! Reading files of a workspace, with every way in which that can go wrong.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use camino::{Utf8Component, Utf8DirEntry, Utf8Path, Utf8PathBuf};

use crate::discover::file_cache::FileCache;
use crate::discover::snapshot::Recorder;
use crate::discover::snapshot::file_stat::FileStat;
use crate::discover::snapshot::observation::{Kind, Names, is_plain};
use faber_core::diagnostic::Diagnostic;
use faber_core::error::{Error, reason};
use faber_core::rules::{not_utf8, oversized_file, special_file, symlink, unreadable};
use faber_core::source::{FileId, SourceMap, Span};

/// The most bytes of one file that are read. Context packs are prose; more than this is a mistake,
/// and byte offsets must fit 32 bits.
pub const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The file does not exist.
    Missing,
    /// It is a directory, a pipe, a socket or a device.
    Special(&'static str),
    /// It has more than [`MAX_FILE_BYTES`].
    TooLarge(u64),
    /// It is not UTF-8 from this byte on.
    NotUtf8(usize),
    /// It lies outside of the workspace, by a symlink.
    Outside,
    /// The system refused.
    Io(String),
}

/// What lies in a folder.
enum Entry<'a> {
    /// As the disk has it.
    OnDisk(&'a Utf8DirEntry),
    /// A file of which there is a text that is being edited.
    Text(&'a str),
    /// A folder that such a file lies in.
    FolderOfTexts(&'a str),
}

impl Entry<'_> {
    fn name(&self) -> &str {
        match self {
            Self::OnDisk(entry) => entry.file_name(),
            Self::Text(name) | Self::FolderOfTexts(name) => name,
        }
    }

    fn is_dir(&self) -> bool {
        match self {
            Self::OnDisk(entry) => entry.path().is_dir(),
            Self::Text(_) => false,
            Self::FolderOfTexts(_) => true,
        }
    }

    fn is_file(&self) -> bool {
        match self {
            Self::OnDisk(entry) => entry.path().is_file(),
            Self::Text(_) => true,
            Self::FolderOfTexts(_) => false,
        }
    }
}

/// The files of one workspace. Paths given to it are relative to the root.
#[derive(Clone, Debug)]
pub struct Files {
    root: Utf8PathBuf,
    recorder: Recorder,
    /// Of folders, from the root: whether they are where their path says, no link among it.
    plain: Arc<Mutex<HashMap<Utf8PathBuf, bool>>>,
    /// Texts that stand in for those on disk, by path from the root. They count as regular files
    /// that are there, whether the disk has them or not.
    texts: Arc<BTreeMap<Utf8PathBuf, String>>,
    /// Texts that were read before.
    cache: Option<Arc<FileCache>>,
}

impl Files {
    /// The files below `root`, which must be canonical.
    pub fn new(root: &Utf8Path) -> Self {
        Self {
            root: root.to_owned(),
            recorder: Recorder::default(),
            plain: Arc::default(),
            texts: Arc::default(),
            cache: None,
        }
    }

    /// The same files; what is seen of them goes into `recorder`.
    #[must_use]
    pub fn recorded_in(self, recorder: Recorder) -> Self {
        Self { recorder, ..self }
    }

    /// The same files, but for some whose texts are not those on disk: they are being edited.
    #[must_use]
    pub fn with_texts(self, texts: &Arc<BTreeMap<Utf8PathBuf, String>>) -> Self {
        Self { texts: Arc::clone(texts), ..self }
    }

    /// The same files, looked at again: nothing is remembered of links among their folders.
    #[must_use]
    pub fn renewed(&self) -> Self {
        Self { plain: Arc::default(), ..self.clone() }
    }

    /// The same files with texts from a cache. What is taken from there is not recorded.
    #[must_use]
    pub fn cached_in(self, cache: &Arc<FileCache>) -> Self {
        Self { cache: Some(Arc::clone(cache)), ..self }
    }

    /// The workspace root, canonical and absolute.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// What has been seen so far.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Whether a directory is there.
    pub fn is_dir(&self, path: &Utf8Path) -> bool {
        self.is_dir_on_disk(path) || self.texts_below(path).is_some()
    }

    /// Whether the disk has a directory there.
    pub(super) fn is_dir_on_disk(&self, path: &Utf8Path) -> bool {
        self.recorder.look(&self.root.join(path)) == Kind::Folder
    }

    /// Whether a regular file is there.
    pub fn is_file(&self, path: &Utf8Path) -> bool {
        self.texts.contains_key(path) || self.recorder.look(&self.root.join(path)) == Kind::File
    }

    /// Whether anything is there, be it a link that leads nowhere.
    pub fn exists(&self, path: &Utf8Path) -> bool {
        if self.texts.contains_key(path) || self.texts_below(path).is_some() {
            return true;
        }
        let path = self.root.join(path);
        if self.recorder.look(&path) != Kind::Missing {
            return true;
        }
        let leads_nowhere = path.symlink_metadata().is_ok();
        if leads_nowhere {
            self.recorder.mark_uncacheable();
        }
        leads_nowhere
    }

    /// The names of the directories right below `path`, sorted; hidden ones are left out.
    pub fn directories(&self, path: &Utf8Path) -> Vec<String> {
        let is_shown = |entry: &Entry<'_>| !entry.name().starts_with('.') && entry.is_dir();
        self.names(path, |entry| is_shown(entry).then(|| entry.name().to_owned()))
    }

    /// The names of the Markdown files right below `path` without `.md`, sorted.
    pub fn markdown_stems(&self, path: &Utf8Path) -> Vec<String> {
        self.names_ending(path, ".md")
    }

    /// The names of the files right below `path` that end in `ending`, without that, sorted.
    pub fn names_ending(&self, path: &Utf8Path, ending: &str) -> Vec<String> {
        self.names(path, |entry| {
            let stem = entry.name().strip_suffix(ending)?;
            entry.is_file().then(|| stem.to_owned())
        })
    }

    /// The names of the YAML files right below `path`, sorted; hidden ones are left out.
    pub fn yaml_names(&self, path: &Utf8Path) -> Vec<String> {
        self.names(path, |entry| {
            let name = entry.name();
            let is_yaml = matches!(Utf8Path::new(name).extension(), Some("yml" | "yaml"));
            (is_yaml && !name.starts_with('.') && !entry.is_dir()).then(|| name.to_owned())
        })
    }

    /// The names that `name` gives to what lies right below `path`, sorted, each once.
    fn names(&self, path: &Utf8Path, name: impl Fn(&Entry<'_>) -> Option<String>) -> Vec<String> {
        let mut names = self.names_on_disk(path, &name);
        if let Some(texts) = self.texts_below(path) {
            names.extend(texts.filter_map(|below| {
                let first = below.components().next()?.as_str();
                let is_file = first.len() == below.as_str().len();
                name(&if is_file { Entry::Text(first) } else { Entry::FolderOfTexts(first) })
            }));
        }
        names.sort();
        names.dedup();
        names
    }

    /// The paths below `path` of the texts that stand in for those on disk, sorted; none when there
    /// is no such text.
    pub(super) fn texts_below(&self, path: &Utf8Path) -> Option<impl Iterator<Item = &Utf8Path>> {
        let below = |text: &'_ Utf8PathBuf| text.strip_prefix(path).is_ok_and(|it| it != "");
        // Few texts are being edited, so looking at each of them is the quick way.
        self.texts.keys().any(below).then(|| {
            self.texts
                .keys()
                .filter_map(move |text| text.strip_prefix(path).ok().filter(|below| *below != ""))
        })
    }

    fn names_on_disk(
        &self,
        path: &Utf8Path,
        name: &impl Fn(&Entry<'_>) -> Option<String>,
    ) -> Vec<String> {
        let absolute = self.root.join(path);
        if self.recorder.look(&absolute) != Kind::Folder {
            return Vec::new();
        }
        let Ok(entries) = absolute.read_dir_utf8() else {
            self.recorder.mark_uncacheable();
            return Vec::new();
        };
        let (mut names, mut seen) = (Vec::new(), Names::new());
        for entry in entries {
            // A name that is not UTF-8 is none that faber knows, and no listing that was noted.
            let Ok(entry) = entry else {
                self.recorder.mark_uncacheable();
                continue;
            };
            let kind = entry.file_type().map_or(Kind::Other, Kind::of);
            seen.insert((entry.file_name().into(), kind));
            names.extend(name(&Entry::OnDisk(&entry)));
        }
        self.listed(&absolute, &seen);
        names
    }

    /// The folder at a path of the machine was listed, and this is what lay in it.
    pub(super) fn listed(&self, folder: &Utf8Path, names: &Names) {
        if !self.recorder.is_recording() {
            return;
        }
        match is_plain(folder) {
            Ok(true) => {
                self.recorder.plain(folder);
                self.recorder.listing(folder, names);
            }
            _ => self.recorder.mark_uncacheable(),
        }
    }

    /// Whether `path` really lies in the workspace once its symlinks are followed. A path that does
    /// not exist lies where it says.
    pub fn is_inside(&self, path: &Utf8Path) -> bool {
        match self.root.join(path).canonicalize_utf8() {
            Ok(real) => real.starts_with(&self.root),
            Err(_) => true,
        }
    }

    /// Whether there is no link in the path of the folder of `path`. Answers are kept: a run asks
    /// for thousands of files in few folders.
    fn is_in_plain_folder(&self, path: &Utf8Path) -> bool {
        let Some(folder) = path.parent() else { return false };
        let lock = || self.plain.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = lock().get(folder) {
            return known;
        }
        let joined = self.root.join(folder);
        let absolute = if folder.as_str().is_empty() { &self.root } else { &joined };
        // What is not there leads nowhere.
        let plain =
            is_plain(absolute).unwrap_or_else(|error| error.kind() == std::io::ErrorKind::NotFound);
        if plain {
            self.recorder.plain(absolute);
        }
        lock().insert(folder.to_owned(), plain);
        plain
    }

    /// Reads a regular file of at most [`MAX_FILE_BYTES`] as UTF-8; never waits on a pipe.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] says why not.
    pub fn read(&self, path: &Utf8Path) -> Result<String, Unreadable> {
        let absolute = self.root.join(path);
        if let Some(cache) = &self.cache
            && !self.texts.contains_key(path)
        {
            return self.read_cached(cache, path, &absolute);
        }
        self.read_anew(path, &absolute)
    }

    /// Reads a file that may be cached. Links never are, for what they lead to may be another.
    fn read_cached(
        &self,
        cache: &FileCache,
        path: &Utf8Path,
        absolute: &Utf8Path,
    ) -> Result<String, Unreadable> {
        if let Some(text) = cache.get(absolute) {
            return Ok(text);
        }
        // What changes from here on leaves another stat, or invalidates the cache.
        let epoch = cache.epoch();
        let metadata = absolute.symlink_metadata().ok().filter(std::fs::Metadata::is_file);
        let text = self.read_anew(path, absolute)?;
        if let Some(metadata) = metadata.filter(|_| self.is_in_plain_folder(path)) {
            cache.put(absolute, FileStat::of(&metadata), epoch, &text);
        }
        Ok(text)
    }

    fn read_anew(&self, path: &Utf8Path, absolute: &Utf8Path) -> Result<String, Unreadable> {
        let is_link = absolute.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if is_link || !self.is_in_plain_folder(path) {
            self.recorder.mark_uncacheable();
            if !self.is_inside(path) {
                return Err(Unreadable::Outside);
            }
        }
        if let Some(text) = self.texts.get(path) {
            let bytes = text.len() as u64;
            let fits = bytes <= MAX_FILE_BYTES;
            return if fits { Ok(text.clone()) } else { Err(Unreadable::TooLarge(bytes)) };
        }
        self.noted(absolute, read_file(absolute, is_link, &self.recorder))
    }

    /// As [`Self::read`], for any path of the machine.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] says why not.
    pub fn read_elsewhere(&self, path: &Utf8Path) -> Result<String, Unreadable> {
        self.noted(path, read_file(path, path.is_symlink(), &self.recorder))
    }

    /// What came of reading `path`; what cannot be looked at again makes the run one that is not kept.
    fn noted(
        &self,
        path: &Utf8Path,
        text: Result<String, Unreadable>,
    ) -> Result<String, Unreadable> {
        match &text {
            Ok(_) => {}
            // What was found is noted, not what a second look would find.
            Err(Unreadable::Missing) => self.recorder.kind(path, Kind::Missing),
            Err(_) => self.recorder.mark_uncacheable(),
        }
        text
    }

    /// Reads a file that the command line names.
    ///
    /// # Errors
    ///
    /// As [`read_input`].
    pub fn read_input(&self, path: &Utf8Path) -> Result<String, Error> {
        self.read_elsewhere(path).map_err(|trouble| unreadable_input(path, &trouble))
    }

    /// As [`Self::read`], but always what is on disk now.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn read_from_disk(&self, path: &Utf8Path) -> Result<String, Unreadable> {
        Self::new(&self.root).read(path)
    }

    /// The path from the root of something that the command line names, relative to `cwd`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when there is nothing, [`Error::Usage`] when it lies elsewhere.
    pub fn locate(&self, cwd: &Utf8Path, path: &Utf8Path) -> Result<Utf8PathBuf, Error> {
        let given = cwd.join(path);
        self.recorder.look(&given);
        let real = given.canonicalize_utf8().map_err(|source| Error::Io {
            action: "open",
            path: path.to_owned(),
            source,
        })?;
        if real != given {
            self.recorder.mark_uncacheable();
        }
        // Through a link inside of the workspace, files are known by the name of the link.
        let plain = given.components().all(|part| part != Utf8Component::ParentDir);
        let by_name = given.strip_prefix(&self.root).ok().filter(|_| plain);
        let relative = by_name.or_else(|| real.strip_prefix(&self.root).ok());
        relative.map(|path| path.as_str().replace('\\', "/").into()).ok_or_else(|| {
            let message = format!("`{path}` lies outside of the workspace `{}`", self.root);
            Error::usage(message, "name a path of the workspace, or another workspace with `-C`")
        })
    }
}

/// Reads a regular file of at most [`MAX_FILE_BYTES`] as UTF-8.
fn read_file(path: &Utf8Path, linked: bool, recorder: &Recorder) -> Result<String, Unreadable> {
    let fail = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Unreadable::Missing,
        _ => Unreadable::Io(reason(error)),
    };
    let metadata = std::fs::metadata(path).map_err(|error| fail(&error))?;
    if metadata.is_dir() {
        return Err(Unreadable::Special("a directory"));
    }
    if !metadata.is_file() {
        return Err(Unreadable::Special("a pipe, socket or device"));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(Unreadable::TooLarge(metadata.len()));
    }
    let file = std::fs::File::open(path).map_err(|error| fail(&error))?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    // The file may have grown since it was looked at.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| fail(&error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Unreadable::TooLarge(bytes.len() as u64));
    }
    recorder.content(path, &metadata, linked, &bytes);
    String::from_utf8(bytes).map_err(|error| Unreadable::NotUtf8(error.utf8_error().valid_up_to()))
}

/// Where a file lies that may not be there yet: links among its folders are followed, and no link
/// that it is itself.
pub fn real_place(path: &Utf8Path) -> Utf8PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize_utf8().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Whether anything is at a path of the machine.
pub fn is_there(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Reads a file that the command line names.
///
/// # Errors
///
/// [`Error::Usage`] says why not.
pub fn read_input(path: &Utf8Path) -> Result<String, Error> {
    read_file(path, false, &Recorder::default()).map_err(|trouble| unreadable_input(path, &trouble))
}

/// The failure of reading a file that was to be read, and why.
pub fn unreadable_input(path: &Utf8Path, trouble: &Unreadable) -> Error {
    let why = match trouble {
        Unreadable::Missing => "file not found".to_owned(),
        Unreadable::Special(what) => format!("it is {what}"),
        Unreadable::TooLarge(bytes) => {
            let (has, most) = (mebibytes(*bytes), mebibytes(MAX_FILE_BYTES));
            format!("it has {has}; at most {most} are read")
        }
        Unreadable::NotUtf8(at) => format!("it is not UTF-8 (byte {at})"),
        Unreadable::Outside => "it lies outside of the workspace".to_owned(),
        Unreadable::Io(message) => message.clone(),
    };
    let message = format!("cannot read `{path}`: {why}");
    Error::usage(message, "name a text file, or `-` for standard input")
}

/// A size for people, rounded up so that what is too large never looks allowed.
fn mebibytes(bytes: u64) -> String {
    const MEBIBYTE: u64 = 1024 * 1024;
    let tenths = (bytes * 10).div_ceil(MEBIBYTE);
    match tenths % 10 {
        0 => format!("{} MiB", tenths / 10),
        rest => format!("{}.{rest} MiB", tenths / 10),
    }
}

impl Unreadable {
    /// The finding about a file that was expected to be readable. The file gets an empty entry in
    /// `sources`, so that the finding has a place.
    pub fn diagnostic(&self, sources: &mut SourceMap, path: &Utf8Path) -> Diagnostic {
        let file = sources.add_placeholder(path);
        let at = Span::start_of(file);
        match self {
            Self::Missing => unreadable::RULE
                .at(at, "the file vanished while faber read the workspace")
                .help("run the command again"),
            Self::Special(what) => special_file::RULE
                .at(at, format!("this is {what}, not a file"))
                .help("contexts are regular files whose names end in `.md`"),
            Self::TooLarge(bytes) => oversized_file::RULE
                .at(
                    at,
                    format!(
                        "the file has {}; at most {} are read",
                        mebibytes(*bytes),
                        mebibytes(MAX_FILE_BYTES)
                    ),
                )
                .help("split it into contexts that can be selected one by one"),
            Self::NotUtf8(offset) => not_utf8::RULE
                .at(at, format!("the file is not UTF-8 (byte {offset})"))
                .help("save it as UTF-8"),
            Self::Outside => symlink::RULE
                .at(at, "the link leads outside of the workspace, so it is not followed")
                .help("copy the file into the workspace"),
            Self::Io(message) => unreadable::RULE
                .at(at, format!("the file cannot be read: {message}"))
                .help("check its permissions"),
        }
    }
}

/// Reads many files at once and adds them to `sources` in the order of `paths`; what cannot be read
/// becomes a finding and `None`.
pub fn read_all(
    files: &Files,
    paths: &[Utf8PathBuf],
    sources: &mut SourceMap,
    found: &mut Vec<Diagnostic>,
) -> Vec<Option<FileId>> {
    use rayon::prelude::*;
    let texts: Vec<_> = paths.par_iter().map(|path| files.read(path)).collect();
    let mut ids = Vec::with_capacity(paths.len());
    sources.reserve(paths.len());
    for (path, text) in paths.iter().zip(texts) {
        match text {
            Ok(text) => ids.push(Some(sources.add(path.clone(), text))),
            Err(trouble) => {
                found.push(trouble.diagnostic(sources, path));
                ids.push(None);
            }
        }
    }
    ids
}

/// Whether a regular file is at a path of the machine.
pub fn is_file(path: &Utf8Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::walk;

    #[test]
    fn texts_that_are_being_edited_are_files_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        std::fs::create_dir_all(root.join("contexts/patterns")).unwrap();
        std::fs::write(root.join("contexts/patterns/a.md"), "disk").unwrap();
        let paths = [
            "contexts/patterns/a.md",
            "contexts/odd/b.md",
            "contexts/.c/d.md",
            "roles/r/prompt.md",
        ];
        let texts = paths.map(|path| (Utf8PathBuf::from(path), path.to_owned()));
        let files = Files::new(&root).with_texts(&Arc::new(BTreeMap::from(texts)));
        assert_eq!(files.read("contexts/patterns/a.md".into()).unwrap(), "contexts/patterns/a.md");
        assert!(files.is_file("roles/r/prompt.md".into()) && files.is_dir("roles/r".into()));
        assert!(!files.is_file("roles/r".into()) && !files.exists("roles/s".into()));
        assert_eq!(files.directories("roles".into()), ["r"]);
        assert_eq!(files.directories("contexts".into()), ["odd", "patterns"]);
        assert_eq!(files.markdown_stems("contexts/patterns".into()), ["a"]);
        let (mut sources, mut found) = (SourceMap::default(), Vec::new());
        let walked = walk::walk(&files, "contexts".into(), &mut sources, &mut found);
        let walked: Vec<_> = walked.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(walked, ["contexts/odd/b.md", "contexts/patterns/a.md"]);
        let rules: Vec<_> = found.iter().map(Diagnostic::code).collect();
        assert_eq!(
            rules,
            ["unknown-directory"],
            "a folder that is not a category, once it is saved"
        );
        let large = "x".repeat(usize::try_from(MAX_FILE_BYTES).unwrap() + 1);
        let texts = BTreeMap::from([(Utf8PathBuf::from("a.md"), large)]);
        let files = Files::new(&root).with_texts(&Arc::new(texts));
        assert!(matches!(files.read("a.md".into()), Err(Unreadable::TooLarge(_))));
    }
}
