//! Terms of contexts by section, and vectors of their names.

use bytes::Bytes;

use crate::digest_map::{DigestMap, NUMBER, number, number_bytes};
use crate::file_text::{Digest, digest_of};
use crate::meaning::{DIMENSIONS, Embedder, Pool};
use crate::resolve::catalog::{Body, Context};
use crate::select::headings::Headings;
use crate::select::relevance::SectionText;
use crate::source::SourceMap;
use crate::terms::bm25::{BODY, HEAD, WEIGHTS};
use crate::terms::figures;
use crate::terms::tokenizer::{TermHash, Tokenizer};

/// In bytes. A smaller section continues over a heading.
const SMALL: usize = 1_600;
const MAX_SECTION_BYTES: usize = 2_048;

const FIELDS: [&[u8]; WEIGHTS.len()] = [b"head", b"body"];

const SECTION_HEAD: usize = (WEIGHTS.len() + 1) * NUMBER;
const TERM: usize = 8;

#[derive(Debug, Default)]
pub(super) struct TermsCache(pub(super) DigestMap);

impl TermsCache {
    pub(super) fn get(
        &self,
        context: &Context,
        sources: &SourceMap,
        reader: &mut TermReader,
    ) -> StoredTerms {
        let key = key(context, sources);
        let terms = self.0.get(&key).unwrap_or_else(|| {
            let terms = Bytes::from(reader.read(context, sources));
            self.0.insert(key, terms.clone());
            terms
        });
        StoredTerms(terms)
    }
}

fn key(context: &Context, sources: &SourceMap) -> Digest {
    let body = context.body.digest(sources);
    let body = [[].as_slice(), &body];
    let names = called(context).flat_map(|(field, text)| [FIELDS[field], text.as_bytes()]);
    digest_of(names.chain(body))
}

pub(super) fn called(context: &Context) -> impl Iterator<Item = (usize, &str)> {
    let fields = &context.front.fields;
    let listed = fields.description.iter().chain(&fields.keywords).chain(&fields.tags);
    let names = listed.map(|text| (HEAD, text.value.as_str()));
    let summary = fields.summary.iter().map(|text| (BODY, text.value.as_str()));
    let all = std::iter::once((HEAD, &*context.id.name)).chain(names).chain(summary);
    all.filter(|(_, text)| !text.is_empty())
}

/// Vector of names and headings; number of sections, both field lengths of each; number of terms,
/// terms, end of each term's occurrences; occurrences: section, frequency per field (up to 255).
pub(super) struct StoredTerms(Bytes);

const OCCURRENCE: usize = 4;

impl StoredTerms {
    pub(super) fn vector(&self) -> &[u8] {
        self.0.get(..DIMENSIONS).unwrap_or_default()
    }

    pub(super) fn lengths(&self) -> impl Iterator<Item = [u64; WEIGHTS.len()]> {
        let lengths = self.slice(DIMENSIONS + NUMBER, 2 * NUMBER * self.section_count());
        let length = |bytes: &[u8], at| number(bytes, at).unwrap_or(0) as u64;
        lengths.chunks(2 * NUMBER).map(move |both| [length(both, 0), length(both, NUMBER)])
    }

    fn section_count(&self) -> usize {
        number(&self.0, DIMENSIONS).unwrap_or(0)
    }

    fn slice(&self, start: usize, length: usize) -> &[u8] {
        self.0.get(start..start.saturating_add(length)).unwrap_or_default()
    }

    pub(super) fn find(
        &self,
        term: TermHash,
    ) -> impl Iterator<Item = (usize, [u32; WEIGHTS.len()])> {
        let start = DIMENSIONS + NUMBER + 2 * NUMBER * self.section_count();
        let count = number(&self.0, start).unwrap_or(0);
        let terms = self.slice(start + NUMBER, count * TERM).as_chunks::<TERM>().0;
        let at = terms.binary_search_by_key(&term.bits(), |bytes| u64::from_le_bytes(*bytes));
        let ends = start + NUMBER + count * TERM;
        let end = |at: usize| number(&self.0, ends + at * NUMBER).unwrap_or(0);
        let range = at.map_or(0..0, |at| at.checked_sub(1).map_or(0, end)..end(at));
        let first = ends + count * NUMBER + range.start * OCCURRENCE;
        let found = self.slice(first, range.len() * OCCURRENCE).as_chunks::<OCCURRENCE>().0;
        found.iter().map(|&[low, high, head, body]| {
            (u16::from_le_bytes([low, high]).into(), [head.into(), body.into()])
        })
    }
}

