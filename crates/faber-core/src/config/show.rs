//! The effective configuration as YAML.

use serde_json::{Value as Json, json};

use super::quote;
use super::schema::{self, is_pseudo};
use super::secret::{REDACTED, RedactionContext};
use crate::error::Error;
use crate::escape::Visible;
use crate::source::{SourceMap, Span};
use crate::yaml::{Entry, Node, Value};

const COLUMN: usize = 48;

/// Secrets are redacted; all else reads back unchanged.
pub fn show(node: &Node, sources: &SourceMap, origin: bool) -> String {
    let lines = ConfigWriter::lines(node.entries(), Some(sources));
    if lines.is_empty() {
        return "{}\n".to_owned();
    }
    let mut out = String::new();
    let width = |line: &str| line.chars().count();
    let longest = lines.iter().filter(|(_, origin)| origin.is_some());
    let column = longest.map(|(line, _)| width(line)).filter(|&long| long <= COLUMN).max();
    for (line, span) in &lines {
        out.push_str(line);
        if let Some(span) = span.filter(|_| origin) {
            let gap = (column.unwrap_or(0) + 2).saturating_sub(width(line)).max(2);
            out.extend([&*" ".repeat(gap), "# ", &place(sources, span)]);
        }
        out.push('\n');
    }
    out
}

/// `key`, such as `search.limit`, within its maps; an empty map if it is not set.
///
/// # Errors
///
/// [`Error::Unknown`] with similar keys.
pub fn part(node: &Node, key: &str) -> Result<Node, Error> {
    match at(node, key) {
        Some(part) => Ok(part),
        None if schema::at(key).is_some() => Ok(Node::empty_map(node.span)),
        None => {
            let below = schema::scalar_keys();
            let known = node.entries().iter().map(|entry| &*entry.key);
            Err(Error::unknown("key", key, known.chain(below.iter().map(String::as_str))))
        }
    }
}

fn at(node: &Node, key: &str) -> Option<Node> {
    node.entries().iter().find_map(|entry| {
        let below = key.strip_prefix(&*entry.key)?;
        let part = match below.strip_prefix('.') {
            Some(below) => at(&entry.value, below)?,
            None if below.is_empty() => entry.value.clone(),
            None => return None,
        };
        Some(Node::nest(&entry.key, part))
    })
}

pub fn verbatim(entries: &[Entry]) -> String {
    ConfigWriter::lines(entries, None).into_iter().map(|(line, _)| line + "\n").collect()
}

fn place(sources: &SourceMap, span: Span) -> String {
    if is_pseudo(sources, span.file) {
        let path = sources.path(span.file);
        return match variable(sources, span) {
            Some(name) => format!("{path}, {name}"),
            None => path.to_string(),
        };
    }
    Visible(&sources.place(span)).to_string()
}

fn variable(sources: &SourceMap, span: Span) -> Option<&str> {
    let file = sources.get(span.file);
    let before = file.text[..span.range().start].rsplit('\n').next()?;
    before.strip_suffix('=')
}

struct ConfigWriter<'a> {
    hides_in: Option<&'a SourceMap>,
    lines: Vec<(String, Option<Span>)>,
}

impl ConfigWriter<'_> {
    fn lines(entries: &[Entry], hides_in: Option<&SourceMap>) -> Vec<(String, Option<Span>)> {
        let mut writer = ConfigWriter { hides_in, lines: Vec::new() };
        for entry in entries {
            writer.entry(entry, RedactionContext::ROOT, String::new(), 2);
        }
        writer.lines
    }

    fn entry(&mut self, entry: &Entry, context: RedactionContext, lead: String, indent: usize) {
        let lead = lead + &quote::text(&entry.key) + ":";
        let context = context.below(entry);
        match &entry.value.value {
            Value::Map(entries) if !entries.is_empty() => {
                self.lines.push((lead, None));
                for entry in entries {
                    self.entry(entry, context, " ".repeat(indent), indent + 2);
                }
            }
            Value::Seq(items) if !items.is_empty() => {
                self.lines.push((lead, None));
                for (at, item) in items.iter().enumerate() {
                    let lead = " ".repeat(indent) + "-";
                    self.item(item, context.item(items, at), lead, indent + 2);
                }
            }
            _ => self.leaf(&entry.value, context, &lead),
        }
    }

    fn item(&mut self, node: &Node, context: RedactionContext, lead: String, indent: usize) {
        let leads = std::iter::once(lead + " ").chain(std::iter::repeat(" ".repeat(indent)));
        match &node.value {
            Value::Map(entries) if !entries.is_empty() => {
                for (entry, lead) in entries.iter().zip(leads) {
                    self.entry(entry, context, lead, indent + 2);
                }
            }
            Value::Seq(items) if !items.is_empty() => {
                for ((at, item), lead) in items.iter().enumerate().zip(leads) {
                    self.item(item, context.item(items, at), lead + "-", indent + 2);
                }
            }
            _ => {
                let lead = leads.take(1).collect::<String>();
                self.leaf(node, context, lead.trim_end());
            }
        }
    }

    fn leaf(&mut self, node: &Node, context: RedactionContext, lead: &str) {
        let text = match &node.value {
            Value::Scalar(_) if self.hides_in.is_some_and(|it| context.hides(node, it)) => {
                REDACTED.to_owned()
            }
            Value::Scalar(scalar) => quote::scalar(scalar),
            Value::Seq(_) => "[]".to_owned(),
            Value::Map(_) => "{}".to_owned(),
        };
        self.lines.push((format!("{lead} {text}"), Some(node.span)));
    }
}

