//! `faber catalog`.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{CatalogArgs, DataFormat};
use crate::commands::command_log::{self, CommandCall, RunningCommand};
use crate::commands::search;
use faber_core::category::Category;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::render::block::text_of;
use faber_core::render::catalog::{self, ContextCounts, Overview, Scope};
use faber_core::render::style::Style;
use faber_core::render::topics::Topics;
use faber_core::resolve::catalog::content_hash;
use faber_core::tokens::Counter;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table;
use faber_session::audit::AnswerTrace;
use faber_tools::query::expand::IndexTexts;
use faber_tools::search::answer::Lookup;
use faber_tools::search::index::SearchIndex;
use faber_tools::search::item::SearchItem;
use faber_tools::search::roles::{self, RoleSummary};
use faber_tools::search::scope;

const MAX_ROLES: usize = 20;
const HOW: &str =
    "`faber search WORDS` searches all contexts and reference files, `faber expand ID` prints one.";

/// `faber catalog --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CatalogData {
    /// `faber.catalog/1`.
    pub schema: &'static str,
    /// Every scope that has a context.
    pub scopes: Vec<ScopeData>,
    /// The other roles.
    pub roles: Vec<RoleSummary>,
    /// The number of entries of the history.
    pub history: usize,
    /// The entries of the history, in the scope `historical`, up to the token limit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub historical: Vec<EntryData>,
    /// The tokens of the catalog as text.
    pub tokens: usize,
    /// Why the answer is from the workspace instead of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_away: Option<String>,
}

/// A scope.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScopeData {
    /// Which one.
    pub scope: Scope,
    /// The name of the role, team or organization.
    pub name: Option<String>,
    /// The number of contexts without a `kind`, by category.
    pub counts: BTreeMap<Category, usize>,
    /// The number of contexts, by `kind`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<String, usize>,
    /// The contexts that load on demand, up to the token limit.
    pub entries: Vec<EntryData>,
    /// The number of further contexts.
    pub not_listed: usize,
}

/// A context.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntryData {
    /// Its id; with `@role:NAME/` before it when it belongs to one of several roles.
    pub id: String,
    /// What it is about, in a sentence.
    pub essence: String,
    /// The tokens of its text.
    pub tokens: usize,
    /// When it loads by itself, such as `for: security, audit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triggers: Option<String>,
}

pub(crate) fn run(args: &CatalogArgs, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let mut args = args.clone();
    if args.request.as_deref() == Some("-") {
        args.request = Some(streams.read_log()?);
    }
    let args = &args;
    let session = search::session(&args.place, streams)?;
    let command = RunningCommand::begin("catalog", settings);
    let (answered, store_away) =
        search::answer(&args.place, &session, Lookup::All, streams, |library| {
            let contents = CatalogContents::new(library, args);
            let listed = contents.listed(args.max_tokens)?;
            let data = (args.format == DataFormat::Json).then(|| contents.data(&listed));
            let audit = library.view.audit;
            let trace = command_log::is_wanted(audit).then(|| contents.trace(&listed));
            Ok((audit, trace, listed.text, data))
        })?;
    let (audit, trace, text, data) = answered;
    session.caches().save();
    match data {
        Some(data) => streams.print_json(&CatalogData { store_away, ..data })?,
        None if text.is_empty() => streams.note("no contexts in this scope\n"),
        None => match settings.stdout_width {
            Some(width) => streams.print(&folded(&text, width))?,
            None => streams.print(&text)?,
        },
    }
    if let Some(trace) = trace {
        let arguments = [
            ("request", args.request.clone().into()),
            ("role", args.place.role.clone().into()),
            ("scope", args.place.scope.name().into()),
        ];
        command.log(&session, audit, streams, || CommandCall::new(arguments, trace));
    }
    Ok(ExitStatus::Done)
}

fn folded(text: &str, width: usize) -> String {
    let fold = |line: &str| {
        let indent = if line.starts_with("- ") { "\n  " } else { "\n" };
        table::fold(line, width.saturating_sub(2)).join(indent) + "\n"
    };
    text.lines().map(fold).collect()
}

struct ListedCatalog {
    text: String,
    tokens: usize,
    overviews: Vec<Overview>,
    shown: usize,
}

