//! Globs for files of a workspace.

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobMatcher};

use crate::world::World;

const MAX_DEPTH: usize = 32;

/// Sorted, without hidden files. `None` if invalid.
pub(super) fn matching(world: &impl World, pattern: &str) -> Option<Vec<Utf8PathBuf>> {
    let mut parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    parts.dedup_by(|a, b| *a == "**" && *b == "**");
    if parts.last() == Some(&"**") {
        parts.push("*");
    }
    let steps: Option<Vec<GlobStep<'_>>> = parts.into_iter().map(GlobStep::new).collect();
    let mut found = Vec::new();
    descend(world, Utf8Path::new(""), &steps?, MAX_DEPTH, &mut found);
    found.sort();
    found.dedup();
    Some(found)
}

fn descend(
    world: &impl World,
    folder: &Utf8Path,
    steps: &[GlobStep<'_>],
    depth: usize,
    found: &mut Vec<Utf8PathBuf>,
) {
    let Some((step, rest)) = steps.split_first().filter(|_| depth > 0) else { return };
    if rest.is_empty() {
        let names = world.names_ending(folder, "");
        let paths = names.iter().filter(|name| step.matches(name)).map(|it| folder.join(it));
        found.extend(paths.filter(|path| world.refusal(path).is_none()));
        return;
    }
    match step {
        GlobStep::Name(name) => descend(world, &folder.join(name), rest, depth - 1, found),
        GlobStep::Folders => {
            descend(world, folder, rest, depth, found);
            below(world, folder).for_each(|below| descend(world, &below, steps, depth - 1, found));
        }
        GlobStep::Glob(_) => {
            let matches =
                |below: &Utf8PathBuf| below.file_name().is_some_and(|it| step.matches(it));
            below(world, folder)
                .filter(matches)
                .for_each(|below| descend(world, &below, rest, depth - 1, found));
        }
    }
}

fn below(world: &impl World, folder: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    let paths = world.directories(folder).into_iter().map(|name| folder.join(name));
    paths.filter(|path| !world.skips(path))
}

enum GlobStep<'a> {
    Name(&'a str),
    Glob(GlobMatcher),
    Folders,
}

impl<'a> GlobStep<'a> {
    fn new(part: &'a str) -> Option<Self> {
        if part == "**" {
            return Some(Self::Folders);
        }
        if !is_glob(part) {
            return Some(Self::Name(part));
        }
        let glob = GlobBuilder::new(part).literal_separator(true).build().ok()?;
        Some(Self::Glob(glob.compile_matcher()))
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Name(own) => *own == name,
            Self::Glob(glob) => glob.is_match(name) && !name.starts_with('.'),
            Self::Folders => true,
        }
    }
}

pub(super) fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn globs_match_from_the_root() {
        let paths = ["docs/a.md", "docs/b.rs", "docs/adr/1.md", "docs/.hidden.md", ".faber/x.md"];
        let world = MemoryWorld::new(paths.map(|path| (path, "")));
        let found = |pattern: &str| {
            let paths = matching(&world, pattern).unwrap();
            paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("docs/*.md"), "docs/a.md");
        assert_eq!(found("**/*.md"), "docs/a.md docs/adr/1.md");
        assert_eq!(found("**/**"), "docs/a.md docs/adr/1.md");
        assert_eq!(found("d?cs/a*/[0-9].md"), "docs/adr/1.md");
        assert_eq!(found("none/*.md"), "");
        assert!(matching(&world, "docs/[.md").is_none());
    }
}
