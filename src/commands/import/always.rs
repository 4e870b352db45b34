//! What of an import every prompt pays for.

use std::sync::Arc;

use camino::Utf8Path;

use faber_core::assemble::counter::ModelCounter;
use faber_output::table::grouped;
use faber_output::text::counted;
use faber_session::session::Session;
use faber_session::settings::Settings;

/// The line about `texts` of contexts that always load; empty if there are none, or nothing is known of the workspace.
pub(super) fn note(texts: &[String], root: &Utf8Path, settings: &Settings) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let settings = Settings { start: root.to_owned(), ..settings.clone() };
    let Ok(session) = Session::open(&settings) else { return String::new() };
    let config = session.workspace().config;
    let Ok(model) = ModelCounter::new(&config, None, &Arc::default()) else { return String::new() };
    let tokens: usize = texts.iter().map(|text| model.counter.count_message(text)).sum();
    let limit = config.budget.limits(model.window, None).limit;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let contexts = counted(texts.len(), "context");
    let load = if texts.len() == 1 { "loads" } else { "load" };
    let (shown, most) = (grouped(tokens), grouped(limit));
    if tokens <= limit {
        let percent = tokens * 100 / limit.max(1);
        return format!("{contexts} always {load}: {shown} tokens, {percent} % of a bundle\n");
    }
    format!(
        "{contexts} always {load}: {shown} tokens, and a bundle has {most}; give them `globs` or `load: on-demand`\n"
    )
}
