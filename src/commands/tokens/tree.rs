//! Tokens of folders.

use std::collections::BTreeMap;
use std::fmt::Write;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use super::FileTokens;
use faber_core::error::Error;
use faber_output::table::{grouped, plain};
use faber_output::text::counted;
use faber_session::discover::{files, foreign, input};

/// A folder with everything below it, or a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TokenTree {
    /// Its name; of an argument the path as it was written.
    pub name: String,
    /// The tokens of its files.
    pub tokens: usize,
    /// The bytes of its files.
    pub bytes: usize,
    /// How many files it has; 1 for a file.
    pub files: usize,
    /// What the folder has, the largest first; none for a file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TokenTree>,
}

pub(super) struct CountedText {
    pub argument: usize,
    /// Below the argument; empty for the argument itself.
    pub below: Utf8PathBuf,
    pub text: String,
}

impl CountedText {
    pub(super) fn path(&self, paths: &[Utf8PathBuf]) -> String {
        let argument = paths[self.argument].as_str();
        match (argument, self.below.as_str()) {
            (argument, "") => argument.to_owned(),
            (".", below) => below.to_owned(),
            (argument, below) => format!("{}/{below}", argument.trim_end_matches('/')),
        }
    }
}

pub(super) fn texts(
    paths: &[Utf8PathBuf],
    cwd: &Utf8Path,
) -> Result<(Vec<CountedText>, usize), Error> {
    let (mut texts, mut left_out) = (Vec::new(), 0);
    for (argument, path) in paths.iter().enumerate() {
        let place = cwd.join(path);
        if !foreign::is_folder(&place) {
            let text = input::read_typed(cwd, path)?;
            texts.push(CountedText { argument, below: Utf8PathBuf::new(), text });
            continue;
        }
        let listing = foreign::below(&place);
        left_out += listing.troubles.len();
        for file in listing.files.into_iter().filter(|file| file.link_to.is_none()) {
            let Ok(text) = files::read_regular(&file.path) else {
                left_out += 1;
                continue;
            };
            let below = file.path.strip_prefix(&place).unwrap_or(&file.path).to_owned();
            texts.push(CountedText { argument, below, text });
        }
    }
    Ok((texts, left_out))
}

#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: Vec<(&'a str, &'a FileTokens)>,
}

impl TokenTree {
    pub(super) fn new(
        paths: &[Utf8PathBuf],
        texts: &[CountedText],
        counted: &[FileTokens],
    ) -> Self {
        let mut roots: Vec<Folder<'_>> = paths.iter().map(|_| Folder::default()).collect();
        for (text, tokens) in texts.iter().zip(counted) {
            let mut folder = &mut roots[text.argument];
            let above = text.below.parent().unwrap_or(Utf8Path::new(""));
            for part in above.components() {
                folder = folder.folders.entry(part.as_str()).or_default();
            }
            folder.files.push((text.below.file_name().unwrap_or_default(), tokens));
        }
        let trees = paths.iter().zip(roots).map(|(path, root)| root.tree(path.as_str()));
        let mut trees: Vec<Self> = trees.collect();
        if trees.len() == 1 { trees.remove(0) } else { Self::of("total", trees) }
    }

    fn of(name: &str, mut children: Vec<Self>) -> Self {
        children.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.name.cmp(&b.name)));
        let sum = |of: fn(&Self) -> usize| children.iter().map(of).sum();
        Self {
            name: name.to_owned(),
            tokens: sum(|it| it.tokens),
            bytes: sum(|it| it.bytes),
            files: sum(|it| it.files),
            children,
        }
    }

    pub(super) fn human(&self, depth: usize, unicode: bool) -> String {
        let mut out = String::new();
        let branches =
            if unicode { ["├─ ", "└─ ", "│  "] } else { ["|- ", "`- ", "|  "] };
        let width = grouped(self.tokens).chars().count();
        TreeLines { out: &mut out, branches, width, total: self.tokens }.add(self, "", "", depth);
        out.replace('\u{a0}', " ")
    }
}

