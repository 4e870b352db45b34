//! Known fields of front matter.

mod globs;
mod kinds;
mod nested;
mod reader;
mod unclear;

use std::sync::LazyLock;

use jiff::civil::Date;

use crate::category::Load;
use crate::diagnostic::Diagnostic;
use crate::folder_access::FolderAccess;
use crate::parse::rules::SelectionRule;
use crate::rules::unknown_field;
use crate::source::{SourceMap, Spanned};
use crate::strategy::{SectionRule, Strategy};
use crate::suggest::Dictionary;
use crate::yaml::{Entry, Node};

use super::restrictions::{FILE_UNUSED, Lost, OVERLAY_KEYS, OVERLAY_UNUSED, misspelled_access};
use crate::word_list::words;
pub use globs::split as split_globs;
pub use kinds::{Condition, Conditions, Confidence, ContextStatus, Fallback, Visibility};
pub(super) use reader::misspelled;
pub use reader::{FieldReader, missing_day};
use unclear::{access_unclear, is_unclear, use_unclear};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontKind {
    Context,
    Prompt,
}

#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate field of the format")]
pub struct Fields {
    pub category: Option<Spanned<String>>,
    pub name: Option<Spanned<String>>,
    pub title: Option<Spanned<String>>,
    pub kind: Option<Spanned<String>>,
    pub description: Option<Spanned<String>>,
    /// An overlay replaced the text, so it is not the essence.
    pub is_description_stale: bool,
    pub platform: Option<Spanned<String>>,
    pub mcp_server: Option<Spanned<String>>,
    pub extends: Option<Spanned<String>>,
    pub summary: Option<Spanned<String>>,
    pub essence: Option<Spanned<String>>,
    pub version: Option<Spanned<String>>,
    pub owner: Option<Spanned<String>>,
    pub superseded_by: Option<Spanned<String>>,
    pub changes: Option<Spanned<String>>,
    pub tags: Vec<Spanned<String>>,
    pub related: Vec<Spanned<String>>,
    pub required_tools: Vec<Spanned<String>>,
    pub keywords: Vec<Spanned<String>>,
    pub errors: Vec<Spanned<String>>,
    pub groups: Vec<Spanned<String>>,
    pub derived_from: Vec<Spanned<String>>,
    pub contradicts: Vec<Spanned<String>>,
    pub fallback: Option<Spanned<Fallback>>,
    pub globs: Vec<Spanned<String>>,
    pub always_apply: bool,
    pub load: Option<Spanned<Load>>,
    pub when: Option<Conditions>,
    pub strategy: Option<Spanned<Strategy>>,
    pub sections: Vec<SectionRule>,
    pub priority: Option<Spanned<i64>>,
    pub required: bool,
    pub fixed: bool,
    pub sealed: bool,
    pub max_tokens: Option<Spanned<u64>>,
    pub updated: Option<Spanned<Date>>,
    pub valid_from: Option<Spanned<Date>>,
    pub valid_to: Option<Spanned<Date>>,
    pub status: Option<Spanned<ContextStatus>>,
    pub visibility: Option<Spanned<Visibility>>,
    pub confidence: Option<Confidence>,
    /// `None` for contexts.
    pub budget: Option<Node>,
    pub rules: Vec<SelectionRule>,
    pub access_unclear: bool,
    pub folder: FolderAccess,
    pub use_unclear: Option<&'static str>,
    pub strategy_unclear: Option<&'static str>,
    /// The file may be listed as invalid, since no access field is mentioned.
    pub is_unreadable: bool,
}

impl Fields {
    pub fn own_essence(&self) -> Option<&Spanned<String>> {
        let description = self.description.as_ref().filter(|_| !self.is_description_stale);
        self.essence.as_ref().or(description)
    }
}

