use super::*;
use crate::pelican::ids;

#[test]
fn files_of_roles_are_no_documents() {
    let project = TestProject::empty();
    project.stdout(&["init"]);
    project.run(&["import", "."]).refused(2, &["no files of a known format", "known formats: "]);
    project.run(&["import", "markdown", "."]).refused(2, &["no files of the format `markdown`"]);
    let project = project.file("roles/web/notes.md", "# Web\n\nText.\n").file("CLAUDE.md", "X.\n");
    project.run(&["import", "."]).said(&["1 other Markdown file left out"]);
}

#[test]
fn the_target_folder_is_created_where_it_was_named() {
    let project = TestProject::with_role().file("CLAUDE.md", "Only for web.\n");
    let import = |into: &str| project.run(&["import", "CLAUDE.md", "--into", into]);
    let layer = ".faber/overlays/teams/web";
    let created = format!("create  {layer}/contexts/standards/standards-claude.md\n");
    assert_eq!(import(layer).stdout, created);
    let bundle = |arguments: &[&str]| project.stdout(&[&["assemble"], arguments].concat());
    assert!(!bundle(&["-r", "x"]).contains("Only for web."));
    assert!(bundle(&["-r", "x", "--team", "web"]).contains("Only for web."));
    let files = project.files();
    for folder in ["roles/clrk", ".faber/overlays/roles/clrk"] {
        import(folder).refused(2, &["unknown role `clrk`", "did you mean `clerk`?"]);
    }
    assert_eq!(project.files(), files);
}

