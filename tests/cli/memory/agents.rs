use serde_json::{Value, json};

use super::project;
use crate::project::TestProject;
use crate::serve::Session;

fn tools(session: &mut Session) -> Vec<String> {
    let listed = session.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_server_writes_only_if_it_may() {
    let project = project();
    let mut session = Session::start(&project, &[]);
    assert!(!tools(&mut session).iter().any(|name| name == "remember" || name == "propose_change"));
    let refused = session
        .ask("tools/call", &json!({"name": "remember", "arguments": {"text": "Cats purr."}}));
    assert!(refused.get("error").is_some(), "{refused}");
    session.end();
    assert!(project.history().is_empty());
    let mut session = Session::start(&project, &["--allow-write"]);
    let listed = session.ask("tools/list", &json!({}));
    let all = listed["result"]["tools"].as_array().unwrap();
    let hints = |name: &str| {
        let tool = all.iter().find(|tool| tool["name"] == name).unwrap();
        tool["annotations"]["readOnlyHint"].clone()
    };
    assert_eq!((hints("remember"), hints("search_context")), (json!(false), json!(true)));
    let made = session
        .call("remember", &json!({"text": "Cats purr.", "tags": ["cats"], "from": "this session"}));
    let id = made["structuredContent"]["id"].as_str().unwrap().to_owned();
    let file = project.note_file(&id);
    assert!(
        file.contains("status: draft\nowner: ann\n")
            && file.contains("derived_from: [this session]"),
        "{file}"
    );
    let known =
        session.call("remember", &json!({"text": "Access tokens expire after 30 minutes."}));
    assert_eq!(known["structuredContent"]["outcome"], "known");
    assert_eq!(known["structuredContent"]["id"], "standard/tokens");
    let found = session.call("search_context", &json!({"query": "cats purr"}));
    assert!(!found.to_string().contains("Cats purr"), "a draft is not used");
    for arguments in [json!({}), json!({"text": ""}), json!({"text": "x", "status": "approved"})] {
        let failed = session.call("remember", &arguments);
        assert_eq!(failed["isError"], true, "{failed}");
    }
    session.end();
}

#[test]
fn a_change_is_proposed_and_approved_by_a_person() {
    let project = project();
    let mut session = Session::start(&project, &["--allow-write"]);
    let made = session.call(
        "propose_change",
        &json!({"id": "standard/tokens", "text": "Access tokens expire after 10 minutes.", "reason": "the audit requires it"}),
    );
    let data = &made["structuredContent"];
    assert_eq!(data["contradicts"][0]["id"], "standard/tokens", "{made}");
    for id in ["standard/none", "reference/salaries"] {
        let failed = session.call("propose_change", &json!({"id": id, "text": "Something else."}));
        assert_eq!(failed["isError"], true, "{failed}");
    }
    let project = project.file(
        "contexts/references/reference-cards.md",
        "---\nowner: ann\nvisibility: private\n---\n# Cards\n\nBusiness cards are white.\n",
    );
    let made = session
        .call("propose_change", &json!({"id": "reference/cards", "text": "Cards have a logo."}));
    let file = project.note_file(made["structuredContent"]["id"].as_str().unwrap());
    assert!(file.contains("visibility: private\n"), "{file}");
    session.end();
    let shown = project.stdout(&["review"]);
    assert!(shown.contains("changes standard/tokens: the audit requires it"), "{shown}");
    let run = project.run(&["approve", "access-tokens"]);
    assert!(run.stdout.ends_with("contexts/standards/standard-tokens.md\n"), "{}", run.stderr);
    assert!(run.stderr.contains("contradicts standard/tokens"), "{}", run.stderr);
    assert!(
        project
            .text("contexts/standards/standard-tokens.md")
            .contains("- Access tokens expire after 10")
    );
}

#[test]
fn a_server_that_hides_the_history_names_no_drafts() {
    let project = project();
    project.note(&["Cats purr."]);
    let mut session = Session::start(&project, &["--allow-write", "--allow-scope", "space"]);
    let made = session.call("remember", &json!({"text": "cats purr"}));
    assert_eq!(made["structuredContent"]["outcome"], "created", "{made}");
    session.end();
}

fn session_end(project: &TestProject, transcript: &str) -> Value {
    json!({
        "session_id": "a1", "permission_mode": "default", "cwd": project.path(""),
        "hook_event_name": "SessionEnd", "transcript_path": project.path(transcript), "reason": "exit",
    })
}

#[test]
fn the_end_of_a_session_proposes_notes_if_the_user_wants_it() {
    let line =
        "{\"type\":\"user\",\"message\":{\"content\":\"never mock the database in tests\"}}\n";
    let project = project().file("../a1.jsonl", line);
    let event = session_end(&project, "../a1.jsonl").to_string();
    let run = project.run_with_input(&["hook", "run", "--strict"], &event);
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (0, "", ""));
    assert!(project.history().is_empty(), "off by default");
    let project = project.file(".faber/config.yml", "hook: { notes: true }\n");
    project.run_with_input(&["hook", "run"], &event);
    assert!(project.history().is_empty());
    let project = project
        .file(".faber/config.yml", "{}\n")
        .file("../home/.config/faber/config.yml", "hook: { notes: true }\n");
    let run = project.run_with_input(&["hook", "run", "--strict"], &event);
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (0, "", ""));
    let [note] = &project.history()[..] else { panic!("one draft: {:?}", project.history()) };
    let text = project.text(&format!(".faber/history/{note}"));
    assert!(text.contains("status: draft\nowner: ann\nvisibility: private\n"), "{text}");
    assert!(
        text.contains("derived_from: [\"a1.jsonl#1\"]") && text.contains("Never mock"),
        "{text}"
    );
    project.run_with_input(&["hook", "run"], &event);
    assert_eq!(project.history().len(), 1, "once");
    assert!(project.stdout(&["hook", "status"]).contains("drafts of notes"));
    let event = session_end(&project, "../none.jsonl").to_string();
    let run = project.run_with_input(&["hook", "run"], &event);
    assert_eq!((run.code, &*run.stdout), (0, ""));
}
