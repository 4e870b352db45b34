//! Commands in the audit log (`audit.command_line`).

use std::time::Duration;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use faber_core::config::AuditConfig;
use faber_core::error::{Error, reason};
use faber_output::streams::Streams;
use faber_session::audit::kind::COMMAND;
use faber_session::audit::{self, AnswerTrace, AuditEntry, CallOutcome};
use faber_session::discover::audit::Log;
use faber_session::session::Session;
use faber_session::settings::Settings;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CommandCall {
    pub(crate) arguments: Value,
    pub(crate) trace: AnswerTrace,
}

impl CommandCall {
    pub(crate) fn new<const N: usize>(arguments: [(&str, Value); N], trace: AnswerTrace) -> Self {
        Self { arguments: audit::arguments(arguments), trace }
    }
}

pub(crate) fn is_wanted(config: AuditConfig) -> bool {
    config.enabled && config.command_line
}

pub(crate) struct RunningCommand {
    name: &'static str,
    begun: Duration,
}

impl RunningCommand {
    pub(crate) fn begin(name: &'static str, settings: &Settings) -> Self {
        Self { name, begun: (settings.clocks.elapsed)() }
    }

    pub(crate) fn log(
        self,
        session: &Session,
        config: AuditConfig,
        streams: &mut Streams<'_>,
        call: impl FnOnce() -> CommandCall,
    ) {
        if is_wanted(config) {
            self.append(session, config, streams, (call(), CallOutcome::Answered));
        }
    }

    pub(crate) fn log_failure(self, error: &Error, streams: &mut Streams<'_>) {
        let Ok(session) = Session::open(streams.settings) else { return };
        let config = session.workspace().config.audit;
        if is_wanted(config) {
            let call = CommandCall::new([], AnswerTrace::default());
            let outcome = CallOutcome::Failed(error.code().map(|code| code.to_string()));
            self.append(&session, config, streams, (call, outcome));
        }
    }

    fn append(
        self,
        session: &Session,
        config: AuditConfig,
        streams: &mut Streams<'_>,
        (call, outcome): (CommandCall, CallOutcome),
    ) {
        let settings = session.settings();
        let write = || {
            let entry = AuditEntry {
                session: audit::session_id()?,
                tool: format!("{COMMAND}{}", self.name),
                arguments: call.arguments,
                outcome,
                ..call.trace.into_entry(settings, self.begun)
            };
            Log::open(session.root(), config.limits)?.append(&entry)
        };
        if let Err(error) = write() {
            streams.note(&format!("this command is not logged: {}\n", reason(&error)));
        }
    }
}
