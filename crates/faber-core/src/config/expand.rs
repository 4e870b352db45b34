//! Putting environment variables in for `${NAME}`.

use std::collections::BTreeMap;

use super::amount::classify;
use super::is_pseudo;
use super::path::join;
use super::read::misfit;
use super::schema::{ROOT, Shape};
use super::secret::{Variable, variables};
use crate::diagnostic::{Diagnostic, Reported};
use crate::rules::unset_variable;
use crate::secret::variable_names_secret;
use crate::source::{SourceMap, Span};
use crate::yaml::{Entry, Node, Scalar, ScalarKind, Value};

/// Expands `${NAME}` in every value that a file of the user holds. A variable that is not set
/// stays as it is written and is reported. Built-in values, the environment and the command line
/// are taken literally.
///
/// Under `platform_config` and `specialist_config`, which are printed into prompts, a variable
/// whose name looks secret stays as it is written, without a finding.
///
/// # Panics
///
/// When `node` is not of `sources`.
pub fn expand(node: Node, sources: &SourceMap, vars: &[(String, String)]) -> Reported<Node> {
    let vars = vars.iter().map(|(name, value)| (&**name, &**value)).collect();
    let mut expander = Expander { sources, vars, found: Vec::new() };
    let value = expander.node(node, Some(&ROOT), "", false);
    Reported { value, diagnostics: expander.found }
}

/// The variables that are named anywhere in `node`, each as often as it is.
pub fn variable_names(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Scalar(scalar) => variables(&scalar.text).map(|one| one.name.to_owned()).collect(),
        Value::Seq(items) => items.iter().flat_map(variable_names).collect(),
        Value::Map(entries) => {
            entries.iter().flat_map(|entry| variable_names(&entry.value)).collect()
        }
    }
}

struct Expander<'a> {
    sources: &'a SourceMap,
    vars: BTreeMap<&'a str, &'a str>,
    found: Vec<Diagnostic>,
}

impl Expander<'_> {
    fn node(
        &mut self,
        node: Node,
        shape: Option<&'static Shape>,
        path: &str,
        printed: bool,
    ) -> Node {
        let value = match node.value {
            Value::Scalar(scalar) => {
                return self.scalar(node.span, scalar, shape.map(|shape| (shape, path)), printed);
            }
            Value::Seq(items) => {
                let item = shape.and_then(Shape::item);
                Value::Seq(
                    items.into_iter().map(|one| self.node(one, item, path, printed)).collect(),
                )
            }
            Value::Map(entries) => {
                let mut expanded = Vec::with_capacity(entries.len());
                for Entry { key, key_span, value } in entries {
                    let child = shape.and_then(|shape| shape.child(&key));
                    let printed = printed
                        || path.is_empty()
                            && matches!(&*key, "platform_config" | "specialist_config");
                    let value = self.node(value, child, &join(path, &key), printed);
                    expanded.push(Entry { key, key_span, value });
                }
                Value::Map(expanded)
            }
        };
        Node { span: node.span, value }
    }

    fn scalar(
        &mut self,
        span: Span,
        scalar: Scalar,
        place: Option<(&'static Shape, &str)>,
        printed: bool,
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
            if printed && variable_names_secret(variable.name) {
                continue;
            }
            let Some(value) = self.vars.get(variable.name) else {
                whole = false;
                self.found.push(unset(variable.name, span, written.get(at)));
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
            // The message repeats what is written: what the variable holds may be a secret.
            let scalar = Node { span, value: Value::Scalar(scalar) };
            self.found.push(misfit(&scalar, shape, path));
        }
        node
    }
}

/// The finding for the variable `name` of the value at `span`, where it is `written`. Escapes can
/// make the written text differ from what it says; when the two do not line up, the whole value is
/// the place.
fn unset(name: &str, span: Span, written: Option<&Variable<'_>>) -> Diagnostic {
    let place = written.filter(|written| written.name == name).map_or(span, |written| {
        let start = span.start as usize;
        Span::new(span.file, start + written.start, start + written.end)
    });
    unset_variable::RULE
        .at(place, format!("the environment variable `{name}` is not set"))
        .label("stays as it is written")
        .help(format!("set `{name}` in the environment"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rules, workspace};
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
    fn no_secret_is_expanded_into_what_prompts_print() {
        let text = "platform_config: { linear: { note: '${API_KEY} ${A}' } }\n\
                    mcp_servers: { x: { command: c, env: { K: '${API_KEY}' } } }\n";
        let (_, node, found) = expanded(text);
        let json = node.to_json();
        assert_eq!(found, []);
        assert_eq!(json["platform_config"]["linear"]["note"], "${API_KEY} a b");
        assert_eq!(json["mcp_servers"]["x"]["env"]["K"], "s3");
    }
}
