//! Files of a publication:
//!
//! ```text
//! plugin.json, mcp.json, skills/NAME/…       Agent Plugin, and plain skills
//! .claude-plugin/marketplace.json            marketplace of the next
//! plugins/NAME/…                             the plugin for Claude Code and Codex
//! .well-known/agent-skills/index.json        Agent Skills Discovery, with skills next to it
//! ```

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::gather::SkillView;
use super::skill::{SKILL_FILE, Skill};
use super::{archive, plugin};
use crate::listed_folder::HashedFile;
use faber_core::diagnostic::Diagnostic;
use faber_core::packs::skills::{FOLDER, SCHEMA};
use faber_session::session::Workspace;

pub type PublishedFiles = BTreeMap<Utf8PathBuf, HashedFile>;

pub fn files(
    workspace: &Workspace,
    name: &str,
    views: &[SkillView],
    skills: &[Skill],
    found: &mut Vec<Diagnostic>,
) -> PublishedFiles {
    let mut all = PublishedFiles::new();
    let config = &workspace.config;
    let servers = plugin::servers(views, found);
    let nested = Utf8Path::new("plugins").join(name);
    let manifest = json_file(&plugin::manifest(name, &config.publish));
    for root in [Utf8Path::new(""), &nested] {
        all.insert(root.join("plugin.json"), manifest.clone());
        all.extend(servers.as_ref().map(|servers| (root.join("mcp.json"), json_file(servers))));
        for skill in skills {
            let folder = root.join("skills").join(&skill.name);
            all.extend(skill.files.iter().map(|(path, file)| (folder.join(path), file.clone())));
        }
    }
    let client = plugin::client_manifest(name, &config.publish, servers.is_some());
    all.insert(nested.join(".claude-plugin/plugin.json"), json_file(&client));
    let marketplace = json_file(&plugin::marketplace(name, config));
    all.insert(".claude-plugin/marketplace.json".into(), marketplace);
    index(skills, &mut all);
    all
}

fn index(skills: &[Skill], all: &mut PublishedFiles) {
    let folder = Utf8Path::new(FOLDER);
    let mut entries: Vec<Value> = Vec::with_capacity(skills.len());
    for skill in skills {
        let (kind, url, file) = match skill.files.get(SKILL_FILE) {
            Some(text) if skill.files.len() == 1 => {
                ("skill-md", format!("{}/{SKILL_FILE}", skill.name), text.clone())
            }
            _ => {
                let archive = HashedFile::new(archive::zip(&skill.files));
                ("archive", format!("{}.zip", skill.name), archive)
            }
        };
        entries.push(json!({
            "name": skill.name,
            "type": kind,
            "description": skill.description,
            "url": url,
            "digest": file.digest(),
        }));
        all.insert(folder.join(url), file);
    }
    let index = json!({ "$schema": SCHEMA, "skills": entries });
    all.insert(folder.join("index.json"), json_file(&index));
}

fn json_file(value: &Value) -> HashedFile {
    HashedFile::new(format!("{value:#}\n").into_bytes())
}
