//! Groups a log into episodes: a request, its results, later calls.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use faber_core::terms::pieces::is_stop;
use faber_core::terms::words::{stems, words};
use faber_session::audit::kind::{COMMAND, CallKind, HOOK, context_of};
use faber_session::audit::{AuditEntry, CallOutcome};

/// Joins both sessions of an agent with hooks.
const MAX_GAP: SignedDuration = SignedDuration::from_mins(30);

const MAX_EPISODES: usize = 50_000;
const MAX_STEPS: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct Episode {
    pub session: String,
    pub bundle: Option<AuditEntry>,
    pub given: BTreeSet<String>,
    pub steps: Vec<UsageStep>,
    pub step_tokens: u64,
    open: Vec<(usize, BTreeSet<String>)>,
}

#[derive(Clone, Debug)]
pub enum UsageStep {
    Search { text: String, is_answered: bool, best: Option<String> },
    Fetch(Vec<String>),
}

impl UsageStep {
    fn search(&self) -> Option<&str> {
        if let Self::Search { text, .. } = self { Some(text) } else { None }
    }
}

impl Episode {
    pub fn request(&self) -> String {
        match &self.bundle {
            Some(bundle) => format!("{}.\n\n{}", bundle.request(), bundle.error_text()),
            None => self.text(),
        }
    }

    pub fn text(&self) -> String {
        let bundle = self.bundle.iter();
        let requested = bundle.flat_map(|bundle| [bundle.request(), bundle.error_text()]);
        let searched = self.steps.iter().filter_map(UsageStep::search);
        requested.chain(searched).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(".\n\n")
    }

    pub(crate) fn first_text(&self) -> &str {
        let searched = self.steps.iter().find_map(UsageStep::search);
        self.bundle.as_ref().map(AuditEntry::request).or(searched).unwrap_or_default()
    }

    pub fn fetched(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let steps = self.steps.iter().filter_map(|step| match step {
            UsageStep::Fetch(ids) => Some(ids),
            UsageStep::Search { .. } => None,
        });
        steps.flatten().map(String::as_str).filter(|id| seen.insert(*id)).collect()
    }

    pub fn wanted(&self) -> BTreeSet<&str> {
        let mut wanted: BTreeSet<&str> = self.fetched().into_iter().collect();
        for (at, step) in self.steps.iter().enumerate() {
            if let UsageStep::Search { is_answered: true, best: Some(best), .. } = step
                && !matches!(self.steps.get(at + 1), Some(UsageStep::Fetch(_)))
            {
                wanted.insert(best);
            }
        }
        wanted
    }

    pub(crate) fn wanted_by_words(&self) -> BTreeSet<&str> {
        let fetched: BTreeSet<&str> = self.fetched().into_iter().collect();
        let request_stems = content_stems(&self.request());
        let has_word = |id: &str| {
            self.steps.iter().any(|step| match step {
                UsageStep::Search { text, is_answered: true, best: Some(best) } => {
                    best == id && !content_stems(text).is_disjoint(&request_stems)
                }
                _ => false,
            })
        };
        let wanted = self.wanted().into_iter();
        wanted.filter(|id| fetched.contains(id) || has_word(id)).collect()
    }

    pub fn unanswered(&self) -> Vec<&str> {
        self.open.iter().filter_map(|(at, _)| self.steps[*at].search()).collect()
    }

    fn add(&mut self, step: UsageStep, tokens: u64) {
        self.step_tokens = self.step_tokens.saturating_add(tokens);
        if self.steps.len() == MAX_STEPS {
            return;
        }
        let answered = match &step {
            UsageStep::Search { text, is_answered: true, .. } => Some(content_stems(text)),
            UsageStep::Search { text, .. } => {
                self.open.push((self.steps.len(), content_stems(text)));
                None
            }
            UsageStep::Fetch(_) => {
                self.open.pop_if(|(at, _)| *at + 1 == self.steps.len()).map(|(_, stems)| stems)
            }
        };
        if let Some(stems) = answered {
            self.open.retain(|(_, open)| open.is_disjoint(&stems));
        }
        self.steps.push(step);
    }

    fn is_closed(&self) -> bool {
        self.bundle.is_none() && self.open.is_empty()
    }
}

