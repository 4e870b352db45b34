//! Conversations as JSON Lines with `role` and `content`.

use jiff::civil::Date;
use serde_json::Value;

use faber_core::conversation::piece::MessagePiece;
use faber_core::conversation::{message, visible};
use faber_core::resolve::view::Access;

const JOINED: usize = 1_600;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConversationPart {
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) lines: Vec<u32>,
    pub(super) by: Option<String>,
    pub(super) at: Option<Date>,
}

pub(super) fn parts(text: &str, may_see: impl Fn(&Access<'_>) -> bool) -> Vec<ConversationPart> {
    let mut parts: Vec<ConversationPart> = Vec::new();
    // Messages around a hidden one are not joined.
    let mut is_after_hidden = false;
    let mut day = None;
    for message in visible::visible(visible::lines(text), may_see) {
        is_after_hidden |= message.is_after_hidden;
        day = message::stamp(&message.value).map(|stamp| stamp.day).or(day);
        let Some(text) = message_text(&message.value) else { continue };
        let line = u32::try_from(message.number).unwrap_or(u32::MAX);
        let more = text.lines().count();
        let is_open = |part: &&mut ConversationPart| {
            !is_after_hidden && part.at == day && part.text.len() + text.len() <= JOINED
        };
        match parts.last_mut().filter(is_open) {
            Some(part) => {
                part.text.push_str("\n\n");
                part.text.push_str(&text);
                part.lines.extend(std::iter::repeat_n(line, more + 1));
            }
            None => parts.push(ConversationPart {
                line,
                text,
                lines: vec![line; more],
                by: text_of(&message.value, &["contributed_by", "author", "owner", "user", "name"]),
                at: day,
            }),
        }
        is_after_hidden = false;
    }
    parts
}

fn text_of(message: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| message.get(key)?.as_str()).map(str::to_owned)
}

fn message_text(value: &Value) -> Option<String> {
    let role = value.get("role")?.as_str()?;
    value.get("content")?;
    let content = message::read_content(value).ok()?;
    let answers = content.answers.iter().flat_map(|answer| &answer.pieces);
    let pieces = content.pieces.iter().chain(answers);
    let texts = pieces.filter_map(|piece| match piece {
        MessagePiece::Text(text) => Some(text.trim()),
        MessagePiece::Image(_) | MessagePiece::Other(_) => None,
    });
    let content = texts.collect::<Vec<_>>().join("\n\n");
    (!content.is_empty()).then(|| format!("{role}: {content}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::resolve::view::Principal;

    #[test]
    fn messages_are_found_with_their_neighbours() {
        let text = concat!(
            "{\"role\":\"user\",\"content\":\"Why\\nnot?\",\"created_at\":\"2026-01-02T03:04:05Z\",\"author\":\"ann\"}\n",
            "no message\n{\"role\":\"tool\",\"content\":3}\n",
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Because.\"},{\"type\":\"image\"}]}\n",
        );
        let [part] = &parts(text, |_| true)[..] else { panic!("one part") };
        assert_eq!(part.text, "user: Why\nnot?\n\nassistant: Because.");
        assert_eq!(part.lines, [1, 1, 4, 4]);
        assert_eq!(
            (part.line, part.by.as_deref(), part.at),
            (1, Some("ann"), "2026-01-02".parse().ok())
        );
        let long = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x ".repeat(700));
        assert_eq!(
            parts(&long.repeat(3), |_| true).iter().map(|part| part.line).collect::<Vec<_>>(),
            [1, 2, 3]
        );
    }

    #[test]
    fn messages_of_several_days_are_in_several_parts() {
        let line =
            |word: &str, at: &str| format!("{{\"role\":\"user\",\"content\":\"{word}\"{at}}}\n");
        let at = |day: &str| format!(",\"created_at\":\"{day}T10:00:00Z\"");
        let (old, new) = (at("2025-12-01"), at("2026-01-14"));
        let lines = [("a", ""), ("b", &*old), ("c", ""), ("d", &new), ("e", "")];
        let text: String = lines.iter().map(|(word, at)| line(word, at)).collect();
        let found = parts(&text, |_| true).into_iter();
        let found: Vec<_> = found.map(|part| (part.text, part.at, part.line)).collect();
        let day = |day: &str| day.parse::<Date>().ok();
        let expected = [
            ("user: a".to_owned(), None, 1),
            ("user: b\n\nuser: c".to_owned(), day("2025-12-01"), 2),
            ("user: d\n\nuser: e".to_owned(), day("2026-01-14"), 4),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn hidden_messages_are_in_no_part() {
        let ann: Principal = Principal::parse("ann:crew").unwrap();
        let seen = |text: &str| -> Vec<String> {
            parts(text, |access| ann.may_read(access)).into_iter().map(|part| part.text).collect()
        };
        let line = |access: &str, word: &str| {
            format!("{{\"role\":\"user\",\"content\":\"{word}\"{access}}}\n")
        };
        let private = r#","owner":"bob","visibility":"private""#;
        let text = [line("", "a"), line(private, "b"), line(r#","groups":["crew"]"#, "c")].concat();
        assert_eq!(seen(&text), ["user: a", "user: c"]);
    }
}
