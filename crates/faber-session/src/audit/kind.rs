//! What the tools in the log do.

use serde_json::Value;

use super::entry::{AuditEntry, CallOutcome};

/// The tool that a session begins with when the prompt is made by faber.
pub const ASSEMBLE: &str = "assemble_prompt";
/// The method that gives the prompt of a role.
pub const PROMPT: &str = "prompts/get";
/// What the names of hooks begin with.
pub const HOOK: &str = "hook.";
/// What the names of commands begin with.
pub const COMMAND: &str = "cli.";
/// The tool that says in a line each what there is.
pub const LIST: &str = "list_contexts";
/// The tool that hands out what was listed.
pub(crate) const DETAIL: &str = "get_context_details";

/// A less relevant passage is a weak match. Of 148 questions whose answer a workspace has, 5 % find
/// nothing better; of 61 questions of another field, 95 %.
pub const WEAK: f64 = 0.45;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Gives what a request selects.
    Bundle,
    /// Gives a line for each of many contexts.
    List,
    /// Gives contexts by their ids.
    Detail,
    /// Gives what answers a question.
    Search,
    Other,
}

impl CallKind {
    pub fn of(tool: &str) -> Self {
        match tool.strip_prefix(COMMAND).unwrap_or(tool) {
            ASSEMBLE | PROMPT | "assemble" => Self::Bundle,
            hook if hook.starts_with(HOOK) => Self::Bundle,
            LIST | "catalog" => Self::List,
            DETAIL | "expand_context" | "resources/read" | "expand" | "show" => Self::Detail,
            "search_context" | "get_context" | "search" | "query" => Self::Search,
            _ => Self::Other,
        }
    }
}

impl AuditEntry {
    pub fn kind(&self) -> CallKind {
        CallKind::of(&self.tool)
    }

    /// The request of a bundle or the question of a search; empty if there is none.
    pub fn asked(&self) -> &str {
        ["request", "prompt", "query", "topic", "question"]
            .into_iter()
            .find_map(|key| self.argument(key).and_then(Value::as_str))
            .unwrap_or_default()
    }

    /// The error text of a bundle; empty if there is none.
    pub fn error_text(&self) -> &str {
        self.argument("error").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the call looked for something and found nothing, or only weak matches.
    pub fn is_unanswered(&self) -> bool {
        self.kind() == CallKind::Search
            && self.outcome == CallOutcome::Answered
            && !self.asked().trim().is_empty()
            && (self.results.is_empty() || self.relevance.is_some_and(|best| best < WEAK))
    }

    /// An argument. Those of a prompt of MCP are a level deeper.
    pub fn argument(&self, key: &str) -> Option<&Value> {
        let deeper = self.arguments.get("arguments").filter(|_| self.tool == PROMPT);
        deeper.unwrap_or(&self.arguments).get(key)
    }
}

/// The context of a result: a search finds passages, whose ids begin with that of their context.
pub fn context_of(id: &str) -> &str {
    id.split_once('#').map_or(id, |(context, _)| context)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_asked_is_found_in_the_arguments_of_each_tool() {
        let entry = |tool: &str, arguments: Value| AuditEntry {
            tool: tool.to_owned(),
            arguments,
            ..AuditEntry::default()
        };
        for (tool, arguments, kind) in [
            (ASSEMBLE, json!({ "request": "a" }), CallKind::Bundle),
            (PROMPT, json!({ "name": "r", "arguments": { "request": "a" } }), CallKind::Bundle),
            ("hook.prompt", json!({ "prompt": "a" }), CallKind::Bundle),
            ("cli.assemble", json!({ "request": "a" }), CallKind::Bundle),
            ("search_context", json!({ "query": "a" }), CallKind::Search),
            ("get_context", json!({ "topic": "a" }), CallKind::Search),
            ("cli.query", json!({ "question": "a" }), CallKind::Search),
        ] {
            let entry = entry(tool, arguments);
            assert_eq!((entry.asked(), entry.kind()), ("a", kind), "{tool}");
        }
        assert_eq!(entry(LIST, json!({})).asked(), "");
        assert_eq!(CallKind::of("cli.show"), CallKind::Detail);
        assert_eq!(CallKind::of("skills/list"), CallKind::Other);
        assert_eq!(context_of("playbook/a#2"), "playbook/a");
    }
}
