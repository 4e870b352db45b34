//! `faber list`.

mod triggers;

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::cli::args::{ListArgs, ListKind};
use crate::commands::output;
use faber_core::category::{Category, Load};
use faber_core::context_id::ContextId;
use faber_core::error::Error;
use faber_core::layer::LayerKind;
use faber_core::resolve::catalog::Context;
use faber_core::select::choose;
use faber_core::workspace::Viewer;
use faber_core::{markdown, tokens};
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::{self, Column, grouped};
use faber_session::packs::shown_path;
use faber_session::session::{ResolvedView, Session, Workspace};

pub(crate) use triggers::TriggerRow;

const MIN_CELL_WIDTH: usize = 20;

/// `faber list --format json`; the list that was asked for is there.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct ListData {
    /// `faber.list/1`.
    pub schema: &'static str,
    /// `list contexts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Vec<ContextRow>>,
    /// `list roles`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<RoleRow>>,
    /// `list layers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Vec<LayerRow>>,
    /// `list platforms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platforms: Option<Vec<PlatformRow>>,
    /// `list triggers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triggers: Option<Vec<TriggerRow>>,
    /// `list models`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<ModelRow>>,
}

/// A context.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextRow {
    /// `category/name`.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// Its category.
    pub category: Category,
    /// The layers that contribute, lowest first.
    pub layers: Vec<LayerKind>,
    /// Its lowest contributing document.
    pub path: String,
    /// What makes it load.
    pub load: Load,
    /// Its estimated size.
    pub tokens: usize,
    /// Always true: see `tokens`.
    pub estimated: bool,
    /// What it is about.
    pub description: Option<String>,
}

/// A role.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RoleRow {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// What it is for.
    pub description: Option<String>,
    /// The role whose contexts and rules it inherits.
    pub extends: Option<String>,
    /// The platforms that it declares.
    pub platforms: Vec<String>,
}

/// A layer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LayerRow {
    /// Its kind.
    pub layer: LayerKind,
    /// The role, platform, team, workflow or user.
    pub name: Option<String>,
    /// The pack that it is of.
    pub pack: Option<PackRow>,
    /// The folder that holds its `contexts/`.
    pub path: String,
    /// How many documents of it the principal may see.
    pub documents: usize,
}

/// A pack whose files are part of the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct PackRow {
    /// Its name in `packs`.
    pub name: String,
    /// Its ref and commit; none for a folder.
    pub version: Option<String>,
}

/// A platform.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlatformRow {
    /// Its name.
    pub name: String,
    /// The roles that declare it.
    pub roles: Vec<String>,
    /// The contexts that describe it, in the role's view.
    #[schemars(with = "Vec<String>")]
    pub contexts: Vec<ContextId>,
}

/// A model, or the models whose names begin so.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ModelRow {
    /// Its name.
    pub name: String,
    /// Its window in tokens.
    pub window: u64,
    /// The encoding that counts its tokens.
    pub encoding: String,
    /// What is added to the count, in percent.
    pub margin: u32,
}

pub(crate) fn run(args: &ListArgs, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let mut data = ListData { schema: "faber.list/1", ..ListData::default() };
    let session = Session::open(settings)?;
    let rows = if args.what == ListKind::Roles {
        let mut workspace = session.workspace();
        let rows = roles(&mut workspace);
        if let Some(role) = &args.role
            && rows.iter().all(|row| row.name != *role)
        {
            return Err(Error::unknown("role", role, rows.iter().map(|row| row.name.as_str())));
        }
        streams.eprint_findings(&workspace);
        put(rows, role_cells, &mut data.roles)
    } else if args.what == ListKind::Models {
        let workspace = session.workspace();
        streams.eprint_findings(&workspace);
        put(models(&workspace), model_cells, &mut data.models)
    } else {
        let platform = args.data.view.platform.clone();
        let mut view = streams.view(&session, &Viewer::new(args.role.clone(), platform))?;
        let rows = fill(args.what, &mut view, &mut data);
        streams.eprint_findings(&view.workspace);
        rows
    };
    let (plural, headings) = args.what.words();
    let human = |_: &ListData| table(headings, rows, settings.stdout_width);
    output::print_or(&data, args.data.format, streams, human, &format!("no {plural}\n"))
}

impl ListKind {
    /// Its plural, and the headings of its columns.
    fn words(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Contexts => ("contexts", &["context", "load", "tokens", "layers", "description"]),
            Self::Roles => ("roles", &["role", "platforms", "extends", "description"]),
            Self::Layers => ("layers", &["layer", "name", "documents", "path"]),
            Self::Platforms => ("platforms", &["platform", "roles", "contexts"]),
            Self::Triggers => ("triggers", &["phrase", "kind", "context", "declared at"]),
            Self::Models => ("models", &["model", "window", "encoding", "margin"]),
        }
    }
}

