use serde_json::Value;

use crate::pelican::{ids, pelican};
use crate::project::TestProject;

fn edges(graph: &Value) -> Vec<String> {
    let edges = graph["edges"].as_array().unwrap().iter();
    let text = |edge: &Value, key: &str| edge[key].as_str().unwrap().to_owned();
    edges
        .map(|edge| format!("{} {} {}", text(edge, "from"), text(edge, "kind"), text(edge, "to")))
        .collect()
}

fn every_kind() -> TestProject {
    TestProject::new()
        .file("roles/base/prompt.md", "# Base\n\n| Keywords | Context |\n|---|---|\n| tea, \"mint\" | standard-cups.md |\n")
        .file("roles/clerk/agent.yml", "extends: base\nplatforms: [desk]\n")
        .file(
            "roles/clerk/prompt.md",
            "# Clerk\n\nSee [first](/tasks/sort.md).\n\n| Error Type | Troubleshooting Context |\n|---|---|\n\
             | SpillError | troubleshooting-spills.md |\n",
        )
        .file("roles/clerk/tasks/sort.md", "# Sort\n\nLoad `playbook-sorting.md`.\n")
        .file("roles/clerk/flows/day.md", "# Day\n\n1. `/tasks/sort.md`\n")
        .file("roles/clerk/contexts/playbooks/playbook-sorting.md", "# Sorting\n\n<!-- faber: include ../partials/hint.md -->\n")
        .file("roles/clerk/contexts/partials/hint.md", "Look twice. See `standard/cups`.\n")
        .file("contexts/standards/standards-cups.md", "---\nrelated: [playbook/pouring]\n---\n# Cups\n\nSee `troubleshooting-spills.md`.\n")
        .file("contexts/playbooks/playbook-pouring.md", "# Pouring\n")
        .file("contexts/playbooks/playbook-old.md", "---\nsuperseded_by: playbook/pouring\n---\n# Old\n")
        .file("contexts/troubleshooting/troubleshooting-spills.md", "# Spills\n")
        .file(".faber/overlays/organization/contexts/standards/standards-cups.md", "---\nstrategy: append\n---\n# More\n")
        .file(".faber/overlays/teams/blue/contexts/standards/standards-mugs.md", "---\nextends: standards-cups.md\n---\n# Mugs\n\nHot.\n")
        .file(".faber/config.yml", "settings: { team: blue }\n")
}

#[test]
fn every_kind_of_edge_is_found() {
    let project = every_kind();
    let graph = project.json(&["graph", "--role", "clerk", "--format", "json"]);
    assert_eq!(graph["schema"], "faber.graph/1");
    let found = edges(&graph);
    for edge in [
        "role:clerk extends role:base",
        "role:clerk layer layer:.",
        "role:clerk layer layer:roles/clerk",
        "layer:. defines standard/cups",
        "layer:.faber/overlays/organization overlays standard/cups",
        "layer:.faber/overlays/teams/blue extends standard/cups",
        "role:base keyword standard/cups",
        "role:clerk error troubleshooting/spills",
        "role:clerk link task/sort",
        "task/sort link playbook/sorting",
        "flow/day link task/sort",
        "standard/cups related playbook/pouring",
        "standard/cups link troubleshooting/spills",
        "playbook/old superseded-by playbook/pouring",
        "playbook/sorting include file:roles/clerk/contexts/partials/hint.md",
        "playbook/sorting link standard/cups",
    ] {
        assert!(found.iter().any(|one| one == edge), "no `{edge}` in {found:#?}");
    }
    assert!(
        !ids(&graph, "nodes").contains(&"standard/mugs"),
        "what extends is not a context of its own"
    );
    let edge = |kind: &str| {
        graph["edges"].as_array().unwrap().iter().find(|edge| edge["kind"] == kind).unwrap()
    };
    assert_eq!(edge("keyword")["terms"], serde_json::json!(["tea", "mint"]));
    assert_eq!(edge("keyword")["at"], "roles/base/prompt.md:5");
    assert_eq!(edge("overlays")["terms"], serde_json::json!(["append"]));
    let old = graph["nodes"].as_array().unwrap().iter().find(|node| node["id"] == "playbook/old");
    assert_eq!(old.unwrap()["left_out"], "superseded");
}

#[test]
fn data_fits_its_schema_and_both_ends_are_nodes() {
    for project in [every_kind(), pelican(), TestProject::new()] {
        let graph = project.json(&["graph", "--format", "json"]);
        let schema = project.json(&["schema", "graph"]);
        assert!(jsonschema::is_valid(&schema, &graph), "{graph:#}");
        let ids = ids(&graph, "nodes");
        for edge in graph["edges"].as_array().unwrap() {
            for end in ["from", "to"] {
                assert!(ids.contains(&edge[end].as_str().unwrap()), "{edge}");
            }
        }
    }
}

#[test]
fn without_a_role_all_are_there_and_each_keeps_its_own() {
    let project = every_kind();
    let graph = project.json(&["graph", "--format", "json"]);
    let (ids, found) = (ids(&graph, "nodes"), edges(&graph));
    assert_eq!(graph["role"], Value::Null);
    for id in ["role:base", "role:clerk", "@role:clerk/playbook/sorting", "@role:clerk/task/sort"] {
        assert!(ids.contains(&id), "no {id} in {ids:?}");
    }
    assert!(!ids.contains(&"playbook/sorting") && !ids.contains(&"@role:clerk/standard/cups"));
    let edge = "@role:clerk/task/sort link @role:clerk/playbook/sorting";
    assert!(found.iter().any(|one| one == edge), "{found:#?}");
    assert!(found.iter().any(|one| one == "role:base keyword standard/cups"), "{found:#?}");
}

