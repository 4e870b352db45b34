//! Writes never lead outside, recover after kills, and report failures.

use crate::project::TestProject;

const RULES: &str = "# Rules\n\nEvery letter has a stamp.\n";

#[track_caller]
fn is_empty(folder: &std::path::Path) {
    let names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(names.is_empty(), "{names:?}");
}

#[cfg(unix)]
#[test]
fn no_command_writes_through_a_link_out_of_the_workspace() {
    let outside = tempfile::tempdir().unwrap();
    let out = outside.path().to_str().unwrap();
    let project = TestProject::with_role()
        .file("CLAUDE.md", RULES)
        .file("contexts/patterns/pattern-a.md", "---\ndescription: a: b\n---\n# A\n\nSort.\n")
        .symlink("contexts/standards", out)
        .symlink("contexts/playbooks/new", &format!("{out}/not-there-yet"))
        .symlink(".faber/roles", out)
        .symlink(".faber/overlays", out)
        .symlink("out", out)
        .symlink("out.md", &format!("{out}/out.md"))
        .file(".faber/config.yml", "roles: [.faber/roles]\n");
    let refused: [&[&str]; 8] = [
        &["new", "context", "foo", "--category", "standard"],
        &["new", "overlay", "pattern/a", "--layer", "organization"],
        &["assemble", "clerk", "-o", "out.md"],
        &["assemble", "clerk", "-o", "out/x.md"],
        &["assemble", "clerk", "-o", "x.md", "--report-file", "out/x.txt"],
        &["explain", "--role", "clerk", "--html", "out/x.html"],
        &["graph", "-o", "out/x.mmd"],
        &["validate", "--write-baseline", "out/baseline.json"],
    ];
    for arguments in refused {
        let run = project.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        run.said(&["leads out of the workspace"]);
        is_empty(outside.path());
    }
    let run = project.run(&["import", "."]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    run.said(&["standards-claude.md", "is reached through a link"]);
    let run = project.run(&["import", ".", "--dry-run"]);
    assert_eq!(run.code, 1, "what would be refused is said: {}", run.stderr);
    is_empty(outside.path());
    project.stdout(&["assemble", "clerk", "-o", &format!("{out}/user.md")]);
    assert!(outside.path().join("user.md").exists());
}

#[cfg(unix)]
#[test]
fn neither_a_new_workspace_nor_a_new_role_is_led_elsewhere() {
    let outside = tempfile::tempdir().unwrap();
    let out = outside.path().to_str().unwrap();
    let project = TestProject::empty().symlink("contexts", out).symlink("roles", out);
    for arguments in [&["init"][..], &["init", "--template", "minimal"]] {
        let project = TestProject::empty()
            .file("CLAUDE.md", RULES)
            .symlink("contexts", out)
            .symlink("roles", out)
            .symlink(".faber", out);
        let run = project.run(arguments);
        run.said(&["leads out of the workspace"]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        is_empty(outside.path());
    }
    let project = project.file("CLAUDE.md", RULES);
    let run = project.run(&["import", "CLAUDE.md"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    is_empty(outside.path());
    project.run(&["new", "role", "evil"]).refused(2, &["leads out of the workspace"]);
    is_empty(outside.path());
}

#[cfg(unix)]
#[test]
fn a_template_outside_of_the_workspace_is_not_read() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("id_rsa"), "private").unwrap();
    let secret = outside.path().join("id_rsa");
    let project = TestProject::with_role()
        .symlink("templates/new/context/standard.md", secret.to_str().unwrap());
    let run = project.run(&["new", "context", "a", "--category", "standard"]);
    run.refused(2, &["templates/new/context/standard.md", "outside the workspace"]);
    assert!(!project.path("contexts").exists());
}

#[cfg(unix)]
#[test]
fn no_file_outside_is_imported_through_a_link() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.md");
    std::fs::write(&secret, "correct-horse\n").unwrap();
    let project = TestProject::with_role()
        .file("CLAUDE.md", "# C\n\n@l.md\n@plain.md\n@.git/config\n@kept.md\n")
        .file("plain.md", "# Plain\n")
        .file(".git/config", "[core]\n")
        .file("private.md", "correct-horse\n")
        .file(".gitignore", "kept.md\nprivate.md\n")
        .file("kept.md", "correct-horse\n")
        .symlink("l.md", secret.to_str().unwrap())
        .symlink("AGENTS.md", secret.to_str().unwrap())
        .symlink(".cursorrules", "private.md");
    let run = project.run(&["import", "."]);
    run.said(&[
        "`l.md` is not imported: it is outside the workspace",
        "`.git/config` is not imported: files in `.git` are not read",
        "`kept.md` is not imported: git ignores it (`kept.md` in .gitignore)",
        "AGENTS.md",
        "the link leaves the directory",
        "the link leads to a file that references may not read",
    ]);
    let text = project.text("contexts/standards/standards-claude.md");
    assert!(
        text.contains("include ../../plain.md") && !text.contains("include ../../l.md"),
        "{text}"
    );
    let imported = project.files().into_iter().filter(|(path, _)| path.starts_with("contexts"));
    for (path, bytes) in imported {
        assert!(!String::from_utf8_lossy(&bytes).contains("correct-horse"), "{path:?}");
    }
}

#[test]
fn a_workspace_that_was_begun_is_completed() {
    let whole = TestProject::empty();
    whole.run(&["init"]);
    let files = whole.files();
    // Files are created in order.
    for done in 0..files.len() {
        let project = TestProject::empty();
        let run = project.run(&["init"]);
        let created: Vec<&str> =
            run.stdout.lines().filter_map(|line| line.strip_prefix("create  ")).collect();
        assert_eq!(created.len(), files.len(), "{}", run.stdout);
        for path in &created[done..] {
            std::fs::remove_file(project.path(path)).unwrap();
        }
        let run = project.run(&["init"]);
        assert_eq!(run.code, 0, "after {done} files: {}", run.stderr);
        assert_eq!(project.files(), files, "after {done} files");
    }
    whole.run(&["init"]).refused(2, &["is already a workspace"]);
}

#[test]
fn leftovers_of_killed_runs_are_removed() {
    let left = "contexts/standards/.faber-a1B2c3.tmp";
    let kept = "contexts/standards/.faber-notes";
    let project = TestProject::with_role().file(left, "half").file(kept, "mine");
    project.stdout(&["new", "context", "a", "--category", "standard"]);
    assert!(!project.path(left).exists() && project.path(kept).exists());
}

#[cfg(unix)]
#[test]
fn a_fix_that_cannot_be_written_is_not_said_to_be_done() {
    use std::os::unix::fs::PermissionsExt;
    let file = "contexts/patterns/pattern-a.md";
    let project =
        TestProject::with_role().file(file, "---\ndescription: a: b\n---\n# A\n\nSort letters.\n");
    let mode = |mode| {
        std::fs::set_permissions(project.path(file), std::fs::Permissions::from_mode(mode))
            .unwrap();
    };
    mode(0o444);
    let run = project.run(&["validate", "--fix", "--format", "concise"]);
    mode(0o644);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("invalid-frontmatter"), "{}", run.stdout);
    run.said(&["is read-only", "1 file could not be fixed"]);
    assert!(!run.stderr.contains("no problems"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn no_output_replaces_a_source_of_the_workspace() {
    let standard = "contexts/standards/standards-titles.md";
    let config = "roles: [roles]\ncustom_contexts: [docs/style.md, docs/later.md]\n";
    let project = TestProject::with_role()
        .file("roles/porter/prompt.md", "# Porter\n")
        .file(standard, "# Titles\n")
        .file("docs/style.md", "# Style\n")
        .file(".faber/config.yml", config);
    let before = project.files();
    for arguments in [
        &["assemble", "clerk", "-o", standard][..],
        &["assemble", "clerk", "-o", "roles/porter/prompt.md"],
        &["assemble", "clerk", "-o", "docs/style.md"],
        &["assemble", "clerk", "--report-file", ".faber/config.yml"],
        &["assemble", "clerk", "-o", "contexts/standards/standards-new.md"],
        &["assemble", "clerk", "-o", "docs/../contexts/standards/standards-new.md"],
        &["assemble", "clerk", "--report-file", "docs/later.md"],
        &["graph", "-o", "roles/porter/tasks/sweep.md"],
        &["graph", "-o", standard],
        &["graph", "--role", "clerk", "-o", "roles/porter/prompt.md"],
        &["explain", "--role", "clerk", "--html", "roles/clerk/prompt.md"],
        &["validate", "--write-baseline", standard],
    ] {
        project.run(arguments).refused(2, &["is both an output and an input of the command"]);
        assert!(project.files() == before, "{arguments:?}");
    }
    for _ in 0..2 {
        project.stdout(&["assemble", "clerk", "-o", "roles/clerk/bundle.txt"]);
        project.stdout(&["graph", "-o", "graph.md"]);
        project.run(&["validate", "--write-baseline", ".faber/baseline.json"]);
        assert!(project.path(".faber/baseline.json").exists());
    }
}

#[test]
fn a_prompt_that_is_no_file_is_reported() {
    let pipe = TestProject::new().unix_fifo("roles/clerk/prompt.md");
    let folder = TestProject::new().dir("roles/clerk/prompt.md");
    for (project, what) in [(pipe, "a pipe, socket or device"), (folder, "a directory")] {
        let run = project.run(&["validate"]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stdout.contains("special-file") && run.stdout.contains(what), "{}", run.stdout);
        let run = project.run(&["assemble"]);
        run.refused(2, &["the prompt of `clerk` cannot be read", what]);
    }
}
