//! Statistics of a log, with targets. Field names are stable.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::kind::{DETAIL, LIST};
use super::tally::{Calls, ConnectionTally, Tally, UnansweredTally};

/// `faber stats --format json`.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct StatsData {
    /// `faber.stats/1`.
    pub schema: &'static str,
    /// From when on calls are counted, with `--since`.
    pub since: Option<String>,
    /// When the first call came in that is counted.
    pub first: Option<String>,
    /// When the last one came in.
    pub last: Option<String>,
    /// The calls.
    pub calls: u64,
    /// Those that ended with an error.
    pub errors: u64,
    /// The connections that calls came by.
    pub sessions: u64,
    /// The tools that were called, by name.
    pub tools: Vec<ToolData>,
    /// How often each context was given, with `--by context`; the most frequent first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Vec<ContextStats>>,
    /// The questions without an answer, with `--by query`, most frequent first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<Vec<QueryStats>>,
    /// What each session called and saved, with `--by session`; in the order of their first calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_session: Option<Vec<SessionStats>>,
    /// Rates with their targets.
    pub figures: LogFigures,
    /// The files of the log.
    pub log: LogData,
}

/// The calls of one tool.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolData {
    /// Its name.
    pub tool: String,
    /// The calls.
    pub calls: u64,
    /// Those that ended with an error.
    pub errors: u64,
    /// Calls with an empty answer.
    pub empty: u64,
    /// The tokens of all answers.
    pub tokens: u64,
    /// Median duration in milliseconds.
    pub p50_ms: f64,
    /// 95th percentile of the duration in milliseconds.
    pub p95_ms: f64,
}

/// Rates. A *query* is a prompt that was assembled in a session that began with `assemble_prompt`.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct LogFigures {
    /// The share of queries after which any other tool was called, up to the next prompt.
    pub tool_call_rate: Figure,
    /// The calls of other tools after queries, for each query.
    pub calls_per_query: Figure,
    /// The share of queries after which no other tool was called.
    pub upfront_sufficiency: Figure,
    /// Median duration of all calls in milliseconds.
    pub latency_p50_ms: Figure,
    /// 95th percentile of the duration of all calls in milliseconds.
    pub latency_p95_ms: Figure,
    /// Mean relevance of the best hit, 0 to 1, over calls with hits.
    pub relevance: Figure,
    /// The calls of `get_context_details` for each call of `list_contexts`.
    pub detail_to_list: Figure,
    /// Of the tokens of contexts in assembled prompts, the share of those that the request called for.
    pub token_efficiency: Figure,
}

/// A figure and its target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// The figure, to four decimals; none without data.
    pub value: Option<f64>,
    /// Its target, if any.
    pub target: Option<Target>,
    /// Whether the target is met; none without a figure or a target.
    pub met: Option<bool>,
    /// The number of queries, calls or tokens it is based on.
    pub of: u64,
}

/// A target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Less than this.
    Below(f64),
    /// More than this.
    Above(f64),
}

/// The files of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LogData {
    /// The files that were read, oldest first, relative to the workspace.
    pub files: Vec<String>,
    /// The bytes of all of them.
    pub bytes: u64,
    /// Skipped lines that are truncated, too long or not entries.
    pub broken: u64,
    /// The path and line of the first one.
    pub first_broken: Option<String>,
    /// Skipped lines of another format than `faber.audit/1`.
    pub foreign: u64,
    /// The path and line of the first one.
    pub first_foreign: Option<String>,
}

/// How often a context was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContextStats {
    /// Its id.
    pub id: String,
    /// How often hooks and assembled prompts gave it.
    pub given: u64,
    /// How often these gave it in a shorter form.
    pub shortened: u64,
    /// How often it was relevant and had no room.
    pub left_out: u64,
    /// How often its text was requested by id.
    pub expanded: u64,
    /// How often a search found it.
    pub found: u64,
    /// Whether it still exists.
    pub exists: bool,
}

impl ContextStats {
    pub fn all(tally: &Tally, existing: &BTreeSet<String>) -> Vec<Self> {
        let mut ids = existing.clone();
        ids.extend(tally.deliveries.keys().cloned());
        let row = |id: String| {
            let counts = tally.deliveries.get(&id).cloned().unwrap_or_default();
            Self { exists: existing.contains(&id), id, ..counts }
        };
        let mut rows: Vec<Self> = ids.into_iter().map(row).collect();
        let often = |row: &Self| Reverse((row.given, row.expanded, row.found, row.left_out));
        rows.sort_by_key(|row| (often(row), row.id.clone()));
        rows
    }

