//! What must not be printed.

use crate::yaml::{Entry, Node, ScalarKind, Value};

/// Drops every key whose name looks secret, with all that is below it; for configuration that is
/// printed into a prompt.
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

/// Whether `value` is probably a secret, going by its key, or has a password in an address.
pub(super) fn is_secret(key: &str, value: &Node) -> bool {
    if value.as_str().is_some_and(has_password) {
        return true;
    }
    let number = value
        .scalar()
        .is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Int(_) | ScalarKind::Float(_)));
    let words = words(key);
    let plain = words.concat();
    let names = ["password", "passwd", "passphrase", "secret", "credential", "apikey"];
    if names.iter().any(|name| plain.contains(name)) {
        return true;
    }
    let last = words.last().map(String::as_str);
    // `key` alone names all kinds of things; `access_key` and `sshKeys` do not.
    if words.len() > 1 && matches!(last, Some("key" | "keys")) {
        return true;
    }
    if ["authorization", "bearer", "pwd"].iter().any(|name| words.iter().any(|word| word == name)) {
        return true;
    }
    // What is left of `token` names a count when it is plural or only part of the name and a
    // number stands there: `max_tokens`, `token_limit`.
    let tokens = plain.replace("tokeniz", "");
    tokens.contains("token") && !(number && last != Some("token"))
}

/// Whether `text` has an address with a user and a password, such as `postgres://user:pass@host`.
fn has_password(text: &str) -> bool {
    text.match_indices("://").any(|(at, separator)| {
        let rest = &text[at + separator.len()..];
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        user.and_then(|user| user.split_once(':')).is_some_and(|(_, password)| !password.is_empty())
    })
}

/// Whether a variable of this name probably holds a secret.
pub(super) fn is_secret_variable(name: &str) -> bool {
    let words = words(name);
    let plain = words.concat();
    let names = ["password", "passwd", "passphrase", "secret", "credential", "apikey", "token"];
    names.iter().any(|part| plain.contains(part))
        || words.iter().any(|word| matches!(&**word, "key" | "auth" | "pwd" | "pat"))
}

/// The parts of a name in any of the usual spellings, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut low = false;
    for char in name.chars() {
        if (char.is_uppercase() && low) || !char.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        low = char.is_lowercase() || char.is_numeric();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// A `${NAME}` in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable<'a> {
    /// Byte offset of the `$`.
    pub(super) start: usize,
    /// Byte offset behind the `}`.
    pub(super) end: usize,
    /// What stands between the braces.
    pub(super) name: &'a str,
}

/// The variables that `text` names, in order. Anything else between braces is no variable.
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

#[cfg(test)]
mod tests {
    use super::super::testing::workspace;
    use super::*;

    fn secret(line: &str) -> bool {
        let (_, node, _) = workspace(&format!("search: {{ {line} }}\n"));
        let entry = &node.get("search").unwrap().entries()[0];
        is_secret(&entry.key, &entry.value)
    }

    #[test]
    fn keys_that_look_secret() {
        for line in [
            "api_key: x",
            "apiKey: x",
            "APIKEY: x",
            "github_token: x",
            "TOKEN: 1",
            "password: 1",
            "client-secret: x",
            "aws_credentials: { a: 1 }",
            "ssh_keys: [a]",
            "api_tokens: [a]",
            "githubtoken: x",
            "Authorization: x",
            "DB_PASSWORD: x",
            "private.key: x",
        ] {
            assert!(secret(line), "{line}");
        }
        for line in [
            "tokenizer: x",
            "max_tokens: 5",
            "token_limit: 5",
            "tokenizer_path: x",
            "key: x",
            "monkey: x",
            "keywords: [a]",
            "keyboard_layout: x",
            "path: x",
        ] {
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
