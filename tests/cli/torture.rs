//! The search index under kills, damage and concurrent changes: answers equal those without it.
//!
//! Long variants: `FABER_CASES=5000 cargo test --release --test cli torture -- --ignored`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::project::{Run, TestProject};

const MOVING: &str = "contexts/references/reference-moving.md";
const ASK: [&str; 5] =
    ["search", "letters and parcels that are moving", "-n10", "--format", "json"];
/// The only allowed loss after a kill.
const NOTICE: &str = "note: the search index is outdated; rebuilding it\n";
const CROWD: usize = 32;
/// Older time stamps are trusted.
const SETTLED: Duration = Duration::from_millis(130);

/// `SplitMix64`, equal in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % (end as u64)).unwrap()
    }
}

pub(crate) fn cases(usual: usize) -> usize {
    let asked = std::env::var("FABER_CASES").ok();
    asked.map_or(usual, |asked| asked.parse().expect("FABER_CASES is a number"))
}

fn workspace() -> TestProject {
    let subjects = ["stamps", "parcels", "counters", "letters", "sorting", "customs"];
    let mut project = TestProject::with_role().file(MOVING, &moving(0));
    for (at, subject) in subjects.iter().cycle().take(12).enumerate() {
        let text = format!(
            "# About {subject} {at}\n\nParcels and {subject} go to shelf {at}.\n\n\
             ## Rules\n\nNever leave {subject} in the rain, and count letters twice.\n"
        );
        project = project.file(&format!("contexts/standards/standard-{subject}-{at}.md"), &text);
    }
    project
}

fn moving(state: usize) -> String {
    let more = "It moves slowly. ".repeat(state % 7);
    let section = format!("\n## A step of {state}\n\nMove letters.\n");
    let sections = section.repeat(1 + state % 3);
    format!("# Moving {state}\n\nLetters that are moving have number {state}. {more}\n{sections}")
}

impl TestProject {
    fn edit(&self, state: usize) {
        let new = self.path(".faber/moving.new");
        std::fs::write(&new, moving(state)).unwrap();
        std::fs::rename(new, self.path(MOVING)).unwrap();
    }

    fn truth(&self, ask: &[&str]) -> String {
        self.stdout(&[ask, &["--no-cache"]].concat())
    }

    fn index_files(&self) -> Vec<PathBuf> {
        let entries = walkdir::WalkDir::new(self.path(".faber/cache/search")).sort_by_file_name();
        let paths = entries.into_iter().map(|entry| entry.unwrap().into_path());
        paths.filter(|path| path.is_file()).collect()
    }

