//! Watches folders for changes.
//!
//! File system events are only hints: they miss files in new folders, renamed folders, a root that
//! is removed and created again, and network drives. Callers compare the
//! [`Snapshot`](crate::discover::snapshot::Snapshot) after each hint, and now and then without one.

mod keeper;
mod scope;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use keeper::{Keeper, KeeperCommand};
use scope::WatchScope;

/// Default debounce interval.
const QUIET: Duration = Duration::from_millis(30);
/// Maximum wait for quiet.
const PATIENCE: Duration = Duration::from_secs(1);
/// Divisor of the debounce interval for [`Watcher::wait_briefly`]; editors save in 1 to 3 ms.
const BRIEFLY: u32 = 10;
/// One save causes at most about 12 hints.
const MANY: u64 = 24;
const MOST_PATHS: usize = 32;
/// Interval of hints without events.
const POLL: Duration = Duration::from_millis(500);

/// Reports possible changes below some folders, from background threads that end when it is
/// dropped.
#[derive(Debug)]
pub struct Watcher {
    shared: Arc<Shared>,
    orders: Sender<KeeperCommand>,
    quiet: Duration,
    /// Number of hints that callers have received.
    told: AtomicU64,
}

#[derive(Debug)]
struct Shared {
    scope: Mutex<WatchScope>,
    hints: AtomicU64,
    /// The reason for polling, if any.
    polling: OnceLock<String>,
    /// Number of calls of [`Watcher::hints`] while polling.
    polls: AtomicU64,
    /// First paths since the last [`Watcher::take_paths`].
    paths: Mutex<Vec<Utf8PathBuf>>,
    /// Time of the last hint.
    last: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Watcher {
    /// Watches `root` recursively and the folders `also` without their subfolders; all paths are
    /// absolute and without links. Excluded are paths below `ignore`, faber's cache and state,
    /// `.git` except `HEAD`, and, unless in `also`, hidden folders and those of tools.
    ///
    /// Returns at once and never fails: one hint is sent when watching has begun, and hints come at
    /// intervals where it is impossible.
    pub fn start(root: &Utf8Path, also: &[Utf8PathBuf], ignore: &[Utf8PathBuf]) -> Self {
        let (orders, inbox) = mpsc::channel();
        let shared = Arc::new(Shared::new(WatchScope::new(root, also, ignore)));
        let keeper = Keeper::new(Arc::clone(&shared), orders.clone());
        let started = std::thread::Builder::new()
            .name("watcher".to_owned())
            .spawn(move || keeper.run(&inbox))
            .map(drop);
        if let Err(error) = started {
            shared.poll(format!("no thread can be started: {error}"));
        }
        Self { shared, orders, quiet: QUIET, told: AtomicU64::new(0) }
    }

    /// Watches nothing and always reports possible changes.
    pub fn polling(why: &str) -> Self {
        let shared = Arc::new(Shared::new(WatchScope::new(Utf8Path::new("/"), &[], &[])));
        shared.poll(why.to_owned());
        let (orders, _) = mpsc::channel();
        Self { shared, orders, quiet: QUIET, told: AtomicU64::new(0) }
    }

    /// Sets the debounce interval, 30 ms by default.
    #[must_use]
    pub fn debounced_by(mut self, quiet: Duration) -> Self {
        self.quiet = quiet;
        self
    }

    /// Replaces the folders `also`. A hint follows once new ones are watched.
    pub fn watch_also(&self, also: &[Utf8PathBuf]) {
        if self.shared.scope().replace_also(also) {
            // The thread is missing only when polling.
            let _ = self.orders.send(KeeperCommand::Also);
        }
    }

    /// Why hints come at intervals, if they do. This can change later, for example when a system
    /// limit is reached.
    pub fn is_polling(&self) -> Option<&str> {
        self.shared.polling.get().map(String::as_str)
    }

    /// Waits for quiet after a hint, or for `timeout`. Returns whether something may have changed
    /// since the last call that returned true.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.wait_for(timeout, self.quiet)
    }

    /// Like [`Self::wait`], but returns as soon as a save is probably complete. Callers must call
    /// [`Self::calm`] before they output results.
    pub fn wait_briefly(&self, timeout: Duration) -> bool {
        let before = self.told.load(Ordering::Acquire);
        let changed = self.wait_for(timeout, self.quiet / BRIEFLY);
        // More than one save: expect more hints.
        if changed && self.told.load(Ordering::Acquire) - before > MANY {
            self.calm();
        }
        changed
    }

