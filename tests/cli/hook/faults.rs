//! System faults cost a repeated context at most.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{given, prompt, run, start, workspace};
use crate::project::{Run, TestProject, program_in};

const STATE: &str = "../home/.local/state/faber/hook";
const NOBODY: u32 = 65_534;

#[track_caller]
fn answer(mut command: Command, event: &Value) -> String {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.to_string().as_bytes())
        .unwrap();
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.stdout
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().to_owned(), std::fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_full_disk_costs_a_repetition() {
    let project = workspace();
    let event = prompt(&project, "a", "login");
    for _ in 0..2 {
        let mut full = program_in("sh", &project.path(""));
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" hook run";
        full.args(["-c", script, env!("CARGO_BIN_EXE_faber")]).env("HOME", project.path("../home"));
        assert!(answer(full, &event).contains("30"));
    }
    assert!(given(&project, &event).contains("30"));
    assert_eq!(given(&project, &event), "");
}

fn without_rights(project: &TestProject, folder: &Path) -> Command {
    let mut command = project.faber(&["hook", "run"]);
    let owner = std::fs::metadata(project.path("")).unwrap().uid();
    if owner == 0 {
        for folder in project.path("").ancestors().take(2) {
            set_mode(folder, 0o755);
        }
        command.uid(NOBODY).gid(NOBODY);
    } else {
        set_mode(folder, 0o555);
    }
    command
}

#[test]
fn a_home_that_cannot_be_written_to_costs_a_repetition() {
    let project = workspace().dir("../home");
    let home = project.path("../home");
    for _ in 0..2 {
        let command = without_rights(&project, &home);
        assert!(answer(command, &prompt(&project, "a", "login")).contains("30"));
    }
    set_mode(&home, 0o755);
    assert_eq!(files(&home), []);
}

#[test]
fn state_of_another_user_is_neither_read_nor_changed() {
    let project = workspace();
    let event = prompt(&project, "a", "login");
    assert!(given(&project, &event).contains("30"));
    let state = project.path(STATE);
    assert_eq!(std::fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
    let before = files(&state);
    let command = without_rights(&project, &state);
    if std::fs::metadata(&state).unwrap().uid() != 0 {
        set_mode(&state, 0);
    }
    assert!(answer(command, &event).contains("30"));
    set_mode(&state, 0o700);
    assert_eq!(files(&state), before);
}

#[test]
fn what_is_in_the_place_of_state_is_not_followed() {
    let project = workspace().file("../home/mine", "mine");
    let event = prompt(&project, "a", "login");
    given(&project, &event);
    let own = [project.path(STATE), project.path(".faber/state")];
    let places: Vec<PathBuf> =
        own.iter().flat_map(|folder| files(folder)).map(|(path, _)| path).collect();
    assert!(places.len() >= 5, "{places:?}");
    for place in &places {
        for fault in ["link", "pipe", "folder", "huge", "corrupt"] {
            for conversation in
                std::fs::read_dir(project.path(STATE).join("conversations")).unwrap()
            {
                std::fs::remove_file(conversation.unwrap().path()).unwrap();
            }
            let _ = std::fs::remove_file(place);
            match fault {
                "link" => symlink(project.path("../home/mine"), place).unwrap(),
                "pipe" => assert!(Command::new("mkfifo").arg(place).status().unwrap().success()),
                "folder" => std::fs::create_dir(place).unwrap(),
                "huge" => std::fs::File::create(place).unwrap().set_len(9 << 20).unwrap(),
                _ => std::fs::write(place, b"{\"schema\":\xff\0\n").unwrap(),
            }
            assert!(given(&project, &event).contains("30"), "{fault} at {}", place.display());
            if fault == "folder" {
                std::fs::remove_dir(place).unwrap();
            }
        }
    }
    assert_eq!(project.text("../home/mine"), "mine");
}

#[test]
fn eight_conversations_at_once_are_all_answered() {
    let project = workspace();
    std::thread::scope(|scope| {
        for at in 0..8 {
            let event = prompt(&project, &at.to_string(), "login");
            let project = &project;
            scope.spawn(move || assert!(given(project, &event).contains("30")));
        }
    });
    for at in 0..8 {
        assert_eq!(given(&project, &prompt(&project, &at.to_string(), "login")), "");
    }
    let status = project.json(&["hook", "status", "--calls", "100", "--format", "json"]);
    assert_eq!(status["calls"].as_array().unwrap().len(), 16);
}

#[test]
fn state_that_cannot_be_written_costs_a_repetition() {
    let project = workspace();
    let project = project.file("../home/.local/state/faber/hook", "");
    for _ in 0..2 {
        assert!(given(&project, &prompt(&project, "a", "login")).contains("30"));
    }
    let project = project.env("HOME", "");
    assert!(given(&project, &prompt(&project, "a", "login")).contains("30"));
    let project = workspace().file(".faber/state", "");
    assert!(given(&project, &prompt(&project, "a", "login")).contains("30"));
}

#[test]
fn of_two_calls_at_once_for_a_conversation_one_gives() {
    let project = workspace();
    given(&project, &start(&project, "a", "startup"));
    let event = prompt(&project, "a", "login").to_string();
    let answers: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| project.run_with_input(&["hook", "run"], &event).stdout))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|answer| !answer.is_empty()).count(), 1, "{answers:?}");
}

#[test]
fn a_killed_call_leaves_nothing_behind_that_stops_the_next() {
    let project = workspace();
    let begun = std::time::Instant::now();
    given(&project, &prompt(&project, "z", "login"));
    let whole = begun.elapsed();
    let event = prompt(&project, "a", "login").to_string();
    for at in 0..20 {
        let mut command = project.faber(&["hook", "run"]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.as_bytes());
        std::thread::sleep(whole * at / 16);
        let _ = child.kill();
        child.wait().unwrap();
    }
    for file in std::fs::read_dir(project.path(STATE).join("conversations")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
        }
    }
    let run = run(&project, &prompt(&project, "b", "login"));
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("30"));
    let mut command = project.faber(&["hook", "run"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let event = prompt(&project, "c", "login").to_string();
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.as_bytes());
    assert!(child.wait().unwrap().success());
    assert!(given(&project, &prompt(&project, "c", "login")).contains("30"), "it was not given");
}
