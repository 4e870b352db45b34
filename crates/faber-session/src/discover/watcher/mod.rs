//! Events are only hints. Compare a [`Snapshot`](crate::discover::snapshot::Snapshot) after each.

mod keeper;
mod scope;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::locked;
use keeper::KeeperCommand;
use scope::WatchScope;

const QUIET: Duration = Duration::from_millis(30);
const MAX_WAIT: Duration = Duration::from_secs(1);
/// Divides [`QUIET`].
const BRIEFLY: u32 = 10;
const MAX_HINTS_OF_SAVE: u64 = 24;
const MAX_PATHS: usize = 32;
const POLL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct Watcher {
    shared: Arc<Shared>,
    orders: Sender<KeeperCommand>,
    quiet: Duration,
    received: AtomicU64,
}

#[derive(Debug, Default)]
struct Shared {
    scope: Mutex<WatchScope>,
    hints: AtomicU64,
    polling: OnceLock<String>,
    polls: AtomicU64,
    paths: Mutex<Vec<Utf8PathBuf>>,
    last: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Watcher {
    /// Skips `ignore`, faber's cache and state, most of `.git`, and hidden and tool folders unless
    /// in `also`. The first hint means that watching has begun.
    pub fn start(root: &Utf8Path, also: &[Utf8PathBuf], ignore: &[Utf8PathBuf]) -> Self {
        let (orders, inbox) = mpsc::channel();
        let shared = Arc::new(Shared::new(WatchScope::new(root, also, ignore)));
        let (own, own_orders) = (Arc::clone(&shared), orders.clone());
        let started = std::thread::Builder::new()
            .name("watcher".to_owned())
            .spawn(move || keeper::run(own, own_orders, &inbox))
            .map(drop);
        if let Err(error) = started {
            shared.poll(format!("no thread can be started: {error}"));
        }
        Self { shared, orders, quiet: QUIET, received: AtomicU64::new(0) }
    }

    pub fn polling(why: &str) -> Self {
        let shared = Arc::new(Shared::new(WatchScope::new(Utf8Path::new("/"), &[], &[])));
        shared.poll(why.to_owned());
        let (orders, _) = mpsc::channel();
        Self { shared, orders, quiet: QUIET, received: AtomicU64::new(0) }
    }

    #[must_use]
    pub fn debounced_by(mut self, quiet: Duration) -> Self {
        self.quiet = quiet;
        self
    }

    pub fn watch_also(&self, also: &[Utf8PathBuf]) {
        if self.shared.scope().replace_also(also) {
            let _ = self.orders.send(KeeperCommand::Also);
        }
    }

    pub fn is_polling(&self) -> Option<&str> {
        self.shared.polling.get().map(String::as_str)
    }

    pub fn wait(&self, timeout: Duration) -> bool {
        self.wait_for(timeout, self.quiet)
    }

    pub fn wait_briefly(&self, timeout: Duration) -> bool {
        let before = self.received.load(Ordering::Acquire);
        let changed = self.wait_for(timeout, self.quiet / BRIEFLY);
        if changed && self.received.load(Ordering::Acquire) - before > MAX_HINTS_OF_SAVE {
            self.wait_until_quiet();
        }
        changed
    }

    pub fn wait_until_quiet(&self) -> bool {
        let before = self.received.load(Ordering::Acquire);
        let seen = self.quiet(self.shared.hints.load(Ordering::Acquire), self.quiet);
        self.received.store(seen, Ordering::Release);
        seen != before
    }

    fn wait_for(&self, timeout: Duration, quiet: Duration) -> bool {
        let received = self.received.load(Ordering::Acquire);
        let polling = self.shared.polling.get().is_some();
        let pause = if polling { timeout.min(POLL) } else { timeout };
        let seen = self.shared.sleep(received, pause);
        if seen == received {
            return polling;
        }
        self.received.store(self.quiet(seen, quiet), Ordering::Release);
        true
    }

    fn quiet(&self, mut seen: u64, quiet: Duration) -> u64 {
        let begin = Instant::now();
        loop {
            let since = locked(&self.shared.last).map_or(quiet, |last| last.elapsed());
            let remaining = MAX_WAIT.saturating_sub(begin.elapsed());
            let left = quiet.saturating_sub(since).min(remaining);
            if left.is_zero() {
                return seen;
            }
            seen = self.shared.sleep(seen, left);
        }
    }

    pub fn take_paths(&self) -> Vec<Utf8PathBuf> {
        let mut paths = std::mem::take(&mut *locked(&self.shared.paths));
        if paths.len() == MAX_PATHS {
            return Vec::new();
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// Changes with each call while polling.
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
        Self { scope: Mutex::new(scope), ..Self::default() }
    }

    fn scope(&self) -> MutexGuard<'_, WatchScope> {
        locked(&self.scope)
    }

    fn hint_at(&self, path: &Utf8Path) {
        let mut paths = locked(&self.paths);
        if paths.len() < MAX_PATHS && paths.last().is_none_or(|last| last != path) {
            paths.push(path.to_owned());
        }
    }

    fn hint(&self) {
        // Under the lock, so that no wakeup is lost.
        let mut last = locked(&self.last);
        *last = Some(Instant::now());
        self.hints.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_all();
    }

    fn poll(&self, why: String) {
        let _ = self.polling.set(why);
        self.hint();
    }

    fn sleep(&self, seen: u64, timeout: Duration) -> u64 {
        let hints = || self.hints.load(Ordering::Acquire);
        let lock = locked(&self.last);
        let slept = self.changed.wait_timeout_while(lock, timeout, |_| hints() == seen);
        drop(slept);
        hints()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(1);

    fn watched(ignore: &[&str]) -> (tempfile::TempDir, Utf8PathBuf, Watcher) {
        let (folder, root) = crate::testing::folder();
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
    fn expect_hint(watcher: &Watcher, what: &str) {
        assert!(watcher.wait(LONG), "{what}");
        calm(watcher);
    }

    #[test]
    fn changes_of_files_and_folders_are_heard() {
        let (_folder, root, watcher) = watched(&[]);
        let file = root.join("contexts/a.md");
        std::fs::write(&file, "1").unwrap();
        expect_hint(&watcher, "a new file");
        std::fs::write(&file, "2").unwrap();
        expect_hint(&watcher, "another content");
        std::fs::rename(&file, root.join("contexts/b.md")).unwrap();
        expect_hint(&watcher, "another name");
        std::fs::remove_file(root.join("contexts/b.md")).unwrap();
        expect_hint(&watcher, "no file");
        std::fs::rename(root.join("contexts"), root.join("roles")).unwrap();
        expect_hint(&watcher, "a folder with another name");
        std::fs::write(root.join("roles/a.md"), "1").unwrap();
        expect_hint(&watcher, "a file in a folder with another name");
        std::fs::create_dir(root.join("contexts")).unwrap();
        expect_hint(&watcher, "a folder with the old name of another");
        std::fs::write(root.join("contexts/a.md"), "1").unwrap();
        expect_hint(&watcher, "a file in it");
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
            expect_hint(&watcher, "a file in folders that are new");
            std::fs::write(folder.join("a.md"), "2").unwrap();
            expect_hint(&watcher, "another content in them");
        }
    }

    #[test]
    fn a_root_that_is_made_again_is_watched_again() {
        let (_folder, root, watcher) = watched(&[]);
        for _ in 0..3 {
            std::fs::remove_dir_all(&root).unwrap();
            expect_hint(&watcher, "no root");
            std::fs::create_dir_all(root.join("contexts")).unwrap();
            expect_hint(&watcher, "a new root");
            std::fs::write(root.join("contexts/a.md"), "1").unwrap();
            expect_hint(&watcher, "a file in it");
            std::fs::remove_dir_all(root.parent().unwrap()).unwrap();
            expect_hint(&watcher, "no folder of the root");
            std::fs::create_dir_all(root.join("contexts")).unwrap();
            expect_hint(&watcher, "a new one");
            std::fs::write(root.join("contexts/a.md"), "1").unwrap();
            expect_hint(&watcher, "a file in that");
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
        expect_hint(&watcher, "the folder of faber is new");
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
        expect_hint(&watcher, "something else is watched");
        std::fs::write(home.join("notes.md"), "1").unwrap();
        assert!(!watcher.wait(Duration::from_millis(100)), "nothing that was named");
        std::fs::create_dir_all(home.join("config/faber")).unwrap();
        expect_hint(&watcher, "the folder that was named");
        calm(&watcher);
        std::fs::write(home.join("config/faber/config.yml"), "a: 1\n").unwrap();
        expect_hint(&watcher, "a file in it");
    }

    #[test]
    fn without_events_anything_may_have_changed() {
        let watcher = Watcher::polling("no events");
        assert_eq!(watcher.is_polling(), Some("no events"));
        assert!(watcher.wait(Duration::from_millis(1)) && watcher.wait(Duration::from_millis(1)));
        assert_ne!(watcher.hints(), watcher.hints());
    }
}
