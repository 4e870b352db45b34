//! Interactions of rules.

use serde_json::Value;

use crate::pelican::{entry, ids};
use crate::project::TestProject;

const ASSEMBLE: [&str; 4] = ["assemble", "clerk", "--format", "json"];

fn assembled(project: &TestProject, arguments: &[&str]) -> Value {
    project.json(&[&ASSEMBLE[..], arguments].concat())
}

fn words(count: usize) -> String {
    "Letters are sorted by town. ".repeat(count / 5)
}

#[test]
fn a_pin_is_in_although_the_stable_part_has_no_room_for_it() {
    let long = format!("---\ntruncatable: false\n---\n# Long\n\n{}\n", words(1000));
    let project = TestProject::with_role().file("contexts/standards/standards-long.md", &long);
    let pinned = ["--order", "cache", "--budget", "1500", "--with", "standard/long"];
    let data = assembled(&project, &pinned);
    assert_eq!(entry(&data, "contexts", "standard/long")["level"], "detailed");
    let data = assembled(&project, &pinned[..4]);
    assert!(ids(&data, "contexts").is_empty(), "60 % of 1 500 tokens do not hold it");
}

#[test]
fn a_pin_is_in_although_what_is_required_fills_the_stable_part() {
    let project = TestProject::with_role()
        .file(".faber/config.yml", "budget: { stable: 0 }\n")
        .file("contexts/standards/standards-a.md", "# A\n\nLetters are sorted.\n")
        .file("contexts/standards/standards-b.md", "---\nrequired: true\n---\n# B\n\nBy town.\n");
    let data = assembled(&project, &["--order", "cache", "--with", "standard/a"]);
    assert_eq!(ids(&data, "contexts"), ["standard/b", "standard/a"]);
}

#[test]
fn optional_parts_take_no_room_from_required_ones() {
    let required = "---\nrequired: true\n---\n# B\n\nBy town.\n";
    let project = TestProject::with_role().file("contexts/standards/standards-b.md", required);
    let run = project.run(&["assemble", "clerk", "--format", "json", "--budget", "1"]);
    run.refused(3, &["raise the budget"]);
    let needed = run
        .stderr
        .split("the budget to at least ")
        .nth(1)
        .and_then(|words| words.split_whitespace().next());
    let less = needed.unwrap().parse::<u64>().unwrap() - 1;
    project.run(&["assemble", "clerk", "--budget", &less.to_string()]).refused(3, &[]);
    let project = project
        .file("contexts/patterns/patterns-p.md", "---\nload: always\n---\n# P\n")
        .file("contexts/platforms/platform-q.md", "---\nload: always\n---\n# Q\n");
    let data = assembled(&project, &["--budget", needed.unwrap()]);
    assert_eq!(ids(&data, "contexts"), ["standard/b"]);
}

#[test]
fn the_stable_part_does_not_depend_on_the_length_of_the_request() {
    let prompt = "# Clerk\n\nYou sort.\n\n| Keyword | Context |\n|---|---|\n\
                  | stamp | specialist-stamps.md |\n| parcel | specialist-parcels.md |\n";
    let project = TestProject::with_role()
        .file("roles/clerk/prompt.md", prompt)
        .file("contexts/specialists/specialist-stamps.md", "# Stamps\n\nBy colour.\n")
        .file("contexts/specialists/specialist-parcels.md", "# Parcels\n\nBy weight.\n");
    let stable = |count: usize| {
        let request = "please ".repeat(count);
        let data =
            assembled(&project, &["--order", "cache", "--budget", "300", "--request", &request]);
        data["report"]["stable_prefix_tokens"].as_u64().unwrap()
    };
    let short = stable(1);
    assert!((10..270).step_by(20).all(|count| stable(count) == short));
}

#[test]
fn no_room_is_kept_for_lines_of_a_catalog_that_is_not_there() {
    let of = |priority: u32, count: usize| {
        let keys = format!("priority: {priority}\ntruncatable: false\n");
        format!("---\n{keys}---\n# Low\n\n{}\n", words(count))
    };
    let project = TestProject::with_role()
        .file("contexts/standards/standards-high.md", &of(1, 1000))
        .file("contexts/standards/standards-higher.md", &of(1, 2000))
        .file("contexts/standards/standards-low.md", &of(10, 60));
    // The catalog, which text lacks, would take the room.
    let text = project.stdout(&["assemble", "clerk", "--format", "text", "--budget", "85"]);
    assert!(text.contains("# Low"), "{text}");
}

