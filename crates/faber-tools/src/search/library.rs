//! The library of a workspace: all that can be found in one view, and the index of it, up to date.
//!
//! What a view is made of is kept with everything that was seen of the disk meanwhile, as outcomes of
//! runs are, so that a question that would see the same only looks at stamps. The index is by
//! content: it is brought up to date by adding what it has not, and a state of the workspace that
//! was there before needs nothing.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use rayon::prelude::*;
use tantivy::directory::OwnedBytes;

use crate::search::found::Whole;
use crate::search::item::{Item, Items};
use crate::search::part::{self, Key, Located, Part};
use crate::search::prepare::{Prepared, Preparer};
use crate::search::rank::{Corpus, Figures};
use crate::search::view::{self, Asked, Reading, View};
use faber_core::config::Freshness;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::rule::Rule;
use faber_core::rules::{config_key_not_allowed, invalid_config};
use faber_core::source::SourceMap;
use faber_core::tokens::{Counter, Encoding};
use faber_output::streams::Streams;
use faber_session::caches::Caches;
use faber_session::discover::cache::Cache;
use faber_session::discover::files::Files;
use faber_session::discover::generation::{Generation, Generations};
use faber_session::discover::snapshot::{Recorder, Snapshot};
use faber_session::run_cache::{Cached, RunCache};
use faber_session::session::Session;
use faber_session::settings::{Settings, Verbosity};

/// Findings that nothing is answered with: they are about what decides who sees what.
static REFUSED: [&Rule; 2] = [&invalid_config::RULE, &config_key_not_allowed::RULE];
/// When bringing the index up to date took longer than this, it is said.
const LONG: Duration = Duration::from_millis(200);
/// From so many bytes on it is said before that texts are indexed: it takes a second or more.
const MUCH_BYTES: usize = 20_000_000;
/// The most parts; then the small ones become one.
const MOST_PARTS: usize = 6;
/// The most texts that are kept, for each that the view has: those of other views and former states
/// are kept too, as far as it makes sense.
const MOST_SHARE: usize = 8;
/// A part with less than this share of all chunks is small.
const SMALL_SHARE: usize = 8;
/// Texts of fewer bytes in all are not worth a part of their own for another processor.
const SHARE_BYTES: usize = 512 * 1024;
/// How many texts are prepared in one go.
const AT_ONCE: usize = 16;

/// What can be found, and the index of it.
pub struct Library {
    /// What can be found.
    pub view: View,
    /// The workspace root.
    pub root: Utf8PathBuf,
    /// What was read to make the view; none when comparing with the disk would not tell whether it is
    /// still so, or when nothing was compared.
    pub snapshot: Option<Snapshot<'static>>,
    parts: Vec<Part>,
    /// The distinct texts of the view, by their keys.
    texts: Vec<Located>,
    /// What is known of these, once somebody asks.
    figures: OnceLock<Figures>,
    /// Where the items of each text begin when they are sorted by key.
    starts: Vec<usize>,
    /// What was read to make the view; nothing when the view was kept.
    sources: SourceMap,
    files: Files,
    caches: Arc<Caches>,
    /// A file was no longer what it was when the view was made.
    outdated: AtomicBool,
}

/// What is on disk of a library.
struct Previous<'a> {
    /// Where the view is stored.
    cache: Option<RunCache<'a>>,
    stored: Option<Stored>,
}

/// The index as it was found on disk.
struct Stored {
    generation: Generation,
    parts: Vec<Part>,
}

impl Stored {
    /// Whether the parts are what was written, to be looked at as closely as `freshness` says.
    fn is_sound(&self, freshness: Freshness) -> bool {
        freshness != Freshness::Verify || self.generation.is_of(self.parts.iter().map(Part::bytes))
    }
}

impl Library {
    /// Opens the library, and brings it up to date.
    ///
    /// # Errors
    ///
    /// What opening a workspace and reading its roles can fail with.
    pub fn open(
        session: &Session,
        asked: &Asked,
        freshness: Option<Freshness>,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Error> {
        let settings = session.settings();
        let neutral = session.with_settings(neutral(settings));
        let cache = neutral.run_cache("library", asked);
        let wanted = |view: &View| freshness.unwrap_or(view.search.freshness);
        let get = |cache: &RunCache<'_>| {
            let Cached { result: view, payload, snapshot } = cache.get_by::<View>(wanted)?;
            Some((View { items: Items::open(payload)?, ..view }, snapshot))
        };
        // The index is opened while the files are looked at.
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
        if damaged && settings.verbosity > Verbosity::Quiet {
            streams.say("the search index is damaged, or another program's; it is rebuilt\n");
        }
        Self::read(session, asked, Previous { cache, stored }, streams)
    }

