//! Updates of imports.

use super::*;

const CLAUDE: &str = "contexts/standards/standards-claude.md";
const RULE: &str = "contexts/standards/standards-ts.md";

fn shop() -> TestProject {
    let project = TestProject::empty()
        .file("CLAUDE.md", "# Shop\n\nPrices are whole cents.\n")
        .file(".cursor/rules/ts.mdc", "---\nglobs: \"**/*.ts\"\n---\nStrict.\n")
        .file(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms\n---\nDo.\n")
        .bytes(".claude/skills/pdf/a.bin", &[0, 159]);
    project.stdout(&["import", "."]);
    project
}

fn states(project: &TestProject, arguments: &[&str]) -> Vec<String> {
    let run = project.run(arguments);
    let data: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let rows = data["files"].as_array().unwrap().iter();
    let rows = rows.map(|row| (row["state"].as_str().unwrap(), row["path"].as_str().unwrap()));
    rows.filter(|row| row.0 != "unchanged").map(|(state, path)| format!("{state} {path}")).collect()
}

/// `Own.` and a line feed.
const HASH_OF_OWN: &str = "blake3:d84c4a438f73b7e5da90c7ad614e272b02899f7622fa69e59f1043707b618d4e";

const UPDATE: [&str; 4] = ["import", "--update", "--format", "json"];

#[test]
fn what_changed_only_in_the_source_is_updated() {
    let project = shop();
    assert_eq!(project.run(&["import", "--check"]).code, 0);
    let project = project.file("CLAUDE.md", "# Shop\n\nPrices are decimals.\n");
    let project = project.bytes(".claude/skills/pdf/a.bin", &[0, 160]);
    let before = project.files();
    let check = project.run(&["import", "--check"]);
    let copy = "contexts/playbooks/resources/pdf/a.bin";
    assert_eq!((check.code, check.stdout), (1, format!("change  {copy}\nchange  {CLAUDE}\n")));
    assert_eq!(project.files(), before, "a check writes nothing");
    assert_eq!(states(&project, &UPDATE), [format!("updated {copy}"), format!("updated {CLAUDE}")]);
    assert_eq!(project.text(CLAUDE), "# Shop\n\nPrices are decimals.\n");
    assert_eq!(project.run(&["import", "--check"]).code, 0);
    let project = project.file("CLAUDE.md", "# Shop\n");
    assert_eq!(project.stdout(&["import", "."]), format!("change  {CLAUDE}\n"), "by path too");
}

#[test]
fn what_was_edited_here_stays_and_both_sides_are_a_conflict() {
    let project = shop().file(CLAUDE, "# Shop\n\nMine.\n");
    assert_eq!(states(&project, &UPDATE), [format!("edited {CLAUDE}")]);
    let project = project.file("CLAUDE.md", "# Shop\n\nTheirs.\n");
    for arguments in [&["import", "--update"][..], &["import", "."], &["import", "--check"]] {
        let run = project.run(arguments);
        assert_eq!(run.code, 1, "{}", run.stderr);
        for part in ["error[import-conflict]", "\n-Mine.\n+Theirs.\n", "--ours"] {
            assert!(run.stderr.contains(part), "{part}\n{}", run.stderr);
        }
    }
    assert_eq!(project.text(CLAUDE), "# Shop\n\nMine.\n");
    let run = project.run(&["import", "--update", "--ours"]);
    assert_eq!((run.code, project.text(CLAUDE).as_str()), (0, "# Shop\n\nMine.\n"));
    assert_eq!(project.run(&["import", "--check"]).code, 0, "the conflict is resolved");
    let project = project.file("CLAUDE.md", "# Shop\n\nTheirs again.\n");
    assert_eq!(project.run(&["import", "--update", "--theirs"]).code, 0);
    assert_eq!(project.text(CLAUDE), "# Shop\n\nTheirs again.\n");
}

#[test]
fn what_is_gone_is_reported_and_pruned_unless_it_was_edited() {
    let project = shop().file(CLAUDE, "Mine.\n");
    for path in ["CLAUDE.md", ".cursor/rules/ts.mdc"] {
        std::fs::remove_file(project.path(path)).unwrap();
    }
    let gone = [format!("gone {CLAUDE}"), format!("gone {RULE}")];
    assert_eq!(states(&project, &UPDATE), gone);
    assert_eq!(project.run(&["import", "--check"]).code, 1);
    let prune = [&UPDATE[..], &["--prune"]].concat();
    assert_eq!(states(&project, &prune), [format!("edited {CLAUDE}"), format!("removed {RULE}")]);
    assert!(!project.path(RULE).exists() && project.path(CLAUDE).exists());
    assert_eq!(project.run(&["import", "--check"]).code, 0);
}

#[test]
fn a_source_that_cannot_be_read_is_not_gone() {
    let project = shop().bytes("CLAUDE.md", &[0xff]);
    assert_eq!(states(&project, &[&UPDATE[..], &["--prune"]].concat()), [] as [&str; 0]);
    assert!(project.path(CLAUDE).exists());
    let outside =
        TestProject::empty().file("x/CLAUDE.md", "Text.\n").file("w/.faber/config.yml", "");
    outside.stdout(&["-C", "w", "import", "x"]);
    std::fs::rename(outside.path("x"), outside.path("y")).unwrap();
    let run = outside.run(&["-C", "w", "import", "--update"]);
    run.refused(2, &["outside of the workspace", "--outside"]);
    let run = outside.run(&["-C", "w", "import", "--update", "--prune", "--outside"]);
    assert_eq!(run.code, 2, "a folder outside that is missing is a failure\n{}", run.stderr);
    assert!(outside.path("w").join(CLAUDE).exists());
}

#[test]
fn an_import_that_was_interrupted_is_finished_by_the_next() {
    let answer = ".faber/roles/assistant/tasks/answer.md";
    let project = TestProject::empty().file("CLAUDE.md", "# Shop\n").file(answer, "# Answer\n");
    let created = project.stdout(&["import", "."]);
    assert!(
        created.contains("create  .faber/config.yml\n") && !created.contains(answer),
        "{created}"
    );
    assert_eq!(project.text(answer), "# Answer\n");
    project.stdout(&["assemble", "--request", "x"]);
    std::fs::remove_file(project.path(".faber/config.yml")).unwrap();
    assert_eq!(project.stdout(&["import", "."]), "", "it was finished");
}

#[test]
fn what_was_removed_here_stays_removed_until_it_is_imported_by_path() {
    let project = shop();
    std::fs::remove_file(project.path(RULE)).unwrap();
    assert_eq!(states(&project, &UPDATE), [format!("deleted {RULE}")]);
    assert_eq!(project.stdout(&["import", "."]), format!("create  {RULE}\n"));
}

#[test]
fn exports_are_not_sources_of_what_they_were_exported_from() {
    let project = shop();
    project.stdout(&["export", "claude"]);
    let project = project.file(CLAUDE, "# Shop\n\nNewer.\n");
    let run = project.run(&["import", "--update"]);
    assert_eq!((run.code, project.text(CLAUDE).as_str()), (0, "# Shop\n\nNewer.\n"));
}

#[test]
fn exports_are_not_imported_if_their_contexts_are_here_in_any_file() {
    let project = TestProject::with_role()
        .file(".faber/config.yml", "packs: { team: { path: team } }\n")
        .file("team/contexts/standards/shared.md", "Be kind.\n")
        .file("contexts/standards/tabs.md", "Use tabs.\n")
        .file("roles/clerk/contexts/standards/post.md", "Sort letters.\n");
    project.stdout(&["export", "agents-md"]);
    let own = format!("{}\nSee [tabs](contexts/standards/tabs.md).\n", project.text("AGENTS.md"));
    let project = project.file("AGENTS.md", &own);
    let created = "create  contexts/standards/standards-agents.md\n";
    assert_eq!(project.stdout(&["import", "."]), created);
    assert_eq!(project.text("contexts/standards/standards-agents.md"), "See [tabs](./tabs.md).\n");
    let project = project.file("contexts/standards/tabs.md", "Use spaces.\n");
    let run = project.run(&["import", "."]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    run.said(&["import-kept", "`contexts/standards/tabs.md` differs from this part"]);
}

#[test]
fn a_damaged_record_stops_the_import() {
    let project = shop();
    let text = format!("<<<<<<< HEAD\n{}", project.text(".faber/imports.json"));
    let project = project.file(".faber/imports.json", &text);
    for arguments in [&["import", "."][..], &["import", "--update"]] {
        let run = project.run(arguments);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("conflict markers"), "{}", run.stderr);
    }
    let run = TestProject::new().run(&["import", "--update"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("has no imports"), "{}", run.stderr);
}

#[test]
fn a_new_file_does_not_take_the_name_of_one_that_was_imported() {
    let agent = |text: &str| format!("---\nname: dba\ndescription: SQL\n---\n{text}\n");
    let project = TestProject::empty().file("plugins/b/agents/dba.md", &agent("Two."));
    project.stdout(&["import", "."]);
    let project = project.file("plugins/a/agents/dba.md", &agent("One."));
    let folder = "contexts/specialists/specialist";
    assert_eq!(project.stdout(&["import", "--update"]), format!("create  {folder}-a-dba.md\n"));
    assert!(project.text(&format!("{folder}-dba.md")).contains("Two."));
    std::fs::remove_file(project.path("plugins/b/agents/dba.md")).unwrap();
    let run = project.run(&["import", "--update", "--prune"]);
    assert_eq!(run.stdout, format!("remove  {folder}-dba.md\n"), "{}", run.stderr);
    assert!(project.text(&format!("{folder}-a-dba.md")).contains("One."), "a name stays");
    assert_eq!(project.run(&["import", "--check"]).code, 0);
}

#[test]
fn a_later_import_does_not_take_the_name_of_an_earlier_one() {
    let project = TestProject::empty()
        .file("terraform/README.md", "# Infrastructure\n\nAll of it.\n")
        .file("handbook/terraform.md", "# Terraform\n\nHow to run it.\n");
    project.stdout(&["import", "markdown", "terraform"]);
    let folder = "contexts/references";
    assert_eq!(
        project.stdout(&["import", "markdown", "handbook"]),
        format!("create  {folder}/reference-handbook-terraform.md\n")
    );
    assert_eq!(project.run(&["import", "--check"]).code, 0);
    std::fs::remove_file(project.path("terraform/README.md")).unwrap();
    let project = project.file("more/terraform.md", "# More\n\nMore of it.\n");
    let run = project.run(&["import", "markdown", "more"]);
    run.said(&["reference-terraform.md` already exists with different content; not overwritten"]);
}

#[test]
fn a_record_of_another_author_neither_reads_nor_removes_other_files() {
    let name = |path: &str| {
        let import = serde_json::json!({
            "request": {"paths": [path]},
            "files": {"../own.md": {"from": "gone.md", "hash": HASH_OF_OWN}},
        });
        serde_json::json!({"schema": "faber.imports/1", "imports": [import]}).to_string()
    };
    let project = TestProject::empty()
        .file("own.md", "Own.\n")
        .file("w/.faber/config.yml", "")
        .file("w/.faber/imports.json", &name("../"));
    let run = project.run(&["-C", "w", "import", "--update", "--prune"]);
    run.refused(2, &["outside of the workspace"]);
    let project = project.file("w/.faber/imports.json", &name("."));
    let run = project.run(&["-C", "w", "import", "--update", "--prune"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert_eq!(project.text("own.md"), "Own.\n");
}

#[test]
fn text_around_an_export_takes_nothing_from_it() {
    let rule = "---\nglobs: \"*.ts\"\n---\n# Web\n\nHand rule one.\n";
    for (target, path, name) in [
        ("agents-md", "AGENTS.md", "agents-agents-md"),
        ("cursor", ".cursor/rules/ts.mdc", "ts-cursor"),
    ] {
        let project = TestProject::empty().file(path, rule);
        project.stdout(&["import", "."]);
        project.stdout(&["export", target]);
        let text = project.text(path) + "\n## Added by hand\n\nNever skip CI.\n";
        let project = project.file(path, &text);
        let new = format!("contexts/standards/standards-{name}.md");
        let update = project.run(&["import", "--update"]);
        assert_eq!(update.stdout, format!("create  {new}\n"), "{}", update.stderr);
        project.stdout(&["export", target]);
        assert!(project.text(path).contains("Hand rule one."), "{}", project.text(path));
        assert!(project.text(&new).contains("Never skip CI."));
        for arguments in [&["import", "--check"][..], &["import", "."]] {
            let again = project.run(arguments);
            assert_eq!((again.code, &*again.stdout), (0, ""), "{}", again.stderr);
        }
        let clone = TestProject::empty().file(path, &text);
        clone.stdout(&["import", "."]);
        let list = clone.stdout(&["list", "contexts"]);
        assert_eq!(list.matches("standard/").count(), 2, "{list}");
    }
}

#[test]
fn an_export_takes_over_what_was_imported_although_the_context_was_edited() {
    let rule = "---\nglobs: \"*.ts\"\n---\nOlder.\n";
    let project =
        TestProject::empty().file("AGENTS.md", "Root.\n").file(".cursor/rules/ts.mdc", rule);
    project.stdout(&["import", "."]);
    let edited = "contexts/standards/standards-";
    let project = project
        .file(&format!("{edited}agents.md"), "Root, edited.\n")
        .file(&format!("{edited}ts.md"), &rule.replace("Older", "Newer"));
    for (target, path, old, new) in [
        ("agents-md", "AGENTS.md", "Root.\n", "Root, edited."),
        ("cursor", ".cursor/rules/ts.mdc", "Older.", "Newer."),
    ] {
        project.stdout(&["export", target]);
        let text = project.text(path);
        assert!(text.contains(new) && !text.contains(old), "{text}");
    }
    let project = TestProject::empty().file("AGENTS.md", "Root.\n");
    project.stdout(&["import", "."]);
    let project = project.file(&format!("{edited}agents.md"), "Root, edited.\n");
    let project = project.file("AGENTS.md", "Root, and more.\n");
    project.stdout(&["export", "agents-md"]);
    assert!(project.text("AGENTS.md").contains("Root, and more."), "it was never imported");
}

#[test]
fn an_export_that_differs_from_its_original_is_reported() {
    let part =
        "<!-- faber: begin standard/web -->\n# Web\n\nNewer.\n<!-- faber: end standard/web -->\n";
    let project = TestProject::empty()
        .file(".cursor/rules/web.mdc", "---\nalwaysApply: true\n---\n# Web\n\nOlder.\n")
        .file("AGENTS.md", part)
        .file("GEMINI.md", &part.replace("Newer", "Older"));
    let kept = "AGENTS.md:1:1: warning[import-kept] `contexts/standards/standards-web.md` differs";
    for arguments in [&["import", ".", "--dry-run"][..], &["import", "."]] {
        let run = project.run(arguments);
        assert!(run.stderr.contains(kept), "{}", run.stderr);
        assert_eq!(run.stderr.matches("import-kept").count(), 1, "{}", run.stderr);
    }
    assert!(project.text("contexts/standards/standards-web.md").contains("Older."));
}

#[test]
fn links_of_exports_stay_what_they_were() {
    let project = TestProject::empty()
        .file(".github/copilot-instructions.md", "# Main\n\nUse tabs.\n")
        .file("CLAUDE.md", "# Proj\n\nSee [copilot](.github/copilot-instructions.md).\n")
        .file("packages/a/AGENTS.md", "# A\n\nSee [root](../../AGENTS.md).\n")
        .file("AGENTS.md", "# Root\n\nSee [a](packages/a/AGENTS.md).\n");
    project.stdout(&["import", "."]);
    for target in ["copilot", "agents-md", "claude"] {
        project.stdout(&["export", target]);
        let check = project.run(&["import", "--check"]);
        assert_eq!((check.code, &*check.stdout), (0, ""), "{target}\n{}", check.stderr);
        assert!(!check.stderr.contains("import-kept"), "{target}\n{}", check.stderr);
    }
    assert!(project.text("AGENTS.md").contains("[a](./packages/a/AGENTS.md)"));
    assert!(project.text("packages/a/AGENTS.md").contains("[root](../../AGENTS.md)"));
    for file in [".faber", "contexts", ".github", "CLAUDE.md", ".claude"] {
        let path = project.path(file);
        let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
    }
    project.stdout(&["import", "."]);
    let text = project.text("contexts/standards/standards-agents.md");
    assert!(text.contains("[a](./standards-agents-packages-a.md)"), "{text}");
}

#[test]
fn a_sample_that_nobody_changed_gives_way() {
    let project = TestProject::empty();
    project.stdout(&["init"]);
    let edited = "contexts/specialists/specialist-planning.md";
    let own = project.text(edited) + "Ours.\n";
    let agent = |name: &str| format!("---\nname: {name}\ndescription: d\n---\nThe {name} agent.\n");
    let project = project
        .file(edited, &own)
        .file(".claude/agents/review.md", &agent("review"))
        .file(".claude/agents/planning.md", &agent("planning"));
    let run = project.run(&["import", "."]);
    assert_eq!(
        (run.code, &*run.stdout),
        (1, "change  contexts/specialists/specialist-review.md\n")
    );
    run.said(&["`contexts/specialists/specialist-planning.md` already exists with different"]);
    assert!(
        project.text("contexts/specialists/specialist-review.md").contains("The review agent.")
    );
    assert_eq!(project.text(edited), own);
    assert_eq!(project.run(&["test"]).code, 0);
}
