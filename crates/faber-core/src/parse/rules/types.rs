//! The rules of a prompt, as data.

use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::condition::Terms;
use super::terms;
use crate::category::Category;
use crate::markdown::Block;
use crate::parse::references::category_of;
use crate::source::{FileId, Spanned};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptRules {
    pub rules: Vec<SelectionRule>,
    pub loads: Vec<PromptLoad>,
    pub directives: Vec<PromptDirective>,
    pub lists: Vec<Vec<usize>>,
    pub unread: Vec<Spanned<String>>,
    #[serde(skip)]
    pub(super) blocks: OnceLock<Vec<Block>>,
}

impl PromptRules {
    pub(super) fn moved_to(mut self, file: FileId) -> Self {
        let rules = self.rules.iter_mut();
        let rules = rules.flat_map(|rule| {
            rule.terms.iter_mut().chain(&mut rule.except).chain([&mut rule.target])
        });
        let loads = self.loads.iter_mut().map(|load| &mut load.target);
        let asks = self.directives.iter_mut().flat_map(|directive| &mut directive.asks);
        let all = rules.chain(loads).chain(asks.map(|ask| &mut ask.target)).chain(&mut self.unread);
        all.for_each(|text| text.span.file = file);
        self
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectionRule {
    pub kind: RuleKind,
    pub terms: Vec<Spanned<String>>,
    pub except: Vec<Spanned<String>>,
    pub target: Spanned<String>,
    pub optional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleKind {
    Keyword,
    /// Matched with the error text and the request.
    Error,
    Files,
    /// Only for detection.
    Platform,
}

impl SelectionRule {
    pub(super) fn by_kind(mut self) -> impl Iterator<Item = Self> {
        let is_glob = |term: &Spanned<String>| terms::is_glob(&term.value);
        let of_files = match self.kind {
            RuleKind::Keyword => self.terms.extract_if(.., |term| is_glob(term)).collect(),
            _ => Vec::new(),
        };
        let files = Self { kind: RuleKind::Files, terms: of_files, ..self.clone() };
        [self, files].into_iter().filter(|rule| !rule.terms.is_empty())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptLoad {
    pub target: Spanned<String>,
    pub optional: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptDirective {
    /// From 0.
    pub lines: Range<usize>,
    pub below: Range<usize>,
    pub asks: Vec<DirectiveTarget>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectiveTarget {
    pub target: Spanned<String>,
    pub need: Need,
    pub optional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Need {
    Text,
    /// The text or a catalog entry.
    Known,
}

pub(super) fn kind_of(is_error: bool, target: &str) -> RuleKind {
    match category_of(target) {
        Some(Category::Platform) if !is_error => RuleKind::Platform,
        Some(Category::Troubleshooting) => RuleKind::Error,
        _ if is_error => RuleKind::Error,
        _ => RuleKind::Keyword,
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum PromptSentence {
    Rule(Terms, Targets),
    Label(Terms, Targets),
    Listed(Targets),
    Load(Targets),
    Names(Targets),
    Keywords(Terms),
    Task(Range<usize>),
    Detection,
    SeeTable,
    Unread(Range<usize>),
    Other,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Targets {
    pub(super) ranges: Vec<Range<usize>>,
    pub(super) pure: bool,
    pub(super) optional: bool,
    /// "See" and "read" also name other files.
    pub(super) may_be_files: bool,
    pub(super) missed: Option<Range<usize>>,
}
