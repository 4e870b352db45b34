//! Trusted workspaces, by path and hash of declarations.

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::atomic::Writer;
use crate::discover::files::Files;
use crate::discover::{failed, remove_file};
use crate::hex::sha256;
use faber_core::error::Error;
use faber_core::packs::Trust;

const FOLDER: &str = "trust";

#[derive(Clone, Debug)]
pub struct TrustStore {
    folder: Utf8PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrustedWorkspace {
    pub root: Utf8PathBuf,
    pub declared: String,
}

impl TrustStore {
    pub fn new(state: &Utf8Path) -> Self {
        Self { folder: state.join(FOLDER) }
    }

    pub fn hash(declarations: &str) -> String {
        sha256(declarations.as_bytes())
    }

    fn path(&self, root: &Utf8Path) -> Utf8PathBuf {
        self.folder.join(&sha256(root.as_str().as_bytes())[..32])
    }

    pub fn trust_in(&self, files: &Files, declared: &str) -> Trust {
        let text = files.read_elsewhere(&self.path(files.root()));
        let known = text.ok().and_then(|text| parse(&text));
        match known.filter(|known| known.root == files.root()) {
            Some(known) if known.declared == declared => Trust::Given,
            Some(_) => Trust::Outdated,
            None => Trust::Missing,
        }
    }

    /// # Errors
    ///
    /// If writing fails.
    pub fn trust(&self, root: &Utf8Path, declared: &str) -> Result<(), Error> {
        let (path, text) = self.entry(root, declared);
        std::fs::create_dir_all(&self.folder).map_err(failed("create", &self.folder))?;
        Writer::new(&self.folder).replace(&path, &text)
    }

    pub(crate) fn entry(&self, root: &Utf8Path, declared: &str) -> (Utf8PathBuf, String) {
        (self.path(root), format!("{root}\n{declared}\n"))
    }

    /// # Errors
    ///
    /// If removing fails.
    pub fn revoke(&self, root: &Utf8Path) -> Result<bool, Error> {
        remove_file(&self.path(root))
    }

    pub fn all(&self) -> Vec<TrustedWorkspace> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let texts = entries.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
        let mut all: Vec<TrustedWorkspace> = texts.filter_map(|text| parse(&text)).collect();
        all.sort();
        all
    }
}

fn parse(text: &str) -> Option<TrustedWorkspace> {
    let (root, declared) = text.strip_suffix('\n')?.split_once('\n')?;
    Some(TrustedWorkspace { root: root.into(), declared: declared.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_of_a_path_and_what_is_declared_there() {
        let (_folder, root) = crate::testing::folder();
        let store = TrustStore::new(&root.join("state"));
        let (files, other) = (Files::new(&root), Files::new(&root.join("x")));
        assert_eq!((store.trust_in(&files, "a"), store.all().len()), (Trust::Missing, 0));
        store.trust(&root, "a").unwrap();
        assert_eq!(store.trust_in(&files, "a"), Trust::Given);
        assert_eq!(store.trust_in(&files, "b"), Trust::Outdated);
        assert_eq!((store.trust_in(&other, "a"), store.all().len()), (Trust::Missing, 1));
        assert!(store.revoke(&root).unwrap() && !store.revoke(&root).unwrap());
        assert_eq!(store.trust_in(&files, "a"), Trust::Missing);
    }
}
