//! Expands `<!-- faber: include PATH#Heading -->`.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::Diagnostic;
use crate::line::{self, Line};
use crate::markdown;
use crate::parse::fields::Fields;
use crate::parse::include::directives;
use crate::parse::{fence, frontmatter, references};
use crate::readable::{Refusal, refused_path};
use crate::resolve::cycles::in_a_circle;
use crate::resolve::index::{ReferenceOrigin, candidates};
use crate::resolve::tree;
use crate::resolve::view::{View, Why};
use crate::rules::{dangling_reference, forbidden_file, include_cycle, include_depth, path_escape};
use crate::source::{FileId, SourceMap, Span};

pub const MAX_DEPTH: usize = 16;

/// Per document: it could grow exponentially within [`MAX_DEPTH`].
pub(crate) const MAX_INCLUDES: usize = 10_000;

/// Included files count in full.
pub const MAX_BYTES: usize = 8 << 20;

#[derive(Default)]
struct IncludeState {
    stack: Vec<FileId>,
    spans: Vec<Span>,
    includes: usize,
    bytes: usize,
    is_full: bool,
}

impl IncludeState {
    fn take(&mut self, bytes: usize) -> Option<String> {
        self.includes += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.includes > MAX_INCLUDES {
            return Some(format!("more than {MAX_INCLUDES} includes"));
        }
        (self.bytes > MAX_BYTES).then(|| format!("more than {} MiB of text", MAX_BYTES >> 20))
    }
}

#[derive(Clone, Copy)]
pub struct Expander<'a> {
    pub sources: &'a SourceMap,
    pub role_root: Option<&'a Utf8Path>,
    pub role_homes: &'a [Utf8PathBuf],
    pub inclusion: &'a (dyn Fn(FileId) -> Inclusion + Sync),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inclusion {
    Allowed,
    /// Not mentioned: no access, or an unmet condition.
    Silent,
    Unused(String),
}

impl Inclusion {
    pub fn of(view: &View, fields: &Fields) -> Self {
        if !view.may_see(fields) {
            return Self::Silent;
        }
        match view.leaves_out(fields) {
            None => Self::Allowed,
            Some((Why::When, _)) => Self::Silent,
            Some((_, reason)) => Self::Unused(reason),
        }
    }

    /// Outside of `contexts`, other tools have their own `status`.
    pub fn of_file(view: &View, sources: &SourceMap, file: FileId) -> Self {
        let fields = access_of(sources, file);
        let is_foreign = !sources.path(file).components().any(|it| it.as_str() == "contexts");
        if is_foreign && fields.use_unclear.is_some() && view.may_see(&fields) {
            return Self::Allowed;
        }
        Self::of(view, &fields)
    }
}

