use super::*;
use proptest::prelude::*;

fn yes(section: &SectionText<'_>) -> SectionScores {
    let often = |part: &&str| f64::from(u32::try_from(part.matches("yes").count()).unwrap());
    let parts: Vec<f64> = section.parts.iter().map(often).collect();
    SectionScores { whole: parts.iter().sum(), parts }
}

fn focus(text: &str) -> Option<Focus<'_>> {
    let parts = FocusParts::new(text);
    let scores: Vec<_> = parts.sections(text).map(|section| yes(&section)).collect();
    Focus::new(text, parts, scores.into_iter())
}

fn focused(text: &str, bytes: usize) -> Option<String> {
    let (excerpt, share) = focus(text)?.excerpt(bytes)?;
    assert!((0.0..=1.0 + 1e-9).contains(&share), "{share}");
    Some(excerpt.text())
}

#[test]
fn an_introduction_of_subsections_is_kept_with_the_first() {
    let text = "## A\n\nno\n\nIn this order:\n\n### One\n\nyes\n\n### Two\n\nyes yes\n";
    assert_eq!(focused(text, 9).unwrap(), "## A\n\n[…]\n\n### Two\n\nyes yes");
    let with_both = "## A\n\n[…]\n\nIn this order:\n\n### One\n\nyes\n\n### Two\n\nyes yes";
    assert_eq!(focused(text, 10).unwrap(), with_both);
    assert_eq!(focused("## A\n\nyes:\n", 10).unwrap(), "## A\n\nyes:");
}

#[test]
fn a_container_is_a_part_or_keeps_its_fences() {
    let text = "## A\n\nno\n\n:::note\n\nno\n\nyes\n\n:::\n\nno\n";
    assert_eq!(focused(text, 25).unwrap(), "## A\n\nno\n\n:::note\n\nno\n\nyes\n\n:::\n\nno");
    let no = "no ".repeat(100);
    let text = format!(":::a\n::::b\n{no}\n\nyes\n\n{no}\n::::\n:::\n\nno\n");
    assert_eq!(focused(&text, 20).unwrap(), ":::a\n::::b\n\n[…]\n\nyes\n\n[…]\n\n::::\n:::\n\nno");
}

#[test]
fn parts_keep_their_headings_and_order() {
    let text = "# T\n\nno\n\n## A\n\nyes one\n\nno\n\n## B\n\nno\n\n### C\n\nyes yes two\n";
    assert_eq!(
        focused(text, 30).unwrap(),
        "# T\n\n[…]\n\n## A\n\nyes one\n\nno\n\n## B\n\n[…]\n\n### C\n\nyes yes two"
    );
    assert_eq!(focused(text, 11).unwrap(), "# T\n\n[…]\n\n## B\n\n[…]\n\n### C\n\nyes yes two");
    assert_eq!(focused(text, 5), None, "not even the best part fits");
    assert_eq!(focused("# T\n\nno\n", 100), None, "nothing matches");
}

#[test]
fn what_stands_above_code_goes_with_it() {
    let no = "no ".repeat(100);
    let text = format!("## A\n\n{no}\n\nNo one may run this.\n\n```\nyes\n```\n");
    let expected = "## A\n\n[…]\n\nNo one may run this.\n\n```\nyes\n```";
    assert_eq!(focused(&text, 15).unwrap(), expected);
}

#[test]
fn a_part_that_is_too_large_bars_no_others() {
    let text = format!("## A\n\nyes {}\n\n## B\n\nyes\n", "no ".repeat(100));
    assert_eq!(focused(&text, 15).unwrap(), "[…]\n\n## B\n\nyes");
}

#[test]
fn parts_keep_the_definitions_that_they_use() {
    let text = "no [a]\n\nyes [b] [^c]\n\n[a]: /a\n[b]: /b\n[^c]: no note of [a]\n";
    let expected = "[…]\n\nyes [b] [^c]\n\n[a]: /a\n[b]: /b\n[^c]: no note of [a]";
    assert_eq!(focused(text, 12).unwrap(), expected);
}

