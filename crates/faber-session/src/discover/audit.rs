//! `.faber/state/audit.jsonl` and rotated files. One write per line, under a lock.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::audit::entry::{AuditEntry, MAX_LINE, ParsedEntry};
use crate::audit::figures::LogData;
use crate::discover::atomic::Writer;
use crate::discover::{cache, create_state_folder, lock};
use faber_core::config::AuditLimits;
use faber_core::error::Error;

pub(super) const FOLDER: &str = ".faber/state";
const FILE: &str = "audit.jsonl";
const SHIPPED: &str = "shipped.json";
const LOCK: &str = "audit.lock";
const ID: usize = 32;
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Identifies files by their first line: rotation renames them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPosition {
    pub of: String,
    files: BTreeMap<String, u64>,
}

impl LogPosition {
    pub fn load(root: &Utf8Path) -> Self {
        let read = || {
            let text = std::fs::read(folder(root).ok()?.join(SHIPPED)).ok()?;
            serde_json::from_slice(&text).ok()
        };
        read().unwrap_or_default()
    }

    /// # Errors
    ///
    /// If writing fails.
    pub fn save(&self, root: &Utf8Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Writer::new(root).replace(&Utf8Path::new(FOLDER).join(SHIPPED), &text)
    }
}

#[derive(Clone, Debug)]
pub struct Log {
    root: Utf8PathBuf,
    limits: AuditLimits,
}

impl Log {
    /// # Errors
    ///
    /// If the log cannot be written; `InvalidInput` for a link or special file.
    pub fn open(root: &Utf8Path, limits: AuditLimits) -> std::io::Result<Self> {
        let folder = folder(root)?;
        create_state_folder(&folder)?;
        append_to(&folder.join(FILE))?;
        Ok(Self { root: root.to_owned(), limits })
    }

    /// Gives the entry an ID. Rotates a full file first.
    ///
    /// # Errors
    ///
    /// No partial line remains.
    pub fn append(&self, entry: &AuditEntry) -> std::io::Result<()> {
        let line = self.identified(entry).line();
        let folder = folder(&self.root)?;
        if !folder.is_dir() {
            if !folder.parent().is_some_and(Utf8Path::is_dir) {
                return Err(ErrorKind::NotFound.into());
            }
            create_state_folder(&folder)?;
        }
        let path = folder.join(FILE);
        let Some(_lock) = lock::exclusive_within(&folder.join(LOCK), LOCK_TIMEOUT)? else {
            // The holder of the lock hangs. Readers skip empty lines.
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
            let _ = file.set_len(size);
        })
    }

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

    fn rotate(&self, folder: &Utf8Path) -> std::io::Result<()> {
        let keep = self.limits.keep;
        for number in older(folder)?.into_iter().filter(|&number| number > keep) {
            let _ = std::fs::remove_file(folder.join(name(number)));
        }
        if keep == 0 {
            return std::fs::remove_file(folder.join(FILE));
        }
        // From the first gap down: an interruption loses no file.
        let is_free = |number: &u32| folder.join(name(*number)).symlink_metadata().is_err();
        let free = (1..=keep).find(is_free).unwrap_or(keep);
        for number in (0..free).rev() {
            std::fs::rename(folder.join(name(number)), folder.join(name(number + 1)))?;
        }
        Ok(())
    }
}

pub fn path(root: &Utf8Path) -> Utf8PathBuf {
    root.join(FOLDER).join(FILE)
}

/// Oldest first. Skips invalid lines.
///
/// # Errors
///
/// If a file cannot be read.
pub fn read(root: &Utf8Path, mut each: impl FnMut(AuditEntry)) -> std::io::Result<LogData> {
    read_lines(root, |_, entry| each(entry))
}

pub(crate) fn read_lines(
    root: &Utf8Path,
    each: impl FnMut(&[u8], AuditEntry),
) -> std::io::Result<LogData> {
    read_from(root, &LogPosition::default(), each).map(|(log, _)| log)
}

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
        // Other processes may append forever.
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
            position.files.entry(key).and_modify(|at| *at = 0).or_insert(at);
        }
    }
    Ok((log, position))
}

fn open_all(root: &Utf8Path) -> std::io::Result<Vec<(String, File)>> {
    let folder = folder(root)?;
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let _lock = lock::exclusive_within(&folder.join(LOCK), LOCK_TIMEOUT);
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

pub(super) fn elsewhere() -> std::io::Error {
    std::io::Error::new(ErrorKind::InvalidInput, "a link, or no file, is in its place")
}

fn folder(root: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let below = Utf8Path::new(FOLDER);
    cache::plain(root, below).ok_or_else(elsewhere)
}

fn name(number: u32) -> String {
    if number == 0 { FILE.to_owned() } else { format!("audit.{number}.jsonl") }
}

fn older(folder: &Utf8Path) -> std::io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in folder.read_dir_utf8()? {
        let Ok(entry) = entry else { continue };
        let number = entry.file_name().strip_prefix("audit.");
        let number = number.and_then(|rest| rest.strip_suffix(".jsonl")?.parse().ok());
        let known = number.filter(|&number| number > 0 && name(number) == entry.file_name());
        numbers.extend(known);
    }
    Ok(numbers)
}

pub(super) fn append_to(path: &Utf8Path) -> std::io::Result<File> {
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
    is_whole: bool,
}

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
        let room = MAX_LINE.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let taken = part.len() + usize::from(end.is_some());
        reader.consume(taken);
        bytes += taken as u64;
        if end.is_some() {
            return Ok(Some(TakenLine { bytes, is_whole: true }));
        }
    }
}

fn first_line(file: &mut File) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    let taken = next_line(&mut BufReader::new(file), &mut line)?;
    Ok(taken.filter(|taken| taken.is_whole).map(|_| blake3::hash(&line).to_hex().to_string()))
}

#[cfg(test)]
mod tests;
