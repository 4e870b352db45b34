//! Texts with metadata, common to faber and other tools.

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::category::{Category, Load};
use faber_core::config;
use faber_core::context_id::ContextId;
use faber_core::select::globs;
use faber_core::source::Span;
use faber_core::yaml::{Entry, Node, Scalar, ScalarKind, Value};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Role(String),
    Context(ContextId),
}

impl Subject {
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix("role/") {
            Some("") => None,
            Some(name) => Some(Self::Role(name.to_owned())),
            None => ContextId::parse(text).map(Self::Context),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Role(name) => name,
            Self::Context(id) => &id.name,
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Role(name) => write!(f, "role/{name}"),
            Self::Context(id) => id.fmt(f),
        }
    }
}

#[derive(Clone, Debug)]
pub struct ExchangePiece {
    pub subject: Subject,
    pub title: Option<String>,
    pub description: Option<String>,
    pub load: Load,
    pub globs: Vec<String>,
    pub keywords: Vec<String>,
    pub extra: Vec<Entry>,
    pub body: String,
    pub at: Span,
    pub managed: bool,
    pub suffix: String,
}

impl ExchangePiece {
    pub fn path(&self) -> Utf8PathBuf {
        match &self.subject {
            Subject::Role(name) => {
                let folder = super::format::slug(name) + &self.suffix;
                Utf8Path::new("roles").join(folder).join("prompt.md")
            }
            Subject::Context(id) => {
                let folder = Utf8Path::new("contexts").join(id.category.row().directory);
                folder.join(format!("{}.md", self.stem(id)))
            }
        }
    }

    pub fn of_skill(&mut self, skill: &str) {
        if let Subject::Context(id) = &mut self.subject
            && !id.name.starts_with(skill)
        {
            *id = ContextId::new(id.category, format!("{skill}-{}", id.name).as_str());
        }
    }

    fn stem(&self, id: &ContextId) -> String {
        format!("{}{}{}", id.category.row().prefixes[0], file_name(&id.name), self.suffix)
    }

    pub fn text(&self) -> String {
        match &self.subject {
            Subject::Role(_) => with_front("", &self.body),
            Subject::Context(id) => {
                with_front(&config::verbatim(&self.front(id, &self.stem(id))), &self.body)
            }
        }
    }

    fn front(&self, id: &ContextId, stem: &str) -> Vec<Entry> {
        let mut front = Vec::new();
        if id.category.strip_prefix(stem) != &*id.name {
            front.push(text("name", &id.name, self.at));
        }
        front.extend(self.title.as_ref().map(|title| text("title", title, self.at)));
        front.extend(self.description.as_ref().map(|it| text("description", it, self.at)));
        if !self.keywords.is_empty() {
            front.push(list("keywords", &self.keywords, self.at));
        }
        if !self.globs.is_empty() {
            front.push(list("globs", &self.globs, self.at));
        }
        if implied(id.category, &self.globs) != self.load {
            front.push(text("load", self.load.name(), self.at));
        }
        front.extend(self.extra.iter().cloned());
        front
    }
}

pub fn implied(category: Category, globs: &[String]) -> Load {
    if globs.iter().any(|glob| globs::matches_everything(glob)) {
        Load::Always
    } else if globs.is_empty() {
        category.row().load
    } else {
        Load::Files
    }
}

pub fn file_name(name: &str) -> String {
    let name = super::format::slug(name);
    name.strip_suffix(".md").map_or(name.clone(), str::to_owned)
}

/// A body that looks like front matter gets an empty one.
pub fn with_front(front: &str, body: &str) -> String {
    if front.is_empty() && !body.starts_with("---") {
        return body.to_owned();
    }
    let gap = if body.is_empty() { "" } else { "\n" };
    format!("---\n{front}---\n{gap}{body}")
}

pub fn tidy(body: &str) -> String {
    let body = body.replace("\r\n", "\n");
    let mut lines: Vec<&str> = body.split('\n').collect();
    while lines.pop_if(|line| line.trim().is_empty()).is_some() {}
    let start = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(lines.len());
    lines[start..].iter().flat_map(|line| [line, "\n"]).collect()
}

pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most - 1).collect();
    let end = cut.rfind(char::is_whitespace).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

pub fn text(key: &str, value: &str, at: Span) -> Entry {
    entry(key, scalar(value, ScalarKind::Str, at), at)
}

pub fn flag(key: &str, value: bool, at: Span) -> Entry {
    entry(key, scalar(&value.to_string(), ScalarKind::Bool(value), at), at)
}

pub fn list(key: &str, values: &[String], at: Span) -> Entry {
    let items = values.iter().map(|value| scalar(value, ScalarKind::Str, at)).collect();
    entry(key, Node { span: at, value: Value::Seq(items) }, at)
}

fn scalar(text: &str, kind: ScalarKind, span: Span) -> Node {
    Node { span, value: Value::Scalar(Scalar { text: text.to_owned(), kind }) }
}

fn entry(key: &str, value: Node, key_span: Span) -> Entry {
    Entry { key: key.to_owned(), key_span, value }
}
