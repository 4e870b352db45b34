//! Descriptions of texts that have none.

use faber_core::budget::extract;
use faber_core::markdown;

use super::piece::shortened;

/// In characters.
const MOST: usize = 200;

const COUNTER: [&str; 6] = ["avoid", "bad", "example", "mistake", "phrase", "pitfall"];

/// The first sentence without markup and final colon. In XML, where texts begin with titles, the
/// first complete one outside of examples.
pub(super) fn gist(body: &str) -> Option<String> {
    let is_xml = tag(body.trim_start()).is_some();
    let text = without_tags(body, is_xml);
    let is_statement = |sentence: &str| {
        sentence.ends_with(['.', '!', '?']) && !sentence.starts_with(['"', '[', '{'])
    };
    let complete = || extract::first_sentence_that(&text, is_statement).filter(|_| is_xml);
    let sentence = complete().or_else(|| extract::first_sentence(&text))?;
    let words = markdown::plain(&sentence);
    let words = words.trim_end_matches(':');
    (!words.is_empty()).then(|| shortened(words, MOST))
}

/// Lines that begin with a tag become paragraphs. Indentation in XML has no meaning.
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

/// The length of a leading tag. Unlike in HTML, names may have underscores.
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
    use super::*;

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
