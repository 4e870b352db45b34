//! `faber serve --http --oidc` with several users.

#[path = "../../crates/faber-server/src/serve/identity/testing.rs"]
mod testing;

mod limits;
mod refused;
mod tls;
mod users;

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::project::TestProject;
use crate::server::{Answer, Server};
use testing::{SigningKey, TestIssuer};

const AUDIENCE: &str = "https://faber.example/mcp";

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

struct Realm {
    issuer: TestIssuer,
    key: SigningKey,
}

impl Realm {
    fn new() -> Self {
        let key = SigningKey::rsa("first");
        Self { issuer: TestIssuer::start(&[&key]), key }
    }

    fn claims(&self, user: &str, groups: &[&str]) -> Value {
        json!({
            "iss": self.issuer.url, "aud": AUDIENCE, "exp": now() + 300, "sub": user, "groups": groups,
        })
    }

    fn token(&self, user: &str, groups: &[&str]) -> String {
        self.key.token(&self.claims(user, groups))
    }
}

impl Server {
    fn start(project: &TestProject, realm: &Realm, more: &[&str]) -> Self {
        let audience = ["--audience", AUDIENCE];
        Self::with(project, &[&["--oidc", &realm.issuer.url], &audience[..], more].concat())
    }

    fn with(project: &TestProject, arguments: &[&str]) -> Self {
        Self::spawn(project.faber(&[&["serve", "--http", "127.0.0.1:0"], arguments].concat()))
    }

    fn post(&self, token: &str, lines: &str, message: &Value) -> Answer {
        self.ask(&format!("Authorization: Bearer {token}\r\n{lines}"), message)
    }

    fn hello(&self, token: &str) -> Answer {
        self.hello_from(token, "")
    }

    fn hello_from(&self, token: &str, lines: &str) -> Answer {
        self.initialize(&format!("Authorization: Bearer {token}\r\n{lines}"))
    }

    fn call(&self, token: &str, session: &str, name: &str, arguments: &Value) -> Answer {
        let params = json!({"name": name, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        self.post(token, &format!("Mcp-Session-Id: {session}\r\n"), &message)
    }
}
