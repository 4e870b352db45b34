//! The log of calls on disk: one file that is appended to, and older ones beside it.
//!
//! `.faber/state/audit.jsonl` is written a line at a time, each in one piece and under a lock among
//! processes, so that lines of several of them do not mix. A program that is ended while it writes
//! loses its last line and no other: the next writer begins a line of its own. Nothing is forced to
//! the disk, so what the system has taken survives the end of the program, and not that of the machine.

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

/// The folder of the log, from the root of the workspace.
const FOLDER: &str = ".faber/state";
/// The file that is written to.
const FILE: &str = "audit.jsonl";
/// What says how far the log was shipped.
const SHIPPED: &str = "shipped.json";
/// What writers lock.
const LOCK: &str = "audit.lock";
/// What keeps the folder out of version control. It is no cache, so backups should have it.
const MARKS: [(&str, &str); 1] = [(".gitignore", "*\n")];
/// The characters of a line's id: enough that no two of billions of lines have the same.
const ID: usize = 32;
/// How long a writer waits for others, all of whom together take less than a millisecond unless one of
/// them hangs.
const PATIENCE: Duration = Duration::from_secs(2);

/// How far a log was shipped. Each of its files is known by its first line, whose id no other line has, since files
/// are renamed when the log is rotated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPosition {
    /// What names the place that it was shipped to.
    pub of: String,
    /// By a hash of the first line, the end of the last line.
    files: BTreeMap<String, u64>,
}

impl LogPosition {
    /// The position that was saved for the log of the workspace at `root`; the beginning, if none was.
    pub fn load(root: &Utf8Path) -> Self {
        let read = || {
            let text = std::fs::read(folder(root).ok()?.join(SHIPPED)).ok()?;
            serde_json::from_slice(&text).ok()
        };
        read().unwrap_or_default()
    }

    /// Saves it next to the log.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn save(&self, root: &Utf8Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Writer::new(root).replace(&Utf8Path::new(FOLDER).join(SHIPPED), &text)
    }
}

/// The log of one workspace. It holds nothing open, so it may be moved away, removed and shared among
/// threads and processes at any time.
#[derive(Clone, Debug)]
pub struct Log {
    root: Utf8PathBuf,
    limits: AuditLimits,
}

impl Log {
    /// The log of the workspace at `root`, whose folder is made when there is none.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made or written to, and `InvalidInput` when a link among its folders,
    /// or anything else than a file in the place of one of its files, would lead the log elsewhere.
    pub fn open(root: &Utf8Path, limits: AuditLimits) -> std::io::Result<Self> {
        let log = Self { root: root.to_owned(), limits };
        let folder = log.folder()?;
        std::fs::create_dir_all(&folder)?;
        cache::mark(&folder, &MARKS)?;
        // A caller that requires a log must fail before the first call.
        append_to(&folder.join(FILE))?;
        Ok(log)
    }

