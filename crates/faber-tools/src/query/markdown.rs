use super::data::{PassageLabel, QueryData};
use crate::search::found::{self, NOTHING_KNOWN, WEAK_ONLY};
use faber_output::text::counted;

/// Four columns: tabs keep their structure.
const INDENT: &str = "    ";

const HEAD: &str = "## Relevant Knowledge\n\n";

/// Parts end in an empty line and start with neither white space nor `/`: token counts add up.
pub fn section(data: &QueryData) -> String {
    let [head, note] = frame(data);
    let items = data.beliefs.iter().map(|belief| item(&belief.label, &belief.content));
    format!("{head}{}{note}", items.collect::<String>())
}

pub fn frame(data: &QueryData) -> [String; 2] {
    let head = match status(data) {
        Some(status) => format!("{HEAD}{status}\n\n"),
        None => HEAD.to_owned(),
    };
    let last = match data.coverage_estimate {
        Some(coverage) if !data.beliefs.is_empty() => note(data, coverage),
        _ => String::new(),
    };
    [head, last]
}

pub fn status(data: &QueryData) -> Option<String> {
    let status = match (data.beliefs.is_empty(), data.truncated) {
        (true, true) => Some("No passage fits; allow more tokens."),
        (true, false) => Some(NOTHING_KNOWN),
        (false, _) if data.weak => Some(WEAK_ONLY),
        (false, _) => None,
    };
    let remarks = found::remarks(status, &data.unknown);
    let unfit = data.unfit.as_ref().filter(|_| !data.beliefs.is_empty()).map(|unfit| {
        format!("The best match, `{}`, does not fit: it has {} tokens.", unfit.id, unfit.tokens)
    });
    let conflicts =
        data.conflicts.iter().map(|[a, b]| format!("`{a}` and `{b}` contradict each other."));
    let all = remarks.into_iter().chain(unfit).chain(conflicts);
    all.reduce(|before, next| format!("{before} {next}"))
}

pub fn extent(data: &QueryData) -> String {
    let passages = counted(data.beliefs.len(), "passage");
    if data.left_out == 0 { passages } else { format!("{passages}, {} left out", data.left_out) }
}

fn note(data: &QueryData, coverage: f64) -> String {
    let note = if data.truncated || !data.expandable_ids.is_empty() {
        "Additional context available on request."
    } else {
        "Full relevant context included."
    };
    let coverage = (coverage * 100.0).floor();
    format!("Note: {note}\nCoverage: ~{coverage:.0}% of relevant knowledge.\n")
}

pub fn item(label: &PassageLabel, content: &str) -> String {
    let PassageLabel { id, facts, notes, .. } = label;
    let content = content.trim_matches(['\n', '\r']);
    if is_line(content) {
        let content = content.trim();
        return format!("- {content} ({facts}{notes}, id: `{id}`)\n\n");
    }
    let mut text = format!("-   `{id}` ({facts}{notes}):\n\n");
    for line in content.lines() {
        if !line.trim().is_empty() {
            text.push_str(INDENT);
            text.push_str(line);
        }
        text.push('\n');
    }
    text.push('\n');
    text
}

fn is_line(content: &str) -> bool {
    let block = ["```", "~~~", "<", "[", "\t", "    "];
    !content.contains('\n') && !block.iter().any(|start| content.starts_with(start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag};

    use super::super::data::UnfitPassage;
    use super::super::data::tests::sample_data;
    use super::*;
    use faber_core::tokens::{self, Encoding};

    #[test]
    fn lines_and_blocks_are_items() {
        let mut data = sample_data();
        data.beliefs[0].content = "Tokens expire after an hour.\n".to_owned();
        data.beliefs[1].label.notes =
            ", derived from a talk, contradicted by pattern/saga \"Saga\" (confidence 0.50)"
                .to_owned();
        data.beliefs[1].content = "# Outbox\n\n1. Write both.\n\n```sh\nrun\n".to_owned();
        let expected = "\
## Relevant Knowledge

- Tokens expire after an hour. (confidence: 0.80, space, id: `standard/tokens#expiry`)

-   `pattern/outbox` (confidence: 0.80, space, derived from a talk, contradicted by pattern/saga \"Saga\" (confidence 0.50)):

    # Outbox

    1. Write both.

    ```sh
    run

Note: Additional context available on request.
Coverage: ~69% of relevant knowledge.
";
        assert_eq!(section(&data), expected);
    }

    #[test]
    fn nothing_breaks_out_of_its_item() {
        let mut data = sample_data();
        for content in [
            "```",
            "<!-- x",
            "<div>",
            "[a]: b",
            "\tcode",
            "a\n---\nb",
            "- a\n\n\tb\n\n> c",
            "\n\n",
            "",
        ] {
            for belief in &mut data.beliefs {
                content.clone_into(&mut belief.content);
            }
            let text = section(&data);
            let mut depth = 0;
            let mut outer = Vec::new();
            for event in Parser::new_ext(&text, faber_core::markdown::options()) {
                match event {
                    Event::Start(tag) => {
                        if depth == 0 {
                            outer.push(matches!(tag, Tag::List(None)));
                        }
                        depth += 1;
                    }
                    Event::End(_) => depth -= 1,
                    _ => {}
                }
            }
            assert_eq!(outer, [false, true, false], "{content:?}:\n{text}");
            assert_eq!(text.matches("id: `").count() + text.matches("-   `").count(), 2, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn the_tokens_of_the_parts_add_up(
            first in "[-#>`*/.()\\[\\] a-zé\t\n]{0,60}",
            second in "[-#>`*/.()\\[\\] a-zé\t\n]{0,60}",
        ) {
            let mut data = sample_data();
            data.beliefs[0].content = first;
            data.beliefs[1].content = second;
            for encoding in [Encoding::O200kBase, Encoding::Cl100kBase] {
                let [head, note] = frame(&data);
                let items = data.beliefs.iter().map(|one| item(&one.label, &one.content));
                let parts = items.chain([head, note]);
                let sum: usize = parts.map(|part| tokens::count(encoding, &part)).sum();
                prop_assert_eq!(tokens::count(encoding, &section(&data)), sum);
            }
        }
    }

    #[test]
    fn complete_answers_are_marked_as_complete() {
        let mut data = sample_data();
        data.beliefs.truncate(1);
        data.expandable_ids.clear();
        (data.truncated, data.coverage_estimate) = (false, Some(0.999));
        let text = section(&data);
        assert!(text.ends_with(
            "Note: Full relevant context included.\nCoverage: ~99% of relevant knowledge.\n"
        ));
        data.weak = true;
        assert!(section(&data).starts_with("## Relevant Knowledge\n\nWeak matches only"));
        data.unfit = Some(UnfitPassage { id: "a/b".to_owned(), tokens: 500 });
        data.unknown = vec!["Kafka".to_owned()];
        assert!(status(&data).unwrap().ends_with(
            "No text contains: Kafka. The best match, `a/b`, does not fit: it has 500 tokens."
        ));
        assert_eq!(extent(&data), "1 passage");
        data.left_out = 2;
        assert_eq!(extent(&data), "1 passage, 2 left out");
        data.unknown.clear();
        data.beliefs.clear();
        assert_eq!(section(&data), "## Relevant Knowledge\n\nNo relevant passages found.\n\n");
        data.truncated = true;
        assert!(section(&data).ends_with("\n\nNo passage fits; allow more tokens.\n\n"));
    }
}
