use std::sync::Arc;

use crate::query::choose::{ChunkCandidate, ChunkForm, Length, QueryLimits, choose};
use crate::query::data::{About, Facts, PassageLabel, QueryData, UnfitPassage};
use crate::query::expand::IndexTexts;
use crate::query::markdown as section;
use crate::query::utility::{self, Components, DensityEstimator};
use crate::search::answer::{self, Hit, ItemTexts};
use crate::search::found::{self, MIN_KNOWN_SHARE, WEAK};
use crate::search::index::SearchIndex;
use crate::search::item::{CONTRADICTS, DERIVED_FROM, SearchItem};
use crate::search::rank::Corpus;
use crate::search::scope::Scope;
use faber_core::budget::focus::{Focus, FocusParts};
use faber_core::budget::gist;
use faber_core::budget::level::Level;
use faber_core::config::{Abstraction, Purpose};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::markdown;
use faber_core::meaning::{self, QueryVector};
use faber_core::select::headings::Headings;
use faber_core::select::relevance::Passages;
use faber_core::terms::abbreviations::spelled_out;
use faber_core::terms::query::{self, Term};
use faber_core::tokens::Counter;
use faber_output::table::figure;
use faber_session::encoder::TextEncoder;
use faber_session::settings::Settings;

const CANDIDATES: usize = 48;
const STRONG: f64 = 0.7;
const WEAK_SHARE: f64 = 0.5;
const SHORT: usize = 600;
/// Percent of the full tokens.
const SHORTENED: usize = 60;
const SUMMARY: usize = 3;
const ESSENCE: usize = 120;
const TRIES: usize = 6;
const MIN_EXCERPT: usize = 40;
const AMPLE: usize = 1 << 20;
const TRIES_OF_FRAME: usize = 32;

#[derive(Clone, Debug, Default)]
pub struct QueryRequest {
    pub purpose: Option<Purpose>,
    pub max_tokens: Option<usize>,
    pub target_tokens: Option<usize>,
    pub abstraction: Option<Abstraction>,
    pub derivations: bool,
    pub contradictions: bool,
    pub scope: Scope,
}

struct Passage {
    hit: Hit,
    item: SearchItem,
    text: String,
    is_whole: bool,
    has_known_words: bool,
    facts: Facts,
    candidate: ChunkCandidate,
}

/// # Errors
///
/// [`Error::Usage`] for a target above the maximum.
pub fn answer(
    index: &SearchIndex,
    args: &QueryRequest,
    question: &str,
    settings: &Settings,
) -> Result<QueryData, Error> {
    let config = &index.view.query;
    let max_tokens = args.max_tokens.unwrap_or(config.max_tokens);
    let target_tokens = args.target_tokens.unwrap_or(max_tokens);
    if target_tokens > max_tokens {
        return Err(Error::usage(
            format!(
                "the target of {} tokens is above the maximum of {}",
                figure(target_tokens),
                figure(max_tokens)
            ),
            format!("use `--target-tokens {max_tokens}` or less"),
        ));
    }
    let corpus = index.corpus();
    let counter = &index.counter();
    let passages = passages(index, &corpus, args, question, settings);
    let unknown = &corpus.unknown(question);
    let candidates: Vec<ChunkCandidate> =
        passages.iter().map(|passage| passage.candidate.clone()).collect();
    let similarity = |a: usize, b: usize| {
        let (a, b) = (&passages[a], &passages[b]);
        // Parts of a long table look alike, but all rows differ.
        let [own, other] = [a, b].map(|it| found::section(&it.candidate.id));
        let is_comparable = a.has_known_words && b.has_known_words && own != other;
        if is_comparable { answer::repetition(&corpus, &a.hit, &b.hit) } else { 0.0 }
    };
    let english = corpus.translated(question);
    let terms: Vec<Term<'_>> = query::terms(&english);
    let rarity = |term: &Term<'_>| term.weight() * corpus.rarity(term);
    let rarities: Vec<f64> = terms.iter().map(rarity).collect();
    let scorer = Passages::new(
        &english,
        terms.iter().zip(rarities).map(|(term, rarity)| (&*term.stem, &*term.synonyms, rarity)),
        Some(QueryVector::new(&meaning::embed(&spelled_out(&english))))
            .filter(|_| !terms.is_empty()),
        Arc::default(),
    );
    let purpose = args.purpose.unwrap_or(config.purpose);
    let best = passages.iter().map(|passage| passage.hit.relevance).fold(0.0, f64::max);
    let strength = ((best - WEAK) / (STRONG - WEAK)).clamp(0.0, 1.0);
    let encoder = index.encoder(index.view.search.mode).map(TextEncoder::name);
    let is_weak = best < WEAK;
    let builder = AnswerBuilder {
        about: About { query: question, purpose, strength, is_weak, unknown, encoder },
        passages: &passages,
        candidates: &candidates,
        similarity: &similarity,
        novelty_threshold: config.novelty_threshold,
        former: ChunkFormer { counter, scorer },
    };
    let abstraction = args.abstraction.unwrap_or(config.abstraction);
    let levels: &[Abstraction] = match abstraction {
        Abstraction::Adaptive => {
            &[Abstraction::Adaptive, Abstraction::Summary, Abstraction::Essence]
        }
        _ => &[abstraction],
    };
    let mut data = builder.shortest(levels, max_tokens, target_tokens);
    if data.lacks_passages() {
        data.needed = Some(builder.needed(levels, max_tokens));
    }
    Ok(data)
}

