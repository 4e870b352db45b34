//! `faber explain`.

use crate::assemble::Assembly;
use crate::cli::args::{DataFormat, Explain};
use crate::commands::job::{self, Asked};
use crate::commands::{ExitStatus, Streams};
use crate::error::Error;
use crate::explain::data::{CandidateData, ExplainData, PlatformData};
use crate::explain::{Look, Subject, candidates, one, overview};
use crate::render::json;
use crate::settings::{Settings, Verbosity};
use crate::workspace::Workspace;

/// Runs it.
///
/// # Errors
///
/// What assembling can fail with, and an unknown context.
pub fn run(
    args: &Explain,
    settings: &Settings,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let settings = job::settings(&args.ask, settings);
    let mut workspace = Workspace::open(&settings)?;
    let asked = Asked { role: args.role.as_deref(), ask: &args.ask, format: args.bundle_format };
    let mut job = job::read(&asked, &workspace, &settings, streams)?;
    job.weigh = true;
    let assembly = job::assemble(job, &mut workspace, &settings, streams)?;
    let subject = Subject { assembly: &assembly, workspace: &workspace };
    let look = Look {
        width: settings.width,
        colour: settings.colour_stdout,
        everything: settings.verbosity == Verbosity::Verbose,
    };
    let as_data = args.json || args.format == DataFormat::Json;
    match &args.context {
        Some(name) => {
            let candidate = candidates::one(subject, name)?;
            if as_data {
                streams.print_json(&data(subject, vec![candidate]))?;
            } else {
                let header = overview::header(&assembly, look);
                streams.print(&format!("{header}\n{}", one::human(&candidate, look)))?;
            }
        }
        None if as_data => streams.print_json(&data(subject, candidates::all(subject)))?,
        None => streams.print(&overview::human(subject, look))?,
    }
    Ok(ExitStatus::Done)
}

fn data(subject: Subject<'_>, candidates: Vec<CandidateData>) -> ExplainData {
    let Assembly { role, pack, job, figures, .. } = subject.assembly;
    let sources = &subject.workspace.sources;
    let platform = pack.platform.as_ref().map(|platform| PlatformData {
        name: platform.name.clone(),
        chosen_by: platform.chosen_by.clone(),
    });
    let findings = subject.workspace.findings();
    ExplainData {
        schema: "faber.explain/1",
        role: role.clone(),
        platform,
        team: pack.view.team.clone(),
        request: job.request.text.clone(),
        candidates,
        findings: findings.iter().map(|found| json::finding(found, sources)).collect(),
        report: figures.clone(),
    }
}
