use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::serve::answer::{self, ToolAnswer};
use crate::serve::state::ServerState;
use faber_core::error::Error;
use faber_core::suggest;
use faber_tools::search::found::preview;
use faber_tools::search::item::checksum;

pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub input: fn() -> Map<String, Value>,
    pub output: fn() -> Map<String, Value>,
    pub(super) run: fn(&ServerState, &Map<String, Value>) -> Result<ToolAnswer, Error>,
}

impl Tool {
    /// # Errors
    ///
    /// For invalid arguments; and of the tool.
    pub fn call(
        &self,
        state: &ServerState,
        arguments: &Map<String, Value>,
    ) -> Result<ToolAnswer, Error> {
        let answer = (self.run)(state, arguments)?;
        // A prompt is already checked, and quotes the client's text.
        let is_checked = answer.trace.contexts.is_some() || state.allows_insecure();
        Ok(if is_checked { answer } else { answer.neutralized() })
    }
}

pub(super) fn typed<A: DeserializeOwned>(
    tool: &Tool,
    arguments: &Map<String, Value>,
) -> Result<A, Error> {
    let schema = (tool.input)();
    let fields = schema.get("properties").and_then(Value::as_object);
    let known: Vec<&str> = fields.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    if let Some(unknown) = arguments.keys().find(|name| !known.contains(&name.as_str())) {
        let close = suggest::closest(unknown, known.iter().copied());
        let help = suggest::help(close, format!("it takes {}", known.join(", ")));
        return Err(Error::usage(format!("`{}` has no argument `{unknown}`", tool.name), help));
    }
    // `null` means no value, and `3.0` is an integer.
    let given = arguments.iter().filter(|(_, value)| !value.is_null());
    let arguments: Map<String, Value> =
        given.map(|(name, value)| (name.clone(), integer(value))).collect();
    A::deserialize(&arguments).map_err(|error| {
        let unfit = unfit(&schema, &arguments);
        let (problem, close) = unfit.unwrap_or_else(|| (error.to_string(), None));
        let help = suggest::help(close.as_deref(), format!("it takes {}", known.join(", ")));
        Error::usage(format!("invalid arguments for `{}`: {problem}", tool.name), help)
    })
}

fn integer(value: &Value) -> Value {
    let whole = value.as_f64().filter(|_| value.is_f64());
    let whole = whole.and_then(|number| number.to_string().parse::<u64>().ok());
    whole.map_or_else(|| value.clone(), Value::from)
}

fn unfit(
    schema: &Map<String, Value>,
    arguments: &Map<String, Value>,
) -> Option<(String, Option<String>)> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    if let Some(missing) = required.find(|name| !arguments.contains_key(*name)) {
        return Some((format!("`{missing}` is missing"), None));
    }
    let fields = schema.get("properties")?;
    let (name, value) =
        arguments.iter().find(|(name, value)| !fits(&fields[name.as_str()], value))?;
    let field = &fields[name.as_str()];
    let items = value.as_array().filter(|_| field["type"] == "array").into_iter().flatten();
    let item = items.map(|item| (&field["items"], item)).find(|(schema, item)| !fits(schema, item));
    let (schema, wrong) = item.unwrap_or((field, value));
    let names = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let close = wrong.as_str().and_then(|value| suggest::closest(value, names));
    let problem = format!("`{name}` must be {}, not {}", expected(field), shown(wrong));
    Some((problem, close.map(str::to_owned)))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the string {}", answer::quoted(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

fn fits(schema: &Value, value: &Value) -> bool {
    let is_named = || schema["enum"].as_array().is_none_or(|names| names.contains(value));
    match schema["type"].as_str() {
        Some("string") => value.is_string() && is_named(),
        Some("integer") => value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some("object") => value.is_object(),
        Some("array") => {
            value.as_array().is_some_and(|items| items.iter().all(|it| fits(&schema["items"], it)))
        }
        _ => true,
    }
}

fn expected(schema: &Value) -> String {
    let names = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match (schema["type"].as_str(), &schema["minimum"], &schema["maximum"]) {
        (Some("string"), ..) if !names.is_empty() => format!("one of {}", names.join(", ")),
        (Some("string"), ..) => "a string".to_owned(),
        (Some("integer"), Value::Number(min), Value::Number(max)) => {
            format!("a number from {min} to {max}")
        }
        (Some("integer"), ..) => "a whole number".to_owned(),
        (Some("boolean"), ..) => "true or false".to_owned(),
        (Some("array"), ..) => format!("a list, each of its items {}", expected(&schema["items"])),
        _ => "an object".to_owned(),
    }
}

pub(super) struct Cursor;

impl Cursor {
    pub(super) fn of(place: usize, list: &impl Debug) -> String {
        format!("from-{place}-{:08x}", checksum(&format!("{list:?}")))
    }

    pub(super) fn place(cursor: Option<&String>, list: &impl Debug) -> Result<usize, Error> {
        let Some(cursor) = cursor else { return Ok(0) };
        let number = cursor.strip_prefix("from-").and_then(|rest| rest.split_once('-'));
        let place = number.and_then(|(place, _)| place.parse().ok());
        place.filter(|place| Self::of(*place, list) == *cursor).ok_or_else(|| {
            let problem = if place.is_some() { "is of another request" } else { "is invalid" };
            Error::usage(
                format!("the cursor `{}` {problem}", preview(cursor, 40)),
                "pass a `next_cursor` unchanged with the arguments of its answer, or leave `cursor` out",
            )
        })
    }
}

const MAX_QUESTION_CHARS: usize = 4_000;

pub(super) fn check_question(name: &str, text: &str, help: &str) -> Result<(), Error> {
    if text.chars().nth(MAX_QUESTION_CHARS).is_some() {
        let message = format!("`{name}` has more than {MAX_QUESTION_CHARS} characters");
        return Err(Error::usage(message, "ask in a few words"));
    }
    if text.trim().is_empty() {
        return Err(Error::usage(format!("`{name}` is empty"), help));
    }
    Ok(())
}

pub(super) fn within(
    name: &str,
    value: Option<usize>,
    default: usize,
    max: usize,
) -> Result<usize, Error> {
    let value = value.unwrap_or(default);
    if (1..=max).contains(&value) {
        return Ok(value);
    }
    Err(Error::usage(format!("`{name}` is {value}"), format!("give a number from 1 to {max}")))
}
