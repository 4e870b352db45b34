use faber_core::markdown::{BlockKind, Lines, blocks};
use faber_core::resolve::catalog::Context;
use faber_core::source::SourceMap;

const MAX_HEADINGS: usize = 40;

#[derive(Debug, Default)]
pub(super) struct KeywordTexts {
    pub name: String,
    pub title: String,
    pub description: String,
    pub headings: Vec<String>,
    pub prose: String,
}

impl KeywordTexts {
    pub(super) fn new(context: &Context, sources: &SourceMap) -> Self {
        let body = context.body.text(sources);
        let lines = Lines::new(&body);
        let description = context.front.fields.description.as_ref();
        let mut texts = Self {
            name: context.id.name.replace(['-', '_'], " "),
            description: description.map(|text| without_addresses(&text.value)).unwrap_or_default(),
            ..Self::default()
        };
        let mut is_first = true;
        for block in blocks(&body) {
            match block.kind {
                BlockKind::Fence | BlockKind::IndentedCode | BlockKind::Html => continue,
                BlockKind::Heading { level: 1, text, .. } if is_first => texts.title = text,
                BlockKind::Heading { text, .. } if texts.headings.len() < MAX_HEADINGS => {
                    texts.headings.push(text);
                }
                _ => {}
            }
            is_first = false;
            for line in block.lines {
                texts.prose.push_str(&without_addresses(&body[lines.range(line)]));
                texts.prose.push('\n');
            }
            texts.prose.push('\n');
        }
        texts
    }

    pub(super) fn head(&self) -> String {
        [&*self.name, &*self.title, &*self.description].join("\n\n")
    }

    pub(super) fn all(&self) -> String {
        [&*self.name, &*self.description, &*self.prose].join("\n\n")
    }
}

fn without_addresses(line: &str) -> String {
    let is_definition = line.trim_start().starts_with('[');
    let line = line.split_once("]: ").filter(|_| is_definition).map_or(line, |(label, _)| label);
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((label, target)) = rest.split_once("](") {
        out.push_str(label);
        out.push(']');
        rest = target.split_once(')').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    let is_address = |word: &str| word.contains("://") || word.contains("www.");
    let words = out.split_inclusive(char::is_whitespace);
    words.map(|word| if is_address(word) { " " } else { word }).collect()
}

#[cfg(test)]
mod tests {
    use super::without_addresses;

    #[test]
    fn addresses_are_left_out() {
        for (line, words) in [
            ("See [the guide](https://acme.io/guide) now", "See [the guide] now"),
            ("See [a](../x/y.md#z), [b](c.md).", "See [a], [b]."),
            ("At https://acme.io/kibana and <http://b.io>.", "At  and  "),
            ("[guide]: https://acme.io/guide", "[guide"),
            ("Arrays [1, 2] and `f(x)`: fine", "Arrays [1, 2] and `f(x)`: fine"),
        ] {
            assert_eq!(without_addresses(line).trim_end(), words.trim_end(), "{line}");
        }
    }
}
