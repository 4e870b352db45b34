//! Detection of secrets in configurations.

use super::schema::{ROOT, Shape};
use crate::secret::{given_secrets, names_secret, password_of_address, variable_names_secret};
use crate::security::redact::masked;
use crate::source::SourceMap;
use crate::yaml::{Entry, Node, ScalarKind, Value};

#[must_use]
pub fn without_secrets(node: &Node) -> Node {
    let value = match &node.value {
        Value::Map(entries) => Value::Map(
            entries
                .iter()
                .filter(|entry| !is_secret(&entry.key, &entry.value))
                .map(|entry| Entry { value: without_secrets(&entry.value), ..entry.clone() })
                .collect(),
        ),
        Value::Seq(items) => Value::Seq(items.iter().map(without_secrets).collect()),
        scalar @ Value::Scalar(_) => scalar.clone(),
    };
    Node { span: node.span, value }
}

pub(super) fn is_secret(key: &str, value: &Node) -> bool {
    if value.as_str().is_some_and(has_password) {
        return true;
    }
    let number = value
        .scalar()
        .is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Int(_) | ScalarKind::Float(_)));
    names_secret(key, number)
}

fn has_password(text: &str) -> bool {
    let mut ends = text.match_indices("://").map(|(at, separator)| at + separator.len());
    ends.any(|end| password_of_address(&text[end..]).is_some())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) name: &'a str,
}

pub(super) fn variables(text: &str) -> impl Iterator<Item = Variable<'_>> {
    text.match_indices("${").filter_map(|(start, _)| {
        let rest = &text[start + 2..];
        let part = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let length = rest.find(|char| !part(char))?;
        let name = &rest[..length];
        let begins = name.starts_with(|char: char| !char.is_ascii_digit());
        (begins && rest[length..].starts_with('}')).then_some(Variable {
            start,
            end: start + 3 + length,
            name,
        })
    })
}

pub(super) const REDACTED: &str = "<redacted>";

#[derive(Clone, Copy)]
pub(super) struct RedactionContext {
    shape: Option<&'static Shape>,
    secret: bool,
}

impl RedactionContext {
    pub(super) const ROOT: Self = Self { shape: Some(&ROOT), secret: false };

    pub(super) fn below(self, entry: &Entry) -> Self {
        let shape = self.shape.and_then(|shape| shape.child(&entry.key));
        let named = shape.is_none() && is_secret(&entry.key, &entry.value);
        let secret = self.secret || named;
        Self { shape, secret }
    }

    pub(super) fn item(self, items: &[Node], at: usize) -> Self {
        let before = at.checked_sub(1).and_then(|before| items[before].as_str());
        let flag = before.filter(|text| text.starts_with('-') && !text.contains('='));
        let secret = self.secret || flag.is_some_and(|flag| names_secret(flag, false));
        Self { shape: self.shape.and_then(Shape::item), secret }
    }

    pub(super) fn hides(self, node: &Node, sources: &SourceMap) -> bool {
        if node.is_null() {
            return false;
        }
        let written = || sources.text(node.span);
        self.secret
            || variables(written()).any(|variable| variable_names_secret(variable.name))
            || node.as_str().is_some_and(has_secret)
    }
}

/// Passwords in URLs, tokens, `--api-key=…`, `?token=…`.
fn has_secret(text: &str) -> bool {
    has_password(text)
        || given_secrets(text).iter().any(|value| text[..value.start].ends_with(['=', ' ']))
        || masked(text) != text
}

#[cfg(test)]
mod tests {
    use super::super::testing::workspace;
    use super::*;

    fn secret(line: &str) -> bool {
        let (_, node, _) = workspace(&format!("conversation: {{ {line} }}\n"));
        let entry = &node.get("conversation").unwrap().entries()[0];
        is_secret(&entry.key, &entry.value)
    }

    #[test]
    fn keys_that_look_secret() {
        let lines = "api_key: x; apiKey: x; APIKEY: x; github_token: x; TOKEN: 1; password: 1; \
            client-secret: x; aws_credentials: { a: 1 }; ssh_keys: [a]; api_tokens: [a]; \
            githubtoken: x; Authorization: x; DB_PASSWORD: x; private.key: x";
        for line in lines.split("; ") {
            assert!(secret(line), "{line}");
        }
        let lines = "tokenizer: x; max_tokens: 5; token_limit: 5; tokenizer_path: x; key: x; monkey: x; \
            keywords: [a]; keyboard_layout: x; path: x";
        for line in lines.split("; ") {
            assert!(!secret(line), "{line}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_a_secret_under_any_key() {
        for line in ["dsn: 'postgres://u:p@h/db'", "url: 'see https://a:b@c.example?x'"] {
            assert!(secret(line), "{line}");
        }
        for line in ["url: 'https://h:8080/a@b'", "url: 'ssh://git@h/x'", "url: 'https://u:@h'"] {
            assert!(!secret(line), "{line}");
        }
    }

    #[test]
    fn secrets_are_dropped_at_any_depth() {
        let (_, node, _) = workspace(
            "platform_config: { linear: { team: ENG, auth: { api_key: x, url: u }, \
             hosts: [{ name: a, token: b }], secrets: { a: b } } }\n",
        );
        let shown = without_secrets(node.get("platform_config").unwrap()).to_json();
        let expected = serde_json::json!({ "linear": {
            "team": "ENG", "auth": { "url": "u" }, "hosts": [{ "name": "a" }] } });
        assert_eq!(shown, expected);
    }

    #[test]
    fn variables_have_names() {
        let names = |text: &'static str| -> Vec<_> {
            variables(text).map(|one| (one.name, &text[one.start..one.end])).collect()
        };
        assert_eq!(names("$${A}-${_b1}"), [("A", "${A}"), ("_b1", "${_b1}")]);
        assert_eq!(names("${} ${1a} ${a-b} ${a $A ${ü}"), []);
        assert_eq!(names("${a${B}"), [("B", "${B}")]);
    }
}
