//! `faber hook status`.

use std::collections::BTreeSet;
use std::fmt::Write;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::install::{HookPlace, missing_program};
use crate::cli::args::HookStatus;
use crate::commands::output;
use faber_core::error::{Error, reason};
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::{Column, DisplayOptions, fitting, fold, plain, table};
use faber_server::hook::client::{CLIENTS, ClientRow, HookScope};
use faber_server::hook::hook_file::{self, InstallState};
use faber_session::discover::files::real_file;
use faber_session::discover::hook_store::HookStore;
use faber_session::discover::root;
use faber_session::settings::Settings;

/// `faber hook status --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HookStatusData {
    /// `faber.hook-status/1`.
    schema: &'static str,
    /// The hook files of all clients.
    files: Vec<HookFileData>,
    /// The last calls, oldest first.
    calls: Vec<Value>,
}

/// A hook file.
#[derive(Debug, Serialize, JsonSchema)]
struct HookFileData {
    /// The client.
    client: &'static str,
    /// `project`, `user` or `local`.
    scope: &'static str,
    /// The file.
    path: String,
    /// `installed`, `outdated`, `none`, or `unreadable`.
    state: &'static str,
    /// The events that faber is installed for.
    events: Vec<String>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(super) fn run(args: &HookStatus, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let files = CLIENTS
        .iter()
        .flat_map(|row| row.files.iter().filter_map(|(scope, _)| file(row, *scope, settings)));
    let store = settings.state.as_deref().map(HookStore::new);
    if let Some((folder, error)) = store.as_ref().and_then(HookStore::trouble) {
        let folder = from_home(folder.as_str(), settings.home.as_deref());
        let why = reason(&error);
        streams.eprint(&format!(
            "warning: `{folder}` cannot be read: {why}; hooks give contexts again that a conversation has\n"
        ));
    }
    let calls = store.map(|store| store.last_calls(args.calls)).unwrap_or_default();
    let calls = calls.iter().filter_map(|line| serde_json::from_str(line).ok());
    let data = HookStatusData {
        schema: "faber.hook-status/1",
        files: files.collect(),
        calls: calls.collect(),
    };
    if data.files.iter().any(|file| !file.events.is_empty()) {
        streams.eprint(&missing_program(settings));
    }
    output::print(&data, args.format, streams, |data| human(data, settings))
}

fn file(row: &ClientRow, scope: HookScope, settings: &Settings) -> Option<HookFileData> {
    let place = HookPlace::find(row.client, scope, settings).ok()?;
    let text = place.read();
    let state = match &text {
        Ok(None) => Ok(InstallState::None),
        Ok(Some(text)) => hook_file::state(text, row),
        Err(error) => Err(error.to_string()),
    };
    let (state, events, problem) = match state {
        Ok(InstallState::None) => ("none", Vec::new(), None),
        Ok(InstallState::Current(events)) => ("installed", events, None),
        Ok(InstallState::Outdated(events)) => ("outdated", events, None),
        Err(problem) => ("unreadable", Vec::new(), Some(problem)),
    };
    let (client, path) = (row.client.name(), place.shown);
    Some(HookFileData { client, scope: scope.name(), path, state, events, problem })
}

fn human(data: &HookStatusData, settings: &Settings) -> String {
    let there: Vec<&HookFileData> = data.files.iter().filter(|file| file.state != "none").collect();
    let mut out = String::new();
    if there.is_empty() {
        out.push_str("no hooks are installed; run `faber hook install CLIENT`\n");
    } else {
        let columns = [
            Column::new("client"),
            Column::new("file"),
            Column::new("state"),
            Column::text("events"),
        ];
        let rows: Vec<Vec<String>> = there
            .iter()
            .map(|file| {
                let detail = file.problem.clone().unwrap_or_else(|| file.events.join(", "));
                vec![file.client.to_owned(), file.path.clone(), file.state.to_owned(), detail]
            })
            .collect();
        out.push_str(&fitting(&columns, &rows, DisplayOptions::new(settings).width));
    }
    if data.calls.is_empty() {
        return out + "\nno calls yet\n";
    }
    out + "\n" + &calls(&data.calls, settings)
}

fn calls(calls: &[Value], settings: &Settings) -> String {
    let folders: BTreeSet<&str> =
        calls.iter().filter_map(|call| call["root"].as_str()).filter(|it| !it.is_empty()).collect();
    let mut columns = vec![
        (Column::new("time"), "time"),
        (Column::new("client"), "client"),
        (Column::new("event"), "event"),
        (Column::new("outcome"), "outcome"),
        (Column::figures("contexts"), "contexts"),
        (Column::figures("chars"), "characters"),
        (Column::figures("total ms"), "milliseconds"),
    ];
    let here = root::find(&settings.start).ok();
    let is_here = |folder: &&str| Some(real_file(Utf8Path::new(folder))) == here;
    if !folders.iter().all(is_here) {
        columns.insert(1, (Column::new("folder"), "root"));
    }
    let home = settings.home.as_deref();
    let cell = |call: &Value, key: &str| match &call[key] {
        Value::String(text) if text.is_empty() && key == "root" => "-".to_owned(),
        Value::String(text) if key == "root" => from_home(text, home),
        Value::String(text) if key == "time" => to_the_second(text),
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    };
    let row = |call| columns.iter().map(|(_, key)| cell(call, key)).collect();
    let rows: Vec<Vec<String>> = calls.iter().map(row).collect();
    let columns: Vec<Column> = columns.into_iter().map(|(column, _)| column).collect();
    let width = DisplayOptions::new(settings).width;
    let table = table(&columns, &rows, 0, width);
    let messages = calls.iter().map(|call| call["message"].as_str().unwrap_or_default());
    let messages = std::iter::once("").chain(messages);
    let mut out = String::new();
    for (row, message) in table.lines().zip(messages) {
        out.push_str(row);
        out.push('\n');
        if !message.is_empty() {
            for line in fold(message, width.saturating_sub(2)) {
                let _ = writeln!(out, "  {}", plain(&line));
            }
        }
    }
    out
}

fn to_the_second(time: &str) -> String {
    time.split_once('.').map_or_else(|| time.to_owned(), |(whole, _)| format!("{whole}Z"))
}

fn from_home(path: &str, home: Option<&Utf8Path>) -> String {
    match home.and_then(|home| Utf8Path::new(path).strip_prefix(home).ok()) {
        Some(rest) => Utf8Path::new("~").join(rest).into_string().trim_end_matches('/').to_owned(),
        None => path.to_owned(),
    }
}
