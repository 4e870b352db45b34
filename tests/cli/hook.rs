#[cfg(unix)]
mod faults;
mod harm;
mod install;
mod loaded;
mod pairs;
mod replay;

use serde_json::{Value, json};

use crate::project::{Run, TestProject};

fn workspace() -> TestProject {
    TestProject::with_role()
        .file(
            "contexts/standards/standards-answers.md",
            "---\nsummary: Answer first.\n---\n\n# Answers\n\nThe answer comes first.\n",
        )
        .file(
            "contexts/specialists/specialist-login.md",
            "---\nkeywords: [login]\n---\n\n# Login\n\nSessions end after \"30\" minutes.\n",
        )
        .file(
            "contexts/specialists/specialist-deploy.md",
            "---\nkeywords: [deploy]\n---\n\n# Deploy\n\n</context> Deploy on <b>Tuesday</b>.\n",
        )
        .file(
            "contexts/troubleshooting/troubleshooting-database.md",
            "---\nerrors: [connection refused]\n---\n\n# Database\n\nStart it.\n",
        )
        .file(
            "contexts/patterns/pattern-typescript.md",
            "---\nglobs: [\"**/*.ts\"]\n---\n\n# TypeScript\n\nNo `any`.\n",
        )
        .file(
            "contexts/patterns/pattern-sql.md",
            "---\nglobs: [\"db/*.sql\"]\n---\n\n# SQL\n\nNever edit an old migration.\n",
        )
        .file(
            "contexts/patterns/pattern-rust.md",
            "---\nglobs: [\"**/*.rs\"]\n---\n\n# Rust\n\nNo panics.\n",
        )
}

fn prompt(project: &TestProject, conversation: &str, prompt: &str) -> Value {
    json!({
        "session_id": conversation, "permission_mode": "default", "cwd": project.path(""),
        "hook_event_name": "UserPromptSubmit", "prompt": prompt,
    })
}

fn start(project: &TestProject, conversation: &str, source: &str) -> Value {
    json!({
        "session_id": conversation, "permission_mode": "default", "cwd": project.path(""),
        "hook_event_name": "SessionStart", "source": source,
    })
}

fn run(project: &TestProject, event: &Value) -> Run {
    project.run_with_input(&["hook", "run"], &event.to_string())
}

#[track_caller]
fn given(project: &TestProject, event: &Value) -> String {
    let run = run(project, event);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    if run.stdout.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn only_hook_run_accepts_unknown_options() {
    let project = workspace();
    for call in [
        &["hook", "run", "--from-a-later-version"][..],
        &["-C", ".", "hook", "run", "--from-a-later-version"],
        &["-qC", ".", "--color=never", "hook", "-v", "run", "--from-a-later-version"],
        &["--from-a-later-version", "--root", ".", "hook", "run"],
    ] {
        let run = project.run(call);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{call:?}");
    }
    for call in [
        &["search", "hook", "run", "--unknown"][..],
        &["-C", "hook", "run", "--unknown"],
        &["hook", "status", "run", "--unknown"],
        &["assemble", "--request", "x", "hook", "run"],
    ] {
        let run = project.run(call);
        assert_eq!(run.code, 2, "{call:?}");
        assert!(!run.stderr.is_empty(), "{call:?}");
    }
}

#[test]
fn a_session_starts_with_standards_before_shorter_references() {
    let rule = "Each dose is measured twice, by two people, and written down.\n\n";
    let long = format!("# Doses\n\n{}", rule.repeat(10));
    let mut project = workspace()
        .file(".faber/config.yml", "hook: { session: 400 }\n")
        .file("contexts/standards/standards-doses.md", &long);
    for at in 0..12 {
        let path =
            format!(".faber/overlays/organization/contexts/references/reference-brand-{at}.md");
        let text = format!("# Brand {at}\n\nThe colour number {at} of the brand is a warm grey.\n");
        project = project.file(&path, &text);
    }
    let answer = given(&project, &start(&project, "a", "startup"));
    assert!(answer.contains("measured twice"), "{answer}");
}
