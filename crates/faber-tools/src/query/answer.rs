//! The answer to a question, within a token budget.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::query::choose::{Candidate, Choice, Chosen, Form, Limits, choose};
use crate::query::data::{Facts, QueryData};
use crate::query::expand::Texts;
use crate::query::markdown as section;
use crate::query::utility::{self, Components, Gauge};
use crate::search::answer;
use crate::search::found::{self, Whole};
use crate::search::item::{CONTRADICTS, DERIVED_FROM, Item};
use crate::search::library::Library;
use crate::search::rank::Corpus;
use crate::search::scope::Scope;
use faber_core::budget::extract;
use faber_core::budget::level::Level;
use faber_core::budget::truncate::truncate;
use faber_core::config::{Abstraction, Purpose};
use faber_core::document::Layer;
use faber_core::error::Error;
use faber_core::markdown;
use faber_core::meaning;
use faber_core::select::headings::Headings;
use faber_core::tokens::Counter;
use faber_session::settings::Settings;

/// Maximum chunks: more than any budget holds, and few enough to read at once.
const CANDIDATES: usize = 48;
/// Chunks with less than this share of the best score are not relevant.
const LEAST_SHARE: f64 = 0.6;
/// Chunks with a lower score are not relevant.
const LEAST: f64 = 0.15;

/// A query. Unset values come from the configuration.
#[derive(Clone, Debug, Default)]
pub struct QueryRequest {
    pub purpose: Option<Purpose>,
    /// Maximum tokens of the answer as Markdown.
    pub max_tokens: Option<usize>,
    /// Tokens that are enough; default: the maximum.
    pub target_tokens: Option<usize>,
    pub abstraction: Option<Abstraction>,
    /// Whether to include the sources of each passage.
    pub derivations: bool,
    /// Whether to include contradictions of each passage.
    pub contradictions: bool,
    pub scope: Scope,
}

/// A candidate chunk.
struct Piece {
    item: usize,
    doc: usize,
    chunk: usize,
    relevance: f64,
}

/// An item with its text and chunk positions.
struct Opened<'c> {
    item: Item,
    whole: Whole,
    chunks: Vec<(Range<usize>, &'c str)>,
}

/// A chunk with everything that decides about it.
struct Told {
    /// Its sources, contradictions and related items.
    links: [Vec<String>; 3],
    candidate: Candidate,
    /// The text of each form of the candidate.
    contents: Vec<String>,
}

/// The answer from a library.
///
/// # Errors
///
/// [`Error::Usage`] when the target is above the maximum.
pub fn answer(
    library: &Library,
    args: &QueryRequest,
    question: &str,
    settings: &Settings,
) -> Result<QueryData, Error> {
    let config = &library.view.query;
    let max_tokens = args.max_tokens.unwrap_or(config.max_tokens);
    let target_tokens = args.target_tokens.unwrap_or(max_tokens);
    if target_tokens > max_tokens {
        return Err(Error::usage(
            format!("the target of {target_tokens} tokens is above the maximum of {max_tokens}"),
            "give a `--target-tokens` of at most `--max-tokens`",
        ));
    }
    let corpus = library.corpus();
    let pieces = pieces(library, &corpus, question, args);
    let counter = &library.counter();
    let teller = Teller {
        texts: Texts { library },
        abstraction: args.abstraction.unwrap_or(config.abstraction),
        counter,
        settings,
    };
    let told = teller.told(&corpus, &pieces);
    let candidates: Vec<Candidate> = told.iter().map(|told| told.candidate.clone()).collect();
    let vector = |piece: &Piece| corpus.vector(piece.doc, piece.chunk);
    let similarity = |a: usize, b: usize| {
        f64::from(meaning::cosine(&vector(&pieces[a]), &vector(&pieces[b]).map(i8::cast_unsigned)))
    };
    let purpose = args.purpose.unwrap_or(config.purpose);
    let limits = |max_tokens: usize| Limits {
        max_tokens,
        target_tokens: target_tokens.min(max_tokens),
        novelty_threshold: config.novelty_threshold,
        purpose,
    };
    let whole = |choice: &Choice| {
        QueryData::new((question, purpose), &candidates, choice, |chosen| {
            teller.facts(&told[chosen.candidate], chosen, args)
        })
    };
    // The frame around the passages takes room too. Its ends make counts additive, so the whole
    // need not be counted.
    let frame = |data: &QueryData| {
        section::frame(data).iter().map(|part| counter.count(part)).sum::<usize>()
    };
    let mut room = max_tokens;
    loop {
        let mut data = whole(&choose(&candidates, &similarity, &limits(room)));
        let total = frame(&data) + data.total_tokens;
        if total <= max_tokens || data.beliefs.is_empty() {
            data.total_tokens = total;
            return Ok(data);
        }
        room = room.saturating_sub(total - max_tokens);
    }
}

