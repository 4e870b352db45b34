//! `faber explain`.

use camino::Utf8Path;

use crate::cli::args::{DataFormat, Explain, LineRange, WhatIf};
use crate::commands::{job, output};
use crate::html_report::{self, Page};
use faber_core::assemble::{Assembly, Job};
use faber_core::budget::level::Level;
use faber_core::error::Error;
use faber_core::workspace::TaskFile;
use faber_output::json;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::DisplayOptions;
use faber_server::hook::client::Client;
use faber_server::hook::read::{self, Hints};
use faber_server::hook::{answer, run};
use faber_session::discover::hook_store::HookStore;
use faber_session::hook::Conversation;
use faber_session::job::AssembleRequest;
use faber_session::session::{Assembled, Session, Workspace};
use faber_session::settings::{Settings, Verbosity};
use faber_tools::explain::data::{CandidateData, ExplainData, State, WhatIfData};
use faber_tools::explain::{ExplainInput, candidates, compare, one, origins, overview, platform};
use faber_tools::graph::{GraphCollector, GraphInput};
use faber_tools::hook::deliver::{self, ClientFacts, Delivery};
use faber_tools::hook::event::HookEvent;

pub(crate) fn run(args: &Explain, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    refuse_repetition(&args.what_if)?;
    let settings = job::settings(&args.ask, settings)?;
    let mut session = Session::open(&settings)?;
    let stdin = job::standard_input(&args.ask, streams)?;
    let mut request = job::request(args.role.as_deref(), &args.ask, args.bundle_format, stdin);
    let event = args.hook.as_ref().map(|path| event(path, &session, streams)).transpose()?;
    if let Some(event) = &event {
        request = event.request(request, &session);
    }
    let mut request = AssembleRequest { trace: true, ..request };
    let mut assembled = session.assemble(&request)?;
    if let Some(budget) = event.as_ref().and_then(|_| deliver::larger_budget(&assembled.result)) {
        request.budget = Some(budget);
        assembled = session.assemble(&request)?;
    }
    if matches!(assembled.result, Err(Error::Findings { .. })) {
        // Insecure text is explained, too.
        session = Session::open(&Settings { allow_insecure: true, ..settings })?;
        assembled = session.assemble(&request)?;
    }
    let Assembled { mut workspace, result } = assembled;
    // `-v` is about the contexts here.
    let verbosity = session.settings().verbosity.min(Verbosity::Normal);
    let findings = Settings { verbosity, ..streams.settings.clone() };
    output::with_settings(streams, &findings).eprint_assembly_findings(&result, &workspace);
    let assembly = result.map_err(|error| suggest_role(error, args, &workspace))?;
    streams.note(&job::input_notes(&request.inputs, &assembly.job.inputs));
    if let Some(path) = &args.html {
        let task_files =
            workspace.tasks_and_flows(assembly.pack.lineage.as_ref(), &assembly.pack.view);
        let subject = ExplainInput { assembly: &assembly, workspace: &workspace };
        let page = page(args, subject, &task_files, &session, streams)?;
        session.caches().save();
        output::refuse_source(&session.settings().cwd.join(path), &workspace, &session)?;
        streams.deliver(Some(path), &page)?;
        return Ok(ExitStatus::Done);
    }
    let subject = ExplainInput { assembly: &assembly, workspace: &workspace };
    let delivery = event.map(|ExplainedEvent { client, event, known }| {
        deliver::delivery(&assembly, &workspace, &event, &known, &client)
    });
    let (data, text) = explain(args, subject, delivery.as_ref(), &session, streams)?;
    session.caches().save();
    let format = if args.json { DataFormat::Json } else { args.format };
    output::print(&data, format, streams, |_| text)
}

fn refuse_repetition(changes: &[WhatIf]) -> Result<(), Error> {
    let key = std::mem::discriminant::<WhatIf>;
    let is_again = |at: &usize| changes[..*at].iter().any(|other| key(other) == key(&changes[*at]));
    match (0..changes.len()).find(is_again).map(|at| &changes[at]) {
        Some(change) => Err(Error::usage(
            format!("`--what-if {change}` changes what another `--what-if` changes"),
            "compare with one value at a time",
        )),
        None => Ok(()),
    }
}

