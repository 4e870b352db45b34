//! Descriptions for texts without one.

use std::cell::Cell;
use std::fmt::Write;

use faber_core::budget::extract;
use faber_core::escape;
use faber_core::markdown::{self, BlockKind, Lines};

use super::decision;
use super::piece::shortened;

/// Characters.
const MOST: usize = 200;

const COUNTER: [&str; 6] = ["avoid", "bad", "example", "mistake", "phrase", "pitfall"];

const METADATA: [&str; 15] = [
    "author",
    "authors",
    "created",
    "date",
    "deciders",
    "modified",
    "owner",
    "owners",
    "published",
    "reviewed",
    "reviewers",
    "status",
    "tags",
    "updated",
    "version",
];

const STATES: [&str; 4] = ["accepted", "approved", "draft", "proposed"];

const GREETINGS: [&str; 7] =
    ["congratulations", "hello", "hey", "hi", "thank you", "thanks", "welcome"];

/// The first sentence with content, without markup or trailing colon. Else `title`, else the first
/// heading. XML: the first complete sentence outside of examples.
pub(super) fn gist(body: &str, title: Option<&str>) -> Option<String> {
    let start = body.trim_start();
    // Markdown may start with an empty element such as `<toc/>`.
    let is_xml = tag(start).is_some_and(|length| !start[..length].ends_with("/>"));
    let text = without_tags(body, is_xml);
    let is_statement = |sentence: &str| {
        sentence.ends_with(['.', '!', '?', '。', '！', '？'])
            && !sentence.starts_with(['"', '[', '{'])
    };
    let complete = || {
        extract::first_sentence_that(&text, None, is_statement)
            .filter(|sentence| is_xml && is_statement(sentence))
    };
    let (start, first) = (sections(&text), heading(&text));
    let says = || said(&text[..start]).map(|sentence| (sentence, None));
    let title_of_all = title.or(first.as_deref());
    let says_below = || match title_of_all {
        Some(title) => Some((said(&paragraphs(&text[start..]))?, Some(title))),
        None => Some((said(&text[start..])?, None)),
    };
    let named = || Some((extract::first_sentence_that(&text, title, |_| false)?, None));
    let complete = complete().map(|sentence| (sentence, None));
    let (sentence, title) = complete.or_else(says).or_else(says_below).or_else(named)?;
    // A cut could fall within markup.
    let words = markdown::plain_in(&sentence, body);
    let words = escape::without_unseen(words.trim_end_matches(':'));
    let title = title.filter(|title| !words.contains(title.trim()));
    let words = match title {
        Some(title) if title.ends_with(char::is_alphanumeric) => format!("{title}: {words}"),
        Some(title) => format!("{title} {words}"),
        None => words.into_owned(),
    };
    (!words.is_empty()).then(|| shortened(&words, MOST))
}

fn said(text: &str) -> Option<String> {
    let says = |sentence: &str| !is_empty(&markdown::plain(sentence));
    let found = Cell::new(false);
    let sentence = extract::first_sentence_that(text, None, |sentence| {
        found.set(says(sentence));
        found.get()
    });
    sentence.filter(|_| found.get())
}

fn sections(text: &str) -> usize {
    let blocks = markdown::blocks(text);
    let levels = blocks.iter().filter_map(|block| match block.kind {
        BlockKind::Heading { level, .. } => Some((block.lines.start, level)),
        _ => None,
    });
    let below = levels.enumerate().find(|(at, (_, level))| *at > 0 || *level > 1);
    below.map_or(text.len(), |(_, (line, _))| Lines::new(text).range(line).start)
}

fn heading(text: &str) -> Option<String> {
    markdown::blocks(text).into_iter().find_map(|block| match block.kind {
        BlockKind::Heading { text, level: 1, .. } if !text.is_empty() => Some(text),
        _ => None,
    })
}

