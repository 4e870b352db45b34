//! Messages with their tool results as units.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use crate::conversation::form;
use crate::conversation::message::{Message, MessageRole};
use crate::conversation::piece::{MessagePiece, ToolCall, ToolResult, push_text};

#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub role: MessageRole,
    pub pieces: Vec<MessagePiece>,
    pub calls: Vec<(ToolCall, ToolResult)>,
    pub thinking: Vec<Value>,
    pub of: Vec<usize>,
    pub line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestSource {
    Conversation,
    NewestMessage,
    Separate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnNeed {
    No,
    IfItFits,
    Exchange,
    Always,
}

struct OpenTurn {
    turn: Turn,
    calls: Vec<(ToolCall, Option<ToolResult>)>,
}

impl Turn {
    pub fn saying(role: MessageRole, text: String) -> Self {
        let pieces = vec![MessagePiece::Text(text)];
        Self { role, pieces, calls: Vec::new(), thinking: Vec::new(), of: Vec::new(), line: 0 }
    }
}

/// Sorted by timestamp if all have one. Unpaired calls and results become text: APIs reject them.
pub fn turns(messages: &[Message]) -> Vec<Turn> {
    let mut turns: Vec<OpenTurn> = Vec::new();
    let mut waiting: HashMap<&str, VecDeque<(usize, usize)>> = HashMap::new();
    for at in in_time(messages) {
        let Message { role, content, line, .. } = &messages[at];
        let mut pieces = Vec::new();
        for answer in &content.answers {
            match waiting.get_mut(answer.id.as_str()).and_then(VecDeque::pop_front) {
                Some((turn, call)) => {
                    turns[turn].calls[call].1 = Some(answer.clone());
                    turns[turn].turn.of.push(at);
                }
                None => push_text(&mut pieces, &form::stray(answer)),
            }
        }
        pieces.extend_from_slice(&content.pieces);
        if pieces.is_empty() && content.calls.is_empty() {
            continue;
        }
        for call in content.calls.iter().filter(|call| !call.id.is_empty()) {
            waiting.remove(call.id.as_str());
        }
        for (place, call) in content.calls.iter().enumerate() {
            waiting.entry(&call.id).or_default().push_back((turns.len(), place));
        }
        let role = if *role == MessageRole::Tool { MessageRole::User } else { *role };
        let thinking = content.thinking.clone();
        let turn = Turn { role, pieces, calls: Vec::new(), thinking, of: vec![at], line: *line };
        let calls = content.calls.iter().map(|call| (call.clone(), None)).collect();
        turns.push(OpenTurn { turn, calls });
    }
    let mut turns: Vec<Turn> = turns.into_iter().map(OpenTurn::closed).collect();
    let open = turns.iter().rposition(|turn| turn.role == MessageRole::User).unwrap_or(0);
    for turn in &mut turns[..open] {
        turn.thinking.clear();
    }
    turns
}

pub fn needs(turns: &[Turn], source: RequestSource) -> Vec<TurnNeed> {
    let last = turns.iter().rposition(|turn| turn.role == MessageRole::User);
    let of_last = match source {
        RequestSource::Conversation => TurnNeed::Always,
        RequestSource::NewestMessage => TurnNeed::No,
        RequestSource::Separate => TurnNeed::IfItFits,
    };
    let newest = turns.iter().rposition(|turn| !turn.role.instructs());
    let open =
        newest.filter(|at| source == RequestSource::Conversation && !turns[*at].calls.is_empty());
    let need = |(at, turn): (usize, &Turn)| match turn.role {
        role if role.instructs() => TurnNeed::Always,
        _ if Some(at) == last => of_last,
        _ if Some(at) == open => TurnNeed::Exchange,
        _ => TurnNeed::No,
    };
    turns.iter().enumerate().map(need).collect()
}

pub fn take_request(messages: &mut Vec<Message>) -> Option<String> {
    let last = *in_time(messages).last()?;
    let text = text_of_user(&messages[last])?.to_owned();
    messages.remove(last);
    Some(text)
}

pub fn last_text(messages: &[Message]) -> Option<&str> {
    in_time(messages).into_iter().rev().find_map(|at| text_of_user(&messages[at]))
}

fn text_of_user(message: &Message) -> Option<&str> {
    let Message { role, content, .. } = message;
    match &content.pieces[..] {
        [MessagePiece::Text(text)] if *role == MessageRole::User && content.answers.is_empty() => {
            Some(text)
        }
        _ => None,
    }
}

fn in_time(messages: &[Message]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..messages.len()).collect();
    let moment = |at: usize| messages[at].at.and_then(|at| at.moment);
    if order.iter().all(|&at| moment(at).is_some()) {
        order.sort_by_key(|&at| moment(at));
    }
    order
}

