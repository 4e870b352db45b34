//! Checks a workspace and applies fixes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::cli::args::{Deny, FindingsFormat, Validate};
use crate::commands::{output, replay};
use crate::emit::format::{FindingSet, PackPlace, github, human, json, junit, sarif};
use camino::{Utf8Path, Utf8PathBuf};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::{Error, NOT_FOUND};
use faber_core::escape::Visible;
use faber_core::packs::{self, MountedPack};
use faber_core::security::redact::Redactor;
use faber_core::source::SourceMap;
use faber_core::world::{MemoryWorld, World};
use faber_lint::validate::baseline::{self, Baseline};
use faber_lint::validate::fix::{self, FixedTexts};
use faber_lint::validate::policy::Policy;
use faber_lint::validate::{LintOutcome, LintScope, Linter};
use faber_output::emit::junit::document;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::{counted, unified_diff};
use faber_session::discover::atomic::{Replaced, Writer};
use faber_session::discover::files::Files;
use faber_session::discover::git;
use faber_session::session::{Session, Workspace};
use faber_session::settings::Settings;

/// Each round may enable fixes that overlapped before.
const MAX_ROUNDS: usize = 32;

struct Validated {
    workspace: Workspace,
    outcome: LintOutcome,
    changes: Vec<FileFix>,
    fixed: usize,
    left: usize,
}

struct FileFix {
    path: Utf8PathBuf,
    before: String,
    after: String,
    fixed: usize,
}

pub(crate) fn run(args: &Validate, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let policy = Policy::typed(&args.select, &args.ignore)?;
    if args.r#unsafe && !args.fix && !args.diff {
        return Err(Error::usage("`--unsafe` has no effect on its own", "add `--fix` or `--diff`"));
    }
    if args.diff && args.format != FindingsFormat::Human {
        let help = "remove `--format`, or `--diff`";
        return Err(Error::usage("`--diff` prints a patch, which has no other format", help));
    }
    let session = Session::open(streams.settings)?;
    if args.fix || args.diff || args.write_baseline.is_some() {
        return validate(args, &session, &policy, streams);
    }
    replay::replayed(&session, "validate", args, streams, |session, streams| {
        validate(args, session, &policy, streams)
    })
}

pub(super) fn uncached(
    args: &Validate,
    session: &Session,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let policy = Policy::typed(&args.select, &args.ignore)?;
    validate(args, session, &policy, streams)
}

fn validate(
    args: &Validate,
    session: &Session,
    policy: &Policy,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let settings = session.settings();
    let mut done = look_and_fix(args, session, policy)?;
    let (mut failed, mut more) = (None, None);
    if args.diff {
        let redactor = Redactor::new(&done.workspace.sources, &done.outcome.secrets);
        streams.print_text(&unified(&done.changes, &redactor))?;
    } else {
        if args.fix {
            failed = write_changes(&mut done, streams);
            if done.left > 0 {
                // Unwritten fixes are still findings.
                let unfixed = Validate { fix: false, ..args.clone() };
                let now = look_and_fix(&unfixed, session, policy)?;
                done = Validated { fixed: done.fixed, left: done.left, ..now };
            }
        }
        if let Some(path) = &args.write_baseline {
            output::refuse_source(&settings.cwd.join(path), &done.workspace, session)?;
            write_baseline(&mut done, &settings.cwd.join(path), streams)?;
        }
        more = print(args, &done, settings, streams)?;
    }
    let more = more.map(|more| format!("; `-v` prints {more}")).unwrap_or_default();
    streams.note(&format!("{}{more}\n", summary(&done, args)));
    failed.map_or_else(|| Ok(status(&done, args)), Err)
}

