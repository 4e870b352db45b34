//! Recorded events of clients, answers, and schemas.

use std::fmt::Write;

use serde_json::Value;

use super::workspace;
use crate::project::{Run, TestProject};

fn text(stdin: &Value, project: &TestProject) -> String {
    let text = stdin.as_str().map_or_else(|| stdin.to_string(), str::to_owned);
    let root = serde_json::to_string(&project.path("")).unwrap();
    text.replace("[root]", root.trim_matches('"'))
}

fn words(case: &Value) -> Vec<String> {
    let words = case["args"].as_array().into_iter().flatten();
    words.map(|word| word.as_str().unwrap().to_owned()).collect()
}

fn pairs(events: &str, schema: Option<&str>) -> String {
    let mut project = workspace();
    let cases: Vec<Value> = serde_json::from_str(events).unwrap();
    let validator = schema
        .map(|schema| jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap());
    let mut out = String::new();
    for case in cases {
        let args = words(&case);
        let arguments: Vec<&str> =
            ["hook", "run"].into_iter().chain(args.iter().map(String::as_str)).collect();
        let variables = case["env"].as_object().into_iter().flatten();
        let variables: Vec<_> = variables
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        project.set_env(variables);
        let Run { code, stdout, stderr } =
            project.run_with_input(&arguments, &text(&case["stdin"], &project));
        let about = case["about"].as_str().unwrap();
        assert_eq!((code, stderr.as_str()), (0, ""), "{about}");
        let _ = writeln!(out, "# {about}");
        if !args.is_empty() {
            let _ = writeln!(out, "{}", args.join(" "));
        }
        let _ = writeln!(out, "> {}", case["stdin"]);
        if let Some(answer) = stdout.strip_suffix('\n') {
            let answer: Value = serde_json::from_str(answer).unwrap();
            if let Some(validator) = &validator {
                let error = validator.iter_errors(&answer).next();
                assert!(error.is_none(), "{about}: {}", error.unwrap());
            }
            let _ = writeln!(out, "< {}", serde_json::to_string_pretty(&answer).unwrap());
        }
        let call = last_call(&project);
        let message = call["message"].as_str().unwrap_or_default();
        let root = project.path("").display().to_string();
        let message = message.replace(&root, "[root]");
        let _ = writeln!(out, "= {} {message}\n", call["outcome"].as_str().unwrap_or("not run"));
    }
    out
}

fn last_call(project: &TestProject) -> Value {
    let path = project.path("../home/.local/state/faber/hook/calls.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    text.lines().last().map(|line| serde_json::from_str(line).unwrap()).unwrap_or_default()
}

macro_rules! pairs {
    ($($name:ident $schema:expr,)*) => {
        $(#[test]
        fn $name() {
            let events = include_str!(concat!("events/", stringify!($name), ".json"));
            insta::assert_snapshot!(stringify!($name), pairs(events, $schema));
        })*
    };
}

pairs! {
    claude Some(include_str!("schemas/hook-specific.answer.json")),
    codex Some(include_str!("schemas/hook-specific.answer.json")),
    cursor Some(include_str!("schemas/cursor.answer.json")),
    copilot Some(include_str!("schemas/copilot.answer.json")),
    gemini Some(include_str!("schemas/hook-specific.answer.json")),
    vscode Some(include_str!("schemas/hook-specific.answer.json")),
    opencode Some(include_str!("schemas/copilot.answer.json")),
    malformed None,
}