struct AnswerBuilder<'a> {
    about: About<'a>,
    passages: &'a [Passage],
    candidates: &'a [ChunkCandidate],
    similarity: &'a dyn Fn(usize, usize) -> f64,
    novelty_threshold: f64,
    former: ChunkFormer<'a>,
}

impl AnswerBuilder<'_> {
    fn answer(&self, level: Abstraction, max_tokens: usize, target_tokens: usize) -> QueryData {
        let Self { about, passages, candidates, former, .. } = self;
        let frame = |data: &QueryData| {
            section::frame(data).iter().map(|part| former.counter.count(part)).sum::<usize>()
        };
        let mut room = max_tokens;
        let mut without_conflicts = None;
        loop {
            let limits = QueryLimits {
                max_tokens: room,
                target_tokens: target_tokens.min(room),
                novelty_threshold: self.novelty_threshold,
                purpose: about.purpose,
            };
            let mut fit =
                |at: usize, room, length| former.form(&passages[at], level, (room, length));
            let choice = choose(candidates, self.similarity, &limits, &mut fit);
            let mut data = QueryData::new(about, candidates, &choice, |chosen| {
                passages[chosen.candidate].facts.clone()
            });
            data.unfit = choice.unfit_lead(candidates).map(|at| former.unfit(&passages[at]));
            let own = data.total_tokens;
            let total = frame(&data) + own;
            data.total_tokens = total;
            if data.beliefs.is_empty() {
                return without_conflicts.unwrap_or(data);
            }
            if total <= max_tokens {
                return data;
            }
            data.conflicts.clear();
            data.total_tokens = frame(&data) + own;
            let excess = data.total_tokens.saturating_sub(max_tokens);
            if excess > 0 {
                room = room.saturating_sub(excess);
            } else {
                room = room.saturating_sub(total - max_tokens);
                without_conflicts = without_conflicts.or(Some(data));
            }
        }
    }

    fn shortest(&self, levels: &[Abstraction], max: usize, target: usize) -> QueryData {
        let mut data = self.answer(levels[0], max, target);
        for level in &levels[1..] {
            if data.lacks_passages() {
                data = self.answer(*level, max, target);
            }
        }
        data
    }

    fn needed(&self, levels: &[Abstraction], max_tokens: usize) -> usize {
        let fits = |most: usize| !self.shortest(levels, most, most).lacks_passages();
        let first = levels.iter().map(|level| self.answer(*level, AMPLE, 1).total_tokens).min();
        let first = first.unwrap_or_default().max(max_tokens + 1);
        let all = first..first + TRIES_OF_FRAME;
        let mut fit = all.clone().find(|most| fits(*most)).unwrap_or(all.end);
        let mut unfit = max_tokens;
        while fit - unfit > 1 {
            let most = usize::midpoint(fit, unfit);
            if fits(most) { fit = most } else { unfit = most }
        }
        fit
    }
}

