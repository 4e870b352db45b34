//! Not doing again what has been done: the outcome of a run, kept with all that the run has seen.

use camino::Utf8Path;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;

use crate::discover::cache::Cache;
use crate::discover::journal::Journal;
use crate::discover::sight::{Sight, Verdict};
use crate::settings::Settings;
use faber_core::config::Freshness;
use faber_core::tokens::memory;

/// Where outcomes lie in the cache.
const RUNS: &str = "runs";
/// Where lies what runs have seen; runs of one role have mostly seen the same.
const SIGHTS: &str = "sights";

/// The file of counts.
const COUNTS: &str = "counts";

/// The memory of one question to one workspace.
pub struct Memo<'a> {
    cache: &'a Cache,
    vars: &'a [(String, String)],
    name: String,
}

#[derive(Serialize, Deserialize)]
struct Run<T> {
    sight: String,
    outcome: T,
    /// How many bytes stand behind all this.
    beside: usize,
}

impl<'a> Memo<'a> {
    /// The memory of what `asked` says, as its `Debug` output, together with the settings and what
    /// stands on standard input.
    pub fn new(
        cache: &'a Cache,
        root: &Utf8Path,
        settings: &'a Settings,
        asked: &dyn std::fmt::Debug,
    ) -> Self {
        // Variables that the workspace names are part of what a run has seen.
        let own = settings.vars.iter().filter(|(name, _)| name.starts_with("FABER_"));
        let own: Vec<_> = own.collect();
        let rest = Settings { vars: Vec::new(), cache: None, clock: None, ..settings.clone() };
        let question = format!("{root:?}{own:?}{rest:?}{asked:?}");
        let hash = blake3::hash(question.as_bytes()).to_hex();
        Self { cache, vars: &settings.vars, name: format!("{RUNS}/{}", &hash[..32]) }
    }

    /// The outcome of a former run, if one now would see the same.
    pub fn recall<T: DeserializeOwned>(&self) -> Option<T> {
        self.recall_by(|_| Freshness::Auto).map(|recalled| recalled.outcome)
    }

    /// As [`Self::recall`], with what was kept beside it and what was looked at; the outcome says how
    /// closely to look whether it still holds.
    pub fn recall_by<T: DeserializeOwned>(
        &self,
        freshness: impl FnOnce(&T) -> Freshness,
    ) -> Option<Recalled<T>> {
        let bytes = self.cache.map(&self.name)?;
        let run: Run<T> = rmp_serde::from_slice(&bytes).ok()?;
        let beside = bytes.slice(bytes.len().checked_sub(run.beside)?..bytes.len());
        let freshness = freshness(&run.outcome);
        if freshness == Freshness::Trust {
            return Some(Recalled { outcome: run.outcome, beside, seen: None });
        }
        let place = format!("{SIGHTS}/{}", run.sight);
        let then = Seen { bytes: self.cache.map(&place)?, name: run.sight };
        let now = then.again(self.vars, freshness)?;
        if let Some(now) = &now {
            self.cache.write(&place, &now.bytes);
        }
        Some(Recalled { outcome: run.outcome, beside, seen: Some(now.unwrap_or(then)) })
    }

    /// Keeps an outcome and the bytes `beside` it, unless something was seen that looking again does
    /// not tell, or that has changed since.
    pub fn remember<T: Serialize>(&self, journal: &Journal, outcome: &T, beside: &[u8]) {
        self.keep(lasting(journal, self.vars).as_ref(), outcome, beside);
    }

    /// Keeps an outcome of which everything was `seen`, and the bytes `beside` it; without that nothing
    /// is kept.
    pub fn keep<T: Serialize>(&self, seen: Option<&Seen>, outcome: &T, beside: &[u8]) {
        let Some(Seen { name, bytes }) = seen else {
            // What is there is of the past, and who trusts it without a look must not find it.
            self.cache.forget(&self.name);
            return;
        };
        let run = Run { sight: name.clone(), outcome, beside: beside.len() };
        self.cache.write(&format!("{SIGHTS}/{name}"), bytes);
        self.cache.write(&self.name, &[&encode(&run), beside].concat());
        // To look through the folders is dear, and one run in sixteen is enough.
        if self.name.ends_with('0') {
            self.cache.trim(RUNS);
            self.cache.trim(SIGHTS);
        }
    }
}

/// What was seen, unless there was something that looking again does not tell, or that has changed
/// since.
pub fn lasting(journal: &Journal, vars: &[(String, String)]) -> Option<Seen> {
    let same = |sight: &Sight<'_>| sight.look_again(vars, Freshness::Auto) == Verdict::Same;
    let sight = journal.sight().filter(same)?;
    Some(Seen { name: sight.name(), bytes: OwnedBytes::new(encode(&sight)) })
}

/// An outcome that still holds.
pub struct Recalled<T> {
    /// The outcome.
    pub outcome: T,
    /// The bytes that were kept beside it.
    pub beside: OwnedBytes,
    /// What was looked at, if anything was.
    pub seen: Option<Seen>,
}

/// What a run has seen, in the form in which it is kept.
#[derive(Clone, Debug)]
pub struct Seen {
    name: String,
    bytes: OwnedBytes,
}

impl Seen {
    /// Looks at everything again: none when something has changed, else the same with other stamps if
    /// there are others.
    pub fn again(&self, vars: &[(String, String)], freshness: Freshness) -> Option<Option<Self>> {
        let sight: Sight<'_> = rmp_serde::from_slice(&self.bytes).ok()?;
        match sight.look_again(vars, freshness) {
            Verdict::Same => Some(None),
            Verdict::Touched(sight) => {
                let bytes = OwnedBytes::new(encode(&sight));
                Some(Some(Self { name: self.name.clone(), bytes }))
            }
            Verdict::Changed => None,
        }
    }
}

/// The cache of the workspace at `root`, unless there is to be none or can be none.
pub fn cache(root: &Utf8Path, settings: &Settings) -> Option<Cache> {
    Cache::open(root, settings.cache.as_deref()?, &settings.program)
}

/// All counts of tokens that are kept.
pub fn counts(cache: &Cache) -> Option<Vec<u8>> {
    cache.read(COUNTS)
}

/// Keeps counts of tokens.
pub fn keep_counts(cache: &Cache, counts: &[u8]) {
    cache.write(COUNTS, counts);
}

/// Runs something that counts tokens, with all counts that were made before.
pub fn with_counts<T>(cache: Option<&Cache>, run: impl FnOnce() -> T) -> T {
    let Some(cache) = cache else { return run() };
    memory::begin(counts(cache).unwrap_or_default());
    let outcome = run();
    if let Some(counts) = memory::learned() {
        keep_counts(cache, &counts);
    }
    outcome
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(value).expect("plain data can always be encoded")
}