#[test]
fn hidden_contexts_are_in_no_format() {
    let secret =
        "---\nvisibility: private\nowner: rafa\nrelated: [standard/titles]\n---\n# Secret\n";
    let open = "---\nrelated: [reference/secret]\n---\n# Open\n\nSee `reference/secret`.\n";
    let project = pelican()
        .file("contexts/references/reference-secret.md", secret)
        .file("contexts/references/reference-open.md", open)
        .file("roles/issue-manager/tasks/secret.md", "---\ngroups: [board]\n---\n# Secret task\n")
        .file(".faber/overlays/organization/contexts/standards/standards-titles.md", secret);
    for format in ["json", "mermaid", "dot", "html"] {
        let text = project.stdout(&["graph", "--format", format]);
        assert!(!text.to_lowercase().contains("secret"), "{format}: {text}");
        assert!(text.contains("open"), "{format}");
    }
    let owner = project.stdout(&["graph", "--format", "json", "--as", "rafa:board"]);
    assert!(owner.contains("reference/secret") && owner.contains("task/secret"), "{owner}");
    project.run(&["graph", "--focus", "reference/secret"]).refused(2, &["unknown node"]);
}

#[test]
fn a_focus_has_its_neighbourhood() {
    let project = every_kind();
    let near = |depth: &str| {
        let arguments = ["graph", "--role", "clerk", "--format", "json", "--focus", "sort"];
        let graph = project.json(&[&arguments[..], &["--depth", depth]].concat());
        ids(&graph, "nodes").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(near("0"), ["task/sort"]);
    assert_eq!(near("1"), ["role:clerk", "task/sort", "flow/day", "playbook/sorting"]);
    assert!(near("2").contains(&"standard/cups".to_owned()), "{:?}", near("2"));
    project.run(&["graph", "--focus", "task/srot"]).refused(2, &["unknown node `task/srot`"]);
    project.run(&["graph", "--depth", "2"]).refused(2, &["--focus"]);
    project.run(&["graph", "--role", "clrek"]).refused(2, &["did you mean `clerk`?"]);
}

const HOSTILE: &str = "a\"]; click <b>`x` \\N #35; %% end";

#[test]
fn a_hostile_name_stays_a_name() {
    let project = TestProject::with_role().file(
        "contexts/standards/standards-x.md",
        &format!("---\nname: {}\n---\n# X\n", serde_json::to_string(HOSTILE).unwrap()),
    );
    let mermaid = project.stdout(&["graph"]);
    let line = mermaid.lines().find(|line| line.contains("standard/")).unwrap();
    assert_eq!(
        line,
        "  n2[\"standard/a#34;#93;#59; click #60;b#62;#39;x#39; #92;N #35;35#59; #37;#37; end\"]"
    );
    let dot = project.stdout(&["graph", "--format", "dot"]);
    assert!(
        dot.contains(r#"[label="standard/a\"]; click <b>'x' \\N #35; %% end" shape=box"#),
        "{dot}"
    );
    let html = project.stdout(&["graph", "--format", "html"]);
    assert!(!html.contains("<b>'x'") && html.contains("\\u003cb\\u003e"), "nothing is markup");
}

#[test]
fn drawings_have_every_node_and_edge() {
    let project = every_kind();
    let graph = project.json(&["graph", "--format", "json"]);
    let (nodes, edges) = (ids(&graph, "nodes").len(), edges(&graph).len());
    let mermaid = project.stdout(&["graph", "--format", "mermaid"]);
    assert!(mermaid.starts_with("flowchart LR\n"));
    let is_edge = |line: &&str| {
        [" --> ", " -.- ", "-->|", "-.->|", "==>|"].iter().any(|arrow| line.contains(arrow))
    };
    assert_eq!(mermaid.lines().filter(is_edge).count(), edges, "{mermaid}");
    assert_eq!(
        mermaid.lines().filter(|line| line.ends_with(']') || line.ends_with(')')).count(),
        nodes
    );
    let dot = project.stdout(&["graph", "--format", "dot"]);
    assert_eq!(dot.lines().filter(|line| line.contains(" -> ")).count(), edges);
    assert_eq!(dot.lines().filter(|line| line.contains("shape=")).count(), nodes);
}

#[test]
fn a_file_gets_what_would_be_printed() {
    let project = every_kind();
    for format in ["json", "mermaid", "dot", "html"] {
        let printed = project.stdout(&["graph", "--format", format]);
        assert_eq!(project.stdout(&["graph", "--format", format, "-o", "-"]), printed);
        assert_eq!(project.stdout(&["graph", "--format", format, "-o", "out"]), "");
        assert_eq!(project.text("out"), printed, "{format}");
        let named = format!("out.{format}");
        assert_eq!(project.stdout(&["graph", "-o", &named]), "");
        assert_eq!(project.text(&named), printed, "{format}");
    }
    project.run(&["graph", "-o", "nowhere/out"]).refused(2, &["cannot write"]);
    project.run(&["graph", "-o", "out.png"]).refused(2, &["cannot draw a graph as `.png`"]);
    project.run(&["graph", "-o", "out.png", "--format", "dot"]).said(&[]);
}

#[test]
fn many_edges_are_said_for_mermaid_alone() {
    let project = (0..260).fold(TestProject::with_role(), |project, at| {
        let text = format!("---\nrelated: [standard/s{}]\n---\n# S\n", (at + 1) % 260);
        project.file(&format!("contexts/standards/standards-s{at}.md"), &text)
    });
    let run = project.run(&["graph"]);
    assert_eq!(run.code, 0);
    run.said(&["Mermaid draws at most 500"]);
    for arguments in [&["graph", "-q"][..], &["graph", "--format", "dot"]] {
        assert_eq!(project.run(arguments).stderr, "", "{arguments:?}");
    }
}
