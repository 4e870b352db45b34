//! References from one file to another.

pub mod scan;

use camino::Utf8Path;

use crate::ascii;
use crate::category::Category;
use crate::packs::names::qualified;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// `/contexts/…`, `/tasks/…`, `/flows/…`, in the role or else the workspace.
    Root {
        path: &'a str,
    },
    /// `/.faber/…`, in the workspace.
    Workspace {
        path: &'a str,
    },
    /// `./…` or `../…`.
    Relative {
        path: &'a str,
    },
    Name {
        name: &'a str,
    },
    Id {
        /// `acme` in `acme:standard/x`.
        pack: Option<&'a str>,
        category: Category,
        name: &'a str,
    },
    /// `@role:NAME/…`, in another role.
    Role {
        role: &'a str,
        path: &'a str,
    },
    Outside,
    /// A glob, placeholder or URL.
    Other,
}

/// A bare name must be Markdown or begin with a category.
pub fn parse(text: &str) -> (Reference<'_>, Option<&str>) {
    parse_with(text, false)
}

/// May have spaces.
pub fn parse_field(text: &str) -> (Reference<'_>, Option<&str>) {
    parse_with(text, true)
}

fn parse_with(text: &str, has_spaces: bool) -> (Reference<'_>, Option<&str>) {
    let text = text.trim();
    let (path, heading) = match text.split_once('#') {
        Some((path, heading)) => (path, (!heading.is_empty()).then_some(heading)),
        None => (text, None),
    };
    let path = if has_spaces { path.trim_end() } else { path };
    let reference = if is_of_the_machine(path) {
        Reference::Outside
    } else if is_plain(path) && (has_spaces || !path.contains(' ')) {
        of_path(path)
    } else {
        Reference::Other
    };
    (reference, heading)
}

fn is_of_the_machine(path: &str) -> bool {
    let drive =
        matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let schemes = ["file:", "~/", "~\\", "..\\", "\\\\", "//"];
    drive || schemes.iter().any(|scheme| path.starts_with(scheme))
}

fn is_plain(path: &str) -> bool {
    let odd =
        |c: char| c.is_whitespace() && c != ' ' || c.is_control() || "*?[]{}<>|\"`\\…".contains(c);
    !path.contains(odd) && !path.contains("://") && !path.ends_with('/')
}

fn of_path(path: &str) -> Reference<'_> {
    if let Some(rest) = path.strip_prefix("@role:") {
        return match rest.split_once('/') {
            Some((role, path)) if !role.is_empty() => Reference::Role { role, path },
            _ => Reference::Other,
        };
    }
    let path = path.strip_prefix('@').filter(|path| is_markdown(path)).unwrap_or(path);
    let rooted = path.strip_prefix('/').unwrap_or(path);
    let is_absolute = rooted.len() != path.len();
    match rooted.split_once('/') {
        Some(("contexts", _)) => return Reference::Root { path: rooted },
        Some(("tasks" | "flows", _)) if is_absolute => return Reference::Root { path: rooted },
        Some((".faber", _)) => return Reference::Workspace { path: rooted },
        _ if is_absolute => return Reference::Outside,
        Some(("." | "..", _)) => return Reference::Relative { path },
        Some((category, name)) => return identity(category, name),
        None => {}
    }
    let has_prefix = Category::from_prefix(path).is_some();
    if has_prefix || (is_markdown(path) && path.len() > ".md".len()) {
        Reference::Name { name: path }
    } else {
        Reference::Other
    }
}

fn identity<'a>(category: &'a str, name: &'a str) -> Reference<'a> {
    let (pack, category) = match qualified(category) {
        Some((pack, category)) => (Some(pack), category),
        None => (None, category),
    };
    let Some(category) = Category::from_name(category) else { return Reference::Other };
    if name.contains('/') {
        return Reference::Other;
    }
    let name = if is_markdown(name) { category.strip_prefix(stem(name)) } else { name };
    Reference::Id { pack, category, name }
}

