//! What ranking needs to know of a context, whatever the request: its terms by section, and the vector of
//! what it calls itself.

use bytes::Bytes;

use crate::digest_map::{DigestMap, number};
use crate::file_text::{self, Digest};
use crate::meaning::{DIMENSIONS, Embedder, Pool};
use crate::resolve::catalog::{Body, Resolved};
use crate::select::headings::Headings;
use crate::source::SourceMap;
use crate::terms::bm25::{BODY, HEAD, WEIGHTS};
use crate::terms::tokenizer::{TermHash, Tokenizer};

/// A section goes on over a heading up to so many bytes, and ends before so many: the sizes of the
/// units of search.
const SMALL: usize = 1_600;
const LARGEST: usize = 2_048;

/// Bytes of a number.
const NUMBER: usize = 4;

/// Bytes of the lengths of the fields of a section, and of the number of its terms.
const SECTION_HEAD: usize = (WEIGHTS.len() + 1) * NUMBER;
/// Bytes of a term with how often each field has it.
const TERM: usize = 8;

/// Terms of contexts, by the digest of all their texts that have terms.
#[derive(Debug, Default)]
pub(super) struct TermsCache(DigestMap);

impl TermsCache {
    /// A cache with what [`Self::to_bytes`] gave.
    pub(super) fn from_bytes(loaded: Bytes) -> Self {
        Self(DigestMap::from_bytes(loaded))
    }

    /// All terms, to be stored; none when nothing was added.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        self.0.to_bytes()
    }

    /// The terms of a context, which `reader` finds if they are not known.
    pub(super) fn get(
        &self,
        context: &Resolved,
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

fn key(context: &Resolved, sources: &SourceMap) -> Digest {
    fn add(hasher: &mut blake3::Hasher, text: &str) {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    let mut hasher = blake3::Hasher::new();
    for (_, text) in called(context) {
        add(&mut hasher, text);
    }
    // No name has this length, so what follows is not taken for a further one.
    add(&mut hasher, "");
    hasher.update(&context.body.digest(sources));
    file_text::half(hasher.finalize())
}

/// What a context calls itself, with the field that it counts for. None is empty.
fn called(context: &Resolved) -> impl Iterator<Item = (usize, &str)> {
    let fields = &context.front.fields;
    let listed = fields.description.iter().chain(&fields.keywords).chain(&fields.tags);
    let names = listed.map(|text| (HEAD, text.value.as_str()));
    let summary = fields.summary.iter().map(|text| (BODY, text.value.as_str()));
    let all = std::iter::once((HEAD, &*context.id.name)).chain(names).chain(summary);
    all.filter(|(_, text)| !text.is_empty())
}

/// The terms of a context as they are stored: the vector of its names and headings, then its sections, the
/// first of which is what it calls itself.
///
/// Of each section there are the bytes of both fields and the number of its terms; then the terms, each in
/// 48 bits with a byte for how often each field has it, up to 255 times.
pub(super) struct StoredTerms(Bytes);

/// A part of a context.
#[derive(Clone, Copy)]
pub(super) struct TermSection<'a> {
    /// In bytes: of lengths only the proportion to the average counts.
    pub(super) lengths: [u64; WEIGHTS.len()],
    terms: &'a [u8],
}

impl StoredTerms {
    /// The vector of its names and headings, a byte for each number.
    pub(super) fn vector(&self) -> &[u8] {
        self.0.get(..DIMENSIONS).unwrap_or_default()
    }

    /// What it calls itself, then the sections of its text.
    pub(super) fn sections(&self) -> impl Iterator<Item = TermSection<'_>> {
        let mut rest = self.0.get(DIMENSIONS..).unwrap_or_default();
        std::iter::from_fn(move || {
            let lengths = [number(rest, 0)? as u64, number(rest, NUMBER)? as u64];
            let size = number(rest, 2 * NUMBER)? * TERM;
            let terms = rest.get(SECTION_HEAD..SECTION_HEAD + size)?;
            rest = &rest[SECTION_HEAD + size..];
            Some(TermSection { lengths, terms })
        })
    }
}

