//! Properties of all overlays.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::diagnostic::Reported;
use crate::line::{Line, join, lines_of};
use crate::markdown::BlockKind;
use crate::resolve::body::Outline;
use crate::resolve::combine::{Combine, combine};
use crate::source::{SourceMap, Span, Spanned};
use crate::strategy::{SectionAction, SectionRule, Strategy as How};

struct Pair {
    sources: SourceMap,
    base: Vec<Line>,
    overlay: Vec<Line>,
}

impl Pair {
    fn new(base: &str, overlay: &str) -> Self {
        let mut sources = SourceMap::default();
        let mut read = |path: &str, text: &str| {
            let file = sources.add(path.into(), text.to_owned());
            (file, text.len())
        };
        let (base, base_len) = read("base.md", base);
        let (overlay, overlay_len) = read("overlay.md", overlay);
        let base = lines_of(&sources, base, 0..base_len);
        let overlay = lines_of(&sources, overlay, 0..overlay_len);
        Self { sources, base, overlay }
    }

    fn combine(
        &self,
        strategy: How,
        sections: &[SectionRule],
        sealed: bool,
    ) -> Reported<Vec<Line>> {
        let how = Combine { strategy, sections, sealed };
        combine(&self.sources, &self.base, &self.overlay, &how)
    }

    fn text(&self, strategy: How) -> String {
        join(&self.sources, &self.combine(strategy, &[], false).value)
    }
}

fn combined(base: &str, overlay: &str, strategy: How) -> String {
    Pair::new(base, overlay).text(strategy)
}

