//! Data formats conform to their schemas.

use serde_json::Value;

use crate::pelican::{DATE, pelican};
use crate::project::TestProject;

#[track_caller]
pub(crate) fn conforms(project: &TestProject, schema: &str, data: &Value) {
    let schema: Value = serde_json::from_str(&project.stdout(&["schema", schema])).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(data)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn bundles_and_reports() {
    let project = pelican().file("contexts/c.md", "# C\n");
    let requests: [&[&str]; 4] = [
        &[],
        &["--request", "A refund for the tariff, RateLimitError", "--file", "db/a.sql"],
        &["--request", "refund", "--budget", "300"],
        &["--with", "reference/depots", "--without", "standard/titles", "--task", "triage"],
    ];
    for request in requests {
        let head = ["assemble", "issue-manager", "--at", DATE, "--format", "json"];
        let run = project.run(&[&head, request, &["-q", "--report", "json"]].concat());
        let data: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(data["schema"], "faber.bundle/1");
        conforms(&project, "bundle", &data);
        let mut report: Value = serde_json::from_str(&run.stderr).unwrap();
        conforms(&project, "report", &report);
        let schema = report.as_object_mut().unwrap().remove("schema");
        assert_eq!(schema, Some("faber.report/1".into()));
        assert_eq!(data["report"], report);
    }
}

#[test]
fn json_of_the_other_commands() {
    let project = pelican()
        .file("notes.txt", "hello world\n")
        .file("tests/a.yml", "- { name: a, selected: titles }\n");
    for (schema, command) in [
        ("show", &["show", "standard/titles"][..]),
        ("list", &["list", "roles"]),
        ("list", &["list", "contexts"]),
        ("list", &["list", "layers", "--role", "issue-manager"]),
        ("list", &["list", "platforms"]),
        ("tokens", &["tokens", "notes.txt"]),
        ("config", &["config", "show"]),
        ("config", &["config", "show", "--origin", "--role", "issue-manager"]),
        ("diff", &["diff", "issue-manager"]),
        ("diff", &["diff", "standard/titles"]),
        ("explain", &["explain", "--request", "A refund, RateLimitError"]),
        ("explain", &["explain", "--request", "refund", "--budget", "300"]),
        ("test", &["test"]),
        ("explain", &["explain", "standard/titles"]),
        ("explain", &["explain", "--line", "1-200"]),
        ("explain", &["explain", "--what-if", "budget=300,platform=github"]),
    ] {
        let data = project.json(&[command, &["--format", "json"]].concat());
        assert_eq!(data["schema"], format!("faber.{schema}/1"), "{command:?}");
        conforms(&project, schema, &data);
    }
}

#[test]
fn a_schema_refuses_what_is_not_of_its_format() {
    let project = pelican();
    let schema: Value = serde_json::from_str(&project.stdout(&["schema", "bundle"])).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(!validator.is_valid(&serde_json::json!({ "schema": "faber.bundle/1" })));
}

#[test]
fn an_entry_of_a_bundle_says_where_it_comes_from() {
    let data = crate::pelican::bundle(&pelican(), &[]);
    let platform = crate::pelican::entry(&data, "contexts", "platform/ticketyard");
    insta::assert_snapshot!(platform["sources"], @r#"
    [{"path":"roles/issue-manager/contexts/platforms/platform-ticketyard.md","layer":"role","strategy":null},{"path":".faber/overlays/organization/contexts/platforms/platform-ticketyard.md","layer":"organization","strategy":"merge"}]
    "#);
    assert_eq!(platform["layers"], serde_json::json!(["role", "organization"]));
    assert_eq!(platform["section"], "location");
    assert_eq!(platform["reasons"][0]["detail"], "platforms.issue-manager in .faber/config.yml:1");
}

#[test]
fn configurations_conform() {
    let project = TestProject::empty();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for folder in [".faber", "templates/workspaces"] {
        for entry in walkdir::WalkDir::new(root.join(folder)) {
            let path = entry.unwrap().into_path();
            if path.file_name().is_some_and(|name| name == "config.yml") {
                let text = std::fs::read_to_string(&path).unwrap();
                conforms(&project, "config-file", &serde_yaml::from_str(&text).unwrap());
                count += 1;
            }
        }
    }
    assert!(count > 3);
    let defaults = root.join("crates/faber-core/src/config/defaults.yml");
    let defaults = std::fs::read_to_string(defaults).unwrap();
    conforms(&project, "config-file", &serde_yaml::from_str(&defaults).unwrap());
}

#[test]
fn the_schema_of_configurations_accepts_what_faber_accepts() {
    let schema = TestProject::empty().stdout(&["schema", "config-file"]);
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (text, is_valid) in [
        (
            "packs: { allow: [\"https://x/*\"], acme: { git: \"https://x/y\", ref: v1, path: p } }",
            true,
        ),
        ("packs: { acme: { git: \"https://x/y\", signed_by: ssh-rsa AAAA } }", true),
        ("packs: { acme: { git: \"https://x/y\", rev: v1 } }", false),
        ("packs: { allow: x }", false),
        ("packs: { acme: { path: \"\" } }", false),
        ("packs: [x]", false),
        ("budget: { total: 32k, response: 10 %, always: \"60%\" }", true),
        ("budget: { total: many }", false),
        ("budget: { total: -1 }", false),
        ("budget: { packing: fast }", false),
        ("budget: { packing: \"${PACKING}\", total: \"${TOTAL}\" }", true),
        ("audit: true", true),
        ("audit: { keep: 3 }", true),
        ("audit: { keep: 1001 }", false),
        ("audit: sometimes", false),
        ("search: { weights: seed, limit: 5 }", true),
        ("search: { weights: { semantic: 0.5 } }", true),
        ("search: { weights: other }", false),
        ("search: { limit: 51 }", false),
        ("selection: { threshold: 0.5, relative: \"0.1\", most: }", true),
        ("selection: { threshold: 1.5 }", false),
        ("overlays: { enabled: \"true\", paths: [a] }", true),
        ("overlays: { enabled: yes-please }", false),
        ("roles: [a, 1]", true),
        ("roles: a", false),
        ("platform_config: { linear: { team: [1, 2] } }", true),
        ("buget: {}", false),
        ("settings: { team: 5 }", true),
        ("models: { m: { window: 0 } }", false),
    ] {
        let project = TestProject::with_role().file(".faber/config.yml", &format!("{text}\n"));
        let project = project.env("PACKING", "greedy").env("TOTAL", "20k");
        let run = project.run(&["validate", "--format", "json"]);
        let rules = ["\"invalid-config\"", "\"unknown-config-key\"", "\"config-key-not-allowed\""];
        let found = rules.iter().any(|rule| run.stdout.contains(rule));
        assert_eq!(!found, is_valid, "{text}: {}", run.stdout);
        let data: Value = serde_yaml::from_str(text).unwrap();
        assert_eq!(validator.is_valid(&data), is_valid, "{text}");
    }
}

#[test]
fn answers_as_text_name_sources_and_contradictions() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-stamps.md", "# Stamps\n\nA stamp costs 85 cents.\n")
        .file(
            "contexts/playbooks/playbook-sorting.md",
            "---\nderived_from: [a talk with the post office]\ncontradicts: [standard/stamps]\n---\n\
             # Sorting\n\nSort letters by country first.\n",
        );
    let ask = ["query", "sort letters by country", "--derivations", "--contradictions", "--format"];
    let by = "contradicted by standard/stamps \"Stamps\" (confidence 0.50)";
    for format in ["human", "markdown"] {
        let text = project.stdout(&[&ask[..], &[format]].concat());
        for part in ["derived from a talk with the post office", by] {
            assert!(text.contains(part), "{text}");
        }
    }
    let expanded = ["expand", "playbook/sorting", "--include", "contradictions"];
    let text = project.stdout(&expanded);
    assert!(text.contains("standard/stamps \"Stamps\" (confidence 0.50): "), "{text}");
}

#[test]
fn a_preview_takes_a_number_and_no_word() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-stamps.md", "# Stamps\n\nA stamp costs 85 cents.\n");
    let spaced = project.stdout(&["search", "stamp costs", "--preview", "30"]);
    assert_eq!(spaced, project.stdout(&["search", "stamp costs", "--preview=30"]));
    let mistaken = project.run(&["search", "--preview", "stamp"]);
    mistaken.refused(2, &["write `--preview` after the query"]);
}

#[test]
fn a_word_within_thai_text_is_found() {
    let text = "# ไทย\n\nระบบฐานข้อมูลเชื่อมต่อกับเซิร์ฟเวอร์\n";
    let keywords = "---\nkeywords: [ฐานข้อมูล]\n---\n# Data\n\nX.\n";
    let project = TestProject::with_role()
        .file("contexts/references/reference-thai.md", text)
        .file("contexts/playbooks/playbook-data.md", keywords);
    let found = project.json(&["search", "ฐานข้อมูล", "--format", "json"]);
    assert!(found["results"].to_string().contains("reference/thai"), "{found}");
    let bundle = project.stdout(&["assemble", "--request", "ระบบฐานข้อมูลเชื่อมต่อ"]);
    assert!(bundle.contains("# Data"), "{bundle}");
}