impl Expander<'_> {
    pub fn lines(&self, file: FileId, body: usize, found: &mut Vec<Diagnostic>) -> Vec<Line> {
        let bytes = self.sources.get(file).text.len() - body;
        let mut walk = IncludeState { stack: vec![file], bytes, ..IncludeState::default() };
        self.expand(&mut walk, body, found)
    }

    pub fn from(&self, file: FileId) -> ReferenceOrigin<'_> {
        ReferenceOrigin::of(self.sources, file, self.role_homes)
    }

    fn expand(
        &self,
        walk: &mut IncludeState,
        body: usize,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<Line> {
        let file = walk.stack[walk.stack.len() - 1];
        let text = &self.sources.get(file).text;
        let own = line::lines_of(self.sources, file, body..text.len());
        let directives = directives(&text[body..]);
        if directives.is_empty() {
            return own;
        }
        let mut lines = Vec::with_capacity(own.len());
        let mut next = 0;
        for directive in directives {
            lines.extend_from_slice(&own[next..directive.line]);
            next = directive.line + 1;
            if walk.is_full {
                continue;
            }
            let span = Span::new(file, body + directive.bytes.start, body + directive.bytes.end);
            match self.included(&directive.target, span, walk, found) {
                Ok(included) => {
                    let indented = |line| self.indented(line, &directive.indent);
                    lines.extend(included.into_iter().map(indented));
                }
                Err(why) => found.extend(why.map(|why| *why)),
            }
        }
        lines.extend_from_slice(&own[next..]);
        lines
    }

    fn included(
        &self,
        target: &str,
        span: Span,
        walk: &mut IncludeState,
        found: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Line>, Option<Box<Diagnostic>>> {
        let refused = |why: Diagnostic| Err(Some(Box::new(why)));
        let (reference, anchor) = references::parse(target);
        let from = self.from(span.file);
        let Some(paths) = candidates(&reference, from, self.role_root, self.role_homes) else {
            return refused(outside(span, target));
        };
        if let Some(refusal) = paths.iter().find_map(|path| refused_path(path)) {
            return refused(forbidden(span, target, &refusal));
        }
        let Some(file) = paths.iter().find_map(|path| self.sources.find(path)) else {
            let is_path = ["/", "./", "../"].iter().any(|start| target.starts_with(start));
            let message = if is_path { "does not exist" } else { "is not a path to include" };
            let finding = dangling_reference::RULE.at(span, format!("`{target}` {message}"));
            let beside = format!("./{target}");
            let beside_reference = references::parse(&beside).0;
            let near = candidates(&beside_reference, from, self.role_root, self.role_homes);
            let is_beside = near.into_iter().flatten().any(|it| self.sources.find(&it).is_some());
            let help = if !is_path && is_beside {
                format!("did you mean `{beside}`?")
            } else {
                "include a file by `/contexts/…`, `./…` or `../…`".to_owned()
            };
            return refused(finding.help(help));
        };
        if let Some(at) = walk.stack.iter().position(|known| *known == file) {
            return refused(self.cycle(&walk.spans[at..], span));
        }
        if walk.stack.len() > MAX_DEPTH {
            return refused(self.too_deep(file, span, &walk.stack));
        }
        if self.sources.is_forbidden(file) {
            return Err(None);
        }
        match (self.inclusion)(file) {
            Inclusion::Allowed => {}
            Inclusion::Silent => return Err(None),
            Inclusion::Unused(reason) => return refused(unused(span, target, &reason)),
        }
        let text = &self.sources.get(file).text;
        let body = fence::body(text);
        if let Some(excess) = walk.take(text.len() - body) {
            walk.is_full = true;
            let path = self.sources.path(walk.stack[0]);
            let message = format!("`{path}` exceeds a limit here: {excess}");
            let finding = include_depth::RULE.at(span, message);
            return refused(finding.help("include each file once, or split the document"));
        }
        walk.stack.push(file);
        walk.spans.push(span);
        let mut lines = self.expand(walk, body, found);
        walk.stack.pop();
        walk.spans.pop();
        let closer = markdown::closer(&line::join(self.sources, &lines));
        if let (Some(last), Some(closer)) = (lines.last(), closer) {
            lines.push(Line::inserted(last.origin, &closer));
        }
        let Some(anchor) = anchor.filter(|_| !walk.is_full) else { return Ok(lines) };
        if let Some(section) = tree::defined_section(self.sources, &lines, anchor) {
            return Ok(section);
        }
        let message = format!("`{}` has no section `{anchor}`", self.sources.path(file));
        refused(dangling_reference::RULE.at(span, message))
    }

    fn indented(&self, line: Line, indent: &str) -> Line {
        let text = line.text(self.sources);
        if indent.is_empty() || text.is_empty() {
            return line;
        }
        Line::inserted(line.origin, &format!("{indent}{text}"))
    }

    fn cycle(&self, includes: &[Span], last: Span) -> Diagnostic {
        let mut cycle = [includes, &[last]].concat();
        let path = |span: &Span| self.sources.path(span.file);
        let first = (0..cycle.len()).min_by_key(|&at| path(&cycle[at])).unwrap_or(0);
        cycle.rotate_left(first);
        let steps = cycle.iter().map(|span| (path(span), Some(*span)));
        in_a_circle(&include_cycle::RULE, "a cycle of includes", steps)
            .help("remove one of the includes")
    }

    fn too_deep(&self, file: FileId, span: Span, stack: &[FileId]) -> Diagnostic {
        let names = stack.iter().chain([&file]).map(|&file| self.sources.path(file).as_str());
        let chain = names.collect::<Vec<_>>().join(" → ");
        include_depth::RULE
            .at(span, format!("includes nested more than {MAX_DEPTH} deep: {chain}"))
            .help("include the last file directly")
    }
}

pub fn outside(span: Span, target: &str) -> Diagnostic {
    let (is, help) = if target.starts_with('/') && !target.contains("..") {
        (
            "an absolute path outside",
            "copy the file into the workspace and use a path from this file (`./`, `../`) or `/contexts/…`, `/tasks/…`, `/flows/…` or `/.faber/…`",
        )
    } else {
        ("outside", "only files of the workspace are read; copy the file into it")
    };
    path_escape::RULE.at(span, format!("`{target}` is {is} the workspace")).help(help)
}

pub fn forbidden(span: Span, target: &str, refusal: &Refusal) -> Diagnostic {
    forbidden_file::RULE
        .at(span, format!("`{target}` is not read: {refusal}"))
        .help("name a Markdown or text file that is part of the repository")
}

fn unused(span: Span, target: &str, reason: &str) -> Diagnostic {
    dangling_reference::RULE
        .at(span, format!("`{target}` is not included: {reason}"))
        .exceptional()
        .help("remove the include, or update the file")
}

pub fn access_of(sources: &SourceMap, file: FileId) -> Arc<Fields> {
    frontmatter::read(sources, file, frontmatter::FrontKind::Context).value.front.fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(files: &[(&str, &str)]) -> (String, Vec<String>) {
        let mut sources = SourceMap::default();
        let ids: Vec<_> = files
            .iter()
            .map(|(path, text)| sources.add((*path).into(), (*text).to_owned()))
            .collect();
        let expander = Expander {
            sources: &sources,
            role_root: None,
            role_homes: &[],
            inclusion: &|_| Inclusion::Allowed,
        };
        let mut found = Vec::new();
        let lines = expander.lines(ids[0], 0, &mut found);
        (line::join(&sources, &lines), found.into_iter().map(|d| d.message).collect())
    }

    #[test]
    fn a_directive_becomes_the_body_or_one_section() {
        let (text, found) = expand(&[
            (
                "contexts/a.md",
                "# A\n\n<!-- faber: include ./p.md -->\n<!-- faber: include /contexts/p.md#Two -->\n\nend\n",
            ),
            ("contexts/p.md", "---\nname: p\n---\n# One\n\nx\n\n# Two\n\ny\n"),
        ]);
        assert_eq!(text, "# A\n\n# One\n\nx\n\n# Two\n\ny\n# Two\n\ny\n\nend\n");
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn an_included_text_changes_nothing_around_it() {
        let include = "<!-- faber: include ./p.md#A -->";
        let (text, found) = expand(&[
            ("a.md", &format!("1. a\n\n   {include}\n\n2. b\n\n {include}\n\nend\n")),
            ("p.md", "[y]: /y\n[z]: /z\n\n# A\n\n[x] [y]\n\n```\ncode\n\n[x]: /x\n"),
        ]);
        let part = "# A\n\n[x] [y]\n\n```\ncode\n\n[x]: /x\n```\n\n[y]: /y\n";
        let inner = part.trim_end().replace('\n', "\n   ").replace("   \n", "\n");
        assert_eq!(text, format!("1. a\n\n   {inner}\n\n2. b\n\n{part}\nend\n"));
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn directives_in_code_are_text() {
        let code = "```\n<!-- faber: include ./p.md -->\n```\n";
        let item = format!("1. a\n\n   {}", code.trim_end().replace('\n', "\n   "));
        let quoted = format!("> {}", code.trim_end().replace('\n', "\n> "));
        for text in [code, &item, &quoted, &format!(":::note\n\n{code}\n:::\n")] {
            let (expanded, found) = expand(&[("a.md", text)]);
            assert_eq!((expanded.trim_end(), found.len()), (text.trim_end(), 0));
        }
    }

    #[test]
    fn cycles_dead_ends_and_escapes_are_told() {
        let (_, found) = expand(&[
            (
                "a.md",
                "<!-- faber: include ./b.md -->\n<!-- faber: include ./c.md -->\n<!-- faber: include ../x.md -->\n",
            ),
            ("b.md", "<!-- faber: include ./a.md -->\n"),
        ]);
        assert_eq!(
            found,
            [
                "a cycle of includes: a.md → b.md → a.md",
                "`./c.md` does not exist",
                "`../x.md` is outside the workspace",
            ]
        );
    }

    #[test]
    fn a_cycle_is_one_wherever_it_is_met() {
        let include = |name: &str| format!("<!-- faber: include ./{name}.md -->\n");
        let texts = [("1", "2"), ("2", "3"), ("3", "1"), ("0", "2")]
            .map(|(name, next)| (format!("{name}.md"), include(next)));
        let mut files: Vec<_> = texts.iter().map(|(path, text)| (&**path, &**text)).collect();
        for _ in 0..files.len() {
            files.rotate_left(1);
            let (_, found) = expand(&files);
            assert_eq!(found, ["a cycle of includes: 1.md → 2.md → 3.md → 1.md"], "{files:?}");
        }
    }

    #[test]
    fn a_long_chain_ends() {
        let files: Vec<_> = (0..20)
            .map(|n| (format!("{n}.md"), format!("<!-- faber: include ./{}.md -->\n", n + 1)))
            .collect();
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let (_, found) = expand(&files);
        assert!(
            found.len() == 1 && found[0].starts_with("includes nested more than 16 deep"),
            "{found:?}"
        );
    }

    #[test]
    fn includes_that_multiply_end_with_one_error() {
        let files: Vec<_> = (0..15)
            .map(|n| {
                let include = format!("<!-- faber: include ./{}.md#A -->\n", n + 1);
                (format!("{n}.md"), format!("# A\n\n{}", include.repeat(20)))
            })
            .chain([("15.md".to_owned(), "# A\n\nend\n".to_owned())])
            .collect();
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let (text, found) = expand(&files);
        assert_eq!(found, ["`0.md` exceeds a limit here: more than 10000 includes"]);
        assert!(text.matches("end\n").count() < MAX_INCLUDES);
    }

    #[test]
    fn includes_of_large_files_end_with_one_error() {
        let large = "x\n".repeat(1 << 20);
        let (text, found) =
            expand(&[("a.md", &"<!-- faber: include ./b.md -->\n".repeat(9)), ("b.md", &large)]);
        assert_eq!(found, ["`a.md` exceeds a limit here: more than 8 MiB of text"]);
        assert_eq!(text.len(), 3 * large.len());
    }
}