fn suggest_role(error: Error, args: &Explain, workspace: &Workspace) -> Error {
    let name = args.context.as_ref().filter(|_| args.role.is_none());
    match name.filter(|name| workspace.role_names().contains(name)) {
        Some(name) if matches!(error, Error::Usage { .. } | Error::Unknown { .. }) => {
            let message = format!("`{name}` is a role, not a context");
            Error::usage(message, format!("write `faber explain --role {name}`"))
        }
        _ => error,
    }
}

struct ExplainedEvent {
    client: ClientFacts<'static>,
    event: HookEvent,
    known: Conversation,
}

fn event(
    path: &Utf8Path,
    session: &Session,
    streams: &mut Streams<'_>,
) -> Result<ExplainedEvent, Error> {
    let settings = session.settings();
    let text = output::read(path.as_str(), streams)?;
    let hints = Hints { client: Some(Client::Claude.name()), event: None, vars: &settings.vars };
    let wrong = |message: String| Error::usage(message, "pass the JSON input of a hook");
    let read = read::read(&text, hints).map_err(wrong)?;
    let event = read.event.clone().ok_or_else(|| wrong(read.unknown()))?;
    if let Some(why) = event.skipped() {
        return Err(wrong(format!("this event loads no contexts: {why}")));
    }
    let store = settings.state.as_deref().map(HookStore::new);
    let known = store
        .and_then(|store| store.peek(session.root(), &event.conversation, event.agent.as_deref()));
    if known.is_none() {
        streams.note("note: explained as the first event of a conversation\n");
    }
    let mut known = known.unwrap_or_default();
    deliver::prepare(&mut known, &event, session);
    let client = run::facts(read.client.row(), session, answer::frame(&read));
    Ok(ExplainedEvent { client, event, known })
}

impl ExplainedEvent {
    fn request(&self, options: AssembleRequest, session: &Session) -> AssembleRequest {
        let Self { client, event, known } = self;
        let config = session.workspace().config;
        let asked = deliver::client_request(event, known, &config, session, client);
        let asked = asked.unwrap_or_default();
        AssembleRequest {
            budget: options.budget.or(asked.budget),
            request: asked.request,
            error: asked.error,
            files: asked.files,
            parts: asked.parts,
            catalog_fills_room: asked.catalog_fills_room,
            reader: asked.reader,
            style: asked.style,
            more: asked.more,
            ..options
        }
    }
}

fn limited(candidates: &mut [CandidateData], delivery: Option<&Delivery>) {
    let Some(delivery) = delivery else { return };
    for candidate in candidates.iter_mut().filter(|one| one.state == State::Selected) {
        let id = candidate.id.to_string();
        match delivery.contexts.iter().find(|given| given.id == id) {
            Some(given) if given.is_cut => {
                candidate.tokens = given.tokens;
                candidate.verdict += ", then cut at the limit of the client";
            }
            Some(_) => {}
            None => {
                (candidate.state, candidate.level) = (State::Excluded, Level::Dropped);
                candidate.tokens = 0;
                candidate
                    .verdict
                    .replace_range(.., "left out: no room within the limit of the client");
            }
        }
    }
}

fn explain(
    args: &Explain,
    subject: ExplainInput<'_>,
    delivery: Option<&Delivery>,
    session: &Session,
    streams: &mut Streams<'_>,
) -> Result<(ExplainData, String), Error> {
    let assembly = subject.assembly;
    let settings = session.settings();
    let look = DisplayOptions::new(settings);
    let mut data = frame(subject);
    let text = if let Some(LineRange { first, last }) = args.line {
        data.lines = origins::lines(subject, first, last)?;
        origins::human(&data.lines, look)
    } else if !args.what_if.is_empty() {
        let what_if = what_if(args, subject, session, streams)?;
        let text = overview::header(assembly, look) + "\n" + &compare::human(&what_if, look);
        data.what_if = Some(what_if);
        text
    } else if let Some(name) = &args.context {
        let mut candidate = candidates::one(subject, name)
            .map_err(|error| suggest_role(error, args, subject.workspace))
            .map_err(job::suggest_request)?;
        limited(std::slice::from_mut(&mut candidate), delivery);
        let figures = &assembly.bundle.figures.summary;
        let free = figures.limit.saturating_sub(figures.total_used);
        let text = overview::header(assembly, look) + "\n" + &one::human(&candidate, free, look);
        data.candidates = vec![candidate];
        text
    } else {
        data.candidates = candidates::all(subject);
        limited(&mut data.candidates, delivery);
        overview::human(assembly, &data.candidates, look)
    };
    Ok((data, text))
}

