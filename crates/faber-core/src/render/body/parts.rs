//! The parts of a request body.

use serde::Serialize;

use crate::budget::level::Section;
use crate::conversation::turn::Turn;
use crate::render::block::{BundleBlock, text_of};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Vendor {
    Anthropic,
    OpenAi,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyTexts {
    pub stable: String,
    pub rest: String,
    pub message: String,
}

pub(super) struct BodyParts<'a> {
    pub(super) model: &'a str,
    /// In tokens; not 0.
    pub(super) answer: u64,
    pub(super) texts: BodyTexts,
    pub(super) past: Vec<Turn>,
}

impl BodyTexts {
    pub fn of(blocks: &[BundleBlock], stable: usize) -> Self {
        let text = |blocks: &[BundleBlock], wanted: fn(Section) -> bool| -> String {
            let wanted = blocks.iter().filter(|block| wanted(block.section));
            wanted.map(|block| text_of(&block.lines)).collect()
        };
        let is_context = |section| !matches!(section, Section::History | Section::Message);
        let (stable, rest) = blocks.split_at(stable);
        let (mut stable, rest) = (text(stable, is_context), text(rest, is_context));
        let message = text(blocks, |section| section == Section::Message);
        if rest.trim().is_empty() {
            stable.truncate(stable.trim_end().len());
        }
        let ended = |text: String| text.trim_end().to_owned();
        let kept = |text: String| if text.trim().is_empty() { String::new() } else { text };
        Self { stable: kept(stable), rest: ended(rest), message: ended(message) }
    }

    /// Separates the cacheable part if it can be marked.
    pub fn system(&self, vendor: Vendor) -> Vec<String> {
        let mut texts = match vendor {
            Vendor::Anthropic => vec![self.stable.clone(), self.rest.clone()],
            Vendor::OpenAi => vec![self.stable.clone() + &self.rest],
        };
        texts.retain(|text| !text.is_empty());
        texts
    }
}
