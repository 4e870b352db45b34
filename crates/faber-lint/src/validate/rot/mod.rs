//! Finds claims that contradict the repository. Start at [`check`].

mod about;
mod anchors;
mod cargo;
mod claim;
mod make;
mod manifest;
mod mentions;
pub(crate) mod paths;
mod release_notes;
mod scripts;
mod shell;
mod tone;
mod versions;

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use crate::validate::check::LintContext;
use about::SubjectCounts;
use claim::{Claim, Mention};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::packs::FOLDER;
use faber_core::paths::normalize;
use faber_core::rules::{dangling_reference, missing_path, reference_case};
use faber_core::source::{FileId, Span};
use faber_core::workspace::survey::{FileEntry, FileKind};
use faber_session::discover::repository::Repository;
use manifest::{Absent, Judgement, TargetCheck};
pub(crate) use paths::names_file;
use tone::Tone;

/// Packs are from other repositories.
pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let Some(repository) = whole.repository else { return };
    let read = |entry: &FileEntry| {
        let text = &whole.sources.get(entry.file).text;
        let path = path_of(whole, entry.file);
        whole.known(entry.file, "mentions", || Arc::new(mentions::read(entry.file, path, text)))
    };
    let entries: Vec<&FileEntry> =
        whole.survey.files.iter().filter(|entry| is_own(whole, entry)).collect();
    let each: Vec<Arc<Vec<Mention>>> = entries.par_iter().map(|entry| read(entry)).collect();
    let mut paths = paths::PathCheck::new(whole, repository);
    let mut make = TargetCheck::<make::Makefiles>::new(repository);
    let mut scripts = TargetCheck::<scripts::KnownScripts>::new(repository);
    let mut cargo = TargetCheck::<cargo::KnownTargets>::new(repository);
    let mut versions = versions::VersionCheck::new(repository);
    let mut subjects = SubjectCounts::of(entries.len());
    let mut absent: Vec<Absent> = Vec::new();
    let mut mismatches = Vec::new();
    for mention in each.iter().flat_map(|mentions| mentions.iter()) {
        if mention.folder.as_ref().is_some_and(|folder| !paths.has_folder(folder)) {
            continue;
        }
        let judged = match &mention.claim {
            Claim::Path(path) => paths.look(mention, path),
            Claim::Version(version) => {
                let homes = homes(whole, repository, mention.span.file);
                mismatches.extend(versions.look(mention, version, &homes));
                Judgement::Unknown
            }
            _ if mention.tone >= Tone::Doubtful => Judgement::Unknown,
            Claim::Make(target) => make.look(mention, target),
            Claim::Script(script) => scripts.look(mention, script),
            Claim::Cargo(target) => cargo.look(mention, target),
        };
        match judged {
            Judgement::Present if mention.is_common() => {}
            Judgement::Present => subjects.present(mention.span.file),
            Judgement::Absent(one) => absent.push(one),
            Judgement::Unknown => {}
        }
    }
    mismatches.extend(paths.finish(&mut subjects));
    mismatches.extend(manifest::findings(repository, absent, &mut subjects));
    found.extend(mismatches.into_iter().filter(|it| {
        // Certain: removed things, and headings of existing files.
        subjects.is_own(it.primary.span.file, it.severity() == Severity::Warning)
    }));
}

pub(crate) fn claim(found: &mut Vec<Diagnostic>) {
    let of_references = [&dangling_reference::RULE, &reference_case::RULE];
    let known = found.iter().filter(|it| of_references.contains(&it.rule()));
    let known: BTreeSet<(FileId, u32)> =
        known.map(|it| (it.primary.span.file, it.primary.span.end)).collect();
    found.retain(|it| {
        let Span { file, start, end } = it.primary.span;
        let mut inside = known.range((file, start)..=(file, end));
        it.rule() != &missing_path::RULE || inside.next().is_none()
    });
}

fn is_own(whole: &LintContext<'_>, entry: &FileEntry) -> bool {
    use FileKind::{Context, Flow, Partial, Prompt, Readme, Task};
    [Context, Flow, Partial, Prompt, Readme, Task].contains(&entry.kind)
        && !path_of(whole, entry.file).starts_with(FOLDER)
}

fn homes(whole: &LintContext<'_>, repository: &Repository, file: FileId) -> Vec<Utf8PathBuf> {
    let entry = whole.survey.files.iter().find(|entry| entry.file == file);
    let front = entry.and_then(|entry| whole.survey.front(entry));
    let globs = front.map(|front| &*front.fields.globs).unwrap_or_default();
    let folders = globs.iter().map(|glob| {
        let plain = glob.value.split(['*', '?', '[', '{']).next().unwrap_or_default();
        &plain[..plain.rfind('/').unwrap_or(0)]
    });
    let own = path_of(whole, file).parent().map_or("", Utf8Path::as_str);
    let folders =
        folders.chain([own]).filter_map(|folder| normalize(repository.workspace(), folder));
    let above = folders.flat_map(|it| it.ancestors().map(Utf8Path::to_owned).collect::<Vec<_>>());
    above.collect()
}

fn path_of<'a>(whole: &LintContext<'a>, file: FileId) -> &'a Utf8Path {
    whole.sources.path(whole.sources.original(Span::start_of(file)).file)
}
