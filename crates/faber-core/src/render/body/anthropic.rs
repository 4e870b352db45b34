//! Anthropic's Messages API.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::names::Ids;
use super::{BodyParts, Vendor};
use crate::conversation::message::MessageRole;
use crate::conversation::piece::{Image, MessagePiece, ToolResult, kind};
use crate::conversation::turn::Turn;

const OWN: [&str; 2] = ["document", "search_result"];

fn mark() -> Value {
    json!({ "type": "ephemeral" })
}

#[derive(Default)]
struct Messages {
    all: Vec<(&'static str, Vec<Value>)>,
}

impl Messages {
    fn add(&mut self, role: &'static str, blocks: Vec<Value>) {
        if blocks.is_empty() {
            return;
        }
        match self.all.last_mut() {
            Some((last, known)) if *last == role => known.extend(blocks),
            _ => self.all.push((role, blocks)),
        }
    }
}

pub(super) fn body(parts: &BodyParts<'_>) -> Value {
    let mut system: Vec<Value> =
        parts.texts.system(Vendor::Anthropic).iter().map(|text| block(text)).collect();
    // With the mark below, caches stable prefix and conversation.
    if !parts.texts.stable.is_empty() {
        set_mark(&mut system[0]);
    }
    let ids = Ids::new(&parts.past, Vendor::Anthropic);
    let mut messages = Messages::default();
    for (at, turn) in parts.past.iter().enumerate() {
        if turn.role.instructs() {
            system.extend(turn.pieces.iter().map(|piece| block(&piece.text())));
            continue;
        }
        let role = if turn.role == MessageRole::Assistant { "assistant" } else { "user" };
        messages.add(role, content_blocks(turn, at, &ids));
        let answers = turn.calls.iter().enumerate();
        let answers = answers.map(|(place, (_, answer))| result(answer, ids.of(at, place)));
        messages.add("user", answers.collect());
    }
    let last = messages.all.last_mut().and_then(|(_, blocks)| blocks.last_mut());
    if let Some(last) = last.filter(|block| !is_thinking(block)) {
        set_mark(last);
    }
    if !parts.texts.message.is_empty() {
        messages.add("user", vec![block(&parts.texts.message)]);
    }
    let messages: Vec<Value> = messages
        .all
        .into_iter()
        .map(|(role, blocks)| json!({ "role": role, "content": blocks }))
        .collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), parts.model.into());
    body.insert("max_tokens".to_owned(), parts.answer.into());
    if !system.is_empty() {
        body.insert("system".to_owned(), system.into());
    }
    body.insert("messages".to_owned(), messages.into());
    let tools = tools(&parts.past);
    if !tools.is_empty() {
        body.insert("tools".to_owned(), tools.into());
        body.insert("tool_choice".to_owned(), json!({ "type": "none" }));
    }
    body.into()
}

/// The API rejects undeclared tools; with unknown inputs, new calls are disabled.
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
    if let Value::Object(block) = block {
        block.insert("cache_control".to_owned(), mark());
    }
}

fn is_thinking(block: &Value) -> bool {
    let kind = block.get("type").and_then(Value::as_str);
    matches!(kind, Some("thinking" | "redacted_thinking"))
}

/// In the API's order.
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

/// The assistant can only send text.
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

/// Old ones: the API allows only four.
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
    let Value::Object(map) = &mut result else { return result };
    // Failed results must be text.
    let blocks = answer.pieces.iter().map(|piece| shown(piece, !answer.failed));
    let blocks: Vec<Value> = blocks.collect();
    if !blocks.is_empty() {
        map.insert("content".to_owned(), blocks.into());
    }
    if answer.failed {
        map.insert("is_error".to_owned(), true.into());
    }
    result
}
