//! The forms of a turn.

use crate::budget::{extract, truncate};
use crate::conversation::message::MessageRole;
use crate::conversation::piece::{MessagePiece, ToolCall, ToolResult, joined};
use crate::conversation::turn::Turn;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Whole,
    Short,
    Cut(usize),
    Left,
}

const SHARE: usize = 80;

pub(crate) fn called<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("[Previous: Called tools: {}]", names.collect::<Vec<_>>().join(", "))
}

pub(crate) fn stray(answer: &ToolResult) -> String {
    format!("[Result of an earlier tool call]\n\n{}", joined(&answer.pieces))
}

pub(crate) fn arguments(call: &ToolCall) -> String {
    serde_json::Value::from(call.input.clone()).to_string()
}

impl Turn {
    pub fn text(&self) -> String {
        let mut texts = Vec::new();
        if !self.pieces.is_empty() {
            texts.push(joined(&self.pieces));
        }
        for (call, _) in &self.calls {
            texts.push(format!("[Called {} {}]", call.name, arguments(call)));
        }
        for (call, answer) in &self.calls {
            let failed = if answer.failed { ", which failed" } else { "" };
            texts.push(format!("[Result of {}{failed}]\n{}", call.name, joined(&answer.pieces)));
        }
        texts.join("\n\n")
    }

