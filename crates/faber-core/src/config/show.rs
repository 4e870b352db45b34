//! The effective configuration as YAML.

use super::origin::is_pseudo;
use super::quote;
use super::redact::{REDACTED, RedactionContext};
use super::schema;
use crate::error::Error;
use crate::escape::Visible;
use crate::source::{SourceMap, Span};
use crate::yaml::{Entry, Node, Value};

const COLUMN: usize = 48;

/// One scalar per line. Secrets are redacted; others read back unchanged.
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

/// Keys may have dots, such as names of models.
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

#[cfg(test)]
mod tests {
    use super::super::secret::is_secret;
    use super::super::testing::{SAMPLE, over_defaults, workspace};
    use super::super::{environment, merge};
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
}
