//! Converts a folder of another tool to a pack in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::diagnostic::Diagnostic;
use faber_core::file_text::FileText;
use faber_core::packs::names;
use faber_core::parse::fence::{self, Split};
use faber_core::readable::Refusal;
use faber_core::rules::{import_duplicate, import_omitted, oversized_file, unclosed_frontmatter};
use faber_core::source::{FileId, SourceMap, Span, TextOrigin};
use faber_core::world::{Kind, Unreadable, World, read_all};

use crate::data;
use crate::format::{self, Format, MANIFESTS, Recognized, SourceKind};
use crate::found_source::FoundSource;
use crate::front;
use crate::import::{Into, PlannedContent, PlannedImport, WorldDisk, plan};
use crate::origins::SourceLines;
use crate::select::{PluginFolders, SkillFolders};

pub const LAYOUT: [&str; 4] = ["contexts", "roles", "overlays", ".faber"];
const FOREIGN: [&str; 3] = [".git", "node_modules", ".venv"];
const MAX_DEPTH: usize = 32;

#[derive(Debug, Default)]
pub struct FolderView {
    pub files: BTreeMap<Utf8PathBuf, FileText>,
    pub found: Vec<Diagnostic>,
}

pub fn is_workspace(world: &impl World, folder: &Utf8Path) -> bool {
    LAYOUT.iter().any(|name| world.is_dir(&folder.join(name)))
}

#[derive(Clone, Copy, Debug)]
pub struct Forms<'a> {
    pub base: &'a Utf8Path,
    pub folder: &'a Utf8Path,
    pub only: &'a [Utf8PathBuf],
}

/// Skill resources stay in place.
pub fn view(world: &impl World, forms: Forms<'_>, sources: &mut SourceMap) -> FolderView {
    let Forms { base, folder, only } = forms;
    let mut view = FolderView::default();
    let (files, troubles) = match only {
        [] => listed(world, base, sources, &mut view.found),
        only => (named(world, base, only, sources, &mut view.found), Vec::new()),
    };
    let below = || files.iter().filter_map(|path| path.strip_prefix(base).ok());
    let manifests = manifests(world, base, only);
    let all = below().chain(manifests.iter().map(Utf8PathBuf::as_path));
    let (skills, plugins) = (SkillFolders::of(below()), PluginFolders::of(all));
    let known = below().filter(|path| !skills.own(path));
    let by_front =
        |path: &Utf8Path| (!only.is_empty()).then(|| by_front(world, &base.join(path))).flatten();
    let known: Vec<(&Utf8Path, Recognized)> = known
        .filter_map(|path| Some((path, plugins.recognize(path).or_else(|| by_front(path))?)))
        .filter(|(path, _)| !is_ignored(world, &base.join(path)))
        .collect();
    for (path, trouble) in &troubles {
        let below = path.strip_prefix(base).unwrap_or(path);
        if !skills.own(below) && plugins.recognize(below).is_some() {
            view.found.push(trouble.diagnostic(sources, path));
        }
    }
    let paths: Vec<Utf8PathBuf> = known.iter().map(|(path, _)| base.join(path)).collect();
    let read = read_all(world, &paths, sources, &mut view.found);
    let mut all = Vec::new();
    for ((path, what), file) in known.into_iter().zip(read) {
        let Some(file) = file else { continue };
        let is_data = matches!(what.kind, SourceKind::Data(_));
        if !is_data && matches!(fence::split(&sources.get(file).text), Split::Unclosed(_)) {
            let note = "front matter without a closing `---`; the file is not used";
            let found = unclosed_frontmatter::RULE.at(Span::start_of(file), note);
            view.found.push(found.help("close it with `---`"));
            continue;
        }
        let (path, base) = (path.to_owned(), base.to_owned());
        all.push(FoundSource { path, base, what, file, others: Vec::new(), link_to: None });
    }
    let mut lost = Vec::new();
    let all = data::unpacked(sources, all, &mut lost);
    let into = Into::in_place(Utf8Path::new(""), folder);
    let mut plan = plan(sources, &all, into, &WorldDisk(world));
    if !only.is_empty() {
        plan.files.retain(|planned| !planned.managed);
        plan.found.retain(|found| *found.rule() != import_duplicate::RULE);
    }
    // The original of an export wins.
    plan.files.dedup_by(|export, original| export.path == original.path);
    view.found.extend(lost.into_iter().chain(plan.found).map(Diagnostic::exceptional));
    let mut known: HashMap<FileId, SourceLines<'_>> = HashMap::new();
    let mut origin = |planned: &PlannedImport, text: &str| {
        let make = || SourceLines::new(&sources.get(planned.source).text);
        let lines = known.entry(planned.source).or_insert_with(make).of(planned, text);
        TextOrigin::new(planned.source, lines)
    };
    let mut made = Vec::new();
    for planned in plan.files {
        let PlannedContent::Text(text) = &planned.content else { continue };
        made.push((origin(&planned, text), planned.path, text.clone()));
    }
    for (origin, path, text) in made {
        sources.add_origin(&path, origin);
        view.files.insert(path, text.into());
    }
    view
}

