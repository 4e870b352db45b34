//! Addresses of stores, and search indexes from them.

use std::sync::{Mutex, PoisonError};

use crate::cli::args::{LookupArgs, SharedArgs};
use faber_core::error::Error;
use faber_output::streams::Streams;
use faber_server::serve::state::SharedCall;
use faber_session::discover::root;
use faber_session::session::Session;
use faber_store::{
    Requester, SpaceName, Store, StoreAddress, StoreAnswer, StoreError, StoreQuestion,
};
use faber_tools::search::answer::{Lookup, weights};
use faber_tools::search::index::SearchIndex;
use faber_tools::search::view::SearchView;

const VARIABLE: &str = "FABER_STORE_URL";
/// libpq variables that imply a server.
const LIBPQ: [&str; 2] = ["PGHOST", "PGDATABASE"];
const MAX_IDLE: usize = 8;

pub(crate) fn address(given: Option<&str>, session: &Session) -> Result<StoreAddress, Error> {
    let var = |name: &str| session.settings().var(name).map(str::to_owned);
    let given = given.filter(|text| !text.is_empty()).map(str::to_owned);
    check(given.as_deref())?;
    let configured = || session.workspace().config.store.url.map(|url| url.value);
    let libpq = || LIBPQ.iter().find_map(|name| var(name)).map(|_| "postgres://".to_owned());
    let found = given.or_else(|| var(VARIABLE)).or_else(configured).or_else(libpq);
    let Some(text) = found else {
        return Err(Error::usage(
            "no store configured",
            "add `--store postgres://USER@HOST/DATABASE`, or set `store.url` in your own configuration",
        ));
    };
    Ok(StoreAddress::parse(&text, &session.settings().vars)?)
}

fn check(given: Option<&str>) -> Result<(), Error> {
    let Some(text) = given.filter(|text| !(text.is_empty() || StoreAddress::is_address(text)))
    else {
        return Ok(());
    };
    // Other text may contain a password.
    let is_word = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let what =
        if is_word { format!("`--store {text}`") } else { "the value of `--store`".to_owned() };
    Err(Error::usage(
        format!("{what} is not the address of a store"),
        "write `--store postgres://USER@HOST/DATABASE`, or put `--store` last",
    ))
}

/// Needs no workspace if a store answers.
pub(crate) fn session(place: &LookupArgs, streams: &Streams<'_>) -> Result<Session, Error> {
    check(place.shared.store.as_deref())?;
    match place.shared.store {
        Some(_) => Session::open_or_empty(streams.settings),
        None => Session::open(streams.settings),
    }
}

pub struct SharedIndex {
    pub index: SearchIndex,
    pub notes: Vec<String>,
}

pub struct StorePool {
    pub(crate) address: StoreAddress,
    spaces: Vec<SpaceName>,
    idle: Mutex<Vec<Store>>,
}

impl StorePool {
    /// # Errors
    ///
    /// [`Error::Usage`] for an invalid address or space.
    pub fn new(args: &SharedArgs, session: &Session) -> Result<Option<Self>, Error> {
        if args.store.is_none() {
            return Ok(None);
        }
        let address = address(args.store.as_deref(), session)?;
        let spaces = args.space.iter().map(|name| SpaceName::parse(name));
        let spaces = spaces.collect::<Result<_, _>>()?;
        Ok(Some(Self { address, spaces, idle: Mutex::default() }))
    }

    /// # Errors
    ///
    /// [`Error::Usage`] if the store refuses or is unusable.
    pub fn index(&self, call: &SharedCall<'_>) -> Result<Result<SharedIndex, String>, Error> {
        let session = call.session;
        let workspace = session.workspace();
        let config = &workspace.config;
        let configured = config.settings.role.as_ref().map(|role| role.value.as_str());
        let asker = Requester {
            principal: &workspace.principal(),
            spaces: &self.spaces,
            today: session.settings().today,
            role: call.role.or(configured),
            scope: call.scope,
            category: None,
        };
        let result = match call.lookup {
            Lookup::Question { text, mode, category } => {
                let weights = weights(&config.search, mode.unwrap_or(config.search.mode));
                let wanted = StoreQuestion::Question { text, weights };
                self.ask(&Requester { category, ..asker }, wanted)
            }
            Lookup::Ids(ids) => self.ask(&asker, StoreQuestion::Ids(ids)),
            Lookup::All => self.ask(&asker, StoreQuestion::All),
        };
        let answer = match result {
            Ok(answer) => answer,
            Err(StoreError::Unavailable(why)) => {
                return Ok(Err(format!("{}: {why}", self.address.shown())));
            }
            Err(error) => return Err(error.into()),
        };
        // A token's groups decide its teams, not the workspace.
        let teams = if workspace.principal().is_proven() { Vec::new() } else { workspace.teams() };
        let team = (!teams.is_empty()).then(|| teams.join(", "));
        let view = SearchView::of_config(config, answer.role, team, answer.roles);
        let library = answer.candidates.into_index(session, view);
        let damaged =
            |_| Error::usage("the items of the store are inconsistent", "push the space again");
        Ok(Ok(SharedIndex { index: library.map_err(damaged)?, notes: answer.notes }))
    }

    fn ask(
        &self,
        asker: &Requester<'_>,
        wanted: StoreQuestion<'_>,
    ) -> Result<StoreAnswer, StoreError> {
        let lock = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = lock().pop().filter(|store| !store.is_closed());
        let mut store = match idle {
            Some(store) => store,
            None => Store::connect(&self.address)?,
        };
        let mut answer = store.ask(asker.clone(), wanted);
        if store.is_closed() {
            // The server restarted while it was idle.
            store = Store::connect(&self.address)?;
            answer = store.ask(asker.clone(), wanted);
        }
        let mut idle = lock();
        if answer.is_ok() && idle.len() < MAX_IDLE {
            idle.push(store);
        }
        answer
    }
}

pub(crate) fn index(
    place: &LookupArgs,
    session: &Session,
    lookup: Lookup<'_>,
    streams: &mut Streams<'_>,
) -> Result<Option<Result<SearchIndex, String>>, Error> {
    let Some(store) = StorePool::new(&place.shared, session)? else { return Ok(None) };
    let call = SharedCall { session, role: place.role.as_deref(), scope: place.scope, lookup };
    match store.index(&call)? {
        Ok(SharedIndex { index: library, notes }) => {
            for note in notes {
                streams.note(&format!("{note}\n"));
            }
            Ok(Some(Ok(library)))
        }
        Err(why) if root::find(session.root()).is_ok() => {
            streams.note(&format!(
                "warning: the store is not available ({why}); answered from this workspace\n"
            ));
            Ok(Some(Err(why)))
        }
        Err(why) => Err(StoreError::Unavailable(why).into()),
    }
}