struct CatalogContents<'a> {
    texts: IndexTexts<'a>,
    counter: Counter,
    /// By id; the scope is `None` for the history.
    contexts: Vec<(Option<Scope>, SearchItem)>,
    entries: Vec<usize>,
    roles: Vec<RoleSummary>,
    history: usize,
}

impl<'a> CatalogContents<'a> {
    fn new(library: &'a SearchIndex, args: &CatalogArgs) -> Self {
        let items = &library.view.items;
        let has_role = library.view.role.is_some();
        let wanted = args.place.scope;
        let mut contexts = Vec::new();
        let mut docs = Vec::new();
        for at in 0..items.count() {
            let facets = items.facets(at);
            let is_listed = facets.category.is_some() || wanted == scope::Scope::Historical;
            if !is_listed || !facets.scopes.has(wanted) {
                continue;
            }
            let item = items.get(at);
            // They have a line of their own.
            if has_role && wanted == scope::Scope::All && item.id.starts_with("@role:") {
                continue;
            }
            let own = if wanted == scope::Scope::All { item.scope(has_role) } else { wanted };
            contexts.push((own.listed(), item));
            docs.push(library.doc_of(at));
        }
        let scores = scores(library, args.request.as_deref().unwrap_or_default());
        let score = |at: usize| scores.get(&docs[at]).copied().unwrap_or_default();
        let is_entry = |at: &usize| contexts[*at].0.is_none() || contexts[*at].1.on_demand;
        let on_demand = (0..contexts.len()).filter(is_entry);
        let mut entries: Vec<usize> = on_demand.collect();
        entries.sort_by(|&a, &b| {
            score(b).total_cmp(&score(a)).then_with(|| (contexts[a].0, a).cmp(&(contexts[b].0, b)))
        });
        let entries = catalog::in_turn(entries, |at| contexts[*at].0);
        let texts = IndexTexts { index: library };
        let mut roles = roles::roles(library);
        roles.retain(|role| has_role && !role.current && wanted == scope::Scope::All);
        let history =
            if wanted.includes(scope::Scope::Historical) { roles::history(library) } else { 0 };
        Self { texts, counter: library.counter(), contexts, entries, roles, history }
    }

    fn listed(&self, limit: usize) -> Result<ListedCatalog, Error> {
        let mut overviews = self.overviews();
        if self.contexts.is_empty() && self.elsewhere().is_empty() {
            return Ok(ListedCatalog { text: String::new(), tokens: 0, overviews, shown: 0 });
        }
        let listed = self.largest(&overviews, limit).or_else(|| {
            for overview in &mut overviews {
                overview.topics.clear();
            }
            self.largest(&overviews, limit)
        });
        let Some(((text, tokens), shown)) = listed else {
            let (_, needed) = self.build(&overviews, &[]);
            return Err(search::too_few_tokens(limit, needed));
        };
        Ok(ListedCatalog { text, tokens, overviews, shown })
    }

    fn largest(&self, overviews: &[Overview], limit: usize) -> Option<((String, usize), usize)> {
        let lines = self.entries.iter().map(|at| {
            let item = &self.contexts[*at].1;
            let max_chars = self.texts.index.view.previews.in_catalog(item.kind_name());
            let essence = catalog::shortened(&self.texts.essence(item), max_chars);
            let line = catalog::line(&item.id, &essence, item.triggers.as_deref());
            let tokens = self.counter.count(&format!("{line}\n"));
            (line, tokens)
        });
        catalog::largest(limit, lines, |named| {
            let (text, tokens) = self.build(overviews, named);
            Some(((text, tokens), tokens))
        })
    }

    fn build(&self, overviews: &[Overview], named: &[String]) -> (String, usize) {
        let more = self.entries.len() - named.len();
        let rest = catalog::UnlistedContexts { count: more, listed_by: None };
        let mut lines = catalog::lines(HOW, overviews, named, &rest);
        lines.splice(2..2, self.elsewhere());
        if named.is_empty() && more > 0 {
            lines.push(format!("- {more} on demand, not listed"));
        }
        let text = text_of(&Style::Markdown.catalog(lines));
        let text = text.trim_end().to_owned() + "\n";
        let tokens = self.counter.count(&text);
        (text, tokens)
    }

