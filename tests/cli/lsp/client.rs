//! A minimal LSP client.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::project::TestProject;

const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    incoming: Receiver<Value>,
    waiting: VecDeque<Value>,
    asked: i64,
    root: String,
    pub(crate) published: BTreeMap<String, Vec<Value>>,
}

pub(crate) fn frame(text: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut size = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        let (name, value) = line.split_once(": ").expect("nothing but the protocol is printed");
        assert_eq!(name, "Content-Length");
        size = Some(value.trim().parse::<usize>().unwrap());
    }
    let mut text = vec![0; size.unwrap()];
    output.read_exact(&mut text).unwrap();
    Some(serde_json::from_slice(&text).unwrap())
}

pub(crate) fn hello(root: &str) -> Value {
    json!({
        "processId": null,
        "rootUri": root,
        "capabilities": {
            "textDocument": {
                "publishDiagnostics": { "relatedInformation": true },
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            },
            "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } },
        },
    })
}

impl Client {
    /// Before `initialize`.
    pub(crate) fn silent(project: &TestProject) -> Self {
        let mut command = project.faber(&["lsp", "--stdio"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let root = project.path("").canonicalize().unwrap();
        let root = format!("file://{}", root.to_str().unwrap());
        let (waiting, published) = (VecDeque::new(), BTreeMap::new());
        Self { child, input, incoming, waiting, asked: 0, root, published }
    }

    pub(crate) fn start(project: &TestProject) -> Self {
        let mut client = Self::silent(project);
        let hello = hello(&client.root);
        client.ask("initialize", hello);
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    pub(crate) fn send_raw(&mut self, bytes: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(&frame(&message.to_string()));
    }

    #[expect(clippy::needless_pass_by_value, reason = "calls are easier to read")]
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    #[expect(clippy::needless_pass_by_value, reason = "calls are easier to read")]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn next(&mut self) -> Value {
        let message = self.incoming.recv_timeout(TIMEOUT).expect("an answer");
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = message["params"]["uri"].as_str().unwrap().to_owned();
            let found = message["params"]["diagnostics"].as_array().unwrap().clone();
            self.published.insert(uri, found);
        }
        message
    }

    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        if let Some(at) = self.waiting.iter().position(|message| message["id"] == *id) {
            return self.waiting.remove(at).unwrap();
        }
        loop {
            let message = self.next();
            let is_answer = message.get("method").is_none();
            if is_answer && message["id"] == *id {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(&json!(id));
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub(crate) fn open(&mut self, path: &str, text: &str) {
        let item =
            json!({ "uri": self.uri(path), "languageId": "markdown", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }

    /// `range` is start and end as line and column.
    pub(crate) fn change(&mut self, path: &str, range: Option<[u32; 4]>, text: &str) {
        let mut change = json!({ "text": text });
        if let Some([a, b, c, d]) = range {
            change["range"] = json!({
                "start": { "line": a, "character": b },
                "end": { "line": c, "character": d },
            });
        }
        let document = json!({ "uri": self.uri(path), "version": 2 });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.notify("textDocument/didChange", params);
    }

    pub(crate) fn close(&mut self, path: &str) {
        let params = json!({ "textDocument": { "uri": self.uri(path) } });
        self.notify("textDocument/didClose", params);
    }

    pub(crate) fn ask_at(&mut self, method: &str, path: &str, at: (u32, u32)) -> Value {
        let mut params = json!({
            "textDocument": { "uri": self.uri(path) },
            "position": { "line": at.0, "character": at.1 },
        });
        if method == "textDocument/references" {
            params["context"] = json!({ "includeDeclaration": false });
        }
        self.ask(method, params)
    }

    pub(crate) fn actions(&mut self, path: &str, lines: (u32, u32)) -> Vec<Value> {
        let params = json!({
            "textDocument": { "uri": self.uri(path) },
            "range": {
                "start": { "line": lines.0, "character": 0 },
                "end": { "line": lines.1, "character": 0 },
            },
            "context": { "diagnostics": [] },
        });
        self.ask("textDocument/codeAction", params).as_array().unwrap().clone()
    }

    pub(crate) fn settle(&mut self, path: &str) {
        self.actions(path, (0, 0));
        loop {
            let Ok(message) = self.incoming.recv_timeout(Duration::from_millis(150)) else {
                return;
            };
            if message["method"] == "textDocument/publishDiagnostics" {
                let uri = message["params"]["uri"].as_str().unwrap().to_owned();
                let found = message["params"]["diagnostics"].as_array().unwrap().clone();
                self.published.insert(uri, found);
            }
        }
    }

    #[track_caller]
    pub(crate) fn wait_for(&mut self, path: &str, rule: &str, there: bool) {
        let uri = self.uri(path);
        let has = |client: &Self| {
            let found = client.published.get(&uri);
            found.is_some_and(|found| found.iter().any(|it| it["code"] == rule))
        };
        while has(self) != there {
            self.next();
        }
    }

    pub(crate) fn rules(&self, path: &str) -> Vec<(String, u64)> {
        let found = self.published.get(&self.uri(path)).cloned().unwrap_or_default();
        let one = |it: &Value| {
            (
                it["code"].as_str().unwrap().to_owned(),
                it["range"]["start"]["line"].as_u64().unwrap(),
            )
        };
        found.iter().map(one).collect()
    }

    /// Exit status and standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    pub(crate) fn ended(mut self) -> Option<i32> {
        let status = self.child.wait().unwrap();
        drop(self.input.take());
        status.code()
    }
}
