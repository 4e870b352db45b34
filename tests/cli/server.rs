//! An HTTP server under test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    pub(crate) host: String,
    pub(crate) err: BufReader<ChildStderr>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(crate) fn session(&self) -> String {
        self.header("mcp-session-id").expect(&self.head).to_owned()
    }
}

impl Server {
    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
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

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }

    pub(crate) fn send(&self, head: &str, body: &str) -> Answer {
        let mut stream = self.connect();
        let length = body.len();
        let head = format!("{head}Connection: close\r\nContent-Length: {length}\r\n\r\n");
        // It may answer before reading.
        let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat());
        read(stream)
    }

    pub(crate) fn request(&self, first: &str, lines: &str, body: &str) -> Answer {
        self.send(&format!("{first} HTTP/1.1\r\nHost: {}\r\n{lines}", self.host), body)
    }

    pub(crate) fn ask(&self, lines: &str, message: &Value) -> Answer {
        let lines = format!(
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{lines}"
        );
        self.request("POST /mcp", &lines, &message.to_string())
    }

    pub(crate) fn initialize(&self, lines: &str) -> Answer {
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        self.ask(lines, &message)
    }
}

pub(crate) fn read(mut stream: TcpStream) -> Answer {
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok());
    Answer { status: status.unwrap_or(0), head: head.to_lowercase(), body: body.to_owned() }
}
