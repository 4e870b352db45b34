//! Caches change speed, never results.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::project::{Run, TestProject};

const ASK: [&str; 4] = ["assemble", "clerk", "--request", "Sort the letters by language"];
const LANGUAGE: &str = "contexts/standards/standard-language.md";

fn project() -> TestProject {
    let project = TestProject::with_role().file(LANGUAGE, "# Language\n\nWrite plainly.\n").file(
        "contexts/specialists/specialist-stamps.md",
        "---\nkeywords: [stamps]\n---\n# Stamps\n",
    );
    settle();
    project
}

/// Longer than the file system's time resolution.
fn settle() {
    std::thread::sleep(Duration::from_millis(130));
}

impl TestProject {
    fn cached(&self, folder: &str) -> Vec<PathBuf> {
        let folder = self.path(".faber/cache").join(folder);
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    }

    fn remembered_at(&self) -> SystemTime {
        let runs = self.cached("runs");
        assert_eq!(runs.len(), 1, "{runs:?}");
        std::fs::metadata(&runs[0]).unwrap().modified().unwrap()
    }

    fn plainly(&self, arguments: &[&str]) -> Run {
        self.run(&[arguments, &["--no-cache"]].concat())
    }

    #[track_caller]
    fn agrees(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run, self.plainly(arguments));
        run
    }
}

#[test]
fn a_run_that_would_see_the_same_is_not_done_again() {
    let project = project();
    let first = project.agrees(&ASK);
    let remembered = project.remembered_at();
    settle();
    assert_eq!(project.run(&ASK), first);
    assert_eq!(project.remembered_at(), remembered, "it was recalled");
    project.agrees(&["assemble", "clerk", "--request", "Sort the stamps"]);
    assert_eq!(project.cached("runs").len(), 2, "another request is another run");
    let snapshots = project.cached("snapshots").len();
    project.agrees(&["assemble", "clerk", "--request", "Sort the postcards"]);
    assert_eq!(project.cached("snapshots").len(), snapshots, "which has seen the same");
}

