//! Rules that compare with git history.

use crate::project::TestProject;

const FILE: &str = "contexts/standards/standards-a.md";

fn aged() -> TestProject {
    let project = TestProject::new()
        .file("docs/setup.md", "# Setup\n")
        .file("legacy/a/b.rs", "X.\n")
        .file("setup.py", "X.\n")
        .file(
            "package.json",
            "{\n  \"scripts\": {\n    \"lint\": \"eslint\",\n    \"build\": \"tsc\"\n  }\n}\n",
        )
        .file("Makefile", "lint:\n\tx\nbuild:\n\tx\n");
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "one"]);
    project.git(&["rm", "-qr", "docs", "legacy", "setup.py"]);
    let project = project
        .file("package.json", "{\n  \"scripts\": {\n    \"build\": \"tsc\"\n  }\n}\n")
        .file("Makefile", "build:\n\tx\nunit\\:fast:\n\tx\n");
    project.git(&["commit", "-qam", "two"]);
    project
}

fn found(project: &TestProject) -> Vec<String> {
    let run = project.run(&["validate", "--format", "concise"]);
    let hidden = |line: &str| {
        line.split(' ')
            .map(|word| {
                if word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit()) {
                    "HASH"
                } else {
                    word
                }
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
    run.stdout.lines().map(hidden).collect()
}

#[test]
fn what_a_commit_removed_is_a_warning_with_the_commit() {
    let text = "See `docs/setup.md`, `legacy/a/`, `setup.py`; run `npm run lint` and `make lint`.\n\
         Then `make unit:fast`.\n";
    let project = aged().file(FILE, text);
    assert_eq!(
        found(&project),
        [
            "contexts/standards/standards-a.md:1:6: warning[missing-path] `docs/setup.md` does not exist; commit HASH of 2026-01-15 removed it",
            "contexts/standards/standards-a.md:1:23: warning[missing-path] `legacy/a` does not exist; commit HASH of 2026-01-15 removed it",
            "contexts/standards/standards-a.md:1:36: warning[missing-path] `setup.py` does not exist; commit HASH of 2026-01-15 removed it",
            "contexts/standards/standards-a.md:1:60: warning[missing-package-script] no `package.json` of the repository has a script `lint`; commit HASH of 2026-01-15 removed it",
            "contexts/standards/standards-a.md:1:76: warning[missing-make-target] no makefile of the repository has a target `lint`; commit HASH of 2026-01-15 removed it",
        ]
    );
    // Restored files are no findings, also with a cache.
    assert_eq!(found(&project).len(), 5);
    let project = project.file("docs/setup.md", "# Setup\n");
    assert_eq!(found(&project).len(), 4);
    project.git(&["commit", "-qm", "three", "--allow-empty"]);
    assert_eq!(found(&project).len(), 4);
}

#[test]
fn texts_that_say_it_is_gone_or_are_about_other_projects_are_left_alone() {
    let text = "`docs/setup.md` was removed.\n\nSee `app/a.ts`, `app/b.ts`, `app/c.ts` and `app/d.ts`, and run `make x-y`.\n";
    let project = aged().file(FILE, text);
    assert_eq!(found(&project), [""; 0]);
}

#[test]
fn names_that_any_project_has_are_left_alone_in_advice() {
    let text = "List the dependencies in `setup.py`.\n";
    assert_eq!(found(&aged().file(FILE, text)), [""; 0]);
    let text = "List the dependencies in `setup.py`, and its tests in `legacy/a/b.rs`.\n";
    assert_eq!(found(&aged().file(FILE, text)).len(), 2);
}

#[test]
fn a_link_to_a_file_that_there_is_not_is_found_wherever_it_leads() {
    let skill = "---\nname: deploy\ndescription: Deploys the service\n---\n\
        See [the guide](references/guide.md), [the script](scripts/run.py) and [an answer](https://e.org/a.md).\n";
    let project = aged().file(".claude/skills/deploy/SKILL.md", skill);
    let project = project.file(".claude/skills/deploy/scripts/run.py", "X\n");
    project.run(&["import", ".", "--in-place"]);
    let run = project.run(&["validate", "--format", "concise", "--select", "missing-path"]);
    assert_eq!(
        run.stdout,
        ".claude/skills/deploy/SKILL.md:5:17: warning[missing-path] `references/guide.md` does not exist\n"
    );
}

#[test]
fn a_file_that_a_skill_lacks_is_found_where_it_names_others_of_the_folder() {
    let skill = "---\nname: grants\ndescription: Writes grants\n---\n# Grants\n\nSee `references/nsf.md`.\n\n\
        - `references/team.md`: teams\n- `assets/logo.png`: the logo\n\nSave it as `references/new.md`.\n\n\
        ```sh\npython references/sum.py\n```\n\n[NIH](reference/nih.md)\n";
    for args in [&["import", "."][..], &["import", ".", "--in-place"]] {
        let project = aged()
            .file("skills/grants/SKILL.md", skill)
            .file("skills/grants/references/nsf.md", "X\n")
            .file("skills/grants/references/nih.md", "X\n")
            .file("skills/grants/references/sum.js", "X\n")
            .file("skills/other/references/team.md", "X\n");
        project.git(&["add", "."]);
        project.run(args);
        let run = project.run(&["validate", "--color", "never"]);
        assert!(run.stdout.contains("/grants/references/sum.js`?"), "{}", run.stdout);
        project.git(&["add", "."]);
        let run = project.run(&["validate", "--format", "concise"]);
        let found: Vec<&str> =
            run.stdout.lines().filter_map(|line| line.split_once(": ")).map(|it| it.1).collect();
        assert_eq!(
            found,
            [
                "warning[missing-path] `references/team.md` does not exist, but its folder does",
                "warning[missing-path] `references/sum.py` does not exist, but its folder does",
                "warning[dangling-reference] `reference/nih.md` does not exist",
            ],
            "{args:?}"
        );
        let run = project.run(&["validate", "--color", "never"]);
        assert!(run.stdout.contains("did you mean `references/nih.md`?"), "{}", run.stdout);
    }
}

#[test]
fn what_a_program_makes_or_a_tool_may_have_is_left_alone() {
    let text = "The build generates `legacy/a/`. Do not delete `.tool/data/`.\n\n\
        The protocol is in `src/shared/proto/`.\n";
    let project = TestProject::new()
        .file("legacy/a/b.rs", "X.\n")
        .file(".tool/data/x", "X.\n")
        .file("src/shared/proto/x.ts", "X.\n")
        .file("web/src/shared/y.ts", "Y.\n");
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "one"]);
    project.git(&["rm", "-qr", "legacy", ".tool", "src"]);
    project.git(&["commit", "-qm", "two"]);
    let project = project.file(FILE, text);
    assert_eq!(found(&project).len(), 1, "{:?}", found(&project));
    let project = project.file(".gitignore", "/web/src/shared/proto/\n");
    assert_eq!(found(&project), [""; 0]);
}

