use proptest::prelude::*;

use super::*;
use crate::budget::strategies::markdown;
use crate::tokens::{Encoding, count};

const TEXT: &str = "# Deploy\n\nShip it safely. Always.\n\n## Steps\n\n- Build the image. Tag it.\n- \
    Push it\n\n### Detail\n\n```sh\nmake\n```\n\nRuns in *CI.* Fast.\n\n## Rollback\n\nUse the\n\
    last tag. Wait.\n";

fn summarize(text: &str, quarter: usize) -> String {
    summary(text, &|part| if part == text { quarter * 4 } else { part.len() }).text()
}

#[test]
fn a_summary_is_the_opening_with_what_leads_each_section() {
    assert_eq!(
        summarize("Before a release:\n\n- Tag it. Push.\n- Wait\n\nThen go.\n", 1000),
        "Before a release:\n\n- Tag it. Push.\n- Wait"
    );
    assert_eq!(
        summarize(TEXT, 1000),
        "# Deploy\n\nShip it safely. Always.\n\n## Steps\n\n- Build the image. Tag it.\n- Push it\n\n\
         ### Detail\n\nRuns in *CI.*\n\n## Rollback\n\nUse the\nlast tag."
    );
}

#[test]
fn headings_and_introductions_are_not_alone() {
    let code = "```sh\nmake\n```";
    let long = "```sh\nmake\n\n# or\n".to_owned() + &"make again\n".repeat(40) + "```";
    let text = format!(
        "# T\n\nIt builds.\n\n## Use\n\nRun this:\n\n{code}\n\n## Empty\n\n{long}\n\n## Long\n\n\
         Run that:\n\n{long}\n\nIt waits. Long.\n\n## Code\n\n{code}\n"
    );
    assert_eq!(
        summarize(&text, 1000),
        format!(
            "# T\n\nIt builds.\n\n## Use\n\nRun this:\n\n{code}\n\n## Long\n\nIt waits.\n\n\
             ## Code\n\n{code}"
        )
    );
}

#[test]
fn a_summary_has_the_definitions_that_it_uses() {
    let text = "# T\n\nSee [a].[^b] Go.\n\nMore [c].\n\n[^b]: Note.\n[a]: /a\n\n[c]: /c\n";
    let opening = "# T\n\nSee [a].[^b] Go.";
    assert_eq!(summarize(text, 47), format!("{opening}\n\n[^b]: Note.\n[a]: /a"));
    assert_eq!(summarize(text, opening.len()), opening);
}

#[test]
fn a_container_keeps_both_fences_and_opens_nothing() {
    let old = ":::warning Old\n\nUse the new one.\n\n:::";
    let text = format!("# T\n\n{old}\n\nIt ships. Fast.\n\n## A\n\n::::note\nNever stop.\n::::\n");
    let (note, opening) = ("## A\n\n::::note\nNever stop.\n::::", "# T\n\nIt ships. Fast.");
    assert_eq!(summarize(&text, 1000), format!("{opening}\n\n{note}"));
    assert_eq!(gist(&text).unwrap(), "It ships.");
    assert_eq!(gist(old).unwrap(), "Use the new one.");
    assert_eq!(summarize(&format!("# T\n\n{old}\n"), 1000), format!("# T\n\n{old}"));
    let long = "Word ".repeat(90);
    let text = format!(
        "It is.\n\n- a\n  :::b\n  Never c. {long}\n\n  :::\n\n:::d\n\nNo.\n\n{long}. Never e.\n\nNever f. G.\n\n:::\n"
    );
    let rules = "It is.\n\n- a\n  :::b\n  Never c.\n  :::\n\n:::d\n\nNever f.\n\n:::";
    assert_eq!(summarize(&text, 1000), rules);
    let item = format!("- {}\n", "word ".repeat(30).trim_end());
    let items = item.repeat(3);
    let text = format!(
        "It is.\n\n:::tip\n\nSay.\n\n{items}- You must wait. Or not.\n{item}\nNever:\n\n- g\n{items}\n:::\n"
    );
    let rules = format!("[…]\n- You must wait.\n[…]\n\nNever:\n\n- g\n{}[…]\n", item.repeat(2));
    assert_eq!(summarize(&text, 2000), format!("It is.\n\n:::tip\n\nSay.\n\n{rules}\n:::"));
    assert_eq!(summarize("- a:\n```\nb\n```\n", 1000), "- a:\n```\nb\n```");
    let alert = "> [!NOTE]\n>\n> One. Two.\n";
    assert_eq!(summarize(&format!("# T\n\n{alert}"), 1000), "# T\n\n> [!NOTE]\n>\n> One. Two.");
    assert_eq!(gist(&format!("{alert}\nIt ships.\n")).unwrap(), "It ships.");
}

#[test]
fn long_lists_are_marked_where_they_are_cut() {
    let item = format!("- {}", "word ".repeat(30).trim_end());
    let rule = "- You must wait.";
    let text = format!("Intro.\n\n## A\n\nTake:\n{item}\n{item}\n{item}\n{rule} Or not.\n{item}\n");
    assert_eq!(
        summarize(&text, 1000),
        format!("Intro.\n\n## A\n\nTake:\n{item}\n{item}\n[…]\n{rule}\n[…]")
    );
    let text = format!("Intro.\n\n## A\n\nText.\n\n1{item}\n2{item}\n3{rule} Or not.\n")
        .replace("1-", "1.")
        .replace("2-", "2.")
        .replace("3-", "3.");
    assert_eq!(summarize(&text, 1000), "Intro.\n\n## A\n\nText.\n\n[…]\n\n3. You must wait.");
}

