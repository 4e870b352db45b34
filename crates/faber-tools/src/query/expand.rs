use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::query::data::{ContradictionData, DerivationData};
use crate::search::found::{self, Source};
use crate::search::index::SearchIndex;
use crate::search::item::{CONTRADICTS, DERIVED_FROM, RELATED, SearchItem};
use crate::search::scope::Scope;
use crate::search::section;
use faber_core::budget::gist;
use faber_core::budget::truncate::truncate;
use faber_core::error::Error;
use faber_core::markdown::{self, Block, BlockKind};
use faber_core::packs::{self, names};
use faber_core::source::char_boundary;

/// In `o200k_base`.
const MAX_TOKEN_BYTES: usize = 128;

const MIN_TEXT_BYTES: usize = 40;

/// `faber expand --format json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExpandData {
    /// `faber.expand/1`.
    pub schema: &'static str,
    /// The requested id.
    pub id: String,
    /// Its text, with `detail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Its origin.
    pub source: Source,
    /// Its reliability, from 0 to 1.
    pub confidence: f64,
    /// Its sources, with `derivation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derivation: Option<Vec<DerivationData>>,
    /// The texts of its sources, with `evidence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<EvidenceData>>,
    /// Its contradictions, with `contradictions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradictions: Option<Vec<ContradictionData>>,
    /// Related contexts, with `related`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Vec<RelatedContext>>,
    /// The tokens of all texts here.
    pub tokens: usize,
    /// Always false: `tokens` is exact.
    pub estimated: bool,
    /// Whether something was cut for `--max-tokens`.
    pub truncated: bool,
    /// Why the answer is from the workspace instead of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_away: Option<String>,
}

/// The text of a source.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvidenceData {
    /// Its id; none if it is only named.
    pub id: Option<String>,
    /// Its text, or its description.
    pub content: String,
}

/// A related context.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RelatedData")]
pub struct RelatedContext {
    /// Its id.
    pub id: String,
    /// Its text, in a sentence.
    pub essence: String,
}

faber_core::named_enum! {
    /// `derivation`: ids of its sources; `evidence`: their texts.
    pub enum Include {
        /// Its text
        Detail = "detail",
        /// Its sources, by id
        Derivation = "derivation",
        /// The texts of its sources
        Evidence = "evidence",
        /// What contradicts it
        Contradictions = "contradictions",
        /// Related contexts
        Related = "related",
    }
}

#[derive(Clone, Debug)]
pub struct ExpandRequest {
    pub id: String,
    pub scope: Scope,
    pub include: Vec<Include>,
    pub max_tokens: Option<u64>,
}

/// # Errors
///
/// [`Error::Unknown`], or [`Error::Usage`] outside of the scope.
pub fn data(index: &SearchIndex, args: &ExpandRequest) -> Result<ExpandData, Error> {
    let reader = IndexTexts { index };
    let (item, text, source) = reader.unit(&args.id, args.scope)?;
    let wants = |what| args.include.contains(&what);
    let links = |kind: usize| item.links[kind].iter().map(String::as_str);
    let mut data = ExpandData {
        schema: "faber.expand/1",
        id: args.id.clone(),
        content: wants(Include::Detail).then_some(text),
        source,
        confidence: item.confidence,
        derivation: wants(Include::Derivation)
            .then(|| links(DERIVED_FROM).map(|link| reader.derivation(link)).collect()),
        evidence: wants(Include::Evidence)
            .then(|| links(DERIVED_FROM).map(|link| reader.evidence(link)).collect()),
        contradictions: wants(Include::Contradictions)
            .then(|| links(CONTRADICTS).map(|link| reader.contradiction(link)).collect()),
        related: wants(Include::Related)
            .then(|| links(RELATED).filter_map(|link| reader.related(link)).collect()),
        tokens: 0,
        estimated: false,
        truncated: false,
        store_away: None,
    };
    let counter = index.counter();
    let cost = |text: &str| counter.count(text);
    match args.max_tokens {
        Some(most) => data.fit(usize::try_from(most).unwrap_or(usize::MAX), &cost),
        None => data.tokens = data.texts().map(|text| cost(text)).sum(),
    }
    Ok(data)
}

/// The lowest token limit over `limit` with which [`data`] has a text.
///
/// # Errors
///
/// As [`data`].
pub fn least_tokens(
    index: &SearchIndex,
    args: &ExpandRequest,
    limit: usize,
) -> Result<usize, Error> {
    let whole = data(index, &ExpandRequest { max_tokens: None, ..args.clone() })?;
    let counter = index.counter();
    let (mut too_few, mut enough) = (limit, whole.tokens);
    while too_few + 1 < enough {
        let middle = too_few.midpoint(enough);
        let mut data = whole.clone();
        data.fit(middle, &|text| counter.count(text));
        *(if data.tokens == 0 { &mut too_few } else { &mut enough }) = middle;
    }
    Ok(enough)
}

