//! Conversations: `--history`, `--archive` and request bodies.

use serde_json::{Value, json};

use crate::formats::conforms;
use crate::project::TestProject;

fn openai() -> Vec<Value> {
    vec![
        json!({ "role": "system", "content": "Answer in one sentence." }),
        json!({ "role": "user", "content": "Which letters came on Monday?" }),
        json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "c1", "type": "function",
            "function": { "name": "list_letters", "arguments": "{\"day\":\"Monday\"}" } }] }),
        json!({ "role": "tool", "tool_call_id": "c1", "content": "Two: one from Ann, one from Bo." }),
        json!({ "role": "assistant", "content": "Two letters came." }),
        json!({ "role": "user", "content": [{ "type": "text", "text": "And what is this?" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } }] }),
        json!({ "role": "assistant", "content": "A stamp." }),
        json!({ "role": "user", "content": "Who wrote them?" }),
    ]
}

fn anthropic() -> Vec<Value> {
    vec![
        json!({ "role": "system", "content": "Answer in one sentence." }),
        json!({ "role": "user", "content": "Which letters came on Monday?" }),
        json!({ "role": "assistant", "content": [
            { "type": "tool_use", "id": "c1", "name": "list_letters", "input": { "day": "Monday" } }] }),
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1",
            "content": "Two: one from Ann, one from Bo." }] }),
        json!({ "role": "assistant", "content": [{ "type": "text", "text": "Two letters came." }] }),
        json!({ "role": "user", "content": [{ "type": "text", "text": "And what is this?" },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } }] }),
        json!({ "role": "assistant", "content": "A stamp." }),
        json!({ "role": "user", "content": "Who wrote them?" }),
    ]
}

fn lines(messages: &[Value]) -> String {
    messages.iter().map(|message| message.to_string() + "\n").collect()
}

fn project() -> TestProject {
    TestProject::with_role()
        .file("openai.jsonl", &lines(&openai()))
        .file("anthropic.json", &format!("{:#}\n", Value::from(anthropic())))
}

fn long(count: usize) -> String {
    let answer = "It came with the first post. Nobody has opened it since.\n\n".repeat(6);
    let messages = (0..count).flat_map(|at| {
        [
            json!({ "role": "user", "content": format!("Where is letter {at}?") }),
            json!({ "role": "assistant", "content": format!("Letter {at} is in drawer {at}. {answer}") }),
        ]
    });
    lines(&messages.collect::<Vec<_>>())
}

fn reported(project: &TestProject, budget: &str) -> (Value, String) {
    let ask = ["assemble", "clerk", "--history", "h.jsonl", "--request", "Go on", "-q"];
    let run = project.run(&[&ask[..], &["--budget", budget, "--report", "json"]].concat());
    (serde_json::from_str(&run.stderr).unwrap(), run.stdout)
}

#[track_caller]
fn is_sent(vendor: &str, body: &Value) {
    let schema = match vendor {
        "anthropic" => include_str!("request-schemas/anthropic.json"),
        _ => include_str!("request-schemas/openai.json"),
    };
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(body)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}\n{body:#}", errors.join("\n"));
}

