//! Hostile files. See `tests/hostile`.

use std::fmt::Write;

use crate::project::TestProject;

const FILE: &str = "contexts/standards/standards-a.md";

fn findings(text: &str, rule: &str) -> (usize, String) {
    let project = TestProject::new().file(FILE, text);
    let run = project.run(&["validate", "--no-cache", "--format", "json", "--select", rule]);
    let data: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let all = data["diagnostics"].as_array().or(data["findings"].as_array()).expect(&run.stdout);
    let last = all.last().map(|last| last["message"].as_str().unwrap().to_owned());
    (all.len(), last.unwrap_or_default())
}

#[test]
fn findings_over_a_thousand_are_counted() {
    let words = "p\u{430}ssword\n".repeat(1500);
    let more = |rule: &str| format!("500 more findings of `{rule}` in this file");
    assert_eq!(findings(&words, "mixed-script"), (1001, more("mixed-script")));
    let tokens = (0..1500).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "ghp_{at:04}wJ4rX8tK2mQ9vB6nZ3pL7sD5fG1hC0yT");
        text
    });
    assert_eq!(findings(&tokens, "secret"), (1001, more("secret")));
    let links = (0..1500).fold("# A\n".to_owned(), |mut text, at| {
        let _ = writeln!(text, "[a](#x{at})");
        text
    });
    assert_eq!(findings(&links, "dead-anchor"), (1001, more("dead-anchor")));
    let few = "p\u{430}ssword\n".repeat(1001);
    assert!(!findings(&few, "mixed-script").1.contains("more findings"));
}

#[test]
fn no_secret_is_shown_because_there_are_many() {
    let mut text = String::from("# A\n");
    for at in 0..1500 {
        let _ = writeln!(text, "ghp_{at:04}wJ4rX8tK2mQ9vB6nZ3pL7sD5fG1hC0yT");
    }
    text.push_str("\n[ghp_1499wJ4rX8tK2mQ9vB6nZ3pL7sD5fG1hC0yT](#x)\n");
    let project = TestProject::new().file(FILE, &text);
    for format in ["human", "concise", "json", "sarif", "github"] {
        let run = project.run(&["validate", "--no-cache", "--format", format]);
        assert!(!run.stdout.contains("wJ4rX8tK2mQ9vB6n"), "{format}");
    }
}

#[cfg(unix)]
#[test]
fn a_program_of_a_clone_is_not_run_by_its_name() {
    use std::os::unix::fs::PermissionsExt;
    let project = TestProject::with_role().file("git", "#!/bin/sh\ntouch ran\n");
    let program = project.path("git");
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(project.path(".git")).unwrap();
    let path = std::env::var("PATH").unwrap();
    for first in [".", "", "./", "../project"] {
        let mut command = project.faber(&["validate", "--changed"]);
        command.env("PATH", format!("{first}:{path}")).output().unwrap();
        assert!(!project.path("ran").exists(), "{first:?}");
    }
}
