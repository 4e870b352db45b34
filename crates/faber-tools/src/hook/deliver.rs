use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;

use super::event::{EventKind, HookEvent, named_files};
use super::fit::{self, HookFrame, HookLimits, HookOffer};
use super::offers::ContextOffers;
use super::{loaded, part};
use faber_core::assemble::bundle::Catalogued;
use faber_core::assemble::reader::{FollowUp, Reader, SelectionFilter};
use faber_core::assemble::{Assembly, BundlePart};
use faber_core::budget::level::Level;
use faber_core::config::hook::MAX_CHARS;
use faber_core::config::{Amount, Config};
use faber_core::context_id::ContextId;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::paths::normalize;
use faber_core::render::block::{BundleBlockKind, text_of};
use faber_core::render::style::Style;
use faber_core::resolve::catalog::content_hash;
use faber_core::resolve::view::Why;
use faber_core::rule::Group;
use faber_core::select::reason::Reason;
use faber_core::select::selection::Selected;
use faber_core::source::char_boundary;
use faber_core::tokens::{Counter, Encoding};
use faber_core::world::World;
use faber_session::caches::Caches;
use faber_session::discover::files::real_place;
use faber_session::hook::{Conversation, ConversationSubject, DeliveredText, LineRanges};
use faber_session::job::AssembleRequest;
use faber_session::session::{self, Assembled, Session, SessionOptions, Workspace};
use faber_session::settings::Settings;

const MAX_SUBJECT: usize = 4096;
const CATALOG: &str = "catalog";

#[derive(Clone, Copy, Debug)]
pub struct ClientFacts<'a> {
    pub name: &'a str,
    pub frame: usize,
    /// Counts after escaping.
    pub chars: fn(&str) -> usize,
    pub lead: &'a str,
    pub loads: &'a [&'a str],
    pub more: FollowUp,
}

#[derive(Clone, Debug, Default)]
pub struct Delivery {
    pub text: Option<String>,
    pub contexts: Vec<DeliveredContext>,
    pub left_out: Vec<String>,
    pub listed: Vec<String>,
    pub known: Vec<(String, Vec<Reason>)>,
    pub tokens: usize,
    pub tokens_with_known: usize,
    pub characters: usize,
}

#[derive(Clone, Debug, Default)]
pub struct DeliveredContext {
    pub id: String,
    pub hash: String,
    pub level: Option<Level>,
    pub reasons: Vec<Reason>,
    pub tokens: usize,
    pub labelled_tokens: usize,
    pub is_update: bool,
    pub is_more: bool,
    pub is_cut: bool,
    pub lines: Option<LineRanges>,
    pub numbers: Vec<Option<usize>>,
}

#[derive(Debug)]
pub struct DeliveryError {
    pub error: Error,
    pub is_insecure: bool,
}

impl From<Error> for DeliveryError {
    fn from(error: Error) -> Self {
        Self { error, is_insecure: false }
    }
}

/// In the event's directory, unless the user named another.
///
/// # Errors
///
/// [`Error::NoWorkspace`].
pub fn session(
    settings: &Settings,
    cwd: Option<&Utf8Path>,
    caches: Option<Arc<Caches>>,
) -> Result<Session, Error> {
    let mut settings = Settings { strict: false, allow_insecure: false, ..settings.clone() };
    if let Some(cwd) = cwd.filter(|cwd| cwd.is_absolute()) {
        let cwd = real_folder(cwd);
        if settings.start == settings.cwd {
            settings.start.clone_from(&cwd);
        }
        settings.cwd = cwd;
    }
    let is_first = caches.is_none();
    let session = Session::open(SessionOptions { settings, caches })?;
    Ok(if is_first { session.reading_kept(&"hook") } else { session })
}

