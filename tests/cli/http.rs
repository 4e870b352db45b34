//! `faber serve --http` and clients that mean no good, or are slow.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::project::TestProject;

const TOKEN: &str = "Authorization: Bearer open-sesame\r\n";

/// A server on a port.
struct Server {
    child: Child,
    address: String,
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
    head: String,
    body: String,
}

impl Answer {
    /// The session that a server began.
    fn session(&self) -> String {
        let named = self.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        named.expect(&self.head).trim().to_owned()
    }
}

impl Server {
    fn start(project: &TestProject) -> Self {
        let mut command = project.faber(&["serve", "--http", "127.0.0.1:0"]);
        command.env("FABER_HTTP_TOKEN", "open-sesame").stderr(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("serving http://").unwrap();
        let address = address.strip_suffix("/mcp").unwrap().to_owned();
        Self { child, address }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }

    /// A request with these headers besides its type and length.
    fn post(&self, headers: &str, body: &str) -> Answer {
        let mut stream = self.connect();
        let length = body.len();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).unwrap();
        answer(stream)
    }

    /// A request as it should be.
    fn ask(&self, session: &str, message: &Value) -> Answer {
        let host = format!("Host: {}\r\n{session}", self.address);
        self.post(&format!("{TOKEN}{host}"), &message.to_string())
    }

    fn hello(&self) -> Answer {
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        self.ask("", &message)
    }
}

fn answer(mut stream: TcpStream) -> Answer {
    let mut text = Vec::new();
    // A server that ends a connection early may reset it.
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok());
    Answer { status: status.unwrap_or(0), head: head.to_lowercase(), body: body.to_owned() }
}

#[test]
fn host_and_origin_name_the_server_once() {
    let project = TestProject::with_role();
    let server = Server::start(&project);
    let own = server.address.clone();
    let port = own.rsplit(':').next().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let status = |headers: &str| server.post(&format!("{TOKEN}{headers}"), &ping).status;
    for good in [
        format!("Host: {own}\r\n"),
        format!("Host: LocalHost:{port}\r\nOrigin: http://localhost:{port}\r\n"),
    ] {
        assert!(![0, 401, 403].contains(&status(&good)), "{good}");
    }
    for bad in [
        String::new(),
        format!("Host: evil.example@{own}\r\n"),
        format!("Host: {own}\r\nHost: {own}\r\n"),
        format!("Host: {own}\r\nHost: evil.example\r\n"),
        format!("Host: evil.example, {own}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        format!("Host: {own}\r\nOrigin: http://{own}\r\nOrigin: http://evil.example\r\n"),
        format!("Host: {own}\r\nOrigin: http://evil.example@{own}\r\n"),
        format!("Host: {own}\r\nOrigin: null\r\n"),
    ] {
        let status = status(&bad);
        assert!([400, 403].contains(&status), "{bad}: {status}");
    }
}

#[test]
fn invalid_messages_get_errors_of_the_protocol() {
    let project = TestProject::with_role();
    let server = Server::start(&project);
    for (body, code) in [
        ("hello", -32700),
        ("", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,", -32700),
        ("[]", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        ("{\"id\":7,\"method\":\"ping\"}", -32600),
    ] {
        let headers = format!("{TOKEN}Host: {}\r\n", server.address);
        let answer = server.post(&headers, body);
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert!(answer.head.contains("content-type: application/json"), "{body}: {answer:?}");
        let data: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((&data["jsonrpc"], &data["error"]["code"]), (&json!("2.0"), &json!(code)));
    }
}

#[test]
fn sessions_are_few() {
    let project = TestProject::with_role();
    let server = Server::start(&project);
    let named = |session: &str| format!("Mcp-Session-Id: {session}\r\n");
    let first = server.hello().session();
    let second = server.hello().session();
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let mut last = String::new();
    for _ in 0..63 {
        // This one is in use.
        assert_eq!(server.ask(&named(&first), &ping).status, 200);
        last = server.hello().session();
    }
    assert_eq!(server.ask(&named(&second), &ping).status, 404);
    for used in [&first, &last] {
        assert_eq!(server.ask(&named(used), &ping).status, 200);
    }
}

#[test]
fn silent_connections_block_no_other() {
    let project = TestProject::with_role();
    let server = Server::start(&project);
    let begin = Instant::now();
    // Half a request with the token, and its answer, which is last.
    let mut unfinished = server.connect();
    let host = &server.address;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{TOKEN}Content-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{{"
    );
    unfinished.write_all(head.as_bytes()).unwrap();
    let silent: Vec<TcpStream> = (0..300)
        .map(|at| {
            let mut stream = server.connect();
            // The oldest may have been ended already.
            let _ = stream.write_all(if at % 2 == 0 { b"POST /mcp" } else { b"" });
            stream
        })
        .collect();
    assert_eq!(server.hello().status, 200);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert_eq!(answer(unfinished).status, 408);
    drop(silent);
}

#[test]
fn skills_are_served_on_a_port_too() {
    let letters = "---\ndescription: Sorts letters\n---\n# Letters\n\nBy town.\n";
    let project = TestProject::with_role().file("contexts/standards/standards-letters.md", letters);
    let server = Server::start(&project);
    let session = format!("Mcp-Session-Id: {}\r\n", server.hello().session());
    let ask = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params});
        let answer = server.ask(&session, &message);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    };
    let list = ask("skills/list", json!({}));
    assert!(
        list.contains("skill://letters/SKILL.md") && list.contains("skill://role-clerk/SKILL.md"),
        "{list}"
    );
    let read = ask("resources/read", json!({"uri": "skill://letters/SKILL.md"}));
    assert!(read.contains("description: Sorts letters"), "{read}");
    assert!(
        ask("resources/directory/read", json!({"uri": "skill://letters"}))
            .contains("text/markdown")
    );
    assert!(ask("skills/get", json!({"uri": "skill://x/SKILL.md"})).contains("-32602"));
}
