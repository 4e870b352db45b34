//! Files in TOML and YAML.

use super::*;

const MODES: &str = "customModes:\n  - slug: tester\n    name: Tester\n    description: Tests\n    whenToUse: Use it for tests.\n    roleDefinition: |-\n      You test.\n    customInstructions: Be quick.\n    groups: [read]\n  - slug: writer\n    roleDefinition: You write.\n";
const TESTER: &str = "contexts/specialists/specialist-tester.md";
const WRITER: &str = "contexts/specialists/specialist-writer.md";

#[test]
fn their_texts_are_bodies_and_their_other_keys_front_matter() {
    let project = TestProject::empty()
        .file(
            ".gemini/commands/fix.toml",
            "# one\nprompt = \"\"\"\n# Fix\n\n\\\"Now\\\" \\\n  fix it.\n\"\"\"\ndescription = 'Fixes'\nmodel = 'm'\n[more]\na = 1\n",
        )
        .file(
            "release/recipe.yaml",
            "version: 1.0.0\ntitle: Release\ndescription: Ships\ninstructions: |\n  Ship.\nprompt: Go on.\n",
        )
        .file("recipes/cake.yaml", "title: Cake\ndescription: Sweet\nsteps: [bake]\n")
        .file("recipes/jinja.yaml", "{% set version = 1 %}\npackage:\n")
        .file(".roomodes", MODES);
    let found = findings(&project, &["import", ".", "--format", "json"]);
    assert_eq!(
        found,
        [
            ".gemini/commands/fix.toml:9 import-inert",
            ".gemini/commands/fix.toml:10 import-omitted",
            ".roomodes:9 import-omitted",
        ]
    );
    let fix = project.text("contexts/playbooks/playbook-fix.md");
    assert_eq!(fix, "---\ndescription: Fixes\nmodel: m\n---\n\n# Fix\n\n\"Now\" fix it.\n");
    let release = project.text("contexts/playbooks/playbook-release.md");
    assert_eq!(release, "---\ntitle: Release\ndescription: Ships\n---\n\nShip.\n\nGo on.\n");
    let tester = project.text(TESTER);
    assert_eq!(
        tester,
        "---\ntitle: Tester\ndescription: Tests Use it for tests.\nload: on-demand\n---\n\nYou test.\n\nBe quick.\n"
    );
    let writer = "---\ndescription: You write.\nload: on-demand\n---\n\nYou write.\n";
    assert_eq!(project.text(WRITER), writer);
    assert_eq!(project.files().iter().filter(|(path, _)| path.starts_with("contexts")).count(), 4);
    assert_eq!(project.run(&["validate"]).code, 0);
}

#[test]
fn a_part_of_a_file_stays_in_step_with_it() {
    let project = TestProject::empty().file(".roomodes", MODES);
    project.stdout(&["import", "."]);
    assert_eq!(project.run(&["import", "--check"]).code, 0);
    let project = project.file(".roomodes", &MODES.replace("You write.", "You write well."));
    assert_eq!(project.stdout(&["import", "--update"]), format!("change  {WRITER}\n"));
    let project = project.file(".roomodes", "customModes:\n  - [\n");
    let broken = project.run(&["import", "--update", "--prune"]);
    assert_eq!((broken.code, &*broken.stdout), (1, ""), "{}", broken.stderr);
    assert!(broken.stderr.contains("this cannot be read as YAML"), "{}", broken.stderr);
    let only = MODES.split("  - slug: writer").next().unwrap();
    let project = project.file(".roomodes", only);
    let gone = project.stdout(&["import", "--update", "--prune"]);
    assert_eq!(gone, format!("remove  {WRITER}\n"));
    assert!(project.path(TESTER).exists());
}

#[test]
fn they_are_contexts_where_they_are() {
    let project = TestProject::empty().file(".roomodes", MODES);
    let project = project.file(".claude/rules/c# style.md", "Braces.\n").file(
        ".codex/agents/a.toml",
        "name = 'mapper'\ndeveloper_instructions = '''\nOne\nTwo\n'''\n",
    );
    project.stdout(&["import", "--in-place", "."]);
    let config = project.text(".faber/config.yml");
    assert!(config.contains("\".roomodes\",\n    ] }"), "{config}");
    assert!(config.contains("\".claude/rules/c# style.md\""), "{config}");
    let run = project.run(&["validate", "--deny", "warnings"]);
    assert_eq!(run.code, 0, "what is lost was said by the import\n{}", run.stdout);
    let lines = project.stdout(&["show", "specialist/mapper", "--blame"]);
    assert!(lines.contains(" .codex/agents/a.toml:4 │ Two"), "{lines}");
    let lines = project.stdout(&["show", "specialist/tester", "--blame"]);
    assert!(lines.contains(" .roomodes:8 │ Be quick."), "{lines}");
}

