//! Texts that a client loads by itself are not given.

use serde_json::{Value, json};

use super::given;
use crate::project::TestProject;

const SHOP: &str = "# Shop\n\nPrices are whole cents. See [the doc](docs/a.md) and [all](docs).\n";

fn repository() -> TestProject {
    TestProject::empty().file("docs/a.md", "# Prices\n\nEach has a currency.\n")
}

fn imported(project: TestProject) -> TestProject {
    project.stdout(&["import", "."]);
    project
}

fn at_start(project: &TestProject, client: &str) -> String {
    let event: Value = json!({
        "session_id": project.path("").join(client), "cwd": project.path(""),
        "hook_event_name": "SessionStart", "source": "compact",
    });
    let run = project.run_with_input(&["hook", "run", "--client", client], &event.to_string());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    if run.stdout.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn links_that_an_import_changed_are_no_difference() {
    let project = imported(repository().file("CLAUDE.md", SHOP));
    assert!(project.text("contexts/standards/standards-claude.md").contains("../../docs/a.md"));
    assert_eq!(at_start(&project, "claude"), "");
    let project = project.file("CLAUDE.md", &SHOP.replace("cents", "euros"));
    assert!(at_start(&project, "claude").contains("Prices are whole cents"));

    let project = repository().file("CLAUDE.md", SHOP);
    project.stdout(&["import", "markdown", "docs"]);
    let project = imported(project);
    assert!(!at_start(&project, "claude").contains("cents"));

    let project = imported(repository().file("CLAUDE.md", SHOP));
    project.stdout(&["import", "markdown", "docs"]);
    assert!(!at_start(&project, "claude").contains("cents"), "documents were imported later");

    let project = repository().file("CLAUDE.md", SHOP);
    project.stdout(&["import", ".", "--in-place"]);
    assert_eq!(at_start(&project, "claude"), "");

    let project = imported(repository().file("CLAUDE.md", SHOP).file("AGENTS.md", SHOP));
    assert_eq!((at_start(&project, "claude"), at_start(&project, "codex")), <_>::default());

    let rule = format!("---\ntitle: House\n---\n\n{}", SHOP.replace("# Shop\n\n", ""));
    let project = imported(repository().file(".claude/rules/house.md", &rule));
    assert_eq!(at_start(&project, "claude"), "");
}

#[test]
fn links_that_an_export_changed_are_no_difference() {
    let text = SHOP.replace("docs", "../../docs");
    let project = repository()
        .dir(".faber")
        .file("roles/clerk/prompt.md", "# Clerk\n")
        .file("contexts/standards/standards-shop.md", &text);
    project.stdout(&["export", "gemini"]);
    assert!(project.text("GEMINI.md").contains("(./docs/a.md)"), "{}", project.text("GEMINI.md"));
    assert_eq!(at_start(&project, "gemini"), "");
}

#[test]
fn imported_files_are_loaded_too() {
    let of_claude = "@AGENTS.md\n\nRead the tests first.\n";
    let project = imported(repository().file("CLAUDE.md", of_claude).file("AGENTS.md", SHOP));
    assert_eq!(at_start(&project, "claude"), "");

    let shop = format!("{SHOP}\n@docs/a.md\n");
    for of_claude in [of_claude, shop.as_str()] {
        let project = repository().file("CLAUDE.md", of_claude).file("AGENTS.md", &shop);
        let project = imported(project);
        let text = project.text("contexts/standards/standards-agents.md");
        assert!(text.ends_with("<!-- faber: include ../../docs/a.md -->\n"), "{text}");
        assert_eq!(at_start(&project, "claude"), "");
        assert!(at_start(&project, "codex").contains("Each has a currency."));
    }

    let nested = "Be brief.\n\n@docs/b.md\n";
    let project = repository().file("docs/b.md", "@a.md\n").file("CLAUDE.md", nested);
    let project = imported(project);
    assert_eq!(at_start(&project, "claude"), "");
    assert!(at_start(&project, "codex").contains("Each has a currency."));
    let copy = "contexts/standards/partials/docs-b.md";
    let text = project.text(copy) + "\nRead it twice.\n";
    let project = project.file(copy, &text);
    assert!(at_start(&project, "claude").contains("Read it twice."));
}

#[test]
fn instructions_of_another_client_are_left_out_if_there_are_own_ones() {
    let project = repository()
        .file("CLAUDE.md", "# Claude\n\nBe brief.\n")
        .file("GEMINI.md", "# Gemini\n\nThink first.\n")
        .file(".cursorrules", "Use tabs.\n");
    for arguments in [&["import", "."][..], &["import", ".", "--in-place"]] {
        let copy = repository();
        for path in ["CLAUDE.md", "GEMINI.md", ".cursorrules"] {
            std::fs::copy(project.path(path), copy.path(path)).unwrap();
        }
        copy.stdout(arguments);
        assert_eq!((at_start(&copy, "claude"), at_start(&copy, "gemini")), <_>::default());
        let given = at_start(&copy, "codex");
        assert!(["Be brief.", "Think first.", "Use tabs."].iter().all(|it| given.contains(it)));
        std::fs::remove_file(copy.path("CLAUDE.md")).unwrap();
        assert!(at_start(&copy, "claude").contains("Think first."));
    }
}

#[test]
fn a_rule_with_links_is_known_when_the_client_reports_it() {
    let rule =
        "---\npaths: [\"**/*.ts\"]\n---\n\n# TypeScript\n\nNo `any`, see [why](../../docs/a.md).\n";
    let project = imported(repository().file(".claude/rules/ts.md", rule));
    let event = |name: &str| {
        json!({ "session_id": "a", "permission_mode": "default", "cwd": project.path(""),
            "hook_event_name": name, "tool_input": { "file_path": "a.ts" },
            "file_path": project.path(".claude/rules/ts.md") })
    };
    assert_eq!(given(&project, &event("InstructionsLoaded")), "");
    assert_eq!(given(&project, &event("PostToolUse")), "");
}
