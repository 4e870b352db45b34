use miette::Diagnostic;
use rmcp::ErrorData;
use rmcp::model::ErrorCode;

use crate::serve::answer;
use faber_core::error::Error;
use faber_core::escape::lines;

#[derive(Debug)]
pub(crate) enum CallFailure {
    Error(Error),
    Panic,
    Cancelled,
    UnknownCaller,
}

impl CallFailure {
    pub(crate) fn text(&self) -> String {
        let message = match self {
            Self::Error(error) => {
                let help = error.help().map(|help| format!("\n{help}")).unwrap_or_default();
                shortened(&lines(&format!("{error}{help}")))
            }
            Self::Panic => {
                "Internal error in faber; other calls still work. Please report it with the output on standard error."
                    .to_owned()
            }
            Self::Cancelled => "the request was cancelled".to_owned(),
            Self::UnknownCaller => "the caller is not known".to_owned(),
        };
        match self.way_on() {
            Some(way_on) => format!("{message}\n{way_on}"),
            None => message,
        }
    }

    fn way_on(&self) -> Option<&'static str> {
        match self {
            Self::Error(Error::Io { .. } | Error::Command { .. }) => {
                Some("This may be temporary: try once more, then go on without it and say so.")
            }
            Self::Error(Error::Findings { .. } | Error::NoWorkspace { .. }) => {
                Some("The user must change files first: do not try again, and say so.")
            }
            Self::Panic => Some("Do not repeat the same call."),
            Self::Error(_) | Self::Cancelled | Self::UnknownCaller => None,
        }
    }
}

impl From<CallFailure> for ErrorData {
    fn from(failure: CallFailure) -> Self {
        use Error::{Budget, Unknown, Usage};
        let code = match &failure {
            CallFailure::Error(Unknown { what: "resource", .. }) => ErrorCode::RESOURCE_NOT_FOUND,
            CallFailure::Error(Unknown { .. } | Usage { .. } | Budget { .. }) => {
                ErrorCode::INVALID_PARAMS
            }
            _ => ErrorCode::INTERNAL_ERROR,
        };
        Self::new(code, failure.text(), None)
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_FAILURE_CHARS) {
        Some((end, _)) => format!("{} …", answer::escape_context_tags(&text[..end])),
        None => answer::escape_context_tags(text),
    }
}

const MAX_FAILURE_CHARS: usize = 2_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_whether_to_try_again() {
        let text = |error: Error| CallFailure::Error(error).text();
        let source = std::io::Error::other("busy");
        let io = text(Error::Io { action: "read", path: "a".into(), source });
        assert!(io.ends_with("try once more, then go on without it and say so."), "{io}");
        let (places, help) = (String::new(), Some("see them".to_owned()));
        let findings = text(Error::Findings { found: Vec::new(), places, help });
        assert!(findings.ends_with(
            "see them\nThe user must change files first: do not try again, and say so."
        ));
        let unknown = text(Error::unknown("role", "clrk", ["clerk"]));
        assert!(unknown.ends_with("did you mean `clerk`?"), "{unknown}");
        assert!(CallFailure::Panic.text().ends_with("Do not repeat the same call."));
    }
}
