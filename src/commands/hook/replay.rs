//! `faber hook replay`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::HookReplay;
use crate::commands::output;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::select::reason::Reason;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::{folded, grouped};
use faber_output::text::counted;
use faber_server::hook::{run, transcript};
use faber_session::caches::Caches;
use faber_session::hook::Conversation;
use faber_session::session::Session;
use faber_tools::hook::deliver::{self, ClientFacts, Delivery};
use faber_tools::hook::event::{EventKind, HookEvent};

const SHOWN: usize = 70;
const FRAME: usize = 100;

/// `faber hook replay --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HookReplayData {
    /// `faber.hook-replay/1`.
    schema: &'static str,
    /// The client whose limits apply.
    client: &'static str,
    /// The events, in order.
    turns: Vec<TurnData>,
    /// The tokens of all given contexts.
    tokens: usize,
    /// The tokens without skipping contexts already given.
    tokens_without_state: usize,
    /// The number of unchanged contexts given again.
    repeated: usize,
}

/// One event.
#[derive(Debug, Serialize, JsonSchema)]
struct TurnData {
    /// The conversation.
    conversation: String,
    /// The kind of event.
    event: EventKind,
    /// The prompt.
    #[serde(skip_serializing_if = "String::is_empty")]
    prompt: String,
    /// The contexts that it would have been given.
    contexts: Vec<GivenData>,
    /// The selected contexts that were already given or loaded by the client.
    known: Vec<String>,
    /// The relevant contexts without room.
    left_out: Vec<String>,
    /// The tokens of the answer.
    tokens: usize,
    /// Its characters after escaping.
    characters: usize,
    /// Why nothing may be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'static str>,
    /// Why nothing could be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// How long it took, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    milliseconds: Option<f64>,
}

/// A context that would have been given.
#[derive(Debug, Serialize, JsonSchema)]
struct GivenData {
    /// Its id; `catalog` for the list of the others.
    id: String,
    /// Why.
    reasons: Vec<Reason>,
    /// Its tokens.
    tokens: usize,
    /// Whether an earlier text of it was given before.
    update: bool,
}

pub(super) fn run(args: &HookReplay, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let text = output::read(args.transcript.as_str(), streams)?;
    let events = transcript::events(&text);
    if events.is_empty() {
        return Err(Error::usage(
            format!("`{}` has no prompts: {}", args.transcript, transcript::why_none(&text)),
            "pass JSON Lines: the transcript of Claude Code, Codex, Cursor, Copilot or Gemini CLI, or \
             `.faber/state/audit.jsonl`",
        ));
    }
    let session = deliver::session(settings, None, Some(Arc::new(Caches::resident())))?;
    let client = run::facts(args.client.row(), &session, FRAME);
    let mut replay = Replay {
        session,
        client,
        conversations: BTreeMap::new(),
        timings: args.timings,
        without_state: 0,
        repeated: 0,
    };
    let turns: Vec<TurnData> = events.iter().map(|event| replay.turn(event)).collect();
    let data = HookReplayData {
        schema: "faber.hook-replay/1",
        client: args.client.name(),
        tokens: turns.iter().map(|turn| turn.tokens).sum(),
        turns,
        tokens_without_state: replay.without_state,
        repeated: replay.repeated,
    };
    let human = |data: &HookReplayData| folded(&human(data), settings.stdout_width);
    output::print(&data, args.format, streams, human)
}

struct Replay {
    session: Session,
    client: ClientFacts<'static>,
    conversations: BTreeMap<(String, Option<String>), Conversation>,
    timings: bool,
    without_state: usize,
    repeated: usize,
}

impl Replay {
    fn turn(&mut self, event: &HookEvent) -> TurnData {
        let clocks = self.session.settings().clocks;
        let key = (event.conversation.clone(), event.agent.clone());
        let mut conversation = self.conversations.remove(&key).unwrap_or_default();
        let begun = (clocks.elapsed)();
        deliver::prepare(&mut conversation, event, &self.session);
        let result = self.deliver(event, &conversation);
        let took = (clocks.elapsed)().saturating_sub(begun);
        let (delivery, problem) = match result {
            Ok(delivery) => (delivery, None),
            Err(problem) => (Delivery::default(), Some(problem)),
        };
        let is_same = |id: &str, hash: &str| {
            conversation.given.get(id).is_some_and(|given| given.hash == hash)
        };
        let whole = delivery.contexts.iter().filter(|given| !given.is_more);
        let again = whole.filter(|given| is_same(&given.id, &given.hash));
        self.repeated += again.count();
        self.without_state += delivery.tokens_with_known;
        deliver::record(&mut conversation, event, &delivery, (clocks.now)().timestamp());
        self.conversations.insert(key, conversation);
        let contexts = delivery.contexts.into_iter().map(|given| GivenData {
            id: given.id,
            reasons: given.reasons,
            tokens: given.tokens,
            update: given.is_update,
        });
        let milliseconds = (took.as_secs_f64() * 10_000.0).round() / 10.0;
        TurnData {
            conversation: event.conversation.clone(),
            event: event.kind,
            prompt: event.prompt.clone(),
            contexts: contexts.collect(),
            known: delivery.known.into_iter().map(|(id, _)| id).collect(),
            left_out: delivery.left_out,
            tokens: delivery.tokens,
            characters: delivery.characters,
            skipped: event.skipped(),
            problem,
            milliseconds: self.timings.then_some(milliseconds),
        }
    }

    fn deliver(&self, event: &HookEvent, conversation: &Conversation) -> Result<Delivery, String> {
        let workspace = self.session.workspace();
        let result = deliver::deliver(&self.session, workspace, event, conversation, &self.client);
        result.map_err(|failure| failure.error.to_string())
    }
}

fn human(data: &HookReplayData) -> String {
    let mut out = String::new();
    for turn in &data.turns {
        let what = if turn.event == EventKind::Prompt {
            let prompt: String = turn.prompt.chars().take(SHOWN).collect();
            let more = if prompt.len() < turn.prompt.len() { "…" } else { "" };
            format!("{}{more}", Visible(&prompt))
        } else {
            format!("[{}]", turn.event.name())
        };
        let _ = write!(
            out,
            "{what}\n  {} tokens, {} characters",
            grouped(turn.tokens),
            grouped(turn.characters)
        );
        let _ = match turn.milliseconds {
            Some(milliseconds) => writeln!(out, ", {milliseconds:.1} ms"),
            None => writeln!(out),
        };
        for given in &turn.contexts {
            let reasons: Vec<&str> = given.reasons.iter().map(|reason| &*reason.detail).collect();
            let update = if given.update { " (update)" } else { "" };
            let reasons = Visible(&reasons.join("; ")).to_string();
            let line = format!("  + {}{update}  {reasons}", Visible(&given.id));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        let lists = [("not repeated", &turn.known), ("no room", &turn.left_out)];
        for (name, ids) in lists.into_iter().filter(|(_, ids)| !ids.is_empty()) {
            let _ = writeln!(out, "  {name}: {}", Visible(&ids.join(", ")));
        }
        if let Some(why) = turn.problem.as_deref().or(turn.skipped) {
            let _ = writeln!(out, "  nothing: {}", Visible(why));
        }
    }
    let prompts = data.turns.iter().filter(|turn| turn.event == EventKind::Prompt).count();
    let _ = writeln!(
        out,
        "\n{}, {} tokens added ({} without deduplication), {} repeated",
        counted(prompts, "prompt"),
        grouped(data.tokens),
        grouped(data.tokens_without_state),
        counted(data.repeated, "context"),
    );
    out
}
