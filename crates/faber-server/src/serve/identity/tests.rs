use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::claims::ExpectedClaims;
use super::issuer::{Issuer, KeyAges, ReportFn, Unverified};
use super::keys::{KeySet, KeyVerdict};
use super::testing::{SigningKey, TestIssuer};
use super::token::AccessToken;

/// In milliseconds. Tests share it.
static NOW: AtomicU64 = AtomicU64::new(0);

fn elapsed() -> Duration {
    Duration::from_millis(NOW.load(Ordering::SeqCst))
}

fn pass(seconds: u64) {
    NOW.fetch_add(seconds * 1000, Ordering::SeqCst);
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

struct Case {
    issuer: Arc<Issuer>,
    reports: Arc<Mutex<Vec<String>>>,
}

impl Case {
    fn new(test: &TestIssuer, ages: KeyAges, elapsed: fn() -> Duration) -> Self {
        let reports = Arc::<Mutex<Vec<String>>>::default();
        let own = Arc::clone(&reports);
        let report: ReportFn =
            Arc::new(move |text: &str| own.lock().unwrap().push(text.to_owned()));
        let issuer = Arc::new(Issuer::new(&test.url, ages, elapsed, report).unwrap());
        Self { issuer, reports }
    }

    async fn verify(&self, key: &SigningKey) -> Result<u64, Unverified> {
        let text = key.token(&json!({"sub": "alice"}));
        self.issuer.verify(&AccessToken::read(&text).unwrap()).await
    }

    fn reports(&self) -> Vec<String> {
        std::mem::take(&mut *self.reports.lock().unwrap())
    }
}

#[test]
fn keys_rotate_and_outlive_the_issuer_for_an_hour() {
    block_on(async {
        let (old, new, foreign) =
            (SigningKey::rsa("old"), SigningKey::ec("new"), SigningKey::ec("x"));
        let test = TestIssuer::start(&[&old]);
        let case = Case::new(&test, KeyAges::default(), elapsed);
        let first = case.verify(&old).await.unwrap();
        assert_eq!((case.verify(&new).await, test.request_count()), (Err(Unverified::Invalid), 1));
        test.publish(&[&old, &new]);
        pass(16);
        for _ in 0..20 {
            assert_eq!(case.verify(&foreign).await, Err(Unverified::Invalid));
        }
        assert_eq!(test.request_count(), 2);
        let second = case.verify(&new).await.unwrap();
        assert!(second > first && case.verify(&old).await == Ok(second));
        test.publish(&[&new]);
        pass(601);
        assert_eq!(case.verify(&old).await, Ok(second));
        while test.request_count() < 3 || case.issuer.keys().is_some_and(|(_, it)| it == second) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(case.verify(&old).await, Err(Unverified::Invalid));
        assert!(case.verify(&new).await.is_ok());
        test.set_down(true);
        pass(3599);
        assert!(case.verify(&new).await.is_ok());
        while case.reports.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        pass(1);
        assert_eq!(case.verify(&new).await, Err(Unverified::NoKeys));
        assert!(case.issuer.keys().is_none());
        pass(16);
        assert_eq!(case.verify(&new).await, Err(Unverified::NoKeys));
        assert_eq!(case.reports().len(), 1, "said once");
        test.set_down(false);
        pass(16);
        assert!(case.verify(&new).await.is_ok());
        assert!(case.reports()[0].ends_with("answers again"));
    });
}

#[test]
fn an_issuer_that_lies_or_is_slow_has_no_keys() {
    let key = SigningKey::ec("a");
    let fetch_timeout = Duration::from_millis(300);
    let ages = KeyAges { fetch_timeout, ..KeyAges::default() };
    block_on(async {
        let spaces = " ".repeat(300_000);
        let many: Vec<Value> = vec![key.public(); 100];
        for (keys, reason) in [
            (format!("{}{spaces}", json!({"keys": [key.public()]})), "over 262144 bytes"),
            (json!({ "keys": many }).to_string(), "100 keys"),
            (json!({"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}).to_string(), "no key for RS256"),
            ("<html>".to_owned(), "not JSON"),
        ] {
            let test = TestIssuer::start(&[]);
            test.publish_text(keys);
            let case = Case::new(&test, ages, Duration::default);
            assert_eq!(case.verify(&key).await, Err(Unverified::NoKeys));
            assert!(case.reports()[0].contains(reason), "{reason}");
        }
        let test = TestIssuer::start(&[&key]);
        test.set_delay(Duration::from_secs(2));
        let case = Case::new(&test, ages, Duration::default);
        let all = tokio::join!(case.verify(&key), case.verify(&key), case.verify(&key));
        assert_eq!(
            all,
            (Err(Unverified::NoKeys), Err(Unverified::NoKeys), Err(Unverified::NoKeys))
        );
        assert!(case.reports()[0].contains("in time"));
        let other = TestIssuer::start(&[&key]);
        let alias = other.url.replace("127.0.0.1", "localhost");
        let renamed = Issuer::new(&alias, ages, Duration::default, Arc::new(|_: &str| {})).unwrap();
        renamed.refresh().await;
        assert!(Arc::new(renamed).keys().is_none(), "it calls itself something else");
    });
}

fn any_json() -> impl Strategy<Value = Value> {
    let names =
        ["iss", "aud", "exp", "nbf", "sub", "groups", "keys", "kty", "n", "e", "crv", "x", "y"];
    let leaf = prop_oneof![
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        proptest::sample::select(vec!["RSA", "EC", "P-256", "sig", "i"]).prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 32, 6, move |inner| {
        let name = proptest::sample::select(names.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((name, inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_text_is_a_token_without_a_key(
        text in "\\PC{0,40}",
        (header, claims) in (any_json(), any_json()),
        signature in any::<Vec<u8>>(),
    ) {
        let _ = AccessToken::read(&text);
        let encode = |json: &Value| URL_SAFE_NO_PAD.encode(json.to_string());
        let rest = format!("{}.{}", encode(&claims), URL_SAFE_NO_PAD.encode(signature));
        let _ = AccessToken::read(&format!("{}.{rest}", encode(&header)));
        let key = SigningKey::ec("a");
        let keys = KeySet::read(json!({"keys": [key.public()]}).to_string().as_bytes()).unwrap();
        let named = encode(&json!({"alg": "ES256", "kid": "a"}));
        if let Ok(token) = AccessToken::read(&format!("{named}.{rest}")) {
            prop_assert_ne!(keys.verify(&token), KeyVerdict::Valid);
        }
    }

    #[test]
    fn what_an_issuer_says_is_read_or_refused(keys in any_json(), claims in any_json(), now in any::<f64>()) {
        let _ = KeySet::read(json!({ "keys": keys }).to_string().as_bytes());
        let _ = KeySet::read(keys.to_string().as_bytes());
        let text = |text: &str| text.to_owned();
        let expected = ExpectedClaims {
            issuer: text("i"), audience: text("i"), user: text("sub"), groups: text("groups.aud"), scope: Some(text("i")),
        };
        let claims: Map<String, Value> = claims.as_object().cloned().unwrap_or_default();
        if expected.check(&claims, now).is_ok() {
            prop_assert!(claims.get("exp").is_some_and(Value::is_number));
        }
        expected.has_scope(&claims);
        if let Ok(principal) = expected.principal(&claims) {
            prop_assert!(principal.is_proven() && principal.user.is_some_and(|user| !user.is_empty()));
        }
    }
}