pub fn request(
    event: &HookEvent,
    conversation: &Conversation,
    config: &Config,
    session: &Session,
) -> Option<AssembleRequest> {
    if event.skipped().is_some() {
        return None;
    }
    let budget = u64::try_from(max_tokens(event, config)).unwrap_or(u64::MAX);
    let budget = Some(Amount::Tokens(budget));
    let parts = vec![BundlePart::Contexts];
    let base = AssembleRequest { budget, style: Style::Text, parts, ..AssembleRequest::default() };
    let about = |text: &str, files: &[String], base: AssembleRequest| {
        let named = named_files(text, |path| has(session, path));
        let request = Some(text.to_owned()).filter(|text| !text.is_empty());
        let files = files.iter().cloned().chain(named).collect();
        AssembleRequest { request, files, ..base }
    };
    let lost_files = conversation.lost_subject().map_or(&[][..], |lost| &lost.files);
    let (wanted, request) = match event.kind {
        EventKind::SessionStart => {
            let parts = vec![BundlePart::Contexts, BundlePart::Catalog];
            let base =
                AssembleRequest { parts, style: Style::Markdown, catalog_fills_room: true, ..base };
            let request = about(&prompt_of(event, conversation), lost_files, base);
            (SelectionFilter::Evident, request)
        }
        EventKind::Prompt => {
            let files = [&*event.files, lost_files].concat();
            let request = about(&prompt_of(event, conversation), &files, base);
            let is_first = !conversation.has_started;
            (if is_first { SelectionFilter::Evident } else { SelectionFilter::ForRequest }, request)
        }
        EventKind::ToolFailure => {
            let error = Some(event.error.clone());
            (SelectionFilter::ForError, AssembleRequest { error, ..base })
        }
        _ => {
            let files = event.files.iter().map(|file| real_file(file)).collect();
            (SelectionFilter::ForFiles, AssembleRequest { files, ..base })
        }
    };
    let hashes = conversation.given.iter().map(|(id, given)| (id.clone(), given.hash.clone()));
    let reader = Reader { contexts: hashes.collect(), wanted, ..Reader::default() };
    Some(AssembleRequest { reader, ..request })
}

fn max_tokens(event: &HookEvent, config: &Config) -> usize {
    if event.kind == EventKind::SessionStart { config.hook.session } else { config.hook.prompt }
}

/// Some clients send no event between a compaction and the next prompt.
fn prompt_of(event: &HookEvent, conversation: &Conversation) -> String {
    let request = event.request();
    match conversation.lost_subject().map(|lost| &lost.prompt) {
        Some(lost) if lost.contains(request) => lost.clone(),
        Some(lost) => format!("{request}\n\n{lost}"),
        None => request.to_owned(),
    }
}

pub fn client_request(
    event: &HookEvent,
    conversation: &Conversation,
    config: &Config,
    session: &Session,
    client: &ClientFacts<'_>,
) -> Option<AssembleRequest> {
    let mut request = request(event, conversation, config, session)?;
    request.more = client.more;
    loaded::add(&mut request.reader, session.files(), client.loads, conversation);
    Some(request)
}

fn has(session: &Session, path: &str) -> bool {
    let root = session.root();
    let cwd = session.settings().cwd.strip_prefix(root).unwrap_or(Utf8Path::new(""));
    let inside = Utf8Path::new(path).strip_prefix(root).map_or(path, Utf8Path::as_str);
    let mut places = [Utf8Path::new(""), cwd].into_iter().filter_map(|it| normalize(it, inside));
    places.any(|path| World::exists(session.files(), &path))
}

fn real_folder(path: &Utf8Path) -> Utf8PathBuf {
    let inside = real_place(&path.join("file"));
    inside.parent().map_or_else(|| path.to_owned(), Utf8Path::to_owned)
}

fn real_file(file: &str) -> String {
    let path = Utf8Path::new(file);
    if path.is_absolute() { real_place(path).into_string() } else { file.to_owned() }
}

/// # Errors
///
/// Of assembling.
pub fn deliver(
    session: &Session,
    workspace: Workspace,
    event: &HookEvent,
    conversation: &Conversation,
    client: &ClientFacts<'_>,
) -> Result<Delivery, DeliveryError> {
    let request = client_request(event, conversation, &workspace.config, session, client);
    let Some(request) = request else { return Ok(Delivery::default()) };
    let (assembly, workspace) = assembled(session, workspace, request)?;
    let delivery = delivery(&assembly, &workspace, event, conversation, client);
    session::drop_in_background(workspace, assembly);
    Ok(delivery)
}

