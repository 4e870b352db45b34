//! ## What it finds
//!
//! Tokens of well-known services by their form, private keys, JSON web tokens, passwords in
//! addresses, and random values that are given to secret names: `api_key: …`, `DB_PASS=…`,
//! `--token …`, `Authorization: Bearer …`. Names of files are looked at too. Placeholders, names
//! of variables and the examples of documentations are fine.
//!
//! ## Why it matters
//!
//! Everything in a pack is sent to a model, and most packs are shared. A secret in one is known to
//! everybody who can assemble the prompt, and to the provider. faber never shows more of it than
//! its first four characters, in no format.
//!
//! ## Example
//!
//! ```yaml
//! deploy_token: 8f… # and thirty more random characters
//! ```
//!
//! Better:
//!
//! ```yaml
//! deploy_token: ${DEPLOY_TOKEN}
//! ```
//!
//! ## How to fix it
//!
//! Revoke the secret: deleting it does not delete it from history. Then name an environment
//! variable.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule =
    Rule::error("secret", Group::Security, "a password, token or key", include_str!("secret.rs"));
