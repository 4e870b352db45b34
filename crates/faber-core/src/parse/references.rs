//! References from one file to another, as users write them.

use camino::Utf8Path;

use super::prose::{Inline, Prose, ProseBlock, ProseNode, Token, TokenKind, tokens};
use super::rules::words::{is_filler, is_load};
use crate::category::{CATEGORIES, Category};
use crate::line::Line;
use crate::source::{SourceMap, Span};

/// The kind of a reference, by its spelling alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// `/contexts/…`, `/tasks/…` or `/flows/…`: relative to the role, then to the workspace.
    Root {
        /// Without its leading slash.
        path: &'a str,
    },
    /// `/.faber/…`: relative to the workspace.
    Workspace {
        /// Without its leading slash.
        path: &'a str,
    },
    /// `./…` or `../…`: relative to the file.
    Relative {
        path: &'a str,
    },
    /// A bare file name, looked up by identity in any category.
    Name {
        name: &'a str,
    },
    Id {
        category: Category,
        name: &'a str,
    },
    /// `@role:NAME/…`: a file or an identity of another role.
    Role {
        role: &'a str,
        /// The rest after the role and its slash.
        path: &'a str,
    },
    /// An absolute path of the machine, always outside of the workspace.
    Outside,
    /// Anything else: a glob, a placeholder, a pointer into a file, a URL.
    Other,
}

/// Reads `text` as a reference with an optional heading after `#`.
///
/// `contexts/…` and `.faber/…` mean the same as with a leading slash. A name that is neither
/// Markdown nor has a category's prefix is not a file name.
pub fn parse(text: &str) -> (Reference<'_>, Option<&str>) {
    let text = text.trim();
    let (path, heading) = match text.split_once('#') {
        Some((path, heading)) => (path, (!heading.is_empty()).then_some(heading)),
        None => (text, None),
    };
    let reference = if is_of_the_machine(path) {
        Reference::Outside
    } else if is_plain(path) {
        of_path(path)
    } else {
        Reference::Other
    };
    (reference, heading)
}

/// Whether `path` can only be an absolute path of the machine.
fn is_of_the_machine(path: &str) -> bool {
    let drive =
        matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let schemes = ["file:", "~/", "~\\", "..\\", "\\\\", "//"];
    drive || schemes.iter().any(|scheme| path.starts_with(scheme))
}

/// Whether `path` has no sign of a glob, placeholder, pointer or URL.
fn is_plain(path: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "*?[]{}<>|\"`\\…".contains(c);
    !path.contains(odd) && !path.contains("://") && !path.ends_with('/')
}

fn of_path(path: &str) -> Reference<'_> {
    if let Some(rest) = path.strip_prefix("@role:") {
        return match rest.split_once('/') {
            Some((role, path)) if !role.is_empty() => Reference::Role { role, path },
            _ => Reference::Other,
        };
    }
    // Other tools write `@docs/x.md`.
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

/// `specialist/security`, or `specialists/specialist-security.md`, which means the same.
fn identity<'a>(category: &str, name: &'a str) -> Reference<'a> {
    let Some(category) = Category::from_name(category) else { return Reference::Other };
    if name.contains('/') {
        return Reference::Other;
    }
    let name = if is_markdown(name) { category.strip_prefix(stem(name)) } else { name };
    Reference::Id { category, name }
}

/// The category in the spelling of a reference.
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

/// Whether `text` certainly names a context next to a rule or "Load".
pub fn is_context(text: &str) -> bool {
    match parse(text).0 {
        Reference::Root { path } => path.starts_with("contexts/"),
        Reference::Workspace { path } => path.contains("/contexts/"),
        Reference::Relative { path } => is_markdown(path),
        Reference::Name { .. } | Reference::Id { .. } | Reference::Role { .. } => true,
        Reference::Outside | Reference::Other => false,
    }
}

