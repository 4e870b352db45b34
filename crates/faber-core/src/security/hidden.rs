//! Text that models see, but readers of the page do not.

use std::ops::Range;

use camino::Utf8Path;

use super::needles::{NEEDLES, Needle};
use super::order::{self, ADDRESSEES, ORDERS, SECRECY, TASKS};
use super::{fixed, phrase, window};
use crate::word_list::words;

const MAX_READ_BYTES: usize = 4096;

pub(super) fn overrules(text: &str) -> bool {
    has_needle(text, |needle, start, end| match needle {
        Needle::Verb => phrase::verb(text, start, end).is_some(),
        Needle::Fixed(row) => fixed::fixed(text, start, end, row).is_some(),
        _ => false,
    })
}

pub(super) fn has_needle(text: &str, is_wanted: impl Fn(Needle, usize, usize) -> bool) -> bool {
    let mut found = false;
    NEEDLES.find(text, |needle, start, end| {
        let is_whole = text.is_char_boundary(start) && text.is_char_boundary(end);
        found = found || is_whole && is_wanted(needle, start, end);
    });
    found
}

/// Elements that are drawn only if a browser lacks support, and those of drawings.
pub(super) const NOT_DRAWN: &[&str] = words!(
    "<desc, <metadata, <datalist, <noembed, <noframes, <object, <canvas, <iframe, <audio, <video, <dialog"
);

/// Used as a comment if its URL is `#` or `<>`.
pub(super) fn definition(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let lead = window::line_before(text, start, 100);
    let label = lead.trim_start();
    if !label.starts_with('[') || lead.len() - label.len() > 3 {
        return None;
    }
    let rest = window::line_after(text, end, MAX_READ_BYTES);
    let title = rest.trim();
    let opens = title.starts_with(['(', '"', '\'']);
    opens.then(|| start - label.len()..end + rest.trim_end().len())
}

pub(super) fn is_title(text: &str, at: usize) -> bool {
    let lead = window::line_before(text, at, 300);
    let Some(open) = lead.rfind(['"', '\'']) else { return false };
    let before = lead[..open].trim_end();
    let address = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    let inline = address.rfind("](").is_some_and(|at| !address[at..].contains(')'));
    let label = before[..before.len() - address.len()].trim_end();
    let defined = label.ends_with("]:") && label.trim_start().starts_with('[');
    open < lead.len() && before.len() < open && (inline || defined)
}

pub(super) struct Element<'a> {
    pub(super) tag: Range<usize>,
    pub(super) how: &'a str,
}

pub(super) fn tag(text: &str, at: usize) -> Option<Range<usize>> {
    let lead = window::before(text, at, 400);
    let open = lead.rfind('<').filter(|&open| !lead[open..].contains('>'))?;
    let named = lead[open + 1..].starts_with(|char: char| char.is_ascii_alphabetic());
    let tail = window::after(text, at, 600);
    let close = tail.find('>')?;
    named.then_some(at - lead.len() + open..at + close + 1)
}

pub(super) fn style(text: &str, start: usize, end: usize) -> Option<Element<'_>> {
    let tag = tag(text, start)?;
    let value = text.get(end..tag.end - 1)?;
    let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next().unwrap_or_default(),
        None => value.split(char::is_whitespace).next().unwrap_or_default(),
    };
    hides(value).then_some(Element { tag, how: value })
}

fn hides(style: &str) -> bool {
    let plain = without_comments(style).to_ascii_lowercase();
    let plain: String = plain.split_whitespace().collect();
    let background = plain.contains("background");
    plain.split(';').any(|declaration| {
        let Some((name, value)) = declaration.split_once(':') else { return false };
        let value = value.trim_end_matches("!important");
        let number = value.trim_end_matches(|char: char| char.is_ascii_alphabetic() || char == '%');
        let amount: Option<f64> = number.parse().ok();
        match name {
            "display" => value == "none",
            "visibility" => matches!(value, "hidden" | "collapse"),
            "font-size" => {
                let least = match &value[number.len()..] {
                    "em" | "rem" | "ex" | "ch" | "vw" | "vh" => 0.1,
                    "%" => 10.0,
                    _ => 1.0,
                };
                amount.is_some_and(|size| size <= least)
            }
            "opacity" => amount.is_some_and(|opacity| opacity <= 0.05),
            "height" | "max-height" | "width" | "max-width" => {
                amount.is_some_and(|size| size <= 1.0) && plain.contains("overflow:hidden")
            }
            "left" | "right" | "top" | "bottom" | "text-indent" | "margin-left" => {
                amount.is_some_and(|offset| offset <= -999.0)
            }
            "color" => is_white(value) && (!background || paints_white(&plain)),
            "clip" => ["rect(0", "rect(1px"].iter().any(|rect| value.starts_with(rect)),
            "clip-path" => matches!(value, "inset(50%)" | "inset(100%)" | "circle(0)"),
            "transform" => value.starts_with("scale(0)"),
            _ => false,
        }
    })
}