fn assembled(
    session: &Session,
    workspace: Workspace,
    request: AssembleRequest,
) -> Result<(Assembly, Workspace), DeliveryError> {
    let mut assembled = session.assemble_from(workspace, &request)?;
    if let Some(budget) = larger_budget(&assembled.result) {
        assembled = session.assemble(&AssembleRequest { budget: Some(budget), ..request })?;
    }
    let Assembled { workspace, result } = assembled;
    match result {
        Ok(assembly) => Ok((assembly, workspace)),
        Err(error) => {
            let is_error_of_security = |found: &Diagnostic| {
                found.severity() == Severity::Error && found.rule().group == Group::Security
            };
            let is_insecure = matches!(error, Error::Findings { .. })
                && workspace.findings().iter().any(is_error_of_security);
            Err(DeliveryError { error, is_insecure })
        }
    }
}

/// [`delivery`] cuts the excess later.
pub fn larger_budget(result: &Result<Assembly, Error>) -> Option<Amount> {
    let Err(Error::Budget { needed, .. }) = result else { return None };
    let needed = u64::try_from(*needed).unwrap_or(u64::MAX);
    Some(Amount::Tokens(needed.saturating_mul(2)))
}

pub fn delivery(
    assembly: &Assembly,
    workspace: &Workspace,
    event: &HookEvent,
    conversation: &Conversation,
    client: &ClientFacts<'_>,
) -> Delivery {
    let bundle = &assembly.bundle;
    let mut known: Vec<(String, Vec<Reason>)> =
        assembly.known.iter().map(|one| (one.id.to_string(), one.reasons.clone())).collect();
    let given_before = known.iter().filter_map(|(id, _)| conversation.given.get(id));
    let known_tokens: usize = given_before.map(|given| given.tokens).sum();
    let mut counter = counter(assembly, workspace);
    counter.margin_percent = bundle.figures.margin;
    let answered = AnsweredEvent { assembly, workspace, event, conversation, counter: &counter };
    let is_again = answered.is_again();
    let offers = answered.offers();
    let limits = limits(event, client, &workspace.config, &counter);
    let [get, list] = commands(client.more);
    let elsewhere = if is_again { Vec::new() } else { answered.elsewhere() };
    let (lead, elsewhere) = (lead(event, client), &*elsewhere);
    let frame = HookFrame { lead, get, elsewhere, list, more: client.more };
    let over_budget = bundle.excluded.iter().filter(|excluded| excluded.why == Why::OverBudget);
    let crowded_out = bundle.catalogued.iter().filter(|one| one.crowded_out);
    let mut left_out: Vec<String> = over_budget.map(|excluded| excluded.id.to_string()).collect();
    left_out.extend(crowded_out.map(|one| one.entry.id.to_string()));
    left_out.retain(|_| !is_again);
    let Some(fitted) = fit::fit(&offers, &left_out, &frame, limits) else {
        let lead = if known_tokens > 0 { counter.count(frame.lead) } else { 0 };
        let tokens_with_known = (lead + known_tokens).min(limits.max_tokens);
        return Delivery { left_out, known, tokens_with_known, ..Delivery::default() };
    };
    let delivered = |(&at, &cut): (&usize, &Option<usize>)| {
        let labelled_tokens = counter.count(&offers[at].wrapped(&offers[at].text));
        let context = DeliveredContext { labelled_tokens, ..offers[at].context.clone() };
        let Some(count) = cut.filter(|_| context.level.is_some()) else { return context };
        let shown = bundle.loaded.iter().find(|loaded| loaded.id.to_string() == context.id);
        let of_rest = || context.numbers.iter().take(count).flatten().copied().collect();
        let lines = shown.map(|loaded| part::shown(assembly, workspace, loaded, count));
        let lines = Some(lines.unwrap_or_else(of_rest));
        let text: String = offers[at].text.split_inclusive('\n').take(count).collect();
        DeliveredContext { lines, tokens: counter.count(&text), is_cut: true, ..context }
    };
    let contexts: Vec<DeliveredContext> =
        fitted.kept.iter().zip(&fitted.cut).map(delivered).collect();
    known.retain(|(id, _)| !contexts.iter().any(|given| given.id == *id));
    let has_catalog = contexts.iter().any(|given| given.id == CATALOG);
    let listed = bundle.catalogued.iter().filter(|_| has_catalog);
    let tokens = counter.count(&fitted.text);
    Delivery {
        contexts,
        left_out: fitted.left_out,
        listed: listed.map(|one| one.entry.id.to_string()).collect(),
        known,
        tokens,
        tokens_with_known: (tokens + known_tokens).min(limits.max_tokens),
        characters: (client.chars)(&fitted.text),
        text: Some(fitted.text),
    }
}

