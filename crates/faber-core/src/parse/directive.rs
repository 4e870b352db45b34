//! Finds misspelled and misplaced `faber:` directives.

use pulldown_cmark::Event;

use crate::diagnostic::Diagnostic;
use crate::markdown::{self, Lines};
use crate::parse::{fence, include};
use crate::rules::unknown_directive::RULE;
use crate::source::{FileId, SourceMap, Span};
use crate::suggest;

const KNOWN: [&str; 4] = ["include", "allow", "begin", "end"];

pub fn unknown(sources: &SourceMap, file: FileId, found: &mut Vec<Diagnostic>) {
    let text = &sources.get(file).text;
    if !text.contains("<!--") || !text.to_ascii_lowercase().contains("faber") {
        return;
    }
    let start = fence::body(text);
    let body = &text[start..];
    let lines = Lines::new(body);
    markdown::blocks_with_events(body, |event, bytes| {
        if !matches!(event, Event::Html(_) | Event::InlineHtml(_)) {
            return;
        }
        for (at, _) in body[bytes.clone()].match_indices("<!--") {
            let at = bytes.start + at;
            let comment = body[at..bytes.end].trim_end();
            let end = comment.find("-->").map_or(comment.len(), |end| end + "-->".len());
            let comment = &comment[..end];
            let is_alone = || include::target(lines.text(lines.at(at))).is_some();
            let is_lost = || comment.starts_with(include::OPEN) && !is_alone();
            let span = Span::new(file, start + at, start + at + comment.len());
            if let Some(help) = wrong(comment["<!--".len()..].trim_end_matches("-->")) {
                found.push(RULE.at(span, "unknown directive in a comment").help(help));
            } else if is_lost() {
                let finding = RULE.at(span, "this directive includes nothing here");
                found.push(finding.help("write it on a line of its own"));
            }
        }
    });
}

fn wrong(says: &str) -> Option<String> {
    let trimmed = says.trim();
    let word = trimmed.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if !word.eq_ignore_ascii_case("faber") {
        return None;
    }
    let rest = trimmed[word.len()..].trim_start();
    let (colon, rest) = match rest.strip_prefix(':') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest),
    };
    let verb = rest.split(|c: char| c.is_whitespace() || c == ':').next().unwrap_or_default();
    let close = suggest::closest(verb, KNOWN);
    if !colon && close.is_none() {
        return None;
    }
    let is_exact = says.starts_with(" faber: ") && KNOWN.contains(&verb);
    if is_exact && !rest[verb.len()..].trim().is_empty() {
        return None;
    }
    let argument = rest[verb.len()..].trim();
    Some(match close {
        Some(close) if !argument.is_empty() => {
            format!("did you mean `<!-- faber: {close} {argument} -->`?")
        }
        Some("include") => "write `<!-- faber: include PATH -->`".to_owned(),
        _ => "write `<!-- faber: include PATH -->` or `<!-- faber: allow RULE: why -->`".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_directives_are_distinguished_from_prose() {
        for good in [
            " faber: include ./x.md ",
            " faber: allow secret: an example ",
            " faber: begin standard/a ",
            " faber is the tool ",
            " the faber: include form ",
            " fabers ",
        ] {
            assert_eq!(wrong(good), None, "{good}");
        }
        for (bad, help) in [
            (" faber: inclde ./x.md ", "include ./x.md"),
            (" faber:include ./x.md ", "include ./x.md"),
            ("faber: include ./x.md", "include ./x.md"),
            (" faber include ./x.md ", "include ./x.md"),
            (" Faber: Include ./x.md#A ", "include ./x.md#A"),
            (" faber: alow secret: why ", "allow secret: why"),
            (" faber: include ", "include PATH"),
            (" faber: if x ", "allow RULE"),
        ] {
            assert!(wrong(bad).is_some_and(|it| it.contains(help)), "{bad}: {:?}", wrong(bad));
        }
    }
}
