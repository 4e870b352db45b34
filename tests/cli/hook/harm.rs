//! Hooks never disturb a turn: one JSON object or nothing, and status 0.

use faber_server::hook;
use faber_server::hook::client::Client;
use faber_server::hook::read::Hints;
use faber_session::settings::Settings;
use serde_json::{Value, json};

use super::{given, prompt, run, start, workspace};
use crate::project::TestProject;
use crate::torture::Dice;

#[test]
fn nothing_is_given_twice_and_changes_are_updates() {
    let project = workspace();
    assert!(given(&project, &start(&project, "a", "startup")).contains("The answer comes first"));
    assert!(given(&project, &prompt(&project, "a", "login")).contains("30"));
    assert_eq!(given(&project, &prompt(&project, "a", "login")), "");
    let path = "contexts/specialists/specialist-login.md";
    let text = project.text(path).replace("30", "40");
    let project = project.file(path, &text);
    let again = given(&project, &prompt(&project, "a", "login"));
    assert!(
        again.contains("update=\"replaces the earlier text\"") && again.contains("40"),
        "{again}"
    );
    assert_eq!(given(&project, &prompt(&project, "a", "login")), "");
    assert_eq!(given(&project, &prompt(&project, "a", "/help")), "");
    let path = "contexts/standards/standards-answers.md";
    let text = project.text(path).replace("comes first", "comes last");
    let project = project.file(path, &text);
    let updated = given(&project, &prompt(&project, "a", "what next?"));
    assert!(updated.contains("update=\"replaces the earlier text\""), "{updated}");
    assert!(updated.contains("The answer comes last"), "{updated}");
    assert_eq!(given(&project, &prompt(&project, "a", "and then?")), "");
    let failure = json!({ "session_id": "a", "permission_mode": "default", "cwd": project.path(""),
        "hook_event_name": "PostToolUseFailure", "error": "connection refused" });
    assert!(given(&project, &failure).contains("Start it."));
    assert!(given(&project, &prompt(&project, "b", "login")).contains("The answer comes last"));
    std::fs::remove_dir_all(project.path("../home/.local")).unwrap();
    assert!(given(&project, &prompt(&project, "a", "login")).contains("40"));
}

#[test]
fn a_text_that_was_given_in_part_goes_on_where_a_prompt_needs_it() {
    let section = |name: &str| {
        let steps = (0..80).map(|at| format!("Step {at} of {name} is careful work.\n\n"));
        format!("## About {name}\n\n{}", steps.collect::<String>())
    };
    let sections: String = ["turbines", "boilers", "chimneys"].map(section).concat();
    let begun = |sections: &str| {
        let project = workspace()
            .file("contexts/specialists/specialist-plant.md", &format!("# Plant\n\n{sections}"))
            .file(".faber/config.yml", "hook: { prompt: 500 }\n");
        given(&project, &start(&project, "a", "startup"));
        let first = given(&project, &prompt(&project, "a", "inspect the turbines of the plant"));
        assert!(first.contains("Step 1 of turbines") && !first.contains("of boilers"), "{first}");
        project
    };
    let hidden = begun(&sections.replace("1 of boilers", "1 of \u{202e}boilers"));
    assert_eq!(given(&hidden, &prompt(&hidden, "a", "and the boilers of the plant?")), "");
    let project = begun(&sections);
    let more = given(&project, &prompt(&project, "a", "and the boilers of the plant?"));
    assert!(more.contains("more=\"adds to the earlier text\""), "{more}");
    assert!(more.contains("Step 1 of boilers") && !more.contains("Step 1 of turbines"), "{more}");
    assert_eq!(given(&project, &prompt(&project, "a", "and the boilers of the plant?")), "");
}

#[test]
fn what_had_no_room_at_the_start_comes_when_a_prompt_needs_it() {
    let rules = "- Rules about gardens.\n".repeat(60);
    let text = format!(
        "---\nessence: About money.\n---\n\n# Money\n\n{rules}\n## Invoices\n\nInvoices are archived for ten years.\n{}",
        "- An invoice is archived with its order.\n".repeat(9)
    );
    let project = workspace()
        .file("contexts/standards/standards-invoices.md", &text)
        .file(".faber/config.yml", "hook: { session: 150 }\n");
    let first = given(&project, &start(&project, "a", "startup"));
    assert!(!first.contains("ten years"), "{first}");
    assert_eq!(given(&project, &prompt(&project, "a", "paint the fence of the shed")), "");
    let asked = prompt(&project, "a", "how long are invoices archived?");
    let answer = given(&project, &asked);
    assert!(answer.contains("ten years"), "{answer}");
    assert_eq!(given(&project, &asked), "");
}

