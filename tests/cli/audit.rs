//! The audit log under kills, concurrent writers and a full disk.
//!
//! This test program is the writer, with [`WRITER`] set. Long variants are ignored; `FABER_CASES`
//! sets the number of kills.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use camino::Utf8Path;
use faber_core::config::AuditLimits;
use faber_session::audit::AuditEntry;
use faber_session::audit::figures::LogData;
use faber_session::discover::audit::{self, Log};

use crate::project::TestProject;

/// Action, count, name and file size.
const WRITER: &str = "FABER_TEST_WRITER";
const KEEP: u32 = 100_000;

#[test]
fn writer() {
    let Ok(job) = std::env::var(WRITER) else { return };
    let mut words = job.split(' ');
    let mut word = || words.next().unwrap();
    let (what, times, name) = (word(), word().parse().unwrap(), word());
    let max_bytes = word().parse().unwrap();
    let here = std::env::current_dir().unwrap();
    let root = Utf8Path::from_path(&here).unwrap();
    match what {
        "write" => write(root, name, times, max_bytes),
        "fill" => fill(root, max_bytes),
        _ => panic!("a writer cannot {what}"),
    }
}

fn write(root: &Utf8Path, name: &str, times: usize, max_bytes: u64) {
    let log = Log::open(root, AuditLimits { max_bytes, keep: KEEP }).unwrap();
    let mut out = std::io::stdout().lock();
    for number in 0..times {
        log.append(&entry(name, number)).unwrap();
        writeln!(out, "logged {number}").unwrap();
    }
}

/// Every sixteenth needs several writes.
fn entry(name: &str, number: usize) -> AuditEntry {
    let long = if number % 16 == 15 { "lorem ipsum ".repeat(150) } else { String::new() };
    let texts = vec![long; if number % 16 == 15 { 20 } else { 0 }];
    AuditEntry {
        time: jiff::Timestamp::UNIX_EPOCH,
        session: name.to_owned(),
        tool: "search_context".to_owned(),
        arguments: serde_json::json!({ "number": number, "texts": texts }),
        tokens: 1,
        milliseconds: 1.0,
        ..AuditEntry::default()
    }
}

fn start(folder: &Path, job: &str) -> Child {
    let program = std::env::current_exe().unwrap();
    Command::new(program)
        .args(["--exact", "audit::writer", "--nocapture", "--test-threads=1"])
        .current_dir(folder)
        .env(WRITER, job)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

fn read(folder: &Path) -> (BTreeMap<String, Vec<u64>>, LogData) {
    let mut numbers: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let root = folder.canonicalize().unwrap();
    let found = audit::read(Utf8Path::from_path(&root).unwrap(), |entry| {
        let number = entry.arguments["number"].as_u64().unwrap();
        numbers.entry(entry.session).or_default().push(number);
    });
    (numbers, found.unwrap())
}

fn is_whole(numbers: &[u64]) -> bool {
    numbers.iter().copied().eq(0..numbers.len() as u64)
}

fn kill_writers(kills: u64) {
    let project = TestProject::new();
    let folder = project.path("");
    let mut logged: BTreeMap<String, u64> = BTreeMap::new();
    for round in 0..kills {
        let name = format!("w{round}");
        let mut child = start(&folder, &format!("write 1000000 {name} 300000"));
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("logged") {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "the writer ended by itself");
        }
        std::thread::sleep(Duration::from_micros(round * 7919 % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        let whole = rest.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let last = whole.lines().next_back().unwrap_or(line.trim_end());
        logged.insert(name, last.strip_prefix("logged ").unwrap().parse().unwrap());
    }
    let (numbers, found) = read(&folder);
    assert!(found.broken <= kills, "{} lines are broken after {kills} kills", found.broken);
    for (name, last) in logged {
        let of_writer = numbers.get(&name).map(Vec::as_slice).unwrap_or_default();
        assert!(is_whole(of_writer), "{name} lost entries: {of_writer:?}");
        assert!(of_writer.len() as u64 > last, "{name}: {last} was logged, and is gone");
    }
}

#[test]
fn a_writer_that_is_killed_loses_its_last_line_at_most() {
    kill_writers(50);
}

#[test]
#[ignore = "takes a minute"]
fn writers_that_are_killed_very_often_lose_their_last_line_at_most() {
    kill_writers(std::env::var("FABER_CASES").map_or(1000, |cases| cases.parse().unwrap()));
}

#[test]
fn writers_at_once_lose_and_tear_no_line_while_files_are_moved() {
    let project = TestProject::new();
    let folder = project.path("");
    let start = |at| start(&folder, &format!("write 500 w{at} 100000"));
    let writers: Vec<Child> = (0..8).map(start).collect();
    for writer in writers {
        assert!(writer.wait_with_output().unwrap().status.success());
    }
    let (numbers, found) = read(&folder);
    assert_eq!((found.broken, found.foreign, numbers.len()), (0, 0, 8));
    assert!(found.files.len() > 50, "files were to be moved: {}", found.files.len());
    for (name, numbers) in numbers {
        assert!(numbers.len() == 500 && is_whole(&numbers), "{name}: {numbers:?}");
    }
}

fn fill(root: &Utf8Path, max_bytes: u64) {
    let ballast = root.join("ballast");
    std::fs::write(&ballast, vec![0; 64 * 1024]).unwrap();
    let log = Log::open(root, AuditLimits { max_bytes, keep: KEEP }).unwrap();
    let mut number = 0;
    while log.append(&entry("full", number)).is_ok() {
        number += 1;
        assert!(number < 100_000, "the disk is never full");
    }
    let found = read(root.as_std_path());
    assert!(number > 0 && found.0["full"].len() == number && found.1.broken == 0, "{found:?}");
    assert!(log.append(&entry("full", number)).is_err());
    std::fs::remove_file(ballast).unwrap();
    log.append(&entry("full", number)).unwrap();
    let (numbers, found) = read(root.as_std_path());
    assert!(is_whole(&numbers["full"]) && numbers["full"].len() == number + 1, "{numbers:?}");
    assert_eq!(found.broken, 0);
    std::io::stdout().write_all(b"filled\n").unwrap();
}

/// On a small file system in a user namespace.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_spoils_nothing() {
    let project = TestProject::new();
    let mount = "mount -t tmpfs -o size=256k tmpfs . && cd \"$PWD\"";
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script, "sh"]).current_dir(project.path(""));
        command
    };
    if !unshare(mount).output().is_ok_and(|output| output.status.success()) {
        println!("skipped: this system lets nobody mount a file system of their own");
        return;
    }
    let script = format!("{mount} && exec \"$1\" --exact audit::writer --nocapture");
    let program = std::env::current_exe().unwrap();
    let output = unshare(&script).arg(program).env(WRITER, "fill 0 full 1000000").output().unwrap();
    let (out, err) = (output.stdout, output.stderr);
    let (out, err) = (String::from_utf8_lossy(&out), String::from_utf8_lossy(&err));
    assert!(output.status.success() && out.contains("filled\n"), "{out}{err}");
}
