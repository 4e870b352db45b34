//! `faber new`.

use camino::{Utf8Path, Utf8PathBuf};

use crate::cli::args::{New, NewKind};
use crate::commands::{import, template};
use faber_core::category::{CATEGORIES, Category};
use faber_core::error::Error;
use faber_core::packs;
use faber_core::suggest;
use faber_core::workspace::Viewer;
use faber_core::world::World;
use faber_output::streams::{ExitStatus, Streams};
use faber_session::discover::atomic::Writer;
use faber_session::discover::files::unreadable_input;
use faber_session::session::{Session, Workspace};

struct PlannedTemplate {
    path: Utf8PathBuf,
    template: String,
    name: String,
}

pub(crate) fn run(args: &New, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let workspace = session.workspace();
    let planned = plan(args, &workspace, &session)
        .inspect_err(|error| streams.eprint_fatal(error, &workspace))?;
    let roles = workspace.role_names();
    if let Some(there) = planned.iter().find(|planned| workspace.files.exists(&planned.path)) {
        return Err(exists_already(&there.path));
    }
    let writer = Writer::new(workspace.files.root());
    for planned in &planned {
        writer.entry(&planned.path)?;
    }
    for planned in &planned {
        let text = text(planned, &workspace)?;
        writer.create(&planned.path, template::fill(&text, &planned.name))?;
        streams.print(&format!("create  {}\n", planned.path))?;
    }
    if let (NewKind::Role, [only], None) = (args.kind, &*roles, &workspace.config.settings.role) {
        streams.note(&format!(
            "the workspace now has several roles; write `settings.role: {only}` into \
             `.faber/config.yml` to keep it as the default\n"
        ));
    }
    Ok(ExitStatus::Done)
}

fn exists_already(path: &Utf8Path) -> Error {
    Error::usage(
        format!("`{path}` already exists"),
        "nothing was created; choose another name, or edit the file",
    )
}

fn text(planned: &PlannedTemplate, workspace: &Workspace) -> Result<String, Error> {
    let own = Utf8Path::new("templates").join(&planned.template);
    if workspace.files.is_file(&own) {
        let text = workspace.files.read(&own);
        return text
            .map(|text| text.to_string())
            .map_err(|trouble| unreadable_input(&own, &trouble));
    }
    let found = template::TEMPLATES.iter().find(|(path, _)| *path == planned.template);
    let known = template::TEMPLATES.iter().map(|(path, _)| *path);
    found
        .map(|(_, text)| (*text).to_owned())
        .ok_or_else(|| Error::unknown("template", &planned.template, known))
}

fn plan(
    args: &New,
    workspace: &Workspace,
    session: &Session,
) -> Result<Vec<PlannedTemplate>, Error> {
    let name = &args.name;
    refuse_unused(args)?;
    if args.kind != NewKind::Overlay {
        check_name(name)?;
    }
    let one = |path: Utf8PathBuf, template: &str| {
        vec![PlannedTemplate { path, template: template.to_owned(), name: name.clone() }]
    };
    Ok(match args.kind {
        NewKind::Role => {
            let mut prompts =
                workspace.role_homes().into_iter().map(|home| home.join(name).join("prompt.md"));
            // A role may replace one of a pack.
            let is_own = |path: &Utf8PathBuf| packs::of_path(path).is_none();
            if let Some(path) = prompts.find(|path| is_own(path) && workspace.files.exists(path)) {
                return Err(exists_already(&path));
            }
            let home = role_home(workspace);
            let files = template::below("new/role").into_iter();
            let planned = files.map(|(path, _)| PlannedTemplate {
                path: home.join(name).join(path),
                template: format!("new/role/{path}"),
                name: name.clone(),
            });
            planned.collect()
        }
        NewKind::Context => {
            let category = category(args)?;
            let home = home(args, workspace)?;
            check_id(session, &home, category, name)?;
            one(context_path(&home, category, name), &format!("new/context/{category}.md"))
        }
        NewKind::Platform => {
            let home = role_root(args, workspace)?;
            check_id(session, &home, Category::Platform, name)?;
            one(context_path(&home, Category::Platform, name), "new/platform.md")
        }
        NewKind::Task => {
            one(role_root(args, workspace)?.join(format!("tasks/{name}.md")), "new/task.md")
        }
        NewKind::Flow => {
            one(role_root(args, workspace)?.join(format!("flows/{name}.md")), "new/flow.md")
        }
        NewKind::Overlay => overlay(args, session)?,
    })
}

