use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

use miette::Diagnostic;
use rmcp::model::{ListResourcesResult, ListSkillsResult, Skill};
use serde_json::Value;

use crate::locked;
use crate::serve::answer::{TextAnswer, ToolAnswer};
use crate::serve::skills::FileContent;
use faber_core::error::Error;
use faber_core::tokens;
use faber_session::audit::{AnswerTrace, AuditEntry, CallOutcome};
use faber_session::discover::audit::Log;
use faber_session::settings::Settings;

pub struct CallRecorder {
    log: Option<Log>,
    is_required: bool,
    err: Mutex<Option<Box<dyn Write + Send>>>,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub session: String,
    pub tool: &'static str,
    pub arguments: Value,
}

pub trait Traceable {
    fn trace(&self) -> AnswerTrace {
        AnswerTrace::default()
    }
}

impl Traceable for ListResourcesResult {}
impl Traceable for ListSkillsResult {}
impl Traceable for Skill {}
impl<T> Traceable for Vec<T> {}

impl Traceable for ToolAnswer {
    fn trace(&self) -> AnswerTrace {
        self.trace.clone()
    }
}

impl Traceable for FileContent {
    fn trace(&self) -> AnswerTrace {
        AnswerTrace::of_tokens(tokens::estimate(self.file.bytes.len()))
    }
}

impl Traceable for TextAnswer {
    fn trace(&self) -> AnswerTrace {
        self.trace.clone()
    }
}

pub(super) const LOG: &str = ".faber/state/audit.jsonl";

impl CallRecorder {
    pub fn new(log: Option<Log>, is_required: bool, err: Box<dyn Write + Send>) -> Self {
        Self { log, is_required, err: Mutex::new(Some(err)) }
    }

    fn complain(&self, source: &std::io::Error) {
        let mut err = locked(&self.err);
        if let Some(mut err) = err.take() {
            let reason = faber_core::error::reason(source);
            let _ = writeln!(err, "calls are no longer logged in `{LOG}`: {reason}");
        }
    }

    pub(crate) fn recorded<T: Traceable>(
        &self,
        call: Call,
        settings: &Settings,
        answer: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(log) = &self.log else { return answer() };
        let begun = (settings.clocks.elapsed)();
        let answered = catch_unwind(AssertUnwindSafe(answer));
        let (outcome, trace) = match &answered {
            Ok(Ok(answer)) => (CallOutcome::Answered, answer.trace()),
            Ok(Err(error)) => {
                let code = error.code().map(|code| code.to_string());
                (CallOutcome::Failed(code), AnswerTrace::default())
            }
            Err(_) => (CallOutcome::Failed(Some("panic".to_owned())), AnswerTrace::default()),
        };
        let entry = AuditEntry {
            session: call.session,
            tool: call.tool.to_owned(),
            arguments: call.arguments,
            outcome,
            ..trace.into_entry(settings, begun)
        };
        let written = log.append(&entry);
        if let Err(source) = &written {
            self.complain(source);
        }
        match (answered, written) {
            (Err(panic), _) => resume_unwind(panic),
            (Ok(_), Err(source)) if self.is_required => {
                Err(Error::Io { action: "write", path: LOG.into(), source })
            }
            (Ok(answered), _) => answered,
        }
    }
}
