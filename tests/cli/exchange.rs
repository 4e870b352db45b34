//! Import from and export to other tools.

mod companions;
mod data;
mod documents;
mod formats;
mod import;
mod in_place;
mod step;

use std::path::Path;
use std::process::Stdio;

use crate::project::{Run, TestProject};

fn repository() -> TestProject {
    TestProject::empty()
        .file("AGENTS.md", "# Project\n\nUse tabs. See [guide](docs/guide.md).\n")
        .file("packages/web/AGENTS.md", "# Web\n\nUse React.\n")
        .file("CLAUDE.md", "@AGENTS.md\n\n- Think first\n- @docs/guide.md\n\nSee @docs/deep.md, @~/own.md and @gone/x.md. Ask @bob.\n")
        .file("docs/guide.md", "# Guide\n\nBe kind.\n")
        .file("docs/deep.md", "# Deep\n\n@guide.md\n")
        .file("node_modules/x/AGENTS.md", "Not ours.\n")
        .file(".gitignore", "ignored/\n")
        .file("ignored/AGENTS.md", "Not ours either.\n")
        .file(".claude/rules/ts.md", "---\npaths:\n  - \"src/**/*.ts\"\n---\n# TS\n\nStrict. [Guide](../../docs/guide.md)\n")
        .file(".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews code\nmodel: sonnet\n---\nYou review.\n")
        .file(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms\nlicense: MIT\n---\n# PDF\n\nRun `scripts/fill.py`. See [forms](references/forms.md) and [more](references/).\n")
        .file(".claude/skills/pdf/references/forms.md", "# Forms\n")
        .bytes(".claude/skills/pdf/scripts/fill.bin", &[0, 159, 146, 150])
        .file(".cursor/rules/react.mdc", "---\ndescription: React: all\nglobs: **/*.tsx,**/*.{a,b}\nalwaysApply: false\n---\n# React\n")
        .file("packages/web/.cursor/rules/base.mdc", "---\nglobs:\nalwaysApply: true\n---\nAlways web.\n")
        .file(".github/instructions/python.instructions.md", "---\napplyTo: \"**/*.py\"\nstatus: experimental\nexcludeAgent: x\n---\nUse types.\n")
        .file(".github/copilot-instructions.md", "# Copilot\n\nBe brief.\n")
        .file(".continue/rules/docs.md", "---\nname: Doc Style\nglobs: \"docs/**\"\n---\nShort sentences.\n")
        .file(".clinerules/off.md", "---\npaths: []\n---\nNever.\n")
        .file(".openhands/microagents/kubernetes.md", "---\nname: k8s\ntriggers:\n- kubernetes\n- kubectl apply\n---\nUse kubectl.\n")
}

fn imported() -> TestProject {
    let project = repository();
    project.stdout(&["import", "."]);
    project
}

fn findings(project: &TestProject, arguments: &[&str]) -> Vec<String> {
    let run = project.run(arguments);
    let data: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let found = data["findings"].as_array().unwrap().iter();
    let shown = |it: &serde_json::Value| {
        format!("{}:{} {}", it["path"].as_str().unwrap(), it["line"], it["rule"].as_str().unwrap())
    };
    found.filter(|it| it["severity"] != "hint").map(shown).collect()
}

const TARGETS: [&str; 9] = [
    "claude",
    "cursor",
    "copilot",
    "agents-md",
    "skills",
    "continue",
    "gemini",
    "kiro",
    "windsurf",
];

#[test]
fn an_export_is_what_it_says_and_stays_so() {
    for target in TARGETS {
        let project = imported();
        let before = project.files();
        let dry = project.run(&["export", target, "--dry-run"]);
        assert_eq!(
            (dry.code, &project.files()),
            (0, &before),
            "{target}: a dry run writes nothing"
        );
        let check = project.run(&["export", target, "--check"]);
        assert_eq!((check.code, &project.files()), (1, &before), "{target}: nor does a check");
        let first = project.stdout(&["export", target]);
        assert_eq!(first, dry.stdout, "{target}");
        let after = project.files();
        assert_eq!(project.run(&["export", target, "--check"]).code, 0, "{target}");
        assert_eq!(project.stdout(&["export", target]), "", "{target}: there is nothing to do");
        assert_eq!(project.files(), after);
        let again = project.run(&["import", "."]);
        assert_eq!(again.stdout, "", "{target}: {}", again.stderr);
        assert_eq!(project.files(), after, "{target}");
    }
}

#[test]
fn files_with_other_line_ends_keep_them() {
    let windows = |text: String| text.replace('\n', "\r\n");
    let project = TestProject::new()
        .file("contexts/standards/standards-a.md", "Text of a.\n")
        .file("AGENTS.md", "# My own\r\n\r\nMine.\r\n");
    project.stdout(&["export", "agents-md"]);
    let text = project.text("AGENTS.md");
    assert_eq!(text, windows(text.replace('\r', "")));
    let project = project.file("contexts/standards/standards-a.md", "Text of b.\n");
    project.stdout(&["export", "agents-md"]);
    assert_eq!(project.text("AGENTS.md"), text.replace("of a", "of b"));
    project.stdout(&["export", "cursor"]);
    let rule = ".cursor/rules/a.mdc";
    let copy = windows(project.text(rule));
    let project = project.file(rule, &copy);
    assert_eq!(project.run(&["export", "cursor", "--check"]).code, 0);
    let project = project.bytes("AGENTS.md", b"# \xff\n");
    let run = project.run(&["export", "agents-md"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    run.said(&["`AGENTS.md` cannot be read: it is not UTF-8"]);
}

#[test]
fn hand_written_text_stays_and_foreign_files_are_not_touched() {
    let project = TestProject::new()
        .file("contexts/standards/standards-a.md", "Text of a.\n")
        .file("contexts/standards/standards-b.md", "---\nglobs: [\"web/**\"]\n---\nText of b.\n")
        .file("AGENTS.md", "# My own\n")
        .dir("web");
    project.stdout(&["export", "agents-md"]);
    let text = project.text("AGENTS.md");
    assert!(
        text.starts_with("# My own\n\n<!-- faber: begin standard/a -->\nText of a.\n"),
        "{text}"
    );
    assert!(project.text("web/AGENTS.md").contains("Text of b."));
    let project = project.file("AGENTS.md", &format!("{text}\nMy end.\n"));
    std::fs::remove_file(project.path("contexts/standards/standards-b.md")).unwrap();
    let run = project.run(&["export", "agents-md"]);
    assert!(run.stdout.contains("remove  web/AGENTS.md"), "{}", run.stdout);
    assert!(!project.path("web/AGENTS.md").exists());
    assert_eq!(project.text("AGENTS.md"), format!("{text}\nMy end.\n"));
    let project = project.file(".cursor/rules/a.mdc", "Somebody's.\n");
    let run = project.run(&["export", "cursor"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("was not written by faber"), "{}", run.stderr);
    assert_eq!(project.text(".cursor/rules/a.mdc"), "Somebody's.\n");
    let with_key = "---\nowner: me\ndescription: old\n---\n\nAbove.\n\n\
        <!-- faber: begin standard/a -->\nold\n<!-- faber: end standard/a -->\n";
    let project = project.file(".cursor/rules/a.mdc", with_key);
    project.stdout(&["export", "cursor"]);
    let text = project.text(".cursor/rules/a.mdc");
    assert!(text.contains("owner: me") && !text.contains("description: old"), "{text}");
    assert!(text.contains("\nAbove.\n\n<!-- faber: begin standard/a -->\nText of a.\n"), "{text}");
}

#[test]
fn resolved_contexts_are_exported_without_internal_ones() {
    let project = TestProject::with_role()
        .file(".faber/config.yml", "settings: { team: core }\naccess: { user: ann }\n")
        .file("contexts/standards/standards-a.md", "# A\n\n- one\n")
        .file(
            ".faber/overlays/teams/core/contexts/standards/standards-a.md",
            "---\nstrategy: append\n---\n- two\n",
        )
        .file(
            ".faber/overlays/organization/contexts/standards/standards-a.md",
            "---\nstrategy: append\nvisibility: internal\n---\n- secret\n",
        )
        .file(
            ".faber/overlays/users/ann/contexts/standards/standards-a.md",
            "---\nstrategy: append\n---\n- mine\n",
        )
        .file(
            "contexts/standards/standards-p.md",
            "---\nvisibility: private\nowner: ann\n---\nPrivate.\n",
        )
        .file("contexts/standards/standards-g.md", "---\ngroups: [x]\n---\nGroup.\n");
    let out = project.stdout(&["export", "cursor"]);
    assert_eq!(out, "create  .cursor/rules/a.mdc\ncreate  .cursor/rules/role-clerk.mdc\n");
    let text = project.text(".cursor/rules/a.mdc");
    assert!(
        text.contains("- one\n- two\n") && !text.contains("secret") && !text.contains("mine"),
        "{text}"
    );
    assert!(project.text(".cursor/rules/role-clerk.mdc").contains("You sort letters."));
}

#[test]
fn a_dry_run_says_what_a_tool_cuts() {
    let long = "Long words. ".repeat(120);
    let project = TestProject::new()
        .file(
            "contexts/standards/standards-big.md",
            &"Forty bytes of text in a line, every time.\n".repeat(900),
        )
        .file("contexts/standards/standards-late.md", "Late.\n")
        .file(
            "contexts/playbooks/playbook-long.md",
            &format!("---\ndescription: {long}\nkeywords: [x]\n---\nText.\n"),
        );
    let agents = project.run(&["export", "agents-md", "--dry-run"]).stderr;
    assert!(agents.contains("`standard/big` ends behind the first 32768 bytes"), "{agents}");
    assert!(agents.contains("`standard/late` lies behind"), "{agents}");
    let skills = project.run(&["export", "skills", "--dry-run"]).stderr;
    assert!(
        skills.contains("skills keep the first 1024") && skills.contains("cannot load by keywords"),
        "{skills}"
    );
    assert!(skills.contains("`standard/late` always loads"), "{skills}");
    let copilot = project.run(&["export", "copilot", "--dry-run"]).stderr;
    assert!(copilot.contains("code review reads the first 4000"), "{copilot}");
    project.stdout(&["export", "skills"]);
    let skill = project.text(".agents/skills/long/SKILL.md");
    let description = skill.lines().find(|line| line.starts_with("description: ")).unwrap();
    assert!(description.chars().count() <= "description: \"\"".len() + 1024, "{description}");
}

#[test]
fn json_output_fits_its_schema() {
    let project = repository();
    for (name, arguments) in [
        ("import", &["import", ".", "--format", "json"][..]),
        ("export", &["export", "claude", "--format", "json"]),
    ] {
        let data = project.json(arguments);
        let schema = project.json(&["schema", name]);
        let validator = jsonschema::validator_for(&schema).unwrap();
        let wrong: Vec<String> = validator.iter_errors(&data).map(|it| it.to_string()).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        assert!(!data["files"].as_array().unwrap().is_empty());
    }
}

fn corpus(archive: &str) -> Option<TestProject> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora").join(archive);
    if !path.exists() {
        println!("skipped: no {} beside the checkout", path.display());
        return None;
    }
    let project = TestProject::empty().dir("archive").dir("first").dir("second");
    let tar = std::process::Command::new("tar")
        .arg("-xzf")
        .arg(&path)
        .arg("-C")
        .arg(project.path("archive"))
        .status();
    assert!(tar.is_ok_and(|status| status.success()), "tar unpacks {}", path.display());
    Some(project)
}

fn there_and_back(archive: &str, format: &str, folder: &str, count: usize) {
    let Some(project) = corpus(archive) else { return };
    let run = |arguments: &[&str]| -> Run { project.run(arguments) };
    let first = run(&["import", format, "archive", "--into", "first", "--format", "json"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let data: serde_json::Value = serde_json::from_str(&first.stdout).unwrap();
    let contexts = data["files"].as_array().unwrap().iter().filter(|it| !it["source"].is_null());
    assert_eq!(contexts.count(), count);
    let validate = run(&["-C", "first", "validate", "--format", "concise"]);
    assert_eq!(validate.code, 0, "{}", validate.stdout);
    assert_eq!(run(&["-C", "first", "export", format]).code, 0);
    std::fs::rename(project.path("first").join(folder), project.path("second").join(folder))
        .unwrap();
    let second = run(&["import", "second", "--output", "second"]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    let texts = |root: &str| -> Vec<(String, String)> {
        let files = walkdir::WalkDir::new(project.path(root).join("contexts")).sort_by_file_name();
        let files = files.into_iter().map(Result::unwrap).filter(|it| it.file_type().is_file());
        let text = |it: walkdir::DirEntry| {
            let name = it.file_name().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(it.path()).unwrap())
        };
        files.map(text).collect()
    };
    let (before, after) = (texts("first"), texts("second"));
    assert_eq!(before.len(), count);
    for (one, other) in before.iter().zip(&after) {
        assert_eq!(one, other);
    }
    assert_eq!(before.len(), after.len());
}

#[test]
fn real_cursor_rules_go_there_and_back() {
    there_and_back("cursorrules.tar.gz", "cursor", ".cursor", 260);
}

#[test]
fn real_copilot_instructions_go_there_and_back() {
    there_and_back("copilot-instructions.tar.gz", "copilot", ".github", 191);
}

fn one() -> TestProject {
    TestProject::new().file("contexts/standards/standards-a.md", "Text of a.\n").dir("web")
}

#[test]
fn ignored_files_and_secrets_beside_a_skill_are_not_exported() {
    let project = TestProject::new()
        .file("contexts/playbooks/playbook-pdf.md", "---\ndescription: d\n---\nDo.\n")
        .file("contexts/playbooks/resources/pdf/.eslintrc", "{}\n")
        .file("contexts/playbooks/resources/pdf/.env", "A=b\n")
        .file("contexts/playbooks/resources/pdf/bin/__pycache__/run.pyc", "x\n")
        .file(".gitignore", "contexts/**/.env\n__pycache__/\n");
    project.stdout(&["export", "claude"]);
    let list = project.text(".claude/skills/pdf/.faber-files");
    assert!(list.contains(".eslintrc") && list.lines().count() == 1, "{list}");
    let token = ["ghp_", "x7Kq2mW9vL4tR8pZ3nB6cD1fG5hJ0sYaEuTi"].concat();
    let project =
        project.file("contexts/playbooks/resources/pdf/run.sh", &format!("TOKEN={token}\n"));
    let run = project.run(&["export", "claude"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("resources/pdf/run.sh:1") && !run.stderr.contains(&token));
    assert!(!project.path(".claude/skills/pdf/run.sh").exists());
    project.stdout(&["export", "claude", "--allow-insecure"]);
    assert!(project.path(".claude/skills/pdf/run.sh").exists());
}

/// A limit for the size of files acts like a full disk.
#[cfg(unix)]
#[test]
fn a_copy_that_cannot_be_replaced_stays() {
    let project = TestProject::new()
        .file("contexts/playbooks/playbook-pdf.md", "---\ndescription: d\n---\nDo.\n")
        .file("contexts/playbooks/resources/pdf/run.sh", "old\n");
    project.stdout(&["export", "claude"]);
    let big = "#".repeat(400_000);
    let project = project.file("contexts/playbooks/resources/pdf/run.sh", &big);
    let limited = "trap '' XFSZ; ulimit -f 100; exec \"$0\" export claude";
    let mut command = std::process::Command::new("sh");
    let command = command.args(["-c", limited, env!("CARGO_BIN_EXE_faber")]);
    let out = command.current_dir(project.path("")).output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(project.text(".claude/skills/pdf/run.sh"), "old\n");
    let project = project.file("contexts/playbooks/resources/pdf/run.sh", "newer\n");
    project.stdout(&["export", "claude"]);
    assert_eq!(project.text(".claude/skills/pdf/run.sh"), "newer\n", "it is still faber's");
}

#[test]
fn the_rules_of_the_project_and_no_others_are_imported() {
    let project = TestProject::with_role()
        .file("AGENTS.md", "# P\n\nUse pnpm.\n")
        .file("src/contexts/AGENTS.md", "# React\n\nNever nest providers.\n")
        .file(".cursor/rules/partials/a.mdc", "---\nalwaysApply: true\n---\n# C\n\nUse hooks.\n")
        .file("roles/assistant/contexts/standards/AGENTS.md", "# Of the pack\n")
        .file("lib/.git", "gitdir: ../.git/modules/lib\n")
        .file("lib/AGENTS.md", "# Lib\n\nOf a submodule.\n")
        .file(".claude/worktrees/fix/.git", "gitdir: /x/.git/worktrees/fix\n")
        .file(".claude/worktrees/fix/AGENTS.md", "# P\n\nUse bun.\n")
        .file("other/.faber/config.yml", "version: 1\n")
        .file("other/AGENTS.md", "# Other\n\nOf another workspace.\n");
    project.git(&["init", "-q"]);
    let out = project.stdout(&["import", ".", "--dry-run"]);
    let created = out.lines().filter(|line| line.starts_with("create")).count();
    assert!(created == 4 && out.contains("lib") && !out.contains("worktrees"), "{out}");
    let out = project.stdout(&["import", ".claude/worktrees/fix", "--dry-run"]);
    assert!(out.contains("create"), "{out}");
}

#[test]
fn a_link_to_an_imported_file_is_reported_like_an_import_of_it() {
    let project = TestProject::new().file("AGENTS.md", "# P\n\nUse pnpm.\n");
    let project = project.symlink("CLAUDE.md", "AGENTS.md");
    project.stdout(&["import", "."]);
    project.run(&["export", "claude"]).said(&["CLAUDE.md:1:1", "export-duplicate"]);
}

#[test]
fn a_skill_with_scripts_is_no_duplicate_of_a_command() {
    let text = "description: Makes a release.\n---\n# Release\n\nRun `scripts/run.sh`.\n";
    let project = TestProject::new()
        .file(".cursor/commands/rel.md", &format!("---\n{text}"))
        .file(".claude/skills/rel/SKILL.md", &format!("---\nname: rel\n{text}"))
        .file(".claude/skills/rel/scripts/run.sh", "echo\n");
    let out = project.stdout(&["import", "."]);
    assert!(out.contains("/scripts/run.sh"), "{out}");
}

#[test]
fn files_beside_a_skill_are_faber_s_only_when_it_copied_them() {
    let project = TestProject::new()
        .file("contexts/playbooks/playbook-pdf.md", "---\ndescription: d\n---\nDo.\n")
        .file("contexts/playbooks/resources/pdf/run.sh", "of the pack\n")
        .file(
            "contexts/playbooks/resources/pdf/secret.md",
            "---\nvisibility: internal\n---\nInternal.\n",
        )
        .file(".claude/skills/pdf/run.sh", "of somebody\n");
    let run = project.run(&["export", "claude"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(project.text(".claude/skills/pdf/run.sh"), "of somebody\n");
    assert!(!project.path(".claude/skills/pdf/secret.md").exists(), "what is internal stays");
    std::fs::remove_file(project.path(".claude/skills/pdf/run.sh")).unwrap();
    project.stdout(&["export", "claude"]);
    let list = project.text(".claude/skills/pdf/.faber-files");
    let project = project.file(".claude/skills/pdf/run.sh", "edited\n");
    assert_eq!(project.run(&["export", "claude"]).code, 1);
    let project = project.file(".claude/skills/pdf/run.sh", "of the pack\n");
    assert_eq!(project.text(".claude/skills/pdf/.faber-files"), list, "for when it is restored");
    let elsewhere = list.replace("run.sh", "../../../notes.sh");
    let project = project
        .file("notes.sh", "of the pack\n")
        .file(".claude/skills/pdf/.faber-files", &(list + &elsewhere))
        .file("contexts/playbooks/resources/pdf/run.sh", "newer\n");
    assert_eq!(project.run(&["export", "claude", "--check"]).code, 1);
    project.stdout(&["export", "claude"]);
    assert_eq!(project.text(".claude/skills/pdf/run.sh"), "newer\n", "it is faber's to change");
    assert_eq!(project.text("notes.sh"), "of the pack\n", "a list names nothing elsewhere");
    std::fs::remove_file(project.path("contexts/playbooks/resources/pdf/run.sh")).unwrap();
    let out = project.stdout(&["export", "claude"]);
    assert!(out.contains("remove  .claude/skills/pdf/run.sh"), "{out}");
    assert!(!project.path(".claude/skills/pdf/run.sh").exists());
    assert!(!project.path(".claude/skills/pdf/.faber-files").exists());
    assert_eq!(project.run(&["export", "claude", "--check"]).code, 0);
    let project = project.file(".claude/skills/pdf/SKILL.md", "Somebody's.\n");
    let project = project.file("contexts/playbooks/resources/pdf/run.sh", "again\n");
    assert_eq!(project.run(&["export", "claude"]).code, 1);
    assert!(
        !project.path(".claude/skills/pdf/run.sh").exists(),
        "nothing goes beside what is refused"
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_nor_into_the_folder_of_git() {
    let project = TestProject::empty().dir("outside").dir("inside/.faber").dir("inside/.git");
    let rule = "---\nglobs: [\".git/**\"]\n---\nText.\n";
    let project = project
        .file("inside/contexts/standards/standards-g.md", rule)
        .file("inside/contexts/standards/standards-l.md", &rule.replace(".git", "lnk"))
        .file("inside/contexts/playbooks/playbook-p.md", "---\ndescription: d\n---\nDo.\n")
        .symlink("inside/lnk", "../outside")
        .symlink("inside/.cursor", "../outside");
    let agents = project.run(&["-C", "inside", "export", "agents-md"]);
    assert_eq!(agents.code, 0, "{}", agents.stderr);
    assert!(project.text("inside/AGENTS.md").contains("standard/l for: lnk/**"));
    let cursor = project.run(&["-C", "inside", "export", "cursor"]);
    assert_eq!(cursor.code, 1);
    assert!(cursor.stderr.contains("is reached through a link"), "{}", cursor.stderr);
    let project = project.file("CLAUDE.md", "Text.\n");
    let run = project.run(&["import", "CLAUDE.md", "--into", "inside/.git"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    let into = ["-C", "inside", "import", "CLAUDE.md", "--into", "inside/lnk"];
    project.run(&into).refused(2, &["a link in the path of", "leads out of the workspace"]);
    assert_eq!(project.path("outside").read_dir().unwrap().count(), 0);
    assert_eq!(project.path("inside/.git").read_dir().unwrap().count(), 0);
}

#[test]
fn a_file_whose_marks_do_not_match_is_left_alone() {
    let project = one();
    project.stdout(&["export", "agents-md"]);
    let whole = project.text("AGENTS.md");
    let half = whole.replace("<!-- faber: end standard/a -->\n", "\nMy own text.\n");
    let fenced = format!("```\nMine.\n{whole}");
    for text in [half, fenced, format!("---\nprose: x\nno end\n\n{whole}")] {
        let project = one().file("AGENTS.md", &text);
        for _ in 0..2 {
            let run = project.run(&["export", "agents-md"]);
            assert_eq!(run.code, 1, "{text}\n{}", run.stderr);
            assert_eq!(project.text("AGENTS.md"), text);
        }
    }
    let example = format!("```text\n{whole}```\n");
    let project = one().file("AGENTS.md", &example);
    project.stdout(&["export", "agents-md"]);
    assert_eq!(project.text("AGENTS.md"), format!("{example}\n{whole}"), "an example stays one");
}

#[test]
fn files_that_an_import_skipped_stay_unchanged() {
    let rule = "---\ndescription: x\n# who\nstatus: draft\n---\nRest.\n";
    let project = TestProject::empty().file(".cursor/rules/u.mdc", rule);
    project.stdout(&["import", "."]);
    project.stdout(&["export", "cursor"]);
    let text = project.text(".cursor/rules/u.mdc");
    assert!(text.contains("\n# who\nstatus: draft\n"), "{text}");
    let rule = "---\ndescription: x\nalwaysApply: maybe\n---\nRest, too.\n";
    let project = project.file(".cursor/rules/v.mdc", rule);
    project.stdout(&["import", "."]);
    assert_eq!(project.run(&["export", "cursor"]).code, 1, "it cannot say `maybe`");
    assert_eq!(project.text(".cursor/rules/v.mdc"), rule);
}

#[test]
fn workspaces_within_others_keep_their_files() {
    let project =
        one().dir("sub/.faber").file("sub/contexts/standards/standards-s.md", "Text of s.\n");
    project.stdout(&["-C", "sub", "export", "agents-md"]);
    let inner = project.text("sub/AGENTS.md");
    project.stdout(&["export", "agents-md"]);
    assert_eq!(project.text("sub/AGENTS.md"), inner);
}

#[test]
fn exports_at_once_leave_the_files_of_each_other() {
    let mut project = one();
    for at in 0..40 {
        let path = format!("contexts/standards/standards-{at}.md");
        project = project.file(&path, "---\nglobs: ['*.rs']\n---\nText.\n");
    }
    let leftover = ".claude/rules/.faber-a1B2c3.tmp";
    for round in 0..4 {
        let _ = std::fs::remove_dir_all(project.path(".claude"));
        let start = || {
            let mut command = project.faber(&["export", "claude"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        for child in [start(), start(), start()] {
            let run = Run::from(child.wait_with_output().unwrap());
            assert_eq!(run.code, 0, "round {round}: {}", run.stderr);
        }
    }
    let text = project.text(".claude/rules/0.md");
    let project = project.file(leftover, &text);
    project.stdout(&["export", "claude", "--check"]);
}

#[test]
fn a_role_that_is_not_for_all_keeps_its_prompt() {
    for (path, text) in [
        ("roles/clerk/agent.yml", "name: clerk\nvisibility: internal\n"),
        ("roles/clerk/prompt.md", "---\nvisibility: private\nowner: x\n---\nYou sort letters.\n"),
    ] {
        let project = TestProject::with_role().file(path, text);
        project.stdout(&["export", "agents-md"]);
        assert!(!project.path("AGENTS.md").exists(), "{path}");
    }
}

#[test]
fn exports_that_git_ignores_are_updated() {
    let project = one().dir(".git").file(".gitignore", ".cursor/\n");
    project.stdout(&["export", "cursor"]);
    let project =
        project.file("contexts/standards/standards-a.md", "---\nvisibility: internal\n---\nA\n");
    assert_eq!(project.run(&["export", "cursor", "--check"]).code, 1);
    assert_eq!(project.stdout(&["export", "cursor"]), "remove  .cursor/rules/a.mdc\n");
}