struct AnsweredEvent<'a> {
    assembly: &'a Assembly,
    workspace: &'a Workspace,
    event: &'a HookEvent,
    conversation: &'a Conversation,
    counter: &'a Counter,
}

impl AnsweredEvent<'_> {
    fn offers(&self) -> Vec<HookOffer> {
        let Self { assembly, workspace, event, conversation, counter } = *self;
        let mut offers = ContextOffers { assembly, workspace, counter, all: Vec::new() };
        let is_again = self.is_again();
        for loaded in &assembly.bundle.loaded {
            let is_update = conversation.given.contains_key(&loaded.id.to_string());
            if is_update || !is_again {
                offers.add(loaded, is_update);
            }
        }
        let is_of_tool = matches!(event.kind, EventKind::BeforeTool | EventKind::Tool);
        if is_of_tool {
            for known in &assembly.known {
                if let Some(lines) = self.lines_given(&known.id) {
                    offers.add_whole_rest(known, lines);
                }
            }
        } else if let Some(best) = best(assembly).filter(|_| !is_again)
            && let Some(lines) = self.lines_given(&best.id)
        {
            offers.add_matching_rest(best, lines);
        }
        let mut offers = offers.ranked(is_of_tool);
        offers.extend(self.catalog_offer(offers.len()));
        offers
    }

    fn is_again(&self) -> bool {
        let Self { event, conversation, .. } = self;
        event.kind == EventKind::Prompt && conversation.has_asked(&prompt_hash(event))
    }

    fn lines_given(&self, id: &ContextId) -> Option<&LineRanges> {
        let given = self.conversation.given.get(&id.to_string())?;
        let context = &self.assembly.catalog.contexts[id];
        let is_loaded = self.assembly.job.reader.loads(context, &self.workspace.sources);
        given.lines.as_ref().filter(|_| !is_loaded)
    }

    fn elsewhere(&self) -> Vec<String> {
        let Assembly { declared, catalog, job, .. } = self.assembly;
        let sources = &self.workspace.sources;
        let ids = declared.elsewhere.iter().filter(|_| self.event.kind == EventKind::Prompt);
        let is_new = |id: &&ContextId| {
            let context = catalog.get(id);
            context.is_some_and(|it| !job.reader.has(it, sources) && !job.reader.omits(it, sources))
        };
        ids.filter(is_new).map(ToString::to_string).collect()
    }

    fn catalog_offer(&self, rank: usize) -> Option<HookOffer> {
        let Self { assembly, conversation, .. } = self;
        let bundle = &assembly.bundle;
        let entries = bundle.catalogued.len();
        if !assembly.job.parts.has(BundlePart::Catalog) || entries == 0 {
            return None;
        }
        let block = bundle.blocks.iter().find(|block| block.kind == BundleBlockKind::Catalog);
        let text = block.map(|block| text_of(&block.lines)).unwrap_or_default();
        let tokens = block.map_or(0, |block| block.tokens);
        let is_update = conversation.given.contains_key(CATALOG);
        let is_new = |one: &Catalogued| !conversation.listed.contains(&one.entry.id.to_string());
        if is_update && !bundle.catalogued.iter().any(is_new) {
            return None;
        }
        let context = DeliveredContext {
            id: CATALOG.to_owned(),
            hash: content_hash(&text),
            tokens,
            labelled_tokens: tokens,
            is_update,
            ..DeliveredContext::default()
        };
        Some(HookOffer { context, label: None, facts: Vec::new(), text, lines: 0, rank, entries })
    }
}

