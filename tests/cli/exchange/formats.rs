//! One small file per format.

use super::*;

/// Path, text, id and loading.
const FILES: [(&str, &str, &str); 42] = [
    (
        ".claude/commands/git/pr.md",
        "---\ndescription: Opens\nargument-hint: N\n---\nOpen $1.\n",
        "playbook/git-pr on-demand",
    ),
    (
        "plugins/db/agents/dba.md",
        "---\nname: dba\ndescription: Tunes SQL\n---\nYou tune.\n",
        "specialist/dba on-demand",
    ),
    ("plugins/db/commands/explain.md", "Explain a query.\n", "playbook/explain on-demand"),
    ("tool/.claude-plugin/plugin.json", "{\"name\": \"tool\"}", ""),
    ("tool/agents/writer.md", "Write.\n", "specialist/writer on-demand"),
    (
        "loose/one.md",
        "---\nname: loose\ndescription: Reviews\ntools: Read\n---\nYou review.\n",
        "specialist/loose on-demand",
    ),
    (
        "loose/two.md",
        "---\ndescription: Ships\nallowed-tools: Bash\n---\nShip it.\n",
        "playbook/two on-demand",
    ),
    (".cursor/agents/ui.md", "You draw.\n", "specialist/ui on-demand"),
    (".cursor/commands/ship.md", "Ship.\n", "playbook/ship on-demand"),
    (
        ".github/agents/ops.agent.md",
        "---\ndescription: Runs\ntools: []\n---\nYou run.\n",
        "specialist/ops on-demand",
    ),
    (
        ".github/chatmodes/plan.chatmode.md",
        "---\ndescription: Plans\n---\nYou plan.\n",
        "specialist/plan on-demand",
    ),
    (
        ".github/prompts/tests.prompt.md",
        "---\nagent: ask\n---\nWrite tests.\n",
        "playbook/tests on-demand",
    ),
    ("GEMINI.md", "Be precise.\n", "standard/gemini always"),
    ("web/GEMINI.md", "Be visual.\n", "standard/gemini-web files"),
    (".gemini/agents/gem.md", "You shine.\n", "specialist/gem on-demand"),
    (
        ".gemini/commands/git/fix.toml",
        "description = \"Fixes\"\nprompt = \"\"\"\nFix {{args}}.\n\"\"\"\n",
        "playbook/git-fix on-demand",
    ),
    ("ext/gemini-extension.json", "{}", ""),
    ("ext/commands/sync.toml", "prompt = 'Synchronize.'\n", "playbook/sync on-demand"),
    (
        ".codex/agents/mapper.toml",
        "name = \"mapper\"\ndescription = \"Maps\"\ndeveloper_instructions = \"You map.\"\n",
        "specialist/mapper on-demand",
    ),
    (".codex/prompts/draft.md", "Draft $1.\n", "playbook/draft on-demand"),
    (
        ".goose/recipes/audit.yaml",
        "title: Audit\ndescription: Audits\ninstructions: Look closely.\n",
        "playbook/audit on-demand",
    ),
    (
        ".roomodes",
        "customModes:\n  - slug: tester\n    name: Tester\n    roleDefinition: You test.\n    groups: [read]\n",
        "specialist/tester on-demand",
    ),
    (".kiro/steering/tech.md", "Use Rust.\n", "standard/tech always"),
    (
        ".kiro/steering/ts.md",
        "---\ninclusion: fileMatch\nfileMatchPattern: \"**/*.ts\"\n---\nStrict.\n",
        "standard/ts files",
    ),
    (
        ".kiro/steering/js.md",
        "---\ninclusion: fileMatch\nfileMatchPattern: \"*.js,*.jsx\"\n---\nLoose.\n",
        "standard/js files",
    ),
    (
        ".kiro/steering/api.md",
        "---\ninclusion: auto\nname: api\ndescription: Designs APIs\n---\nREST.\n",
        "standard/api on-demand",
    ),
    (".windsurf/rules/a.md", "---\ntrigger: always_on\n---\nAlways.\n", "standard/a always"),
    (".devin/rules/b.md", "---\ntrigger: glob\nglobs: **/*.css\n---\nStyle.\n", "standard/b files"),
    (".windsurf/rules/c.md", "---\ndescription: Colours\n---\nBlue.\n", "standard/c on-demand"),
    (".windsurf/workflows/deploy.md", "Deploy.\n", "playbook/deploy on-demand"),
    (".roo/rules/r.md", "Rule of Roo.\n", "standard/r always"),
    (".roo/rules-architect/r.md", "Draw boxes.\n", "standard/architect-r on-demand"),
    (".junie/guidelines.md", "Guidelines.\n", "standard/junie-guidelines always"),
    ("api/.junie/AGENTS.md", "Of the API.\n", "standard/junie-agents-api files"),
    (".amazonq/rules/q.md", "Question.\n", "standard/q always"),
    (".augment-guidelines", "Guided.\n", "standard/augment-guidelines always"),
    (".augment/rules/k.md", "Keep.\n", "standard/k always"),
    (
        ".augment/rules/on/r.md",
        "---\ntype: agent_requested\ndescription: Asked for\n---\nRelease.\n",
        "standard/on-r on-demand",
    ),
    (".rules", "Of Zed.\n", "standard/zed-rules always"),
    (".goosehints", "Of Goose.\n", "standard/goosehints always"),
    (
        ".agents/skills/deb/SKILL.md",
        "---\nname: deb\ndescription: d\ntriggers: [apt]\n---\nUse apt.\n",
        "playbook/deb keyword",
    ),
    ("AGENTS.override.md", "Overridden.\n", "standard/agents-override always"),
];