fn edit(project: &TestProject, path: &str) -> Value {
    json!({ "session_id": "a", "permission_mode": "default", "cwd": project.path(""),
        "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": { "file_path": path } })
}

#[test]
fn a_file_gets_the_rest_of_a_text_that_was_given_in_part() {
    let rules = |name: &str| {
        let rule = |at| format!("- Rule {at} of {name}: keep it tidy.\n\n");
        (0..60).map(rule).collect::<Vec<_>>().concat()
    };
    let text = format!(
        "---\nglobs: [\"web/**\"]\nessence: Be tidy.\n---\n\n# Web\n\n## A\n\n{}\n## B\n\n{}",
        rules("pages"),
        rules("forms").replace("\n\n", "\n")
    );
    let project = workspace()
        .file("contexts/standards/standards-web.md", &text)
        .file(".faber/config.yml", "hook: { prompt: 600, session: 150 }\n");
    given(&project, &start(&project, "a", "startup"));
    let edits = || -> Vec<String> {
        let all = (0..9).map(|at| given(&project, &edit(&project, &format!("web/{at}.css"))));
        all.take_while(|text| !text.is_empty()).collect()
    };
    let is_once = |all: &str| {
        let of = |at, name| all.matches(&format!("- Rule {at} of {name}")).count();
        (0..60).all(|at| of(at, "pages") == 1 && of(at, "forms") == 1)
    };
    let first = edits();
    assert_eq!(first.len(), 3, "{first:?}");
    assert!(first[0].contains("Rule 40 of pages") && is_once(&first.concat()), "{first:?}");
    assert!(first[1].contains("more=\"adds to the earlier text\""), "{first:?}");
    let start = given(&project, &start(&project, "a", "compact"));
    assert!(start.contains("Be tidy.") && !start.contains("- Rule"), "{start}");
    assert!(is_once(&edits().concat()));
}

#[test]
fn keywords_in_pasted_material_select_nothing_and_errors_do() {
    let project = workspace();
    given(&project, &start(&project, "a", "startup"));
    let log = "2026-11-26 INFO svc=login 200\n2026-11-26 ERROR connection refused";
    for (session, text) in [("a", format!("Why?\n```\n{log}\n```")), ("b", log.to_owned())] {
        let answer = given(&project, &prompt(&project, session, &text));
        assert!(answer.contains("Start it.") && !answer.contains("after \"30\""), "{answer}");
    }
    let asked = "```\nx\n```\nthe `login` fails";
    assert!(given(&project, &prompt(&project, "a", asked)).contains("after \"30\""));
}

#[test]
fn after_a_compaction_the_subject_comes_back() {
    let project = workspace();
    given(&project, &start(&project, "a", "startup"));
    assert!(given(&project, &prompt(&project, "a", "fix the login")).contains("30"));
    assert_eq!(given(&project, &start(&project, "a", "resume")), "");
    let again = given(&project, &start(&project, "a", "compact"));
    assert!(again.contains("The answer comes first"), "{again}");
    assert!(again.contains("<context id=\"specialist/login\""), "{again}");
    assert_eq!(given(&project, &prompt(&project, "a", "the login again")), "");
    let cleared = given(&project, &start(&project, "a", "clear"));
    assert!(cleared.contains("The answer comes first"), "{cleared}");
    assert!(!cleared.contains("<context id=\"specialist/login\""), "{cleared}");
}

#[test]
fn what_the_client_loads_is_not_given() {
    let answers = "# Answers\n\nThe answer comes first.\n";
    let project = workspace().file("CLAUDE.md", answers);
    let session = given(&project, &start(&project, "a", "startup"));
    assert!(!session.contains("The answer comes first") && !session.contains("standard/answers"));
    let managed = format!(
        "# Mine\n\n<!-- faber: begin standard/answers -->\n{answers}<!-- faber: end standard/answers -->\n"
    );
    let project = project.file("CLAUDE.md", &managed);
    assert!(!given(&project, &start(&project, "b", "startup")).contains("The answer comes first"));
    let project = project.file("CLAUDE.md", "# Other\n");
    assert!(given(&project, &start(&project, "c", "startup")).contains("The answer comes first"));
    let rule = "---\npaths: [\"**/*.ts\"]\n---\n\n# TypeScript\n\nNo `any`.\n";
    let project = project.file(".claude/rules/ts.md", rule);
    let tool = |id: &str| {
        json!({ "session_id": id, "permission_mode": "default", "cwd": project.path(""),
            "hook_event_name": "PostToolUse", "tool_input": { "file_path": "a.ts" } })
    };
    assert!(given(&project, &tool("d")).contains("No `any`"));
    let loaded = json!({ "session_id": "e", "permission_mode": "default", "cwd": project.path(""),
        "hook_event_name": "InstructionsLoaded", "file_path": project.path(".claude/rules/ts.md") });
    assert_eq!(given(&project, &loaded), "");
    assert_eq!(given(&project, &tool("e")), "");
}

