use camino::Utf8Path;
use jiff::civil::Date;
use serde_json::Value;

use crate::search::item::{SearchItem, SourceType};
use crate::search::stored::StoredView;
use faber_core::config::KeepDays;
use faber_core::conversation::message;
use faber_session::history::first_kept;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    pub history: Option<Date>,
    pub memories: Option<Date>,
    pub audit: Option<Date>,
}

impl Retention {
    pub fn new(days: KeepDays, today: Date) -> Self {
        let first = |days: Option<u32>| days.map(|_| first_kept(days, today));
        Self {
            history: first(days.history),
            memories: first(days.memories),
            audit: first(days.audit),
        }
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            history: self.history.max(other.history),
            memories: self.memories.max(other.memories),
            audit: self.audit.max(other.audit),
        }
    }

    fn keeps(&self, item: &SearchItem) -> bool {
        let first = match item.kind {
            SourceType::Memory => self.memories,
            SourceType::Conversation => self.history,
            SourceType::Document => None,
        };
        first.zip(item.dated).is_none_or(|(first, dated)| dated >= first)
    }
}

impl StoredView {
    pub fn expire(&mut self, retention: &Retention) -> usize {
        let before = self.items.len();
        let files = &mut self.files;
        self.items.retain(|stored| {
            let is_kept = retention.keeps(&stored.item);
            if !is_kept && stored.item.kind == SourceType::Memory {
                files.remove(&stored.item.path);
            }
            is_kept
        });
        if let Some(first) = retention.history {
            let is_conversation = |path: &str| Utf8Path::new(path).extension() == Some("jsonl");
            self.files.retain(|path, file| {
                let shorter = is_conversation(path).then(|| messages_since(&file.text, first));
                shorter.is_none_or(|left| left.map(|text| file.text = text).is_some())
            });
        }
        before - self.items.len()
    }
}

/// `None` if no message is left. Undated messages have the date of the one before.
pub fn messages_since(text: &str, first: Date) -> Option<String> {
    let mut day = None;
    let mut has_message = false;
    let mut left = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        // An unreadable line may be part of a message.
        let is_message =
            value.get("content").is_some() || !(value.is_object() || line.trim().is_empty());
        if is_message {
            day = message::stamp(&value).map(|stamp| stamp.day).or(day);
        }
        if !is_message || day.is_none_or(|day| day >= first) {
            left.push_str(line);
            has_message |= is_message;
        }
    }
    has_message.then_some(left)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_count_back_from_today() {
        let days = KeepDays { history: Some(30), memories: None, audit: Some(1) };
        let retention = Retention::new(days, date(2026, 1, 31));
        assert_eq!(retention.history, Some(date(2026, 1, 1)));
        assert_eq!((retention.memories, retention.audit), (None, Some(date(2026, 1, 30))));
        let longer = Retention { history: Some(date(2025, 1, 1)), ..Retention::default() };
        assert_eq!(longer.and(retention), retention);
    }

    #[test]
    fn messages_before_a_day_go_and_access_stays() {
        let access = "{\"owner\":\"ann\",\"visibility\":\"private\"}\n";
        let old =
            "{\"role\":\"user\",\"content\":\"old\",\"created_at\":\"2025-12-31T23:00:00Z\"}\n";
        let undated = "{\"role\":\"assistant\",\"content\":\"undated\"}\n";
        let new =
            "{\"role\":\"user\",\"content\":\"new\",\"created_at\":\"2026-01-01T00:00:00Z\"}\n";
        let since = |text: &str| messages_since(text, date(2026, 1, 1));
        let all = [access, old, undated, new, undated].concat();
        assert_eq!(since(&all).as_deref(), Some(&*[access, new, undated].concat()));
        assert_eq!(since(&[access, old, undated, "\n", "{torn\n"].concat()), None);
        assert_eq!(since(undated).as_deref(), Some(undated));
    }
}
