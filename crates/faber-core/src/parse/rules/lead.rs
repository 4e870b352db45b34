//! What a text says about what follows it: a lead-in such as "Load when the request mentions:".

use std::ops::Range;
use std::rc::Rc;

use super::Ask;
use super::condition::{self, Condition, Terms};
use super::{sentence, terms};
use crate::parse::prose::{Inline, Item, tokens};
use crate::source::Spanned;

/// What the text above says about when something is to be loaded.
#[derive(Clone)]
pub(super) enum Lead {
    /// Nothing.
    None,
    /// That what is named below is to be loaded.
    Load,
    /// That it is to be loaded when a term is met.
    Terms(Rc<Spans>),
    /// That it is to be loaded on a condition that is not understood.
    Unclear,
    /// That it is not to be loaded.
    Never,
    /// That it is a keyword for these, or one of several.
    Keywords(Rc<Listed>),
}

/// What is to be loaded when one of the terms is met that a list below gives.
pub(super) struct Listed {
    pub(super) targets: Vec<Spanned<String>>,
    pub(super) optional: bool,
    /// The lines that say so, when they say nothing else.
    pub(super) lines: Option<Range<usize>>,
}

/// Terms with their places.
pub(super) struct Spans {
    pub(super) terms: Vec<Spanned<String>>,
    pub(super) except: Vec<Spanned<String>>,
    pub(super) is_error: bool,
}

impl Lead {
    pub(super) fn or<'l>(&'l self, other: &'l Self) -> &'l Self {
        if matches!(self, Self::None) { other } else { self }
    }
}

/// What some sentences of one text ask.
#[derive(Default)]
pub(super) struct Sentences {
    pub(super) asks: Vec<Ask>,
    /// Whether they are nothing but directives.
    pub(super) pure: bool,
    pub(super) keywords: Option<Lead>,
    pub(super) listed: Option<Listed>,
}

/// What a paragraph says of what follows it.
pub(super) struct After {
    /// Of the next block.
    pub(super) next: Lead,
    /// Of the rest of the section.
    pub(super) section: Option<Lead>,
}

/// One sentence of a paragraph.
pub(super) struct Part {
    pub(super) lines: Range<usize>,
    pub(super) asks: Vec<Ask>,
    pub(super) pure: bool,
    /// Whether it only leads over to the next one.
    pub(super) leads: bool,
    /// Whether it is a rule of its own.
    pub(super) is_arrow: bool,
}

/// The terms that an item of a list of keywords gives, with or without "when".
pub(super) fn item_terms(inline: &Inline) -> Option<Terms> {
    let tokens = tokens(inline, &inline.all());
    if !condition::opens(&tokens) {
        let (mode, most) = (terms::Mode::Condition, condition::MAX_WORDS);
        return condition::read_terms(inline.text(), &tokens, mode, most);
    }
    match condition::read(inline.text(), &tokens) {
        Condition::Terms(terms) => Some(terms),
        _ => None,
    }
}

/// The lines of an item and of all that is in it.
pub(super) fn lines_of(item: &Item) -> Range<usize> {
    let end = item.children.last().map_or(item.own.end, |block| block.lines.end);
    item.own.start..end.max(item.own.end)
}

/// Whether an item is nothing but a few words in bold over what is below them.
pub(super) fn is_title(inline: &Inline) -> bool {
    let all = inline.all();
    let words = tokens(inline, &all);
    !words.is_empty() && words.len() <= condition::MAX_WORDS && inline.is_bold(&all)
}

pub(super) fn is_lead_in(inline: &Inline) -> bool {
    let all = inline.all();
    sentence::is_lead_in(&tokens(inline, &all), inline.is_bold(&all))
}
