//! Answers a hook event. Failures are only logged.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use super::client::{AnswerShape, Client, ClientRow};
use super::read::{self, ClientEvent, Hints};
use super::{answer, jsonc, notes};
use faber_core::assemble::reader::FollowUp;
use faber_core::budget::level::Level;
use faber_core::config::Config;
use faber_core::error::{Error, reason as io_reason};
use faber_core::select::reason::Reason;
use faber_core::world::MAX_FILE_BYTES;
use faber_session::audit::entry::{AuditEntry, CallOutcome};
use faber_session::audit::kind::HOOK;
use faber_session::audit::{self, AnswerTrace, bound};
use faber_session::discover::audit::Log;
use faber_session::discover::hook_store::HookStore;
use faber_session::session::Session;
use faber_session::settings::Settings;
use faber_tools::hook::deliver::{self, ClientFacts, DeliveredContext, Delivery};
use faber_tools::hook::event::{EventKind, HookEvent};

const MAX_MESSAGE: usize = 300;

#[derive(Clone, Debug, Default)]
pub struct HookOutcome {
    pub problem: Option<String>,
    pub blocked: Option<String>,
}

#[derive(Default)]
struct CallFacts {
    client: Option<Client>,
    event: String,
    root: String,
    conversation: String,
    contexts: usize,
    tokens: usize,
    characters: usize,
    skipped: Option<&'static str>,
    blocked: Option<String>,
}

pub fn run(
    hints: Hints<'_>,
    settings: &Settings,
    input: &mut dyn Read,
    print: &mut dyn FnMut(&str) -> std::io::Result<()>,
) -> HookOutcome {
    let begun = (settings.clocks.elapsed)();
    let store = settings.state.as_deref().map(HookStore::new);
    let mut facts = CallFacts::default();
    let call = AssertUnwindSafe(|| {
        let mut call =
            HookCall { settings, store: store.as_ref(), facts: &mut facts, begun, print };
        call.answer(hints, input)
    });
    let problem = match catch_unwind(call) {
        Ok(Ok(())) => None,
        Ok(Err(problem)) => Some(problem),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
            Some(format!("panic: {}", message.unwrap_or_default()))
        }
    };
    if let Some(store) = &store {
        let took = (settings.clocks.elapsed)().saturating_sub(begun);
        let line = log_line(&facts, problem.as_deref(), settings, took.as_secs_f64() * 1000.0);
        let _ = store.log(&line.to_string());
    }
    HookOutcome { problem, blocked: facts.blocked }
}

fn log_line(
    facts: &CallFacts,
    problem: Option<&str>,
    settings: &Settings,
    milliseconds: f64,
) -> Value {
    let outcome = match (problem, facts.skipped, facts.characters) {
        (Some(_), ..) => "failed",
        (None, Some(_), _) => "skipped",
        (None, None, 0) => "nothing",
        (None, None, _) => "given",
    };
    let message = problem.or(facts.skipped).unwrap_or_default();
    json!({
        "time": format!("{:.3}", (settings.clocks.now)().timestamp()),
        "client": facts.client.map(Client::name),
        "event": bound::cut(&facts.event, bound::MAX_NAME),
        "root": facts.root,
        "conversation": bound::cut(&facts.conversation, bound::MAX_NAME),
        "outcome": outcome,
        "message": bound::cut(message, MAX_MESSAGE),
        "contexts": facts.contexts,
        "tokens": facts.tokens,
        "characters": facts.characters,
        "milliseconds": (milliseconds * 10.0).round() / 10.0,
    })
}

struct AnsweredEvent<'a> {
    client_event: &'a ClientEvent,
    event: &'a HookEvent,
    delivery: Delivery,
    notes: Vec<String>,
    problem: Option<&'a str>,
}

struct HookCall<'a> {
    settings: &'a Settings,
    store: Option<&'a HookStore>,
    facts: &'a mut CallFacts,
    begun: std::time::Duration,
    print: &'a mut dyn FnMut(&str) -> std::io::Result<()>,
}

