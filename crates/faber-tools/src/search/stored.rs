//! Items as a store outside of the workspace keeps them: with their texts, analyzed, and with who may
//! see them.
//!
//! One item may have several variants, since the text of a context depends on which of its documents
//! its reader may see. A variant is what a principal sees for whom exactly its rules count; of those
//! that a reader may see, the one with most rules is the reader's.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::search::item::{self, Facets, Items, SearchItem, SourceType, TextLocation};
use crate::search::library::SearchIndex;
use crate::search::part::Damaged;
use crate::search::prepare::{Prepared, Preparer};
use crate::search::rank::{self, Averages, CorpusStatistics, LengthSums};
use crate::search::scope::{Scope, Scopes};
use crate::search::view::{self, ItemRules, LibraryRequest, SearchView, ViewReading};
use faber_core::error::Error;
use faber_core::meaning;
use faber_core::resolve::view::{AccessRule, Principal};
use faber_core::source::SourceMap;
use faber_core::terms::bm25::{BODY, HEAD, WEIGHTS};
use faber_session::session::Session;
use faber_session::settings::Settings;

/// Changes with what the bytes of an item mean: its fields, chunks, stems, or the table of vectors.
pub const FORMAT: i32 = 1;

/// The name of the table of vectors.
pub const MODEL: &str = "faber-static-1";

/// The most rules of one item of which every combination gets a variant.
const MOST_COMBINED: usize = 3;
/// The most principals for whom a workspace is read.
const MOST_READINGS: usize = 32;

/// A variant of an item.
#[derive(Clone, Debug)]
pub struct StoredItem {
    /// With its text.
    pub item: SearchItem,
    pub rules: ItemRules,
    pub prepared: Prepared,
    /// The searched scopes and others.
    pub facets: Facets,
}

/// A source file, with who may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    pub text: String,
    pub rules: BTreeSet<AccessRule>,
}

/// All variants of all items of a workspace.
pub struct StoredView {
    /// The role that the ids are of; none for all.
    pub role: Option<String>,
    /// All roles.
    pub roles: Vec<String>,
    pub items: Vec<StoredItem>,
    /// The source files, by path.
    pub files: BTreeMap<String, StoredFile>,
}

/// Which variant an item is: its id and its rules.
type VariantKey = (String, BTreeSet<AccessRule>);

/// Reads everything that any principal may see.
///
/// # Errors
///
/// As [`view::read`].
pub fn read(session: &Session, asked: &LibraryRequest) -> Result<StoredView, Error> {
    let mut found =
        StoredView { role: None, roles: Vec::new(), items: Vec::new(), files: BTreeMap::new() };
    let mut known: BTreeSet<VariantKey> = BTreeSet::new();
    let author = Principal { is_author: true, ..Principal::default() };
    let combinations = add_reading(session, asked, author, (&mut found, &mut known))?;
    let mut principals: Vec<Principal> = vec![Principal::default()];
    principals.extend(combinations.iter().filter_map(|rules| representative(rules)));
    principals.dedup();
    for principal in principals.into_iter().take(MOST_READINGS) {
        add_reading(session, asked, principal, (&mut found, &mut known))?;
    }
    found.items.sort_by(|a, b| (&a.item.id, &a.rules.rules).cmp(&(&b.item.id, &b.rules.rules)));
    Ok(found)
}

/// Adds what a principal sees that is not known yet. Gives back the sets of rules of which some items
/// may have a variant.
fn add_reading(
    session: &Session,
    asked: &LibraryRequest,
    principal: Principal,
    (found, known): (&mut StoredView, &mut BTreeSet<VariantKey>),
) -> Result<BTreeSet<Vec<AccessRule>>, Error> {
    let settings = session.settings();
    let is_author = principal.is_author;
    let settings = Settings { principal: Some(principal), no_user: true, ..settings.clone() };
    let session = session.with_settings(settings);
    let mut workspace = session.workspace();
    let reading = view::read(&mut workspace, asked)?;
    let sources = &workspace.sources;
    let mut combinations = BTreeSet::new();
    let mut new = Vec::new();
    for at in 0..reading.texts.len() {
        let Some(rules) = reading.rules(at, sources) else { continue };
        combinations.extend(subsets(&rules.rules));
        if known.insert((reading.view.items.get(at).id, rules.rules.clone())) {
            new.push((at, rules));
        }
    }
    let items = new.into_par_iter().map_init(Preparer::default, |preparer, (at, rules)| {
        stored(&reading, sources, preparer, (at, rules))
    });
    let items: Vec<StoredItem> = items.collect();
    // The author sees every file, and who may see all of it.
    if is_author {
        for item in &items {
            add_files(item, sources, &mut found.files);
        }
    }
    found.items.extend(items);
    found.role = reading.view.role;
    found.roles = reading.view.roles;
    Ok(combinations)
}