pub(crate) fn category_of(text: &str) -> Option<Category> {
    let path = match parse(text).0 {
        Reference::Id { category, .. } => return Some(category),
        Reference::Name { name } => name,
        Reference::Root { path }
        | Reference::Workspace { path }
        | Reference::Relative { path }
        | Reference::Role { path, .. } => path,
        Reference::Outside | Reference::Other => return None,
    };
    let path = Utf8Path::new(path);
    let folder = path.parent().and_then(Utf8Path::file_name);
    let by_name = || Category::from_prefix(path.file_name()?).map(|(category, _)| category);
    let by_overlay = || path.as_str().contains("/platforms/").then_some(Category::Platform);
    folder.and_then(Category::from_name).or_else(by_name).or_else(by_overlay)
}

pub fn is_context(text: &str) -> bool {
    match parse(text).0 {
        Reference::Root { path } => path.starts_with("contexts/"),
        Reference::Workspace { path } => path.contains("/contexts/"),
        Reference::Relative { path } => is_markdown(path),
        Reference::Name { .. } | Reference::Id { .. } | Reference::Role { .. } => true,
        Reference::Outside | Reference::Other => false,
    }
}

/// False for `references/reference-detail.md`.
pub fn is_file(text: &str) -> bool {
    match parse(text).0 {
        Reference::Relative { .. } => true,
        Reference::Id { category, .. } => {
            let path = text.split('#').next().unwrap_or(text);
            let stem = stem(path);
            is_markdown(path) && category.strip_prefix(stem) == stem
        }
        _ => false,
    }
}

pub(crate) fn may_be_file(text: &str) -> bool {
    match parse(text).0 {
        Reference::Name { name } => Category::from_prefix(name).is_none(),
        _ => is_file(text),
    }
}

pub fn is_markdown(path: &str) -> bool {
    Utf8Path::new(path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

fn stem(name: &str) -> &str {
    Utf8Path::new(name).file_stem().unwrap_or(name)
}

#[derive(Default)]
pub(super) struct OptionalSections {
    headings: Vec<(u8, bool)>,
    pub(super) announced: bool,
}

impl OptionalSections {
    pub(super) fn enter(&mut self, level: u8, heading: &str) {
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, says_optional(heading)));
        self.announced = false;
    }

    pub(super) fn is_optional(&self) -> bool {
        self.announced || self.headings.iter().any(|(_, optional)| *optional)
    }
}

pub(super) fn says_optional(text: &str) -> bool {
    if !ascii::contains(text, "exist", 1) && !ascii::contains(text, "present", 0) {
        return false;
    }
    let text = crate::markdown::collapse(text).to_lowercase();
    ["if present", "if exists", "if it exists", "if they exist"]
        .iter()
        .any(|say| text.contains(say))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word_list::words;

    #[test]
    fn spellings_are_distinguished() {
        use Reference::{Id, Name, Other, Outside, Relative, Role, Root, Workspace};
        let id = |category, name| Id { pack: None, category, name };
        for (text, expected) in [
            ("/contexts/standards/a.md", Root { path: "contexts/standards/a.md" }),
            ("contexts/standards/a.md", Root { path: "contexts/standards/a.md" }),
            ("/tasks/a.md", Root { path: "tasks/a.md" }),
            ("/.faber/x.md", Workspace { path: ".faber/x.md" }),
            ("/etc/passwd", Outside),
            ("//host/x.md", Outside),
            ("C:\\x.md", Outside),
            ("c:/x.md", Outside),
            ("..\\x.md", Outside),
            ("~/x.md", Outside),
            ("file:///x.md", Outside),
            ("../b.md", Relative { path: "../b.md" }),
            ("standards-a.md", Name { name: "standards-a.md" }),
            ("guide.md", Name { name: "guide.md" }),
            ("specialist/security", id(Category::Specialist, "security")),
            ("specialists/specialist-security.md", id(Category::Specialist, "security")),
            ("@contexts/standards/a.md", Root { path: "contexts/standards/a.md" }),
            ("@role:r/contexts/a.md", Role { role: "r", path: "contexts/a.md" }),
        ] {
            assert_eq!(parse(text), (expected, None), "{text}");
            let anchored = format!("{text}#Some heading");
            assert_eq!(parse(&anchored), (expected, Some("Some heading")), "{text}");
        }
        for text in words!(
            ", #x, src/main, security, .md, /contexts/, /contexts/standards/*.md",
            "platform-{detected}.md, config.yml -> custom_contexts[], https://example.org/a.md",
            "@role:r, @role:/x, specialist/a/b",
        ) {
            assert_eq!(parse(text).0, Other, "{text}");
        }
    }
}
