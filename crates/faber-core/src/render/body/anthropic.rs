//! Anthropic's Messages API.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{BodyParts, Ids, Vendor};
use crate::conversation::message::MessageRole;
use crate::conversation::piece::{Image, MessagePiece, ToolResult, kind};
use crate::conversation::turn::Turn;

const OWN: [&str; 2] = ["document", "search_result"];

fn add(messages: &mut Vec<(&str, Vec<Value>)>, role: &'static str, blocks: Vec<Value>) {
    match messages.last_mut() {
        _ if blocks.is_empty() => {}
        Some((last, known)) if *last == role => known.extend(blocks),
        _ => messages.push((role, blocks)),
    }
}

pub(super) fn body(parts: &BodyParts<'_>) -> Value {
    let mut system: Vec<Value> =
        parts.texts.system(Vendor::Anthropic).iter().map(|text| block(text)).collect();
    // Caches stable prefix and conversation.
    if !parts.texts.stable.is_empty() {
        set_mark(&mut system[0]);
    }
    let ids = Ids::new(&parts.past, Vendor::Anthropic);
    let mut messages = Vec::new();
    for (at, turn) in parts.past.iter().enumerate() {
        if turn.role.instructs() {
            system.extend(turn.pieces.iter().map(|piece| block(&piece.text())));
            continue;
        }
        let role = if turn.role == MessageRole::Assistant { "assistant" } else { "user" };
        add(&mut messages, role, content_blocks(turn, at, &ids));
        let answers = turn.calls.iter().enumerate();
        let answers = answers.map(|(place, (_, answer))| result(answer, ids.of(at, place)));
        add(&mut messages, "user", answers.collect());
    }
    let last = messages.last_mut().and_then(|(_, blocks)| blocks.last_mut());
    if let Some(last) = last.filter(|block| !is_thinking(block)) {
        set_mark(last);
    }
    if !parts.texts.message.is_empty() {
        add(&mut messages, "user", vec![block(&parts.texts.message)]);
    }
    let mut body = json!({ "model": parts.model, "max_tokens": parts.answer });
    if !system.is_empty() {
        body["system"] = system.into();
    }
    let message = |(role, blocks)| json!({ "role": role, "content": blocks });
    body["messages"] = messages.into_iter().map(message).collect();
    let tools = tools(&parts.past);
    if !tools.is_empty() {
        body["tools"] = tools.into();
        body["tool_choice"] = json!({ "type": "none" });
    }
    body
}

/// The API rejects undeclared tools.
fn tools(past: &[Turn]) -> Vec<Value> {
    let calls = past.iter().flat_map(|turn| &turn.calls);
    let names: BTreeSet<&str> = calls.map(|(call, _)| call.name.as_str()).collect();
    let tool = |name| json!({ "name": name, "input_schema": { "type": "object" } });
    names.into_iter().map(tool).collect()
}

fn block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn set_mark(block: &mut Value) {
    block["cache_control"] = json!({ "type": "ephemeral" });
}

fn is_thinking(block: &Value) -> bool {
    let kind = block.get("type").and_then(Value::as_str);
    matches!(kind, Some("thinking" | "redacted_thinking"))
}

fn content_blocks(turn: &Turn, at: usize, ids: &Ids) -> Vec<Value> {
    let is_user = turn.role != MessageRole::Assistant;
    let mut blocks = turn.thinking.clone();
    blocks.extend(turn.pieces.iter().map(|piece| shown(piece, is_user)));
    blocks.extend(turn.calls.iter().enumerate().map(|(place, (call, _))| {
        let (id, name) = (ids.of(at, place), &call.name);
        json!({ "type": "tool_use", "id": id, "name": name, "input": call.input })
    }));
    blocks
}

fn shown(piece: &MessagePiece, is_user: bool) -> Value {
    match piece {
        MessagePiece::Image(Image::Data { media_type, data }) if is_user => {
            json!({ "type": "image",
            "source": { "type": "base64", "media_type": media_type, "data": data } })
        }
        MessagePiece::Image(Image::Url(url)) if is_user => {
            json!({ "type": "image", "source": { "type": "url", "url": url } })
        }
        MessagePiece::Other(own) if is_user && OWN.contains(&kind(own)) => {
            let mut own = Value::Object(own.clone());
            remove_marks(&mut own);
            own
        }
        piece => block(&piece.text()),
    }
}

/// The API allows only four.
fn remove_marks(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.shift_remove("cache_control");
            map.values_mut().for_each(remove_marks);
        }
        Value::Array(all) => all.iter_mut().for_each(remove_marks),
        _ => {}
    }
}

fn result(answer: &ToolResult, id: &str) -> Value {
    let mut result = json!({ "type": "tool_result", "tool_use_id": id });
    if !answer.pieces.is_empty() {
        // Failed results must be text.
        let blocks = answer.pieces.iter().map(|piece| shown(piece, !answer.failed));
        result["content"] = blocks.collect();
    }
    if answer.failed {
        result["is_error"] = true.into();
    }
    result
}
