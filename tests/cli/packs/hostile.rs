//! Hostile remote repositories.

use super::remote::{Remote, project};
use crate::project::TestProject;

const GOOD: (&str, &str, &str) = ("100644", "a.md", "# A\n");

#[track_caller]
fn refused(remote: &Remote, words: &[&str]) {
    let project = project();
    project.run(&["pack", "add", "acme", &remote.url()]).refused(2, words);
    untouched(&project);
}

#[track_caller]
fn untouched(project: &TestProject) {
    assert!(!project.path("faber.lock").exists() && !project.path(".faber/config.yml").exists());
    let store = project.path("../home/.cache/faber/packs");
    for entry in std::fs::read_dir(store).into_iter().flatten() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(["git", "store.lock", "turns"].contains(&&*name), "{name}");
    }
}

#[test]
fn links_submodules_and_odd_names_are_refused() {
    let commit = "1".repeat(40);
    for (entry, words) in [
        (("120000", "link.md", "/etc/passwd"), "a link out of the repository"),
        (("120000", "up.md", "docs/../../x.md"), "a link out of the repository"),
        (("160000", "module", &*commit), "it is a submodule"),
        (("100644", "back\\slash.md", "x"), "one of `\\ : <"),
        (("100644", "quo\"te.md", "x"), "one of `\\ : <"),
        (("100644", "CON.md", "x"), "reserved on Windows"),
        (("100644", "dot.", "x"), "dot"),
        (("100644", "bidi\u{202e}.md", "x"), "reorders"),
        (("100644", "line\nbreak.md", "x"), "control"),
        (("100644", "A.md", "# A\n"), "one name on some systems"),
    ] {
        let remote = Remote::new();
        remote.commit_entries(&[GOOD, entry]);
        refused(&remote, &[words]);
    }
    let remote = Remote::new();
    remote.commit_entries(&[("100644", "\u{e9}.md", "x"), ("100644", "e\u{301}.md", "x")]);
    refused(&remote, &["one name on some systems"]);
}

