//! Items stored outside of the workspace. Each set of visible documents makes a variant of a
//! context.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use rayon::prelude::*;

use crate::search::bytes::TextKey;
use crate::search::index::{SearchIndex, refuse_unclear};
use crate::search::item::{self, Facets, Items, SearchItem, SourceType, TextLocation};
use crate::search::part::Damaged;
use crate::search::prepare::{Prepared, PreparedRow, Preparer};
use crate::search::rank::{self, Averages, CorpusStatistics, LengthSums};
use crate::search::scope::{Scope, Scopes};
use crate::search::view::{self, IndexRequest, ItemRules, SearchView, ViewReading};
use faber_core::diagnostic::Severity;
use faber_core::error::Error;
use faber_core::meaning;
use faber_core::resolve::view::{AccessRule, Principal};
use faber_core::source::{FileId, SourceMap};
use faber_core::terms::bm25::{BODY, HEAD, WEIGHTS};
use faber_output::emit;
use faber_output::streams::Streams;
use faber_session::session::{Session, Workspace};
use faber_session::settings::Settings;

pub const FORMAT: i32 = 1;

pub const MODEL: &str = "faber-static-1";

const MAX_COMBINED: usize = 3;
const MAX_READINGS: usize = 128;

#[derive(Clone, Debug)]
pub struct StoredItem {
    pub item: SearchItem,
    pub rules: ItemRules,
    pub rank: usize,
    pub prepared: Prepared,
    pub facets: Facets,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    pub text: String,
    pub rules: BTreeSet<AccessRule>,
}

#[derive(Default)]
pub struct StoredView {
    pub role: Option<String>,
    pub roles: Vec<String>,
    pub items: Vec<StoredItem>,
    pub files: BTreeMap<String, StoredFile>,
}

type AccessRuleSet = BTreeSet<AccessRule>;

/// # Errors
///
/// Errors of [`view::read`]; [`Error::Findings`] for unclear access.
pub fn read(
    session: &Session,
    request: &IndexRequest,
    streams: &mut Streams<'_>,
) -> Result<StoredView, Error> {
    let mut reader = ViewCollector {
        session,
        request,
        chains: BTreeMap::new(),
        known: BTreeMap::new(),
        found: StoredView::default(),
    };
    let author = Principal::author();
    let mut workspace = reader.workspace(author.clone());
    let combinations = reader.add_chains(&mut workspace);
    refuse_unclear(&workspace, streams)?;
    let mut combinations = combinations?;
    combinations.extend(reader.add(&mut workspace, &author)?);
    reader.add_other_files(&workspace);
    reader.eprint_left_out(&workspace, streams);
    let mut known = BTreeSet::new();
    let mut principals = vec![Principal::default()];
    for principal in combinations.iter().flat_map(readers) {
        if known.insert((principal.user.clone(), principal.groups.clone())) {
            principals.push(principal);
        }
    }
    if principals.len() > MAX_READINGS {
        let count = principals.len();
        streams.note(&format!(
            "contexts have {count} combinations of readers, which is too many; for some of them only public contexts are pushed\n"
        ));
        principals.truncate(MAX_READINGS);
    }
    for principal in principals {
        let mut workspace = reader.workspace(principal.clone());
        reader.add(&mut workspace, &principal)?;
    }
    let mut found = reader.found;
    found.items.sort_by(|a, b| (&a.item.id, &a.rules.rules).cmp(&(&b.item.id, &b.rules.rules)));
    Ok(found)
}

struct ViewCollector<'a> {
    session: &'a Session,
    request: &'a IndexRequest,
    chains: BTreeMap<String, AccessRuleSet>,
    known: BTreeMap<(String, AccessRuleSet), usize>,
    found: StoredView,
}

