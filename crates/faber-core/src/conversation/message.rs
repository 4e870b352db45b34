//! A message in the format of either API.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::conversation::piece::{self, Content, ToolCall, ToolResult};
use crate::suggest;

crate::named_enum! {
    pub enum MessageRole {
        System = "system",
        /// Instructions, in newer OpenAI models.
        Developer = "developer",
        User = "user",
        Assistant = "assistant",
        Tool = "tool",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub role: MessageRole,
    pub content: Content,
    pub at: Option<Stamp>,
    /// From 1.
    pub line: usize,
    pub raw: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageError {
    pub message: String,
    pub help: String,
}

impl MessageRole {
    pub(crate) fn instructs(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

/// # Errors
///
/// [`MessageError`].
pub fn read(value: &Value, line: usize) -> Result<Message, MessageError> {
    let shape = "a message is `{\"role\": \"user\", \"content\": \"…\"}`";
    let trouble = |message: String| MessageError { message, help: shape.to_owned() };
    let Value::Object(map) = value else {
        return Err(trouble(format!("this is {}, not a message", piece::name(value))));
    };
    let role = match map.get("role") {
        Some(Value::String(role)) => role,
        Some(other) => return Err(trouble(format!("`role` is {}, not text", piece::name(other)))),
        None if map.contains_key("messages") => {
            return Err(MessageError {
                message: "this is a request body, not a message".to_owned(),
                help: "give the list itself, as `jq .messages` prints it".to_owned(),
            });
        }
        None => return Err(trouble("a message has no `role`".to_owned())),
    };
    let Some(role) = MessageRole::from_name(role) else {
        let help = suggest::help(
            suggest::closest(role, MessageRole::NAMES),
            "roles are `system`, `developer`, `user`, `assistant` and `tool`",
        );
        return Err(MessageError { message: format!("unknown role `{role}`"), help });
    };
    let content = read_content(value).map_err(trouble)?;
    if !map.contains_key("content") && content == Content::default() {
        return Err(trouble("a message has no `content`".to_owned()));
    }
    let content = placed(role, content);
    Ok(Message { role, content, at: stamp(value), line, raw: value.to_string() })
}

/// # Errors
///
/// A description.
pub fn read_content(message: &Value) -> Result<Content, String> {
    let mut content = piece::read(message.get("content").unwrap_or(&Value::Null))?;
    if let Some(Value::String(refusal)) = message.get("refusal") {
        piece::push_text(&mut content.pieces, refusal);
    }
    match message.get("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(calls)) => {
            for value in calls {
                content.calls.push(call(value)?);
            }
        }
        Some(other) => return Err(format!("`tool_calls` is {}, not a list", piece::name(other))),
    }
    if message.get("role").and_then(Value::as_str) == Some("tool") {
        let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
        let pieces = std::mem::take(&mut content.pieces);
        content.answers.insert(0, ToolResult { id: id.to_owned(), pieces, failed: false });
    }
    Ok(content)
}

fn placed(role: MessageRole, mut content: Content) -> Content {
    if role != MessageRole::Assistant {
        content.thinking.clear();
        for call in std::mem::take(&mut content.calls) {
            piece::push_text(&mut content.pieces, &format!("[Called {}]", call.name));
        }
    }
    content
}

fn call(value: &Value) -> Result<ToolCall, String> {
    if !value.is_object() {
        return Err(format!("an item of `tool_calls` is {}, not an object", piece::name(value)));
    }
    let inner = ["function", "custom"].iter().find_map(|key| value.get(key)).unwrap_or(value);
    let name = inner.get("name").and_then(Value::as_str);
    let name = name.ok_or("an item of `tool_calls` does not name its tool")?.to_owned();
    let input = ["arguments", "input"].iter().find_map(|key| inner.get(key));
    let id = value.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(ToolCall { id, name, input: piece::arguments(input) })
}

/// Seconds would be after the year 5000.
const MILLISECONDS: f64 = 1e11;

/// By precedence.
const KEYS: [&str; 4] = ["timestamp", "created_at", "date", "created"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub moment: Option<Timestamp>,
    pub day: Date,
}

pub fn stamp(message: &Value) -> Option<Stamp> {
    let value = KEYS.iter().find_map(|key| message.get(key).filter(|value| !value.is_null()))?;
    if let Value::String(text) = value { written(text.trim()) } else { counted(value.as_f64()?) }
}

fn written(text: &str) -> Option<Stamp> {
    let utc = |civil: DateTime| civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let moment = text.parse::<Timestamp>().ok();
    let moment = moment.or_else(|| text.parse::<DateTime>().ok().and_then(utc));
    let day = text.get(..10)?.parse().ok()?;
    Some(Stamp { moment, day })
}

fn counted(number: f64) -> Option<Stamp> {
    let seconds = if number.abs() >= MILLISECONDS { number / 1000.0 } else { number };
    let since = SignedDuration::try_from_secs_f64(seconds).ok()?;
    let moment = Timestamp::from_duration(since).ok()?;
    Some(Stamp { moment: Some(moment), day: moment.to_zoned(TimeZone::UTC).date() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_the_same_in_both_shapes() {
        let anthropic = json!({ "role": "assistant", "content": [
            { "type": "text", "text": "Looking." },
            { "type": "tool_use", "id": "c1", "name": "find", "input": { "q": "x" } }] });
        let openai = json!({ "role": "assistant", "content": "Looking.", "tool_calls": [
            { "id": "c1", "type": "function",
              "function": { "name": "find", "arguments": "{\"q\":\"x\"}" } }] });
        let content = |value| read(value, 1).unwrap().content;
        assert_eq!(content(&anthropic), content(&openai));
        let flat = json!({ "role": "assistant", "content": null,
            "tool_calls": [{ "id": "c1", "name": "find", "input": { "q": "x" } }] });
        assert_eq!(content(&flat).calls, content(&openai).calls);
    }

    #[test]
    fn a_result_is_the_same_in_both_shapes() {
        let anthropic = json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "c1", "content": [{ "type": "text", "text": "4" }] }] });
        let openai = json!({ "role": "tool", "tool_call_id": "c1", "content": "4" });
        let answers = |value| read(value, 1).unwrap().content.answers;
        assert_eq!(answers(&anthropic), answers(&openai));
    }

    #[test]
    fn invalid_messages_are_reported() {
        for (wrong, why, help) in [
            (json!(3), "this is a number, not a message", "a message is"),
            (json!({}), "a message has no `role`", "a message is"),
            (json!({ "role": "users", "content": "" }), "unknown role `users`", "`user`?"),
            (json!({ "role": "user" }), "a message has no `content`", "a message is"),
            (json!({ "role": 1 }), "`role` is a number, not text", "a message is"),
            (json!({ "messages": [] }), "this is a request body, not a message", "jq"),
        ] {
            let trouble = read(&wrong, 1).unwrap_err();
            assert_eq!(trouble.message, why);
            assert!(trouble.help.contains(help), "{}", trouble.help);
        }
        assert!(read(&json!({ "role": "assistant", "content": null }), 1).is_ok());
    }

    fn stamp(value: impl Into<Value>) -> Option<Stamp> {
        let value = value.into();
        super::stamp(&serde_json::json!({ "timestamp": value }))
    }

    #[test]
    fn moments_in_every_way_of_writing_are_the_same() {
        let second = stamp("2026-01-02T03:04:05Z").unwrap();
        for same in [
            Value::from("2026-01-02T04:04:05+01:00"),
            Value::from("2026-01-02T03:04:05"),
            Value::from(1_767_323_045),
            Value::from(1_767_323_045_000_i64),
        ] {
            assert_eq!(stamp(same), Some(second));
        }
        assert_eq!(second.day, "2026-01-02".parse().unwrap());
        assert_eq!(stamp("2026-01-02").unwrap().day, second.day);
        for none in ["yesterday", "", "9999999999", "2026-13-01T00:00:00Z", "ä".repeat(9).as_str()]
        {
            assert_eq!(stamp(none), None, "{none}");
        }
        assert_eq!(stamp(1e300), None);
    }
}