fn look_and_fix(args: &Validate, session: &Session, policy: &Policy) -> Result<Validated, Error> {
    let mut settings = session.settings().clone();
    settings.today = args.at.unwrap_or(settings.today);
    let session = session.with_settings(settings.clone());
    let mut texts = FixedTexts::new();
    let mut first: BTreeMap<Utf8PathBuf, (String, usize)> = BTreeMap::new();
    for round in 0..=MAX_ROUNDS {
        let session = session.with_overlays(&MemoryWorld::new(texts.clone()));
        let baseline = read_baseline(args, &settings, session.files())?;
        let mut linter = Linter::open(&session, policy.clone());
        let scope = scope(args, &settings, &linter.workspace.files)?;
        let outcome = linter.run(&scope, baseline.as_ref());
        let workspace = linter.workspace;
        if args.paths.is_empty() && outcome.below_paths == 0 && outcome.found.is_empty() {
            return Err(Error::usage(
                "nothing to validate",
                "the workspace has no contexts, roles or configuration",
            ));
        }
        if (args.fix || args.diff) && round < MAX_ROUNDS {
            let sources = &workspace.sources;
            let counts = fix::apply(&outcome.found, sources, args.r#unsafe, &mut texts);
            for (file, count) in &counts {
                let known = first.entry(sources.path(*file).to_owned());
                known.or_insert_with(|| (sources.get(*file).text.to_string(), 0)).1 += count;
            }
            if !counts.is_empty() {
                continue;
            }
        }
        let fixed = first.values().map(|(_, count)| count).sum();
        return Ok(Validated {
            workspace,
            outcome,
            changes: changes(first, texts),
            fixed,
            left: 0,
        });
    }
    unreachable!("the loop ends after the last round")
}

fn changes(first: BTreeMap<Utf8PathBuf, (String, usize)>, mut texts: FixedTexts) -> Vec<FileFix> {
    let changes = first.into_iter().filter_map(|(path, (before, fixed))| {
        let after = texts.remove(&path)?;
        (before != after).then_some(FileFix { path, before, after, fixed })
    });
    changes.collect()
}

fn scope(args: &Validate, settings: &Settings, files: &Files) -> Result<LintScope, Error> {
    let paths = args.paths.iter().map(|path| {
        files.locate(&settings.cwd, path).map_err(|error| match error {
            Error::Io { .. } if args.changed.is_some() => {
                let help = format!("to compare with a revision, write `--changed={path}`");
                Error::usage(error.to_string(), help)
            }
            other => other,
        })
    });
    let (mut changed, mut removed) = (None, Vec::new());
    if let Some(revision) = &args.changed {
        files.recorder().mark_uncacheable();
        let names = git::changed(files.root(), revision)?;
        let in_packs = |name: &String| files.in_packs(&files.root().join(name)).collect::<Vec<_>>();
        let mut all: BTreeSet<Utf8PathBuf> = names.iter().flat_map(in_packs).collect();
        all.extend(names.into_iter().map(Utf8PathBuf::from));
        changed = Some(all);
        removed = git::removed(files.root(), revision)?.into_iter().map(Into::into).collect();
    }
    let names = changed.iter().flatten();
    let deleted = names.filter(|path| !files.exists(path)).cloned().collect();
    let paths: Vec<Vec<Utf8PathBuf>> = paths.collect::<Result<_, _>>()?;
    Ok(LintScope { paths: paths.concat(), changed, deleted, removed })
}

fn read_baseline(
    args: &Validate,
    settings: &Settings,
    files: &Files,
) -> Result<Option<Baseline>, Error> {
    let Some(path) = &args.baseline else { return Ok(None) };
    let text = files.read_input(path).map_err(|error| match error {
        Error::Usage { message, .. } if message.ends_with(NOT_FOUND) => {
            Error::usage(message, "`--write-baseline FILE` writes one")
        }
        other => other,
    })?;
    let place = settings.cwd.join(path);
    let shown = place.strip_prefix(files.root()).unwrap_or(&place);
    Baseline::read(shown, text).map(Some)
}

fn write_changes(done: &mut Validated, streams: &mut Streams<'_>) -> Option<Error> {
    let mut failed = None;
    let files = &done.workspace.files;
    let writer = Writer::new(files.root());
    for FileFix { path, before, after, fixed } in &done.changes {
        // Through the workspace, because a link may lead out by now.
        let replaced = match files.read_from_disk(path) {
            Ok(_) => writer.replace_if(path, before, after),
            Err(_) => Ok(Replaced::Changed),
        };
        let why = match replaced.map(Replaced::refusal) {
            Ok(None) => continue,
            Ok(Some(why)) => why,
            Err(error) if failed.is_none() => {
                failed = Some(error);
                "cannot be written"
            }
            Err(error) => {
                streams.eprint(&format!("{error}\n"));
                "cannot be written"
            }
        };
        let findings = counted(*fixed, "finding");
        streams.eprint(&format!("`{path}` {why} and is not changed, {findings} not fixed\n"));
        done.fixed -= fixed;
        done.left += 1;
    }
    failed
}

fn write_baseline(
    done: &mut Validated,
    path: &Utf8Path,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    let sources = &mut done.workspace.sources;
    let redactor = Redactor::new(sources, &done.outcome.secrets);
    let (text, count) = baseline::write(&done.outcome.found, sources, &redactor);
    let root = done.workspace.files.root();
    Writer::new(root).replace(path, &text)?;
    let path = path.strip_prefix(root).unwrap_or(path);
    let left_out = done.outcome.found.len() - count;
    let left_out = match left_out {
        0 => String::new(),
        1 => "; 1 finding left out: a baseline cannot contain it".to_owned(),
        _ => format!("; {left_out} findings left out: a baseline cannot contain them"),
    };
    streams.note(&format!("{} written to `{path}`{left_out}\n", counted(count, "finding")));
    let written = Baseline::read(path, text)?;
    let placed = written.placed(sources);
    done.outcome.known += placed.apply(&mut done.outcome.found, sources, &redactor).len();
    Ok(())
}

fn print(
    args: &Validate,
    done: &Validated,
    settings: &Settings,
    streams: &mut Streams<'_>,
) -> Result<Option<&'static str>, Error> {
    let home = done.workspace.files.in_repository();
    let packs = pack_places(&done.workspace, &home);
    let unchecked = unchecked(&done.outcome);
    let findings = FindingSet {
        home: &home,
        packs: &packs,
        found: &done.outcome.found,
        sources: &done.workspace.sources,
        files: &done.outcome.files,
        secrets: &done.outcome.secrets,
        unchecked: &unchecked,
    };
    match args.format {
        FindingsFormat::Human => {
            let (text, more) = human::human(&findings, settings, !args.select.is_empty());
            return streams.print(&text).map(|()| more);
        }
        FindingsFormat::Concise => streams.print(&human::concise(&findings)),
        FindingsFormat::Github => streams.print(&github::github(&findings)),
        FindingsFormat::Junit => {
            let fails = |found: &Diagnostic| fails(found, findings.sources, args);
            streams.print(&document("faber validate", &[junit::suite(&findings, fails)]))
        }
        FindingsFormat::Json => streams.print_json(&json::json(&findings)),
        FindingsFormat::Sarif => {
            let (document, left_out) = sarif::sarif(&findings);
            if left_out > 0 {
                streams.note(&format!(
                    "{} left out: code scanning takes {} in one run\n",
                    counted(left_out, "finding"),
                    sarif::MAX_RESULTS
                ));
            }
            streams.print_json(&document)
        }
    }
    .map(|()| None)
}

