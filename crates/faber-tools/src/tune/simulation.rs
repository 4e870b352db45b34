//! A month of simulated users.

#![expect(clippy::disallowed_methods, reason = "the test writes the organization that it is about")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::proposal::{Proposal, ProposalKind};
use super::usage::Usage;
use crate::search::answer::{self, ItemTexts};
use crate::search::index::SearchIndex;
use crate::search::view::IndexRequest;
use faber_core::terms::words::stems;
use faber_output::streams::Streams;
use faber_session::audit::{AnswerTrace, AuditEntry};
use faber_session::caches::Caches;
use faber_session::job::AssembleRequest;
use faber_session::session::{Session, SessionOptions};
use faber_session::settings::Settings;

const DEVELOPED: u64 = 1;
const KEPT: u64 = 20_261_123;
const USERS: usize = 40;
const SESSIONS: usize = 3000;

/// Context, keyword, usual word.
const PLANTED: [(&str, &str, &str); 14] = [
    ("on-call", "escalation", "pager"),
    ("migrations", "migration", "schema"),
    ("invoices", "invoice", "billing"),
    ("flags", "toggle", "rollout"),
    ("caching", "memcached", "redis"),
    ("languages", "translation", "locale"),
    ("accessibility", "accessibility", "screenreader"),
    ("backups", "backup", "snapshot"),
    ("certificates", "certificate", "tls"),
    ("limits", "ratelimit", "throttling"),
    ("warehouse", "warehouse", "inventory"),
    ("onboarding", "onboarding", "newcomer"),
    ("telemetry", "telemetry", "dashboards"),
    ("labels", "sticker", "barcode"),
];
const LIVE: &str = "refund shipping login webhook password newsletter coupon basket payment address \
    currency calendar upload export permission avatar";
const RARE: &str = "fax kiosk telegram voucher franchise auction";
const DEAD: &str =
    "mainframe silverlight minitel telex gopher netware cobol punchcard zeppelin abacus";
const MISSING: &str = "parking sabbatical visa payroll merger drone catering sublease";
const PAIRS: [(&str, &str); 5] = [
    ("release", "changelog"),
    ("incident", "postmortem"),
    ("contract", "clauses"),
    ("survey", "consent"),
    ("firmware", "recall"),
];
const STANDARDS: &str = "commit naming logging formatting documentation";
const IDLE: &str = "heraldry letterhead anthem uniform";

const VERBS: [&str; 3] = ["update", "review", "look at"];
const ENDS: [&str; 3] = ["today", "for the customer", "in the branch"];
const OFF_TOPIC: [&str; 10] = [
    "tell me a joke about {}",
    "what is the weather near the {}",
    "write a poem for a {}",
    "who invented the {}",
    "draw a {} in ascii",
    "is a {} expensive",
    "sing about the {}",
    "describe a {} from space",
    "name ten kinds of {}",
    "paint the {} green",
];
const NOUNS: &str = "cat river planet sandwich violin castle tiger sofa lemon bridge cloud guitar \
    pirate robot island candle ladder pepper whale comet";

fn words(list: &'static str) -> Vec<&'static str> {
    list.split(' ').collect()
}

struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }

    fn skewed<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        let weights: Vec<usize> = (0..all.len()).map(|rank| 10_000 / (rank + 3)).collect();
        let mut at = self.below(weights.iter().sum());
        let place = weights.iter().position(|&weight| {
            let is_it = at < weight;
            at = at.saturating_sub(weight);
            is_it
        });
        &all[place.unwrap()]
    }
}

fn context(word: &str, title: &str, more: &str) -> String {
    format!(
        "---\nkeywords: [{word}]\n---\n\n# {title}\n\nRules of the company about {word}. {more} Ask its \
         owner first, then write down what was decided, and tell the others.\n"
    )
}

fn organization() -> (TempDir, Session) {
    let folder = TempDir::with_prefix("faber-tune-").unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    let write = |path: String, text: String| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let playbook = |name: &str| format!("contexts/playbooks/playbook-{name}.md");
    write(".faber/config.yml".into(), String::new());
    write("roles/clerk/prompt.md".into(), "# Clerk\n\nYou help the company.\n".into());
    for (at, (name, keyword, said)) in PLANTED.iter().enumerate() {
        let more = if at % 2 == 0 { format!("Some say {said}.") } else { String::new() };
        write(playbook(name), context(keyword, keyword, &more));
    }
    for word in [LIVE, RARE, DEAD].into_iter().flat_map(words) {
        write(playbook(word), context(word, word, ""));
    }
    for (first, second) in PAIRS {
        write(playbook(first), context(first, first, ""));
        write(playbook(second), context(second, second, ""));
    }
    write(playbook("glossary"), context("glossary", "Glossary", "What our words mean."));
    for word in [STANDARDS, IDLE].into_iter().flat_map(words) {
        let text = format!("# The {word}\n\nEvery {word} follows the guide of the company.\n");
        write(format!("contexts/standards/standards-{word}.md"), text);
    }
    let settings = Settings { start: root.clone(), cwd: root, ..Settings::default() };
    let caches = Some(Arc::new(Caches::resident()));
    (folder, Session::open(SessionOptions { settings, caches }).unwrap())
}

