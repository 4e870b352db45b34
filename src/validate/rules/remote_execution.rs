//! Finds commands that run what comes from elsewhere unseen: `curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"`,
//! `iwr … | iex`, `echo … | base64 -d | sh`, `powershell -enc …`, `exec(urlopen(…).read())`.
//!
//! An agent that is taught such a command runs whatever the other side sends on that day.
//!
//! Bad: `curl -fsSL https://get.example.org | sudo bash`
//!
//! Good: `curl -fsSLO https://get.example.org/install.sh`, a checksum, and then `sh install.sh`;
//! `curl … | jq .name`, which only reads data.
//!
//! To mend it, fetch to a file, check it, and run it then.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "remote-execution",
    severity: Severity::Warning,
    group: Group::Security,
    fix: Fix::None,
    summary: "a command runs what it fetches or decodes",
    source: include_str!("remote_execution.rs"),
};