#[test]
fn a_command_runs_where_the_last_cd_before_it_leads() {
    let project =
        aged().file(FILE, "Run `make lint && cd gone && make lint`, `(cd gone && make lint)`.\n");
    let found = found(&project);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(":1:11: warning[missing-make-target]"), "{found:?}");
}

#[test]
fn files_that_are_used_in_place_are_looked_at() {
    let project = aged()
        .file("AGENTS.md", "# Rules\n\nRead `docs/setup.md` first.\n")
        .file(".faber/config.yml", "packs:\n  here: { path: \".\", files: [AGENTS.md] }\n");
    let found = found(&project);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("AGENTS.md:3:7: warning[missing-path]"), "{found:?}");
}

#[test]
fn comments_in_files_that_are_used_in_place_allow_findings() {
    let rule = "---\nglobs: '*.ts'\ndescription: Types\n---\n\n# TS\n\n\
                <!-- faber: allow missing-path: the site has it -->\nSee [b](lost.md).\n";
    let project = TestProject::new()
        .file(
            "AGENTS.md",
            "# A\n\n<!-- faber: allow missing-path: made -->\nSee [b](lost.md).\n\n\
             See [c](c.md).\n\n<!-- faber: allow stale: x -->\nEnd.\n",
        )
        .file(".cursor/rules/ts.mdc", rule)
        .file(
            ".faber/config.yml",
            "packs:\n  here: { path: \".\", files: [AGENTS.md, .cursor/rules/ts.mdc] }\n",
        );
    project.git(&["init", "-q"]);
    let all = found(&project);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].starts_with("AGENTS.md:6:9: warning[missing-path]"), "{all:?}");
    assert!(all[1].starts_with("AGENTS.md:8:1: warning[unused-allow]"), "{all:?}");
    let run = project.run(&["validate", "--changed", "AGENTS.md", "--format", "concise"]);
    assert_eq!(run.stdout.lines().count(), 2, "{}", run.stdout);
    run.said(&["1 changed file checked", "1 allowed"]);
    project.run(&["validate"]).said(&["2 allowed"]);
    project.run(&["validate", "--fix"]).said(&["1 fixed"]);
    assert!(project.text("AGENTS.md").ends_with("See [c](c.md).\n\nEnd.\n"));
    assert_eq!(project.text(".cursor/rules/ts.mdc"), rule);
    for (comments, left) in [
        ("<!-- faber: allow stale: x -->\r\nEnd.\r\n", "End.\r\n"),
        ("<!-- faber: allow stale: x -->", ""),
        ("<!-- faber: allow stale: x -->\n", ""),
    ] {
        std::fs::write(project.path("AGENTS.md"), format!("# A\r\n\r\nOne.\r\n\r\n{comments}"))
            .unwrap();
        project.run(&["validate", "--fix"]).said(&["1 fixed"]);
        assert_eq!(project.text("AGENTS.md"), format!("# A\r\n\r\nOne.\r\n\r\n{left}"));
    }
}