#[test]
fn a_copy_of_a_workspace_uses_nothing_of_the_original() {
    let project = project();
    let ask = |folder: &str, request: &str| {
        let mut command = project.faber(&["assemble", "clerk", "--request", request]);
        Run::from(command.current_dir(project.path(folder)).output().unwrap()).stdout
    };
    for request in ["Sort the stamps", "Sort the postcards", "Sort the letters"] {
        ask(".", request);
        settle();
    }
    assert!(!project.cached("kept").is_empty());
    for entry in walkdir::WalkDir::new(project.path("")).into_iter().map(Result::unwrap) {
        let to = project.path("../copy").join(entry.path().strip_prefix(project.path("")).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(to).unwrap();
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
    let okapi = "---\nkeywords: [okapi]\n---\n# Okapi\n\nStripes.\n";
    std::fs::write(project.path("../copy/contexts/specialists/okapi.md"), okapi).unwrap();
    let drawn = ask("../copy", "Draw the okapi");
    assert!(drawn.contains("Stripes."), "{drawn}");
    assert!(!ask(".", "Draw the okapi").contains("Stripes."));
}

#[test]
fn new_requests_see_every_change() {
    let mut project = project();
    let asked = std::cell::Cell::new(0);
    let ask = |project: &TestProject| {
        asked.set(asked.get() + 1);
        let request = format!("Sort the letters by language and {} stamps", asked.get());
        project.agrees(&["assemble", "clerk", "--request", &request]).stdout
    };
    ask(&project);
    let kept = project.cached("kept");
    assert_eq!(kept.len(), 1, "{kept:?}");
    let new = "contexts/standards/standard-new.md";
    let overlay = ".faber/overlays/organization/contexts/standards/standard-language.md";
    let changes = [
        (LANGUAGE, "# Language\n\nWrite gently.\n", "gently"),
        (LANGUAGE, "# Language\n\nWrite boldly.\n", "boldly"),
        (new, "# Entirely new\n", "Entirely new"),
        (new, "# Entirely old\n", "Entirely old"),
        (overlay, "---\nstrategy: append\n---\n## Ours\n\nIn French.\n", "In French."),
        ("roles/clerk/prompt.md", "# Clerk\n\nYou file letters.\n", "You file letters."),
        (".faber/config.yml", "selection:\n  semantic: \"off\"\n", "In French."),
    ];
    for (path, text, shown) in changes {
        project = project.file(path, text);
        assert!(ask(&project).contains(shown), "{path}, at once");
        settle();
        assert!(ask(&project).contains(shown), "{path}, settled");
        assert!(ask(&project).contains(shown), "{path}, kept");
    }
    std::fs::remove_file(project.path(new)).unwrap();
    assert!(!ask(&project).contains("Entirely"), "removed");
    let from = "contexts/specialists/specialist-stamps.md";
    std::fs::rename(project.path(from), project.path(new)).unwrap();
    assert!(ask(&project).contains("# Stamps"), "moved");
    settle();
    ask(&project);
    for damage in [&b"faber"[..], b""] {
        std::fs::write(&project.cached("kept")[0], damage).unwrap();
        ask(&project);
    }
}

#[test]
fn every_change_is_seen() {
    let project = project();
    project.agrees(&ASK);
    let long_ago = SystemTime::now() - Duration::from_secs(86_400);
    let project = project.file(LANGUAGE, "# Language\n\nWrite gently.\n");
    let file = std::fs::File::options().write(true).open(project.path(LANGUAGE)).unwrap();
    file.set_modified(long_ago).unwrap();
    assert!(project.agrees(&ASK).stdout.contains("gently"), "same size, older time");
    settle();
    project.agrees(&ASK);

    let project = project.file("contexts/standards/standard-new.md", "# Entirely new\n");
    assert!(project.agrees(&ASK).stdout.contains("Entirely new"));
    settle();
    project.agrees(&ASK);
    std::fs::remove_file(project.path("contexts/standards/standard-new.md")).unwrap();
    assert!(!project.agrees(&ASK).stdout.contains("Entirely new"));

    settle();
    project.agrees(&ASK);
    let overlay = ".faber/overlays/organization/contexts/standards/standard-language.md";
    let project = project.file(overlay, "---\nstrategy: append\n---\n## Ours\n\nIn French.\n");
    assert!(project.agrees(&ASK).stdout.contains("In French."), "a folder that was not there");

    settle();
    project.agrees(&ASK);
    let project = project.file(".faber/config.yml", "selection:\n  semantic: \"off\"\n");
    project.agrees(&ASK);
    settle();
    project.agrees(&ASK);
    let project = project.file("roles/clerk/agent.yml", "description: Sorts letters\n");
    project.agrees(&ASK);
}

#[test]
fn the_beginning_of_the_repository_is_seen() {
    let project = TestProject::with_role()
        .file(LANGUAGE, "<!-- faber: include ../../notes/own.md -->\n")
        .file("notes/own.md", "For me alone.\n")
        .file("../.gitignore", "own.md\n");
    settle();
    assert!(project.agrees(&ASK).stdout.contains("For me alone."));
    let project = project.dir("../.git");
    project.agrees(&ASK).refused(2, &["git ignores it"]);
    project.agrees(&["search", "alone"]);
}

#[test]
fn touching_a_file_changes_nothing_and_is_found_out_by_reading_it() {
    let project = project();
    project.agrees(&ASK);
    let remembered = project.remembered_at();
    let text = project.text(LANGUAGE);
    let project = project.file(LANGUAGE, &text);
    settle();
    project.agrees(&ASK);
    assert_eq!(project.remembered_at(), remembered);
}

#[test]
fn recently_written_files_are_not_trusted_yet() {
    let project = project();
    let file = std::fs::File::options().write(true).open(project.path(LANGUAGE)).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
    project.agrees(&ASK);
    assert!(project.cached("runs").is_empty(), "it may change once more in the same instant");
}

#[test]
fn the_cache_key_has_everything_that_a_run_depends_on() {
    let config = "mcp_servers:\n  files:\n    enabled: true\n    command: ${FILES_COMMAND}\n";
    let project = project().file(".faber/config.yml", config).file("notes.txt", "First notes.\n");
    settle();
    let shown = [&ASK[..], &["--verbose"]].concat();
    let with = |value: &str| {
        let mut command = project.faber(&shown);
        Run::from(command.env("FILES_COMMAND", value).output().unwrap())
    };
    assert_eq!(with("a").stderr, "");
    assert_ne!(project.run(&shown).stderr, "", "an unset variable is found again");
    assert_eq!(with("a").stderr, "");

    for more in [&["--at", "2030-01-01"][..], &["--format", "json"], &["--report", "json"]] {
        project.agrees(&[&ASK, more].concat());
    }
    let with_notes = [&ASK[..], &["--input", "notes.txt"]].concat();
    project.agrees(&with_notes);
    let project = project.file("notes.txt", "Other notes.\n");
    assert!(project.agrees(&with_notes).stdout.contains("Other notes."));

    let ask = ["assemble", "clerk", "--input", "-", "--request", "Sort this"];
    let first = project.run_with_input(&ask, "A letter from Lyon.\n");
    let second = project.run_with_input(&ask, "A letter from Graz.\n");
    assert!(first.stdout.contains("Lyon") && second.stdout.contains("Graz"));
}

#[test]
fn files_are_written_and_checked_from_memory_too() {
    let project = project();
    project.stdout(&[&ASK[..], &["-o", "bundle.md", "--report-file", "report.json"]].concat());
    let (bundle, report) = (project.text("bundle.md"), project.text("report.json"));
    std::fs::remove_file(project.path("bundle.md")).unwrap();
    project.stdout(&[&ASK[..], &["-o", "bundle.md", "--report-file", "report.json"]].concat());
    assert_eq!((project.text("bundle.md"), project.text("report.json")), (bundle.clone(), report));
    assert_eq!(project.stdout(&ASK), bundle);
    assert_eq!(project.run(&[&ASK[..], &["--check", "bundle.md"]].concat()).code, 0);
    let project = project.file("bundle.md", "something else\n");
    assert_eq!(project.run(&[&ASK[..], &["--check", "bundle.md"]].concat()).code, 1);
}

#[test]
fn a_damaged_cache_is_ignored() {
    let project = project();
    let first = project.agrees(&ASK);
    let files =
        || [project.cached("runs"), project.cached("snapshots"), project.cached("")].concat();
    let damages: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.clear(),
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.extend_from_slice(b"more"),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
        |bytes| bytes.fill(0xff),
    ];
    for damage in damages {
        for path in files().into_iter().filter(|path| path.is_file()) {
            let mut bytes = std::fs::read(&path).unwrap();
            damage(&mut bytes);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(project.run(&ASK), first, "{}", path.display());
        }
    }
    for path in files().into_iter().filter(|path| path.is_file()) {
        std::fs::remove_file(path).unwrap();
        assert_eq!(project.run(&ASK), first);
    }
}

#[test]
fn the_cache_of_another_user_is_ignored() {
    let project = project();
    let first = project.agrees(&ASK);
    let runs = project.cached("runs");
    let theirs = std::fs::read(&runs[0]).unwrap();
    let forged = String::from_utf8_lossy(&theirs).contains("Write plainly.");
    assert!(forged, "an outcome lies in the file as it is");

    let stranger = project.path("../stranger");
    let mut command = project.faber(&ASK);
    assert_eq!(Run::from(command.env("XDG_CACHE_HOME", &stranger).output().unwrap()), first);
    assert_ne!(std::fs::read(&runs[0]).unwrap(), theirs, "it was not believed, and replaced");
}

#[test]
fn without_a_place_for_it_faber_works_all_the_same() {
    let project = project().file(".faber/cache", "a file in the way\n");
    let first = project.agrees(&ASK);
    assert_eq!(project.run(&ASK), first);
    assert_eq!(project.text(".faber/cache"), "a file in the way\n");
    let home = project.path("../home/.cache/faber");
    let elsewhere = std::fs::read_dir(&home)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().join("runs").is_dir());
    assert_eq!(elsewhere.count(), 1, "the user's own cache takes its place");

    let mut command = project.faber(&ASK);
    command.env("XDG_CACHE_HOME", project.path("roles/clerk/prompt.md"));
    assert_eq!(Run::from(command.output().unwrap()), first, "none at all does as well");
}