    pub fn is_unused(&self) -> bool {
        self.given + self.expanded + self.found == 0
    }
}

/// A question for which a search found nothing, or only weak matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QueryStats {
    /// As first asked.
    pub query: String,
    /// How often it was asked.
    pub calls: u64,
    /// The number of sessions.
    pub sessions: u64,
}

impl QueryStats {
    pub fn all(tally: &Tally) -> Vec<Self> {
        let row = |asked: &UnansweredTally| Self {
            query: asked.query.clone(),
            calls: asked.calls,
            sessions: asked.sessions.len() as u64,
        };
        let mut rows: Vec<Self> = tally.unanswered.values().map(row).collect();
        rows.sort_by_key(|row| (Reverse(row.calls), row.query.clone()));
        rows
    }
}

/// The calls of a session, and the tokens it saved by requesting only the details it needed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionStats {
    /// The id of the connection or conversation.
    pub session: String,
    /// The time of its first counted call.
    pub first: String,
    /// Calls that gave what a request selects.
    pub bundles: u64,
    /// Calls that listed contexts.
    pub lists: u64,
    /// Calls that gave contexts by their ids.
    pub details: u64,
    /// Searches and context queries.
    pub searches: u64,
    /// The tokens of all answers.
    pub tokens: u64,
    /// The tokens by which answers were shorter than the full texts of what they are about.
    pub tokens_saved: u64,
    /// `tokens_saved` in percent of the full texts, with one decimal.
    pub efficiency_percent: f64,
}

impl SessionStats {
    pub fn all(tally: &Tally) -> Vec<Self> {
        let row = |(session, tally): (&String, &ConnectionTally)| {
            let first = tally.first?;
            let full = tally.tokens.saturating_add(tally.saved);
            let share = if full == 0 { 0.0 } else { float(tally.saved) / float(full) };
            Some(Self {
                session: session.clone(),
                first: format!("{first:.3}"),
                bundles: tally.bundles,
                lists: tally.lists,
                details: tally.details,
                searches: tally.searches,
                tokens: tally.tokens,
                tokens_saved: tally.saved,
                efficiency_percent: (share * 1000.0).round() / 10.0,
            })
        };
        let mut rows: Vec<Self> = tally.counted().filter_map(row).collect();
        rows.sort_by(|a, b| a.first.cmp(&b.first).then_with(|| a.session.cmp(&b.session)));
        rows
    }
}

impl StatsData {
    pub fn new(tally: &Tally, since: Option<String>, log: LogData) -> Self {
        let tools: Vec<ToolData> =
            tally.tools.iter().map(|(name, calls)| tool(name, calls)).collect();
        Self {
            schema: "faber.stats/1",
            since,
            first: tally.period.map(|(first, _)| format!("{first:.3}")),
            last: tally.period.map(|(_, last)| format!("{last:.3}")),
            calls: tools.iter().map(|tool| tool.calls).sum(),
            errors: tools.iter().map(|tool| tool.errors).sum(),
            sessions: tally.sessions() as u64,
            figures: LogFigures::of(tally),
            tools,
            contexts: None,
            queries: None,
            by_session: None,
            log,
        }
    }
}

fn tool(name: &str, calls: &Calls) -> ToolData {
    let times = sorted(calls.milliseconds.clone());
    ToolData {
        tool: name.to_owned(),
        calls: times.len() as u64,
        errors: calls.errors,
        empty: calls.empty,
        tokens: calls.tokens,
        p50_ms: percentile(&times, 50).unwrap_or_default(),
        p95_ms: percentile(&times, 95).unwrap_or_default(),
    }
}

impl LogFigures {
    fn of(tally: &Tally) -> Self {
        let all = tally.tools.values().flat_map(|calls| calls.milliseconds.iter().copied());
        let times = sorted(all.collect());
        let time =
            |percent, target| Figure::new(percentile(&times, percent), times.len() as u64, target);
        let queries = tally.queries;
        let (sum, scored) = tally.relevance;
        let relevance = (scored > 0).then(|| sum / float(scored));
        let (lists, details) = (tally.calls_of(LIST) as u64, tally.calls_of(DETAIL) as u64);
        let (loaded, used) = tally.contexts;
        let below = |most| Some(Target::Below(most));
        let above = |least| Some(Target::Above(least));
        Self {
            tool_call_rate: ratio(tally.followed, queries, below(0.2)),
            calls_per_query: ratio(tally.on_demand, queries, below(3.0)),
            upfront_sufficiency: ratio(queries - tally.followed, queries, above(0.8)),
            latency_p50_ms: time(50, None),
            latency_p95_ms: time(95, below(500.0)),
            relevance: Figure::new(relevance, scored, above(0.7)),
            detail_to_list: ratio(details, lists, below(0.3)),
            token_efficiency: ratio(used, loaded, above(0.6)),
        }
    }
}

