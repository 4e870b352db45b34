//! Expansion of `${NAME}`.

use std::collections::{BTreeMap, BTreeSet};

use super::read::misfit;
use super::scalar::classify;
use super::schema::{ROOT, Shape, is_pseudo, join};
use super::secret::{Variable, variables};
use crate::diagnostic::{Diagnostic, Reported};
use crate::rules::{unset_variable, variable_not_allowed};
use crate::source::{SourceMap, Span};
use crate::yaml::{Entry, Node, Scalar, ScalarKind, Value};

const EMITTED: [&str; 4] =
    ["platform_config", "platforms", "settings.organization", "specialist_config"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Setting,
    Prompt,
    Launch,
}

/// Unset variables stay and are reported; in prompts, those outside `environment.allow` are errors.
pub fn expand(node: Node, sources: &SourceMap, vars: &[(String, String)]) -> Reported<Node> {
    if variable_names(&node).is_empty() {
        return Reported::clean(node);
    }
    let vars = vars.iter().map(|(name, value)| (&**name, &**value)).collect();
    let allowed = node.at(&["environment", "allow"]).and_then(Node::items);
    let allowed = allowed.into_iter().flatten().filter_map(Node::as_str).map(str::to_owned);
    let mut expander =
        VariableExpander { sources, vars, allowed: allowed.collect(), found: Vec::new() };
    let value = expander.node(node, Some(&ROOT), "", Use::Setting);
    Reported { value, diagnostics: expander.found }
}

pub fn variable_names(node: &Node) -> Vec<String> {
    fn add(node: &Node, names: &mut Vec<String>) {
        match &node.value {
            Value::Scalar(scalar) => {
                names.extend(variables(&scalar.text).map(|one| one.name.to_owned()));
            }
            Value::Seq(items) => items.iter().for_each(|item| add(item, names)),
            Value::Map(entries) => entries.iter().for_each(|entry| add(&entry.value, names)),
        }
    }
    let mut names = Vec::new();
    add(node, &mut names);
    names
}

struct VariableExpander<'a> {
    sources: &'a SourceMap,
    vars: BTreeMap<&'a str, &'a str>,
    allowed: BTreeSet<String>,
    found: Vec<Diagnostic>,
}

impl VariableExpander<'_> {
    fn node(&mut self, node: Node, shape: Option<&'static Shape>, path: &str, used: Use) -> Node {
        let value = match node.value {
            Value::Scalar(scalar) => {
                return self.scalar(node.span, scalar, shape.map(|shape| (shape, path)), used);
            }
            Value::Seq(items) => {
                let item = shape.and_then(Shape::item);
                Value::Seq(items.into_iter().map(|one| self.node(one, item, path, used)).collect())
            }
            Value::Map(entries) => {
                let entry = |Entry { key, key_span, value }: Entry| {
                    let child = shape.and_then(|shape| shape.child(&key));
                    let path = join(path, &key);
                    let used = match &*path {
                        path if EMITTED.contains(&path) => Use::Prompt,
                        "mcp_servers" => Use::Launch,
                        _ => used,
                    };
                    Entry { value: self.node(value, child, &path, used), key, key_span }
                };
                Value::Map(entries.into_iter().map(entry).collect())
            }
        };
        Node { span: node.span, value }
    }

    fn scalar(
        &mut self,
        span: Span,
        scalar: Scalar,
        place: Option<(&'static Shape, &str)>,
        used: Use,
    ) -> Node {
        let named: Vec<_> = variables(&scalar.text).collect();
        if named.is_empty() || scalar.kind != ScalarKind::Str || is_pseudo(self.sources, span.file)
        {
            return Node { span, value: Value::Scalar(scalar) };
        }
        let written: Vec<_> = variables(self.sources.text(span)).collect();
        let mut text = String::with_capacity(scalar.text.len());
        let mut copied = 0;
        let mut whole = true;
        for (at, variable) in named.iter().enumerate() {
            let place = || place_of(span, variable, written.get(at));
            if used == Use::Prompt && !self.allowed.contains(variable.name) {
                whole = false;
                self.found.push(not_allowed(variable.name, place()));
                continue;
            }
            let Some(value) = self.vars.get(variable.name) else {
                whole = false;
                let unset = unset(variable.name, place());
                self.found.push(if used == Use::Launch { unset.exceptional() } else { unset });
                continue;
            };
            text.push_str(&scalar.text[copied..variable.start]);
            text.push_str(value);
            copied = variable.end;
        }
        text.push_str(&scalar.text[copied..]);
        let quoted = self.sources.text(span).starts_with(['"', '\'', '|', '>']);
        let expanded =
            if quoted { Scalar { text, kind: ScalarKind::Str } } else { classify(&text) };
        let node = Node { span, value: Value::Scalar(expanded) };
        if let Some((shape, path)) = place
            && whole
            && shape.takes_scalar()
            && !shape.fits(&node)
        {
            let scalar = Node { span, value: Value::Scalar(scalar) };
            self.found.push(misfit(&scalar, shape, path));
        }
        node
    }
}

fn place_of(span: Span, variable: &Variable<'_>, written: Option<&Variable<'_>>) -> Span {
    written.filter(|written| written.name == variable.name).map_or(span, |written| {
        let start = span.start as usize;
        Span::new(span.file, start + written.start, start + written.end)
    })
}

