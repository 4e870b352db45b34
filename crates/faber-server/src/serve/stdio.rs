//! Every request gets an answer: the SDK drops long lines and invalid JSON.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, NumberOrString, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

use crate::locked;

pub(super) const MAX_MESSAGE: u64 = 4 * 1024 * 1024;
const WAITING: usize = 64;
const MAX_OPEN: usize = 64;

type SharedWriter = Arc<Mutex<Box<dyn Write + Send>>>;

pub struct StdioTransport {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    output: SharedWriter,
    open: Arc<OpenRequests>,
    failed: Arc<Notify>,
}

/// Reading pauses at the limit: a client may read no answers.
#[derive(Default)]
struct OpenRequests {
    ids: Mutex<HashSet<NumberOrString>>,
    fewer: Condvar,
}

impl OpenRequests {
    fn lock(&self) -> MutexGuard<'_, HashSet<NumberOrString>> {
        locked(&self.ids)
    }

    /// `false` if the ID is in use.
    fn add(&self, id: NumberOrString) -> bool {
        let is_full = |ids: &mut HashSet<NumberOrString>| ids.len() >= MAX_OPEN;
        let ids = self.fewer.wait_while(self.lock(), is_full);
        ids.unwrap_or_else(PoisonError::into_inner).insert(id)
    }

    fn remove(&self, id: &NumberOrString) {
        self.lock().remove(id);
        self.fewer.notify_one();
    }
}

impl StdioTransport {
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn start(
        input: Box<dyn Read + Send>,
        output: Box<dyn Write + Send>,
    ) -> std::io::Result<Self> {
        let output: SharedWriter = Arc::new(Mutex::new(output));
        let (sender, messages) = mpsc::channel(WAITING);
        let open = Arc::new(OpenRequests::default());
        let reader = LineReader {
            input: BufReader::new(input),
            output: Arc::clone(&output),
            sender,
            open: Arc::clone(&open),
        };
        std::thread::Builder::new().name("input".to_owned()).spawn(move || reader.run())?;
        Ok(Self { messages, output, open, failed: Arc::default() })
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (output, open) = (Arc::clone(&self.output), Arc::clone(&self.open));
        let failed = Arc::clone(&self.failed);
        // A client that does not read must not block others.
        async move {
            let work = move || {
                // Before the client can reuse the ID.
                let answered = || answered(&message).into_iter().for_each(|id| open.remove(id));
                write(&output, &message, answered).inspect_err(|_| failed.notify_one())
            };
            let written = tokio::task::spawn_blocking(work).await;
            written.unwrap_or_else(|_| Err(ErrorKind::Other.into()))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        tokio::select! {
            message = self.messages.recv() => message,
            () = self.failed.notified() => None,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.messages.close();
        Ok(())
    }
}

fn answered(message: &ServerJsonRpcMessage) -> Option<&NumberOrString> {
    match message {
        ServerJsonRpcMessage::Response(answer) => Some(&answer.id),
        ServerJsonRpcMessage::Error(answer) => answer.id.as_ref(),
        _ => None,
    }
}

fn write(
    output: &SharedWriter,
    message: &ServerJsonRpcMessage,
    before: impl FnOnce(),
) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = locked(output);
    before();
    output.write_all(&line)?;
    output.flush()
}

struct LineReader {
    input: BufReader<Box<dyn Read + Send>>,
    output: SharedWriter,
    sender: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    open: Arc<OpenRequests>,
}

pub(super) enum ParsedLine {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Bad(ErrorData, Option<NumberOrString>),
    Nothing,
}

impl LineReader {
    fn run(mut self) {
        let mut line = Vec::new();
        let mut has_begun = false;
        while let Ok(is_whole) = self.next(&mut line) {
            if line.is_empty() {
                return;
            }
            let found = if is_whole {
                messages(&line, &mut has_begun)
            } else {
                let text = format!("a message must not exceed {MAX_MESSAGE} bytes");
                vec![ParsedLine::Bad(ErrorData::invalid_request(text, None), id_of(&line))]
            };
            if !found.into_iter().all(|found| self.pass_on(found)) {
                return;
            }
        }
    }

    /// Whether the client is still there.
    fn pass_on(&self, found: ParsedLine) -> bool {
        match found {
            ParsedLine::Message(message) => match self.note(&message) {
                Ok(()) => self.sender.blocking_send(*message).is_ok(),
                Err(id) => {
                    let text = "the id is that of a request which is not answered yet";
                    self.refuse(ErrorData::invalid_request(text, None), Some(id)).is_ok()
                }
            },
            ParsedLine::Bad(error, id) => self.refuse(error, id).is_ok(),
            ParsedLine::Nothing => true,
        }
    }

    fn refuse(&self, error: ErrorData, id: Option<NumberOrString>) -> std::io::Result<()> {
        write(&self.output, &ServerJsonRpcMessage::error(error, id), || {})
    }