fn without_comments(style: &str) -> String {
    let mut plain = String::with_capacity(style.len());
    let mut rest = style;
    while let Some((before, after)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    plain + rest
}

fn paints_white(plain: &str) -> bool {
    let mut values = plain.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        matches!(name, "background" | "background-color").then_some(value)
    });
    values.any(is_white)
}

pub(super) struct Raw<'a> {
    pub(super) open: usize,
    pub(super) content: &'a str,
    pub(super) unclosed: bool,
}

pub(super) fn raw(
    text: &str,
    start: usize,
    end: usize,
    closes: impl FnOnce(&str) -> Option<usize>,
) -> Option<Raw<'_>> {
    let tail = window::after(text, end, 600);
    let named = tail.starts_with(|char: char| char.is_whitespace() || matches!(char, '>' | '/'));
    let length = tail.find('>').filter(|_| named)?;
    let open = end + length + 1;
    let close = closes(&text[start + 1..end]);
    let content = window::after(
        text,
        open,
        MAX_READ_BYTES.min(close.unwrap_or(text.len()).saturating_sub(open)),
    );
    let leads = window::line_before(text, start, 80).trim().is_empty();
    let unclosed = close.is_none() && leads && !tail[..length].ends_with('/');
    Some(Raw { open, content, unclosed })
}

pub(super) fn sheet_hides(sheet: &str, rest: [&str; 2]) -> bool {
    let sheet = without_comments(sheet);
    let mut selector = "";
    let mut blocks = sheet.split('{').map(|piece| {
        let (block, next) = piece.rsplit_once('}').unwrap_or((piece, piece));
        (std::mem::replace(&mut selector, next), block)
    });
    blocks.next();
    let hiding = blocks.filter(|(_, block)| hides(block.split('}').next().unwrap_or(block)));
    let mut selectors = hiding.flat_map(|(selectors, _)| selectors.split(','));
    selectors.any(|selector| selects(selector.trim(), rest))
}

/// Sites hide navigation, and titles shown elsewhere.
fn selects(selector: &str, rest: [&str; 2]) -> bool {
    let last = selector.rsplit([' ', '\n', '\t', '>', '+', '~']).next().unwrap_or_default();
    let is_plain = last.bytes().all(|byte| window::is_word(byte) || byte == b'.' || byte == b'#');
    // A character reference may be part of a name.
    if !is_plain || rest.iter().any(|text| text.contains("&#")) {
        return true;
    }
    if last.eq_ignore_ascii_case("h1") {
        return rest.iter().any(|text| titles(text).any(orders) || text.contains("<h1"));
    }
    let mut names = last.split(['.', '#']).skip(1).filter(|name| !name.is_empty()).peekable();
    let has = |name: &str| {
        let finder = memchr::memmem::Finder::new(name);
        rest.iter().any(|text| finder.find(text.as_bytes()).is_some())
    };
    names.peek().is_none() || names.all(has)
}

fn titles(text: &str) -> impl Iterator<Item = &str> {
    let mut before = "";
    text.lines().filter_map(move |line| {
        let line = line.trim();
        let title = line.strip_prefix("# ");
        let is_underline = !line.is_empty() && line.trim_end_matches('=').is_empty();
        let above = std::mem::replace(&mut before, line);
        title.or_else(|| is_underline.then_some(above))
    })
}

fn orders(text: &str) -> bool {
    let is_order = |word: &str| [ORDERS, TASKS, ADDRESSEES].iter().any(|all| all.contains(&word));
    let lower = text.to_lowercase();
    let mut sentences = lower.split(['.', '!', '?', ';', ':', '\n', '"', '“']);
    order::instruction(text).is_some()
        || SECRECY.is_in(&lower)
        || text.contains("&#")
        || sentences.any(|sentence| {
            let mut words = window::words(sentence);
            let first = words.next();
            first.is_some_and(|word| is_order(word) || word == "you")
                || words.any(|word| matches!(word, "must" | "always" | "never"))
        })
}

pub(super) fn is_panel(text: &str, element: &Element<'_>, controlled: &[&str]) -> bool {
    let tag = &text[element.tag.clone()];
    let id = tag.split_once(" id=").map(|(_, value)| value.trim_start_matches(['"', '\'']));
    let id = id.and_then(|id| id.split(['"', '\'', ' ', '>']).next()).filter(|id| !id.is_empty());
    id.is_some_and(|id| controlled.contains(&id))
        && content(text, element).is_some_and(|content| !orders(&without_tags(content)))
}

