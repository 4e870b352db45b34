//! `faber suggest`.

use std::collections::BTreeSet;
use std::fmt::Write;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, SuggestCommand, SuggestKeywords};
use faber_core::context_id::ContextId;
use faber_core::error::Error;
use faber_core::workspace::Viewer;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::{grouped, plain};
use faber_output::text::counted;
use faber_session::discover::atomic::Writer;
use faber_session::session::{ResolvedView, Session, read_prompt};
use faber_tools::front_edit::{FieldEdit, UNEDITABLE, with_fields};
use faber_tools::keywords::{self, KeywordInput, KeywordSuggestion, SuggestedTerm, TermSource};

/// `faber suggest keywords --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SuggestData {
    /// `faber.suggest/1`.
    pub schema: &'static str,
    /// The contexts without keywords and errors, by id.
    pub contexts: Vec<KeywordSuggestion>,
    /// The files that were written, with `--apply`.
    pub written: Vec<String>,
}

pub(crate) fn run(
    command: &SuggestCommand,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let SuggestCommand::Keywords(args) = command;
    let session = Session::open(streams.settings)?;
    let mut view =
        streams.view(&session, &Viewer::new(args.role.clone(), args.data.view.platform.clone()))?;
    streams.eprint_unknown_overlays(&view.workspace);
    let named: BTreeSet<ContextId> = args
        .contexts
        .iter()
        .map(|name| view.context(name).map(|context| context.id.clone()))
        .collect::<Result<_, _>>()?;
    let mut contexts = suggestions(&mut view);
    if !named.is_empty() {
        contexts.retain(|it| named.contains(&it.id));
    }
    let (written, refused) =
        if args.apply { apply(&contexts, &view, streams)? } else { (Vec::new(), 0) };
    match args.data.format {
        DataFormat::Json => {
            let schema = "faber.suggest/1";
            streams.print_json(&SuggestData { schema, contexts, written })?;
        }
        DataFormat::Human => {
            streams.print(&human(&contexts))?;
            streams.note(&summary(args, &contexts, written.len()));
        }
    }
    Ok(if refused > 0 { ExitStatus::Findings } else { ExitStatus::Done })
}

fn suggestions(view: &mut ResolvedView) -> Vec<KeywordSuggestion> {
    let read = read_prompt(&mut view.workspace, &view.resolved);
    let sources = &view.workspace.sources;
    let rules = view.resolved.rules(sources, &read.prompt);
    keywords::suggest(KeywordInput { catalog: &view.resolved.catalog, rules: &rules, sources })
}

fn apply(
    contexts: &[KeywordSuggestion],
    view: &ResolvedView,
    streams: &mut Streams<'_>,
) -> Result<(Vec<String>, usize), Error> {
    let writer = Writer::new(view.workspace.files.root());
    let (mut written, mut refused) = (Vec::new(), 0);
    for it in contexts.iter().filter(|it| !is_empty(it)) {
        let path = Utf8Path::new(&it.path);
        let Some(file) = view.workspace.sources.find(path) else { continue };
        let before = &view.workspace.sources.get(file).text;
        let refusal = match with_fields(before, &edits(it)) {
            None => Some(UNEDITABLE),
            Some(after) => writer.replace_if(path, before.as_bytes(), after.as_bytes())?.refusal(),
        };
        match refusal {
            None => written.push(it.path.clone()),
            Some(why) => {
                refused += 1;
                streams.eprint(&format!("not written: {}: it {why}\n", plain(&it.path)));
            }
        }
    }
    Ok((written, refused))
}

fn edits(it: &KeywordSuggestion) -> Vec<FieldEdit> {
    let fields = [("keywords", &it.keywords), ("errors", &it.errors)].into_iter();
    let edit = |(field, terms): (&'static str, &Vec<SuggestedTerm>)| FieldEdit::Add {
        field,
        items: terms.iter().map(|term| term.text.clone()).collect(),
    };
    fields.filter(|(_, terms)| !terms.is_empty()).map(edit).collect()
}

fn is_empty(it: &KeywordSuggestion) -> bool {
    it.keywords.is_empty() && it.errors.is_empty()
}

fn human(contexts: &[KeywordSuggestion]) -> String {
    let all = || contexts.iter().flat_map(|it| it.keywords.iter().chain(&it.errors));
    let width = all().map(|term| term.text.chars().count()).max().unwrap_or_default();
    let mut out = String::new();
    for it in contexts.iter().filter(|it| !is_empty(it)) {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{} ({})", it.id, plain(&it.path));
        for (field, terms) in [("keywords", &it.keywords), ("errors", &it.errors)] {
            if !terms.is_empty() {
                let _ = writeln!(out, "  {field}");
            }
            for term in terms {
                let text = plain(&term.text);
                let _ = writeln!(out, "    {text:<width$}  {}", reason(term));
            }
        }
    }
    out.replace('\u{a0}', " ")
}

fn reason(term: &SuggestedTerm) -> String {
    let others = match term.contexts.saturating_sub(1) {
        0 => "in no other context".to_owned(),
        1 => "in 1 other context".to_owned(),
        others => format!("in {} other contexts", grouped(others)),
    };
    let part = match term.found_in {
        TermSource::Heading => "a heading",
        TermSource::Name => "the name",
        TermSource::Title => "the title",
        TermSource::Description => "the description",
        TermSource::Text => "the text",
    };
    format!("in {part}, {} in all, {others}", counted(term.often, "time"))
}

fn summary(args: &SuggestKeywords, contexts: &[KeywordSuggestion], written: usize) -> String {
    let keywords = contexts.iter().map(|it| it.keywords.len()).sum();
    let errors = contexts.iter().map(|it| it.errors.len()).sum();
    let with = contexts.iter().filter(|it| !is_empty(it)).count();
    let mut out = match contexts.len() {
        0 => "no suggestions: all contexts that keywords can load have keywords or errors\n"
            .to_owned(),
        all if with == 0 => format!(
            "no suggestions ({} {} neither keywords nor errors)\n",
            counted(all, "context"),
            if all == 1 { "has" } else { "have" }
        ),
        all => format!(
            "{} and {} for {with} of {} without any\n",
            counted(keywords, "keyword"),
            counted(errors, "error"),
            counted(all, "context")
        ),
    };
    if args.apply {
        let _ = writeln!(out, "{} written", counted(written, "file"));
    } else if with > 0 {
        out.push_str("`--apply` writes them into the front matter\n");
    }
    out
}
