//! Figures that a question asks for and a text has.

use crate::word_list::words;

const ENOUGH_FIGURES: usize = 4;

const SHORT: usize = 20;

const MEASURES: [&str; 26] = *words!(
    "average, biggest, dimensions, duration, fewest, fraction, largest, length, limit",
    "limits, longest, lowest, maximum, minimum, number, percentage, port, rate, share",
    "shortest, size, smallest, threshold, timeout, version, width",
);
const AFTER_HOW: [&str; 10] =
    ["big", "fast", "far", "high", "large", "long", "many", "much", "often", "old"];

pub(crate) fn count(text: &str) -> usize {
    let is_digit = |c: char| c.is_ascii_digit();
    text.split(|c| !is_digit(c)).filter(|run| !run.is_empty()).take(ENOUGH_FIGURES).count()
}

#[expect(clippy::cast_precision_loss, reason = "few figures count")]
pub(crate) fn share(count: usize) -> f64 {
    count as f64 / ENOUGH_FIGURES as f64
}

pub fn figures(text: &str) -> f64 {
    share(count(text))
}

pub fn asks_for_figure(question: &str) -> bool {
    let words: Vec<String> = question
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let has = |list: &[&str], word: &str| list.contains(&word);
    let after_how = |pair: &[String]| pair[0] == "how" && has(&AFTER_HOW, &pair[1]);
    let is_asked =
        || words.windows(2).any(after_how) || words.iter().any(|word| has(&MEASURES, word));
    words.len() <= SHORT && is_asked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_questions_ask_for_a_figure() {
        assert!(
            asks_for_figure("What is the smallest key?") && asks_for_figure("How many are left")
        );
        assert!(!asks_for_figure("how is it done"));
        assert!(!asks_for_figure(&format!("a {}number", "long description of a ".repeat(5))));
    }

    #[test]
    fn numbers_are_figures() {
        let shares = ["none", "90 days", "3-5 chunks, 2,000 tokens", "1 2 3 4 5 6"].map(figures);
        assert!(shares.into_iter().zip([0.0, 0.25, 1.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}
