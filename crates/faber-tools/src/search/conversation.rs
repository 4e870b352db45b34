//! Conversations of the history, as JSON Lines with `role` and `content`.

use jiff::civil::Date;
use serde_json::Value;

use faber_core::conversation::message;
use faber_core::conversation::piece::Piece;

/// Consecutive messages up to this many bytes are one unit.
const JOINED: usize = 1_600;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The line of the first message, from 1.
    pub(super) line: u32,
    /// `role: content` of each message, separated by empty lines.
    pub(super) text: String,
    /// The line of the file for each line of `text`.
    pub(super) lines: Vec<u32>,
    /// The author of the first message, if known.
    pub(super) by: Option<String>,
    /// The day of the first message, if known.
    pub(super) at: Option<Date>,
}

/// The parts of a conversation. Other lines are ignored.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, text) in (1..).zip(text.lines()) {
        let Ok(message) = serde_json::from_str::<Value>(text) else { continue };
        let Some(said) = said(&message) else { continue };
        let more = said.lines().count();
        match parts.last_mut().filter(|part| part.text.len() + said.len() <= JOINED) {
            Some(part) => {
                part.text.push_str("\n\n");
                part.text.push_str(&said);
                part.lines.extend(std::iter::repeat_n(line, more + 1));
            }
            None => parts.push(Part {
                line,
                text: said,
                lines: vec![line; more],
                by: text_of(&message, &["contributed_by", "author", "user", "name"]),
                at: message::stamp(&message).map(|stamp| stamp.day),
            }),
        }
    }
    parts
}

fn text_of(message: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| message.get(key)?.as_str()).map(str::to_owned)
}

fn said(value: &Value) -> Option<String> {
    let role = value.get("role")?.as_str()?;
    value.get("content")?;
    let content = message::said(value).ok()?;
    let answers = content.answers.iter().flat_map(|answer| &answer.pieces);
    let pieces = content.pieces.iter().chain(answers);
    let texts = pieces.filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.trim()),
        Piece::Image(_) | Piece::Other(_) => None,
    });
    let content = texts.collect::<Vec<_>>().join("\n\n");
    (!content.is_empty()).then(|| format!("{role}: {content}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_with_their_neighbours() {
        let text = concat!(
            "{\"role\":\"user\",\"content\":\"Why\\nnot?\",\"created_at\":\"2026-01-02T03:04:05Z\",\"author\":\"ann\"}\n",
            "no message\n{\"role\":\"tool\",\"content\":3}\n",
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Because.\"},{\"type\":\"image\"}]}\n",
        );
        let [part] = &parts(text)[..] else { panic!("one part") };
        assert_eq!(part.text, "user: Why\nnot?\n\nassistant: Because.");
        assert_eq!(part.lines, [1, 1, 4, 4]);
        assert_eq!(
            (part.line, part.by.as_deref(), part.at),
            (1, Some("ann"), "2026-01-02".parse().ok())
        );
        let long = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x ".repeat(700));
        assert_eq!(
            parts(&long.repeat(3)).iter().map(|part| part.line).collect::<Vec<_>>(),
            [1, 2, 3]
        );
    }
}
