//! The search index of a view.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use camino::Utf8PathBuf;
use rayon::prelude::*;

use crate::search::bytes::TextKey;
use crate::search::found::DocumentText;
use crate::search::item::{Items, SearchItem};
use crate::search::part::{self, Damaged, DocAddress, OpenPart};
use crate::search::prepare::{Prepared, Preparer, Text};
use crate::search::rank::{Corpus, CorpusFigures, CorpusStatistics};
use crate::search::scope::Scope;
use crate::search::view::{self, IndexRequest, SearchView, ViewReading};
use faber_core::config::{Freshness, SearchMode};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::rules::unknown_overlay;
use faber_core::source::SourceMap;
use faber_core::tokens::{Counter, Encoding};
use faber_output::streams::{Streams, is_unread};
use faber_session::caches::Caches;
use faber_session::discover::cache::Cache;
use faber_session::discover::files::Files;
use faber_session::discover::generation::{Generation, Generations};
use faber_session::discover::snapshot::{Recorder, Snapshot};
use faber_session::encoder::TextEncoder;
use faber_session::run_cache::{Cached, RunCache};
use faber_session::session::{Session, Workspace};
use faber_session::settings::{Settings, Verbosity};

const LONG: Duration = Duration::from_millis(200);
const LARGE_BYTES: usize = 20_000_000;
const MAX_PARTS: usize = 6;
const MAX_SHARE: usize = 8;
const SMALL_SHARE: usize = 8;
const SHARE_BYTES: usize = 512 * 1024;
const AT_ONCE: usize = 16;

pub struct SearchIndex {
    pub view: SearchView,
    pub root: Utf8PathBuf,
    pub snapshot: Option<Snapshot<'static>>,
    parts: Vec<OpenPart>,
    texts: Vec<DocAddress>,
    figures: OnceLock<CorpusFigures>,
    starts: Vec<usize>,
    sources: SourceMap,
    files: Files,
    caches: Arc<Caches>,
    outdated: AtomicBool,
}

struct Stored {
    generation: Generation,
    parts: Vec<OpenPart>,
}

impl Stored {
    fn is_sound(&self, freshness: Freshness) -> bool {
        freshness != Freshness::Verify
            || self.generation.is_of(self.parts.iter().map(OpenPart::bytes))
    }
}

impl SearchIndex {
    /// # Errors
    ///
    /// For unreadable workspaces and roles.
    pub fn open(
        session: &Session,
        request: &IndexRequest,
        freshness: Option<Freshness>,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Error> {
        let settings = session.settings();
        if let Err(invalid) = session.caches().encoder() {
            let again = "add it again with `faber encoder add`";
            streams.note(&format!("the encoder is not used: {invalid}; {again}\n"));
        }
        let neutral = session.with_settings(neutral(settings));
        let cache = neutral.run_cache("library", request);
        let wanted = |view: &SearchView| freshness.unwrap_or(view.search.freshness);
        let get = |cache: &RunCache<'_>| {
            let Cached { result: view, payload, snapshot } = cache.get_by::<SearchView>(wanted)?;
            Some((SearchView { items: Items::open(payload)?, ..view }, snapshot))
        };
        let ((mut stored, mut damaged), view) = rayon::join(
            || session.caches().disk().map_or((None, false), open_stored),
            || cache.as_ref().and_then(get),
        );
        let closely = view.as_ref().map_or(freshness, |(view, _)| Some(wanted(view)));
        if let Some(found) = &stored
            && !found.is_sound(closely.unwrap_or_default())
        {
            (stored, damaged) = (None, true);
        }
        if let Some((view, snapshot)) = view
            && let Some(found) = stored.take()
        {
            match Self::of(session, view, found.parts) {
                Ok(library) => return Ok(Self { snapshot, ..library }),
                Err(parts) => stored = Some(Stored { parts, ..found }),
            }
        }
        if damaged {
            streams.note("note: the search index is outdated; rebuilding it\n");
        }
        Self::read(session, request, cache, stored, streams)
    }

