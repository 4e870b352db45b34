use rmcp::model::{ListResourcesResult, Resource};

use crate::serve::address::{decoded, encoded};
use crate::serve::answer::{self, SourceLabel, TextAnswer};
use crate::serve::state::ServerState;
use faber_core::error::Error;
use faber_core::security::redact;
use faber_core::tokens;
use faber_session::audit::AnswerTrace;
use faber_tools::query::expand::{self, ExpandRequest, Include, IndexTexts};
use faber_tools::search::answer as search;
use faber_tools::search::index::SearchIndex;
use faber_tools::search::scope::Scope;

pub(crate) const PREFIX: &str = "faber://context/";
pub const TEMPLATE: &str = "faber://context/{+id}";
pub(crate) const MIME_TYPE: &str = "text/markdown";
const PAGE: usize = 100;

/// # Errors
///
/// Of opening the library.
pub fn list(state: &ServerState, start: usize) -> Result<ListResourcesResult, Error> {
    state.ask(None, Scope::All, |library| {
        let items = &library.view.items;
        let mut all = contexts(library).skip(start);
        let texts = IndexTexts { index: library };
        let page: Vec<Resource> = all
            .by_ref()
            .take(PAGE)
            .map(|at| {
                let item = items.get(at);
                Resource::new(format!("{PREFIX}{}", encoded(&item.id)), &item.id)
                    .with_title(answer::line(&answer::short(&item.title)))
                    .with_description(answer::line(&texts.preview(&item)))
                    .with_mime_type(MIME_TYPE)
                    .with_size(u64::from(items.facets(at).bytes))
            })
            .collect();
        let next_cursor = all.next().map(|_| (start + page.len()).to_string());
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(page) })
    })
}

pub(crate) fn names(state: &ServerState) -> Result<Vec<(String, String)>, Error> {
    state.ask(None, Scope::All, |library| {
        let items = contexts(library).map(|at| library.view.items.get(at));
        Ok(items.map(|item| (item.id, item.title)).collect())
    })
}

fn contexts(library: &SearchIndex) -> impl Iterator<Item = usize> {
    let items = &library.view.items;
    let wanted = search::wanted(library, None, Scope::All);
    (0..items.count()).filter(move |at| items.facets(*at).category.is_some() && wanted(at))
}

/// # Errors
///
/// If missing or hidden; and of opening the library.
pub fn read(state: &ServerState, uri: &str) -> Result<TextAnswer, Error> {
    let unknown = || Error::Unknown {
        what: "resource",
        name: uri.to_owned(),
        help: "list the resources, or call `list_contexts`".to_owned(),
    };
    let id = uri.strip_prefix(PREFIX).and_then(decoded).ok_or_else(unknown)?;
    state.ask(None, Scope::All, |library| {
        let items = &library.view.items;
        let is_context = items.find(&id).is_some_and(|at| items.facets(at).category.is_some());
        if !is_context {
            return Err(unknown());
        }
        let expand = ExpandRequest {
            id: id.clone(),
            scope: Scope::All,
            include: vec![Include::Detail],
            max_tokens: None,
        };
        let data = expand::data(library, &expand)?;
        let content = data.content.unwrap_or_default();
        let label = SourceLabel::new(&id, data.source.layer, &content);
        let label = label.from_file(&data.source.files);
        let text = label.wrap(&[("title", data.source.title)], &content);
        let text =
            if state.allows_insecure() { text } else { redact::neutralized(&text).into_owned() };
        let mut trace = AnswerTrace::of_tokens(tokens::estimate(text.len()));
        trace.add(&id, &label.content_hash, false);
        Ok(TextAnswer { text, trace })
    })
}