    /// Waits for quiet. Returns whether there were hints since the last call.
    pub fn calm(&self) -> bool {
        let told = self.told.load(Ordering::Acquire);
        let seen = self.quiet(self.shared.hints.load(Ordering::Acquire), self.quiet);
        self.told.store(seen, Ordering::Release);
        seen != told
    }

    fn wait_for(&self, timeout: Duration, quiet: Duration) -> bool {
        let told = self.told.load(Ordering::Acquire);
        let polling = self.shared.polling.get().is_some();
        let pause = if polling { timeout.min(POLL) } else { timeout };
        let seen = self.shared.sleep(told, pause);
        if seen == told {
            return polling;
        }
        self.told.store(self.quiet(seen, quiet), Ordering::Release);
        true
    }

    /// Waits until the last hint is `quiet` ago. Returns the number of hints.
    fn quiet(&self, mut seen: u64, quiet: Duration) -> u64 {
        let begin = Instant::now();
        loop {
            let since = self.shared.last().map_or(quiet, |last| last.elapsed());
            let patience = PATIENCE.saturating_sub(begin.elapsed());
            let left = quiet.saturating_sub(since).min(patience);
            if left.is_zero() {
                return seen;
            }
            seen = self.shared.sleep(seen, left);
        }
    }

    /// The changed paths since the last call, sorted; empty if there were too many.
    pub fn take_paths(&self) -> Vec<Utf8PathBuf> {
        let mut paths = std::mem::take(&mut *self.shared.paths());
        if paths.len() == MOST_PATHS {
            return Vec::new();
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// The number of hints so far, without debouncing. Equal numbers mean no hint in between; while
    /// polling, each call returns another number.
    pub fn hints(&self) -> u64 {
        if self.shared.polling.get().is_some() {
            self.shared.polls.fetch_add(1, Ordering::AcqRel);
        }
        self.shared.hints.load(Ordering::Acquire) + self.shared.polls.load(Ordering::Acquire)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.orders.send(KeeperCommand::Stop);
    }
}

impl Shared {
    fn new(scope: WatchScope) -> Self {
        Self {
            scope: Mutex::new(scope),
            hints: AtomicU64::new(0),
            polling: OnceLock::new(),
            polls: AtomicU64::new(0),
            paths: Mutex::default(),
            last: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn scope(&self) -> MutexGuard<'_, WatchScope> {
        self.scope.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn paths(&self) -> MutexGuard<'_, Vec<Utf8PathBuf>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hint_at(&self, path: &Utf8Path) {
        let mut paths = self.paths();
        if paths.len() < MOST_PATHS && paths.last().is_none_or(|last| last != path) {
            paths.push(path.to_owned());
        }
    }

    fn hint(&self) {
        // The lock prevents a lost wakeup.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Instant::now());
        self.hints.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_all();
    }

    fn last(&self) -> Option<Instant> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts polling; keeps the first reason.
    fn poll(&self, why: String) {
        let _ = self.polling.set(why);
        self.hint();
    }

    /// Sleeps until the number of hints is not `seen`, or for `most`. Returns the number.
    fn sleep(&self, seen: u64, most: Duration) -> u64 {
        let hints = || self.hints.load(Ordering::Acquire);
        let lock = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let slept = self.changed.wait_timeout_while(lock, most, |_| hints() == seen);
        drop(slept);
        hints()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(1);

    fn watched(ignore: &[&str]) -> (tempfile::TempDir, Utf8PathBuf, Watcher) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let root = root.join("root");
        std::fs::create_dir_all(root.join("contexts")).unwrap();
        let ignore: Vec<_> = ignore.iter().map(|path| root.join(path)).collect();
        let watcher = Watcher::start(&root, &[], &ignore);
        assert!(watcher.wait(LONG), "it says when it watches");
        calm(&watcher);
        assert_eq!(watcher.is_polling(), None);
        (folder, root, watcher)
    }

    fn calm(watcher: &Watcher) {
        while watcher.wait(Duration::from_millis(120)) {}
    }

    #[track_caller]
    fn hears(watcher: &Watcher, what: &str) {
        assert!(watcher.wait(LONG), "{what}");
        calm(watcher);
    }

    #[test]
    fn changes_of_files_and_folders_are_heard() {
        let (_folder, root, watcher) = watched(&[]);
        let file = root.join("contexts/a.md");
        std::fs::write(&file, "1").unwrap();
        hears(&watcher, "a new file");
        std::fs::write(&file, "2").unwrap();
        hears(&watcher, "another content");
        std::fs::rename(&file, root.join("contexts/b.md")).unwrap();
        hears(&watcher, "another name");
        std::fs::remove_file(root.join("contexts/b.md")).unwrap();
        hears(&watcher, "no file");
        std::fs::rename(root.join("contexts"), root.join("roles")).unwrap();
        hears(&watcher, "a folder with another name");
        std::fs::write(root.join("roles/a.md"), "1").unwrap();
        hears(&watcher, "a file in a folder with another name");
        std::fs::create_dir(root.join("contexts")).unwrap();
        hears(&watcher, "a folder with the old name of another");
        std::fs::write(root.join("contexts/a.md"), "1").unwrap();
        hears(&watcher, "a file in it");
        std::fs::read(root.join("contexts/a.md")).unwrap();
        assert!(!watcher.wait(Duration::from_millis(100)), "to read changes nothing");
    }

    #[test]
    fn files_in_new_folders_are_noticed() {
        let (_folder, root, watcher) = watched(&[]);
        for round in 0..8 {
            let folder = root.join(format!("contexts/{round}/b/c"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("a.md"), "1").unwrap();
            hears(&watcher, "a file in folders that are new");
            std::fs::write(folder.join("a.md"), "2").unwrap();
            hears(&watcher, "another content in them");
        }
    }

    #[test]
    fn a_root_that_is_made_again_is_watched_again() {
        let (_folder, root, watcher) = watched(&[]);
        for _ in 0..3 {
            std::fs::remove_dir_all(&root).unwrap();
            hears(&watcher, "no root");
            std::fs::create_dir_all(root.join("contexts")).unwrap();
            hears(&watcher, "a new root");
            std::fs::write(root.join("contexts/a.md"), "1").unwrap();
            hears(&watcher, "a file in it");
            std::fs::remove_dir_all(root.parent().unwrap()).unwrap();
            hears(&watcher, "no folder of the root");
            std::fs::create_dir_all(root.join("contexts")).unwrap();
            hears(&watcher, "a new one");
            std::fs::write(root.join("contexts/a.md"), "1").unwrap();
            hears(&watcher, "a file in that");
        }
    }

    #[test]
    fn a_burst_is_one_change_and_counted_at_once() {
        let (_folder, root, watcher) = watched(&[]);
        let before = watcher.hints();
        for at in 0..200 {
            std::fs::write(root.join(format!("contexts/{at}.md")), "1").unwrap();
        }
        let begin = Instant::now();
        while watcher.hints() == before {
            assert!(begin.elapsed() < LONG, "nothing was counted");
        }
        assert!(watcher.wait(LONG));
        assert!(watcher.hints() >= before + 200, "each was told");
        assert!(!watcher.wait(Duration::from_millis(100)), "all was one");
    }

    #[test]
    fn fabers_own_files_are_not_noticed() {
        let (_folder, root, watcher) = watched(&["out.md"]);
        std::fs::create_dir_all(root.join(".faber/cache/runs")).unwrap();
        hears(&watcher, "the folder of faber is new");
        std::fs::write(root.join(".faber/cache/runs/0"), "1").unwrap();
        crate::discover::atomic::Writer::new(&root).replace("out.md".into(), "1").unwrap();
        assert!(!watcher.wait(Duration::from_millis(100)));
    }

    #[test]
    fn other_folders_are_watched_whether_they_are_there_or_not() {
        let (_folder, root, watcher) = watched(&[]);
        let home = root.with_file_name("home");
        std::fs::create_dir(&home).unwrap();
        calm(&watcher);
        watcher.watch_also(&[home.join("config/faber")]);
        hears(&watcher, "something else is watched");
        std::fs::write(home.join("notes.md"), "1").unwrap();
        assert!(!watcher.wait(Duration::from_millis(100)), "nothing that was named");
        std::fs::create_dir_all(home.join("config/faber")).unwrap();
        hears(&watcher, "the folder that was named");
        // The parent folder was created first and may have caused a hint of its own.
        calm(&watcher);
        std::fs::write(home.join("config/faber/config.yml"), "a: 1\n").unwrap();
        hears(&watcher, "a file in it");
    }

    #[test]
    fn without_events_anything_may_have_changed() {
        let watcher = Watcher::polling("no events");
        assert_eq!(watcher.is_polling(), Some("no events"));
        assert!(watcher.wait(Duration::from_millis(1)) && watcher.wait(Duration::from_millis(1)));
        assert_ne!(watcher.hints(), watcher.hints());
    }
}
