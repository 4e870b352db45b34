//! Finds misspelled `faber:` directives.

use crate::diagnostic::Diagnostic;
use crate::markdown::{self, Lines};
use crate::parse::fence;
use crate::rules::unknown_directive::RULE;
use crate::source::{FileId, SourceMap, Span};
use crate::suggest;

const KNOWN: [&str; 4] = ["include", "allow", "begin", "end"];

pub fn unknown(sources: &SourceMap, file: FileId, found: &mut Vec<Diagnostic>) {
    let text = &sources.get(file).text;
    if !text.contains("<!--") || !text.to_ascii_lowercase().contains("faber") {
        return;
    }
    let body = fence::body(text);
    let lines = Lines::new(&text[body..]);
    for line in markdown::lines_outside_code(&text[body..], &lines) {
        let shown = lines.text(line).trim();
        let Some(says) = shown.strip_prefix("<!--").map(|says| says.trim_end_matches("-->")) else {
            continue;
        };
        let Some(help) = wrong(says) else { continue };
        let at = body + lines.range(line).start + lines.text(line).find(shown).unwrap_or(0);
        let span = Span::new(file, at, at + shown.len());
        found.push(RULE.at(span, "unknown directive in a comment").help(help));
    }
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
    // Without a colon or a known verb it is prose.
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
