use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;

use faber_core::assemble::Job;
use faber_core::budget::level::Level;
use faber_core::error::Error;
use faber_core::resolve::view::Principal;
use faber_core::source::{Span, Spanned};
use faber_session::job;
use faber_session::session::{Assembled, Session};
use faber_session::settings::Settings;
use faber_tools::hook::event::EventKind;

#[derive(Clone, Debug)]
pub struct Case {
    pub name: Spanned<String>,
    pub path: Utf8PathBuf,
    pub setup: Setup,
    pub expected: Vec<Expected>,
    pub within: Option<Span>,
    pub fails: Option<Spanned<Failing>>,
    pub snapshot: Option<Spanned<SnapshotName>>,
    pub turns: Vec<CaseTurn>,
    pub answer: Vec<String>,
    pub answer_contains: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct CaseTurn {
    pub span: Span,
    pub kind: EventKind,
    pub prompt: String,
    pub error: String,
    pub files: Vec<String>,
    pub expected: Vec<Expected>,
}

#[derive(Clone, Debug, Default)]
pub struct Setup {
    pub job: Job,
    pub team: Option<String>,
    pub workflow: Option<String>,
    pub environment: Option<String>,
    pub principal: Option<Principal>,
    pub date: Option<Date>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    pub what: Expectation,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    Selected(String),
    NotSelected(String),
    Catalogued(String),
    Level(String, Level),
    Full(String),
    Relevance(String, f64),
    MoreRelevant(String, String),
    Before(String, String),
    MaxTokens(u64),
    Contains(String),
    NotContains(String),
    Nothing,
}

impl Expectation {
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::Selected(_) => "selected",
            Self::NotSelected(_) => "not_selected",
            Self::Catalogued(_) => "catalogued",
            Self::Level(..) => "levels",
            Self::Full(_) => "full",
            Self::Relevance(..) | Self::MoreRelevant(..) => "relevance",
            Self::Before(..) => "order",
            Self::MaxTokens(_) => "max_tokens",
            Self::Contains(_) => "contains",
            Self::NotContains(_) => "not_contains",
            Self::Nothing => "nothing",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    Budget,
    Findings,
    Unknown,
    Usage,
    Status(u8),
}

impl Failing {
    pub(crate) const ALL: [(&'static str, Self); 6] = [
        ("budget", Self::Budget),
        ("findings", Self::Findings),
        ("unknown", Self::Unknown),
        ("usage", Self::Usage),
        ("2", Self::Status(2)),
        ("3", Self::Status(3)),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, failing)| *failing == self).map_or("", |(name, _)| name)
    }

    pub(crate) fn is(self, error: &Error) -> bool {
        match self {
            Self::Budget => matches!(error, Error::Budget { .. }),
            Self::Findings => matches!(error, Error::Findings { .. }),
            Self::Unknown => matches!(error, Error::Unknown { .. }),
            Self::Usage => matches!(error, Error::Usage { .. }),
            Self::Status(status) => error.exit_code() == status,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotName {
    OfCase,
    Named(String),
}

impl Setup {
    fn settings(&self, settings: &Settings, root: &Utf8Path) -> Settings {
        let mut settings = settings.without_user();
        settings.no_user = false;
        root.clone_into(&mut settings.cwd);
        settings.today = self.date.unwrap_or(settings.today);
        settings.principal.clone_from(&self.principal);
        let set = [
            ("settings.team", &self.team, "team"),
            ("settings.workflow", &self.workflow, "workflow"),
            ("settings.environment", &self.environment, "environment"),
        ];
        let set = set
            .into_iter()
            .filter_map(|(key, value, name)| Some((key, value.clone()?, name.to_owned())));
        settings.overrides = set.collect();
        settings
    }

    pub(crate) fn session(&self, session: &Session) -> Session {
        session.with_settings(self.settings(session.settings(), session.root()))
    }

    pub(crate) fn assemble(&self, session: &Session, trace: bool) -> Assembled {
        let session = self.session(session);
        let mut job = self.job.clone();
        job.trace = trace;
        job.request.files =
            job::named_files(&job.request.files, &session.workspace(), session.settings());
        session.assemble_job(job)
    }
}
