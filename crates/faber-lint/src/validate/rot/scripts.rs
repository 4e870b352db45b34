use std::collections::BTreeSet;

use serde_json::Value;

use super::claim::{Mention, Script};
use super::manifest::{self, Absent, Judgement, TargetCheck};
use faber_core::rules::missing_package_script::RULE;
use faber_core::suggest;
use faber_session::discover::repository::Repository;

#[derive(Default)]
pub(super) struct KnownScripts {
    scripts: BTreeSet<String>,
    packages: BTreeSet<String>,
}

impl TargetCheck<'_, KnownScripts> {
    pub(super) fn look(&mut self, mention: &Mention, script: &Script) -> Judgement {
        let Some(known) = self.known.get_or_init(|| known(self.repository)) else {
            return Judgement::Unknown;
        };
        let Script { name, manager, runs_programs } = script;
        if known.scripts.contains(name) {
            return Judgement::Present;
        }
        let scripts = known.scripts.iter().map(String::as_str);
        let close = self.guesses.take().then(|| suggest::closest(name, scripts)).flatten();
        let may_be_program = *runs_programs
            && (known.packages.contains(name) || !name.contains(':') && close.is_none());
        if may_be_program {
            return Judgement::Unknown;
        }
        Judgement::Absent(Absent {
            rule: &RULE,
            span: mention.span,
            name: name.clone(),
            message: format!("no `package.json` of the repository has a script `{name}`"),
            help: suggest::help(close, format!("`{manager} run` lists the scripts")),
            files: &["package.json"],
            defines: |line| Some(line.trim().strip_prefix('"')?.split_once("\":")?.0),
        })
    }
}

fn known(repository: &Repository) -> Option<KnownScripts> {
    let manifests = manifest::read(repository, &["package.json"])?;
    let mut known = KnownScripts::default();
    if manifests.is_empty() {
        return None;
    }
    for (folder, text) in manifests {
        let Ok(manifest) = serde_json::from_str::<Value>(&text) else {
            // Only the root manifest is essential.
            if folder.as_str().is_empty() {
                return None;
            }
            continue;
        };
        let keys =
            |name: &str| manifest[name].as_object().into_iter().flat_map(|map| map.keys().cloned());
        known.scripts.extend(keys("scripts"));
        known.packages.extend(keys("dependencies").chain(keys("devDependencies")));
    }
    if repository.tracked().named("server.js").next().is_some() {
        known.scripts.insert("start".to_owned());
    }
    Some(known)
}
