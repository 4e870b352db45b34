//! Framing. Unlike `lsp-server`, answers invalid JSON with an error.

use std::io::{BufRead, Read, Write};
use std::sync::mpsc::Receiver;

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// 8 MiB with every byte escaped.
const MAX_BYTES: usize = 64 << 20;
/// Bytes of a header line.
const MAX_HEADER: u64 = 4096;

#[derive(Debug)]
pub enum Incoming {
    Message(Message),
    Malformed { id: Value, code: ErrorCode, why: String },
}

/// # Errors
///
/// If reading fails, or a frame is truncated or has an invalid size.
pub fn read(input: &mut impl BufRead) -> std::io::Result<Option<Incoming>> {
    let Some(size) = header(input)? else { return Ok(None) };
    let mut bytes = Vec::new();
    // Never allocates a claimed size in advance.
    let read = input.by_ref().take(size as u64).read_to_end(&mut bytes)?;
    if read < size {
        return Err(broken("the input ends within a message"));
    }
    Ok(Some(parse(&bytes)))
}

fn header(input: &mut impl BufRead) -> std::io::Result<Option<usize>> {
    let mut size = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return if is_first { Ok(None) } else { Err(broken("the input ends within a header")) };
        }
        is_first = false;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            let size = size.ok_or_else(|| broken("a message has no `Content-Length`"))?;
            return Ok(Some(size));
        }
        let (name, value) = line.split_once(':').ok_or_else(|| broken("a header has no `:`"))?;
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let stated = value.trim().parse::<usize>().ok().filter(|&size| size <= MAX_BYTES);
            size = Some(stated.ok_or_else(|| broken("invalid `Content-Length`"))?);
        }
    }
}

fn broken(why: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, why)
}

fn parse(bytes: &[u8]) -> Incoming {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            let why = format!("the message is not JSON: {error}");
            return Incoming::Malformed { id: Value::Null, code: ErrorCode::ParseError, why };
        }
    };
    let id = value.get("id").filter(|id| id.is_i64() || id.is_string());
    let id = id.cloned().unwrap_or(Value::Null);
    if let Ok(message) = serde_json::from_value(value) {
        return Incoming::Message(message);
    }
    let why = "the message is neither request, response nor notification".to_owned();
    Incoming::Malformed { id, code: ErrorCode::InvalidRequest, why }
}

#[derive(Debug)]
pub enum OutgoingMessage {
    Message(Message),
    Frame(String),
    End,
}

impl OutgoingMessage {
    pub(crate) fn refusal(id: &Value, code: ErrorCode, why: &str) -> Self {
        let error = json!({ "code": code as i32, "message": why });
        let text = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
        Self::Frame(format!("Content-Length: {}\r\n\r\n{text}", text.len()))
    }
}

impl<T: Into<Message>> From<T> for OutgoingMessage {
    fn from(message: T) -> Self {
        Self::Message(message.into())
    }
}

pub fn write_all(outgoing: &Receiver<OutgoingMessage>, output: &mut impl Write) {
    for one in outgoing {
        let written = match one {
            OutgoingMessage::Message(message) => message.write(output),
            OutgoingMessage::Frame(frame) => {
                output.write_all(frame.as_bytes()).and_then(|()| output.flush())
            }
            OutgoingMessage::End => return,
        };
        if written.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn an_invalid_message_is_reported_and_the_next_one_is_read() {
        let good = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let input = [frame("{"), frame(r#"{"id":7,"x":1}"#), frame(good)].concat();
        let mut input = input.as_bytes();
        let mut next = || read(&mut input).unwrap();
        assert!(matches!(next(), Some(Incoming::Malformed { code: ErrorCode::ParseError, .. })));
        assert!(matches!(next(), Some(Incoming::Malformed { id, .. }) if id == 7));
        assert!(
            matches!(next(), Some(Incoming::Message(Message::Notification(it))) if it.method == "exit")
        );
        assert!(next().is_none());
    }

    #[test]
    fn a_message_needs_a_length() {
        let cases = [
            "X: 1\r\n\r\n{}",
            "Content-Length: 9\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 99999999999\r\n\r\n",
            "Content-Length\r\n\r\n",
            "Content-Length: 2\r\n",
        ];
        for case in cases {
            assert!(read(&mut case.as_bytes()).is_err(), "{case:?}");
        }
        let other = "content-length:2\nContent-Type: x\n\n{}";
        assert!(read(&mut other.as_bytes()).unwrap().is_some());
    }
}
