//! Contexts of each role before and after a change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use rayon::prelude::*;

use super::effects::{AlwaysChange, ChangeKind, ContextChange, NewFinding};
use faber_core::assemble::counter::ModelCounter;
use faber_core::category::Load;
use faber_core::context_id::ContextId;
use faber_core::error::Error;
use faber_core::line::{self, Line};
use faber_core::markdown::{Block, BlockKind, blocks};
use faber_core::packs;
use faber_core::packs::lock::Lock;
use faber_core::rules::section_without_base;
use faber_core::select::choose;
use faber_core::workspace::Viewer;
use faber_output::text::unified_diff;
use faber_session::session::{ResolvedView, Session};

#[derive(Default)]
pub(super) struct ContextComparison {
    pub(super) contexts: Vec<ContextChange>,
    pub(super) always: Vec<AlwaysChange>,
    /// Of overlays: merged into the former base, and added to the new one.
    pub(super) vanished: Vec<NewFinding>,
    pub(super) unknown: Option<String>,
    pub(super) breaks: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ContextText {
    fields: String,
    body: String,
    is_always: bool,
    flags: Vec<&'static str>,
}

struct ViewTexts {
    view: ResolvedView,
    texts: BTreeMap<ContextId, ContextText>,
}

pub(super) fn compare(sessions: [&Session; 2], locks: [&Lock; 2]) -> ContextComparison {
    let names = sessions.map(|session| session.workspace().role_names());
    let roles: BTreeSet<&String> = names.iter().flatten().collect();
    let mut views: Vec<Option<&str>> = roles.into_iter().map(|role| Some(role.as_str())).collect();
    if views.is_empty() {
        views.push(None);
    }
    let mut compared = ContextComparison::default();
    // Most roles see the same texts.
    let mut changes: BTreeMap<(ContextId, [Option<ContextText>; 2]), Vec<String>> = BTreeMap::new();
    let mut vanished: BTreeMap<String, NewFinding> = BTreeMap::new();
    for role in views {
        let has_role = |at: usize| role.is_none_or(|role| names[at].iter().any(|it| it == role));
        // The texts of all roles are not new because a role is.
        let seen = |at| ViewTexts::of(sessions[at], locks[at], role.filter(|_| has_role(at)));
        let (old, new) = match (seen(0), seen(1)) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(why), _) => {
                compared.unknown.get_or_insert(reason(&why));
                continue;
            }
            (_, Err(why)) => {
                compared.unknown = Some(format!("with the change, {}", reason(&why)));
                compared.breaks = true;
                continue;
            }
        };
        let ids: BTreeSet<&ContextId> = old.texts.keys().chain(new.texts.keys()).collect();
        let mut is_always = false;
        for id in ids {
            let pair = [old.texts.get(id), new.texts.get(id)];
            if pair[0] == pair[1] {
                continue;
            }
            is_always |= pair.iter().flatten().any(|text| text.is_always);
            if pair.iter().all(Option::is_some) {
                let mut headings = new.own_headings(id, 2);
                let merged = old.own_headings(id, 1);
                headings.retain(|place, _| !merged.contains_key(place));
                vanished.extend(headings);
            }
            let key = (id.clone(), pair.map(Option::<&ContextText>::cloned));
            changes.entry(key).or_default().extend(role.map(str::to_owned));
        }
        if is_always && has_role(0) && has_role(1) {
            let [before, after] = [&old, &new].map(|seen| seen.always_tokens(sessions[1]));
            let role = role.map(str::to_owned);
            compared.always.push(AlwaysChange { role, before, after });
        }
    }
    compared.always.retain(|it| it.before != it.after);
    compared.contexts = changes.into_par_iter().filter_map(change).collect();
    compared.vanished = vanished.into_values().collect();
    compared
}

fn reason(error: &Error) -> String {
    match error {
        Error::Findings { places, .. } => format!("{error}: {places}"),
        error => error.to_string(),
    }
}

fn change(
    ((id, pair), roles): ((ContextId, [Option<ContextText>; 2]), Vec<String>),
) -> Option<ContextChange> {
    let id = id.to_string();
    let kind = ChangeKind::between(pair[0].as_ref(), pair[1].as_ref())?;
    let flags = pair[1].as_ref().map(|text| text.flags.clone()).unwrap_or_default();
    let has_other_fields = match &pair {
        [Some(was), Some(is)] => was.fields != is.fields,
        _ => true,
    };
    let [was, is] = pair.map(|text| match text {
        Some(text) if has_other_fields => text.fields + &text.body,
        text => text.map(|text| text.body).unwrap_or_default(),
    });
    let unified = unified_diff(&was, &is, &format!("a/{id}"), &format!("b/{id}"));
    Some(ContextChange { id, kind, flags, roles, unified })
}

impl ViewTexts {
    fn of(session: &Session, lock: &Lock, role: Option<&str>) -> Result<Self, Error> {
        let view = session.view(&Viewer::new(role.map(str::to_owned), None))?;
        let sources = &view.workspace.sources;
        let mut texts = BTreeMap::new();
        for context in view.resolved.catalog.contexts.values() {
            let mut fields = String::new();
            for entry in context.front.node.entries() {
                let _ = writeln!(fields, "{}: {}", entry.key, entry.value.to_json());
            }
            if !fields.is_empty() {
                fields = format!("---\n{fields}---\n");
            }
            // Links to pack files have store paths, which differ per version.
            let places = lock.packs.iter();
            let places =
                places.map(|(name, pack)| (name, pack.digest.trim_start_matches("sha256:")));
            let body = places.fold(context.body.text(sources), |text, (name, place)| {
                if place.is_empty() { text } else { text.replace(place, name) }
            });
            let is_always = choose::load_of(context) == Load::Always;
            let known = &context.front.fields;
            let flags = [("required", known.required), ("sealed", known.sealed)];
            let flags = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag);
            let text = ContextText { fields, body, is_always, flags: flags.collect() };
            texts.insert(context.id.clone(), text);
        }
        Ok(Self { view, texts })
    }

    /// Where the base has a section, its own heading is used.
    fn own_headings(&self, id: &ContextId, files: usize) -> BTreeMap<String, NewFinding> {
        let sources = &self.view.workspace.sources;
        let context = self.view.resolved.catalog.contexts.get(id);
        let context = context.filter(|context| context.sources.len() >= files);
        let lines = context.map(|context| context.body.lines(sources)).unwrap_or_default();
        let is_own = |line: &Line| packs::of_path(line.place(sources).0).is_none();
        if !lines.iter().any(is_own) {
            return BTreeMap::new();
        }
        let heading = |block: Block| {
            let BlockKind::Heading { text, .. } = block.kind else { return None };
            let line = lines.get(block.lines.start).filter(|line| is_own(line))?;
            let message = format!("the base has no section `{text}` any more; it is added");
            let found = section_without_base::RULE.at(line.origin, message);
            Some((sources.place(line.origin), NewFinding::new(&found, sources)))
        };
        blocks(&line::join(sources, &lines)).into_iter().filter_map(heading).collect()
    }

    fn always_tokens(&self, session: &Session) -> usize {
        let config = session.workspace().config;
        let Ok(model) = ModelCounter::new(&config, None, session.caches().tokens()) else {
            return 0;
        };
        let always = self.texts.values().filter(|text| text.is_always);
        always.map(|text| model.counter.count_message(&text.body)).sum()
    }
}
