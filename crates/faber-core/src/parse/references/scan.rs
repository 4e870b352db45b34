//! Finds the references in a text.

use camino::Utf8Path;

use super::{OptionalSections, Reference, is_context, is_markdown, parse, says_optional};
use crate::category::{CATEGORIES, Category};
use crate::line::Line;
use crate::packs::names::qualified;
use crate::parse::prose::{Inline, Prose, ProseBlock, ProseNode, Token, TokenKind};
use crate::parse::rules;
use crate::parse::rules::words::{is_filler, is_load};
use crate::source::{SourceMap, Span, Spanned};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundReference {
    pub text: String,
    pub span: Span,
    /// After "Load", next to an arrow or in a rule table.
    pub load: bool,
    pub optional: bool,
}

/// Ignores code blocks, globs, placeholders, pointers and URLs.
pub fn references(sources: &SourceMap, lines: &[Line]) -> Vec<FoundReference> {
    references_and_patterns(sources, lines).0
}

pub fn references_and_patterns(
    sources: &SourceMap,
    lines: &[Line],
) -> (Vec<FoundReference>, Vec<FoundReference>) {
    let prose = Prose::read(sources, lines);
    let mut scan = ReferenceScan {
        prose: &prose,
        optional: OptionalSections::default(),
        found: Vec::new(),
        patterns: Vec::new(),
    };
    scan.blocks(&prose.blocks);
    (scan.found, scan.patterns)
}

struct ReferenceScan<'a> {
    prose: &'a Prose<'a>,
    optional: OptionalSections,
    found: Vec<FoundReference>,
    patterns: Vec<FoundReference>,
}

impl ReferenceScan<'_> {
    fn blocks(&mut self, blocks: &[ProseBlock]) {
        for block in blocks {
            match &block.node {
                ProseNode::Heading(level, inline) => {
                    self.optional.enter(*level, inline.text());
                    self.inline(inline, LinkPlace::Prose);
                }
                ProseNode::Paragraph(inline) => {
                    let before = self.found.len() + self.patterns.len();
                    self.inline(inline, LinkPlace::Prose);
                    let names_nothing = before == self.found.len() + self.patterns.len();
                    self.optional.announced |= names_nothing && says_optional(inline.text());
                }
                ProseNode::List(items) => {
                    for item in items {
                        self.inline(&item.inline, LinkPlace::Prose);
                        self.blocks(&item.children);
                    }
                }
                ProseNode::Table(table) => {
                    let is_rules = rules::is_rule_table(table);
                    let place = if is_rules { LinkPlace::RuleTable } else { LinkPlace::Table };
                    for cell in table.header.iter().chain(table.rows.iter().flatten()) {
                        self.inline(cell, place);
                    }
                }
                ProseNode::Quote(blocks) => self.blocks(blocks),
                ProseNode::Opaque => {}
            }
        }
    }

    fn inline(&mut self, inline: &Inline, place: LinkPlace) {
        let optional = self.optional.is_optional() || says_optional(inline.text());
        let mut load = place == LinkPlace::RuleTable;
        let found = |token: &Token<'_>, load| {
            let Spanned { value: text, span } = self.prose.spanned(inline, &token.range);
            FoundReference { text, span, load, optional }
        };
        for token in inline.tokens() {
            if is_reference(&token, load, place) {
                self.found.push(found(&token, load));
                continue;
            }
            if token.kind != TokenKind::Mark && token.text.contains(['*', '{']) {
                self.patterns.push(found(&token, load));
            }
            if is_load(&token) || token.kind == TokenKind::Arrow {
                load = true;
            } else if token.kind == TokenKind::Word && !is_filler(&token) {
                load = place == LinkPlace::RuleTable;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkPlace {
    Prose,
    Table,
    RuleTable,
}

fn is_reference(token: &Token<'_>, load: bool, place: LinkPlace) -> bool {
    match token.kind {
        TokenKind::Arrow | TokenKind::Mark => false,
        TokenKind::Quoted if place == LinkPlace::Prose => false,
        TokenKind::Word if place == LinkPlace::Prose => {
            load && is_context(token.text) && token.text.contains(['.', '/'])
        }
        _ => is_certain(token.text) || (load && is_context(token.text)),
    }
}

fn is_certain(text: &str) -> bool {
    let path = text.split('#').next().unwrap_or(text);
    match parse(text).0 {
        Reference::Root { .. } | Reference::Workspace { .. } => path.starts_with('/'),
        // Cursor rules may be contexts.
        Reference::Relative { path } => {
            is_markdown(path) || Utf8Path::new(path).extension() == Some("mdc")
        }
        Reference::Name { name } => is_markdown(name) && Category::from_prefix(name).is_some(),
        Reference::Id { .. } => {
            let path = qualified(path).map_or(path, |(_, path)| path);
            CATEGORIES
                .iter()
                .any(|row| path.strip_prefix(row.name).is_some_and(|rest| rest.starts_with('/')))
        }
        Reference::Role { .. } => true,
        Reference::Outside | Reference::Other => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::lines_of;

    fn scanned(text: &str) -> Vec<(String, bool, bool)> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let lines = lines_of(&sources, file, 0..text.len());
        let found = references(&sources, &lines);
        for found in &found {
            assert_eq!(sources.text(found.span), found.text);
        }
        found.into_iter().map(|found| (found.text, found.load, found.optional)).collect()
    }

    #[test]
    fn references_are_in_links_backticks_and_tables() {
        let text = "See [a](/tasks/a.md) and [b](./b.md#X), `standards-c.md`, `specialist/d`, `acme:standard/g`.\n\n\
            `README.md`, `src/main` and standards-prose.md are none, nor is [x](https://e.org).\n[r](./r.mdc#X)\n\n\
            | Topic | File |\n|---|---|\n| x | playbook-e.md |\n| y | guide.md |\n\n\
            > `/contexts/f.md`\n\n```\n`/contexts/no.md`\n```\n\n    `/contexts/no.md`\n";
        let names: Vec<_> = scanned(text).into_iter().map(|(name, ..)| name).collect();
        let expected = [
            "/tasks/a.md",
            "./b.md#X",
            "standards-c.md",
            "specialist/d",
            "acme:standard/g",
            "./r.mdc#X",
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
        let found = references(&sources, &lines);
        assert_eq!(sources.text(found[0].span), "specialist-ü.md");
    }
}
