//! Reads conversations as JSON Lines and (undocumented) client transcripts.

use serde_json::Value;

use faber_core::conversation::message;
use faber_core::conversation::piece::MessagePiece;
use faber_core::conversation::visible::{self, lines_or_items};
use faber_core::resolve::view::Access;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
    Tool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogueTurn {
    pub line: usize,
    pub speaker: Speaker,
    pub text: String,
    pub is_restricted: bool,
}

pub fn turns(text: &str, may_see: impl Fn(&Access<'_>) -> bool) -> Vec<DialogueTurn> {
    let turns = visible::visible(lines_or_items(text), may_see).into_iter().filter_map(|line| {
        let (speaker, text) = turn(&line.value).filter(|(_, text)| !text.trim().is_empty())?;
        let is_restricted = line.is_restricted;
        Some(DialogueTurn { line: line.number, speaker, text, is_restricted })
    });
    turns.collect()
}

fn turn(line: &Value) -> Option<(Speaker, String)> {
    if let Some(prompt) = line.as_str() {
        return Some((Speaker::User, prompt.to_owned()));
    }
    let is_set = |key: &str| line.get(key).and_then(Value::as_bool) == Some(true);
    let is_other = ["isMeta", "isSidechain", "isCompactSummary"].into_iter().any(is_set);
    if is_other || line.get("schema").is_some() {
        return None;
    }
    if let Some(prompt) = user_text(line) {
        return Some((Speaker::User, prompt));
    }
    let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
    let role = line.get("role").and_then(Value::as_str);
    let content = || message_content(line).and_then(content_text);
    match (kind, role) {
        ("assistant" | "gemini", _) => Some((Speaker::Assistant, content()?)),
        ("assistant.message", _) => {
            Some((Speaker::Assistant, content_text(line.pointer("/data/content")?)?))
        }
        ("event_msg", _) => Some((Speaker::Assistant, payload_message(line, "agent_message")?)),
        (_, Some("assistant")) => {
            let said = message::read_content(line).ok();
            let texts =
                said.iter().flat_map(|content| &content.pieces).filter_map(|piece| match piece {
                    MessagePiece::Text(text) => Some(text.trim()),
                    MessagePiece::Image(_) | MessagePiece::Other(_) => None,
                });
            let text = texts.collect::<Vec<_>>().join("\n\n");
            Some((Speaker::Assistant, if text.is_empty() { content()? } else { text }))
        }
        (_, Some("tool")) => Some((Speaker::Tool, content().unwrap_or_default())),
        _ => None,
    }
}

pub fn user_text(line: &Value) -> Option<String> {
    let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
    let role = line.get("role").and_then(Value::as_str);
    match kind {
        "user" => {
            let message = line.get("message");
            let content = message.map_or(line.get("content"), |message| message.get("content"));
            content.and_then(content_text)
        }
        "event_msg" => payload_message(line, "user_message"),
        "user.message" => line.pointer("/data/content").and_then(content_text),
        _ if role == Some("user") => message_content(line).and_then(content_text),
        "" => line.get("prompt")?.as_str().map(str::to_owned),
        _ => None,
    }
}

fn message_content(line: &Value) -> Option<&Value> {
    line.pointer("/message/content").or_else(|| line.get("content"))
}

fn payload_message(line: &Value, kind: &str) -> Option<String> {
    let is_kind = line.pointer("/payload/type").and_then(Value::as_str) == Some(kind);
    line.pointer("/payload/message")?.as_str().filter(|_| is_kind).map(str::to_owned)
}

fn content_text(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let is_result =
                |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_result");
            if blocks.iter().any(is_result) {
                return None;
            }
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    let query = text.split_once("<user_query>").map(|(_, rest)| rest);
    let query = query.map(|rest| rest.split("</user_query>").next().unwrap_or(rest).trim());
    Some(query.map_or(text.clone(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
