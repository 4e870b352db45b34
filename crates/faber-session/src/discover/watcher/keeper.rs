//! Keeping watch: which folders the system is asked to tell about, when folders come and go.
//!
//! Folders are watched one by one where the system does it so. The recursive watching that the
//! library offers there loses what is written into folders that are new, and cannot leave out what
//! is of no interest. A new folder is watched first and listed then, so nothing in it is missed: it
//! is listed, or told of.

use std::collections::{BTreeMap, VecDeque};
use std::fs::Metadata;
use std::io::ErrorKind as IoKind;
use std::ops::Bound::{Included, Unbounded};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RemoveKind};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, WatcherKind};

use super::Shared;

/// How often it is looked whether the root and other folders are still the ones that are watched.
const SWEEP: Duration = Duration::from_secs(2);
/// The most folders that are watched. Each takes about 1 KB of the system's memory, and systems
/// allow 8 192 and more.
const MOST_FOLDERS: usize = 16_384;
/// What a folder holds that says of itself that it can be recreated.
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// What the keeper is to do.
#[derive(Debug)]
pub(super) enum KeeperCommand {
    /// Something came to this path, or went away from it.
    Moved(Utf8PathBuf),
    /// Something was not told.
    Lost,
    /// Other folders are of interest now.
    Also,
    /// End.
    Stop,
}

/// Who decides what is watched.
pub(super) struct Keeper {
    shared: Arc<Shared>,
    orders: Sender<KeeperCommand>,
}

impl Keeper {
    pub(super) fn new(shared: Arc<Shared>, orders: Sender<KeeperCommand>) -> Self {
        Self { shared, orders }
    }

    /// Watches until it is stopped.
    pub(super) fn run(self, inbox: &Receiver<KeeperCommand>) {
        let Self { shared, orders } = self;
        let told = Arc::clone(&shared);
        let handler = move |event: notify::Result<Event>| match event {
            Ok(event) => tell(&told, &orders, &event),
            Err(error) => {
                trouble(&told, &error);
                told.hint();
            }
        };
        let watcher = match notify::recommended_watcher(handler) {
            Ok(watcher) => watcher,
            Err(error) => return shared.poll(error.to_string()),
        };
        let mut all = Watched { shared, watcher, folders: BTreeMap::new() };
        all.everything();
        all.shared.hint();
        loop {
            let new = match inbox.recv_timeout(SWEEP) {
                Ok(KeeperCommand::Moved(path)) => all.moved(&path),
                Ok(KeeperCommand::Lost) => {
                    all.folders.clear();
                    all.everything()
                }
                Ok(KeeperCommand::Also) => all.named(),
                Err(RecvTimeoutError::Timeout) => all.sweep(),
                Ok(KeeperCommand::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            };
            // What happened there before it was watched was not told.
            if new {
                all.shared.hint();
            }
        }
    }
}

/// Takes what the system tells.
fn tell(shared: &Shared, orders: &Sender<KeeperCommand>, event: &Event) {
    // A keeper that is gone needs no orders.
    let order = |order| drop(orders.send(order));
    if event.need_rescan() {
        shared.hint();
        return order(KeeperCommand::Lost);
    }
    if is_reading(event.kind) {
        return;
    }
    let scope = shared.scope();
    let paths: Vec<_> = event.paths.iter().map(|path| Utf8Path::from_path(path)).collect();
    // What has a name that faber cannot read may be a finding all the same.
    let mut hint = paths.contains(&None);
    for path in paths.iter().flatten().filter(|path| scope.concerns(path)) {
        hint = true;
        shared.hint_at(path);
    }
    if may_move_folders(event.kind) {
        let moved = |path: &&Utf8Path| scope.is_tree(path) || scope.leads_on(path);
        for path in paths.into_iter().flatten().filter(moved) {
            order(KeeperCommand::Moved(path.to_owned()));
        }
    }
    drop(scope);
    if hint {
        shared.hint();
    }
}

/// Whether an event reports only a read, which faber itself causes too.
fn is_reading(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        EventKind::Access(_) => true,
        _ => false,
    }
}

/// Whether an event may be about a folder that came or went; it often does not say.
fn may_move_folders(kind: EventKind) -> bool {
    let of_file =
        matches!(kind, EventKind::Create(CreateKind::File) | EventKind::Remove(RemoveKind::File));
    let of_content = matches!(
        kind,
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
    );
    !of_file && !of_content
}

/// Takes a failure to watch; true when what was to be watched is just not there.
fn trouble(shared: &Shared, error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => return true,
        // Nor can faber read what lies there.
        ErrorKind::Io(error)
            if [IoKind::NotFound, IoKind::NotADirectory, IoKind::PermissionDenied]
                .contains(&error.kind()) =>
        {
            return true;
        }
        ErrorKind::MaxFilesWatch => {
            shared.poll("the system's limit of watched folders is reached".to_owned());
        }
        ErrorKind::Io(error) => shared.poll(faber_core::error::reason(error)),
        kind => shared.poll(format!("{kind:?}")),
    }
    false
}

/// Tells a folder from another that has taken its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity {
    number: Option<(u64, u64)>,
    created: Option<SystemTime>,
}

