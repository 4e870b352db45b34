use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::claim::{CargoTarget, Mention};
use super::manifest::{self, Absent, Judgement, TargetCheck};
use faber_core::rules::missing_cargo_target::RULE;
use faber_core::suggest;
use faber_core::world::Kind;
use faber_session::discover::repository::Repository;

#[derive(Default)]
pub(super) struct KnownTargets {
    folders: Vec<Utf8PathBuf>,
    packages: BTreeSet<String>,
    locked: BTreeSet<String>,
    targets: BTreeSet<(String, String)>,
}

impl TargetCheck<'_, KnownTargets> {
    pub(super) fn look(&mut self, mention: &Mention, target: &CargoTarget) -> Judgement {
        let Some(known) = self.known.get_or_init(|| known(self.repository)) else {
            return Judgement::Unknown;
        };
        let CargoTarget { kind, name } = target;
        if self.left == 0 {
            return Judgement::Unknown;
        }
        self.left -= 1;
        let is_there = match *kind {
            "package" => known.packages.contains(name) || known.locked.contains(name),
            _ => has_target(self.repository, known, kind, name),
        };
        if is_there {
            return Judgement::Present;
        }
        let may_guess = self.guesses.take();
        let (message, close) = if *kind == "package" {
            let packages = known.packages.iter().map(String::as_str);
            let close = may_guess.then(|| suggest::closest(name, packages)).flatten();
            (format!("the repository has no package `{name}`"), close)
        } else {
            let of_kind = known.targets.iter().filter(|(of, _)| of == kind);
            let of_kind = of_kind.map(|(_, name)| name.as_str());
            let close = may_guess.then(|| suggest::closest(name, of_kind)).flatten();
            (format!("no package of the repository has a target `--{kind} {name}`"), close)
        };
        Judgement::Absent(Absent {
            rule: &RULE,
            span: mention.span,
            name: name.clone(),
            message,
            help: suggest::help(close, "use one that `cargo metadata` lists".to_owned()),
            files: &["Cargo.toml"],
            defines: |line| {
                let value = line.trim().strip_prefix("name")?.trim_start().strip_prefix('=')?;
                value.trim().strip_prefix('"')?.split('"').next()
            },
        })
    }
}

fn has_target(repository: &Repository, known: &KnownTargets, kind: &str, name: &str) -> bool {
    if known.targets.contains(&(kind.to_owned(), name.to_owned())) {
        return true;
    }
    let is_main = kind == "bin" && known.packages.contains(name);
    let folder = match kind {
        "bin" => "src/bin",
        "example" => "examples",
        "test" => "tests",
        _ => "benches",
    };
    let is_file = |path: Utf8PathBuf| repository.kind(&path) == Kind::File;
    is_main
        || known.folders.iter().any(|home| {
            let folder = home.join(folder);
            is_file(folder.join(format!("{name}.rs"))) || is_file(folder.join(name).join("main.rs"))
        })
}

fn known(repository: &Repository) -> Option<KnownTargets> {
    let manifests = manifest::read(repository, &["Cargo.toml"])?;
    let mut known = KnownTargets::default();
    if manifests.is_empty() {
        return None;
    }
    for (folder, text) in manifests {
        for (section, name) in names(&text) {
            match section {
                "package" => {
                    known.packages.insert(name.to_owned());
                }
                "bin" | "example" | "test" | "bench" => {
                    known.targets.insert((section.to_owned(), name.to_owned()));
                }
                _ => {}
            }
        }
        known.folders.push(folder);
    }
    let locks = repository.tracked().named("Cargo.lock").map(Utf8Path::new);
    let roots = [repository.workspace().join("Cargo.lock"), "Cargo.lock".into()];
    let locks: BTreeSet<&Utf8Path> = locks.chain(roots.iter().map(Utf8PathBuf::as_path)).collect();
    for text in locks.into_iter().take(20).filter_map(|path| repository.read(path)) {
        let locked = names(&text).filter(|(section, _)| *section == "package");
        known.locked.extend(locked.map(|(_, name)| name.to_owned()));
    }
    Some(known)
}

fn names(text: &str) -> impl Iterator<Item = (&str, &str)> {
    manifest::toml_values(text)
        .filter_map(|(section, key, value)| (key == "name").then_some((section, value)))
}
