//! One case: what is asked for, and what must come of it.

use camino::Utf8PathBuf;
use jiff::civil::Date;

use faber_core::assemble::Job;
use faber_core::budget::level::Level;
use faber_core::config::Amount;
use faber_core::error::Error;
use faber_core::resolve::view::Principal;
use faber_core::select::choose::Request;
use faber_core::source::{Span, Spanned};
use faber_session::session::{Assembled, Session};
use faber_session::settings::Settings;
use faber_tools::hook::event::EventKind;

/// One case of a file.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called.
    pub name: Spanned<String>,
    /// The file, from the workspace root.
    pub path: Utf8PathBuf,
    /// What is asked for.
    pub setup: Setup,
    /// What must come of it, in the order of the file.
    pub expected: Vec<Expected>,
    /// Where `within` is, which promises that the bundle can be made within the budget.
    pub within: Option<Span>,
    /// How assembling must fail, if it must.
    pub fails: Option<Spanned<Failing>>,
    /// What the bundle is compared with.
    pub snapshot: Option<Spanned<SnapshotName>>,
    /// The prompts of a conversation, in place of one request.
    pub turns: Vec<CaseTurn>,
    /// Statements that a good answer of a model fulfils, and texts that it has, for trials.
    pub answer: Vec<String>,
    pub answer_contains: Vec<String>,
}

/// One prompt of a conversation.
#[derive(Clone, Debug)]
pub struct CaseTurn {
    pub span: Span,
    /// A prompt, except for the start of the session.
    pub kind: EventKind,
    pub prompt: String,
    pub error: String,
    /// From the workspace root.
    pub files: Vec<String>,
    pub expected: Vec<Expected>,
}

/// What a case asks for. Whatever is none is as a user without settings of their own has it.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    pub role: Option<String>,
    pub request: String,
    pub error: String,
    /// `files`, from the workspace root.
    pub files: Vec<String>,
    pub with: Vec<String>,
    pub without: Vec<String>,
    /// `task` or `flow`: the folder and the name.
    pub instruction: Option<(&'static str, String)>,
    pub platform: Option<String>,
    pub team: Option<String>,
    pub workflow: Option<String>,
    pub environment: Option<String>,
    pub principal: Option<Principal>,
    pub date: Option<Date>,
    /// `budget` or `within`.
    pub budget: Option<Amount>,
    pub model: Option<String>,
}

/// One expectation, and where it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// What must hold.
    pub what: Expectation,
    /// The bytes of its value.
    pub span: Span,
}

/// What must hold of a bundle. Contexts are named by id or, when no other has it, by bare name.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The context is in the bundle at some level.
    Selected(String),
    /// The context is not in the bundle at any level.
    NotSelected(String),
    /// The context is known to the reader and not loaded.
    Catalogued(String),
    /// The context is in the bundle at this level.
    Level(String, Level),
    /// All of the context is in the bundle.
    Full(String),
    /// The context has at least this relevance to the request and error text.
    Relevance(String, f64),
    /// The first context is more relevant to them than the second.
    MoreRelevant(String, String),
    /// The contexts are in the bundle, the first before the second.
    Before(String, String),
    /// The bundle has at most so many tokens.
    MaxTokens(u64),
    /// The bundle has this text.
    Contains(String),
    /// The bundle does not have this text.
    NotContains(String),
    /// No context is in the bundle.
    Nothing,
}

impl Expectation {
    /// The key that it is written behind.
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

/// How assembling fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// What is required does not fit.
    Budget,
    /// The workspace has errors that assembling does not go on with.
    Findings,
    /// A name that the workspace does not have.
    Unknown,
    /// The request contradicts itself or the workspace.
    Usage,
    /// Anything with this exit status.
    Status(u8),
}

impl Failing {
    /// Every way, as a case names it.
    pub(crate) const ALL: [(&'static str, Self); 6] = [
        ("budget", Self::Budget),
        ("findings", Self::Findings),
        ("unknown", Self::Unknown),
        ("usage", Self::Usage),
        ("2", Self::Status(2)),
        ("3", Self::Status(3)),
    ];

    /// As a case names it.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, failing)| *failing == self).map_or("", |(name, _)| name)
    }

    /// Whether this is how assembling failed.
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

/// Where a snapshot is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotName {
    /// Under the name of its case.
    OfCase,
    /// Under a name of its own.
    Named(String),
}

impl Setup {
    /// The settings of a run for this case. A case sees the same on every machine, so nothing of the
    /// user's own configuration and environment counts, and `CI` does not hide a user's overlay.
    fn settings(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        settings.user_config = None;
        settings.vars.retain(|(name, _)| !name.starts_with("FABER_"));
        settings.no_user = false;
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

    /// The session of the case.
    pub(crate) fn session(&self, session: &Session) -> Session {
        session.with_settings(self.settings(session.settings()))
    }

    /// Assembles what the case asks for.
    pub(crate) fn assemble(&self, session: &Session, weigh: bool) -> Assembled {
        self.session(session).assemble_job(self.job(weigh))
    }

    fn job(&self, weigh: bool) -> Job {
        let mut request = Request::new(&self.request);
        request.error.clone_from(&self.error);
        request.files.clone_from(&self.files);
        request.with.clone_from(&self.with);
        request.without.clone_from(&self.without);
        let mut job = Job::new(request);
        job.role.clone_from(&self.role);
        job.platform.clone_from(&self.platform);
        job.instruction.clone_from(&self.instruction);
        job.budget = self.budget;
        job.model.clone_from(&self.model);
        job.weigh = weigh;
        job
    }
}
