//! Tokens of an issuer that rotates its keys, is slow, is away, or lies.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::issuer::{Issuer, KeyAges, Report, Unverified};
use super::testing::{SigningKey, TestIssuer};
use super::token::Token;

/// The time of a test, in milliseconds. Tests that set it are one test.
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
        let report: Report = Arc::new(move |text: &str| own.lock().unwrap().push(text.to_owned()));
        let issuer = Arc::new(Issuer::new(&test.url, ages, elapsed, report).unwrap());
        Self { issuer, reports }
    }

    async fn verify(&self, key: &SigningKey) -> Result<u64, Unverified> {
        let text = key.token(&json!({"sub": "alice"}));
        self.issuer.verify(&Token::read(&text).unwrap()).await
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
        assert_eq!((case.verify(&new).await, test.asked()), (Err(Unverified::Invalid), 1));
        // Both keys, and tokens with unknown ones, as many as there may be.
        test.publish(&[&old, &new]);
        pass(16);
        for _ in 0..20 {
            assert_eq!(case.verify(&foreign).await, Err(Unverified::Invalid));
        }
        assert_eq!(test.asked(), 2);
        let second = case.verify(&new).await.unwrap();
        assert!(second > first && case.verify(&old).await == Ok(second));
        // The old key is withdrawn. What is verified comes from fresh keys.
        test.publish(&[&new]);
        pass(601);
        assert_eq!(case.verify(&old).await, Ok(second));
        while test.asked() < 3 || case.issuer.generation() == Some(second) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(case.verify(&old).await, Err(Unverified::Invalid));
        assert!(case.verify(&new).await.is_ok());
        // The issuer goes away.
        test.set_down(true);
        pass(3599);
        assert!(case.verify(&new).await.is_ok());
        while case.reports.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        pass(1);
        assert_eq!(case.verify(&new).await, Err(Unverified::NoKeys));
        assert_eq!(case.issuer.generation(), None);
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
    let patience = Duration::from_millis(300);
    let ages = KeyAges { patience, ..KeyAges::default() };
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
        // All of them wait for one attempt.
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
        assert_eq!(Arc::new(renamed).generation(), None, "it calls itself something else");
    });
}
