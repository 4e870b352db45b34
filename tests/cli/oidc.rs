//! `faber serve --http --oidc`: several users at once, and clients with bad tokens.

#[path = "../../crates/faber-server/src/serve/identity/testing.rs"]
mod testing;

mod limits;
mod refused;
mod tls;
mod users;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::project::TestProject;
use testing::{SigningKey, TestIssuer};

const AUDIENCE: &str = "https://faber.example/mcp";

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// An issuer with one key.
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

/// A server on a port.
struct Server {
    child: Child,
    address: String,
    /// The host of its URL.
    host: String,
    err: BufReader<ChildStderr>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// What a server answers.
#[derive(Debug)]
struct Answer {
    status: u16,
    /// In lower case.
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn session(&self) -> String {
        self.header("mcp-session-id").expect(&self.head).to_owned()
    }
}

impl Server {
    /// A server whose tokens are for [`AUDIENCE`].
    fn start(project: &TestProject, realm: &Realm, more: &[&str]) -> Self {
        let audience = ["--audience", AUDIENCE];
        Self::with(project, &[&["--oidc", &realm.issuer.url], &audience[..], more].concat())
    }

    fn with(project: &TestProject, arguments: &[&str]) -> Self {
        let all = [&["serve", "--http", "127.0.0.1:0"], arguments].concat();
        let mut child =
            project.faber(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        err.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("serving ").unwrap_or_else(|| panic!("{line}"));
        let (url, address) = url.split_once(" on ").unwrap_or((url, ""));
        let host = url.split_once("://").unwrap().1.strip_suffix("/mcp").unwrap().to_owned();
        let address = if address.is_empty() { host.clone() } else { address.to_owned() };
        err.read_line(&mut line).unwrap();
        Self { child, address, host, err }
    }

    /// A request with these lines after the first.
    fn request(&self, first: &str, lines: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = format!(
            "{first} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{lines}Content-Length: {length}\r\n\r\n",
            self.host
        );
        // A server may refuse a request before it has read all of it.
        let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        read(&String::from_utf8(text).unwrap())
    }

    /// A message with a token.
    fn post(&self, token: &str, lines: &str, message: &Value) -> Answer {
        let lines = format!(
            "Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{lines}"
        );
        self.request("POST /mcp", &lines, &message.to_string())
    }

    fn hello(&self, token: &str) -> Answer {
        self.hello_from(token, "")
    }

    fn hello_from(&self, token: &str, lines: &str) -> Answer {
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        self.post(token, lines, &message)
    }

    /// The answer to a call of a tool in a session.
    fn call(&self, token: &str, session: &str, name: &str, arguments: &Value) -> Answer {
        let params = json!({"name": name, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        self.post(token, &format!("Mcp-Session-Id: {session}\r\n"), &message)
    }
}

fn read(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok());
    Answer { status: status.unwrap_or(0), head: head.to_lowercase(), body: body.to_owned() }
}
