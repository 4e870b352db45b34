//! The packs of a workspace, including nested ones.

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

/// By name, with the packs that lead to each.
#[derive(Default)]
pub(super) struct PackChains {
    known: BTreeMap<String, (DeclaredPack, Vec<String>)>,
}

impl PackChains {
    /// Skips packs whose names are known.
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

    /// The declaration in the workspace that leads to a pack.
    pub(super) fn origin<'p>(&'p self, pack: &'p DeclaredPack) -> &'p DeclaredPack {
        let chain = self.known.get(&pack.name.value).map(|(_, chain)| chain.as_slice());
        let first = chain.and_then(<[String]>::first).and_then(|first| self.known.get(first));
        first.map_or(pack, |(first, _)| first)
    }

    /// `None` if the name is known. The workspace takes precedence.
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
        let Some(nested) = within(parent, nested) else {
            if is_folder {
                let message = format!(
                    "the pack `{name}` is outside the repository of the pack `{parent_name}`"
                );
                return Err(PackProblem::new(message, "name a folder of the same repository"));
            }
            let message =
                format!("the pack `{parent_name}` names a path of this machine: `{name}`");
            let help = format!("declare `{name}` in your own `packs`, if you want it");
            return Err(PackProblem::new(message, help));
        };
        let above = self.known.get(parent_name).map(|(_, chain)| chain.as_slice());
        let chain = [above.unwrap_or_default(), std::slice::from_ref(parent_name)].concat();
        if let Some((known, other)) = self.known.get(&name) {
            if known.source == nested.source {
                return Ok(None);
            }
            let chains = [(other, known), (&chain, &nested)].map(|(chain, pack)| {
                format!("{} → {name} ({})", chain.join(" → "), describe(&pack.source))
            });
            let message =
                format!("conflicting declarations of the pack `{name}`: {}", chains.join(", and "));
            let help = format!("declare `{name}` in your own `packs` to choose one");
            return Err(PackProblem::new(message, help));
        }
        if self.known.len() >= MAX_PACKS {
            return Err(PackProblem::new(
                format!("more than {MAX_PACKS} packs"),
                "use fewer packs",
            ));
        }
        self.known.insert(name, (nested.clone(), chain));
        Ok(Some(nested))
    }
}

fn describe(source: &PackSource) -> String {
    match source {
        PackSource::Git { url, reference: Some(reference), .. } => format!("{url} {reference}"),
        source => source.address().to_owned(),
    }
}

/// Resolves a nested folder. `None` if it leaves the repository.
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
