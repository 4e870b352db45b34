//! Paths and cycles in a graph with at most one successor per node.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::diagnostic::Diagnostic;
use crate::rule::Rule;
use crate::source::Span;

pub(super) struct Paths<'k, K> {
    /// A node without successor, or the first of a cycle; number of steps.
    ends: BTreeMap<&'k K, (&'k K, usize)>,
    pub(super) cycles: Vec<Vec<&'k K>>,
}

impl<'k, K: Ord> Paths<'k, K> {
    pub(super) fn new(next: &BTreeMap<&'k K, &'k K>) -> Self {
        let mut paths = Self { ends: BTreeMap::new(), cycles: Vec::new() };
        for &start in next.keys() {
            let mut way: Vec<&K> = Vec::new();
            let mut places: BTreeMap<&K, usize> = BTreeMap::new();
            let mut at = start;
            while !paths.ends.contains_key(at) {
                if let Some(&from) = places.get(at) {
                    paths.add_cycle(way.split_off(from));
                    break;
                }
                let Some(&further) = next.get(at) else {
                    paths.ends.insert(at, (at, 0));
                    break;
                };
                places.insert(at, way.len());
                way.push(at);
                at = further;
            }
            let (end, mut steps) = paths.ends[at];
            for at in way.into_iter().rev() {
                steps += 1;
                paths.ends.insert(at, (end, steps));
            }
        }
        paths.cycles.sort();
        paths
    }

    fn add_cycle(&mut self, mut cycle: Vec<&'k K>) {
        self.ends.extend(cycle.iter().map(|&at| (at, (at, 0))));
        let least = cycle.iter().enumerate().min_by_key(|&(_, at)| at);
        let least = least.map_or(0, |(place, _)| place);
        cycle.rotate_left(least);
        self.cycles.push(cycle);
    }

    pub(super) fn end<'a>(&'a self, at: &'a K) -> (&'a K, usize) {
        self.ends.get(at).map_or((at, 0), |&(end, steps)| (end, steps))
    }
}

pub(super) fn in_a_circle<K: Display>(
    rule: &'static Rule,
    what: &str,
    cycle: impl Iterator<Item = (K, Option<Span>)>,
) -> Diagnostic {
    const SHOWN: usize = 8;
    let (names, spans): (Vec<String>, Vec<Option<Span>>) =
        cycle.map(|(name, span)| (name.to_string(), span)).unzip();
    let mut names = [&names[..], &names[..1]].concat();
    if names.len() > SHOWN + 1 {
        names.splice(SHOWN / 2..names.len() - SHOWN / 2, ["…".to_owned()]);
    }
    let message = format!("{what}: {}", names.join(" → "));
    let mut spans = spans.into_iter().flatten();
    let first = spans.next().expect("each of them has the field that leads on");
    spans.fold(rule.at(first, message), |finding, span| {
        finding.related(span, "the cycle continues here")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(next: &'static [(u32, u32)]) -> Paths<'static, u32> {
        Paths::new(&next.iter().map(|(from, to)| (from, to)).collect())
    }

    #[test]
    fn ways_end_where_nothing_leads_on() {
        let paths = paths(&[(1, 2), (2, 3), (7, 3)]);
        assert_eq!(paths.end(&1), (&3, 2));
        assert_eq!(paths.end(&7), (&3, 1));
        assert_eq!(paths.end(&3), (&3, 0));
        assert_eq!(paths.end(&9), (&9, 0));
        assert!(paths.cycles.is_empty());
    }

    #[test]
    fn a_circle_is_one_wherever_it_is_met() {
        let paths = paths(&[(1, 8), (8, 5), (5, 6), (6, 8), (3, 3), (4, 1)]);
        assert_eq!(paths.cycles, [vec![&3], vec![&5, &6, &8]]);
        assert_eq!(paths.end(&4), (&8, 2));
        assert_eq!(paths.end(&6), (&6, 0));
    }

    #[test]
    fn long_ways_take_linear_time() {
        let ids: Vec<u32> = (0..200_000).collect();
        let next = ids.windows(2).map(|pair| (&pair[0], &pair[1])).collect();
        assert_eq!(Paths::new(&next).end(&0), (&199_999, 199_999));
    }
}
