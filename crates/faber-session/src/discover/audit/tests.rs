use super::*;

struct Place {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        Self { _folder: folder, root }
    }

    fn log(&self, max_bytes: u64, keep: u32) -> std::io::Result<Log> {
        Log::open(&self.root, AuditLimits { max_bytes, keep })
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.root.join(FOLDER)).unwrap();
        std::fs::write(self.root.join(FOLDER).join(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.root.join(FOLDER).join(name)).unwrap()
    }

    fn text_without_ids(&self, name: &str) -> String {
        let text = self.text(name);
        let mut parts = text.split("\"id\":\"");
        let first = parts.next().unwrap().to_owned();
        first + &parts.map(|part| part.split_once("\",").unwrap().1).collect::<String>()
    }

    fn read(&self) -> (Vec<String>, LogData) {
        let mut sessions = Vec::new();
        let log = read(&self.root, |entry| sessions.push(entry.session)).unwrap();
        (sessions, log)
    }
}

fn entry(session: &str) -> AuditEntry {
    AuditEntry {
        time: jiff::Timestamp::UNIX_EPOCH,
        session: session.to_owned(),
        tool: "list_contexts".to_owned(),
        ..AuditEntry::default()
    }
}

#[test]
fn each_line_has_an_id_of_its_own() {
    let place = Place::new();
    let log = place.log(u64::MAX, 5).unwrap();
    for _ in 0..3 {
        log.append(&entry("a")).unwrap();
    }
    let mut ids = std::collections::BTreeSet::new();
    read(&place.root, |entry| {
        assert_eq!(entry.id.len(), 32, "{entry:?}");
        ids.insert(entry.id);
    })
    .unwrap();
    assert_eq!(ids.len(), 3);
}

#[test]
fn entries_come_back_in_their_order_and_git_does_not_see_them() {
    let place = Place::new();
    assert_eq!(place.read(), (Vec::new(), LogData::default()));
    assert!(!place.root.join(".faber").exists(), "reading makes nothing");
    let log = place.log(u64::MAX, 5).unwrap();
    for session in ["a", "b", "a"] {
        log.append(&entry(session)).unwrap();
    }
    let (sessions, found) = place.read();
    assert_eq!((sessions.join(""), found.broken), ("aba".to_owned(), 0));
    assert_eq!(found.files, [".faber/state/audit.jsonl"]);
    assert_eq!(found.bytes, place.text(FILE).len() as u64);
    assert_eq!(place.text(".gitignore"), "*\n");
    std::fs::remove_dir_all(place.root.join(FOLDER)).unwrap();
    log.append(&entry("c")).unwrap();
    assert_eq!((place.read().0, place.text(".gitignore")), (vec!["c".to_owned()], "*\n".into()));
}

