//! The content of a message.

use serde_json::{Map, Value, json};

#[derive(Clone, Debug, PartialEq)]
pub enum MessagePiece {
    Text(String),
    Image(Image),
    /// Of one API, unchanged; never `text`.
    Other(Map<String, Value>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    Data { media_type: String, data: String },
    Url(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub input: Map<String, Value>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    pub id: String,
    pub pieces: Vec<MessagePiece>,
    pub failed: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    pub pieces: Vec<MessagePiece>,
    pub calls: Vec<ToolCall>,
    pub answers: Vec<ToolResult>,
    /// The API requires it unchanged while tools are in use.
    pub thinking: Vec<Value>,
}

impl MessagePiece {
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Image(_) => "[image]".to_owned(),
            Self::Other(block) => {
                text_of_block(block).unwrap_or_else(|| format!("[{}]", kind(block)))
            }
        }
    }
}

pub fn kind(block: &Map<String, Value>) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or("block")
}

fn text_of_block(block: &Map<String, Value>) -> Option<String> {
    let source = block.get("source");
    let source_kind = source.and_then(|source| source.get("type")?.as_str());
    let parts = match (kind(block), source_kind) {
        ("document", Some("text")) => source?.get("data")?,
        ("document", Some("content")) => source?.get("content")?,
        ("search_result", _) => block.get("content")?,
        _ => return None,
    };
    let text = |part: &Value| part.get("text").unwrap_or(part).as_str().map(str::to_owned);
    let texts: Vec<String> = match parts {
        Value::Array(parts) => parts.iter().filter_map(text).collect(),
        part => text(part).into_iter().collect(),
    };
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

pub fn joined(pieces: &[MessagePiece]) -> String {
    pieces.iter().map(MessagePiece::text).collect::<Vec<_>>().join("\n\n")
}

/// # Errors
///
/// A description.
pub fn read(value: &Value) -> Result<Content, String> {
    let mut content = Content::default();
    match value {
        Value::Null => {}
        Value::String(text) => push_text(&mut content.pieces, text),
        Value::Array(blocks) => {
            let is_cited = blocks.iter().any(|block| {
                block.get("citations").and_then(Value::as_array).is_some_and(|all| !all.is_empty())
            });
            let mut run = String::new();
            for block in blocks {
                match block.get("text").and_then(Value::as_str) {
                    Some(text) if is_cited => run.push_str(text),
                    _ => {
                        push_text(&mut content.pieces, &std::mem::take(&mut run));
                        content.block(block)?;
                    }
                }
            }
            push_text(&mut content.pieces, &run);
        }
        _ => return Err(format!("`content` is {}, not text or a list", name(value))),
    }
    Ok(content)
}

pub(super) fn name(value: &Value) -> &'static str {
    match value {
        Value::Null => "`null`",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

pub(super) fn push_text(pieces: &mut Vec<MessagePiece>, text: &str) {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_matches('\n').trim_end();
    if text.trim().is_empty() {
        return;
    }
    match pieces.last_mut() {
        Some(MessagePiece::Text(before)) => {
            before.push_str("\n\n");
            before.push_str(text);
        }
        _ => pieces.push(MessagePiece::Text(text.to_owned())),
    }
}

impl Content {
    fn block(&mut self, value: &Value) -> Result<(), String> {
        let block = match value {
            Value::String(text) => {
                push_text(&mut self.pieces, text);
                return Ok(());
            }
            Value::Object(block) => block,
            _ => return Err(format!("a block of `content` is {}, not an object", name(value))),
        };
        let text = |key: &str| match block.get(key) {
            Some(Value::String(text)) => Ok(text.as_str()),
            Some(other) => Err(format!("`{key}` of a block is {}, not text", name(other))),
            None => Err(format!("a `{}` block has no `{key}`", kind(block))),
        };
        match block.get("type").and_then(Value::as_str) {
            Some(kind @ ("refusal" | "text" | "input_text" | "output_text")) => {
                let key = if kind == "refusal" { kind } else { "text" };
                push_text(&mut self.pieces, text(key)?);
            }
            None if block.contains_key("text") => push_text(&mut self.pieces, text("text")?),
            None => return Err("a block of `content` has no `type`".to_owned()),
            Some("tool_use") => {
                let input = arguments(block.get("input"));
                let (id, name) = (text("id")?.to_owned(), text("name")?.to_owned());
                self.calls.push(ToolCall { id, name, input });
            }
            Some("tool_result") => {
                let inner = read(block.get("content").unwrap_or(&Value::Null))?;
                let failed = block.get("is_error").and_then(Value::as_bool).unwrap_or(false);
                let id = text("tool_use_id")?.to_owned();
                self.answers.push(ToolResult { id, pieces: inner.pieces, failed });
            }
            Some("thinking" | "redacted_thinking") => self.thinking.extend(thinking(block)),
            Some(_) => {
                let image = image(block).map(MessagePiece::Image);
                self.pieces.push(image.unwrap_or_else(|| MessagePiece::Other(block.clone())));
            }
        }
        Ok(())
    }
}

fn thinking(block: &Map<String, Value>) -> Option<Value> {
    let text = |key: &str| block.get(key).and_then(Value::as_str);
    let signed = |key: &str| text(key).filter(|text| !text.is_empty());
    Some(match kind(block) {
        "thinking" => json!({ "type": "thinking", "thinking": text("thinking")?,
            "signature": signed("signature")? }),
        _ => json!({ "type": "redacted_thinking", "data": signed("data")? }),
    })
}

const PICTURES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

fn picture(media_type: &str, data: String) -> Option<Image> {
    let kind = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let kind = if kind == "image/jpg" { PICTURES[0] } else { kind.as_str() };
    let media_type = PICTURES.into_iter().find(|known| *known == kind)?.to_owned();
    (!data.is_empty()).then_some(Image::Data { media_type, data })
}

fn image(block: &Map<String, Value>) -> Option<Image> {
    let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
    match kind(block) {
        "image" => {
            let source = block.get("source")?;
            match source.get("type")?.as_str()? {
                "base64" => picture(&text(source, "media_type")?, text(source, "data")?),
                "url" => text(source, "url").filter(|url| is_address(url)).map(Image::Url),
                _ => None,
            }
        }
        "image_url" => {
            let url = text(block.get("image_url")?, "url")?;
            let Some(rest) = url.strip_prefix("data:") else {
                return Some(url).filter(|url| is_address(url)).map(Image::Url);
            };
            let (media_type, data) = rest.split_once(";base64,")?;
            picture(media_type, data.to_owned())
        }
        _ => None,
    }
}

fn is_address(url: &str) -> bool {
    url.starts_with("https://")
}

pub(super) fn arguments(value: Option<&Value>) -> Map<String, Value> {
    let parsed = match value {
        None | Some(Value::Null) => return Map::new(),
        Some(Value::String(text)) if text.trim().is_empty() => return Map::new(),
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()))
        }
        Some(other) => other.clone(),
    };
    match parsed {
        Value::Object(map) => map,
        other => Map::from_iter([("input".to_owned(), other)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_cites_stays_in_one_piece() {
        let cited = |text: &str| json!({ "type": "text", "text": text, "citations": [{}] });
        let plain = |text: &str| json!({ "type": "text", "text": text });
        let blocks = json!([
            plain("It says that "),
            cited("grass is green"),
            plain(" and "),
            cited("the sky is blue"),
            plain(".")
        ]);
        let expected = "It says that grass is green and the sky is blue.";
        assert_eq!(joined(&read(&blocks).unwrap().pieces), expected);
    }

    #[test]
    fn documents_of_text_count_as_what_they_say() {
        let blocks = json!([
            { "type": "document", "source": { "type": "text", "data": "a b c" } },
            { "type": "document", "source": { "type": "base64", "data": "AAAA" } },
            { "type": "search_result", "content": [{ "type": "text", "text": "found" }] },
        ]);
        assert_eq!(joined(&read(&blocks).unwrap().pieces), "a b c\n\n[document]\n\nfound");
    }

    #[test]
    fn only_pictures_that_the_apis_take_are_pictures() {
        let data = |kind: &str, data: &str| {
            json!([{ "type": "image",
            "source": { "type": "base64", "media_type": kind, "data": data } }])
        };
        let url = |url: &str| json!([{ "type": "image_url", "image_url": { "url": url } }]);
        let is_picture =
            |blocks: &Value| matches!(read(blocks).unwrap().pieces[..], [MessagePiece::Image(_)]);
        assert!(is_picture(&data("image/PNG", "AAAA")) && is_picture(&data("image/jpg", "AAAA")));
        assert!(is_picture(&url("data:image/png;charset=utf-8;base64,AAAA")));
        for odd in [
            data("image/svg+xml", "AAAA"),
            data("image/png", ""),
            url(""),
            url("http://a.example"),
            url("data:image/svg+xml;base64,AAAA"),
        ] {
            assert!(!is_picture(&odd), "{odd}");
        }
    }

    #[test]
    fn thinking_is_what_belongs_to_it() {
        let blocks = json!([
            { "type": "thinking", "thinking": "t", "signature": "s", "cache_control": {} },
            { "type": "thinking", "signature": "s" },
            { "type": "redacted_thinking", "signature": "s" },
            { "type": "redacted_thinking", "data": "d" },
        ]);
        let expected = [
            json!({ "type": "thinking", "thinking": "t", "signature": "s" }),
            json!({ "type": "redacted_thinking", "data": "d" }),
        ];
        assert_eq!(read(&blocks).unwrap().thinking, expected);
    }

    #[test]
    fn texts_next_to_each_other_are_one_and_blank_ones_none() {
        let blocks = json!(["\r\na\r\nb ", { "type": "text", "text": " \n" }, { "text": "c" },
            { "type": "image", "source": { "type": "url", "url": "https://a.example/x.png" } },
            { "type": "output_text", "text": "d" }]);
        let content = read(&blocks).unwrap();
        assert_eq!(joined(&content.pieces), "a\nb\n\nc\n\n[image]\n\nd");
        assert_eq!(content.pieces.len(), 3);
        assert_eq!(read(&Value::Null).unwrap(), Content::default());
    }

    #[test]
    fn pictures_of_both_apis_are_the_same() {
        let one = json!([{ "type": "image",
            "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } }]);
        let other =
            json!([{ "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } }]);
        assert_eq!(read(&one), read(&other));
        let odd = json!([{ "type": "image", "source": { "type": "file", "file_id": "f" } }]);
        assert_eq!(joined(&read(&odd).unwrap().pieces), "[image]");
    }

    #[test]
    fn arguments_are_an_object_whatever_they_were() {
        let object = |value: Value| Value::from(arguments(Some(&value)));
        assert_eq!(object(json!("{\"a\": 1}")), json!({ "a": 1 }));
        assert_eq!(object(json!({ "a": 1 })), json!({ "a": 1 }));
        assert_eq!(object(json!("not json")), json!({ "input": "not json" }));
        assert_eq!(object(json!([1])), json!({ "input": [1] }));
        assert_eq!(object(json!(" ")), json!({}));
    }

    #[test]
    fn invalid_content_is_reported() {
        for (wrong, why) in [
            (json!(3), "`content` is a number, not text or a list"),
            (json!([3]), "a block of `content` is a number, not an object"),
            (json!([{ "a": 1 }]), "a block of `content` has no `type`"),
            (json!([{ "type": "text", "text": 1 }]), "`text` of a block is a number, not text"),
            (json!([{ "type": "tool_use", "id": "1" }]), "a `tool_use` block has no `name`"),
            (json!([{ "type": "tool_result" }]), "a `tool_result` block has no `tool_use_id`"),
        ] {
            assert_eq!(read(&wrong).unwrap_err(), why);
        }
    }
}
