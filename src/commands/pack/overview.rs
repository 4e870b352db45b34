//! Contexts of a new pack, cached in the store.

use std::collections::BTreeSet;

use super::effects::{self, ChangeKind, ContextChange, PackUpdateData};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::document::Document;
use faber_core::error::Error;
use faber_core::packs::lock::Lock;
use faber_core::rule::Group;
use faber_session::hex::sha256;
use faber_session::packs::fetch::Fetcher;
use faber_session::packs::home::PackHome;
use faber_session::session::Session;

/// `None` if full effects are needed.
pub(super) fn of_new(
    [home, with_pack]: [&PackHome; 2],
    fetcher: &Fetcher<'_>,
    config: &str,
    [before, after]: [&Lock; 2],
) -> Result<Option<PackUpdateData>, Error> {
    let store = &fetcher.store;
    let mut workspace = home.session.workspace();
    let has_packs = !before.packs.is_empty() || !home.declared().packs.is_empty();
    let first = after.packs.values().next();
    let Some(first) = first.filter(|_| !has_packs) else { return Ok(None) };
    if workspace.config_node.get("validate").is_some() {
        return Ok(None);
    }
    let lock = after.print();
    let program = &home.session.settings().program;
    let key = sha256([program.as_str(), config, &lock].join("\n"));
    let contexts = match store.kept(&first.digest, &key) {
        Some(kept) => kept,
        None => match found(&home.alone(store, config, &lock))? {
            Some(found) => {
                store.keep(&first.digest, &key, &found)?;
                found
            }
            None => return Ok(None),
        },
    };
    let own = workspace.survey().documents;
    let own: BTreeSet<String> = own.iter().map(|document| document.id.to_string()).collect();
    if contexts.lines().any(|id| own.contains(id)) {
        return Ok(None);
    }
    let change = |id: &str| ContextChange {
        id: id.to_owned(),
        kind: ChangeKind::Added,
        flags: Vec::new(),
        roles: Vec::new(),
        unified: String::new(),
    };
    let sessions = [&home.session, &with_pack.session];
    Ok(Some(PackUpdateData {
        packs: effects::packs([before, after], fetcher),
        contexts: contexts.lines().map(change).collect(),
        tests: effects::tests(sessions),
        requests: effects::requests(sessions)?,
        ..PackUpdateData::nothing()
    }))
}

fn found(session: &Session) -> Result<Option<String>, Error> {
    let (linter, found) = effects::checked(session)?;
    let is_shown =
        |it: &Diagnostic| it.rule().group == Group::Security || it.severity() == Severity::Error;
    let survey = &linter.survey;
    let has_flag = |document: &Document| {
        ["required", "sealed"].iter().any(|flag| document.front.node.get(flag).is_some())
    };
    let has_more = found.iter().any(is_shown)
        || !survey.configs.is_empty()
        || !survey.role_names.is_empty()
        || survey.documents.iter().any(has_flag);
    let ids = linter.survey.documents.iter().map(|document| document.id.to_string());
    let ids: BTreeSet<String> = ids.collect();
    Ok((!has_more).then(|| ids.into_iter().map(|id| id + "\n").collect()))
}