#[test]
fn a_conversation_comes_before_the_request() {
    let bundle = project().stdout(&["assemble", "clerk", "--history", "openai.jsonl"]);
    insta::assert_snapshot!(bundle, @r#"
    # Clerk

    You sort letters.

    # Conversation

    ## System

    ```
    Answer in one sentence.
    ```

    ## User

    ```
    Which letters came on Monday?
    ```

    ## Assistant

    ```
    [Called list_letters {"day":"Monday"}]

    [Result of list_letters]
    Two: one from Ann, one from Bo.
    ```

    ## Assistant

    ```
    Two letters came.
    ```

    ## User

    ```
    And what is this?

    [image]
    ```

    ## Assistant

    ```
    A stamp.
    ```

    # Request

    Who wrote them?
    "#);
}

#[test]
fn the_shapes_of_both_apis_are_the_same_conversation() {
    let project = project();
    for format in ["markdown", "xml", "text"] {
        let bundle =
            |file| project.stdout(&["assemble", "clerk", "--history", file, "--format", format]);
        assert_eq!(bundle("openai.jsonl"), bundle("anthropic.json"));
    }
    for format in ["anthropic", "openai"] {
        let body = |file| {
            let head = ["assemble", "clerk", "--model", "gpt-4o", "--history", file];
            project.json(&[&head[..], &["--format", format]].concat())
        };
        assert_eq!(body("openai.jsonl"), body("anthropic.json"));
        is_sent(format, &body("openai.jsonl"));
    }
}

#[test]
fn a_body_for_anthropic() {
    let head = ["assemble", "clerk", "--model", "claude-sonnet-4-5", "--format", "anthropic"];
    let body = project().json(&[&head[..], &["--history", "openai.jsonl"]].concat());
    let mark = json!({ "type": "ephemeral" });
    assert_eq!(body["model"], "claude-sonnet-4-5");
    assert_eq!(body["max_tokens"], 8192);
    assert_eq!(
        body["system"],
        json!([
            { "type": "text", "text": "# Clerk\n\nYou sort letters.", "cache_control": mark },
            { "type": "text", "text": "Answer in one sentence." },
        ])
    );
    assert_eq!(
        body["messages"][1]["content"],
        json!([
        { "type": "tool_use", "id": "c1", "name": "list_letters", "input": { "day": "Monday" } }])
    );
    let result = json!([{ "type": "text", "text": "Two: one from Ann, one from Bo." }]);
    assert_eq!(
        body["messages"][2],
        json!({ "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": "c1", "content": result }] })
    );
    assert_eq!(
        body["messages"][5]["content"],
        json!([
        { "type": "text", "text": "A stamp.", "cache_control": mark }])
    );
    assert_eq!(
        body["messages"][6],
        json!({ "role": "user", "content": [
        { "type": "text", "text": "Who wrote them?" }] })
    );
    assert_eq!(body["tools"][0]["name"], "list_letters");
    assert_eq!(body["tool_choice"], json!({ "type": "none" }));
}

#[test]
fn a_body_for_openai() {
    let project = project().file("note.txt", "Ann is away.\n");
    let head = ["assemble", "clerk", "--model", "gpt-4o", "--format", "openai"];
    let rest = ["--history", "anthropic.json", "--input", "note.txt", "--request", "Go on"];
    let body = project.json(&[&head[..], &rest].concat());
    is_sent("openai", &body);
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(body["max_completion_tokens"], 8192);
    assert_eq!(messages[0], json!({ "role": "system", "content": "# Clerk\n\nYou sort letters." }));
    assert_eq!(
        messages[3]["tool_calls"][0]["function"],
        json!({
        "name": "list_letters", "arguments": "{\"day\":\"Monday\"}" })
    );
    assert_eq!(messages[4]["tool_call_id"], "c1");
    assert_eq!(messages[6]["content"][1]["image_url"]["url"], "data:image/png;base64,AAAA");
    let last = "# Input: note.txt\n\n```\nAnn is away.\n```\n\nGo on";
    assert_eq!(messages[9], json!({ "role": "user", "content": last }));
    assert_eq!(messages[8]["content"], "Who wrote them?");
}

#[test]
fn a_request_alone_is_a_body_too() {
    let project = project();
    for format in ["anthropic", "openai"] {
        let arguments =
            ["assemble", "clerk", "--request", "Hello", "--model", "m", "--format", format];
        let project =
            TestProject::with_role().file(".faber/config.yml", "models: { m: { window: 9000 } }\n");
        is_sent(format, &project.json(&arguments));
    }
    let head = ["assemble", "clerk", "--format", "anthropic"];
    project
        .run(&[&head[..], &["--request", "x"]].concat())
        .refused(2, &["needs a model", "--model"]);
    let model = [&head[..], &["--model", "gpt-4o"]].concat();
    project.run(&model).refused(2, &["no message to answer", "--request"]);
    let ended = project.file("ended.jsonl", &lines(&openai()[..7]));
    let run = ended.run(&[&model[..], &["--history", "ended.jsonl"]].concat());
    run.refused(2, &["no message to answer", "--request"]);
}

