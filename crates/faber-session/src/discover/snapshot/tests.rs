use super::*;
use crate::discover::files::Files;
use faber_core::world::World;

fn snapshot(observed: &[(&str, Observation)]) -> Snapshot<'static> {
    Snapshot::new(observed.iter().copied(), Vec::new(), BTreeMap::new()).unwrap()
}

#[test]
fn rows_are_observations_by_folder() {
    let [missing, file] = [Kind::Missing, Kind::File].map(Observation::Kind);
    let snapshot = snapshot(&[("/a/é", file), ("x", missing), ("/a", missing), ("/a/b/c", file)]);
    let encoded = rmp_serde::to_vec(&snapshot).unwrap();
    let read: Snapshot<'_> = rmp_serde::from_slice(&encoded).unwrap();
    assert!(matches!((&read.names, &read.rows), (Cow::Borrowed(_), Cow::Borrowed(_))));
    let row = |at| {
        let mut path = String::new();
        let observed = read.row(at, &mut path);
        observed.map(|observed| (path, observed))
    };
    let expected = [("x", missing), ("/a", missing), ("/a/é", file), ("/a/b/c", file)];
    for (at, (path, observed)) in expected.into_iter().enumerate() {
        assert_eq!(row(at), Some((path.to_owned(), observed)));
    }
    assert_eq!(row(4), None);
    assert_eq!((read.count(), &read), (4, &snapshot));
}

#[test]
fn names_depend_on_everything_but_stats() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let at = |seconds| {
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        file.as_file().set_modified(time).unwrap();
        let stat = FileStat::of(&file.as_file().metadata().unwrap());
        Observation::Content { stat, hash: [7; 16], linked: false }
    };
    let (old, new) = (at(1), at(2));
    let then = snapshot(&[("/a", old), ("/b", old)]);
    let touched = then.with(&[Difference { row: 1, now: Some(new) }]);
    assert_eq!(touched, snapshot(&[("/a", old), ("/b", new)]));
    assert_eq!(touched.row(1, &mut String::new()), Some(new));
    assert_eq!(touched.name(), then.name());
    assert_ne!(snapshot(&[("/a", old)]).name(), then.name());
}

fn observed() -> (tempfile::TempDir, Utf8PathBuf, Snapshot<'static>) {
    let (folder, root) = crate::testing::folder();
    std::fs::create_dir(root.join("tests")).unwrap();
    std::fs::write(root.join("tests/a.yml"), "1").unwrap();
    let snapshot = run(&root);
    (folder, root, snapshot)
}

fn run(root: &Utf8Path) -> Snapshot<'static> {
    let files = Files::new(root).recorded_in(Recorder::recording());
    for name in files.names_ending(Utf8Path::new("tests"), "") {
        files.read(&Utf8Path::new("tests").join(name)).unwrap();
    }
    files.is_dir(Utf8Path::new("contexts"));
    files.recorder().snapshot().unwrap()
}

fn settle(snapshot: &mut Snapshot<'static>) {
    std::thread::sleep(Duration::from_millis(150));
    assert_eq!(snapshot.differences(), Vec::<Utf8PathBuf>::new());
    assert!(snapshot.is_settled());
}

#[test]
fn recently_changed_files_are_read_again() {
    for _ in 0..20 {
        let (_folder, root, mut snapshot) = observed();
        assert!(!snapshot.is_settled() && snapshot.is_complete());
        std::fs::write(root.join("tests/a.yml"), "2").unwrap();
        let changed = root.join("tests/a.yml");
        let some = [root.join("roles"), root.join("tests"), changed.clone()];
        assert_eq!(snapshot.differences_at(&some), [changed.as_path()]);
        assert_eq!(snapshot.differences_at(&some[..2]), Vec::<Utf8PathBuf>::new());
        assert_eq!(snapshot.differences(), [changed]);
    }
}

#[test]
fn touched_files_do_not_differ() {
    let (_folder, root, mut snapshot) = observed();
    settle(&mut snapshot);
    std::fs::write(root.join("tests/a.yml"), "1").unwrap();
    assert_eq!(snapshot.differences(), Vec::<Utf8PathBuf>::new());
    assert!(!snapshot.is_settled(), "it may change once more in the same tick");
    std::fs::write(root.join("tests/a.yml"), "2").unwrap();
    assert_eq!(snapshot.differences(), [root.join("tests/a.yml")]);
}

#[test]
fn folders_differ_that_have_other_names_in_them_or_were_not_there() {
    let (_folder, root, mut snapshot) = observed();
    settle(&mut snapshot);
    std::fs::write(root.join("tests/b.yml"), "1").unwrap();
    std::fs::create_dir(root.join("contexts")).unwrap();
    std::fs::create_dir(root.join("roles")).unwrap();
    assert_eq!(snapshot.differences(), [root.join("contexts"), root.join("tests")]);
    assert_eq!(snapshot.watched_folders(), [root.clone(), root.join("tests")]);
    assert!(snapshot.has_read(&root.join("tests/a.yml")));
    assert!(!snapshot.has_read(&root.join("tests")) && !snapshot.has_read(&root.join("b.yml")));
}

#[cfg(unix)]
#[test]
fn targets_of_links_are_observed() {
    let (_folder, root, _) = observed();
    std::os::unix::fs::symlink("../b", root.join("tests/b.yml")).unwrap();
    std::fs::write(root.join("b"), "1").unwrap();
    let mut snapshot = run(&root);
    assert!(!snapshot.is_complete());
    assert_eq!(snapshot.differences(), Vec::<Utf8PathBuf>::new());
    std::fs::write(root.join("b"), "2").unwrap();
    assert_eq!(snapshot.differences(), [root.join("tests/b.yml")]);
}
