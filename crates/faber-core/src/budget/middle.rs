//! Shortens logs, stack traces and diffs, whose beginning and end matter most.

/// Longer lines may be cut, at multiples of this many bytes.
const LONG_LINE: usize = 1024;

/// Cuts at line ends or within long lines. Calls `fits` O(log n) times.
pub(crate) fn without_middle(text: &str, fits: impl Fn(&str) -> bool) -> String {
    let ends = ends(text);
    let keeping = |bytes: usize| shortened(text, &ends, bytes);
    let (mut good, mut too_much) = (0, LONG_LINE);
    while too_much < text.len() && fits(&keeping(too_much)) {
        (good, too_much) = (too_much, too_much * 2);
    }
    while too_much - good > 1 {
        let bytes = usize::midpoint(good, too_much);
        if fits(&keeping(bytes)) { good = bytes } else { too_much = bytes }
    }
    keeping(good)
}

fn ends(text: &str) -> Vec<usize> {
    let mut ends = vec![0];
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.len() > LONG_LINE {
            let within = (start + LONG_LINE..end).step_by(LONG_LINE);
            ends.extend(
                within.filter_map(|at| (start..=at).rev().find(|&at| text.is_char_boundary(at))),
            );
        }
        ends.push(end);
        start = end;
    }
    ends.dedup();
    ends
}

fn shortened(text: &str, ends: &[usize], bytes: usize) -> String {
    let first = ends.get(1).copied().unwrap_or(0);
    let (front, back) = if bytes < first && first <= 2 * bytes {
        (first, 2 * bytes - first)
    } else {
        (bytes, bytes)
    };
    let head = ends[ends.partition_point(|&end| end <= front) - 1];
    let tail = text.len().saturating_sub(back);
    let tail = ends[ends.partition_point(|&end| end < tail)];
    if tail <= head {
        return text.to_owned();
    }
    let (before, gap, after) = (&text[..head], &text[head..tail], &text[tail..]);
    let is_line_end = |text: &str| text.is_empty() || text.ends_with('\n');
    let (count, what) = if is_line_end(before) && (is_line_end(gap) || after.is_empty()) {
        (gap.lines().count(), "line")
    } else {
        (gap.chars().count(), "character")
    };
    let (plural, open) = (if count == 1 { "" } else { "s" }, is_line_end(before));
    let open = if open { "" } else { "\n" };
    format!("{before}{open}[{count} {what}{plural} left out]\n{after}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_ends_stay_whole_lines() {
        let text = [
            "line 1\n",
            "line 2\n",
            "many words\n",
            "and more\n",
            "words\n",
            "line 6\n",
            "line 7\n",
        ]
        .concat();
        let within = |most: usize| without_middle(&text, |text| text.len() <= most);
        assert_eq!(within(47), "line 1\nline 2\n[3 lines left out]\nline 6\nline 7\n");
        assert_eq!(within(0), "[7 lines left out]\n");
        let trace = format!("Error: a long message about it\n{}", "at x\n".repeat(14));
        let cut = without_middle(&trace, |text| text.len() <= 57);
        assert_eq!(cut, "Error: a long message about it\n[13 lines left out]\nat x\n");
        assert_eq!(within(text.len()), text);
    }

    #[test]
    fn a_very_long_line_is_cut_within() {
        let text = "é".repeat(5000);
        let cut = without_middle(&text, |text| text.len() <= 4200);
        let (before, after) = cut.split_once("\n[3072 characters left out]\n").unwrap();
        assert_eq!((before, after), (&*"é".repeat(1024), &*"é".repeat(904)));
    }

    proptest! {
        #[test]
        fn it_fits_and_says_what_is_missing(text in "([aé\n]{0,9}|.{1500}\n){0,9}", most in 30..9000_usize) {
            let cut = without_middle(&text, |text| text.len() <= most);
            prop_assert!(cut.len() <= most);
            prop_assert_eq!(cut == text, text.len() <= most, "{}", cut);
            let (before, after) = match cut.rsplit_once("left out]\n") {
                Some((before, after)) => (before.rsplit_once('[').unwrap_or_default().0, after),
                None => (cut.as_str(), ""),
            };
            let before = before.strip_suffix('\n').unwrap_or(before);
            prop_assert!(text.starts_with(before) && text.ends_with(after));
        }
    }
}