fn fill(what: ListKind, view: &mut ResolvedView, data: &mut ListData) -> Vec<Vec<String>> {
    match what {
        ListKind::Contexts => {
            let contexts = view.resolved.catalog.contexts.values();
            let rows = contexts.map(|context| context_row(context, view)).collect();
            put(rows, context_cells, &mut data.contexts)
        }
        ListKind::Layers => {
            let cells = |row: &LayerRow| layer_cells(row, &view.workspace);
            put(layers(view), cells, &mut data.layers)
        }
        ListKind::Triggers => put(triggers::rows(view), triggers::cells, &mut data.triggers),
        ListKind::Platforms | ListKind::Roles | ListKind::Models => {
            put(platforms(view), platform_cells, &mut data.platforms)
        }
    }
}

fn put<T>(
    rows: Vec<T>,
    cells: impl Fn(&T) -> Vec<String>,
    into: &mut Option<Vec<T>>,
) -> Vec<Vec<String>> {
    into.insert(rows).iter().map(cells).collect()
}

fn layer_cells(row: &LayerRow, workspace: &Workspace) -> Vec<String> {
    let pack = row.pack.as_ref().map(|pack| {
        let version = pack.version.iter().flat_map(|version| [" ", version]);
        version.fold(pack.name.clone(), |text, part| text + part)
    });
    let names: Vec<String> = row.name.iter().cloned().chain(pack).collect();
    let path = shown_path(workspace, Utf8Path::new(&row.path));
    vec![row.layer.name().to_owned(), names.join(" of "), row.documents.to_string(), path]
}

fn platform_cells(row: &PlatformRow) -> Vec<String> {
    let contexts: Vec<String> = row.contexts.iter().map(ToString::to_string).collect();
    vec![row.name.clone(), row.roles.join(", "), contexts.join(", ")]
}

fn context_row(context: &Context, view: &ResolvedView) -> ContextRow {
    let sources = &view.workspace.sources;
    ContextRow {
        id: context.id.clone(),
        category: context.id.category,
        layers: context.layers(),
        path: sources.original_path(context.sources[0].file).to_string(),
        load: load(context),
        tokens: tokens::estimate(context.body.bytes()),
        estimated: true,
        description: context.front.fields.description.as_ref().map(|text| text.value.clone()),
    }
}

/// On-demand contexts load by keywords and errors, too.
fn load(context: &Context) -> Load {
    let fields = &context.front.fields;
    match choose::load_of(context) {
        Load::OnDemand if !fields.keywords.is_empty() => Load::Keyword,
        Load::OnDemand if !fields.errors.is_empty() => Load::Error,
        load => load,
    }
}

fn context_cells(row: &ContextRow) -> Vec<String> {
    let layers: Vec<&str> = row.layers.iter().map(|layer| layer.name()).collect();
    vec![
        row.id.to_string(),
        row.load.name().to_owned(),
        format!("~{}", row.tokens),
        layers.join("+"),
        markdown::collapse(row.description.as_deref().unwrap_or_default()),
    ]
}

fn roles(workspace: &mut Workspace) -> Vec<RoleRow> {
    let mut rows = Vec::new();
    for home in workspace.role_homes() {
        workspace.list(&home);
    }
    for name in workspace.role_names() {
        let Ok(lineage) = workspace.lineage(&name) else { continue };
        let role = lineage.role();
        let agent = role.agent.as_ref();
        let platforms = agent.iter().flat_map(|agent| &agent.platforms);
        rows.push(RoleRow {
            path: role.root.to_string(),
            description: agent.and_then(|agent| Some(agent.description.as_ref()?.value.clone())),
            extends: agent.and_then(|agent| Some(agent.extends.as_ref()?.value.clone())),
            platforms: platforms.map(|platform| platform.value.clone()).collect(),
            name,
        });
    }
    rows
}

fn models(workspace: &Workspace) -> Vec<ModelRow> {
    let rows = workspace.config.models.0.iter().map(|(name, model)| ModelRow {
        name: name.clone(),
        window: model.window,
        encoding: model.encoding.clone(),
        margin: model.margin_percent,
    });
    rows.collect()
}

fn model_cells(row: &ModelRow) -> Vec<String> {
    let margin = if row.margin > 0 { format!("+{} %", row.margin) } else { String::new() };
    let window = grouped(usize::try_from(row.window).unwrap_or(usize::MAX));
    vec![row.name.clone(), window, row.encoding.clone(), margin]
}