impl OpenTurn {
    fn closed(self) -> Turn {
        let mut turn = self.turn;
        let mut unanswered = Vec::new();
        for (call, answer) in self.calls {
            match answer {
                Some(answer) => turn.calls.push((call, answer)),
                None => unanswered.push(call.name),
            }
        }
        if !unanswered.is_empty() {
            let names = unanswered.iter().map(String::as_str);
            push_text(&mut turn.pieces, &form::called(names));
        }
        turn.of.sort_unstable();
        turn.of.dedup();
        turn
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::message;
    use crate::conversation::piece::joined;

    fn of(values: &[Value]) -> Vec<Turn> {
        let read = |(at, value)| message::read(value, at + 1).unwrap();
        turns(&values.iter().enumerate().map(read).collect::<Vec<_>>())
    }

    fn calls(ids: &[&str]) -> Value {
        let call = |id: &&str| json!({ "id": id, "name": format!("tool-{id}"), "input": {} });
        let calls: Vec<Value> = ids.iter().map(call).collect();
        json!({ "role": "assistant", "content": null, "tool_calls": calls })
    }

    fn result(id: &str, text: &str) -> Value {
        json!({ "role": "tool", "tool_call_id": id, "content": text })
    }

    fn user(text: &str) -> Value {
        json!({ "role": "user", "content": text })
    }

    #[test]
    fn a_call_and_its_results_are_one_turn() {
        let turns =
            of(&[user("a"), calls(&["1", "2"]), result("2", "y"), result("1", "x"), user("b")]);
        assert_eq!(turns.len(), 3);
        let answers: Vec<_> = turns[1]
            .calls
            .iter()
            .map(|(call, answer)| (&*call.id, joined(&answer.pieces)))
            .collect();
        assert_eq!(answers, [("1", "x".to_owned()), ("2", "y".to_owned())]);
        assert_eq!((&turns[1].of[..], turns[1].line), (&[1, 2, 3][..], 2));
        let (no, always) = (TurnNeed::No, TurnNeed::Always);
        assert_eq!(needs(&turns, RequestSource::Conversation), [no, no, always]);
        assert_eq!(needs(&turns[..2], RequestSource::Conversation), [always, TurnNeed::Exchange]);
        assert_eq!(needs(&turns[..2], RequestSource::Separate), [TurnNeed::IfItFits, no]);
        assert_eq!(needs(&turns, RequestSource::NewestMessage), [no, no, no]);
        assert_eq!(needs(&turns, RequestSource::Separate), [no, no, TurnNeed::IfItFits]);
    }

    #[test]
    fn unpaired_calls_and_results_become_text() {
        let turns =
            of(&[result("0", "early"), calls(&["1", "2"]), result("1", "x"), result("1", "z")]);
        let texts: Vec<String> = turns.iter().map(|turn| joined(&turn.pieces)).collect();
        assert_eq!(
            texts,
            [
                "[Result of an earlier tool call]\n\nearly",
                "[Previous: Called tools: tool-2]",
                "[Result of an earlier tool call]\n\nz"
            ]
        );
        assert_eq!(turns[1].calls.len(), 1);
        assert!(turns.iter().all(|turn| turn.role != MessageRole::Tool));
    }

    #[test]
    fn an_id_that_is_used_again_is_another_call() {
        let turns = of(&[calls(&["1"]), result("1", "x"), calls(&["1"]), result("1", "y")]);
        let answers: Vec<String> =
            turns.iter().map(|turn| joined(&turn.calls[0].1.pieces)).collect();
        assert_eq!(answers, ["x", "y"]);
    }

    #[test]
    fn calls_without_ids_are_answered_in_their_order() {
        let results = [result("", "x"), result("", "y")];
        for called in [vec![calls(&["", ""])], vec![calls(&[""]), calls(&[""])]] {
            let turns = of(&[called, results.to_vec()].concat());
            let calls = turns.iter().flat_map(|turn| &turn.calls);
            let answers: Vec<String> = calls.map(|(_, answer)| joined(&answer.pieces)).collect();
            assert_eq!(answers, ["x", "y"]);
            assert!(turns.iter().all(|turn| turn.pieces.is_empty()), "{turns:?}");
        }
    }

    #[test]
    fn time_stamps_order_where_all_messages_have_one() {
        let at =
            |text: &str, time: &str| json!({ "role": "user", "content": text, "timestamp": time });
        let texts =
            |turns: Vec<Turn>| turns.iter().map(|turn| joined(&turn.pieces)).collect::<Vec<_>>();
        let late = at("late", "2026-01-02T00:00:00Z");
        let early = at("early", "2026-01-01T00:00:00Z");
        assert_eq!(texts(of(&[late.clone(), early.clone()])), ["early", "late"]);
        assert_eq!(texts(of(&[late, early, user("x")])), ["late", "early", "x"]);
    }

    #[test]
    fn the_newest_message_is_what_is_asked() {
        let read = |value: &Value| message::read(value, 1).unwrap();
        let mut messages = vec![read(&user("a")), read(&user("b"))];
        assert_eq!((take_request(&mut messages), messages.len()), (Some("b".to_owned()), 1));
        let mut ended = vec![read(&user("a")), read(&result("1", "x"))];
        assert_eq!(
            (take_request(&mut ended), ended.len(), take_request(&mut Vec::new())),
            (None, 2, None)
        );
    }

    #[test]
    fn thinking_stays_only_while_tools_are_at_work() {
        let thinks = json!({ "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "s" },
            { "type": "tool_use", "id": "1", "name": "a", "input": {} }] });
        let open = [user("a"), thinks.clone(), result("1", "x")];
        assert_eq!(of(&open)[1].thinking.len(), 1);
        let ended = [user("a"), thinks, result("1", "x"), user("b")];
        assert!(of(&ended)[1].thinking.is_empty());
    }
}
