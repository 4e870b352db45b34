//! State of conversations. Losing it only repeats context, so most errors are ignored.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::audit::{append_to, elsewhere};
use crate::discover::{cache, lock};
use crate::hook::Conversation;

const MAX_AGE: Duration = Duration::from_secs(90 * 24 * 3600);
const MAX_SESSION_FILES: usize = 1000;
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
const MAX_LOG_BYTES: u64 = 512 * 1024;
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
const LOCKS: u8 = 32;
const FORGOTTEN: Duration = Duration::from_secs(3600);
const LOG: &str = "calls.jsonl";
const OLDER_LOG: &str = "calls.1.jsonl";

#[derive(Clone, Debug)]
pub struct HookStore {
    folder: Utf8PathBuf,
}

#[derive(Debug)]
pub struct Slot {
    path: Utf8PathBuf,
    _lock: Option<File>,
    pub conversation: Conversation,
}

impl HookStore {
    pub fn new(state: &Utf8Path) -> Self {
        Self { folder: state.join("hook") }
    }

    pub fn open(&self, root: &Utf8Path, conversation: &str, agent: Option<&str>) -> Slot {
        let hash = hash(root, conversation, agent);
        let lock = self.lock(hash.as_bytes()[0] % LOCKS);
        let path = self.path(&hash);
        let conversation = read(&path).map(|bytes| Conversation::parse(&bytes));
        Slot { path, _lock: lock, conversation: conversation.unwrap_or_default() }
    }

    /// Without a lock.
    pub fn peek(
        &self,
        root: &Utf8Path,
        conversation: &str,
        agent: Option<&str>,
    ) -> Option<Conversation> {
        let path = self.path(&hash(root, conversation, agent));
        read(&path).map(|bytes| Conversation::parse(&bytes))
    }

    fn path(&self, hash: &blake3::Hash) -> Utf8PathBuf {
        self.conversations().join(format!("{}.json", &hash.to_hex()[..32]))
    }

    /// # Errors
    ///
    /// If writing fails.
    pub fn save(&self, slot: &Slot) -> std::io::Result<()> {
        let folder = self.conversations();
        private_folder(&folder)?;
        let is_new = match slot.path.symlink_metadata() {
            Ok(found) if !found.is_file() => return Err(elsewhere()),
            found => found.is_err(),
        };
        cache::put(&slot.path, &[slot.conversation.text().as_bytes()])?;
        if is_new {
            prune(&folder, SystemTime::now());
        }
        Ok(())
    }

    /// # Errors
    ///
    /// If writing fails.
    pub fn log(&self, line: &str) -> std::io::Result<()> {
        private_folder(&self.folder)?;
        let path = self.folder.join(LOG);
        let is_full = |found: std::fs::Metadata| found.is_file() && found.len() > MAX_LOG_BYTES;
        if path.symlink_metadata().is_ok_and(is_full) {
            let _ = std::fs::rename(&path, self.folder.join(OLDER_LOG));
        }
        // One write, against mixed lines; break first, against truncated ones.
        append_to(&path)?.write_all(format!("\n{line}").as_bytes())
    }

    pub fn last_calls(&self, limit: usize) -> Vec<String> {
        let texts = [OLDER_LOG, LOG].map(|name| read(&self.folder.join(name)).unwrap_or_default());
        let lines: Vec<String> = texts
            .iter()
            .flat_map(|bytes| bytes.split(|byte| *byte == b'\n'))
            .filter(|line| !line.is_empty())
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect();
        lines[lines.len().saturating_sub(limit)..].to_vec()
    }

    pub fn trouble(&self) -> Option<(Utf8PathBuf, std::io::Error)> {
        [self.folder.clone(), self.conversations()].into_iter().find_map(|folder| {
            let error = folder.read_dir().err()?;
            let is_missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
            (!is_missing).then_some((folder, error))
        })
    }

    fn conversations(&self) -> Utf8PathBuf {
        self.folder.join("conversations")
    }

    fn lock(&self, shard: u8) -> Option<File> {
        let folder = self.folder.join("locks");
        private_folder(&folder).ok()?;
        lock::exclusive_within(&folder.join(format!("{shard:02}")), LOCK_TIMEOUT).ok()?
    }
}

