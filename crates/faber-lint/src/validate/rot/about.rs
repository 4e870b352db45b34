//! Whether a text is about its repository.

use std::collections::BTreeMap;

use faber_core::source::FileId;

const MIN_ABSENT_IN_FILE: usize = 4;
const MIN_ABSENT: usize = 20;

const MIN_FILES: usize = 20;

#[derive(Debug, Default)]
pub(super) struct SubjectCounts {
    count: usize,
    files: BTreeMap<FileId, FileCount>,
    all: FileCount,
}

#[derive(Clone, Copy, Debug, Default)]
struct FileCount {
    present: usize,
    absent: usize,
}

impl SubjectCounts {
    pub(super) fn of(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    pub(super) fn present(&mut self, file: FileId) {
        self.files.entry(file).or_default().present += 1;
        self.all.present += 1;
    }

    pub(super) fn absent(&mut self, file: FileId) {
        self.files.entry(file).or_default().absent += 1;
        self.all.absent += 1;
    }

    pub(super) fn has_present(&self, file: FileId) -> bool {
        self.files.get(&file).is_some_and(|counts| counts.present > 0)
    }

    pub(super) fn is_own(&self, file: FileId, is_certain: bool) -> bool {
        let own = self.files.get(&file).copied().unwrap_or_default();
        if self.count >= MIN_FILES && own.present < own.absent && !is_certain {
            return false;
        }
        if self.all.absent >= MIN_ABSENT && self.all.absent > self.all.present {
            return own.present > own.absent;
        }
        own.absent < MIN_ABSENT_IN_FILE || own.absent <= own.present
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::source::SourceMap;

    #[test]
    fn a_text_is_about_another_project_when_most_of_it_is_absent() {
        let mut sources = SourceMap::default();
        let [one, other] = ["a.md", "b.md"].map(|path| sources.add(path.into(), String::new()));
        let mut subjects = SubjectCounts::of(2);
        (0..3).for_each(|_| subjects.absent(one));
        assert!(subjects.is_own(one, false) && subjects.is_own(other, false));
        subjects.absent(one);
        assert!(!subjects.is_own(one, true) && subjects.is_own(other, false));
        (0..4).for_each(|_| subjects.present(one));
        assert!(subjects.is_own(one, false));
        (0..20).for_each(|_| subjects.absent(other));
        assert!(!subjects.is_own(one, false) && !subjects.is_own(other, false));
        subjects.present(one);
        assert!(subjects.is_own(one, false));
    }

    #[test]
    fn a_text_of_a_collection_must_name_something_that_is_there() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), String::new());
        let mut subjects = SubjectCounts::of(20);
        subjects.absent(file);
        assert!(!subjects.is_own(file, false) && subjects.is_own(file, true));
        subjects.present(file);
        assert!(subjects.is_own(file, false));
    }
}