    fn elsewhere(&self) -> Vec<String> {
        let role = |role: &RoleSummary| format!("{} ({})", role.name, role.contexts);
        let roles: Vec<String> = self.roles.iter().take(MAX_ROLES).map(role).collect();
        let more = self.roles.len() - roles.len();
        let mut lines = Vec::new();
        if !roles.is_empty() {
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!(
                "- Other roles, with contexts of their own: {}{more}",
                roles.join(", ")
            ));
        }
        if self.history > 0 {
            let entries = if self.history == 1 { "entry" } else { "entries" };
            lines.push(format!("- History: {} {entries}", self.history));
        }
        lines.iter().map(|line| Visible(line).to_string()).collect()
    }

    fn overviews(&self) -> Vec<Overview> {
        let mut all: BTreeMap<Scope, (ContextCounts, Topics<'_>)> = BTreeMap::new();
        for (scope, item) in &self.contexts {
            let (Some(scope), Some(category)) = (scope, item.category) else { continue };
            let (counts, topics) = all.entry(*scope).or_default();
            counts.add(item.named_kind.as_deref(), category);
            let name = item.id.rsplit_once('/').map_or(item.id.as_str(), |(_, name)| name);
            topics.add(name, item.topics.iter().map(String::as_str));
        }
        let names = &self.texts.index.view.names;
        let overview = |(scope, (counts, topics)): (Scope, (_, Topics<'_>))| Overview {
            scope,
            name: names.get(&scope).cloned(),
            counts,
            topics: topics.ranked().best(&Topics::default()),
        };
        all.into_iter().map(overview).collect()
    }

    fn data(&self, listed: &ListedCatalog) -> CatalogData {
        let (shown, rest) = self.entries.split_at(listed.shown);
        let entries = |scope: Option<Scope>| {
            let own = shown.iter().filter(move |at| self.contexts[**at].0 == scope);
            own.map(|at| self.entry(*at)).collect()
        };
        let scopes = listed.overviews.iter().map(|overview| {
            let own = |at: &&usize| self.contexts[**at].0 == Some(overview.scope);
            ScopeData {
                scope: overview.scope,
                name: overview.name.clone(),
                counts: overview.counts.categories.clone(),
                kinds: overview.counts.kinds.clone(),
                entries: entries(Some(overview.scope)),
                not_listed: rest.iter().filter(own).count(),
            }
        });
        let (scopes, tokens) = (scopes.collect(), listed.tokens);
        let (roles, history) = (self.roles.clone(), self.history);
        let historical = entries(None);
        let (schema, store_away) = ("faber.catalog/1", None);
        CatalogData { schema, scopes, roles, history, historical, tokens, store_away }
    }

    fn trace(&self, listed: &ListedCatalog) -> AnswerTrace {
        let mut trace = AnswerTrace::of_tokens(listed.tokens);
        for at in &self.entries[..listed.shown] {
            let item = &self.contexts[*at].1;
            trace.add(&item.id, &content_hash(&self.texts.essence(item)), true);
        }
        trace
    }

    fn entry(&self, at: usize) -> EntryData {
        let item = &self.contexts[at].1;
        let tokens = self.counter.count(self.texts.index.whole(item).text.trim_start_matches('\n'));
        let (essence, triggers) = (self.texts.essence(item), item.triggers.clone());
        EntryData { id: item.id.clone(), essence, tokens, triggers }
    }
}

fn scores(index: &SearchIndex, request: &str) -> HashMap<usize, f64> {
    if request.trim().is_empty() {
        return HashMap::new();
    }
    let ranked = index.corpus().rank(request, index.view.search.weights);
    ranked.into_iter().map(|scored| (scored.doc, scored.relevance)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_on_a_terminal() {
        let text = "# Catalog\n\n- `a/b`: one two three\n- `c/d`: four\n";
        let expected = "# Catalog\n\n- `a/b`: one\n  two three\n- `c/d`: four\n";
        assert_eq!(folded(text, 16), expected);
        assert_eq!(folded(text, 80), text);
    }
}
