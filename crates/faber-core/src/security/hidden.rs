//! Text that models read and readers of the rendered page do not see.

use super::needles::{NEEDLES, Needle};
use super::{phrase, window};

/// How much of a comment is read, in bytes.
const READ: usize = 4096;

/// Names by which a comment addresses a model. `agent` and `model` are also things.
const ADDRESSEES: &[&str] = &[
    "ai",
    "llm",
    "llms",
    "assistant",
    "assistants",
    "agent",
    "agents",
    "claude",
    "chatgpt",
    "gpt",
    "copilot",
    "gemini",
    "chatbot",
    "model",
    "bot",
];

/// Words with which one gives orders.
const ORDERS: &[&str] = &[
    "must",
    "should",
    "always",
    "never",
    "ignore",
    "disregard",
    "forget",
    "execute",
    "run",
    "send",
    "reveal",
    "pretend",
    "instead",
    "override",
    "delete",
    "upload",
    "please",
    "obey",
    "shall",
    "respond",
    "reply",
    "output",
    "say",
    "do",
];

/// Words that ask for silence or for something to be sent away.
const SECRECY: &[&str] = &[
    "tell the user",
    "inform the user",
    "mention this",
    "the user know",
    "without telling",
    "without asking",
    "secretly",
    "silently send",
    "exfiltrate",
    "system prompt",
    "api key",
    "credentials",
    "password",
    "~/.ssh",
    ".env ",
    "curl http",
    "wget http",
    "base64 -d",
];

/// The words of a comment with which it instructs a model, if it does.
pub(super) fn instruction(content: &str) -> Option<&str> {
    let content = window::after(content, 0, READ).trim();
    let lower = content.to_lowercase();
    if overrules(content) {
        return Some(content);
    }
    let words: Vec<&str> =
        lower.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // A note of a person to people speaks of models as well; it does not begin by addressing them.
    let addressed =
        lower.starts_with("system:") || words.iter().take(4).any(|word| ADDRESSEES.contains(word));
    let ordered = words.iter().any(|word| ORDERS.contains(word));
    let you = words
        .windows(2)
        .any(|pair| pair[0] == "you" && matches!(pair[1], "must" | "are" | "will" | "shall"));
    let secret = SECRECY.iter().any(|phrase| lower.contains(phrase));
    let commanded = ordered || you;
    let to_you = you && words.first() == Some(&"you");
    ((commanded && (addressed || secret)) || to_you).then_some(content)
}

/// Whether a text has one of the phrases that overrule a prompt.
fn overrules(text: &str) -> bool {
    let mut found = false;
    NEEDLES.find(text, |needle, start, end| {
        found |= match needle {
            _ if found || !text.is_char_boundary(start) || !text.is_char_boundary(end) => false,
            Needle::Verb => phrase::verb(text, start, end).is_some(),
            Needle::Fixed(row) => phrase::fixed(text, start, end, row).is_some(),
            _ => false,
        };
    });
    found
}

/// The range of the link reference definition around `start..end` that nothing can refer to: its
/// address is `#` or `<>`, and its title is a comment.
pub(super) fn definition(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let lead = window::line_before(text, start, 100);
    let label = lead.trim_start();
    if !label.starts_with('[') || lead.len() - label.len() > 3 {
        return None;
    }
    let rest = window::line_after(text, end, READ);
    let title = rest.trim();
    let opens = title.starts_with(['(', '"', '\'']);
    opens.then(|| (start - label.len(), end + rest.trim_end().len()))
}

/// Whether the byte at `at` lies in the title of a link or of a link reference definition.
pub(super) fn is_title(text: &str, at: usize) -> bool {
    let lead = window::line_before(text, at, 300);
    let Some(open) = lead.rfind(['"', '\'']) else { return false };
    let before = lead[..open].trim_end();
    // Between the bracket and the title stands the address, which has no spaces.
    let address = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    let inline = address.rfind("](").is_some_and(|at| !address[at..].contains(')'));
    let label = before[..before.len() - address.len()].trim_end();
    let defined = label.ends_with("]:") && label.trim_start().starts_with('[');
    open < lead.len() && before.len() < open && (inline || defined)
}