#[test]
fn lines_of_folded_texts_are_those_of_the_file() {
    let modes = "customModes:\n  - slug: a\n    roleDefinition: >\n      You are A,\n      who sorts.\n\n      See it.\n";
    let command = "prompt = \"\"\"\nOne \\\n  two.\n\nSee it.\n\"\"\"\n";
    let project =
        TestProject::with_role().file(".roomodes", modes).file(".gemini/commands/c.toml", command);
    project.stdout(&["import", "--in-place", "."]);
    for (id, place) in
        [("specialist/a", " .roomodes:7 "), ("playbook/c", ".gemini/commands/c.toml:5 ")]
    {
        let lines = project.stdout(&["show", id, "--blame"]);
        assert!(lines.contains(&format!("{place}│ See it.")), "{lines}");
    }
}

#[test]
fn two_parts_of_one_name_are_two_files() {
    let modes = "customModes:\n  - { slug: a, roleDefinition: One. }\n  - { slug: a, roleDefinition: Two. }\n";
    let project = TestProject::empty().file(".roomodes", modes);
    project.stdout(&["import", "."]);
    assert_eq!(project.stdout(&["import", ".", "--prune"]), "");
    for (name, text) in [("a", "One."), ("a-roo", "Two.")] {
        let path = format!("contexts/specialists/specialist-{name}.md");
        assert!(project.text(&path).ends_with(&format!("\n{text}\n")), "{name}");
    }
}

#[test]
fn a_collection_of_them_is_of_the_format_that_was_named() {
    let project = TestProject::empty()
        .file("w/.faber/config.yml", "")
        .file("all/web/react.toml", "name = 'react'\ndeveloper_instructions = 'You render.'\n")
        .file("all/README.md", "# All\n")
        .file("all/bad.toml", "name = \n");
    let run = project.run(&["-C", "w", "import", "codex", "all"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let found = "all/bad.toml:1:8: error[unreadable] this cannot be read as TOML: ";
    assert!(run.stderr.starts_with(found), "{}", run.stderr);
    assert_eq!(run.stdout, "create  contexts/specialists/specialist-react.md\n");
}

#[test]
fn gemini_imports_other_files() {
    let project = TestProject::empty()
        .file("GEMINI.md", "# Shop\n\n@./docs/a.md\n")
        .file("docs/a.md", "# A\n");
    project.stdout(&["import", "."]);
    let text = project.text("contexts/standards/standards-gemini.md");
    assert_eq!(text, "# Shop\n\n<!-- faber: include ../../docs/a.md -->\n");
}

#[test]
fn agents_of_kiro_in_json_are_read() {
    let agent = "{\"name\": \"k\", \"description\": \"Tests\", \"prompt\": \"You test.\", \"tools\": [\"read\"]}\n";
    let project = TestProject::empty()
        .file(".kiro/agents/k.json", agent)
        .file(".kiro/agents/other.json", "{\"prompt\": \"file://x.md\"}\n");
    let found = findings(&project, &["import", ".", "--format", "json"]);
    let expected =
        [".kiro/agents/k.json:1 import-inert", ".kiro/agents/other.json:1 import-omitted"];
    assert_eq!(found, expected);
    let text = project.text("contexts/specialists/specialist-k.md");
    assert!(text.starts_with("---\ndescription: Tests\nload: on-demand\n"), "{text}");
    assert!(text.ends_with("\n---\n\nYou test.\n"), "{text}");
}

#[test]
fn names_repeat_no_folder() {
    let project = TestProject::empty()
        .file(".claude/commands/git/commit.md", "One.\n")
        .file(".gemini/commands/git/commit.toml", "prompt = \"Two.\"\n")
        .file(".cursor/rules/a.mdc", "---\nalwaysApply: \"true\"\n---\nText.\n");
    let run = project.run(&["import", "."]);
    assert!(run.stdout.contains("playbook-git-commit-gemini.md"), "{}", run.stdout);
    run.said(&["3 files imported, 1 warning\n"]);
}
