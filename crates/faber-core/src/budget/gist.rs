//! What a text says, in one sentence.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::budget::extract::is_rule;
use crate::budget::focus::introduces;
use crate::budget::sentence::PlainProse;
use crate::decision;
use crate::escape;
use crate::markdown::{self, Block, BlockKind, Containers, Lines, collapse};
use crate::terms::pieces::is_stop;
use crate::terms::words::stems;
use crate::word_list::words;

const FIRST_WORDS: usize = 12;

const MAX_LABEL_WORDS: usize = 5;

const MAX_KEY_WORDS: usize = 3;

const MAX_LIST_LABEL_WORDS: usize = 3;

/// Of a list below its introduction, in bytes.
const MAX_LISTED: usize = 120;

const COUNTER: [&str; 6] = ["avoid", "bad", "example", "mistake", "phrase", "pitfall"];

const METADATA: &[&str] = words!(
    "audience, author, authors, category, created, date, deciders, difficulty, impact, license",
    "maintainer, maintainers, modified, owner, owners, priority, published, repository, reviewed",
    "reviewers, severity, status, tags, updated, version",
);

const STATES: [&str; 4] = ["accepted", "approved", "draft", "proposed"];

const GREETINGS: [&str; 7] =
    ["congratulations", "hello", "hey", "hi", "thank you", "thanks", "welcome"];

/// The first sentence with content, for use next to an id; else the first heading, else the first
/// words.
pub fn gist(text: &str) -> Option<String> {
    located(text).map(|(_, said)| said)
}

pub(super) fn located(text: &str) -> Option<(usize, String)> {
    let first = || {
        let shown = ShownText { text: Cow::Borrowed(text), source_lines: Vec::new() };
        let reader = GistReader::new(&shown);
        let first = reader.sentences(0..reader.blocks.len()).next();
        first.map(|sentence| reader.said(sentence)).or_else(|| reader.words())
    };
    let Said { line, heading, sentence, .. } = best(text, None, true).or_else(first)?;
    Some((line, below(heading.as_deref().into_iter(), &sentence)))
}

/// For use without an id: a sentence below a subheading comes with the title. `title` replaces that
/// of the text.
pub fn description(text: &str, title: Option<&str>) -> Option<String> {
    let Said { title, heading, sentence, .. } = best(text, title, false)?;
    let words = markdown::plain_in(&sentence, text);
    let words = escape::without_unseen(words.trim_end_matches(':'));
    let headings = [title, heading];
    let words = below(headings.iter().flatten().map(String::as_str), &words);
    (!words.is_empty()).then_some(words)
}

/// Only if the description has no word of the title.
pub fn titled(title: &str, name: &str, description: &str) -> String {
    const LEAST: usize = 4;
    let content = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let long = words.filter(|word| word.chars().count() >= LEAST && !is_stop(word));
        stems(&long.collect::<Vec<_>>().join(" "))
    };
    let said: BTreeSet<String> = stems(description).into_iter().collect();
    let (title_words, name) = (content(title), content(name));
    let mut known = title_words.iter().chain(&name);
    let is_about = title_words.is_empty() || known.any(|word| said.contains(word));
    if is_about { description.to_owned() } else { below([title].into_iter(), description) }
}

fn below<'t>(headings: impl Iterator<Item = &'t str>, words: &str) -> String {
    let mut headings: Vec<&str> =
        headings.map(str::trim).filter(|heading| !words.contains(heading)).collect();
    headings.dedup();
    let headings = headings.join(", ");
    match headings.chars().next_back() {
        Some('.' | '!' | '?' | ':' | '。' | '！' | '？') => format!("{headings} {words}"),
        Some(_) => format!("{headings}: {words}"),
        None => words.to_owned(),
    }
}

struct Said {
    line: usize,
    /// Of a sentence below a subheading.
    title: Option<String>,
    /// Of a label there.
    heading: Option<String>,
    sentence: String,
}

impl Said {
    fn new(line: usize, sentence: String) -> Self {
        Self { line, title: None, heading: None, sentence }
    }
}

