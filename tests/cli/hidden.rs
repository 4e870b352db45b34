//! Hidden files never affect answers of a server.

use std::path::Path;
use std::time::Duration;

use clap::Parser;
use faber::cli::args::{Cli, Command, ViewArgs};
use faber::cli::settings::{self, Environment};
use faber_core::error::Error;
use faber_server::serve::answer::ToolAnswer;
use faber_server::serve::record::CallRecorder;
use faber_server::serve::state::{ServerState, Start};
use faber_server::serve::{prompts, resources, tools};
use faber_session::session::Session;
use faber_session::settings::Clocks;
use serde_json::{Map, Value, json};

use crate::project::TestProject;
use crate::torture::{Dice, cases};

const PRINCIPALS: [&str; 4] = ["nobody", "ada", "eve:board", "max:board,crew"];
/// Words in hidden files only.
const CANARIES: [&str; 4] = ["zanzibar", "quokka", "ocelot", "wyvern"];

struct Document {
    path: String,
    text: String,
    sees: fn(&str) -> bool,
}

fn documents() -> Vec<Document> {
    let mut all = Vec::new();
    let mut add = |path: String, text: String, sees: fn(&str) -> bool| {
        all.push(Document { path, text, sees });
    };
    let everybody = |_: &str| true;
    for at in 0..10 {
        add(
            format!("contexts/standards/standard-open-{at}.md"),
            format!(
                "---\nkeywords: [letters, shelf{at}]\ndescription: Open rule {at}\n\
                 related: [reference/secret-{}]\ncontradicts: [playbook/plan-{}]\n\
                 derived_from: [standard/ada-{}]\n---\n# Open {at}\n\nLetters go to shelf {at}.\n\n\
                 ## Parcels\n\nParcels of kind {at} are weighed.\n",
                at % 4,
                at % 4,
                at % 4
            ),
            everybody,
        );
    }
    for (at, canary) in CANARIES.iter().enumerate() {
        add(
            format!("contexts/references/reference-secret-{at}.md"),
            format!(
                "---\ngroups: [board]\nkeywords: [letters, {canary}]\ndescription: About {canary}\n\
                 contradicts: [standard/open-{at}]\n---\n# The {canary}\n\nLetters of the {canary}.\n"
            ),
            |who| who.contains("board"),
        );
        add(
            format!("contexts/playbooks/playbook-plan-{at}.md"),
            format!(
                "---\ngroups: [crew]\n---\n# Plan {canary}\n\n## {canary} steps\n\nWeigh parcels.\n"
            ),
            |who| who.contains("crew"),
        );
        add(
            format!("contexts/standards/standard-ada-{at}.md"),
            format!(
                "---\nvisibility: private\nowner: ada\nerrors: [{canary} failed]\n---\n# Ada's {canary}\n\n\
                 Letters to the {canary}.\n"
            ),
            |who| who == "ada",
        );
        add(
            format!(".faber/overlays/organization/contexts/standards/standard-open-{at}.md"),
            format!(
                "---\nstrategy: append\ngroups: [board]\n---\n## The {canary} rule\n\nAsk the {canary}.\n"
            ),
            |who| who.contains("board"),
        );
        add(
            format!("roles/clerk/tasks/{canary}.md"),
            format!("---\ngroups: [crew]\n---\n# Task of the {canary}\n\nCount letters.\n"),
            |who| who.contains("crew"),
        );
        add(
            format!(".faber/history/{canary}.md"),
            format!(
                "---\nvisibility: private\nowner: ada\n---\n# Why {canary}\n\nBecause of parcels.\n"
            ),
            |who| who == "ada",
        );
    }
    all
}

fn host(root: &Path, principal: &str) -> ServerState {
    let root = camino::Utf8PathBuf::from_path_buf(root.canonicalize().unwrap()).unwrap();
    let outside = Environment {
        cwd: root,
        vars: Vec::new(),
        program: "test".to_owned(),
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        fetching: |_| (),
        clocks: Clocks { elapsed: || Duration::ZERO, now: jiff::Zoned::now },
        width: None,
    };
    let line = ["faber", "serve", "--no-cache", "--role", "clerk", "--at", "2026-01-15", "--as"];
    let cli = Cli::parse_from(line.into_iter().chain([principal]));
    let Command::Serve(args) = cli.command else { unreachable!("it is what was typed") };
    let view: ViewArgs = args.view.clone();
    let settings = settings::resolve(&cli.global, &view, &outside).unwrap();
    ServerState::new(Start {
        session: Session::open(&settings).unwrap(),
        platform: view.platform,
        role: args.role.clone(),
        allow_write: false,
        scopes: Vec::new(),
        hints: std::sync::Arc::new(|| 0),
        recorder: CallRecorder::new(None, false, Box::new(std::io::sink())).into(),
        shared: None,
    })
}

#[derive(Debug)]
enum Call {
    Tool(usize, Map<String, Value>),
    Resource(String),
    Resources,
    Prompt(String),
}

