//! Maps offsets of a generated text to its source.

use std::ops::Range;

#[derive(Debug)]
pub(super) struct AlignedText {
    lines: Vec<AlignedLine>,
}

#[derive(Debug)]
struct AlignedLine {
    own: Range<usize>,
    other: Range<usize>,
    prefix: usize,
    suffix: usize,
}

impl AlignedText {
    /// Invalid `lines` mean the last.
    pub(super) fn new(text: &str, other: &str, lines: &[u32]) -> Self {
        let others: Vec<Range<usize>> = ranges(other).collect();
        let last = others.len().saturating_sub(1);
        let line = |(at, own): (usize, Range<usize>)| {
            if own.start == text.len() && at == lines.len() {
                let end = lines.last().and_then(|&line| others.get(line as usize + 1));
                let end = end.map_or(other.len(), |next| next.start);
                return AlignedLine { own, other: end..end, prefix: 0, suffix: 0 };
            }
            let line = lines.get(at).or(lines.last()).map_or(0, |&line| line as usize);
            let range = others.get(line.min(last)).cloned().unwrap_or_default();
            let (here, there) = (&text[own.clone()], &other[range.clone()]);
            let prefix = here.bytes().zip(there.bytes()).take_while(|(a, b)| a == b).count();
            let rest = |text: &str| text.len() - prefix;
            let most = rest(here).min(rest(there));
            let ends = here.bytes().rev().zip(there.bytes().rev());
            let suffix = ends.take(most).take_while(|(a, b)| a == b).count();
            AlignedLine { own, other: range, prefix, suffix }
        };
        Self { lines: ranges(text).enumerate().map(line).collect() }
    }

    pub(super) fn place(&self, offset: usize) -> usize {
        let at = self.lines.partition_point(|line| line.own.start <= offset);
        let Some(line) = self.lines.get(at.saturating_sub(1)) else { return 0 };
        let column = offset.clamp(line.own.start, line.own.end) - line.own.start;
        let left = line.own.len() - column;
        if column <= line.prefix {
            line.other.start + column
        } else if left <= line.suffix {
            line.other.end - left
        } else {
            line.other.start + line.prefix
        }
    }
}

fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let from = start;
        start += line.len() + 1;
        from..from + line.strip_suffix('\r').unwrap_or(line).len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_changed_line_come_from_before_or_after_the_change() {
        let other = "---\r\nname: x\r\n---\r\n# A\r\nsee [b](b.md) now\r\nend";
        let text = "# A\nsee [b](../b.md) now\nend\n";
        let aligned = AlignedText::new(text, other, &[3, 4, 5]);
        let from = |word: &str| other[aligned.place(text.find(word).unwrap())..].to_owned();
        for word in ["# A", "see", "[b]", "now", "end"] {
            assert!(from(word).starts_with(word), "{word}");
        }
        assert!(from("../").starts_with("b.md"));
        assert_eq!(aligned.place(999), other.len());
        assert_eq!(AlignedText::new("", "", &[]).place(3), 0);
        assert_eq!(AlignedText::new("a\nb", "", &[7, 9]).place(2), 0);
    }

    #[test]
    fn a_place_is_on_a_character() {
        let aligned = AlignedText::new("ä\u{fc}x", "ä\u{e4}x", &[0]);
        for at in 0..6 {
            let place = aligned.place(at);
            assert!(at % 2 == 1 || "ä\u{e4}x".is_char_boundary(place), "{at}: {place}");
        }
    }
}
