//! Keys of an issuer. Clients cannot cause frequent fetches.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::Uri;
use rustls::ClientConfig;
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::locked;
use crate::serve::identity::keys::{KeySet, KeyVerdict};
use crate::serve::identity::token::AccessToken;
use crate::serve::identity::{fetch, network, tls};
use faber_core::error::Error;
use faber_tools::search::found::preview;

const MAX_REASON_CHARS: usize = 300;

#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyAges {
    /// Younger keys are fetched again only for an unknown key.
    pub(crate) fresh: Duration,
    /// Older keys verify nothing.
    pub(crate) max: Duration,
    pub(crate) pause: Duration,
    pub(crate) fetch_timeout: Duration,
}

impl Default for KeyAges {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            fresh: seconds(10 * 60),
            max: seconds(60 * 60),
            pause: seconds(15),
            fetch_timeout: seconds(5),
        }
    }
}

pub(crate) type ReportFn = Arc<dyn Fn(&str) + Send + Sync>;

pub(crate) struct Issuer {
    name: String,
    url: Uri,
    tls: Option<Arc<ClientConfig>>,
    ages: KeyAges,
    elapsed: fn() -> Duration,
    report: ReportFn,
    state: Mutex<IssuerState>,
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct IssuerState {
    keys: Arc<KeySet>,
    generation: u64,
    fetched: Option<Duration>,
    tried: Option<Duration>,
    is_failing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unverified {
    Invalid,
    NoKeys,
}

impl Issuer {
    pub(crate) fn new(
        name: &str,
        ages: KeyAges,
        elapsed: fn() -> Duration,
        report: ReportFn,
    ) -> Result<Self, Error> {
        let url: Option<Uri> = name.parse().ok().filter(network::is_safe);
        let url = url.filter(|url| url.query().is_none()).ok_or_else(|| {
            let help =
                "write it as its tokens have it in `iss`: `https://id.example.org/realms/team`";
            Error::usage(format!("`{name}` is not the address of an issuer"), help)
        })?;
        let is_https = url.scheme_str() == Some("https");
        let tls = if is_https { Some(tls::client()?) } else { None };
        let (state, fetching) = (Mutex::default(), tokio::sync::Mutex::default());
        Ok(Self { name: name.to_owned(), url, tls, ages, elapsed, report, state, fetching })
    }

    /// Fetches stale keys in the background. Results of another generation are invalid.
    pub(super) fn keys(self: &Arc<Self>) -> Option<(Arc<KeySet>, u64)> {
        let now = (self.elapsed)();
        let state = locked(&self.state);
        let age = now.saturating_sub(state.fetched?);
        if age >= self.ages.fresh && self.may_try(&state, now) {
            let issuer = Arc::clone(self);
            tokio::spawn(async move { issuer.refresh().await });
        }
        (age < self.ages.max).then(|| (Arc::clone(&state.keys), state.generation))
    }

    fn may_try(&self, state: &IssuerState, now: Duration) -> bool {
        state.tried.is_none_or(|tried| now.saturating_sub(tried) >= self.ages.pause)
    }

    pub(super) async fn verify(
        self: &Arc<Self>,
        token: &AccessToken<'_>,
    ) -> Result<u64, Unverified> {
        let verdict = |keys: Option<(Arc<KeySet>, u64)>| {
            let (keys, generation) = keys?;
            Some((keys.verify(token), generation))
        };
        let first = verdict(self.keys());
        let last = match first {
            Some((KeyVerdict::Valid | KeyVerdict::Invalid, _)) => first,
            Some((KeyVerdict::UnknownKey, _)) | None => {
                self.refresh().await;
                verdict(self.keys())
            }
        };
        match last {
            Some((KeyVerdict::Valid, generation)) => Ok(generation),
            Some(_) => Err(Unverified::Invalid),
            None => Err(Unverified::NoKeys),
        }
    }

    /// At most once per `pause`.
    pub(crate) async fn refresh(&self) {
        let _one = self.fetching.lock().await;
        {
            let now = (self.elapsed)();
            let mut state = locked(&self.state);
            if !self.may_try(&state, now) {
                return;
            }
            state.tried = Some(now);
        }
        let fetched = timeout(self.ages.fetch_timeout, self.fetch()).await;
        let fetched = fetched.unwrap_or_else(|_| Err("it does not answer in time".to_owned()));
        let mut state = locked(&self.state);
        let was_failing = std::mem::replace(&mut state.is_failing, fetched.is_err());
        match fetched {
            Ok(keys) => {
                state.fetched = Some((self.elapsed)());
                if *state.keys != keys {
                    state.keys = Arc::new(keys);
                    state.generation += 1;
                }
                if was_failing {
                    (self.report)(&format!("the issuer {} answers again", self.name));
                }
            }
            Err(reason) if !was_failing => {
                let (name, reason) = (&self.name, preview(&reason, MAX_REASON_CHARS));
                (self.report)(&format!("warning: no keys from the issuer {name}: {reason}"));
            }
            Err(_) => {}
        }
    }

    async fn fetch(&self) -> Result<KeySet, String> {
        let at = self.metadata().await?;
        KeySet::read(&fetch::get(&at, self.tls.as_ref()).await?)
    }

    async fn metadata(&self) -> Result<Uri, String> {
        let [openid, oauth] = metadata_urls(&self.url)?;
        let text = match fetch::get(&openid, self.tls.as_ref()).await {
            Ok(text) => text,
            Err(first) => fetch::get(&oauth, self.tls.as_ref()).await.map_err(|_| first)?,
        };
        let found: Map<String, Value> =
            serde_json::from_slice(&text).map_err(|error| format!("its metadata: {error}"))?;
        let text = |name: &str| found.get(name).and_then(Value::as_str);
        match text("issuer") {
            Some(own) if own == self.name => {}
            own => return Err(format!("it calls itself `{}`", own.unwrap_or_default())),
        }
        let keys = text("jwks_uri").ok_or("its metadata has no `jwks_uri`")?;
        let url = keys.parse().ok().filter(network::is_safe);
        url.ok_or_else(|| format!("its keys are at an unsafe address, `{keys}`"))
    }
}

/// `OpenID` Connect Discovery and RFC 8414.
fn metadata_urls(issuer: &Uri) -> Result<[Uri; 2], String> {
    let path = issuer.path().trim_end_matches('/');
    let paths = [
        format!("{path}/.well-known/openid-configuration"),
        format!("/.well-known/oauth-authorization-server{path}"),
    ];
    let url = |path: String| {
        let mut parts = issuer.clone().into_parts();
        parts.path_and_query = path.parse().ok();
        Uri::from_parts(parts).map_err(|error| error.to_string())
    };
    let [openid, oauth] = paths.map(url);
    Ok([openid?, oauth?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_has_its_metadata_at_one_of_two_places() {
        let urls = |issuer: &str| {
            metadata_urls(&issuer.parse().unwrap()).unwrap().map(|url| url.to_string())
        };
        assert_eq!(
            urls("https://id.example/realms/team"),
            [
                "https://id.example/realms/team/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server/realms/team",
            ]
        );
        assert_eq!(
            urls("https://id.example/"),
            [
                "https://id.example/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server",
            ]
        );
    }

    #[test]
    fn an_issuer_has_an_address_with_tls() {
        let new = |name: &str| {
            Issuer::new(name, KeyAges::default(), Duration::default, Arc::new(|_: &str| {}))
        };
        assert!(new("http://localhost:8080/realms/team").is_ok());
        for bad in ["", "id.example", "http://id.example", "http://localhost/?a=b", "/realms/team"]
        {
            assert!(new(bad).is_err(), "{bad}");
        }
    }
}
