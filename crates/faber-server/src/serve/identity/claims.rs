use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::serve::identity::token::RefusalReason;
use faber_core::resolve::view::Principal;

pub(super) const SKEW: f64 = 60.0;
const MAX_GROUPS: usize = 1_000;
const MAX_NAME_CHARS: usize = 256;

#[derive(Clone, Debug)]
pub(crate) struct ExpectedClaims {
    pub(crate) issuer: String,
    pub(crate) audience: String,
    pub(crate) user: String,
    pub(crate) groups: String,
    pub(crate) scope: Option<String>,
}

impl ExpectedClaims {
    /// `now`: Unix time in seconds.
    pub(super) fn check(&self, claims: &Map<String, Value>, now: f64) -> Result<(), RefusalReason> {
        if claims.get("iss").and_then(Value::as_str) != Some(&self.issuer) {
            return Err("the token is from another issuer");
        }
        let is_own = |audience: &Value| audience.as_str() == Some(&self.audience);
        let for_us = match claims.get("aud") {
            Some(Value::Array(all)) => all.iter().any(is_own),
            Some(one) => is_own(one),
            None => false,
        };
        if !for_us {
            return Err("the token is for another audience");
        }
        let ends = expires(claims).ok_or("the token has no `exp`")?;
        if now >= ends + SKEW {
            return Err("the token has expired");
        }
        match claims.get("nbf").map(Value::as_f64) {
            Some(None) => Err("`nbf` of the token is not a number"),
            Some(Some(begins)) if now < begins - SKEW => Err("the token is not valid yet"),
            _ => Ok(()),
        }
    }

    pub(super) fn has_scope(&self, claims: &Map<String, Value>) -> bool {
        let Some(wanted) = &self.scope else { return true };
        let named = |claim: Option<&Value>| match claim {
            Some(Value::String(all)) => all.split(' ').any(|one| one == wanted),
            Some(Value::Array(all)) => all.iter().any(|one| one.as_str() == Some(wanted)),
            _ => false,
        };
        named(claims.get("scope")) || named(claims.get("scp"))
    }

    /// Drops groups that no file can name.
    pub(super) fn principal(
        &self,
        claims: &Map<String, Value>,
    ) -> Result<Principal, RefusalReason> {
        let user = at(claims, &self.user).and_then(Value::as_str);
        let user = user.ok_or("the token names no user")?;
        if !is_plain(user) {
            return Err("the token names a user with characters that no name has");
        }
        if self.user == "email" && claims.get("email_verified") == Some(&Value::Bool(false)) {
            return Err("the address of the user is not verified");
        }
        let groups = match at(claims, &self.groups) {
            None | Some(Value::Null) => BTreeSet::new(),
            Some(Value::String(one)) => plain(std::iter::once(&**one)),
            Some(Value::Array(all)) if all.len() <= MAX_GROUPS => {
                plain(all.iter().filter_map(Value::as_str))
            }
            Some(_) => return Err("the groups of the token cannot be read"),
        };
        Ok(Principal::proven(Some(user.to_owned()), groups))
    }
}

pub(super) fn expires(claims: &Map<String, Value>) -> Option<f64> {
    claims.get("exp").and_then(Value::as_f64)
}

fn at<'a>(claims: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    if let Some(claim) = claims.get(path) {
        return Some(claim);
    }
    let mut names = path.split('.');
    let first = claims.get(names.next()?)?;
    names.try_fold(first, |claim, name| claim.get(name))
}

fn plain<'a>(names: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    names.filter(|name| is_plain(name)).map(str::to_owned).collect()
}

