//! Replays, and the prompt log.

use serde_json::Value;

use super::{given, prompt, start, workspace};

#[test]
fn each_prompt_of_a_transcript_is_given_what_is_new() {
    let project = workspace();
    let line = |text: &str| {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{{\"content\":\"{text}\"}}}}\n"
        )
    };
    let transcript = [
        line("fix the login"),
        "{\"type\":\"assistant\",\"sessionId\":\"s\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"input\":{\"file_path\":\"a.ts\"}}]}}\n".to_owned(),
        line("login again, then deploy"),
    ]
    .concat();
    let run = project.run_with_input(&["hook", "replay", "-"], &transcript);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("replayed", run.stdout);
    let run = project.run_with_input(&["hook", "replay", "-", "--format", "json"], &transcript);
    let data: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&data["repeated"], &data["turns"][0]["event"]),
        (&0.into(), &"session-start".into())
    );
    assert!(data["tokens"].as_u64() < data["tokens_without_state"].as_u64());
    assert!(data["turns"][0].get("milliseconds").is_none());
    let refused = |transcript: &str, why: &str| {
        let run = project.run_with_input(&["hook", "replay", "-"], transcript);
        run.refused(2, &[&format!("`-` has no prompts: {why}"), "JSON Lines", "Claude Code"]);
    };
    refused("", "it is empty");
    refused("\n{\"foo\": 1}\nnothing\n", "line 3 is not JSON");
    refused("\n{\"foo\": 1}\n", "line 2 is JSON, but not of a known transcript");
    refused("[\n1\n]\n", "line 1 is JSON, but not of a known transcript");
}

#[test]
fn the_audit_log_says_what_was_given_and_can_be_replayed() {
    let project = workspace();
    given(&project, &start(&project, "a", "startup"));
    given(&project, &prompt(&project, "a", "fix the login; password=hunter2"));
    let log = project.text(".faber/state/audit.jsonl");
    let entry: Value = serde_json::from_str(log.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&entry["tool"], &entry["session"]), (&"hook.prompt".into(), &"a".into()));
    assert_eq!(entry["results"], serde_json::json!(["specialist/login"]));
    assert_eq!(entry["arguments"]["reasons"]["specialist/login"][0], "keyword login");
    assert!(entry["arguments"]["characters"].as_u64() > Some(100) && !log.contains("hunter2"));
    let data = project.json(&["hook", "replay", ".faber/state/audit.jsonl", "--format", "json"]);
    assert_eq!(data["turns"].as_array().unwrap().len(), 2);
    assert_eq!(data["turns"][1]["contexts"][0]["id"], "specialist/login");
}

#[test]
fn contexts_are_counted_and_those_that_were_never_given_are_listed() {
    let project = workspace();
    given(&project, &start(&project, "a", "startup"));
    given(&project, &prompt(&project, "a", "login"));
    given(&project, &prompt(&project, "b", "login"));
    insta::assert_snapshot!("by_context", project.stdout(&["stats", "--by", "context"]));
    let data = project.json(&["stats", "--by", "context", "--format", "json"]);
    let first = serde_json::json!({
        "id": "specialist/login", "given": 2, "shortened": 0, "left_out": 0, "expanded": 0,
        "found": 0, "exists": true,
    });
    assert!(data["contexts"].as_array().unwrap().contains(&first), "{data}");
    assert!(project.json(&["stats", "--format", "json"]).get("contexts").is_none());
}

#[test]
fn an_event_is_explained() {
    let event = serde_json::json!({
        "session_id": "a", "hook_event_name": "UserPromptSubmit", "prompt": "fix the login in a.ts",
    });
    let project = workspace().file("event.json", &event.to_string()).file("a.ts", "");
    let data = project.json(&["explain", "--hook", "event.json", "--json"]);
    let candidates = data["candidates"].as_array().unwrap().iter();
    let selected: Vec<&str> = candidates
        .filter(|one| one["state"] == "selected")
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    for id in ["specialist/login", "pattern/typescript", "standard/answers"] {
        assert!(selected.contains(&id), "{selected:?}");
    }
    let explain = ["explain", "--hook", "event.json"];
    for other in
        ["--parts=catalog", "--bundle-format=xml", "--with=pattern/typescript", "--changed"]
    {
        project.run(&[&explain[..], &[other]].concat()).refused(2, &["cannot be used with"]);
    }
    let project = project.file("event.json", "{}");
    project.run(&explain).refused(2, &["the event has no name"]);
}

#[test]
fn an_event_is_explained_for_what_its_conversation_has() {
    let project = workspace();
    let event = prompt(&project, "a", "what is a login?");
    let project = project.file("event.json", &event.to_string());
    let explain = ["explain", "specialist/login", "--hook", "event.json"];
    project.run(&explain).said(&["note: explained as the first event of a conversation"]);
    given(&project, &prompt(&project, "a", "login"));
    let run = project.run(&explain);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("left out: the conversation has it"), "{}", run.stdout);
}

