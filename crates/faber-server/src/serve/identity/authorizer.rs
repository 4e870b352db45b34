use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use hyper::http::StatusCode;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::locked;
use crate::serve::identity::claims::{self, ExpectedClaims, SKEW};
use crate::serve::identity::issuer::{Issuer, Unverified};
use crate::serve::identity::limits::{RateLimit, make_room};
use crate::serve::identity::network::subscriber;
use crate::serve::identity::tenants::{Tenant, Tenants};
use crate::serve::identity::token::{AccessToken, RefusalReason};
use crate::serve::mcp::Caller;
use crate::serve::state::ServerState;
use faber_core::resolve::view::Principal;
use faber_session::settings::Clocks;

/// RFC 9728.
pub(crate) const METADATA: &str = "/.well-known/oauth-protected-resource";
/// Per address and minute; then only known tokens are accepted.
const BAD_TOKENS: u32 = 120;
const BYTES: u32 = 64 * 1024 * 1024;
const MAX_REMAINING: f64 = 86_400.0;
const MAX_VERIFIED: usize = 8_192;

pub(crate) struct AccessTerms {
    pub(crate) issuer: Arc<Issuer>,
    pub(crate) expected: ExpectedClaims,
    pub(crate) origin: String,
    pub(crate) path: &'static str,
    pub(crate) requests_per_minute: u32,
    pub(crate) teams: Option<Vec<String>>,
    pub(crate) clocks: Clocks,
}

pub(crate) struct Authorizer {
    terms: AccessTerms,
    tenants: Tenants,
    verified: Mutex<BTreeMap<[u8; 32], Verified>>,
    bad_tokens: RateLimit<IpAddr>,
    requests: RateLimit<String>,
    bytes: RateLimit<String>,
}

#[derive(Clone)]
struct Verified {
    principal: Arc<Principal>,
    has_scope: bool,
    /// Unix time in seconds.
    expires: f64,
    generation: u64,
}

#[derive(Clone)]
pub(crate) struct Admission {
    pub(crate) caller: Caller,
    pub(crate) user: String,
    pub(crate) connections: Arc<Semaphore>,
    pub(crate) left: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum HttpRefusal {
    NoToken,
    BadToken(RefusalReason),
    NoScope,
    NotMember,
    /// In seconds.
    TooMany(f64),
    NoKeys,
}

impl HttpRefusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::NoToken | Self::BadToken(_) => StatusCode::UNAUTHORIZED,
            Self::NoScope | Self::NotMember => StatusCode::FORBIDDEN,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::NoKeys => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::NoToken => "send an access token for this server",
            Self::BadToken(reason) => reason,
            Self::NoScope => "the token does not have the scope of this server",
            Self::NotMember => "this server is for a team that you are not a member of",
            Self::TooMany(_) => "too many requests",
            Self::NoKeys => "the issuer of tokens cannot be reached",
        }
    }

    pub(crate) fn retry_after(self) -> Option<u64> {
        match self {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 60")]
            Self::TooMany(seconds) => Some(seconds.ceil().clamp(1.0, 60.0) as u64),
            Self::NoKeys => Some(15),
            _ => None,
        }
    }
}

impl Authorizer {
    pub(crate) fn new(terms: AccessTerms, origin: Arc<ServerState>) -> Self {
        let requests = RateLimit::per_minute(terms.requests_per_minute);
        Self {
            terms,
            tenants: Tenants::new(origin),
            verified: Mutex::default(),
            bad_tokens: RateLimit::per_minute(BAD_TOKENS),
            requests,
            bytes: RateLimit::per_minute(BYTES),
        }
    }

    fn now(&self) -> f64 {
        (self.terms.clocks.now)().timestamp().as_duration().as_secs_f64()
    }

