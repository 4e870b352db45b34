//! Test directives of a page.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// For `sh`, a copy of this repository's workspace; otherwise an empty folder.
pub(super) const REPOSITORY: &str = "repository";
const SCRATCH: &str = "scratch";

#[derive(Debug)]
pub(super) struct Page {
    pub(super) steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) enum Step {
    /// `<!-- run: COMMAND -->`
    Run {
        place: String,
        command: String,
        at: String,
    },
    Block(Block),
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) language: String,
    pub(super) text: String,
    pub(super) range: Option<Range<usize>>,
    pub(super) at: String,
    /// `<!-- in: NAME -->`, from here on.
    pub(super) place: String,
    /// From a paragraph `` `PATH`: ``.
    pub(super) file: Option<String>,
    /// `<!-- output: COMMAND -->`
    pub(super) output: Option<String>,
    /// `<!-- status: N -->`, of the last command.
    pub(super) status: i32,
}

#[derive(Debug, Default)]
struct Said {
    place: Option<String>,
    file: Option<String>,
    output: Option<String>,
    status: i32,
}

impl Page {
    pub(super) fn read(path: &str, text: &str) -> Self {
        let mut steps = Vec::new();
        let mut said = Said::default();
        let mut events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
        while let Some((event, range)) = events.next() {
            let line = text[..range.start].matches('\n').count() + 1;
            let at = format!("{path}:{line}");
            match event {
                Event::Start(Tag::HtmlBlock) => {
                    for comment in comments(&text[range]) {
                        steps.extend(said.hear(comment, &at));
                    }
                }
                Event::Start(Tag::Paragraph) => {
                    said.file = path_of(&text[range]).map(str::to_owned);
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let (mut code, mut bytes) = (String::new(), Vec::new());
                    while let Some((Event::Text(piece), range)) = events.next() {
                        code.push_str(&piece);
                        bytes.push(range);
                    }
                    let whole = bytes.first().map(|first| first.start..bytes[bytes.len() - 1].end);
                    let range = whole.filter(|range| text[range.clone()] == code);
                    steps.push(Step::Block(said.block(info.to_string(), code, range, at)));
                }
                _ => {}
            }
        }
        assert!(
            said.file.is_none() && said.output.is_none(),
            "{path}: what is said of a block has none"
        );
        Self { steps }
    }
}

fn comments(html: &str) -> impl Iterator<Item = &str> {
    html.split("-->").filter_map(|piece| Some(piece.trim().strip_prefix("<!--")?.trim()))
}

fn path_of(paragraph: &str) -> Option<&str> {
    let path = paragraph.trim().strip_prefix('`')?.strip_suffix("`:")?;
    (!path.contains(['`', ' '])).then_some(path)
}

impl Said {
    fn hear(&mut self, comment: &str, at: &str) -> Option<Step> {
        let (key, value) = comment.split_once(':').unwrap_or((comment, ""));
        let value = value.trim().to_owned();
        match key.trim() {
            "in" => self.place = Some(value),
            "output" => self.output = Some(value),
            "status" => self.status = value.parse().unwrap_or_else(|_| panic!("{at}: {comment}")),
            "run" => {
                let place = self.place.clone().unwrap_or_else(|| SCRATCH.to_owned());
                return Some(Step::Run { place, command: value, at: at.to_owned() });
            }
            "faber" => {}
            _ => panic!("{at}: no page can ask for `{comment}`"),
        }
        None
    }

    fn block(
        &mut self,
        language: String,
        text: String,
        range: Option<Range<usize>>,
        at: String,
    ) -> Block {
        let plain = language == "sh" && self.file.is_none();
        let default = if plain { REPOSITORY } else { SCRATCH };
        Block {
            place: self.place.clone().unwrap_or_else(|| default.to_owned()),
            file: self.file.take(),
            output: self.output.take(),
            status: std::mem::take(&mut self.status),
            language,
            text,
            range,
            at,
        }
    }
}

impl Block {
    #[track_caller]
    pub(super) fn parses(&self) {
        let wrong = match self.language.as_str() {
            "json" => serde_json::Deserializer::from_str(&self.text)
                .into_iter::<serde_json::Value>()
                .find_map(Result::err)
                .map(|error| error.to_string()),
            "yaml" => serde_yaml::from_str::<serde_json::Value>(&self.text)
                .err()
                .map(|error| error.to_string()),
            _ => None,
        };
        assert_eq!(wrong, None, "{}", self.at);
    }
}

#[cfg(test)]
mod tests {
    use super::{Page, Step};

    #[test]
    fn comments_are_about_what_follows() {
        let page = Page::read(
            "p.md",
            "<!-- in: a -->\n`x/y.md`:\n\n```markdown\nz\n```\n\n<!-- run: b -->\n\
             <!-- status: 3 -->\n```sh\nc\n```\n\n- d\n  ```sh\n  e\n  f\n  ```\n",
        );
        let mut shown = Vec::new();
        for step in &page.steps {
            shown.push(match step {
                Step::Run { place, command, at } => format!("{at} {place} run {command}"),
                Step::Block(b) => {
                    let file = b.file.as_deref().unwrap_or("-");
                    let (at, place, status, text) = (&b.at, &b.place, b.status, &b.text);
                    format!("{at} {place} {file} {status} {text:?} {}", b.range.is_some())
                }
            });
        }
        assert_eq!(
            shown,
            [
                "p.md:4 a x/y.md 0 \"z\\n\" true",
                "p.md:8 a run b",
                "p.md:10 a - 3 \"c\\n\" true",
                "p.md:15 a - 0 \"e\\nf\\n\" false",
            ]
        );
    }

    #[test]
    #[should_panic(expected = "p.md:1: no page can ask for `fil: x`")]
    fn a_slip_in_a_comment_is_found() {
        Page::read("p.md", "<!-- fil: x -->\n");
    }
}