type ReadContextField = fn(&mut Fields, &Entry, &mut FieldReader<'_>);

struct KnownField {
    name: &'static str,
    doc: &'static str,
    read: ReadContextField,
}

macro_rules! known {
    ($($name:ident $read:tt $doc:literal)+) => {
        &[$(KnownField { name: stringify!($name), doc: $doc, read: known!($name $read) }),+]
    };
    ($name:ident ($method:ident $($more:tt)*)) => { |f, e, r| f.$name = r.$method(e $($more)*) };
    ($name:ident { $read:expr }) => { $read };
}

const KNOWN: &[KnownField] = known! {
    category (text) "What kind of context this is. In a category's folder the folder decides."
    name (text)
        "The second part of the id; default: the file name without the prefix of its category."
    title (text) "The display name; the heading of a text without one."
    kind (text) "A kind of your own choice; catalogs show a count for each."
    description (text) "One line for catalogs; also the essence if there is none."
    platform (text) "The platform that the context is for."
    mcp_server (text)
        "The MCP server that it needs; must be configured and enabled, or have a `fallback`."
    extends (text) "The base of this overlay, if its name differs."
    summary (text) "A shorter text, for when the full text does not fit."
    essence (text) "One sentence, for when the summary does not fit."
    version (text) "Its version, as written."
    owner (text) "The owner, who alone can see a private context."
    superseded_by (text) "The context that takes its place."
    approver { |_, e, r| _ = r.text(e) } "Who approved or rejected it."
    changes (text) "The context that a note proposes to change."
    tags (list) "Words for searching."
    related (list) "Contexts to load together with this one; not transitive."
    required_tools (list) "Tools that the text uses."
    keywords (words) "Loads when the request contains one of these words."
    errors (words) "Loads when the error text or the request contains one of these."
    groups (list) "The groups that may see it."
    derived_from (list) "What it was derived from."
    contradicts (list) "Contexts that contradict this one; do not load both by default."
    fallback (word, &Fallback::ALL) "How to work without the MCP server."
    globs { |f, e, r| f.globs.extend(globs::read(e, r)) }
        "Loads when a file of the request matches one of these patterns."
    applyTo { |f, e, r| f.globs.extend(globs::read(e, r)) } "The same as `globs`."
    paths { |f, e, r| f.globs.extend(globs::read(e, r)) } "The same as `globs`."
    alwaysApply { |f, e, r| f.always_apply = r.boolean(e).unwrap_or(false) }
        "Always loads, as in Cursor."
    load (word, &Load::ALL) "When it loads; overrides the default of the category."
    when { |f, e, r| f.when = nested::when(e, r) } "Conditions for using it; all must be met."
    strategy (word, &Strategy::ALL) "How this overlay changes its base."
    sections { |f, e, r| f.sections = nested::sections(e, r) }
        "How it changes sections of its base, by heading."
    priority (integer, 1, 10) "Order in the budget; 1 is highest, 10 lowest."
    required { |f, e, r| f.required = r.boolean(e).unwrap_or(false) }
        "Whether every bundle includes it."
    truncatable { |f, e, r| f.fixed = r.boolean(e) == Some(false) }
        "Whether it may be shortened; default: true."
    sealed { |f, e, r| f.sealed = r.boolean(e).unwrap_or(false) }
        "Whether higher layers may only append to it."
    max_tokens { |f, e, r| f.max_tokens = r.tokens(e, 0) } "Maximum tokens."
    updated (date) "The date of the last change."
    reviewed { |_, e, r| _ = r.date(e) } "The date of its approval or rejection."
    valid_from (date) "The first valid day."
    valid_to (date) "The last valid day."
    status (word, &ContextStatus::ALL)
        "The stage of its life cycle; only approved contexts are used."
    visibility (word, &Visibility::ALL) "Who may see it: everyone, its groups or its owner."
    confidence { |f, e, r| f.confidence = nested::confidence(e, r) } "Its reliability, from 0 to 1."
    budget { |f, e, r| f.budget = r.map(e).and_then(|()| r.config(e)) }
        "The token budget of a prompt; overrides the configuration."
};

pub const MANUAL: &str = "disable-model-invocation";

/// Of other tools. Fields that say when a file loads are missing: they would mislead.
const FOREIGN: &[&str] = words!(
    "agent, agents, allowed-tools, argument-hint, author, authors, background, color",
    "compatibility, context, disable-model-invocation, disallowed-tools, disallowedTools, effort",
    "handoffs, hooks, initialPrompt, is_background, isolation, license, maxTurns, mcp-servers",
    "mcpServers, memory, metadata, mode, model, permissionMode, readonly, skills, target, tools",
    "user-invocable",
);

static NAMES: LazyLock<Dictionary<'static>> =
    LazyLock::new(|| Dictionary::new(KNOWN.iter().map(|row| row.name)));

pub fn is_manual(node: &Node) -> bool {
    node.get(MANUAL).and_then(Node::as_bool) == Some(true)
}

pub fn fields(
    node: &Node,
    kind: FrontKind,
    sources: &SourceMap,
    found: &mut Vec<Diagnostic>,
) -> Fields {
    let mut fields = Fields::default();
    let mut lost = Lost::default();
    let mut reader = FieldReader { sources, found };
    let is_known = |name: &str| kind == FrontKind::Prompt || name != "budget";
    for entry in node.entries() {
        if kind == FrontKind::Prompt && matches!(&*entry.key, "keywords" | "errors") {
            fields.rules.extend(nested::rules(entry, &mut reader));
            continue;
        }
        let row = KNOWN.iter().find(|row| row.name == entry.key && is_known(row.name));
        if let Some(row) = row {
            let before = reader.found.len();
            if !entry.value.is_null() {
                (row.read)(&mut fields, entry, &mut reader);
            }
            if reader.found.len() > before {
                lost.add_invalid(&entry.value);
                let is_of_overlay = OVERLAY_KEYS.contains(&row.name);
                if is_of_overlay {
                    lost.add(row.name);
                }
                let is_hidden = kind == FrontKind::Context && is_unclear(row.name, node, &fields);
                for found in &mut reader.found[before..] {
                    found.message.push_str(match is_hidden {
                        true => FILE_UNUSED,
                        false if is_of_overlay => OVERLAY_UNUSED,
                        false => "",
                    });
                }
            }
            continue;
        }
        if FOREIGN.binary_search(&&*entry.key).is_ok() {
            continue;
        }
        lost.add_unknown(node, &entry.key, &entry.value);
        let mut hint =
            unknown_field::RULE.at(entry.key_span, format!("unknown field `{}`", entry.key));
        let is_as_long = |name: &str| name.len().abs_diff(entry.key.len()) <= 2;
        let close = NAMES.closest(&entry.key).filter(|name| is_known(name) && is_as_long(name));
        let access = misspelled_access(&entry.key);
        if let Some(name) = access.or(close.filter(|name| fits(name, entry, sources))) {
            if !entry.value.is_null() {
                lost.add_misspelled(name, access.is_some());
                hint.message.push_str(match name {
                    _ if access.is_some() => FILE_UNUSED,
                    _ if OVERLAY_KEYS.contains(&name) => OVERLAY_UNUSED,
                    _ => "",
                });
            }
            hint = misspelled(hint, entry, node, name);
        }
        reader.found.push(hint);
    }
    fields.access_unclear = access_unclear(node, &fields);
    fields.use_unclear = use_unclear(node, &fields);
    lost.restrict(&mut fields);
    // Unreadable values must not unseal.
    let sealed = node.get("sealed").filter(|value| !value.is_null());
    fields.sealed |= sealed.is_some_and(|value| value.as_bool().is_none());
    fields
}

fn fits(name: &str, entry: &Entry, sources: &SourceMap) -> bool {
    let mut found = Vec::new();
    let mut reader = FieldReader { sources, found: &mut found };
    if let Some(row) = KNOWN.iter().find(|row| row.name == name) {
        (row.read)(&mut Fields::default(), entry, &mut reader);
    }
    entry.value.is_null() || found.is_empty()
}

pub fn is_known(name: &str) -> bool {
    name != "budget" && KNOWN.iter().any(|row| row.name == name)
}

pub fn documented(kind: FrontKind) -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = KNOWN.iter().filter(move |row| kind == FrontKind::Prompt || row.name != "budget");
    rows.map(|row| (row.name, row.doc))
}

#[cfg(test)]
mod tests;