impl Figure {
    fn new(value: Option<f64>, of: u64, target: Option<Target>) -> Self {
        let met = value.zip(target).map(|(value, target)| match target {
            Target::Below(most) => value < most,
            Target::Above(least) => value > least,
        });
        let value = value.map(|value| (value * 10_000.0).round() / 10_000.0);
        Self { value, target, met, of }
    }
}

fn ratio(part: u64, whole: u64, target: Option<Target>) -> Figure {
    Figure::new((whole > 0).then(|| float(part) / float(whole)), whole, target)
}

#[expect(clippy::cast_precision_loss, reason = "four decimals of a rate are asked for")]
fn float(number: u64) -> f64 {
    number as f64
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// Nearest rank.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::super::kind::ASSEMBLE;
    use super::super::tally::Tally;
    use super::super::tally::tests::call;
    use super::*;
    use crate::audit::entry::{AuditEntry, Contexts};

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!((percentile(&hundred, 50), percentile(&hundred, 95)), (Some(50.0), Some(95.0)));
        assert_eq!((percentile(&[7.0], 50), percentile(&[7.0], 95)), (Some(7.0), Some(7.0)));
        assert_eq!(percentile(&[1.0, 2.0], 95), Some(2.0));
        assert_eq!(percentile(&[], 95), None);
    }

    #[test]
    fn without_data_there_is_no_figure() {
        let data = StatsData::new(&Tally::new(call(0, "", "").time), None, LogData::default());
        let json = serde_json::to_value(&data.figures).unwrap();
        for (name, figure) in json.as_object().unwrap() {
            let nothing = figure["value"].is_null() && figure["met"].is_null() && figure["of"] == 0;
            assert!(nothing, "{name}: {figure}");
        }
        assert_eq!((data.calls, data.sessions, data.first), (0, 0, None));
    }

    #[test]
    fn a_session_saves_what_lists_and_summaries_leave_out() {
        let mut tally = Tally::new(call(0, "", "").time);
        tally.add(&AuditEntry { tokens: 100, saved: 300, ..call(0, "a", LIST) });
        tally.add(&AuditEntry { tokens: 100, ..call(1, "a", DETAIL) });
        tally.add(&call(2, "b", "skills/list"));
        let rows = SessionStats::all(&tally);
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.lists, row.details, row.tokens, row.tokens_saved), (1, 1, 200, 300));
        assert!((row.efficiency_percent - 60.0).abs() < 1e-9, "{rows:?}");
    }

    #[test]
    fn figures_are_next_to_their_targets() {
        let mut tally = Tally::new(call(0, "", "").time);
        for at in 0..4 {
            let contexts = Some(Contexts { loaded: 100, used: 75 });
            tally.add(&AuditEntry { contexts, milliseconds: 600.0, ..call(at, "a", ASSEMBLE) });
        }
        tally.add(&AuditEntry { relevance: Some(0.6), ..call(5, "a", LIST) });
        tally.add(&AuditEntry { relevance: Some(0.9), ..call(6, "a", DETAIL) });
        let figures = LogFigures::of(&tally);
        let shown = |figure: Figure| (figure.value.unwrap(), figure.met, figure.of);
        assert_eq!(shown(figures.tool_call_rate), (0.25, Some(false), 4));
        assert_eq!(shown(figures.calls_per_query), (0.5, Some(true), 4));
        assert_eq!(shown(figures.upfront_sufficiency), (0.75, Some(false), 4));
        assert_eq!(shown(figures.latency_p50_ms), (600.0, None, 6));
        assert_eq!(shown(figures.latency_p95_ms), (600.0, Some(false), 6));
        assert_eq!(shown(figures.relevance), (0.75, Some(true), 2));
        assert_eq!(shown(figures.detail_to_list), (1.0, Some(false), 1));
        assert_eq!(shown(figures.token_efficiency), (0.75, Some(true), 400));
    }
}