#[test]
fn no_cache_means_none() {
    let project = project();
    project.plainly(&ASK);
    assert!(!project.path(".faber/cache").exists());
    project.run(&ASK);
    assert_eq!(project.text(".faber/cache/.gitignore"), "*\n");
}

#[test]
fn many_at_once_agree() {
    let project = project();
    let first = project.plainly(&ASK);
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = project.faber(&ASK);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        assert_eq!(Run::from(child.wait_with_output().unwrap()), first);
    }
    assert_eq!(project.run(&ASK), first);
}

#[cfg(unix)]
#[test]
fn links_are_looked_at_every_time() {
    let project = project()
        .file("texts/a.md", "# From A\n")
        .file("texts/b.md", "# From B\n")
        .symlink("contexts/standards/standard-linked.md", "../../texts/a.md");
    settle();
    assert!(project.agrees(&ASK).stdout.contains("From A"));
    std::fs::remove_file(project.path("contexts/standards/standard-linked.md")).unwrap();
    let project = project.symlink("contexts/standards/standard-linked.md", "../../texts/b.md");
    assert!(project.agrees(&ASK).stdout.contains("From B"));

    let project = project.dir("elsewhere");
    let _ = std::fs::remove_dir_all(project.path(".faber/cache"));
    let project = project.symlink(".faber/cache", "../elsewhere");
    project.agrees(&ASK);
    let written = std::fs::read_dir(project.path("elsewhere")).unwrap().count();
    assert_eq!(written, 0, "a link does not decide where faber writes");
}