/// Secrets are redacted.
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
    use super::super::secret::is_secret;
    use super::super::testing::{SAMPLE, over_defaults, workspace};
    use super::super::{defaults, environment, merge};
    use super::*;
    use crate::yaml::{Scalar, ScalarKind};

    #[test]
    fn prints_yaml_without_secrets() {
        let (sources, node, found) = workspace(SAMPLE);
        assert_eq!(found, []);
        insta::assert_snapshot!(show(&node, &sources, false), @r#"
        platforms:
          secret-manager: vault
        settings:
          team: "no"
          organization: "a: b #c\n"
        mcp_servers:
          tracker:
            command: run
            args:
              - "--auth"
              - <redacted>
            env:
              API_KEY: <redacted>
              REGION: 012
        specialist_config:
          any:
            list:
              - a: 1.10
                b:
                  - x
                  - - "y"
                    - null
              - []
              - {}
            max_tokens: 5
            secrets:
              deep:
                - <redacted>
                - <redacted>
        validate:
          rules:
            secret: "off"
        "#);
    }

    #[test]
    fn printed_configuration_reads_back() {
        let text = SAMPLE.replace("secrets", "plain").replace("API_KEY", "X").replace("_TOKEN", "");
        let (sources, node, _) = workspace(&text);
        for origin in [false, true] {
            let printed = show(&node, &sources, origin);
            assert_eq!(workspace(&printed).1.to_json(), node.to_json());
        }
        let (sources, empty, _) = workspace("");
        assert_eq!(show(&empty, &sources, true), "{}\n");
    }

    proptest::proptest! {
        #[test]
        fn any_text_reads_back(key in "\\PC{1,20}", text in "(?s).{0,40}") {
            let (sources, mut node, _) = workspace("conversation: { a: [b] }\n");
            let Value::Map(root) = &mut node.value else { unreachable!("it is a map") };
            let Value::Map(inner) = &mut root[0].value.value else { unreachable!("it is a map") };
            inner[0].key.clone_from(&key);
            let Value::Seq(items) = &mut inner[0].value.value else { unreachable!("it is a list") };
            items[0].value = Value::Scalar(Scalar { text: text.clone(), kind: ScalarKind::Str });
            proptest::prop_assume!(!is_secret(&key, &items[0]));
            let printed = show(&node, &sources, true);
            proptest::prop_assert_eq!(workspace(&printed).1.to_json(), node.to_json());
            let lines = printed.lines().count();
            proptest::prop_assert_eq!(lines, 3);
        }
    }

    #[test]
    fn origins_are_files_and_lines_or_what_is_no_file() {
        let (mut sources, node) = over_defaults("settings:\n  team: a\nroles: [more]\n");
        let vars = [("FABER_SETTINGS_ENVIRONMENT".to_owned(), "ci".to_owned())];
        let later = environment(&mut sources, &vars).value;
        let node = merge(node, later);
        let shown = show(&node, &sources, true);
        let set = |line: &&str| !line.ends_with("# built-in defaults") && line.contains('#');
        let lines: Vec<_> = shown.lines().filter(set).collect();
        assert_eq!(
            lines,
            [
                "  - more                   # .faber/config.yml:3",
                "  team: a                  # .faber/config.yml:2",
                "  environment: ci          # environment, FABER_SETTINGS_ENVIRONMENT",
            ],
        );
    }

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