#[derive(Debug, Default)]
pub struct Usage {
    pub episodes: Vec<Episode>,
    pub given_otherwise: BTreeSet<String>,
    pub left_out: usize,
    sessions: BTreeMap<String, SessionState>,
    requests: BTreeMap<Option<String>, (Timestamp, usize)>,
}

#[derive(Debug, Default)]
struct SessionState {
    has: BTreeSet<String>,
    episode: Option<usize>,
}

impl Usage {
    pub fn add(&mut self, entry: AuditEntry) {
        if entry.outcome != CallOutcome::Answered {
            return;
        }
        match entry.kind() {
            CallKind::Bundle => self.add_bundle(entry),
            CallKind::Search => {
                let best = entry.results.first().map(|id| context_of(id).to_owned());
                let is_answered = !entry.is_unanswered();
                let text = entry.request().trim().to_owned();
                if !text.is_empty() {
                    self.add_step(&entry, UsageStep::Search { text, is_answered, best });
                }
            }
            CallKind::Detail => {
                let ids = entry.results.iter().map(|id| context_of(id).to_owned()).collect();
                self.add_step(&entry, UsageStep::Fetch(ids));
            }
            CallKind::List | CallKind::Other => {}
        }
        if self.episodes.len() >= 2 * MAX_EPISODES {
            self.keep_last(MAX_EPISODES);
        }
    }

    #[must_use]
    pub fn finish(mut self) -> Self {
        self.keep_last(MAX_EPISODES);
        self
    }

    fn keep_last(&mut self, limit: usize) {
        let old = self.episodes.len().saturating_sub(limit);
        if old == 0 {
            return;
        }
        self.left_out += old;
        self.episodes.drain(..old);
        self.sessions.retain(|_, state| {
            state.episode = state.episode.and_then(|at| at.checked_sub(old));
            state.episode.is_some()
        });
        self.requests.retain(|_, (_, at)| {
            let is_kept = *at >= old;
            *at = at.saturating_sub(old);
            is_kept
        });
    }

    fn add_bundle(&mut self, entry: AuditEntry) {
        let is_hook = entry.tool.starts_with(HOOK);
        let starts_over = entry.argument("starts_over").and_then(Value::as_bool) == Some(true);
        let state = self.sessions.entry(entry.session.clone()).or_default();
        if !is_hook || starts_over {
            state.has.clear();
        }
        state.has.extend(entry.results.iter().cloned());
        if entry.request().trim().is_empty() {
            self.given_otherwise.extend(entry.results);
            return;
        }
        let at = self.episodes.len();
        state.episode = Some(at);
        if is_hook || entry.tool.starts_with(COMMAND) {
            self.requests.insert(entry.principal.clone(), (entry.time, at));
        }
        let (session, given) = (entry.session.clone(), state.has.clone());
        let episode = Episode { session, bundle: Some(entry), given, ..Episode::default() };
        self.episodes.push(episode);
    }

    fn add_step(&mut self, entry: &AuditEntry, step: UsageStep) {
        let own = self.sessions.get(&entry.session).and_then(|state| state.episode);
        let recent = self.requests.get(&entry.principal);
        let recent = recent.filter(|(time, _)| entry.time.duration_since(*time) <= MAX_GAP);
        let is_search = matches!(step, UsageStep::Search { .. });
        let is_open = |&at: &usize| !(is_search && self.episodes[at].is_closed());
        let at = own.filter(is_open).or_else(|| recent.map(|(_, at)| *at)).unwrap_or_else(|| {
            let session = entry.session.clone();
            let at = self.episodes.len();
            self.sessions.entry(session.clone()).or_default().episode = Some(at);
            self.episodes.push(Episode { session, ..Episode::default() });
            at
        });
        self.episodes[at].add(step, entry.tokens);
    }

    pub fn requests(&self) -> impl Iterator<Item = (&Episode, &AuditEntry)> {
        self.episodes.iter().filter_map(|episode| Some((episode, episode.bundle.as_ref()?)))
    }
}