#[derive(Clone, Copy)]
pub(super) struct TermSection<'a> {
    pub(super) lengths: [u64; WEIGHTS.len()],
    terms: &'a [u8],
}

pub(super) struct SectionReader<'a>(&'a [u8]);

impl<'a> SectionReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        let number = number(self.0, 0)?;
        self.0 = &self.0[NUMBER..];
        Some(number)
    }

    pub(super) fn vector(&mut self) -> Option<&'a [u8]> {
        let (vector, rest) = self.0.split_at_checked(DIMENSIONS)?;
        self.0 = rest;
        Some(vector)
    }

    pub(super) fn terms(&mut self) -> Option<TermSection<'a>> {
        let lengths = [number(self.0, 0)? as u64, number(self.0, NUMBER)? as u64];
        let size = number(self.0, 2 * NUMBER)? * TERM;
        let terms = self.0.get(SECTION_HEAD..SECTION_HEAD + size)?;
        self.0 = &self.0[SECTION_HEAD + size..];
        Some(TermSection { lengths, terms })
    }
}

impl<'a> TermSection<'a> {
    pub(super) fn terms(&self) -> impl Iterator<Item = (TermHash, [u32; WEIGHTS.len()])> + 'a {
        self.terms.as_chunks().0.iter().map(|bytes: &[u8; TERM]| {
            let [.., head, body] = *bytes;
            (TermHash::from_bits(u64::from_le_bytes(*bytes)), [head.into(), body.into()])
        })
    }
}

#[derive(Default)]
pub(super) struct TermReader {
    tokenizer: Tokenizer,
    embedder: Embedder,
    section: SectionCounts,
}

#[derive(Default)]
struct SectionCounts {
    lengths: [usize; WEIGHTS.len()],
    terms: Vec<u64>,
}

impl TermReader {
    fn read(&mut self, context: &Context, sources: &SourceMap) -> Vec<u8> {
        let mut pool = Pool::new();
        for (field, text) in called(context) {
            self.add(text, field, &mut pool);
        }
        let mut terms = ContextTerms::default();
        terms.add(&mut self.section);
        let mut headings = Headings::default();
        let mut line = |text| {
            let heading = headings.next(text);
            let size = self.section.lengths[BODY];
            if size + text.len() > MAX_SECTION_BYTES || (heading.is_some() && size > SMALL) {
                terms.add_text(&mut self.section);
            }
            match heading {
                Some(heading) => self.add(heading, HEAD, &mut pool),
                None => self.add(text, BODY, &mut pool),
            }
        };
        match &context.body {
            Body::Whole(span) => lines(sources.text(*span)).for_each(&mut line),
            Body::Titled { heading, text } => {
                line(heading.text(sources));
                lines(sources.text(*text)).for_each(&mut line);
            }
            Body::Lines(lines) => lines.iter().for_each(|one| line(one.text(sources))),
        }
        terms.add_text(&mut self.section);
        terms.into_bytes(&pool)
    }

    pub(super) fn read_section(&mut self, section: &SectionText<'_>, bytes: &mut Vec<u8>) {
        bytes.extend(number_bytes(section.parts.len()));
        let mut above = Pool::new();
        self.add(section.headings, HEAD, &mut above);
        self.section.close(bytes);
        let mut whole = above.clone();
        for text in &section.gaps {
            self.count(text, BODY);
            self.embedder.add(&mut whole, text);
        }
        self.section.close(bytes);
        let vector = bytes.len();
        bytes.resize(vector + DIMENSIONS, 0);
        for text in &section.parts {
            if !text.trim_ascii().is_empty() {
                self.count(text, BODY);
            }
            self.section.close(bytes);
            let mut own = Pool::new();
            self.embedder.add(&mut own, text);
            whole.add_pool(&own);
            own.add_pool(&above);
            bytes.extend(own.finish().values.map(i8::cast_unsigned));
            bytes.extend(number_bytes(figures::count(text)));
        }
        let values = whole.finish().values.map(i8::cast_unsigned);
        bytes[vector..vector + DIMENSIONS].copy_from_slice(&values);
    }