    /// Adds an entry as one line, with an id. When the file would become too large, it becomes the first of the
    /// older ones, and a new one is begun.
    ///
    /// # Errors
    ///
    /// When it cannot be written, such as on a full disk. Then no part of the line is left, and the log
    /// can be written to when there is room again.
    pub fn append(&self, entry: &AuditEntry) -> std::io::Result<()> {
        let line = self.identified(entry).line();
        let folder = self.folder()?;
        if !folder.is_dir() {
            // Of a workspace that is gone nothing is to come back.
            if !folder.parent().is_some_and(Utf8Path::is_dir) {
                return Err(ErrorKind::NotFound.into());
            }
            std::fs::create_dir_all(&folder)?;
            cache::mark(&folder, &MARKS)?;
        }
        let path = folder.join(FILE);
        let Some(_lock) = lock::soon(&folder.join(LOCK), PATIENCE)? else {
            // The process that has the lock hangs, perhaps in the middle of a line. A line break of our own keeps
            // that from spoiling this one; a reader passes over an empty line.
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
            // A part of the line may be there. If that cannot be taken back, the next one fixes it.
            let _ = file.set_len(size);
        })
    }

    /// The entry with an id that no other line has: a hash of session, tool and time, of the folder, of this process
    /// and of how many lines the process has written.
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

    /// Makes the file the first of the older ones; those that are too many are removed.
    fn rotate(&self, folder: &Utf8Path) -> std::io::Result<()> {
        let keep = self.limits.keep;
        for number in older(folder)?.into_iter().filter(|&number| number > keep) {
            // What cannot be removed only takes room.
            let _ = std::fs::remove_file(folder.join(name(number)));
        }
        if keep == 0 {
            return std::fs::remove_file(folder.join(FILE));
        }
        // Up to the first gap everything moves by one, the highest first, so that at no moment one of
        // them would be lost if this ended. Without a gap the oldest is written over.
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

/// The file of the workspace at `root` that is written to.
pub fn path(root: &Utf8Path) -> Utf8PathBuf {
    root.join(FOLDER).join(FILE)
}

/// Reads all entries of the log of the workspace at `root`, oldest first, and says what it consists of.
/// A line that is none is counted and passed over, whatever it is. Where there is no log, there are no
/// entries.
///
/// # Errors
///
/// When a file is there and cannot be read.
pub fn read(root: &Utf8Path, mut each: impl FnMut(AuditEntry)) -> std::io::Result<LogData> {
    read_lines(root, |_, entry| each(entry))
}

/// The same with each line as it is, without its end.
///
/// # Errors
///
/// As [`read`].
pub(crate) fn read_lines(
    root: &Utf8Path,
    each: impl FnMut(&[u8], AuditEntry),
) -> std::io::Result<LogData> {
    read_from(root, &LogPosition::default(), each).map(|(log, _)| log)
}

/// Reads the lines after a position. Returns the position after them.
///
/// # Errors
///
/// As [`read`].
pub fn read_from(
    root: &Utf8Path,
    from: &LogPosition,
    mut each: impl FnMut(&[u8], AuditEntry),
) -> std::io::Result<(LogData, LogPosition)> {
    let mut log = LogData::default();
    let mut position = LogPosition { of: from.of.clone(), files: BTreeMap::new() };
    for (name, mut file) in open_all(root)? {
        let shown = format!("{FOLDER}/{name}");
        // What is written from now on is left for the next time, or this might never end.
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
            // Of two files that begin alike, all is read again.
            position.files.entry(key).and_modify(|at| *at = 0).or_insert(at);
        }
    }
    Ok((log, position))
}

/// The files of the log with their names, oldest first. They are opened while no process writes, so that
/// none moves meanwhile.
fn open_all(root: &Utf8Path) -> std::io::Result<Vec<(String, File)>> {
    let folder = folder(root)?;
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    // Where no lock can be made, no process can write either.
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

/// Says of a link, a folder or a pipe that it is none of the log's files.
fn elsewhere() -> std::io::Error {
    std::io::Error::new(ErrorKind::InvalidInput, "a link, or no file, is in its place")
}

/// The folder of the log, unless a link among the folders on the way decides where that is.
fn folder(root: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let below = Utf8Path::new(FOLDER);
    cache::plain(root, below).ok_or_else(elsewhere)
}

/// What a file is called: 0 is the one that is written to.
fn name(number: u32) -> String {
    if number == 0 { FILE.to_owned() } else { format!("audit.{number}.jsonl") }
}

/// The numbers of the older files that are there.
fn older(folder: &Utf8Path) -> std::io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in folder.read_dir_utf8()? {
        // A name that is not UTF-8 is none of the log's.
        let Ok(entry) = entry else { continue };
        let number = entry.file_name().strip_prefix("audit.");
        let number = number.and_then(|rest| rest.strip_suffix(".jsonl")?.parse().ok());
        let known = number.filter(|&number| number > 0 && name(number) == entry.file_name());
        numbers.extend(known);
    }
    Ok(numbers)
}

/// The file, to be read and appended to. It is the user's alone, as it says what people ask.
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

/// What a line took of a file.
struct TakenLine {
    bytes: u64,
    /// Whether its end was there.
    is_whole: bool,
}

/// Puts the next line into `line`, without its end. Of a line that is too long nothing but its beginning is kept,
/// which is none that could be read.
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

/// A hash of the first line of a file, if all of it is there.
fn first_line(file: &mut File) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    let taken = next_line(&mut BufReader::new(file), &mut line)?;
    Ok(taken.filter(|taken| taken.is_whole).map(|_| blake3::hash(&line).to_hex().to_string()))
}

#[cfg(test)]
mod tests;
