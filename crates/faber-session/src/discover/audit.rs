//! The audit log on disk: `.faber/state/audit.jsonl`, which is appended to, and rotated older
//! files.
//!
//! Each line is written in one piece under an inter-process lock. A process killed while writing
//! loses only its last line: the next writer starts a new one. Nothing is synced, so lines survive
//! a crash of the process but not of the machine.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::audit::entry::{AuditEntry, MOST_LINE, ParsedEntry};
use crate::audit::figures::LogData;
use crate::discover::atomic::Writer;
use crate::discover::{cache, lock};
use faber_core::config::audit::AuditLimits;
use faber_core::error::Error;

/// Relative to the workspace root.
const FOLDER: &str = ".faber/state";
const FILE: &str = "audit.jsonl";
/// Stores the [`LogPosition`].
const SHIPPED: &str = "shipped.json";
const LOCK: &str = "audit.lock";
/// Keeps the folder out of version control but, unlike a cache, in backups.
const MARKS: [(&str, &str); 1] = [(".gitignore", "*\n")];
/// Length of a line ID in hex digits; 128 bits make collisions negligible.
const ID: usize = 32;
/// How long a writer waits for the lock, which is normally held for less than a millisecond.
const PATIENCE: Duration = Duration::from_secs(2);

/// How much of a log has been shipped. Files are identified by their first line, because rotation
/// renames them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPosition {
    /// The destination.
    pub of: String,
    /// Byte offset of the end of the last shipped line, by the hash of the first line.
    files: BTreeMap<String, u64>,
}

impl LogPosition {
    /// The saved position, or the start of the log.
    pub fn load(root: &Utf8Path) -> Self {
        let read = || {
            let text = std::fs::read(folder(root).ok()?.join(SHIPPED)).ok()?;
            serde_json::from_slice(&text).ok()
        };
        read().unwrap_or_default()
    }

    /// Saves the position next to the log.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn save(&self, root: &Utf8Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Writer::new(root).replace(&Utf8Path::new(FOLDER).join(SHIPPED), &text)
    }
}

/// The log of one workspace. No file is kept open, so the files may be moved or removed at any
/// time.
#[derive(Clone, Debug)]
pub struct Log {
    root: Utf8PathBuf,
    limits: AuditLimits,
}

impl Log {
    /// Opens the log and creates its folder.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written, or `InvalidInput` if one of the paths is a link or not a
    /// regular file.
    pub fn open(root: &Utf8Path, limits: AuditLimits) -> std::io::Result<Self> {
        let log = Self { root: root.to_owned(), limits };
        let folder = log.folder()?;
        std::fs::create_dir_all(&folder)?;
        cache::mark(&folder, &MARKS)?;
        // Fail now if the log is not writable: some callers require a log.
        append_to(&folder.join(FILE))?;
        Ok(log)
    }

    /// Appends an entry with a new ID as one line, and rotates a file that would become too large.
    ///
    /// # Errors
    ///
    /// If writing fails, for example on a full disk. No partial line remains.
    pub fn append(&self, entry: &AuditEntry) -> std::io::Result<()> {
        let line = self.identified(entry).line();
        let folder = self.folder()?;
        if !folder.is_dir() {
            // Do not recreate a workspace that has been removed.
            if !folder.parent().is_some_and(Utf8Path::is_dir) {
                return Err(ErrorKind::NotFound.into());
            }
            std::fs::create_dir_all(&folder)?;
            cache::mark(&folder, &MARKS)?;
        }
        let path = folder.join(FILE);
        let Some(_lock) = lock::soon(&folder.join(LOCK), PATIENCE)? else {
            // The lock holder hangs, perhaps in the middle of a line, so start a new line. Readers
            // skip empty lines.
            return append_to(&path)?.write_all(format!("\n{line}").as_bytes());
        };
        let mut file = append_to(&path)?;
        let mut size = file.metadata()?.len();
        if size > 0 && size.saturating_add(line.len() as u64) > self.limits.max_bytes {
            drop(file);
            self.rotate(&folder)?;
            file = append_to(&path)?;
            size = 0;
        }
        let torn = size > 0 && last_byte(&mut file, size)? != b'\n';
        let text = if torn { format!("\n{line}") } else { line };
        file.write_all(text.as_bytes()).inspect_err(|_| {
            // Remove a partial line. If that fails, the next `append` starts a new line.
            let _ = file.set_len(size);
        })
    }

