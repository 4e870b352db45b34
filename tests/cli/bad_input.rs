//! Invalid files are reported with place and help; the rest works.

use crate::project::{Run, TestProject};

const BAD: &str = "contexts/standards/standards-bad.md";

fn project() -> TestProject {
    TestProject::with_role()
        .file("contexts/standards/standards-good.md", "# Good\n\nAll is well.\n")
}

#[track_caller]
fn goes_on(project: &TestProject, words: &[&str]) -> Run {
    let run = project.run(&["assemble", "-v"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("All is well."), "{}", run.stdout);
    run.said(words);
    assert!(run.stderr.contains("help: "), "no help in\n{}", run.stderr);
    run
}

#[test]
fn front_matter_that_is_no_yaml() {
    let project = project().file(BAD, "---\nname: [a\nload: always\n---\n# Bad\n\nBody.\n");
    let run = goes_on(&project, &[BAD]);
    assert!(run.stdout.contains("Body.") && !run.stdout.contains("load: always"), "{}", run.stdout);
    project.run(&["assemble", "--strict"]).refused(2, &[BAD]);
}

#[test]
fn front_matter_that_only_wants_quotes() {
    let project = project().file(BAD, "---\nglobs: **/*.py\ndescription: a: b\n---\n# Python\n");
    let run = goes_on(&project, &["standards-bad.md:2", "quote"]);
    assert!(!run.stdout.contains("# Python"), "{}", run.stdout);
    let run = project.run(&["assemble", "--file", "a/b.py"]);
    assert!(run.stdout.contains("# Python"), "{}", run.stderr);
    project.run(&["assemble", "--strict"]).refused(2, &["standards-bad.md:2"]);
}

#[test]
fn front_matter_without_an_end() {
    let project = project().file(BAD, "---\nload: always\n\n# Bad\n");
    goes_on(&project, &["standards-bad.md:1", "---"]);
}

#[test]
fn front_matter_that_is_huge() {
    let text = format!("---\nname: bad\ntags: [{}]\n---\n# Bad\n", "a, ".repeat(40_000));
    goes_on(&project().file(BAD, &text), &[BAD, "at most 65536"]);
}

#[test]
fn front_matter_that_is_deep_or_doubled_or_anchored() {
    let deep = format!("a: {}{}", "[".repeat(40), "]".repeat(40));
    for yaml in [&*deep, "name: a\nname: b", "a: &x 1\nb: *x", "a: 1\n... \nb: 2"] {
        goes_on(&project().file(BAD, &format!("---\n{yaml}\n---\n# Bad\n")), &[BAD]);
    }
}

#[test]
fn values_of_the_wrong_type() {
    let text = "---\npriority: high\nload: sometimes\nvalid_to: tomorrow\n---\n# Bad\n";
    goes_on(
        &project().file(BAD, text),
        &["standards-bad.md:2", "standards-bad.md:3", "standards-bad.md:4"],
    );
}

#[test]
fn unknown_fields() {
    let project = project().file(BAD, "---\nkeyword: [a]\nlicense: MIT\n---\n# Bad\n");
    let run = project.run(&["assemble", "-v"]);
    assert_eq!(run.code, 0);
    run.said(&["standards-bad.md:2", "did you mean `keywords`?", "license"]);
    let data = project.json(&["show", "standard/bad", "--format", "json"]);
    assert_eq!(data["front_matter"]["license"], "MIT");
    let project = self::project()
        .file(".faber/config.yml", "setings: { team: a }\n")
        .file("roles/clerk/agent.yml", "name: clerk\ndescripton: x\n");
    goes_on(
        &project,
        &[
            ".faber/config.yml:1",
            "did you mean `settings`?",
            "roles/clerk/agent.yml:2",
            "did you mean `description`?",
        ],
    );
}

#[test]
fn variables_that_are_not_set() {
    let config = "mcp_servers:\n  x:\n    url: https://x.example\n    config: { api_key: \"${NO_SUCH_KEY}\" }\n";
    goes_on(&project().file(".faber/config.yml", config), &[".faber/config.yml:4", "NO_SUCH_KEY"]);
}

#[test]
fn a_file_that_is_not_utf_8() {
    goes_on(&project().bytes(BAD, b"# Bad\n\n\xff\xfe\n"), &[BAD, "UTF-8"]);
    goes_on(&project().bytes(BAD, b"\xff\xfe#\0 \0B\0"), &[BAD, "UTF-8"]);
}

#[test]
fn a_directory_that_is_named_like_a_file() {
    goes_on(&project().dir(BAD), &[BAD, "directory"]);
}

#[test]
fn a_file_of_fifty_megabytes() {
    let project = project().bytes(BAD, &vec![b'x'; 50 * 1024 * 1024]);
    goes_on(&project, &[BAD, "50 MiB; at most 8 MiB"]);
}

#[test]
fn files_with_nothing_in_them() {
    let project =
        project().file(BAD, "").file("contexts/standards/standards-fence.md", "---\n---\n");
    let run = project.run(&["assemble"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("All is well."));
}

#[test]
fn two_files_with_one_identity() {
    let project = project()
        .file("contexts/standards/a.md", "---\nname: twin\n---\n# First\n")
        .file("contexts/standards/b.md", "---\nname: twin\n---\n# Second\n");
    let run = goes_on(&project, &["contexts/standards/a.md", "contexts/standards/b.md", "twin"]);
    assert!(run.stdout.contains("# First") && !run.stdout.contains("# Second"), "{}", run.stdout);
    project.run(&["assemble", "--strict"]).refused(2, &["twin"]);
}

#[test]
fn a_context_that_nothing_gives_a_category() {
    goes_on(&project().file("contexts/bad.md", "# Bad\n"), &["contexts/bad.md", "category"]);
    goes_on(
        &project().file("contexts/standrads/bad.md", "# Bad\n"),
        &["contexts/standrads", "did you mean `standards`?"],
    );
}

#[test]
fn a_category_that_there_is_not() {
    let project = project().file(BAD, "---\ncategory: Structural\n---\n# Bad\n");
    goes_on(&project, &["standards-bad.md:2", "the folder decides: write `standard`"]);
    project.stdout(&["assemble", "--strict"]);
    let project = project.file(BAD, "---\ncategory: playbook\n---\n# Bad\n");
    goes_on(
        &project,
        &["standards-bad.md:2", "category `playbook` does not match the folder `standards`"],
    );
    project.run(&["assemble", "--strict"]).refused(2, &[]);
    let flat = self::project().file("contexts/bad.md", "---\ncategory: standart\n---\n# Bad\n");
    goes_on(&flat, &["contexts/bad.md:2", "did you mean `standard`?"]);
}

#[test]
fn nothing_in_a_file_reaches_the_terminal_as_it_is() {
    let text = "---\nload: \"a\u{9b}2J\"\n---\n# Bad\n\n<!-- faber: include a\u{1b}[2J -->\n";
    let run = project().file(BAD, text).run(&["assemble", "-v"]);
    run.said(&["standards-bad.md:2", "standards-bad.md:6"]);
    let loose = |c: char| c.is_control() && c != '\n';
    assert!(!run.stderr.contains(loose), "{:?}", run.stderr);
}

#[test]
fn references_that_lead_nowhere() {
    let project = project()
        .file(BAD, "---\nrelated: [standards-god.md]\n---\n# Bad\n")
        .file(".faber/config.yml", "custom_contexts: [contexts/none.md]\n");
    goes_on(
        &project,
        &["standards-bad.md:2", "standards-god.md", ".faber/config.yml:1", "none.md"],
    );
}

#[test]
fn every_file_at_once() {
    let mut project = project();
    for at in 0..50 {
        let path = format!("contexts/standards/standards-bad-{at}.md");
        project = project.file(&path, "---\nname: [\n---\n# Bad\n");
    }
    let run = project.run(&["assemble"]);
    run.said(&["more findings", "-v"]);
    assert!(run.stderr.lines().count() < 120, "{}", run.stderr);
    let all = project.run(&["assemble", "-v"]);
    assert!((0..50).all(|at| all.stderr.contains(&format!("standards-bad-{at}.md"))));
    let quiet = project.run(&["assemble", "-q"]);
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (run.stdout, ""));
}

#[test]
fn a_slip_in_many_files_is_one_line() {
    let mut project = project();
    for at in 0..20 {
        let path = format!("contexts/standards/standards-{at}.md");
        project = project.file(&path, "---\nkeyword: [letter]\n---\n# Letters\n");
    }
    let run = project.run(&["assemble", "--request", "letter"]);
    let line = "warning[unknown-field] 20 findings in 20 files: unknown field `keyword`";
    let places = "; first at contexts/standards/standards-0.md:2:1, contexts/standards/standards-1.md:2:1, \
                  contexts/standards/standards-10.md:2:1";
    let line = format!("{line}{places}");
    assert!(run.stderr.lines().any(|it| it == line), "{}", run.stderr);
    assert_eq!(run.stderr.matches("`keyword`").count(), 1, "{}", run.stderr);
    let all = project.run(&["assemble", "--request", "letter", "-v"]);
    assert_eq!(all.stderr.matches("unknown field `keyword`").count(), 20, "{}", all.stderr);
}

#[test]
fn bad_roles() {
    let project = project().bytes("roles/clerk/prompt.md", b"\xff");
    project.run(&["assemble"]).refused(2, &["roles/clerk/prompt.md", "UTF-8"]);
    let project = self::project().file("roles/clerk/prompt.md", "");
    goes_on(&project, &["roles/clerk/prompt.md:1", "empty-prompt"]);
    project.run(&["export", "claude", "--dry-run"]).said(&["empty-prompt"]);
    let project = self::project().file("roles/clerk/agent.yml", "name: [\n");
    project.run(&["assemble"]).refused(2, &["roles/clerk/agent.yml:1"]);
    let project = self::project().file("roles/clerk/agent.yml", "name: clerk\nextends: clark\n");
    goes_on(&project, &["roles/clerk/agent.yml:2", "did you mean `clerk`?"]);
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::fs::Permissions;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;

    use super::{BAD, goes_on, project};
    use crate::project::{Run, TestProject};

    #[test]
    fn a_pipe_without_a_writer() {
        goes_on(&project().unix_fifo(BAD), &[BAD, "pipe"]);
        let project = project().unix_fifo("pipe");
        for arguments in [
            &["assemble", "--with", "pipe"][..],
            &["assemble", "--task", "pipe"],
            &["show", "pipe"],
            &["diff", "pipe"],
        ] {
            assert_eq!(project.run(arguments).code, 2);
        }
        let project = project.file(".faber/config.yml", "custom_contexts: [pipe]\n");
        goes_on(&project, &["pipe"]);
    }

    #[test]
    fn a_pipe_in_the_place_of_a_configuration() {
        let project = project().unix_fifo(".faber/config.yml");
        project.run(&["assemble"]).refused(2, &[".faber/config.yml", "pipe"]);
        let project = self::project().unix_fifo("roles/clerk/agent.yml");
        goes_on(&project, &["roles/clerk/agent.yml", "pipe"]);
    }

    #[test]
    fn links_in_a_cycle() {
        goes_on(&project().symlink("contexts/standards/loop", ".."), &["contexts/standards/loop"]);
        goes_on(&project().symlink(BAD, "standards-bad.md"), &[BAD]);
    }

    #[test]
    fn links_that_leave_the_workspace() {
        let outside = TestProject::empty().file("secret.md", "# Secret\n");
        let target = outside.path("secret.md");
        let project = project().symlink(BAD, target.to_str().unwrap());
        let run = goes_on(&project, &[BAD, "workspace"]);
        assert!(!run.stdout.contains("Secret"));
        let folder = outside.path("");
        let project = self::project().symlink("contexts/patterns", folder.to_str().unwrap());
        let run = goes_on(&project, &["contexts/patterns", "workspace"]);
        assert!(!run.stdout.contains("Secret"));
    }

    #[test]
    fn links_that_stay_inside_or_lead_nowhere() {
        let project = project().file("notes/a.md", "# Linked\n").symlink(BAD, "../../notes/a.md");
        assert!(project.stdout(&["assemble"]).contains("# Linked"));
        goes_on(&self::project().symlink(BAD, "nowhere.md"), &[BAD]);
    }

    #[test]
    fn a_file_that_may_not_be_read() {
        let project = project().file(BAD, "# Bad\n");
        std::fs::set_permissions(project.path(BAD), Permissions::from_mode(0o000)).unwrap();
        if std::fs::read(project.path(BAD)).is_ok() {
            eprintln!("skipped: running as root");
            return;
        }
        goes_on(&project, &[BAD, "permission"]);
    }

    #[test]
    fn a_workspace_that_may_not_be_written() {
        let project = project();
        let before = project.files();
        for folder in [".faber", "contexts", "roles", ""] {
            std::fs::set_permissions(project.path(folder), Permissions::from_mode(0o555)).unwrap();
        }
        let run = project.run(&["assemble"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("All is well."));
        assert_eq!(project.files(), before, "assembling leaves nothing behind");
        for folder in ["", "roles", "contexts", ".faber"] {
            std::fs::set_permissions(project.path(folder), Permissions::from_mode(0o755)).unwrap();
        }
    }

    #[test]
    fn arguments_that_are_not_utf_8() {
        let project = project();
        for command in ["validate", "show", "assemble", "assemble -r", "-C"] {
            let words: Vec<&str> = command.split(' ').collect();
            let mut command = project.faber(&words);
            let run = Run::from(command.arg(OsStr::from_bytes(b"a\xff.md")).output().unwrap());
            run.refused(2, &["is not UTF-8", "help: rename the file"]);
        }
    }

    #[test]
    fn a_file_name_that_is_not_utf_8() {
        let project = project();
        let name = OsStr::from_bytes(b"standards-\xff.md");
        if std::fs::write(project.path("contexts/standards").join(name), "# Bad\n").is_ok() {
            goes_on(&project, &["UTF-8", "rename"]);
        }
    }

    #[test]
    fn a_file_name_with_a_backslash() {
        let project = project().file("contexts/standards/standards-a\\b.md", "# Bad\n");
        goes_on(&project, &["unreadable", "standards-a\\b.md:1:1", "has a `\\`", "rename"]);
        let sarif = project.run(&["validate", "--format", "sarif"]).stdout;
        assert!(sarif.contains("standards/standards-a%5Cb.md"), "{sarif}");
    }
}

#[test]
fn many_processes_at_once() {
    let project = project();
    let start = || {
        let mut command = project.faber(&["assemble", "-o", "out.md", "--report-file", "r.json"]);
        command.stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(|_| start()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(project.text("out.md"), project.stdout(&["assemble"]));
    serde_json::from_str::<serde_json::Value>(&project.text("r.json")).unwrap();
}

#[test]
fn a_file_that_comes_and_goes() {
    let project = project();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let path = project.path(BAD);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::write(&path, "# Here\n").unwrap();
                std::fs::remove_file(&path).unwrap();
            }
        });
        for _ in 0..8 {
            let run = project.run(&["assemble"]);
            assert_eq!(run.code, 0, "{}", run.stderr);
            assert!(run.stdout.contains("All is well."));
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_folder_of_a_role_without_a_prompt_is_named() {
    let project = TestProject::with_role().dir("roles/porter/contexts");
    let run = project.run(&["assemble", "porter", "--request", "x"]);
    run.refused(2, &["unknown role `porter`", "`roles/porter` has no `prompt.md`; create it"]);
}

#[test]
fn front_matter_without_fields_excludes_the_file_as_invalid() {
    let deep = format!("a: {}{}", "[".repeat(40), "]".repeat(40));
    for yaml in ["- a", "just text", &deep] {
        let project = project().file(BAD, &format!("---\n{yaml}\n---\n# Bad\n"));
        goes_on(&project, &["the file is not used"]);
        let data = project.json(&["assemble", "--format", "json", "-q"]);
        let excluded = &data["excluded"][0];
        assert_eq!(
            (&excluded["id"], &excluded["reason"]),
            (&"standard/bad".into(), &"invalid".into())
        );
        project.run(&["show", "standard/bad"]).refused(2, &["left out", "faber validate"]);
    }
    let project = project().file(BAD, "---\n- groups: [eng]\n---\n# Bad\n");
    let data = project.json(&["assemble", "--format", "json", "-q"]);
    assert_eq!(data["excluded"], serde_json::json!([]));
}

#[test]
fn the_help_of_a_context_that_is_left_out_fits_the_reason() {
    for (field, words) in [("status: draft", "`approved`"), ("valid_to: 2020-01-01", "--at DATE")] {
        let project = project().file(BAD, &format!("---\n{field}\n---\n# Bad\n"));
        project.run(&["show", "standard/bad"]).refused(2, &["left out", words]);
    }
}

#[test]
fn what_is_missing_because_it_cannot_be_read_is_always_reported() {
    let project = project()
        .bytes(BAD, b"caf\xe9\n")
        .file("contexts/standards/standards-date.md", "---\nvalid_to: soon\n---\n# Date\n");
    let run = project.run(&["assemble"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&["not-utf8", BAD, "bad-date", "standards-date.md:2"]);
    assert!(!run.stderr.contains("another file"), "{}", run.stderr);
    project.run(&["assemble", "-q"]).said(&["not-utf8", BAD]);
    project.run(&["assemble", "--with", "standard/bad"]).refused(2, &["unknown context", BAD]);
}

#[test]
fn strict_refuses_what_validate_finds() {
    let file = "contexts/specialists/specialist-a.md";
    let misspelled = "---\nkeywords: [a]\n---\n# A\n\n<!-- faber: inclde ./x.md -->\n";
    let project = project().file(file, misspelled);
    let run = project.run(&["assemble", "--request", "a"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&["unknown-directive", file]);
    project.run(&["assemble", "--request", "a", "--strict"]).refused(2, &["unknown-directive"]);
    project.run(&["assemble", "--strict"]).refused(2, &["unknown-directive", "1 error"]);
}

#[test]
fn a_broken_include_stops_only_bundles_that_have_it() {
    for (include, code) in [
        ("/etc/passwd", "path-escape"),
        ("./partials/a.md", "include-cycle"),
        ("/contexts/partials/all.md", "path-escape"),
    ] {
        let project = project()
            .file(
                "contexts/specialists/specialist-a.md",
                &format!("---\nkeywords: [a]\n---\n# A\n\n<!-- faber: include {include} -->\n"),
            )
            .file("contexts/specialists/partials/a.md", "<!-- faber: include ./b.md -->\n")
            .file("contexts/specialists/partials/b.md", "<!-- faber: include ./a.md -->\n")
            .file("contexts/partials/all.md", "<!-- faber: include ../../../x.md -->\n");
        let run = project.run(&["assemble"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.contains("All is well."), "{}", run.stdout);
        project.run(&["assemble", "--request", "a"]).refused(2, &[code, "1 error in the"]);
        project.run(&["assemble", "--strict"]).refused(2, &[code]);
    }
}