#[test]
fn parts_keep_the_title() {
    let text = "# T\n\nno\n\n# A\n\nno\n\n## B\n\nno\n\n## C\n\n1. yes\n\n# D\n\nyes\n";
    let expected = "# T\n\n[…]\n\n# A\n\n[…]\n\n## C\n\n1. yes";
    assert_eq!(focused(text, 6).unwrap(), expected);
}

#[test]
fn rows_come_with_their_header_and_items_with_their_lead_in() {
    let filler = "no ".repeat(80);
    let table =
        format!("| a | b |\n|---|---|\n| no | {filler} |\n| yes | 1 |\n| no | {filler} |\n");
    assert_eq!(focused(&table, 30).unwrap(), "| a | b |\n|---|---|\n[…]\n| yes | 1 |\n[…]");
    let list = format!("Take one of:\n\n- {filler}\n- yes\n  - nested\n- {filler}\n- yes too\n");
    assert_eq!(
        focused(&list, 50).unwrap(),
        "Take one of:\n\n[…]\n\n- yes\n  - nested\n[…]\n- yes too"
    );
}

#[test]
fn lists_are_complete_where_that_fits() {
    let filler = "no ".repeat(80);
    let [first, last] = ["1. yes a", "4. yes b"];
    let steps = format!("{first}\n2. {filler}\n3. {filler}\n{last}");
    let text = format!("## Steps\n\n{steps}\n\n## Other\n\nyes {}\n", filler.repeat(4));
    assert_eq!(focused(&text, 700).unwrap(), format!("## Steps\n\n{steps}"));
    assert_eq!(focused(&text, 30).unwrap(), format!("## Steps\n\n{first}\n[…]\n{last}"));
    let first = format!("{first}\n\n   ```\n   c\n   ```");
    let text = format!("{first}\n2. {filler}\n3. {filler}\n{last}\n");
    assert_eq!(focused(&text, 50).unwrap(), format!("{first}\n[…]\n\n{last}"));
}

#[test]
fn labels_and_leads_come_with_what_they_introduce_only() {
    let text = "**One**\n\nno a\n\n**Two**\n\nno b\n\n**Take:**\n\n- yes c\n\nyes d\n\n---\n\n<!-- yes -->\n";
    assert_eq!(focused(text, 8).unwrap(), "[…]\n\n**Two**\n\n[…]\n\n**Take:**\n\n- yes c");
    let filler = "no ".repeat(200);
    let text = format!("1. {filler}\n2. Run this:\n\n```\nyes\n```\n");
    assert_eq!(focused(&text, 20).unwrap(), "[…]\n\n2. Run this:\n\n```\nyes\n```");
}

#[test]
fn what_a_match_introduces_comes_before_other_parts() {
    let filler = format!("{}\n\n", "no ".repeat(30)).repeat(3);
    let code = format!("```\n{}\n```", "ln ".repeat(30));
    let text = format!("{filler}1. Go\n2. Link with yes:\n\n{code}\n\n{filler}");
    let above = "no ".repeat(30);
    let expected = format!("[…]\n\n{above}\n\n1. Go\n2. Link with yes:\n\n{code}");
    assert_eq!(focused(&text, 180).unwrap(), expected);
    let text = format!("## A\n\n{filler}Say yes yes:\n\n```\nln\n```\n\n## B\n\nyes\n\n{filler}");
    let expected = "## A\n\n[…]\n\nSay yes yes:\n\n```\nln\n```\n\n## B\n\nyes";
    assert_eq!(focused(&text, 40).unwrap(), expected);
}

#[test]
fn tags_come_with_what_is_between_them() {
    let text = "<Good>\n```ts\nyes\n\nno\n```\nWhy it is good\n</Good>\n\nno\n";
    let example = "<Good>\n```ts\nyes\n\nno\n```\nWhy it is good\n</Good>";
    assert_eq!(focused(text, 100).unwrap(), format!("{example}\n\nno"));
    assert_eq!(focused(text, example.len()).unwrap(), example);
    let filler = "no ".repeat(200);
    let text = format!("<rules a=\"1\">\n\nyes\n\n{filler}\n\n</rules>\n\nyes too\n");
    assert_eq!(focused(&text, 20).unwrap(), "<rules a=\"1\">\n\nyes\n\n[…]\n\n</rules>\n\nyes too");
}