    /// Sets the ID: a hash of root, session, tool, time, process and a counter.
    fn identified(&self, entry: &AuditEntry) -> AuditEntry {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let AuditEntry { session, tool, time, .. } = entry;
        let nanosecond = time.as_nanosecond();
        let text = format!("{}\n{session}\n{tool}\n{process} {number} {nanosecond}", self.root);
        let hash = blake3::hash(text.as_bytes());
        AuditEntry { id: hash.to_hex()[..ID].to_owned(), ..entry.clone() }
    }

    /// Renames the current file to number 1 and removes files beyond the limit.
    fn rotate(&self, folder: &Utf8Path) -> std::io::Result<()> {
        let keep = self.limits.keep;
        for number in older(folder)?.into_iter().filter(|&number| number > keep) {
            // A file that cannot be removed only uses space.
            let _ = std::fs::remove_file(folder.join(name(number)));
        }
        if keep == 0 {
            return std::fs::remove_file(folder.join(FILE));
        }
        // Rename from the first gap downward, so that an interruption loses no file. Without a gap
        // the oldest is overwritten.
        let is_free = |number: &u32| folder.join(name(*number)).symlink_metadata().is_err();
        let free = (1..=keep).find(is_free).unwrap_or(keep);
        for number in (0..free).rev() {
            std::fs::rename(folder.join(name(number)), folder.join(name(number + 1)))?;
        }
        Ok(())
    }

    fn folder(&self) -> std::io::Result<Utf8PathBuf> {
        folder(&self.root)
    }
}

/// The current log file of a workspace.
pub fn path(root: &Utf8Path) -> Utf8PathBuf {
    root.join(FOLDER).join(FILE)
}

/// Reads all entries, oldest first. Invalid lines are counted and skipped; a missing log is empty.
///
/// # Errors
///
/// If a file cannot be read.
pub fn read(root: &Utf8Path, mut each: impl FnMut(AuditEntry)) -> std::io::Result<LogData> {
    read_lines(root, |_, entry| each(entry))
}

/// Like [`read`], with the raw line without its line break.
///
/// # Errors
///
/// See [`read`].
pub(crate) fn read_lines(
    root: &Utf8Path,
    each: impl FnMut(&[u8], AuditEntry),
) -> std::io::Result<LogData> {
    read_from(root, &LogPosition::default(), each).map(|(log, _)| log)
}

