//! Limits entries and masks secrets.

use serde_json::{Map, Value};

use faber_core::secret::{given_secrets, names_secret};
use faber_core::security::redact::{self, hide};
use faber_core::source::char_boundary;

pub(crate) const MAX_TEXT: usize = 2000;
pub const MAX_NAME: usize = 256;
const MAX_ITEMS: usize = 100;
const MAX_DEPTH: usize = 8;
/// For all arguments, and for all IDs, as JSON.
const MAX_BYTES: usize = 64 * 1024;
/// More than is kept, to recognize a cut secret.
const LOOKED_AT: usize = 32 * 1024;
pub const MARK: char = '…';
const HIDDEN: &str = "***";

pub fn cut(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((at, MARK)) if at + MARK.len_utf8() == text.len() => text.to_owned(),
        Some((at, _)) => format!("{}{MARK}", &text[..at]),
        None => text.to_owned(),
    }
}

/// Idempotent.
pub fn arguments(value: &Value) -> Value {
    let bounded = bounded(value, 0);
    let bytes = written(&bounded);
    if bytes <= MAX_BYTES { bounded } else { format!("{bytes} bytes {MARK}").into() }
}

fn bounded(value: &Value, level: usize) -> Value {
    match value {
        Value::String(text) => Value::String(cut(&without_secrets(text), MAX_TEXT)),
        Value::Array(_) | Value::Object(_) if level == MAX_DEPTH => MARK.to_string().into(),
        Value::Array(items) => {
            let kept = items.iter().take(MAX_ITEMS).map(|item| bounded(item, level + 1));
            let more = (items.len() > MAX_ITEMS).then(|| Value::String(MARK.to_string()));
            Value::Array(kept.chain(more).collect())
        }
        Value::Object(entries) => {
            let kept = entries.iter().take(MAX_ITEMS).map(|(key, value)| {
                let one = matches!(value, Value::String(_) | Value::Number(_) | Value::Array(_));
                let hidden = one && names_secret(key, value.is_number());
                let value = if hidden { HIDDEN.into() } else { bounded(value, level + 1) };
                (cut(key, MAX_NAME), value)
            });
            let more = entries.len() > MAX_ITEMS;
            let more = more.then(|| (MARK.to_string(), Value::String(MARK.to_string())));
            Value::Object(kept.chain(more).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn without_secrets(text: &str) -> String {
    let text = &text[..char_boundary(text, LOOKED_AT)];
    let mut bytes = redact::masked(text).into_owned().into_bytes();
    for value in given_secrets(text) {
        hide(&mut bytes[value]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub fn is_whole(text: &str) -> bool {
    !text.ends_with(MARK) && !text.contains(HIDDEN)
}

pub fn ids(all: &[String]) -> (Vec<String>, u64) {
    let mut room = MAX_BYTES;
    let kept = all.iter().map_while(|id| {
        let id = cut(id, MAX_NAME);
        room = room.checked_sub(written(&Value::String(id.clone())) + 1)?;
        Some(id)
    });
    let kept: Vec<String> = kept.collect();
    let more = (all.len() - kept.len()) as u64;
    (kept, more)
}

fn written(value: &Value) -> usize {
    value.to_string().len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_texts_and_lists_are_cut_with_a_mark() {
        let long = "ü".repeat(MAX_TEXT + 1);
        let items: Vec<usize> = (0..500).collect();
        let bound = arguments(&json!({ "query": long, "ids": items, "n": 5, "deep": deep(20) }));
        assert_eq!(bound["query"], format!("{}…", "ü".repeat(MAX_TEXT)));
        assert_eq!(bound["ids"].as_array().unwrap().len(), MAX_ITEMS + 1);
        assert_eq!((&bound["ids"][MAX_ITEMS], &bound["n"]), (&json!("…"), &json!(5)));
        assert!(bound["deep"].to_string().contains("[\"…\"]"), "{}", bound["deep"]);
        let many: Map<String, Value> =
            (0..100).map(|at| (format!("k{at}"), "x".repeat(2000).into())).collect();
        let bound = arguments(&Value::Object(many));
        assert!(bound.as_str().unwrap().ends_with(" bytes …"), "{bound}");
    }

    fn deep(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn secrets_are_not_logged() {
        let key = ["AKIA", "Q3EGR7WXAZ5KPLMN"].concat();
        let bound = arguments(&json!({
            "request": format!("deploy with {key} please"),
            "nested": { "password": "hunter2", "max_tokens": 50, "api_key": "abc" },
        }));
        let stars = "*".repeat(key.len());
        assert_eq!(bound["request"], format!("deploy with {stars} please"));
        let expected = json!({ "password": "***", "max_tokens": 50, "api_key": "***" });
        assert_eq!(bound["nested"], expected);
    }

    #[test]
    fn values_of_secret_names_are_not_logged_whatever_they_are() {
        let logged = |text: &str| arguments(&json!({ "request": text }))["request"].clone();
        for (text, shown) in [
            ("login with password=hunter2", "login with password=*******"),
            ("DB_PASS=correcthorse and more", "DB_PASS=************ and more"),
            ("curl -H 'Authorization: Bearer abc' x", "curl -H 'Authorization: Bearer ***' x"),
            ("run --token abc --name x", "run --token *** --name x"),
            ("run --api-key=abc", "run --api-key=***"),
            ("https://h/?token=abc&page=2", "https://h/?token=***&page=2"),
            ("password: Hunter2!", "password: ********"),
            ("\"password\": \"hunter\"", "\"password\": \"******\""),
            ("password=\nx", "password=\nx"),
            ("max_tokens=50, page=2", "max_tokens=50, page=2"),
            ("How is a password: rules for it, a token: what is it?", ""),
        ] {
            let expected = if shown.is_empty() { text } else { shown };
            assert_eq!(logged(text), expected);
        }
    }

    #[test]
    fn ids_are_kept_as_far_as_there_is_room() {
        let all: Vec<String> = (0..10_000).map(|at| format!("standard-{at:04}")).collect();
        let (kept, more) = ids(&all);
        assert!(kept.len() > 1000 && kept.len() as u64 + more == 10_000);
        assert_eq!(kept[0], "standard-0000");
        assert_eq!(ids(&kept), (kept.clone(), 0));
    }
}
