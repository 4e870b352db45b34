//! Files that are contexts where they are.

use super::*;

const CONFIG: &str = ".faber/config.yml";

fn repository() -> TestProject {
    let agents = "# Shop\n\nUse tabs. See [a](docs/a.md) and [ts](.cursor/rules/ts.mdc).\n";
    TestProject::empty()
        .file("AGENTS.md", agents)
        .file("docs/a.md", "# A\n")
        .file(".cursor/rules/ts.mdc", "---\nglobs: \"**/*.ts\"\n---\nStrict.\n")
        .file(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms\n---\nDo.\n")
        .file(".claude/skills/pdf/x.md", "# X\n")
}

#[test]
fn files_stay_where_they_are() {
    let project = repository();
    let dry = project.stdout(&["import", "--in-place", ".", "--dry-run"]);
    assert!(dry.contains("use     AGENTS.md\n") && !project.path(CONFIG).exists(), "{dry}");
    let said = project.run(&["import", "--in-place", "."]);
    assert!(said.stderr.starts_with("3 files used in place\n"), "{}", said.stderr);
    assert!(!project.path("contexts").exists() && !project.path(".faber/imports.json").exists());
    let ids = project.stdout(&["list", "contexts"]);
    for id in ["standard/agents ", "standard/ts ", "playbook/pdf "] {
        assert!(ids.contains(id), "{ids}");
    }
    assert_eq!(project.run(&["validate", "--deny", "warnings"]).code, 0);
    let lines = project.stdout(&["show", "standard/agents", "--blame"]);
    assert!(lines.contains(" AGENTS.md:3 │ Use tabs."), "{lines}");
    let bundle = project.stdout(&["assemble", "--request", "x"]);
    let expected = "[a](docs/a.md) and [ts](./.cursor/rules/ts.mdc).";
    assert!(bundle.contains(expected), "they start from the file that the label names: {bundle}");
    let graph = project.stdout(&["graph", "--format", "json"]);
    assert!(graph.contains("\"kind\": \"link\""), "{graph}");
    let project = project.file("AGENTS.md", "# Shop\n\nUse blanks.\n");
    let bundle = project.stdout(&["assemble", "--request", "x"]);
    assert!(bundle.contains("Use blanks."), "{bundle}");
    let shown = [
        project.stdout(&["search", "blanks"]),
        project.stdout(&["list", "contexts", "--format", "json"]),
        project.stdout(&["list", "triggers"]),
        project.stdout(&["assemble", "--request", "x", "--format", "json"]),
        bundle,
    ];
    for text in shown {
        assert!(!text.contains("packs/here"), "paths are those of the files: {text}");
    }
}

#[test]
fn what_they_import_and_what_plugins_have_is_used_too() {
    let project = TestProject::empty()
        .file("CLAUDE.md", "# Shop\n\n@docs/a.md\n")
        .file("docs/a.md", "# A\n\nUse tabs.\n\n@b.txt\n")
        .file("docs/b.txt", "Be kind.\n")
        .file("tool/.claude-plugin/plugin.json", "{}")
        .file("tool/agents/writer.md", "You write.\n")
        .file("prompts/plan.md", "---\nname: plan\ndescription: Plans\nmodel: x\n---\nYou plan.\n")
        .file("notes.md", "Notes.\n");
    project.stdout(&["import", "--in-place", "."]);
    let run = project.run(&["import", "--in-place", "cursor", "notes.md"]);
    run.said(&["not used in place: its path and front matter do not tell its format"]);
    assert!(!project.text(CONFIG).contains("notes.md"));
    let run = project.run(&["validate", "--deny", "warnings"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    let bundle = project.stdout(&["assemble", "--request", "x", "--with", "specialist/writer"]);
    assert!(project.stdout(&["list", "contexts"]).contains("specialist/plan "));
    for text in ["Use tabs.", "Be kind.", "You write."] {
        assert!(bundle.contains(text), "{bundle}");
    }
}

#[test]
fn what_is_new_is_added_and_what_is_gone_is_taken_out() {
    let project = repository().file(CONFIG, "# mine\nsettings: { role: dev }\n");
    let project =
        project.file("roles/dev/prompt.md", "# Dev\n").file("contexts/standards/own.md", "# Own\n");
    project.stdout(&["import", "--in-place", "."]);
    let once = project.text(CONFIG);
    assert!(once.starts_with("# mine\nsettings: { role: dev }\npacks:\n  here: {"), "{once}");
    project.stdout(&["import", "--in-place", "AGENTS.md"]);
    assert_eq!(project.text(CONFIG), once, "the others are named already");
    let own = project.stdout(&["list", "contexts"]);
    assert_eq!(own.matches("standard/own ").count(), 1, "{own}");
    let project = project.file("web/AGENTS.md", "# Web\n");
    std::fs::remove_file(project.path(".cursor/rules/ts.mdc")).unwrap();
    let findings = project.run(&["validate"]).stdout;
    assert!(findings.contains("this file does not exist"), "{findings}");
    let said = project.stdout(&["import", "--in-place", "."]);
    assert_eq!(said, "remove  .cursor/rules/ts.mdc\nuse     web/AGENTS.md\n");
    let ids = project.stdout(&["list", "contexts"]);
    assert!(ids.contains("standard/agents-web ") && !ids.contains("standard/ts "), "{ids}");
}

#[test]
fn there_is_one_version_of_each_text() {
    let project = repository();
    project.stdout(&["import", "AGENTS.md"]);
    let run = project.run(&["import", "--in-place", "."]);
    assert!(run.stderr.contains("it was imported as `contexts/standards/"), "{}", run.stderr);
    assert!(!project.text(CONFIG).contains("\"AGENTS.md\""));
    let run = project.run(&["import", "--in-place", "markdown", "docs"]);
    assert!(run.code == 2 && run.stderr.contains("without `--in-place`"), "{}", run.stderr);
    let other = TestProject::empty().file("AGENTS.md", "# Other\n");
    let run = project.run(&["import", "--in-place", other.path("").to_str().unwrap()]);
    assert!(run.code == 2 && run.stderr.contains("outside of the workspace"), "{}", run.stderr);
    let project = project.file(CONFIG, "packs: { x: { path: ., files: [../y.md] } }\n");
    let findings = project.run(&["validate"]).stdout;
    assert!(findings.contains("`../y.md` is not a file of a pack"), "{findings}");
}

#[test]
fn an_export_does_not_repeat_what_the_tool_reads() {
    let web = "# Web\n\nUse hooks.\n";
    let project = repository().file("web/AGENTS.md", web);
    project.stdout(&["import", "--in-place", "."]);
    project.stdout(&["export", "agents-md"]);
    assert_eq!(project.text("web/AGENTS.md"), web);
    let text = project.text("AGENTS.md");
    assert_eq!(text.matches("Use tabs.").count(), 1, "{text}");
    assert!(text.contains("begin role/assistant") && text.contains("begin standard/ts"), "{text}");
    let findings = project.run(&["validate", "--deny", "warnings"]);
    assert!(findings.code == 0 && !findings.stdout.contains("import"), "{}", findings.stdout);
    let ids = project.stdout(&["list", "contexts"]);
    assert!(!ids.contains("@here"), "{ids}");
    assert_eq!(project.run(&["export", "agents-md", "--check"]).code, 0);
    project.stdout(&["export", "claude"]);
    let rule = project.text(".claude/rules/agents.md");
    assert!(rule.contains("Use tabs."), "Claude Code does not read it: {rule}");
    assert_eq!(project.stdout(&["import", "--in-place", "."]), "", "an export is not a source");
    let skill = project.text(".claude/skills/pdf/SKILL.md");
    assert!(!skill.contains("faber: begin"), "{skill}");
}

#[test]
fn without_files_there_is_no_pack() {
    let project = TestProject::empty().file("AGENTS.md", "# Shop\n\nUse tabs.\n");
    project.stdout(&["import", "--in-place", "."]);
    project.stdout(&["export", "claude"]);
    std::fs::remove_file(project.path("AGENTS.md")).unwrap();
    assert_eq!(project.stdout(&["import", "--in-place", "."]), "remove  AGENTS.md\n");
    assert!(!project.text(CONFIG).contains("here:"), "{}", project.text(CONFIG));
    assert_eq!(project.run(&["validate"]).code, 0);
}

#[test]
fn without_its_last_file_the_pack_is_empty() {
    let project = TestProject::empty().file("AGENTS.md", "# Shop\n\nUse tabs.\n");
    project.stdout(&["import", "--in-place", "."]);
    std::fs::remove_file(project.path("AGENTS.md")).unwrap();
    project.stdout(&["assemble", "--request", "x"]);
    assert!(project.run(&["validate"]).stdout.contains("this file does not exist"));
    assert_eq!(project.stdout(&["import", "--in-place", "."]), "remove  AGENTS.md\n");
    assert!(!project.text(CONFIG).contains("here:"), "{}", project.text(CONFIG));
}

#[test]
fn imported_files_are_taken_out_also_after_an_export() {
    let rule = "---\nalwaysApply: true\n---\n# Deploy\n\nUse the blue button.\n";
    let project = TestProject::empty().file(".cursor/rules/a.mdc", rule);
    project.stdout(&["import", "--in-place", "."]);
    project.stdout(&["import", "."]);
    project.stdout(&["export", "cursor"]);
    let bundle = project.stdout(&["assemble", "--request", "x"]);
    assert_eq!(bundle.matches("blue button").count(), 1, "{bundle}");
    assert_eq!(project.stdout(&["import", "--in-place", "."]), "remove  .cursor/rules/a.mdc\n");
    assert!(!project.text(CONFIG).contains("here:"), "{}", project.text(CONFIG));
}

#[test]
fn an_export_without_its_original_is_reported() {
    let part = "<!-- faber: begin standard/x -->\n# X\n\nRule x.\n<!-- faber: end standard/x -->\n";
    let project = repository().file("web/AGENTS.md", part);
    let import = ["import", "--in-place", "."];
    let lost = "web/AGENTS.md:1:1: warning[import-omitted] not used in place: faber exported \
                `standard/x`, which is missing here";
    project.run(&import).said(&[lost]);
    let project = project.file("contexts/standards/standards-x.md", "# X\n\nRule x.\n");
    let run = project.run(&import);
    assert!(!run.stderr.contains("import-omitted"), "{}", run.stderr);
}

#[test]
fn lists_of_an_export_name_the_files_that_are_there() {
    let rule = "---\ndescription: Mail\n---\nSend mail.\n";
    let project = repository().file(".cursor/rules/mail.mdc", rule);
    project.stdout(&["import", "--in-place", "."]);
    project.stdout(&["export", "agents-md"]);
    let text = project.text("AGENTS.md");
    assert!(text.contains("\n- `.cursor/rules/mail.mdc`: Mail\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_taken_out() {
    let project = repository().symlink("CLAUDE.md", "docs/a.md");
    project.stdout(&["import", "--in-place", "."]);
    assert!(project.text(CONFIG).contains("CLAUDE.md"));
    std::fs::remove_file(project.path("docs/a.md")).unwrap();
    let out = project.stdout(&["import", "--in-place", "."]);
    assert!(out.contains("remove  CLAUDE.md\n"), "{out}");
}

#[test]
fn what_git_tracks_is_used_although_a_rule_ignores_it() {
    let project = TestProject::with_role()
        .file(".gitignore", ".claude/\n")
        .file(".claude/rules/a.md", "---\nfoo: 1\n---\nTracked.\n")
        .file(".claude/rules/b.md", "Ignored.\n")
        .file(".claude/x.txt", "Included.\n")
        .file("contexts/standards/own.md", "<!-- faber: include ../../.claude/x.txt -->\n");
    project.git(&["init", "-q"]);
    project.git(&["add", "-f", ".claude/rules/a.md", ".claude/x.txt"]);
    assert_eq!(project.stdout(&["import", "--in-place", "."]), "use     .claude/rules/a.md\n");
    let validated = project.stdout(&["validate", "--format", "concise", "-v"]);
    assert!(
        validated.contains("import-inert") && !validated.contains("unknown-field"),
        "{validated}"
    );
    let bundle = project.stdout(&["assemble", "--request", "x"]);
    assert!(bundle.contains("Tracked.\n") && bundle.contains("Included.\n"), "{bundle}");
    project.git(&["rm", "-q", "--cached", "-r", ".claude"]);
    let run = project.run(&["assemble", "--request", "x"]);
    run.refused(2, &["git ignores it (`.claude/` in .gitignore)", "1 problem in another file"]);
}