fn page(
    args: &Explain,
    subject: ExplainInput<'_>,
    task_files: &[TaskFile],
    session: &Session,
    streams: &mut Streams<'_>,
) -> Result<String, Error> {
    let assembly = subject.assembly;
    let focus = args.context.as_ref().map(|name| candidates::one(subject, name)).transpose()?;
    let range = args.line.map(|LineRange { first, last }| (first, last));
    if let Some((first, last)) = range {
        origins::lines(subject, first, last)?;
    }
    let mut data = frame(subject);
    data.candidates = candidates::all(subject);
    for candidate in &mut data.candidates {
        // They would repeat for every context.
        candidate.settings.retain(|setting| setting.declared_at.is_some());
    }
    let lines = origins::all(subject);
    if !args.what_if.is_empty() {
        data.what_if = Some(what_if(args, subject, session, streams)?);
    }
    let mut collector = GraphCollector::default();
    let role_homes = subject.workspace.role_homes();
    let seen = GraphInput {
        sources: &subject.workspace.sources,
        pack: &assembly.pack,
        catalog: &assembly.catalog,
        declared: &assembly.declared.terms,
        task_files,
        role_homes: &role_homes,
    };
    collector.add(&seen, None);
    let graph = collector.finish(Some(assembly.role.clone()));
    let focus = focus.map(|candidate| candidate.id);
    Ok(html_report::page(&Page::of_explanation(&data, &lines, &graph, focus.as_ref(), range)))
}

fn what_if(
    args: &Explain,
    before: ExplainInput<'_>,
    session: &Session,
    streams: &mut Streams<'_>,
) -> Result<WhatIfData, Error> {
    let (mut settings, mut job) = (session.settings().clone(), before.assembly.job.clone());
    for change in &args.what_if {
        apply(change, &mut settings, &mut job);
    }
    let session = session.with_settings(settings);
    let Assembled { workspace, result } = session.assemble_job(job);
    if args.what_if.iter().any(|it| matches!(it, WhatIf::Team(_) | WhatIf::Workflow(_))) {
        streams.eprint_unknown_overlays(&workspace);
    }
    let assembly = result.inspect_err(|error| streams.eprint_fatal(error, &workspace))?;
    let after = ExplainInput { assembly: &assembly, workspace: &workspace };
    let changes = args.what_if.iter().map(ToString::to_string).collect();
    Ok(compare::compare(before, after, changes))
}

fn apply(change: &WhatIf, settings: &mut Settings, job: &mut Job) {
    let mut set = |key: &'static str, value: &str| {
        settings.overrides.retain(|(known, ..)| *known != key);
        settings.overrides.push((key, value.to_owned(), "--what-if".to_owned()));
    };
    match change {
        WhatIf::Budget(tokens) => job.budget = Some(*tokens),
        WhatIf::Platform(name) => job.platform = Some(name.clone()),
        WhatIf::Team(name) => set("settings.team", name),
        WhatIf::Workflow(name) => set("settings.workflow", name),
        WhatIf::Environment(name) => set("settings.environment", name),
        WhatIf::Date(date) => settings.today = *date,
        WhatIf::Model(name) => job.model = Some(name.clone()),
    }
}

fn frame(subject: ExplainInput<'_>) -> ExplainData {
    let Assembly { role, pack, job, bundle, .. } = subject.assembly;
    let figures = &bundle.figures;
    let sources = &subject.workspace.sources;
    let findings = subject.workspace.findings();
    ExplainData {
        schema: "faber.explain/1",
        role: role.clone(),
        platform: platform(subject.assembly),
        team: pack.view.team(),
        request: job.request.text.clone(),
        candidates: Vec::new(),
        lines: Vec::new(),
        what_if: None,
        findings: findings.iter().map(|found| json::finding(found, sources)).collect(),
        report: figures.clone(),
    }
}
