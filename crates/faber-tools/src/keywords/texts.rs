//! The parts of a context that terms are taken from.

use faber_core::markdown::{BlockKind, Lines, blocks};
use faber_core::resolve::catalog::Resolved;
use faber_core::source::SourceMap;

/// The most headings that are read; a context with more is a reference of many subjects.
const MOST_HEADINGS: usize = 40;

/// The parts of a context, without code blocks.
#[derive(Debug, Default)]
pub(super) struct KeywordTexts {
    /// The name of its id, in words.
    pub name: String,
    /// Its first heading, if that is of level 1.
    pub title: String,
    pub description: String,
    /// The other headings.
    pub headings: Vec<String>,
    /// All text but code, with headings.
    pub prose: String,
}

impl KeywordTexts {
    pub(super) fn new(context: &Resolved, sources: &SourceMap) -> Self {
        let body = context.body.text(sources);
        let lines = Lines::new(&body);
        let description = context.front.fields.description.as_ref();
        let mut texts = Self {
            name: context.id.name.replace(['-', '_'], " "),
            description: description.map(|text| text.value.clone()).unwrap_or_default(),
            ..Self::default()
        };
        let mut is_first = true;
        for block in blocks(&body) {
            match block.kind {
                BlockKind::Fence | BlockKind::IndentedCode | BlockKind::Html => continue,
                BlockKind::Heading { level: 1, text } if is_first => texts.title = text,
                BlockKind::Heading { text, .. } if texts.headings.len() < MOST_HEADINGS => {
                    texts.headings.push(text);
                }
                _ => {}
            }
            is_first = false;
            for line in block.lines {
                texts.prose.push_str(&body[lines.range(line)]);
                texts.prose.push('\n');
            }
            texts.prose.push('\n');
        }
        texts
    }

    /// What says what the context is about, in paragraphs of their own.
    pub(super) fn head(&self) -> String {
        [&*self.name, &*self.title, &*self.description].join("\n\n")
    }

    /// Everything but code.
    pub(super) fn all(&self) -> String {
        [&*self.name, &*self.description, &*self.prose].join("\n\n")
    }
}
