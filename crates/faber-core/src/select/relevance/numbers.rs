//! Numbers and letters of a request, which mean little alone.

use std::collections::BTreeSet;

use super::{QueryText, TEXTS};
use crate::select::status;
use crate::terms::query::Term;

/// Stems before numbers of items outside contexts.
const ITEMS: [&str; 9] = ["bug", "column", "issu", "line", "page", "pr", "row", "step", "ticket"];

/// Or letter. A context needs a word next to it, or the number in names or first headings.
pub(super) struct RequestNumber {
    pub(super) place: usize,
    pub(super) next: Vec<usize>,
    /// As in `#401`: a name is not enough.
    pub(super) is_of_item: bool,
}

/// Without status codes and numbers in error or material.
pub(super) fn numbers(
    terms: &[Term<'_>],
    [request, error, material, _]: &[QueryText; TEXTS],
    text: &str,
) -> Vec<RequestNumber> {
    let codes: BTreeSet<&str> = status::requested(text).into_iter().map(|at| &text[at]).collect();
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let signs = text.split('#').skip(1).filter_map(|rest| rest.split(|c| !is_sign(c)).next());
    let named: BTreeSet<&str> = signs.collect();
    let is_named =
        |number: &str| named.range(number..).next().is_some_and(|name| name.starts_with(number));
    let (numbers, words): (Vec<usize>, Vec<usize>) =
        (0..terms.len()).partition(|&place| terms[place].is_number() || terms[place].is_letter());
    let is_free = |place: &usize| {
        let is_elsewhere = error.weights[*place] > 0.0 || material.weights[*place] > 0.0;
        let number = terms[*place].text;
        let is_code = codes.contains(number) && status::meaning(number).is_some();
        !is_elsewhere && !is_code
    };
    let number = |place: usize| {
        let (before, after) = words.split_at(words.partition_point(|&word| word < place));
        let before = before.last().copied();
        let is_marked = is_named(terms[place].text);
        let both = before.into_iter().chain(after.first().copied()).filter(|_| !is_marked);
        let next = both.filter(|&at| request.weights[at] > 0.0).collect();
        let is_item = |at: usize| ITEMS.contains(&&*terms[at].stem);
        RequestNumber { place, next, is_of_item: is_marked || before.is_some_and(is_item) }
    };
    numbers.into_iter().filter(is_free).map(number).collect()
}