impl Folder<'_> {
    fn tree(self, name: &str) -> TokenTree {
        let leaf = |name: &str, file: &FileTokens| TokenTree {
            name: name.to_owned(),
            tokens: file.tokens,
            bytes: file.bytes,
            files: 1,
            children: Vec::new(),
        };
        if let [("", file)] = &*self.files {
            return leaf(name, file);
        }
        let files = self.files.iter().map(|(name, file)| leaf(name, file));
        let folders = self.folders.into_iter().map(|(name, folder)| folder.tree(name));
        TokenTree::of(name, folders.chain(files).collect())
    }
}

struct TreeLines<'a> {
    out: &'a mut String,
    branches: [&'static str; 3],
    width: usize,
    total: usize,
}

impl TreeLines<'_> {
    fn add(&mut self, tree: &TokenTree, first: &str, rest: &str, depth: usize) {
        let (mut tree, mut name) = (tree, plain(&tree.name));
        let is_root = first.is_empty();
        while let [only] = &*tree.children
            && !only.children.is_empty()
            && !is_root
        {
            name = format!("{name}/{}", plain(&only.name));
            tree = only;
        }
        let is_folded = depth == 0 && !tree.children.is_empty();
        let folded =
            if is_folded { format!("/ ({})", counted(tree.files, "file")) } else { String::new() };
        #[expect(clippy::cast_precision_loss, reason = "one decimal is printed")]
        let share = tree.tokens as f64 * 100.0 / self.total.max(1) as f64;
        let (tokens, width) = (grouped(tree.tokens), self.width);
        let _ = writeln!(self.out, "{tokens:>width$} {share:>5.1} %  {first}{name}{folded}");
        if is_folded {
            return;
        }
        let [branch, last, bar] = self.branches;
        for (at, child) in tree.children.iter().enumerate() {
            let is_last = at + 1 == tree.children.len();
            let (own, below) = if is_last { (last, "   ") } else { (branch, bar) };
            self.add(child, &format!("{rest}{own}"), &format!("{rest}{below}"), depth - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, usize)]) -> TokenTree {
        let paths = [Utf8PathBuf::from(".")];
        let text = |(path, _): &(&str, usize)| CountedText {
            argument: 0,
            below: Utf8PathBuf::from(*path),
            text: String::new(),
        };
        let tokens = |(path, tokens): &(&str, usize)| FileTokens {
            path: (*path).to_owned(),
            tokens: *tokens,
            bytes: 2 * tokens,
        };
        let counted: Vec<_> = files.iter().map(tokens).collect();
        TokenTree::new(&paths, &files.iter().map(text).collect::<Vec<_>>(), &counted)
    }

    #[test]
    fn folders_are_sums_sorted_by_size_and_folded() {
        let tree = tree(&[("a/b/c.md", 5), ("a/b/d.md", 1500), ("e.md", 20), ("f/g.md", 10)]);
        assert_eq!((tree.tokens, tree.bytes, tree.files), (1535, 3070, 4));
        let full = "1 535 100.0 %  .\n\
                    1 505  98.0 %  ├─ a/b\n\
                    1 500  97.7 %  │  ├─ d.md\n    \
                        5   0.3 %  │  └─ c.md\n   \
                       20   1.3 %  ├─ e.md\n   \
                       10   0.7 %  └─ f\n   \
                       10   0.7 %     └─ g.md\n";
        assert_eq!(tree.human(usize::MAX, true), full);
        let folded = "1 535 100.0 %  .\n\
                      1 505  98.0 %  |- a/b/ (2 files)\n   \
                         20   1.3 %  |- e.md\n   \
                         10   0.7 %  `- f/ (1 file)\n";
        assert_eq!(tree.human(1, false), folded);
    }

    #[test]
    fn nothing_is_a_tree_too() {
        assert_eq!(tree(&[]).human(3, true), "0   0.0 %  .\n");
        assert_eq!(tree(&[("", 7)]).human(3, true), "7 100.0 %  .\n");
    }
}