#[test]
fn a_comment_inside_an_allowed_block_does_not_end_it() {
    let text = "# A\n\n<!-- faber: allow missing-path: made -->\n- [a](a.md)\n\
                <!-- faber: allow missing-path: made -->\n- [b](b.md)\n- [c](c.md)\n";
    let project = TestProject::new().file("contexts/standards/standards-a.md", text);
    project.git(&["init", "-q"]);
    assert_eq!(found(&project), [""; 0]);
}

#[test]
fn comments_in_packs_are_for_their_authors() {
    let text = "# A\n\n<!-- faber: allow missing-path -->\nSee [b](lost.md).\n";
    let project = TestProject::new()
        .file(".faber/config.yml", "packs:\n  acme: { path: shared/acme }\n")
        .file("shared/acme/contexts/standards/standards-b.md", text);
    project.git(&["init", "-q"]);
    assert_eq!(found(&project), [""; 0]);
}

#[test]
fn a_commit_that_removes_a_file_is_told_who_names_it() {
    let project = TestProject::empty()
        .file("pack/.faber/config.yml", "{}\n")
        .file("src/old/a.py", "X.\n")
        .file("src/b.py", "X.\n")
        .file(
            "pack/contexts/standards/standards-a.md",
            "`src/old/a.py` `src/old/`\n\n```sh\npython src/b.py\n```\n",
        );
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "one"]);
    let changed = |revision: &str| {
        let run = project.run(&["-C", "pack", "validate", revision, "--format", "concise"]);
        run.stdout.lines().map(|line| line.rsplit("; ").next().unwrap().to_owned()).collect()
    };
    let names: Vec<String> = changed("--changed");
    assert_eq!(names, [""; 0]);
    // As before `git commit -a`, where hooks have another index.
    std::fs::remove_dir_all(project.path("src/old")).unwrap();
    let names: Vec<String> = changed("--changed");
    assert_eq!(names, ["its removal is not committed yet"; 2]);
    project.git(&["rm", "-qr", "src/old"]);
    let names: Vec<String> = changed("--changed");
    assert_eq!(names[0], "its removal is not committed yet");
    project.git(&["commit", "-qm", "two"]);
    project.git(&["rm", "-q", "src/b.py"]);
    let names: Vec<String> = changed("--changed");
    assert_eq!(names, ["its removal is not committed yet"]);
    let names: Vec<String> = changed("--changed=HEAD~1");
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_sparse_checkout_removes_nothing() {
    let project = aged().file("out/x.rs", "X.\n").file(FILE, "See `out/x.rs` and `out/`.\n");
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "three"]);
    project.git(&["sparse-checkout", "set", "contexts"]);
    assert!(!project.path("out").exists());
    assert_eq!(found(&project), [""; 0]);
}

