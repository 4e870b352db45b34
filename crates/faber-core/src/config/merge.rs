//! Merging configurations.

use std::collections::{BTreeMap, BTreeSet};

use crate::yaml::{Entry, Node, ScalarKind, Value};

#[must_use]
pub fn merge(base: Node, later: Node) -> Node {
    match (base.value, later.value) {
        (Value::Map(low), Value::Map(high)) => {
            Node { span: base.span, value: Value::Map(merge_entries(low, high)) }
        }
        (Value::Seq(low), Value::Seq(high)) => {
            Node { span: base.span, value: Value::Seq(unite(low, high)) }
        }
        (_, value) => Node { span: later.span, value },
    }
}

fn merge_entries(mut base: Vec<Entry>, later: Vec<Entry>) -> Vec<Entry> {
    let places: BTreeMap<String, usize> =
        base.iter().enumerate().map(|(at, entry)| (entry.key.clone(), at)).collect();
    for entry in later {
        let Some(&at) = places.get(&entry.key) else {
            base.push(entry);
            continue;
        };
        let low = std::mem::replace(&mut base[at].value, Node::null(entry.key_span));
        base[at] = Entry { value: merge(low, entry.value), ..entry };
    }
    base
}

fn unite(mut base: Vec<Node>, later: Vec<Node>) -> Vec<Node> {
    let mut seen: BTreeSet<String> = base.iter().map(identity).collect();
    base.extend(later.into_iter().filter(|item| seen.insert(identity(item))));
    base
}

/// Compares spelling: `1.10` and `1.1` differ.
#[must_use]
pub fn identity(node: &Node) -> String {
    let mut text = String::new();
    write_identity(node, &mut text);
    text
}

fn write_identity(node: &Node, out: &mut String) {
    match &node.value {
        Value::Scalar(scalar) => {
            let tag = if scalar.kind == ScalarKind::Str { 's' } else { 'p' };
            write_text(tag, &scalar.text, out);
        }
        Value::Seq(items) => {
            out.push('[');
            for item in items {
                write_identity(item, out);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            let sorted: BTreeMap<_, _> =
                entries.iter().map(|entry| (&entry.key, &entry.value)).collect();
            out.push('{');
            for (key, value) in sorted {
                write_text('k', key, out);
                write_identity(value, out);
            }
            out.push('}');
        }
    }
}

fn write_text(tag: char, text: &str, out: &mut String) {
    out.push(tag);
    out.push_str(&text.len().to_string());
    out.push(':');
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::super::testing::workspace;
    use super::*;

    fn merged(base: &str, later: &str) -> serde_json::Value {
        merge(workspace(base).1, workspace(later).1).to_json()
    }

    #[test]
    fn maps_merge_scalars_yield_and_lists_unite() {
        let value = merged(
            "roles: [a, b]\nsettings: { team: x, role: r }\nconversation: { weights: { a: 1 } }\n",
            "settings: { team: y }\nroles: [c, a, c]\nconversation: { weights: seed }\naudit: true\n",
        );
        let expected = serde_json::json!({
            "roles": ["a", "b", "c"], "settings": { "team": "y", "role": "r" },
            "conversation": { "weights": "seed" }, "audit": true,
        });
        assert_eq!(value, expected);
        let keys: Vec<_> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["roles", "settings", "conversation", "audit"]);
    }

    #[test]
    fn list_items_are_equal_by_value_not_by_place_or_key_order() {
        let value = merged(
            "conversation: { l: [{ a: 1, b: 2 }, 1.10, [x]] }\n",
            "conversation: { l: [ {b: 2, a: 1}, 1.1, \"1.10\", ['x'], [x, ''] ] }\n",
        );
        let expected = serde_json::json!([{ "a": 1, "b": 2 }, 1.1, ["x"], 1.1, "1.10", ["x", ""]]);
        assert_eq!(value["conversation"]["l"], expected);
    }

    #[test]
    fn a_value_keeps_the_place_that_it_came_from() {
        let (_, base, _) = workspace("settings: { team: x, role: r }\n");
        let (_, later, _) = workspace("settings:\n  team: y\n");
        let team = later.get("settings").unwrap().get("team").unwrap().span;
        let role = base.get("settings").unwrap().get("role").unwrap().span;
        let both = merge(base, later);
        let settings = both.get("settings").unwrap();
        assert_eq!(
            (settings.get("team").unwrap().span, settings.get("role").unwrap().span),
            (team, role)
        );
    }
}
