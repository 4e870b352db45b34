use std::collections::BTreeMap;

use faber_core::error::Error;
use faber_core::packs::{DeclaredPack, MAX_PACKS, PackSource};
use faber_core::paths::normalize;

#[derive(Clone, Debug)]
pub struct PackProblem {
    pub message: String,
    pub help: String,
}

impl PackProblem {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

impl From<PackProblem> for Error {
    fn from(problem: PackProblem) -> Self {
        Self::usage(problem.message, problem.help)
    }
}

#[derive(Default)]
pub(super) struct PackChains {
    known: BTreeMap<String, (DeclaredPack, Vec<String>)>,
}

impl PackChains {
    pub(super) fn declare<'p>(
        &mut self,
        declared: impl IntoIterator<Item = &'p DeclaredPack>,
    ) -> Vec<&'p DeclaredPack> {
        let mut packs: Vec<&DeclaredPack> = declared.into_iter().collect();
        packs.retain(|pack| !self.known.contains_key(&pack.name.value));
        let entry = |pack: &&DeclaredPack| (pack.name.value.clone(), ((*pack).clone(), Vec::new()));
        self.known.extend(packs.iter().map(entry));
        packs
    }

    pub(super) fn origin<'p>(&'p self, pack: &'p DeclaredPack) -> &'p DeclaredPack {
        let chain = self.known.get(&pack.name.value).map(|(_, chain)| chain.as_slice());
        let first = chain.and_then(<[String]>::first).and_then(|first| self.known.get(first));
        first.map_or(pack, |(first, _)| first)
    }

    pub(super) fn enter(
        &mut self,
        parent: &DeclaredPack,
        nested: DeclaredPack,
    ) -> Result<Option<DeclaredPack>, PackProblem> {
        let (name, parent_name) = (nested.name.value.clone(), &parent.name.value);
        if self.known.get(&name).is_some_and(|(_, chain)| chain.is_empty()) {
            return Ok(None);
        }
        let is_folder = matches!(nested.source, PackSource::Folder(_));
        let address = nested.source.address().to_owned();
        let Some(nested) = within(parent, nested) else {
            if is_folder {
                let message = format!(
                    "the pack `{name}` is outside the repository of the pack `{parent_name}`"
                );
                return Err(PackProblem::new(message, "name a directory of the same repository"));
            }
            let message = format!(
                "the pack `{parent_name}` depends on `{name}` at `{address}`, which is on this machine"
            );
            let help = format!("declare `{name}` in your own `packs`, if you want it");
            return Err(PackProblem::new(message, help));
        };
        let above = self.known.get(parent_name).map(|(_, chain)| chain.as_slice());
        let chain = [above.unwrap_or_default(), std::slice::from_ref(parent_name)].concat();
        if self.known.get(&name).is_some_and(|(known, _)| known.source == nested.source) {
            return Ok(None);
        }
        let is_other = |(known, _): &&(DeclaredPack, Vec<String>)| {
            known.name.value == name || is_other_version(known, &nested)
        };
        if let Some((known, other)) = self.known.values().find(is_other) {
            let chains = [(other, known), (&chain, &nested)].map(|(chain, pack)| {
                let names = [&chain[..], std::slice::from_ref(&pack.name.value)].concat();
                format!("{} ({})", names.join(" → "), describe(&pack.source))
            });
            let message =
                format!("conflicting declarations of the pack `{name}`: {}", chains.join(", and "));
            let known = &known.name.value;
            let help = if *known == name {
                format!("declare `{name}` in your own `packs` to choose one")
            } else {
                format!(
                    "declare `{name}` in your own `packs` with the ref of `{known}`, or `{known}` with that of \
                     `{name}`"
                )
            };
            return Err(PackProblem::new(message, help));
        }
        if self.known.len() >= MAX_PACKS {
            let message = format!("more than {MAX_PACKS} packs");
            return Err(PackProblem::new(message, "use fewer packs"));
        }
        self.known.insert(name, (nested.clone(), chain));
        Ok(Some(nested))
    }
}

fn is_other_version(one: &DeclaredPack, other: &DeclaredPack) -> bool {
    let reference = |pack: &DeclaredPack| match &pack.source {
        PackSource::Git { reference, .. } => reference.clone(),
        PackSource::Skills(_) | PackSource::Folder(_) => None,
    };
    one.is_users == other.is_users
        && one.source.is_at(&other.source)
        && reference(one) != reference(other)
}

fn describe(source: &PackSource) -> String {
    match source {
        PackSource::Git { url, reference: Some(reference), .. } => format!("{url} {reference}"),
        source => source.address().to_owned(),
    }
}

/// `None` if a folder leaves the repository.
fn within(parent: &DeclaredPack, nested: DeclaredPack) -> Option<DeclaredPack> {
    let PackSource::Folder(path) = &nested.source else {
        // Only the workspace may declare local paths.
        return (!nested.source.is_local())
            .then_some(DeclaredPack { is_users: parent.is_users, ..nested });
    };
    let source = match &parent.source {
        PackSource::Git { url, reference, path: folder } => PackSource::Git {
            url: url.clone(),
            reference: reference.clone(),
            path: normalize(folder, path.as_str())?,
        },
        PackSource::Folder(folder) if path.is_relative() => PackSource::Folder(folder.join(path)),
        PackSource::Skills(_) | PackSource::Folder(_) => return None,
    };
    let signed_by = parent.signed_by.clone();
    Some(DeclaredPack { source, is_users: parent.is_users, signed_by, ..nested })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packs::declare::declarations;

    fn pack(name: &str, url: &str, reference: &str) -> DeclaredPack {
        let text = format!("packs: {{ {name}: {{ git: \"{url}\", ref: \"{reference}\" }} }}\n");
        declarations(&text, false).packs.remove(0)
    }

    #[test]
    fn a_repository_has_one_version_by_all_names() {
        let (a, c) =
            (pack("a", "https://x.example/a", "v1"), pack("c", "https://x.example/c", "v1"));
        let base = pack("base", "https://x.example/base.git", "^1");
        for (name, reference, conflicts) in
            [("other", "^2", true), ("base", "^2", true), ("other", "^1", false)]
        {
            let mut chains = PackChains::default();
            chains.declare([&a, &c]);
            assert!(chains.enter(&a, base.clone()).unwrap().is_some());
            let other = pack(name, "https://x.example/base", reference);
            let entered = chains.enter(&c, other);
            assert_eq!(entered.is_err(), conflicts, "{name} {reference}");
            if let Err(why) = entered {
                let chains = format!(
                    "`{name}`: a → base (https://x.example/base.git ^1), and c → {name} (https://x.example/base ^2)"
                );
                assert!(why.message.ends_with(&chains), "{}", why.message);
                let both = format!("`{name}` in your own `packs` with the ref of `base`");
                assert_eq!(why.help.contains(&both), name != "base", "{}", why.help);
            }
        }
        let mut chains = PackChains::default();
        chains.declare([&a, &c, &pack("base", "https://x.example/base", "^2")]);
        assert!(chains.enter(&a, base).unwrap().is_none());
        let other = pack("other", "https://x.example/base", "^2");
        assert!(chains.enter(&c, other.clone()).unwrap().is_some());
        let mut chains = PackChains::default();
        chains.declare([&a, &c, &pack("other", "https://x.example/base", "^1")]);
        assert!(chains.enter(&a, pack("base", "https://x.example/base", "^1")).unwrap().is_some());
        assert!(chains.enter(&c, other).unwrap().is_none());
    }
}
