//! The effective configuration as data.

use serde_json::{Value as Json, json};

use super::origin::is_pseudo;
use super::redact::{REDACTED, RedactionContext};
use crate::source::{SourceMap, Span};
use crate::yaml::{Node, Value};

/// Sorted by key. `line` is null for values not from a file. Secrets are redacted.
pub fn show_json(node: &Node, sources: &SourceMap, origin: bool) -> Json {
    let mut leaves = Leaves { sources, path: Vec::new(), found: Vec::new() };
    leaves.node(node, RedactionContext::ROOT);
    let mut found = leaves.found;
    found.sort_by(|one, other| one.0.cmp(&other.0));
    let values: Vec<_> = found
        .into_iter()
        .filter(|(path, ..)| !path.is_empty())
        .map(|(path, value, span)| {
            let key = dotted(&path);
            if !origin {
                return json!({ "key": key, "value": value });
            }
            let path = sources.path(span.file).as_str();
            let line =
                (!is_pseudo(sources, span.file)).then(|| sources.get(span.file).line(span.start));
            json!({ "key": key, "value": value, "origin": { "path": path, "line": line } })
        })
        .collect();
    json!({ "schema": "faber.config/1", "values": values })
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PathStep {
    Key(String),
    Item(usize),
}

struct Leaves<'a> {
    sources: &'a SourceMap,
    path: Vec<PathStep>,
    found: Vec<(Vec<PathStep>, Json, Span)>,
}

impl Leaves<'_> {
    fn node(&mut self, node: &Node, context: RedactionContext) {
        match &node.value {
            Value::Map(entries) if !entries.is_empty() => {
                for entry in entries {
                    self.path.push(PathStep::Key(entry.key.clone()));
                    self.node(&entry.value, context.below(entry));
                    self.path.pop();
                }
            }
            Value::Seq(items) if !items.is_empty() => {
                for (at, item) in items.iter().enumerate() {
                    self.path.push(PathStep::Item(at));
                    self.node(item, context.item(items, at));
                    self.path.pop();
                }
            }
            Value::Scalar(_) if context.hides(node, self.sources) => {
                self.found.push((self.path.clone(), REDACTED.into(), node.span));
            }
            _ => self.found.push((self.path.clone(), node.to_json(), node.span)),
        }
    }
}

fn dotted(path: &[PathStep]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            PathStep::Item(at) => out.extend(["[", &at.to_string(), "]"]),
            PathStep::Key(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                let name = |c: char| c.is_alphanumeric() || "_-/@".contains(c);
                if !key.is_empty() && key.chars().all(name) {
                    out.push_str(key);
                } else {
                    out.push_str(&Json::from(&**key).to_string());
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::defaults;
    use super::super::testing::{SAMPLE, workspace};
    use super::*;

    #[test]
    fn data_has_a_key_for_every_leaf() {
        let (sources, node, _) = workspace(SAMPLE);
        let json = show_json(&node, &sources, true);
        let values = json["values"].as_array().unwrap().iter();
        let keys: Vec<_> = values.map(|one| one["key"].as_str().unwrap()).collect();
        let expected = "mcp_servers.tracker.args[0] mcp_servers.tracker.args[1] mcp_servers.tracker.command \
            mcp_servers.tracker.env.API_KEY mcp_servers.tracker.env.REGION \
            platforms.secret-manager settings.organization settings.team \
            specialist_config.any.list[0].a specialist_config.any.list[0].b[0] \
            specialist_config.any.list[0].b[1][0] specialist_config.any.list[0].b[1][1] \
            specialist_config.any.list[1] specialist_config.any.list[2] \
            specialist_config.any.max_tokens specialist_config.any.secrets.deep[0] \
            specialist_config.any.secrets.deep[1] validate.rules.secret";
        assert_eq!(keys.join(" "), expected);
        assert_eq!(json["schema"], "faber.config/1");
        let text = json.to_string();
        assert!(!text.contains("abc") && !text.contains("s1") && !text.contains("GITHUB"));
        let mut sources = SourceMap::default();
        let base = defaults(&mut sources, None);
        let json = show_json(&base, &sources, true);
        assert_eq!(json["values"][0]["key"], "audit.enabled");
        let expected = json!({ "path": "built-in defaults", "line": null });
        assert_eq!(json["values"][0]["origin"], expected);
        assert!(json.to_string().contains(r#"models.\"gpt-4.1\".window"#));
        assert!(show_json(&base, &sources, false)["values"][0].get("origin").is_none());
    }
}