/// The most relevant chunks.
fn pieces(
    library: &Library,
    corpus: &Corpus<'_>,
    question: &str,
    args: &QueryRequest,
) -> Vec<Piece> {
    let mode = library.view.search.mode;
    let in_scope = |item: &usize| library.view.items.facets(*item).scopes.has(args.scope);
    let hits = answer::hits(library, corpus, question, mode, in_scope);
    let mut pieces: Vec<Piece> = hits
        // The best chunk of a text has the score of the text, so no others come before.
        .take(CANDIDATES)
        .flat_map(|(item, scored)| {
            let of_chunk = move |(chunk, &relevance): (usize, &f64)| Piece {
                item,
                doc: scored.doc,
                chunk,
                relevance,
            };
            scored.chunks.iter().enumerate().map(of_chunk).collect::<Vec<_>>()
        })
        .collect();
    pieces.sort_by(|a, b| {
        b.relevance.total_cmp(&a.relevance).then((a.item, a.chunk).cmp(&(b.item, b.chunk)))
    });
    pieces.truncate(CANDIDATES);
    let least = pieces.first().map_or(0.0, |best| (best.relevance * LEAST_SHARE).max(LEAST));
    pieces.retain(|piece| piece.relevance >= least);
    pieces
}

/// Makes the forms of chunks, and the data of chosen ones.
struct Teller<'a> {
    texts: Texts<'a>,
    abstraction: Abstraction,
    counter: &'a Counter,
    settings: &'a Settings,
}