/// The proper subsets of some rules that are not empty.
fn subsets(rules: &BTreeSet<AccessRule>) -> Vec<Vec<AccessRule>> {
    if !(2..=MOST_COMBINED).contains(&rules.len()) {
        return Vec::new();
    }
    let rules: Vec<&AccessRule> = rules.iter().collect();
    let subset = |bits: usize| {
        let chosen = rules.iter().enumerate().filter(|(at, _)| bits & 1 << at != 0);
        chosen.map(|(_, rule)| (*rule).clone()).collect()
    };
    (1..(1 << rules.len()) - 1).map(subset).collect()
}

/// A principal whom some rules allow; none if they name two owners.
fn representative(rules: &[AccessRule]) -> Option<Principal> {
    let mut owners = rules.iter().filter_map(|rule| rule.owner.clone());
    let user = owners.next();
    if owners.any(|owner| Some(&owner) != user.as_ref()) {
        return None;
    }
    let groups = rules.iter().filter_map(|rule| rule.groups.first().cloned()).collect();
    Some(Principal { user, groups, is_author: false })
}

fn stored(
    reading: &ViewReading,
    sources: &SourceMap,
    preparer: &mut Preparer,
    (at, rules): (usize, ItemRules),
) -> StoredItem {
    let prepared = reading.texts[at].with(sources, |text| preparer.prepare(text));
    let mut item = reading.view.items.get(at);
    if let TextLocation::File(start, end, _) = item.body {
        let file = sources.find(Utf8Path::new(&item.path));
        let text = file.map(|file| &*sources.get(file).text).unwrap_or_default();
        let before = text.get(..start).unwrap_or_default().matches('\n').count();
        let text = text.get(start..end).unwrap_or_default();
        let lines = u32::try_from(before).unwrap_or(u32::MAX);
        let origins = (1..).zip(text.split_inclusive('\n')).map(|(line, _)| (0, lines + line));
        item.body = TextLocation::Own {
            paths: vec![item.path.clone()],
            origins: origins.collect(),
            text: text.to_owned(),
        };
    }
    StoredItem { item, rules, prepared, facets: reading.view.items.facets(at) }
}

/// Adds the files of an item, each with its own rule; a conversation has the rules of all of its messages.
fn add_files(
    StoredItem { item, rules, .. }: &StoredItem,
    sources: &SourceMap,
    files: &mut BTreeMap<String, StoredFile>,
) {
    let TextLocation::Own { paths, .. } = &item.body else { return };
    for path in paths.iter().chain([&item.path]) {
        if files.contains_key(path) {
            continue;
        }
        let Some(file) = sources.find(Utf8Path::new(path)) else { continue };
        let rules = if item.kind == SourceType::Conversation {
            rules.rules.clone()
        } else {
            let Some(rule) = view::rule_of(sources, file) else { continue };
            Some(rule).filter(|rule| !rule.is_open()).into_iter().collect()
        };
        files.insert(path.clone(), StoredFile { text: sources.get(file).text.to_string(), rules });
    }
}

/// An analyzed text without its vectors, as it is encoded.
#[derive(Serialize, Deserialize)]
struct EncodedText {
    key: [u8; 16],
    meta: String,
    meta_terms: u32,
    whole: f32,
    rows: Vec<EncodedRow>,
}

/// A chunk: range, anchor, terms and the length of its vector.
#[derive(Serialize, Deserialize)]
struct EncodedRow(usize, usize, String, String, String, [u32; 2], f32);

/// An item as bytes: everything but its text; its text; its analysis.
pub struct EncodedItem {
    pub item: Vec<u8>,
    pub text: String,
    pub analysis: Vec<u8>,
}

impl StoredItem {
    /// What is stored of it.
    ///
    /// # Panics
    ///
    /// Never: plain data can always be encoded.
    pub fn encode(&self) -> EncodedItem {
        let mut item = self.item.clone();
        let mut own = String::new();
        if let TextLocation::Own { text, .. } = &mut item.body {
            own = std::mem::take(text);
        }
        let encoded = rmp_serde::to_vec(&item).expect("plain data can always be encoded");
        EncodedItem { item: encoded, text: own, analysis: encode_text(&self.prepared) }
    }