impl<'a> TermSection<'a> {
    /// The terms of each field with how often it has them.
    pub(super) fn terms(&self) -> impl Iterator<Item = (TermHash, [u32; WEIGHTS.len()])> + 'a {
        self.terms.as_chunks().0.iter().map(|bytes: &[u8; TERM]| {
            let [.., head, body] = *bytes;
            (TermHash::from_bits(u64::from_le_bytes(*bytes)), [head.into(), body.into()])
        })
    }
}

/// Finds the terms of contexts.
#[derive(Default)]
pub(super) struct TermReader {
    pub(super) tokenizer: Tokenizer,
    pub(super) embedder: Embedder,
    section: SectionCounts,
}

/// The terms of a section.
#[derive(Default)]
struct SectionCounts {
    lengths: [usize; WEIGHTS.len()],
    /// Every occurrence, with its field in the lowest bit.
    terms: Vec<u64>,
}

impl TermReader {
    fn read(&mut self, context: &Resolved, sources: &SourceMap) -> Vec<u8> {
        let mut bytes = vec![0; DIMENSIONS];
        let mut pool = Pool::new();
        for (field, text) in called(context) {
            self.add(text, field, &mut pool);
        }
        self.section.close(&mut bytes);
        let mut headings = Headings::default();
        let mut line = |text| {
            let heading = headings.next(text);
            let size = self.section.lengths[BODY];
            if size + text.len() > LARGEST || (heading.is_some() && size > SMALL) {
                self.close(&mut bytes);
            }
            match heading {
                Some(heading) => self.add(heading, HEAD, &mut pool),
                None => self.add(text, BODY, &mut pool),
            }
        };
        match &context.body {
            Body::Whole(span) => lines(sources.text(*span)).for_each(&mut line),
            Body::Lines(lines) => lines.iter().for_each(|one| line(one.text(sources))),
        }
        self.close(&mut bytes);
        let vector = pool.finish().values.map(i8::cast_unsigned);
        bytes[..DIMENSIONS].copy_from_slice(&vector);
        bytes
    }

    fn add(&mut self, text: &str, field: usize, pool: &mut Pool) {
        self.section.lengths[field] += text.len();
        let terms = &mut self.section.terms;
        self.tokenizer.each(text, |term| terms.push(term.bits() << 1 | field as u64));
        if field == HEAD {
            self.embedder.add(pool, text);
        }
    }

    /// Ends a section of the text, unless it is empty.
    fn close(&mut self, bytes: &mut Vec<u8>) {
        if self.section.lengths != [0; WEIGHTS.len()] {
            self.section.close(bytes);
        }
    }
}

impl SectionCounts {
    /// Writes all terms, and starts over.
    fn close(&mut self, bytes: &mut Vec<u8>) {
        let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
        bytes.extend(self.lengths.into_iter().flat_map(number));
        let count = bytes.len();
        bytes.extend(number(0));
        self.terms.sort_unstable();
        let equal = self.terms.chunk_by(|a, b| a >> 1 == b >> 1);
        let mut terms = 0;
        for term in equal {
            let heads = term.partition_point(|one| one & 1 == HEAD as u64);
            let often = |count: usize| u64::from(u8::try_from(count).unwrap_or(u8::MAX));
            let fields = often(heads) | often(term.len() - heads) << 8;
            bytes.extend((term[0] >> 1 | fields << TermHash::BITS).to_le_bytes());
            terms += 1;
        }
        bytes[count..count + NUMBER].copy_from_slice(&number(terms));
        *self = Self { terms: std::mem::take(&mut self.terms), ..Self::default() };
        self.terms.clear();
    }
}

/// The lines of a text, quicker than the standard library has them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    ends.scan(0, |start, end| Some(&text[std::mem::replace(start, end + 1)..end]))
}