fn hash(root: &Utf8Path, conversation: &str, agent: Option<&str>) -> blake3::Hash {
    let key = [root.as_str(), conversation, agent.unwrap_or_default()].map(str::as_bytes);
    let mut hasher = blake3::Hasher::new();
    for part in key {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}

fn prune(folder: &Utf8Path, now: SystemTime) {
    let Ok(entries) = folder.read_dir_utf8() else { return };
    let mut kept = Vec::new();
    for entry in entries.flatten() {
        let Ok(modified) = entry.metadata().and_then(|found| found.modified()) else { continue };
        let age = now.duration_since(modified).unwrap_or_default();
        let is_unfinished = entry.file_name().starts_with(cache::UNFINISHED);
        let most = if is_unfinished { FORGOTTEN } else { MAX_AGE };
        if age > most {
            let _ = std::fs::remove_file(entry.path());
        } else {
            kept.push((modified, entry.into_path()));
        }
    }
    if kept.len() > MAX_SESSION_FILES {
        kept.sort();
        for (_, path) in &kept[..kept.len() - MAX_SESSION_FILES] {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn read(path: &Utf8Path) -> Option<Vec<u8>> {
    let found = path.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > MAX_FILE_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn private_folder(path: &Utf8Path) -> std::io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::hook::DeliveredText;

    fn store() -> (tempfile::TempDir, HookStore) {
        let folder = tempfile::tempdir().unwrap();
        let state = Utf8PathBuf::from_path_buf(folder.path().join("state")).unwrap();
        (folder, HookStore::new(&state))
    }

    fn give(slot: &mut Slot, id: &str) {
        let given = DeliveredText { hash: "h".to_owned(), tokens: 1, lines: None };
        slot.conversation.give(id, given, Timestamp::UNIX_EPOCH);
    }

    #[test]
    fn each_conversation_subagent_and_workspace_has_its_own_state() {
        let (_folder, store) = store();
        let names =
            [("/w", "a", None), ("/w", "b", None), ("/w", "a", Some("x")), ("/v", "a", None)];
        for (at, (root, id, agent)) in names.into_iter().enumerate() {
            let mut slot = store.open(root.into(), id, agent);
            assert!(slot.conversation.given.is_empty());
            give(&mut slot, &at.to_string());
            store.save(&slot).unwrap();
        }
        for (at, (root, id, agent)) in names.into_iter().enumerate() {
            let slot = store.open(root.into(), id, agent);
            assert!(slot.conversation.given.keys().eq([&at.to_string()]));
        }
    }

    #[test]
    fn broken_and_foreign_state_is_ignored() {
        let (_folder, store) = store();
        let mut slot = store.open("/w".into(), "a", None);
        give(&mut slot, "x");
        store.save(&slot).unwrap();
        let path = slot.path.clone();
        drop(slot);
        std::fs::write(&path, "{\"schema\":\"faber.conv").unwrap();
        assert!(store.open("/w".into(), "a", None).conversation.given.is_empty());
        #[cfg(unix)]
        {
            std::fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
            let slot = store.open("/w".into(), "a", None);
            assert!(store.save(&slot).is_err(), "nothing is written through a link");
        }
    }

    #[test]
    fn old_conversations_are_removed_and_so_are_too_many() {
        let (_folder, store) = store();
        let folder = store.conversations();
        private_folder(&folder).unwrap();
        for at in 0..MAX_SESSION_FILES + 5 {
            std::fs::write(folder.join(format!("{at:04}.json")), "").unwrap();
        }
        std::fs::write(folder.join(format!("{}x", cache::UNFINISHED)), "").unwrap();
        let count = || folder.read_dir_utf8().unwrap().count();
        prune(&folder, SystemTime::now());
        assert_eq!(count(), MAX_SESSION_FILES);
        prune(&folder, SystemTime::now() + MAX_AGE + FORGOTTEN);
        assert_eq!(count(), 0);
    }

    #[test]
    fn the_log_keeps_the_last_lines() {
        let (_folder, store) = store();
        assert!(store.last_calls(5).is_empty());
        let long = "x".repeat(2000);
        for at in 0..400 {
            store.log(&format!("{at} {long}")).unwrap();
        }
        let last = store.last_calls(300);
        assert_eq!(last.len(), 300);
        assert!(last[299].starts_with("399 ") && last[0].starts_with("100 "));
    }
}
