use std::collections::BTreeMap;

use faber_core::error::Error;
use faber_core::numbers;
use faber_output::table::{self, Column, DisplayOptions};

use super::evidence::ContextEvidence;
use super::plan::{TrialPair, TrialPlan};
use super::statistics::{interval, mean};
use super::verdicts::{self, Verdict};

#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    pub plan: &'a TrialPlan,
    pub verdicts: &'a [Verdict],
    pub seed: u64,
    pub date: &'a str,
}

/// # Errors
///
/// [`Error::Usage`] for a run outside of the plan.
pub fn compare(judged: Judged<'_>) -> Result<BTreeMap<String, ContextEvidence>, Error> {
    let Judged { plan, verdicts, seed, date } = judged;
    let tokens: BTreeMap<u32, u64> = plan.runs.iter().map(|run| (run.id, run.tokens)).collect();
    if let Some(other) = verdicts.iter().find(|verdict| !tokens.contains_key(&verdict.run)) {
        return Err(Error::usage(
            format!("the plan has no run {}", other.run),
            "pass the plan that the results were made with: `--plan FILE`",
        ));
    }
    let scores = verdicts::by_run(verdicts);
    let mut pairs: BTreeMap<&str, Vec<&TrialPair>> = BTreeMap::new();
    for pair in &plan.pairs {
        if scores.contains_key(&pair.with) && scores.contains_key(&pair.without) {
            pairs.entry(&pair.context).or_default().push(pair);
        }
    }
    let of_context = |(context, pairs): (&str, Vec<&TrialPair>)| {
        let each = |value: &dyn Fn(&TrialPair) -> f64| -> Vec<f64> {
            pairs.iter().map(|pair| value(pair)).collect()
        };
        let with = mean(&each(&|pair| scores[&pair.with].0));
        let without = mean(&each(&|pair| scores[&pair.without].0));
        let differences = each(&|pair| scores[&pair.with].0 - scores[&pair.without].0);
        let difference = mean(&differences);
        let bounds = interval(&differences, seed);
        let cost = mean(&each(&|pair| count(tokens[&pair.with]) - count(tokens[&pair.without])));
        let runs = pairs.iter().map(|pair| scores[&pair.with].1 + scores[&pair.without].1).sum();
        let evidence = ContextEvidence {
            date: date.to_owned(),
            text: plan.texts.get(context).cloned(),
            cases: pairs.len(),
            runs,
            with: rounded(with),
            without: rounded(without),
            difference: rounded(difference),
            low: bounds.map(|(low, _)| rounded(low)),
            high: bounds.map(|(_, high)| rounded(high)),
            tokens: rounded(cost),
            gain: (cost > 0.0).then(|| rounded(difference * 1000.0 / cost)),
        };
        (context.to_owned(), evidence)
    };
    Ok(pairs.into_iter().map(of_context).collect())
}

fn count(tokens: u64) -> f64 {
    f64::from(u32::try_from(tokens).unwrap_or(u32::MAX))
}

/// Adding zero avoids `-0`.
fn rounded(value: f64) -> f64 {
    numbers::rounded(value, 10_000.0)
}

const COLUMNS: [Column; 7] = [
    Column::new("context"),
    Column::figures("cases"),
    Column::figures("runs"),
    Column::figures("difference"),
    Column::figures("95 % interval"),
    Column::figures("tokens"),
    Column::figures("per 1 000"),
];

pub fn table(results: &BTreeMap<String, ContextEvidence>, look: DisplayOptions) -> String {
    let mut rows: Vec<(&String, &ContextEvidence)> = results.iter().collect();
    rows.sort_by(|(one, a), (other, b)| b.difference.total_cmp(&a.difference).then(one.cmp(other)));
    let row = |(context, it): (&String, &ContextEvidence)| {
        let interval = it.low.zip(it.high).map(|(low, high)| format!("{low:+.2} … {high:+.2}"));
        vec![
            context.clone(),
            it.cases.to_string(),
            it.runs.to_string(),
            format!("{:+.2}", it.difference),
            interval.unwrap_or_else(|| "one case".to_owned()),
            format!("{:.0}", it.tokens),
            it.gain.map_or_else(|| "-".to_owned(), |gain| format!("{gain:+.2}")),
        ]
    };
    let rows: Vec<Vec<String>> = rows.into_iter().map(row).collect();
    table::table(&COLUMNS, &rows, 0, look.width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::plan::TrialRun;

    fn run(id: u32, tokens: u64) -> TrialRun {
        TrialRun {
            id,
            case: "c".to_owned(),
            without: None,
            tokens,
            bundle: String::new(),
            request: String::new(),
            answer: Vec::new(),
            answer_contains: Vec::new(),
        }
    }

    #[test]
    fn a_context_is_compared_by_its_judged_pairs() {
        let pair =
            |context: &str, with, without| TrialPair { context: context.to_owned(), with, without };
        let plan = TrialPlan {
            runs: vec![run(1, 500), run(2, 300), run(3, 400), run(4, 300), run(5, 100)],
            pairs: vec![pair("a/b", 1, 2), pair("a/b", 3, 4), pair("a/c", 1, 5)],
            ..TrialPlan::default()
        };
        let verdict = |(run, score)| Verdict { run, score };
        let verdicts = [(1, 1.0), (1, 0.5), (2, 0.5), (3, 1.0), (4, 0.0)].map(verdict);
        let judged = Judged { plan: &plan, verdicts: &verdicts, seed: 1, date: "2026-01-15" };
        let results = compare(judged).unwrap();
        assert_eq!(results.len(), 1, "the other pair has one verdict");
        // (0.75 - 0.5 + 1 - 0) / 2 for 150 tokens.
        let it = &results["a/b"];
        assert_eq!((it.cases, it.runs, it.difference, it.tokens), (2, 5, 0.625, 150.0));
        assert_eq!((it.low, it.high, it.gain), (Some(0.25), Some(1.0), Some(4.1667)));
        let unknown = [verdict((9, 1.0))];
        assert!(compare(Judged { verdicts: &unknown, ..judged }).is_err());
    }
}