fn paragraphs(text: &str) -> String {
    let lines = Lines::new(text);
    let blocks = markdown::blocks(text);
    let paragraphs = blocks.iter().filter(|block| matches!(block.kind, BlockKind::Paragraph));
    paragraphs.flat_map(|block| [&text[lines.bytes(&block.lines)], "\n\n"]).collect()
}

/// Metadata, greetings and placeholders say nothing.
fn is_empty(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.take(4).collect();
    let key = lower.split_once(':').map_or("", |(key, _)| key);
    let key: Vec<&str> = key.split_whitespace().collect();
    let is_key = |word: &&str| METADATA.contains(word);
    let is_metadata = key.len() <= 3 && key.last().is_some_and(is_key)
        || matches!(words[..], ["last", second, ..] if is_key(&second))
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
    let is_address = sentence.contains("://") && !sentence.contains(char::is_whitespace);
    words.is_empty() || is_address || is_metadata || is_greeting || is_placeholder
}

/// Turns lines that begin with a tag into paragraphs, and drops XML indentation.
fn without_tags(body: &str, is_xml: bool) -> String {
    let mut out = String::with_capacity(body.len());
    let mut skipped: Option<&str> = None;
    for line in body.lines() {
        let text = line.trim_start();
        let counter = skipped.or_else(|| counter_example(text).filter(|_| is_xml));
        if let Some(name) = counter {
            let is_closed = text.contains(&format!("</{name}>"));
            skipped = (!is_closed).then_some(name);
            continue;
        }
        if let Some(comment) = line.strip_prefix("// ") {
            // Cursor rules have such headings.
            let _ = writeln!(out, "# {comment}");
            continue;
        }
        let begins = tag(text).is_some();
        let text = if begins || is_xml { text } else { line };
        if begins {
            out.push('\n');
        }
        out.push_str(without_tags_of_line(text).trim_end());
        out.push_str(if begins { "\n\n" } else { "\n" });
    }
    out
}

fn counter_example(line: &str) -> Option<&str> {
    let tag = &line[..tag(line)?];
    let inner = tag.strip_prefix('<')?.strip_suffix('>').filter(|it| !it.ends_with('/'))?;
    let name = inner.split(' ').next()?;
    COUNTER.iter().any(|word| name.contains(word)).then_some(name)
}

