//! Redacts secrets in configurations.

use super::schema::{ROOT, Shape};
use super::secret::{has_password, is_secret, variables};
use crate::secret::{given_secrets, names_secret, variable_names_secret};
use crate::security::redact::masked;
use crate::source::SourceMap;
use crate::yaml::{Entry, Node};

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
