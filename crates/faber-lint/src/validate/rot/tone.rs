//! How certain a line is: "create `a.rs`, for example" is not.

use std::collections::HashMap;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tone {
    Plain,
    Making,
    Conditional,
    Generated,
    Doubtful,
    Past,
}

const WORDS: [(Tone, &str); 5] = [
    (
        Tone::Making,
        "add adding adds build choose create created creates creating make makes named \
        new save saved saves scaffold store write writes writing written",
    ),
    (
        Tone::Conditional,
        "any avoid can't cannot could don't don’t either expected if like may maybe \
        might missing never no not often optional optionally other possible possibly \
        should similar some unless when whether without would you'd your",
    ),
    (Tone::Generated, "generated output"),
    (
        Tone::Doubtful,
        "bad called common commonly e.g eg equivalent example examples hypothetical \
        imagine nonexistent pattern patterns perhaps placeholder sample suppose \
        template templates typical typically usually wrong",
    ),
    (
        Tone::Past,
        "deleted deletes deprecated dropped earlier former formerly gone instead legacy \
        longer migrate migrated moved obsolete old previously removed renamed replaced \
        replaces was",
    ),
];

static TONES: LazyLock<HashMap<&str, Tone>> = LazyLock::new(|| {
    let words = WORDS.iter().flat_map(|(tone, words)| words.split(' ').map(|word| (word, *tone)));
    words.collect()
});

const GENERATING: [&str; 7] =
    ["builds", "compiles", "generate", "generates", "outputs", "produce", "produces"];

const PHRASES: &str = "for instance|if available|if it exists|if present|if there is|if you have|\
    such as|used to|❌";

pub(super) fn of_line(line: &str) -> Tone {
    of_parts(line, "")
}

pub(super) fn of_parts(before: &str, after: &str) -> Tone {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '.');
    let of_word = |word: &str, is_before: bool| {
        let is_generating = is_before && GENERATING.contains(&word);
        let tone = if is_generating { Some(Tone::Generated) } else { TONES.get(word).copied() };
        tone.unwrap_or(Tone::Plain)
    };
    let of_part = |part: &str, is_before: bool| {
        let lower = part.to_lowercase();
        let words = lower.split(|c: char| !is_word(c)).map(|word| word.trim_matches('.'));
        let tone = words.map(|word| of_word(word, is_before)).max().unwrap_or(Tone::Plain);
        let phrase = PHRASES.split('|').any(|phrase| lower.contains(phrase));
        if phrase { tone.max(Tone::Doubtful) } else { tone }
    };
    of_part(before, true).max(of_part(after, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_conditions_and_history_are_not_plain_claims() {
        let tones = [
            ("See `src/a.rs` for the parser.", Tone::Plain),
            ("Create `src/a.rs`.", Tone::Making),
            ("The build generates `src/a.rs`.", Tone::Generated),
            ("A file, e.g. `src/a.rs`", Tone::Doubtful),
            ("Do NOT edit `src/a.rs`", Tone::Conditional),
            ("Do not edit `src/a.rs`, it is generated", Tone::Generated),
            ("`src/a.rs` was removed", Tone::Past),
            ("Notes on newness and likewise", Tone::Plain),
        ];
        for (line, tone) in tones {
            assert_eq!(of_line(line), tone, "{line}");
        }
        assert_eq!(of_parts("", " generates the client."), Tone::Plain);
        assert_eq!(of_parts("Run it to generate ", "."), Tone::Generated);
    }
}
