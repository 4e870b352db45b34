use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::civil::Date;
use serde_json::Value;

use crate::locked;
use crate::serve::answer::{self, ToolAnswer};
use crate::serve::record::{Call, CallRecorder, Traceable};
use faber_core::config::Freshness;
use faber_core::error::Error;
use faber_core::resolve::view::Principal;
use faber_core::workspace::Viewer;
use faber_output::streams::Streams;
use faber_session::discover::snapshot::{Recorder, Revalidation, Snapshot};
use faber_session::session::{Session, SessionOptions};
use faber_session::settings::Settings;
use faber_tools::publish::gather;
use faber_tools::publish::render::{self, RenderOptions};
use faber_tools::publish::skill::Skill;
use faber_tools::search::answer::{self as search, Lookup};
use faber_tools::search::index::SearchIndex;
use faber_tools::search::scope::{Scope, Scopes};
use faber_tools::search::view::IndexRequest;

/// Between checks without events, which can be lost.
const SWEEP: Duration = Duration::from_secs(2);
const MAX_LIBRARIES: usize = 8;

const STORE_AWAY: &str =
    "The shared store is not available; this answer is from the workspace alone.";

const ALL_SCOPES: &str = "omit `scope` to search all allowed scopes";
const NEEDED: [&str; 2] = ["name a `role`, or look in `space`, which has all roles", ALL_SCOPES];

type LibraryKey = (Option<String>, Date);

pub type ChangeHints = Arc<dyn Fn() -> u64 + Send + Sync>;

#[derive(Clone, Copy, Debug)]
pub struct SharedCall<'a> {
    pub session: &'a Session,
    pub role: Option<&'a str>,
    pub scope: Scope,
    pub lookup: Lookup<'a>,
}

