use faber_core::assemble::reader::{FollowUp, all_of};
use faber_core::budget::truncate::truncate;
use faber_core::escape::Visible;
use faber_core::tokens::Counter;

use super::deliver::DeliveredContext;
use super::part::GAP;
use crate::label::{SourceLabel, escape_context_tags};
use faber_output::text::counted;

const NAMES: usize = 400;
const FEW_NAMES: usize = 3;
const MIN_TEXT_BYTES: usize = 120;
/// Excerpts this many times larger than the excess are cut before a full text.
const EXCERPT: usize = 4;
/// Token counts are estimates, so one cut may be too small.
const MAX_CUTS: u8 = 6;

#[derive(Clone, Copy)]
pub(crate) struct HookLimits<'a> {
    pub max_chars: usize,
    pub max_tokens: usize,
    pub chars: fn(&str) -> usize,
    pub counter: &'a Counter,
}

#[derive(Clone, Debug)]
pub(crate) struct HookOffer {
    pub context: DeliveredContext,
    pub label: Option<SourceLabel>,
    pub facts: Vec<(&'static str, String)>,
    pub text: String,
    pub lines: usize,
    pub rank: usize,
    pub entries: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct HookFrame<'a> {
    pub lead: &'a str,
    pub get: &'a str,
    pub elsewhere: &'a [String],
    pub list: &'a str,
    pub more: FollowUp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fitted {
    pub text: String,
    pub kept: Vec<usize>,
    pub cut: Vec<Option<usize>>,
    pub left_out: Vec<String>,
}

impl HookOffer {
    pub(crate) fn wrapped(&self, text: &str) -> String {
        match &self.label {
            Some(label) => label.wrap(&self.facts, text),
            None => escape_context_tags(text.trim_end_matches('\n')),
        }
    }
}

/// Drops high `rank`s first, but keeps the number of contexts in a catalog.
pub(crate) fn fit(
    offers: &[HookOffer],
    left_out: &[String],
    frame: &HookFrame<'_>,
    limits: HookLimits<'_>,
) -> Option<Fitted> {
    let mut fitting = Fitting {
        offers,
        frame,
        limits,
        texts: vec![None; offers.len()],
        cuts: vec![0; offers.len()],
        cut: vec![None; offers.len()],
        left_out: left_out.to_vec(),
        named: usize::MAX,
    };
    fitting.preselect();
    let is_offered = offers.iter().any(|offer| !offer.text.trim().is_empty());
    is_offered.then(|| fitting.run()).flatten()
}

struct Fitting<'a> {
    offers: &'a [HookOffer],
    frame: &'a HookFrame<'a>,
    limits: HookLimits<'a>,
    texts: Vec<Option<String>>,
    cuts: Vec<u8>,
    cut: Vec<Option<usize>>,
    left_out: Vec<String>,
    named: usize,
}

impl Fitting<'_> {
    fn by_rank(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.offers.len()).collect();
        order.sort_by_key(|&at| (self.offers[at].rank, at));
        order
    }

    fn preselect(&mut self) {
        let mut used = 0_usize;
        for at in self.by_rank() {
            let offer = &self.offers[at];
            if offer.text.trim().is_empty() {
                self.texts[at] = self.rest_note(at);
            } else if used >= self.limits.max_chars {
                self.leave_out(at);
            } else {
                let text = offer.wrapped(&offer.text);
                used = used.saturating_add((self.limits.chars)(&text));
                self.texts[at] = Some(text);
            }
        }
    }

    fn run(mut self) -> Option<Fitted> {
        loop {
            let text = self.text()?;
            let over = self.excess(&text);
            if over == 0 {
                let kept = (0..self.offers.len()).filter(|&at| self.texts[at].is_some());
                let (kept, cut) = kept.map(|at| (at, self.cut[at])).unzip();
                return Some(Fitted { text, kept, cut, left_out: self.left_out });
            }
            let can_give = |at: &usize| self.texts[*at].is_some() && !self.is_note(*at);
            let mut giving = self.by_rank().into_iter().rev().filter(can_give);
            match (giving.next().map(|last| self.instead_of(last, over)), giving.next()) {
                (_, None) if self.named > FEW_NAMES => self.named = FEW_NAMES,
                (at, None) if self.named > 0 && at.is_none_or(|_| over <= self.names_size()) => {
                    self.named = 0;
                }
                (Some(at), _) if self.cuts[at] < MAX_CUTS => self.cut(at, over),
                (Some(at), _) => self.leave_out(at),
                (None, _) => match self.texts.iter_mut().find(|text| text.is_some()) {
                    Some(note) => *note = None,
                    None => return None,
                },
            }
        }
    }

    fn excess(&self, text: &str) -> usize {
        let over = (self.limits.chars)(text).saturating_sub(self.limits.max_chars);
        if over > 0 {
            return over;
        }
        let tokens = self.limits.counter.count(text);
        if tokens <= self.limits.max_tokens {
            return 0;
        }
        let chars = (self.limits.chars)(text);
        let share = (tokens - self.limits.max_tokens).saturating_mul(chars) / tokens;
        share.saturating_add(share / 8).max(1)
    }

    fn instead_of(&self, last: usize, over: usize) -> usize {
        if self.offers[last].label.is_none() {
            return last;
        }
        let size = |at: usize| self.texts[at].as_deref().map_or(0, self.limits.chars);
        let is_large = |at: &usize| size(*at) > over.saturating_mul(EXCERPT);
        let may_cut =
            |at: &usize| self.offers[*at].context.lines.is_some() && self.cuts[*at] < MAX_CUTS;
        self.by_rank().into_iter().rev().filter(may_cut).find(is_large).unwrap_or(last)
    }

    fn cut(&mut self, at: usize, over: usize) {
        self.cuts[at] += 1;
        let offer = &self.offers[at];
        let now = self.texts[at].as_deref().map_or(0, self.limits.chars);
        let room = now.saturating_sub(over);
        let note =
            self.frame.more.note(None, &Visible(&offer.context.id).code(), &all_of(offer.lines));
        let shortened = |text: &str| match offer.label {
            Some(_) => format!("{text}\n\n{note}"),
            None => with_rest(text, offer.entries),
        };
        let cost = |text: &str| {
            if text.is_empty() { 0 } else { (self.limits.chars)(&offer.wrapped(&shortened(text))) }
        };
        let kept = truncate(&offer.text, room, &cost).text();
        let kept = kept.trim_end();
        let kept = kept.strip_suffix(GAP).unwrap_or(kept).trim_end();
        if kept.trim_start().len() < MIN_TEXT_BYTES {
            return self.leave_out(at);
        }
        self.cut[at] = Some(kept.lines().count());
        self.texts[at] = Some(offer.wrapped(&shortened(kept)));
    }

    fn leave_out(&mut self, at: usize) {
        let offer = &self.offers[at];
        if offer.label.is_some() {
            self.left_out.push(offer.context.id.clone());
        }
        self.texts[at] = self.rest_note(at);
        if (0..self.offers.len()).all(|at| self.texts[at].is_none() || self.is_note(at)) {
            self.named = usize::MAX;
        }
    }

    fn rest_note(&self, at: usize) -> Option<String> {
        let offer = &self.offers[at];
        let others = counted(offer.entries, "other context");
        (offer.entries > 0).then(|| format!("{others} not loaded; {}.", self.frame.list))
    }

    fn is_note(&self, at: usize) -> bool {
        self.texts[at].is_some() && self.texts[at] == self.rest_note(at)
    }

    fn text(&self) -> Option<String> {
        let names = self.names();
        let parts: Vec<&str> =
            self.texts.iter().flatten().map(String::as_str).chain(names.as_deref()).collect();
        if parts.is_empty() {
            return None;
        }
        let lead = [self.frame.lead].into_iter().filter(|lead| !lead.is_empty());
        Some(lead.chain(parts).collect::<Vec<_>>().join("\n\n"))
    }

    fn names_size(&self) -> usize {
        self.names().map_or(0, |names| (self.limits.chars)(&names))
    }

    fn names(&self) -> Option<String> {
        if self.named == 0 {
            return None;
        }
        let lists =
            [(", without room here", &*self.left_out), (" for other files", self.frame.elsewhere)];
        let line = |(why, ids): (&str, &[String])| {
            listed(ids, self.named).map(|list| format!("Also relevant{why}: {list}."))
        };
        let lines: Vec<String> = lists.into_iter().filter_map(line).collect();
        let one = if self.left_out.len() + self.frame.elsewhere.len() == 1 { "it" } else { "one" };
        (!lines.is_empty()).then(|| format!("{} {} {one}.", lines.join("\n"), self.frame.get))
    }
}