/// Whether `text` is a reference anywhere in backticks, in a link or in a table.
fn is_certain(text: &str) -> bool {
    let path = text.split('#').next().unwrap_or(text);
    match parse(text).0 {
        Reference::Root { .. } | Reference::Workspace { .. } => path.starts_with('/'),
        Reference::Relative { path } => is_markdown(path),
        Reference::Name { name } => is_markdown(name) && Category::from_prefix(name).is_some(),
        Reference::Id { .. } => CATEGORIES
            .iter()
            .any(|row| path.strip_prefix(row.name).is_some_and(|rest| rest.starts_with('/'))),
        Reference::Role { .. } => true,
        Reference::Outside | Reference::Other => false,
    }
}

pub fn is_markdown(path: &str) -> bool {
    Utf8Path::new(path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

fn stem(name: &str) -> &str {
    Utf8Path::new(name).file_stem().unwrap_or(name)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundReference {
    pub text: String,
    pub span: Span,
    /// Whether it is next to "Load" or an arrow, or in a rule table.
    pub load: bool,
    /// Whether it may be missing ("if present", "if exists").
    pub optional: bool,
}

/// The references in `lines`, in order. Without globs, placeholders, pointers and URLs, and without
/// code blocks.
pub fn scan(sources: &SourceMap, lines: &[Line]) -> Vec<FoundReference> {
    scan_all(sources, lines).0
}

/// The references in `lines`, and separately every word, code span or link with a `*` or a `{`,
/// which may be a glob or a path with a placeholder. Both in order.
pub fn scan_all(sources: &SourceMap, lines: &[Line]) -> (Vec<FoundReference>, Vec<FoundReference>) {
    let prose = Prose::read(sources, lines);
    let mut scan = ReferenceScan {
        prose: &prose,
        headings: Vec::new(),
        announced: false,
        found: Vec::new(),
        patterns: Vec::new(),
    };
    scan.blocks(&prose.blocks);
    (scan.found, scan.patterns)
}

struct ReferenceScan<'a> {
    prose: &'a Prose<'a>,
    /// The headings above: level, and whether they say "if present".
    headings: Vec<(u8, bool)>,
    /// Whether an earlier paragraph of the section says so.
    announced: bool,
    found: Vec<FoundReference>,
    /// Tokens that are not references to one file because of `*` or `{`.
    patterns: Vec<FoundReference>,
}

impl ReferenceScan<'_> {
    fn blocks(&mut self, blocks: &[ProseBlock]) {
        for block in blocks {
            match &block.node {
                ProseNode::Heading(level, inline) => {
                    self.headings.retain(|(above, _)| above < level);
                    self.headings.push((*level, says_optional(inline.text())));
                    self.announced = false;
                    self.inline(inline, Place::Prose);
                }
                ProseNode::Paragraph(inline) => {
                    let before = self.found.len() + self.patterns.len();
                    self.inline(inline, Place::Prose);
                    // A paragraph with references is about these alone.
                    let names_nothing = before == self.found.len() + self.patterns.len();
                    self.announced |= names_nothing && says_optional(inline.text());
                }
                ProseNode::List(items) => {
                    for item in items {
                        self.inline(&item.inline, Place::Prose);
                        self.blocks(&item.children);
                    }
                }
                ProseNode::Table(table) => {
                    let is_rules = super::rules::is_rule_table(table);
                    let place = if is_rules { Place::RuleTable } else { Place::Table };
                    for cell in table.header.iter().chain(table.rows.iter().flatten()) {
                        self.inline(cell, place);
                    }
                }
                ProseNode::Quote(blocks) => self.blocks(blocks),
                ProseNode::Opaque => {}
            }
        }
    }

    fn inline(&mut self, inline: &Inline, place: Place) {
        let optional = self.announced
            || self.headings.iter().any(|&(_, optional)| optional)
            || says_optional(inline.text());
        let mut load = place == Place::RuleTable;
        for token in tokens(inline, &inline.all()) {
            if is_reference(&token, load, place) {
                let found = self.prose.spanned(inline, &token.range);
                self.found.push(FoundReference {
                    text: found.value,
                    span: found.span,
                    load,
                    optional,
                });
                continue;
            }
            if token.kind != TokenKind::Mark && token.text.contains(['*', '{']) {
                let found = self.prose.spanned(inline, &token.range);
                self.patterns.push(FoundReference {
                    text: found.value,
                    span: found.span,
                    load,
                    optional,
                });
            }
            if is_load(&token) || token.kind == TokenKind::Arrow {
                load = true;
            } else if token.kind == TokenKind::Word && !is_filler(&token) {
                load = place == Place::RuleTable;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Prose,
    Table,
    RuleTable,
}

fn is_reference(token: &Token<'_>, load: bool, place: Place) -> bool {
    match token.kind {
        TokenKind::Code | TokenKind::Link => {
            is_certain(token.text) || (load && is_context(token.text))
        }
        TokenKind::Word | TokenKind::Quoted if place != Place::Prose => {
            is_certain(token.text) || (load && is_context(token.text))
        }
        // Next to "Load", "reference-free" is still a word.
        TokenKind::Word => load && is_context(token.text) && token.text.contains(['.', '/']),
        _ => false,
    }
}

/// Whether `text` says that something may be missing.
pub(super) fn says_optional(text: &str) -> bool {
    let text = crate::markdown::collapse(text).to_lowercase();
    ["if present", "if exists", "if it exists", "if they exist"]
        .iter()
        .any(|say| text.contains(say))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::lines_of;

    #[test]
    fn spellings_are_told_apart() {
        use Reference::{Id, Name, Other, Outside, Relative, Role, Root, Workspace};
        let id = |category, name| Id { category, name };
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
        for text in [
            "",
            "#x",
            "src/main",
            "security",
            ".md",
            "/contexts/",
            "/contexts/standards/*.md",
            "platform-{detected}.md",
            "config.yml -> custom_contexts[]",
            "https://example.org/a.md",
            "@role:r",
            "@role:/x",
            "specialist/a/b",
        ] {
            assert_eq!(parse(text).0, Other, "{text}");
        }
    }

    fn scanned(text: &str) -> Vec<(String, bool, bool)> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let lines = lines_of(&sources, file, 0..text.len());
        let found = scan(&sources, &lines);
        for found in &found {
            assert_eq!(sources.text(found.span), found.text);
        }
        found.into_iter().map(|found| (found.text, found.load, found.optional)).collect()
    }

    #[test]
    fn references_stand_in_links_backticks_and_tables() {
        let text = "See [a](/tasks/a.md) and [b](./b.md#X), `standards-c.md`, `specialist/d`.\n\n\
            `README.md`, `src/main` and standards-prose.md are none, nor is [x](https://e.org).\n\n\
            | Topic | File |\n|---|---|\n| x | playbook-e.md |\n| y | guide.md |\n\n\
            > `/contexts/f.md`\n\n```\n`/contexts/no.md`\n```\n\n    `/contexts/no.md`\n";
        let names: Vec<_> = scanned(text).into_iter().map(|(name, ..)| name).collect();
        let expected = [
            "/tasks/a.md",
            "./b.md#X",
            "standards-c.md",
            "specialist/d",
            "playbook-e.md",
            "guide.md",
            "/contexts/f.md",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_bare_name_counts_beside_load_and_in_rule_tables() {
        let text = "- Load guide.md, then read other.md\n- \"x\" → `notes.md` and `more.md`\n\n\
            | Keywords | Context |\n|---|---|\n| x | extra.md |\n\n\
            ## Extras (if present)\n\n- Load all: `/contexts/standards/*.md`\n- Load `./x.md`\n";
        let plain = |name: &str, optional| (name.to_owned(), true, optional);
        assert_eq!(
            scanned(text),
            [
                plain("guide.md", false),
                plain("notes.md", false),
                plain("more.md", false),
                plain("extra.md", false),
                plain("./x.md", true),
            ]
        );
    }

    #[test]
    fn spans_survive_inserted_lines_and_byte_offsets() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), "---\n---\nSee `specialist-ü.md`.\n".to_owned());
        let mut lines = lines_of(&sources, file, 8..sources.get(file).text.len());
        lines.insert(0, Line::inserted(lines[0].origin, ""));
        let found = scan(&sources, &lines);
        assert_eq!(sources.text(found[0].span), "specialist-ü.md");
    }
}