#[test]
fn contexts_related_to_a_required_one_are_stable() {
    let required = "---\nrequired: true\nkeywords: [deploy]\nrelated: [patterns-z.md]\n---\n# Q\n";
    let project = TestProject::with_role()
        .file("contexts/specialists/specialist-q.md", required)
        .file("contexts/patterns/patterns-z.md", "# Z\n\nLast of all.\n");
    let prefix = |request: &str| {
        let data = assembled(&project, &["--order", "cache", "--request", request]);
        data["report"]["stable_prefix_tokens"].as_u64().unwrap()
    };
    assert_eq!(prefix("hello"), prefix("deploy it"));
}

#[test]
fn an_overlay_comes_after_the_one_that_it_extends() {
    let overlays = ".faber/overlays/organization/contexts/standards";
    let project = TestProject::with_role()
        .file("contexts/standards/standards-x.md", "# X\n\n- **a**: base\n")
        .file(
            &format!("{overlays}/standards-zb.md"),
            "---\nextends: standard/x\n---\n\n- **a**: first\n",
        )
        .file(
            &format!("{overlays}/standards-ac.md"),
            "---\nextends: standard/zb\n---\n\n- **a**: last\n",
        )
        .file(
            ".faber/overlays/roles/clerk/contexts/standards/standards-zb.md",
            "---\nstrategy: append\n---\n\n- from above, under the name of an overlay\n",
        );
    let data = assembled(&project, &[]);
    assert_eq!(ids(&data, "contexts"), ["standard/x"]);
    let text = entry(&data, "contexts", "standard/x")["text"].as_str().unwrap();
    assert!(text.contains("**a**: last") && !text.contains("first"), "{text}");
    assert!(text.contains("from above"), "{text}");
    let shown = project.stdout(&["show", "zb"]);
    assert_eq!(shown, text, "the bare name of an overlay leads to what it works on");
    let explained = project.stdout(&["explain", "zb", "--role", "clerk"]);
    assert!(explained.contains("standard/x: included in full"), "{explained}");
}

#[test]
fn an_overlay_of_its_base_own_name_and_layer_comes_after_it() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-x.md", "# X\n\n- **a**: base\n")
        .file(
            "contexts/standards/standard-x.md",
            "---\nextends: standards-x.md\n---\n\n- **a**: overlay\n",
        );
    let data = assembled(&project, &[]);
    let text = entry(&data, "contexts", "standard/x")["text"].as_str().unwrap();
    assert_eq!(text, "# X\n\n- **a**: overlay\n");
}

#[test]
fn access_fields_of_an_overlay_are_not_in_the_result() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-x.md", "---\nowner: ann\n---\n# X\n")
        .file(
            ".faber/overlays/organization/contexts/standards/standards-x.md",
            "---\nstrategy: append\nowner: bob\ngroups: [board]\ntags: [t]\n---\n\nMore.\n",
        );
    let data = assembled(&project, &["--as", "eve:board"]);
    let front_matter = &entry(&data, "contexts", "standard/x")["front_matter"];
    assert_eq!(*front_matter, serde_json::json!({ "owner": "ann", "tags": ["t"] }));
}

#[test]
fn a_context_of_which_nothing_is_left_is_excluded_once_as_a_whole() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-x.md", "---\nstatus: draft\n---\n# X\n")
        .file(
            ".faber/overlays/organization/contexts/standards/standards-x.md",
            "---\nvalid_to: 2020-01-01\n---\n# X\n",
        );
    let data = assembled(&project, &[]);
    let excluded = data["excluded"].as_array().unwrap();
    let whole: Vec<&Value> = excluded.iter().filter(|entry| entry.get("path").is_none()).collect();
    assert_eq!((excluded.len(), whole.len()), (2, 1), "{excluded:#?}");
}

