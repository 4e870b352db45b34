//! Filters stored conversations by access.

use serde_json::Value;

use crate::resolve::view::{ACCESS_KEYS, Access, mentions_access};

#[derive(Clone, Debug, PartialEq)]
pub struct VisibleLine {
    /// From 1.
    pub number: usize,
    pub value: Value,
    pub is_restricted: bool,
    pub is_after_hidden: bool,
}

pub fn lines(text: &str) -> impl Iterator<Item = (usize, Result<Value, &str>)> {
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| (number, serde_json::from_str(line).map_err(|_| line)))
}

pub fn lines_or_items(text: &str) -> Vec<(usize, Result<Value, &str>)> {
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Array(items)) => (1..).zip(items.into_iter().map(Ok)).collect(),
        _ => lines(text).collect(),
    }
}

/// Rules of the first object and of objects without `content` apply to all. An unreadable line that
/// mentions access hides everything.
pub fn visible<'t>(
    lines: impl IntoIterator<Item = (usize, Result<Value, &'t str>)>,
    may_see: impl Fn(&Access<'_>) -> bool,
) -> Vec<VisibleLine> {
    let mut visible = Vec::new();
    let (mut is_first, mut all_restricted, mut is_after_hidden) = (true, false, false);
    for (number, value) in lines {
        let value = match value {
            Ok(value) => value,
            Err(text) if mentions_access(text) => return Vec::new(),
            Err(_) => continue,
        };
        let is_restricted = is_restricted(&value);
        if value.is_object() {
            let is_of_all = std::mem::take(&mut is_first) || value.get("content").is_none();
            if !may_see(&Access::from(&value)) {
                if is_of_all {
                    return Vec::new();
                }
                is_after_hidden = true;
                continue;
            }
            all_restricted |= is_of_all && is_restricted;
        }
        let is_after_hidden = std::mem::take(&mut is_after_hidden);
        visible.push(VisibleLine { number, value, is_restricted, is_after_hidden });
    }
    for line in &mut visible {
        line.is_restricted |= all_restricted;
    }
    visible
}

fn is_restricted(value: &Value) -> bool {
    let mut keys = value.as_object().into_iter().flat_map(|object| object.keys());
    keys.any(|key| key != "owner" && ACCESS_KEYS.contains(&key.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::view::Principal;

    const PRIVATE: &str = r#","owner":"bob","visibility":"private""#;
    const OWN: &str = r#","owner":"ann","visibility":"private""#;

    fn message(word: &str, access: &str) -> String {
        format!("{{\"role\":\"user\",\"content\":\"{word}\"{access}}}\n")
    }

    fn seen(text: &str) -> String {
        let ann: Principal = Principal::parse("ann:crew").unwrap();
        let visible = visible(lines_or_items(text), |access| ann.may_read(access));
        let mark = |line: VisibleLine| {
            let word = line.value.get("content").unwrap_or(&line.value).to_string();
            let marks = [(line.is_restricted, "!"), (line.is_after_hidden, "~")];
            let marks = marks.into_iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| mark);
            word.replace('"', "") + &marks.collect::<String>()
        };
        visible.into_iter().map(mark).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hidden_lines_are_left_out() {
        let of_file = "{\"owner\":\"bob\",\"visibility\":\"private\"}\n";
        for (lines, wanted) in [
            (vec![message("a", ""), message("b", PRIVATE), message("c", "")], "a c~"),
            (vec![message("a", ""), message("b", r#","groups":["crew"]"#)], "a b!"),
            (vec![message("a", OWN), message("b", "")], "a! b!"),
            (vec![message("a", ""), message("b", OWN), message("c", "")], "a b! c"),
            (vec![message("a", r#","owner":"bob""#), message("b", "")], "a b"),
            (vec![message("a", PRIVATE), message("b", "")], ""),
            (vec!["\n".to_owned(), message("a", PRIVATE), message("b", "")], ""),
            (vec!["3\n\"c\"\n".to_owned(), message("a", PRIVATE), message("b", "")], ""),
            (vec!["3\n\"c\"\nnot JSON\n".to_owned(), message("a", "")], "3 c a"),
            (vec![message("a", ""), of_file.to_owned()], ""),
            (vec![message("a", ""), "{\"owner\":3}\n".to_owned()], ""),
        ] {
            assert_eq!(seen(&lines.concat()), wanted, "{lines:?}");
        }
        for unclear in [
            r#","visibility":"privat""#,
            r#","groups":[1]"#,
            r#","owner":3"#,
            r#","Visibility":"private""#,
            r#","Owner":"ann""#,
        ] {
            assert_eq!(seen(&[message("a", unclear), message("b", "")].concat()), "", "{unclear}");
            let later = [message("a", ""), message("b", unclear), message("c", "")].concat();
            assert_eq!(seen(&later), "a c~", "{unclear}");
        }
        for broken in ["{\"owner\": \"bob\"\n", "{owner: bob\n", "{'Visibility': 'private'\n"] {
            assert_eq!(seen(&[broken, &message("a", "")].concat()), "", "{broken}");
        }
        assert_eq!(seen("\u{feff}[{\"content\":\"a\"},\n {\"content\":\"b\"},3]"), "a b 3");
        assert_eq!(seen("[{\"content\":\"a\",\"owner\":3},{\"content\":\"b\"}]"), "");
    }
}