fn best(body: &str, title: Option<&str>, has_id: bool) -> Option<Said> {
    let start = body.trim_start();
    let is_xml = tag(start).is_some_and(|length| !start[..length].ends_with("/>"));
    let shown = ShownText::new(body, is_xml);
    let reader = GistReader::new(&shown);
    let is_statement = |sentence: &Sentence| {
        sentence.text.ends_with(['.', '!', '?', '。', '！', '？'])
            && !sentence.text.starts_with(['"', '[', '{'])
    };
    let (all, below) = (0..reader.blocks.len(), reader.first_subheading());
    let complete = || reader.sentences(all.clone()).find(is_statement);
    let above = || reader.sentences(0..below).find(|sentence| reader.says(sentence, has_id));
    let title = title.map(str::to_owned).or_else(|| reader.title());
    let is_wanted = |sentence: &Sentence| {
        let is_paragraph = reader.blocks[sentence.block].kind == BlockKind::Paragraph;
        (is_paragraph || has_id || title.is_none()) && reader.says(sentence, has_id)
    };
    let under = || {
        let sentence = reader.sentences(below..all.end).find(is_wanted)?;
        let heading = reader.heading_above(sentence.block).filter(|_| sentence.is_labelled());
        Some(Said { title: title.clone(), heading, ..reader.said(sentence) })
    };
    let named = || {
        let title = title.clone().map(|title| (0, title)).or_else(|| reader.first_heading());
        title.map(|(line, title)| Said::new(line, title))
    };
    let said = is_xml.then(complete).flatten().or_else(above).map(|one| reader.said(one));
    let introduction = || {
        let sentence = reader.sentences(all.clone()).find(|sentence| sentence.says(false));
        sentence.map(|sentence| reader.said(sentence))
    };
    said.or_else(under).or_else(named).or_else(introduction).or_else(|| reader.words())
}

struct Sentence {
    block: usize,
    /// In bytes.
    at: usize,
    text: String,
}

impl Sentence {
    fn says(&self, has_id: bool) -> bool {
        let text = &self.text;
        let is_image = text.starts_with("![") || text.starts_with("[![");
        let is_rule = || is_rule(text) && text.split_whitespace().count() > MAX_LABEL_WORDS;
        let introduces = has_id && introduces(text) && !is_rule();
        let plain = markdown::plain(text);
        // "No modules." describes nothing, but "No panics." is a rule.
        let is_ban = has_id && plain.get(..3).is_some_and(|no| no.eq_ignore_ascii_case("no "));
        !is_image && !introduces && (is_ban || !is_empty(&plain))
    }

    fn is_labelled(&self) -> bool {
        let plain = markdown::plain(&self.text);
        let key = plain.split_once(": ").filter(|_| self.text.starts_with("**"));
        key.is_some_and(|(key, _)| key.split(' ').count() <= MAX_KEY_WORDS)
    }
}

struct GistReader<'a> {
    shown: &'a ShownText<'a>,
    lines: Lines<'a>,
    prose: PlainProse<'a>,
    blocks: Vec<Block>,
}

impl<'a> GistReader<'a> {
    fn new(shown: &'a ShownText<'a>) -> Self {
        let (prose, blocks) = PlainProse::with_blocks(&shown.text);
        Self { shown, lines: Lines::new(&shown.text), prose, blocks }
    }

