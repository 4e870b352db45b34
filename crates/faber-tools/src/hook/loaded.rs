//! Omits files that a client loads itself, and files of other clients.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::exchange::format::SourceKind;
use crate::exchange::found_source::FoundSource;
use crate::exchange::import::{self, Into, PlannedContent, WorldDisk};
use crate::exchange::record::{ImportRecord, RECORD};
use crate::exchange::{format, read};
use faber_core::assemble::reader::Reader;
use faber_core::category::Load;
use faber_core::file_text::FileText;
use faber_core::parse::fence;
use faber_core::resolve::catalog::content_hash;
use faber_core::source::{FileId, SourceMap};
use faber_core::world::{Kind, World};
use faber_session::hook::Conversation;

const MAX_RULES: usize = 500;
const INCLUDE: &str = "<!-- faber: include ";

/// In `loads`, a folder of rules ends with `/`.
pub(crate) fn add(
    reader: &mut Reader,
    files: &impl World,
    loads: &[&str],
    conversation: &Conversation,
) {
    let record = files.read(RECORD.into()).ok();
    let record = record.and_then(|text| ImportRecord::parse(&text).ok()).unwrap_or_default();
    let mut loaded = LoadedFiles { files, sources: SourceMap::default(), all: Vec::new() };
    for path in loads {
        match path.strip_suffix('/') {
            None => loaded.add(Utf8Path::new(path), false),
            Some(folder) => {
                let entries = files.list(Utf8Path::new(folder)).unwrap_or_default().into_iter();
                let rules = entries.filter(|entry| entry.kind == Kind::File).take(MAX_RULES);
                for rule in rules {
                    loaded.add(&Utf8Path::new(folder).join(rule.name), false);
                }
            }
        }
    }
    for (path, hash) in &conversation.loaded {
        let path = Utf8Path::new(path);
        if files.read(path).is_ok_and(|text| content_hash(&text) == *hash) {
            loaded.add(path, true);
        }
    }
    loaded.written(reader);
    loaded.imported(reader, &record);
    omit_others(reader, files, loads, &record);
}

struct LoadedFile {
    source: FoundSource,
    whole: bool,
    is_known: bool,
}

struct LoadedFiles<'a, W> {
    files: &'a W,
    sources: SourceMap,
    all: Vec<LoadedFile>,
}

impl<W: World> LoadedFiles<'_, W> {
    fn add(&mut self, path: &Utf8Path, whole: bool) {
        let mut open = vec![(path.to_owned(), whole, false)];
        while let Some((path, whole, is_included)) = open.pop() {
            if let Some(there) = self.all.iter_mut().find(|one| one.source.path == path) {
                there.whole |= whole;
                continue;
            }
            let Ok(text) = self.files.read(&path) else { continue };
            let known = format::recognize(&path);
            let is_known = known.is_some();
            let declared = || format::declared(format::Format::AgentsMd, &path);
            let Some(mut what) = known.or_else(declared) else { continue };
            if is_included && what.kind.is_shared() {
                what.kind = SourceKind::ClaudeMd;
            }
            if self.all.len() < MAX_RULES {
                let folder = path.parent().unwrap_or(Utf8Path::new(""));
                let more = import::imported(&text, &what, folder);
                let original = import::original(&path, &what);
                let is_same = |path: &Utf8PathBuf| self.files.read(path).is_ok_and(|it| it == text);
                let more = more.into_iter().chain(original.filter(is_same));
                open.extend(more.map(|path| (path, true, true)));
            }
            let file = self.sources.add(path.clone(), text);
            let (base, others) = (Utf8PathBuf::new(), Vec::new());
            let source = FoundSource { path, base, what, file, others, link_to: None };
            self.all.push(LoadedFile { source, whole, is_known });
        }
    }

    fn written(&self, reader: &mut Reader) {
        for LoadedFile { source, whole, .. } in &self.all {
            let text = &self.sources.get(source.file).text;
            let verbatim = |_, range: std::ops::Range<usize>| text[range].to_owned();
            let found = &mut Vec::new();
            let pieces = read::pieces(&self.sources, source.file, &source.what, &verbatim, found);
            let mut is_whole = true;
            for piece in pieces {
                if *whole || piece.load == Load::Always {
                    reader.texts.insert(body_hash(&piece.body));
                } else {
                    is_whole = false;
                }
            }
            if is_whole {
                reader.files.insert(source.path.to_string());
            }
        }
    }

    fn imported(mut self, reader: &mut Reader, record: &ImportRecord) {
        let known = self.all.iter().filter(|one| one.is_known);
        let found: Vec<FoundSource> = known.map(|one| one.source.clone()).collect();
        if !found.iter().any(|source| self.is_changed_by_import(source)) {
            return;
        }
        let whole = self.all.iter().filter(|one| one.whole).map(|one| one.source.file);
        let whole: BTreeSet<FileId> = whole.collect();
        let contexts = record.known(Utf8Path::to_owned);
        let mut folders: BTreeSet<Utf8PathBuf> =
            record.requests().into_iter().map(|request| request.into.into()).collect();
        if folders.is_empty() {
            let is_below = self.files.is_dir(".faber/contexts".into());
            let layers = ["", ".faber"].into_iter().take(1 + usize::from(is_below));
            folders.extend(layers.map(Utf8PathBuf::from));
        }
        for folder in folders {
            let root = Utf8Path::new("");
            let existing = BTreeMap::new();
            let into = Into {
                root,
                folder: &folder,
                known: &contexts,
                existing: &existing,
                is_in_place: false,
            };
            let plan = import::plan(&mut self.sources, &found, into, &WorldDisk(self.files));
            let made = plan.files.iter().filter_map(|planned| match &planned.content {
                PlannedContent::Text(text) => Some((planned, text)),
                PlannedContent::CopyOf(_) => None,
            });
            let is_here = |path: &Utf8Path, text: &str| {
                self.files.read(path).is_ok_and(|here| import::is_same_text(&here, text))
            };
            let mut copies = made.clone().filter(|(planned, _)| planned.id.is_none());
            let are_copies_here = copies.all(|(planned, text)| is_here(&planned.path, text));
            for (planned, text) in made {
                if planned.id.is_none() || !(planned.always || whole.contains(&planned.source)) {
                    continue;
                }
                let has_include = text.contains(INCLUDE);
                if !has_include {
                    reader.texts.insert(body_hash(&text[fence::body(text)..]));
                }
                if (are_copies_here || !has_include) && is_here(&planned.path, text) {
                    reader.files.insert(planned.path.to_string());
                }
            }
        }
    }

    fn is_changed_by_import(&self, source: &FoundSource) -> bool {
        let text: &FileText = &self.sources.get(source.file).text;
        source.what.kind.inserts(text) || text.contains("](") || fence::body(text) > 0
    }
}