    /// Reads the workspace, and adds to the index what it lacks.
    fn read(
        session: &Session,
        asked: &Asked,
        Previous { cache, stored }: Previous<'_>,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Error> {
        let settings = session.settings();
        let started = settings.clock.map(|clock| clock());
        let recorder = Recorder::recording();
        let mut workspace = session.recorded_in(recorder.clone()).workspace();
        let reading = view::read(&mut workspace, asked, settings)?;
        let refused = |found: &&Diagnostic| {
            found.severity() == Severity::Error && REFUSED.contains(&found.rule())
        };
        let count = workspace.noticed().filter(refused).count();
        if count > 0 {
            streams.say_errors(&workspace, settings);
            let help = "fix the configuration, which decides what may be seen".to_owned();
            return Err(Error::Findings { count, help });
        }
        let is_watched = settings.clock.is_some() && settings.verbosity > Verbosity::Quiet;
        // What was opened before it was known how closely to look.
        let stored = stored.filter(|stored| stored.is_sound(reading.view.search.freshness));
        let announce = |texts: usize, bytes: usize| {
            if is_watched && bytes > MUCH_BYTES {
                streams.say(&format!("indexing {texts} texts …\n"));
            }
        };
        let (parts, added) =
            update(&reading, &workspace.sources, stored, session.caches().disk(), announce);
        let snapshot = recorder.stable_snapshot(&settings.vars);
        if let Some(cache) = cache {
            cache.put_with(snapshot.as_ref(), &reading.view, reading.view.items.bytes());
        }
        if let (Some(started), Some(clock)) = (started, settings.clock)
            && added > 0
            && clock().saturating_sub(started) > LONG
            && settings.verbosity > Verbosity::Quiet
        {
            let seconds = clock().saturating_sub(started).as_secs_f64();
            streams.say(&format!("indexed {added} texts in {seconds:.1} s\n"));
        }
        let library = Self::of(session, reading.view, parts);
        let library =
            library.unwrap_or_else(|_| unreachable!("every text of the view was just added"));
        Ok(Self { snapshot, sources: workspace.sources, ..library })
    }

    /// The library of a view and of parts that have all of its texts; else the parts.
    fn of(session: &Session, view: View, parts: Vec<Part>) -> Result<Self, Vec<Part>> {
        let count = view.items.len();
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

    /// What counts tokens in the encoding of the view.
    pub fn counter(&self) -> Counter {
        let encoding = Encoding::from_name(&self.view.encoding).unwrap_or(Encoding::O200kBase);
        Counter::exact(encoding, self.caches.tokens())
    }

    /// The texts of the view, to be ranked.
    pub fn corpus(&self) -> Corpus<'_> {
        let figures = || Figures::new(&self.parts, &self.texts);
        Corpus::of(&self.parts, self.figures.get_or_init(figures))
    }

    /// The items that have the text number `doc` of the corpus, by id.
    ///
    /// # Panics
    ///
    /// When there is no such text.
    pub fn items_of(&self, doc: usize) -> impl Iterator<Item = usize> {
        (self.starts[doc]..self.starts[doc + 1]).map(|at| self.view.items.by_key(at))
    }

    /// How many different texts there are.
    pub fn docs(&self) -> usize {
        self.texts.len()
    }

    /// The text number of an item.
    ///
    /// # Panics
    ///
    /// When there is no such item.
    pub fn doc_of(&self, item: usize) -> usize {
        let items = &self.view.items;
        let key = items.key(item);
        let firsts = &self.starts[..self.texts.len()];
        firsts.partition_point(|&at| items.key(items.by_key(at)) < key)
    }

    /// The chunks of an item: where each is in its text, and its anchor.
    ///
    /// # Panics
    ///
    /// When there is no such item.
    pub fn chunks(&self, item: usize) -> Vec<(Range<usize>, &str)> {
        part::chunks(&self.parts, self.texts[self.doc_of(item)])
    }

    /// The text of an item of the view; empty when its file has changed since, and then the library
    /// [is outdated](Self::is_outdated).
    pub fn whole(&self, item: &Item) -> Whole {
        let whole = Whole::read(item, &self.sources, &self.files);
        if whole.is_none() {
            self.outdated.store(true, Ordering::Relaxed);
        }
        whole.unwrap_or_default()
    }

    /// Whether a text was asked for that is no longer there as the view has it.
    pub fn is_outdated(&self) -> bool {
        self.outdated.load(Ordering::Relaxed)
    }

