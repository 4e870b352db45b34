//! JSON Web Key Sets (RFC 7517).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Map, Value};

use crate::serve::identity::token::{AccessToken, Algorithm};

/// Large issuers have about 20.
const MAX_KEYS: usize = 64;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeySet(Vec<IssuerKey>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct IssuerKey {
    id: Option<String>,
    public: PublicKey,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PublicKey {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyVerdict {
    Valid,
    Invalid,
    UnknownKey,
}

impl KeySet {
    pub(super) fn read(text: &[u8]) -> Result<Self, String> {
        let set: Map<String, Value> = serde_json::from_slice(text)
            .map_err(|error| format!("its keys are not JSON: {error}"))?;
        let keys = set.get("keys").and_then(Value::as_array).ok_or("its keys are not a key set")?;
        if keys.len() > MAX_KEYS {
            return Err(format!("it has {} keys, more than {MAX_KEYS}", keys.len()));
        }
        let keys: Vec<IssuerKey> = keys.iter().filter_map(IssuerKey::read).collect();
        if keys.is_empty() {
            return Err("it has no key for RS256 or ES256".to_owned());
        }
        Ok(Self(keys))
    }

    /// Without a key ID, the only key of the algorithm.
    pub(super) fn verify(&self, token: &AccessToken<'_>) -> KeyVerdict {
        let fits = |key: &&IssuerKey| {
            key.public.algorithm() == token.algorithm
                && (token.key_id.is_none() || key.id == token.key_id)
        };
        let mut keys = self.0.iter().filter(fits);
        match (keys.next(), keys.next()) {
            (Some(key), None) if key.public.verifies(token) => KeyVerdict::Valid,
            (Some(_), None) if token.key_id.is_some() => KeyVerdict::Invalid,
            _ => KeyVerdict::UnknownKey,
        }
    }
}

impl IssuerKey {
    fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        let public = match text("kty")? {
            "RSA" => {
                let (modulus, exponent) = (bytes("n")?, bytes("e")?);
                PublicKey::Rsa { modulus: significant(&modulus), exponent: significant(&exponent) }
            }
            "EC" if text("crv") == Some("P-256") => {
                let (x, y) = (bytes("x")?, bytes("y")?);
                if x.len() != 32 || y.len() != 32 {
                    return None;
                }
                PublicKey::P256([&[4], &x[..], &y[..]].concat())
            }
            _ => return None,
        };
        let is_for_signatures = text("use").is_none_or(|it| it == "sig");
        let operations = value.get("key_ops").and_then(Value::as_array);
        let verifies = operations.is_none_or(|all| all.iter().any(|one| one == "verify"));
        let algorithm = text("alg").map_or(Some(public.algorithm()), Algorithm::named);
        let fits = is_for_signatures && verifies && algorithm == Some(public.algorithm());
        fits.then(|| Self { id: text("kid").map(str::to_owned), public })
    }
}

impl PublicKey {
    fn algorithm(&self) -> Algorithm {
        match self {
            Self::Rsa { .. } => Algorithm::Rs256,
            Self::P256(_) => Algorithm::Es256,
        }
    }

    fn verifies(&self, token: &AccessToken<'_>) -> bool {
        let (signed, signature) = (token.signed, &token.signature);
        let verified = match self {
            Self::Rsa { modulus, exponent } => {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature)
            }
            Self::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature)
            }
        };
        verified.is_ok()
    }
}

/// Some issuers write leading zeros.
fn significant(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().skip_while(|byte| *byte == 0).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(keys: &Value) -> Result<KeySet, String> {
        KeySet::read(json!({ "keys": keys }).to_string().as_bytes())
    }

    #[test]
    fn only_keys_for_signatures_are_taken() {
        let (x, y) = (URL_SAFE_NO_PAD.encode([1; 32]), URL_SAFE_NO_PAD.encode([2; 32]));
        let good = json!({"kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": "a"});
        assert_eq!(read(&json!([good])).unwrap().0.len(), 1);
        let changed = |name: &str, value: Value| {
            let mut key = good.clone();
            key[name] = value;
            key
        };
        for bad in [
            changed("use", json!("enc")),
            changed("key_ops", json!(["sign"])),
            changed("alg", json!("ES384")),
            changed("alg", json!("HS256")),
            changed("crv", json!("P-384")),
            changed("kty", json!("oct")),
            changed("x", json!(URL_SAFE_NO_PAD.encode([1; 31]))),
            changed("y", json!(7)),
            json!({"kty": "oct", "k": "AAAA", "kid": "a"}),
            json!(null),
        ] {
            assert!(read(&json!([bad])).is_err(), "{bad}");
            assert_eq!(read(&json!([bad, good])).unwrap().0.len(), 1, "{bad}");
        }
        for good in [changed("use", json!("sig")), changed("key_ops", json!(["verify"]))] {
            assert!(read(&json!([good])).is_ok(), "{good}");
        }
    }

    #[test]
    fn hostile_sets_are_refused() {
        let (x, y) = (URL_SAFE_NO_PAD.encode([1; 32]), URL_SAFE_NO_PAD.encode([2; 32]));
        let key = json!({"kty": "EC", "crv": "P-256", "x": x, "y": y});
        assert!(read(&Value::Array(vec![key.clone(); MAX_KEYS])).is_ok());
        assert!(read(&Value::Array(vec![key; MAX_KEYS + 1])).unwrap_err().contains("65 keys"));
        for bad in ["", "[]", "{}", r#"{"keys":{}}"#, r#"{"keys":[]}"#, "<html>"] {
            assert!(KeySet::read(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(KeySet::read("[".repeat(100_000).as_bytes()).is_err());
    }
}