    fn read(
        session: &Session,
        request: &IndexRequest,
        cache: Option<RunCache<'_>>,
        stored: Option<Stored>,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Error> {
        let settings = session.settings();
        let started = settings.clock.map(|clock| clock());
        let recorder = Recorder::recording();
        let mut workspace = session.recorded_in(recorder.clone()).workspace();
        let reading = view::read(&mut workspace, request);
        refuse_unclear(&workspace, streams)?;
        let reading = reading?;
        streams.eprint_unread(&workspace);
        streams.eprint_unknown_overlays(&workspace);
        let is_watched = settings.clock.is_some() && settings.verbosity > Verbosity::Quiet;
        let stored = stored.filter(|stored| stored.is_sound(reading.view.search.freshness));
        let announce = |texts: usize, bytes: usize| {
            if is_watched && bytes > LARGE_BYTES {
                streams.eprint(&format!("indexing {texts} texts …\n"));
            }
        };
        let (parts, added) =
            update(&reading, &workspace.sources, stored, session.caches().disk(), announce);
        let snapshot = recorder.stable_snapshot(&settings.vars);
        let is_unread_error =
            |found: &Diagnostic| found.severity() == Severity::Error && is_unread(found);
        let is_reported =
            |found: &Diagnostic| is_unread_error(found) || found.rule() == &unknown_overlay::RULE;
        let is_complete = !workspace.noticed().any(is_reported);
        if let Some(cache) = cache.filter(|_| is_complete) {
            cache.put_with(snapshot.as_ref(), &reading.view, reading.view.items.bytes());
        }
        if let (Some(started), Some(clock)) = (started, settings.clock)
            && added > 0
            && clock().saturating_sub(started) > LONG
            && settings.verbosity > Verbosity::Quiet
        {
            let seconds = clock().saturating_sub(started).as_secs_f64();
            streams.eprint(&format!("indexed {added} texts in {seconds:.1} s\n"));
        }
        let library = Self::of(session, reading.view, parts)
            .unwrap_or_else(|_| unreachable!("every text of the view was just added"));
        Ok(Self { snapshot, sources: workspace.sources, ..library })
    }

    fn of(
        session: &Session,
        view: SearchView,
        parts: Vec<OpenPart>,
    ) -> Result<Self, Vec<OpenPart>> {
        let count = view.items.count();
        let key = |at: usize| view.items.key(view.items.by_key(at));
        let mut starts: Vec<usize> =
            (0..count).filter(|&at| at == 0 || key(at - 1) != key(at)).collect();
        let Some(texts) = part::locate(&parts, starts.iter().map(|&at| key(at))) else {
            return Err(parts);
        };
        starts.push(count);
        Ok(Self {
            view,
            root: session.root().to_owned(),
            snapshot: None,
            parts,
            texts,
            figures: OnceLock::new(),
            starts,
            sources: SourceMap::default(),
            files: session.files().renewed(),
            caches: Arc::clone(session.caches()),
            outdated: AtomicBool::new(false),
        })
    }

    pub(crate) fn of_candidates(
        session: &Session,
        view: SearchView,
        prepared: Vec<Prepared>,
        statistics: CorpusStatistics,
    ) -> Result<Self, Damaged> {
        let parts = vec![OpenPart::open(Bytes::from(part::build(prepared)))?];
        let library = Self::of(session, view, parts).map_err(|_| Damaged)?;
        let figures = CorpusFigures::new(&library.parts, &library.texts);
        let figures = OnceLock::from(figures.with_statistics(Arc::new(statistics)));
        Ok(Self { figures, ..library })
    }

    pub fn counter(&self) -> Counter {
        let encoding = Encoding::from_name(&self.view.encoding).unwrap_or(Encoding::O200kBase);
        Counter::exact(encoding, self.caches.tokens())
    }

    pub fn corpus(&self) -> Corpus<'_> {
        let figures = || CorpusFigures::new(&self.parts, &self.texts);
        Corpus::of(&self.parts, self.figures.get_or_init(figures))
    }

    pub(crate) fn items_of(&self, doc: usize) -> impl Iterator<Item = usize> {
        (self.starts[doc]..self.starts[doc + 1]).map(|at| self.view.items.by_key(at))
    }

    /// Fails for an overlay that the principal cannot see: hidden items must not show.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with `help`.
    pub fn check_visible(&self, scope: Scope, help: &str) -> Result<(), Error> {
        let items = &self.view.items;
        let name = match scope {
            Scope::Organization => None,
            Scope::Team => self.view.team.as_ref(),
            _ => return Ok(()),
        };
        if (0..items.count()).any(|at| items.facets(at).scopes.has(scope)) {
            return Ok(());
        }
        let name = name.map(|name| format!(" (`{name}`)")).unwrap_or_default();
        let message = format!("no visible contexts in the scope `{}`{name}", scope.name());
        Err(Error::usage(message, help))
    }

    /// # Errors
    ///
    /// [`Error::Usage`] with the help for a missing role or team.
    pub fn check_scope(&self, scope: Scope, [role, team]: [&str; 2]) -> Result<(), Error> {
        let (what, help) = match scope {
            Scope::Area if self.view.role.is_none() => ("role", role),
            Scope::Team if self.view.team.is_none() => ("team", team),
            _ => return Ok(()),
        };
        Err(Error::usage(format!("the scope `{}` needs a {what}", scope.name()), help))
    }

    pub fn doc_of(&self, item: usize) -> usize {
        let items = &self.view.items;
        let key = items.key(item);
        let firsts = &self.starts[..self.texts.len()];
        firsts.partition_point(|&at| items.key(items.by_key(at)) < key)
    }

    pub fn chunks(&self, item: usize) -> Vec<(Range<usize>, &str)> {
        part::chunks(&self.parts, self.texts[self.doc_of(item)])
    }

    /// Empty if its file changed.
    pub fn whole(&self, item: &SearchItem) -> DocumentText {
        let whole = DocumentText::read(item, &self.sources, &self.files);
        if whole.is_none() {
            self.outdated.store(true, Ordering::Relaxed);
        }
        whole.unwrap_or_default()
    }

