//! A test issuer on a local port, also for CLI tests.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};

const RSA: &[u8] = include_bytes!("rsa-for-tests.der");

pub(crate) struct SigningKey {
    name: String,
    pair: Pair,
}

enum Pair {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl SigningKey {
    pub(crate) fn rsa(name: &str) -> Self {
        let pair = RsaKeyPair::from_pkcs8(RSA).or_else(|_| RsaKeyPair::from_der(RSA)).unwrap();
        Self { name: name.to_owned(), pair: Pair::Rsa(pair) }
    }

    pub(crate) fn ec(name: &str) -> Self {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap();
        Self { name: name.to_owned(), pair: Pair::Ec(pair) }
    }

    pub(crate) fn public(&self) -> Value {
        let mut key = match &self.pair {
            Pair::Rsa(pair) => {
                let PublicKeyComponents::<Vec<u8>> { n, e } = pair.public().into();
                json!({"kty": "RSA", "n": encode(n), "e": encode(e), "alg": "RS256"})
            }
            Pair::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y)})
            }
        };
        key["kid"] = self.name.clone().into();
        key["use"] = "sig".into();
        key
    }

    pub(crate) fn token(&self, claims: &Value) -> String {
        let algorithm = match self.pair {
            Pair::Rsa(_) => "RS256",
            Pair::Ec(_) => "ES256",
        };
        self.token_with(&json!({"alg": algorithm, "kid": self.name, "typ": "at+jwt"}), claims)
    }

    pub(crate) fn token_with(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        let (text, random) = (signed.as_bytes(), SystemRandom::new());
        let signature = match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, text, &mut signature).unwrap();
                signature
            }
            Pair::Ec(pair) => pair.sign(&random, text).unwrap().as_ref().to_vec(),
        };
        format!("{signed}.{}", encode(signature))
    }
}

pub(crate) struct TestIssuer {
    pub(crate) url: String,
    shared: Arc<StubState>,
}

#[derive(Default)]
struct StubState {
    keys: Mutex<String>,
    delay: Mutex<Duration>,
    is_down: AtomicBool,
    requests: AtomicUsize,
    has_ended: AtomicBool,
}

impl TestIssuer {
    pub(crate) fn start(keys: &[&SigningKey]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/realms/team", listener.local_addr().unwrap());
        let shared = Arc::<StubState>::default();
        let issuer = Self { url: url.clone(), shared: Arc::clone(&shared) };
        issuer.publish(keys);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.has_ended.load(Ordering::SeqCst) {
                    return;
                }
                let (shared, url) = (Arc::clone(&shared), url.clone());
                thread::spawn(move || drop(answer(stream, &shared, &url)));
            }
        });
        issuer
    }

    pub(crate) fn publish(&self, keys: &[&SigningKey]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.public()).collect();
        self.publish_text(json!({ "keys": keys }).to_string());
    }

    pub(crate) fn publish_text(&self, keys: String) {
        *self.shared.keys.lock().unwrap() = keys;
    }

    pub(crate) fn set_delay(&self, delay: Duration) {
        *self.shared.delay.lock().unwrap() = delay;
    }

    pub(crate) fn set_down(&self, is_down: bool) {
        self.shared.is_down.store(is_down, Ordering::SeqCst);
    }

    pub(crate) fn request_count(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }
}

impl Drop for TestIssuer {
    fn drop(&mut self) {
        self.shared.has_ended.store(true, Ordering::SeqCst);
        let address = self.url.trim_start_matches("http://").trim_end_matches("/realms/team");
        drop(TcpStream::connect(address));
    }
}

fn answer(mut stream: TcpStream, shared: &StubState, url: &str) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let delay = *shared.delay.lock().unwrap();
    thread::sleep(delay);
    if shared.is_down.load(Ordering::SeqCst) {
        return Ok(());
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let body = match path {
        "/realms/team/.well-known/openid-configuration" => {
            Some(json!({"issuer": url, "jwks_uri": format!("{url}/keys")}).to_string())
        }
        "/realms/team/keys" => {
            shared.requests.fetch_add(1, Ordering::SeqCst);
            Some(shared.keys.lock().unwrap().clone())
        }
        _ => None,
    };
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