struct Month<'a> {
    random: SplitMix64,
    session: &'a Session,
    index: SearchIndex,
    bundles: BTreeMap<String, AnswerTrace>,
    found: BTreeMap<String, AnswerTrace>,
    ids: Vec<String>,
    log: Vec<AuditEntry>,
    time: Timestamp,
}

struct Visit {
    user: String,
    sessions: [String; 2],
    tool: &'static str,
    is_careful: bool,
}

impl Month<'_> {
    fn run(&mut self) {
        for number in 0..SESSIONS {
            self.time += SignedDuration::from_secs(860);
            let user = self.random.below(USERS);
            let has_hooks = user % 5 < 2;
            let server = format!("s{number}");
            let visit = Visit {
                user: format!("user{user}"),
                sessions: [if has_hooks { format!("h{number}") } else { server.clone() }, server],
                tool: if has_hooks { "hook.prompt" } else { "assemble_prompt" },
                is_careful: user % 10 >= 3 && self.random.chance(85),
            };
            self.visit(&visit);
        }
    }

    fn visit(&mut self, visit: &Visit) {
        match self.random.below(100) {
            0..40 => {
                let word = *self.random.skewed(&words(LIVE));
                self.ask(visit, word);
            }
            40..45 => {
                let word = *self.random.of(&words(STANDARDS));
                self.ask(visit, word);
            }
            45..70 => {
                let (name, keyword, said) = *self.random.skewed(&PLANTED);
                let word = if self.random.chance(80) { said } else { keyword };
                let given = self.ask(visit, word);
                self.look_for(visit, word, &format!("playbook/{name}"), &given);
            }
            70..81 => {
                let (first, second) = *self.random.skewed(&PAIRS);
                let given = self.ask(visit, first);
                if self.random.chance(85) {
                    self.need(visit, &format!("playbook/{second}"), &given);
                }
            }
            81..82 => {
                let word = *self.random.of(&words(RARE));
                self.ask(visit, word);
            }
            82..91 => {
                let word = *self.random.skewed(&words(MISSING));
                self.ask(visit, word);
                if visit.is_careful {
                    let end = *self.random.of(&["rules", "policy", "how", "who decides"]);
                    self.search(visit, &format!("{word} {end}"));
                    if self.random.chance(15) {
                        self.fetch_any(visit);
                    }
                }
            }
            _ => {
                let noun = *self.random.of(&words(NOUNS));
                let text = self.random.of(&OFF_TOPIC).replace("{}", noun);
                self.bundle(visit, &text);
            }
        }
        if self.random.chance(2) {
            self.fetch_any(visit);
        }
    }

    fn ask(&mut self, visit: &Visit, word: &str) -> Vec<String> {
        let word = if self.random.chance(4) { self.mistyped(word) } else { word.to_owned() };
        let (verb, end) = (*self.random.of(&VERBS), *self.random.of(&ENDS));
        let mut text = format!("{verb} the {word} {end}");
        if self.random.chance(6) {
            let other = *self.random.of(&words(LIVE));
            text = format!("{text}, and the {other}");
        }
        let given = self.bundle(visit, &text);
        if self.random.chance(90) {
            self.need(visit, "playbook/glossary", &given);
        }
        given
    }

    fn mistyped(&mut self, word: &str) -> String {
        let mut letters: Vec<char> = word.chars().collect();
        let at = self.random.below(letters.len() - 1);
        letters.swap(at, at + 1);
        letters.into_iter().collect()
    }

    fn look_for(&mut self, visit: &Visit, word: &str, id: &str, given: &[String]) {
        if !visit.is_careful || given.iter().any(|it| it == id) {
            return;
        }
        if self.random.chance(10) {
            self.fetch_any(visit);
        }
        if self.random.chance(50) {
            let (verb, end) = (*self.random.of(&VERBS), *self.random.of(&ENDS));
            let queries = [word.to_owned(), format!("{verb} {word}"), format!("{word} {end}")];
            let query = self.random.of(&queries).clone();
            self.search(visit, &query);
        }
        self.need(visit, id, given);
    }

    fn need(&mut self, visit: &Visit, id: &str, given: &[String]) {
        if visit.is_careful && !given.iter().any(|it| it == id) {
            let mut trace = AnswerTrace::of_tokens(300);
            trace.add(id, "", false);
            self.log(visit, "expand_context", json!({ "id": id }), trace);
        }
    }

    fn fetch_any(&mut self, visit: &Visit) {
        let id = self.random.of(&self.ids).clone();
        self.need(visit, &id, &[]);
    }

    fn bundle(&mut self, visit: &Visit, text: &str) -> Vec<String> {
        let trace = self.bundles.entry(text.to_owned()).or_insert_with(|| {
            let request =
                AssembleRequest { request: Some(text.to_owned()), ..AssembleRequest::default() };
            let assembled = self.session.assemble(&request).unwrap();
            AnswerTrace::of_assembly(&assembled.result.unwrap(), &assembled.workspace.sources)
        });
        let trace = trace.clone();
        let given = trace.results.clone();
        let key = if visit.tool == "assemble_prompt" { "request" } else { "prompt" };
        self.log(visit, visit.tool, json!({ key: text }), trace);
        given
    }

    fn search(&mut self, visit: &Visit, query: &str) {
        let library = &self.index;
        let trace = self.found.entry(query.to_owned()).or_insert_with(|| {
            let mut texts = ItemTexts::new(library);
            let hits = answer::hits(&mut texts, query, library.view.search.mode, |_| true);
            let mut trace = AnswerTrace::of_tokens(500);
            for hit in hits.iter().take(5) {
                let found = answer::result(&mut texts, hit);
                trace.add(&found.id, "", false);
                trace.relevance = trace.relevance.or(Some(found.relevance_score));
            }
            trace
        });
        let trace = trace.clone();
        self.log(visit, "search_context", json!({ "query": query }), trace);
    }

    fn log(&mut self, visit: &Visit, tool: &str, arguments: Value, trace: AnswerTrace) {
        self.time += SignedDuration::from_secs(4);
        self.log.push(AuditEntry {
            time: self.time,
            session: visit.sessions[usize::from(tool != visit.tool)].clone(),
            principal: Some(visit.user.clone()),
            tool: tool.to_owned(),
            arguments,
            ..trace.into_entry(&Settings::default(), Duration::ZERO)
        });
    }
}