impl ViewCollector<'_> {
    fn workspace(&self, principal: Principal) -> Workspace {
        let settings = self.session.settings().clone();
        let settings = Settings { principal: Some(principal), no_user: true, ..settings };
        self.session.with_settings(settings).workspace()
    }

    fn add(
        &mut self,
        workspace: &mut Workspace,
        principal: &Principal,
    ) -> Result<BTreeSet<AccessRuleSet>, Error> {
        let reading = view::read(workspace, self.request)?;
        let sources = &workspace.sources;
        let mut combinations = BTreeSet::new();
        let mut new = Vec::new();
        for at in 0..reading.texts.len() {
            let Some(rules) = reading.rules(at, sources) else { continue };
            if rules.rules.len() > 1 {
                combinations.insert(rules.rules.clone());
            }
            let id = reading.view.items.get(at).id;
            let rank = match self.chains.get(&id) {
                Some(chain) => chain.iter().filter(|rule| rule.allows(principal)).count(),
                None => rules.rules.len(),
            };
            let next = self.found.items.len() + new.len();
            match self.known.entry((id, rules.rules.clone())) {
                Entry::Vacant(place) => {
                    place.insert(next);
                    new.push((at, rules, rank));
                }
                Entry::Occupied(place) if *place.get() < self.found.items.len() => {
                    let known = &mut self.found.items[*place.get()];
                    known.rank = known.rank.max(rank);
                }
                Entry::Occupied(_) => {}
            }
        }
        let items = new
            .into_par_iter()
            .map_init(Preparer::default, |preparer, new| stored(&reading, sources, preparer, new));
        self.found.items.extend(items.collect::<Vec<StoredItem>>());
        self.found.role = reading.view.role;
        self.found.roles = reading.view.roles;
        Ok(combinations)
    }

    fn add_chains(&mut self, workspace: &mut Workspace) -> Result<BTreeSet<AccessRuleSet>, Error> {
        let chains = view::chains(workspace, self.request)?;
        let sources = &workspace.sources;
        let mut combinations = BTreeSet::new();
        for (id, chain) in chains {
            let rules: AccessRuleSet =
                chain.iter().filter_map(|file| self.add_file(sources, *file)).collect();
            if chain.len() > 1 {
                combinations.insert(rules.clone());
            }
            self.chains.insert(id, rules);
        }
        Ok(combinations)
    }

    fn add_file(&mut self, sources: &SourceMap, file: FileId) -> Option<AccessRule> {
        let rule = Some(view::rule_of(sources, file)?).filter(|rule| !rule.is_open());
        let source = sources.get(file);
        let text = || source.text.to_string();
        let new = || StoredFile { text: text(), rules: rule.iter().cloned().collect() };
        self.found.files.entry(source.path.to_string()).or_insert_with(new);
        rule
    }

    fn eprint_left_out(&self, workspace: &Workspace, streams: &mut Streams<'_>) {
        let sources = &workspace.sources;
        let items = self.found.items.iter();
        let stored: BTreeSet<&String> =
            items.flat_map(|item| paths_of(&item.item).chain([&item.item.path])).collect();
        let mut left_out = BTreeSet::new();
        for found in workspace.findings().iter().filter(|it| it.severity() == Severity::Error) {
            let path = sources.path(found.primary.span.file).to_string();
            if !stored.contains(&path) && left_out.insert(path) {
                streams.eprint(&format!("left out: {}\n", emit::concise(found, sources)));
            }
        }
    }

    fn add_other_files(&mut self, workspace: &Workspace) {
        let sources = &workspace.sources;
        let paths: BTreeSet<String> =
            self.found.items.iter().flat_map(|item| paths_of(&item.item)).cloned().collect();
        for file in paths.iter().filter_map(|path| sources.find(Utf8Path::new(path))) {
            self.add_file(sources, file);
        }
        for stored in &self.found.items {
            let path = &stored.item.path;
            if stored.item.kind == SourceType::Conversation
                && !self.found.files.contains_key(path)
                && let Ok(text) = workspace.files.read(Utf8Path::new(path))
            {
                let text = text.to_string();
                let rules = stored.rules.rules.clone();
                self.found.files.insert(path.clone(), StoredFile { text, rules });
            }
        }
    }
}

