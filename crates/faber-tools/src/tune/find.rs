use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::confidence::wilson;
use super::facts::{ContextFacts, PackFacts};
use super::phrases::{
    CallSide, IndicativePhrase, MIN_SESSIONS, MIN_TEXTS, PhraseIndex, SHARE, SHARE_OF_ALL,
};
use super::proposal::{Proposal, ProposalKind, ProposedEdit};
use super::usage::{Episode, Usage, UsageStep};
use crate::front_edit::FieldEdit;
use faber_core::category::{Category, Load};
use faber_core::numbers::float;
use faber_core::terms::words::stems;
use faber_session::audit::AuditEntry;

const MIN_REQUESTS: usize = 20;
/// At 95 % confidence: 0 of 73.
const RARE: f64 = 0.05;
const EXCEPTION: usize = 1000;
const CURIOSITY: usize = 200;
const EXAMPLES: usize = 3;

pub(super) fn find(usage: &Usage, facts: &PackFacts) -> Vec<Proposal> {
    let mut finder = Finder::new(usage, facts);
    finder.always();
    finder.related();
    finder.keywords();
    finder.on_demand();
    finder.unused();
    finder.summaries();
    finder.missing();
    finder.found
}

struct Finder<'a> {
    facts: &'a PackFacts,
    usage: &'a Usage,
    wanted: Vec<BTreeSet<&'a str>>,
    given: Vec<BTreeSet<&'a str>>,
    tells: Vec<bool>,
    sessions: Vec<usize>,
    explained: BTreeSet<(usize, &'a str)>,
    always: BTreeSet<&'a str>,
    found: Vec<Proposal>,
}

#[derive(Clone, Copy, Debug, Default)]
struct UseCounts {
    hits: usize,
    of: usize,
    all: usize,
}

impl UseCounts {
    fn are_usual(self) -> bool {
        self.hits >= MIN_TEXTS
            && float(self.hits) >= SHARE_OF_ALL * float(self.all)
            && wilson(self.hits, self.of).low >= SHARE
    }
}

