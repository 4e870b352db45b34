//! First steps.

use crate::project::{TestProject, program_in};

fn fresh() -> TestProject {
    let project = TestProject::empty();
    project.run(&["init"]).said(&["next: faber assemble"]);
    project
}

#[test]
fn a_second_role_leaves_everything_working() {
    for template in ["default", "minimal"] {
        let project = TestProject::empty();
        assert_eq!(project.run(&["init", "--template", template]).code, 0);
        let run = project.run(&["new", "role", "release-manager"]);
        assert_eq!((run.code, &*run.stderr), (0, ""));
        assert!(project.stdout(&["assemble"]).starts_with("# Assistant"));
        let project = project.file("AGENTS.md", &"Use tabs in all files.\n".repeat(500));
        project.stdout(&["import", "."]);
        assert!(project.stdout(&["test"]).contains("passed"));
        assert_eq!(project.stdout(&["new", "task", "x"]), "create  roles/assistant/tasks/x.md\n");
    }
}

#[cfg(unix)]
#[test]
fn the_commands_of_readmes_work() {
    let made: [&[&[&str]]; 4] = [
        &[&["init"]],
        &[&["init", "--template", "minimal"]],
        &[&["import", "."]],
        &[&["init"], &["new", "role", "porter"]],
    ];
    for commands in made {
        let project = TestProject::empty().file("CLAUDE.md", "Use tabs.\n");
        project.git(&["init", "-q"]);
        for arguments in commands {
            project.stdout(arguments);
        }
        let readmes = project.files().into_iter().filter(|(path, _)| path.ends_with("README.md"));
        let texts = readmes.map(|(_, text)| String::from_utf8(text).unwrap());
        let scripts = texts
            .filter_map(|text| Some(text.split_once("```sh\n")?.1.split_once("```")?.0.to_owned()));
        let scripts: Vec<String> = scripts.collect();
        assert!(!scripts.is_empty());
        for script in scripts {
            let faber = env!("CARGO_BIN_EXE_faber");
            let script = format!("set -euo pipefail\nfaber() {{ '{faber}' \"$@\"; }}\n{script}");
            let output = program_in("bash", &project.path("")).args(["-c", &script]).output();
            let output = output.unwrap();
            assert!(output.status.success(), "{script}{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn a_workspace_is_not_created_in_a_folder_of_another() {
    let project = fresh().dir("app").dir("lib/contexts");
    let files = project.files();
    for folder in ["contexts", "contexts/standards", "roles/assistant", ".faber", "contexts/new/x"]
    {
        project.run(&["init", folder]).refused(2, &["belongs to the workspace", "faber new"]);
    }
    assert_eq!(project.files(), files);
    for folder in ["app", "lib/contexts"] {
        let run = project.run(&["init", folder]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.said(&["note: this workspace is inside the workspace `"]);
    }
    let run = project.file("my app/CLAUDE.md", "# C\n").run(&["init", "my app"]);
    run.said(&["next: faber -C \"my app\" assemble"]);
    run.said(&["to use `CLAUDE.md`: faber -C \"my app\" import \"my app\""]);
}

#[test]
fn a_role_is_not_created_twice() {
    let project = TestProject::empty().file("CLAUDE.md", "Use tabs.\n");
    project.stdout(&["import", "."]);
    let files = project.files();
    let prompt = "`.faber/roles/assistant/prompt.md` already exists";
    project.run(&["new", "role", "assistant"]).refused(2, &[prompt]);
    assert_eq!(project.files(), files);
}

#[test]
fn a_context_is_created_in_the_library_of_the_workspace() {
    let project = TestProject::empty()
        .file("CLAUDE.md", "Use tabs.\n")
        .file("contexts/Theme.tsx", "export const Theme = 1;\n");
    project.stdout(&["import", "."]);
    let new = |name| project.run(&["new", "context", name, "--category", "standard"]);
    let path = ".faber/contexts/standards/standards-claude.md";
    new("claude").refused(2, &[&format!("`{path}` already exists")]);
    assert_eq!(new("tabs").stdout, "create  .faber/contexts/standards/standards-tabs.md\n");
    assert!(!project.path("contexts/standards").exists());
}

#[test]
fn quiet_leaves_out_notes_and_keeps_errors() {
    let project = TestProject::empty();
    let quiet = |arguments: &[&str]| {
        let run = project.run(&[&["-q"], arguments].concat());
        assert_eq!((run.code, &*run.stdout, &*run.stderr), (0, "", ""), "{arguments:?}");
    };
    quiet(&["init"]);
    quiet(&["search", "qqqqzz"]);
    quiet(&["review"]);
    quiet(&["diff", "assistant"]);
    quiet(&["trust", "--list"]);
    project.run(&["search", "qqqqzz"]).said(&["no results"]);
    project.run(&["-q", "init"]).refused(2, &["is already a workspace"]);
}

#[test]
fn a_second_role_without_a_default_is_noted() {
    let project = TestProject::with_role();
    project.run(&["new", "role", "porter"]).said(&["several roles", "settings.role: clerk"]);
    assert_eq!(project.run(&["new", "role", "guard"]).stderr, "", "there were several before");
    project.run(&["assemble"]).refused(2, &["several roles", "`clerk`, `guard`, `porter`"]);
}

#[test]
fn untouched_templates_are_found() {
    let project = fresh();
    assert!(!project.stdout(&["validate", "--format", "concise"]).contains("template-text"));
    let mut made = Vec::new();
    let mut new = |arguments: &[&str]| {
        let created = project.stdout(&[&["new"], arguments].concat());
        let paths = created.lines().map(|line| line.strip_prefix("create  ").unwrap());
        made.extend(paths.map(str::to_owned));
    };
    new(&["role", "porter"]);
    for kind in ["task", "flow", "platform"] {
        new(&[kind, "made"]);
    }
    for category in
        ["pattern", "playbook", "reference", "specialist", "standard", "troubleshooting"]
    {
        new(&["context", "made", "--category", category]);
    }
    new(&["overlay", "planning", "--layer", "teams/x"]);
    let found = project.run(&["validate", "--format", "concise"]).stdout;
    for path in made {
        let is_found =
            |line: &str| line.starts_with(&format!("{path}:")) && line.contains("template-text");
        assert!(found.lines().any(is_found), "{path} in\n{found}");
    }
}

#[test]
fn a_key_that_is_almost_right_is_a_warning_with_a_fix() {
    let project = TestProject::with_role()
        .file("roles/clerk/agent.yml", "platform: [a]\nmade_by: us\n")
        .file(
            "contexts/specialists/specialist-x.md",
            "---\ndescripton: X.\nkeyword: [x]\ncustom: 1\n---\nX.\n",
        );
    let found = project.run(&["validate", "--format", "concise", "-v"]).stdout;
    for line in [
        "specialist-x.md:2:1: warning[unknown-field]",
        "specialist-x.md:3:1: warning[unknown-field]",
        "specialist-x.md:4:1: hint[unknown-field]",
        "agent.yml:1:1: warning[unknown-role-field]",
        "agent.yml:2:1: hint[unknown-role-field]",
    ] {
        assert!(found.contains(line), "{line} in\n{found}");
    }
    project.run(&["validate", "--fix", "--unsafe"]);
    let text = "---\ndescription: X.\nkeywords: [x]\ncustom: 1\n---\nX.\n";
    assert_eq!(project.text("contexts/specialists/specialist-x.md"), text);
    assert_eq!(project.text("roles/clerk/agent.yml"), "platforms: [a]\nmade_by: us\n");
}

#[test]
fn names_that_are_almost_right_have_few_candidates() {
    let mut project = fresh();
    for number in 0..30 {
        project = project.file(&format!("contexts/references/reference-r{number}.md"), "X.\n");
    }
    let refused = |arguments: &[&str], words: &[&str]| project.run(arguments).refused(2, words);
    refused(&["assemble", "Plan the release"], &["write `--request \"Plan the release\"`"]);
    refused(&["assemble", "Plan"], &["write `--request \"Plan\"`"]);
    refused(&["assemble", "assistnt"], &["did you mean `assistant`?"]);
    refused(&["assemble", "porter"], &["available: `assistant`"]);
    refused(&["explain", "Plan it"], &["write `--request \"Plan it\"`"]);
    refused(&["show", "plan"], &["did you mean `specialist/planning`?"]);
    refused(&["show", "reviewr"], &["did you mean `specialist/review`?"]);
    refused(
        &["show", "reference/rr"],
        &["did you mean `reference/r0`, `reference/r1` or `reference/r2`?"],
    );
    refused(&["show", "letters"], &["available: ", " and 27 more; `faber list` lists all"]);
    refused(&["new", "playbook", "x"], &["faber new context NAME --category playbook"]);
    refused(&["new", "overlay", "planning", "--layer", "team/x"], &["did you mean `teams/x`?"]);
    let layer = "roles/assistnt";
    refused(&["new", "overlay", "planning", "--layer", layer], &["did you mean `assistant`?"]);
    refused(&["test", "revew"], &["did you mean `review`?"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_bundle_is_copied() {
    use std::os::unix::fs::PermissionsExt;

    let script = "#!/bin/sh\ncat > copied\n";
    let project = TestProject::with_role().file("bin/wl-copy", script);
    let path = project.path("bin/wl-copy");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    let programs = format!("{}:/usr/bin:/bin", project.path("bin").display());
    let project = project.env("PATH", &programs).env("WAYLAND_DISPLAY", "wayland-0");
    let bundle = project.stdout(&["assemble"]);
    let run = project.run(&["assemble", "--copy"]);
    assert_eq!((run.code, &*run.stdout), (0, ""));
    run.said(&["tokens copied to the clipboard by `wl-copy`"]);
    assert_eq!(project.text("copied"), bundle);
    let project = project.file("bin/wl-copy", "#!/bin/sh\nexit 1\n");
    project.run(&["assemble", "--copy"]).refused(2, &["no clipboard found", "--output"]);
    project.run(&["assemble", "--copy", "-o", "x"]).refused(2, &["cannot be used with"]);
}

#[test]
fn folders_are_counted_as_a_tree() {
    let project = TestProject::empty()
        .file("a/b/one.md", "one two three\n")
        .file("a/b/two.md", "one\n")
        .file("ignored.md", "x\n")
        .file(".gitignore", "ignored.md\n")
        .bytes("a/data", b"\xff\xfe\x00");
    let text = project.stdout(&["tokens", "--tree", "a"]);
    assert_eq!(
        text,
        "6 100.0 %  a\n6 100.0 %  └─ b\n4  66.7 %     ├─ one.md\n2  33.3 %     └─ two.md\n"
    );
    project.run(&["tokens", "--tree", "a"]).said(&["1 file left out"]);
    let folded = project.stdout(&["tokens", "--tree", "--depth", "1"]);
    assert!(folded.contains("└─ .gitignore") || folded.contains("├─ .gitignore"), "{folded}");
    assert!(folded.contains("a/b/ (2 files)") && !folded.contains("ignored.md"), "{folded}");
    let data = project.json(&["tokens", "--tree", "a", ".gitignore", "--format", "json"]);
    assert_eq!(data["tree"]["name"], "total");
    assert_eq!(data["tree"]["tokens"], data["total"]);
    assert_eq!(data["tree"]["children"][0]["children"][0]["files"], 2);
    assert_eq!(data["files"][0]["path"], "a/b/one.md");
    let two = ["tokens", "--tree", "--model", "gpt-4o", "--model", "claude-3", "a"];
    project.run(&two).refused(2, &["`--tree` counts with one model"]);
    project.run(&["tokens", "--tree", "none"]).refused(2, &["no such file or directory"]);
}

#[test]
fn a_role_that_comes_with_an_import_is_the_default() {
    let exporting = TestProject::with_role();
    exporting.stdout(&["export", "agents-md"]);
    let project = TestProject::empty().file("AGENTS.md", &exporting.text("AGENTS.md"));
    project.stdout(&["import", "."]);
    assert!(project.stdout(&["assemble"]).starts_with("# Clerk"));
}

#[test]
fn a_new_context_takes_no_identity_that_another_file_has() {
    let other = "contexts/standards/standards-x.md";
    let project = TestProject::new().file(other, "---\nname: style\n---\n# Style\n\nShort.\n");
    let new = ["new", "context", "style", "--category", "standard"];
    let is_same = project.stdout(&["list", "contexts"]).contains("standard/style");
    assert!(is_same, "the name of the front matter counts");
    project.run(&new).refused(2, &["`standard/style` already exists", other]);
    let project = project.file("roles/clerk/prompt.md", "# Clerk\n\nYou sort.\n");
    project.stdout(&[&new[..], &["--role", "clerk"]].concat());
}

#[test]
fn a_new_role_is_where_roles_are() {
    let project = TestProject::new().file(".faber/roles/clerk/prompt.md", "# Clerk\n\nYou sort.\n");
    let made = project.stdout(&["new", "role", "porter"]);
    assert!(made.lines().all(|path| path.starts_with("create  .faber/roles/porter/")), "{made}");
    let made = TestProject::new().stdout(&["new", "role", "porter"]);
    assert!(made.lines().all(|path| path.starts_with("create  roles/porter/")), "{made}");
}

/// They need a server, or never end.
const ELSEWHERE: [&str; 3] = ["faber watch ", "faber pack add platform ", "faber pack update"];

#[test]
fn the_examples_of_help_work_in_a_new_workspace() {
    let source = include_str!("../../src/cli/examples.rs").replace("\\\"", "\"");
    let message = "{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"content\":\"Ship it\"}}\n";
    for examples in source.split("Examples:\n").skip(1) {
        let (examples, _) = examples.split_once("\";\n").unwrap();
        let project = TestProject::empty()
            .file(".claude/rules/a.md", "# A\n")
            .file(".cursor/rules/b.mdc", "# B\n")
            .file("notes/contexts/standards/standards-n.md", "# N\n")
            .file("README.md", "# Project\n")
            .file("chat.jsonl", message)
            .file("session.jsonl", message);
        project.git(&["init", "-q"]);
        let is_init = examples.trim_start().starts_with("faber init");
        if !is_init {
            project.stdout(&["init"]);
        }
        project.git(&["add", "-A"]);
        project.git(&["commit", "-q", "-m", "All"]);
        for line in examples.lines() {
            let mut parts = line.split(" | ").flat_map(|part| part.split(" -- ")).map(str::trim);
            let example = parts.find(|part| part.starts_with("faber ")).unwrap();
            if ELSEWHERE.iter().any(|start| example.starts_with(start)) {
                continue;
            }
            let example = example.replace("\"$PWD\"", ".");
            let quoted = example.split('"').enumerate();
            let words = quoted.flat_map(|(at, text)| match at % 2 {
                0 => text.split_whitespace().collect(),
                _ => vec![text],
            });
            let words: Vec<&str> = words.skip(1).collect();
            let run = project.run_with_input(&words, "");
            let may_differ = words.contains(&"--check");
            assert!(run.code == 0 || may_differ && run.code == 1, "{line}: {}", run.stderr);
            if is_init {
                std::fs::remove_dir_all(project.path(".faber")).unwrap();
                std::fs::remove_dir_all(project.path("roles")).unwrap();
            }
        }
    }
}
