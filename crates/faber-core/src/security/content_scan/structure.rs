//! Text that its place or form betrays, not its words.

use std::ops::Range;

use super::{ContentScan, EXAMPLE_HELP};
use crate::escape::clip;
use crate::rules::{hidden_instruction, injection_phrase, mixed_script};
use crate::security::places::{self, Place};
use crate::security::{code, joined, markup, order, script};

impl ContentScan<'_, '_> {
    pub(super) fn places(&mut self) {
        let mut all = Vec::new();
        places::find(self.text, |place, range| all.push((place, range)));
        for (place, range) in all {
            self.place(place, range);
        }
    }

    fn place(&mut self, place: Place, range: Range<usize>) {
        let content = &self.text[range.clone()];
        let words = clip(content);
        if place == Place::FarBelow {
            if !self.is_code(range.start) {
                let message = format!("many blank lines hide what follows: `{words}`");
                let help = "delete the blank lines";
                self.report(&hidden_instruction::RULE, range, message, help);
            }
            return;
        }
        let is_order = match place {
            Place::CodeComment => order::in_code(&places::plain(content)),
            Place::Comment => order::in_note(&places::plain(content)).is_some(),
            _ => order::in_note(content).is_some(),
        };
        if !is_order || self.is_reported(&range) {
            return;
        }
        let is_shown = match place {
            Place::Attribute | Place::Title | Place::Description | Place::Template => {
                self.is_program(range.start)
            }
            Place::CodeComment => code::is_about_attacks(self.text, range.start),
            _ => false,
        };
        if !is_shown {
            let message = format!("{} addresses the model: `{words}`", place.named());
            let help = "readers overlook it; move it into the text, or delete it";
            self.report(&hidden_instruction::RULE, range, message, help);
        }
    }

    fn is_reported(&self, range: &Range<usize>) -> bool {
        self.reported.iter().any(|known| known.start < range.end && range.start < known.end)
    }

    pub(super) fn joined(&mut self) {
        for joined::Joined { range, said } in joined::find(self.text) {
            if !self.is_code(range.start) && !self.is_reported(&range) {
                let message = format!("in pieces, this says `{}`", clip(&said));
                self.report(&injection_phrase::RULE, range, message, EXAMPLE_HELP);
            }
        }
    }

    pub(super) fn messages(&mut self) {
        for range in markup::messages(self.text, |at| self.is_code(at)) {
            if !self.is_reported(&range) && !self.is_markup(range.start) {
                let tag = clip(&self.text[range.clone()]);
                let message = format!("`{tag}` looks like a message of the system or of a tool");
                self.report(&injection_phrase::RULE, range, message, EXAMPLE_HELP);
            }
        }
    }

    /// Small capitals also begin with letters of other blocks; these are found from the next one.
    pub(super) fn costumes(&mut self) {
        let (bytes, mut done) = (self.text.as_bytes(), 0);
        for at in memchr::memchr3_iter(0xe1, 0xe2, 0xf0, bytes) {
            let next = bytes.get(at + 1).copied().unwrap_or_default();
            let may_begin = match bytes[at] {
                0xe1 => next == 0xb4,
                0xe2 => matches!(next, 0x92 | 0x93 | 0xa0),
                _ => matches!(next, 0x9d | 0x9f),
            };
            if !may_begin || at < done {
                continue;
            }
            let (end, said) = script::in_costume(self.text, at);
            done = end;
            let Some((costume, said)) = said.filter(|_| !self.is_code(at)) else { continue };
            let message = format!("{} that read `{}`", costume.named(), clip(&said));
            self.report(&mixed_script::RULE, at..end, message, "write it with plain letters");
        }
    }
}
