//! Caches the rules of prompts.

use super::reader;
use super::types::PromptRules;
use crate::digest_map::DigestMap;
use crate::file_text;
use crate::line::Line;
use crate::source::{FileId, SourceMap};

#[derive(Debug, Default)]
pub struct PromptCache(pub(crate) DigestMap);

impl PromptCache {
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
    use crate::digest_map::tests::MemoryStore;
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
            assert_eq!(cache.read(file, sources, &lines[..1]), reader::read(sources, &lines[..1]));
        };
        let store = MemoryStore::default();
        let open = || PromptCache(DigestMap::open(&store, "rules"));
        let first = open();
        read(&mut sources, &first);
        first.0.save(&store, "rules", 1 << 20);
        let stored = store.texts();
        let second = open();
        read(&mut sources, &second);
        second.0.save(&store, "rules", 1 << 20);
        assert_eq!(store.texts(), stored, "all of it was known");
    }
}