impl FileIdentity {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let number = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let number = None;
        // Numbers are used again, on some systems at once.
        Self { number, created: metadata.created().ok() }
    }
}

/// The folders that are watched.
struct Watched {
    shared: Arc<Shared>,
    watcher: RecommendedWatcher,
    folders: BTreeMap<Utf8PathBuf, FileIdentity>,
}

impl Watched {
    /// Watches what there is to watch. All of these say whether anything is watched that was not.
    fn everything(&mut self) -> bool {
        // Those that were named come first, should there be a limit.
        let named = self.named();
        let root = self.shared.scope().root().to_owned();
        self.tree(&root) | named
    }

    /// Watches the folder of the root, in which it may come and go, and the folders that were named.
    fn named(&mut self) -> bool {
        let folders: Vec<Utf8PathBuf> = {
            let scope = self.shared.scope();
            let folder = scope.root().parent().map(Utf8Path::to_owned);
            // Where the root is watched as a whole, so is everything in it.
            let apart = |also: &&Utf8PathBuf| !is_recursive() || !also.starts_with(scope.root());
            folder.into_iter().chain(scope.also().filter(apart).cloned()).collect()
        };
        let mut new = false;
        for folder in folders {
            new |= self.nearest(&folder);
        }
        new
    }

    /// Looks whether what is watched is still what is there.
    fn sweep(&mut self) -> bool {
        let named = self.named();
        let root = self.shared.scope().root().to_owned();
        let same = identity(&root).is_none_or(|there| self.folders.get(&root) == Some(&there));
        if same { named } else { self.moved(&root) }
    }

    /// Something came to `path`, or went away from it: a folder, perhaps.
    fn moved(&mut self, path: &Utf8Path) -> bool {
        let from = self.folders.range::<Utf8Path, _>((Included(path), Unbounded));
        let below = from.map(|(folder, _)| folder).take_while(|folder| folder.starts_with(path));
        let gone: Vec<_> = below.cloned().collect();
        let mut new = !gone.is_empty();
        for folder in gone {
            self.folders.remove(&folder);
        }
        let (root, leads_on, is_tree) = {
            let scope = self.shared.scope();
            (scope.root().to_owned(), scope.leads_on(path), scope.is_tree(path))
        };
        if leads_on {
            new |= self.named();
        }
        if is_tree {
            new |= self.tree(path);
        } else if root.starts_with(path) {
            new |= self.tree(&root);
        }
        new
    }

    /// Watches `top` and all folders below it that belong to the root.
    fn tree(&mut self, top: &Utf8Path) -> bool {
        if is_recursive() {
            let root = self.shared.scope().root().to_owned();
            return self.watch(&root, RecursiveMode::Recursive) == Some(true);
        }
        let mut new = false;
        let mut waiting = VecDeque::from([top.to_owned()]);
        while let Some(folder) = waiting.pop_front() {
            if folder.join(CACHE_MARK).is_file() {
                continue;
            }
            if self.folders.len() >= MOST_FOLDERS {
                self.shared.poll(format!("there are more than {MOST_FOLDERS} folders"));
                return new;
            }
            match self.watch(&folder, RecursiveMode::NonRecursive) {
                Some(fresh) => new |= fresh,
                None => continue,
            }
            let Ok(entries) = folder.read_dir_utf8() else { continue };
            let folders = entries
                .filter_map(Result::ok)
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            let scope = self.shared.scope();
            waiting
                .extend(folders.map(camino::Utf8DirEntry::into_path).filter(|p| scope.is_tree(p)));
        }
        new
    }

    /// Watches `folder`, or the nearest above it that is there.
    fn nearest(&mut self, folder: &Utf8Path) -> bool {
        let mut new = false;
        // What came into the nearest before it was watched was not told of, so it is looked again.
        while folder.ancestors().find_map(|at| self.watch(at, RecursiveMode::NonRecursive))
            == Some(true)
        {
            new = true;
        }
        new
    }

    /// Watches a folder. Whether it was not watched before; none when it is not there.
    fn watch(&mut self, folder: &Utf8Path, mode: RecursiveMode) -> Option<bool> {
        let there = identity(folder)?;
        if self.folders.get(folder) == Some(&there) {
            return Some(false);
        }
        match notify::Watcher::watch(&mut self.watcher, folder.as_std_path(), mode) {
            Ok(()) => {
                self.folders.insert(folder.to_owned(), there);
                Some(true)
            }
            Err(error) if trouble(&self.shared, &error) => None,
            Err(_) => Some(false),
        }
    }
}

/// Whether the system watches a whole tree when it is asked to.
fn is_recursive() -> bool {
    let kind = <RecommendedWatcher as notify::Watcher>::kind();
    [WatcherKind::Fsevent, WatcherKind::ReadDirectoryChangesWatcher].contains(&kind)
}

/// That of a folder, to which the last step is no link.
fn identity(folder: &Utf8Path) -> Option<FileIdentity> {
    let metadata = folder.symlink_metadata().ok().filter(Metadata::is_dir)?;
    Some(FileIdentity::of(&metadata))
}
