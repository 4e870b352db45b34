use std::borrow::Cow;
use std::fs::Metadata;
use std::sync::{Arc, Mutex};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use foldhash::HashMap;

use crate::discover::failed;
use crate::discover::file_cache::FileCache;
use crate::discover::input::{input_bytes, read_bytes};
use crate::discover::locked;
use crate::discover::mount::Mount;
use crate::discover::reachable::TrackedIgnored;
use crate::discover::snapshot::file_stat::FileStat;
use crate::discover::snapshot::observation::is_plain;
use crate::discover::snapshot::{ReadFile, Recorder};
use crate::hex::sha256;
use crate::input_text::{self, DecodedText};
use crate::settings::Settings;
use faber_core::error::{Error, reason};
use faber_core::file_text::{Digest, FileText, digest};
use faber_core::not_utf8::NotUtf8;
use faber_core::paths::lexical;
use faber_core::readable::Refusal;
use faber_core::world::{
    DirEntry, Kind, MAX_FILE_BYTES, MemoryWorld, Unreadable, World, within_limits,
};

#[derive(Clone, Debug, Default)]
pub struct Files {
    root: Utf8PathBuf,
    cwd: Utf8PathBuf,
    recorder: Recorder,
    plain: Arc<Mutex<HashMap<Utf8PathBuf, bool>>>,
    texts: MemoryWorld,
    vars: Arc<[(String, String)]>,
    cache: Option<Arc<FileCache>>,
    mounts: Arc<[Mount]>,
    pub(super) tracked: Arc<TrackedIgnored>,
}

impl Files {
    /// `root` must be canonical.
    pub fn new(root: &Utf8Path) -> Self {
        Self { root: root.to_owned(), cwd: root.to_owned(), ..Self::default() }
    }

    #[must_use]
    pub fn recorded_in(self, recorder: Recorder) -> Self {
        Self { recorder, ..self }
    }

    #[must_use]
    pub fn with_texts(self, texts: &MemoryWorld) -> Self {
        Self { texts: texts.clone(), ..self }
    }

    pub fn is_override(&self, path: &Utf8Path) -> bool {
        self.texts.is_file(path)
    }

    #[must_use]
    pub fn renewed(&self) -> Self {
        Self { plain: Arc::default(), tracked: Arc::default(), ..self.clone() }
    }

    /// The index of git may change before the next request.
    pub(crate) fn for_request(&self, settings: &Settings) -> Self {
        let (cwd, vars) = (settings.cwd.clone(), settings.vars.as_slice().into());
        Self { cwd, vars, tracked: Arc::default(), ..self.clone() }
    }

    pub(super) fn of_pack(&self, real: &Utf8Path) -> Self {
        let files = Self::new(real).recorded_in(self.recorder.clone());
        Self { tracked: Arc::clone(&self.tracked), ..files }
    }

    #[must_use]
    pub fn cached_in(self, cache: &Arc<FileCache>) -> Self {
        Self { cache: Some(Arc::clone(cache)), ..self }
    }

    #[must_use]
    pub fn with_mounts(self, mounts: Vec<Mount>) -> Self {
        Self { mounts: mounts.into(), ..self }
    }

    pub(super) fn mount(&self, path: &Utf8Path) -> Option<&Mount> {
        self.mounts.iter().find(|mount| path.starts_with(&mount.folder))
    }

