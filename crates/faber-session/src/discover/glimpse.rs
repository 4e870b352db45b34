//! What a run has seen, for who looks again in the same process.
//!
//! A [`Sight`](crate::discover::sight::Sight) is kept for later runs, so it is one only when a look at the stamps tells everything.
//! Who stays can do with less: read again what had just changed when it was seen, and do the run
//! again where looking tells too little.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use crate::discover::seen::{Kind, Seen, is_plain};
use crate::discover::stamp::{COARSE_TICK, since_1970};
use faber_core::config::Freshness;

/// What a run has seen, as far as looking again can tell.
#[derive(Clone, Debug)]
pub struct Glimpse(Glimpsed);

/// What a glimpse is made of.
#[derive(Clone, Debug)]
pub(super) struct Glimpsed {
    /// What was seen, by path.
    pub(super) seen: Vec<(Utf8PathBuf, Seen)>,
    /// Folders to which no link led.
    pub(super) plain: Vec<Utf8PathBuf>,
    /// Whether looking again tells everything.
    pub(super) complete: bool,
    /// Whether whatever changes leaves another stamp.
    pub(super) settled: bool,
    /// When the run began, since 1970.
    pub(super) began: Duration,
}

impl Glimpse {
    /// A glimpse of what was seen in any order.
    pub(super) fn new(mut seen: Glimpsed) -> Self {
        seen.seen.sort_unstable_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
        Self(seen)
    }

    /// Whether looking again tells everything; otherwise what is not seen to differ may differ all
    /// the same, such as what git says.
    pub fn is_complete(&self) -> bool {
        self.0.complete
    }

    /// Whether what did not differ at the last look is certain to leave another stamp when it
    /// changes. Until then a look reads some files again, and there should be one within 150 ms.
    pub fn is_settled(&self) -> bool {
        self.0.settled
    }

    /// Looks at everything again. The paths at which something differs, sorted: files and folders.
    pub fn differences(&mut self) -> Vec<Utf8PathBuf> {
        // Before anything is looked at: what changes during the look is seen by the next.
        let now = since_1970();
        let freshness = |seen: &Seen| match seen.stamp() {
            Some(stamp) if !self.0.settled && stamp.settles() + COARSE_TICK >= self.0.began => {
                Freshness::Verify
            }
            _ => Freshness::Auto,
        };
        let again: Vec<Option<Seen>> = self
            .0
            .seen
            .par_iter()
            .with_min_len(128)
            .map(|(path, seen)| seen.now(path, freshness(seen)))
            .collect();
        let is_link = |path: &&Utf8PathBuf| is_plain(path).is_ok_and(|plain| !plain);
        let mut differing: Vec<_> = self.0.plain.iter().filter(is_link).cloned().collect();
        let mut settled = true;
        for ((path, seen), again) in self.0.seen.iter_mut().zip(again) {
            let Some(again) = again else {
                differing.push(path.clone());
                continue;
            };
            settled &=
                again.stamp().is_none_or(|stamp| now.is_some_and(|now| stamp.settles() < now));
            *seen = again;
        }
        self.0.settled = settled;
        differing.sort();
        differing.dedup();
        differing
    }

    /// Looks at some paths again. Those at which something differs, in their order; no other look is
    /// made less by this.
    pub fn differences_at(&self, paths: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let seen = &self.0.seen;
        let differs = |path: &&Utf8PathBuf| {
            let found = seen.binary_search_by(|(at, _)| at.as_str().cmp(path.as_str()));
            found.is_ok_and(|at| seen[at].1.now(path, Freshness::Verify).is_none())
        };
        paths.iter().filter(differs).cloned().collect()
    }

