//! Visible skills over MCP (SEP-2640), as published.

use std::collections::BTreeSet;

use rmcp::model::{
    self, DIRECTORY_MIME_TYPE, ListResourcesResult, ListSkillsResult, Resource, SkillFrontmatter,
    SkillResource, SkillResources,
};

use crate::serve::address::{decoded, encoded};
use crate::serve::state::ServerState;
use faber_core::error::Error;
use faber_tools::listed_folder::HashedFile;
use faber_tools::publish::skill::{SKILL_FILE, Skill};

pub(crate) const PREFIX: &str = "skill://";
const PAGE: usize = 100;

#[derive(Clone, Debug)]
pub(crate) struct FileContent {
    pub file: HashedFile,
    pub mime_type: &'static str,
}

pub(crate) fn list(state: &ServerState, start: usize) -> Result<ListSkillsResult, Error> {
    let (page, next_cursor) = page(&state.skills()?, start, entry);
    Ok(ListSkillsResult { next_cursor, ..ListSkillsResult::with_all_items(page) })
}

pub(crate) fn get(state: &ServerState, uri: &str) -> Result<model::Skill, Error> {
    let all = state.skills()?;
    let found = all.iter().find(|skill| address(skill, SKILL_FILE) == uri);
    found.map(entry).ok_or_else(|| unknown("skill", uri))
}

pub(crate) fn read(state: &ServerState, uri: &str) -> Result<FileContent, Error> {
    let all = state.skills()?;
    let found = of_address(&all, uri).and_then(|(skill, path)| {
        let (path, file) = skill.files.get_key_value(&path)?;
        (address(skill, path) == uri).then_some((path, file))
    });
    let (path, file) = found.ok_or_else(|| unknown("resource", uri))?;
    Ok(FileContent { file: file.clone(), mime_type: mime_type(path, file) })
}

pub(crate) fn directory(
    state: &ServerState,
    uri: &str,
    start: usize,
) -> Result<ListResourcesResult, Error> {
    let all = state.skills()?;
    let found = of_address(&all, uri).filter(|(skill, path)| {
        let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
        folder_address(skill, path) == uri
            && skill.files.keys().any(|file| file.starts_with(&folder))
    });
    let (skill, path) = found.ok_or_else(|| unknown("folder", uri))?;
    let below: BTreeSet<&str> = skill.files.keys().filter_map(|file| child(file, &path)).collect();
    let below: Vec<&str> = below.into_iter().collect();
    let (page, next_cursor) = page(&below, start, |file| {
        let name = file.rsplit('/').next().unwrap_or(file);
        match skill.files.get(*file) {
            Some(content) => Resource::new(address(skill, file), name)
                .with_mime_type(mime_type(file, content))
                .with_size(content.bytes.len() as u64),
            None => {
                Resource::new(folder_address(skill, file), name).with_mime_type(DIRECTORY_MIME_TYPE)
            }
        }
    });
    Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(page) })
}

fn child<'p>(file: &'p str, folder: &str) -> Option<&'p str> {
    let rest = match folder {
        "" => file,
        _ => file.strip_prefix(folder)?.strip_prefix('/')?,
    };
    let end = rest.find('/').unwrap_or(rest.len());
    Some(&file[..file.len() - rest.len() + end])
}

fn page<T, O>(all: &[T], start: usize, entry: impl Fn(&T) -> O) -> (Vec<O>, Option<String>) {
    let shown: Vec<O> = all.iter().skip(start).take(PAGE).map(entry).collect();
    let next = start.saturating_add(shown.len());
    (shown, (next < all.len()).then(|| next.to_string()))
}

fn entry(skill: &Skill) -> model::Skill {
    let mut front = SkillFrontmatter::new(&skill.name, &skill.description);
    front.extra.clone_from(&skill.front);
    front.extra.retain(|key, _| key != "name" && key != "description");
    let files = skill.files.iter().map(|(path, file)| {
        SkillResource::new(address(skill, path), file.digest(), file.bytes.len() as u64)
    });
    model::Skill::new(address(skill, SKILL_FILE), front, SkillResources::Files(files.collect()))
}

fn of_address<'s>(all: &'s [Skill], uri: &str) -> Option<(&'s Skill, String)> {
    let rest = uri.strip_prefix(PREFIX)?;
    let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
    let skill = all.iter().find(|skill| skill.name == name)?;
    Some((skill, decoded(path)?))
}

fn address(skill: &Skill, path: &str) -> String {
    format!("{PREFIX}{}/{}", skill.name, encoded(path))
}

fn folder_address(skill: &Skill, path: &str) -> String {
    let end = if path.is_empty() { "" } else { "/" };
    format!("{PREFIX}{}{end}{}", skill.name, encoded(path))
}

fn unknown(what: &'static str, uri: &str) -> Error {
    let help = "list the skills with `skills/list`".to_owned();
    Error::Unknown { what, name: uri.to_owned(), help }
}

fn mime_type(path: &str, file: &HashedFile) -> &'static str {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match (extension.as_deref(), file.text()) {
        (_, None) => "application/octet-stream",
        (Some("md" | "markdown"), _) => "text/markdown",
        (Some("json"), _) => "application/json",
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_files_and_folders_of_one_level() {
        for (file, folder, expected) in [
            ("SKILL.md", "", Some("SKILL.md")),
            ("scripts/a/b.sh", "", Some("scripts")),
            ("scripts/a/b.sh", "scripts", Some("scripts/a")),
            ("scripts/a/b.sh", "scripts/a", Some("scripts/a/b.sh")),
            ("scripts2/b.sh", "scripts", None),
        ] {
            assert_eq!(child(file, folder), expected, "{file} in {folder}");
        }
    }
}
