//! The rules of prompts that were read before.

use bytes::Bytes;

use super::reader;
use super::types::PromptRules;
use crate::digest_map::DigestMap;
use crate::file_text;
use crate::line::Line;
use crate::source::{FileId, SourceMap};

/// Rules by the digest of the file and of the places of the lines that they were read from.
#[derive(Debug, Default)]
pub struct PromptCache(DigestMap);

impl PromptCache {
    /// A cache with what [`Self::to_bytes`] gave.
    pub fn from_bytes(loaded: Bytes) -> Self {
        Self(DigestMap::from_bytes(loaded))
    }

    /// All rules, to be stored; none when nothing was added.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        self.0.to_bytes()
    }

    /// The rules of the lines of a prompt. Lines of other files are read again each time.
    pub(crate) fn read(&self, file: FileId, sources: &SourceMap, lines: &[Line]) -> PromptRules {
        let is_own = |line: &Line| line.shown.is_none() && line.origin.file == file;
        if !lines.iter().all(is_own) {
            return reader::read(sources, lines);
        }
        let mut key = sources.get(file).text.digest().to_vec();
        for line in lines {
            key.extend(line.origin.start.to_le_bytes());
            key.extend(line.origin.end.to_le_bytes());
        }
        let rules = self.0.get_or_make(file_text::digest(&key), || reader::read(sources, lines));
        rules.moved_to(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::lines_of;

    #[test]
    fn rules_from_the_cache_are_those_that_were_read() {
        let text = "Load `standard/a`.\n\n| Keywords | Context |\n|---|---|\n| salt, \"pepper\" | \
                    `pattern/b` |\n\nUnless it is `urgent`, read `reference/c` when asked for mugs.\n";
        let mut sources = SourceMap::default();
        sources.add("other.md".into(), String::new());
        let read = |sources: &mut SourceMap, cache: &PromptCache| {
            let file = sources.add("prompt.md".into(), text.to_owned());
            let lines = lines_of(sources, file, 0..text.len());
            let rules = reader::read(sources, &lines);
            assert!(!rules.rules.is_empty() && !rules.loads.is_empty());
            assert_eq!(cache.read(file, sources, &lines), rules);
            // Other lines of the same file are other rules.
            assert_eq!(cache.read(file, sources, &lines[..1]), reader::read(sources, &lines[..1]));
        };
        let first = PromptCache::default();
        read(&mut sources, &first);
        let stored = first.to_bytes().unwrap();
        let second = PromptCache::from_bytes(stored.into());
        read(&mut sources, &second);
        assert_eq!(second.to_bytes(), None, "all of it was known");
    }
}