fn role_cells(row: &RoleRow) -> Vec<String> {
    let extends = row.extends.clone().unwrap_or_default();
    let description = markdown::collapse(row.description.as_deref().unwrap_or_default());
    vec![row.name.clone(), row.platforms.join(", "), extends, description]
}

fn layers(view: &ResolvedView) -> Vec<LayerRow> {
    let documents = |at: usize| {
        let of_layer = view.resolved.pack.documents.iter().filter(|document| document.layer == at);
        of_layer.filter(|document| view.resolved.pack.view.may_see(&document.front.fields)).count()
    };
    let rows = view.resolved.pack.layers.iter().enumerate().map(|(at, layer)| LayerRow {
        layer: layer.kind,
        name: layer.name.clone(),
        pack: layer.pack().and_then(|name| pack_row(&view.workspace, name)),
        path: if layer.folder == "" { ".".to_owned() } else { layer.folder.to_string() },
        documents: documents(at),
    });
    // The custom layer has no folder.
    rows.filter(|row| row.layer != LayerKind::Custom || row.documents > 0).collect()
}

fn pack_row(workspace: &Workspace, name: &str) -> Option<PackRow> {
    let pack = workspace.packs.iter().find(|pack| pack.name == name)?;
    Some(PackRow { name: pack.name.clone(), version: pack.version.clone() })
}

fn platforms(view: &mut ResolvedView) -> Vec<PlatformRow> {
    let mut all: BTreeMap<String, (BTreeSet<String>, BTreeSet<ContextId>)> = BTreeMap::new();
    for role in roles(&mut view.workspace) {
        for platform in role.platforms {
            all.entry(platform).or_default().0.insert(role.name.clone());
        }
    }
    for context in view.resolved.catalog.contexts.values() {
        if let Some(platform) = &context.platform {
            all.entry(platform.clone()).or_default().1.insert(context.id.clone());
        }
    }
    let rows = all.into_iter().map(|(name, (roles, contexts))| PlatformRow {
        name,
        roles: roles.into_iter().collect(),
        contexts: contexts.into_iter().collect(),
    });
    rows.collect()
}

/// On a terminal, a row is one line if enough of its last cell fits.
pub(crate) fn table(
    headings: &[&'static str],
    rows: Vec<Vec<String>>,
    width: Option<usize>,
) -> String {
    let is_used = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
    let used: Vec<usize> = (0..headings.len()).filter(is_used).collect();
    let pick = |row: Vec<String>| -> Vec<String> {
        let mut row: Vec<Option<String>> = row.into_iter().map(Some).collect();
        used.iter().filter_map(|&column| row[column].take()).collect()
    };
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(pick).collect();
    let columns: Vec<Column> = used.iter().map(|&at| Column::new(headings[at])).collect();
    let Some((width, last)) = width.zip(used.len().checked_sub(1)) else {
        return table::table(&columns, &on_one_line(&rows), 0, usize::MAX);
    };
    let widest = |at: usize| {
        let cells = rows.iter().map(|row| row[at].width());
        cells.chain([columns[at].heading.width()]).max().unwrap_or(0)
    };
    let before: usize = (0..last).map(|at| widest(at) + 2).sum();
    let room = width.saturating_sub(before);
    if room >= MIN_CELL_WIDTH.min(widest(last)) {
        for row in &mut rows {
            row[last] = table::shortened(&row[last], room);
        }
        return table::table(&columns, &on_one_line(&rows), 0, width);
    }
    let mut columns = columns;
    columns[last].folds = true;
    table::fitting(&columns, &rows, width)
}

fn on_one_line(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let cell = |cell: &String| cell.replace(' ', "\u{a0}");
    rows.iter().map(|row| row.iter().map(cell).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: Option<usize>) -> String {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = vec![
            row(["standard/a", "", "one two three four five six seven"]),
            row(["表/b", "", "short"]),
        ];
        table(&["context", "layers", "about"], rows, width)
    }

    #[test]
    fn a_pipe_gets_everything_and_a_terminal_what_it_has_room_for() {
        assert_eq!(
            drawn(None),
            "context     about\nstandard/a  one two three four five six seven\n表/b        short\n"
        );
        assert_eq!(
            drawn(Some(39)),
            "context     about\nstandard/a  one two three four five si…\n表/b        short\n"
        );
        assert_eq!(drawn(Some(80)), drawn(None));
        assert_eq!(
            drawn(Some(24)),
            "context     about\nstandard/a  one two\n            three four\n            five six\n            seven\n表/b        short\n"
        );
    }
}
