//! Limits of the system, such as unreadable files.

use std::process::Command;

use crate::project::{Run, TestProject, program_in};

const NAMING: &str = "contexts/standards/standards-naming.md";
const CASE: &str = "- name: a\n  request: x\n  selected: [naming]\n";

fn project() -> TestProject {
    TestProject::with_role()
        .file(NAMING, "# Naming\n\nNames are short.\n")
        .file("roles/clerk/tasks/sort.md", "# Sort\n")
        .file("roles/porter/prompt.md", "# Porter\n\nYou carry letters.\n")
        .file(".faber/config.yml", "settings: { role: clerk }\n")
        .file(".faber/overlays/teams/core/contexts/standards/standards-x.md", "# X\n")
        .file(".faber/history/a.md", "---\nstatus: draft\n---\nUse stamps.\n")
        .file("tests/a.yml", CASE)
        .file("roles/clerk/tests/b.yml", CASE)
}

#[test]
fn an_unreadable_folder_is_reported() {
    let cases: &[(&str, &[&str], i32)] = &[
        ("contexts", &["validate"], 1),
        ("contexts", &["search", "names"], 0),
        ("contexts", &["query", "names"], 0),
        ("contexts", &["catalog"], 0),
        ("roles", &["validate"], 1),
        ("roles", &["list", "roles"], 0),
        ("roles", &["test"], 2),
        ("roles", &["assemble", "porter"], 2),
        ("roles/porter", &["validate"], 1),
        ("roles/clerk/tasks", &["validate"], 1),
        ("roles/clerk/tasks", &["assemble", "--task", "sort"], 2),
        ("roles/clerk/tests", &["test"], 2),
        ("tests", &["test"], 2),
        (".faber/overlays/teams", &["validate"], 1),
        (".faber/overlays/teams", &["assemble", "--team", "core"], 2),
        (".faber/history", &["validate"], 1),
        (".faber/history", &["review"], 2),
        (".faber/history", &["approve", "history/a"], 2),
        ("../home/.local/state/faber/hook", &["hook", "status"], 0),
    ];
    for (path, arguments, code) in cases {
        let project = project().dir("../home/.local/state/faber/hook");
        project.set_mode(path, 0);
        let run = project.unprivileged(arguments);
        project.set_mode(path, 0o755);
        assert_eq!(run.code, *code, "{path} {arguments:?}: {}{}", run.stdout, run.stderr);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("permission denied"), "{path} {arguments:?}: {said}");
        assert!(said.contains(path.trim_start_matches("../home/")), "{path} {arguments:?}: {said}");
    }
}

#[test]
fn roles_that_cannot_be_listed_are_not_said_to_be_missing() {
    let project = TestProject::with_role();
    project.set_mode("roles", 0);
    let run = project.unprivileged(&["assemble"]);
    project.set_mode("roles", 0o755);
    run.refused(2, &["the roles in `roles` cannot be read: permission denied"]);
}

#[test]
fn a_context_with_an_unreadable_overlay_is_left_out() {
    let overlay = ".faber/overlays/organization/contexts/standards/standards-naming.md";
    let bundle = |sealed: &str| {
        let base = format!("---\nsealed: {sealed}\n---\n# Naming\n\nNames are short.\n");
        let project = project().file(NAMING, &base).file(overlay, "# Naming\n\nOther names.\n");
        project.set_mode(overlay, 0);
        project.unprivileged(&["assemble", "--request", "x"])
    };
    let run = bundle("false");
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&["unreadable", overlay]);
    assert!(!run.stdout.contains("Names are short."), "{}", run.stdout);
    let sealed = bundle("true").stdout;
    assert!(sealed.contains("Names are short."), "no overlay replaces it: {sealed}");
}

#[test]
fn a_search_reports_missing_packs() {
    let config = "packs:\n  acme: { git: \"https://git.example.com/acme.git\" }\n";
    let project = project().file(".faber/config.yml", config);
    for _ in 0..2 {
        for arguments in [&["search", "names"][..], &["query", "names", "-q"], &["catalog"]] {
            let run = project.run(arguments);
            assert_eq!(run.code, 0, "{}", run.stderr);
            run.said(&["unavailable-pack", "acme"]);
        }
    }
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let project = project().file("out.md", "mine");
    project.set_mode("out.md", 0o444);
    project
        .run(&["assemble", "-o", "out.md"])
        .refused(2, &["`out.md` is not written: it is read-only"]);
    assert_eq!(project.text("out.md"), "mine");
}

