//! Which values of a configuration are not printed.

use super::schema::{ROOT, Shape};
use super::secret::{is_secret, variables};
use crate::secret::variable_names_secret;
use crate::source::SourceMap;
use crate::yaml::{Entry, Node};

/// What stands for a secret.
pub(super) const REDACTED: &str = "<redacted>";

/// What is known of a value from what stands above it.
#[derive(Clone, Copy)]
pub(super) struct Context {
    shape: Option<&'static Shape>,
    secret: bool,
}

impl Context {
    /// The context of a whole configuration.
    pub(super) const ROOT: Self = Self { shape: Some(&ROOT), secret: false };

    /// The context of the value of `entry`. Only names that the schema leaves open can look
    /// secret: a server or a rule called `secret` is none.
    pub(super) fn below(self, entry: &Entry) -> Self {
        let shape = self.shape.and_then(|shape| shape.child(&entry.key));
        let secret = self.secret || (shape.is_none() && is_secret(&entry.key, &entry.value));
        Self { shape, secret }
    }

    /// The context of the items of a list.
    pub(super) fn item(self) -> Self {
        Self { shape: self.shape.and_then(Shape::item), ..self }
    }

    /// Whether the scalar `node` is not to be printed: for its key, or because it was put together
    /// from a variable whose name looks secret.
    pub(super) fn hides(self, node: &Node, sources: &SourceMap) -> bool {
        if node.is_null() {
            return false;
        }
        let written = || sources.text(node.span);
        self.secret || variables(written()).any(|variable| variable_names_secret(variable.name))
    }
}