#[test]
fn a_repository_that_git_does_not_read_is_noted() {
    let project = aged().file(FILE, "See `docs/setup.md`.\n");
    let config = project.text(".git/config");
    let project = project.file(".git/config", "[core\n");
    let run = project.run(&["validate"]);
    let why = "references to the git repository not checked: fatal: bad config";
    run.said(&[&format!("no problems; {why}")]);
    let report = project.json(&["validate", "-q", "--format", "json"]);
    assert!(report["unchecked"][0].as_str().unwrap().starts_with(why), "{report}");
    let project = project.file(".git/config", &config);
    assert_eq!(found(&project).len(), 1);
}

#[test]
fn headings_of_other_files_of_the_repository_are_looked_up() {
    let project = TestProject::new()
        .file("docs/setup.md", "# Setup\n\n## Install it\n\n## Build & run\n")
        .file(
            FILE,
            "[a](../../docs/setup.md#install-it) [b](../../docs/setup.md#instal)\n\
             [c](../../docs/setup.md#build--run) [d](../../docs/setup.md#build-run)\n",
        );
    project.git(&["init", "-q"]);
    assert_eq!(
        found(&project),
        [
            "contexts/standards/standards-a.md:1:41: warning[dead-anchor] `docs/setup.md` has no heading `instal`"
        ]
    );
}

#[test]
fn a_shallow_clone_is_noted() {
    let project = aged().file(FILE, "See `docs/setup.md`.\n");
    let shallow =
        |project: &TestProject| project.run(&["validate"]).stderr.contains("the clone is shallow");
    assert!(!shallow(&project));
    let head = project.text(".git/HEAD");
    let head = project.text(&format!(".git/{}", head.trim().trim_start_matches("ref: ")));
    let project = project.file(".git/shallow", &head);
    assert!(shallow(&project));
    project.run(&["validate", "--changed=HEAD~1"]).refused(2, &["`fetch-depth: 0`"]);
}

#[test]
fn a_link_that_another_rule_reports_is_one_finding() {
    let project = aged().file(FILE, "See [it](../../docs/setup.md).\n");
    let found = found(&project);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("dangling-reference"), "{found:?}");
}

#[test]
fn a_workspace_in_a_folder_of_the_repository_names_paths_from_both() {
    let project = TestProject::empty()
        .file("tool/.faber/config.yml", "{}\n")
        .file("tool/src/bin/a.rs", "X.\n")
        .file("lib/src/inner/b.rs", "X.\n")
        .file(
            "tool/contexts/standards/standards-a.md",
            "`src/bin/a.rs` `lib/src/inner/b.rs` `lib/src/inner/c.rs`\n",
        );
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    let run = project.run(&["-C", "tool", "validate", "--format", "concise"]);
    assert!(run.stdout.contains(": hint[missing-path] `lib/src/inner/c.rs`"), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_out_of_the_repository() {
    let project =
        TestProject::new().symlink("Makefile", "/etc/hosts").file(FILE, "Run `make x-y`.\n");
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    assert_eq!(found(&project), [""; 0]);
}

/// Quadratic work would take minutes.
#[test]
fn hostile_texts_and_makefiles_take_linear_time() {
    let paths =
        (0..1_000).map(|at| format!("`a/b/c{at}.rs` `make t{at}` ")).collect::<Vec<_>>().concat();
    let items = (0..1_000).map(|at| format!("- `a{at}/b.rs`\n")).collect::<Vec<_>>().concat();
    let text = format!(
        "{}\n\n{paths}\n\n{}:\n\n{items}\n{}\n",
        "](".repeat(20_000),
        "word ".repeat(20_000),
        "` `` ``` ".repeat(2_000)
    );
    let rule = |at| format!("V{at} = x{at}\n$(V{at}): $(V{at}\n");
    let variables = (0..8_000).map(rule).collect::<Vec<_>>().concat();
    let project = TestProject::new()
        .file("a/b/x.rs", "X.\n")
        .file("Makefile", &format!("include {}\n{variables}", "Makefile ".repeat(1_000)))
        .file(FILE, &text);
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    let run = project.run(&["validate", "--format", "concise", "--select", "missing-path"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}