#[test]
fn an_import_whose_record_cannot_be_written_changes_nothing() {
    let project = project().file("CLAUDE.md", "# Rules\n\nOne.\n");
    project.stdout(&["import", "CLAUDE.md"]);
    let project = project.file("CLAUDE.md", "# Rules\n\nTwo.\n");
    let files = project.files();
    project.set_mode(".faber/imports.json", 0o444);
    let run = project.run(&["import", "--update"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    run.said(&["unwritable", ".faber/imports.json"]);
    assert_eq!(project.files(), files);
    project.set_mode(".faber/imports.json", 0o644);
    let record = project.text(".faber/imports.json");
    project.stdout(&["import", "--update"]);
    project.stdout(&["import", "--check"]);
    let project = project.file(".faber/imports.json", &record);
    let run = project.run(&["import", "--check"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    run.said(&["`.faber/imports.json` is out of date"]);
}

#[test]
fn files_that_cannot_be_written_are_no_findings_about_contexts() {
    let project = project().dir(".cursor/rules").file("CLAUDE.md", "# Rules\n");
    project.set_mode("contexts/standards", 0o555);
    let run = project.unprivileged(&["import", "CLAUDE.md"]);
    project.set_mode("contexts/standards", 0o755);
    assert_eq!(run.code, 2, "{}", run.stderr);
    run.said(&["0 files imported, 1 not written\n"]);
    project.set_mode(".cursor/rules", 0o555);
    let run = project.unprivileged(&["export", "cursor"]);
    project.set_mode(".cursor/rules", 0o755);
    assert_eq!(run.code, 2, "{}", run.stderr);
    run.said(&["unwritable", "permission denied"]);
}

#[test]
fn a_cache_folder_of_another_user_is_not_used() {
    let project = project().file(".faber/cache/search/current", "theirs");
    project.set_mode(".faber/cache", 0o555);
    for arguments in [&["index", "build"][..], &["index"], &["index", "clear"]] {
        let run = project.unprivileged(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    }
    project.set_mode(".faber/cache", 0o755);
}

#[test]
fn a_workspace_that_may_not_be_entered_is_not_said_to_be_missing() {
    let project = project();
    let home = project.path("../home").canonicalize().unwrap();
    let mut command = program_in(env!("CARGO_BIN_EXE_faber"), &home);
    command.args(["-C", "../project", "validate"]).env("HOME", &home);
    project.set_mode("", 0);
    let run = Run::from(project.of_nobody(command).output().unwrap());
    project.set_mode("", 0o755);
    run.refused(2, &["cannot read", "permission denied"]);
}

#[test]
fn an_absolute_root_needs_no_working_directory() {
    let project = project().dir("gone");
    let run = |root: &str| {
        let script = "cd gone && rmdir ../gone && exec \"$0\" -C \"$1\" list roles";
        let mut command = program_in("sh", &project.path(""));
        command.args(["-c", script, env!("CARGO_BIN_EXE_faber"), root]);
        Run::from(command.env("HOME", project.path("../home")).output().unwrap())
    };
    let absolute = run(project.path("").to_str().unwrap());
    assert_eq!(absolute.code, 0, "{}", absolute.stderr);
    assert!(absolute.stdout.contains("clerk"));
    std::fs::create_dir(project.path("gone")).unwrap();
    run(".").refused(2, &["cannot read `.`"]);
}

#[test]
fn a_home_that_is_no_folder_has_no_files() {
    let project = project().env("HOME", "/dev/null");
    assert_eq!(project.run(&["validate"]).code, 0);
    assert!(project.stdout(&["assemble", "--request", "x"]).contains("Names are short."));
}

#[test]
fn the_help_about_a_hook_file_names_the_file() {
    let project = project().dir(".claude/settings.json");
    let run = project.run(&["hook", "install", "claude"]);
    run.refused(2, &["it is a directory", "repair or remove `.claude/settings.json`"]);
}

#[cfg(target_os = "linux")]
#[test]
fn without_threads_the_first_does_all_work() {
    if Command::new("prlimit").arg("--version").output().is_err() {
        eprintln!("skipped: prlimit is missing");
        return;
    }
    let project = project();
    for arguments in [&["validate"][..], &["search", "names"], &["assemble", "--request", "x"]] {
        let mut command = program_in("prlimit", &project.path(""));
        command.args(["--nproc=1", env!("CARGO_BIN_EXE_faber")]).args(arguments);
        command.env("HOME", project.path("../home"));
        let run = Run::from(project.of_nobody(command).output().unwrap());
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    }
}
