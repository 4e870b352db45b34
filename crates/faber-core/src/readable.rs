//! Which files a reference may read, by path.

use camino::Utf8Path;

const TEXT: [&str; 10] =
    ["adoc", "asciidoc", "markdown", "md", "mdc", "mdx", "org", "rst", "text", "txt"];

const PRIVATE: [&str; 3] = [".git", ".faber/state", ".faber/cache"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Private(&'static str),
    NotText,
    Ignored(String, &'static str),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Private(folder) => write!(f, "files in `{folder}` are not read"),
            Self::NotText => f.write_str("only Markdown and text files are read"),
            Self::Ignored(pattern, file) => write!(f, "git ignores it (`{pattern}` in {file})"),
        }
    }
}

pub fn refused_path(path: &Utf8Path) -> Option<Refusal> {
    if path.components().any(|part| part.as_str().eq_ignore_ascii_case(PRIVATE[0])) {
        return Some(Refusal::Private(PRIVATE[0]));
    }
    let lower = path.as_str().to_lowercase();
    let within = |folder: &&&str| Utf8Path::new(&lower).starts_with(folder);
    if let Some(folder) = PRIVATE[1..].iter().find(within) {
        return Some(Refusal::Private(folder));
    }
    let is_text = path.extension().is_some_and(|it| TEXT.contains(&&*it.to_ascii_lowercase()));
    (!is_text).then_some(Refusal::NotText)
}