    fn sentences(&self, blocks: Range<usize>) -> impl Iterator<Item = Sentence> + '_ {
        let text = &*self.shown.text;
        let runs = blocks.flat_map(move |block| {
            let runs = self.prose.within(&self.lines.bytes(&self.blocks[block].lines));
            let runs = match self.blocks[block].kind {
                BlockKind::Paragraph => &runs[..runs.len().min(1)],
                BlockKind::List { .. } => {
                    let is_sentence =
                        |run: &&Range<usize>| text[(*run).clone()].ends_with(['.', '!', '?']);
                    &runs[..runs.iter().take_while(is_sentence).count()]
                }
                _ => &[],
            };
            runs.iter().map(move |run| (block, run))
        });
        let sentences = runs.flat_map(move |(block, run)| {
            let mut start = run.start;
            self.prose.ends(run).into_iter().map(move |end| {
                let sentence = text[std::mem::replace(&mut start, end)..end].trim_start();
                Sentence { block, at: end - sentence.len(), text: collapse(sentence) }
            })
        });
        sentences.filter(|sentence| !sentence.text.is_empty())
    }

    fn says(&self, sentence: &Sentence, has_id: bool) -> bool {
        let is_label = || sentence.text.split_whitespace().count() <= MAX_LIST_LABEL_WORDS;
        let is_alone =
            introduces(&sentence.text) && (is_label() || self.listed(sentence).is_none());
        !is_alone && sentence.says(has_id)
    }

    fn said(&self, sentence: Sentence) -> Said {
        let line = self.shown.source_line(self.lines.at(sentence.at));
        let text = match self.listed(&sentence) {
            Some(listed) => format!("{} {listed}", sentence.text),
            None => sentence.text,
        };
        Said::new(line, text)
    }

    fn listed(&self, sentence: &Sentence) -> Option<String> {
        let is_list = |block: &&Block| matches!(block.kind, BlockKind::List { .. });
        let next = self.blocks.get(sentence.block + 1).filter(|_| introduces(&sentence.text));
        let list = next.filter(is_list)?;
        let text = &*self.shown.text;
        let mut listed = String::new();
        for run in self.prose.within(&self.lines.bytes(&list.lines)) {
            let item = text[run.start..self.prose.ends(run)[0]].trim_end_matches(['.', ',', ';']);
            if listed.is_empty() {
                listed = collapse(item);
            } else if listed.len() + item.len() > MAX_LISTED {
                return Some(listed + "; …");
            } else {
                listed = format!("{listed}; {}", collapse(item));
            }
        }
        (!listed.is_empty()).then_some(listed)
    }

    fn headings(&self) -> impl DoubleEndedIterator<Item = (usize, u8, &str)> {
        self.blocks.iter().enumerate().filter_map(|(at, block)| match &block.kind {
            BlockKind::Heading { level, text, .. } => Some((at, *level, text.as_str())),
            _ => None,
        })
    }

    fn first_subheading(&self) -> usize {
        let mut headings = self.headings().enumerate();
        let below = headings.find(|(count, (_, level, _))| *count > 0 || *level > 1);
        below.map_or(self.blocks.len(), |(_, (at, ..))| at)
    }

    fn title(&self) -> Option<String> {
        let title = self.headings().find(|(_, level, text)| *level == 1 && !text.is_empty());
        title.map(|(.., text)| text.to_owned())
    }

    fn heading_above(&self, block: usize) -> Option<String> {
        let heading = self.headings().rev().find(|(at, ..)| *at < block);
        heading.map(|(.., text)| text.to_owned()).filter(|text| !text.is_empty())
    }

    fn first_heading(&self) -> Option<(usize, String)> {
        let (at, _, text) = self.headings().find(|(.., text)| !text.is_empty())?;
        Some((self.shown.source_line(self.blocks[at].lines.start), text.to_owned()))
    }

    fn words(&self) -> Option<Said> {
        let text = &*self.shown.text;
        if self.sentences(0..self.blocks.len()).next().is_some() {
            return None;
        }
        let containers = Containers::of(text);
        let says = |(at, line): &(usize, &str)| {
            line.contains(char::is_alphanumeric) && !containers.is_fence(*at)
        };
        let (at, line) = text.lines().enumerate().find(says).unwrap_or((0, text.trim()));
        let words: Vec<_> = line.split_whitespace().take(FIRST_WORDS).collect();
        let said = || Said::new(self.shown.source_line(at), words.join(" "));
        (!words.is_empty()).then(said)
    }
}

fn is_empty(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.take(4).collect();
    let key = lower.split_once(':').map_or("", |(key, _)| key);
    let key: Vec<&str> = key.split_whitespace().collect();
    let is_key = |word: &&str| METADATA.contains(word);
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_metadata = key.len() <= MAX_KEY_WORDS && key.last().is_some_and(is_key)
        || matches!(words[..], ["last", second, ..] if is_key(&second))
        || matches!(&words[..], [first, rest @ ..] if is_key(first) && rest.iter().all(is_number))
        || matches!(words[..], [state] if STATES.contains(&state))
        || decision::of_words(sentence).is_some();
    let greeting = GREETINGS.iter().find_map(|greeting| lower.strip_prefix(greeting));
    let is_greeting = greeting.is_some_and(|rest| {
        let is_word = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
        let is_thanks = lower.starts_with("thank");
        is_word && (is_thanks || lower.ends_with('!') || words.len() <= 3)
    });
    let is_placeholder =
        matches!(words[..], ["no", _] | ["none"] | ["n", "a"] | ["tbd" | "todo", ..])
            || lower.starts_with('{') && lower.ends_with('}');
    let value = sentence.split_once(": ").filter(|_| key.len() <= MAX_KEY_WORDS);
    let value = value.map_or(sentence, |(_, value)| value);
    let is_address = value.contains("://") && !value.contains(char::is_whitespace);
    words.is_empty() || is_address || is_metadata || is_greeting || is_placeholder
}

