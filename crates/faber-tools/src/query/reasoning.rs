use std::ops::RangeInclusive;

use super::choose::{Chosen, ChunkCandidate, ChunkChoice, Omission, OmittedCandidate};
use super::data::rounded;
use crate::search::item::DEFAULT_CONFIDENCE;
use faber_core::budget::level::Level;
use faber_core::config::Purpose;

pub(super) fn sentences(
    candidates: &[ChunkCandidate],
    choice: &ChunkChoice,
    purpose: Purpose,
) -> Vec<String> {
    let included = choice.chosen.iter().map(|it| included(&candidates[it.candidate], it, purpose));
    let mut sentences: Vec<String> = included.collect();
    if choice.chosen.is_empty() {
        sentences.push("Nothing was chosen.".to_owned());
    }
    for why in [Omission::Redundant, Omission::NoRoom, Omission::TargetReached] {
        let left: Vec<&OmittedCandidate> =
            choice.left_out.iter().filter(|one| one.why == why).collect();
        sentences.extend(left_out(candidates, &left, why));
    }
    sentences
}

fn included(candidate: &ChunkCandidate, chosen: &Chosen, purpose: Purpose) -> String {
    let level = match chosen.form.level {
        Level::Detailed => "in full",
        Level::Focused => "with only its matching parts",
        Level::Summary => "as a summary",
        Level::Essence => "as its essence",
        other => other.name(),
    };
    format!(
        "`{}` is included {level} ({} tokens, utility {:.2}), mainly for {}.",
        candidate.id,
        chosen.form.tokens,
        rounded(chosen.utility),
        strongest(chosen, purpose)
    )
}

fn strongest(chosen: &Chosen, purpose: Purpose) -> String {
    const NAMES: [&str; 6] = ["relevance", "confidence", "trust", "recency", "density", "novelty"];
    const WITH_DEFAULTS: RangeInclusive<usize> = 1..=3;
    let weighted = chosen.components.weighted(purpose);
    let part = |at: usize| weighted[at].0 * f64::from(weighted[at].1) / 100.0;
    let is_default = |at: usize| {
        WITH_DEFAULTS.contains(&at) && (weighted[at].0 - DEFAULT_CONFIDENCE).abs() < f64::EPSILON
    };
    let mut order: Vec<usize> = (0..NAMES.len()).filter(|&at| !is_default(at)).collect();
    order.sort_by(|&a, &b| part(b).total_cmp(&part(a)).then(a.cmp(&b)));
    let is_strong = |at: &usize| part(*at) * 5.0 >= chosen.utility;
    let [first, rest @ ..] = &order[..] else { return String::new() };
    let shown = std::iter::once(first).chain(rest.iter().take(1).filter(|at| is_strong(at)));
    let shown = shown.map(|&at| format!("{} {:.2}", NAMES[at], rounded(weighted[at].0)));
    shown.collect::<Vec<_>>().join(" and ")
}

fn left_out(
    candidates: &[ChunkCandidate],
    left: &[&OmittedCandidate],
    why: Omission,
) -> Option<String> {
    let most = left.first()?;
    let (count, id) = (left.len(), &candidates[most.candidate].id);
    let (one, many) = match why {
        Omission::Redundant => ("repeats a chosen passage", "repeat a chosen passage"),
        Omission::NoRoom => ("does not fit", "do not fit"),
        Omission::TargetReached => {
            ("was not needed to reach the target", "were not needed to reach the target")
        }
    };
    let utility = rounded(most.utility);
    Some(match count {
        1 => format!("`{id}` {one} (utility {utility:.2})."),
        _ => format!("{count} others {many}; the most useful is `{id}` (utility {utility:.2})."),
    })
}

#[cfg(test)]
mod tests {
    use super::super::data::tests::sample;
    use super::*;

    #[test]
    fn every_choice_has_its_sentence() {
        let (candidates, choice) = sample();
        let expected = [
            "`standard/tokens#expiry` is included in full (40 tokens, utility 0.73), mainly for \
             relevance 0.90 and confidence 0.80.",
            "`pattern/outbox` is included as its essence (10 tokens, utility 0.57), mainly for \
             confidence 0.80 and relevance 0.40.",
            "`standard/tokens#lifetime` repeats a chosen passage (utility 0.65).",
        ];
        assert_eq!(sentences(&candidates, &choice, Purpose::Answer), expected);
    }

    #[test]
    fn figures_are_rounded_as_in_the_data() {
        let (candidates, mut choice) = sample();
        choice.chosen.truncate(1);
        choice.left_out.clear();
        choice.chosen[0].components.relevance = 0.524_6;
        let [sentence] = &*sentences(&candidates, &choice, Purpose::Answer) else { panic!() };
        assert!(sentence.contains("relevance 0.53"), "{sentence}");
        choice.chosen[0].components.confidence = DEFAULT_CONFIDENCE;
        let [sentence] = &*sentences(&candidates, &choice, Purpose::Answer) else { panic!() };
        assert!(sentence.ends_with(", mainly for relevance 0.53."), "{sentence}");
    }

    #[test]
    fn omissions_are_counted() {
        let (candidates, mut choice) = sample();
        choice.chosen.clear();
        let left = |candidate, utility| OmittedCandidate {
            candidate,
            why: Omission::TargetReached,
            utility,
        };
        choice.left_out = vec![left(2, 0.5), left(1, 0.25)];
        let expected = [
            "Nothing was chosen.",
            "2 others were not needed to reach the target; the most useful is `pattern/outbox` \
             (utility 0.50).",
        ];
        assert_eq!(sentences(&candidates, &choice, Purpose::Answer), expected);
    }
}
