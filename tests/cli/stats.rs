use serde_json::{Value, json};

use crate::project::TestProject;

const LOG: &str = ".faber/state/audit.jsonl";

fn line(day: u32, session: &str, tool: &str, more: &Value) -> String {
    let mut line = json!({
        "schema": "faber.audit/1", "time": format!("2026-01-{day:02}T10:00:00.000Z"),
        "session": session, "tool": tool, "arguments": {}, "results": ["a"], "tokens": 100,
        "milliseconds": 20.0, "outcome": "ok",
    });
    let more = more.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(more);
    format!("{line}\n")
}

fn log() -> String {
    let nothing = json!({});
    [
        line(1, "s1", "assemble_prompt", &json!({ "contexts": { "loaded": 1000, "used": 700 } })),
        line(1, "s1", "search_context", &json!({ "relevance": 0.8, "milliseconds": 612.5 })),
        line(2, "s2", "list_contexts", &nothing),
        line(2, "s2", "get_context_details", &json!({ "tokens": 1234 })),
        line(3, "s3", "assemble_prompt", &json!({ "contexts": { "loaded": 1000, "used": 200 } })),
        line(3, "s3", "assemble_prompt", &json!({ "results": [], "arguments": { "new": [1] } })),
        line(4, "s2", "list_contexts", &json!({ "outcome": "error", "error": "faber::unknown" })),
    ]
    .concat()
}