#[test]
fn files_of_each_format_become_contexts() {
    let files = FILES.iter();
    let project = files.fold(TestProject::empty(), |it, (path, text, _)| it.file(path, text));
    let run = project.run(&["import", "."]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let list = project.json(&["list", "contexts", "--format", "json"]);
    let rows = list["contexts"].as_array().unwrap().iter();
    let mut found: Vec<String> = rows
        .map(|row| format!("{} {}", row["id"].as_str().unwrap(), row["load"].as_str().unwrap()))
        .collect();
    let expected = FILES.iter().map(|(.., context)| (*context).to_owned());
    let mut expected: Vec<String> = expected.filter(|context| !context.is_empty()).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let api = project.text("contexts/standards/standards-junie-agents-api.md");
    assert!(api.contains("api/**"), "for the project, not for `.junie`\n{api}");
    let js = project.text("contexts/standards/standards-js.md");
    assert!(js.contains("  - \"*.js\"\n  - \"*.jsx\"\n"), "{js}");
    let run = project.run(&["validate"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
}

#[test]
fn documents_get_category_name_and_description_from_their_text() {
    let project = TestProject::empty()
        .dir(".git")
        .file("docs/caching.md", "# Caching\n\nKeys expire after a day. More.\n")
        .file(
            "docs/ops/README.md",
            "# Runbook: restore\n\nRestore a backup. See [it](../caching.md).\n",
        )
        .file("docs/links.md", "See [ops](ops/).\n")
        .file("docs/AGENTS.md", "Not a document.\n");
    project.stdout(&["import", "markdown", "docs"]);
    let links = project.text("contexts/references/reference-links.md");
    assert!(links.ends_with("See [ops](../playbooks/playbook-ops.md).\n"), "{links}");
    let caching = "---\ntitle: Caching\ndescription: \"Caching: Keys expire after a day.\"\n---\n\n# Caching\n\nKeys";
    let text = project.text("contexts/references/reference-caching.md");
    assert!(text.starts_with(caching), "{text}");
    let restore = project.text("contexts/playbooks/playbook-ops.md");
    assert!(restore.contains("title: \"Runbook: restore\""), "{restore}");
    assert!(restore.contains("[it](../references/reference-caching.md)"), "{restore}");
    assert_eq!(project.run(&["import", "--check"]).code, 0);
    let other = TestProject::empty().file("docs/a.md", "A.\n");
    other.stdout(&["import", "markdown", "docs", "--category", "standard"]);
    assert!(other.path("contexts/standards/standards-a.md").exists());
    let run = other.run(&["import", "cursor", "docs", "--category", "standard"]);
    run.refused(2, &["`--category` needs the format `markdown`"]);
}

#[test]
fn specialists_are_agents_of_copilot() {
    let agent = "---\nname: dba\ndescription: Tunes SQL\n---\nYou tune.\n";
    let project = TestProject::empty().file(".claude/agents/dba.md", agent);
    project.stdout(&["import", "."]);
    project.stdout(&["export", "copilot"]);
    let written = project.text(".github/agents/dba.agent.md");
    assert!(written.starts_with("---\ndescription: Tunes SQL\n---\n"), "{written}");
}

#[test]
fn files_of_a_skill_are_neither_contexts_nor_checked() {
    let skill = "---\nname: pdf\ndescription: Fills forms\n---\nSee [a](a.md).\n";
    let project = TestProject::empty()
        .file("skills/pdf/SKILL.md", skill)
        .file("skills/pdf/a.md", "---\ntags: {a: b}\nversion: [1]\n---\nSide file.\n");
    project.stdout(&["import", "."]);
    let run = project.run(&["validate"]);
    assert!(run.code == 0 && !run.stdout.contains("warning"), "{}", run.stdout);
    assert!(project.path("contexts/playbooks/resources/pdf/a.md").exists());
    assert!(!project.stdout(&["list", "contexts"]).contains("side"));
}

#[test]
fn a_skill_is_described_by_all_fields_that_say_when_to_use_it() {
    let fields = "when_to_use: Parsing forms.\nmetadata:\n  author: a\n  auto_invoke:\n    - Using Zod\n    - \
        validates INPUT\n    - Reading JSON\n  trigger_count: 3\n";
    let skill = format!("---\nname: zod\ndescription: Validates input\n{fields}---\nUse Zod.\n");
    let rule = skill.replace("name: zod\n", "alwaysApply: false\n").replace("Use", "Prefer");
    let project = TestProject::with_role()
        .file("skills/zod/SKILL.md", &skill)
        .file("skills/long/SKILL.md", &format!("---\nwhen: {}\n---\nText.\n", "a ".repeat(150)))
        .file(".cursor/rules/zod.mdc", &rule);
    project.stdout(&["import", "."]);
    let described = |path: &str| {
        let text = project.text(&format!("contexts/{path}.md"));
        text.lines().find_map(|line| line.strip_prefix("description: ")).unwrap().to_owned()
    };
    let all = "\"Validates input. Parsing forms. Using Zod; Reading JSON\"";
    assert_eq!(described("playbooks/playbook-zod"), all);
    assert_eq!(described("playbooks/playbook-long"), "Text.");
    assert_eq!(described("standards/standards-zod"), "Validates input");
    let text = project.text("contexts/playbooks/playbook-zod.md");
    assert!(text.contains("when_to_use: Parsing forms.\n") && text.contains("author: a"), "{text}");
    assert_eq!(project.run(&["import", "--check"]).code, 0);
}

#[test]
fn documents_of_a_skill_are_named_after_it() {
    let project = TestProject::empty()
        .file("skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms\n---\nText.\n")
        .file("skills/pdf/references/checklist.md", "# Checklist\n\nCheck each field.\n")
        .file("skills/pdf/pdf-forms.md", "# Forms\n\nForms have fields.\n");
    let created = project.stdout(&["import", "markdown", "skills"]);
    let names = ["pdf-checklist", "pdf-forms"];
    let names = names.map(|name| format!("create  contexts/references/reference-{name}.md\n"));
    assert!(created.ends_with(&names.concat()), "{created}");
}

#[test]
fn a_link_may_be_a_file_with_its_target_and_vendored_files_are_not_imported() {
    let project = TestProject::new()
        .file("AGENTS.md", "One text.\n")
        .file("web/GEMINI.md", "Other.\n")
        .file("GEMINI.md", "AGENTS.md")
        .file("vendor/modules.txt", "# a.org/b v1\n")
        .file("vendor/a.org/b/AGENTS.md", "Of another project.\n")
        .file("src/vendor/AGENTS.md", "Vendors sell.\n");
    let created = project.stdout(&["import", "."]);
    let names = ["agents-src-vendor", "agents", "gemini-web"];
    let names = names.map(|name| format!("create  contexts/standards/standards-{name}.md\n"));
    assert_eq!(created, names.concat());
}

#[test]
fn a_folder_called_contexts_of_something_else_is_left_alone() {
    let project = TestProject::empty()
        .file("contexts/dev.md", "Text of a program.\n")
        .file("CLAUDE.md", "Be kind.\n");
    project.stdout(&["import", "."]);
    assert!(project.path(".faber/contexts/standards/standards-claude.md").exists());
    let run = project.run(&["validate"]);
    assert_eq!((run.code, run.stdout.contains("missing-category")), (0, false), "{}", run.stdout);
    let bundle = project.stdout(&["assemble", "--request", "Hi"]);
    assert!(bundle.contains("Be kind."), "{bundle}");
    assert_eq!(project.stdout(&["import", "."]), "", "it stays there");
}

#[test]
fn names_say_where_a_file_is_from_and_copies_are_one() {
    let agent = |text: &str| format!("---\nname: dba\ndescription: SQL\n---\n{text}\n");
    let project = TestProject::empty()
        .file("plugins/a/agents/dba.md", &agent("One."))
        .file("plugins/b/agents/dba.md", &agent("Two."))
        .file("plugins/c/agents/dba.md", &agent("One."));
    let expected = [
        "create  contexts/specialists/specialist-a-dba.md",
        "create  contexts/specialists/specialist-b-dba.md",
    ];
    let created = project.stdout(&["import", "."]);
    let contexts: Vec<&str> = created.lines().filter(|line| line.contains("contexts")).collect();
    assert_eq!(contexts, expected);
}

#[test]
fn translations_are_left_out_and_many_files_are_few_lines() {
    let skill = |at: usize| {
        (
            format!("skills/s{at}/SKILL.md"),
            format!("---\nname: s{at}\ndescription: d\ncolor: red\n---\nText {at}.\n"),
        )
    };
    let skills = (0..60).map(skill);
    let project = skills.fold(TestProject::empty(), |it, (path, text)| it.file(&path, &text));
    let project = project
        .file("docs/ja-JP/skills/s1/SKILL.md", "---\nname: s1\ndescription: d\n---\nテキスト。\n");
    let run = project.run(&["import", "."]);
    let lines = run.stdout.lines().count() + run.stderr.lines().count();
    assert!(lines <= 10, "{}{}", run.stdout, run.stderr);
    for part in ["1 translation left out", "60 findings in 60 files: `color` is kept"] {
        assert!(run.stderr.contains(part), "{part}\n{}", run.stderr);
    }
    assert!(run.stdout.contains("contexts/playbooks: 60 files"), "{}", run.stdout);
    let all = project.run(&["import", ".", "--translations", "-v"]);
    assert_eq!(all.stdout, "create  contexts/playbooks/playbook-ja-JP-s1.md\n", "{}", all.stderr);
}

#[test]
fn an_import_says_what_always_loads() {
    let project = TestProject::empty().file("CLAUDE.md", "Be kind.\n");
    let run = project.run(&["import", "."]);
    assert!(
        run.stderr.contains("1 context always loads: 3 tokens, under 1 % of the budget"),
        "{}",
        run.stderr
    );
    let long = TestProject::empty().file("CLAUDE.md", &"word ".repeat(20_000));
    let run = long.run(&["import", "."]);
    assert!(run.stderr.contains("over the budget of"), "{}", run.stderr);
}

#[test]
fn a_format_holds_for_the_paths_after_it() {
    let project = TestProject::empty()
        .file(".claude/rules/a.md", "# A\n")
        .file("rules/b.mdc", "# B\n")
        .file("docs/c.md", "# C\n\nText.\n")
        .file("AGENTS.md", "# D\n");
    let import = |words: &[&str]| project.run(&[&["import"], words].concat());
    import(&["AGENTS.md", "markdown"]).refused(2, &["no path after the format `markdown`"]);
    import(&["AGENTS.md", "cursor", "claude", "."]).refused(2, &["no path after the format"]);
    import(&["AGENTS.md", "markdown", "docs", "--category", "pattern"])
        .refused(2, &["`--category` needs the format `markdown`"]);
    assert!(!project.path("contexts").exists());
    let run = import(&["AGENTS.md", "claude", ".claude", "cursor", "rules", "markdown", "docs"]);
    run.said(&["4 files imported\n"]);
    assert_eq!(project.stdout(&["import", "--check"]), "");
    let project = TestProject::empty().file("CLAUDE.md", "# A\n");
    project.run(&["import", "claude", "CLAUDE.md", "cursor", "x"]).refused(2, &["cannot read"]);
    assert_eq!(project.stdout(&["import", "--check"]), "");
}

#[test]
fn an_imported_file_is_inserted_once() {
    let project = TestProject::with_role()
        .file("docs/x.md", "X text. @gone.md\n\n@y.md\n")
        .file("docs/y.md", "Y text.\n")
        .file("CLAUDE.md", "# P\n\nSee @docs/x.md.\n\n@docs/x.md\n");
    let run = project.run(&["import", "CLAUDE.md"]);
    run.said(&["docs/x.md:1:9: warning[import-omitted]"]);
    assert!(!run.stderr.contains(project.path("").to_str().unwrap()), "{}", run.stderr);
    let bundle = project.stdout(&["assemble", "-r", "x"]);
    assert_eq!(bundle.matches("X text.").count(), 1, "{bundle}");
}

#[test]
fn a_skill_that_only_the_user_calls_loads_by_name_only() {
    let skill = "---\nname: review\ndescription: Reviews code changes\ndisable-model-invocation: true\n---\nReview them.\n";
    let project = TestProject::with_role().file(".claude/skills/review/SKILL.md", skill);
    project.run(&["import", "."]).said(&["1 file imported\n"]);
    assert!(!project.stdout(&["assemble", "-r", "review the code changes"]).contains("them."));
    let bundle = project.stdout(&["assemble", "-r", "x", "--with", "playbook/review"]);
    assert!(bundle.contains("Review them."), "{bundle}");
    assert_eq!(project.run(&["validate", "--deny", "warnings"]).code, 0);
    project.stdout(&["export", "skills"]);
    assert!(
        project.text(".agents/skills/review/SKILL.md").contains("disable-model-invocation: true\n")
    );
    project.stdout(&["export", "cursor"]);
    assert!(!project.path(".cursor/rules/playbook-review.mdc").exists());
}

#[test]
fn the_hint_about_files_of_skills_names_few_folders() {
    let skill = "---\nname: NAME\ndescription: Reads NAME.\n---\nSee `a.md`.\n";
    let names = ["one", "two/skills/x", "three", "four"];
    let all = names.iter().fold(TestProject::empty(), |project, name| {
        let text = skill.replace("NAME", &name.replace('/', "-"));
        project.file(&format!("{name}/SKILL.md"), &text).file(&format!("{name}/a.md"), name)
    });
    let many = "`faber import markdown PATH` makes contexts, such as of `four`; `-v` lists all\n";
    all.run(&["import", ".", "--dry-run"])
        .said(&["4 Markdown files in directories of skills", many]);
    let few = "1 Markdown file in directories of skills does not load; `faber import markdown two/skills`";
    all.run(&["import", "two", "--dry-run"]).said(&[few]);
}