#[cfg(unix)]
#[test]
fn the_log_is_for_the_eyes_of_its_user() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.log(1, 1).unwrap();
    let mode = std::fs::metadata(path(&place.root)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn invalid_entries_are_skipped_and_counted() {
    let place = Place::new();
    let whole = entry("a").line();
    let later = whole.replace("audit/1", "audit/2");
    let long = "x".repeat(2 * MAX_LINE);
    place.write("audit.1.jsonl", &format!("{whole}\n\r\n{long}\n{whole}{later}"));
    place.write(FILE, &format!("{whole}{}", &whole[..whole.len() - 3]));
    place.write("audit.01.jsonl", &whole);
    place.write("audit.x.jsonl", &whole);
    let (sessions, found) = place.read();
    assert_eq!((sessions.len(), found.broken, found.foreign), (3, 2, 1));
    assert_eq!(found.first_broken.as_deref(), Some(".faber/state/audit.1.jsonl:4"));
    assert_eq!(found.first_foreign.as_deref(), Some(".faber/state/audit.1.jsonl:6"));
    assert_eq!(found.files.len(), 2);
}

#[test]
fn an_entry_after_a_truncated_line_begins_a_new_line() {
    let place = Place::new();
    let whole = entry("a").line();
    let torn = &whole[..whole.len() / 2];
    place.write(FILE, &format!("{whole}{torn}"));
    place.log(u64::MAX, 5).unwrap().append(&entry("b")).unwrap();
    assert_eq!(place.text_without_ids(FILE), format!("{whole}{torn}\n{}", entry("b").line()));
    let (sessions, found) = place.read();
    assert_eq!((sessions.join(""), found.broken), ("ab".to_owned(), 1));
}

#[test]
fn a_full_file_becomes_the_first_of_the_older_ones() {
    let place = Place::new();
    let id = "0".repeat(32);
    let one = AuditEntry { id, ..entry("0") }.line().len() as u64;
    let log = place.log(2 * one, 2).unwrap();
    for number in 0..9 {
        log.append(&entry(&number.to_string())).unwrap();
    }
    let (sessions, found) = place.read();
    assert_eq!((sessions.join(""), found.files.len()), ("45678".to_owned(), 3));
    assert!(place.text("audit.1.jsonl").contains("\"session\":\"7\""));
    place.log(1, 1).unwrap().append(&entry("x")).unwrap();
    assert_eq!(place.read().0.join(""), "8x", "fewer are to be kept from now on");
    place.log(1, 0).unwrap().append(&entry("y")).unwrap();
    assert_eq!(place.read().0.join(""), "y");
}

#[test]
fn a_gap_among_older_files_is_filled() {
    let place = Place::new();
    for (name, session) in [("audit.3.jsonl", "a"), ("audit.1.jsonl", "b"), (FILE, "c")] {
        place.write(name, &entry(session).line());
    }
    place.log(1, 3).unwrap().append(&entry("d")).unwrap();
    assert_eq!(place.read().0.join(""), "abcd");
    assert_eq!(place.read().1.files.len(), 4);
}

#[test]
fn entries_are_logged_even_without_the_lock() {
    let place = Place::new();
    let log = place.log(1, 1).unwrap();
    let hangs = lock::now(&place.root.join(FOLDER).join(LOCK)).unwrap().unwrap();
    log.append(&entry("a")).unwrap();
    drop(hangs);
    assert_eq!(place.text_without_ids(FILE), format!("\n{}", entry("a").line()));
    let (sessions, found) = place.read();
    assert_eq!((sessions.join(""), found.broken), ("a".to_owned(), 0));
}

#[cfg(unix)]
#[test]
fn nothing_leads_the_log_elsewhere() {
    for name in [".faber", ".faber/state", ".faber/state/audit.jsonl", ".faber/state/audit.lock"] {
        let (place, other) = (Place::new(), Place::new());
        let path = place.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let target = if name.ends_with("audit.jsonl") { "file" } else { "" };
        std::os::unix::fs::symlink(other.root.join(target), &path).unwrap();
        let opened = place.log(1, 1).and_then(|log| log.append(&entry("a")));
        assert_eq!(opened.unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        assert_eq!(other.root.read_dir_utf8().unwrap().count(), 0, "{name}");
    }
}

#[test]
fn what_is_new_is_read_once_also_after_a_rotation() {
    let place = Place::new();
    let log = place.log(900, 5).unwrap();
    let mut position = LogPosition::default();
    let mut next = || {
        let mut sessions = String::new();
        let add = |_: &[u8], entry: AuditEntry| sessions.push_str(&entry.session);
        position = read_from(&place.root, &position, add).unwrap().1;
        position.save(&place.root).unwrap();
        assert_eq!(LogPosition::load(&place.root), position);
        sessions
    };
    assert_eq!(next(), "");
    let mut written = String::new();
    for (at, name) in ('a'..='z').enumerate() {
        log.append(&entry(&name.to_string())).unwrap();
        written.push(name);
        if at % 3 == 0 {
            assert_eq!(next(), std::mem::take(&mut written));
        }
    }
    assert_eq!(next(), written);
    assert!(place.root.join(FOLDER).join("audit.2.jsonl").exists());
    assert_eq!(next(), "");
    let line = entry("later").line();
    let (begin, rest) = line.split_at(20);
    let old = place.text(FILE);
    place.write(FILE, &format!("{old}{begin}"));
    assert_eq!(next(), "");
    place.write(FILE, &format!("{old}{begin}{rest}"));
    assert_eq!(next(), "later");
    place.write(FILE, &entry("other").line());
    assert_eq!(next(), "other");
    place.write(SHIPPED, "{}");
    assert_eq!(LogPosition::load(&place.root), LogPosition::default());
}