#[test]
fn parts_share_the_tags_around_them() {
    let begin = (0..400).fold(String::new(), |text, n| text + &format!("<t{n}>\n\nyes\n\n"));
    let text = (0..400).rev().fold(begin, |text, n| text + &format!("</t{n}>\n"));
    let stored = rmp_serde::to_vec(&FocusParts::new(&text)).unwrap();
    assert!(stored.len() < 4 * text.len(), "{} of {}", stored.len(), text.len());
}

proptest! {
    #[test]
    fn lines_are_from_the_text_once_and_in_order(
        text in "(#{1,3} h\n|yes|no|\n\n|- item yes\n|\\| a \\| b \\|\n\\|---\\|---\\|\n|```\n|:\n|\\*\\*x\\*\\*\n|<a>\n|</a>\n|---\n){0,40}",
        bytes in 1_usize..200,
    ) {
        let Some(focus) = focus(&text) else { return Ok(()) };
        let Some((excerpt, _)) = focus.excerpt(bytes) else { return Ok(()) };
        let lines = Lines::new(&text);
        for line in &excerpt.lines {
            let is_own = line.text.is_empty() || line.text == GAP;
            prop_assert!(is_own || line.text == lines.text(line.from));
        }
        let shown: Vec<usize> = excerpt.lines.iter().filter(|l| !l.text.is_empty() && l.text != GAP).map(|l| l.from).collect();
        prop_assert!(shown.is_sorted_by(|a, b| a < b), "{shown:?}");
    }
}

#[test]
fn items_that_introduce_code_are_not_without_it() {
    let step =
        |at: usize| format!("{at}. Create part {at}, yes:\n\n```\n{}\n```\n\n", "ln ".repeat(40));
    let text: String = (1..6).map(step).collect();
    for bytes in (150..900).step_by(50) {
        let shown = focused(&text, bytes).unwrap_or_default();
        assert_eq!(shown.matches("yes:").count() * 2, shown.matches("```").count(), "{shown}");
    }
}

#[test]
fn steps_under_numbered_headings_are_complete_or_headings() {
    let no = "no ".repeat(100);
    let no = no.trim();
    let text = format!(
        "## Go\n\n### Step 1: Build\n\nyes\n\n### Step 2: Sign\n\n{no}\n\n#### 2.1 How\n\n{no}\n\n\
         ### Step 3: Push\n\nyes\n\n### Step 4: Tidy\n\n{no}\n\n### Notes\n\n{no}\n"
    );
    let [sign, tidy] = ["\n\n### Step 2: Sign\n\n", "\n\n### Step 4: Tidy\n\n"];
    let expected = |second: &str, fourth: &str| {
        let (first, third) = ("## Go\n\n### Step 1: Build\n\nyes", "\n\n### Step 3: Push\n\nyes");
        format!("{first}{sign}{second}{third}{tidy}{fourth}")
    };
    let how = format!("{no}\n\n#### 2.1 How\n\n{no}");
    assert_eq!(focused(&text, 920).unwrap(), expected(&how, no));
    assert_eq!(focused(&text, 320).unwrap(), expected(&format!("{no}\n\n[…]"), "[…]"));
    assert_eq!(focused(&text, 280).unwrap(), expected("[…]", "[…]"));
    assert!(!focused(&text, 200).unwrap().contains("Sign"), "headings take an eighth");
    for (heading, expected) in [
        ("Steps\n3. Push", Some(3)),
        ("Release workflow\n✅ 3) Push", Some(3)),
        ("Step 3\n3.2 Push", Some(2)),
        ("Go\nPhase 3 — Push", Some(3)),
        ("Schritt 3", Some(3)),
        ("Rules\n3. Push", None),
        ("Workflows\nWorkflow 3", None),
        ("Steps\n3rd party", None),
        ("Push in step 3", None),
        ("Push", None),
    ] {
        assert_eq!(steps::number(heading), expected, "{heading}");
    }
}
