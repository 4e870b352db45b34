//! Valid tool IDs and names.

use std::collections::BTreeSet;

use super::Vendor;
use crate::conversation::piece::ToolCall;
use crate::conversation::turn::Turn;

const MAX_NAME_CHARS: usize = 64;

fn longest_id(vendor: Vendor) -> usize {
    match vendor {
        Vendor::Anthropic => MAX_NAME_CHARS,
        Vendor::OpenAi => 40,
    }
}

pub(super) struct Ids(Vec<Vec<String>>);

impl Ids {
    pub(super) fn new(turns: &[Turn], vendor: Vendor) -> Self {
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

    pub(super) fn of(&self, turn: usize, call: usize) -> &str {
        &self.0[turn][call]
    }
}

fn is_plain(text: &str, longest: usize) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !text.is_empty() && text.len() <= longest && text.bytes().all(plain)
}

pub(super) fn tool(name: &str) -> String {
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
