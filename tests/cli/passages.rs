//! Passages of long texts.

use crate::project::TestProject;

fn project(path: &str, text: &str) -> TestProject {
    TestProject::with_role().file(path, text)
}

fn filler(heading: &str) -> String {
    format!("## {heading}\n\n{}\n\n", "pad ".repeat(500))
}

#[test]
fn every_printed_id_means_the_printed_text() {
    let long = format!("Very {}long", "very ".repeat(60));
    let text = format!(
        "# Guide\n\n{}## Release\n\nLead.\n\n### 🚀\n\nThe glockenspiel ships on Monday.\n\n\
         ### ✅\n\nThe bassoon ships on Friday.\n\n### Setup 1\n\nThe oboe is tuned.\n\n\
         ### Setup-1\n\nThe tuba is cleaned.\n\n### {long}\n\nThe celesta is moved.\n",
        filler("Install")
    );
    let project = project("contexts/standards/standard-em.md", &text);
    for (word, id) in [
        ("glockenspiel", "standard/em#release/section"),
        ("bassoon", "standard/em#release/section-1"),
        ("oboe", "standard/em#release/setup-1"),
        ("tuba", "standard/em#release/setup-1-1"),
        ("celesta", "standard/em#release/very-"),
    ] {
        let found = project.json(&["search", word, "--limit", "1", "--format", "json"]);
        let found = found["results"][0]["id"].as_str().unwrap();
        assert!(found.starts_with(id), "{word}: {found}");
        for command in ["expand", "show"] {
            let said = project.stdout(&[command, found]);
            assert!(said.contains(word) && said.matches("The ").count() == 1, "{found}: {said}");
        }
    }
}

#[test]
fn an_id_depends_on_no_other_section() {
    let part = |number: u32, heading: &str| {
        format!(
            "{}### {heading}\n\n{} word{number}.\n\n",
            filler(&format!("Part {number}")),
            "Say ".repeat(400)
        )
    };
    let of = |first: &str| part(0, first) + &part(1, "Examples") + &part(2, "Examples");
    let path = "contexts/standards/standard-dup.md";
    for first in ["Examples", "Uses"] {
        let project = project(path, &of(first));
        let found = project.json(&["search", "word2", "--limit", "1", "--format", "json"]);
        assert_eq!(found["results"][0]["id"], "standard/dup#part-2/examples", "{first}");
    }
    let project = project(path, &of("Examples"));
    assert!(project.stdout(&["expand", "standard/dup#part-2/examples-2"]).contains("word2"));
}

#[test]
fn a_refused_query_names_the_least_budget() {
    let sentence = "API keys are rotated every ninety days by the owner of the service. ";
    let text = format!("# Keys\n\n## Rotation\n\n{}\n\n{}", sentence.repeat(25), filler("Other"));
    let brief = "# Rotating\n\nKeys of an API are rotated by their owners.\n";
    let project = project("contexts/standards/standard-keys.md", &text)
        .file("contexts/standards/standard-rotating.md", brief);
    for abstraction in ["detailed", "adaptive"] {
        let query = |most: &str| {
            let limit = ["--max-tokens", most, "--abstraction", abstraction];
            project.run(&[&["query", "how are API keys rotated"], &limit[..]].concat())
        };
        let refused = query("30");
        let needed = refused.stderr.split("too small: ").nth(1).unwrap();
        let needed: u32 = needed.split(' ').next().unwrap().parse().unwrap();
        assert_eq!(query(&needed.to_string()).code, 0, "{abstraction}: {needed}");
        assert_eq!(query(&(needed - 1).to_string()).code, 3, "{abstraction}: {needed}");
        assert!(needed < 120, "the other text is short: {needed}");
    }
}

#[test]
fn conversations_that_cannot_be_read_are_named() {
    let project = TestProject::with_role()
        .bytes(".faber/history/bad.jsonl", b"{\"role\":\"user\",\"content\":\"caf\xe9\"}\n");
    let run = project.run(&["search", "cafe"]);
    assert!(run.stderr.contains(".faber/history/bad.jsonl"), "{}", run.stderr);
    let hidden =
        project.file(".faber/history/bad.jsonl.meta.yml", "owner: bob\nvisibility: private\n");
    let run = hidden.run(&["search", "cafe"]);
    assert!(!run.stderr.contains("bad.jsonl"), "{}", run.stderr);
}