#[test]
fn a_catalog_is_no_context_and_says_what_it_does_not_list() {
    let playbook = |project: TestProject, at: usize| {
        let text =
            format!("---\ndescription: How to do step {at} of all\n---\n\n# Step {at}\n\nDo.\n");
        project.file(&format!("contexts/playbooks/playbook-step-{at}.md"), &text)
    };
    let project = (0..14).fold(TestProject::with_role(), playbook);
    assert!(!given(&project, &start(&project, "a", "startup")).contains("more"));
    let project =
        project.file(".faber/config.yml", "hook: { clients: { claude: { max_chars: 900 } } }\n");
    let text = given(&project, &start(&project, "b", "startup"));
    let listed = text.matches("- `playbook/step-").count();
    assert!((1..14).contains(&listed), "{text}");
    assert!(text.ends_with(&format!("- and {} more", 14 - listed)), "{text}");
    // The catalog takes all of the room, unless it has a limit.
    let many = (14..70).fold(project, playbook).file(".faber/config.yml", "");
    let lines = |project: &TestProject, id: &str| {
        given(project, &start(project, id, "startup")).matches("- `playbook/step-").count()
    };
    let free = lines(&many, "c");
    let project = many.file(".faber/config.yml", "budget: { sections: { catalog: 500 } }\n");
    let set = lines(&project, "d");
    assert!(free == 70 && set < 40, "{free} {set}");
    // Without room for the catalog, a line mentions the others.
    let standard = |project: TestProject, at: usize| {
        let rules = "A rule that holds at all times, in all places.\n\n".repeat(9);
        let path = format!("contexts/standards/standards-rule-{at}.md");
        project.file(&path, &format!("# Rule {at}\n\n{rules}"))
    };
    let project = (0..40).fold(project.file(".faber/config.yml", ""), standard);
    let text = given(&project, &start(&project, "e", "startup"));
    let note = " other contexts not loaded; `faber list contexts` lists them.";
    assert!(text.contains(note), "{text}");
    let status = project.json(&["hook", "status", "--format", "json"]);
    let call = &status["calls"][0];
    assert_eq!((&call["outcome"], &call["contexts"]), (&"given".into(), &0.into()), "{call}");
}

#[test]
fn answers_stay_within_the_limit_and_name_what_is_left_out() {
    let mut project = workspace();
    for at in 0..6 {
        let paragraph = format!("Part {at}: \"quoted\" <tag> \\ back\tslash. é😀 ").repeat(20);
        let text = format!(
            "---\nkeywords: [ship]\n---\n\n# Ship {at}\n\n{}",
            format!("{paragraph}\n\n").repeat(4)
        );
        project = project.file(&format!("contexts/specialists/specialist-ship-{at}.md"), &text);
    }
    for limit in [120, 300, 1000, 4000, 9500] {
        let config = format!(
            "hook: {{ prompt: 100000, session: 100000, clients: {{ claude: {{ max_chars: {limit} }} }} }}\n"
        );
        project = project.file(".faber/config.yml", &config);
        let run = run(&project, &prompt(&project, &limit.to_string(), "ship it"));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.len() <= limit, "{} > {limit}", run.stdout.len());
        if limit > 300 {
            assert!(run.stdout.contains("`faber show "), "{limit}: {}", run.stdout);
        }
    }
    let raised = "hook: { prompt: 100000, clients: { claude: { max_chars: 999999, max_tokens: 999999 } } }\n";
    let project = project.file(".faber/config.yml", raised);
    let raised = run(&project, &prompt(&project, "raised", "ship it"));
    assert!(raised.stdout.len() <= 9500, "{}", raised.stdout.len());
    let answer = given(&project, &prompt(&project, "raised again", "ship it"));
    let counted = project.run_with_input(&["tokens", "--format", "json"], &answer).stdout;
    let counted: Value = serde_json::from_str(&counted).unwrap();
    assert!(counted["total"].as_u64().unwrap() <= 2300, "{counted}");
    let validated = project.run(&["validate", "--format", "concise"]).stdout;
    for key in ["hook.prompt", "hook.clients.claude.max_chars", "hook.clients.claude.max_tokens"] {
        let warning = format!("warning[invalid-config] `{key}` is above");
        assert!(validated.contains(&warning), "{warning}\n{validated}");
    }
    let tokens = project.file(".faber/config.yml", "hook: { prompt: 300 }\n");
    let answer = given(&tokens, &prompt(&tokens, "t", "ship it"));
    assert!(!answer.is_empty() && answer.len() < 3000, "{answer}");
    let mcp = json!({ "mcpServers": { "f": { "command": "faber", "args": ["serve"] } } });
    let tools = tokens.file(".mcp.json", &mcp.to_string());
    let answer = given(&tools, &prompt(&tools, "u", "ship it"));
    assert!(answer.contains("`expand_context` with an id gives"), "{answer}");
}

