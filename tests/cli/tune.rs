use std::fmt::Write;

use serde_json::{Value, json};

use crate::pelican::ids;
use crate::project::TestProject;

const LOG: &str = ".faber/state/audit.jsonl";
const ONCALL: &str = "contexts/playbooks/playbook-oncall.md";
const RELEASE: &str = "contexts/playbooks/playbook-release.md";

#[derive(Default)]
struct LogText {
    text: String,
    minutes: i64,
}

impl LogText {
    fn add(&mut self, session: &str, tool: &str, arguments: &Value, more: &Value) -> &mut Self {
        self.minutes += 1;
        let ago = jiff::SignedDuration::from_mins(20_000 - self.minutes);
        let time = jiff::Timestamp::now() - ago;
        let mut line = json!({
            "schema": "faber.audit/1", "time": format!("{time:.3}"), "session": session,
            "tool": tool, "arguments": arguments, "results": [], "tokens": 100,
            "milliseconds": 2.0, "outcome": "ok",
        });
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let _ = writeln!(self.text, "{line}");
        self
    }

    fn request(&mut self, session: &str, text: &str, ids: &[&str]) -> &mut Self {
        self.add(
            session,
            "assemble_prompt",
            &json!({ "request": text }),
            &json!({ "results": ids }),
        )
    }

    fn fetch(&mut self, session: &str, id: &str) -> &mut Self {
        self.add(session, "expand_context", &json!({ "id": id }), &json!({ "results": [id] }))
    }

    fn search(&mut self, session: &str, query: &str) -> &mut Self {
        self.add(session, "search_context", &json!({ "query": query }), &json!({}))
    }
}

fn workspace() -> TestProject {
    TestProject::with_role()
        .file(RELEASE, "---\nkeywords: [release] # as people say\n---\n\n# Releases\n\nTag it.\n")
        .file(ONCALL, "# Escalation\n\nCall the second line.\n")
        .file("contexts/playbooks/playbook-changelog.md", "# Changelog\n\nOne line each.\n")
}

fn log() -> LogText {
    let mut log = LogText::default();
    for number in 0..6 {
        let session = format!("s{number}");
        log.request(&session, &format!("silence the pager of team {number}"), &[])
            .fetch(&session, "playbook/oncall")
            .request(&session, "make a release", &["playbook/release"])
            .fetch(&session, "playbook/changelog")
            .request(&session, "explain the build", &[])
            .search(&session, &format!("parking {number}"));
    }
    log
}

fn project() -> TestProject {
    workspace().file(LOG, &log().text)
}