pub(super) fn controlled(text: &str) -> Vec<&str> {
    const ATTRIBUTE: &str = " aria-controls=\"";
    let values = memchr::memmem::find_iter(text.as_bytes(), ATTRIBUTE).take(MAX_CONTROLS);
    let values = values.filter_map(|at| text[at + ATTRIBUTE.len()..].split_once('"'));
    values.flat_map(|(ids, _)| window::after(ids, 0, 200).split_whitespace()).collect()
}

const MAX_CONTROLS: usize = 64;

fn content<'a>(text: &'a str, element: &Element<'_>) -> Option<&'a str> {
    let name =
        text[element.tag.start + 1..].split(|char: char| !char.is_ascii_alphanumeric()).next()?;
    let inner = window::after(text, element.tag.end, MAX_READ_BYTES);
    let mut depth = 1_usize;
    for (at, _) in inner.match_indices('<') {
        let rest = &inner[at + 1..];
        let (rest, is_end) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
        let named = rest.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
        if !named || rest[name.len()..].starts_with(|char: char| char.is_ascii_alphanumeric()) {
            continue;
        }
        depth = if is_end { depth - 1 } else { depth + 1 };
        if depth == 0 {
            return Some(&inner[..at]);
        }
    }
    None
}

pub(super) fn is_empty(text: &str, element: &Element<'_>) -> bool {
    content(text, element).is_some_and(|content| content.trim().is_empty())
}

fn without_tags(text: &str) -> String {
    let mut parts = text.split('<');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push('\n');
        plain.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    plain
}

pub(super) fn in_tag(text: &str, at: usize) -> bool {
    tag(text, at).is_some_and(|tag| text[tag.start..at].contains('='))
}

/// The URL of an image that a model should fill.
pub(super) fn carrier(text: &str, start: usize) -> Option<Range<usize>> {
    let line = window::line_after(text, start, 400);
    let open = line.find("](")? + 2;
    let length = line[open..].find([')', ' ', '\t'])?;
    is_carrier(&line[open..open + length]).then_some(start + open..start + open + length)
}

pub(super) fn source(text: &str, at: usize) -> Option<Range<usize>> {
    let tag = window::after(text, at, 600);
    let tag = &tag[..tag.find(['>', '<']).unwrap_or(tag.len())];
    let open = tag.to_ascii_lowercase().find("src=")? + 4;
    let quote = tag[open..].chars().next().filter(|char| matches!(char, '"' | '\''));
    let open = open + usize::from(quote.is_some());
    let ends = |char: char| quote.map_or(char.is_whitespace(), |quote| char == quote);
    let length = tag[open..].find(ends).unwrap_or(tag.len() - open);
    is_carrier(&tag[open..open + length]).then_some(at + open..at + open + length)
}

fn is_carrier(address: &str) -> bool {
    let Some((_, query)) = address.split_once('?') else { return false };
    let blank = query.contains(['{', '<', '[', '$']) || query.to_ascii_lowercase().contains("%7b");
    blank && (address.starts_with("http") || address.starts_with("//"))
}

pub(super) fn is_provenance(content: &str) -> bool {
    let content = content.trim().to_lowercase();
    let Some((id, path)) = content.split_once(": ") else { return false };
    let names_context =
        crate::context_id::ContextId::parse(id).is_some() || id.starts_with("task ");
    let path = path.split_once("; ").map_or(path, |(path, _)| path);
    let is_file = |path| Utf8Path::new(path).extension() == Some("md");
    names_context && path.split(" + ").all(is_file) && !id.contains(char::is_whitespace)
}

fn is_white(color: &str) -> bool {
    const COLORS: &[&str] = words!(
        "white, transparent, #fff, #ffffff, #fefefe, #fffffe, #ffff, #ffffffff, #0000, #00000000",
        "snow, rgb(255,255,255), rgba(255,255,255,0), rgba(0,0,0,0)",
    );
    COLORS.contains(&color)
}

pub(super) fn attribute(text: &str, start: usize, end: usize) -> Option<Element<'_>> {
    if text[start..].starts_with('<') {
        let tag = tag(text, end)?;
        let plain = text[end..tag.end].to_ascii_lowercase().replace(['"', '\'', ' '], "");
        let hidden = plain.split_once("color=").is_some_and(|(_, color)| {
            ["white", "#fff", "transparent"].iter().any(|white| color.starts_with(white))
        }) || plain.contains("size=0");
        return hidden.then(|| Element { how: &text[tag.clone()], tag });
    }
    let start = start + 1;
    let tail = window::after(text, end, 1);
    let free =
        tail.starts_with(|char: char| char.is_whitespace() || matches!(char, '>' | '/' | '='));
    if !free {
        return None;
    }
    let tag = tag(text, start)?;
    let quoted = text[tag.start..start].bytes().filter(|&byte| byte == b'"').count() % 2 == 1;
    let input =
        text[tag.start + 1..].get(..5).is_some_and(|name| name.eq_ignore_ascii_case("input"));
    (!quoted && !input).then(|| Element { tag, how: &text[start..end] })
}