    /// The texts that share what is visible: of all variants of the same, one is shown.
    pub fn variant_of(&self) -> &str {
        match self.item.kind {
            SourceType::Conversation => &self.item.path,
            SourceType::Memory | SourceType::Document => &self.item.id,
        }
    }

    /// Its scopes as bits.
    pub fn scope_bits(&self) -> i16 {
        i16::from(self.facets.scopes.bits())
    }

    /// The vector of each chunk.
    pub fn vectors(&self) -> impl Iterator<Item = &[i8; meaning::DIMENSIONS]> {
        self.prepared.rows.iter().map(|row| &row.vector.values)
    }

    /// Adds its lengths to those of others.
    pub fn add_lengths(&self, sums: &mut LengthSums) {
        let rows = self.prepared.rows.iter().map(|row| row.lengths);
        sums.add(self.prepared.meta_terms, rows);
    }

    /// The worth of each of its terms, from 0 to 1: ½ by the best chunk and ½ by the whole, among texts
    /// with these lengths. Enough to choose candidates by, which are ranked exactly afterwards.
    pub fn impacts(&self, lengths: &LengthSums) -> BTreeMap<&str, f64> {
        let text = &self.prepared;
        let averages = rounded(lengths.averages());
        let mut terms: BTreeMap<&str, TermCounts> = BTreeMap::new();
        for stem in text.meta.split_ascii_whitespace() {
            terms.entry(stem).or_default().meta += 1;
        }
        for (at, row) in text.rows.iter().enumerate() {
            for (field, stems) in [(HEAD, &row.head), (BODY, &row.body)] {
                for stem in stems.split_ascii_whitespace() {
                    terms.entry(stem).or_default().rows.entry(at).or_default()[field] += 1;
                }
            }
        }
        let mut whole = [u64::from(text.meta_terms), 0];
        for row in &text.rows {
            whole[HEAD] += u64::from(row.lengths[HEAD]);
            whole[BODY] += u64::from(row.lengths[BODY]);
        }
        let impact = |counts: &TermCounts| {
            let mut all = [counts.meta, 0];
            let mut best = 0.0_f64;
            for (at, own) in &counts.rows {
                all = [all[HEAD] + own[HEAD], all[BODY] + own[BODY]];
                let mut lengths = text.rows[*at].lengths.map(u64::from);
                lengths[HEAD] += u64::from(text.meta_terms);
                let own = [own[HEAD] + counts.meta, own[BODY]];
                best = best.max(rank::worth(own, lengths, averages[0]));
            }
            if counts.rows.is_empty() {
                // A term of the metadata counts in every chunk.
                let lengths = [u64::from(text.meta_terms), 0];
                best = rank::worth([counts.meta, 0], lengths, averages[0]);
            }
            f64::midpoint(best, rank::worth(all, whole, averages[1])) / MOST_WORTH
        };
        terms.iter().map(|(stem, counts)| (*stem, impact(counts).clamp(0.0, 1.0))).collect()
    }
}

/// The bit of a scope; none for all, and for the area, which depends on the role that is asked for.
pub fn scope_bit(scope: Scope) -> Option<i16> {
    let is_fixed = !matches!(scope, Scope::All | Scope::Area);
    is_fixed.then(|| i16::from(Scopes::of([scope]).bits()))
}

/// The bound of [`rank::worth`]: k₁ + 1.
pub const MOST_WORTH: f64 = 2.2;

/// The frequencies of a term: in the metadata, and in head and body of chunks.
#[derive(Default)]
struct TermCounts {
    meta: u32,
    rows: BTreeMap<usize, [u32; WEIGHTS.len()]>,
}

/// To steps of a fifth, so that a small change of a space does not change every impact.
fn rounded(averages: Averages) -> Averages {
    averages
        .map(|fields| fields.map(|average| ((average.max(1.0).log2() * 4.0).round() / 4.0).exp2()))
}

