//! Prompts that compare contexts, and ratings of the answers.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{TrialCommand, TrialPlanArgs, TrialReadArgs};
use crate::commands::{output, test};
use faber_core::error::Error;
use faber_core::world::Unreadable;
use faber_lint::testing::load;
use faber_lint::trial::config::{self, PLAN, TrialFormat};
use faber_lint::trial::evidence::{self, ContextEvidence, Evidence, text_hashes};
use faber_lint::trial::plan::{self, PlanOptions, PlannedTrial, TrialPlan, TrialRun};
use faber_lint::trial::report::{self, Judged};
use faber_lint::trial::verdicts::{self, Results};
use faber_output::emit;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::DisplayOptions;
use faber_output::text::counted;
use faber_session::discover::atomic::Writer;
use faber_session::discover::files::{path_exists, read_input};
use faber_session::session::{Session, SessionOptions};
use faber_session::settings::Settings;

/// `faber trial read --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TrialData {
    /// `faber.trial-results/1`.
    schema: &'static str,
    /// The results by context id; `(pack)` for two versions of the workspace.
    contexts: BTreeMap<String, ContextEvidence>,
    /// How many verdicts were read.
    verdicts: usize,
    /// The number of runs that failed without a verdict.
    errors: usize,
}

pub(crate) fn run(command: &TrialCommand, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    match command {
        TrialCommand::Plan(args) => plan(args, streams),
        TrialCommand::Read(args) => read(args, streams),
    }
}

fn plan(args: &TrialPlanArgs, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let settings = session.settings().clone();
    let against = args.against.as_ref().map(|folder| {
        let start = settings.cwd.join(folder);
        let other = Session::open(SessionOptions::from(&Settings { start, ..settings.clone() }))?;
        if other.root() == session.root() {
            let message = format!("`{folder}` is this workspace");
            return Err(Error::usage(
                message,
                "name a directory with another version, such as a `git worktree`",
            ));
        }
        Ok(other)
    });
    let against = against.transpose()?;
    let mut workspace = session.workspace();
    let mut findings = Vec::new();
    let mut cases = load::load(&mut workspace).drain_into(&mut findings);
    let shown = test::shown(&findings, &settings);
    streams.eprint(&emit::findings(&shown, &workspace.sources, &settings));
    if cases.is_empty() {
        return Err(test::no_tests());
    }
    test::filter(&mut cases, &args.filters)?;
    let survey = workspace.survey();
    let texts = text_hashes(&survey.documents, &workspace.sources);
    let options =
        PlanOptions { session: &session, against: against.as_ref(), contexts: &args.contexts };
    let trial = plan::plan(&cases, options, &texts);
    session.caches().save();
    if let Some(name) = trial.unknown.first()
        && !trial.known.is_empty()
    {
        return Err(Error::unknown("context", name, trial.known.iter().map(String::as_str)));
    }
    for note in &trial.notes {
        streams.note(&format!("{note}\n"));
    }
    if trial.plan.pairs.is_empty() {
        let help = "write cases to `tests/NAME.yml` whose requests select the contexts to try";
        return Err(Error::usage("nothing to compare", help));
    }
    let folder = settings.cwd.join(&args.output);
    write(&session, &folder, &config::files(&trial, args.format))?;
    streams.note(&unjudged(&trial.plan.runs));
    streams.note(&format!(
        "{} and {} written to `{}`\n",
        counted(trial.plan.runs.len(), "run"),
        counted(trial.plan.pairs.len(), "pair"),
        args.output
    ));
    Ok(ExitStatus::Done)
}

fn unjudged(runs: &[TrialRun]) -> String {
    let is_silent = |run: &&TrialRun| run.answer.is_empty() && run.answer_contains.is_empty();
    let silent: Vec<&str> = runs.iter().filter(is_silent).map(|run| &*run.case).collect();
    let (cases, runs) = (silent.iter().collect::<BTreeSet<_>>().len(), silent.len());
    if runs == 0 {
        return String::new();
    }
    let (have, their) = if cases == 1 { ("has", "its") } else { ("have", "their") };
    format!(
        "note: {} {have} no `answer` or `answer_contains`; {their} {} cannot be judged\n",
        counted(cases, "case"),
        counted(runs, "run")
    )
}

