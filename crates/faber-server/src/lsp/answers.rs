//! Answers requests, one after the other, while the worker looks at the next state.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use camino::Utf8PathBuf;
use lsp_server::{ErrorCode, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::lsp::analysis::Analysis;
use crate::lsp::client::Client;
use crate::lsp::desk::{Desk, Gone, Job};
use crate::lsp::position::Places;
use crate::lsp::wire::Outgoing;
use crate::lsp::{actions, completion, definition, hover, inlay, links, references, symbols};
use faber_core::source::{FileId, Span};
use faber_lint::validate::Outcome;

/// A request that can be answered.
#[derive(Debug)]
pub struct Row {
    /// Its name in the protocol.
    pub method: &'static str,
    /// Whether it is about one document.
    pub of_document: bool,
    /// Whether the answer needs what is found in the workspace.
    validated: bool,
    /// The answer; none is null.
    answer: fn(&Ask<'_>, Value) -> Result<Option<Value>, Refusal>,
}

/// Every request.
const ROWS: [Row; 9] = [
    row("textDocument/hover", |ask, params| Ok(value(hover::answer(ask, &read(params)?)))),
    row("textDocument/completion", |ask, it| Ok(value(completion::answer(ask, &read(it)?)))),
    row("textDocument/definition", |ask, it| Ok(value(definition::answer(ask, &read(it)?)))),
    row("textDocument/references", |ask, it| Ok(value(references::answer(ask, &read(it)?)))),
    row("textDocument/documentSymbol", |ask, it| Ok(value(symbols::of_document(ask, &read(it)?)))),
    row("textDocument/documentLink", |ask, it| Ok(value(links::answer(ask, &read(it)?)))),
    row("textDocument/inlayHint", |ask, it| Ok(value(inlay::answer(ask, &read(it)?)))),
    Row {
        validated: true,
        ..row("textDocument/codeAction", |ask, it| Ok(value(actions::answer(ask, &read(it)?))))
    },
    Row {
        of_document: false,
        ..row("workspace/symbol", |ask, it| Ok(value(symbols::of_workspace(ask, &read(it)?))))
    },
];

const fn row(
    method: &'static str,
    answer: fn(&Ask<'_>, Value) -> Result<Option<Value>, Refusal>,
) -> Row {
    Row { method, of_document: true, validated: false, answer }
}

/// The row of a method.
pub fn row_of(method: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.method == method)
}

/// Why a request is not answered.
#[derive(Debug)]
pub struct Refusal {
    code: ErrorCode,
    why: String,
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    let refuse = |error: serde_json::Error| Refusal {
        code: ErrorCode::InvalidParams,
        why: error.to_string(),
    };
    serde_json::from_value(params).map_err(refuse)
}

fn value<T: Serialize>(answer: Option<T>) -> Option<Value> {
    answer.and_then(|answer| serde_json::to_value(answer).ok())
}

/// Where a document lies.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its workspace.
    pub root: Utf8PathBuf,
    /// The state of that which the question is about.
    pub state: u64,
    /// Its path from the root.
    pub path: Utf8PathBuf,
}

/// A request.
#[derive(Debug)]
pub struct Question {
    /// Its id.
    pub id: RequestId,
    /// What answers it.
    pub row: &'static Row,
    /// Its parameters.
    pub params: Value,
    /// The document that it is about, when that lies in a workspace.
    pub place: Option<Place>,
    /// All workspaces with their states.
    pub everywhere: Vec<(u64, Utf8PathBuf)>,
}

/// What an answer is taken from.
pub struct Ask<'a> {
    /// The workspace.
    pub analysis: &'a Analysis,
    /// What is found in it, where that was asked for.
    pub outcome: Option<&'a Outcome>,
    /// Which state it is.
    pub job: &'a Job,
    /// The document that is asked about, by its path from the root; empty when it is all of them.
    pub path: &'a camino::Utf8Path,
    /// Who asks.
    pub client: Client,
}

impl Ask<'_> {
    /// The document that is asked about, when it is a file of the workspace.
    pub fn file(&self) -> Option<FileId> {
        self.analysis.sources().find(self.path)
    }

    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        &self.analysis.sources().get(file).text
    }

    /// The places of a file.
    pub fn places(&self, file: FileId) -> Places<'_> {
        self.analysis.places(file, self.client.encoding)
    }

    /// A place as the protocol has it; none in what is no file.
    pub fn location(&self, span: Span) -> Option<lsp_types::Location> {
        let address = super::diagnostics::address_of(self.analysis, self.job, span.file)?;
        let uri = super::address::typed(&address)?;
        Some(lsp_types::Location { uri, range: self.places(span.file).range(span.range()) })
    }
}

/// Answers.
pub struct Answerer {
    desk: Arc<Desk>,
    client: Client,
    out: Sender<Outgoing>,
}

impl Answerer {
    /// One that answers from what lies on `desk`.
    pub fn new(desk: Arc<Desk>, client: Client, out: Sender<Outgoing>) -> Self {
        Self { desk, client, out }
    }

    /// Answers until nobody can ask any more.
    pub fn run(self, asked: &Receiver<Question>) {
        for question in asked {
            let id = question.id.clone();
            let answer = self.answer(question);
            let cancelled = self.desk.answered(&id);
            let response = match answer {
                _ if cancelled => {
                    refused(id, ErrorCode::RequestCanceled, "the request was taken back")
                }
                Ok(value) => Response::new_ok(id, value),
                Err(Refusal { code, why }) => refused(id, code, &why),
            };
            if self.out.send(response.into()).is_err() {
                return;
            }
        }
    }

    fn answer(&self, question: Question) -> Result<Value, Refusal> {
        let Question { id, row, params, place, everywhere } = question;
        if !row.of_document {
            return self.answer_everywhere(&id, (row, &params), &everywhere);
        }
        // What lies in no workspace is none of faber's business.
        let Some(place) = place else { return Ok(Value::Null) };
        let at = (&*place.root, place.state);
        let answer = self.answer_in((row, params), at, &place.path, &id)?;
        Ok(answer.unwrap_or_default())
    }

    fn answer_everywhere(
        &self,
        id: &RequestId,
        (row, params): (&Row, &Value),
        everywhere: &[(u64, Utf8PathBuf)],
    ) -> Result<Value, Refusal> {
        let mut all = Vec::new();
        for (state, root) in everywhere {
            let at = (root.as_path(), *state);
            if let Some(Value::Array(some)) =
                self.answer_in((row, params.clone()), at, "".into(), id)?
            {
                all.extend(some);
            }
        }
        Ok(Value::Array(all))
    }

    fn answer_in(
        &self,
        (row, params): (&Row, Value),
        at: (&camino::Utf8Path, u64),
        path: &camino::Utf8Path,
        id: &RequestId,
    ) -> Result<Option<Value>, Refusal> {
        let made = match self.desk.wait(at, row.validated, id) {
            Ok(made) => made,
            Err(Gone::Nothing) => return Ok(None),
            Err(Gone::Cancelled) => {
                let why = "the request was taken back".to_owned();
                return Err(Refusal { code: ErrorCode::RequestCanceled, why });
            }
        };
        let analysis = match &made.analysis {
            Ok(analysis) => analysis,
            Err(why) => {
                return Err(Refusal { code: ErrorCode::RequestFailed, why: why.clone() });
            }
        };
        let outcome = made.outcome.as_deref();
        let ask = Ask { analysis, outcome, job: &made.job, path, client: self.client };
        (row.answer)(&ask, params)
    }
}

fn refused(id: RequestId, code: ErrorCode, why: &str) -> Response {
    Response::new_err(id, code as i32, why.to_owned())
}
