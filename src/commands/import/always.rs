//! Tokens of imported contexts that always load.

use std::sync::Arc;

use camino::Utf8Path;

use super::open_at;
use faber_core::assemble::counter::ModelCounter;
use faber_core::category::Load;
use faber_core::parse::fence;
use faber_core::resolve::catalog::Context;
use faber_core::select::choose;
use faber_core::workspace::Viewer;
use faber_output::table::grouped;
use faber_output::text::counted;
use faber_session::session::Session;
use faber_session::settings::Settings;
use faber_tools::exchange::import::{PlannedContent, PlannedImport};

pub(in crate::commands) fn texts(
    settings: &Settings,
    is_own: impl Fn(&Utf8Path) -> bool,
) -> Option<Vec<String>> {
    let session = Session::open(settings).ok()?;
    let view = session.view(&Viewer::new(None, None)).ok()?;
    let sources = &view.workspace.sources;
    let has = |context: &&Context| {
        let mut files = context.sources.iter().map(|source| sources.original_path(source.file));
        choose::load_of(context) == Load::Always && files.any(&is_own)
    };
    let own = view.resolved.catalog.contexts.values().filter(has);
    Some(own.map(|context| context.body.text(sources)).collect())
}

pub(super) fn planned(files: &[PlannedImport]) -> impl Iterator<Item = String> {
    files.iter().filter(|planned| planned.always).filter_map(|planned| match &planned.content {
        PlannedContent::Text(text) => Some(text[fence::body(text)..].to_owned()),
        PlannedContent::CopyOf(_) => None,
    })
}

pub(in crate::commands) fn note(texts: &[String], root: &Utf8Path, settings: &Settings) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let Ok(session) = open_at(root, settings) else { return String::new() };
    let config = session.workspace().config;
    let Ok(model) = ModelCounter::new(&config, None, &Arc::default()) else { return String::new() };
    let tokens: usize = texts.iter().map(|text| model.counter.count_message(text)).sum();
    let limit = config.budget.limits(model.window, None).limit;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let contexts = counted(texts.len(), "context");
    let load = if texts.len() == 1 { "loads" } else { "load" };
    let (shown, most) = (grouped(tokens), grouped(limit));
    if tokens <= limit {
        let share = match (tokens * 100 + limit / 2) / limit.max(1) {
            0 => "under 1".to_owned(),
            percent => percent.to_string(),
        };
        return format!("{contexts} always {load}: {shown} tokens, {share} % of the budget\n");
    }
    format!(
        "{contexts} always {load}: {shown} tokens, over the budget of {most}; give them `globs` or `load: on-demand`\n"
    )
}
