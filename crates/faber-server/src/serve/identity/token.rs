//! Compact JSON Web Signatures (RFC 7515, RFC 9068).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

/// Sent to the client.
pub(super) type RefusalReason = &'static str;

pub(super) const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// Asymmetric only: clients know the public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Es256,
}

impl Algorithm {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct AccessToken<'a> {
    pub(super) algorithm: Algorithm,
    pub(super) key_id: Option<String>,
    pub(super) claims: Map<String, Value>,
    pub(super) signed: &'a [u8],
    pub(super) signature: Vec<u8>,
}

impl<'a> AccessToken<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, RefusalReason> {
        if text.len() > MAX_TOKEN_BYTES {
            return Err("the token is too long");
        }
        let parts: Vec<&str> = text.splitn(4, '.').collect();
        let [header, payload, signature] = parts[..] else {
            return Err("the token is not a signed JWT");
        };
        let header = object(header).ok_or("the header of the token cannot be read")?;
        let claims = object(payload).ok_or("the claims of the token cannot be read")?;
        let signature = decoded(signature).ok_or("the signature of the token cannot be read")?;
        let name = header.get("alg").and_then(Value::as_str);
        let algorithm =
            name.and_then(Algorithm::named).ok_or("only RS256 and ES256 are accepted")?;
        if !is_access_token(&header) {
            return Err("`typ` of the token is not that of an access token");
        }
        if header.contains_key("crit") {
            return Err("the token needs extensions (`crit`)");
        }
        let key_id = match header.get("kid") {
            None => None,
            Some(id) => Some(id.as_str().ok_or("`kid` of the token is not a text")?.to_owned()),
        };
        let signed = &text.as_bytes()[..text.rfind('.').unwrap_or_default()];
        Ok(Self { algorithm, key_id, claims, signed, signature })
    }
}

/// Excludes logout and proof tokens.
fn is_access_token(header: &Map<String, Value>) -> bool {
    let Some(named) = header.get("typ") else { return true };
    let Some(name) = named.as_str().map(str::to_ascii_lowercase) else { return false };
    matches!(name.strip_prefix("application/").unwrap_or(&name), "jwt" | "at+jwt")
}

fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

fn object(part: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&decoded(part)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(header: &str) -> String {
        let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
        format!("{}.{}.{}", encode(header), encode(r#"{"sub":"a"}"#), encode("signature"))
    }

    fn refused(header: &str) -> RefusalReason {
        AccessToken::read(&token(header)).unwrap_err()
    }

    #[test]
    fn only_signatures_with_private_keys_count() {
        for name in ["none", "None", "HS256", "RS512", "PS256", "EdDSA", ""] {
            let header = format!(r#"{{"alg":"{name}"}}"#);
            assert_eq!(refused(&header), "only RS256 and ES256 are accepted", "{name}");
        }
        assert_eq!(refused("{}"), "only RS256 and ES256 are accepted");
        assert_eq!(refused(r#"{"alg":["RS256"]}"#), "only RS256 and ES256 are accepted");
    }

    #[test]
    fn other_tokens_of_an_issuer_are_not_access_tokens() {
        let typed = |name: &str| token(&format!(r#"{{"alg":"ES256","typ":{name}}}"#));
        for good in [r#""JWT""#, r#""at+jwt""#, r#""application/at+jwt""#, r#""AT+JWT""#] {
            assert!(AccessToken::read(&typed(good)).is_ok(), "{good}");
        }
        for bad in [r#""logout+jwt""#, r#""dpop+jwt""#, r#""""#, "1", "null"] {
            assert!(AccessToken::read(&typed(bad)).is_err(), "{bad}");
        }
        assert!(AccessToken::read(&token(r#"{"alg":"ES256"}"#)).is_ok());
        assert!(refused(r#"{"alg":"ES256","crit":["b64"],"b64":false}"#).contains("crit"));
        assert!(refused(r#"{"alg":"ES256","kid":7}"#).contains("kid"));
    }

    #[test]
    fn what_is_not_a_token_is_refused() {
        let good = token(r#"{"alg":"RS256","kid":"k"}"#);
        let read = AccessToken::read(&good).unwrap();
        assert_eq!((read.algorithm, read.key_id.as_deref()), (Algorithm::Rs256, Some("k")));
        assert_eq!(read.signed, good.rsplit_once('.').unwrap().0.as_bytes());
        let long = format!("{good}{}", "A".repeat(MAX_TOKEN_BYTES));
        for bad in ["", ".", "..", "a.b.c", "a.b", &format!("{good}."), &format!("{good}="), &long]
        {
            assert!(AccessToken::read(bad).is_err(), "{bad}");
        }
    }
}