fn manifests(world: &impl World, folder: &Utf8Path, only: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let loose = only.iter().filter(|path| format::recognize(path).is_none());
    let above: BTreeSet<&Utf8Path> = loose.flat_map(|path| path.ancestors().skip(1)).collect();
    let manifests = above.iter().flat_map(|above| MANIFESTS.map(|name| above.join(name)));
    manifests.filter(|path| world.exists(&folder.join(path))).collect()
}

pub fn recognized(
    world: &impl World,
    folder: &Utf8Path,
    files: &[Utf8PathBuf],
) -> BTreeSet<Utf8PathBuf> {
    let manifests = manifests(world, folder, files);
    let plugins = PluginFolders::of(files.iter().chain(&manifests).map(Utf8PathBuf::as_path));
    let is_known = |path: &&Utf8PathBuf| {
        plugins.recognize(path).is_some() || by_front(world, &folder.join(path)).is_some()
    };
    files.iter().filter(is_known).cloned().collect()
}

fn by_front(world: &impl World, path: &Utf8Path) -> Option<Recognized> {
    front::recognize(&front::keys(&world.read(path).ok()?), Format::Claude, path)
}

fn named(
    world: &impl World,
    folder: &Utf8Path,
    only: &[Utf8PathBuf],
    sources: &mut SourceMap,
    found: &mut Vec<Diagnostic>,
) -> Vec<Utf8PathBuf> {
    let known = recognized(world, folder, only);
    let mut files = Vec::new();
    for name in only {
        let path = folder.join(name);
        let why = match world.kind(&path) {
            Kind::File if known.contains(name) && is_ignored(world, &path) => {
                "git ignores this file"
            }
            Kind::File if known.contains(name) => {
                files.push(path);
                continue;
            }
            Kind::File => "not a file of a known tool",
            _ => "this file does not exist",
        };
        let at = Span::start_of(sources.add_placeholder(&path));
        let help = "correct `files` in `packs`, or run `faber import --in-place .`";
        found.push(import_omitted::RULE.at(at, why).help(help));
    }
    files.sort();
    files.dedup();
    files
}

fn listed(
    world: &impl World,
    folder: &Utf8Path,
    sources: &mut SourceMap,
    found: &mut Vec<Diagnostic>,
) -> (Vec<Utf8PathBuf>, Vec<(Utf8PathBuf, Unreadable)>) {
    let (mut files, mut troubles) = (Vec::new(), Vec::new());
    let (mut folders, mut entries) = (vec![(folder.to_owned(), 0)], 0);
    while let Some((at, depth)) = folders.pop() {
        let is_skipped = depth > 0 && world.skips(&at);
        for entry in world.list(&at).unwrap_or_default().into_iter().filter(|_| !is_skipped) {
            entries += 1;
            if entries > names::MAX_FILES {
                let at = Span::start_of(sources.add_placeholder(folder));
                let message = format!("only the first {} files are read", names::MAX_FILES);
                found.push(oversized_file::RULE.at(at, message).help("use a smaller folder"));
                files.sort();
                return (files, troubles);
            }
            let path = format!("{at}/{}", entry.name);
            let path = if cfg!(windows) { path.replace('\\', "/") } else { path };
            let path = Utf8PathBuf::from(path);
            match (entry.kind, entry.trouble) {
                (_, Some(trouble)) => troubles.push((path, trouble)),
                (Kind::File, None) => files.push(path),
                (Kind::Folder, None)
                    if depth < MAX_DEPTH && !FOREIGN.contains(&entry.name.as_str()) =>
                {
                    folders.push((path, depth + 1));
                }
                _ => {}
            }
        }
    }
    files.sort();
    (files, troubles)
}

