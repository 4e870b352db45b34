//! Answers in the form of each client.

use serde_json::{Value, json};

use super::client::AnswerShape;
use super::read::ClientEvent;

/// The answer with a context, on one line; `None` if the client takes none at this event.
pub fn answer(event: &ClientEvent, context: &str) -> Option<String> {
    let value: Value = match event.row?.answer {
        AnswerShape::Nothing => return None,
        // The names and their order are all that Codex takes.
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

/// The bytes of an answer around its context, without the prompt that it repeats, which the client does
/// not count.
pub fn frame(event: &ClientEvent) -> usize {
    let bare = ClientEvent { transformed_prompt: Some(String::new()), ..event.clone() };
    answer(&bare, "").map_or(0, |answer| answer.len() + 1)
}
