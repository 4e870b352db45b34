//! How certain a line is about what it names: "create `a.rs`, for example" is not.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tone {
    Plain,
    Making,
    /// A condition or warning.
    Conditional,
    Generated,
    /// An example or template.
    Doubtful,
    Past,
}

const MAKING: [&str; 22] = [
    "add", "adding", "adds", "build", "choose", "create", "created", "creates", "creating", "make",
    "makes", "named", "new", "save", "saved", "saves", "scaffold", "store", "write", "writes",
    "writing", "written",
];

/// What they precede is generated.
const GENERATING: [&str; 7] =
    ["builds", "compiles", "generate", "generates", "outputs", "produce", "produces"];

const GENERATED: [&str; 2] = ["generated", "output"];

const CONDITIONAL: [&str; 34] = [
    "any",
    "avoid",
    "can't",
    "cannot",
    "could",
    "don't",
    "don’t",
    "either",
    "expected",
    "if",
    "like",
    "may",
    "maybe",
    "might",
    "missing",
    "never",
    "no",
    "not",
    "often",
    "optional",
    "optionally",
    "other",
    "possible",
    "possibly",
    "should",
    "similar",
    "some",
    "unless",
    "when",
    "whether",
    "without",
    "would",
    "you'd",
    "your",
];

const DOUBTFUL: [&str; 24] = [
    "bad",
    "called",
    "common",
    "commonly",
    "e.g",
    "eg",
    "equivalent",
    "example",
    "examples",
    "hypothetical",
    "imagine",
    "nonexistent",
    "pattern",
    "patterns",
    "perhaps",
    "placeholder",
    "sample",
    "suppose",
    "template",
    "templates",
    "typical",
    "typically",
    "usually",
    "wrong",
];

const PAST: [&str; 22] = [
    "deleted",
    "deletes",
    "deprecated",
    "dropped",
    "earlier",
    "former",
    "formerly",
    "gone",
    "instead",
    "legacy",
    "longer",
    "migrate",
    "migrated",
    "moved",
    "obsolete",
    "old",
    "previously",
    "removed",
    "renamed",
    "replaced",
    "replaces",
    "was",
];

const PHRASES: [&str; 9] = [
    "for instance",
    "if available",
    "if it exists",
    "if present",
    "if there is",
    "if you have",
    "such as",
    "used to",
    "❌",
];

pub(super) fn of_line(line: &str) -> Tone {
    of_parts(line, "")
}

/// Of what is named between `before` and `after`.
pub(super) fn of_parts(before: &str, after: &str) -> Tone {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '.');
    let of_word = |word: &str, is_before: bool| {
        let is_in = |words: &[&str]| words.binary_search(&word).is_ok();
        if is_in(&PAST) {
            Tone::Past
        } else if is_in(&DOUBTFUL) {
            Tone::Doubtful
        } else if is_in(&GENERATED) || (is_before && is_in(&GENERATING)) {
            Tone::Generated
        } else if is_in(&CONDITIONAL) {
            Tone::Conditional
        } else if is_in(&MAKING) {
            Tone::Making
        } else {
            Tone::Plain
        }
    };
    let of_part = |part: &str, is_before: bool| {
        let lower = part.to_lowercase();
        let words = lower.split(|c: char| !is_word(c)).map(|word| word.trim_matches('.'));
        let tone = words.map(|word| of_word(word, is_before)).max().unwrap_or(Tone::Plain);
        let phrase = PHRASES.iter().any(|phrase| lower.contains(phrase));
        if phrase { tone.max(Tone::Doubtful) } else { tone }
    };
    of_part(before, true).max(of_part(after, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_for_the_search() {
        assert!(MAKING.is_sorted() && GENERATING.is_sorted() && CONDITIONAL.is_sorted());
        assert!(DOUBTFUL.is_sorted() && PAST.is_sorted());
    }

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
