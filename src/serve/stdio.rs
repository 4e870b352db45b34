//! The protocol on standard input and output: a message in each line.
//!
//! The SDK reads lines too, but drops one that is too long without a word, and answers nothing to what
//! is no JSON; a client would wait for ever. So lines are read here, and each that asks gets an answer.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, NumberOrString, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc;

/// The most bytes of one message.
const LONGEST: u64 = 4 * 1024 * 1024;
/// Messages that wait to be looked at.
const WAITING: usize = 64;

/// Where messages go.
type Output = Arc<Mutex<Box<dyn Write + Send>>>;

/// The two ends.
pub struct Lines {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    output: Output,
}

impl Lines {
    /// Begins to read. The thread that does ends with its input, or with the program.
    ///
    /// # Errors
    ///
    /// When no thread can be started.
    pub fn start(
        input: Box<dyn Read + Send>,
        output: Box<dyn Write + Send>,
    ) -> std::io::Result<Self> {
        let output: Output = Arc::new(Mutex::new(output));
        let (sender, messages) = mpsc::channel(WAITING);
        let reader = Reader { input: BufReader::new(input), output: Arc::clone(&output), sender };
        std::thread::Builder::new().name("input".to_owned()).spawn(move || reader.run())?;
        Ok(Self { messages, output })
    }
}

impl Transport<RoleServer> for Lines {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = Arc::clone(&self.output);
        // A client that does not read must not stop the others of this process.
        async move {
            let written = tokio::task::spawn_blocking(move || write(&output, &message)).await;
            written.unwrap_or_else(|_| Err(ErrorKind::Other.into()))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.messages.close();
        Ok(())
    }
}

fn write(output: &Output, message: &ServerJsonRpcMessage) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    output.write_all(&line)?;
    output.flush()
}

/// What reads lines.
struct Reader {
    input: BufReader<Box<dyn Read + Send>>,
    output: Output,
    sender: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
}

/// What a line turned out to be.
enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Bad(ErrorData, Option<NumberOrString>),
    Nothing,
}

impl Reader {
    fn run(mut self) {
        let mut line = Vec::new();
        let mut has_begun = false;
        while let Ok(is_whole) = self.next(&mut line) {
            if line.is_empty() {
                return;
            }
            let found = if is_whole {
                understand(&line, &mut has_begun)
            } else {
                let text = format!("a message has at most {LONGEST} bytes");
                Line::Bad(ErrorData::new(ErrorCode::INVALID_REQUEST, text, None), None)
            };
            match found {
                Line::Message(message) => {
                    if self.sender.blocking_send(*message).is_err() {
                        return;
                    }
                }
                Line::Bad(error, id) => {
                    let answer = ServerJsonRpcMessage::error(error, id);
                    if write(&self.output, &answer).is_err() {
                        return;
                    }
                }
                Line::Nothing => {}
            }
        }
    }

    /// Reads the next line, which is empty at the end of the input; whether all of it is there, for
    /// what is too long is read and dropped.
    fn next(&mut self, line: &mut Vec<u8>) -> std::io::Result<bool> {
        line.clear();
        self.input.by_ref().take(LONGEST).read_until(b'\n', line)?;
        if line.ends_with(b"\n") || (line.len() as u64) < LONGEST {
            return Ok(true);
        }
        loop {
            let rest = self.input.fill_buf()?;
            let end = rest.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(rest.len(), |end| end + 1);
            let is_over = end.is_some() || rest.is_empty();
            self.input.consume(used);
            if is_over {
                return Ok(false);
            }
        }
    }
}

/// What a line says. Before the first request there is nothing that a notification could be about, and
/// the SDK would take it for the end.
fn understand(line: &[u8], has_begun: &mut bool) -> Line {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Line::Nothing;
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let text = format!("this is no JSON: {error}");
            return Line::Bad(ErrorData::new(ErrorCode::PARSE_ERROR, text, None), None);
        }
    };
    let id = match value.get("id") {
        Some(Value::String(id)) => Some(NumberOrString::String(id.as_str().into())),
        Some(Value::Number(id)) => id.as_i64().map(NumberOrString::Number),
        _ => None,
    };
    let asks = value.get("method").is_some() && value.get("id").is_some_and(|id| !id.is_null());
    if !asks && !*has_begun {
        let is_notification = value.get("method").is_some();
        if is_notification {
            return Line::Nothing;
        }
    }
    match serde_json::from_value(value.clone()) {
        Ok(message) => {
            *has_begun |= asks;
            Line::Message(Box::new(message))
        }
        // Nobody waits for an answer to what does not ask.
        Err(_) if !asks && value.get("method").is_some() => Line::Nothing,
        Err(_) if value.get("result").is_some() || value.get("error").is_some() => Line::Nothing,
        Err(_) if value.is_array() => {
            let text = "batches are not part of the protocol; send one message in each line";
            Line::Bad(ErrorData::new(ErrorCode::INVALID_REQUEST, text, None), None)
        }
        Err(_) => Line::Bad(unfit(&value, id.is_some()), id),
    }
}

/// What is wrong with a request that the protocol does not have like this.
fn unfit(value: &Value, has_id: bool) -> ErrorData {
    let method = value.get("method").and_then(Value::as_str);
    match method {
        Some(_) if !has_id => {
            let text = "the id of a request is a text or a whole number";
            ErrorData::new(ErrorCode::INVALID_REQUEST, text, None)
        }
        Some(method) if value.get("jsonrpc") == Some(&Value::from("2.0")) => {
            let text = format!("`{method}` has other parameters than these");
            ErrorData::new(ErrorCode::INVALID_PARAMS, text, None)
        }
        _ => {
            let text = "this is no request of JSON-RPC 2.0";
            ErrorData::new(ErrorCode::INVALID_REQUEST, text, None)
        }
    }
}