fn encode_text(text: &Prepared) -> Vec<u8> {
    let rows = text.rows.iter().map(|row| {
        let (head, body) = (row.head.clone(), row.body.clone());
        let (span, anchor) = (&row.span, row.anchor.clone());
        EncodedRow(span.start, span.end, anchor, head, body, row.lengths, row.vector.length)
    });
    let encoded = EncodedText {
        key: text.key,
        meta: text.meta.clone(),
        meta_terms: text.meta_terms,
        whole: text.whole,
        rows: rows.collect(),
    };
    let terms = rmp_serde::to_vec(&encoded).expect("plain data can always be encoded");
    let mut bytes = u32::try_from(terms.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    bytes.extend_from_slice(&terms);
    let vectors = text.rows.iter().flat_map(|row| row.vector.values.iter());
    bytes.extend(vectors.map(|value| value.cast_unsigned()));
    bytes
}

fn decode_text(bytes: &[u8]) -> Option<Prepared> {
    let (size, rest) = bytes.split_first_chunk()?;
    let (terms, vectors) = rest.split_at_checked(u32::from_le_bytes(*size) as usize)?;
    let text: EncodedText = rmp_serde::from_slice(terms).ok()?;
    let vectors = vectors.chunks_exact(meaning::DIMENSIONS);
    if vectors.len() != text.rows.len() {
        return None;
    }
    let rows = text.rows.into_iter().zip(vectors).map(|(row, values)| {
        let EncodedRow(start, end, anchor, head, body, lengths, length) = row;
        let values = std::array::from_fn(|at| values[at].cast_signed());
        let vector = meaning::Vector { values, length };
        crate::search::prepare::PreparedRow {
            span: start..end,
            anchor,
            head,
            body,
            lengths,
            vector,
        }
    });
    let (meta, meta_terms) = (text.meta, text.meta_terms);
    Some(Prepared { key: text.key, meta, meta_terms, rows: rows.collect(), whole: text.whole })
}

/// An item as it was stored.
pub struct Candidate {
    item: SearchItem,
    prepared: Prepared,
}

impl Candidate {
    /// Reads what [`StoredItem::encode`] made.
    ///
    /// # Errors
    ///
    /// [`Damaged`] if it is something else.
    pub fn decode(item: &[u8], text: String, analysis: &[u8]) -> Result<Self, Damaged> {
        let mut item: SearchItem = rmp_serde::from_slice(item).map_err(|_| Damaged)?;
        if let TextLocation::Own { text: own, .. } = &mut item.body {
            *own = text;
        }
        Ok(Self { item, prepared: decode_text(analysis).ok_or(Damaged)? })
    }

    pub fn id(&self) -> &str {
        &self.item.id
    }

    /// The ids of its sources, contradictions and related contexts, as far as they are ids.
    pub fn links(&self) -> impl Iterator<Item = &str> {
        self.item.links.iter().flatten().map(String::as_str)
    }

    /// Begins its ids with the space that it is of.
    pub fn put_in_space(&mut self, space: &str) {
        let ids = [&mut self.item.id].into_iter().chain(self.item.links.iter_mut().flatten());
        for id in ids {
            *id = format!("{}{space}/{id}", item::SPACE);
        }
    }

    /// Shows it as an item of the requested role, if it is one.
    pub fn show_as_of(&mut self, role: &str) {
        let prefix = format!("@role:{role}/");
        let ids = [&mut self.item.id].into_iter().chain(self.item.links.iter_mut().flatten());
        for id in ids {
            let (space, own) = item::in_space(id);
            if let Some(rest) = own.strip_prefix(&prefix) {
                *id = match space {
                    Some(space) => format!("{}{space}/{rest}", item::SPACE),
                    None => rest.to_owned(),
                };
            }
        }
    }
}

/// The items and statistics that answer a question.
pub struct Candidates {
    /// Items by descending precedence: of several with one id the first counts.
    pub items: Vec<Candidate>,
    pub statistics: CorpusStatistics,
}

impl Candidates {
    /// The index of these candidates, which every command answers from; `view` has no items.
    ///
    /// # Errors
    ///
    /// [`Damaged`] if they do not fit together.
    pub fn into_index(self, session: &Session, view: SearchView) -> Result<SearchIndex, Damaged> {
        let mut items: BTreeMap<String, Candidate> = BTreeMap::new();
        for candidate in self.items {
            items.entry(candidate.item.id.clone()).or_insert(candidate);
        }
        let has_role = view.role.is_some();
        let mut prepared = Vec::with_capacity(items.len());
        let items = items.into_values().map(|Candidate { item, prepared: text }| {
            let bytes = match &item.body {
                TextLocation::Own { text, .. } => text.len(),
                TextLocation::File(start, end, _) => end - start,
            };
            let scopes = match item.layers.is_empty() {
                true => Scopes::of([Scope::Historical]),
                false => Scopes::of_layers(&item.layers, item.is_of_area(has_role)),
            };
            let (category, bytes) = (item.category, u32::try_from(bytes).unwrap_or(u32::MAX));
            let key = text.key;
            prepared.push(text);
            (item, key, Facets { scopes, category, bytes })
        });
        let items: Items = items.collect();
        let view = SearchView { items, ..view };
        SearchIndex::of_candidates(session, view, prepared, self.statistics)
    }
}
