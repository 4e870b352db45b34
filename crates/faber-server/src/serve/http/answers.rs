//! Responses outside of MCP.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::time::Sleep;

pub(crate) const PATH: &str = "/mcp";

type HttpBody = BoxBody<Bytes, Infallible>;
pub(super) type HttpResponse = Response<HttpBody>;

struct LimitedBody {
    body: HttpBody,
    end: Pin<Box<Sleep>>,
}

impl Body for LimitedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

pub(super) fn limited(answer: HttpResponse, left: Option<Duration>) -> HttpResponse {
    let Some(left) = left else { return answer };
    answer.map(|body| LimitedBody { body, end: Box::pin(tokio::time::sleep(left)) }.boxed())
}

/// The request may be partly unread.
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
