//! A role.

use camino::Utf8PathBuf;

use crate::config::Config;
use crate::diagnostic::Diagnostic;
use crate::parse::agent::Agent;
use crate::rules::no_platform;
use crate::source::{FileId, SourceMap, Span, Spanned};

#[derive(Clone, Debug)]
pub struct Role {
    pub name: String,
    pub root: Utf8PathBuf,
    pub agent: Option<Agent>,
    pub agent_file: Option<FileId>,
    pub prompt: FileId,
}

#[derive(Clone, Debug)]
pub struct Lineage {
    pub roles: Vec<Role>,
}

impl Lineage {
    pub fn role(&self) -> &Role {
        &self.roles[0]
    }

    pub fn roots(&self) -> Vec<Utf8PathBuf> {
        self.roles.iter().map(|role| role.root.clone()).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    pub name: String,
    pub chosen_by: String,
    pub at: Option<Span>,
}

impl Platform {
    pub fn named(name: String) -> Self {
        Self { name, chosen_by: "the overlay".to_owned(), at: None }
    }
}

pub fn detect_platform(
    role: &Role,
    config: &Config,
    sources: &SourceMap,
    found: &mut Vec<Diagnostic>,
) -> Option<Platform> {
    let agent = role.agent.as_ref();
    let key = agent.and_then(|agent| agent.platform_config_key.as_ref());
    let key = key.map_or(role.name.as_str(), |key| key.value.as_str());
    let chosen = |name: &Spanned<String>, by: &str| {
        let chosen_by = format!("{by} in {}", sources.place(name.span));
        Some(Platform { name: name.value.clone(), chosen_by, at: Some(name.span) })
    };
    if let Some(name) = config.platforms.get(key) {
        return chosen(name, &format!("platforms.{key}"));
    }
    let agent = agent?;
    if let Some(name) = &agent.default_platform {
        return chosen(name, "default_platform");
    }
    match &agent.platforms[..] {
        [] => None,
        [only] => chosen(only, "the only platform"),
        [first, ..] => {
            let message = format!("`{}` declares several platforms, and none is chosen", role.name);
            let help =
                format!("set `platforms.{key}` in .faber/config.yml or `default_platform` here");
            found.push(no_platform::RULE.at(first.span, message).help(help));
            None
        }
    }
}