#[test]
fn a_body_keeps_its_budget_and_pairs() {
    let project = TestProject::with_role().file("h.jsonl", &(long(60) + &lines(&openai())));
    for format in ["anthropic", "openai"] {
        for budget in ["80", "150", "400", "3000"] {
            let ask = ["assemble", "clerk", "--history", "h.jsonl", "--model", "gpt-4o"];
            let more = ["--budget", budget, "--format", format, "--report", "json", "-q"];
            let run = project.run(&[&ask[..], &more].concat());
            assert_eq!(run.code, 0, "{}", run.stderr);
            is_sent(format, &serde_json::from_str(&run.stdout).unwrap());
            let report: Value = serde_json::from_str(&run.stderr).unwrap();
            conforms(&project, "report", &report);
            let summary = &report["summary"];
            assert!(summary["total_used"].as_u64() <= summary["limit"].as_u64());
            assert!(run.stdout.contains("Who wrote them?") && run.stdout.contains("one sentence."));
        }
    }
}

#[test]
fn a_large_input_shortens_the_past_and_says_so() {
    let project = TestProject::with_role().file("h.jsonl", &long(80));
    let (report, bundle) = reported(&project, "2000");
    conforms(&project, "report", &report);
    let history = &report["history"];
    assert_eq!(history["triggers"], json!(["summarize", "archive", "truncate"]));
    assert_eq!(history["messages"], 160);
    let count = |key: &str| history[key].as_u64().unwrap();
    assert!(count("whole") > 0 && count("shortened") > 0 && count("left_out") > 0, "{history}");
    assert_eq!(count("archivable"), count("shortened") + count("left_out"));
    assert_eq!(report["recovery"][0]["step"], "history");
    assert!(bundle.contains("messages of this conversation are left out.]"));
    assert!(bundle.contains("[Shortened.]"));
    let ask = ["--history", "h.jsonl", "--request", "Go on", "--budget", "2000"];
    let human = project.run(&[&["assemble", "clerk", "--report"], &ask[..]].concat());
    human.said(&[
        "triggers reached by the size of the input: summarize, archive, truncate",
        "`--archive` would archive",
    ]);
    let explained = project.stdout(&[&["explain", "--role", "clerk"], &ask[..]].concat());
    assert!(explained.contains("conversation: ") && explained.contains("history: "), "{explained}");
    let data = project.json(&["explain", "--role", "clerk", "--history", "h.jsonl", "--json"]);
    conforms(&project, "explain", &data);
}

#[test]
fn triggers_are_configurable() {
    let off =
        "conversation: { triggers: { summarize: 1000000, archive: 1000000, truncate: 1000000 } }\n";
    let project =
        TestProject::with_role().file("h.jsonl", &long(40)).file(".faber/config.yml", off);
    let (report, _) = reported(&project, "1500");
    assert_eq!(report["history"]["triggers"], json!([]));
    assert_eq!(report["history"]["shortened"], 0);
    assert_eq!(report["recovery"][0]["step"], "history");
}

