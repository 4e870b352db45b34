//! `faber watch`: the final output equals that of a fresh run.
//!
//! Long variants: `FABER_CASES=1000 cargo test --release --test cli watch -- --ignored`.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::project::TestProject;
use crate::torture::cases;

const LETTERS: &str = "contexts/standards/standard-letters.md";
const OUT: &str = "out.md";
const TO_FILE: [&str; 4] = ["watch", "assemble", "-o", OUT];
const TIMEOUT: Duration = Duration::from_secs(30);

fn project() -> TestProject {
    TestProject::with_role().file(LETTERS, "# Letters\n\nState 0.\n")
}

#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    fn of(mut stream: impl Read + Send + 'static) -> Self {
        let text = Self::default();
        let kept = text.clone();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 65_536];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                kept.0.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        text
    }

    fn now(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

struct Watching {
    child: Child,
    out: Text,
    err: Text,
}

impl Watching {
    fn start(project: &TestProject, arguments: &[&str]) -> Self {
        let watching = Self::spawn(project.faber(arguments));
        watching.until("the first run", |watching| watching.err.now().contains("watching `"));
        watching
    }

    fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = Text::of(child.stdout.take().unwrap());
        let err = Text::of(child.stderr.take().unwrap());
        Self { child, out, err }
    }

    #[track_caller]
    fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) -> Duration {
        let begin = Instant::now();
        while !holds(self) {
            assert!(begin.elapsed() < TIMEOUT, "{what}: {}\n{}", self.err.now(), self.out.now());
            std::thread::sleep(Duration::from_millis(2));
        }
        begin.elapsed()
    }

    #[track_caller]
    fn until_true(&self, project: &TestProject, what: &str) {
        let expected = project.stdout(&["assemble", "--no-cache"]);
        self.until(what, |_| read(project, OUT) == expected);
    }

    fn reruns(&self) -> usize {
        self.err.now().lines().filter(|line| line.contains(" ms")).count()
    }

    fn end(mut self, signal: &str) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        assert!(!self.err.now().contains("panicked"), "{}", self.err.now());
    }
}

fn read(project: &TestProject, path: &str) -> String {
    std::fs::read_to_string(project.path(path)).unwrap_or_default()
}

fn save(project: &TestProject, path: &str, text: &str, way: usize) {
    let path = project.path(path);
    let beside = |ending: &str| {
        let name = path.file_name().unwrap().to_str().unwrap();
        path.with_file_name(format!("{name}{ending}"))
    };
    match way % 5 {
        0 => std::fs::write(&path, text).unwrap(),
        1 => {
            std::fs::write(beside(".tmp"), text).unwrap();
            std::fs::rename(beside(".tmp"), &path).unwrap();
        }
        2 => {
            std::fs::rename(&path, beside("~")).unwrap();
            std::fs::write(&path, text).unwrap();
            std::fs::remove_file(beside("~")).unwrap();
        }
        3 => {
            std::fs::write(beside(".new"), text).unwrap();
            std::fs::remove_file(&path).unwrap();
            std::fs::rename(beside(".new"), &path).unwrap();
        }
        _ => {
            let mut file = std::fs::File::options().append(true).open(&path).unwrap();
            std::io::Write::write_all(&mut file, text.lines().last().unwrap().as_bytes()).unwrap();
            std::io::Write::write_all(&mut file, b"\n").unwrap();
        }
    }
}

fn saves(count: usize, together: usize) {
    let project = project();
    let watching = Watching::start(&project, &TO_FILE);
    for case in 1..=count {
        save(&project, LETTERS, &format!("# Letters\n\nState {case}.\n"), case);
        if case % together == 0 {
            watching.until_true(&project, &format!("save {case}"));
        } else {
            std::thread::sleep(Duration::from_millis(case as u64 * 7 % 60));
        }
    }
    watching.until_true(&project, "the last save");
    assert!(watching.end("-INT").success());
}

#[test]
fn editors_save_in_many_ways() {
    saves(10, 1);
}

