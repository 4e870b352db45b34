//! Overlays that are unreadable or contradicted by shorter forms.

use crate::pelican::entry;
use crate::project::TestProject;

const BASE: &str = "contexts/standards/standards-approvals.md";
const OVERLAY: &str = ".faber/overlays/organization/contexts/standards/standards-approvals.md";
const TEXT: &str = "# Approvals\n\n## Who\n\n- **reviewers**: 1\n- **from**: anybody\n";
const MORE: &str = "## Who\n\n- **reviewers**: 2\n";

fn overlaid(overlay: &str) -> TestProject {
    TestProject::with_role().file(BASE, TEXT).file(OVERLAY, overlay)
}

#[test]
fn an_overlay_that_does_not_say_how_is_left_out() {
    for front in [
        "---\nstrategy: apend\n---\n",
        "---\nstrategy: [append]\n---\n",
        "---\nstategy: append\n---\n",
        "---\nStrategy: append\n---\n",
        "---\nsections: { Who: overide }\n---\n",
        "---\nsections: { Who: overide, Other: remove }\n---\n",
        "---\nsections: [Who]\n---\n",
        "---\nstrategy: merge\nsections: Who\n---\n",
        "---\nstrategy: append\nstrategy: merge\n---\n",
        "---\nsections: { Who: merge, Who: remove }\n---\n",
        "---\nstrategy: [append\n---\n",
        "---\ntags: [a]\nstrategy append\n---\n",
        "\n---\nstrategy: append\n---\n",
        "strategy: append\n---\n",
    ] {
        let project = overlaid(&format!("{front}{MORE}"));
        let run = project.run(&["assemble", "--parts", "contexts"]);
        assert!(run.stdout.contains(TEXT) && !run.stdout.contains('2'), "{front}{}", run.stdout);
        run.said(&[OVERLAY, "; an overlay is not used until this is fixed"]);
        assert!(!run.stderr.contains("the first value is used"), "{}", run.stderr);
        let data = project.json(&["assemble", "--format", "json"]);
        assert_eq!(entry(&data, "excluded", "standard/approvals")["path"], OVERLAY, "{front}");
    }
    let merged = overlaid(&format!("---\nsections: {{}}\n---\n{MORE}"));
    let text = merged.stdout(&["show", "standard/approvals"]);
    assert_eq!(text, TEXT.replace("reviewers**: 1", "reviewers**: 2"));
    let alone = TestProject::with_role().file(BASE, "---\nsections: [x]\n---\nText.\n");
    assert!(alone.stdout(&["assemble"]).contains("Text."), "no overlay");
}

#[test]
fn front_matter_that_is_text_is_reported_with_the_bundle() {
    let project = TestProject::with_role().file(BASE, "\n---\ntags: [a]\n---\nText.\n");
    project.run(&["assemble"]).said(&["misplaced-frontmatter", "standards-approvals.md:2:1"]);
    let run = overlaid("---\njust text\n---\nText.\n").run(&["assemble"]);
    run.said(&["frontmatter-not-a-mapping", OVERLAY, "not text; the file is not used"]);
}

#[test]
fn shorter_forms_do_not_outlive_the_text_that_they_shorten() {
    let long = "Reviews are answered within four hours, by the owner of the module. ".repeat(20);
    let shows = |front: &str, overlay: &str| {
        let base = format!("---\n{front}: One reviewer.\nmax_tokens: 60\n---\n{TEXT}\n{long}\n");
        let project = overlaid(&format!("---\n{overlay}\n---\n{MORE}")).file(BASE, &base);
        let bundle = project.stdout(&["assemble", "--parts", "contexts"]);
        assert!(!bundle.contains(&long), "{bundle}");
        bundle.contains("One reviewer.")
    };
    for front in ["summary", "essence", "description"] {
        for (overlay, is_kept) in [
            ("strategy: append", true),
            ("strategy: merge", false),
            ("sections: { Who: override }", false),
            ("strategy: append\nsections: { Who: remove }", false),
        ] {
            assert_eq!(shows(front, overlay), is_kept, "{front}, {overlay}");
        }
        let own = format!("strategy: merge\n{front}: Two, not One reviewer.");
        assert!(shows(front, &own), "{front}");
    }
}