#[test]
fn an_explanation_has_the_limits_of_the_client() {
    let text =
        |name: &str| format!("# {name}\n\n") + &format!("The {name} of a login.\n\n").repeat(40);
    let project = workspace()
        .file("contexts/playbooks/playbook-login.md", &text("steps"))
        .file("contexts/playbooks/playbook-logins.md", &text("limits"))
        .file(".faber/config.yml", "hook: { clients: { claude: { max_chars: 1500 } } }\n");
    let event = prompt(&project, "a", "what are the steps and limits of a login?");
    let project = project.file("event.json", &event.to_string());
    let data = project.json(&["explain", "--hook", "event.json", "--json"]);
    let selected: Vec<&str> = data["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["state"] == "selected")
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    let said = project.stdout(&["explain", "--hook", "event.json"]);
    assert!(said.contains("cut at the limit") && said.contains("no room within"), "{said}");
    let answer = given(&project, &event);
    let ids =
        answer.lines().filter_map(|line| line.strip_prefix("<context id=\"")?.split('"').next());
    assert_eq!(ids.collect::<Vec<_>>(), selected, "{answer}");
}

#[test]
fn contexts_for_other_files_are_named_if_words_ask_for_them() {
    let table = "---\nglobs: [db/*]\n---\n\n# Tables\n\nEach index of a table needs a migration.\n";
    let project = workspace().file("contexts/patterns/pattern-schema.md", table).file("a.ts", "");
    let line = "\nAlso relevant for other files: `pattern/schema`. `faber show ID` prints it.";
    for (request, is_named) in [
        ("a.ts is slow, add an index to a table with a migration", true),
        ("rename the table in a.ts", false),
    ] {
        let answer = given(&project, &prompt(&project, request, request));
        assert!(answer.contains("No `any`."), "{answer}");
        assert_eq!(answer.contains(line), is_named, "{answer}");
    }
}

#[test]
fn a_test_case_may_be_a_conversation() {
    let case = |turns: &str| format!("cases:\n- name: talk\n  turns:\n{turns}");
    let project = workspace().file(
        "tests/talk.yml",
        &case(
            "  - { prompt: login, selected: [login], not_selected: [answers, deploy] }\n  \
             - { prompt: login again, nothing: true }\n  \
             - { prompt: look, files: [a.ts], selected: [typescript] }\n  \
             - { prompt: help, error: connection refused, selected: [database] }\n",
        ),
    );
    assert!(project.stdout(&["test"]).contains("1 passed"));
    let wrong =
        "  - { prompt: login, selected: [deploy] }\n  - { prompt: deploy, nothing: true }\n";
    let project = project.file("tests/talk.yml", &case(wrong));
    let run = project.run(&["test"]);
    assert_eq!(run.code, 1);
    for words in
        ["turn 1: `deploy` is not in the bundle", "turn 2: the bundle has `specialist/deploy`"]
    {
        assert!(run.stdout.contains(words), "{}", run.stdout);
    }
    for (turns, words) in [
        ("  - { promt: x }\n", "unknown key `promt`"),
        ("  - login\n", "a turn is a map"),
        ("  - { prompt: x, nothing: false }\n", "`nothing`"),
        (
            "  - { prompt: x, nothing: true }\n  request: y\n",
            "cannot have its own request or expectations",
        ),
    ] {
        let project = workspace().file("tests/talk.yml", &case(turns));
        let run = project.run(&["test"]);
        assert_ne!(run.code, 0, "{}", run.stdout);
        assert!((run.stdout + &run.stderr).contains(words), "{words}");
    }
}

#[test]
fn savings_count_labels_too() {
    let line =
        "{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"content\":\"fix the login\"}}\n";
    let project = workspace();
    let replay = |transcript: &str| -> Value {
        let run = project.run_with_input(&["hook", "replay", "-", "--format", "json"], transcript);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let tokens = |data: &Value, key: &str| data[key].as_u64().unwrap();
    let once = replay(line);
    let prompt = once["turns"].as_array().unwrap().last().unwrap()["tokens"].as_u64().unwrap();
    let thrice = replay(&line.repeat(3));
    let expected = tokens(&once, "tokens") + 2 * prompt;
    let counted = tokens(&thrice, "tokens_without_state");
    assert!(counted.abs_diff(expected) <= 4, "{counted} of {expected}");
}

#[test]
fn what_the_client_loads_is_explained() {
    let event = serde_json::json!({
        "session_id": "a", "hook_event_name": "UserPromptSubmit", "prompt": "fix the login",
    });
    let project = workspace()
        .file("CLAUDE.md", "# Shop\n\nPrices are whole cents.\n")
        .file("contexts/standards/standards-shop.md", "# Shop\n\nPrices are whole cents.\n")
        .file("event.json", &event.to_string());
    let said = project.stdout(&["explain", "standard/shop", "--hook", "event.json"]);
    assert!(said.contains("standard/shop: left out: the client loads it itself"), "{said}");
}

#[test]
fn hooks_without_a_role_are_reported_when_they_are_installed() {
    let project = workspace().file("roles/porter/prompt.md", "# Porter\n\nYou carry.\n");
    let run = project.run(&["hook", "install", "claude"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&["hooks give nothing until `settings.role`", "porter"]);
}