/// The inner error: the store is unavailable.
pub type SharedStore =
    Arc<dyn Fn(&SharedCall<'_>) -> Result<Result<SearchIndex, String>, Error> + Send + Sync>;

pub struct ServerState {
    start: Start,
    scopes: Option<Scopes>,
    libraries: Mutex<BTreeMap<LibraryKey, ReadIndex<SearchIndex>>>,
    skills: Mutex<Option<(Date, ReadIndex<Vec<Skill>>)>>,
}

#[derive(Clone)]
pub struct Start {
    pub session: Session,
    pub platform: Option<String>,
    pub role: Option<String>,
    /// Empty allows all.
    pub scopes: Vec<Scope>,
    pub allow_write: bool,
    pub hints: ChangeHints,
    pub recorder: Arc<CallRecorder>,
    pub shared: Option<SharedStore>,
}

struct ReadIndex<T> {
    value: Arc<T>,
    snapshot: Option<Snapshot<'static>>,
    hints: u64,
    compared: Duration,
}

impl ServerState {
    pub fn new(start: Start) -> Self {
        let scopes = (!start.scopes.is_empty()).then(|| Scopes::of(start.scopes.iter().copied()));
        Self { start, scopes, libraries: Mutex::default(), skills: Mutex::default() }
    }

    pub(crate) fn of_principal(&self, principal: Principal) -> Self {
        let session = &self.start.session;
        let settings = Settings { principal: Some(principal), ..session.settings().clone() };
        Self::new(Start { session: session.with_settings(settings), ..self.start.clone() })
    }

    pub(crate) fn session(&self) -> Result<Session, Error> {
        let mut options = SessionOptions::from(self.start.session.settings());
        options.caches = Some(Arc::clone(self.start.session.caches()));
        let settings = &mut options.settings;
        if !settings.date_is_given {
            settings.today = (settings.clocks.now)().date();
        }
        let start = settings.start.clone();
        let session = Session::open(options)?;
        if session.root() != self.start.session.root() {
            return Err(Error::NoWorkspace { start });
        }
        Ok(session)
    }

    pub(crate) fn allows_insecure(&self) -> bool {
        self.start.session.settings().allow_insecure
    }

    pub fn allows(&self, scope: Scope) -> bool {
        self.scopes.is_none_or(|allowed| allowed.meet(Scopes::of([scope])))
    }

    pub(crate) fn allows_write(&self) -> bool {
        self.start.allow_write
    }

    pub(crate) fn hints(&self) -> u64 {
        (self.start.hints)()
    }

    pub(crate) fn recorded<T: Traceable>(
        &self,
        call: Call,
        answer: impl FnOnce(&Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.start.recorder.recorded(call, self.start.session.settings(), || answer(self))
    }

    pub(crate) fn role_or(&self, named: Option<&String>) -> Option<String> {
        named.or(self.start.role.as_ref()).cloned()
    }

    pub fn platform(&self) -> Option<String> {
        self.start.platform.clone()
    }

    pub(crate) fn gives_prompts(&self) -> bool {
        let needed = [Scope::Organization, Scope::Team, Scope::Space, Scope::Area];
        self.scopes.is_none_or(|allowed| needed.iter().all(|one| allowed.meet(Scopes::of([*one]))))
    }

    /// # Errors
    ///
    /// If the scope is not allowed or has no role or team; of opening and of `answer`.
    pub fn ask<T>(
        &self,
        role: Option<&String>,
        scope: Scope,
        answer: impl Fn(&SearchIndex) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if scope != Scope::All && !self.allows(scope) {
            let message = format!("the scope `{}` is not allowed for this client", scope.name());
            return Err(Error::usage(message, ALL_SCOPES));
        }
        let request = self.request(role);
        let open = |again| self.library(&request, again);
        let answered = search::answer_from(open, |library| {
            library.check_scope(scope, NEEDED)?;
            library.check_visible(scope, ALL_SCOPES)?;
            answer(library)
        });
        answered.map_err(for_clients)
    }

    pub(crate) fn library_of(&self, role: Option<&String>) -> Result<Arc<SearchIndex>, Error> {
        self.library(&self.request(role), false)
    }

    fn request(&self, role: Option<&String>) -> IndexRequest {
        IndexRequest {
            role: self.role_or(role),
            platform: self.start.platform.clone(),
            scopes: self.scopes,
        }
    }

    pub(crate) fn ask_shared(
        &self,
        lookup: Lookup<'_>,
        role: Option<&String>,
        scope: Scope,
        answer: impl Fn(&SearchIndex) -> Result<ToolAnswer, Error>,
    ) -> Result<ToolAnswer, Error> {
        let Some(shared) = &self.start.shared else { return self.ask(role, scope, answer) };
        let session = self.session()?;
        let named = self.role_or(role);
        let call = SharedCall { session: &session, role: named.as_deref(), scope, lookup };
        if let Ok(library) = shared(&call)? {
            library.check_scope(scope, NEEDED)?;
            return answer(&library).map_err(for_clients);
        }
        let mut local = self.ask(role, scope, answer).map_err(while_away)?;
        local.text = format!("{STORE_AWAY}\n\n{}", local.text);
        if let Value::Object(data) = &mut local.data {
            data.insert("store_away".to_owned(), STORE_AWAY.into());
        }
        Ok(local)
    }

    fn library(&self, request: &IndexRequest, again: bool) -> Result<Arc<SearchIndex>, Error> {
        let session = self.session()?;
        let settings = session.settings();
        let key = (request.role.clone(), settings.today);
        // Prevents concurrent opening of an index.
        let mut libraries = locked(&self.libraries);
        // First, so that the next call sees later changes.
        let (hints, now) = ((self.start.hints)(), (settings.clocks.elapsed)());
        if let Some(cached) = libraries.get_mut(&key).filter(|_| !again)
            && cached.is_current(hints, now, settings)
        {
            return Ok(Arc::clone(&cached.value));
        }
        libraries.remove(&key);
        let (mut out, mut err) = (std::io::sink(), Vec::new());
        let mut streams =
            Streams { out: &mut out, err: &mut err, input: &mut std::io::empty(), settings };
        let library = SearchIndex::open(&session, request, Some(Freshness::Auto), &mut streams)
            .map_err(|error| answer::explained(error, &err))?;
        let snapshot = library.snapshot.clone();
        let library = Arc::new(library);
        if libraries.len() >= MAX_LIBRARIES {
            let oldest = libraries.iter().min_by_key(|(_, cached)| cached.compared);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|key| libraries.remove(&key));
        }
        let cached = ReadIndex { value: Arc::clone(&library), snapshot, hints, compared: now };
        libraries.insert(key, cached);
        Ok(library)
    }

    /// Without those that no client could load.
    pub(crate) fn skills(&self) -> Result<Arc<Vec<Skill>>, Error> {
        let session = self.session()?;
        let settings = session.settings();
        let mut skills = locked(&self.skills);
        let (hints, now) = ((self.start.hints)(), (settings.clocks.elapsed)());
        if let Some((date, cached)) = &mut *skills
            && *date == settings.today
            && cached.is_current(hints, now, settings)
        {
            return Ok(Arc::clone(&cached.value));
        }
        *skills = None;
        let seen: BTreeSet<String> = self.ask(None, Scope::All, |library| {
            let items = &library.view.items;
            let contexts = (0..items.count()).filter(|at| items.facets(*at).category.is_some());
            Ok(contexts.map(|at| items.get(at).id).collect())
        })?;
        let has_prompts = self.gives_prompts();
        let wanted =
            |id: &str| if id.starts_with("role/") { has_prompts } else { seen.contains(id) };
        let recorder = Recorder::recording();
        let mut workspace = session.recorded_in(recorder.clone()).workspace();
        let viewer = Viewer::new(self.start.role.clone(), self.start.platform.clone());
        let mut found = Vec::new();
        let views = gather::gather(&mut workspace, &viewer, &wanted, &mut found)?;
        let options = RenderOptions { neutralize: !self.allows_insecure() };
        let mut all = render::skills(&workspace, &views, options, &mut found);
        all.retain(|skill| skill.excess().is_none());
        let value = Arc::new(all);
        let snapshot = recorder.stable_snapshot(&settings.vars);
        let cached = ReadIndex { value: Arc::clone(&value), snapshot, hints, compared: now };
        *skills = Some((settings.today, cached));
        Ok(value)
    }
}

fn while_away(error: Error) -> Error {
    match error {
        Error::Unknown { what, name, help } => {
            Error::Unknown { what, name, help: format!("{help}\n{STORE_AWAY}") }
        }
        other => other,
    }
}

fn for_clients(error: Error) -> Error {
    match error {
        Error::Unknown { what: "id", name, help } if !help.starts_with("did you mean") => {
            let help = "search_context and list_contexts return ids".to_owned();
            Error::Unknown { what: "id", name, help }
        }
        other => other,
    }
}

impl<T> ReadIndex<T> {
    fn is_current(&mut self, hints: u64, now: Duration, settings: &Settings) -> bool {
        if self.hints == hints && now.saturating_sub(self.compared) < SWEEP {
            return true;
        }
        let Some(snapshot) = &self.snapshot else { return false };
        match snapshot.revalidate(&settings.vars, Freshness::Auto) {
            Revalidation::Same => {}
            Revalidation::Touched(now) => self.snapshot = Some(now),
            Revalidation::Changed => return false,
        }
        self.hints = hints;
        self.compared = now;
        true
    }
}