fn refuse_unused(args: &New) -> Result<(), Error> {
    let (category, layer) = (args.category.is_some(), args.layer.is_some());
    let unused = if category && args.kind != NewKind::Context {
        ("--category", "only `faber new context` takes it")
    } else if layer && args.kind != NewKind::Overlay {
        ("--layer", "only `faber new overlay` takes it")
    } else if args.role.is_some() && args.kind == NewKind::Role {
        ("--role", "a role belongs to no other role; `extends` in its `agent.yml` names one")
    } else {
        return Ok(());
    };
    let (flag, help) = unused;
    Err(Error::usage(format!("`{flag}` has no effect here"), format!("remove it; {help}")))
}

/// With category and file name, hence id, of the base.
fn overlay(args: &New, session: &Session) -> Result<Vec<PlannedTemplate>, Error> {
    let view = session.view(&Viewer::new(args.role.clone(), None))?;
    let base = view.context(&args.name)?;
    let Some(layer) = &args.layer else {
        return Err(Error::usage(
            "an overlay needs a layer",
            "add `--layer organization`, `--layer teams/NAME`, `--layer roles/NAME` or the like",
        ));
    };
    let home = view.workspace.overlay_folder(layer)?;
    let row = base.id.category.row();
    let file = view.workspace.sources.path(base.sources[0].file).file_name().unwrap_or_default();
    Ok(vec![PlannedTemplate {
        path: home.join("contexts").join(row.directory).join(file),
        template: "new/overlay.md".to_owned(),
        name: base.id.name.to_string(),
    }])
}

fn check_name(name: &str) -> Result<(), Error> {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let rest = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if first && rest {
        return Ok(());
    }
    let hyphenated = name.to_lowercase().replace([' ', '_', '.'], "-");
    let meant = (hyphenated != name && check_name(&hyphenated).is_ok()).then_some(hyphenated);
    let help = suggest::help(meant, "names are lower-case letters, digits and hyphens");
    Err(Error::usage(format!("invalid name `{name}`"), help))
}

fn category(args: &New) -> Result<Category, Error> {
    let known = || CATEGORIES.iter().map(|row| row.name);
    match &args.category {
        Some(name) => {
            Category::from_name(name).ok_or_else(|| Error::unknown("category", name, known()))
        }
        None => Err(Error::usage(
            "a context needs a category",
            format!("add `--category` with one of {}", known().collect::<Vec<_>>().join(", ")),
        )),
    }
}

fn context_path(home: &Utf8Path, category: Category, name: &str) -> Utf8PathBuf {
    let row = category.row();
    let stem = format!("{}{name}.md", row.prefixes[0]);
    home.join("contexts").join(row.directory).join(stem)
}

fn check_id(
    session: &Session,
    home: &Utf8Path,
    category: Category,
    name: &str,
) -> Result<(), Error> {
    let mut workspace = session.workspace();
    let (survey, own) = (workspace.survey(), context_path(home, category, name));
    let paths = survey.documents.iter().filter_map(|document| {
        let path = workspace.sources.path(document.file);
        let is_same = document.id.category == category && *document.id.name == *name;
        (is_same && path != own && path.starts_with(home.join("contexts"))).then_some(path)
    });
    let Some(path) = paths.min() else { return Ok(()) };
    Err(Error::usage(
        format!("`{category}/{name}` already exists in `{path}`"),
        "nothing was created; choose another name, or edit the file",
    ))
}

fn role_home(workspace: &Workspace) -> Utf8PathBuf {
    let homes: Vec<Utf8PathBuf> =
        workspace.role_homes().into_iter().filter(|home| packs::of_path(home).is_none()).collect();
    let there = homes.iter().find(|home| workspace.files.is_dir(home));
    there.or(homes.first()).cloned().unwrap_or_else(|| "roles".into())
}

fn home(args: &New, workspace: &Workspace) -> Result<Utf8PathBuf, Error> {
    match args.role {
        Some(_) => role_root(args, workspace),
        None => Ok(import::home(workspace.files.root())),
    }
}

fn role_root(args: &New, workspace: &Workspace) -> Result<Utf8PathBuf, Error> {
    let name = workspace.role_name(args.role.as_deref())?;
    let names = workspace.role_names();
    let home = workspace
        .role_homes()
        .into_iter()
        .map(|home| home.join(&name))
        .find(|root| names.contains(&name) && workspace.files.is_file(&root.join("prompt.md")));
    home.ok_or_else(|| Error::unknown("role", &name, names.iter().map(String::as_str)))
}
