//! Markdown files that came with a context.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::resolve::catalog::Context;
use faber_core::source::{FileId, SourceMap};
use faber_core::workspace::walk;
use faber_core::world::{Kind, World};

const SKILL: &str = "SKILL.md";

const MAX_DEPTH: usize = 8;

pub(super) struct ResourceFile {
    pub(super) path: Utf8PathBuf,
    pub(super) below: String,
}

/// A skill at the root of a repository does not own all of it.
pub fn folder(sources: &SourceMap, context: FileId) -> Option<Utf8PathBuf> {
    let folder = match sources.original_path(context) {
        skill if skill.file_name() == Some(SKILL) => skill.parent().unwrap_or(skill).to_owned(),
        _ => walk::resources(sources.path(context)),
    };
    Some(folder).filter(|folder| !folder.as_str().is_empty())
}

pub(super) fn of_context(
    world: &impl World,
    context: &Context,
    sources: &SourceMap,
) -> Vec<ResourceFile> {
    let folders = context.sources.iter().filter_map(|source| folder(sources, source.file));
    let folders: BTreeSet<Utf8PathBuf> = folders.collect();
    let mut found = Vec::new();
    for folder in folders {
        add(world, &folder, "", &mut found);
    }
    found
}

fn add(world: &impl World, folder: &Utf8Path, below: &str, found: &mut Vec<ResourceFile>) {
    for entry in world.list(&folder.join(below)).unwrap_or_default() {
        let slash = if below.is_empty() { "" } else { "/" };
        let below = [below, slash, &entry.name].concat();
        let path = folder.join(&below);
        if entry.name.starts_with('.') || entry.trouble.is_some() {
            continue;
        }
        let is_markdown = entry.name.strip_suffix(".md").is_some() && entry.name != SKILL;
        match entry.kind {
            Kind::File if is_markdown && world.refusal(&path).is_none() => {
                found.push(ResourceFile { path, below });
            }
            Kind::Folder
                if below.split('/').count() < MAX_DEPTH
                    && !world.skips(&path)
                    && !world.is_file(&path.join(SKILL)) =>
            {
                add(world, folder, &below, found);
            }
            _ => {}
        }
    }
}