    /// The folders in which something has to happen for anything to differ, sorted: those of files
    /// and those that were listed.
    pub fn folders(&self) -> Vec<Utf8PathBuf> {
        let folder = |(path, seen): &(Utf8PathBuf, Seen)| match seen {
            Seen::Listing { .. } | Seen::Kind(Kind::Folder) => Some(path.clone()),
            _ => path.parent().map(Utf8Path::to_owned),
        };
        let mut folders: Vec<_> = self.0.seen.iter().filter_map(folder).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// Whether the file at `path` was read.
    pub fn has_read(&self, path: &Utf8Path) -> bool {
        let seen = &self.0.seen;
        let found = seen.binary_search_by(|(at, _)| at.as_str().cmp(path.as_str()));
        found.is_ok_and(|at| matches!(seen[at].1, Seen::Content { .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::files::Files;
    use crate::discover::journal::Journal;

    /// A folder with a file, and what a run has seen of both.
    fn seen() -> (tempfile::TempDir, Utf8PathBuf, Glimpse) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        std::fs::create_dir(root.join("tests")).unwrap();
        std::fs::write(root.join("tests/a.yml"), "1").unwrap();
        let glimpse = look(&root);
        (folder, root, glimpse)
    }

    fn look(root: &Utf8Path) -> Glimpse {
        let files = Files::new(root).recorded_in(Journal::recording());
        for name in files.yaml_names(Utf8Path::new("tests")) {
            files.read(&Utf8Path::new("tests").join(name)).unwrap();
        }
        files.is_dir(Utf8Path::new("contexts"));
        files.journal().glimpse().unwrap()
    }

    fn settle(glimpse: &mut Glimpse) {
        std::thread::sleep(Duration::from_millis(150));
        assert_eq!(glimpse.differences(), Vec::<Utf8PathBuf>::new());
        assert!(glimpse.is_settled());
    }

    #[test]
    fn what_had_just_changed_is_read_again() {
        for _ in 0..20 {
            let (_folder, root, mut glimpse) = seen();
            assert!(!glimpse.is_settled() && glimpse.is_complete());
            // Of the same size, and perhaps within the same tick of the clock.
            std::fs::write(root.join("tests/a.yml"), "2").unwrap();
            let changed = root.join("tests/a.yml");
            let some = [root.join("roles"), root.join("tests"), changed.clone()];
            assert_eq!(glimpse.differences_at(&some), [changed.as_path()]);
            assert_eq!(glimpse.differences_at(&some[..2]), Vec::<Utf8PathBuf>::new());
            assert_eq!(glimpse.differences(), [changed]);
        }
    }

    #[test]
    fn what_is_touched_does_not_differ() {
        let (_folder, root, mut glimpse) = seen();
        settle(&mut glimpse);
        std::fs::write(root.join("tests/a.yml"), "1").unwrap();
        assert_eq!(glimpse.differences(), Vec::<Utf8PathBuf>::new());
        assert!(!glimpse.is_settled(), "it may change once more in the same tick");
        std::fs::write(root.join("tests/a.yml"), "2").unwrap();
        assert_eq!(glimpse.differences(), [root.join("tests/a.yml")]);
    }

    #[test]
    fn folders_differ_that_have_other_names_in_them_or_were_not_there() {
        let (_folder, root, mut glimpse) = seen();
        settle(&mut glimpse);
        std::fs::write(root.join("tests/b.yml"), "1").unwrap();
        std::fs::create_dir(root.join("contexts")).unwrap();
        std::fs::create_dir(root.join("roles")).unwrap();
        assert_eq!(glimpse.differences(), [root.join("contexts"), root.join("tests")]);
        assert_eq!(glimpse.folders(), [root.clone(), root.join("tests")]);
        assert!(glimpse.has_read(&root.join("tests/a.yml")));
        assert!(!glimpse.has_read(&root.join("tests")) && !glimpse.has_read(&root.join("b.yml")));
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_looked_at_as_far_as_can_be() {
        let (_folder, root, _) = seen();
        std::os::unix::fs::symlink("../b", root.join("tests/b.yml")).unwrap();
        std::fs::write(root.join("b"), "1").unwrap();
        let mut glimpse = look(&root);
        assert!(!glimpse.is_complete());
        assert_eq!(glimpse.differences(), Vec::<Utf8PathBuf>::new());
        std::fs::write(root.join("b"), "2").unwrap();
        assert_eq!(glimpse.differences(), [root.join("tests/b.yml")]);
    }
}
