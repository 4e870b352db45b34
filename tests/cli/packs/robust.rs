//! Lock and store survive kills, other processes and damage.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::remote::{ASSEMBLE, Remote, STYLE, project, remote};
use crate::project::TestProject;

fn large_remote() -> Remote {
    let remote = remote();
    let file = |n: usize| {
        let path = format!("contexts/patterns/pattern-{n}.md");
        (path, format!("# P {n}\n\n{}\n", "text ".repeat(n * 20)))
    };
    let files: Vec<(String, String)> = (0..60).map(file).collect();
    remote.commit(&files.iter().map(|(path, text)| (&**path, &**text)).collect::<Vec<_>>());
    remote
}

fn spawn(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().unwrap()
}

fn kill(mut child: Child, is_group: bool) {
    if is_group {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    child.wait().unwrap();
}

fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let walk =
        walkdir::WalkDir::new(folder).into_iter().filter_entry(|it| it.file_name() != ".git");
    let files = walk.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    let pair = |entry: walkdir::DirEntry| {
        (entry.path().strip_prefix(folder).unwrap().to_owned(), fs::read(entry.path()).unwrap())
    };
    files.map(pair).collect()
}

#[track_caller]
fn assert_whole_store(project: &TestProject, expected: &BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(project.store()).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().len() == 64 {
            assert!(tree(&path) == *expected, "{} is torn", path.display());
        }
    }
}

