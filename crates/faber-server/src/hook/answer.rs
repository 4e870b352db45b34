use serde_json::{Value, json};

use super::client::{AnswerShape, Client};
use super::read::ClientEvent;

pub fn answer(event: &ClientEvent, context: &str) -> Option<String> {
    let value: Value = match event.row?.answer {
        AnswerShape::Nothing => return None,
        // Codex accepts no other names or order.
        AnswerShape::HookSpecific => json!({
            "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": context },
        }),
        AnswerShape::AdditionalContext => json!({ "additionalContext": context }),
        AnswerShape::SnakeCase => json!({ "additional_context": context }),
        AnswerShape::SnakeCaseContinue => {
            json!({ "continue": true, "additional_context": context })
        }
        AnswerShape::ModifiedPrompt => {
            let prompt = event.event.as_ref().map(|event| event.prompt.as_str());
            let prompt = event.transformed_prompt.as_deref().or(prompt)?;
            json!({ "modifiedTransformedPrompt": format!("{prompt}\n\n{context}") })
        }
    };
    Some(value.to_string())
}

/// `None` if the client accepts none. Hook commands hide the exit status.
pub fn block(client: Client, reason: &str) -> Option<String> {
    let value = match client {
        Client::Claude | Client::Codex => json!({ "decision": "block", "reason": reason }),
        Client::Gemini => json!({ "decision": "deny", "reason": reason }),
        Client::Cursor => json!({ "continue": false, "user_message": reason }),
        Client::Copilot | Client::VsCode | Client::Opencode => return None,
    };
    Some(value.to_string())
}

/// Bytes around a context.
pub fn frame(event: &ClientEvent) -> usize {
    let bare = ClientEvent { transformed_prompt: Some(String::new()), ..event.clone() };
    answer(&bare, "").map_or(0, |answer| answer.len() + 1)
}
