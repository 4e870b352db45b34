//! Configuration of audit log, server and store.

use serde::{Deserialize, Serialize};

use super::scalar::{small, text, truth, whole};
use crate::source::Spanned;
use crate::yaml::Node;

const REQUESTS: u32 = 600;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeConfig {
    pub url: Option<String>,
    pub requests_per_minute: u32,
    pub oidc: OidcConfig,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcConfig {
    pub issuer: Option<String>,
    pub audience: Option<String>,
    pub user_claim: String,
    pub groups_claim: String,
    pub scope: Option<String>,
}

impl ServeConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let oidc = |key: &str| Some(text(get("oidc")?.get(key)?)?.value);
        let requests = get("requests_per_minute").and_then(small);
        Self {
            url: get("url").and_then(text).map(|url| url.value),
            requests_per_minute: requests.unwrap_or(REQUESTS),
            oidc: OidcConfig {
                issuer: oidc("issuer"),
                audience: oidc("audience"),
                user_claim: oidc("user_claim").unwrap_or_else(|| "sub".to_owned()),
                groups_claim: oidc("groups_claim").unwrap_or_else(|| "groups".to_owned()),
                scope: oidc("scope"),
            },
        }
    }
}

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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreConfig {
    pub url: Option<Spanned<String>>,
    pub keep_days: KeepDays,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeepDays {
    pub history: Option<u32>,
    pub memories: Option<u32>,
    pub audit: Option<u32>,
}

impl StoreConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let days = |kind: &str| small(get("keep_days")?.get(kind)?);
        let (history, memories, audit) = (days("history"), days("memories"), days("audit"));
        Self { url: get("url").and_then(text), keep_days: KeepDays { history, memories, audit } }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{config, of_kind, rules, workspace};
    use super::super::{ConfigSource, typed};
    use super::*;

    const SERVE: &str = "serve: { url: 'https://faber.example', requests_per_minute: 60, \
        oidc: { issuer: 'https://id.example', groups_claim: realm_access.roles } }\n";

    #[test]
    fn a_server_has_one_issuer() {
        let (sources, node, found) = of_kind(SERVE, ConfigSource::User);
        assert_eq!(found, []);
        let serve = typed(&node, &sources).serve;
        assert_eq!(serve.url.as_deref(), Some("https://faber.example"));
        assert_eq!(serve.requests_per_minute, 60);
        assert_eq!(serve.oidc.issuer.as_deref(), Some("https://id.example"));
        assert_eq!(serve.oidc.user_claim, "sub");
        assert_eq!(serve.oidc.groups_claim, "realm_access.roles");
    }

    #[test]
    fn a_workspace_cannot_name_an_issuer() {
        for kind in [ConfigSource::Workspace, ConfigSource::Overlay, ConfigSource::Environment] {
            let (sources, node, found) = of_kind(SERVE, kind);
            assert_eq!(rules(&sources, &found), [("config-key-not-allowed", "serve")]);
            let serve = typed(&node, &sources).serve;
            assert_eq!((serve.oidc.issuer, serve.requests_per_minute), (None, 600));
        }
    }

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

    const STORE: &str =
        "store: { url: 'postgres://db.example/x', keep_days: { history: 90, audit: 400 } }\n";

    #[test]
    fn each_kind_is_kept_for_its_own_days() {
        let (sources, node, found) = of_kind(STORE, ConfigSource::User);
        assert_eq!(found, []);
        let store = typed(&node, &sources).store;
        assert_eq!(store.url.unwrap().value, "postgres://db.example/x");
        let expected = KeepDays { history: Some(90), memories: None, audit: Some(400) };
        assert_eq!(store.keep_days, expected);
    }

    #[test]
    fn a_workspace_neither_names_a_store_nor_erases_from_it() {
        for kind in [ConfigSource::Workspace, ConfigSource::Overlay, ConfigSource::Environment] {
            let (sources, node, found) = of_kind(STORE, kind);
            let not_allowed = "config-key-not-allowed";
            let expected = [(not_allowed, "url"), (not_allowed, "keep_days")];
            assert_eq!(rules(&sources, &found), expected);
            assert_eq!(typed(&node, &sources).store, StoreConfig::default());
        }
    }
}