fn kill_at_moments(count: u32) {
    let (remote, project) = (large_remote(), project());
    let (url, expected) = (remote.url(), tree(&remote.work()));
    let start = Instant::now();
    project.stdout(&["pack", "add", "acme", &url]);
    let whole = start.elapsed();
    let files = ["faber.lock", ".faber/config.yml"].map(|path| (path, project.text(path)));
    for step in 0..count {
        if step % 2 == 0 && project.store().exists() {
            project.forget_packs();
        }
        for (path, _) in &files {
            let _ = fs::remove_file(project.path(path));
        }
        let child = spawn(&mut project.faber(&["pack", "add", "acme", &url]));
        // Evenly, by the golden ratio.
        std::thread::sleep(whole.mul_f64((f64::from(step) * 0.618_034).fract()));
        kill(child, step % 4 < 2);
        for (path, text) in &files {
            let found = fs::read_to_string(project.path(path)).ok();
            assert!(found.is_none_or(|found| found == *text), "{path} is torn in step {step}");
        }
        let [lock, config] = files.each_ref().map(|(path, _)| project.path(path).exists());
        assert!(lock || !config, "step {step}: the lock is written first");
        assert_whole_store(&project, &expected);
    }
    project.stdout(&["pack", "add", "acme", &url]);
    project.stdout(&["pack", "verify"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    assert_eq!(project.text("faber.lock"), files[0].1);
}

#[test]
fn a_killed_process_leaves_lock_and_store_whole() {
    kill_at_moments(24);
}

#[test]
#[ignore = "takes minutes: 200 kills"]
fn two_hundred_killed_processes_leave_lock_and_store_whole() {
    kill_at_moments(200);
}

#[test]
fn a_killed_vendor_leaves_the_old_or_the_new_files() {
    let (remote, project) = (large_remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let start = Instant::now();
    project.stdout(&["pack", "vendor"]);
    let (whole, expected) = (start.elapsed(), tree(&remote.work()));
    for step in 0..12 {
        let child = spawn(&mut project.faber(&["pack", "vendor"]));
        std::thread::sleep(whole.mul_f64(f64::from(step) / 12.0));
        kill(child, true);
        let folder = project.path(".faber/packs/acme");
        assert!(!folder.exists() || tree(&folder) == expected, "torn in step {step}");
    }
    project.stdout(&["pack", "vendor"]);
    project.forget_packs();
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
}

#[test]
fn two_processes_change_one_lock_in_turn() {
    let (remote, project) = (remote(), project());
    let url = remote.url();
    let names = ["a", "b", "c", "d"];
    let add = |name: &&str| spawn(&mut project.faber(&["pack", "add", name, &url]));
    let children: Vec<Child> = names.iter().map(add).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let lock = project.text("faber.lock");
    assert!(names.iter().all(|name| lock.contains(&format!("  {name}:\n"))), "{lock}");
    project.stdout(&["pack", "verify"]);
}

#[test]
fn workspaces_that_fetch_at_once_share_a_store() {
    let remote = large_remote();
    let names = ["a", "b", "c", "d", "e", "f"];
    let project = names.iter().fold(TestProject::empty(), |project, name| {
        project
            .file(&format!("{name}/roles/clerk/prompt.md"), "# Clerk\n")
            .dir(&format!("{name}/.faber"))
    });
    let add = |name: &&str| {
        let url = remote.url();
        spawn(&mut project.faber(&["-C", name, "pack", "add", "acme", &url]))
    };
    let mut children: Vec<Child> = names.iter().map(add).collect();
    std::thread::sleep(Duration::from_millis(60));
    kill(children.remove(0), false);
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let locks: Vec<String> =
        names[1..].iter().map(|name| project.text(&format!("{name}/faber.lock"))).collect();
    assert!(locks.iter().all(|lock| *lock == locks[0]));
    assert_whole_store(&project, &tree(&remote.work()));
    for name in &names[1..] {
        project.stdout(&["-C", name, "pack", "verify"]);
    }
}

type Harm = fn(&Path);

#[test]
fn a_damaged_repository_of_the_store_is_fetched_again() {
    let each_pack = |folder: &Path, ending: &str, harm: Harm| {
        for entry in fs::read_dir(folder.join("objects/pack")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == ending) {
                let bytes = fs::read(&path).unwrap();
                fs::remove_file(&path).unwrap();
                fs::write(&path, bytes).unwrap();
                harm(&path);
            }
        }
    };
    let harms: [(&str, Harm); 9] = [
        ("config", |folder| fs::write(folder.join("config"), "\0\0\0").unwrap()),
        ("head", |folder| fs::write(folder.join("HEAD"), "x").unwrap()),
        ("no head", |folder| fs::remove_file(folder.join("HEAD")).unwrap()),
        ("shallow", |folder| fs::write(folder.join("shallow"), "x\n").unwrap()),
        ("locks", |folder| {
            fs::write(folder.join("shallow.lock"), "").unwrap();
            fs::write(folder.join("config.lock"), "").unwrap();
        }),
        ("objects", |folder| fs::remove_dir_all(folder.join("objects")).unwrap()),
        ("a file", |folder| {
            fs::remove_dir_all(folder).unwrap();
            fs::write(folder, "x").unwrap();
        }),
        ("a folder of nothing", |folder| {
            fs::remove_dir_all(folder).unwrap();
            fs::create_dir(folder).unwrap();
        }),
        ("a link", |folder| {
            fs::remove_dir_all(folder).unwrap();
            std::os::unix::fs::symlink("nowhere", folder).unwrap();
        }),
    ];
    let broken: [(&str, Harm); 3] = [
        ("pack", |path| {
            let mut bytes = fs::read(path).unwrap();
            for byte in &mut bytes[12..] {
                *byte ^= 0x55;
            }
            fs::write(path, bytes).unwrap();
        }),
        ("pack", |path| fs::write(path, &fs::read(path).unwrap()[..40]).unwrap()),
        ("idx", |path| fs::write(path, "x").unwrap()),
    ];
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let lock = project.text("faber.lock");
    let check = |name: &str, harm: &dyn Fn(&Path)| {
        let git = fs::read_dir(project.store().join("git")).unwrap().map(|it| it.unwrap().path());
        let folder = git.into_iter().find(|it| it.extension().is_some_and(|it| it == "git"));
        harm(&folder.unwrap());
        let stored = project.stored(STYLE);
        fs::remove_dir_all(stored.ancestors().nth(3).unwrap()).unwrap();
        let run = project.run(&["pack", "update", "--locked"]);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        assert_eq!(project.text("faber.lock"), lock, "{name}");
        project.stdout(&["pack", "verify"]);
    };
    for (name, harm) in harms {
        check(name, &harm);
    }
    for (ending, harm) in broken {
        check(ending, &|folder| each_pack(folder, ending, harm));
    }
}

#[test]
fn a_damaged_store_is_named_and_repaired() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let stored = project.stored(STYLE);
    let place = stored.ancestors().nth(3).unwrap().to_owned();
    let harms: [(&str, Harm); 4] = [
        ("differs from faber.lock", |path| fs::write(path, "").unwrap()),
        ("is missing", |path| fs::remove_file(path).unwrap()),
        ("is not a regular file", |path| {
            fs::remove_file(path).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", path).unwrap();
        }),
        ("is not a regular file", |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
    ];
    for (what, harm) in harms {
        harm(&stored);
        let run = project.run(&ASSEMBLE);
        assert!(!run.stdout.contains("Long names.") && !run.stdout.contains("root:"), "{what}");
        let verify = project.run(&["pack", "verify"]);
        assert!(verify.code == 1 && verify.stdout.contains(what), "{what}: {}", verify.stdout);
        project.stdout(&["pack", "update", "--locked"]);
        project.stdout(&["pack", "verify"]);
    }
    fs::remove_dir_all(&place).unwrap();
    fs::write(&place, "x").unwrap();
    project.run(&ASSEMBLE).refused(2, &["not downloaded"]);
    project.stdout(&["pack", "update", "--locked"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
}

#[test]
fn without_the_remote_what_is_here_is_used_and_what_is_not_is_an_error() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let lock = project.text("faber.lock");
    remote.vanish();
    project.stdout(&["pack", "update", "--locked"]);
    project.stdout(&["pack", "vendor"]);
    project.stdout(&["pack", "list"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    for arguments in [&["pack", "update"][..], &["pack", "outdated"], &["pack", "relock"]] {
        let run = project.run(arguments);
        run.refused(
            2,
            &["remote.git' does not appear to be a git repository", "check the address"],
        );
        assert!(!run.stderr.contains("warning"), "{}", run.stderr);
        assert_eq!(project.text("faber.lock"), lock);
    }
    let without_git = project.faber(&["pack", "outdated"]).env("PATH", "/nonexistent").output();
    let said = String::from_utf8(without_git.unwrap().stderr).unwrap();
    assert!(said.contains("git is not on `PATH`"), "{said}");
    let address = "https://127.0.0.1:1/acme.git";
    let run = project.run(&["pack", "add", "other", address]);
    run.refused(2, &["https://127.0.0.1:1/acme.git"]);
    assert_eq!(project.text("faber.lock"), lock);
}