fn passages(
    index: &SearchIndex,
    corpus: &Corpus<'_>,
    args: &QueryRequest,
    question: &str,
    settings: &Settings,
) -> Vec<Passage> {
    let in_scope = |item: &usize| index.view.items.facets(*item).scopes.has(args.scope);
    let mut texts = ItemTexts::new(index);
    let mut hits = answer::hits(&mut texts, question, index.view.search.mode, in_scope);
    let best = hits.iter().map(|hit| hit.relevance).fold(0.0, f64::max);
    let least = index.view.query.relative * if best < WEAK { WEAK_SHARE } else { 1.0 };
    hits.retain(|hit| hit.relative >= least && hit.relevance >= MIN_KNOWN_SHARE * hit.relative);
    hits.truncate(CANDIDATES);
    let mut gauge = DensityEstimator::default();
    let passage = |hit: Hit| {
        let (span, anchor) = texts.place(&hit);
        let (item, whole) = texts.get(hit.item);
        let (path, line) = whole.place(item, span.start);
        let files = whole.files(item, span.clone());
        let own = Some(whole.part(span)).filter(|text| !text.trim().is_empty());
        let text = own.or_else(|| item.description.clone())?;
        let layer = item.layers.last();
        let layer_name = item.layer_name.as_deref().filter(|_| layer.is_some());
        let trusted = [item.owner.as_deref(), layer_name, layer.map(|kind| kind.name())];
        let components = Components {
            relevance: hit.relevance,
            confidence: item.confidence,
            trust: utility::trust(trusted, &index.view.trust),
            recency: utility::recency(item.dated, settings.today, index.view.query.half_life_days),
            density: gauge.density(&text),
            novelty: 1.0,
        };
        let id = found::id(&item.id, &anchor);
        let is_whole = corpus.chunks(hit.doc).len() == 1;
        let weight = (hit.relative - least) / (1.0 - least).max(f64::MIN_POSITIVE);
        let label = PassageLabel::new(&id, item, &index.view, components.confidence);
        let label = PassageLabel { path: item.cited(&path), files, line, ..label };
        Some(Passage {
            is_whole,
            has_known_words: answer::has_known_words(&text),
            text,
            facts: facts(label, item, &IndexTexts { index }, args),
            candidate: ChunkCandidate {
                id,
                components,
                relative: hit.relative,
                weight,
                dated: item.dated,
            },
            hit,
            item: item.clone(),
        })
    };
    hits.into_iter().filter_map(passage).collect()
}

struct ChunkFormer<'a> {
    counter: &'a Counter,
    scorer: Passages,
}

