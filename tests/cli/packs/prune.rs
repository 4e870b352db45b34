use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::remote::{ASSEMBLE, Remote, STYLE, project, remote};
use crate::project::TestProject;

fn contents(project: &TestProject) -> usize {
    let entries = fs::read_dir(project.store()).unwrap().map(|entry| entry.unwrap());
    entries.filter(|entry| entry.file_name().len() == 64).count()
}

fn age(project: &TestProject, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
    for entry in walkdir::WalkDir::new(project.store()).into_iter().map(Result::unwrap) {
        if let Ok(file) = File::options().write(true).open(entry.path()) {
            file.set_modified(then).unwrap();
        } else if let Ok(folder) = File::open(entry.path()) {
            let _ = folder.set_modified(then);
        }
    }
}

fn updated() -> (Remote, TestProject) {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "main"]);
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    project.stdout(&["pack", "update"]);
    assert_eq!(contents(&project), 2);
    (remote, project)
}

#[test]
fn what_a_lock_names_stays_and_what_none_names_goes_when_it_is_old() {
    let (remote, project) = updated();
    let removed = |days: &str| {
        let run = project.run(&["pack", "prune", "--unused-for", days]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stderr
    };
    assert!(removed("90").starts_with("0 packs removed"), "it was used today");
    age(&project, 40);
    assert!(removed("90").starts_with("0 packs removed"));
    let tried = project.run(&["pack", "prune", "--unused-for", "30", "--dry-run"]);
    assert!(tried.stdout.starts_with("name ") && tried.stdout.contains(" MiB  40 days"));
    let names = [remote.url(), "faber.lock".to_owned()];
    assert!(names.iter().all(|name| tried.stdout.contains(name)), "{}", tried.stdout);
    assert!(
        tried.stderr.starts_with("1 pack and 1 repository would be removed"),
        "{}",
        tried.stderr
    );
    assert_eq!(contents(&project), 2);
    assert!(removed("30").starts_with("1 pack and 1 repository removed"));
    assert_eq!(contents(&project), 1);
    remote.vanish();
    assert!(project.stdout(&ASSEMBLE).contains("New names."), "the lock names it");
    project.stdout(&["pack", "verify"]);
    project.stdout(&["pack", "update", "--locked"]);
}

#[test]
fn a_use_keeps_what_no_lock_that_is_there_names() {
    let (_remote, project) = updated();
    let lock = project.text("faber.lock");
    age(&project, 200);
    assert!(project.stdout(&ASSEMBLE).contains("New names."));
    fs::remove_file(project.path("faber.lock")).unwrap();
    project.stdout(&["pack", "prune"]);
    assert_eq!(contents(&project), 1, "the one that was used just now");
    let project = project.file("faber.lock", &lock);
    assert!(project.stdout(&ASSEMBLE).contains("New names."));
    // An unreadable lock may name any pack.
    age(&project, 200);
    let project = project.file("faber.lock", &lock.replace("version: 1", "<<<<<<< a"));
    project.stdout(&["pack", "prune"]);
    assert_eq!(contents(&project), 1);
    fs::remove_file(project.path("faber.lock")).unwrap();
    project.stdout(&["pack", "prune"]);
    assert_eq!(contents(&project), 0);
    let about = fs::read_dir(project.store().join("about")).unwrap().count();
    assert_eq!(about, 0, "nothing is known of it any more");
    let project = project.file("faber.lock", &lock);
    project.run(&ASSEMBLE).refused(2, &["not downloaded", "faber pack update --locked acme"]);
    project.stdout(&["pack", "update", "--locked"]);
    assert!(project.stdout(&ASSEMBLE).contains("New names."));
}

#[test]
fn a_lock_of_the_user_and_of_other_workspaces_count() {
    let remote = remote();
    let project = project();
    project.stdout(&["pack", "add", "acme", &remote.url(), "--user"]);
    let other = TestProject::with_role();
    let store = project.store();
    let cache = store.ancestors().nth(2).unwrap().to_str().unwrap().to_owned();
    let other = other.env("XDG_CACHE_HOME", &cache);
    remote.commit(&[(STYLE, "# Style\n\nOf others.\n")]);
    other.stdout(&["pack", "add", "acme", &remote.url()]);
    age(&project, 200);
    project.stdout(&["pack", "prune", "--unused-for", "0"]);
    assert_eq!(contents(&project), 2);
    assert!(other.stdout(&ASSEMBLE).contains("Of others."));
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
}

#[test]
fn packs_that_are_fetched_meanwhile_are_not_removed() {
    let (_remote, project) = updated();
    age(&project, 200);
    let lock = File::options().create(true).append(true).open(project.store().join("store.lock"));
    let lock = lock.unwrap();
    lock.lock_shared().unwrap();
    let mut prune = project.faber(&["pack", "prune"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(contents(&project), 2, "it waits");
    drop(lock);
    assert!(prune.wait().unwrap().success());
    assert_eq!(contents(&project), 1);
    assert!(!Path::new(&project.store()).join("turns").read_dir().unwrap().any(|_| true));
}

#[test]
fn a_further_workspace_fetches_nothing_that_the_store_has() {
    let remote = remote();
    let project = TestProject::empty();
    for name in ["a", "b"] {
        let project = &project;
        std::fs::create_dir_all(project.path(name)).unwrap();
        let said =
            project.stdout(&["-C", name, "pack", "add", "acme", &remote.url(), "--ref", "v1"]);
        assert!(said.contains("2 files added") && said.contains("\n  standard/style\n"), "{said}");
        let git = project.store().join("git");
        for entry in fs::read_dir(&git).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                assert_eq!(name, "a", "{}", path.display());
                fs::remove_dir_all(path).unwrap();
            }
        }
    }
    assert_eq!(project.text("a/faber.lock"), project.text("b/faber.lock"));
    fs::write(project.stored(STYLE), "x").unwrap();
    std::fs::create_dir_all(project.path("c")).unwrap();
    project.stdout(&["-C", "c", "pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    assert!(project.stdout(&["-C", "c", "show", "standard/style"]).contains("Long names."));
}

#[test]
fn errors_of_security_stop_an_add_in_every_workspace() {
    let remote = remote();
    remote.commit(&[(STYLE, "# Style\n\nNames\u{202e}semaN.\n")]);
    let project = TestProject::empty().dir("a").dir("b").dir("c");
    for name in ["a", "b"] {
        let run = project.run(&["-C", name, "pack", "add", "acme", &remote.url()]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        run.said(&["new security errors"]);
        assert!(!project.path(&format!("{name}/faber.lock")).exists());
    }
    let accept = ["-C", "a", "pack", "add", "acme", &remote.url(), "--accept"];
    project.stdout(&accept);
    let run = project.run(&["-C", "c", "pack", "add", "acme", &remote.url()]);
    assert_eq!(run.code, 2, "accepting in one workspace is not accepting in another");
}