#[test]
fn a_cap_that_nothing_keeps_means_the_shortest_form() {
    let capped = format!(
        "---\ndescription: How letters are sorted\nmax_tokens: 5\n---\n# Long\n\n{}\n",
        words(600)
    );
    let project = TestProject::with_role().file("contexts/standards/standards-c.md", &capped);
    let data = assembled(&project, &[]);
    assert_eq!(entry(&data, "contexts", "standard/c")["level"], "essence");
    let text = "---\nmax_tokens: 20\n---\n# Branches\n\nName branches after the issue. Delete \
                them after the merge. Never push to main. Squash small commits.\n";
    let project = project.file("contexts/standards/standards-c.md", text);
    let data = assembled(&project, &[]);
    assert_eq!(entry(&data, "contexts", "standard/c")["level"], "detailed");
}

#[test]
fn no_budget_beyond_the_window_is_said_to_do() {
    for (window, response, words) in [
        (2002, 2000, ["the window of `tiny` has 2 002 tokens, of which 2 000 are reserved", ""]),
        (60, 60, ["the window of `tiny` has 60 tokens", "lower `budget.response`"]),
    ] {
        let config = format!(
            "models: {{ tiny: {{ encoding: o200k_base, window: {window}, margin_percent: 0 }} }}
\
             budget: {{ response: {response} }}
"
        );
        let project = TestProject::with_role().file(".faber/config.yml", &config);
        project.run(&["assemble", "clerk", "--model", "tiny", "-b", "1"]).refused(3, &words);
    }
}

#[cfg(unix)]
#[test]
fn a_stream_that_is_a_file_keeps_what_it_has() {
    let project = TestProject::with_role();
    let script = format!(
        "(echo before; {} assemble clerk -o /dev/stdout; echo after) > out.txt",
        env!("CARGO_BIN_EXE_faber")
    );
    let mut shell = std::process::Command::new("sh");
    let status = shell.args(["-c", &script]).current_dir(project.path("")).status().unwrap();
    assert!(status.success());
    let text = project.text("out.txt");
    assert!(text.starts_with("before\n# Clerk") && text.ends_with("after\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_yet_is_followed() {
    let project = TestProject::with_role().symlink("link.md", "real.md");
    project.stdout(&["assemble", "clerk", "-o", "link.md"]);
    assert!(project.text("real.md").starts_with("# Clerk"));
    assert!(project.path("link.md").is_symlink());
    let project = project.symlink("loop.md", "loop.md");
    project.run(&["assemble", "clerk", "-o", "loop.md"]).refused(2, &["leads back to itself"]);
}

#[test]
fn the_title_of_front_matter_is_the_heading_of_a_text_without_one() {
    let front = "---\ntitle: Postal Rules\nload: always\n---\n";
    let project = TestProject::with_role()
        .file("contexts/standards/standards-a.md", &format!("{front}\nSort by town.\n"))
        .file("contexts/standards/standards-b.md", &format!("{front}Other\n=====\n\nStamp.\n"))
        .file("contexts/standards/standards-c.md", &format!("{front}First.\n"))
        .file(
            "contexts/standards/standards-d.md",
            &format!("{front}# {{{{ title }}}}\n\nWeigh.\n"),
        );
    let overlay = "---\nstrategy: append\n---\nSecond.\n";
    let path = ".faber/overlays/organization/contexts/standards/standards-c.md";
    let project = project.file(path, overlay);
    let text = |id: &str| project.stdout(&["show", id]);
    assert!(text("standard/a").contains("# Postal Rules\n\nSort by town.\n"));
    assert!(text("standard/c").contains("# Postal Rules\n\nFirst.\n\nSecond.\n"));
    assert!(!text("standard/b").contains("# Postal Rules"), "it has a title");
    assert_eq!(text("standard/d"), "# Postal Rules\n\nWeigh.\n");
    let bundle = project.stdout(&["assemble", "clerk"]);
    assert!(bundle.contains("Postal Rules\n\nSort by town.\n"), "{bundle}");
    let run = project.run(&["validate"]);
    assert!(!run.stdout.contains("title"), "{}", run.stdout);
    project.stdout(&["export", "cursor"]);
    let rule = project.text(".cursor/rules/a.mdc");
    assert!(rule.contains("title: Postal Rules") && !rule.contains("# Postal Rules"), "{rule}");
    project.stdout(&["export", "agents-md"]);
    let shared = project.text("AGENTS.md");
    assert!(shared.contains("# Postal Rules\n\nSort by town.\n"), "{shared}");
}