    pub fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.pieces.iter().map(MessagePiece::text).collect();
        texts.extend(self.thinking.iter().filter_map(|block| {
            ["thinking", "data"].iter().find_map(|key| block.get(key)?.as_str()).map(str::to_owned)
        }));
        for (call, answer) in &self.calls {
            texts.extend([call.name.clone(), arguments(call)]);
            texts.extend(answer.pieces.iter().map(MessagePiece::text));
        }
        texts.retain(|text| !text.is_empty());
        texts
    }

    pub fn short(&self, extracts: bool, cost: &dyn Fn(&str) -> usize) -> Option<Self> {
        if !self.calls.is_empty() {
            return Some(self.with(called(self.calls.iter().map(|(call, _)| call.name.as_str()))));
        }
        let text = self.only_text().filter(|_| extracts)?;
        let extract = extract::summary(text, cost).text();
        let short = format!("{}\n\n[Shortened.]", extract.trim());
        (!extract.trim().is_empty() && short.len() < text.len()).then(|| self.with(short))
    }

    /// `None` if nothing fits. Tool exchanges keep some of each result, even over `limit`.
    pub fn cut(&self, limit: usize, cost: &dyn Fn(&Self) -> usize) -> Option<Self> {
        if !self.calls.is_empty() {
            return Some(self.with_shares(limit, cost));
        }
        let text = self.only_text()?;
        let all = text.lines().count();
        let noted = |text: &str, kept: usize| {
            self.with(format!("{text}\n\n[Cut after {kept} of {all} lines.]"))
        };
        let cost_of = |part: &str| if part.is_empty() { 0 } else { cost(&noted(part, all)) };
        let excerpt = truncate::truncate(text, limit, &cost_of);
        if excerpt.complete || excerpt.lines.is_empty() {
            return None;
        }
        let cut = noted(&excerpt.text(), excerpt.lines.len());
        (cost(&cut) <= limit).then_some(cut)
    }

    fn with_shares(&self, limit: usize, cost: &dyn Fn(&Self) -> usize) -> Self {
        let texts = self.calls.iter().flat_map(|(_, answer)| &answer.pieces);
        let longest = texts.map(|piece| piece.text().chars().count()).max().unwrap_or(0);
        let (mut best, mut good) = (self.sharing(SHARE), SHARE);
        let mut bad = loop {
            let next = good.saturating_mul(2).min(longest);
            if next <= good {
                return best;
            }
            let more = self.sharing(next);
            if cost(&more) > limit {
                break next;
            }
            (best, good) = (more, next);
        };
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            let more = self.sharing(middle);
            if cost(&more) <= limit {
                (best, good) = (more, middle);
            } else {
                bad = middle;
            }
        }
        best
    }

    fn sharing(&self, share: usize) -> Self {
        let piece = |piece: &MessagePiece| {
            if let MessagePiece::Text(text) = piece
                && let Some((end, _)) = text.char_indices().nth(share)
            {
                let (kept, all) = (text[..end].trim_end(), text.chars().count());
                let text = format!("{kept}\n\n[Cut after {share} of {all} characters.]");
                return MessagePiece::Text(text);
            }
            piece.clone()
        };
        let call = |(call, answer): &(ToolCall, ToolResult)| {
            let pieces = answer.pieces.iter().map(piece).collect();
            (call.clone(), ToolResult { id: answer.id.clone(), pieces, failed: answer.failed })
        };
        let calls = self.calls.iter().map(call).collect();
        let (pieces, thinking) = (self.pieces.clone(), self.thinking.clone());
        Self { role: self.role, pieces, calls, thinking, of: self.of.clone(), line: self.line }
    }

    fn with(&self, text: String) -> Self {
        Self { of: self.of.clone(), line: self.line, ..Self::saying(self.role, text) }
    }

    fn only_text(&self) -> Option<&str> {
        if let [MessagePiece::Text(text)] = &self.pieces[..] { Some(text) } else { None }
    }

    pub fn heading(&self) -> &'static str {
        match self.role {
            MessageRole::System | MessageRole::Developer => "System",
            MessageRole::User | MessageRole::Tool => "User",
            MessageRole::Assistant => "Assistant",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::message;
    use crate::conversation::turn::turns;

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn exchange() -> Turn {
        let messages = [
            json!({ "role": "assistant", "content": "Looking.", "tool_calls": [
                { "id": "1", "name": "find", "input": { "q": "x" } },
                { "id": "2", "name": "read", "input": {} }] }),
            json!({ "role": "tool", "tool_call_id": "1", "content": "four hits" }),
            json!({ "role": "tool", "tool_call_id": "2", "content": "" }),
        ];
        let messages: Vec<_> =
            messages.iter().map(|value| message::read(value, 1).unwrap()).collect();
        turns(&messages).remove(0)
    }

    #[test]
    fn a_turn_says_what_was_called_and_what_came_of_it() {
        insta::assert_snapshot!(exchange().text(), @r#"
        Looking.

        [Called find {"q":"x"}]

        [Called read {}]

        [Result of find]
        four hits

        [Result of read]
        "#);
        assert_eq!(
            exchange().texts(),
            ["Looking.", "find", "{\"q\":\"x\"}", "four hits", "read", "{}"]
        );
    }

    #[test]
    fn calls_are_shortened_to_the_names_of_tools() {
        let short = exchange().short(false, &words).unwrap();
        assert_eq!(short.text(), "[Previous: Called tools: find, read]");
        assert_eq!((short.calls.len(), short.of), (0, vec![0, 1, 2]));
    }

    #[test]
    fn texts_are_shortened_on_request_and_cut_at_blocks() {
        let text = "One is first. Two follows it.\n\n".repeat(12);
        let turn = Turn::saying(MessageRole::User, text.trim_end().to_owned());
        assert_eq!(turn.short(false, &words), None);
        let short = turn.short(true, &words).unwrap().text();
        assert!(short.ends_with("[Shortened.]") && short.len() < 60, "{short}");
        let cut = turn.cut(20, &|turn| words(&turn.text())).unwrap();
        assert!(cut.text().ends_with(" of 23 lines.]"), "{}", cut.text());
        assert!(words(&cut.text()) <= 20);
        assert_eq!(turn.cut(3, &|turn| words(&turn.text())), None);
    }

    #[test]
    fn results_are_cut_to_the_same_size() {
        let mut turn = exchange();
        assert_eq!(turn.cut(0, &|turn| words(&turn.text())), Some(exchange()));
        turn.calls[1].1.pieces =
            vec![MessagePiece::Text("word ".repeat(1000).trim_end().to_owned())];
        let cost = |turn: &Turn| words(&turn.text());
        let cut = turn.cut(100, &cost).unwrap();
        assert!((95..=100).contains(&cost(&cut)), "{}", cut.text());
        assert_eq!(cut.calls[0], turn.calls[0]);
        let least = turn.cut(0, &cost).unwrap().text();
        assert!(least.ends_with(" word\n\n[Cut after 80 of 4999 characters.]"), "{least}");
    }
}
