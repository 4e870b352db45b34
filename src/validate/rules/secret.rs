//! Finds secrets: tokens of well-known services by their prefixes, private keys, JSON web tokens, passwords in addresses, and
//! random values of keys whose names say that they are secret.
//!
//! Everything in a pack is sent to a model, and most packs are shared. A secret in one is known to everybody who
//! can assemble the prompt, and to the provider. faber never prints more of it than its first four characters.
//!
//! Bad: `deploy_token: 8f` and thirty more random characters.
//!
//! Good: `deploy_token: ${DEPLOY_TOKEN}`, `<your-token>`, `AKIAIOSFODNN7EXAMPLE`.
//!
//! To mend it, revoke the secret: deleting it does not delete it from history. Then name an environment variable.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "secret",
    severity: Severity::Error,
    group: Group::Security,
    fix: Fix::None,
    summary: "a password, token or key is written in a file",
    source: include_str!("secret.rs"),
};
