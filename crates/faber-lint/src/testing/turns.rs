//! Conversations as cases: each prompt gets only new contexts.

use faber_core::config::Amount;
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::parse::fields::FieldReader;
use faber_core::rules::{invalid_test, unknown_test_key};
use faber_core::source::Span;
use faber_core::suggest;
use faber_core::yaml::{Entry, Node};
use faber_session::hook::{Conversation, DeliveredText};
use faber_session::job::AssembleRequest;
use faber_session::session::{Assembled, Session, Workspace};
use faber_tools::explain::ExplainInput;
use faber_tools::hook::deliver;
use faber_tools::hook::event::{EventKind, HookEvent};

use super::case::{Case, CaseTurn, Expectation, Expected};
use super::check::{self, FailedExpectation};

const KEYS: [&str; 6] = ["prompt", "error", "files", "selected", "not_selected", "nothing"];

pub(super) fn read(entry: &Entry, reader: &mut FieldReader<'_>) -> Vec<CaseTurn> {
    let Some(items) = entry.value.items() else {
        reader.wrong_type(entry, &entry.value, "a list of prompts");
        return Vec::new();
    };
    items.iter().map(|item| turn(item, reader)).collect()
}

fn turn(node: &Node, reader: &mut FieldReader<'_>) -> CaseTurn {
    let mut turn = CaseTurn::new(EventKind::Prompt, node.span);
    if node.entries().is_empty() {
        let message = "a turn is a map with a `prompt`";
        reader.found.push(invalid_test::RULE.at(node.span, message));
    }
    for entry in node.entries() {
        match entry.key.as_str() {
            "prompt" => turn.prompt = reader.text(entry).map(|text| text.value).unwrap_or_default(),
            "error" => turn.error = reader.text(entry).map(|text| text.value).unwrap_or_default(),
            "files" => {
                let files = reader.one_or_more(entry).into_iter();
                turn.files = files.map(|file| file.value.replace('\\', "/")).collect();
            }
            "selected" => expect(&mut turn, entry, reader, Expectation::Selected),
            "not_selected" => expect(&mut turn, entry, reader, Expectation::NotSelected),
            "nothing" if entry.value.as_bool() == Some(true) => {
                turn.expected.push(Expected { what: Expectation::Nothing, span: entry.value.span });
            }
            "nothing" => reader.wrong_type(entry, &entry.value, "`true`"),
            _ => reader.found.push(unknown(entry)),
        }
    }
    turn
}

fn expect(
    turn: &mut CaseTurn,
    entry: &Entry,
    reader: &mut FieldReader<'_>,
    make: fn(String) -> Expectation,
) {
    for text in reader.one_or_more(entry) {
        turn.expected.push(Expected { what: make(text.value), span: text.span });
    }
}

fn unknown(entry: &Entry) -> Diagnostic {
    let found =
        unknown_test_key::RULE.at(entry.key_span, format!("unknown key `{}` in a turn", entry.key));
    let otherwise = format!("the keys are `{}`", KEYS.join("`, `"));
    found.help(suggest::help(suggest::closest(&entry.key, KEYS), otherwise))
}

pub(super) fn run(case: &Case, session: &Session, width: usize) -> Vec<FailedExpectation> {
    let session = case.setup.session(session);
    let mut conversation = Conversation::default();
    let start = CaseTurn::new(EventKind::SessionStart, case.name.span);
    let mut broken = Vec::new();
    for (at, turn) in std::iter::once(&start).chain(&case.turns).enumerate() {
        match assembled(case, turn, &session, &mut conversation) {
            Ok((workspace, assembly)) => {
                let subject = ExplainInput { assembly: &assembly, workspace: &workspace };
                for mut one in check::expected(&turn.expected, subject, width) {
                    one.failure.message = format!("turn {at}: {}", one.failure.message);
                    broken.push(one);
                }
            }
            Err(error) => {
                broken.push(FailedExpectation::new(
                    "turns",
                    turn.span,
                    format!("turn {at}: {error}"),
                ));
                break;
            }
        }
    }
    broken
}

fn assembled(
    case: &Case,
    turn: &CaseTurn,
    session: &Session,
    conversation: &mut Conversation,
) -> Result<(Workspace, faber_core::assemble::Assembly), Error> {
    let event = turn.event(case);
    let workspace = session.workspace();
    let request =
        deliver::request(&event, conversation, &workspace.config, session).unwrap_or_default();
    let budget: Option<Amount> = case.setup.job.budget.or(request.budget);
    let error = Some(turn.error.clone()).filter(|error| !error.is_empty());
    let request = AssembleRequest {
        role: case.setup.job.role.clone(),
        platform: case.setup.job.platform.clone(),
        model: case.setup.job.model.clone(),
        budget,
        error,
        ..request
    };
    let Assembled { workspace, result } = session.assemble_from(workspace, &request)?;
    let assembly = result?;
    let now = jiff::Timestamp::UNIX_EPOCH;
    conversation.has_started = true;
    for loaded in &assembly.bundle.loaded {
        let hash = assembly.catalog.contexts[&loaded.id].content_hash(&workspace.sources);
        let given = DeliveredText { hash, tokens: loaded.tokens, lines: None };
        conversation.give(&loaded.id.to_string(), given, now);
    }
    Ok((workspace, assembly))
}

impl CaseTurn {
    fn new(kind: EventKind, span: Span) -> Self {
        let (prompt, error) = (String::new(), String::new());
        Self { span, kind, prompt, error, files: Vec::new(), expected: Vec::new() }
    }

    fn event(&self, case: &Case) -> HookEvent {
        let event = HookEvent::new(self.kind, case.name.value.as_str());
        HookEvent { prompt: self.prompt.clone(), files: self.files.clone(), ..event }
    }
}