impl HookCall<'_> {
    fn answer(&mut self, hints: Hints<'_>, input: &mut dyn Read) -> Result<(), String> {
        let client_event = read::read(&text(input)?, hints)?;
        self.facts.client = Some(client_event.client);
        self.facts.event.clone_from(&client_event.name);
        let event = client_event.event.as_ref().ok_or_else(|| client_event.unknown())?;
        self.facts.conversation.clone_from(&event.conversation);
        let session = deliver::session(self.settings, event.cwd.as_deref(), None);
        let session = session.map_err(|error| error.to_string())?;
        self.facts.root = session.root().to_string();
        self.facts.skipped = event.skipped();
        self.respond(&session, &client_event, event)
    }

    fn respond(
        &mut self,
        session: &Session,
        client_event: &ClientEvent,
        event: &HookEvent,
    ) -> Result<(), String> {
        let agent = event.agent.as_deref();
        // Until the end, so that a concurrent hook sees these changes.
        let mut slot =
            self.store.map(|store| store.open(session.root(), &event.conversation, agent));
        let mut conversation =
            slot.as_ref().map(|slot| slot.conversation.clone()).unwrap_or_default();
        deliver::prepare(&mut conversation, event, session);
        let workspace = session.workspace();
        let config = workspace.config.clone();
        let takes_text = client_event.row.is_some_and(|row| row.answer != AnswerShape::Nothing);
        let mut delivery = Delivery::default();
        let mut result = Ok(());
        if takes_text {
            let row = client_event.client.row();
            let facts = facts(row, session, answer::frame(client_event));
            match deliver::deliver(session, workspace, event, &conversation, &facts) {
                Ok(given) => delivery = given,
                Err(failure) => {
                    result = Err(message(&failure.error));
                    let is_prompt = event.kind == EventKind::Prompt;
                    if is_prompt && failure.is_insecure && config.hook.blocks_insecure {
                        self.block(client_event, message(&failure.error))?;
                    }
                }
            }
        }
        let answer = delivery.text.as_deref().and_then(|text| answer::answer(client_event, text));
        if let Some(answer) = &answer {
            (self.print)(answer).map_err(|error| format!("cannot answer: {error}"))?;
            self.facts.contexts = contexts(&delivery).count();
            self.facts.tokens = delivery.tokens;
            self.facts.characters = delivery.characters;
        }
        if takes_text && result.is_ok() {
            let now = (self.settings.clocks.now)().timestamp();
            deliver::record(&mut conversation, event, &delivery, now);
        }
        if let (Some(store), Some(slot)) = (self.store, &mut slot)
            && slot.conversation != conversation
        {
            slot.conversation = conversation;
            let saved = store.save(slot);
            // Without the record, the next answer repeats this one.
            result = result.and(
                saved.map_err(|error| format!("cannot write the state: {}", io_reason(&error))),
            );
        }
        let mut notes = Vec::new();
        if config.hook.makes_notes
            && event.agent.is_none()
            && let Some(transcript) = &event.transcript
        {
            match notes::make(session, transcript) {
                Ok(made) => notes = made,
                Err(error) => result = Err(error.to_string()),
            }
            if !notes.is_empty() {
                self.facts.skipped = Some("drafts of notes, see `faber review`");
            }
        }
        let problem = result.as_ref().err().map(String::as_str);
        self.audit(
            session,
            &config,
            &AnsweredEvent { client_event, event, delivery, notes, problem },
        );
        if takes_text {
            session.caches().save();
            session.keep();
        }
        result
    }

    fn block(&mut self, client_event: &ClientEvent, reason: String) -> Result<(), String> {
        if let Some(answer) = answer::block(client_event.client, &reason) {
            (self.print)(&answer).map_err(|error| format!("cannot answer: {error}"))?;
        }
        self.facts.blocked = Some(reason);
        Ok(())
    }

    fn audit(&self, session: &Session, config: &Config, answered: &AnsweredEvent<'_>) {
        let AnsweredEvent { client_event, event, delivery, notes, problem } = answered;
        let is_silent = delivery.contexts.is_empty() && delivery.left_out.is_empty();
        let is_frequent =
            matches!(event.kind, EventKind::BeforeTool | EventKind::Tool | EventKind::ToolFailure);
        if !config.audit.enabled || (is_silent && is_frequent && problem.is_none()) {
            return;
        }
        let entry = AuditEntry {
            session: event.conversation.clone(),
            tool: format!("{HOOK}{}", event.kind.name()),
            arguments: arguments(client_event, event, delivery, notes),
            outcome: match problem {
                Some(problem) => CallOutcome::Failed(Some((*problem).to_owned())),
                None => CallOutcome::Answered,
            },
            ..trace(delivery).into_entry(self.settings, self.begun)
        };
        let log = Log::open(session.root(), config.audit.limits);
        let _ = log.and_then(|log| log.append(&entry));
    }
}

