//! Sums up logged calls.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use super::entry::{AuditEntry, CallOutcome};
use super::figures::ContextStats;
use super::kind::{ASSEMBLE, CallKind, context_of};

/// Add entries in log order.
#[derive(Debug, Default)]
pub struct Tally {
    since: Timestamp,
    sessions: BTreeMap<String, ConnectionTally>,
    pub tools: BTreeMap<String, Calls>,
    pub period: Option<(Timestamp, Timestamp)>,
    pub queries: u64,
    pub followed: u64,
    pub on_demand: u64,
    pub relevance: (f64, u64),
    /// Tokens: all, and those that requests called for.
    pub contexts: (u64, u64),
    pub deliveries: BTreeMap<String, ContextStats>,
    pub unanswered: BTreeMap<String, UnansweredTally>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnansweredTally {
    pub query: String,
    pub calls: u64,
    pub sessions: BTreeSet<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    pub milliseconds: Vec<f64>,
    pub errors: u64,
    pub empty: u64,
    pub tokens: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectionTally {
    pub first: Option<Timestamp>,
    pub bundles: u64,
    pub lists: u64,
    pub details: u64,
    pub searches: u64,
    pub tokens: u64,
    pub saved: u64,
    began_with_prompt: bool,
    counted: bool,
    query: Option<Followed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Followed {
    NotYet,
    Yes,
}

impl Tally {
    /// Earlier calls only determine how sessions began.
    pub fn new(since: Timestamp) -> Self {
        Self { since, ..Self::default() }
    }

    pub fn sessions(&self) -> usize {
        self.counted().count()
    }

    pub fn counted(&self) -> impl Iterator<Item = (&String, &ConnectionTally)> {
        self.sessions.iter().filter(|(_, session)| session.counted)
    }

    pub(crate) fn calls_of(&self, tool: &str) -> usize {
        self.tools.get(tool).map_or(0, |calls| calls.milliseconds.len())
    }

    pub fn add(&mut self, entry: &AuditEntry) {
        let counts = entry.time >= self.since;
        self.follow(entry, counts);
        if !counts {
            return;
        }
        let (first, last) = self.period.unwrap_or((entry.time, entry.time));
        self.period = Some((first.min(entry.time), last.max(entry.time)));
        let answered = entry.outcome == CallOutcome::Answered;
        let calls = self.tools.entry(entry.tool.clone()).or_default();
        calls.milliseconds.push(entry.milliseconds);
        calls.errors += u64::from(!answered);
        let is_empty = entry.kind() != CallKind::Other && entry.results.is_empty();
        calls.empty += u64::from(answered && is_empty);
        calls.tokens = calls.tokens.saturating_add(entry.tokens);
        self.deliver(entry);
        self.add_session(entry);
        if entry.is_unanswered() {
            let query = entry.request().split_whitespace().collect::<Vec<_>>().join(" ");
            let unanswered = self.unanswered.entry(query.to_lowercase()).or_default();
            if unanswered.calls == 0 {
                unanswered.query = query;
            }
            unanswered.calls += 1;
            unanswered.sessions.insert(entry.session.clone());
        }
        if let Some(score) = entry.relevance {
            self.relevance.0 += score;
            self.relevance.1 += 1;
        }
        if let Some(contexts) = entry.contexts {
            self.contexts.0 = self.contexts.0.saturating_add(contexts.loaded);
            self.contexts.1 = self.contexts.1.saturating_add(contexts.used.min(contexts.loaded));
        }
    }

    fn deliver(&mut self, entry: &AuditEntry) {
        let kind = entry.kind();
        if matches!(kind, CallKind::List | CallKind::Other) {
            return;
        }
        let contexts: BTreeSet<&str> = entry.results.iter().map(|id| context_of(id)).collect();
        for id in contexts {
            let counts = self.deliveries.entry(id.to_owned()).or_default();
            match kind {
                CallKind::Bundle => counts.given += 1,
                CallKind::Detail => counts.expanded += 1,
                _ => counts.found += 1,
            }
        }
        for id in entry.shortened.iter().filter(|_| kind == CallKind::Bundle) {
            self.deliveries.entry(id.clone()).or_default().shortened += 1;
        }
        let left_out = entry.arguments.get("left_out").and_then(Value::as_array);
        for id in left_out.into_iter().flatten().filter_map(Value::as_str) {
            self.deliveries.entry(id.to_owned()).or_default().left_out += 1;
        }
    }

    fn add_session(&mut self, entry: &AuditEntry) {
        let Some(session) = self.sessions.get_mut(&entry.session) else { return };
        session.first.get_or_insert(entry.time);
        match entry.kind() {
            CallKind::Bundle => session.bundles += u64::from(!entry.is_event()),
            CallKind::List => session.lists += 1,
            CallKind::Detail => session.details += 1,
            CallKind::Search => session.searches += 1,
            CallKind::Other => return,
        }
        session.tokens = session.tokens.saturating_add(entry.tokens);
        session.saved = session.saved.saturating_add(entry.saved);
    }

    fn follow(&mut self, entry: &AuditEntry, counts: bool) {
        if entry.tool.ends_with("/list") {
            return;
        }
        let is_prompt = entry.tool == ASSEMBLE;
        let fresh = ConnectionTally { began_with_prompt: is_prompt, ..ConnectionTally::default() };
        let session = self.sessions.entry(entry.session.clone()).or_insert(fresh);
        session.counted |= counts;
        if !session.began_with_prompt {
            return;
        }
        if is_prompt {
            // Calls after a failed prompt do not count for the one before.
            let is_query = counts && entry.outcome == CallOutcome::Answered;
            session.query = is_query.then_some(Followed::NotYet);
            self.queries += u64::from(is_query);
        } else if let Some(query) = &mut session.query {
            self.on_demand += 1;
            self.followed += u64::from(*query == Followed::NotYet);
            *query = Followed::Yes;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::audit::entry::Contexts;
    use crate::audit::kind::LIST;

    pub(in crate::audit) fn call(second: i64, session: &str, tool: &str) -> AuditEntry {
        let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        AuditEntry {
            time: start + jiff::SignedDuration::from_secs(second),
            session: session.to_owned(),
            tool: tool.to_owned(),
            results: vec!["a".to_owned()],
            tokens: 10,
            milliseconds: 1.0,
            ..AuditEntry::default()
        }
    }

    fn tally(since: i64, entries: &[AuditEntry]) -> Tally {
        let mut tally = Tally::new(call(since, "", "").time);
        for entry in entries {
            tally.add(entry);
        }
        tally
    }

    #[test]
    fn a_query_is_a_prompt_of_a_session_that_began_with_one() {
        let log = [
            call(0, "a", ASSEMBLE),
            call(1, "b", "search_context"),
            call(2, "a", "search_context"),
            call(3, "a", "expand_context"),
            call(4, "a", ASSEMBLE),
            call(5, "b", ASSEMBLE),
            call(6, "b", "search_context"),
            call(7, "c", ASSEMBLE),
            AuditEntry { outcome: CallOutcome::Failed(None), ..call(8, "c", ASSEMBLE) },
            call(9, "c", LIST),
        ];
        let all = tally(0, &log);
        assert_eq!((all.queries, all.followed, all.on_demand), (3, 1, 2));
        assert_eq!((all.sessions(), all.tools.len(), all.calls_of(ASSEMBLE)), (3, 4, 5));
        let later = tally(2, &log);
        assert_eq!((later.queries, later.followed, later.on_demand), (2, 0, 0));
        assert_eq!(later.period, Some((log[2].time, log[9].time)));
        assert_eq!(tally(9, &log).sessions(), 1);
    }

    #[test]
    fn each_context_is_counted_in_the_way_in_which_it_was_given() {
        let bundle = AuditEntry { shortened: vec!["a".to_owned()], ..call(0, "s", ASSEMBLE) };
        let passages = vec!["a#1".to_owned(), "a#2".to_owned()];
        let search = AuditEntry { results: passages, ..call(1, "s", "search_context") };
        let log = [bundle, search, call(2, "s", "expand_context"), call(3, "s", LIST)];
        let counts = tally(0, &log).deliveries["a"].clone();
        let expected = ContextStats {
            given: 1,
            shortened: 1,
            expanded: 1,
            found: 1,
            ..ContextStats::default()
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn questions_without_an_answer_are_grouped_by_their_words() {
        let search = |second, query: &str, relevance| AuditEntry {
            arguments: serde_json::json!({ "query": query }),
            relevance,
            ..call(second, "s", "search_context")
        };
        let none =
            |second, query| AuditEntry { results: Vec::new(), ..search(second, query, None) };
        let log = [
            none(0, "Parental  leave"),
            search(1, "parental leave", Some(0.3)),
            search(2, "releases", Some(0.8)),
            none(3, " "),
        ];
        let tally = tally(0, &log);
        let only = &tally.unanswered["parental leave"];
        assert_eq!((tally.unanswered.len(), &*only.query, only.calls), (1, "Parental leave", 2));
        let (_, session) = tally.counted().next().unwrap();
        assert_eq!((session.searches, session.tokens), (4, 40));
    }

    #[test]
    fn prompts_of_a_session_are_no_other_events() {
        let events = ["session-start", "instructions", "prompt", "tool", "session-end"];
        let tools = events.map(|event| format!("hook.{event}"));
        let log = tools.each_ref().map(|tool| call(0, "s", tool));
        let tally = tally(0, &log);
        let (_, session) = tally.counted().next().unwrap();
        assert_eq!((session.bundles, session.tokens), (1, 50));
    }

    #[test]
    fn sums_are_kept_for_each_tool() {
        let empty = AuditEntry { results: Vec::new(), relevance: None, ..call(0, "a", LIST) };
        let hit = AuditEntry { relevance: Some(0.5), ..call(1, "a", LIST) };
        let failed = AuditEntry {
            outcome: CallOutcome::Failed(Some("faber::unknown".into())),
            results: Vec::new(),
            tokens: u64::MAX,
            ..call(2, "a", LIST)
        };
        let contexts = Some(Contexts { loaded: 100, used: 200 });
        let prompt = AuditEntry { contexts, ..call(3, "a", ASSEMBLE) };
        let roles = AuditEntry { results: Vec::new(), ..call(4, "a", "list_roles") };
        let tally = tally(0, &[empty, hit, failed, prompt, roles]);
        assert_eq!(tally.tools["list_roles"].empty, 0, "it has no ids");
        let list = &tally.tools[LIST];
        assert_eq!((list.errors, list.empty, list.tokens), (1, 1, u64::MAX));
        assert_eq!(tally.relevance, (0.5, 1));
        assert_eq!(tally.contexts, (100, 100));
    }
}
