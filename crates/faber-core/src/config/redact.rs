//! Redaction of secrets in printed configurations.

use super::schema::{ROOT, Shape};
use super::secret::{has_password, is_secret, variables};
use crate::secret::{given_secrets, names_secret, variable_names_secret};
use crate::security::redact::masked;
use crate::source::SourceMap;
use crate::yaml::{Entry, Node};

pub(super) const REDACTED: &str = "<redacted>";

/// Facts about a value from the keys above it.
#[derive(Clone, Copy)]
pub(super) struct Context {
    shape: Option<&'static Shape>,
    secret: bool,
}

impl Context {
    pub(super) const ROOT: Self = Self { shape: Some(&ROOT), secret: false };

    /// The context of the value of `entry`. Only keys that the schema leaves open can look secret:
    /// a server or a rule called `secret` is not one.
    pub(super) fn below(self, entry: &Entry) -> Self {
        let shape = self.shape.and_then(|shape| shape.child(&entry.key));
        let named = shape.is_none() && is_secret(&entry.key, &entry.value);
        let secret = self.secret || named;
        Self { shape, secret }
    }

    /// The context of an item of a list: what follows a flag such as `--token` is secret.
    pub(super) fn item(self, items: &[Node], at: usize) -> Self {
        let before = at.checked_sub(1).and_then(|before| items[before].as_str());
        let flag = before.filter(|text| text.starts_with('-') && !text.contains('='));
        let secret = self.secret || flag.is_some_and(|flag| names_secret(flag, false));
        Self { shape: self.shape.and_then(Shape::item), secret }
    }

    /// Whether the scalar `node` is not to be printed: for its key, because it was put together from
    /// a variable whose name looks secret, or because it has a secret in it.
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

/// Whether a value has a secret in it: a password in an address, what looks like a token, or something
/// that is given to a secret name, as in `--api-key=…` and `?token=…`.
fn has_secret(text: &str) -> bool {
    has_password(text)
        || given_secrets(text).iter().any(|value| text[..value.start].ends_with(['=', ' ']))
        || masked(text) != text
}