/// Reads the lines after `from`, and returns the new position.
///
/// # Errors
///
/// See [`read`].
pub fn read_from(
    root: &Utf8Path,
    from: &LogPosition,
    mut each: impl FnMut(&[u8], AuditEntry),
) -> std::io::Result<(LogData, LogPosition)> {
    let mut log = LogData::default();
    let mut position = LogPosition { of: from.of.clone(), files: BTreeMap::new() };
    for (name, mut file) in open_all(root)? {
        let shown = format!("{FOLDER}/{name}");
        // Ignore lines that are appended while reading; otherwise this might not end.
        let bytes = file.metadata()?.len();
        let key = first_line(&mut file)?;
        let known = key.as_ref().and_then(|key| from.files.get(key));
        let mut at = known.copied().filter(|at| *at <= bytes).unwrap_or(0);
        file.seek(SeekFrom::Start(at))?;
        let mut reader = BufReader::with_capacity(64 * 1024, file.take(bytes - at));
        let (mut line, mut number, mut end) = (Vec::new(), 0_u64, at);
        while let Some(taken) = next_line(&mut reader, &mut line)? {
            number += 1;
            end += taken.bytes;
            if taken.is_whole {
                at = end;
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let (count, first) = match AuditEntry::parse(&line) {
                ParsedEntry::Entry(entry) => {
                    each(&line, *entry);
                    continue;
                }
                ParsedEntry::Foreign => (&mut log.foreign, &mut log.first_foreign),
                ParsedEntry::Broken => (&mut log.broken, &mut log.first_broken),
            };
            *count += 1;
            first.get_or_insert_with(|| format!("{shown}:{number}"));
        }
        log.bytes += bytes;
        log.files.push(shown);
        if let Some(key) = key {
            // The key is ambiguous if two files have the same first line, so read both again.
            position.files.entry(key).and_modify(|at| *at = 0).or_insert(at);
        }
    }
    Ok((log, position))
}

/// All files of the log with their names, oldest first, opened under the lock so that none is
/// renamed meanwhile.
fn open_all(root: &Utf8Path) -> std::io::Result<Vec<(String, File)>> {
    let folder = folder(root)?;
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    // If the lock cannot be created, no process can write either.
    let _lock = lock::soon(&folder.join(LOCK), PATIENCE);
    let mut numbers = older(&folder)?;
    numbers.push(0);
    numbers.sort_unstable_by_key(|&number| std::cmp::Reverse(number));
    let mut files = Vec::new();
    for number in numbers {
        let path = folder.join(name(number));
        match path.symlink_metadata() {
            Ok(found) if found.is_file() => files.push((name(number), File::open(&path)?)),
            Ok(_) => return Err(elsewhere()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// The error for a link, folder or pipe in place of a log file.
fn elsewhere() -> std::io::Error {
    std::io::Error::new(ErrorKind::InvalidInput, "a link, or no file, is in its place")
}

/// The log folder, unless one of its parts is a link.
fn folder(root: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let below = Utf8Path::new(FOLDER);
    cache::plain(root, below).ok_or_else(elsewhere)
}

/// The file name; number 0 is the current file.
fn name(number: u32) -> String {
    if number == 0 { FILE.to_owned() } else { format!("audit.{number}.jsonl") }
}

/// Numbers of the rotated files.
fn older(folder: &Utf8Path) -> std::io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in folder.read_dir_utf8()? {
        // Names that are not UTF-8 do not belong to the log.
        let Ok(entry) = entry else { continue };
        let number = entry.file_name().strip_prefix("audit.");
        let number = number.and_then(|rest| rest.strip_suffix(".jsonl")?.parse().ok());
        let known = number.filter(|&number| number > 0 && name(number) == entry.file_name());
        numbers.extend(known);
    }
    Ok(numbers)
}

/// Opens a file for reading and appending, with access for the user only: it contains queries.
fn append_to(path: &Utf8Path) -> std::io::Result<File> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(elsewhere());
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn last_byte(file: &mut File, size: u64) -> std::io::Result<u8> {
    let mut byte = [0];
    file.seek(SeekFrom::Start(size - 1))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

struct TakenLine {
    bytes: u64,
    /// Whether the line ended with a line break.
    is_whole: bool,
}

/// Reads the next line without its line break. Bytes beyond [`MOST_LINE`] are dropped, which makes
/// the line invalid.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Option<TakenLine>> {
    line.clear();
    let mut bytes = 0;
    loop {
        let found = match reader.fill_buf() {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if found.is_empty() {
            return Ok((bytes > 0).then_some(TakenLine { bytes, is_whole: false }));
        }
        let end = memchr::memchr(b'\n', found);
        let part = &found[..end.unwrap_or(found.len())];
        let room = MOST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let taken = part.len() + usize::from(end.is_some());
        reader.consume(taken);
        bytes += taken as u64;
        if end.is_some() {
            return Ok(Some(TakenLine { bytes, is_whole: true }));
        }
    }
}

/// Hash of the first line, if that is complete.
fn first_line(file: &mut File) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    let taken = next_line(&mut BufReader::new(file), &mut line)?;
    Ok(taken.filter(|taken| taken.is_whole).map(|_| blake3::hash(&line).to_hex().to_string()))
}

#[cfg(test)]
mod tests;
