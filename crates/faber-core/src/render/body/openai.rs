//! OpenAI's Chat Completions API.

use serde_json::{Value, json};

use super::{BodyParts, Ids, Vendor};
use crate::conversation::form;
use crate::conversation::message::MessageRole;
use crate::conversation::piece::{Image, MessagePiece, kind};
use crate::conversation::turn::Turn;

const OWN: [&str; 2] = ["input_audio", "file"];

pub(super) fn body(parts: &BodyParts<'_>) -> Value {
    // `developer` and `system` cannot be mixed.
    let develops = parts.past.iter().any(|turn| turn.role == MessageRole::Developer);
    let role = if develops { "developer" } else { "system" };
    let system = parts.texts.system(Vendor::OpenAi).into_iter();
    let mut messages: Vec<Value> =
        system.map(|text| json!({ "role": role, "content": text })).collect();
    let ids = Ids::new(&parts.past, Vendor::OpenAi);
    for (at, turn) in parts.past.iter().enumerate() {
        let name = if turn.role.instructs() { role } else { turn.role.name() };
        messages.push(message(turn, name, |place| ids.of(at, place)));
        for (place, (_, answer)) in turn.calls.iter().enumerate() {
            let content = content(&answer.pieces, false);
            let id = ids.of(at, place);
            messages.push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
        }
    }
    if !parts.texts.message.is_empty() {
        messages.push(json!({ "role": "user", "content": parts.texts.message }));
    }
    json!({
        "model": parts.model,
        "max_completion_tokens": parts.answer,
        "messages": messages,
    })
}

fn message<'a>(turn: &Turn, role: &str, id: impl Fn(usize) -> &'a str) -> Value {
    let mut message = json!({ "role": role });
    message["content"] = match &turn.pieces[..] {
        [] => Value::Null,
        pieces => content(pieces, turn.role == MessageRole::User),
    };
    if !turn.calls.is_empty() {
        let calls = turn.calls.iter().enumerate().map(|(place, (call, _))| {
            let function = json!({ "name": call.name, "arguments": form::arguments(call) });
            json!({ "id": id(place), "type": "function", "function": function })
        });
        message["tool_calls"] = calls.collect();
    }
    message
}

/// Only users can send other types.
fn content(pieces: &[MessagePiece], is_user: bool) -> Value {
    match pieces {
        [] => Value::from(""),
        [MessagePiece::Text(text)] => text.as_str().into(),
        pieces => pieces.iter().map(|piece| shown(piece, is_user)).collect(),
    }
}

fn shown(piece: &MessagePiece, is_user: bool) -> Value {
    match piece {
        MessagePiece::Image(image) if is_user => {
            let url = match image {
                Image::Url(url) => url.clone(),
                Image::Data { media_type, data } => format!("data:{media_type};base64,{data}"),
            };
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
        MessagePiece::Other(own) if is_user && OWN.contains(&kind(own)) => Value::from(own.clone()),
        piece => json!({ "type": "text", "text": piece.text() }),
    }
}
