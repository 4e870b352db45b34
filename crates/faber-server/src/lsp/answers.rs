use std::sync::Arc;
use std::sync::mpsc::Sender;

use camino::Utf8PathBuf;
use lsp_server::{ErrorCode, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::lsp::ask::LspRequest;
use crate::lsp::client::EditorClient;
use crate::lsp::scheduler::{AnalysisResult, Scheduler};
use crate::lsp::wire::OutgoingMessage;
use crate::lsp::{actions, completion, definition, hover, inlay, links, references, symbols};

#[derive(Debug)]
pub(crate) struct Handler {
    pub method: &'static str,
    pub of_document: bool,
    pub validated: bool,
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
    pub places: Vec<DocumentPlace>,
    pub is_cancelled: bool,
}

pub(crate) struct Answerer {
    pub scheduler: Arc<Scheduler>,
    pub client: EditorClient,
    pub out: Sender<OutgoingMessage>,
}

impl Answerer {
    pub(crate) fn run(self) {
        while let Some((request, made)) = self.scheduler.next_request() {
            let response = match self.answer(&request, made) {
                Ok(value) => Response::new_ok(request.id, value),
                Err((code, why)) => Response::new_err(request.id, code as i32, why),
            };
            if self.out.send(response.into()).is_err() {
                return;
            }
        }
    }

    fn answer(
        &self,
        request: &QueuedRequest,
        made: Vec<Option<AnalysisResult>>,
    ) -> Result<Value, RequestError> {
        if request.is_cancelled {
            return Err((ErrorCode::RequestCanceled, "the request was cancelled".to_owned()));
        }
        let made = made.into_iter().zip(&request.places);
        let mut answers =
            made.filter_map(|(made, place)| Some(self.answer_in(request, &made?, place)));
        if request.row.of_document {
            return Ok(answers.next().transpose()?.flatten().unwrap_or_default());
        }
        let (mut all, mut failure) = (None, None);
        for answer in answers {
            match answer {
                Ok(Some(Value::Array(some))) => all.get_or_insert_with(Vec::new).extend(some),
                Ok(_) => {}
                Err(error) => failure = Some(error),
            }
        }
        match (all, failure) {
            (None, Some(error)) => Err(error),
            (all, _) => Ok(Value::Array(all.unwrap_or_default())),
        }
    }

    fn answer_in(
        &self,
        request: &QueuedRequest,
        made: &AnalysisResult,
        place: &DocumentPlace,
    ) -> Result<Option<Value>, RequestError> {
        let failed = |why: &String| (ErrorCode::RequestFailed, why.clone());
        let ask = LspRequest {
            analysis: made.analysis.as_ref().map_err(failed)?,
            outcome: made.outcome.as_deref(),
            job: &made.job,
            path: &place.path,
            client: self.client,
        };
        (request.row.answer)(&ask, request.params.clone())
    }
}
