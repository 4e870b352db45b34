//! Watches each folder on Linux: `notify`'s recursive mode misses files in new folders.

use std::collections::{BTreeMap, VecDeque};
use std::fs::Metadata;
use std::io::ErrorKind as IoKind;
use std::ops::Bound::{Included, Unbounded};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, SystemTime};

use camino::{Utf8DirEntry, Utf8Path, Utf8PathBuf};
use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RemoveKind};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, WatcherKind};

use super::Shared;

const SWEEP: Duration = Duration::from_secs(2);
/// Each needs 1 KB in the kernel; Linux allows 8 192 or more.
const MAX_FOLDERS: usize = 16_384;
const CACHE_MARK: &str = "CACHEDIR.TAG";
const MISSING: [IoKind; 3] = [IoKind::NotFound, IoKind::NotADirectory, IoKind::PermissionDenied];

#[derive(Debug)]
pub(super) enum KeeperCommand {
    Moved(Utf8PathBuf),
    Lost,
    Also,
    Stop,
}

pub(super) fn run(
    shared: Arc<Shared>,
    orders: Sender<KeeperCommand>,
    inbox: &Receiver<KeeperCommand>,
) {
    let handler_state = Arc::clone(&shared);
    let handler = move |event: notify::Result<Event>| match event {
        Ok(event) => handle_event(&handler_state, &orders, &event),
        Err(error) => {
            report_error(&handler_state, &error);
            handler_state.hint();
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
        if new {
            all.shared.hint();
        }
    }
}

fn handle_event(shared: &Shared, orders: &Sender<KeeperCommand>, event: &Event) {
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

fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write))
}

fn may_move_folders(kind: EventKind) -> bool {
    !matches!(
        kind,
        EventKind::Create(CreateKind::File)
            | EventKind::Remove(RemoveKind::File)
            | EventKind::Access(_)
            | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_))
    )
}

fn report_error(shared: &Shared, error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => return true,
        ErrorKind::Io(error) if MISSING.contains(&error.kind()) => return true,
        ErrorKind::MaxFilesWatch => {
            shared.poll("the system's limit of watched directories is reached".to_owned());
        }
        ErrorKind::Io(error) => shared.poll(faber_core::error::reason(error)),
        kind => shared.poll(format!("{kind:?}")),
    }
    false
}

/// Tells a folder from its replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity {
    number: Option<(u64, u64)>,
    created: Option<SystemTime>,
}

struct Watched {
    shared: Arc<Shared>,
    watcher: RecommendedWatcher,
    folders: BTreeMap<Utf8PathBuf, FileIdentity>,
}

impl Watched {
    fn everything(&mut self) -> bool {
        let named = self.named();
        let root = self.shared.scope().root.clone();
        self.tree(&root) | named
    }

    fn named(&mut self) -> bool {
        let folders: Vec<Utf8PathBuf> = {
            let scope = self.shared.scope();
            let folder = scope.root.parent().map(Utf8Path::to_owned);
            let apart = |also: &&Utf8PathBuf| !is_recursive() || !also.starts_with(&scope.root);
            folder.into_iter().chain(scope.also.iter().filter(apart).cloned()).collect()
        };
        folders.iter().fold(false, |new, folder| self.nearest(folder) | new)
    }

    fn sweep(&mut self) -> bool {
        let named = self.named();
        let root = self.shared.scope().root.clone();
        let same = identity(&root).is_none_or(|there| self.folders.get(&root) == Some(&there));
        if same { named } else { self.moved(&root) }
    }

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
            (scope.root.clone(), scope.leads_on(path), scope.is_tree(path))
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

    fn tree(&mut self, top: &Utf8Path) -> bool {
        if is_recursive() {
            let root = self.shared.scope().root.clone();
            return self.watch(&root, RecursiveMode::Recursive) == Some(true);
        }
        let mut new = false;
        let mut waiting = VecDeque::from([top.to_owned()]);
        while let Some(folder) = waiting.pop_front() {
            if folder.join(CACHE_MARK).is_file() {
                continue;
            }
            if self.folders.len() >= MAX_FOLDERS {
                self.shared.poll(format!("the workspace has more than {MAX_FOLDERS} directories"));
                return new;
            }
            let Some(fresh) = self.watch(&folder, RecursiveMode::NonRecursive) else { continue };
            new |= fresh;
            let Ok(entries) = folder.read_dir_utf8() else { continue };
            let is_folder = |it: &Utf8DirEntry| it.file_type().is_ok_and(|kind| kind.is_dir());
            let folders = entries.flatten().filter(is_folder).map(Utf8DirEntry::into_path);
            let scope = self.shared.scope();
            waiting.extend(folders.filter(|folder| scope.is_tree(folder)));
        }
        new
    }

    fn nearest(&mut self, folder: &Utf8Path) -> bool {
        let mut new = false;
        // A closer folder may appear meanwhile.
        while folder.ancestors().find_map(|at| self.watch(at, RecursiveMode::NonRecursive))
            == Some(true)
        {
            new = true;
        }
        new
    }

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
            Err(error) if report_error(&self.shared, &error) => None,
            Err(_) => Some(false),
        }
    }
}

fn is_recursive() -> bool {
    let kind = <RecommendedWatcher as notify::Watcher>::kind();
    [WatcherKind::Fsevent, WatcherKind::ReadDirectoryChangesWatcher].contains(&kind)
}

fn identity(folder: &Utf8Path) -> Option<FileIdentity> {
    let metadata = folder.symlink_metadata().ok().filter(Metadata::is_dir)?;
    #[cfg(unix)]
    let number = {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    };
    #[cfg(not(unix))]
    let number = None;
    Some(FileIdentity { number, created: metadata.created().ok() })
}
