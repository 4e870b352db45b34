//! Request bodies of model APIs.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::budget::level::Section;
use crate::conversation::message::MessageRole;
use crate::conversation::piece::{MessagePiece, ToolCall};
use crate::conversation::turn::Turn;
use crate::error::Error;
use crate::render::block::{BundleBlock, text_of};

mod anthropic;
mod openai;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Vendor {
    Anthropic,
    OpenAi,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyTexts {
    pub stable: String,
    pub rest: String,
    pub message: String,
}

pub(super) struct BodyParts<'a> {
    pub(super) model: &'a str,
    /// In tokens; not 0.
    pub(super) answer: u64,
    pub(super) texts: BodyTexts,
    pub(super) past: Vec<Turn>,
}

impl BodyTexts {
    pub fn of(blocks: &[BundleBlock], stable: usize) -> Self {
        let text = |blocks: &[BundleBlock], wanted: fn(Section) -> bool| -> String {
            let wanted = blocks.iter().filter(|block| wanted(block.section));
            wanted.map(|block| text_of(&block.lines)).collect()
        };
        let is_context = |section| !matches!(section, Section::History | Section::Message);
        let (stable, rest) = blocks.split_at(stable);
        let (mut stable, rest) = (text(stable, is_context), text(rest, is_context));
        let message = text(blocks, |section| section == Section::Message);
        if rest.trim().is_empty() {
            stable.truncate(stable.trim_end().len());
        }
        let ended = |text: String| text.trim_end().to_owned();
        let kept = |text: String| if text.trim().is_empty() { String::new() } else { text };
        Self { stable: kept(stable), rest: ended(rest), message: ended(message) }
    }

    pub fn system(&self, vendor: Vendor) -> Vec<String> {
        let mut texts = match vendor {
            Vendor::Anthropic => vec![self.stable.clone(), self.rest.clone()],
            Vendor::OpenAi => vec![self.stable.clone() + &self.rest],
        };
        texts.retain(|text| !text.is_empty());
        texts
    }
}

const MAX_NAME_CHARS: usize = 64;

fn longest_id(vendor: Vendor) -> usize {
    match vendor {
        Vendor::Anthropic => MAX_NAME_CHARS,
        Vendor::OpenAi => 40,
    }
}

/// Valid ids of tool calls, by turn and call.
struct Ids(Vec<Vec<String>>);

impl Ids {
    fn new(turns: &[Turn], vendor: Vendor) -> Self {
        let mut used = BTreeSet::new();
        let mut own = |call: &ToolCall| {
            let is_valid = is_plain(&call.id, longest_id(vendor)) && used.insert(call.id.clone());
            is_valid.then(|| call.id.clone())
        };
        let mut of_turn = |turn: &Turn| turn.calls.iter().map(|(call, _)| own(call)).collect();
        let own: Vec<Vec<Option<String>>> = turns.iter().map(&mut of_turn).collect();
        let mut numbered = (1_usize..).map(|number| format!("call_{number}"));
        let mut new = || numbered.find(|id| used.insert(id.clone())).unwrap_or_default();
        let mut all = |ids: Vec<Option<String>>| {
            ids.into_iter().map(|id| id.unwrap_or_else(&mut new)).collect()
        };
        Self(own.into_iter().map(&mut all).collect())
    }

    fn of(&self, turn: usize, call: usize) -> &str {
        &self.0[turn][call]
    }
}

fn is_plain(text: &str, longest: usize) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !text.is_empty() && text.len() <= longest && text.bytes().all(plain)
}

fn tool(name: &str) -> String {
    if is_plain(name, MAX_NAME_CHARS) {
        return name.to_owned();
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(MAX_NAME_CHARS).map(plain).collect();
    if name.is_empty() { "tool".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::message::MessageRole;
    use crate::conversation::piece::ToolResult;

    #[test]
    fn every_call_has_an_id_of_its_own() {
        let call = |id: &str| {
            let call =
                ToolCall { id: id.to_owned(), name: "a".to_owned(), input: serde_json::Map::new() };
            (call, ToolResult::default())
        };
        let turn = |ids: &[&str]| Turn {
            calls: ids.iter().map(|id| call(id)).collect(),
            ..Turn::saying(MessageRole::Assistant, "x".to_owned())
        };
        let turns = [turn(&["x", "x", ""]), turn(&["call_1", "a b"])];
        let ids = Ids::new(&turns, Vendor::OpenAi);
        let all =
            [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)].map(|(turn, at)| ids.of(turn, at).to_owned());
        assert_eq!(all, ["x", "call_2", "call_3", "call_1", "call_4"]);
        let (kept, long) = ("i".repeat(40), "l".repeat(41));
        let turns = [turn(&[&kept, &long])];
        let of = |vendor| [0, 1].map(|at| Ids::new(&turns, vendor).of(0, at).to_owned());
        assert_eq!(of(Vendor::OpenAi), [kept.clone(), "call_1".to_owned()]);
        assert_eq!(of(Vendor::Anthropic), [kept.clone(), long.clone()]);
    }

    #[test]
    fn names_have_characters_that_apis_accept() {
        assert_eq!(
            (tool("read-file_2"), tool("mcp.a/b")),
            ("read-file_2".into(), "mcp_a_b".into())
        );
        assert_eq!((tool(""), tool(&"ä".repeat(99)).len()), ("tool".to_owned(), 64));
    }
}