    pub fn place<'p>(&self, path: &'p Utf8Path) -> Cow<'p, Utf8Path> {
        match self.mount(path) {
            Some(mount) => Cow::Owned(mount.place(path)),
            None => Cow::Borrowed(path),
        }
    }

    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Resolves links; true if missing.
    pub fn is_inside(&self, path: &Utf8Path) -> bool {
        let path = self.root.join(path);
        let mut mounts = self.mounts.iter().map(|mount| &mount.real);
        let home = mounts.find(|real| path.starts_with(real)).unwrap_or(&self.root);
        match path.canonicalize_utf8() {
            Ok(real) => real.starts_with(home),
            Err(_) => true,
        }
    }

    pub fn is_linked(&self, path: &Utf8Path) -> bool {
        let path = self.root.join(path);
        path.canonicalize_utf8().is_ok_and(|real| real != path)
    }

    fn is_in_plain_folder(&self, path: &Utf8Path) -> bool {
        let Some(folder) = path.parent() else { return false };
        let lock = || locked(&self.plain);
        if let Some(&known) = lock().get(folder) {
            return known;
        }
        let joined = self.root.join(folder);
        let absolute = if folder.as_str().is_empty() { &self.root } else { &joined };
        let plain =
            is_plain(absolute).unwrap_or_else(|error| error.kind() == std::io::ErrorKind::NotFound);
        if plain {
            self.recorder.plain(absolute);
        }
        lock().insert(folder.to_owned(), plain);
        plain
    }

    /// Needs a regular UTF-8 file of up to [`MAX_FILE_BYTES`].
    ///
    /// # Errors
    ///
    /// With the reason.
    pub fn read(&self, path: &Utf8Path) -> Result<FileText, Unreadable> {
        if self.texts.is_file(path) {
            return self.read_whole(path, &self.root.join(path));
        }
        let Some(mount) = self.mount(path) else { return self.read_placed(path) };
        if mount.made.is_file(path) {
            return mount.made.read(path);
        }
        match mount.hash(path) {
            Some(Ok(hash)) => {
                let place = mount.place(path);
                let holds = self.recorder.kept_snapshot().is_some();
                let kept = || self.recorder.kept_text(&self.root, &place);
                if let Some(text) = holds.then(kept).flatten() {
                    return Ok(text);
                }
                let text = self.read_placed(&place);
                let text = text.and_then(|text| Mount::verified(text, hash));
                text.map_err(|trouble| {
                    self.recorder.mark_uncacheable();
                    mount.damaged(&trouble)
                })
            }
            Some(Err(missing)) => Err(missing),
            None => self.read_placed(&mount.place(path)),
        }
    }

    /// # Errors
    ///
    /// As [`Self::read`], but the file may be binary.
    pub fn read_bytes(&self, path: &Utf8Path) -> Result<Vec<u8>, Unreadable> {
        match self.read(path) {
            Ok(text) => Ok(text.as_bytes().to_vec()),
            Err(Unreadable::NotUtf8(_)) => {
                let bytes = std::fs::read(self.root.join(self.place(path)));
                let bytes = bytes.map_err(|error| Unreadable::Io(reason(&error)))?;
                let mount = self.mount(path);
                match mount.and_then(|mount| Some((mount, mount.hash(path)?))) {
                    Some((mount, Ok(hash))) if sha256(&bytes) != hash => {
                        Err(mount.damaged(&Unreadable::Missing))
                    }
                    Some((_, Err(missing))) => Err(missing),
                    _ => Ok(bytes),
                }
            }
            Err(trouble) => Err(trouble),
        }
    }

    fn read_placed(&self, path: &Utf8Path) -> Result<FileText, Unreadable> {
        let absolute = self.root.join(path);
        if let Some(text) = self.recorder.kept_text(&self.root, path) {
            return Ok(text);
        }
        if self.recorder.kept_kind(&self.root, path) == Some(Kind::Missing) {
            return Err(Unreadable::Missing);
        }
        let text = match &self.cache {
            Some(cache) => self.read_cached(cache, path, &absolute)?,
            None => self.read_whole(path, &absolute)?,
        };
        self.recorder.keep_text(path, &text);
        Ok(text)
    }

    /// Links are not cached: their targets may change.
    fn read_cached(
        &self,
        cache: &FileCache,
        path: &Utf8Path,
        absolute: &Utf8Path,
    ) -> Result<FileText, Unreadable> {
        if let Some(text) = cache.get(absolute) {
            return Ok(text);
        }
        // Before the read: later changes alter stat or epoch.
        let epoch = cache.epoch();
        let metadata = absolute.symlink_metadata().ok().filter(Metadata::is_file);
        let text = self.read_whole(path, absolute)?;
        if let Some(metadata) = metadata.filter(|_| self.is_in_plain_folder(path)) {
            cache.put(absolute, FileStat::of(&metadata), epoch, &text);
        }
        Ok(text)
    }

    fn read_whole(&self, path: &Utf8Path, absolute: &Utf8Path) -> Result<FileText, Unreadable> {
        let is_link = absolute.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if is_link || !self.is_in_plain_folder(path) {
            self.recorder.mark_uncacheable();
            if !self.is_inside(path) {
                return Err(Unreadable::Outside);
            }
        }
        if self.texts.is_file(path) {
            return self.texts.read(path);
        }
        self.noted(absolute, read_file(absolute, is_link, &self.recorder)).and_then(within_limits)
    }

    /// # Errors
    ///
    /// As [`Self::read`], for any path on the machine.
    pub fn read_elsewhere(&self, path: &Utf8Path) -> Result<FileText, Unreadable> {
        if self.texts.is_file(path) {
            return self.texts.read(path);
        }
        self.noted(path, read_file(path, path.is_symlink(), &self.recorder))
    }

    fn noted<T>(&self, path: &Utf8Path, text: Result<T, Unreadable>) -> Result<T, Unreadable> {
        match &text {
            Ok(_) => {}
            Err(Unreadable::Missing) => self.recorder.kind(path, Kind::Missing),
            Err(_) => self.recorder.mark_uncacheable(),
        }
        text
    }

    /// # Errors
    ///
    /// See [`read_input`].
    pub fn read_input(&self, path: &Utf8Path) -> Result<String, Error> {
        self.input(path, input_text::decode)
    }

    /// # Errors
    ///
    /// See [`read_input`]. Invalid UTF-8 is replaced.
    pub fn read_log(&self, path: &Utf8Path) -> Result<DecodedText, Error> {
        self.input(path, input_text::decode_lossy)
    }

    fn input<T>(
        &self,
        path: &Utf8Path,
        decode: fn(&[u8]) -> Result<T, NotUtf8>,
    ) -> Result<T, Error> {
        let place = self.cwd.join(path);
        let bytes = input_bytes(&place, &self.recorder);
        let text = bytes.and_then(|bytes| decode(&bytes).map_err(Unreadable::NotUtf8));
        self.noted(&place, text).map_err(|trouble| unreadable_input(path, &trouble))
    }

    /// # Errors
    ///
    /// As [`Self::read`], without overrides and caches.
    pub fn read_from_disk(&self, path: &Utf8Path) -> Result<FileText, Unreadable> {
        Self::new(&self.root).read(path)
    }

    /// Paths become relative to the root; other names stay.
    pub fn named<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let path = Utf8Path::new(name);
        if name.starts_with("./") || name.starts_with("../") {
            let place = lexical(&self.cwd.join(path));
            let below = place.strip_prefix(&self.root).ok();
            return below.map_or(name.into(), |it| it.as_str().replace('\\', "/").into());
        }
        if let Ok(below) = path.strip_prefix(&self.root) {
            return Cow::Borrowed(below.as_str());
        }
        let real = path.is_absolute().then(|| path.canonicalize_utf8().ok()).flatten();
        let below = real.and_then(|real| Some(real.strip_prefix(&self.root).ok()?.to_string()));
        below.map_or(Cow::Borrowed(name), Cow::Owned)
    }

    /// Also returns the target of a link, and paths in packs.
    ///
    /// # Errors
    ///
    /// If missing or outside of the workspace and its packs.
    pub fn locate(&self, cwd: &Utf8Path, path: &Utf8Path) -> Result<Vec<Utf8PathBuf>, Error> {
        if path.as_str().is_empty() {
            return Err(Error::usage("a path is empty", "write `.` for the current directory"));
        }
        let given = cwd.join(path);
        self.recorder.look(&given);
        let real = given.canonicalize_utf8().map_err(|source| {
            let error = failed("read", path)(source);
            let below = self.root.join(path);
            if path.is_absolute() || !path_exists(&below) {
                return error;
            }
            let meant = below.strip_prefix(cwd).unwrap_or(&below);
            let help = format!("paths are relative to `{cwd}`; did you mean `{meant}`?");
            Error::usage(error.to_string(), help)
        })?;
        if real != given {
            self.recorder.mark_uncacheable();
        }
        let plain = given.components().all(|part| part != Utf8Component::ParentDir);
        let by_name = given.strip_prefix(&self.root).ok().filter(|_| plain);
        let own = by_name.into_iter().chain(real.strip_prefix(&self.root).ok());
        let own = own.map(|path| path.as_str().replace('\\', "/").into());
        let mut found: Vec<Utf8PathBuf> = own.chain(self.in_packs(&real)).collect();
        found.dedup();
        if found.is_empty() {
            let message = format!("`{path}` is outside the workspace `{}`", self.root);
            let help = "pass a path in the workspace, or select another workspace with `-C`";
            return Err(Error::usage(message, help));
        }
        Ok(found)
    }

    pub fn in_packs(&self, real: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
        self.mounts.iter().filter_map(move |mount| match real.strip_prefix(&mount.real) {
            Ok(below) => Some(mount.folder.join(below)),
            Err(_) => mount.real.starts_with(real).then(|| mount.folder.clone()),
        })
    }
}