fn message(error: &Error) -> String {
    match error {
        Error::Findings { places, .. } => format!("{error}: {places}"),
        _ => error.to_string(),
    }
}

fn text(input: &mut dyn Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = input.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read standard input: {error}"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err("the event has more than 8 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "the event is not UTF-8".to_owned())
}

pub fn facts(row: &'static ClientRow, session: &Session, frame: usize) -> ClientFacts<'static> {
    ClientFacts {
        name: row.client.name(),
        frame,
        chars: row.chars(),
        lead: row.lead,
        loads: row.loads,
        more: more(row, session),
    }
}

fn more(row: &ClientRow, session: &Session) -> FollowUp {
    let text = row.mcp.and_then(|path| session.files().read(path.into()).ok());
    let has_server = text.and_then(|text| {
        let root = jsonc::value(&text)?;
        let servers = ["mcpServers", "servers", "mcp"].into_iter().find_map(|key| root.get(key));
        Some(servers?.as_object()?.values().any(is_faber))
    });
    if has_server == Some(true) { FollowUp::Tools } else { FollowUp::Commands }
}

fn is_faber(server: &Value) -> bool {
    let words = |key: &str| match server.get(key) {
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        value => value.and_then(Value::as_str).into_iter().collect::<Vec<_>>(),
    };
    let words = [words("command"), words("args")].concat();
    let program = words.first().and_then(|command| command.rsplit(['/', '\\']).next());
    matches!(program, Some("faber" | "faber.exe")) && words.contains(&"serve")
}

fn contexts(delivery: &Delivery) -> impl Iterator<Item = &DeliveredContext> {
    delivery.contexts.iter().filter(|context| context.level.is_some())
}

fn trace(delivery: &Delivery) -> AnswerTrace {
    let mut trace = AnswerTrace::of_tokens(delivery.tokens);
    for context in contexts(delivery) {
        trace.add(&context.id, &context.hash, context.level != Some(Level::Detailed));
    }
    trace.saves_from(delivery.tokens_with_known);
    trace
}

fn arguments(
    client_event: &ClientEvent,
    event: &HookEvent,
    delivery: &Delivery,
    notes: &[String],
) -> Value {
    let has_contexts = !delivery.contexts.is_empty();
    let reasons = has_contexts.then(|| {
        let reasons = contexts(delivery).map(|context| {
            let reasons = context.reasons.iter().map(reason);
            (context.id.clone(), reasons.collect::<Value>())
        });
        Value::Object(reasons.collect())
    });
    audit::arguments([
        ("client", client_event.client.name().into()),
        ("event", client_event.name.as_str().into()),
        ("agent", event.agent.as_deref().into()),
        ("prompt", event.prompt.as_str().into()),
        ("error", event.error.as_str().into()),
        ("files", event.files.clone().into()),
        ("starts_over", event.starts_over.then_some(true).into()),
        ("skipped", event.skipped().into()),
        ("reasons", reasons.into()),
        ("characters", has_contexts.then_some(delivery.characters).into()),
        ("notes", notes.into()),
        ("left_out", delivery.left_out.clone().into()),
    ])
}

fn reason(reason: &Reason) -> Value {
    let detail = reason.matched.as_ref().map_or(&reason.detail, |matched| &matched.keyword);
    if detail.is_empty() {
        return reason.kind.name().into();
    }
    bound::cut(&format!("{} {detail}", reason.kind.name()), bound::MAX_NAME).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_all_clients_are_known() {
        for (server, expected) in [
            (r#"{"command": "faber", "args": ["-C", "/w", "serve"]}"#, true),
            (r#"{"type": "local", "command": ["/usr/bin/faber", "serve"]}"#, true),
            (r#"{"command": ["faber", "hook"]}"#, false),
            (r#"{"command": "npx", "args": ["faber", "serve"]}"#, false),
            (r#"{"url": "http://x"}"#, false),
        ] {
            assert_eq!(is_faber(&serde_json::from_str(server).unwrap()), expected, "{server}");
        }
    }
}