fn pack_places(workspace: &Workspace, home: &Utf8Path) -> Vec<PackPlace> {
    let root = workspace.files.root();
    let repository = root.ancestors().nth(home.components().count()).unwrap_or(root);
    let place = |pack: &MountedPack| {
        let folder = pack.folder();
        let real = root.join(workspace.files.place(&folder));
        let place = real.strip_prefix(repository).ok().map(Utf8Path::to_owned);
        PackPlace { folder, place, declared_at: pack.declared_at }
    };
    workspace.packs.iter().map(place).collect()
}

fn unified(changes: &[FileFix], redactor: &Redactor) -> String {
    let each = changes.iter().map(|FileFix { path, before, after, .. }| {
        // Before comparing, because secrets may span lines.
        let (before, after) = (redactor.redact(before), redactor.redact(after));
        unified_diff(&before, &after, &format!("a/{path}"), &format!("b/{path}"))
    });
    each.collect()
}

fn summary(done: &Validated, args: &Validate) -> String {
    let found = &done.outcome.found;
    let count = |severity| found.iter().filter(|one| one.severity() == severity).count();
    let [errors, warnings, hints] = [Severity::Error, Severity::Warning, Severity::Hint].map(count);
    let problems = if found.is_empty() {
        "no problems".to_owned()
    } else {
        let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
        format!("{errors}, {warnings} and {}", counted(hints, "hint"))
    };
    let file = if args.changed.is_some() { "changed file" } else { "file" };
    let mut out = format!("{} checked, {problems}", counted(done.outcome.files.len(), file));
    if !args.paths.is_empty() && done.outcome.below_paths == 0 && found.is_empty() {
        out = nothing_below(&args.paths);
    }
    let fixable = found.iter().filter(|found| fix::is_fixable(found, false)).count();
    if fixable > 0 && !args.fix && !args.diff {
        let _ = write!(out, "; {fixable} fixable with `--fix`");
    }
    if done.left > 0 {
        let _ = write!(out, "; {} could not be fixed", counted(done.left, "file"));
    }
    if done.fixed > 0 {
        let would = if args.diff { "would be fixed" } else { "fixed" };
        let _ = write!(out, "; {} {would}", done.fixed);
    }
    for (count, what) in
        [(done.outcome.allowed, "allowed"), (done.outcome.known, "in the baseline")]
    {
        if count > 0 {
            let _ = write!(out, "; {count} {what}");
        }
    }
    for what in unchecked(&done.outcome) {
        let _ = write!(out, "; {what}");
    }
    out
}