impl Teller<'_> {
    /// The candidates with their forms and utility components.
    fn told(&self, corpus: &Corpus<'_>, pieces: &[Piece]) -> Vec<Told> {
        let items: BTreeMap<usize, usize> =
            pieces.iter().map(|piece| (piece.item, piece.doc)).collect();
        let open = |(&item, &doc): (&usize, &usize)| (item, self.open(corpus, item, doc));
        let opened: BTreeMap<usize, Opened<'_>> = items.par_iter().map(open).collect();
        let mut told: Vec<Told> = pieces
            .par_iter()
            .map_init(Gauge::default, |gauge, piece| {
                self.uncounted(&opened[&piece.item], piece.chunk, piece.relevance, gauge)
            })
            .collect();
        told.par_iter_mut().for_each(|Told { candidate, contents, .. }| {
            for (form, text) in candidate.forms.iter_mut().zip(&*contents) {
                let confidence = candidate.components.confidence;
                form.tokens = self.counter.count(&section::item(&candidate.id, text, confidence));
            }
        });
        told
    }

    /// An item with its text, read once for all of its chunks.
    fn open<'c>(&self, corpus: &'c Corpus<'_>, item: usize, doc: usize) -> Opened<'c> {
        let library = self.texts.library;
        let item = library.view.items.get(item);
        Opened { whole: library.whole(&item), chunks: corpus.chunks(doc), item }
    }

    fn uncounted(
        &self,
        opened: &Opened<'_>,
        chunk: usize,
        relevance: f64,
        gauge: &mut Gauge,
    ) -> Told {
        let view = &self.texts.library.view;
        let item = &opened.item;
        let (span, anchor) = opened.chunks[chunk].clone();
        let text = opened.whole.part(span);
        let is_whole = opened.chunks.len() == 1;
        let mut forms = Vec::new();
        let mut contents: Vec<String> = Vec::new();
        for level in self.abstraction.levels() {
            let content = form(item, &text, *level, is_whole);
            // Drops forms that are not shorter, or empty.
            if contents.last().is_none_or(|longer| content.len() < longer.len())
                && says_something(&content)
            {
                forms.push(Form { level: *level, tokens: 0 });
                contents.push(content);
            }
        }
        let layer = item.layers.last().map(|kind| Layer {
            kind: *kind,
            name: item.layer_name.clone(),
            folder: "".into(),
        });
        let components = Components {
            relevance,
            confidence: item.confidence,
            trust: utility::trust(item.owner.as_deref(), layer.as_ref(), &view.trust),
            recency: utility::recency(
                item.dated,
                None,
                self.settings.today,
                view.query.half_life_days,
            ),
            density: gauge.density(&text),
            novelty: 1.0,
        };
        let candidate = Candidate { id: found::id(&item.id, anchor), components, forms };
        Told { links: item.links.clone(), candidate, contents }
    }

    fn facts(&self, told: &Told, chosen: &Chosen, args: &QueryRequest) -> Facts {
        let forms = &told.candidate.forms;
        let at = forms.iter().position(|form| form.level == chosen.form.level).unwrap_or(0);
        let links = |kind: usize| told.links[kind].iter().map(String::as_str);
        Facts {
            content: told.contents[at].clone(),
            has_derivation: links(DERIVED_FROM).next().is_some(),
            contradiction_count: links(CONTRADICTS).count(),
            derivation: args
                .derivations
                .then(|| links(DERIVED_FROM).map(|link| self.texts.derivation(link)).collect()),
            contradictions: args
                .contradictions
                .then(|| links(CONTRADICTS).map(|link| self.texts.contradiction(link)).collect()),
        }
    }
}

/// The text of a chunk at a level. The author's `summary` and `essence` apply if the chunk is the
/// whole text.
fn form(item: &Item, text: &str, level: Level, is_whole: bool) -> String {
    let declared = |at: usize| item.shorter[at].as_deref().filter(|_| is_whole).map(str::trim);
    match level {
        Level::Summary => match declared(0) {
            Some(summary) => summary.to_owned(),
            None => truncate(text, text.len() / 3, &str::len).text(),
        },
        Level::Essence => match declared(1) {
            Some(essence) => markdown::collapse(essence),
            None => gist(text).unwrap_or_default(),
        },
        _ => text.to_owned(),
    }
}

/// Whether a text has more than headings.
fn says_something(text: &str) -> bool {
    let mut headings = Headings::default();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let said = lines.filter(|line| headings.next(line).is_none());
    // Text that only introduces something says nothing by itself.
    said.map(str::trim_end).any(|line| !line.ends_with(':') && !line.starts_with("```"))
}

/// A chunk in one line: its heading and first sentence; `None` if that says nothing.
fn gist(text: &str) -> Option<String> {
    let mut headings = Headings::default();
    let mut rest = text.trim_start();
    let mut heading = None;
    if let Some(line) = rest.lines().next()
        && let Some(found) = headings.next(line)
    {
        heading = Some(found);
        rest = rest[line.len()..].trim_start();
    }
    // Headings, code and introductions say nothing by themselves.
    let says = |sentence: &String| {
        !sentence.starts_with(['#', '`', '~', '|', '<']) && !sentence.ends_with([':', '*'])
    };
    let sentence = extract::first_sentence(rest).filter(says)?;
    Some(match heading {
        Some(heading) => format!("{heading}: {sentence}"),
        None => sentence,
    })
}