#[cfg(unix)]
#[test]
fn links_in_the_cache_lead_nowhere() {
    let project = project().dir("photos");
    for n in 0..600 {
        std::fs::write(project.path(&format!("photos/{n:032x}")), "a photo").unwrap();
    }
    let project = project
        .file("precious", "mine\n")
        .symlink(".faber/cache/runs", "../../photos")
        .symlink(".faber/cache/.gitignore", "../../precious")
        .symlink(".faber/cache/CACHEDIR.TAG", "../../planted")
        .symlink(".faber/cache/counts", "/dev/zero");
    settle();
    project.agrees(&ASK);
    project.agrees(&ASK);
    assert_eq!(std::fs::read_dir(project.path("photos")).unwrap().count(), 600);
    assert_eq!(project.text("precious"), "mine\n");
    assert!(!project.path("planted").exists());
    assert_eq!(project.text(".faber/cache/.gitignore"), "*\n", "the link is replaced");
}

#[cfg(unix)]
#[test]
fn pipes_in_the_cache_do_not_block() {
    let project = project().dir(".faber/cache").unix_fifo(".faber/cache/counts");
    project.agrees(&ASK);
}

#[test]
fn a_cache_that_is_there_already_is_kept_out_of_version_control() {
    let project =
        project().file(".faber/cache/runs/.keep", "").file(".faber/cache/snapshots/.keep", "");
    settle();
    project.agrees(&ASK);
    assert_eq!(project.text(".faber/cache/.gitignore"), "*\n");
}

#[cfg(unix)]
#[test]
fn folders_that_become_links_are_seen() {
    let project = project();
    assert_eq!(project.agrees(&ASK).code, 0);
    std::fs::rename(project.path("roles/clerk"), project.path("../clerk")).unwrap();
    let project = project.symlink("roles/clerk", "../../clerk");
    assert_ne!(project.agrees(&ASK).code, 0, "it lies outside now");

    let project = self::project().dir("shared");
    std::fs::remove_dir_all(project.path("contexts")).unwrap();
    let project = project.symlink("contexts", "shared");
    settle();
    project.agrees(&ASK);
    let project = project.file("shared/standards/standard-new.md", "# Entirely new\n");
    settle();
    assert!(project.agrees(&ASK).stdout.contains("Entirely new"));
}

#[cfg(target_os = "linux")]
#[test]
fn virtual_files_are_read_every_time() {
    let project = project();
    let ask = ["assemble", "clerk", "--input", "/proc/uptime"];
    let first = project.stdout(&ask);
    settle();
    assert_ne!(project.stdout(&ask), first);
}

#[test]
fn a_truncated_key_is_replaced() {
    let project = project();
    project.agrees(&ASK);
    std::fs::write(project.path("../home/.cache/faber/key"), "").unwrap();
    project.agrees(&ASK);
    let remembered = project.remembered_at();
    settle();
    project.agrees(&ASK);
    assert_eq!(project.remembered_at(), remembered);
}

#[test]
fn folders_of_the_user_are_not_looked_for_in_the_workspace() {
    let config = "budget:\n  summarizer: touch evil\n  total: 300\n";
    let project = project().file("cfg/faber/config.yml", config);
    for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        let mut command = project.faber(&ASK);
        assert!(command.env(name, "cfg").status().unwrap().success());
    }
    assert!(!project.path("evil").exists() && !project.path("cfg/faber/key").exists());
}

#[test]
fn validating_again_what_has_not_changed_says_the_same() {
    let project = project().file("contexts/standards/standard-open.md", "# Open\n\n[x](gone.md)\n");
    settle();
    project.run(&["validate"]);
    settle();
    for format in ["human", "json", "concise"] {
        let ask = ["validate", "--format", format];
        project.agrees(&ask);
        assert_ne!(project.run(&ask).stdout, "", "there is something to find");
    }
    let remembered = project.cached("runs").len();
    assert_eq!(remembered, 3);
    project.agrees(&["validate", "contexts/standards/standard-open.md", "--deny", "warnings"]);
    let project = project.file("contexts/standards/standard-open.md", "# Open\n\nClosed.\n");
    let clean = project.agrees(&["validate", "--format", "concise"]);
    assert!(!clean.stdout.contains("gone.md"), "{}", clean.stdout);
    std::fs::remove_file(project.path("contexts/standards/standard-open.md")).unwrap();
    settle();
    let gone = project.agrees(&["validate", "contexts/standards/standard-open.md"]);
    assert_eq!(gone.code, 2);
}