fn paths_of(item: &SearchItem) -> impl Iterator<Item = &String> {
    let paths = match &item.body {
        TextLocation::Own { paths, .. } if item.kind != SourceType::Conversation => &paths[..],
        _ => &[],
    };
    paths.iter()
}

fn readers(rules: &AccessRuleSet) -> Vec<Principal> {
    let rules: Vec<&AccessRule> = rules.iter().collect();
    let subsets: Vec<usize> = match rules.len() {
        count @ 0..=MAX_COMBINED => (1..1 << count).collect(),
        count => (0..count.min(MAX_READINGS)).map(|at| 1 << at).collect(),
    };
    let reader = |bits: usize| {
        let is_chosen = |at: &usize| bits & 1 << at != 0;
        let (chosen, others): (Vec<usize>, Vec<usize>) = (0..rules.len()).partition(is_chosen);
        let mut owners = chosen.iter().filter_map(|at| rules[*at].owner.clone());
        let user = owners.next();
        let is_one = owners.all(|owner| Some(&owner) == user.as_ref());
        let opens_other =
            |group: &String| others.iter().any(|at| rules[*at].groups.contains(group));
        let groups = chosen.iter().filter_map(|at| {
            let groups = &rules[*at].groups;
            groups.iter().find(|group| !opens_other(group)).or(groups.first()).cloned()
        });
        is_one.then(|| Principal::new(user, groups.collect()))
    };
    subsets.into_iter().filter_map(reader).collect()
}

fn stored(
    reading: &ViewReading,
    sources: &SourceMap,
    preparer: &mut Preparer,
    (at, rules, rank): (usize, ItemRules, usize),
) -> StoredItem {
    let analyzed = preparer.prepare(&reading.texts[at].text(sources));
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
    let facets = reading.view.items.facets(at);
    StoredItem { item, rules, rank, prepared: analyzed, facets }
}

/// Key, metadata, its terms, length of all vectors, rows.
type EncodedText<S> = (TextKey, S, u32, f32, Vec<EncodedRow<S>>);

/// Start, end, anchor, head, body, terms of both, length of the vector.
type EncodedRow<S> = (usize, usize, S, S, S, [u32; 2], f32);

pub struct EncodedItem {
    pub item: Vec<u8>,
    pub text: String,
    pub analysis: Vec<u8>,
}

impl StoredItem {
    /// # Panics
    ///
    /// Never.
    pub fn encode(&self) -> EncodedItem {
        let mut item = self.item.clone();
        let mut own = String::new();
        if let TextLocation::Own { text, .. } = &mut item.body {
            own = std::mem::take(text);
        }
        let encoded = rmp_serde::to_vec(&item).expect("plain data can always be encoded");
        EncodedItem { item: encoded, text: own, analysis: encode_text(&self.prepared) }
    }

    pub fn variant_of(&self) -> &str {
        match self.item.kind {
            SourceType::Conversation => &self.item.path,
            SourceType::Memory | SourceType::Document => &self.item.id,
        }
    }

    pub fn scope_bits(&self) -> i16 {
        i16::from(self.facets.scopes.bits())
    }

    pub fn vectors(&self) -> impl Iterator<Item = &[i8; meaning::DIMENSIONS]> {
        self.prepared.rows.iter().map(|row| &row.vector.values)
    }

    pub fn add_lengths(&self, sums: &mut LengthSums) {
        let rows = self.prepared.rows.iter().map(|row| row.lengths);
        sums.add(self.prepared.meta_terms, rows);
    }

    /// Approximate, 0 to 1 per term.
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
                let lengths = [u64::from(text.meta_terms), 0];
                best = rank::worth([counts.meta, 0], lengths, averages[0]);
            }
            f64::midpoint(best, rank::worth(all, whole, averages[1])) / MAX_WORTH
        };
        terms.iter().map(|(stem, counts)| (*stem, impact(counts).clamp(0.0, 1.0))).collect()
    }
}