impl ExpandData {
    fn texts(&self) -> impl Iterator<Item = &String> {
        let derivation = self.derivation.iter().flatten().map(|one| &one.source);
        let contradictions = self.contradictions.iter().flatten().map(|one| &one.essence);
        let related = self.related.iter().flatten().map(|one| &one.essence);
        let evidence = self.evidence.iter().flatten().map(|one| &one.content);
        self.content.iter().chain(derivation).chain(contradictions).chain(related).chain(evidence)
    }

    fn fit(&mut self, max_tokens: usize, cost: &dyn Fn(&str) -> usize) {
        let mut left = max_tokens;
        if let Some(content) = &mut self.content {
            let kept = truncate(content, left, cost);
            if !kept.complete {
                let kept = kept.text();
                let is_empty = kept.trim().is_empty();
                *content = if is_empty { beginning(content, left, cost) } else { kept };
                self.truncated = true;
            }
            left -= cost(content).min(left);
        }
        let mut room = |text: &str| {
            let cost = cost(text);
            let fits = cost <= left;
            left -= if fits { cost } else { 0 };
            fits
        };
        let before = self.texts().count();
        self.derivation.iter_mut().for_each(|list| list.retain(|one| room(&one.source)));
        self.contradictions.iter_mut().for_each(|list| list.retain(|one| room(&one.essence)));
        self.related.iter_mut().for_each(|list| list.retain(|one| room(&one.essence)));
        self.evidence.iter_mut().for_each(|list| list.retain(|one| room(&one.content)));
        self.truncated |= self.texts().count() < before;
        self.tokens = max_tokens - left;
    }
}

fn beginning(text: &str, most: usize, cost: &dyn Fn(&str) -> usize) -> String {
    let closed = |end: usize| {
        let kept = text[..end].trim_end();
        let closer = markdown::closer(kept).map(|closer| format!("\n{closer}"));
        format!("{kept}{}\n", closer.unwrap_or_default())
    };
    let longest = |ends: &[usize]| {
        let fitting = ends.partition_point(|&end| cost(&closed(end)) <= most);
        ends[..fitting].last().copied().filter(|&end| end > 0)
    };
    let limit = char_boundary(text, most.saturating_mul(MAX_TOKEN_BYTES));
    let lines: Vec<usize> = text[..limit].match_indices('\n').map(|(at, _)| at + 1).collect();
    let chars = || text[..limit].char_indices();
    let words = chars().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect::<Vec<_>>();
    let has_text = |end: &usize| !has_only_headings(&text[..*end]);
    let is_useful = |end: &usize| *end >= MIN_TEXT_BYTES && has_text(end);
    let end = longest(&lines).filter(has_text);
    let end = end.or_else(|| longest(&words).filter(is_useful));
    let within_word = || longest(&chars().map(|(at, _)| at).collect::<Vec<_>>());
    let end = end.or_else(|| within_word().filter(is_useful));
    end.map(closed).unwrap_or_default()
}

fn has_only_headings(text: &str) -> bool {
    let is_heading = |block: &Block| matches!(block.kind, BlockKind::Heading { .. });
    markdown::blocks(text).iter().all(is_heading)
}

fn described(item: &SearchItem, text: String) -> String {
    let [summary, essence] = &item.shorter;
    let mut said = [summary, &item.description, essence].into_iter().flatten();
    match said.find(|said| !said.trim().is_empty()) {
        Some(said) => format!("{}\n\n{text}", said.trim()).trim_end().to_owned() + "\n",
        None => text,
    }
}

pub struct IndexTexts<'a> {
    pub index: &'a SearchIndex,
}