    fn note(&self, message: &RxJsonRpcMessage<RoleServer>) -> Result<(), NumberOrString> {
        match message {
            RxJsonRpcMessage::<RoleServer>::Request(request)
                if !self.open.add(request.id.clone()) =>
            {
                return Err(request.id.clone());
            }
            RxJsonRpcMessage::<RoleServer>::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.remove(id);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn next(&mut self, line: &mut Vec<u8>) -> std::io::Result<bool> {
        line.clear();
        self.input.by_ref().take(MAX_MESSAGE).read_until(b'\n', line)?;
        if line.ends_with(b"\n") || (line.len() as u64) < MAX_MESSAGE {
            return Ok(true);
        }
        self.input.skip_until(b'\n')?;
        Ok(false)
    }
}

/// Protocol 2025-03-26 has batches.
fn messages(line: &[u8], has_begun: &mut bool) -> Vec<ParsedLine> {
    let is_array = line.trim_ascii_start().starts_with(b"[");
    let batch: Option<Vec<Value>> = is_array.then(|| serde_json::from_slice(line).ok()).flatten();
    match batch.filter(|batch| !batch.is_empty()) {
        Some(batch) => batch.iter().map(|value| message_of(value, has_begun)).collect(),
        None => vec![understand(line, has_begun)],
    }
}

pub(super) fn understand(line: &[u8], has_begun: &mut bool) -> ParsedLine {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return ParsedLine::Nothing;
    }
    match serde_json::from_slice(line) {
        Ok(value) => message_of(&value, has_begun),
        Err(error) => {
            let error = ErrorData::parse_error(format!("invalid JSON: {error}"), None);
            ParsedLine::Bad(error, id_of(line))
        }
    }
}

/// Notifications before the first request would stop the SDK.
fn message_of(value: &Value, has_begun: &mut bool) -> ParsedLine {
    let id = match value.get("id") {
        Some(Value::String(id)) => Some(NumberOrString::String(id.as_str().into())),
        Some(Value::Number(id)) => id.as_i64().map(NumberOrString::Number),
        _ => None,
    };
    // MCP does not allow `null`.
    let has_method = value.get("method").is_some();
    let asks = has_method && value.get("id").is_some();
    if asks && id.is_none() {
        return ParsedLine::Bad(unfit(value, false), None);
    }
    if has_method && !asks && !*has_begun {
        return ParsedLine::Nothing;
    }
    match serde_json::from_value(value.clone()) {
        Ok(message) => {
            *has_begun |= asks;
            ParsedLine::Message(Box::new(message))
        }
        Err(_) if has_method && !asks => ParsedLine::Nothing,
        Err(_) if value.get("result").is_some() || value.get("error").is_some() => {
            ParsedLine::Nothing
        }
        Err(_) if value.is_array() => {
            let text = "batches are not supported; send one message at a time";
            ParsedLine::Bad(ErrorData::invalid_request(text, None), None)
        }
        Err(_) => ParsedLine::Bad(unfit(value, id.is_some()), id),
    }
}

fn id_of(line: &[u8]) -> Option<NumberOrString> {
    struct IdVisitor<'a>(&'a mut Option<NumberOrString>);
    impl<'de> Visitor<'de> for IdVisitor<'_> {
        type Value = ();

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a request")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<String>()? {
                if key == "id" {
                    *self.0 = map.next_value::<NumberOrString>().ok();
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }
    let mut id = None;
    let _ = serde_json::Deserializer::from_slice(line).deserialize_map(IdVisitor(&mut id));
    id
}

fn unfit(value: &Value, has_id: bool) -> ErrorData {
    match value.get("method").and_then(Value::as_str) {
        Some(_) if !has_id => {
            let text = "the id of a request must be a string or an integer";
            ErrorData::invalid_request(text, None)
        }
        Some(method) if value.get("jsonrpc") == Some(&Value::from("2.0")) => {
            ErrorData::invalid_params(format!("invalid parameters for `{method}`"), None)
        }
        _ => ErrorData::invalid_request("not a JSON-RPC 2.0 request", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_id_in_use_is_refused() {
        let ping = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n";
        let written = Arc::<Mutex<Vec<u8>>>::default();
        let output: SharedWriter = Arc::new(Mutex::new(Box::new(Output(Arc::clone(&written)))));
        let (sender, mut messages) = mpsc::channel(WAITING);
        let input: Box<dyn Read + Send> = Box::new(std::io::Cursor::new(ping.repeat(2)));
        let open = Arc::<OpenRequests>::default();
        LineReader { input: BufReader::new(input), output, sender, open }.run();
        assert!(messages.try_recv().is_ok() && messages.try_recv().is_err());
        let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
        assert!(written.contains("\"id\":7,\"error\":{\"code\":-32600"), "{written}");
    }
}