fn with_rules(
    (base, overlay): (&str, &str),
    strategy: How,
    rules: &[(&str, SectionAction)],
    sealed: bool,
) -> (String, Vec<(&'static str, String)>) {
    let mut pair = Pair::new(base, overlay);
    let rules: Vec<_> = rules
        .iter()
        .map(|&(heading, action)| {
            let file = pair.sources.add("overlay.md".into(), heading.to_owned());
            let span = Span::new(file, 0, heading.len());
            SectionRule { heading: Spanned { value: heading.to_owned(), span }, action }
        })
        .collect();
    let reported = pair.combine(strategy, &rules, sealed);
    let found = reported.diagnostics.iter().map(|found| {
        let help = found.help.clone().unwrap_or_default();
        (found.code(), format!("{}; {help}", found.message))
    });
    (join(&pair.sources, &reported.value), found.collect())
}

const OVERRIDE: SectionAction = SectionAction::Apply(How::Override);
const MERGE: SectionAction = SectionAction::Apply(How::Merge);
const APPEND: SectionAction = SectionAction::Apply(How::Append);

mod examples {
    use super::*;

    #[test]
    fn a_fence_below_html_is_recognized_again() {
        let base = "- ```\n  x\n  ```\n- `Code` z\n";
        let overlay = "## A\n  <div>\n  x\n  </div>\n```\ncode\n\n# no heading\n```\n";
        let once = combined(base, overlay, How::Append);
        assert_eq!(combined(&once, overlay, How::Append), once);
    }

    #[test]
    fn approvals_of_one_section_are_overridden() {
        let base =
            "# Review\n\n## Approvals\n\n1 approval\n\n### Who\n\nanyone\n\n## Style\n\nkind\n";
        let overlay = "## Approvals\n\n2 approvals from senior engineers\n\n## Style\n\nexact\n";
        assert_eq!(combined(base, overlay, How::Override), overlay);
        for strategy in [How::Append, How::Merge] {
            let found = with_rules((base, overlay), strategy, &[("approvals", OVERRIDE)], false);
            assert_eq!(
                found,
                (
                    "# Review\n\n## Approvals\n\n2 approvals from senior engineers\n\n## Style\n\n\
                     kind\n\nexact\n"
                        .to_owned(),
                    vec![]
                )
            );
        }
    }

    #[test]
    fn labels_are_merged() {
        let base = "# Linear\n\n## Labels\n\n- bug\n- feature\n\n## More\n";
        let overlay = "# Acme Linear\n\n## LABELS\n\n- customer-reported\n- bug\n- security\n";
        assert_eq!(
            combined(base, overlay, How::Merge),
            "# Linear\n\n## Labels\n\n- bug\n- feature\n- customer-reported\n- security\n\n## More\n"
        );
    }

    #[test]
    fn requirements_are_appended_and_tests_run_once() {
        let base = "## Before deploying\n- run tests\n";
        let overlay =
            "## Before deploying\n\n  - run  tests\n  - security scan\n  - performance test\n";
        assert_eq!(
            combined(base, overlay, How::Append),
            "## Before deploying\n- run tests\n- security scan\n- performance test\n"
        );
    }

    #[test]
    fn what_an_introduction_says_stays_below_it() {
        let base = "Always:\n\n- test\n\nNever:\n\n- push\n";
        let overlay = "Always:\n\n- ask\n\nNever:\n\n- test\n";
        let both = "Always:\n\n- test\n- ask\n\nNever:\n\n- push\n- test\n";
        assert_eq!([How::Append, How::Merge].map(|how| combined(base, overlay, how)), [both; 2]);
        let other = "Always:\n\n1. ask\n2. test\n";
        assert_eq!(combined(base, other, How::Append), format!("{base}\n{other}"));
        let prices = "In Germany:\n\n| I | P |\n|---|---|\n| pen | 1 |\n\nIn France:\n\n| I | P |\n|---|---|\n| pen | 2 |\n";
        let french = "In France:\n\n| I | P |\n|---|---|\n| pen | 3 |\n";
        assert_eq!(
            combined(prices, french, How::Merge),
            prices.replace("| pen | 2 |", "| pen | 3 |")
        );
        let make = "```sh\nmake\n```\n";
        let windows = format!("On Windows:\n\n{make}\nThen sign.\n");
        assert_eq!(combined(make, &windows, How::Append), format!("{make}\n{windows}"));
        assert_eq!(
            combined("- run tests\n- tag\n", "1. build\n2. run tests\n", How::Append),
            "- run tests\n- tag\n\n1. build\n2. run tests\n"
        );
    }

    #[test]
    fn without_an_introduction_nothing_goes_below_one() {
        let both = "Always:\n\n- **Tests**: all\n\nNever:\n\n- **Friday**: deploy\n- push\n";
        for (base, overlay, expected) in [
            (both, "- **Friday**: noon\n", format!("- **Friday**: noon\n\n{both}")),
            (both, "1. ask\n2. push\n", format!("1. ask\n2. push\n\n{both}")),
            (both, "- push\n", both.to_owned()),
            (both, "Ask.\n\n- x\n", format!("{both}\nAsk.\n\n- x\n")),
            (
                "## A\n\n- a\n\n[^n]: A note.\n\nNever:\n- b\n\n[x]: /x\n",
                "## A\n\n- c\n",
                "## A\n\n- a\n- c\n\n[^n]: A note.\n\nNever:\n- b\n\n[x]: /x\n".to_owned(),
            ),
            (
                "<!-- n -->\n",
                "Never:\n\n- x\n\n<!-- n -->\n\n- y\n",
                "<!-- n -->\n\nNever:\n\n- x\n\n<!-- -->\n\n- y\n".to_owned(),
            ),
        ] {
            assert_eq!(combined(base, overlay, How::Merge), expected);
        }
        let head = "| I | P |\n|---|---|\n";
        let prices =
            format!("In Germany:\n\n{head}| pen | 1 |\n\nIn France:\n\n{head}| pen | 2 |\n");
        let other = format!("{head}| pen | 2 |\n| ink | 3 |\n");
        assert_eq!(combined(&prices, &other, How::Merge), format!("{prices}\n{other}"));
        let known = format!("{head}| pen | 2 |\n");
        assert_eq!(combined(&prices, &known, How::Merge), prices);
    }

    #[test]
    fn items_and_rows_are_replaced_by_key() {
        let base = "- **P**: 0 none\n  - more\n- `x`: 1\n- see http://a\n\n| K | V |\n|---|---|\n| page | 5 |\n| title | 9 |\n";
        let overlay = "- **p:** urgent\n- `X`: 2\n- see http://b\n\n| k | v |\n|--|--|\n| Title | 7 |\n| labels | 3 |\n";
        assert_eq!(
            combined(base, overlay, How::Merge),
            "- **p:** urgent\n- `x`: 1\n- see http://a\n\n| K | V |\n|---|---|\n| page | 5 |\n| Title | 7 |\n| labels | 3 |\n\n- `X`: 2\n- see http://b\n"
        );
        assert_eq!(
            combined(
                "| Flag | Does |\n|--|--|\n| `-v` | verbose |\n",
                "| Flag | Does |\n|--|--|\n| `-V` | version |\n",
                How::Merge
            ),
            "| Flag | Does |\n|--|--|\n| `-v` | verbose |\n| `-V` | version |\n"
        );
        assert_eq!(
            combined("- **A**: 1\n", "- **A**: 2\n", How::Append),
            "- **A**: 1\n- **A**: 2\n"
        );
    }

    #[test]
    fn definitions_are_replaced_by_label() {
        let base = "A [list][1].[^n]\n\n[1]: /base\n[2]: /b\n\n[^n]: Base.\n";
        let overlay = "Our [list][1].[^N]\n\n[1]: /ours\n[^N]: Ours.\n";
        assert_eq!(
            combined(base, overlay, How::Merge),
            "A [list][1].[^n]\n\n[1]: /ours\n[2]: /b\n\n[^N]: Ours.\n\nOur [list][1].[^N]\n"
        );
        assert_eq!(combined(base, overlay, How::Append), format!("{base}\n{overlay}"));
    }

    #[test]
    fn definitions_stay_with_what_uses_them() {
        let kept = "# R\n\n## A\n\nSee the [policy].[^1]\n";
        let base = format!(
            "{kept}\n## Z\n\nSee [z].\n\n[policy]: /p\n\n[z]: /z\n\n[^1]: In 14 days; see [law].\n[law]: /l\n"
        );
        let used = "[policy]: /p\n\n[^1]: In 14 days; see [law].\n[law]: /l\n";
        let remove = [("Z", SectionAction::Remove)];
        let text =
            |overlay, strategy, rules: &[_]| with_rules((&base, overlay), strategy, rules, false).0;
        assert_eq!(text("", How::Append, &remove), format!("{kept}\n{used}"));
        for strategy in [How::Append, How::Merge] {
            assert_eq!(
                text("## Z\n\nz\n\n[policy]: /ours\n", strategy, &[("Z", OVERRIDE)]),
                format!("{kept}\n## Z\n\nz\n\n[policy]: /ours\n\n{}", &used[14..])
            );
        }
        assert_eq!(
            text("## B\n\n```\n[z]\n", How::Override, &[("A", APPEND)]),
            format!("## B\n\n```\n[z]\n```\n\n{}\n{used}", &kept[5..])
        );
    }

    #[test]
    fn a_replacing_item_takes_the_marker_and_column_of_the_old_one() {
        assert_eq!(
            combined(" 2. **A** 1\n    x\n 3. b\n", "- **A** 2\n  - y\n", How::Merge),
            " 2. **A** 2\n    - y\n 3. b\n"
        );
        assert_eq!(
            combined("- [ ] **A** 1\n", "10. [x] **A** 2\n\n    y\n", How::Merge),
            "- [x] **A** 2\n\n  y\n"
        );
    }

    #[test]
    fn new_sections_nest_as_they_did() {
        let base = "# T\n#### Deep\n## A\n\na\n### A1\n## B\n";
        let overlay = "# U\n### Mid\nm\n## A\n### A2\n#### A2x\n## C\n";
        assert_eq!(
            combined(base, overlay, How::Append),
            "# T\n#### Deep\n\n### Mid\nm\n\n## A\n\na\n### A1\n\n### A2\n#### A2x\n\n## B\n\n## C\n"
        );
    }

    #[test]
    fn what_is_open_is_closed_before_anything_follows() {
        assert_eq!(combined("```\nx\n\n", "p\n", How::Append), "```\nx\n```\n\np\n\n");
        assert_eq!(combined("p\n", "<!-- x\n", How::Append), "p\n\n<!-- x\n");
        assert_eq!(combined("p\n## A\n", "~~~~\nx\n", How::Append), "p\n\n~~~~\nx\n~~~~\n\n## A\n");
    }

    #[test]
    fn nothing_falls_into_a_list() {
        assert_eq!(combined("- a\n", "  p\n  q\n", How::Append), "- a\n\np\nq\n");
        assert_eq!(combined("- a\n", "    c\n", How::Append), "- a\n\n<!-- -->\n\n    c\n");
        assert_eq!(
            combined("p\n\n  ## A\n", "- a\n", How::Append),
            "p\n\n- a\n\n<!-- -->\n\n  ## A\n"
        );
        assert_eq!(
            combined("- ```\n  x\n  ```\nP\n===\n\n- a", "# P\n- **b**\n", How::Merge),
            "- ```\n  x\n  ```\nP\n===\n\n- a\n- **b**\n"
        );
    }

    #[test]
    fn rules_remove_merge_and_append_sections() {
        let base = "## A\n\n- k: 1\n\n## B\n\nb\n\n## C\n\nc\n";
        let overlay = "## A\n- k: 2\n## B\nx\n## D\nd\n### E\n- k: 3\n";
        let rules = [("A", MERGE), ("b", SectionAction::Remove), ("D/E", SectionAction::Remove)];
        let (text, found) = with_rules((base, overlay), How::Append, &rules, false);
        assert_eq!(text, "## A\n\n- k: 2\n\n## C\n\nc\n\n## D\nd\n");
        assert_eq!(
            found,
            [
                (
                    "section-without-base",
                    "the base has no section `D/E`; name a heading of the base, or remove the entry"
                        .to_owned()
                ),
                (
                    "overlay-clash",
                    "`sections` removes `B`, also from this file; write `override` instead of \
                     `remove` to replace the section"
                        .to_owned()
                )
            ]
        );
    }

    #[test]
    fn a_rule_brings_sections_together_that_stand_in_different_places() {
        let base = "## A\n### Approvals\n1\n### Z\nz\n";
        let overlay = "## New\nn\n### Approvals\n2\n";
        let (text, found) =
            with_rules((base, overlay), How::Append, &[("Approvals", OVERRIDE)], false);
        assert_eq!(text, "## A\n### Approvals\n2\n\n### Z\nz\n\n## New\nn\n");
        assert!(found.is_empty());
    }

    #[test]
    fn rules_that_find_nothing_say_what_may_be_meant() {
        let rules = [("Aproval", OVERRIDE), ("Other", APPEND)];
        let (text, found) =
            with_rules(("## Approval\nx\n## Other\n", "## New\n"), How::Merge, &rules, false);
        assert_eq!(text, "## Approval\nx\n## Other\n\n## New\n");
        let found: Vec<_> = found.into_iter().map(|(_, message)| message).collect();
        assert_eq!(
            found,
            [
                "the base has no section `Aproval`; did you mean `Approval`?",
                "this overlay has no section `Other`; add the section, or remove the entry",
            ]
        );
    }

    #[test]
    fn an_override_can_keep_sections_of_the_base() {
        let base = "# T\n\n## A\n\n- a\n\n## B\n\nb\n\n## C\n\nc\n";
        let overlay = "# U\n\n## C\n\nx\n\n## A\n\n- z\n\n## R\n\nr\n";
        let rules = [("A", APPEND), ("B", MERGE), ("R", SectionAction::Remove)];
        let (text, found) = with_rules((base, overlay), How::Override, &rules, false);
        assert_eq!(text, "# U\n\n## C\n\nx\n\n## A\n\n- a\n- z\n\n## B\n\nb\n");
        assert_eq!(found, []);
        let twice = ("## A\n### R\nx\n## R\n", "## R\nr\n");
        assert_eq!(with_rules(twice, How::Override, &rules[2..], false).1, []);
    }

    #[test]
    fn a_sealed_base_can_only_be_appended_to() {
        let texts = ("## A\n1\n## B\n- k: 1\n", "## A\n2\n## B\n- k: 2\n## C\n");
        let rules = [("A", OVERRIDE), ("B", APPEND), ("C", SectionAction::Remove)];
        let (text, found) = with_rules(texts, How::Append, &rules, true);
        assert_eq!(text, "## A\n1\n## B\n- k: 1\n- k: 2\n");
        assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), ["sealed-overridden"; 2]);
    }

    #[test]
    fn every_line_knows_its_file() {
        let pair = Pair::new("- a\n", "  - b\n\n    c\n");
        let lines = pair.combine(How::Append, &[], false).value;
        let places: Vec<_> = lines
            .iter()
            .map(|line| line.place(&pair.sources))
            .map(|(path, at)| format!("{path}:{at}"))
            .collect();
        assert_eq!(places, ["base.md:1", "overlay.md:1", "overlay.md:2", "overlay.md:3"]);
    }

    #[test]
    fn hostile_sizes_take_no_quadratic_time() {
        let many = |piece: &str| piece.repeat(40_000);
        let labels =
            |to: &str| (0..40_000).fold(String::new(), |all, n| all + &format!("[{n}]: {to}\n"));
        for (base, overlay) in [
            (many("- a: b\n"), many("- a: c\n")),
            (many("## A\n"), many("### B\n")),
            (labels("/a"), labels("/b\n")),
            (many("| a |\n|--|\n\n"), many("| a |\n|--|\n| b |\n\n")),
            (many("    a\n\nb\n\n"), many("    c\n\nd\n\n")),
        ] {
            assert!(combined(&base, &overlay, How::Merge).len() >= base.len());
        }
    }
}