#[test]
fn imported_rules_load_as_in_their_tool() {
    let project = imported();
    let list = project.json(&["list", "contexts", "--format", "json"]);
    let rows: Vec<String> = list["contexts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {}", row["id"].as_str().unwrap(), row["load"].as_str().unwrap()))
        .collect();
    let expected = [
        "specialist/k8s keyword",
        "specialist/reviewer on-demand",
        "standard/agents always",
        "standard/agents-packages-web files",
        "standard/claude always",
        "standard/copilot-instructions always",
        "standard/docs files",
        "standard/off never",
        "standard/packages-web-base files",
        "standard/python files",
        "standard/react files",
        "standard/ts files",
        "playbook/pdf on-demand",
    ];
    assert_eq!(rows, expected);
    let run = project.run(&["validate", "--format", "concise"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    let bundle = project.stdout(&[
        "assemble",
        "--request",
        "kubectl apply",
        "--file",
        "packages/web/src/x.tsx",
    ]);
    for loaded in ["Use kubectl.", "Use tabs.", "Use React.", "Always web.", "# React"] {
        assert!(bundle.contains(loaded), "{loaded}\n{bundle}");
    }
    let at = |text: &str| bundle.find(text).unwrap();
    assert!(at("Use tabs.") < at("Use React."), "what is nearest stands last");
    assert!(!bundle.contains("<!-- standard/python"), "no file asks for that");
}

#[test]
fn imports_of_claude_become_includes_and_nothing_is_said_twice() {
    let project = imported();
    let text = project.stdout(&["show", "standard/claude"]);
    assert!(text.contains("Be kind.") && text.contains("# Deep"), "{text}");
    assert!(!text.contains("Use tabs."), "that is a context of its own\n{text}");
    assert!(text.contains("Ask @bob."), "{text}");
    let source = project.text("contexts/standards/standards-claude.md");
    assert!(source.contains("<!-- faber: include ../../docs/guide.md -->"), "{source}");
}

#[test]
fn the_line_above_a_nested_file_names_its_folder() {
    let project = TestProject::with_role()
        .file("AGENTS.md", "# All\n\nUse tabs.\n")
        .file("packages/a/AGENTS.md", "# A\n\nThe entry is `src/index.ts`.\n");
    project.stdout(&["import", "."]);
    let ask = ["assemble", "--request", "x", "--file", "packages/a/x.ts"];
    let bundle = project.stdout(&ask);
    let head =
        "contexts/standards/standards-agents-packages-a.md; for files in packages/a/ -->\n# A\n";
    assert!(bundle.contains(head), "{bundle}");
    assert!(bundle.contains("contexts/standards/standards-agents.md -->\n# All\n"), "{bundle}");
    let bundle = project.stdout(&[&ask[..], &["--format", "xml"]].concat());
    assert!(bundle.contains(" layer=\"project\" files=\"packages/a/\">\n"), "{bundle}");
}

#[test]
fn nested_files_that_load_alike_are_not_included_twice() {
    let project = TestProject::new()
        .file("app/AGENTS.md", "# App\n\nUse spaces.\n")
        .file("app/CLAUDE.md", "@AGENTS.md\n")
        .file("lib/AGENTS.md", "# Lib\n\nUse tabs, unlike [the app](../app/CLAUDE.md).\n")
        .file("lib/CLAUDE.md", "@AGENTS.md\n\n@../app/AGENTS.md\n");
    let run = project.run(&["import", ".", "-v"]);
    assert!(!run.stdout.contains("claude-app"), "{}", run.stdout);
    let note = "app/CLAUDE.md:1:1: hint[import-duplicate] `AGENTS.md` is imported as \
                `standard/agents-app`";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    let lib = project.text("contexts/standards/standards-agents-lib.md");
    assert!(lib.contains("[the app](./standards-agents-app.md)"), "{lib}");
    let other = project.text("contexts/standards/standards-claude-lib.md");
    assert_eq!(other.matches("<!-- faber: include ").count(), 1, "{other}");
}

#[test]
fn every_loss_has_a_line_with_its_place() {
    let why = "---\ndescription: x # why\npriority: high\ntext: |\n  # no comment\n# who\nname: My Rule\nmodel:\ntitle: Other\n---\nText.\n";
    let project = repository()
        .file(".cursor/rules/why.mdc", why)
        .file(".cursor/rules/odd.mdc", "---\ndescription: x\nText that is body.\n\nRest\n");
    let run = project.run(&["import", ".", "--dry-run"]);
    assert_eq!(run.code, 1, "a file that cannot be read fails the import\n{}", run.stderr);
    let found = findings(&project, &["import", ".", "--format", "json", "--dry-run"]);
    let expected = [
        ".claude/agents/reviewer.md:4 import-inert",
        ".cursor/rules/odd.mdc:1 unclosed-frontmatter",
        ".cursor/rules/why.mdc:2 import-omitted",
        ".cursor/rules/why.mdc:3 import-omitted",
        ".cursor/rules/why.mdc:4 import-inert",
        ".cursor/rules/why.mdc:6 import-omitted",
        ".cursor/rules/why.mdc:8 import-inert",
        ".cursor/rules/why.mdc:9 import-omitted",
        ".github/instructions/python.instructions.md:3 import-omitted",
        ".github/instructions/python.instructions.md:4 import-inert",
        "CLAUDE.md:6 import-omitted",
        "CLAUDE.md:6 import-omitted",
    ];
    assert_eq!(found, expected);
    assert!(!project.path(".faber").exists(), "a dry run creates nothing");
}

#[test]
fn a_skill_comes_with_its_folder() {
    let project = imported();
    let folder = "contexts/playbooks/resources/pdf";
    assert_eq!(project.text(&format!("{folder}/references/forms.md")), "# Forms\n");
    let bytes = std::fs::read(project.path(&format!("{folder}/scripts/fill.bin"))).unwrap();
    assert_eq!(bytes, [0, 159, 146, 150]);
    let text = project.text("contexts/playbooks/playbook-pdf.md");
    assert!(text.contains("[forms](./resources/pdf/references/forms.md)"), "{text}");
    assert!(text.contains("license: MIT"), "unknown fields are kept\n{text}");
    assert!(text.contains("[more](./resources/pdf/references)"), "{text}");
    let ask = ["assemble", "--request", "x", "--with", "playbook/pdf"];
    let bundle = project.stdout(&ask);
    let head = format!("contexts/playbooks/playbook-pdf.md; its files are in {folder}/ -->\n");
    assert!(bundle.contains(&format!("<!-- playbook/pdf: {head}")), "{bundle}");
    let bundle = project.stdout(&[&ask[..], &["--format", "xml"]].concat());
    assert!(bundle.contains(&format!(" layer=\"project\" files=\"{folder}/\">\n")), "{bundle}");
    project.stdout(&["export", "skills"]);
    let skill = project.text(".agents/skills/pdf/SKILL.md");
    assert!(skill.contains("[more](./references)"), "{skill}");
    assert!(skill.contains("[forms](./references/forms.md)"), "{skill}");
    let copied = std::fs::read(project.path(".agents/skills/pdf/scripts/fill.bin")).unwrap();
    assert_eq!(copied, bytes);
}

#[test]
fn importing_again_changes_nothing_and_what_was_not_imported_is_refused() {
    let project = imported();
    let before = project.files();
    let run = project.run(&["import", "."]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert_eq!(project.files(), before);
    let project = repository().file("contexts/standards/standards-ts.md", "Mine.\n");
    let run = project.run(&["import", "."]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("error[import-conflict]"), "{}", run.stderr);
    assert_eq!(project.text("contexts/standards/standards-ts.md"), "Mine.\n");
}

#[test]
fn files_that_cannot_be_imported_have_a_reason() {
    let project = TestProject::new().file("notes.md", "x\n").bytes("x.mdc", &[0xff, 0xfe]);
    for (arguments, part) in [
        (&["import", "gone"][..], "cannot read"),
        (&["import", "notes.md"], "is not known"),
        (&["import", "cursor"], "no path after the format"),
        (&["import", "cursr", "notes.md"], "did you mean `cursor`"),
        (&["import", "copilot", "."], "no files of the format"),
    ] {
        let run = project.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}\n{}", run.stderr);
        assert!(run.stderr.contains(part), "{arguments:?}\n{}", run.stderr);
        assert!(run.stdout.is_empty());
    }
    let run = project.run(&["import", "x.mdc"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("UTF-8"), "{}", run.stderr);
    let run = project.run(&["import", "cursor", "notes.md"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "create  contexts/standards/standards-notes.md\n")
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_the_file_that_it_leads_to() {
    let project =
        TestProject::new().file("AGENTS.md", "One text.\n").symlink("CLAUDE.md", "AGENTS.md");
    assert_eq!(
        project.stdout(&["import", "."]),
        "create  contexts/standards/standards-agents.md\n"
    );
    let run = project.run(&["export", "claude"]);
    assert_eq!(run.code, 0, "no context goes into CLAUDE.md\n{}", run.stderr);
    let away = TestProject::empty()
        .file("outside.txt", "Not of this folder.\n")
        .file("in/AGENTS.md", "Text.\n")
        .symlink("in/.cursorrules", "../outside.txt")
        .symlink("in/CLAUDE.md", "nowhere")
        .symlink("in/.cursor/rules", "../..");
    let said = away.run(&["-C", "in", "import", "in"]).stderr;
    for part in
        ["the link leaves the directory", "leads nowhere", "a link to a directory is not followed"]
    {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let project = project.file("contexts/standards/standards-claude.md", "Other.\n");
    let run = project.run(&["export", "claude"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("is a symbolic link; not overwritten"), "{}", run.stderr);
    assert_eq!(project.text("AGENTS.md"), "One text.\n");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_that_is_imported_is_not_reported() {
    let project = TestProject::new()
        .file(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms\n---\nX.\n")
        .file("docs/rules/a.md", "A rule.\n")
        .symlink(".agents/skills", "../.claude/skills")
        .symlink(".cursor/rules", "../docs/rules");
    let run = project.run(&["import", ".", "-v"]);
    assert!(!run.stderr.contains(".agents/skills"), "{}", run.stderr);
    let lost = ".cursor/rules:1:1: warning[import-omitted] not imported: a link to a directory";
    assert!(run.stderr.contains(lost), "{}", run.stderr);
}

#[test]
fn what_git_tracks_is_imported_although_a_rule_ignores_it() {
    let project = TestProject::empty()
        .file(".gitignore", ".claude/\nbuild/\n")
        .file(".claude/rules/a.md", "Tracked.\n")
        .file(".claude/rules/b.md", "Ignored.\n")
        .file(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms\n---\n")
        .file(".claude/skills/pdf/x.txt", "X\n");
    project.git(&["init", "-q"]);
    project.git(&["add", "-f", ".claude/rules/a.md", ".claude/skills"]);
    let created = project.stdout(&["import", "."]);
    let context = "contexts/standards/standards-a.md";
    let copy = "contexts/playbooks/resources/pdf/x.txt";
    assert!(created.contains(context) && created.contains(copy), "{created}");
    assert!(!created.contains("standards-b.md"), "{created}");
}

#[test]
fn one_text_for_two_things_stays_two() {
    let project = TestProject::empty()
        .file("a/AGENTS.md", "Run the tests.\n")
        .file("b/CLAUDE.md", "Run the tests.\n")
        .file(
            ".cursor/rules/p.mdc",
            "---\nalwaysApply: true\nvisibility: private\nowner: bob\n---\nSame.\n",
        )
        .file("AGENTS.md", "Same.\n");
    project.stdout(&["import", "."]);
    let list = project.json(&["list", "contexts", "--format", "json"]);
    assert_eq!(
        ids(&list, "contexts"),
        ["standard/agents", "standard/agents-a", "standard/claude-b"]
    );
    assert!(project.path("contexts/standards/standards-p.md").exists(), "hidden, and there");
}

#[test]
fn each_import_of_a_file_includes_it() {
    let project = TestProject::empty()
        .file("src/.git/HEAD", "")
        .file("src/CLAUDE.md", "# Root\n\n@docs/style.md\n")
        .file(
            "src/packages/web/CLAUDE.md",
            "# Web\n\n@../../docs/style.md\n\n@../../.claude/rules/ts.md\n",
        )
        .file("src/docs/style.md", "STYLE\n\n@deep.txt\n")
        .file("src/docs/deep.txt", "DEEP\n")
        .file("src/.claude/rules/ts.md", "---\npaths: \"*.ts\"\n---\nTYPES\n")
        .file("src/.claude/rules/evil.md", "Hi\n\n<!-- faber: include ../../.env -->\n")
        .file(".env", "TOKEN=abc\n")
        .dir("ws/.faber");
    let run = project.run(&["-C", "ws", "import", "src"]);
    assert!(run.stderr.contains("would include a file in faber"), "{}", run.stderr);
    let web = project.stdout(&["-C", "ws", "show", "standard/claude-packages-web"]);
    assert!(["STYLE", "DEEP", "TYPES"].iter().all(|text| web.contains(text)), "{web}");
    assert!(project.stdout(&["-C", "ws", "show", "standard/claude"]).contains("STYLE"));
    assert!(
        project.stdout(&["-C", "ws", "show", "standard/evil"]).contains("<!-- include ../../.env")
    );
}

#[test]
fn folders_with_the_signs_of_globs_are_meant_as_they_are_called() {
    let project = TestProject::empty()
        .file("app/[id]/AGENTS.md", "RULE id\n")
        .file("my, dir/AGENTS.md", "RULE my\n");
    project.stdout(&["import", "."]);
    let count = |file: &str| {
        let bundle =
            project.stdout(&["assemble", "--request", "x", "--file", file, "--format", "text"]);
        bundle.matches("RULE").count()
    };
    assert_eq!([count("app/[id]/p.tsx"), count("my, dir/x.c")], [1, 1]);
    assert_eq!([count("app/i/p.tsx"), count("dir/x.c")], [0, 0]);
}

#[test]
fn names_that_are_one_file_stay_apart() {
    let parts = [("x y", "ONE"), ("x-y", "TWO"), ("X: Y", "THREE")].map(|(id, body)| {
        format!("<!-- faber: begin standard/{id} -->\n{body}\n<!-- faber: end standard/{id} -->\n")
    });
    let project = TestProject::empty().file("AGENTS.md", &parts.concat());
    project.stdout(&["import", "."]);
    let list = project.json(&["list", "contexts", "--format", "json"]);
    assert_eq!(ids(&list, "contexts"), ["standard/X: Y", "standard/x y", "standard/x-y"]);
    let project = project.file("contexts/standards/standards-x-y.md", "OTHER\n");
    let run = project.run(&["import", "."]);
    assert!(run.stderr.contains("warning[import-kept]"), "{}", run.stderr);
}

#[test]
fn files_that_import_one_another_do_so_once() {
    let project = TestProject::empty()
        .file("CLAUDE.md", "Root.\n\n@a.md\n\n@CLAUDE.md\n")
        .file("a.md", "Text a.\n\n@b.md\n")
        .file("b.md", "Text b.\n\n@a.md\n")
        .file("w/CLAUDE.md", "@../v/CLAUDE.md\n\nText w.\n")
        .file("v/CLAUDE.md", "@../w/CLAUDE.md\n\nText v.\n");
    let run = project.run(&["import", "."]);
    assert!(run.stderr.contains("imports this file, so this mention is kept"), "{}", run.stderr);
    let bundle = project.stdout(&["assemble", "--strict", "--request", "x", "--file", "v/x"]);
    for text in ["Text a.", "Text b.", "Text v.", "Text w."] {
        assert!(bundle.contains(text), "{text}\n{bundle}");
    }
}

#[test]
fn what_was_exported_and_not_edited_is_not_said_to_differ() {
    let text = "---\npriority: 2\nkeywords: [stamp]\n---\n# Stamps\n\nOne for each letter.\n";
    let project = TestProject::with_role()
        .file("contexts/standards/standards-stamps.md", text)
        .file("contexts/standards/standards-ink.md", "# Ink\n\nBlue.\n");
    project.stdout(&["export", "claude"]);
    let run = project.run(&["import", "."]);
    assert!(!run.stderr.contains("import-kept"), "{}", run.stderr);
    assert_eq!(project.text("contexts/standards/standards-stamps.md"), text);
    let project = project.file("contexts/standards/standards-ink.md", "# Ink\n\nBlack.\n");
    let run = project.run(&["import", "."]);
    assert_eq!(run.stderr.matches("import-kept").count(), 1, "{}", run.stderr);
}

#[test]
fn equal_files_are_imported_once_whatever_their_names() {
    let agent = "---\ndescription: Plans clusters.\n---\n\n# Clusters\n\nPlan them.\n";
    let other = agent.replace("Plans clusters", "Plans other clusters");
    let linked = agent.replace("Plan them", "Plan them by [size](size.md)");
    let project = TestProject::empty()
        .file(".claude/agents/build/clusters.md", agent)
        .file(".claude/agents/cloud/planner.md", agent)
        .file(".claude/agents/other.md", &other)
        .file(".claude/agents/links/planner.md", &linked)
        .file(".claude/agents/more/planner.md", &linked)
        .file("CLAUDE.md", "See [the planner](.claude/agents/cloud/planner.md).\n");
    let run = project.run(&["-v", "import", "."]);
    run.said(&[
        ".claude/agents/cloud/planner.md:1:1: hint[import-duplicate] the same text is imported as \
         `specialist/build-clusters`",
        "5 files imported\n",
    ]);
    let link = "(../specialists/specialist-build-clusters.md)";
    assert!(project.text("contexts/standards/standards-claude.md").contains(link));
    assert_eq!(project.run(&["import", "--check"]).code, 0);
    let again = project.run(&["import", "."]);
    assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{}", again.stderr);
}

#[test]
fn the_role_of_an_import_only_refers_to_what_the_bundle_has() {
    let project = TestProject::empty().file("CLAUDE.md", "# Shop\n\nPrices are whole cents.\n");
    project.stdout(&["import", "."]);
    let bundle = project.stdout(&["assemble", "--request", "Add a price"]);
    assert!(bundle.contains("Prices are whole cents."), "{bundle}");
    assert!(!bundle.contains("](") && !bundle.contains("answer questions"), "{bundle}");
    let run = project.run(&["validate", "--deny", "warnings"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn examples_of_agents_are_part_of_their_description() {
    let agent = "---\nname: mentor\ndescription: Use it to learn. Examples:\n\n<example>\n\
        Context: The user is new\nuser: \"How does it work?\"\n</example>\nmodel: opus\n---\nTeach.\n";
    let project = TestProject::empty().file(".claude/agents/mentor.md", agent);
    let run = project.run(&["import", "."]);
    let text = project.text("contexts/specialists/specialist-mentor.md");
    let description = r#"description: "Use it to learn. Examples:\n\n<example>\nContext: The user is new\nuser: \"How does it work?\"\n</example>""#;
    let expected = format!("---\n{description}\nload: on-demand\nmodel: opus\n---");
    assert!(text.starts_with(&expected), "{text}");
    run.said(&["1 file imported, 1 warning\n", "`model` is kept"]);
}

#[test]
fn values_that_end_at_a_comment_are_reported_as_cut() {
    let rule = "---\ndescription: Avoids bugs like #12\nalwaysApply: true # yes\n---\nText.\n";
    let run = TestProject::empty().file(".cursor/rules/a.mdc", rule).run(&["import", "."]);
    run.said(&[
        "a.mdc:2:31: warning[import-omitted] the value ends before this `#`; quote it to keep the rest",
        "a.mdc:3:19: warning[import-omitted] this comment is left out",
    ]);
}

#[test]
fn words_separated_by_commas_are_lists() {
    let rule = "---\ndescription: A\ntags: jsx,  react\nkeywords: a\n---\nText.\n";
    let project = TestProject::empty().file(".cursor/rules/a.mdc", rule);
    project.run(&["import", "."]).said(&["1 file imported\n"]);
    let text = project.text("contexts/standards/standards-a.md");
    assert!(text.contains("tags:\n  - jsx\n  - react\nkeywords:\n  - a\n"), "{text}");
}

#[test]
fn files_that_become_no_contexts_are_counted() {
    let skill = "---\nname: pdf\ndescription: Reads PDF.\n---\nSee `rules/a.md`.\n";
    let ci = "---\nname: Triage\ndescription: Sorts issues.\non: weekly\ntools:\n  bash: []\n---\nSort.\n";
    let project = TestProject::empty()
        .file("skills/pdf/SKILL.md", skill)
        .file("skills/pdf/rules/a.md", "# A\n\nText.\n")
        .file("skills/pdf/rules/b.md", "# B\n\nText.\n")
        .file("skills/pdf/run.py", "")
        .file(".github/workflows/triage.md", ci)
        .file("README.md", "# Skills\n");
    project.run(&["-v", "import", "."]).said(&[
        "4 files imported\n",
        "ci      .github/workflows/triage.md\nskill   skills/pdf/rules/a.md\nskill   skills/pdf/rules/b.md\n\
         other   README.md\n",
        "2 Markdown files in directories of skills do not load; `faber import markdown skills` makes contexts\n",
        "1 workflow of CI left out (`on` in front matter)\n1 other Markdown file left out;",
    ]);
}

#[test]
fn fields_that_an_import_kept_are_not_reported_again() {
    let rule = "---\ndescription: A\nregex: x\nkeyword: [a]\n---\nText.\n";
    let project = TestProject::empty().file(".cursor/rules/a.mdc", rule);
    project.run(&["import", "."]).said(&["1 file imported, 2 warnings\n"]);
    let found = project.stdout(&["validate", "--format", "concise"]);
    assert!(!found.contains("`regex`") && found.contains("`keyword`"), "{found}");
    let own = project.text("contexts/standards/standards-a.md");
    let project = project.file("contexts/standards/standards-b.md", &own.replace("Text", "Other"));
    let found = project.stdout(&["validate", "--format", "concise"]);
    assert!(
        found.contains("standards-b.md:4:1: hint[unknown-field] unknown field `regex`"),
        "{found}"
    );
}

#[test]
fn text_between_thematic_breaks_is_text() {
    let text = "---\n\n# Team rules\n\nNever push to main.\n\n---\n\nUse tabs.\n";
    for in_place in [false, true] {
        let project = TestProject::empty().file("AGENTS.md", text);
        let arguments: &[&str] =
            if in_place { &["import", "--in-place", "."] } else { &["import", "."] };
        let run = project.run(arguments);
        assert!(!run.stderr.contains("import-"), "{}", run.stderr);
        let bundle = project.stdout(&["assemble", "--request", "x"]);
        for part in ["# Team rules", "Never push to main.", "Use tabs."] {
            assert!(bundle.contains(part), "{bundle}");
        }
    }
}

#[test]
fn links_to_names_with_spaces_are_adjusted() {
    let skill = "---\nname: k\ndescription: K\n---\nSee [r](refs/a%20b.md), [s](<refs/a b.md>).\n";
    let project = TestProject::empty()
        .file("docs/my file.md", "x\n")
        .file("sub/AGENTS.md", "See [a](../docs/my%20file.md) [b](<../docs/my file.md>).\n")
        .file(".claude/skills/k/SKILL.md", skill)
        .file(".claude/skills/k/refs/a b.md", "y\n");
    project.stdout(&["import", "."]);
    let text = project.text("contexts/standards/standards-agents-sub.md");
    let to = "../../docs/my%20file.md";
    assert!(text.contains(&format!("[a]({to}) [b](<{to}>)")), "{text}");
    let text = project.text("contexts/playbooks/playbook-k.md");
    let to = "./resources/k/refs/a%20b.md";
    assert!(text.contains(&format!("[r]({to}), [s](<{to}>)")), "{text}");
    assert_eq!(project.run(&["validate", "--deny", "warnings"]).code, 0);
    project.stdout(&["export", "skills"]);
    let text = project.text(".agents/skills/k/SKILL.md");
    assert!(text.contains("[r](./refs/a%20b.md), [s](<./refs/a%20b.md>)"), "{text}");
}

#[cfg(unix)]
#[test]
fn links_in_a_skill_are_the_files_that_they_lead_to() {
    let project = TestProject::empty()
        .file("out.md", "O\n")
        .file("ws/docs/a.md", "A\n")
        .file("ws/.claude/skills/k/SKILL.md", "---\nname: k\ndescription: K\n---\n[a](a.md)\n")
        .symlink("ws/.claude/skills/k/a.md", "../../../docs/a.md")
        .symlink("ws/.claude/skills/k/o.md", "../../../../out.md");
    let run = project.run(&["-C", "ws", "import", "ws"]);
    run.said(&["k/o.md:1:1: warning[import-omitted] not imported: the link leaves the directory"]);
    assert_eq!(project.text("ws/contexts/playbooks/resources/k/a.md"), "A\n");
    assert!(!project.path("ws/contexts/playbooks/resources/k/o.md").exists());
}

#[test]
fn files_that_rules_insert_are_included() {
    let project = TestProject::empty()
        .file(
            ".cursor/rules/a.mdc",
            "---\nalwaysApply: true\n---\n@docs/a.md\n\n@x.ts, @nobody.md and @/x\n",
        )
        .file(".kiro/steering/k.md", "# K\n\n#[[file:docs/b.md]]\n\nSee #[[file:x.ts]]\n")
        .file("docs/a.md", "Text of a.\n")
        .file("docs/b.md", "Text of b.\n")
        .file("x.ts", "code\n");
    let run = project.run(&["import", "."]);
    let omitted =
        "warning[import-omitted] `x.ts` is not Markdown or text; only this mention is kept";
    run.said(&[
        &format!(".cursor/rules/a.mdc:6:1: {omitted}"),
        &format!("steering/k.md:5:5: {omitted}"),
    ]);
    assert!(run.stderr.contains("2 files imported, 2 warnings\n"), "{}", run.stderr);
    let bundle = project.stdout(&["assemble", "--request", "x"]);
    for text in ["Text of a.", "Text of b.", "@x.ts, @nobody.md and @/x", "#[[file:x.ts]]"] {
        assert!(bundle.contains(text), "{bundle}");
    }
}

#[test]
fn a_rule_that_another_mentions_is_no_copy_in_it() {
    let project = TestProject::empty()
        .file(
            ".cursor/rules/a.mdc",
            "---\nglobs: a/**\n---\n@.cursor/rules/b.mdc\n\nApply @.cursor/rules/c.mdc too.\n",
        )
        .file(".cursor/rules/b.mdc", "---\ndescription: B\n---\nText of b.\n")
        .file(".cursor/rules/c.mdc", "---\ndescription: C\n---\nText of c.\n");
    project.stdout(&["import", "."]);
    let text = project.text("contexts/standards/standards-a.md");
    let (front, body) = text.rsplit_once("---\n").unwrap();
    assert!(front.contains("related:\n  - standard/b\n"), "{text}");
    let links = "\n[.cursor/rules/b.mdc](./standards-b.md)\n\n\
                 Apply [.cursor/rules/c.mdc](./standards-c.md) too.\n";
    assert_eq!(body, links);
    let bundle = project.stdout(&["assemble", "--request", "x", "--file", "a/x.ts"]);
    let count = |text: &str| bundle.matches(text).count();
    assert_eq!((count("Text of b."), count("Text of c.")), (1, 0), "{bundle}");
}

#[test]
fn imports_of_parts_agree_with_an_import_of_all() {
    let project = TestProject::empty()
        .file(".cursor/rules/a.mdc", "See [k](mdc:.claude/skills/k/SKILL.md).\n\n@AGENTS.md\n")
        .file(".claude/skills/k/SKILL.md", "---\nname: k\ndescription: K\n---\n[n](n.md)\n")
        .file(".claude/skills/k/n.md", "Note\n")
        .file("CLAUDE.md", "@.cursor/rules/a.mdc\n\n[n](.claude/skills/k/n.md)\n\n@AGENTS.md\n")
        .file("AGENTS.md", "# All\n\nUse tabs.\n");
    let all: [&[&str]; 4] = [
        &["import", "."],
        &["import", "cursor", ".cursor/rules"],
        &["import", "claude", "CLAUDE.md", "skills", ".claude", "cursor", ".cursor/rules"],
        &["import"],
    ];
    for first in &all[..3] {
        project.stdout(first);
        for again in all {
            let run = project.run(&[again, &["--check"]].concat());
            assert_eq!(run.code, 0, "{first:?} {again:?}: {}{}", run.stdout, run.stderr);
        }
    }
}