#[test]
fn saves_follow_on_saves() {
    saves(20, 10);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_saves() {
    saves(cases(1000), 10);
}

fn races(count: usize) -> Duration {
    let project = project();
    let watching = Watching::start(&project, &TO_FILE);
    let mut longest = Duration::ZERO;
    for case in 0..count {
        let folder = format!("contexts/standards/a{case}/b/c");
        std::fs::create_dir_all(project.path(&folder)).unwrap();
        let file = project.path(&format!("{folder}/standard-race-{case}.md"));
        std::fs::write(file, format!("# Race {case}\n\nMark-{case}.\n")).unwrap();
        let mark = format!("Mark-{case}.");
        longest = longest.max(watching.until(&mark, |_| read(&project, OUT).contains(&mark)));
        if case % 8 == 7 {
            for case in case - 7..=case {
                let folder = project.path(&format!("contexts/standards/a{case}"));
                std::fs::remove_dir_all(folder).unwrap();
            }
            watching.until("it is gone", |_| !read(&project, OUT).contains(&mark));
        }
    }
    watching.until_true(&project, "the last folder");
    longest
}

#[test]
fn a_file_in_folders_that_are_new() {
    races(8);
}

#[test]
#[ignore = "takes minutes"]
fn five_hundred_files_in_folders_that_are_new() {
    // Polling would take two seconds.
    let longest = races(cases(500));
    assert!(longest < Duration::from_millis(1500), "{longest:?}");
}

#[test]
fn folders_are_renamed_and_removed() {
    let project = project();
    let watching = Watching::start(&project, &TO_FILE);
    let path = |path: &str| project.path(path);
    std::fs::rename(path("contexts/standards"), path("contexts/patterns")).unwrap();
    watching.until_true(&project, "a folder with another name");
    std::fs::rename(path("contexts/patterns"), path("contexts/standards")).unwrap();
    watching.until_true(&project, "the old name");
    save(&project, LETTERS, "# Letters\n\nState 1.\n", 0);
    watching.until_true(&project, "a save in it");
    assert!(read(&project, OUT).contains("State 1."));
    std::fs::remove_dir_all(path("contexts")).unwrap();
    watching.until_true(&project, "no folder");
    assert!(!read(&project, OUT).contains("State 1."));
    let project = project.file(LETTERS, "# Letters\n\nState 2.\n");
    watching.until_true(&project, "a new folder");
    assert!(read(&project, OUT).contains("State 2."));
}

#[test]
fn a_root_that_is_removed_and_made_again() {
    let project = project();
    let folder = project.path("").join("deep");
    let make = |state: usize| {
        for (path, text) in [
            ("roles/clerk/prompt.md", "# Clerk\n".to_owned()),
            (LETTERS, format!("# Letters\n\nState {state}.\n")),
            (".faber/config.yml", "version: 1\n".to_owned()),
        ] {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    };
    make(0);
    let place = folder.to_str().unwrap();
    let watching = Watching::start(&project, &["-C", place, "watch", "assemble", "-o", OUT]);
    for state in 1..4 {
        std::fs::remove_dir_all(&folder).unwrap();
        watching.until("a failure", |watching| {
            watching.err.now().matches("cannot read").count() >= state
        });
        make(state);
        let state = format!("State {state}.");
        watching.until(&state, |_| read(&project, OUT).contains(&state));
    }
    let expected = project.stdout(&["-C", place, "assemble", "--no-cache"]);
    assert_eq!(read(&project, OUT), expected);
}

#[test]
fn a_bad_save_keeps_what_was_there() {
    let project = project();
    let watching = Watching::start(&project, &["watch", "assemble"]);
    let first = project.stdout(&["assemble", "--no-cache"]);
    watching.until("the product", |watching| watching.out.now() == first);
    save(&project, "roles/clerk/prompt.md", "# Clerk\n\n{{include: ../../../x.md}}\n", 1);
    let config = project.path(".faber/config.yml");
    std::fs::write(&config, "budget: {tokens: [\n").unwrap();
    watching.until("the failure", |watching| watching.err.now().contains("must be fixed first"));
    assert!(watching.err.now().contains(".faber/config.yml"), "{}", watching.err.now());
    assert_eq!(watching.out.now(), first);
    std::fs::remove_file(config).unwrap();
    save(&project, "roles/clerk/prompt.md", "# Clerk\n\nYou write letters.\n", 1);
    let second = project.stdout(&["assemble", "--no-cache"]);
    watching.until("both", |watching| watching.out.now() == format!("{first}{second}"));
}

#[test]
fn its_own_output_is_no_change() {
    let project = project();
    for out in ["contexts/out.txt", ".faber/out.md", "roles/clerk/out.md"] {
        let watching = Watching::start(&project, &["watch", "assemble", "-o", out]);
        // Creating the file changes its folder once.
        std::thread::sleep(Duration::from_millis(2500));
        assert!(watching.reruns() <= 1, "{out}: {}", watching.err.now());
        std::fs::remove_file(project.path(out)).unwrap();
        watching.until("it is written again", |_| project.path(out).exists());
    }
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let out = "contexts/standards/standard-out.md";
    let project = project();
    let mut watching = Watching::spawn(project.faber(&["watch", "assemble", "-o", out]));
    assert_eq!(watching.child.wait().unwrap().code(), Some(2));
    watching.until("why", |watching| watching.err.now().contains("is both an output and an input"));
    assert!(!project.path(out).exists());
}

#[test]
fn a_burst_is_one_run() {
    let project = project();
    let mut arguments = TO_FILE.to_vec();
    arguments.extend(["--debounce", "400"]);
    let watching = Watching::start(&project, &arguments);
    for at in 0..200 {
        let path = format!("contexts/standards/standard-{at}.md");
        std::fs::write(project.path(&path), format!("# Number {at}\n")).unwrap();
    }
    watching.until_true(&project, "all of them");
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(watching.reruns(), 1, "{}", watching.err.now());
    assert!(watching.err.now().contains("contexts/standards: "), "{}", watching.err.now());
    for at in 0..200 {
        let path = format!("contexts/standards/standard-{at}.md");
        std::fs::write(project.path(&path), format!("# No {at}\n")).unwrap();
    }
    watching.until_true(&project, "all of them again");
    watching.until("its line", |watching| watching.reruns() == 2);
    assert!(watching.err.now().contains(" and 197 more: "), "{}", watching.err.now());
}

#[test]
fn unchanged_output_is_not_printed_again() {
    let project = project();
    let watching = Watching::start(&project, &["watch", "assemble"]);
    let first = project.stdout(&["assemble", "--no-cache"]);
    watching.until("the product", |watching| watching.out.now() == first);
    save(&project, "contexts/standards/notes.txt", "nobody's", 0);
    watching.until("a run", |watching| watching.err.now().contains(" ms, no changes"));
    save(&project, "notes.txt", "nobody's", 0);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((watching.out.now(), watching.reruns()), (first, 1), "{}", watching.err.now());
}

#[cfg(unix)]
#[test]
fn watch_ends_with_success_on_a_signal() {
    let project = project();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let watching = Watching::start(&project, &TO_FILE);
        assert_eq!(watching.end(signal).code(), Some(0), "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_as_an_input() {
    let project = project().unix_fifo("pipe");
    let run = project.run(&["watch", "assemble", "--input", "pipe"]);
    run.refused(2, &["`watch` cannot read `pipe` again: it is a pipe"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_is_gone_ends_it() {
    let project = project();
    let mut command = project.faber(&["watch", "assemble"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let err = Text::of(child.stderr.take().unwrap());
    let begin = Instant::now();
    while !err.now().contains("watching `") {
        assert!(begin.elapsed() < TIMEOUT, "{}", err.now());
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0), "{}", err.now());
}

#[test]
fn watch_polls_without_events() {
    let project = project();
    let watching = Watching::start(&project, &["watch", "--poll", "assemble", "-o", OUT]);
    watching.until("why", |watching| watching.err.now().contains("checking every half second"));
    for case in 1..6 {
        save(&project, LETTERS, &format!("# Letters\n\nState {case}.\n"), case);
        watching.until_true(&project, "a save");
    }
}

#[test]
fn validate_and_test_are_run_again() {
    let case = "- name: letters\n  role: clerk\n  request: A letter\n  selected: [letters]\n";
    let project = project().file("tests/letters.yml", case);
    let validate = Watching::start(&project, &["watch", "validate", "--format", "concise"]);
    let test = Watching::start(&project, &["watch", "test"]);
    test.until("the first outcome", |test| test.out.now().contains("1 passed"));
    save(&project, LETTERS, "---\ncategory: nonsense\n---\n# Letters\n", 1);
    validate.until("a finding", |validate| validate.out.now().contains("unknown-category"));
    save(&project, "tests/letters.yml", &case.replace("selected", "not_selected"), 1);
    test.until("another outcome", |test| test.out.now().contains("1 failed"));
    save(&project, LETTERS, "# Letters\n\nState 1.\n", 1);
    let fine = |validate: &Watching| validate.err.now().matches(" 0 warnings").count() == 2;
    validate.until("that it is fixed", fine);
}

#[test]
fn standard_input_is_kept() {
    let project = project();
    let mut command = project.faber(&["watch", "assemble", "--request", "-"]);
    let mut watching = Watching::spawn({
        command.stdin(Stdio::piped());
        command
    });
    let mut input = watching.child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"Sort this\n").unwrap();
    drop(input);
    watching.until("a product", |watching| watching.out.now().ends_with("Sort this\n"));
    save(&project, LETTERS, "# Letters\n\nState 1.\n", 0);
    watching.until("another", |watching| watching.out.now().matches("Sort this\n").count() == 2);
    assert!(watching.out.now().contains("State 1."));
}

#[cfg(unix)]
#[test]
fn runs_with_unobservable_inputs_are_repeated() {
    let project = project()
        .file("shelf/linked.md", "# Linked\n\nState 0.\n")
        .symlink("contexts/standards/standard-linked.md", "../../shelf/linked.md");
    let watching = Watching::start(&project, &TO_FILE);
    for case in 1..4 {
        save(&project, "shelf/linked.md", &format!("# Linked\n\nState {case}.\n"), case);
        watching.until_true(&project, "behind a link");
    }
    assert!(read(&project, OUT).contains("State 3."));
}

#[test]
fn commands_that_change_the_workspace_are_refused() {
    let project = project();
    for arguments in [
        &["watch", "validate", "--fix"][..],
        &["watch", "validate", "--write-baseline", "b.json"],
        &["watch", "test", "--update"],
        &["watch", "assemble", "-o", "a", "--report-file", "a"],
        &["watch", "assemble", "--request", "-", "--error", "-"],
        &["watch", "search", "letters"],
        &["watch"],
    ] {
        project.run(arguments).refused(2, &[]);
    }
    TestProject::empty().run(&["watch", "validate"]).refused(2, &["no faber workspace"]);
}

#[test]
#[ignore = "takes a while"]
fn another_branch_is_one_change() {
    let count = cases(1000);
    let project = project();
    let fill = |state: usize| {
        for at in 0..count {
            let path = project.path(&format!("contexts/standards/s{}/standard-{at}.md", at % 40));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("# Number {at}\n\nState {state} of {at}.\n")).unwrap();
        }
    };
    project.git(&["init", "-q", "-b", "one"]);
    fill(1);
    project.git(&["add", "contexts", "roles"]);
    project.git(&["commit", "-qm", "one"]);
    project.git(&["checkout", "-qb", "two"]);
    fill(2);
    project.git(&["commit", "-qam", "two"]);
    let watching = Watching::start(&project, &TO_FILE);
    for round in 0..6 {
        let before = watching.reruns();
        project.git(&["checkout", "-q", ["one", "two"][round % 2]]);
        watching.until_true(&project, "another branch");
        std::thread::sleep(Duration::from_millis(500));
        assert!(watching.reruns() - before <= 2, "{}", watching.err.now());
    }
}
