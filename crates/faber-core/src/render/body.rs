//! Request bodies of model APIs.

mod anthropic;
mod names;
mod openai;
mod parts;

use serde_json::Value;

use crate::conversation::message::MessageRole;
use crate::conversation::piece::MessagePiece;
use crate::conversation::turn::Turn;
use crate::error::Error;
use crate::render::block::BundleBlock;

use names::tool;
use parts::BodyParts;
pub use parts::{BodyTexts, Vendor};

pub struct BodyContents<'a> {
    pub model: Option<&'a str>,
    pub answer: u64,
    pub blocks: &'a [BundleBlock],
    pub stable_blocks: usize,
    pub note: Option<&'a str>,
    pub summary: Option<&'a str>,
    pub turns: Vec<Turn>,
}

pub fn fit(turn: &mut Turn, vendor: Vendor) {
    if vendor != Vendor::Anthropic {
        turn.thinking.clear();
    }
    for (call, answer) in &mut turn.calls {
        call.name = tool(&call.name);
        // Anthropic rejects an empty failure.
        if vendor == Vendor::Anthropic && answer.failed && answer.pieces.is_empty() {
            answer.pieces.push(MessagePiece::Text("[The tool failed.]".to_owned()));
        }
    }
}

pub fn summary(text: &str) -> String {
    format!("A summary of what is left out:\n\n{text}")
}

/// # Errors
///
/// [`Error::Usage`] without a model, room for an answer, or a message to answer.
pub fn body(contents: BodyContents<'_>, vendor: Vendor) -> Result<Value, Error> {
    let parts = parts(contents)?;
    let body = match vendor {
        Vendor::Anthropic => anthropic::body(&parts),
        Vendor::OpenAi => openai::body(&parts),
    };
    Ok(body)
}

fn parts(contents: BodyContents<'_>) -> Result<BodyParts<'_>, Error> {
    let Some(model) = contents.model else {
        return Err(Error::usage(
            "a request body needs a model",
            "name one with `--model NAME`, or set `tokenizer.model`",
        ));
    };
    let answer = contents.answer;
    if answer == 0 {
        return Err(Error::usage(
            "`budget.response` is 0, which leaves no room for an answer",
            "set it to the maximum tokens of the answer",
        ));
    }
    let texts = BodyTexts::of(contents.blocks, contents.stable_blocks);
    let mut past: Vec<Turn> = Vec::new();
    let is_said = contents.turns.iter().any(|turn| !turn.role.instructs());
    let note = contents.note.map(str::to_owned);
    let before = note.into_iter().chain(contents.summary.map(summary));
    past.extend(before.map(|text| Turn::saying(MessageRole::User, text)));
    past.extend(contents.turns);
    let last = past.iter().rfind(|turn| !turn.role.instructs());
    let is_asked =
        last.is_some_and(|turn| turn.role == MessageRole::User || !turn.calls.is_empty());
    if texts.message.is_empty() && !(is_asked && is_said) {
        return Err(Error::usage(
            "the request body has no message to answer",
            "add `--request TEXT`, or a `--history` that ends with the user; with `--parts`, include \
             `request` or `history`",
        ));
    }
    Ok(BodyParts { model, answer, texts, past })
}
