//! Clients pay for schemas in each conversation, so they state only what a model cannot guess.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

const DEPTH: usize = 2;

pub(super) fn input<A: JsonSchema>() -> Map<String, Value> {
    let mut schema = schema::<A>();
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    schema.remove("title");
    schema.remove("description");
    let mut schema = Value::Object(schema);
    simplify(&mut schema);
    object(schema)
}

pub(super) fn output<A: JsonSchema>() -> Map<String, Value> {
    object(outline(Value::Object(schema::<A>()), 0))
}

fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

fn schema<T: JsonSchema>() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12();
    // Many clients do not support references.
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    object(schema.to_value())
}

fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|one| one != "null");
                if let [only] = &types[..] {
                    let only = only.clone();
                    map.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(any)) = map.get_mut("anyOf") {
                any.retain(|one| one.get("type").is_none_or(|of| of != "null"));
                if let [Value::Object(only)] = &any[..] {
                    let only = only.clone();
                    map.remove("anyOf");
                    for (key, value) in only {
                        map.entry(key).or_insert(value);
                    }
                }
            }
            if let Some(names) = names(map) {
                map.remove("oneOf");
                map.insert("type".to_owned(), "string".into());
                map.insert("enum".to_owned(), names);
            }
            if map.get("default") == Some(&Value::Null) {
                map.remove("default");
            }
            // Rust's format names are not standard.
            map.remove("format");
            map.values_mut().for_each(simplify);
        }
        Value::Array(all) => all.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn names(schema: &Map<String, Value>) -> Option<Value> {
    let all = schema.get("oneOf")?.as_array()?;
    all.iter().map(|one| one.get("const").cloned()).collect::<Option<_>>().map(Value::Array)
}

fn outline(schema: Value, depth: usize) -> Value {
    let Value::Object(mut map) = schema else { return schema };
    if names(&map).is_some() {
        return serde_json::json!({ "type": "string" });
    }
    if let Some(Value::Array(any)) = map.remove("anyOf") {
        return nullable(any, depth);
    }
    let mut short = Map::new();
    short.extend(map.remove("type").map(|of| ("type".to_owned(), of)));
    if let Some(items) = map.remove("items") {
        short.insert("items".to_owned(), outline(items, depth));
    }
    if let Some(Value::Object(fields)) = map.remove("properties").filter(|_| depth < DEPTH) {
        let fields = fields.into_iter().map(|(name, field)| (name, outline(field, depth + 1)));
        short.insert("properties".to_owned(), Value::Object(fields.collect()));
    }
    if let Some(required) = map.remove("required").filter(|_| depth == 0) {
        short.insert("required".to_owned(), required);
    }
    Value::Object(short)
}

fn nullable(any: Vec<Value>, depth: usize) -> Value {
    let first = any.into_iter().next().unwrap_or_default();
    let mut schema = outline(first, depth);
    if let Some(of) = schema.get_mut("type").filter(|of| of.is_string()) {
        *of = serde_json::json!([of, "null"]);
    }
    schema
}