pub fn scope_bit(scope: Scope) -> Option<i16> {
    let is_fixed = !matches!(scope, Scope::All | Scope::Area);
    is_fixed.then(|| i16::from(Scopes::of([scope]).bits()))
}

/// Bound of a term's score before idf: k₁ + 1.
pub const MAX_WORTH: f64 = 2.2;

#[derive(Default)]
struct TermCounts {
    meta: u32,
    rows: BTreeMap<usize, [u32; WEIGHTS.len()]>,
}

/// Quarter powers of two survive small changes.
fn rounded(averages: Averages) -> Averages {
    averages
        .map(|fields| fields.map(|average| ((average.max(1.0).log2() * 4.0).round() / 4.0).exp2()))
}

fn encode_text(text: &Prepared) -> Vec<u8> {
    let rows = text.rows.iter().map(|row| -> EncodedRow<&str> {
        let PreparedRow { span, anchor, head, body, lengths, vector } = row;
        (span.start, span.end, anchor, head, body, *lengths, vector.length)
    });
    let encoded: EncodedText<&str> =
        (text.key, &text.meta, text.meta_terms, text.whole, rows.collect());
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
    let (key, meta, meta_terms, whole, rows): EncodedText<String> =
        rmp_serde::from_slice(terms).ok()?;
    let vectors = vectors.chunks_exact(meaning::DIMENSIONS);
    if vectors.len() != rows.len() {
        return None;
    }
    let rows = rows.into_iter().zip(vectors).map(|(row, values)| {
        let (start, end, anchor, head, body, lengths, length) = row;
        let values = std::array::from_fn(|at| values[at].cast_signed());
        let vector = meaning::Vector { values, length };
        PreparedRow { span: start..end, anchor, head, body, lengths, vector }
    });
    Some(Prepared { key, meta, meta_terms, rows: rows.collect(), whole })
}

pub struct StoredCandidate {
    item: SearchItem,
    prepared: Prepared,
}

impl StoredCandidate {
    /// # Errors
    ///
    /// `Damaged` for foreign data.
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

    pub fn text(&self) -> &str {
        match &self.item.body {
            TextLocation::Own { text, .. } => text,
            TextLocation::File(..) => "",
        }
    }

    pub fn links(&self) -> impl Iterator<Item = &str> {
        self.item.links.iter().flatten().map(String::as_str)
    }

    fn ids_mut(&mut self) -> impl Iterator<Item = &mut String> {
        [&mut self.item.id].into_iter().chain(self.item.links.iter_mut().flatten())
    }

    pub fn put_in_space(&mut self, space: &str) {
        for id in self.ids_mut() {
            *id = format!("{}{space}/{id}", item::SPACE);
        }
    }

    pub fn show_as_of(&mut self, role: &str) {
        let prefix = format!("@role:{role}/");
        for id in self.ids_mut() {
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

pub struct Candidates {
    pub items: Vec<StoredCandidate>,
    pub statistics: CorpusStatistics,
}

impl Candidates {
    /// `view` must have no items.
    ///
    /// # Errors
    ///
    /// `Damaged` if inconsistent.
    pub fn into_index(self, session: &Session, view: SearchView) -> Result<SearchIndex, Damaged> {
        let mut items: BTreeMap<String, StoredCandidate> = BTreeMap::new();
        for candidate in self.items {
            items.entry(candidate.item.id.clone()).or_insert(candidate);
        }
        let has_role = view.role.is_some();
        let mut prepared = Vec::with_capacity(items.len());
        let items = items.into_values().map(|StoredCandidate { item, prepared: text }| {
            let bytes = match &item.body {
                TextLocation::Own { text, .. } => text.len(),
                TextLocation::File(start, end, _) => end - start,
            };
            let scopes = item.scopes(has_role);
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