fn read_file(path: &Utf8Path, linked: bool, recorder: &Recorder) -> Result<FileText, Unreadable> {
    let (bytes, metadata) = read_bytes(path, Metadata::is_file, MAX_FILE_BYTES)?;
    let length = bytes.len();
    let observed = |digest: Digest| {
        recorder.content(path, &metadata, linked, ReadFile { bytes: length, digest });
    };
    match NotUtf8::check(&bytes) {
        Ok(text) => {
            let text = FileText::from(text);
            if recorder.is_recording() {
                observed(*text.digest());
            }
            Ok(text)
        }
        Err(why) => {
            observed(digest(&bytes));
            Err(Unreadable::NotUtf8(why))
        }
    }
}

/// Keeps the last part of the path.
pub fn real_place(path: &Utf8Path) -> Utf8PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize_utf8().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

pub fn real_file(path: &Utf8Path) -> Utf8PathBuf {
    path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned())
}

fn may_exist(path: &Utf8Path) -> bool {
    let is_denied = |error: std::io::Error| error.kind() == std::io::ErrorKind::PermissionDenied;
    path.symlink_metadata().map_or_else(is_denied, |_| true)
}

pub fn path_exists(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// # Errors
///
/// If unreadable.
pub fn read_input(path: &Utf8Path) -> Result<String, Error> {
    Files::new(Utf8Path::new("")).read_input(path)
}

/// Refuses pipes.
///
/// # Errors
///
/// If unreadable.
pub fn read_regular(path: &Utf8Path) -> Result<String, Error> {
    let text = read_file(path, false, &Recorder::default());
    text.map(|text| text.to_string()).map_err(|trouble| unreadable_input(path, &trouble))
}

pub fn unreadable_input(path: &Utf8Path, trouble: &Unreadable) -> Error {
    let message = format!("cannot read `{path}`: {trouble}");
    let help = match trouble {
        Unreadable::Missing => "check the path",
        Unreadable::Special(_) => "pass a regular file",
        Unreadable::TooLarge(_) | Unreadable::TooDense(_) => "pass a smaller file, or a part of it",
        Unreadable::NotUtf8(_) => "pass a text file in UTF-8",
        _ => "pass a readable text file",
    };
    Error::usage(message, help)
}

impl World for Files {
    fn read(&self, path: &Utf8Path) -> Result<FileText, Unreadable> {
        self.read(path)
    }

    fn list(&self, folder: &Utf8Path) -> Result<Vec<DirEntry>, Unreadable> {
        let mount = self.mount(folder);
        if let Some(entries) = mount.and_then(|mount| mount.entries(folder)) {
            return entries;
        }
        let placed = self.place(folder);
        let place = &*placed;
        let on_disk = match self.recorder.kept_folder(&self.root, place) {
            Some(entries) => Ok(entries),
            None => match self.recorder.kept_kind(&self.root, place) {
                Some(Kind::Missing) => Err(Unreadable::Missing),
                _ => self.entries_on_disk(place),
            },
        };
        let mut entries = match self.texts.list(folder) {
            Ok(texts) => {
                let mut entries = on_disk.unwrap_or_default();
                let is_new = |text: &DirEntry| entries.iter().all(|it| it.name != text.name);
                let new: Vec<DirEntry> = texts.into_iter().filter(is_new).collect();
                entries.extend(new);
                entries
            }
            Err(_) => on_disk?,
        };
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn kind(&self, path: &Utf8Path) -> Kind {
        let of_text = self.texts.kind(path);
        if of_text != Kind::Missing {
            return of_text;
        }
        if let Some(kind) = self.mount(path).and_then(|mount| mount.kind(path)) {
            return kind;
        }
        let path = &*self.place(path);
        if let Some(kind) = self.recorder.kept_kind(&self.root, path) {
            return kind;
        }
        let path = self.root.join(path);
        let kind = self.recorder.look(&path);
        if kind == Kind::Missing && may_exist(&path) {
            self.recorder.mark_uncacheable();
            return Kind::Other;
        }
        kind
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.recorder.variables([name.to_owned()], &self.vars);
        self.vars.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    fn refusal(&self, path: &Utf8Path) -> Option<Refusal> {
        self.refused(path)
    }

    fn skips(&self, folder: &Utf8Path) -> bool {
        self.is_skipped(folder)
    }

    fn is_on_disk(&self, path: &Utf8Path) -> bool {
        self.mount(path).is_none_or(|mount| mount.is_at(&self.root, path))
    }
}

pub fn is_file(path: &Utf8Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::world::{MAX_FILE_BYTES, MAX_MARKS};

    #[test]
    fn texts_that_are_being_edited_are_files_that_are_there() {
        let (_folder, root) = crate::testing::folder();
        std::fs::create_dir_all(root.join("contexts/patterns")).unwrap();
        std::fs::write(root.join("contexts/patterns/a.md"), "disk").unwrap();
        std::fs::write(root.join("contexts/patterns/c.md"), "disk").unwrap();
        let paths = ["contexts/patterns/a.md", "contexts/odd/b.md", "roles/r/prompt.md"];
        let files = Files::new(&root).with_texts(&MemoryWorld::new(paths.map(|path| (path, path))));
        assert_eq!(files.read("contexts/patterns/a.md".into()).unwrap(), "contexts/patterns/a.md");
        assert_eq!(files.read("contexts/patterns/c.md".into()).unwrap(), "disk");
        assert!(files.is_file("roles/r/prompt.md".into()) && files.is_dir("roles/r".into()));
        assert!(!files.is_file("roles/r".into()) && !files.exists("roles/s".into()));
        assert_eq!(files.directories("roles".into()), ["r"]);
        assert_eq!(files.directories("contexts".into()), ["odd", "patterns"]);
        assert_eq!(files.markdown_stems("contexts/patterns".into()), ["a", "c"]);
    }

    #[test]
    fn files_and_edited_texts_have_the_same_limits() {
        let (_folder, root) = crate::testing::folder();
        let large = usize::try_from(MAX_FILE_BYTES).unwrap() + 1;
        let texts = [
            ("x\n".repeat(MAX_MARKS), None),
            ("x\n".repeat(MAX_MARKS + 1), Some(Unreadable::TooDense(MAX_MARKS + 1))),
            ("x".repeat(large), Some(Unreadable::TooLarge(large as u64))),
        ];
        for (text, trouble) in texts {
            let edited = Files::new(&root).with_texts(&MemoryWorld::new([("a.md", text.clone())]));
            assert_eq!(edited.read("a.md".into()).err(), trouble);
            std::fs::write(root.join("a.md"), &text).unwrap();
            assert_eq!(Files::new(&root).read("a.md".into()).err(), trouble);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_listed_as_what_they_lead_to() {
        use std::os::unix::fs::symlink;
        let (_folder, root) = crate::testing::folder();
        for name in ["a", "b"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        let links =
            [("../b", "a/b"), ("../a", "b/a"), ("..", "a/up"), ("/", "a/root"), ("no", "a/z")];
        for (target, link) in links {
            symlink(target, root.join(link)).unwrap();
        }
        let files = Files::new(&root);
        let listed = |folder: &str| files.list(folder.into()).unwrap();
        let troubles: Vec<_> = listed("a").into_iter().map(|it| (it.name, it.trouble)).collect();
        let expected = [
            ("b", None),
            ("root", Some(Unreadable::Outside)),
            ("up", Some(Unreadable::Loop)),
            ("z", Some(Unreadable::Io("no such file or directory".to_owned()))),
        ];
        assert_eq!(troubles, expected.map(|(name, trouble)| (name.to_owned(), trouble)));
        assert_eq!(listed("a/b")[0].trouble, Some(Unreadable::Loop), "through two links");
    }
}