impl<'a> Finder<'a> {
    fn new(usage: &'a Usage, facts: &'a PackFacts) -> Self {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut number = |session: &'a str| {
            let next = numbers.len();
            *numbers.entry(session).or_insert(next)
        };
        Self {
            facts,
            usage,
            wanted: usage.episodes.iter().map(Episode::wanted).collect(),
            tells: usage.episodes.iter().map(has_evidence).collect(),
            given: usage.episodes.iter().map(|episode| given_now(episode, facts)).collect(),
            sessions: usage.episodes.iter().map(|episode| number(&episode.session)).collect(),
            explained: BTreeSet::new(),
            always: BTreeSet::new(),
            found: Vec::new(),
        }
    }

    fn episodes(&self) -> impl Iterator<Item = (usize, &'a Episode)> + use<'a> {
        self.usage.episodes.iter().enumerate()
    }

    fn sessions_of(&self, episodes: &[usize]) -> usize {
        episodes.iter().map(|&at| self.sessions[at]).collect::<BTreeSet<_>>().len()
    }

    fn wanted_contexts(&self) -> Vec<(&'a str, &'a ContextFacts)> {
        let ids: BTreeSet<&'a str> = self.wanted.iter().flatten().copied().collect();
        let known = |id: &'a str| Some((id, self.facts.contexts.get(id)?));
        ids.into_iter().filter_map(known).filter(|(_, facts)| facts.load != Load::Never).collect()
    }

    fn always(&mut self) {
        for (id, facts) in self.wanted_contexts() {
            let without = self.episodes().filter(|(at, episode)| {
                let bundle = episode.bundle.as_ref();
                bundle.is_some_and(|bundle| self.facts.may_get(facts, bundle))
                    && !self.given[*at].contains(id)
            });
            let without: Vec<usize> = without.map(|(at, _)| at).collect();
            let hits = without.iter().filter(|&&at| self.wanted[at].contains(id)).count();
            let counts = self.counts(hits, &without);
            if !counts.are_usual() || counts.of < MIN_REQUESTS || facts.load == Load::Always {
                continue;
            }
            self.always.insert(id);
            let reason = "looked up after most requests with follow-ups";
            let edit = FieldEdit::Set { field: "load", value: "always".into() };
            let proposal = Proposal::new(ProposalKind::Always, reason, hits, counts.of);
            self.propose(id, edit, &[], proposal);
        }
    }

    fn counts(&self, hits: usize, episodes: &[usize]) -> UseCounts {
        let of = episodes.iter().filter(|&&at| self.tells[at]).count();
        UseCounts { hits, of, all: episodes.len() }
    }

    fn related(&mut self) {
        let mut pairs: BTreeMap<(&'a str, &'a str), Vec<usize>> = BTreeMap::new();
        let mut gotten: BTreeMap<&'a str, Vec<usize>> = BTreeMap::new();
        for (at, episode) in self.episodes() {
            let bundle = episode.bundle.as_ref();
            let given = bundle.into_iter().flat_map(|bundle| &bundle.results).map(String::as_str);
            let given: Vec<&str> = given.filter(|id| self.is_selected(id)).collect();
            let fetched = episode.fetched();
            let first: BTreeSet<&str> = given.iter().chain(&fetched).copied().collect();
            for id in first.iter().filter(|id| self.is_selected(id)) {
                gotten.entry(*id).or_default().push(at);
            }
            for (place, &second) in fetched.iter().enumerate() {
                let is_new = !self.given[at].contains(second) && !self.always.contains(second);
                let before: BTreeSet<&str> =
                    given.iter().chain(&fetched[..place]).copied().collect();
                for first in before.into_iter().filter(|first| is_new && *first != second) {
                    pairs.entry((first, second)).or_default().push(at);
                }
            }
        }
        for ((first, second), hits) in pairs {
            let is_possible = self.is_selected(first)
                && self.is_selected(second)
                && !self.facts.contexts[first].related.contains(second);
            let without = gotten.get(first).into_iter().flatten().copied();
            let without = without.filter(|&at| !self.given[at].contains(second));
            let counts = self.counts(hits.len(), &without.collect::<Vec<_>>());
            if !is_possible || !counts.are_usual() || self.sessions_of(&hits) < MIN_SESSIONS {
                continue;
            }
            self.explained.extend(hits.iter().map(|&at| (at, second)));
            let reason = format!("looked up after `{first}` was given");
            let edit = FieldEdit::Add { field: "related", items: vec![second.to_owned()] };
            let proposal = Proposal::new(ProposalKind::Related, reason, counts.hits, counts.of);
            self.propose(first, edit, &hits, proposal);
        }
    }

    fn is_selected(&self, id: &str) -> bool {
        self.facts.contexts.get(id).is_some_and(ContextFacts::is_selected_by_requests)
    }

    fn keywords(&mut self) {
        let texts: Vec<String> = self.usage.episodes.iter().map(Episode::text).collect();
        let index = PhraseIndex::new(texts.iter().map(String::as_str));
        let by_words: Vec<BTreeSet<&str>> =
            self.usage.episodes.iter().map(Episode::wanted_by_words).collect();
        for (id, facts) in self.wanted_contexts() {
            if self.always.contains(id) || !facts.is_selected_by_requests() {
                continue;
            }
            let member = |at: usize| {
                let is_given = self.given[at].contains(id);
                let is_out = is_given || self.explained.contains(&(at, id));
                match (by_words[at].contains(id), self.wanted[at].contains(id)) {
                    (false, true) => CallSide::Out,
                    _ if is_out => CallSide::Out,
                    (true, _) => CallSide::Yes,
                    (false, false) if self.tells[at] => CallSide::No,
                    (false, false) => CallSide::Silent,
                }
            };
            let is_taken = |stems: &[String]| self.facts.has_keyword(stems);
            let phrases = index.indicative_phrases(member, |at| self.sessions[at], is_taken);
            for IndicativePhrase { phrase, hits, of, texts, .. } in phrases {
                let reason = "looked up after requests with this phrase";
                let edit = FieldEdit::Add { field: "keywords", items: vec![phrase.text] };
                let proposal = Proposal::new(ProposalKind::Keyword, reason, hits, of);
                self.propose(id, edit, &texts, proposal);
            }
        }
    }

    fn on_demand(&mut self) {
        let stems_of = |episode: &Episode| stems(&episode.request()).into_iter().collect();
        let requests = self.usage.requests();
        let requests: Vec<(&AuditEntry, BTreeSet<String>)> =
            requests.map(|(episode, bundle)| (bundle, stems_of(episode))).collect();
        for (id, facts) in &self.facts.contexts {
            let is_always = facts.load == Load::Always && !facts.is_required;
            if !is_always || facts.category == Category::Platform || facts.topic.is_empty() {
                continue;
            }
            let eligible = requests.iter().filter(|(bundle, _)| self.facts.may_get(facts, bundle));
            let about: Vec<bool> =
                eligible.map(|(_, stems)| !stems.is_disjoint(&facts.topic)).collect();
            let (of, hits) = (about.len(), about.iter().filter(|is_about| **is_about).count());
            let wanted = self.wanted.iter().filter(|wanted| wanted.contains(id.as_str())).count();
            if wanted > of / CURIOSITY || !is_rare(hits, of) {
                continue;
            }
            let reason = "always loads, and no request is about it";
            let edit = FieldEdit::Set { field: "load", value: "on-demand".into() };
            let proposal = Proposal::new(ProposalKind::OnDemand, reason, of - hits, of);
            self.propose(id, edit, &[], proposal);
        }
    }

    fn unused(&mut self) {
        let mut uses: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (at, episode) in self.episodes() {
            let request_stems: BTreeSet<String> = stems(&episode.text()).into_iter().collect();
            for &id in &self.wanted[at] {
                let facts = self.facts.contexts.get(id);
                let is_about = facts.is_some_and(|it| !request_stems.is_disjoint(&it.topic));
                let (all, topical) = uses.entry(id).or_default();
                *all += 1;
                *topical += usize::from(is_about);
            }
        }
        let given = self.usage.requests().flat_map(|(episode, _)| &episode.given);
        let given: BTreeSet<&str> =
            given.chain(&self.usage.given_otherwise).map(String::as_str).collect();
        for (id, facts) in &self.facts.contexts {
            let requests = self.usage.requests();
            let requests = requests.filter(|(_, bundle)| self.facts.may_get(facts, bundle)).count();
            let is_given = given.contains(id.as_str());
            let (count, topical) = uses.get(id.as_str()).copied().unwrap_or_default();
            let is_used = is_given || !is_rare(topical, requests) || count > requests / CURIOSITY;
            if is_used || !facts.is_selected_by_requests() {
                continue;
            }
            let reason = "not returned by any request or search";
            let edit = FieldEdit::Set { field: "load", value: "never".into() };
            let proposal = Proposal::new(ProposalKind::Unused, reason, requests - count, requests);
            self.propose(id, edit, &[], proposal);
        }
    }

    fn summaries(&mut self) {
        let mut shortened: BTreeMap<&'a str, Vec<usize>> = BTreeMap::new();
        for (at, episode) in self.episodes() {
            let bundle = episode.bundle.iter();
            for id in bundle.flat_map(|bundle| &bundle.shortened) {
                shortened.entry(id).or_default().push(at);
            }
        }
        for (id, episodes) in shortened {
            let Some(facts) = self.facts.contexts.get(id) else { continue };
            let fetched = |at: &&usize| self.usage.episodes[**at].fetched().contains(&id);
            let hits: Vec<usize> = episodes.iter().filter(fetched).copied().collect();
            let low = wilson(hits.len(), episodes.len()).low;
            let is_usual = hits.len() >= MIN_TEXTS && low >= SHARE;
            if !is_usual || !facts.is_truncatable || self.sessions_of(&hits) < MIN_SESSIONS {
                continue;
            }
            let reason = "given in a shorter form, then looked up in full";
            let edit = FieldEdit::Set { field: "truncatable", value: "false".into() };
            let proposal = Proposal::new(ProposalKind::Summary, reason, hits.len(), episodes.len());
            self.propose(id, edit, &hits, proposal);
        }
    }

    fn missing(&mut self) {
        let (mut texts, mut members, mut sessions) = (Vec::new(), Vec::new(), Vec::new());
        for (at, episode) in self.episodes() {
            let open = episode.unanswered();
            for step in &episode.steps {
                let UsageStep::Search { text, is_answered, .. } = step else { continue };
                texts.push(text.as_str());
                sessions.push(self.sessions[at]);
                members.push(match *is_answered {
                    true => CallSide::No,
                    false if open.contains(&text.as_str()) => CallSide::Yes,
                    false => CallSide::Out,
                });
            }
        }
        let index = PhraseIndex::new(texts.iter().copied());
        let keywords = self.found.iter().filter(|it| it.kind == ProposalKind::Keyword);
        let keywords: BTreeSet<Vec<String>> = keywords.map(|it| stems(&it.value)).collect();
        let is_taken = |stems: &[String]| keywords.contains(stems);
        let groups = index.indicative_phrases(|at| members[at], |at| sessions[at], is_taken);
        for group in groups {
            let questions = group.texts.iter().map(|&at| texts[at]);
            let reason = "searched for without an answer";
            self.found.push(Proposal {
                value: group.phrase.text,
                examples: most_frequent(questions),
                ..Proposal::new(ProposalKind::Missing, reason, group.hits, group.of)
            });
        }
    }

    fn propose(&mut self, id: &str, edit: FieldEdit, episodes: &[usize], proposal: Proposal) {
        let facts = &self.facts.contexts[id];
        let texts = episodes.iter().map(|&at| self.usage.episodes[at].first_text());
        let value = match &edit {
            FieldEdit::Add { items, .. } => items.concat(),
            FieldEdit::Set { .. } => String::new(),
        };
        self.found.push(Proposal {
            context: Some(id.to_owned()),
            value,
            examples: most_frequent(texts),
            path: Some(facts.path.clone()),
            not_applicable: (!facts.is_own).then_some("its file is not in this workspace"),
            edit: Some(ProposedEdit::Field(edit)),
            ..proposal
        });
    }
}

fn has_evidence(episode: &Episode) -> bool {
    !episode.wanted().is_empty() || !episode.unanswered().is_empty()
}

fn given_now<'a>(episode: &'a Episode, facts: &'a PackFacts) -> BTreeSet<&'a str> {
    let mut given: BTreeSet<&str> = episode.given.iter().map(String::as_str).collect();
    let related = given.iter().filter_map(|id| facts.contexts.get(*id));
    let related: Vec<&str> = related.flat_map(|facts| &facts.related).map(String::as_str).collect();
    given.extend(related);
    given.extend(facts.selected(&stems(&episode.request())));
    given
}

fn is_rare(count: usize, of: usize) -> bool {
    count <= of / EXCEPTION && wilson(count, of).high <= RARE
}

fn most_frequent<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts {
        let words: Vec<&str> = text.split_whitespace().collect();
        *counts.entry(words.join(" ")).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts.into_iter().map(|(text, _)| text).take(EXAMPLES).collect()
}
