//! Pasted parts of a request: fenced blocks, logs and stack traces.

use std::ops::Range;

use crate::markdown::fences::{closes, opens};

const LEVELS: [&str; 8] =
    ["CRITICAL", "DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN", "WARNING"];

/// In order, with fence lines. The only line of a request is not pasted.
pub(super) fn pasted(request: &str) -> Vec<Range<usize>> {
    let mut end = 0;
    let lines = request.split_inclusive('\n').map(|line| {
        end += line.len();
        (end - line.len()..end, line.trim())
    });
    let mut pasted: Vec<Range<usize>> = Vec::new();
    let mut open = None;
    let mut said = 0;
    for (bytes, line) in lines {
        if let Some((fence, start, before)) = open {
            if closes(line, fence) {
                pasted.truncate(before);
                pasted.push(start..bytes.end);
                open = None;
                continue;
            }
        } else if line.starts_with(['`', '~'])
            && let Some(fence) = opens(line)
        {
            open = Some((fence, bytes.start, pasted.len()));
            continue;
        }
        said += usize::from(open.is_none() && !line.is_empty());
        if is_log_line(line) || is_frame(line) {
            pasted.push(bytes);
        }
    }
    if said == 1 {
        let is_fence = |part: &Range<usize>| {
            request[part.clone()].trim_start().lines().next().and_then(opens).is_some()
        };
        pasted.retain(is_fence);
    }
    pasted
}

/// Recognizes a date and time, one of them and a level, a level in brackets, or fields.
fn is_log_line(line: &str) -> bool {
    let around = |c: char| "[]()|,".contains(c);
    let mut words = line.split_whitespace().take(4).map(|word| word.trim_matches(around));
    let first = words.next().unwrap_or_default();
    let is_level = |word: &str| LEVELS.contains(&word.trim_end_matches(':'));
    let has_level = words.clone().any(is_level);
    let has_date = is_date(first) || is_time(first);
    (has_date && (has_level || first.contains('T') || words.next().is_some_and(is_time)))
        || (line.starts_with('[') && is_level(first))
        || (line.split(' ').any(|word| word.starts_with("level="))
            && line.split(' ').filter(|word| word.contains('=')).count() > 1)
        || (line.starts_with("{\"") && line.contains("\"level\":"))
}

fn is_date(word: &str) -> bool {
    let mut numbers = word.splitn(3, ['-', '/']).map(leading_digits);
    let digits = [numbers.next(), numbers.next(), numbers.next()];
    digits == [Some(4), Some(2), Some(2)]
}

fn is_time(word: &str) -> bool {
    let mut numbers = word.splitn(3, ':').map(leading_digits);
    [numbers.next(), numbers.next(), numbers.next()] == [Some(2); 3]
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn is_frame(line: &str) -> bool {
    let is_place = || {
        let place = line.trim_end_matches(')').rsplit(' ').next().unwrap_or_default();
        place.rsplit_once(':').is_some_and(|(_, number)| leading_digits(number) > 0)
    };
    (line.starts_with("at ") && is_place())
        || (line.starts_with("File \"") && line.contains("\", line "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        pasted(text).into_iter().map(|part| &text[part]).collect()
    }

    #[test]
    fn material_differs_from_words_of_the_user() {
        for line in [
            "2026-11-26 INFO svc=checkout GET /cart 200",
            "2026-11-26T10:00:00Z checkout started",
            "2026-11-26 10:00:00,123 [main] checkout",
            "12:30:59.1 WARN checkout",
            "[ERROR] checkout failed",
            "time=1 level=info msg=checkout",
            r#"{"level":"info","svc":"checkout"}"#,
            "    at Checkout.run (src/checkout.js:10:2)",
            "  at checkout.rs:3",
            r#"  File "checkout.py", line 3, in run"#,
        ] {
            let pasted = format!("Why?\n{line}");
            assert_eq!(parts(&pasted), [line]);
            assert_eq!(parts(line), [""; 0], "{line}");
        }
        for line in [
            "2026-11-26 is the day of the checkout",
            "at noon the checkout fails: why? (see 3:1 there)",
            "ERROR in the checkout, since 12:30",
            "src/checkout.rs:12 is wrong",
            "[x] checkout is INFO",
            "Run ```checkout``` now",
            "Why?\nIt fails with level=debug",
            "```\nnever closed: checkout",
            "",
        ] {
            assert_eq!(parts(line), [""; 0], "{line}");
        }
        let text = "Why?\n```sh\n[INFO] a\nb\n````\nand\n~~~\n```\n~~~\nthis?";
        assert_eq!(parts(text), ["```sh\n[INFO] a\nb\n````\n", "~~~\n```\n~~~\n"]);
    }
}