fn best(assembly: &Assembly) -> Option<&Selected> {
    let relevance = |id: &ContextId| assembly.bundle.relevance.get(id).copied().unwrap_or(0.0);
    let most = assembly.bundle.loaded.iter().map(|it| relevance(&it.id)).fold(0.0, f64::max);
    let by_relevance = |a: &&Selected, b: &&Selected| relevance(&a.id).total_cmp(&relevance(&b.id));
    assembly.known.iter().max_by(by_relevance).filter(|best| relevance(&best.id) >= most)
}

fn counter(assembly: &Assembly, workspace: &Workspace) -> Counter {
    let encoding = Encoding::from_name(assembly.bundle.figures.encoding);
    Counter::exact(encoding.unwrap_or(Encoding::O200kBase), workspace.caches.tokens())
}

fn limits<'a>(
    event: &HookEvent,
    client: &ClientFacts<'_>,
    config: &Config,
    counter: &'a Counter,
) -> HookLimits<'a> {
    let own = config.hook.clients.get(client.name).copied().unwrap_or_default();
    let tokens = max_tokens(event, config);
    HookLimits {
        max_chars: own.max_chars.unwrap_or(MAX_CHARS).min(MAX_CHARS).saturating_sub(client.frame),
        max_tokens: own.max_tokens.map_or(tokens, |most| most.min(tokens)),
        chars: client.chars,
        counter,
    }
}

fn lead<'a>(event: &HookEvent, client: &ClientFacts<'a>) -> &'a str {
    match event.kind {
        EventKind::SessionStart => "Context of this project, selected by faber.",
        EventKind::Prompt => client.lead,
        EventKind::ToolFailure => "Context of this project about this error, selected by faber.",
        _ if event.files.len() > 1 => "Context of this project for these files, selected by faber.",
        _ => "Context of this project for this file, selected by faber.",
    }
}

fn commands(more: FollowUp) -> [&'static str; 2] {
    match more {
        FollowUp::Tools => ["`expand_context` with an id gives", "`list_contexts` lists them"],
        FollowUp::Commands | FollowUp::Nothing => {
            ["`faber show ID` prints", "`faber list contexts` lists them"]
        }
    }
}

pub fn record(
    conversation: &mut Conversation,
    event: &HookEvent,
    delivery: &Delivery,
    now: Timestamp,
) {
    conversation.has_started |= event.kind == EventKind::SessionStart;
    let is_prompt = event.kind == EventKind::Prompt;
    if is_prompt {
        conversation.ask(prompt_hash(event));
    }
    let prompt = prompt_of(event, conversation);
    if matches!(event.kind, EventKind::SessionStart | EventKind::Prompt)
        && event.skipped().is_none()
    {
        conversation.lacks_subject = false;
    }
    conversation.listed.extend(delivery.listed.iter().cloned());
    for context in &delivery.contexts {
        let (hash, lines) = (context.hash.clone(), context.lines.clone());
        let given = DeliveredText { hash, tokens: context.labelled_tokens, lines };
        conversation.give(&context.id, given, now);
    }
    let has_subject = is_prompt || matches!(event.kind, EventKind::BeforeTool | EventKind::Tool);
    if delivery.contexts.is_empty() || !has_subject {
        return;
    }
    if is_prompt {
        let prompt = &prompt[..char_boundary(&prompt, MAX_SUBJECT)];
        prompt.clone_into(&mut conversation.subject.prompt);
    }
    event.files.iter().for_each(|file| conversation.subject.add_file(file));
}

fn prompt_hash(event: &HookEvent) -> String {
    let parts = [event.request()].into_iter().chain(event.files.iter().map(String::as_str));
    content_hash(&parts.collect::<Vec<_>>().join("\0"))
}

pub fn prepare(conversation: &mut Conversation, event: &HookEvent, session: &Session) {
    if event.starts_over {
        conversation.forget();
    }
    if event.clears {
        conversation.subject = ConversationSubject::default();
    }
    if event.kind == EventKind::Instructions {
        for file in &event.files {
            let path = real_place(&session.settings().cwd.join(file));
            if let Ok(path) = path.strip_prefix(session.root())
                && let Ok(text) = World::read(session.files(), path)
            {
                conversation.loaded.insert(path.to_string(), content_hash(&text));
            }
        }
    }
}
