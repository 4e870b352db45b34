//! Commands in the audit log (`audit.command_line`).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use faber_core::config::audit::AuditConfig;
use faber_core::error::reason;
use faber_output::streams::Streams;
use faber_session::audit::kind::COMMAND;
use faber_session::audit::{self, AnswerTrace, AuditEntry};
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
        if !is_wanted(config) {
            return;
        }
        if let Err(error) = self.append(session, config, call()) {
            streams.note(&format!("this command is not logged: {}\n", reason(&error)));
        }
    }

    fn append(
        self,
        session: &Session,
        config: AuditConfig,
        call: CommandCall,
    ) -> std::io::Result<()> {
        let settings = session.settings();
        let entry = AuditEntry {
            session: audit::session_id()?,
            tool: format!("{COMMAND}{}", self.name),
            arguments: call.arguments,
            ..call.trace.into_entry(settings, self.begun)
        };
        Log::open(session.root(), config.limits)?.append(&entry)
    }
}