/// No error, because commit hooks pass all changed files.
fn nothing_below(paths: &[Utf8PathBuf]) -> String {
    let place = match paths {
        [one] => format!("`{}`", Visible(one.as_str())),
        _ => "these paths".to_owned(),
    };
    let has_tests = paths.iter().any(|path| path.components().any(|it| it.as_str() == "tests"));
    let help = if has_tests { "; `faber test` checks tests" } else { "" };
    format!("nothing to validate in {place}{help}")
}

fn unchecked(outcome: &LintOutcome) -> Vec<String> {
    let mut unchecked = Vec::new();
    if outcome.left_out > 0 {
        let views = counted(outcome.left_out, "combination");
        unchecked.push(format!("{views} of roles and overlays not checked: too many combinations"));
    }
    if outcome.lacks_history {
        let what = "the clone is shallow, so paths that earlier commits removed are not known";
        unchecked.push(what.to_owned());
    }
    if let Some(why) = &outcome.git_failure {
        unchecked.push(format!("references to the git repository not checked: {why}"));
    }
    unchecked
}

fn fails(found: &Diagnostic, sources: &SourceMap, args: &Validate) -> bool {
    match found.severity() {
        Severity::Error => true,
        Severity::Warning => {
            // Users of a pack cannot fix its files.
            let path = sources.original_path(found.primary.span.file);
            let is_of_pack = path.starts_with(packs::FOLDER);
            args.deny.contains(if is_of_pack { &Deny::Packs } else { &Deny::Warnings })
        }
        Severity::Hint => false,
    }
}

fn status(done: &Validated, args: &Validate) -> ExitStatus {
    let sources = &done.workspace.sources;
    let fails = done.outcome.found.iter().any(|found| fails(found, sources, args));
    if fails || done.left > 0 || (args.diff && !done.changes.is_empty()) {
        ExitStatus::Findings
    } else {
        ExitStatus::Done
    }
}