    /// The parts of the index.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

/// The settings without what only says how to print.
fn neutral(settings: &Settings) -> Settings {
    Settings {
        cwd: settings.start.clone(),
        strict: false,
        allow_insecure: false,
        verbosity: Verbosity::Normal,
        colour_stderr: false,
        colour_stdout: false,
        unicode: true,
        width: 0,
        clock: None,
        stdout_width: None,
        ..settings.clone()
    }
}

/// The index on disk, and whether there is one that is damaged.
fn open_stored(cache: &Cache) -> (Option<Stored>, bool) {
    let generations = Generations::new(cache);
    let Some((generation, bytes)) = generations.open() else { return (None, generations.exists()) };
    let parts: Result<Vec<Part>, _> = bytes.into_iter().map(Part::open).collect();
    match parts {
        Ok(parts) => (Some(Stored { generation, parts }), false),
        Err(_) => (None, true),
    }
}

/// The parts that have all texts of a reading, of which those that were there before are kept as far
/// as they are of use, and how many texts were added, which `announce` is told before with their
/// bytes. The new ones are put on disk if possible.
fn update(
    reading: &Reading,
    sources: &SourceMap,
    stored: Option<Stored>,
    cache: Option<&Cache>,
    announce: impl FnOnce(usize, usize),
) -> (Vec<Part>, usize) {
    let count = reading.texts.len();
    let (generation, mut parts) = match stored {
        Some(stored) => (Some(stored.generation), stored.parts),
        None => (None, Vec::new()),
    };
    let key = |at: usize| reading.view.items.key(at);
    let missing = |parts: &[Part]| -> Vec<usize> {
        (0..count).filter(|&at| !parts.iter().any(|part| part.has(&key(at)))).collect()
    };
    if missing(&parts).is_empty() && generation.is_some() {
        return (parts, 0);
    }
    let kept = kept(&parts, (0..count).map(key));
    let mut at = 0;
    parts.retain(|_| {
        at += 1;
        kept.contains(&(at - 1))
    });
    let added = missing(&parts);
    announce(added.len(), added.iter().map(|&at| reading.texts[at].bytes(sources)).sum());
    let new = build(reading, sources, &added);
    if let Some(cache) = cache {
        let texts: Vec<&[u8]> = new.iter().map(Vec::as_slice).collect();
        let old = generation.as_ref().map(|generation| (generation, &kept[..]));
        Generations::new(cache).write(old, &texts);
    }
    let new = new.into_iter().map(|bytes| Part::open(OwnedBytes::new(bytes)));
    parts.extend(new.map(|part| part.expect("it was just written")));
    (parts, added.len())
}

/// Which parts stay when another is about to join them. Small ones go once there are many; all go
/// once most of what they have is of no use to a view with these keys.
fn kept(parts: &[Part], keys: impl Iterator<Item = Key>) -> Vec<usize> {
    let mut used: Vec<Key> = keys.collect();
    used.sort_unstable();
    used.dedup();
    let useful = used.iter().filter(|key| parts.iter().any(|part| part.has(key))).count();
    let all: usize = parts.iter().map(Part::texts).sum();
    let chunks: usize = parts.iter().map(Part::rows).sum();
    if all > MOST_SHARE * used.len().max(useful) {
        return Vec::new();
    }
    let every = 0..parts.len();
    if parts.len() < MOST_PARTS {
        return every.collect();
    }
    let large: Vec<usize> = every.filter(|&at| parts[at].rows() * SMALL_SHARE > chunks).collect();
    if large.len() < MOST_PARTS { large } else { Vec::new() }
}

/// Makes parts of some texts, several at a time.
fn build(reading: &Reading, sources: &SourceMap, texts: &[usize]) -> Vec<Vec<u8>> {
    let bytes: usize = texts.iter().map(|&at| reading.texts[at].bytes(sources)).sum();
    let shares =
        (bytes / SHARE_BYTES).clamp(1, rayon::current_num_threads().clamp(1, MOST_PARTS / 2));
    // A preparer remembers words, so there are only as many as work at the same time.
    let idle: Mutex<Vec<Preparer>> = Mutex::default();
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let prepared: Vec<Prepared> = texts
        .par_chunks(AT_ONCE)
        .flat_map_iter(|texts| {
            let mut preparer = lock().pop().unwrap_or_default();
            let mut prepare =
                |&at: &usize| reading.texts[at].with(sources, |text| preparer.prepare(text));
            let done: Vec<Prepared> = texts.iter().map(&mut prepare).collect();
            lock().push(preparer);
            done
        })
        .collect();
    // Equal shares of the work, which is longest for the terms.
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
    shares.into_par_iter().map(part::build).collect()
}
