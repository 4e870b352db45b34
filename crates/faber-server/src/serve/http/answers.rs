//! Answers without a message of the protocol.

use std::convert::Infallible;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{Response, StatusCode};

/// The path of the endpoint.
pub(crate) const PATH: &str = "/mcp";

pub(super) type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// An answer after which a connection ends: the rest of a request may still be under way.
pub(super) fn closing(mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

pub(super) fn refusal(status: StatusCode, text: &'static str) -> HttpResponse {
    response(status, Bytes::from_static(text.as_bytes()))
}

pub(super) fn response(status: StatusCode, body: impl Into<Bytes>) -> HttpResponse {
    let mut answer = Response::new(Full::new(body.into()).boxed());
    *answer.status_mut() = status;
    answer
}