impl ChunkFormer<'_> {
    fn form(
        &self,
        passage: &Passage,
        abstraction: Abstraction,
        (room, length): (usize, Length),
    ) -> Option<ChunkForm> {
        let form = |level, content: String, share| {
            let tokens = self.counter.count(&section::item(&passage.facts.label, &content));
            ChunkForm { level, content, tokens, share }
        };
        let whole = || form(Level::Detailed, passage.text.clone(), 1.0);
        let declared = |at: usize| {
            passage.item.shorter[at].as_deref().filter(|_| passage.is_whole).map(str::trim)
        };
        let short = passage.text.len() <= SHORT;
        let shortened = |level, declared, share, most: &dyn Fn() -> usize| match declared {
            Some(text) => Some(form(level, text, share)),
            None if short => Some(whole()),
            None => self.excerpt(passage, most()).map(|excerpt| ChunkForm { level, ..excerpt }),
        };
        let form = match abstraction {
            Abstraction::Detailed => Some(whole()),
            Abstraction::Adaptive => {
                let whole = whole();
                let most = match length {
                    Length::Shortened if !short => room.min(whole.tokens * SHORTENED / 100),
                    _ => room,
                };
                if whole.tokens <= most {
                    Some(whole)
                } else {
                    self.excerpt(passage, most).or(Some(whole))
                }
            }
            Abstraction::Summary => {
                let third = || self.counter.count(&passage.text) / SUMMARY;
                let most = || third().max(MIN_EXCERPT).min(room);
                shortened(Level::Summary, declared(0).map(str::to_owned), 0.6, &most)
            }
            Abstraction::Essence => {
                let essence = declared(1).map(markdown::collapse).or_else(|| gist(&passage.text));
                shortened(Level::Essence, essence, 0.3, &|| room.min(ESSENCE))
            }
        };
        form.filter(|form| form.tokens <= room)
    }

    fn excerpt(&self, passage: &Passage, room: usize) -> Option<ChunkForm> {
        let parts = FocusParts::new(&passage.text);
        let read = self.scorer.read(parts.sections(&passage.text));
        let focus = Focus::new(&passage.text, parts, self.scorer.scores(&read))?;
        let around = self.counter.count(&section::item(&passage.facts.label, "\n"));
        let mut bytes = 4 * room.checked_sub(around).filter(|left| *left >= MIN_EXCERPT)?;
        let mut best: Option<ChunkForm> = None;
        let (mut fits, mut exceeds) = (0, usize::MAX);
        for _ in 0..TRIES {
            let Some((excerpt, share)) = focus.excerpt(bytes) else { break };
            let content = excerpt.text();
            let tokens = self.counter.count(&section::item(&passage.facts.label, &content));
            if tokens > room {
                exceeds = bytes;
            } else if best.as_ref().is_some_and(|best| best.content == content) {
                break;
            } else {
                fits = bytes;
                best = Some(ChunkForm { level: Level::Focused, content, tokens, share });
            }
            let next = bytes * room / tokens * 24 / 25;
            if next <= fits {
                break;
            }
            bytes = next.min(exceeds.saturating_sub(1));
        }
        best
    }

    fn unfit(&self, passage: &Passage) -> UnfitPassage {
        let label = &passage.facts.label;
        let tokens = self.counter.count(&section::item(label, &passage.text));
        UnfitPassage { id: label.id.clone(), tokens }
    }
}

fn facts(
    label: PassageLabel,
    item: &SearchItem,
    texts: &IndexTexts<'_>,
    args: &QueryRequest,
) -> Facts {
    let links = |kind: usize| item.links[kind].iter().map(String::as_str);
    let derivation: Option<Vec<_>> =
        args.derivations.then(|| links(DERIVED_FROM).map(|link| texts.derivation(link)).collect());
    let contradictions: Option<Vec<_>> = args
        .contradictions
        .then(|| links(CONTRADICTS).map(|link| texts.contradiction(link)).collect());
    let sources = derivation.iter().flatten().map(|one| ("derived from", one.described()));
    let contrary = contradictions.iter().flatten().map(|one| ("contradicted by", one.described()));
    let note =
        |(what, of): (&str, String)| format!(", {what} {}", Visible(&markdown::collapse(&of)));
    Facts {
        label: PassageLabel { notes: sources.chain(contrary).map(note).collect(), ..label },
        has_derivation: links(DERIVED_FROM).next().is_some(),
        contradicts: links(CONTRADICTS).map(str::to_owned).collect(),
        derivation,
        contradictions,
    }
}

fn gist(text: &str) -> Option<String> {
    let text = text.trim_start();
    let first = text.lines().next().unwrap_or_default();
    let mut headings = Headings::default();
    let heading = headings.next(first);
    let rest = if heading.is_some() { text[first.len()..].trim_start() } else { text };
    let says = |sentence: &String| {
        let end = sentence.trim_end_matches(['"', '”', '’', ')', '`', '_']);
        let ends = end.ends_with(['.', '!', '?', '…', '。', '！', '？']);
        ends && !sentence.starts_with(['#', '`', '~', '|', '<'])
    };
    let sentence = gist::gist(rest).filter(says)?;
    Some(match heading {
        Some(heading) => format!("{heading}: {sentence}"),
        None => sentence,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_essence_is_a_sentence() {
        for (text, expected) in [
            (
                "## Testing\n\nTest what can break. Then more.",
                Some("Testing: Test what can break."),
            ),
            ("Say (\"yes.\")\n\nMore.", Some("Say (\"yes.\")")),
            ("## Testing\n\n### Test Organization\n\n```sh\nls\n```", None),
            ("**3. Services**\n\n- a list with many words that go on and on and never end", None),
            ("## Steps\n\nDo this:\n\n- one", None),
        ] {
            assert_eq!(gist(text).as_deref(), expected, "{text}");
        }
    }
}
