//! Reads conversations: JSON Lines of messages, and transcripts of clients, whose formats are
//! undocumented.

use serde_json::Value;

use faber_core::conversation::message;
use faber_core::conversation::piece::MessagePiece;
use faber_core::resolve::view::{ACCESS_KEYS, Access, mentions_access};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
    Tool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogueTurn {
    /// Line or array index, from 1.
    pub line: usize,
    pub speaker: Speaker,
    pub text: String,
    pub is_restricted: bool,
}

/// The turns that `may_see` allows.
///
/// Access rules of the first object and of non-messages apply to the whole file. An unreadable line
/// that mentions access hides everything.
pub fn turns(text: &str, may_see: impl Fn(&Access<'_>) -> bool) -> Vec<DialogueTurn> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let values: Vec<(usize, Value)> = if let Ok(Value::Array(items)) = serde_json::from_str(text) {
        (1..).zip(items).collect()
    } else {
        let Some(values) = lines(text) else { return Vec::new() };
        values
    };
    let mut turns = Vec::new();
    let mut all_restricted = false;
    for (at, (line, value)) in values.iter().enumerate() {
        let is_restricted = is_restricted(value);
        let is_of_all = at == 0
            || (value.is_object() && turn(value).is_none() && value.get("content").is_none());
        if value.is_object() && !may_see(&Access::from(value)) {
            if is_of_all && is_restricted {
                return Vec::new();
            }
            continue;
        }
        all_restricted |= is_of_all && is_restricted;
        if let Some((speaker, text)) = turn(value).filter(|(_, text)| !text.trim().is_empty()) {
            turns.push(DialogueTurn { line: *line, speaker, text, is_restricted });
        }
    }
    for turn in &mut turns {
        turn.is_restricted |= all_restricted;
    }
    turns
}

fn is_restricted(value: &Value) -> bool {
    let keys = value.as_object().into_iter().flat_map(|object| object.keys());
    keys.into_iter()
        .any(|key| key != "owner" && ACCESS_KEYS.contains(&key.to_ascii_lowercase().as_str()))
}

/// `None` if an unreadable line mentions access.
fn lines(text: &str) -> Option<Vec<(usize, Value)>> {
    let mut values = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        if let Ok(value) = serde_json::from_str(text) {
            values.push((line, value));
            continue;
        }
        if mentions_access(text) {
            return None;
        }
    }
    Some(values)
}

fn turn(line: &Value) -> Option<(Speaker, String)> {
    if let Some(prompt) = line.as_str() {
        return Some((Speaker::User, prompt.to_owned()));
    }
    let is_set = |key: &str| line.get(key).and_then(Value::as_bool) == Some(true);
    if line.get("schema").is_some()
        || is_set("isMeta")
        || is_set("isSidechain")
        || is_set("isCompactSummary")
    {
        return None;
    }
    if let Some(prompt) = user_text(line) {
        return Some((Speaker::User, prompt));
    }
    let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
    let role = line.get("role").and_then(Value::as_str);
    let content = || {
        line.get("message")
            .and_then(|message| message.get("content"))
            .or_else(|| line.get("content"))
    };
    match (kind, role) {
        ("assistant" | "gemini", _) => Some((Speaker::Assistant, content_text(content()?)?)),
        ("assistant.message", _) => {
            Some((Speaker::Assistant, content_text(line.get("data")?.get("content")?)?))
        }
        ("event_msg", _) => {
            let payload = line.get("payload")?;
            let is_answer = payload.get("type").and_then(Value::as_str) == Some("agent_message");
            is_answer
                .then(|| payload.get("message")?.as_str())?
                .map(|text| (Speaker::Assistant, text.to_owned()))
        }
        (_, Some("assistant")) => {
            let said = message::read_content(line).ok();
            let texts =
                said.iter().flat_map(|content| &content.pieces).filter_map(|piece| match piece {
                    MessagePiece::Text(text) => Some(text.trim()),
                    MessagePiece::Image(_) | MessagePiece::Other(_) => None,
                });
            let text = texts.collect::<Vec<_>>().join("\n\n");
            let text = if text.is_empty() { content().and_then(content_text)? } else { text };
            Some((Speaker::Assistant, text))
        }
        (_, Some("tool")) => {
            Some((Speaker::Tool, content().and_then(content_text).unwrap_or_default()))
        }
        _ => None,
    }
}