impl IndexTexts<'_> {
    fn local<'i>(&self, id: &'i str) -> &'i str {
        let id = names::qualified(id).map_or(id, |(_, id)| id);
        let role = self.index.view.role.as_deref();
        let own = id.strip_prefix("@role:").and_then(|rest| rest.split_once('/'));
        own.filter(|(name, _)| Some(*name) == role).map_or(id, |(_, local)| local)
    }

    pub fn item(&self, id: &str) -> Option<(usize, SearchItem)> {
        let items = &self.index.view.items;
        let at = section::item_of(self.local(id)).find_map(|id| items.find(id))?;
        let item = items.get(at);
        let of_pack = packs::of_path(Utf8Path::new(&item.path));
        let is_meant = names::qualified(id).is_none_or(|(pack, _)| of_pack == Some(pack));
        is_meant.then_some((at, item))
    }

    fn unit(&self, id: &str, scope: Scope) -> Result<(SearchItem, String, Source), Error> {
        let items = &self.index.view.items;
        let unknown = || {
            if names::qualified(id).is_some() && self.item(self.local(id)).is_some() {
                let help = format!("`faber show {id}` prints it if the pack has it");
                return Error::usage(format!("`{id}` is not in use"), help);
            }
            let known: Vec<String> = (0..items.count()).map(|at| items.get(at).id).collect();
            Error::unknown("id", id, known.iter().map(String::as_str))
        };
        let (at, item) = self.item(id).ok_or_else(unknown)?;
        if !items.facets(at).scopes.has(scope) {
            let own = item.scope(self.index.view.role.is_some()).name();
            let message = format!("`{id}` is not in the scope `{}`", scope.name());
            return Err(Error::usage(message, format!("leave `--scope` out; its own is `{own}`")));
        }
        let whole = self.index.whole(&item);
        let chunks = self.index.chunks(at);
        let span = section::span(&item.id, &chunks, &whole.text, self.local(id));
        let span = span.ok_or_else(unknown)?;
        let has_role = self.index.view.role.is_some();
        let found = found::found(&item, &whole, (span, ""), 0.0, has_role);
        let text = found.content.unwrap_or_default().trim().to_owned() + "\n";
        let text = if has_only_headings(&text) { described(&item, text) } else { text };
        Ok((item, text, found.source))
    }

    pub fn preview(&self, item: &SearchItem) -> String {
        found::preview(&self.essence(item), self.index.view.previews.of(item.kind_name()))
    }

    pub fn essence(&self, item: &SearchItem) -> String {
        let declared = item.shorter[1].as_ref().or(item.description.as_ref());
        let declared = declared.map(|text| markdown::collapse(text)).filter(|it| !it.is_empty());
        let first = || gist::gist(&self.index.whole(item).text);
        declared.or_else(first).unwrap_or_default()
    }

    pub fn derivation(&self, link: &str) -> DerivationData {
        let item = self.item(link).map(|(_, item)| item);
        DerivationData {
            source: link.to_owned(),
            confidence: item.as_ref().map(|item| item.confidence),
            title: item.map(|item| item.title),
        }
    }

    fn evidence(&self, link: &str) -> EvidenceData {
        let Some((_, item)) = self.item(link) else {
            return EvidenceData { id: None, content: link.to_owned() };
        };
        let whole = self.index.whole(&item);
        let content = whole.part(0..whole.text.len()).trim().to_owned();
        EvidenceData { id: Some(item.id), content }
    }

    pub fn contradiction(&self, link: &str) -> ContradictionData {
        match self.item(link) {
            Some((_, item)) => {
                let essence = self.essence(&item);
                let SearchItem { id, title, confidence, .. } = item;
                ContradictionData { id, title, essence, confidence }
            }
            None => ContradictionData {
                id: link.to_owned(),
                title: link.to_owned(),
                essence: link.to_owned(),
                confidence: crate::search::item::DEFAULT_CONFIDENCE,
            },
        }
    }

    fn related(&self, link: &str) -> Option<RelatedContext> {
        let (_, item) = self.item(link)?;
        Some(RelatedContext { essence: self.essence(&item), id: item.id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_block_is_cut_at_a_line() {
        let words = |text: &str| text.split_whitespace().count();
        let code = format!("```sh\n{}```\n", "make one two\n".repeat(50));
        assert_eq!(beginning(&code, 9, &words), "```sh\nmake one two\nmake one two\n```\n");
        let line = "word ".repeat(50);
        assert_eq!(beginning(&line, 9, &words), "word ".repeat(9).trim_end().to_owned() + "\n");
        let bytes = |text: &str| text.len();
        assert_eq!(beginning(&line, 48, &bytes), "word ".repeat(8) + "word\n", "no part of a word");
        assert_eq!(beginning(&"x".repeat(99), 48, &bytes), "x".repeat(47) + "\n");
        assert_eq!(beginning(&line, 3, &words), "", "too little to be of use");
        assert_eq!(beginning("é", 0, &words), "");
        let list = format!("# Stamps\n\n1. {line}\n2. Two\n");
        assert_eq!(beginning(&list, 2, &words), "", "a heading alone");
        assert!(beginning(&list, 12, &words).starts_with("# Stamps\n\n1. word word"));
    }
}
