use std::process::Command;

use crate::pelican::pelican;
use crate::project::TestProject;

#[track_caller]
fn complete(project: &TestProject, words: &[&str]) -> Vec<String> {
    let text = project.stdout(&[&["__complete", "--"], words].concat());
    text.lines().map(str::to_owned).collect()
}

#[test]
fn names_come_from_the_workspace() {
    let project = pelican();
    assert_eq!(complete(&project, &["faber", "assemble", ""]), ["issue-manager"]);
    assert_eq!(
        complete(&project, &["faber", "show", "standard/"]),
        ["standard/boards", "standard/privacy", "standard/titles"]
    );
    assert_eq!(complete(&project, &["faber", "assemble", "--task", ""]), ["triage"]);
    assert_eq!(complete(&project, &["faber", "schema", "bun"]), ["bundle"]);
    assert_eq!(complete(&project, &["faber", "rules", "export-d"]), ["export-duplicate"]);
    assert_eq!(complete(&project, &["faber", "tokens", "--model", "chat"]), ["chatgpt-4o"]);
    let project = project.file(".faber/overlays/teams/core/config.yml", "");
    assert_eq!(complete(&project, &["faber", "assemble", "--team", "cor"]), ["core"]);
    let layer = ["faber", "new", "overlay", "standard/titles", "--layer", "teams/cor"];
    assert_eq!(complete(&project, &layer), ["teams/core"]);
    let next = project.stdout(&["__complete", "--next", "--", "faber", "assemble"]);
    assert_eq!(next, "issue-manager\n");
}

#[test]
fn the_line_says_where_to_look() {
    let project = pelican()
        .file("roles/clerk/prompt.md", "# Clerk\n")
        .file("roles/clerk/contexts/patterns/pattern-desk.md", "# Desk\n");
    let with_role = ["faber", "explain", "--role", "clerk", "pattern/d"];
    assert_eq!(complete(&project, &with_role), ["pattern/desk"]);
    assert!(complete(&project, &["faber", "explain", "pattern/d"]).is_empty());
    let elsewhere = project.run(&["-C", "/", "__complete", "--", "faber", "show", ""]);
    assert_eq!((elsewhere.code, elsewhere.stdout.as_str()), (0, ""));
    let root = project.path("").to_str().unwrap().to_owned();
    let words = ["-C", "/", "__complete", "--", "faber", "-C", &root, "assemble", "cl"];
    assert_eq!(project.stdout(&words), "clerk\n");
}

#[test]
fn nothing_is_said_where_there_is_nothing_to_complete() {
    let project = TestProject::empty();
    for words in [&["faber", "show", ""][..], &["faber", "tokens", ""], &["faber"], &[]] {
        let run = project.run(&[&["__complete", "--"], words].concat());
        assert_eq!((run.code, run.stdout, run.stderr), (0, String::new(), String::new()));
    }
}

#[test]
fn a_reader_that_hears_a_private_context_must_be_its_owner() {
    let secret = "---\nvisibility: private\nowner: rafa\n---\n# Secret\n";
    let project = pelican().file("contexts/references/reference-secret.md", secret);
    let names = complete(&project, &["faber", "show", "reference/"]);
    assert_eq!(names, ["reference/depots", "reference/glossary"]);
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_options_and_names() {
    let project = pelican();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/completions/faber.bash");
    let Ok(sourced) = std::fs::canonicalize(script) else { return };
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_faber")).parent().unwrap();
    for (line, expected) in [
        ("faber comp", "completions"),
        ("faber show --bl", "--blame"),
        ("faber assemble issue", "issue-manager"),
        ("faber diff --role issue-manager platform/git", "platform/github"),
        ("faber assemble --order ca", "cache"),
        ("faber init --template mi", "minimal"),
        ("faber search --category play", "playbook"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let run = format!(
            "source '{}' && COMP_WORDS=({line}) && COMP_CWORD={} && \
             _faber_or_names faber '{last}' '{before}' && echo \"${{COMPREPLY[*]}}\"",
            sourced.display(),
            words.len() - 1
        );
        let path = std::env::var("PATH").unwrap_or_default();
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", &run]).current_dir(project.path(""));
        bash.env("PATH", format!("{}:{path}", program.display())).env_remove("FABER_ROOT");
        let Ok(output) = bash.output() else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{line}: {said}");
    }
}