#[test]
fn figures_are_next_to_their_targets() {
    let project = TestProject::new().file(LOG, &log());
    let run = project.run(&["stats"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(run.stdout, @r"
    7 calls in 3 sessions, 1 error
    2026-01-01T10:00:00.000Z to 2026-01-04T10:00:00.000Z

    tool                 calls  errors  empty  tokens  P50 ms  P95 ms
    assemble_prompt          3       0      1     300    20.0    20.0
    get_context_details      1       0      0   1 234    20.0    20.0
    list_contexts            2       1      0     200    20.0    20.0
    search_context           1       0      0     100   612.5   612.5

       figure                  value    target  of                    meaning
    ✗  tool-call rate         33.3 %    < 20 %  3 prompts             followed by other calls
    ✓  calls per prompt         0.33    < 3.00  3 prompts             calls that followed
    ✗  upfront sufficiency    66.7 %    > 80 %  3 prompts             not followed by other calls
    -  latency P50             20 ms            7 calls
    ✗  latency P95          612.5 ms  < 500 ms  7 calls
    ✓  relevance                0.80    > 0.70  1 best result         mean, from 0 to 1
    ✗  details per list         0.50    < 0.30  2 lists               get_context_details for each list
    ✗  token efficiency         45 %    > 60 %  2 000 context tokens  of contexts that the request
                                                                      called for
    ");
    let coloured = project.stdout(&["stats", "--color", "always"]);
    assert!(coloured.contains("\u{1b}[31m✗\u{1b}[0m  latency P95"), "{coloured}");
}

#[test]
fn the_figures_are_data_too() {
    let project = TestProject::new().file(LOG, &log());
    let stats = project.json(&["stats", "--format", "json"]);
    assert_eq!(stats["schema"], "faber.stats/1");
    assert_eq!(
        (&stats["calls"], &stats["errors"], &stats["sessions"]),
        (&7.into(), &1.into(), &3.into())
    );
    let figure = |name: &str| &stats["figures"][name];
    let expected = json!({ "value": 0.3333, "target": { "below": 0.2 }, "met": false, "of": 3 });
    assert_eq!(figure("tool_call_rate"), &expected);
    assert_eq!(figure("upfront_sufficiency")["value"], 0.6667);
    assert_eq!(figure("token_efficiency")["value"], 0.45);
    assert_eq!(figure("detail_to_list")["value"], 0.5);
    let relevance = json!({ "value": 0.8, "target": { "above": 0.7 }, "met": true, "of": 1 });
    assert_eq!(figure("relevance"), &relevance);
    assert_eq!(stats["log"]["files"], json!([LOG]));
    assert_eq!(stats["log"]["bytes"], log().len());
    let schema: Value = serde_json::from_str(&project.stdout(&["schema", "stats"])).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for stats in [stats, TestProject::new().json(&["stats", "--format", "json"])] {
        let wrong: Vec<String> = validator.iter_errors(&stats).map(|e| e.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[test]
fn calls_can_be_counted_from_a_moment_on() {
    let project = TestProject::new().file(LOG, &log());
    let stats = |since: &str| project.json(&["stats", "--format", "json", "--since", since]);
    let found = stats("2026-01-02");
    assert_eq!((&found["calls"], &found["since"]), (&5.into(), &"2026-01-02T00:00:00.000Z".into()));
    assert_eq!(found["first"], "2026-01-02T10:00:00.000Z");
    assert_eq!(stats("2026-01-03T10:00:00Z")["calls"], 3);
    assert_eq!(stats("1000000d")["calls"], 7);
    let none = project.run(&["stats", "--since", "2027-01-01"]);
    let said = (none.code, &*none.stdout, &*none.stderr);
    assert_eq!(said, (0, "", "no calls in the audit log since 2027-01-01 00:00 UTC\n"));
    for wrong in ["yesterday", "5", "-5d", ""] {
        project.run(&["stats", &format!("--since={wrong}")]).refused(2, &["such as 2026-01-15"]);
    }
}

#[test]
fn without_a_log_there_are_no_calls() {
    let project = TestProject::new();
    let run = project.run(&["stats"]);
    assert_eq!((run.code, &*run.stdout), (0, ""));
    run.said(&["no calls in the audit log\n`faber serve` and hooks write it"]);
    let stats = project.json(&["stats", "--format", "json"]);
    assert_eq!((&stats["calls"], &stats["first"]), (&0.into(), &Value::Null));
    assert_eq!(project.files(), [], "nothing is made");
    TestProject::empty().run(&["stats"]).refused(2, &["no faber workspace"]);
}

#[test]
fn older_files_count_and_lines_that_are_no_entries_are_named() {
    let whole = log();
    let foreign = whole.lines().next().unwrap().replace("audit/1", "audit/9");
    let project = TestProject::new()
        .file(".faber/state/audit.2.jsonl", &whole)
        .file(".faber/state/audit.1.jsonl", &format!("not JSON\n{foreign}\n{whole}"))
        .bytes(LOG, &[whole.as_bytes(), b"\xff\0\n", &whole.as_bytes()[..100]].concat());
    let run = project.run(&["stats"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("21 calls in 3 sessions, 3 errors\n"), "{}", run.stdout);
    run.said(&[
        ".faber/state/audit.1.jsonl:1: skipped 3 lines that are truncated or not entries",
        ".faber/state/audit.1.jsonl:2: skipped 1 line of another format",
    ]);
    assert_eq!(project.run(&["stats", "-q"]).stderr, "");
}

#[test]
fn a_hostile_log_is_read_to_its_end() {
    let mut text = "[".repeat(3_000_000) + "\n";
    text.push_str(&line(1, "\u{1b}[2J", "tool\u{1b}[31m\nnext", &json!({ "tokens": u64::MAX })));
    text.push_str(&line(1, "", &"x".repeat(3000), &json!({ "milliseconds": 1e300 })));
    text.push_str(&line(1, "", "a", &json!({ "tokens": -1 })));
    text.push_str(&"\n".repeat(100_000));
    let project = TestProject::new().file(LOG, &text);
    let run = project.run(&["stats"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("2 calls in 2 sessions"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'));
    run.said(&[".faber/state/audit.jsonl:1: skipped 2 lines"]);
}

#[cfg(unix)]
#[test]
fn a_log_that_lies_elsewhere_is_not_read() {
    let project = TestProject::new().file("other.jsonl", &log()).symlink(LOG, "../../other.jsonl");
    project.run(&["stats"]).refused(2, &["cannot read", "audit.jsonl", "a link"]);
    let pipe = TestProject::new().unix_fifo(LOG);
    pipe.run(&["stats"]).refused(2, &["cannot read"]);
}

fn workspace(opts_in: bool) -> TestProject {
    let project = TestProject::with_role().file(
        "contexts/playbooks/playbook-release.md",
        "---\nkeywords: [release]\n---\n\n# Releases\n\nTag the release, then publish it.\n",
    );
    let config = "audit: { command_line: true }\n";
    if opts_in { project.file("../home/.config/faber/config.yml", config) } else { project }
}

fn entries(project: &TestProject) -> Vec<Value> {
    project.text(LOG).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn commands_are_logged_if_the_user_wants_that() {
    let commands: [&[&str]; 7] = [
        &["assemble", "--request", "make a release"],
        &["assemble", "--request", "make a release"],
        &["search", "release"],
        &["query", "how is a release made"],
        &["expand", "playbook/release"],
        &["show", "playbook/release"],
        &["catalog"],
    ];
    let project = workspace(true);
    for command in commands {
        assert_eq!(project.run(command).code, 0, "{command:?}");
    }
    let entries = entries(&project);
    let tools: Vec<&str> = entries.iter().map(|entry| entry["tool"].as_str().unwrap()).collect();
    let expected = ["assemble", "assemble", "search", "query", "expand", "show", "catalog"];
    assert_eq!(tools, expected.map(|name| format!("cli.{name}")));
    let ids: std::collections::BTreeSet<&str> =
        entries.iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), entries.len(), "each line has an id of its own");
    for entry in &entries {
        assert!(entry["results"][0].as_str().unwrap().starts_with("playbook/release"), "{entry}");
        assert!(entry["hashes"][0].as_str().unwrap().starts_with("blake3:"), "{entry}");
    }
    assert_eq!(entries[0]["hashes"], entries[1]["hashes"]);
    assert_eq!(entries[0]["arguments"], json!({ "role": "clerk", "request": "make a release" }));
    assert!(entries[0]["split"]["context"].as_u64() > Some(0), "{}", entries[0]);
    let stats = project.json(&["stats", "--by", "context", "--format", "json"]);
    let expected = json!([{
        "id": "playbook/release", "given": 2, "shortened": 0, "left_out": 0, "expanded": 2,
        "found": 2, "exists": true,
    }]);
    assert_eq!(stats["contexts"], expected);
}

#[test]
fn failed_commands_are_logged() {
    let project = workspace(true);
    project.run(&["expand", "standard/nope"]).refused(2, &["unknown id"]);
    let [entry] = &entries(&project)[..] else { panic!("one line") };
    assert_eq!((&entry["tool"], &entry["outcome"]), (&json!("cli.expand"), &json!("error")));
    assert_eq!(entry["error"], "faber::unknown");
}

#[test]
fn no_repository_has_the_commands_of_its_users_logged() {
    let project = workspace(false).file(".faber/config.yml", "audit: { command_line: true }\n");
    project.run(&["assemble", "--request", "make a release"]);
    project.run(&["search", "release"]);
    assert!(!project.path(LOG).exists());
    let project = workspace(true).file(".faber/config.yml", "audit: { enabled: false }\n");
    project.run(&["search", "release"]);
    assert!(!project.path(LOG).exists());
}

#[test]
fn questions_without_an_answer_and_sessions_have_rows() {
    let search = |day, session, query: &str, more: Value| {
        let mut fields = json!({ "arguments": { "query": query }, "results": [] });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line(day, session, "search_context", &fields)
    };
    let log = [
        line(1, "s1", "list_contexts", &json!({ "saved": 300 })),
        line(1, "s1", "get_context_details", &json!({})),
        search(2, "s1", "Parental  leave", json!({})),
        search(2, "s2", "parental leave", json!({ "results": ["a"], "relevance": 0.3 })),
        search(2, "s2", "releases", json!({ "results": ["a"], "relevance": 0.9 })),
    ];
    let project = TestProject::new().file(LOG, &log.concat());
    insta::assert_snapshot!(project.stdout(&["stats", "--by", "query"]), @r"
    calls  sessions  question
        2         2  Parental leave

    2 searches without an answer
    ");
    insta::assert_snapshot!(project.stdout(&["stats", "--by", "session"]), @r"
    session  first call                prompts  lists  details  searches  tokens  saved  share saved
    s1       2026-01-01T10:00:00.000Z        0      1        1         1     300    300         50 %
    s2       2026-01-02T10:00:00.000Z        0      0        0         2     200      0          0 %
    ");
    let data = project.json(&["stats", "--by", "session", "--format", "json"]);
    let session = &data["by_session"][0];
    assert_eq!((&session["tokens_saved"], &session["lists"]), (&300.into(), &1.into()));
    assert_eq!(session["efficiency_percent"], 50.0);
    let data = project.json(&["stats", "--by", "query", "--format", "json"]);
    let expected = json!([{ "query": "Parental leave", "calls": 2, "sessions": 2 }]);
    assert_eq!(data["queries"], expected);
}
