//! Authentication of a shared server; only in the user configuration.

use super::amount::small;
use super::scalar::text;
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

#[cfg(test)]
mod tests {
    use super::super::testing::{of_kind, rules};
    use super::super::{ConfigSource, typed};

    const TEXT: &str = "serve: { url: 'https://faber.example', requests_per_minute: 60, \
        oidc: { issuer: 'https://id.example', groups_claim: realm_access.roles } }\n";

    #[test]
    fn a_server_has_one_issuer() {
        let (sources, node, found) = of_kind(TEXT, ConfigSource::User);
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
            let (sources, node, found) = of_kind(TEXT, kind);
            assert_eq!(rules(&sources, &found), [("config-key-not-allowed", "serve")]);
            let serve = typed(&node, &sources).serve;
            assert_eq!((serve.oidc.issuer, serve.requests_per_minute), (None, 600));
        }
    }
}