fn listed(ids: &[String], most: usize) -> Option<String> {
    let (mut names, mut length) = (Vec::new(), 0);
    for id in ids.iter().take(most) {
        let name = escape_context_tags(&Visible(id).code());
        length += name.chars().count();
        if length > NAMES {
            break;
        }
        names.push(format!("`{name}`"));
    }
    match (names.is_empty(), ids.len() - names.len()) {
        (true, 0) => None,
        (true, more) => Some(format!("{more} contexts")),
        (false, 0) => Some(names.join(", ")),
        (false, more) => Some(format!("{} and {more} more", names.join(", "))),
    }
}

fn with_rest(catalog: &str, entries: usize) -> String {
    let shown = catalog.lines().filter(|line| line.starts_with("- `")).count();
    match (entries.saturating_sub(shown), shown) {
        (0, _) => catalog.to_owned(),
        (more, shown) if shown < FEW_NAMES && shown < more => {
            let catalog = catalog.split("\n- `").next().unwrap_or_default().trim_end();
            format!("{catalog}\n\n- {entries} not listed")
        }
        (more, _) => format!("{catalog}\n- and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use faber_core::layer::LayerKind;
    use faber_core::tokens::{Encoding, TokenCache};
    use faber_session::hook::LineRanges;

    fn counter() -> Counter {
        Counter::exact(Encoding::O200kBase, &Arc::new(TokenCache::default()))
    }

    fn escaped(text: &str) -> usize {
        serde_json::to_string(text).unwrap().len() - 2
    }

    fn limits(max_chars: usize, max_tokens: usize, counter: &Counter) -> HookLimits<'_> {
        HookLimits { max_chars, max_tokens, chars: escaped, counter }
    }

    fn offer(at: usize, text: &str, rank: usize) -> HookOffer {
        let id = format!("standard/{at}");
        let label = SourceLabel::new(&id, Some(LayerKind::Project), text);
        HookOffer {
            context: DeliveredContext { id, ..DeliveredContext::default() },
            label: Some(label),
            facts: Vec::new(),
            text: text.to_owned(),
            lines: text.lines().count(),
            rank,
            entries: 0,
        }
    }

    fn catalog(entries: usize, rank: usize) -> HookOffer {
        let lines = (0..entries).map(|at| format!("- `playbook/{at}`: How to do step {at}.\n"));
        let head = "# Catalog\n\nKnown and not loaded. `faber show ID` prints one.\n\n- Space: playbooks; \
            topics: databases, deployments, incidents, monitoring, releases, storage\n\n";
        let text = head.to_owned() + &lines.collect::<String>();
        HookOffer { label: None, entries, ..offer(0, &text, rank) }
    }

    const FRAME: HookFrame<'static> = HookFrame {
        lead: "Lead.",
        get: "`faber show ID` prints",
        elsewhere: &[],
        list: "`faber list contexts` lists them",
        more: FollowUp::Commands,
    };

    #[test]
    fn the_lowest_rank_is_cut_and_what_is_left_out_is_named() {
        let counter = counter();
        let paragraph = "A paragraph of some length, which says one thing.\n\n".repeat(6);
        let offers = [offer(0, &paragraph, 1), offer(1, &paragraph, 0), offer(2, "Short.\n", 2)];
        let fitted = |max_chars| {
            let limits = limits(max_chars, 10_000, &counter);
            fit(&offers, &["standard/9".to_owned()], &FRAME, limits)
        };
        let all = fitted(2000).unwrap();
        assert_eq!((all.kept, all.left_out), (vec![0, 1, 2], vec!["standard/9".to_owned()]));
        let some = fitted(840).unwrap();
        assert_eq!(some.kept, [0, 1]);
        assert!(some.cut[0].is_some_and(|lines| lines < 11) && some.cut[1].is_none());
        assert!(
            some.text.contains("[Shortened; `faber show standard/0` prints all 12 lines.]"),
            "{}",
            some.text
        );
        let names = "Also relevant, without room here: `standard/9`, `standard/2`.";
        assert!(some.text.contains(names), "{}", some.text);
        let others: Vec<String> = (10..20).map(|at| format!("standard/{at}")).collect();
        for names in ["`standard/12` and 7 more.", ""] {
            let is_so = |max_chars| {
                let limits = limits(max_chars, 10_000, &counter);
                fit(&offers[1..2], &others, &FRAME, limits).is_some_and(|one| {
                    one.cut == [None]
                        && one.text.contains(names)
                        && one.text.contains("Also relevant") != names.is_empty()
                })
            };
            assert!((300..900).any(is_so), "{names}");
        }
        assert!(fitted(150).is_some_and(|few| few.kept.is_empty() && few.left_out.len() == 4));
        assert_eq!(fitted(10), None);
        let limits = limits(9000, 9000, &counter);
        assert_eq!(fit(&[], &["standard/9".to_owned()], &FRAME, limits), None);
    }

    #[test]
    fn a_large_excerpt_is_cut_before_a_text_in_full() {
        let counter = counter();
        let paragraph = "A paragraph of some length, which says one thing.\n\n";
        let last = format!("{paragraph}The last sentence.\n").repeat(12);
        let mut excerpt = offer(0, &(paragraph.repeat(40) + "[…]\n"), 0);
        excerpt.context.lines = Some(LineRanges::default());
        let cut_of = |max_chars, excerpt: &HookOffer| {
            let limits = limits(max_chars, 10_000, &counter);
            let fitted = fit(&[excerpt.clone(), offer(1, &last, 1)], &[], &FRAME, limits);
            let fitted = fitted.unwrap();
            assert!(!fitted.text.contains("[…]"), "{}", fitted.text);
            fitted.cut.iter().map(Option::is_some).collect::<Vec<_>>()
        };
        assert_eq!(cut_of(2900, &excerpt), [true, false]);
        assert_eq!(cut_of(2900, &offer(0, &excerpt.text.replace("[…]", ""), 0)), [false, true]);
    }

    #[test]
    fn a_cut_catalog_says_how_many_contexts_it_does_not_list() {
        let counter = counter();
        let offers = [offer(0, "Short.\n", 0), catalog(14, 1)];
        let fitted = |max_chars| {
            let limits = limits(max_chars, 10_000, &counter);
            fit(&offers, &[], &FRAME, limits).unwrap()
        };
        let whole = fitted(2000).text;
        assert!(whole.contains("`playbook/13`") && !whole.contains("more"), "{whole}");
        let cut = fitted(600);
        let shown = cut.text.matches("- `playbook/").count();
        assert!((1..14).contains(&shown), "{}", cut.text);
        assert!(cut.text.ends_with(&format!("\n- and {} more", 14 - shown)), "{}", cut.text);
        assert!(fitted(295).text.ends_with("\n\n- 14 not listed"), "{}", fitted(295).text);
        let note = "14 other contexts not loaded; `faber list contexts` lists them.";
        assert!(fitted(200).text.ends_with(note), "{}", fitted(200).text);
        let standard = "A rule that always holds, in some words.\n\n".repeat(30);
        let empty = HookOffer { text: String::new(), ..catalog(900, 1) };
        for offers in [[offer(0, &standard, 0), catalog(900, 1)], [offer(0, &standard, 0), empty]] {
            let limits = limits(900, 10_000, &counter);
            let fitted = fit(&offers, &[], &FRAME, limits).unwrap();
            assert!(fitted.text.contains("\n900 other contexts not loaded; "), "{}", fitted.text);
            assert_eq!(fitted.kept, [0, 1]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn nothing_is_ever_over_a_limit(
            texts in prop::collection::vec(
                ("(\\PC|[\n\t\"<>/#`\\\\|*-]|</context>|\n\n|```\n|😀|word ){0,300}", 0..5_usize), 0..8),
            left_out in prop::collection::vec("[a-z<`]{1,300}", 0..4),
            (max_chars, max_tokens) in (0..6000_usize, 0..1500_usize),
            (entries, rank) in (0..40_usize, 0..9_usize),
        ) {
            let counter = counter();
            let mut offers: Vec<HookOffer> =
                texts.iter().enumerate().map(|(at, (text, rank))| offer(at, text, *rank)).collect();
            offers.push(catalog(entries, rank));
            let limits = limits(max_chars, max_tokens, &counter);
            if let Some(fitted) = fit(&offers, &left_out, &FRAME, limits) {
                prop_assert!(escaped(&fitted.text) <= max_chars);
                prop_assert!(counter.count(&fitted.text) <= max_tokens);
                let json = serde_json::to_string(&fitted.text).unwrap();
                prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), &*fitted.text);
                let kept: Vec<usize> =
                    fitted.kept.iter().copied().filter(|&at| at < texts.len()).collect();
                prop_assert_eq!(fitted.text.matches("<context id=").count(), kept.len());
                prop_assert_eq!(fitted.text.matches("</context>").count(), kept.len());
                prop_assert!(!fitted.kept.is_empty() || !fitted.left_out.is_empty());
                prop_assert!(kept.iter().all(|&at| !texts[at].0.trim().is_empty()));
            }
        }
    }
}