    fn add(&mut self, text: &str, field: usize, pool: &mut Pool) {
        self.count(text, field);
        if field == HEAD {
            self.embedder.add(pool, text);
        }
    }

    fn count(&mut self, text: &str, field: usize) {
        // Line ends depend on the checkout.
        let returns = memchr::memchr_iter(b'\r', text.as_bytes()).count();
        self.section.lengths[field] += text.len() - returns;
        let terms = &mut self.section.terms;
        self.tokenizer.each(text, |term| terms.push(term.bits() << 1 | field as u64));
    }
}

#[derive(Default)]
struct ContextTerms {
    lengths: Vec<[usize; WEIGHTS.len()]>,
    /// From the highest bit: term, section, field.
    terms: Vec<u64>,
}

const PLACE_BITS: u32 = u64::BITS - TermHash::BITS;

impl ContextTerms {
    fn add_text(&mut self, section: &mut SectionCounts) {
        if section.lengths != [0; WEIGHTS.len()] {
            self.add(section);
        }
    }

    fn add(&mut self, section: &mut SectionCounts) {
        let at = self.lengths.len().min((1 << (PLACE_BITS - 1)) - 1) as u64;
        self.lengths.push(std::mem::take(&mut section.lengths));
        let placed = |term: u64| (term >> 1) << PLACE_BITS | at << 1 | term & 1;
        self.terms.extend(section.terms.drain(..).map(placed));
    }

    fn into_bytes(mut self, pool: &Pool) -> Vec<u8> {
        self.terms.sort_unstable();
        let (mut terms, mut ends, mut occurrences) = (Vec::new(), Vec::new(), Vec::new());
        for term in self.terms.chunk_by(|a, b| a >> PLACE_BITS == b >> PLACE_BITS) {
            terms.extend((term[0] >> PLACE_BITS).to_le_bytes());
            for own in term.chunk_by(|a, b| a >> 1 == b >> 1) {
                let [low, high, ..] = (own[0] >> 1 & ((1 << (PLACE_BITS - 1)) - 1)).to_le_bytes();
                let [head, body] = field_counts(own);
                occurrences.extend([low, high, head, body]);
            }
            ends.extend(number_bytes(occurrences.len() / OCCURRENCE));
        }
        let mut bytes: Vec<u8> = pool.finish().values.map(i8::cast_unsigned).into();
        bytes.extend(number_bytes(self.lengths.len()));
        bytes.extend(self.lengths.iter().flatten().copied().flat_map(number_bytes));
        bytes.extend(number_bytes(terms.len() / TERM));
        [bytes, terms, ends, occurrences].concat()
    }
}

fn field_counts(term: &[u64]) -> [u8; WEIGHTS.len()] {
    let heads = term.partition_point(|one| one & 1 == HEAD as u64);
    [heads, term.len() - heads].map(|count| u8::try_from(count).unwrap_or(u8::MAX))
}

impl SectionCounts {
    fn close(&mut self, bytes: &mut Vec<u8>) {
        bytes.extend(std::mem::take(&mut self.lengths).into_iter().flat_map(number_bytes));
        self.terms.sort_unstable();
        let terms = || self.terms.chunk_by(|a, b| a >> 1 == b >> 1);
        bytes.extend(number_bytes(terms().count()));
        for term in terms() {
            let fields = u64::from(u16::from_le_bytes(field_counts(term)));
            bytes.extend((term[0] >> 1 | fields << TermHash::BITS).to_le_bytes());
        }
        self.terms.clear();
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let lines = ends.scan(0, |start, end| Some(&text[std::mem::replace(start, end + 1)..end]));
    lines.map(|line| line.strip_suffix('\r').unwrap_or(line))
}
