//! Configuration of the audit log.

use serde::{Deserialize, Serialize};

use super::amount::{small, truth, whole};
use crate::yaml::Node;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLimits {
    pub max_bytes: u64,
    pub keep: u32,
}

impl Default for AuditLimits {
    fn default() -> Self {
        Self { max_bytes: 10 * 1024 * 1024, keep: 5 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditConfig {
    pub enabled: bool,
    pub command_line: bool,
    pub limits: AuditLimits,
}

impl AuditConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let usual = AuditLimits::default();
        Self {
            enabled: node.and_then(truth).or(get("enabled").and_then(truth)).unwrap_or(true),
            command_line: get("command_line").and_then(truth).unwrap_or(false),
            limits: AuditLimits {
                max_bytes: get("max_bytes").and_then(whole).unwrap_or(usual.max_bytes),
                keep: get("keep").and_then(small).unwrap_or(usual.keep),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{config, rules, workspace};
    use super::*;

    #[test]
    fn it_is_a_switch_or_a_map() {
        let read = |text: &str| config(text).audit;
        let audit = |enabled, limits| AuditConfig { enabled, command_line: false, limits };
        let limits = AuditLimits::default();
        assert_eq!(read(""), audit(true, limits));
        assert_eq!(read("audit: true"), audit(true, limits));
        assert_eq!(read("audit: 'false'"), audit(false, limits));
        let small = AuditLimits { max_bytes: 4096, keep: 0 };
        let text = "audit: { enabled: false, max_bytes: 4096, keep: 0 }";
        assert_eq!(read(text), audit(false, small));
        assert_eq!(read("audit: { keep: 7 }"), audit(true, AuditLimits { keep: 7, ..limits }));
    }

    #[test]
    fn a_workspace_cannot_log_what_its_users_type() {
        let (sources, _, found) = workspace("audit: { command_line: true }\n");
        let expected = [("config-key-not-allowed", "command_line")];
        assert_eq!(rules(&sources, &found), expected);
    }

    #[test]
    fn invalid_values_are_reported() {
        let (sources, node, found) =
            workspace("audit: { max_bytes: 10, keep: 5000, kept: 2, enabled: perhaps }\n");
        let wrong = rules(&sources, &found);
        let unfit = "invalid-config";
        let expected =
            [(unfit, "10"), (unfit, "5000"), ("unknown-config-key", "kept"), (unfit, "perhaps")];
        assert_eq!(wrong, expected);
        assert_eq!(AuditConfig::read(node.get("audit")).limits, AuditLimits::default());
        let (_, _, found) = workspace("audit: 3\n");
        assert_eq!(found[0].message, "`audit` takes `true`, `false` or a map, not `3`");
    }
}