#[test]
fn links_to_other_files_of_a_repository_are_left_out() {
    let remote = Remote::new();
    let links = [("120000", "AGENTS.md", "CLAUDE.md"), ("120000", "x.md", "docs/../CLAUDE.md")];
    remote.commit_entries(&[links[0], ("100644", "CLAUDE.md", "# Rules\n\nOne.\n"), links[1]]);
    let project = project();
    let run = project.run(&["pack", "add", "acme", &remote.url()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&["note: 2 links of the pack `acme` are left out, such as `AGENTS.md`"]);
    let lock = project.text("faber.lock");
    assert!(lock.contains("CLAUDE.md") && !lock.contains("AGENTS.md"), "{lock}");
    project.stdout(&["trust"]);
    assert!(project.stdout(&["list", "contexts"]).contains("standard/claude"));
}

#[test]
fn trees_that_lead_elsewhere_are_refused_by_git_or_faber() {
    for name in [".git", "git~1", "..", ".GIT"] {
        let remote = Remote::new();
        let blob = remote.git_with(&["hash-object", "-w", "--stdin"], "x");
        let inner = remote.git_with(&["mktree", "-z"], &format!("100644 blob {blob}\tconfig\0"));
        remote.commit_entries(&[GOOD, ("040000", name, &inner)]);
        let project = project();
        let run = project.run(&["pack", "add", "acme", &remote.url()]);
        assert_eq!(run.code, 2, "{name}: {}", run.stdout);
        untouched(&project);
    }
}

#[test]
fn what_a_remote_says_cannot_drive_a_terminal() {
    let remote = Remote::new();
    let standard = "contexts/standards/a.md";
    remote.commit(&[(standard, "# A\n\nOne.\n")]);
    let project = project();
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    project.stdout(&["trust"]);
    let evil = "# A\n\n\u{1b}[2J\u{1b}]0;owned\u{7} One \u{202e}eno.\n";
    remote.commit(&[(standard, evil)]);
    for format in ["human", "markdown", "json"] {
        let run = project.run(&["pack", "update", "--dry-run", "--format", format]);
        assert!(run.stdout.contains("One"), "{}{}", run.stdout, run.stderr);
        for text in [&run.stdout, &run.stderr] {
            assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
        }
    }
    let stored = project.stored(standard).with_file_name("x\u{1b}[2J.md");
    std::fs::write(stored, "x").unwrap();
    let verified = project.run(&["pack", "verify"]);
    assert!(verified.stdout.contains("is not in the lock"), "{}", verified.stdout);
    assert!(!verified.stdout.contains('\u{1b}'), "{:?}", verified.stdout);
}

#[test]
fn attributes_filters_and_hooks_of_a_remote_do_nothing() {
    let remote = Remote::new();
    let attributes = "*.md filter=evil ident export-subst eol=crlf\nsecret.md export-ignore\n";
    remote.commit_entries(&[
        ("100644", ".gitattributes", attributes),
        ("100644", "AGENTS.md", "# Rules\n\nSort.\n"),
        ("100644", "secret.md", "# Id\n\n$Id$ $Format:%H$\n"),
        ("100755", "run.sh", "#!/bin/sh\ntouch /tmp/never\n"),
        ("100644", ".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = https://example.com/x\n"),
    ]);
    let project = project();
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let text = std::fs::read_to_string(project.stored("secret.md")).unwrap();
    assert_eq!(text, "# Id\n\n$Id$ $Format:%H$\n");
}

#[test]
fn pointers_of_lfs_are_refused() {
    let remote = Remote::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    remote.commit_entries(&[("100644", "big.md", pointer)]);
    refused(&remote, &["Git LFS"]);
}

#[test]
fn too_many_files_and_too_many_bytes_are_refused() {
    let remote = Remote::new();
    let names: Vec<String> = (0..10_001).map(|n| format!("f{n}.md")).collect();
    let blob = remote.git_with(&["hash-object", "-w", "--stdin"], "x");
    let tree = names.iter().map(|name| format!("100644 blob {blob}\t{name}\0"));
    let tree = tree.collect::<Vec<_>>().concat();
    let tree = remote.git_with(&["mktree", "-z"], &tree);
    remote.commit_entries(&[GOOD, ("040000", "many", &tree)]);
    refused(&remote, &["more than 10000 files"]);
    let remote = Remote::new();
    let blob = remote.git_with(&["hash-object", "-w", "--stdin"], &"x".repeat(2 << 20));
    let tree = (0..60).map(|n| format!("100644 blob {blob}\tf{n}.md\0"));
    let tree = tree.collect::<Vec<_>>().concat();
    let tree = remote.git_with(&["mktree", "-z"], &tree);
    remote.commit_entries(&[GOOD, ("040000", "large", &tree)]);
    refused(&remote, &["more than 100 MiB"]);
}

#[test]
fn a_tree_of_trees_without_end_is_refused() {
    let remote = Remote::new();
    let blob = remote.git_with(&["hash-object", "-w", "--stdin"], "x");
    let leaf = (0..10).map(|n| format!("100644 blob {blob}\tf{n}\0")).collect::<Vec<_>>().concat();
    let mut tree = remote.git_with(&["mktree", "-z"], &leaf);
    for _ in 0..9 {
        let level =
            (0..10).map(|n| format!("040000 tree {tree}\td{n}\0")).collect::<Vec<_>>().concat();
        tree = remote.git_with(&["mktree", "-z"], &level);
    }
    remote.commit_entries(&[GOOD, ("040000", "bomb", &tree)]);
    let project = project();
    let run = project.run(&["pack", "add", "acme", &remote.url()]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    untouched(&project);
}

#[test]
fn addresses_do_not_run_anything() {
    let project = project();
    let trace = project.path("ran");
    for source in
        ["ext::sh -c touch% ran", "--upload-pack=touch ran", "-u touch", "git://127.0.0.1/x"]
    {
        let run = project.run(&["pack", "add", "acme", "--", source]);
        assert_eq!(run.code, 2, "{source}: {}", run.stdout);
        let config = format!("packs:\n  acme: {{ git: {} }}\n", serde_json::Value::from(source));
        let other = project_with(&config);
        let run = other.run(&["pack", "update"]);
        assert!(
            !other.path("ran").exists() && !other.path("faber.lock").exists(),
            "{}",
            run.stderr
        );
    }
    assert!(!trace.exists());
    untouched(&project);
}

fn project_with(config: &str) -> TestProject {
    project().file(".faber/config.yml", config)
}