/// Otherwise `USER:GROUP,…` in the audit log is ambiguous.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.trim() == name
        && name.chars().nth(MAX_NAME_CHARS).is_none()
        && !name.contains([':', ','])
        && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: f64 = 1_000_000.0;

    fn expected() -> ExpectedClaims {
        ExpectedClaims {
            issuer: "https://id.example".to_owned(),
            audience: "https://faber.example/mcp".to_owned(),
            user: "sub".to_owned(),
            groups: "realm_access.roles".to_owned(),
            scope: Some("faber".to_owned()),
        }
    }

    fn map(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    fn claims(changes: Value) -> Map<String, Value> {
        let mut claims = map(json!({
            "iss": "https://id.example", "aud": "https://faber.example/mcp", "exp": NOW + 300.0, "sub": "alice",
        }));
        claims.extend(map(changes));
        claims.retain(|_, value| !value.is_null());
        claims
    }

    #[test]
    fn a_token_is_of_this_issuer_for_this_server_and_now() {
        let check = |changes: Value| expected().check(&claims(changes), NOW);
        for good in [
            json!({}),
            json!({"aud": ["account", "https://faber.example/mcp"]}),
            json!({"exp": NOW - 59.0}),
            json!({"nbf": NOW + 59.0}),
            json!({"exp": NOW + 0.5, "nbf": NOW - 0.5}),
        ] {
            assert_eq!(check(good.clone()), Ok(()), "{good}");
        }
        for (bad, reason) in [
            (json!({"iss": "https://id.example/"}), "the token is from another issuer"),
            (json!({"iss": null}), "the token is from another issuer"),
            (json!({"aud": "https://other.example/mcp"}), "the token is for another audience"),
            (json!({"aud": ["account"]}), "the token is for another audience"),
            (json!({"aud": null}), "the token is for another audience"),
            (json!({"exp": NOW - 61.0}), "the token has expired"),
            (json!({"exp": null}), "the token has no `exp`"),
            (json!({"exp": "never"}), "the token has no `exp`"),
            (json!({"nbf": NOW + 61.0}), "the token is not valid yet"),
            (json!({"nbf": "soon"}), "`nbf` of the token is not a number"),
        ] {
            assert_eq!(check(bad.clone()), Err(reason), "{bad}");
        }
    }

    #[test]
    fn claims_name_a_user_and_groups() {
        let named = |changes: Value| expected().principal(&claims(changes));
        let alice = named(json!({"realm_access": {"roles": ["eng", "ops", 7, "a,b", " x", ""]}}));
        let alice = alice.unwrap();
        assert_eq!(alice.user.as_deref(), Some("alice"));
        assert!(alice.groups.iter().eq(["eng", "ops"]) && alice.is_proven());
        assert!(named(json!({"realm_access": {"roles": "eng"}})).unwrap().groups.contains("eng"));
        assert!(named(json!({})).unwrap().groups.is_empty());
        let exact = named(json!({"realm_access.roles": ["a"], "realm_access": {"roles": ["b"]}}));
        assert!(exact.unwrap().groups.iter().eq(["a"]));
        let many = json!({"realm_access": {"roles": vec!["a"; MAX_GROUPS + 1]}});
        assert!(named(many).is_err());
        for bad in ["", " alice", "alice:admins", "a,b", "a\nb", &"a".repeat(257)] {
            assert!(named(json!({"sub": bad})).is_err(), "{bad}");
        }
        assert!(named(json!({"sub": 7})).is_err() && named(json!({"sub": null})).is_err());
        let by_mail = ExpectedClaims { user: "email".to_owned(), ..expected() };
        let mail = |verified: Value| {
            let changes = json!({"email": "a@example.org", "email_verified": verified});
            by_mail.principal(&claims(changes)).is_ok()
        };
        assert!(mail(json!(true)) && mail(json!(null)) && !mail(json!(false)));
    }

    #[test]
    fn scopes_are_words() {
        let has = |changes: Value| expected().has_scope(&claims(changes));
        assert!(has(json!({"scope": "openid faber"})) && has(json!({"scp": ["faber"]})));
        assert!(!has(json!({})) && !has(json!({"scope": "faber2 openid"})));
    }
}
