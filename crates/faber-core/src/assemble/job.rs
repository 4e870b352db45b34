//! What one assembly is to do.

use serde::Serialize;

use crate::assemble::more::FollowUp;
use crate::assemble::parts::BundleParts;
use crate::assemble::reader::Reader;
use crate::config::{Amount, Order};
use crate::conversation::message::Message;
use crate::render::body::Vendor;
use crate::render::style::Style;
use crate::select::choose::Request;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name that the user gave it.
    pub name: String,
    pub text: String,
}

/// What one assembly is to do.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Job {
    /// The role; by default the configured one, or the only one.
    pub role: Option<String>,
    pub platform: Option<String>,
    pub request: Request,
    pub inputs: Vec<Input>,
    /// A task or flow: `tasks` or `flows`, and its name.
    pub instruction: Option<(&'static str, String)>,
    /// Whether the prompt keeps directives that faber has carried out.
    pub keep_directives: bool,
    pub budget: Option<Amount>,
    pub model: Option<String>,
    /// The format that tokens are counted in.
    pub style: Style,
    pub order: Option<Order>,
    /// The conversation, oldest message first.
    pub history: Vec<Message>,
    /// Whether the request is the newest message of `history`.
    pub newest_asks: bool,
    /// The API of a request body; `None` for a text.
    pub body: Option<Vendor>,
    pub more: FollowUp,
    /// The parts of the bundle to print.
    pub parts: BundleParts,
    /// What the reader has already, which is left out.
    pub reader: Reader,
    /// Whether to record the decisions of selection and packing, for `explain`.
    pub weigh: bool,
    /// What to find out if something does not fit.
    pub advice: Advice,
}

impl Job {
    /// A job with a request, for the configured role or the only one.
    pub fn new(request: Request) -> Self {
        Self { request, ..Self::default() }
    }
}

/// What to find out when something does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Advice {
    #[default]
    None,
    /// The budget that would hold it, which takes more packing.
    Budget,
}