    pub fn is_outdated(&self) -> bool {
        self.outdated.load(Ordering::Relaxed)
    }

    pub fn encoder(&self, mode: SearchMode) -> Option<&TextEncoder> {
        self.caches.encoder().ok().flatten().filter(|_| mode == SearchMode::Hybrid)
    }

    pub fn parts(&self) -> &[OpenPart] {
        &self.parts
    }
}

pub(super) fn refuse_unclear(
    workspace: &Workspace,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    workspace.stop_at_config().inspect_err(|error| streams.eprint_fatal(error, workspace))
}

fn neutral(settings: &Settings) -> Settings {
    Settings {
        cwd: settings.start.clone(),
        strict: false,
        allow_insecure: false,
        verbosity: Verbosity::Normal,
        color_stderr: false,
        color_stdout: false,
        unicode: true,
        width: 0,
        clock: None,
        stdout_width: None,
        ..settings.clone()
    }
}

fn open_stored(cache: &Cache) -> (Option<Stored>, bool) {
    let generations = Generations::new(cache);
    let Some((generation, bytes)) = generations.open() else { return (None, generations.exists()) };
    let parts: Result<Vec<OpenPart>, _> = bytes.into_iter().map(OpenPart::open).collect();
    match parts {
        Ok(parts) => (Some(Stored { generation, parts }), false),
        Err(_) => (None, true),
    }
}

fn update(
    reading: &ViewReading,
    sources: &SourceMap,
    stored: Option<Stored>,
    cache: Option<&Cache>,
    announce: impl FnOnce(usize, usize),
) -> (Vec<OpenPart>, usize) {
    let count = reading.texts.len();
    let (generation, parts) = stored.map(|it| (it.generation, it.parts)).unzip();
    let mut parts = parts.unwrap_or_default();
    let key = |at: usize| reading.view.items.key(at);
    let missing = |parts: &[OpenPart]| -> Vec<usize> {
        (0..count).filter(|&at| !parts.iter().any(|part| part.has(&key(at)))).collect()
    };
    if missing(&parts).is_empty() && generation.is_some() {
        return (parts, 0);
    }
    let kept = kept(&parts, (0..count).map(key));
    let mut at = 0..;
    parts.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
    let added = missing(&parts);
    let added: Vec<Text<'_>> = added.iter().map(|&at| reading.texts[at].text(sources)).collect();
    let bytes = added.iter().map(|text| text.body.len()).sum();
    announce(added.len(), bytes);
    let new = build(&added, bytes);
    if let Some(cache) = cache {
        let texts: Vec<&[u8]> = new.iter().map(Vec::as_slice).collect();
        let old = generation.as_ref().map(|generation| (generation, &kept[..]));
        Generations::new(cache).write(old, &texts);
    }
    let new = new.into_iter().map(|bytes| OpenPart::open(Bytes::from(bytes)));
    parts.extend(new.map(|part| part.expect("it was just written")));
    (parts, added.len())
}

fn kept(parts: &[OpenPart], keys: impl Iterator<Item = TextKey>) -> Vec<usize> {
    let mut used: Vec<TextKey> = keys.collect();
    used.sort_unstable();
    used.dedup();
    let useful = used.iter().filter(|key| parts.iter().any(|part| part.has(key))).count();
    let all: usize = parts.iter().map(OpenPart::texts).sum();
    let chunks: usize = parts.iter().map(OpenPart::rows).sum();
    if all > MAX_SHARE * used.len().max(useful) {
        return Vec::new();
    }
    let every = 0..parts.len();
    if parts.len() < MAX_PARTS {
        return every.collect();
    }
    let large: Vec<usize> = every.filter(|&at| parts[at].rows() * SMALL_SHARE > chunks).collect();
    if large.len() < MAX_PARTS { large } else { Vec::new() }
}

fn build(texts: &[Text<'_>], bytes: usize) -> Vec<Vec<u8>> {
    let shares =
        (bytes / SHARE_BYTES).clamp(1, rayon::current_num_threads().clamp(1, MAX_PARTS / 2));
    let idle: Mutex<Vec<Preparer>> = Mutex::default();
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let prepared: Vec<Prepared> = texts
        .par_chunks(AT_ONCE)
        .with_max_len(1)
        .flat_map_iter(|texts| {
            let mut preparer = lock().pop().unwrap_or_default();
            let done: Vec<Prepared> = texts.iter().map(|text| preparer.prepare(text)).collect();
            lock().push(preparer);
            done
        })
        .collect();
    let size = prepared.iter().map(Prepared::terms).sum::<usize>().div_ceil(shares).max(1);
    let mut shares: Vec<Vec<Prepared>> = Vec::new();
    let mut terms = size;
    for text in prepared {
        if terms >= size {
            shares.push(Vec::new());
            terms = 0;
        }
        terms += text.terms();
        shares.last_mut().expect("there is one").push(text);
    }
    rayon::join(|| shares.into_par_iter().map(part::build).collect(), || drop(idle)).0
}