#[test]
fn an_unknown_client_is_named() {
    let project = workspace();
    let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "a", "prompt": "x"});
    let call = ["hook", "run", "--strict", "--client", "nope"];
    let run = project.run_with_input(&call, &event.to_string());
    run.refused(2, &["unknown client `nope`; known are claude, codex, cursor"]);
    let help = project.stdout(&["hook", "run", "--help"]);
    for (name, _) in Client::ALL {
        assert!(help.contains(name), "{name} in\n{help}");
    }
}

#[test]
fn calls_of_several_folders_are_told_apart() {
    let project = workspace();
    given(&project, &prompt(&project, "a", "login"));
    let status = project.stdout(&["hook", "status"]);
    assert!(!status.contains("folder"), "{status}");
    let other = project.file("other/.faber/config.yml", "").file("other/roles/a/prompt.md", "A.\n");
    let mut event = prompt(&other, "b", "x");
    event["cwd"] = other.path("other").to_str().unwrap().into();
    given(&other, &event);
    let home = other.path("").canonicalize().unwrap();
    let state = other.path("../home/.local/state");
    let other = other
        .env("HOME", home.to_str().unwrap())
        .env("XDG_STATE_HOME", state.canonicalize().unwrap().to_str().unwrap())
        .env("COLUMNS", "200");
    let status = other.stdout(&["hook", "status"]);
    let folders: Vec<&str> =
        status.lines().skip(3).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(folders, ["~", "~/other"], "{status}");
    let other = other.file("third/.faber/config.yml", "");
    let status = other.stdout(&["-C", "third", "hook", "status", "--calls", "1"]);
    assert!(status.contains("~/other"), "{status}");
}

#[test]
fn a_workspace_that_cannot_be_used_gives_nothing() {
    let several = TestProject::with_role().file("roles/other/prompt.md", "# Other\n");
    let broken = TestProject::with_role().file(".faber/config.yml", "hook: [\n");
    let insecure = workspace().file(
        "contexts/specialists/specialist-login.md",
        "---\nkeywords: [login]\n---\n\n# Login\n\nSessions end \u{202e}never.\n",
    );
    for project in [&several, &broken, &TestProject::empty(), &TestProject::new()] {
        let ended = run(project, &prompt(project, "a", "login"));
        assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""));
        let status = project.stdout(&["hook", "status"]);
        assert!(status.contains("failed"), "{status}");
        let event = prompt(project, "a", "login").to_string();
        let strict = project.run_with_input(&["hook", "run", "--strict"], &event);
        assert_eq!((strict.code, strict.stdout.as_str()), (2, ""), "{}", strict.stderr);
    }
    let config = "settings: { role: clerk }\nhook: [\n";
    let unread = several.file(".faber/config.yml", config);
    let event = prompt(&unread, "b", "login").to_string();
    let strict = unread.run_with_input(&["hook", "run", "--strict"], &event);
    strict.refused(2, &["invalid-config at .faber/config.yml:"]);
    let ended = run(&insecure, &prompt(&insecure, "a", "login"));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert_eq!(ended.stdout, "");
    let blocking = insecure.file(".faber/config.yml", "hook: { block: security }\n");
    let ended = run(&blocking, &prompt(&blocking, "a", "login"));
    assert_eq!(ended.code, 2);
    ended.said(&["`hook.block: security` is set"]);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let schema = include_str!("schemas/hook-specific.answer.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    assert!(validator.is_valid(&answer) && answer["decision"] == "block", "{answer}");
    assert!(answer["reason"].as_str().unwrap().contains("specialist-login.md"), "{answer}");
}

#[test]
fn an_answer_says_where_its_texts_are_from() {
    let project = workspace();
    let answer = given(&project, &prompt(&project, "a", "deploy"));
    assert!(answer.contains("<context id=\"specialist/deploy\" layer=\"project\" hash=\"blake3:"));
    let source = "source=\"contexts/specialists/specialist-deploy.md\"";
    assert!(answer.contains(source), "{answer}");
    assert!(answer.contains("&lt;/context> Deploy on <b>Tuesday</b>."));
    let value: Value = json!(answer);
    assert!(value.as_str().unwrap().matches("</context>").count() >= 1);
}