fn block() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "plain words",
        "other words\nthat go on",
        "Always:",
        "Never:",
        "Always:\n\n- a\n- d",
        "Never:\n- b",
        "  indented words\n  on two lines",
        "- a\n- b",
        "- b\n- c\n- **A**: 1",
        "* a\n* **A**: 2\n  * nested\n",
        "  - a\n  - **A:** 3\n\n    more\n  - d",
        "   - x\n - y\n   - z",
        "-   **A**: wide\n\n    far\n- b",
        "- a\n\n- b\n\n- **K** x",
        "1. one\n2. two",
        "1. `Code` x\n2. two: 2\n",
        "9) `code` y\n10) two: 3",
        "- [ ] a\n- [x] **A** b",
        "- [x] a: 1\n- two: 5\n- two: 6",
        "- two: 5\n- two: 7\n- Two : 8\nlazy",
        "- ```\n  x\n  ```\n- `Code` z",
        "- ```\n  open",
        "-\n- <!-- x",
        "+ http://a: b\n+ **A**\n+ [x]: /u",
        "| K | V |\n|---|---|\n| a | 1 |\n| b | 2 |",
        "| k | v |\n|:--|---|\n| a | 3 |\n| c | 4 |\n| a | 5 |",
        "  | K | V |\n  |---|---|\n  | `b` | 6 |\nb",
        "| Z |\n|---|",
        "| [x] |\n|---|\n| [x] |\n| a |",
        "```\ncode\n\n# no heading\n```",
        "  ~~~ rs\n  code\n  ~~~",
        "    indented\n\n    code",
        "    code",
        "\ttab code",
        "> quote\nlazy",
        "> - quoted\n>\n> more",
        "<!-- note -->",
        "<!-- long\n\nnote -->\ntail",
        "  <div>\n  x\n  </div>",
        "<pre>\n\nx\n</pre>",
        "[x]: /u",
        "[x]: /u\n'title'\nwords [x]",
        "---",
        " * * *",
    ]);
    let open = prop::sample::select(vec![
        "```\nopen",
        "  ~~~~\n  open\n",
        "<!-- open",
        " <!-- open\n\n## no",
        "<script>\nopen",
        "<?x",
    ]);
    prop_oneof![30 => fixed, 1 => open].prop_map(str::to_owned)
}

