//! Converts TOML, YAML and JSON to Markdown with front matter.

pub(crate) mod toml;

use std::collections::BTreeSet;

use faber_core::config;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::{import_omitted, unreadable};
use faber_core::source::{FileId, SourceFile, SourceMap, Span, TextOrigin};
use faber_core::yaml::{self, Entry, Node};

use crate::format::{self, DataForm, Recognized, SourceKind, slug};
use crate::found_source::FoundSource;
use crate::piece::{self, tidy};

/// As in `recipe.yml#prompt`.
const PART: char = '#';

const MAX_FOLDED_LINES: usize = 200;

struct DataText {
    part: Option<String>,
    front: Vec<Entry>,
    body: Vec<(String, Span)>,
}

pub fn unpacked(
    sources: &mut SourceMap,
    all: Vec<FoundSource>,
    found: &mut Vec<Diagnostic>,
) -> Vec<FoundSource> {
    let mut unpacked = Vec::with_capacity(all.len());
    for source in all {
        match source.what.kind {
            SourceKind::Data(form) if source.link_to.is_none() => {
                match texts(sources.get(source.file), source.file, form, found) {
                    Ok(mut texts) => {
                        number_parts(&mut texts);
                        unpacked.extend(texts.into_iter().map(|text| made(sources, &source, text)));
                    }
                    Err(finding) => found.push(*finding),
                }
            }
            _ => unpacked.push(source),
        }
    }
    unpacked
}

/// A record of imports needs one origin for each file.
fn number_parts(texts: &mut [DataText]) {
    let mut seen = BTreeSet::new();
    for part in texts.iter_mut().filter_map(|text| text.part.as_mut()) {
        let numbers = (2..).map(|number| format!("{part}-{number}"));
        let name = std::iter::once(part.clone()).chain(numbers).find(|it| !seen.contains(it));
        *part = name.unwrap_or_default();
        seen.insert(part.clone());
    }
}

pub fn file_of(path: &str) -> &str {
    let file = path.rsplit_once(PART).map(|(file, _)| file);
    let has_parts = |file: &&str| {
        let what = format::recognize((*file).into());
        what.is_some_and(|what| what.kind == SourceKind::Data(DataForm::Modes))
    };
    file.filter(has_parts).unwrap_or(path)
}

fn made(sources: &mut SourceMap, source: &FoundSource, mut text: DataText) -> FoundSource {
    let part = text.part.take();
    let part = part.as_deref();
    let name = part.map_or_else(|| source.what.name.clone(), slug);
    if source.what.kind == SourceKind::Data(DataForm::Recipe) {
        text.front.insert(0, piece::text("name", &name, Span::start_of(source.file)));
    }
    let (markdown, lines) = markdown(sources.get(source.file), &text);
    let named = |path: &str| part.map_or(path.to_owned(), |part| format!("{path}{PART}{part}"));
    let path = named(sources.path(source.file).as_str()).into();
    let kind = match source.what.kind {
        SourceKind::Data(DataForm::Agent | DataForm::JsonAgent | DataForm::Modes) => {
            SourceKind::Agent
        }
        _ => SourceKind::Command,
    };
    FoundSource {
        path: named(source.path.as_str()).into(),
        what: Recognized { kind, name, ..source.what.clone() },
        file: sources.add_made(path, markdown, TextOrigin::new(source.file, lines)),
        ..source.clone()
    }
}

fn markdown(file: &SourceFile, text: &DataText) -> (String, Vec<u32>) {
    let line = |offset: u32| u32::try_from(file.line(offset) - 1).unwrap_or(u32::MAX);
    let first = text.front.first().map_or(0, |entry| line(entry.key_span.start));
    let (mut front, mut lines) = (String::new(), vec![first]);
    for entry in &text.front {
        let shown = config::verbatim(std::slice::from_ref(entry));
        lines.extend(shown.lines().map(|_| line(entry.key_span.start)));
        front.push_str(&shown);
    }
    let mut body = String::new();
    let mut below = Vec::new();
    for (value, span) in &text.body {
        let blank = value.lines().take_while(|line| line.trim().is_empty()).count();
        let raw = &file.text[span.range()];
        let begins_below = ["\"\"\"\n", "\"\"\"\r\n", "'''\n", "'''\r\n", "|", ">"]
            .iter()
            .any(|start| raw.starts_with(start));
        let first = line(span.start) + u32::from(begins_below);
        let value = tidy(value);
        if !body.is_empty() && !value.is_empty() {
            body.push('\n');
            below.push(first);
        }
        if is_folded(raw) {
            let places = folded_lines(raw, &value, usize::from(begins_below));
            below.extend(places.into_iter().map(|at| line(span.start) + at));
        } else {
            let at = (first..).skip(blank).map(|at| at.min(line(span.end)));
            below.extend(value.lines().zip(at).map(|(_, at)| at));
        }
        body.push_str(&value);
    }
    let markdown = piece::with_front(&front, &body);
    let head = markdown[..markdown.len() - body.len()].matches('\n').count();
    lines.resize(head, below.first().copied().unwrap_or(0));
    lines.extend(below);
    (markdown, lines)
}

fn is_folded(raw: &str) -> bool {
    let is_basic = raw.starts_with("\"\"\"");
    !raw.starts_with('|')
        && !raw.starts_with("'''")
        && (!is_basic || raw.contains("\\\n") || raw.contains("\\\r\n"))
}