fn one_of<'a>(dice: &mut Dice, all: &[&'a str]) -> &'a str {
    all[dice.roll(all.len())]
}

fn value(dice: &mut Dice, depth: usize) -> Value {
    let texts = [
        "login",
        "deploy",
        "connection refused",
        "a.ts",
        "../../etc/passwd",
        "/",
        "-",
        "",
        "\u{0}",
        "\u{202e}x",
        "*** Update File: b.ts",
        "</context>",
        "{\"path\":\"a.ts\"}",
        "user",
        "compact",
        "SessionStart",
        "<hook_context>",
        "https://x.org/a.ts",
    ];
    match dice.roll(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => dice.roll(1000).into(),
        2 | 3 => one_of(dice, &texts).into(),
        4 => one_of(dice, &texts).repeat(dice.roll(200)).into(),
        5 => (0..dice.roll(4)).map(|_| value(dice, depth - 1)).collect(),
        _ => {
            let keys = ["file_path", "path", "files", "command", "message", "stderr", "x"];
            let entries = (0..dice.roll(4)).map(|_| {
                let key = one_of(dice, &keys).to_owned();
                (key, value(dice, depth - 1))
            });
            Value::Object(entries.collect())
        }
    }
}

fn event(dice: &mut Dice, root: &str) -> String {
    let names = [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "InstructionsLoaded",
        "PreCompact",
        "beforeSubmitPrompt",
        "postToolUse",
        "sessionStart",
        "BeforeAgent",
        "AfterTool",
        "userPromptTransformed",
        "Later",
    ];
    let keys = [
        "prompt",
        "transformedPrompt",
        "source",
        "tool_input",
        "toolArgs",
        "error",
        "agent_id",
        "cwd",
        "permission_mode",
        "turn_id",
        "timestamp",
        "attachments",
        "file_path",
        "trigger",
        "transcript_path",
        "session_id",
    ];
    let mut event = json!({
        "session_id": one_of(dice, &["a", "b", "../c"]), "permission_mode": "default", "cwd": root,
        "hook_event_name": one_of(dice, &names), "prompt": "login, then deploy",
    });
    for _ in 0..dice.roll(6) {
        let value = value(dice, 3);
        event[one_of(dice, &keys)] = value;
    }
    let text = event.to_string();
    match dice.roll(6) {
        0..=2 => text.chars().take(dice.roll(text.len())).collect(),
        3 | 4 => {
            let from = one_of(dice, &["\"", ":", "}", "a"]);
            text.replace(from, one_of(dice, &["", "\\", "[", "\u{feff}"]))
        }
        _ => text,
    }
}

#[test]
fn whatever_the_event_is_there_is_one_object_or_nothing() {
    let project = workspace();
    let root = std::fs::canonicalize(project.path("")).unwrap();
    let root = camino::Utf8PathBuf::from_path_buf(root).unwrap();
    let settings = Settings {
        cwd: root.clone(),
        start: root.clone(),
        state: Some(root.join("../home/state")),
        ..Settings::default()
    };
    let settings = &settings;
    let answers: usize = std::thread::scope(|scope| {
        let seeds = [0x9e37_79b9_7f4a_7c15, 0x2545_f491_4f6c_dd1d];
        let calls = seeds.map(|seed| scope.spawn(move || random_events(&mut Dice(seed), settings)));
        calls.into_iter().map(|call| call.join().unwrap()).sum()
    });
    assert!(answers > 10, "{answers}");
}

fn random_events(dice: &mut Dice, settings: &Settings) -> usize {
    let mut answers = 0;
    for _ in 0..2500 {
        let event = event(dice, settings.cwd.as_str());
        let mut printed = Vec::new();
        let mut print = |answer: &str| {
            printed.push(answer.to_owned());
            Ok(())
        };
        let outcome = hook::run::run(Hints::default(), settings, &mut event.as_bytes(), &mut print);
        let problem = outcome.problem.unwrap_or_default();
        assert!(!problem.starts_with("panic"), "{problem}: {event}");
        assert!(printed.len() <= 1 && outcome.blocked.is_none());
        for answer in printed {
            let value: Value = serde_json::from_str(&answer).unwrap();
            assert!(value.as_object().is_some_and(|object| !object.is_empty()), "{answer}");
            answers += 1;
        }
    }
    answers
}
