use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;

use crate::exchange::export::{self, ExportItem};
use crate::exchange::mcp::{self, NeededServer};
use crate::exchange::piece::Subject;
use crate::exchange::private;
use faber_core::assemble::ResolvedPack;
use faber_core::category::Load;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::layer::LayerKind;
use faber_core::line::{self, Line};
use faber_core::parse::rules::Need;
use faber_core::resolve::catalog;
use faber_core::resolve::view::View;
use faber_core::select::choose::load_of;
use faber_core::source::SourceMap;
use faber_core::workspace::Viewer;
use faber_session::session::{Workspace, read_prompt};

const OF_ROLE: [LayerKind; 3] = [LayerKind::Role, LayerKind::RoleOverlay, LayerKind::Platform];

pub struct SkillView {
    pub(super) role_root: Option<Utf8PathBuf>,
    pub(super) view: View,
    pub(super) items: Vec<SkillItem>,
    pub(super) always: Vec<[String; 2]>,
    pub(super) servers: Vec<NeededServer>,
}

pub(super) struct SkillItem {
    pub(super) ids: Vec<String>,
    pub(super) role: Option<String>,
    pub(super) item: ExportItem,
}

/// A named role publishes only its own.
///
/// # Errors
///
/// Errors of resolving and assembling.
pub fn gather(
    workspace: &mut Workspace,
    viewer: &Viewer,
    wanted: &dyn Fn(&str) -> bool,
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<SkillView>, Error> {
    let main = workspace.resolve(viewer)?;
    if viewer.is_external_output {
        found.extend(private::internal(&main.pack));
    }
    let role = main.pack.view.role.clone();
    let mut views = vec![read(workspace, &main, None, wanted, found)];
    let others = if viewer.role.is_some() { Vec::new() } else { workspace.role_names() };
    for name in others.into_iter().filter(|name| role.as_ref() != Some(name)) {
        let own = Viewer { role: Some(name.clone()), ..viewer.clone() };
        match workspace.resolve(&own) {
            Ok(own) => views.push(read(workspace, &own, Some(&name), wanted, found)),
            Err(error) if viewer.is_external_output => return Err(error),
            Err(_) => {}
        }
    }
    if viewer.is_external_output {
        workspace.stop_at(&[])?;
    }
    unite(&mut views, &workspace.sources);
    Ok(views)
}

fn unite(views: &mut [SkillView], sources: &SourceMap) {
    let mut first: BTreeMap<(Utf8PathBuf, String), (usize, usize)> = BTreeMap::new();
    for at in 0..views.len() {
        let mut again: Vec<(usize, usize, String)> = Vec::new();
        let mut place = 0;
        views[at].items.retain(|it| {
            let key = it.role.is_some().then(|| {
                let about = it.item.piece.description.clone().unwrap_or_default();
                (it.item.path.clone(), about + &line::join(sources, &it.item.lines))
            });
            let known = key.and_then(|key| match first.entry(key) {
                Entry::Occupied(known) => Some(*known.get()),
                Entry::Vacant(new) => {
                    new.insert((at, place));
                    None
                }
            });
            again.extend(known.map(|(view, item)| (view, item, it.ids[0].clone())));
            place += usize::from(known.is_none());
            known.is_none()
        });
        for (view, item, id) in again {
            let known = &mut views[view].items[item];
            known.role = None;
            known.ids.push(id);
        }
    }
}

fn read(
    workspace: &mut Workspace,
    resolved: &ResolvedPack,
    role: Option<&str>,
    wanted: &dyn Fn(&str) -> bool,
    found: &mut Vec<Diagnostic>,
) -> SkillView {
    let pack = &resolved.pack;
    let prefix = role.map(|role| format!("@role:{role}/")).unwrap_or_default();
    let always = resolved.catalog.contexts.values();
    let always = always.filter(|context| load_of(context) == Load::Always);
    let mut always: BTreeSet<ContextId> = always.map(|context| context.id.clone()).collect();
    let sources = &workspace.sources;
    let lineage = pack.lineage.as_ref();
    let hidden = lineage.and_then(|it| private::role_stays(it, sources, &pack.view));
    let stays = role.is_some() && pack.view.is_external_output && hidden.is_some();
    let prompt = if hidden.is_some() { None } else { prompt(workspace, resolved, wanted) };
    found.extend(hidden);
    let prompt = prompt.map(|(lines, loaded)| {
        always.extend(loaded);
        lines
    });
    let prompt = pack.lineage.as_ref().zip(prompt.as_deref());
    let sources = &workspace.sources;
    let mut all = export::outgoing(&resolved.catalog, prompt, pack.platform.as_ref(), sources);
    all.retain(|item| match &item.piece.subject {
        Subject::Role(_) => true,
        Subject::Context(id) => !stays && is_own(resolved, id, role.is_some()),
    });
    let items = all.into_iter().filter_map(|item| {
        let (id, role) = match &item.piece.subject {
            Subject::Role(_) => (item.piece.subject.to_string(), None),
            Subject::Context(id) => {
                (Some(format!("{prefix}{id}")).filter(|id| wanted(id))?, role.map(str::to_owned))
            }
        };
        Some(SkillItem { ids: vec![id], role, item })
    });
    let items = items.collect();
    let always = always.iter().map(|id| [format!("{prefix}{id}"), id.to_string()]).collect();
    let role_root = pack.lineage.as_ref().map(|lineage| lineage.role().root.clone());
    let servers = mcp::needed(workspace, resolved);
    SkillView { role_root, view: pack.view.clone(), items, always, servers }
}

fn is_own(resolved: &ResolvedPack, id: &ContextId, is_other: bool) -> bool {
    let has_role = !is_other && resolved.pack.lineage.is_some();
    let layers = || resolved.catalog.get(id).map(catalog::Context::layers).unwrap_or_default();
    (has_role || id.role.is_none())
        && (!is_other || layers().iter().any(|layer| OF_ROLE.contains(layer)))
}

fn prompt(
    workspace: &mut Workspace,
    resolved: &ResolvedPack,
    wanted: &dyn Fn(&str) -> bool,
) -> Option<(Vec<Line>, Vec<ContextId>)> {
    let lineage = resolved.pack.lineage.as_ref()?;
    if !wanted(&Subject::Role(lineage.role().name.clone()).to_string()) {
        return None;
    }
    let read = read_prompt(workspace, resolved);
    let is_skill = |id: &ContextId| {
        resolved.catalog.get(id).is_some_and(|context| load_of(context) != Load::Never)
    };
    let asks = read.prompt.directives().iter().flatten().filter(|ask| ask.need != Need::Known);
    let loaded = asks.flat_map(|ask| ask.contexts.iter().flatten()).filter(|id| is_skill(id));
    let loaded = loaded.cloned().collect();
    Some((read.prompt.without_satisfied(&workspace.sources, is_skill), loaded))
}