/// An element that is not shown.
pub(super) struct Element<'a> {
    /// Byte offset of its `<`.
    pub(super) start: usize,
    /// Byte offset behind the `>` of its start tag.
    pub(super) end: usize,
    /// What hides it.
    pub(super) how: &'a str,
}

/// The start tag around `at`: from its `<` to behind its `>`.
fn tag(text: &str, at: usize) -> Option<(usize, usize)> {
    let lead = window::before(text, at, 400);
    let open = lead.rfind('<').filter(|&open| !lead[open..].contains('>'))?;
    let named = lead[open + 1..].starts_with(|char: char| char.is_ascii_alphabetic());
    let tail = window::after(text, at, 600);
    let close = tail.find('>')?;
    named.then_some((at - lead.len() + open, at + close + 1))
}

/// The element whose attribute `style=` is at `start..end`, if the style hides it.
pub(super) fn style(text: &str, start: usize, end: usize) -> Option<Element<'_>> {
    let (open, close) = tag(text, start)?;
    let value = text.get(end..close - 1)?;
    let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next().unwrap_or_default(),
        None => value.split(char::is_whitespace).next().unwrap_or_default(),
    };
    hides(value).then_some(Element { start: open, end: close, how: value })
}

/// Whether a style hides what has it.
fn hides(style: &str) -> bool {
    let plain: String = style.to_ascii_lowercase().split_whitespace().collect();
    let background = plain.contains("background");
    plain.split(';').any(|declaration| {
        let Some((name, value)) = declaration.split_once(':') else { return false };
        let value = value.trim_end_matches("!important");
        let number = value.trim_end_matches(|char: char| char.is_ascii_alphabetic() || char == '%');
        let amount: Option<f64> = number.parse().ok();
        match name {
            "display" => value == "none",
            "visibility" => matches!(value, "hidden" | "collapse"),
            "font-size" => amount.is_some_and(|size| size <= 1.0),
            "opacity" => amount.is_some_and(|opacity| opacity <= 0.05),
            "height" | "max-height" | "width" | "max-width" => {
                amount == Some(0.0) && plain.contains("overflow:hidden")
            }
            "left" | "top" | "text-indent" | "margin-left" => {
                amount.is_some_and(|offset| offset <= -999.0)
            }
            "color" => !background && is_white(value),
            "clip" => value.starts_with("rect(0"),
            _ => false,
        }
    })
}

/// Whether a colour cannot be seen on a white page.
fn is_white(color: &str) -> bool {
    matches!(
        color,
        "white"
            | "transparent"
            | "#fff"
            | "#ffffff"
            | "#fefefe"
            | "#fffffe"
            | "rgb(255,255,255)"
            | "rgba(0,0,0,0)"
    )
}

/// The element with the attribute `hidden`, or the `<font>` without size or colour, whose needle
/// is at `start..end`.
pub(super) fn attribute(text: &str, start: usize, end: usize) -> Option<Element<'_>> {
    if text[start..].starts_with('<') {
        let (open, close) = tag(text, end)?;
        let plain = text[end..close].to_ascii_lowercase().replace(['"', '\'', ' '], "");
        let hidden = plain.split_once("color=").is_some_and(|(_, color)| {
            ["white", "#fff", "transparent"].iter().any(|white| color.starts_with(white))
        }) || plain.contains("size=0");
        return hidden.then(|| Element { start: open, end: close, how: &text[open..close] });
    }
    // The needle has the blank before the name.
    let start = start + 1;
    let tail = window::after(text, end, 1);
    let free =
        tail.starts_with(|char: char| char.is_whitespace() || matches!(char, '>' | '/' | '='));
    if !free {
        return None;
    }
    let (open, close) = tag(text, start)?;
    // Inside of a value it is no attribute.
    let quoted = text[open..start].bytes().filter(|&byte| byte == b'"').count() % 2 == 1;
    let input = text[open + 1..].get(..5).is_some_and(|name| name.eq_ignore_ascii_case("input"));
    (!quoted && !input).then(|| Element { start: open, end: close, how: &text[start..end] })
}
