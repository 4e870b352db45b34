//! Parameters of an assembly.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::assemble::reader::{FollowUp, Reader};
use crate::config::{Amount, Order};
use crate::conversation::message::Message;
use crate::render::body::Vendor;
use crate::render::style::Style;
use crate::select::request::Request;
use crate::select::selection::Selection;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    pub text: String,
    /// Places that were not UTF-8.
    pub replaced: usize,
}

crate::named_enum! {
    /// A file with instructions for a request.
    pub enum InstructionKind {
        Task = "task",
        Flow = "flow",
    }
}

impl InstructionKind {
    pub fn folder(self) -> &'static str {
        match self {
            Self::Task => "tasks",
            Self::Flow => "flows",
        }
    }
}

#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Job {
    pub role: Option<String>,
    pub platform: Option<String>,
    pub request: Request,
    pub inputs: Vec<Input>,
    pub instruction: Option<(InstructionKind, String)>,
    pub keep_directives: bool,
    pub budget: Option<Amount>,
    pub model: Option<String>,
    pub style: Style,
    pub order: Option<Order>,
    pub history: Vec<Message>,
    pub request_is_newest_message: bool,
    pub body: Option<Vendor>,
    pub more: FollowUp,
    pub parts: BundleParts,
    pub catalog_fills_room: bool,
    pub reader: Reader,
    pub trace: bool,
    pub advice: Advice,
}

impl Job {
    pub fn new(request: Request) -> Self {
        Self { request, ..Self::default() }
    }

    pub(crate) fn end_lines(&mut self) {
        let inputs = self.inputs.iter_mut().map(|input| &mut input.text);
        for text in [&mut self.request.text, &mut self.request.error].into_iter().chain(inputs) {
            if text.contains('\r') {
                let parts = text.split("\r\n").map(|part| part.replace('\r', "\n"));
                *text = parts.collect::<Vec<_>>().join("\r\n");
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Advice {
    #[default]
    None,
    Budget,
}

crate::named_enum! {
    pub enum BundlePart {
        /// The role's prompt, and the task or flow
        Role = "role",
        /// The selected contexts
        Contexts = "contexts",
        /// The list of contexts that are not loaded
        Catalog = "catalog",
        /// The conversation so far
        History = "history",
        /// Material to work on
        Input = "input",
        /// The error text
        Error = "error",
        /// The request
        Request = "request",
    }
}

/// The parts that `--parts` can select.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleParts(BTreeSet<BundlePart>);

impl Default for BundleParts {
    fn default() -> Self {
        Self(BundlePart::ALL.map(|(_, part)| part).into())
    }
}

impl BundleParts {
    pub fn new(named: &[BundlePart]) -> Self {
        if named.is_empty() { Self::default() } else { Self(named.iter().copied().collect()) }
    }

    pub fn has(&self, part: BundlePart) -> bool {
        self.0.contains(&part)
    }

    pub fn of(&self, mut selection: Selection) -> Selection {
        if self.has(BundlePart::Contexts) {
            return selection;
        }
        let selected = std::mem::take(&mut selection.selected).into_iter();
        let first: Vec<_> = selected.map(|mut one| (one.id, one.reasons.remove(0))).collect();
        selection.catalogued.extend(first.iter().map(|(id, _)| id.clone()));
        selection.catalogued.sort();
        selection.suggested.splice(..0, first);
        selection
    }
}