fn proposed(data: &Value) -> Vec<String> {
    let proposals = data["proposals"].as_array().unwrap().iter();
    let words = proposals.map(|proposal| {
        let word = |key: &str| proposal[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", word("kind"), word("context"), word("value"))
    });
    words.collect()
}

#[test]
fn a_log_proposes_changes_with_figures() {
    let project = project();
    let contexts = || [RELEASE, ONCALL].map(|path| project.text(path));
    let before = contexts();
    let text = project.stdout(&["tune"]);
    let (_, text) = text.split_once('\n').unwrap();
    insta::assert_snapshot!("text", text);
    assert_eq!(contexts(), before, "nothing is written");
    let data = project.json(&["tune", "--format", "json"]);
    let expected = [
        "keyword playbook/oncall pager",
        "related playbook/release playbook/changelog",
        "missing - parking",
    ];
    assert_eq!(proposed(&data), expected);
    assert_eq!(data["proposals"][0]["at_least"], 0.6097);
    let missing = project.json(&["tune", "--only", "missing", "--format", "json"]);
    assert_eq!(proposed(&missing), ["missing - parking"]);
    assert_eq!(missing["files"], json!([]));
}

#[test]
fn only_calls_after_a_request_follow_it_up() {
    let mut log = LogText::default();
    log.request("a", "make a release", &[]).fetch("a", "playbook/changelog");
    log.request("b", "explain the build", &[]);
    log.search("c", "pager").fetch("c", "playbook/oncall").search("d", "parking");
    let project = workspace().file(LOG, &log.text);
    let data = project.json(&["tune", "--format", "json"]);
    assert_eq!((&data["requests"], &data["followed"]), (&2.into(), &1.into()), "{data}");
}

#[test]
fn a_context_that_is_given_and_looked_up_counts_once() {
    let mut log = LogText::default();
    for number in 0..6 {
        let session = format!("s{number}");
        log.request(&session, "make a release", &["playbook/release"])
            .fetch(&session, "playbook/release");
        if number % 2 == 0 {
            log.fetch(&session, "playbook/changelog");
        }
    }
    let project = workspace().file(LOG, &log.text);
    let data = project.json(&["tune", "--only", "related", "--format", "json"]);
    assert_eq!(proposed(&data), [""; 0], "3 of 6 are too few");
}

#[test]
fn the_replay_says_what_a_rerun_says() {
    let project = project();
    let proposed = project.json(&["tune", "--format", "json"]);
    let applied = project.json(&["tune", "--apply", "--format", "json"]);
    assert_eq!(applied["written"], json!([ONCALL, RELEASE]));
    assert_eq!(
        project.text(RELEASE),
        "---\nkeywords: [release] # as people say\nrelated: [playbook/changelog]\n---\n\n\
         # Releases\n\nTag it.\n"
    );
    let rerun = project.json(&["tune", "--format", "json"]);
    let (before, after) = (&proposed["replay"]["before"], &proposed["replay"]["after"]);
    assert_eq!(&rerun["replay"]["before"], after);
    assert_eq!((&before["needed"], &before["needed_and_given"]), (&12.into(), &0.into()));
    assert_eq!(after["needed_and_given"], 12);
    assert_eq!(self::proposed(&rerun), ["missing - parking"], "what is done is not proposed again");
    let bundle = project.json(&["assemble", "--request", "make a release", "--format", "json"]);
    assert_eq!(ids(&bundle, "contexts"), ["playbook/release", "playbook/changelog"]);
    let explained = project.stdout(&["explain", "--request", "make a release"]);
    assert!(explained.contains("playbook/changelog  project  related"), "{explained}");
}

#[test]
fn a_patch_is_one_that_git_applies() {
    let project = project();
    let patch = project.stdout(&["tune", "--format", "patch"]);
    assert!(patch.starts_with("# keyword playbook/oncall pager: "), "{patch}");
    let applied = project.file("tune.patch", &patch);
    applied.git(&["apply", "tune.patch"]);
    assert_eq!(
        applied.text(ONCALL),
        "---\nkeywords: [pager]\n---\n\n# Escalation\n\nCall the second line.\n"
    );
    let mut project = applied;
    for text in ["# A\r\n\r\nText.\r\n", "\u{feff}# A\n\nText.\n", "# A\u{a0}B\n\nText."] {
        project = project.file(ONCALL, text);
        let patch = project.stdout(&["tune", "--format", "patch"]);
        project = project.file("tune.patch", &patch);
        project.git(&["apply", "tune.patch"]);
        let now = project.text(ONCALL);
        let body = text.trim_start_matches('\u{feff}');
        assert!(now.contains("pager") && now.ends_with(body), "{now:?}");
    }
}

#[test]
fn few_calls_propose_nothing() {
    let mut few = LogText::default();
    for number in 0..3 {
        let session = format!("s{number}");
        few.request(&session, "silence the pager", &[]).fetch(&session, "playbook/oncall");
        few.search(&session, "parking");
    }
    for (text, why) in [
        ("", "no requests in the audit log `faber serve` and hooks write it"),
        (&*few.text, "3 requests in the audit log; at least 4 needed"),
    ] {
        let project = workspace().file(LOG, text);
        let run = project.run(&["tune", "--apply"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.said(&[&format!("no proposals: {why}")]);
    }
    let old = project();
    let run = old.run(&["tune", "--only", "budget"]);
    run.said(&["no proposals: nothing to improve"]);
    let data = old.json(&["tune", "--since", "1h", "--format", "json"]);
    assert_eq!((proposed(&data).len(), &data["requests"]), (0, &0.into()));
    let run = old.run(&["tune", "--only", "keywords"]);
    run.refused(2, &["unknown value `keywords`", "keyword"]);
    workspace().run(&["tune", "--since", "soon"]).refused(2, &["12h or 7d"]);
}

#[test]
fn what_requests_never_need_is_loaded_less() {
    let mut log = LogText::default();
    for number in 0..80 {
        let ids = ["standard/uniform", "standard/answers", "playbook/release"];
        log.request(&format!("s{number}"), "answer with a release", &ids);
    }
    let project = workspace()
        .file("contexts/standards/standards-uniform.md", "# Uniforms\n\nBlue on Mondays.\n")
        .file("contexts/standards/standards-answers.md", "# Answers\n\nBriefly.\n")
        .file("contexts/standards/standards-law.md", "---\nrequired: true\n---\n# Law\n\nObey.\n")
        .file(LOG, &log.text);
    let data = project.json(&["tune", "--format", "json"]);
    let expected =
        ["on-demand standard/uniform -", "unused playbook/changelog -", "unused playbook/oncall -"];
    assert_eq!(proposed(&data), expected);
    let replay = &data["replay"];
    assert_eq!((&replay["requests"], &replay["calls"]), (&1.into(), &80.into()));
    assert_eq!(replay["changes"][0]["removed"], json!(["standard/uniform"]));
}

#[test]
fn requests_for_a_role_say_nothing_about_contexts_of_another() {
    let mut log = LogText::default();
    for number in 0..80 {
        let arguments = json!({ "request": "make a release", "role": "clerk" });
        let results = json!({ "results": ["playbook/release", "playbook/oncall"] });
        log.add(&format!("s{number}"), "assemble_prompt", &arguments, &results);
    }
    let project = workspace()
        .file("roles/cook/prompt.md", "# Cook\n\nYou cook.\n")
        .file("roles/cook/contexts/playbooks/playbook-soup.md", "# Soup\n\nStir it.\n")
        .file("roles/cook/contexts/standards/standards-knives.md", "# Knives\n\nSharp.\n")
        .file(LOG, &log.text);
    let data = project.json(&["tune", "--format", "json"]);
    assert_eq!(proposed(&data), ["unused playbook/changelog -"]);
}

#[test]
fn what_most_requests_need_is_loaded_always() {
    let mut log = LogText::default();
    for number in 0..30 {
        let session = format!("s{number}");
        log.request(&session, &format!("question {number}"), &[]);
        if number % 3 > 0 {
            log.fetch(&session, "playbook/changelog");
        }
    }
    let project = workspace().file(LOG, &log.text);
    let data = project.json(&["tune", "--only", "always", "--apply", "--format", "json"]);
    assert_eq!(proposed(&data), ["always playbook/changelog -"]);
    assert_eq!(
        project.text("contexts/playbooks/playbook-changelog.md"),
        "---\nload: always\n---\n\n# Changelog\n\nOne line each.\n"
    );
}

#[test]
fn a_summary_that_is_not_enough_is_not_given() {
    let mut log = LogText::default();
    for number in 0..6 {
        let session = format!("s{number}");
        let given = json!({ "results": ["playbook/release"], "shortened": ["playbook/release"] });
        log.add(&session, "assemble_prompt", &json!({ "request": "release" }), &given);
        log.fetch(&session, "playbook/release");
    }
    let project = workspace().file(LOG, &log.text);
    let data = project.json(&["tune", "--apply", "--format", "json"]);
    assert_eq!(proposed(&data), ["summary playbook/release -"]);
    assert!(project.text(RELEASE).contains("truncatable: false\n"), "{}", project.text(RELEASE));
}

#[test]
fn budgets_follow_conversations() {
    let mut log = LogText::default();
    for number in 0..24 {
        let session = format!("s{number}");
        let split = json!({
            "limit": 16_000, "context": 3000, "history": 7000, "history_full": 9100, "message": 50,
        });
        let arguments = json!({ "request": "go on" });
        log.add(&session, "cli.assemble", &arguments, &json!({ "split": split }));
        let tools = json!({ "results": ["playbook/release"], "tokens": 1500 });
        log.add(&session, "expand_context", &json!({ "id": "playbook/release" }), &tools);
    }
    let project = workspace().file(LOG, &log.text);
    let data = project.json(&["tune", "--only", "budget", "--apply", "--format", "json"]);
    let expected = ["budget - budget.conversation.history: 9500", "budget - budget.response: 6000"];
    assert_eq!(proposed(&data), expected);
    assert_eq!(
        project.text(".faber/config.yml"),
        "budget:\n  response: 6000\n  conversation:\n    history: 9500\n"
    );
    assert_eq!(project.run(&["validate"]).code, 0);
    let again = project.json(&["tune", "--only", "budget", "--format", "json"]);
    assert_eq!(proposed(&again), [""; 0]);
}

#[test]
fn files_of_a_pack_are_never_changed() {
    let text = "# Escalation\n\nCall the second line.\n";
    let project = TestProject::with_role()
        .file(".faber/config.yml", "packs:\n  acme: { path: shared/acme }\n")
        .file("shared/acme/contexts/playbooks/playbook-oncall.md", text)
        .file(LOG, &log().text);
    let run = project.run(&["tune", "--only", "keyword", "--apply"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("not applied: its file is not in this workspace"), "{run:?}");
    assert_eq!(project.text("shared/acme/contexts/playbooks/playbook-oncall.md"), text);
}