fn without_tags_of_line(line: &str) -> String {
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
mod tests {
    fn gist(body: &str) -> Option<String> {
        super::gist(body, None)
    }

    #[test]
    fn tags_are_no_part_of_a_description() {
        let xml = "<best_practices>\n  <practice>\n    <title>Read first</title>\n    \
                   <description>Read the whole issue.</description>\n  </practice>\n</best_practices>\n";
        assert_eq!(gist(xml).as_deref(), Some("Read the whole issue."));
        assert_eq!(gist("<a_b>\n  <c>Read first</c>\n</a_b>").as_deref(), Some("Read first"));
        let indented = "<a_b>\n  <overview>\n    Use the CLI.\n  </overview>\n</a_b>\n";
        assert_eq!(gist(indented).as_deref(), Some("Use the CLI."));
        let listed = "<a_b>\n  <c_d>\n    1. Reproduce it\n    2. Fix it\n  </c_d>\n</a_b>";
        assert_eq!(gist(listed).as_deref(), Some("Reproduce it"));
        assert_eq!(
            gist("<tool_use>ls</tool_use> `<a_b>` a < b").as_deref(),
            Some("ls <a_b> a < b")
        );
        assert_eq!(gist("<a_b>\n</a_b>"), None);
        assert_eq!(gist("See <https://x.y>."), Some("See https://x.y.".to_owned()));
    }

    #[test]
    fn the_colon_of_an_introduction_is_left_out() {
        let text = "# Digest\n\nRules for the digest:\n\n- a\n\nIt is sent daily. Twice.\n";
        assert_eq!(gist(text).as_deref(), Some("Rules for the digest"));
        assert_eq!(gist("Do **these:**\n\nThen rest.").as_deref(), Some("Do these"));
        assert_eq!(gist(""), None);
    }

    #[test]
    fn a_description_says_what_a_reader_of_the_text_sees() {
        for (text, expected) in [
            ("// Who you are\n\nYou sum up debates.\n", "You sum up debates."),
            ("// Rules\n// For tests\nUse Jest.\n", "Rules: Use Jest."),
            ("// Rules\n", "Rules"),
            ("The form is [type]: [text].\n", "The form is [type]: [text]."),
            ("See [it][a] and [b].\n\n[a]: x\n[b]: y\n", "See it and b."),
            ("コード分\u{200b}\u{200b}析です。\n", "コード分析です。"),
        ] {
            assert_eq!(gist(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn lines_about_a_document_are_no_description() {
        for empty in [
            "Date: 2024-01-15",
            "Last updated: 2026-04-23",
            "Last reviewed on 3 May",
            "**Status:** Accepted",
            "✅ Accepted",
            "Superseded by [0019](0019-go.md)",
            "Hello!",
            "Welcome to the team!",
            "Thanks for contributing to this project!",
            "No modules.",
            "{Please write here}",
            "TBD: write this",
        ] {
            let text = format!("# Title\n\n{empty}\n\n## Context\n\nTwo teams share it.\n");
            assert_eq!(gist(&text).as_deref(), Some("Title: Two teams share it."), "{empty}");
            assert_eq!(gist(&format!("# Title\n\n{empty}\n")).as_deref(), Some("Title"));
        }
        for said in
            ["Hi-res images are cached.", "No secrets in logs.", "Version control: use git."]
        {
            assert_eq!(gist(&format!("# Title\n\n{said}\n")).as_deref(), Some(said));
        }
        let text = "# Title\n\nHello! Welcome to the documentation for the compiler.\n";
        assert_eq!(gist(text).as_deref(), Some("Welcome to the documentation for the compiler."));
    }

    #[test]
    fn a_title_comes_before_a_heading_and_after_a_sentence() {
        let titled = |body: &str| super::gist(body, Some("SQL")).unwrap();
        assert_eq!(titled("<page-title/>\n\n# はじめに\n\n本書は規約です。\n"), "本書は規約です。");
        assert_eq!(titled("<a_b>\n# はじめに\n本書は規約です。\n</a_b>\n"), "本書は規約です。");
        assert_eq!(titled("<a_b>\n# Scope\n\nAll tables\n</a_b>\n"), "All tables");
        assert_eq!(titled("# Introduction\n\nDate: 2024-01-15\n"), "SQL");
        assert_eq!(titled("# Introduction\n\n| a |\n|---|\n| b |\n"), "SQL");
    }

    #[test]
    fn a_sentence_of_a_section_is_a_description_only_with_the_title() {
        let api = "# ChEMBL REST API\n\n## Base URL\n\n`https://x.y`\n\n## Auth\n\nNo API key required. Free.\n";
        for (text, expected) in [
            (api, "ChEMBL REST API: No API key required."),
            ("# Is it free?\n\n## Answer\n\nYes, it is.\n", "Is it free? Yes, it is."),
            ("# Carts\n\n## About\n\nCarts hold items.\n", "Carts hold items."),
            ("# cart\n\n## 1.0\n\n- [#1](x) Thanks @a! - Add it.\n", "cart"),
            ("# Do not touch\n\n!!!\n", "Do not touch"),
            ("A tool.\n\n## Install\n\nRun it.\n", "A tool."),
            ("## Names\n\n- Use snake case.\n", "Use snake case."),
        ] {
            assert_eq!(gist(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_to_avoid_is_no_description() {
        let xml = "<a_b>\n  <avoid>\n    Use any.\n  </avoid>\n  <phrase>I will help.</phrase>\n  \
                   <rule>Use strict types.</rule>\n</a_b>\n";
        assert_eq!(gist(xml).as_deref(), Some("Use strict types."));
        assert_eq!(
            gist("<a_b>\n\"k\": \"A b.\"\n\nWrite it.\n</a_b>").as_deref(),
            Some("Write it.")
        );
    }
}
