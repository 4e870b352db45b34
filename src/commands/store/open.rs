//! The address of a store, and indexes of what it has for an answer.

use crate::cli::args::{LookupArgs, SharedArgs};
use crate::commands::search::Lookup;
use faber_core::error::Error;
use faber_output::streams::Streams;
use faber_session::discover::root;
use faber_session::session::Session;
use faber_store::{Asker, SpaceName, Store, StoreAddress, StoreAnswer, StoreError, Wanted};
use faber_tools::search::answer::weights;
use faber_tools::search::library::SearchIndex;
use faber_tools::search::view::SearchView;

/// The variable that has the address.
const VARIABLE: &str = "FABER_STORE_URL";
/// Variables of libpq that say that there is a server.
const LIBPQ: [&str; 2] = ["PGHOST", "PGDATABASE"];

/// The address of the store: the given one, else that of the environment, else that of the user's own
/// configuration, else libpq's variables.
///
/// # Errors
///
/// [`Error::Usage`] when there is none, or it cannot be read.
pub fn address(given: Option<&str>, session: &Session) -> Result<StoreAddress, Error> {
    let vars = &session.settings().vars;
    let var = |name: &str| {
        let found = vars.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.clone())
    };
    let given = given.filter(|text| !text.is_empty()).map(str::to_owned);
    if let Some(text) = given.as_deref().filter(|text| !StoreAddress::is_address(text)) {
        return Err(Error::usage(
            format!("`--store {text}` is not the address of a store"),
            "write `--store postgres://USER@HOST/DATABASE`, or put `--store` last",
        ));
    }
    let configured = || session.workspace().config.store_url.map(|url| url.value);
    let libpq = || LIBPQ.iter().find_map(|name| var(name)).map(|_| "postgres://".to_owned());
    let found = given.or_else(|| var(VARIABLE)).or_else(configured).or_else(libpq);
    let Some(text) = found else {
        return Err(Error::usage(
            "no store is named",
            "add `--store postgres://USER@HOST/DATABASE`, or set `store.url` in your own configuration",
        ));
    };
    Ok(StoreAddress::parse(&text, vars)?)
}

/// The session of a command that may be answered by a store, which needs no workspace.
///
/// # Errors
///
/// As [`Session::open`].
pub fn session(place: &LookupArgs, streams: &Streams<'_>) -> Result<Session, Error> {
    match place.shared.store {
        Some(_) => Session::open_or_empty(streams.settings),
        None => Session::open(streams.settings),
    }
}

/// The index of what the store has; if it is away, why. Says what else the user has to know.
///
/// # Errors
///
/// [`Error::Usage`] if the store refuses or cannot be used, or if it is away and there is no workspace.
pub fn index(
    place: &LookupArgs,
    session: &Session,
    lookup: Lookup<'_>,
    streams: &mut Streams<'_>,
) -> Result<Result<SearchIndex, String>, Error> {
    let SharedArgs { store, space } = &place.shared;
    let address = address(store.as_deref(), session)?;
    let spaces: Vec<SpaceName> =
        space.iter().map(|name| SpaceName::parse(name)).collect::<Result<_, _>>()?;
    match ask(&address, place, session, (lookup, &spaces)) {
        Ok((answer, view)) => {
            for note in &answer.notes {
                streams.note(&format!("{note}\n"));
            }
            let damaged =
                |_| Error::usage("the store's items do not fit together", "push them again");
            answer.candidates.into_index(session, view).map(Ok).map_err(damaged)
        }
        Err(StoreError::Away(why)) if session.root().join(root::MARKER).is_dir() => {
            let why = format!("{}: {why}", address.shown());
            streams.note(&format!("the store is away ({why}); answered from this workspace\n"));
            Ok(Err(why))
        }
        Err(error) => Err(error.into()),
    }
}

fn ask(
    address: &StoreAddress,
    place: &LookupArgs,
    session: &Session,
    (lookup, spaces): (Lookup<'_>, &[SpaceName]),
) -> Result<(StoreAnswer, SearchView), StoreError> {
    let workspace = session.workspace();
    let config = &workspace.config;
    let configured = config.settings.role.as_ref().map(|role| role.value.as_str());
    let asker = Asker {
        principal: &workspace.principal(),
        spaces,
        today: session.settings().today,
        role: place.role.as_deref().or(configured),
        scope: place.scope,
        category: None,
    };
    let mut store = Store::connect(address)?;
    let answer = match lookup {
        Lookup::Question { text, mode, category } => {
            let weights = weights(&config.search, mode.unwrap_or(config.search.mode));
            store.ask(Asker { category, ..asker }, Wanted::Question { text, weights })?
        }
        Lookup::Id(id) => store.ask(asker, Wanted::Id(id))?,
        Lookup::All => store.ask(asker, Wanted::All)?,
    };
    let team = config.settings.team.as_ref().map(|team| team.value.clone());
    let view = SearchView::of_config(config, answer.role.clone(), team, answer.roles.clone());
    Ok((answer, view))
}