struct ShownText<'a> {
    text: Cow<'a, str>,
    source_lines: Vec<usize>,
}

impl<'a> ShownText<'a> {
    fn new(body: &'a str, is_xml: bool) -> Self {
        if !["<", "// ", "!!! ", "???", ":::"].iter().any(|mark| body.contains(mark)) {
            return Self { text: Cow::Borrowed(body), source_lines: Vec::new() };
        }
        let mut text = String::with_capacity(body.len());
        let mut source_lines = Vec::new();
        let mut skipped: Option<&str> = None;
        let mut aside: Option<Aside<'_>> = None;
        for (at, line) in body.lines().enumerate() {
            let is_aside = match aside {
                Some(open) if open.has(line) => true,
                Some(Aside::Until(_)) => aside.take().is_some(),
                _ => {
                    aside = Aside::at(line, body);
                    aside.is_some()
                }
            };
            if is_aside {
                continue;
            }
            let mut push = |line: &str| {
                text.push_str(line.trim_end());
                text.push('\n');
                source_lines.push(at);
            };
            let trimmed = line.trim_start();
            let counter = skipped.or_else(|| counter_example(trimmed).filter(|_| is_xml));
            if let Some(name) = counter {
                let is_closed = trimmed.contains(&format!("</{name}>"));
                skipped = (!is_closed).then_some(name);
            } else if let Some(comment) = line.strip_prefix("// ") {
                push(&format!("# {comment}"));
            } else if tag(trimmed).is_some() {
                ["", &without_tags(trimmed), ""].into_iter().for_each(push);
            } else {
                push(&without_tags(if is_xml { trimmed } else { line }));
            }
        }
        Self { text: Cow::Owned(text), source_lines }
    }

    fn source_line(&self, line: usize) -> usize {
        self.source_lines.get(line).copied().unwrap_or(line)
    }
}

/// `!!! note` of `MkDocs` and `:::note` of Docusaurus.
#[derive(Clone, Copy)]
enum Aside<'a> {
    /// In bytes, of its first line.
    Deeper(usize),
    Until(&'a str),
}

impl<'a> Aside<'a> {
    fn at(line: &'a str, body: &str) -> Option<Self> {
        let trimmed = line.trim_start();
        let is_word = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic());
        let mut marks = ["!!! ", "??? ", "???+ "].iter();
        if marks.any(|mark| trimmed.strip_prefix(mark).is_some_and(is_word)) {
            return Some(Self::Deeper(line.len() - trimmed.len()));
        }
        let rest = trimmed.trim_start_matches(':');
        let mark = &trimmed[..trimmed.len() - rest.len()];
        let rest = rest.trim_start();
        let is_open = mark.len() >= 3 && (is_word(rest) || rest.starts_with('{'));
        is_open.then_some(Self::Until(mark)).filter(|aside| body.lines().any(|it| !aside.has(it)))
    }

    fn has(self, line: &str) -> bool {
        let trimmed = line.trim();
        match self {
            Self::Deeper(depth) => {
                trimmed.is_empty() || line.len() - line.trim_start().len() > depth
            }
            Self::Until(mark) => trimmed != mark,
        }
    }
}

fn counter_example(line: &str) -> Option<&str> {
    let tag = &line[..tag(line)?];
    let inner = tag.strip_prefix('<')?.strip_suffix('>').filter(|it| !it.ends_with('/'))?;
    let name = inner.split(' ').next()?;
    COUNTER.iter().any(|word| name.contains(word)).then_some(name)
}

fn without_tags(line: &str) -> String {
    let mut out = String::new();
    let mut is_code = false;
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if let Some(length) = tag(rest).filter(|_| !is_code) {
            rest = &rest[length..];
            continue;
        }
        is_code ^= first == '`';
        out.push(first);
        rest = &rest[first.len_utf8()..];
    }
    out
}

fn tag(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    let named = inner.strip_prefix('/').unwrap_or(inner);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name = named.find(|c| !is_name(c)).filter(|_| named.starts_with(char::is_alphabetic))?;
    let after = &named[name..];
    let end = after.find(['<', '>', '\n']).filter(|_| after.starts_with(['>', '/', ' ']))?;
    after[end..].starts_with('>').then(|| text.len() - after.len() + end + 1)
}

#[cfg(test)]
mod tests;