fn month(seed: u64) -> Vec<Proposal> {
    let (_folder, session) = organization();
    let (mut out, mut err) = (std::io::sink(), std::io::sink());
    let settings = session.settings().clone();
    let mut streams =
        Streams { out: &mut out, err: &mut err, input: &mut std::io::empty(), settings: &settings };
    let request = IndexRequest { role: None, platform: None, scopes: None };
    let library = SearchIndex::open(&session, &request, None, &mut streams).unwrap();
    let view = session.view(&faber_core::workspace::Viewer::default()).unwrap();
    let ids = view.resolved.catalog.contexts.keys().map(ToString::to_string).collect();
    let mut month = Month {
        random: SplitMix64(seed),
        session: &session,
        index: library,
        bundles: BTreeMap::new(),
        found: BTreeMap::new(),
        ids,
        log: Vec::new(),
        time: "2026-06-01T00:00:00Z".parse().unwrap(),
    };
    month.run();
    let mut usage = Usage::default();
    month.log.drain(..).for_each(|entry| usage.add(entry));
    super::proposals(&session, &usage).unwrap()
}

fn truth() -> BTreeSet<(ProposalKind, String, Vec<String>)> {
    use ProposalKind::{Always, Keyword, Missing, OnDemand, Related, Unused};
    let mut all = BTreeSet::new();
    let mut add = |kind, id: String, word: &str| all.insert((kind, id, stems(word)));
    for (name, _, said) in PLANTED {
        add(Keyword, format!("playbook/{name}"), said);
    }
    for word in words(DEAD) {
        add(Unused, format!("playbook/{word}"), "");
    }
    for word in words(MISSING) {
        add(Missing, String::new(), word);
    }
    for (first, second) in PAIRS {
        add(Related, format!("playbook/{first}"), &format!("playbook/{second}"));
    }
    for word in words(IDLE) {
        add(OnDemand, format!("standard/{word}"), "");
    }
    add(Always, "playbook/glossary".to_owned(), "");
    all
}

#[derive(Debug, Default)]
struct Comparison {
    counts: BTreeMap<&'static str, (usize, usize)>,
    missed: Vec<String>,
    wrong: Vec<String>,
}

fn compare(found: &[Proposal]) -> Comparison {
    let truth = truth();
    let (mut hit, mut comparison) = (BTreeSet::new(), Comparison::default());
    for proposal in found {
        let id = proposal.context.clone().unwrap_or_default();
        let words = stems(&proposal.value);
        let is_it = |(kind, context, word): &&(ProposalKind, String, Vec<String>)| {
            let contains = word.is_empty() || words.windows(word.len()).any(|it| it == &word[..]);
            *kind == proposal.kind && *context == id && contains
        };
        if let Some(it) = truth.iter().find(is_it) {
            hit.insert(it);
        } else {
            let kind = proposal.kind.name();
            comparison.wrong.push(format!("{kind} {id} {}", proposal.value));
        }
    }
    for it in &truth {
        let (found, all) = comparison.counts.entry(it.0.name()).or_default();
        *found += usize::from(hit.contains(it));
        *all += 1;
        if !hit.contains(it) {
            comparison.missed.push(format!("{} {} {}", it.0.name(), it.1, it.2.join(" ")));
        }
    }
    comparison
}

#[track_caller]
fn is_understood(seed: u64) {
    let found = month(seed);
    let comparison = compare(&found);
    for (kind, (hits, all)) in &comparison.counts {
        assert!(hits * 10 >= all * 9, "{kind}: {hits} of {all}: {comparison:?}");
    }
    assert!(comparison.wrong.len() * 10 <= found.len(), "{comparison:?}");
}

#[test]
fn a_month_is_understood() {
    is_understood(DEVELOPED);
}

#[test]
fn another_month_is_understood() {
    is_understood(KEPT);
}
