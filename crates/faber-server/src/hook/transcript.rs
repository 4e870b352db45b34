//! Past conversations, from clients' transcripts (undocumented) and the prompt log.

use serde::de::IgnoredAny;
use serde_json::Value;

use faber_core::conversation::visible::lines_or_items;
use faber_session::audit::entry::{AuditEntry, ParsedEntry};
use faber_session::audit::kind::HOOK;
use faber_tools::hook::event::{EventKind, HookEvent};
use faber_tools::memory::dialogue::user_text;

const UNNAMED: &str = "transcript";

pub fn events(text: &str) -> Vec<HookEvent> {
    let values = lines_or_items(text).into_iter().filter_map(|(_, value)| value.ok());
    let mut started = std::collections::BTreeSet::new();
    let mut all = Vec::new();
    for event in values.flat_map(|value| read(&value)) {
        let is_new = started.insert((event.conversation.clone(), event.agent.clone()));
        if is_new && event.kind != EventKind::SessionStart {
            let start = HookEvent::new(EventKind::SessionStart, event.conversation.clone());
            all.push(HookEvent { cwd: event.cwd.clone(), agent: event.agent.clone(), ..start });
        }
        all.push(event);
    }
    all
}

pub fn why_none(text: &str) -> String {
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let first = lines.clone().next();
    match (first, lines.find(|(line, _)| !is_json(line))) {
        (None, _) => "it is empty".to_owned(),
        (Some(_), Some((_, number))) if !is_json(text) => format!("line {number} is not JSON"),
        (Some((_, number)), _) => format!("line {number} is JSON, but not of a known transcript"),
    }
}

fn read(line: &Value) -> Vec<HookEvent> {
    if line.get("schema").is_some() {
        return logged(line).into_iter().collect();
    }
    if let Some(prompt) = line.as_str() {
        return vec![HookEvent::prompt(UNNAMED, prompt)];
    }
    let text = |keys: &[&str]| keys.iter().find_map(|key| line.get(*key)?.as_str());
    let conversation = text(&["sessionId", "session_id", "conversation_id"]).unwrap_or(UNNAMED);
    let cwd = text(&["cwd"]).filter(|cwd| !cwd.is_empty()).map(Into::into);
    let with_cwd = |event: HookEvent| HookEvent { cwd: cwd.clone(), ..event };
    let is_set = |key: &str| line.get(key).and_then(Value::as_bool) == Some(true);
    if is_set("isMeta") || is_set("isSidechain") {
        return Vec::new();
    }
    let kind = text(&["type"]).unwrap_or_default();
    if is_set("isCompactSummary") || kind == "compacted" {
        let event = HookEvent::new(EventKind::Compaction, conversation);
        return vec![with_cwd(HookEvent { starts_over: true, ..event })];
    }
    if kind == "assistant" {
        return touched(line, conversation).into_iter().map(with_cwd).collect();
    }
    user_text(line)
        .filter(|prompt| !prompt.trim().is_empty())
        .map(|prompt| with_cwd(HookEvent::prompt(conversation, &prompt)))
        .into_iter()
        .collect()
}

fn touched(line: &Value, conversation: &str) -> Option<HookEvent> {
    let blocks = line.get("message")?.get("content")?.as_array()?;
    let input = |block: &Value| {
        let is_tool = block.get("type").and_then(Value::as_str) == Some("tool_use");
        let path = block.get("input")?.get("file_path")?.as_str()?;
        is_tool.then(|| path.to_owned())
    };
    let files: Vec<String> = blocks.iter().filter_map(input).collect();
    let event = HookEvent::new(EventKind::Tool, conversation);
    (!files.is_empty()).then_some(HookEvent { files, ..event })
}

fn logged(line: &Value) -> Option<HookEvent> {
    let ParsedEntry::Entry(entry) = AuditEntry::parse(line.to_string().as_bytes()) else {
        return None;
    };
    let kind = EventKind::from_name(entry.tool.strip_prefix(HOOK)?)?;
    let text = |key: &str| entry.arguments.get(key).and_then(Value::as_str).map(str::to_owned);
    let files = entry.arguments.get("files").and_then(Value::as_array).into_iter().flatten();
    let starts_over = entry.arguments.get("starts_over").and_then(Value::as_bool);
    let skipped = text("skipped").is_some_and(|skipped| skipped != "recorded only");
    Some(HookEvent {
        agent: text("agent"),
        prompt: text("prompt").unwrap_or_default(),
        error: text("error").unwrap_or_default(),
        is_from_person: !skipped,
        files: files.filter_map(Value::as_str).map(str::to_owned).collect(),
        starts_over: starts_over.unwrap_or_default(),
        ..HookEvent::new(kind, entry.session)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_found_in_the_transcripts_of_all_clients() {
        let prompts = |text: &str| -> Vec<String> {
            let events = events(text).into_iter();
            let prompts = events.filter(|event| event.kind == EventKind::Prompt);
            prompts.map(|event| event.prompt).collect()
        };
        for line in [
            r#"{"type":"user","message":{"role":"user","content":"fix it"},"sessionId":"a","cwd":"/w"}"#,
            r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"fix it"}]}}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"fix it"}}"#,
            r#"{"role":"user","message":{"content":[{"type":"text","text":"<x>1</x><user_query>\nfix it\n</user_query>"}]}}"#,
            r#"{"type":"user.message","data":{"content":"fix it"}}"#,
            r#"{"id":"1","timestamp":"t","type":"user","content":"fix it"}"#,
            r#"[{"role":"user","content":"fix it"},{"role":"assistant","content":"done"}]"#,
            r#"{"prompt":"fix it"}"#,
            r#""fix it""#,
        ] {
            assert_eq!(prompts(line), ["fix it"], "{line}");
        }
        for line in [
            r#"{"type":"user","isMeta":true,"message":{"content":"x"}}"#,
            r#"{"type":"user","isSidechain":true,"message":{"content":"x"}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}"#,
            r#"{"type":"event_msg","payload":{"type":"agent_message","message":"x"}}"#,
            r#"{"schema":"other","prompt":"x"}"#,
            "not json",
            "3",
            "",
        ] {
            assert!(prompts(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn a_conversation_begins_with_the_start_of_a_session() {
        let text = concat!(
            "{\"type\":\"user\",\"message\":{\"content\":\"a\"},\"sessionId\":\"1\"}\n",
            "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"input\":{\"file_path\":\"x.rs\"}}]},\"sessionId\":\"1\"}\n",
            "{\"type\":\"user\",\"isCompactSummary\":true,\"message\":{\"content\":\"s\"},\"sessionId\":\"1\"}\n",
        );
        let kinds: Vec<EventKind> = events(text).iter().map(|event| event.kind).collect();
        let expected =
            [EventKind::SessionStart, EventKind::Prompt, EventKind::Tool, EventKind::Compaction];
        assert_eq!(kinds, expected);
    }
}
