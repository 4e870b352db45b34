use std::net::IpAddr;
use std::sync::Arc;

use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Method, StatusCode};
use tokio::sync::Semaphore;

use crate::serve::http::answers::{HttpResponse, PATH, closing, refusal, response};
use crate::serve::identity::authorizer::{Admission, Authorizer, HttpRefusal, METADATA, bearer};
use crate::serve::mcp::Caller;

const MAX_CONNECTIONS: usize = 256;
const MAX_CONNECTIONS_TOTAL: usize = 1024;
const MAX_SESSIONS: usize = 64;
const MAX_SESSIONS_TOTAL: usize = 1024;
const MAX_SESSIONS_EACH: usize = 16;

pub(crate) enum HttpAccess {
    Token { token: String, caller: Caller },
    Issuer(Box<Authorizer>),
}

impl HttpAccess {
    pub(super) async fn admit(
        &self,
        headers: &HeaderMap,
        from: IpAddr,
    ) -> Result<Admission, HttpResponse> {
        match self {
            Self::Token { token, caller } => {
                if bearer(headers).is_some_and(|given| is_same(given, token)) {
                    let connections = Arc::new(Semaphore::new(1));
                    let (caller, user) = (caller.clone(), String::new());
                    return Ok(Admission { caller, user, connections, left: None });
                }
                let mut answer =
                    refusal(StatusCode::UNAUTHORIZED, "send the token of this server\n");
                answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                Err(answer)
            }
            Self::Issuer(authorizer) => {
                let admitted = authorizer.admit(headers, from).await;
                admitted.map_err(|refused| refused_by(authorizer, refused))
            }
        }
    }

    pub(super) fn charge(&self, user: &str, bytes: u64) -> Option<HttpResponse> {
        let Self::Issuer(authorizer) = self else { return None };
        let refused = authorizer.charge(user, bytes).err()?;
        Some(closing(refused_by(authorizer, refused)))
    }

    pub(super) fn public(&self, method: &Method, path: &str) -> Option<HttpResponse> {
        let Self::Issuer(authorizer) = self else { return None };
        let of = path.strip_prefix(METADATA)?;
        if !(of.is_empty() || of == PATH) {
            return None;
        }
        if method != Method::GET && method != Method::HEAD {
            return Some(refusal(StatusCode::METHOD_NOT_ALLOWED, "only GET\n"));
        }
        let mut answer = response(StatusCode::OK, authorizer.metadata());
        let json = HeaderValue::from_static("application/json");
        answer.headers_mut().insert(CONTENT_TYPE, json);
        Some(answer)
    }

    pub(super) fn limits(&self) -> [usize; 3] {
        match self {
            Self::Token { .. } => [MAX_CONNECTIONS, MAX_SESSIONS, MAX_SESSIONS],
            Self::Issuer(_) => [MAX_CONNECTIONS_TOTAL, MAX_SESSIONS_TOTAL, MAX_SESSIONS_EACH],
        }
    }
}

fn refused_by(authorizer: &Authorizer, refused: HttpRefusal) -> HttpResponse {
    let mut answer = response(refused.status(), format!("{}\n", refused.text()).into_bytes());
    let headers = answer.headers_mut();
    if let Some(challenge) = authorizer.challenge(refused) {
        headers.insert(WWW_AUTHENTICATE, challenge);
    }
    if let Some(seconds) = refused.retry_after() {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    answer
}

/// In constant time: comparing hashes leaks no prefix.
fn is_same(given: &str, token: &str) -> bool {
    blake3::hash(given.as_bytes()) == blake3::hash(token.as_bytes())
}

#[cfg(test)]
mod tests {
    use hyper::header::AUTHORIZATION;

    use super::*;

    #[test]
    fn requests_without_the_token_are_refused() {
        let is_known = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().unwrap());
            }
            bearer(&headers).is_some_and(|given| is_same(given, "abc"))
        };
        assert!(is_known(&["Bearer abc"]) && is_known(&["bearer  abc "]));
        for bad in ["abc", "Bearer", "Bearer ", "Bearer abcd", "Basic abc", "Bearer ab"] {
            assert!(!is_known(&[bad]), "{bad}");
        }
        assert!(!is_known(&[]) && !is_known(&["Bearer abc", "Bearer x"]));
    }
}
