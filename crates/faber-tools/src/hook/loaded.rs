//! Files that a client loads by itself, which are not delivered again.

use camino::Utf8Path;

use crate::exchange::{format, read};
use faber_core::assemble::reader::Reader;
use faber_core::category::Load;
use faber_core::file_text::FileText;
use faber_core::resolve::catalog::content_hash;
use faber_core::source::SourceMap;
use faber_core::world::{Kind, World};
use faber_session::hook::Conversation;

const MAX_RULES: usize = 500;

/// A path ending in `/` is a folder of rules, some of which load only for certain files.
pub(crate) fn add(reader: &mut Reader, files: &impl World, paths: &[&str]) {
    for path in paths {
        match path.strip_suffix('/') {
            None => add_file(reader, files, Utf8Path::new(path)),
            Some(folder) => {
                let entries = files.list(Utf8Path::new(folder)).unwrap_or_default().into_iter();
                let rules = entries.filter(|entry| entry.kind == Kind::File).take(MAX_RULES);
                for rule in rules {
                    add_file(reader, files, &Utf8Path::new(folder).join(rule.name));
                }
            }
        }
    }
}

pub(crate) fn add_reported(reader: &mut Reader, files: &impl World, conversation: &Conversation) {
    for (path, hash) in &conversation.loaded {
        let path = Utf8Path::new(path);
        let is_same = |text: &FileText| content_hash(text) == *hash;
        if let Some(text) = files.read(path).ok().filter(is_same) {
            add_text(reader, path, text, true);
        }
    }
}

fn add_file(reader: &mut Reader, files: &impl World, path: &Utf8Path) {
    if let Ok(text) = files.read(path) {
        add_text(reader, path, text, false);
    }
}

fn add_text(reader: &mut Reader, path: &Utf8Path, text: FileText, all: bool) {
    let mut sources = SourceMap::default();
    let file = sources.add(path.to_owned(), text);
    let what = format::recognize(path);
    let Some(what) = what.or_else(|| format::declared(format::Format::AgentsMd, path)) else {
        return;
    };
    let text = |range: std::ops::Range<usize>| sources.get(file).text[range].to_owned();
    let pieces = read::pieces(&sources, file, &what, &text, &mut Vec::new());
    let mut is_whole = true;
    for piece in pieces {
        if all || piece.load == Load::Always {
            let body = piece.body.trim_matches('\n');
            reader.texts.insert(content_hash(&format!("{body}\n")));
        } else {
            is_whole = false;
        }
    }
    if is_whole {
        reader.files.insert(path.to_string());
    }
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
        add(&mut reader, &world, &["CLAUDE.md", "AGENTS.md", ".claude/rules/"]);
        let has = |reader: &Reader, text: &str| reader.texts.contains(&content_hash(text));
        assert!(has(&reader, "A\n") && has(&reader, "B\n") && has(&reader, "# Mine\n"));
        assert!(!has(&reader, "C\n"), "it is loaded only for some files");
        assert!(reader.files.contains("CLAUDE.md") && !reader.files.contains(".claude/rules/c.md"));
        let mut conversation = Conversation::default();
        let text = world.read(".claude/rules/c.md".into()).unwrap();
        conversation.loaded.insert(".claude/rules/c.md".to_owned(), content_hash(&text));
        conversation.loaded.insert("gone.md".to_owned(), content_hash("x"));
        add_reported(&mut reader, &world, &conversation);
        assert!(has(&reader, "C\n"));
    }
}