fn not_allowed(name: &str, place: Span) -> Diagnostic {
    let message = format!("the value of `{name}` may not be put into prompts");
    variable_not_allowed::RULE.at(place, message).label("not replaced").help(format!(
        "write the value itself, or list the variable in your own configuration, \
         `$XDG_CONFIG_HOME/faber/config.yml`: `environment: {{ allow: [{name}] }}`"
    ))
}

fn unset(name: &str, place: Span) -> Diagnostic {
    unset_variable::RULE
        .at(place, format!("the environment variable `{name}` is not set"))
        .label("not replaced")
        .help(format!("set `{name}` in the environment"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{of_kind, rules, workspace};
    use super::super::{ConfigSource, merge};
    use super::*;

    fn expanded(text: &str) -> (SourceMap, Node, Vec<Diagnostic>) {
        let (sources, node, found) = workspace(text);
        assert_eq!(found, []);
        let vars =
            [("A", "a b"), ("EMPTY", ""), ("N", "8000"), ("LOOP", "${A}"), ("API_KEY", "s3")];
        let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let expanded = expand(node, &sources, &vars);
        (sources, expanded.value, expanded.diagnostics)
    }

    #[test]
    fn set_variables_are_put_in_once() {
        let (_, node, found) = expanded(
            "settings: { team: \"x-${A}-$${A}\", role: '${EMPTY}', environment: \"${LOOP}\" }\n\
             custom_contexts: ['${A}.md']\n",
        );
        let expected = serde_json::json!({
            "settings": { "team": "x-a b-$a b", "role": "", "environment": "${A}" },
            "custom_contexts": ["a b.md"] });
        assert_eq!((node.to_json(), found), (expected, Vec::new()));
    }

    #[test]
    fn unset_ones_stay_and_are_pointed_at() {
        let (sources, node, found) = expanded("settings:\n  team: \"ü${A}${NO}${NO}\"\n");
        assert_eq!(rules(&sources, &found), [("unset-variable", "${NO}"); 2]);
        assert_ne!(found[0].primary.span, found[1].primary.span);
        let team = node.get("settings").unwrap().get("team").unwrap();
        assert_eq!(team.as_str(), Some("üa b${NO}${NO}"));
    }

    #[test]
    fn escapes_do_not_mislead() {
        let (sources, _, found) = expanded("settings: { team: \"\\x24{NO}\" }\n");
        assert_eq!(rules(&sources, &found), [("unset-variable", "\"\\x24{NO}\"")]);
    }

    #[test]
    fn numbers_may_come_from_variables_and_are_checked() {
        let (_, node, found) = expanded("budget:\n  total: ${N}\n  context: '${N}'\n");
        let budget = node.get("budget").unwrap();
        assert_eq!((budget.get("total").unwrap().as_int(), found), (Some(8000), Vec::new()));
        let (sources, _, found) = expanded("budget:\n  total: ${A}\n");
        assert_eq!(rules(&sources, &found), [("invalid-config", "${A}")]);
        assert!(found[0].message.ends_with("not `${A}`"), "{}", found[0].message);
    }

    #[test]
    fn no_value_of_the_environment_enters_a_prompt_unless_the_user_allows_it() {
        let text = "platform_config: { linear: { note: '${DSN} ${A}' } }\n\
                    specialist_config: { review: { list: ['${DSN}'] } }\n\
                    platforms: { clerk: '${DSN}' }\n\
                    settings: { organization: '${A}' }\n\
                    mcp_servers: { x: { command: c, env: { K: '${DSN}' } } }\n";
        let (sources, node, _) = workspace(text);
        let vars = [("A", "a b"), ("DSN", "s3")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        let written = expand(node.clone(), &sources, &vars);
        let json = written.value.to_json();
        assert_eq!(json["platform_config"]["linear"]["note"], "${DSN} ${A}");
        assert_eq!(json["mcp_servers"]["x"]["env"]["K"], "s3");
        assert_eq!(json.to_string().matches("s3").count(), 1, "{json}");
        let found = rules(&sources, &written.diagnostics);
        let of = |name| ("variable-not-allowed", name);
        assert_eq!(found, [of("${DSN}"), of("${A}"), of("${DSN}"), of("${DSN}"), of("${A}")]);
        let own = of_kind("environment: { allow: [A] }\n", ConfigSource::User).1;
        let allowed = expand(merge(own, node), &sources, &vars);
        let json = allowed.value.to_json();
        assert_eq!(json["platform_config"]["linear"]["note"], "${DSN} a b");
        assert_eq!(json["settings"]["organization"], "a b");
        assert_eq!(allowed.diagnostics.len(), 3);
    }

    #[test]
    fn only_the_users_own_file_allows_variables() {
        for kind in [ConfigSource::Workspace, ConfigSource::Overlay] {
            let (sources, node, found) = of_kind("environment: { allow: [DSN] }\n", kind);
            assert_eq!(rules(&sources, &found), [("config-key-not-allowed", "allow")]);
            assert_eq!(node.to_json(), serde_json::json!({ "environment": {} }));
        }
    }
}