fn body_hash(body: &str) -> String {
    content_hash(&format!("{}\n", body.trim_matches('\n')))
}

fn omit_others(reader: &mut Reader, files: &impl World, loads: &[&str], record: &ImportRecord) {
    let own: Vec<&str> = loads.iter().copied().filter(|path| !path.ends_with('/')).collect();
    let is_other = |path: &Utf8Path| {
        let Some(what) = format::instructions(path) else { return false };
        let own = || own.iter().map(|name| what.scope.join(name));
        own().all(|own| own != path) && files.is_file(path) && own().any(|own| files.is_file(&own))
    };
    let others = record.origins().filter(|(from, _)| is_other(Utf8Path::new(from)));
    reader.omitted.extend(others.map(|(_, path)| path.to_owned()));
    let in_place = format::instruction_files().filter(|path| is_other(path));
    reader.omitted.extend(in_place.map(Utf8Path::to_string));
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::world::MemoryWorld;

    #[test]
    fn texts_are_known_by_path_and_by_content() {
        let managed = "<!-- faber: begin standard/b -->\nB\n<!-- faber: end standard/b -->\n";
        let world = MemoryWorld::new([
            ("CLAUDE.md", format!("# Mine\n\n{managed}")),
            (".claude/rules/a.md", "A\n".to_owned()),
            (".claude/rules/c.md", "---\npaths: [\"**/*.rs\"]\n---\n\nC\n".to_owned()),
        ]);
        let mut reader = Reader::default();
        let loads = ["CLAUDE.md", "AGENTS.md", ".claude/rules/"];
        add(&mut reader, &world, &loads, &Conversation::default());
        let has = |reader: &Reader, text: &str| reader.texts.contains(&content_hash(text));
        assert!(has(&reader, "A\n") && has(&reader, "B\n") && has(&reader, "# Mine\n"));
        assert!(!has(&reader, "C\n"), "it is loaded only for some files");
        assert!(reader.files.contains("CLAUDE.md") && !reader.files.contains(".claude/rules/c.md"));
        let mut conversation = Conversation::default();
        let text = world.read(".claude/rules/c.md".into()).unwrap();
        conversation.loaded.insert(".claude/rules/c.md".to_owned(), content_hash(&text));
        conversation.loaded.insert("gone.md".to_owned(), content_hash("x"));
        add(&mut reader, &world, &loads, &conversation);
        assert!(has(&reader, "C\n"));
    }
}