pub(super) fn content_stems(text: &str) -> BTreeSet<String> {
    let content = words(text).zip(stems(text));
    let significant = content.filter(|(word, _)| !is_stop(&text[word.bytes.clone()]));
    significant.map(|(_, stem)| stem).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(minute: i64, session: &str, tool: &str, text: &str, results: &[&str]) -> AuditEntry {
        AuditEntry {
            time: Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute),
            session: session.to_owned(),
            tool: tool.to_owned(),
            arguments: json!({ "request": text }),
            results: results.iter().map(|id| (*id).to_owned()).collect(),
            relevance: Some(0.9),
            ..AuditEntry::default()
        }
    }

    fn usage(entries: impl IntoIterator<Item = AuditEntry>) -> Usage {
        let mut usage = Usage::default();
        entries.into_iter().for_each(|entry| usage.add(entry));
        usage
    }

    #[test]
    fn what_follows_a_bundle_belongs_to_it() {
        let usage = usage([
            call(0, "a", "assemble_prompt", "fix it", &["x"]),
            call(1, "a", "search_context", "fix how", &["y#2", "z"]),
            call(2, "a", "assemble_prompt", "next", &["x"]),
            call(3, "a", "expand_context", "", &["z#1"]),
        ]);
        let [first, second] = &usage.episodes[..] else { panic!("{usage:?}") };
        assert_eq!(first.wanted().into_iter().collect::<Vec<_>>(), ["y"]);
        assert_eq!(first.wanted_by_words(), first.wanted());
        assert_eq!((first.text(), first.fetched().len()), ("fix it.\n\nfix how".to_owned(), 0));
        assert_eq!(second.fetched(), ["z"]);
    }

    #[test]
    fn an_agent_with_hooks_asks_a_server_by_another_session() {
        let usage = usage([
            call(0, "hooks", "hook.session_start", "", &["x"]),
            call(1, "hooks", "hook.prompt", "fix it", &["y"]),
            call(2, "server", "expand_context", "", &["z"]),
            call(90, "server", "expand_context", "", &["late"]),
        ]);
        let [episode, late] = &usage.episodes[..] else { panic!("{usage:?}") };
        assert_eq!(episode.fetched(), ["z"]);
        assert_eq!(episode.given.iter().collect::<Vec<_>>(), ["x", "y"]);
        assert!(late.bundle.is_none(), "{late:?}");
    }

    #[test]
    fn the_last_episodes_are_kept_with_what_follows_them() {
        let mut usage = usage([
            call(0, "a", "assemble_prompt", "one", &[]),
            call(1, "b", "assemble_prompt", "two", &[]),
            call(2, "hooks", "hook.prompt", "three", &[]),
        ]);
        usage.keep_last(2);
        for (session, id) in [("b", "x"), ("server", "y"), ("a", "z")] {
            usage.add(call(3, session, "expand_context", "", &[id]));
        }
        let fetched: Vec<Vec<&str>> = usage.episodes.iter().map(Episode::fetched).collect();
        assert_eq!((fetched, usage.left_out), (vec![vec!["x"], vec!["y", "z"]], 1));
        for _ in 0..=MAX_STEPS {
            usage.add(call(4, "b", "expand_context", "", &["x"]));
        }
        assert_eq!(usage.episodes[0].steps.len(), MAX_STEPS);
    }

    fn usage_of_another_topic() -> Episode {
        let none = call(1, "s", "search_context", "parking", &[]);
        let usage = usage([
            call(0, "s", "assemble_prompt", "fix the build", &[]),
            none,
            call(2, "s", "search_context", "application logs", &["y"]),
        ]);
        usage.episodes.into_iter().next().unwrap()
    }

    #[test]
    fn a_question_is_open_until_something_answers_it() {
        let none = |minute, text| AuditEntry {
            relevance: Some(0.1),
            ..call(minute, "s", "search_context", text, &["x"])
        };
        let usage = usage([
            none(0, "parental leave"),
            call(1, "s", "search_context", "the leave of parents", &["y"]),
            none(2, "parking"),
            none(3, "garage"),
        ]);
        let open: Vec<Vec<&str>> = usage.episodes.iter().map(Episode::unanswered).collect();
        assert_eq!(open, [vec![], vec!["parking", "garage"]]);
        let other = usage_of_another_topic();
        assert_eq!(other.unanswered(), ["parking"]);
        assert_eq!(other.wanted_by_words().len(), 0);
        assert_eq!(usage.episodes[0].wanted().into_iter().collect::<Vec<_>>(), ["y"]);
    }
}
