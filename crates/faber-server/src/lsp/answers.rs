use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use camino::Utf8PathBuf;
use lsp_server::{ErrorCode, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::lsp::ask::LspRequest;
use crate::lsp::client::EditorClient;
use crate::lsp::scheduler::Scheduler;
use crate::lsp::wire::OutgoingMessage;
use crate::lsp::{actions, completion, definition, hover, inlay, links, references, symbols};

#[derive(Debug)]
pub(crate) struct Handler {
    pub method: &'static str,
    pub of_document: bool,
    validated: bool,
    answer: fn(&LspRequest<'_>, Value) -> Result<Option<Value>, RequestError>,
}

pub(crate) const ROWS: [Handler; 9] = [
    row("textDocument/hover", |ask, params| Ok(value(hover::answer(ask, &read(params)?)))),
    row("textDocument/completion", |ask, it| Ok(value(completion::answer(ask, &read(it)?)))),
    row("textDocument/definition", |ask, it| Ok(value(definition::answer(ask, &read(it)?)))),
    row("textDocument/references", |ask, it| Ok(value(references::answer(ask, &read(it)?)))),
    row("textDocument/documentSymbol", |ask, it| Ok(value(symbols::of_document(ask, &read(it)?)))),
    row("textDocument/documentLink", |ask, it| Ok(value(links::answer(ask, &read(it)?)))),
    row("textDocument/inlayHint", |ask, it| Ok(value(inlay::answer(ask, &read(it)?)))),
    Handler {
        validated: true,
        ..row("textDocument/codeAction", |ask, it| Ok(value(actions::answer(ask, &read(it)?))))
    },
    Handler {
        of_document: false,
        ..row("workspace/symbol", |ask, it| Ok(value(Some(symbols::of_workspace(ask, &read(it)?)))))
    },
];

const fn row(
    method: &'static str,
    answer: fn(&LspRequest<'_>, Value) -> Result<Option<Value>, RequestError>,
) -> Handler {
    Handler { method, of_document: true, validated: false, answer }
}

type RequestError = (ErrorCode, String);

fn read<T: DeserializeOwned>(params: Value) -> Result<T, RequestError> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn value<T: Serialize>(answer: Option<T>) -> Option<Value> {
    answer.and_then(|answer| serde_json::to_value(answer).ok())
}

#[derive(Clone, Debug)]
pub(crate) struct DocumentPlace {
    pub root: Utf8PathBuf,
    pub state: u64,
    pub path: Utf8PathBuf,
}

#[derive(Debug)]
pub(crate) struct QueuedRequest {
    pub id: RequestId,
    pub row: &'static Handler,
    pub params: Value,
    pub place: Option<DocumentPlace>,
    pub everywhere: Vec<DocumentPlace>,
}

pub(crate) struct Answerer {
    pub scheduler: Arc<Scheduler>,
    pub client: EditorClient,
    pub out: Sender<OutgoingMessage>,
}

impl Answerer {
    pub(crate) fn run(self, requests: &Receiver<QueuedRequest>) {
        for question in requests {
            let id = question.id.clone();
            let mut answer = self.answer(question);
            if self.scheduler.answered(&id) {
                answer = Err((ErrorCode::RequestCanceled, "the request was cancelled".to_owned()));
            }
            let response = match answer {
                Ok(value) => Response::new_ok(id, value),
                Err((code, why)) => Response::new_err(id, code as i32, why),
            };
            if self.out.send(response.into()).is_err() {
                return;
            }
        }
    }

    fn answer(&self, question: QueuedRequest) -> Result<Value, RequestError> {
        let QueuedRequest { id, row, params, place, everywhere } = question;
        if row.of_document {
            let Some(place) = place else { return Ok(Value::Null) };
            return Ok(self.answer_in(row, params, &place, &id)?.unwrap_or_default());
        }
        let mut all = Vec::new();
        for place in &everywhere {
            if let Some(Value::Array(some)) = self.answer_in(row, params.clone(), place, &id)? {
                all.extend(some);
            }
        }
        Ok(Value::Array(all))
    }

    fn answer_in(
        &self,
        row: &Handler,
        params: Value,
        place: &DocumentPlace,
        id: &RequestId,
    ) -> Result<Option<Value>, RequestError> {
        let made = self.scheduler.wait(&place.root, place.state, row.validated, id);
        let Some(made) = made else { return Ok(None) };
        let failed = |why: &String| (ErrorCode::RequestFailed, why.clone());
        let ask = LspRequest {
            analysis: made.analysis.as_ref().map_err(failed)?,
            outcome: made.outcome.as_deref(),
            job: &made.job,
            path: &place.path,
            client: self.client,
        };
        (row.answer)(&ask, params)
    }
}
