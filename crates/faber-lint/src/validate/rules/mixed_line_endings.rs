use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::mixed_line_endings::RULE;
use faber_core::source::{FileId, Span};

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    look(input.entry.file, input.text(), found);
}

fn look(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    let bytes = text.as_bytes();
    if memchr::memchr(b'\r', bytes).is_none() {
        return;
    }
    let is_crlf = |at: usize| at > 0 && bytes[at - 1] == b'\r';
    let total = memchr::memchr_iter(b'\n', bytes).count();
    let crlf = memchr::memchr_iter(b'\n', bytes).filter(|&at| is_crlf(at)).count();
    if crlf == 0 || crlf == total {
        return;
    }
    let to_crlf = crlf > total - crlf;
    let mut odd = memchr::memchr_iter(b'\n', bytes).filter(|&at| is_crlf(at) != to_crlf).peekable();
    let Some(&first) = odd.peek() else { return };
    let (few, most) = if to_crlf { ("LF", "CRLF") } else { ("CRLF", "LF") };
    let count = crlf.min(total - crlf);
    let lines = if count == 1 { "line ends" } else { "lines end" };
    let start = if to_crlf { first } else { first - 1 };
    let message = format!("{count} {lines} in {few} and the others in {most}");
    let mut diagnostic = RULE
        .at(Span::new(file, start, first + 1), message)
        .help(format!("use {most} for all lines"));
    for at in odd {
        diagnostic = if to_crlf {
            diagnostic.fix(Span::new(file, at, at + 1), "\r\n")
        } else {
            diagnostic.fix(Span::new(file, at - 1, at + 1), "\n")
        };
    }
    found.push(diagnostic);
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::source::SourceMap;

    fn fixed(text: &str) -> Option<(String, String)> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let mut found = Vec::new();
        look(file, text, &mut found);
        let finding = found.pop()?;
        let mut fixed = text.to_owned();
        for edit in finding.fix.iter().rev() {
            assert!(!text[..edit.span.range().end].ends_with('\r'));
            fixed.replace_range(edit.span.range(), &edit.replacement);
        }
        Some((finding.message, fixed))
    }

    #[test]
    fn the_ending_of_most_lines_wins() {
        let (message, text) = fixed("a\r\nb\nc\r\n").unwrap();
        assert_eq!(message, "1 line ends in LF and the others in CRLF");
        assert_eq!(text, "a\r\nb\r\nc\r\n");
        let (message, text) = fixed("\na\r\nb\nc\r\nd").unwrap();
        assert_eq!(message, "2 lines end in CRLF and the others in LF");
        assert_eq!(text, "\na\nb\nc\nd");
    }

    #[test]
    fn one_kind_of_ending_is_fine() {
        for text in ["", "a", "a\nb\n", "a\r\nb\r\n", "a\rb\n"] {
            assert_eq!(fixed(text), None, "{text:?}");
        }
    }
}