fn heading() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec!["A", "B", "**A**", "b", "A `x`", "C [x]"]);
    let shape =
        prop::sample::select(vec!["# ", "## ", "## ", "### ", "#### ", "  ## ", "=", "-", " ="]);
    (shape, text).prop_map(|(shape, text)| match shape {
        "=" => format!("{text}\n==="),
        "-" => format!("{text}\nmore\n---"),
        " =" => format!("  {text}\n  ==="),
        marks => format!("{marks}{text}"),
    })
}

fn document() -> impl Strategy<Value = String> {
    let part = prop_oneof![3 => block(), 2 => heading()];
    let gap = prop::sample::select(vec!["\n", "\n\n", "\n\n", "\n\n", "\n \n\n"]);
    let parts = prop::collection::vec((part, gap), 0..9);
    let title =
        prop::sample::select(vec!["", "", "# Title\n", "\n# Other title\n\n", "Title\n=====\n"]);
    (title, parts, any::<bool>()).prop_map(|(title, parts, crlf)| {
        let parts: String = parts.into_iter().map(|(part, gap)| part + gap).collect();
        let text = format!("{title}{parts}");
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

fn soup() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(vec![
        "#", "##", "-", "*", "**", "`", "```", "~~~", "|", "|-|", ":", "[", "]", "<!--", "-->",
        "<", ">", "1.", "\n", "\n", "\n\n", "    ", " ", "\t", "\r", "\u{a0}", "a", "ü", "=",
        "===", "\\",
    ]);
    prop_oneof!["\\PC*", prop::collection::vec(sign, 0..40).prop_map(|signs| signs.concat())]
}

fn adding() -> impl Strategy<Value = How> {
    prop::sample::select(vec![How::Append, How::Merge])
}

fn is_subsequence<'a>(
    part: impl Iterator<Item = &'a str>,
    mut whole: impl Iterator<Item = &'a str>,
) -> bool {
    let mut part = part;
    part.all(|line| whole.any(|other| other == line))
}

fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = if usual.cases == 256 { 2048 } else { usual.cases };
    ProptestConfig { cases, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn override_gives_the_overlay(base in document(), overlay in document()) {
        let pair = Pair::new(&base, &overlay);
        prop_assert_eq!(pair.combine(How::Override, &[], false).value, pair.overlay);
    }

    #[test]
    fn append_keeps_the_lines_of_the_base(base in document(), overlay in document()) {
        let result = combined(&base, &overlay, How::Append);
        prop_assert!(is_subsequence(base.lines(), result.lines()), "{}", result);
    }

    #[test]
    fn combining_again_changes_nothing(
        base in document(), overlay in document(), strategy in adding()
    ) {
        let once = combined(&base, &overlay, strategy);
        let twice = combined(&once, &overlay, strategy);
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn an_empty_overlay_changes_nothing(
        base in document(),
        overlay in prop::sample::select(vec!["", "\n \n", "# Title\n\n", "Title\n===\n"]),
        strategy in adding(),
    ) {
        let pair = Pair::new(&base, overlay);
        prop_assert_eq!(pair.combine(strategy, &[], false).value, pair.base);
    }

    #[test]
    fn every_line_has_its_place_and_its_text(
        base in document(), overlay in document(), strategy in adding()
    ) {
        let pair = Pair::new(&base, &overlay);
        let given: Vec<Span> = pair.base.iter().chain(&pair.overlay).map(|it| it.origin).collect();
        for line in pair.combine(strategy, &[], false).value {
            let within = |span: &Span| {
                span.file == line.origin.file
                    && span.start <= line.origin.start
                    && span.end == line.origin.end
            };
            prop_assert!(given.iter().any(within));
            let own = pair.sources.text(line.origin);
            prop_assert!(line.shown.is_some() || line.text(&pair.sources) == own);
        }
    }

    #[test]
    fn all_that_the_overlay_says_is_in_the_result(base in document(), overlay in document()) {
        let pair = Pair::new(&base, &overlay);
        let words = |text: &str| -> BTreeSet<String> {
            text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
        };
        let result = words(&pair.text(How::Append));
        let body = Outline::new(&pair.sources, &pair.overlay);
        let is_heading = |kind: &BlockKind| matches!(kind, BlockKind::Heading { .. });
        for block in body.blocks.iter().filter(|block| !is_heading(&block.kind)) {
            let said = words(&join(&pair.sources, &pair.overlay[block.lines.clone()]));
            prop_assert!(said.is_subset(&result), "{:?}", said.difference(&result));
        }
    }

    #[test]
    fn nothing_makes_it_panic(
        base in soup(), overlay in soup(), name in "[a#/]{0,3}", sealed in any::<bool>(),
        strategy in prop::sample::select(vec![How::Override, How::Append, How::Merge]),
        action in prop::sample::select(vec![OVERRIDE, MERGE, APPEND, SectionAction::Remove]),
    ) {
        with_rules((&base, &overlay), strategy, &[(&name, action), ("a", MERGE)], sealed);
    }

    #[test]
    fn rules_give_the_same_result_every_time(
        base in document(), overlay in document(),
        strategy in prop::sample::select(vec![How::Override, How::Append, How::Merge]),
        actions in prop::collection::vec(
            (prop::sample::select(vec!["A", "b", "A/b", "A x"]),
             prop::sample::select(vec![OVERRIDE, MERGE, APPEND, SectionAction::Remove])), 0..4),
    ) {
        let (first, _) = with_rules((&base, &overlay), strategy, &actions, false);
        let (again, _) = with_rules((&base, &overlay), strategy, &actions, false);
        prop_assert_eq!(first, again);
    }
}