fn is_ignored(world: &impl World, path: &Utf8Path) -> bool {
    matches!(world.refusal(path), Some(Refusal::Ignored(..) | Refusal::Private(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::world::MemoryWorld;

    const FOLDER: &str = ".faber/packs/p";

    fn viewed(files: &[(&str, &str)]) -> (FolderView, SourceMap) {
        viewed_only(files, &[])
    }

    fn viewed_only(files: &[(&str, &str)], only: &[Utf8PathBuf]) -> (FolderView, SourceMap) {
        let files = files.iter().map(|(path, text)| (format!("{FOLDER}/{path}"), *text));
        let (world, mut sources) = (MemoryWorld::new(files), SourceMap::default());
        let folder = Utf8Path::new(FOLDER);
        let view = view(&world, Forms { base: folder, folder, only }, &mut sources);
        (view, sources)
    }

    fn paths(view: &FolderView) -> Vec<&str> {
        let below = |path| Utf8Path::strip_prefix(path, FOLDER).unwrap().as_str();
        view.files.keys().map(|path| below(path)).collect()
    }

    #[test]
    fn forms_of_other_tools_are_contexts() {
        let skill =
            "---\nname: pdf\ndescription: Reads PDF.\n---\n# PDF\n\nRun [it](scripts/x.py).\n";
        let (view, _) = viewed(&[
            ("AGENTS.md", "# Rules\n"),
            ("README.md", "# Not a rule\n"),
            (".cursor/rules/ts.mdc", "---\nglobs: '*.ts'\n---\n# TS\n"),
            ("skills/pdf/SKILL.md", skill),
            ("skills/pdf/scripts/x.py", "print()"),
            ("skills/pdf/AGENTS.md", "of the skill"),
            (".claude-plugin/plugin.json", "{}"),
            ("agents/reviewer.md", "---\ndescription: Reviews.\n---\nReview.\n"),
            ("node_modules/a/AGENTS.md", "# Others\n"),
        ]);
        assert_eq!(
            paths(&view),
            [
                "contexts/playbooks/playbook-pdf.md",
                "contexts/specialists/specialist-reviewer.md",
                "contexts/standards/standards-agents.md",
                "contexts/standards/standards-ts.md",
            ]
        );
        let text = &view.files[&Utf8Path::new(FOLDER).join("contexts/playbooks/playbook-pdf.md")];
        assert!(text.contains("[it](scripts/x.py)"), "{text:?}");
    }

    #[test]
    fn references_start_from_the_original() {
        let rule = "# TS\n\n[a](mdc:docs/a.md) [b](../../AGENTS.md#b) [c](c.mdc) [d](d.png)\n";
        let (view, _) = viewed(&[
            ("AGENTS.md", "# Main\n\n[ts](.cursor/rules/ts.mdc) [docs](docs/a.md) [no](no.md)\n"),
            ("CLAUDE.md", "# Claude\n\n@docs/a.md\n@docs/b.md\n"),
            (".cursor/rules/ts.mdc", rule),
            (".cursor/rules/c.mdc", "# C\n"),
            ("docs/a.md", "# A\n"),
            ("docs/b.md", "# B\n\n[a](a.md)\n\n@a.md\n"),
        ]);
        for (path, expected) in [
            ("standards-agents.md", "[ts](./.cursor/rules/ts.mdc) [docs](docs/a.md) [no](no.md)"),
            (
                "standards-ts.md",
                "[a](../../docs/a.md) [b](../../AGENTS.md#b) [c](./c.mdc) [d](d.png)",
            ),
            ("standards-claude.md", "faber: include ./docs/a.md -->"),
            ("standards-claude.md", "include ./contexts/standards/partials/docs-b.md -->"),
            ("partials/docs-b.md", "[a](a.md)\n\n<!-- faber: include ./a.md -->"),
        ] {
            let text = &view.files[&Utf8Path::new(FOLDER).join("contexts/standards").join(path)];
            assert!(text.contains(expected), "{path}: {text:?}");
        }
    }

    #[test]
    fn each_line_knows_where_it_is_in_the_pack() {
        let managed = "# Own\n\n<!-- faber: begin standard/py for: **/*.py -->\nFor files that match `**/*.py`:\n\nTabs.\n<!-- faber: end standard/py -->\n\nLast.\n";
        let front = "---\r\nglobs: '*.ts'\r\ndescription: >\r\n  Long\r\n---\r\n\r\n\r\n# TS\r\n\r\nSee [a](../../a.md).\r\n";
        let (view, mut sources) = viewed(&[
            ("AGENTS.md", managed),
            (".cursor/rules/ts.mdc", front),
            ("a.md", "# A\n"),
            ("CLAUDE.md", "\n# Claude\n\n@docs/x.md\nand @a.md\n"),
            ("docs/x.md", "\n# X\n\n@../a.md\n"),
        ]);
        let mut place = |path: &str, word: &str| {
            let path = Utf8Path::new(FOLDER).join(path);
            let text = &view.files[&path];
            let at = text.find(word).unwrap_or_else(|| panic!("{word}: {text:?}"));
            let file = sources.add(path, text.clone());
            let place = sources.place(Span::new(file, at, at));
            place.strip_prefix(&format!("{FOLDER}/")).unwrap().to_owned()
        };
        for (path, word, expected) in [
            ("contexts/standards/standards-py.md", "Tabs.", "AGENTS.md:6"),
            ("contexts/standards/standards-agents.md", "# Own", "AGENTS.md:1"),
            ("contexts/standards/standards-agents.md", "Last.", "AGENTS.md:9"),
            ("contexts/standards/standards-ts.md", "globs", ".cursor/rules/ts.mdc:2"),
            ("contexts/standards/standards-ts.md", "description", ".cursor/rules/ts.mdc:3"),
            ("contexts/standards/standards-ts.md", "# TS", ".cursor/rules/ts.mdc:8"),
            ("contexts/standards/standards-ts.md", "See", ".cursor/rules/ts.mdc:10"),
            ("contexts/standards/standards-claude.md", "# Claude", "CLAUDE.md:2"),
            ("contexts/standards/standards-claude.md", "and @a", "CLAUDE.md:5"),
            ("contexts/standards/partials/docs-x.md", "# X", "docs/x.md:2"),
        ] {
            assert_eq!(place(path, word), expected, "{word}");
        }
    }

    #[test]
    fn of_named_files_only_those_count() {
        let only = ["CLAUDE.md", "x.md", "gone/AGENTS.md"].map(Utf8PathBuf::from);
        let files = [("AGENTS.md", "# A\n"), ("CLAUDE.md", "# C\n"), ("x.md", "# X\n")];
        let (view, sources) = viewed_only(&files, &only);
        assert_eq!(paths(&view), ["contexts/standards/standards-claude.md"]);
        let at = |found: &Diagnostic| sources.path(found.primary.span.file).as_str().to_owned();
        let places: Vec<String> = view.found.iter().map(at).collect();
        assert_eq!(places, [format!("{FOLDER}/x.md"), format!("{FOLDER}/gone/AGENTS.md")]);
    }

    #[test]
    fn what_cannot_be_read_is_a_finding() {
        let (view, sources) =
            viewed(&[("AGENTS.md", "---\nname: x\n# A\n"), ("CLAUDE.md", "# C\n")]);
        assert_eq!(paths(&view), ["contexts/standards/standards-claude.md"]);
        let found = &view.found[0];
        assert_eq!(
            (found.code(), &*sources.place(found.primary.span)),
            ("unclosed-frontmatter", ".faber/packs/p/AGENTS.md:1")
        );
    }
}