/// The line of `raw` where each line of the value begins, else of the line above.
fn folded_lines(raw: &str, value: &str, first: usize) -> Vec<u32> {
    let plain = |line| str::trim(line).trim_end_matches('\\').trim_end();
    let source: Vec<&str> = raw.lines().map(plain).collect();
    let (mut next, mut at) = (first, first);
    let place = |line: &str| {
        let line = line.trim();
        let begins =
            |text: &&str| !text.is_empty() && (line.starts_with(*text) || text.starts_with(line));
        let near = source.iter().skip(next).take(MAX_FOLDED_LINES);
        if let Some(far) = near.filter(|_| !line.is_empty()).position(begins) {
            at = next + far;
            next = at + 1;
        }
        u32::try_from(at).unwrap_or(u32::MAX)
    };
    value.lines().map(place).collect()
}

fn texts(
    source: &SourceFile,
    file: FileId,
    form: DataForm,
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<DataText>, Box<Diagnostic>> {
    let text = &*source.text;
    let omitted = |why: &str| {
        Box::new(import_omitted::RULE.at(Span::start_of(file), format!("not imported: {why}")))
    };
    let unread = |language: &str, why: &str, at: Span| {
        let note = format!("this cannot be read as {language}: {why}; the file is not imported");
        Box::new(unreadable::RULE.at(at, note))
    };
    let yaml = |language: &str| {
        let read = yaml::parse_text(text, file);
        read.map_err(|error| unread(language, &error.message, error.span))
    };
    let whole = |front, body| vec![DataText { part: None, front, body: vec![body] }];
    match form {
        DataForm::Command | DataForm::Agent => {
            let toml = toml::top(text, file).map_err(|(why, at)| unread("TOML", &why, at))?;
            let left_out = toml.others.into_iter();
            found.extend(
                left_out
                    .map(|(key, at)| import_omitted::RULE.at(at, format!("`{key}` is left out"))),
            );
            let key = if form == DataForm::Agent { "developer_instructions" } else { "prompt" };
            let body = non_empty_text(&toml.entries, key);
            let body = body.ok_or_else(|| omitted(&format!("it has no `{key}`")))?;
            Ok(whole(without(&toml.entries, &[key]), body))
        }
        DataForm::JsonAgent => {
            let node = yaml("JSON")?;
            let prompt = non_empty_text(node.entries(), "prompt");
            let prompt = prompt.ok_or_else(|| omitted("it has no `prompt`"))?;
            if prompt.0.starts_with("file://") {
                return Err(omitted(&format!("its prompt is `{}`", prompt.0)));
            }
            Ok(whole(without(node.entries(), &["prompt", "$schema"]), prompt))
        }
        DataForm::Recipe => match yaml("YAML") {
            Ok(node) => Ok(recipe(&node).into_iter().collect()),
            Err(finding) if looks_like_recipe(text) => Err(finding),
            Err(_) => Ok(Vec::new()),
        },
        DataForm::Modes => {
            let node = yaml("YAML")?;
            let modes = node.get("customModes").and_then(Node::items);
            let modes = modes.ok_or_else(|| omitted("it has no `customModes`"))?;
            Ok(modes.iter().filter_map(|node| mode(node, found)).collect())
        }
    }
}

fn looks_like_recipe(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    has("title:") && (has("instructions:") || has("prompt:"))
}

fn recipe(node: &Node) -> Option<DataText> {
    let node = node.get("recipe").unwrap_or(node);
    let entries = node.entries();
    non_empty_text(entries, "title")?;
    non_empty_text(entries, "description")?;
    let body: Vec<(String, Span)> =
        ["instructions", "prompt"].iter().filter_map(|key| non_empty_text(entries, key)).collect();
    let front = without(entries, &["instructions", "prompt", "version"]);
    (!body.is_empty()).then_some(DataText { part: None, front, body })
}

fn mode(node: &Node, found: &mut Vec<Diagnostic>) -> Option<DataText> {
    let entries = node.entries();
    let (part, role) = (non_empty_text(entries, "slug"), non_empty_text(entries, "roleDefinition"));
    let (Some((part, at)), Some(role)) = (part, role) else {
        let why = "this mode is not imported: it has no `slug` or no `roleDefinition`";
        found.push(import_omitted::RULE.at(node.span, why));
        return None;
    };
    for entry in entries.iter().filter(|entry| entry.key == "groups") {
        let why = "`groups` is left out: it has another meaning in faber";
        found.push(import_omitted::RULE.at(entry.key_span, why));
    }
    let mut about: Vec<(String, Span)> = ["description", "whenToUse"]
        .iter()
        .filter_map(|key| non_empty_text(entries, key))
        .collect();
    about.dedup_by(|a, b| a.0 == b.0);
    let words: Vec<&str> = about.iter().flat_map(|(text, _)| text.split_whitespace()).collect();
    let about = about.first().map(|(_, at)| piece::text("description", &words.join(" "), *at));
    let title = non_empty_text(entries, "name").map(|(name, at)| piece::text("title", &name, at));
    let read = "slug name roleDefinition whenToUse description customInstructions groups source";
    let read: Vec<&str> = read.split(' ').collect();
    let name = piece::text("name", &slug(&part), at);
    let front = std::iter::once(name).chain(title).chain(about);
    let front = front.chain(without(entries, &read)).collect();
    let body = std::iter::once(role).chain(non_empty_text(entries, "customInstructions")).collect();
    Some(DataText { part: Some(part.replace(['/', '\\', PART], "-")), front, body })
}

fn non_empty_text(entries: &[Entry], key: &str) -> Option<(String, Span)> {
    let value = &entries.iter().find(|entry| entry.key == key)?.value;
    let text = value.as_str().filter(|text| !text.trim().is_empty())?;
    Some((text.to_owned(), value.span))
}

fn without(entries: &[Entry], keys: &[&str]) -> Vec<Entry> {
    entries.iter().filter(|entry| !keys.contains(&&*entry.key)).cloned().collect()
}