/// The user's text in any client's transcript.
pub fn user_text(line: &Value) -> Option<String> {
    let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
    let role = line.get("role").and_then(Value::as_str);
    match kind {
        // Claude Code has `message`, Gemini `content`.
        "user" => {
            let message = line.get("message");
            let content = message.map_or(line.get("content"), |message| message.get("content"));
            content.and_then(content_text)
        }
        "event_msg" => {
            let payload = line.get("payload")?;
            let is_prompt = payload.get("type").and_then(Value::as_str) == Some("user_message");
            payload.get("message")?.as_str().filter(|_| is_prompt).map(str::to_owned)
        }
        "user.message" => line.get("data")?.get("content").and_then(content_text),
        _ if role == Some("user") => {
            let content = line.get("message").and_then(|message| message.get("content"));
            content.or_else(|| line.get("content")).and_then(content_text)
        }
        "" => line.get("prompt")?.as_str().map(str::to_owned),
        _ => None,
    }
}

fn content_text(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let kind = |block: &Value| block.get("type").and_then(Value::as_str).map(str::to_owned);
            if blocks.iter().any(|block| kind(block).as_deref() == Some("tool_result")) {
                return None;
            }
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    // Cursor puts the prompt into a tag.
    let query = text.split_once("<user_query>").map(|(_, rest)| rest);
    let query = query.map(|rest| rest.split("</user_query>").next().unwrap_or(rest).trim());
    Some(query.map_or(text.clone(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::resolve::view::Principal;

    #[test]
    fn turns_are_found_in_the_formats_of_all_clients() {
        let said = |text: &str| -> Vec<(Speaker, String)> {
            turns(text, |_| true).into_iter().map(|turn| (turn.speaker, turn.text)).collect()
        };
        let both = [(Speaker::User, "fix it".to_owned()), (Speaker::Assistant, "done".to_owned())];
        for text in [
            "{\"role\":\"user\",\"content\":\"fix it\"}\n{\"role\":\"assistant\",\"content\":\"done\"}\n",
            r#"[{"role":"user","content":"fix it"},{"role":"assistant","content":[{"type":"text","text":"done"}]}]"#,
            "{\"type\":\"user\",\"message\":{\"content\":\"fix it\"}}\n{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"x\"}}\n\
             {\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"},{\"type\":\"tool_use\",\"input\":{}}]}}\n\
             {\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":\"never\"}]}}\n",
            "{\"type\":\"event_msg\",\"payload\":{\"type\":\"user_message\",\"message\":\"fix it\"}}\n\
             {\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_message\",\"message\":\"done\"}}\nnot json\n",
            "{\"type\":\"user.message\",\"data\":{\"content\":\"fix it\"}}\n{\"type\":\"assistant.message\",\"data\":{\"content\":\"done\"}}\n",
        ] {
            assert_eq!(said(text), both, "{text}");
        }
        assert!(said("").is_empty() && said("3\nnull\n{}\n").is_empty());
    }

    #[test]
    fn hidden_turns_are_left_out() {
        let ann = Principal::parse("ann").unwrap();
        let seen = |text: &str| -> Vec<(String, bool)> {
            let turns = turns(text, |access| ann.may_read(access));
            turns.into_iter().map(|turn| (turn.text, turn.is_restricted)).collect()
        };
        let line = |word: &str, access: &str| {
            format!("{{\"role\":\"user\",\"content\":\"{word}\"{access}}}\n")
        };
        let bobs = r#","owner":"bob","visibility":"private""#;
        let anns = r#","owner":"ann","visibility":"private""#;
        assert_eq!(seen(&[line("a", ""), line("b", bobs)].concat()), [("a".to_owned(), false)]);
        assert!(seen(&[line("a", bobs), line("b", "")].concat()).is_empty());
        let own = [line("a", anns), line("b", "")].concat();
        assert_eq!(seen(&own), [("a".to_owned(), true), ("b".to_owned(), true)]);
        assert!(
            seen(
                &[line("a", ""), "{\"owner\":\"bob\",\"visibility\":\"private\"}\n".to_owned()]
                    .concat()
            )
            .is_empty()
        );
        for broken in ["{\"owner\": \"bob\"\n", "{owner: bob\n", "{'Visibility': 'private'\n"] {
            assert!(seen(&[broken, &line("a", "")].concat()).is_empty(), "{broken}");
        }
    }
}