#[test]
fn contexts_give_way_before_a_conversation_does() {
    let off =
        "conversation: { triggers: { summarize: 1000000, archive: 1000000, truncate: 1000000 } }\n";
    let body = "Letters are sorted by day. Old ones go down.\n\n".repeat(30);
    let project = TestProject::with_role()
        .file(".faber/config.yml", off)
        .file(
            "contexts/standards/sorting.md",
            &format!("---\nrelated: [reference/paper]\n---\n{body}"),
        )
        .file("contexts/references/paper.md", &body)
        .file("h.jsonl", &long(10));
    let recovery = |budget: &str| {
        let (report, _) = reported(&project, budget);
        let steps = report["recovery"].as_array().unwrap().iter();
        steps.map(|step| step["step"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(recovery("5000"), Vec::<String>::new());
    assert_eq!(recovery("1650"), ["related"]);
    assert_eq!(recovery("1400"), ["related", "location"]);
    assert!(recovery("700").contains(&"history".to_owned()));
}

#[test]
fn a_conversation_leaves_room_for_the_context_that_the_request_names() {
    let refunds = format!(
        "---\ndescription: How a refund is paid\nkeywords: [refund]\n---\n# Refunds\n\n{}\n",
        "Ask for the number of the order. Never pay in cash. ".repeat(6)
    );
    let project = TestProject::with_role()
        .file("contexts/playbooks/playbook-refunds.md", &refunds)
        .file("h.jsonl", &long(3));
    let has = |budget: u32| {
        let budget = budget.to_string();
        let ask =
            ["assemble", "--request", "Pay the refund", "--history", "h.jsonl", "-b", &budget];
        project.run(&ask).stdout.contains("playbook/refunds:")
    };
    let budgets: Vec<bool> = (60..300).step_by(6).map(has).collect();
    assert!(budgets[3..].iter().all(|has| *has), "{budgets:?}");
}

#[test]
fn a_short_request_goes_on_with_the_message_before_it() {
    let history = [
        json!({ "role": "user", "content": "How do I repair a flat bicycle tyre?" }),
        json!({ "role": "assistant", "content": "Find the hole in the tube first." }),
    ];
    let project = TestProject::with_role()
        .file("contexts/playbooks/tyre.md", "# Repair a flat bicycle tyre\n\nPatch the tube.\n")
        .file("contexts/playbooks/stamps.md", "# Sort foreign stamps\n\nBy country.\n")
        .file("h.jsonl", &lines(&history));
    let loads = |request: &str| {
        let ask = ["assemble", "clerk", "--history", "h.jsonl", "--format", "json", "--request"];
        let data: Value =
            serde_json::from_str(&project.stdout(&[&ask[..], &[request]].concat())).expect("JSON");
        let ids = data["contexts"].as_array().expect("contexts").iter();
        ids.map(|context| context["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    for request in ["And in the rain?", "Does it hold on a long journey with heavy luggage?"] {
        assert_eq!(loads(request), ["playbook/tyre"], "{request}");
    }
    assert_eq!(loads("Sort the foreign stamps by country"), ["playbook/stamps"]);
}

#[test]
fn omitted_messages_are_archived_once_and_found() {
    let project = TestProject::with_role().file("h.jsonl", &long(240));
    let arguments =
        ["assemble", "clerk", "--history", "h.jsonl", "--request", "Go on", "--archive"];
    let before = project.files();
    let without = project.run(&arguments[..6]);
    assert_eq!((without.code, project.files()), (0, before));
    let run = project.run(&arguments);
    run.said(&["archived", "in `.faber/history/conversation-"]);
    assert_eq!(run.stdout, without.stdout);
    let kept =
        || project.files().into_iter().filter(|(path, _)| path.starts_with(".faber/history"));
    let (_, bytes) = kept().next().unwrap();
    let archived = String::from_utf8(bytes).unwrap();
    assert!(archived.starts_with("{\"role\":\"assistant\",\"content\":\"Letter 0 is in drawer 0."));
    let again = project.run(&[&arguments[..], &["--no-cache"]].concat());
    assert_eq!((again.code, again.stderr.as_str(), kept().count()), (0, "", 1));
    let more = [&arguments[..], &["--budget", "700"]].concat();
    project.run(&more).said(&["archived"]);
    assert_eq!(kept().count(), 2);
    let found =
        project.json(&["search", "letter 3 drawer", "--scope", "historical", "--format", "json"]);
    assert_eq!(found["results"][0]["source"]["type"], "conversation", "{found:#}");
}

#[test]
fn an_archive_belongs_to_its_owner_even_if_a_message_names_another() {
    let private = long(240).replacen('{', "{\"owner\":\"bob\",\"visibility\":\"private\",", 6);
    let project = TestProject::with_role().file("h.jsonl", &private);
    let archive = ["assemble", "clerk", "--history", "h.jsonl", "--archive", "--as", "ann"];
    project.run(&archive).said(&["archived"]);
    let found = |who: &str| {
        let scope = ["--scope", "historical", "--format", "json", "--as", who];
        let data = project.json(&[&["search", "letter 0 drawer"], &scope[..]].concat());
        data["results"].as_array().unwrap().len()
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let files = std::fs::read_dir(project.path(".faber/history")).unwrap();
        let mut files = files.map(|entry| entry.unwrap().path());
        let text = files.find(|path| path.extension().is_some_and(|it| it == "jsonl")).unwrap();
        assert_eq!(std::fs::metadata(text).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(found("ann") > 0);
    assert_eq!((found("bob"), found("eve")), (0, 0));
}

#[cfg(unix)]
#[test]
fn nothing_is_archived_outside_of_the_workspace() {
    let outside = tempfile::tempdir().unwrap();
    let project = TestProject::with_role()
        .file("h.jsonl", &long(120))
        .symlink(".faber/history", outside.path().to_str().unwrap());
    let run = project.run(&["assemble", "clerk", "--history", "h.jsonl", "--archive"]);
    run.refused(2, &["leads out of the workspace"]);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_conversation_from_standard_input() {
    let project = project();
    let run = |arguments: &[&str], input: &str| {
        project.run_with_input(&[&["assemble", "clerk"], arguments].concat(), input)
    };
    let piped = run(&["--history", "-"], &lines(&openai()));
    assert_eq!(piped.stdout, project.stdout(&["assemble", "clerk", "--history", "openai.jsonl"]));
    let odd = format!("\u{feff}\r\n{}", lines(&openai()).replace('\n', "\r\n\r\n"));
    assert_eq!(run(&["--history", "-"], &odd).stdout, piped.stdout);
    for other in ["--input", "--request", "--error"] {
        run(&["--history", "-", other, "-"], "x").refused(2, &["only once", "`--history`"]);
    }
    assert_eq!(run(&["--history", "-", "--request", "x"], "").code, 0);
}

#[test]
fn errors_in_conversations_have_a_place() {
    let project = TestProject::with_role();
    for (text, words) in [
        (
            "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"usr\",\"content\":\"b\"}\n",
            ["unknown role `usr` at `h.jsonl:2:1`", "did you mean `user`?"],
        ),
        ("hello\n", ["at `h.jsonl:1:1`", "one message on each line"]),
        ("[{\"role\":\"user\"}]", ["no `content` at `h.jsonl:1:2`", "a message is"]),
        ("{\"messages\":[]}", ["this is a request body", "jq .messages"]),
        (
            "{\"role\":\"user\",\n\"content\":[3]}",
            ["a block of `content` is a number", "h.jsonl:1:1"],
        ),
    ] {
        let project = TestProject::with_role().file("h.jsonl", text);
        project.run(&["assemble", "clerk", "--history", "h.jsonl"]).refused(2, &words);
    }
    project
        .run(&["assemble", "clerk", "--history", "none"])
        .refused(2, &["no such file or directory"]);
    project.run(&["assemble", "clerk", "--archive"]).refused(2, &["--history"]);
}

#[test]
fn the_last_message_asks_when_nothing_else_does() {
    let project = TestProject::with_role()
        .file("contexts/specialists/stamps.md", "---\nkeywords: [stamp]\n---\n# Stamps\n")
        .file("h.jsonl", "{\"role\":\"user\",\"content\":\"What does this stamp cost?\"}\n");
    let selected = |arguments: &[&str]| {
        let head = ["assemble", "clerk", "--history", "h.jsonl", "--format", "json"];
        let data = project.json(&[&head[..], arguments].concat());
        (data["request"].as_str().unwrap().to_owned(), data["contexts"].as_array().unwrap().len())
    };
    assert_eq!(selected(&[]), ("What does this stamp cost?".to_owned(), 1));
    let other = "Sort foreign letters by country";
    assert_eq!(selected(&["--request", other]), (other.to_owned(), 0));
}

#[cfg(unix)]
#[test]
fn the_users_own_command_summarizes_the_older_part() {
    let project = TestProject::with_role().file("h.jsonl", &long(80));
    let config = "budget: { summarizer: \"printf 'All of it is about '; grep -c assistant:; date +%N >> calls\" }\n";
    let project = project.file("../home/.config/faber/config.yml", config);
    let arguments =
        ["assemble", "clerk", "--history", "h.jsonl", "--request", "Go on", "--budget", "2000"];
    let bundle = project.stdout(&arguments);
    assert!(bundle.contains("## Summary\n\n```\nAll of it is about "), "{bundle}");
    assert!(!bundle.contains("[Shortened.]"));
    let calls = project.text("calls").lines().count();
    assert!(calls <= 3, "{calls}");
    assert_eq!(project.stdout(&[&arguments[..], &["--report"]].concat()), bundle);
    assert_eq!(project.text("calls").lines().count(), calls, "its answers are kept");
}

#[test]
fn older_requests_give_way_to_the_current_one() {
    let user = |content: &str| json!({ "role": "user", "content": content });
    let answer = json!({ "role": "assistant", "content": "ok" });
    let large = user(&"Count this letter.\n\n".repeat(2500));
    let project = TestProject::with_role()
        .file("asked.jsonl", &lines(&[large.clone(), answer.clone(), user("short")]))
        .file("large.jsonl", &lines(&[answer, large]))
        .file("small.jsonl", &(long(40) + &lines(&[user("And this one?")])));
    let bundle = |arguments: &[&str]| {
        let head = ["assemble", "clerk", "--budget", "1000", "--history"];
        project.stdout(&[&head[..], arguments].concat())
    };
    let asked = bundle(&["asked.jsonl"]);
    assert!(asked.ends_with("# Request\n\nshort\n"), "{asked}");
    let apart = bundle(&["large.jsonl", "--request", "Go on"]);
    assert!(apart.contains("Count this letter.") && apart.contains("[Cut after "), "{apart}");
    assert!(bundle(&["small.jsonl", "--request", "Go on"]).contains("And this one?"));
}

fn use_of(id: &str) -> Value {
    let call = json!({ "type": "tool_use", "id": id, "name": format!("tool-{id}"), "input": {} });
    json!({ "role": "assistant", "content": [call] })
}

#[test]
fn output_of_a_failed_tool_is_text() {
    let failed = |id: &str, content: Value| {
        let result = json!({ "type": "tool_result", "tool_use_id": id, "is_error": true,
            "content": content });
        json!({ "role": "user", "content": [result] })
    };
    let picture = json!([{ "type": "image",
        "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } }]);
    let history = [use_of("1"), failed("1", json!([])), use_of("2"), failed("2", picture)];
    let project = TestProject::with_role().file("h.jsonl", &lines(&history));
    let head = ["assemble", "clerk", "--model", "claude-sonnet-4-5", "--format", "anthropic"];
    let body = project.json(&[&head[..], &["--history", "h.jsonl", "--request", "x"]].concat());
    is_sent("anthropic", &body);
    let text = |at: usize| &body["messages"][at]["content"][0]["content"][0]["text"];
    assert_eq!((text(2), text(4)), (&json!("[The tool failed.]"), &json!("[image]")));
}

#[test]
fn results_that_wait_for_an_answer_are_there() {
    let ended = [
        json!({ "role": "user", "content": "Which letters came?" }),
        json!({ "role": "assistant", "content": null, "tool_calls": [
            { "id": "1", "name": "count", "arguments": "{}" },
            { "id": "2", "name": "list", "arguments": "{}" }] }),
        json!({ "role": "tool", "tool_call_id": "1", "content": "Nine." }),
        json!({ "role": "tool", "tool_call_id": "2", "content": "a letter ".repeat(9000) }),
    ];
    let project = TestProject::with_role().file("h.jsonl", &(long(20) + &lines(&ended)));
    for format in ["anthropic", "openai"] {
        let run = |budget: &str| {
            let head = ["assemble", "clerk", "--history", "h.jsonl", "--model", "gpt-4o", "-q"];
            project.run(&[&head[..], &["--format", format, "--budget", budget]].concat())
        };
        let cut = run("600");
        assert_eq!(cut.code, 0, "{}", cut.stderr);
        is_sent(format, &serde_json::from_str(&cut.stdout).unwrap());
        assert!(cut.stdout.contains("Nine.") && cut.stdout.contains("of 80999 characters.]"));
        assert!(cut.stdout.matches("a letter").count() > 50, "{}", cut.stdout);
        run("40").refused(3, &["the budget to at least "]);
    }
}

#[test]
fn messages_that_cannot_be_shortened_take_no_room() {
    let said = |role: &str, content: String| json!({ "role": role, "content": content });
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    let mut history: Vec<Value> =
        (0..120).map(|at| said(role(at), format!("Letter {at} is here."))).collect();
    history.push(said("assistant", "word ".repeat(20_000)));
    history.push(said("user", "q".to_owned()));
    let project = TestProject::with_role().file("h.jsonl", &lines(&history));
    let arguments = ["assemble", "clerk", "--history", "h.jsonl", "--report", "json", "-q"];
    let run = project.run(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stderr).unwrap();
    let history = &report["history"];
    assert_eq!((&history["whole"], run.stdout.matches("is here.").count()), (&json!(120), 120));
    let (large, left) = (run.stdout.contains("word word"), history["left_out"] == 1);
    assert!(large != left, "{history}");
}

#[test]
fn instructions_have_one_role_for_openai() {
    let said = |role: &str| json!({ "role": role, "content": "Be brief." });
    let history = [said("system"), said("user"), said("developer"), said("user")];
    let project = TestProject::with_role().file("h.jsonl", &lines(&history));
    let head = ["assemble", "clerk", "--history", "h.jsonl", "--model", "gpt-4o"];
    let body = project.json(&[&head[..], &["--format", "openai"]].concat());
    let roles: Vec<&Value> =
        body["messages"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["developer", "developer", "user", "developer", "user"]);
}
