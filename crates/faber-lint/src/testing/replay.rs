//! Replays logged requests in two states of a workspace.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::suggest::{Arguments, LoggedCalls, RequestChange};
use faber_core::budget::level::Level;
use faber_session::session::Session;

const MAX_REPLAYED: usize = 200;

/// The results of logged requests before and after the changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ReplayData {
    /// How many different requests were assembled: the most frequent ones.
    pub requests: usize,
    /// The number of calls with these requests.
    pub calls: usize,
    /// All logged requests, including those whose texts are not logged in full.
    pub logged_calls: usize,
    /// The figures of the current workspace.
    pub before: ReplayFigures,
    /// The figures with the changes.
    pub after: ReplayFigures,
    /// The requests that get different contexts, most frequent first.
    pub changes: Vec<RequestChange>,
}

/// The totals for all calls of logged requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplayFigures {
    /// The tokens of the bundles.
    pub tokens: usize,
    /// The contexts in them.
    pub contexts: usize,
    /// The number of shortened contexts.
    pub shortened: usize,
    /// The number of contexts requested after these calls.
    pub needed: usize,
    /// The number of these that the bundles contain.
    pub needed_and_given: usize,
    /// The calls whose bundle cannot be assembled.
    pub failed: usize,
}

struct Replayed {
    ids: BTreeSet<String>,
    shortened: usize,
    tokens: usize,
}

impl LoggedCalls {
    pub fn replay(&self, before: &Session, after: &Session) -> ReplayData {
        let mut data = ReplayData { logged_calls: self.count(), ..ReplayData::default() };
        for (arguments, group) in self.most_frequent(MAX_REPLAYED) {
            data.requests += 1;
            data.calls += group.calls;
            let (old, new) = (replayed(arguments, before), replayed(arguments, after));
            let given = |ids: &BTreeSet<String>| -> usize {
                let given = group.needed.iter().filter(|(id, _)| ids.contains(*id));
                given.map(|(_, count)| count).sum()
            };
            let needed: usize = group.needed.values().sum();
            for (figures, bundle) in [(&mut data.before, &old), (&mut data.after, &new)] {
                figures.needed += needed;
                match bundle {
                    Some(bundle) => {
                        figures.tokens += bundle.tokens * group.calls;
                        figures.contexts += bundle.ids.len() * group.calls;
                        figures.shortened += bundle.shortened * group.calls;
                        figures.needed_and_given += given(&bundle.ids);
                    }
                    None => figures.failed += group.calls,
                }
            }
            let ids = |bundle: Option<Replayed>| bundle.map(|it| it.ids).unwrap_or_default();
            let (old, new) = (ids(old), ids(new));
            data.changes.extend(RequestChange::between(arguments, group.calls, &old, &new));
        }
        data
    }
}

fn replayed(arguments: &Arguments, session: &Session) -> Option<Replayed> {
    let bundle = arguments.setup().assemble(session, false).result.ok()?.bundle;
    Some(Replayed {
        ids: bundle.loaded.iter().map(|loaded| loaded.id.to_string()).collect(),
        shortened: bundle.loaded.iter().filter(|it| it.level != Level::Detailed).count(),
        tokens: bundle.figures.summary.total_used,
    })
}
