//! Not doing again what has been done: the outcome of a run, kept with all that the run has seen.

use camino::Utf8Path;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;

use crate::commands::{ExitStatus, Streams};
use crate::config::Freshness;
use crate::discover::cache::Cache;
use crate::discover::journal::Journal;
use crate::discover::root;
use crate::discover::sight::{Sight, Verdict};
use crate::error::Error;
use crate::settings::Settings;
use crate::tokens::memory;

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
        self.recall_by(|_| Freshness::Auto).map(|(outcome, _)| outcome)
    }

    /// As [`Self::recall`], with what was kept beside it; the outcome says how closely to look whether
    /// it still holds.
    pub fn recall_by<T: DeserializeOwned>(
        &self,
        freshness: impl FnOnce(&T) -> Freshness,
    ) -> Option<(T, OwnedBytes)> {
        let bytes = self.cache.map(&self.name)?;
        let run: Run<T> = rmp_serde::from_slice(&bytes).ok()?;
        let beside = bytes.slice(bytes.len().checked_sub(run.beside)?..bytes.len());
        let freshness = freshness(&run.outcome);
        if freshness == Freshness::Trust {
            return Some((run.outcome, beside));
        }
        let place = format!("{SIGHTS}/{}", run.sight);
        let sight = self.cache.map(&place)?;
        let sight: Sight<'_> = rmp_serde::from_slice(&sight).ok()?;
        match sight.look_again(self.vars, freshness) {
            Verdict::Same => {}
            Verdict::Touched(sight) => self.cache.write(&place, &encode(&sight)),
            Verdict::Changed => return None,
        }
        Some((run.outcome, beside))
    }

    /// Keeps an outcome and the bytes `beside` it, unless something was seen that looking again does
    /// not tell, or that has changed since.
    pub fn remember<T: Serialize>(&self, journal: &Journal, outcome: &T, beside: &[u8]) {
        let sight = journal.sight();
        let same =
            |sight: &Sight<'_>| sight.look_again(self.vars, Freshness::Auto) == Verdict::Same;
        let Some(sight) = sight.filter(same) else {
            // What is there is of the past, and who trusts it without a look must not find it.
            self.cache.forget(&self.name);
            return;
        };
        let run = Run { sight: sight.name(), outcome, beside: beside.len() };
        self.cache.write(&format!("{SIGHTS}/{}", run.sight), &encode(&sight));
        self.cache.write(&self.name, &[&encode(&run), beside].concat());
        // To look through the folders is dear, and one run in sixteen is enough.
        if self.name.ends_with('0') {
            self.cache.trim(RUNS);
            self.cache.trim(SIGHTS);
        }
    }
}

/// Everything that a command does that only prints.
#[derive(Serialize, Deserialize)]
struct Printed {
    out: Vec<u8>,
    err: Vec<u8>,
    findings: bool,
}

/// Runs a command that only prints, or prints again what a former run of it did. `asked` is all that
/// it goes by besides settings and workspace; what it sees of the disk goes into the journal.
///
/// # Errors
///
/// What `run` fails with, what it has printed before included, and writing to standard output.
pub fn replayed(
    settings: &Settings,
    asked: &dyn std::fmt::Debug,
    streams: &mut Streams<'_>,
    run: impl FnOnce(Journal, &mut Streams<'_>) -> Result<ExitStatus, Error>,
) -> Result<ExitStatus, Error> {
    let root = root::find(&settings.start)?;
    let Some(cache) = cache(&root, settings) else { return run(Journal::default(), streams) };
    let memo = Memo::new(&cache, &root, settings, asked);
    let (printed, failure) = if let Some(printed) = memo.recall::<Printed>() {
        (printed, None)
    } else {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut kept = Streams { out: &mut out, err: &mut err, input: &mut *streams.input };
        let journal = Journal::recording();
        let status = run(journal.clone(), &mut kept);
        let findings = matches!(status, Ok(ExitStatus::Findings));
        let printed = Printed { out, err, findings };
        if status.is_ok() {
            memo.remember(&journal, &printed, &[]);
        }
        (printed, status.err())
    };
    streams.print_bytes(&printed.out)?;
    streams.say_bytes(&printed.err);
    match failure {
        Some(failure) => Err(failure),
        None if printed.findings => Ok(ExitStatus::Findings),
        None => Ok(ExitStatus::Done),
    }
}

/// The cache of the workspace at `root`, unless there is to be none or can be none.
pub fn cache(root: &Utf8Path, settings: &Settings) -> Option<Cache> {
    Cache::open(root, settings.cache.as_deref()?, &settings.program)
}

/// Runs something that counts tokens, with all counts that were made before.
pub fn with_counts<T>(cache: Option<&Cache>, run: impl FnOnce() -> T) -> T {
    let Some(cache) = cache else { return run() };
    memory::begin(cache.read(COUNTS).unwrap_or_default());
    let outcome = run();
    if let Some(counts) = memory::learned() {
        cache.write(COUNTS, &counts);
    }
    outcome
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(value).expect("plain data can always be encoded")
}