    pub(crate) async fn admit(
        &self,
        headers: &HeaderMap,
        from: IpAddr,
    ) -> Result<Admission, HttpRefusal> {
        let token = bearer(headers).ok_or(HttpRefusal::NoToken)?;
        let digest = *blake3::hash(token.as_bytes()).as_bytes();
        let verified = match self.known(&digest) {
            Some(verified) => verified,
            None => self.verify(token, digest, subscriber(from)).await?,
        };
        let principal = &verified.principal;
        let user = principal.user.clone().unwrap_or_default();
        let elapsed = (self.terms.clocks.elapsed)();
        self.requests.take(&user, 1.0, elapsed).map_err(HttpRefusal::TooMany)?;
        if !verified.has_scope {
            return Err(HttpRefusal::NoScope);
        }
        let is_member =
            |teams: &Vec<String>| teams.iter().any(|team| principal.groups.contains(team));
        if self.terms.teams.as_ref().is_some_and(|teams| !is_member(teams)) {
            return Err(HttpRefusal::NotMember);
        }
        let Tenant { caller, connections } = self.tenants.get(principal);
        let left = (verified.expires + SKEW - self.now()).clamp(0.0, MAX_REMAINING);
        Ok(Admission { caller, user, connections, left: Some(Duration::from_secs_f64(left)) })
    }

    fn known(&self, digest: &[u8; 32]) -> Option<Verified> {
        let (_, generation) = self.terms.issuer.keys()?;
        let verified = locked(&self.verified).get(digest).cloned()?;
        self.is_valid(&verified, generation).then_some(verified)
    }

    fn is_valid(&self, verified: &Verified, generation: u64) -> bool {
        verified.generation == generation && self.now() < verified.expires
    }

    async fn verify(
        &self,
        text: &str,
        digest: [u8; 32],
        from: IpAddr,
    ) -> Result<Verified, HttpRefusal> {
        let elapsed = (self.terms.clocks.elapsed)();
        self.bad_tokens.take(&from, 1.0, elapsed).map_err(HttpRefusal::TooMany)?;
        let bad = HttpRefusal::BadToken;
        let token = AccessToken::read(text).map_err(bad)?;
        let expected = &self.terms.expected;
        expected.check(&token.claims, self.now()).map_err(bad)?;
        let principal = expected.principal(&token.claims).map_err(bad)?;
        let generation = match self.terms.issuer.verify(&token).await {
            Ok(generation) => generation,
            Err(Unverified::Invalid) => {
                return Err(bad("the signature of the token is not valid"));
            }
            Err(Unverified::NoKeys) => return Err(HttpRefusal::NoKeys),
        };
        self.bad_tokens.put_back(&from, 1.0);
        let verified = Verified {
            principal: Arc::new(principal),
            has_scope: expected.has_scope(&token.claims),
            expires: claims::expires(&token.claims).unwrap_or_default(),
            generation,
        };
        let mut known = locked(&self.verified);
        make_room(&mut known, MAX_VERIFIED, |one| self.is_valid(one, generation));
        known.insert(digest, verified.clone());
        Ok(verified)
    }

    pub(crate) fn charge(&self, user: &str, bytes: u64) -> Result<(), HttpRefusal> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let elapsed = (self.terms.clocks.elapsed)();
        self.bytes.take(&user.to_owned(), bytes.into(), elapsed).map_err(HttpRefusal::TooMany)
    }

    pub(crate) fn metadata(&self) -> Vec<u8> {
        let expected = &self.terms.expected;
        let mut metadata = json!({
            "resource": format!("{}{}", self.terms.origin, self.terms.path),
            "resource_name": "faber",
            "authorization_servers": [expected.issuer],
            "bearer_methods_supported": ["header"],
        });
        if let Some(scope) = &expected.scope {
            metadata["scopes_supported"] = json!([scope]);
        }
        metadata.to_string().into_bytes()
    }

    pub(crate) fn challenge(&self, refusal: HttpRefusal) -> Option<HeaderValue> {
        let error = match refusal {
            HttpRefusal::NoToken => None,
            HttpRefusal::BadToken(_) => Some("invalid_token"),
            HttpRefusal::NoScope => Some("insufficient_scope"),
            HttpRefusal::NotMember | HttpRefusal::TooMany(_) | HttpRefusal::NoKeys => return None,
        };
        let (origin, path) = (&self.terms.origin, self.terms.path);
        let mut text = format!("Bearer resource_metadata=\"{origin}{METADATA}{path}\"");
        if let Some(scope) = &self.terms.expected.scope {
            let _ = write!(text, ", scope=\"{scope}\"");
        }
        if let Some(error) = error {
            let reason = refusal.text();
            let _ = write!(text, ", error=\"{error}\", error_description=\"{reason}\"");
        }
        HeaderValue::from_str(&text).ok()
    }
}

pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}