fn write(
    session: &Session,
    folder: &Utf8Path,
    files: &BTreeMap<Utf8PathBuf, String>,
) -> Result<(), Error> {
    let old = folder.join(PLAN);
    let writer = Writer::new(session.root());
    if path_exists(&old) {
        let plan = read_plan(&old)?;
        refuse_edited(folder, &plan)?;
        let bundles = plan.runs.iter().map(|run| config::bundle_path(run.id));
        let others = config::FILES.map(Utf8PathBuf::from);
        for path in bundles.chain(others) {
            if !files.contains_key(&path) && path_exists(&folder.join(&path)) {
                writer.remove(&folder.join(&path))?;
            }
        }
    } else if path_exists(folder) {
        return Err(Error::usage(
            format!("`{folder}` already exists and was not written by `faber trial plan`"),
            "name another directory with `--output`",
        ));
    }
    // The plan sorts last, so a folder without it is incomplete.
    files.iter().try_for_each(|(path, text)| {
        let path = folder.join(path);
        if path_exists(&path) { writer.replace(&path, text) } else { writer.create(&path, text) }
    })
}

/// Users complete the configurations of evaluation tools.
fn refuse_edited(folder: &Utf8Path, plan: &TrialPlan) -> Result<(), Error> {
    let bundle = |run: &TrialRun| {
        let bundle = read_input(&folder.join(config::bundle_path(run.id))).ok()?;
        Some((run.id, bundle))
    };
    let bundles = plan.runs.iter().filter_map(bundle).collect();
    let trial = PlannedTrial { plan: plan.clone(), bundles, ..PlannedTrial::default() };
    for (_, format) in TrialFormat::ALL {
        for (path, text) in config::files(&trial, format) {
            let place = folder.join(&path);
            if !config::FILES.contains(&path.as_str()) || !path_exists(&place) {
                continue;
            }
            if read_input(&place)? != text {
                return Err(Error::usage(
                    format!("`{place}` was edited, or its bundles were; not overwritten"),
                    "move it away, or name another directory with `--output`",
                ));
            }
        }
    }
    Ok(())
}

fn read_plan(path: &Utf8Path) -> Result<TrialPlan, Error> {
    let text = read_input(path)?;
    TrialPlan::read(&text).map_err(|message| {
        let help =
            "name the `trial.json` that this version of `faber trial plan` wrote: `--plan FILE`";
        Error::usage(format!("cannot read `{path}`: {message}"), help)
    })
}

fn read(args: &TrialReadArgs, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    let settings = session.settings().clone();
    let path = settings.cwd.join(&args.plan);
    if !path_exists(&path) {
        return Err(Error::usage(
            format!("no plan at `{}`", args.plan),
            "run `faber trial plan` first, or name its `trial.json`: `--plan FILE`",
        ));
    }
    let plan = read_plan(&path)?;
    let is_piped = |path: &&Utf8PathBuf| path.as_str() == "-";
    if args.results.iter().filter(is_piped).count() > 1 {
        let help = "use `-` for one of the results";
        return Err(Error::usage("standard input can be read only once", help));
    }
    let mut all = Results::default();
    for path in &args.results {
        let text = output::read(path.as_str(), streams)?;
        let mut read = verdicts::read(path, &text)?;
        all.verdicts.append(&mut read.verdicts);
        all.errors += read.errors;
    }
    let date = args.at.unwrap_or(settings.today).to_string();
    let judged = Judged { plan: &plan, verdicts: &all.verdicts, seed: args.seed, date: &date };
    let results = report::compare(judged)?;
    if all.errors > 0 {
        streams.note(&format!("{} gave no answer\n", counted(all.errors, "run")));
    }
    if results.is_empty() {
        let help = "a pair needs verdicts on both of its runs; `trial.json` lists them";
        return Err(Error::usage("no pair was judged", help));
    }
    if !args.dry_run {
        keep(&session, results.clone())?;
        streams.note(&format!("saved to `{}`\n", evidence::FILE));
    }
    let trial = TrialData {
        schema: "faber.trial-results/1",
        contexts: results,
        verdicts: all.verdicts.len(),
        errors: all.errors,
    };
    let human = |it: &TrialData| report::table(&it.contexts, DisplayOptions::new(&settings));
    output::print(&trial, args.format, streams, human)
}

fn keep(session: &Session, results: BTreeMap<String, ContextEvidence>) -> Result<(), Error> {
    let path = Utf8Path::new(evidence::FILE);
    let fail = |message: String| {
        let help = "correct or remove it, or add `--dry-run`";
        Error::usage(format!("cannot read `{path}`: {message}"), help)
    };
    let known = match session.files().read_from_disk(path) {
        Ok(text) => Evidence::read(&text).map_err(fail)?,
        Err(Unreadable::Missing) => Evidence::default(),
        Err(trouble) => return Err(fail(trouble.to_string())),
    };
    Writer::new(session.root()).replace(path, &known.with(results))
}
