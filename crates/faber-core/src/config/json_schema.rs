//! The JSON Schema of configuration files, for editors.

use serde_json::{Map, Value, json};

use super::schema::{Field, ROOT, Setter, Shape};

/// Variables are expanded before values are checked.
const VARIABLE: &str = r"\$\{[A-Za-z_][A-Za-z0-9_]*\}";

pub fn json_schema() -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of faber",
        "description": "`.faber/config.yml`, `config.yml` of an overlay, and the user's own configuration.",
    });
    if let (Value::Object(schema), Value::Object(root)) = (&mut schema, of(&ROOT)) {
        schema.extend(root);
    }
    schema
}

fn of(shape: &Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": ["string", "number", "boolean", "null"] }),
        Shape::Name => {
            json!({ "type": ["string", "number", "boolean", "null"], "pattern": r"\S" })
        }
        Shape::Bool => scalar(&["boolean"], "^(true|false)$"),
        Shape::Whole(least, most) => bounded("integer", "^[0-9]+$", (*least, *most)),
        Shape::Number(least, most) => bounded("number", "^[+-]?[0-9][0-9.eE+-]*$", (*least, *most)),
        Shape::Amount => bounded("integer", r"^([0-9.]+[kKmM]?|[0-9.]+ *%)$", (0, u64::MAX)),
        Shape::OneOf(words) => words_or_variable(words),
        Shape::Texts => json!({ "type": ["array", "null"], "items": of(&Shape::Text) }),
        Shape::TextOrTexts => json!({ "anyOf": [of(&Shape::Text), of(&Shape::Texts)] }),
        Shape::Map(fields) => map(fields, &json!(false)),
        Shape::MapOf(fields, value) => map(fields, &of(value)),
        Shape::Free => map(&[], &json!(true)),
        Shape::Or(value, fields) => json!({ "anyOf": [of(value), map(fields, &json!(false))] }),
    }
}

fn scalar(types: &[&str], pattern: &str) -> Value {
    let types: Vec<&str> = types.iter().copied().chain(["string", "null"]).collect();
    json!({ "type": types, "pattern": format!("{pattern}|{VARIABLE}") })
}

fn bounded<T: Into<Value>>(kind: &str, pattern: &str, (least, most): (T, T)) -> Value {
    let mut schema = scalar(&[kind], pattern);
    schema["minimum"] = least.into();
    let most = most.into();
    if most != json!(u64::MAX) {
        schema["maximum"] = most;
    }
    schema
}

fn words_or_variable(words: &[&str]) -> Value {
    let mut known: Vec<Value> = words.iter().map(|word| json!(word)).collect();
    known.push(Value::Null);
    json!({ "anyOf": [{ "enum": known }, { "type": "string", "pattern": VARIABLE }] })
}

fn map(fields: &[Field], others: &Value) -> Value {
    let property = |field: &Field| {
        let mut schema = of(&field.shape);
        let note = match field.setter {
            Setter::Any => None,
            Setter::NotOverlay => Some("An overlay may not set it.".to_owned()),
            Setter::UserOnly(why) => {
                Some(format!("In the user's own configuration only: a workspace cannot {why}."))
            }
        };
        if let Some(note) = note {
            schema["description"] = note.into();
        }
        (field.name.to_owned(), schema)
    };
    let mut schema = json!({ "type": ["object", "null"] });
    if !fields.is_empty() {
        schema["properties"] = Value::Object(fields.iter().map(property).collect::<Map<_, _>>());
    }
    schema["additionalProperties"] = others.clone();
    schema
}