#[test]
fn steps_and_what_introduces_them_are_not_alone() {
    let code = |text: &str| format!("```sh\n{text}\n```");
    let step = format!("> 1. Run it, {}.", "and wait ".repeat(16).trim_end());
    let steps = format!("{step}\n{}", step.replace("1.", "2."));
    let text = format!(
        "Intro.\n\n## A\n\n1. Fetch:\n\n{}\n\n2. Never without a key:\n\n{}\n\n## B\n\n> Do this:\n\n\
         {steps}\n{steps}\n\n## C\n\n- Never this:\n\n  {}\n- Or {}:\n\n  {}\n",
        code("get"),
        code("import"),
        code("rm").replace('\n', "\n  "),
        "so ".repeat(150),
        code("x").replace('\n', "\n  "),
    );
    assert_eq!(
        summarize(&text, 2000),
        format!(
            "Intro.\n\n## A\n\n1. Fetch:\n\n{}\n\n2. Never without a key:\n\n{}\n\n## B\n\n> Do this:\n\n\
             {steps}\n[…]\n\n## C\n\n- Never this:\n\n  {}\n[…]",
            code("get"),
            code("import"),
            code("rm").replace('\n', "\n  "),
        )
    );
}

#[test]
fn rules_come_before_what_leads_other_sections() {
    let text = "# T\n\nIt builds.\n\n## A\n\nFirst words.\n\n## B\n\nMore. Do not push. Go.\n\n> You MUST ask.\n";
    assert_eq!(
        summarize(text, 70),
        "# T\n\nIt builds.\n\n## B\n\nMore. Do not push.\n\n> You MUST ask."
    );
}

#[test]
fn large_outlines_lose_deep_levels_first_and_then_their_end() {
    let opening = "# Deploy\n\nShip it safely.";
    let steps = "## Steps\n\n- Build the image. Tag it.\n- Push it";
    let most = format!("{opening} Always.\n\n{steps}");
    assert_eq!(summarize(TEXT, 113), format!("{most}\n\n## Rollback\n\nUse the\nlast tag."));
    assert_eq!(summarize(TEXT, 100), most);
    assert_eq!(summarize(TEXT, 40), format!("{opening} Always."));
    assert_eq!(summarize(TEXT, 30), opening);
    assert_eq!(summarize(TEXT, 20), "Ship it safely.");
    assert_eq!(summarize("# Long title here\n\nShort. X", 6), "Short.");
    assert_eq!(summarize("# Title\n\nWhole sentence", 7), "Whole sentence");
}

#[test]
fn no_sentence_is_without_the_heading_that_gives_it_its_meaning() {
    let step = "1. Merge what is ready before noon.";
    let text =
        format!("# Release\n\n{step} Tell all.\n2. Tag it.\n\n## Undo\n\nDeploy the old tag.\n");
    assert_eq!(summarize(&text, 40), step);
    assert_eq!(gist(&text).unwrap(), "Merge what is ready before noon.");
    let undo = "# Release\n\n## Undo\n\nDeploy the old tag.\n\n## More\n\nTell all.\n";
    assert_eq!(summarize(undo, 43), "# Release\n\n## Undo\n\nDeploy the old tag.");
    assert_eq!(summarize(undo, 35), "# Release");
}

#[test]
fn what_stands_above_a_list_or_code_goes_with_it() {
    let long = "Words. ".repeat(60);
    let text = format!(
        "Intro. {long}\n\n## A\n\nOld: see below.\n\n- You must wait.\n{}",
        "- b\n".repeat(200)
    );
    let summary = summarize(&text, 200);
    assert!(summary.contains("Old: see below.\n\n- You must wait."), "{summary}");
}

#[test]
fn a_text_without_headings_and_sentences_gives_its_beginning() {
    assert_eq!(summarize("```\na\nb\nc\n```\n", 9), "```\na\n```");
    assert!(summary("", &str::len).complete);
}

#[test]
fn the_first_sentence_is_the_first_thing_said() {
    let first = |text| gist(text);
    assert_eq!(first("# T\n\n- x\n\nSee `a. b`\nand *c*. D").unwrap(), "See `a. b` and *c*.");
    assert_eq!(first("- x\n\n## T `y`\n").unwrap(), "T y");
    assert_eq!(first("```\nlet x\n```").unwrap(), "let x");
    assert_eq!(first("***").unwrap(), "***");
    assert_eq!(first(" \n\u{a0}\n"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn a_summary_is_at_most_a_quarter_or_one_piece(text in markdown()) {
        let tokens = |text: &str| count(Encoding::O200kBase, text);
        let excerpt = summary(&text, &tokens);
        let lines = Lines::new(&text);
        for line in &excerpt.lines {
            prop_assert!(line.text == GAP || lines.text(line.from).starts_with(&line.text));
        }
        let one_piece = excerpt.lines.iter().all(|line| !line.text.is_empty());
        prop_assert!(tokens(&excerpt.text()) <= tokens(&text) / 4 || one_piece);
        prop_assert_eq!(gist(&text).is_none(), text.trim().is_empty());
        prop_assert!(gist(&text).is_none_or(|line| !line.contains('\n')));
    }

    #[test]
    fn long_texts_are_always_summarized_in_a_quarter(text in markdown()) {
        let tokens = |text: &str| count(Encoding::O200kBase, text);
        let text = format!("Begin.\n\n{text}\n\n{}", "More to say about it.\n\n".repeat(20));
        prop_assert!(tokens(&summary(&text, &tokens).text()) <= tokens(&text) / 4);
    }
}