    fn index_names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(".faber/cache/search")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[track_caller]
fn answered(run: &Run, expected: &str, case: &str) {
    assert_eq!(run.code, 0, "{case}: {}", run.stderr);
    assert!(run.stderr.is_empty() || run.stderr == NOTICE, "{case}: {}", run.stderr);
    assert_eq!(run.stdout, expected, "{case}");
}

fn kill(count: usize) {
    let project = workspace();
    let mut dice = Dice(1);
    let mut killed = 0;
    // The fastest so far, to kill most.
    let mut whole = Duration::MAX;
    let mut ask = || {
        let begin = Instant::now();
        let run = project.run(&ASK);
        whole = whole.min(begin.elapsed());
        (run, whole)
    };
    let (_, mut longest) = ask();
    for case in 1..=count {
        project.edit(case);
        if dice.roll(8) == 0 {
            // Recent files are not cached.
            std::thread::sleep(SETTLED);
        }
        let arguments = if dice.roll(4) == 0 { &["index", "build"][..] } else { &ASK };
        let mut command = project.faber(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(longest * u32::try_from(dice.roll(1000)).unwrap() / 1000);
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().code().is_none());
        let run;
        (run, longest) = ask();
        answered(&run, &project.truth(&ASK), &format!("case {case}, {arguments:?}"));
    }
    assert!(!cfg!(unix) || killed * 3 >= count, "only {killed} of {count} were killed in time");
    project.stdout(&ASK);
    let names = project.index_names();
    let left: Vec<&String> = names.iter().filter(|name| name.starts_with("g-")).collect();
    assert_eq!((left.len(), names.len()), (1, 3), "one folder, `current`, `lock`: {names:?}");
    project.stdout(&["index", "build"]);
    let entries = std::fs::read_dir(project.path(".faber/cache")).unwrap();
    let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(
        !names.any(|name| name.starts_with(".removed-")),
        "something is left of what was removed"
    );
}

#[test]
fn a_killed_search_does_no_harm() {
    kill(10);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_killed_searches_do_no_harm() {
    kill(cases(1000));
}

fn damage(path: &Path, dice: &mut Dice) -> bool {
    let old = std::fs::read(path).unwrap();
    let mut bytes = old.clone();
    if bytes.is_empty() {
        return false;
    }
    let at = dice.roll(bytes.len());
    match dice.roll(3) {
        0 => bytes[at] ^= 1 << dice.roll(8),
        1 => {
            let end = bytes.len().min(at + 512);
            bytes[at..end].fill(0);
        }
        _ => bytes.truncate(at),
    }
    std::fs::write(path, &bytes).unwrap();
    bytes != old
}

fn damages(count: usize) {
    let project = workspace();
    let expected = project.truth(&ASK);
    project.stdout(&ASK);
    project.edit(1);
    project.stdout(&ASK);
    project.edit(0);
    let mut dice = Dice(2);
    let mut damaged = 0;
    for case in 0..count {
        answered(&project.run(&ASK), &expected, &format!("case {case}, before"));
        let files = project.index_files();
        let path = &files[case % files.len()];
        let changed = damage(path, &mut dice);
        let run = project.run(&ASK);
        let what = format!("case {case}, {}", path.display());
        answered(&run, &expected, &what);
        assert_eq!(run.stderr == NOTICE, changed, "{what}");
        damaged += usize::from(changed);
    }
    assert!(damaged * 2 > count, "only {damaged} of {count} were damaged");
}

#[test]
fn a_damaged_index_is_noticed_after_it_was_hashed() {
    let project = workspace();
    let expected = project.truth(&ASK);
    project.stdout(&ASK);
    std::thread::sleep(SETTLED);
    answered(&project.run(&ASK), &expected, "it is hashed");
    assert!(project.path(".faber/cache/hashed").is_file());
    let hashed = std::fs::read(project.path(".faber/cache/hashed")).unwrap();
    let is_part = |path: &&PathBuf| path.file_name().is_some_and(|name| name == "0");
    let files = project.index_files();
    let part = files.iter().find(is_part).unwrap();
    let mut bytes = std::fs::read(part).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(part, bytes).unwrap();
    let run = project.run(&ASK);
    answered(&run, &expected, "it is damaged");
    assert_eq!(run.stderr, NOTICE);
    std::thread::sleep(SETTLED);
    for freshness in ["auto", "verify"] {
        let run = project.run(&[&ASK[..], &["--freshness", freshness]].concat());
        answered(&run, &expected, freshness);
        assert_eq!(run.stderr, "", "the new one is sound");
    }
    assert_ne!(std::fs::read(project.path(".faber/cache/hashed")).unwrap(), hashed);
}

#[test]
fn a_damaged_index_is_rebuilt() {
    damages(12);
}

#[test]
#[ignore = "takes minutes"]
fn nine_hundred_damaged_indexes_are_rebuilt() {
    damages(cases(900));
}

const QUESTIONS: [&[&str]; 3] = [
    &ASK,
    &["expand", "reference/moving", "--format", "json"],
    &["query", "letters that are moving", "--max-tokens", "200", "--format", "json"],
];
const STATES: usize = 4;

#[derive(Clone, Copy)]
struct Reign {
    state: usize,
    begin: Instant,
    end: Option<Instant>,
}

fn crowd(count: usize) {
    let project = workspace();
    let answers: Vec<Vec<String>> = (0..STATES)
        .map(|state| {
            project.edit(state);
            QUESTIONS.map(|ask| project.truth(ask)).into()
        })
        .collect();
    let first = Reign { state: STATES - 1, begin: Instant::now(), end: None };
    let reigns = Mutex::new(vec![first]);
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut dice = Dice(3);
            while !over.load(Ordering::Relaxed) {
                let mut reigns = reigns.lock().unwrap();
                let state = (reigns.last().unwrap().state + 1 + dice.roll(STATES - 1)) % STATES;
                reigns.push(Reign { state, begin: Instant::now(), end: None });
                project.edit(state);
                let before = reigns.len() - 2;
                reigns[before].end = Some(Instant::now());
                drop(reigns);
                std::thread::sleep(Duration::from_millis(20 + 20 * dice.roll(20) as u64));
            }
        });
        let asking: Vec<_> = (0..CROWD)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let case = next.fetch_add(1, Ordering::Relaxed);
                        if case >= count {
                            break;
                        }
                        one_of_crowd(&project, case, &reigns, &answers);
                    }
                })
            })
            .collect();
        let ended: Vec<bool> = asking.into_iter().map(|asker| asker.join().is_ok()).collect();
        over.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(|ok| *ok), "somebody was answered badly");
    });
    std::thread::sleep(SETTLED);
    answered(&project.run(&ASK), &project.truth(&ASK), "at the end");
}

fn one_of_crowd(
    project: &TestProject,
    case: usize,
    reigns: &Mutex<Vec<Reign>>,
    answers: &[Vec<String>],
) {
    let begin = Instant::now();
    if case % 8 == 7 {
        let run = project.run(&["index", "build"]);
        assert_eq!(run.code, 0, "case {case}: {}", run.stderr);
        return;
    }
    let asked = case % 16 / 6;
    let run = project.run(QUESTIONS[asked]);
    let end = Instant::now();
    let case = format!("case {case}, {:?}", QUESTIONS[asked]);
    assert_eq!(run.code, 0, "{case}: {}", run.stderr);
    assert!(run.stderr.is_empty() || run.stderr == NOTICE, "{case}: {}", run.stderr);
    let states: Vec<usize> = {
        let reigns = reigns.lock().unwrap();
        let of_time =
            |reign: &&Reign| reign.begin <= end && reign.end.is_none_or(|until| until >= begin);
        reigns.iter().filter(of_time).map(|reign| reign.state).collect()
    };
    assert!(
        states.iter().any(|state| answers[*state][asked] == run.stdout),
        "{case}: none of the states {states:?} answers\n{}",
        run.stdout
    );
}

#[test]
fn a_crowd_is_answered_while_files_change() {
    crowd(CROWD);
}

#[test]
#[ignore = "takes minutes"]
fn a_large_crowd_is_answered_while_files_change() {
    crowd(cases(2000));
}