fn call(dice: &mut Dice) -> Call {
    const WORDS: [&str; 10] = [
        "letters", "parcels", "shelf", "weigh", "rule", "zanzibar", "quokka", "ocelot", "wyvern",
        "why",
    ];
    const SCOPES: [&str; 5] = ["all", "organization", "space", "area", "historical"];
    let words = |dice: &mut Dice| {
        let count = 1 + dice.roll(4);
        (0..count).map(|_| WORDS[dice.roll(WORDS.len())]).collect::<Vec<_>>().join(" ")
    };
    let id = |dice: &mut Dice| {
        let (at, canary) = (dice.roll(5), CANARIES[dice.roll(4)]);
        match dice.roll(8) {
            0 => format!("standard/open-{at}"),
            1 => format!("reference/secret-{at}"),
            2 => format!("reference/secret-{at}#the-{canary}"),
            3 => format!("playbook/plan-{at}"),
            4 => format!("standard/ada-{at}"),
            5 => format!("task/{canary}"),
            6 => format!("history/{canary}"),
            _ => format!("standard/open-{at}#the-{canary}-rule"),
        }
    };
    let scope = SCOPES[dice.roll(SCOPES.len())];
    let (tool, arguments) = match dice.roll(9) {
        0 => (0, json!({"query": words(dice), "scope": scope, "limit": 1 + dice.roll(10)})),
        1 => {
            let most = 200 + dice.roll(800);
            (
                1,
                json!({"topic": words(dice), "scope": scope, "max_tokens": most,
                "include_contradictions": true, "include_derivations": true}),
            )
        }
        2 => {
            let include = ["detail", "derivation", "evidence", "contradictions", "related"];
            (2, json!({"id": id(dice), "include": include}))
        }
        3 => (3, json!({"scope": scope, "limit": 1 + dice.roll(30)})),
        4 => (4, json!({"ids": [id(dice), id(dice), id(dice)]})),
        5 => {
            let error = format!("{} failed", words(dice));
            (5, json!({"request": words(dice), "error": error, "budget": 300 + dice.roll(3000)}))
        }
        6 => return Call::Resource(format!("faber://context/{}", id(dice))),
        7 => return Call::Resources,
        _ => return Call::Prompt(words(dice)),
    };
    Call::Tool(tool, arguments.as_object().unwrap().clone())
}

fn answer(state: &ServerState, call: &Call) -> String {
    let shown = |outcome: Result<ToolAnswer, Error>| match outcome {
        Ok(answer) => {
            format!("{}\n{}\n{:?}", answer.text, answer.data, answer.trace)
        }
        Err(error) => {
            format!("{error}\n{:?}", miette::Diagnostic::help(&error).map(|h| h.to_string()))
        }
    };
    let text = |outcome: Result<String, Error>| {
        outcome.unwrap_or_else(|error| {
            format!("{error}\n{:?}", miette::Diagnostic::help(&error).map(|h| h.to_string()))
        })
    };
    match call {
        Call::Tool(tool, arguments) => shown(tools::TOOLS[*tool].call(state, arguments)),
        Call::Resource(uri) => text(resources::read(state, uri).map(|answer| answer.text)),
        Call::Resources => format!("{:?}", resources::list(state, 0).unwrap()),
        Call::Prompt(words) => {
            let prompt = prompts::get(state, "clerk", &[("request".to_owned(), words.clone())]);
            text(prompt.map(|answer| answer.text))
        }
    }
}

fn nothing_shows(count: usize) {
    let build = |sees: &dyn Fn(&Document) -> bool| {
        let mut project = TestProject::with_role()
            .file(".faber/config.yml", "organization: { id: acme, name: Acme }\n");
        for document in documents().iter().filter(|document| sees(document)) {
            project = project.file(&document.path, &document.text);
        }
        project
    };
    let whole = build(&|_| true);
    let hosts: Vec<(ServerState, ServerState, TestProject)> = PRINCIPALS
        .iter()
        .map(|who| {
            let without = build(&|document| (document.sees)(who));
            (host(&whole.path(""), who), host(&without.path(""), who), without)
        })
        .collect();
    let mut dice = Dice(7);
    let mut told = 0;
    for _ in 0..count {
        let who = dice.roll(PRINCIPALS.len());
        let call = call(&mut dice);
        let (with, without, _) = &hosts[who];
        let (with, without) = (answer(with, &call), answer(without, &call));
        assert_eq!(with, without, "{} {call:?}", PRINCIPALS[who]);
        told += usize::from(with.contains("<context"));
    }
    assert!(told * 2 > count, "most calls are answered: {told} of {count}");
}

#[test]
fn nothing_of_what_is_hidden_shows() {
    nothing_shows(200);
}

#[test]
#[ignore = "takes minutes: 10 000 calls"]
fn nothing_of_what_is_hidden_shows_in_many_calls() {
    nothing_shows(cases(10_000));
}
