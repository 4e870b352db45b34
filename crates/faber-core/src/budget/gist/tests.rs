use super::*;

fn described(body: &str) -> Option<String> {
    description(body, None)
}

#[test]
fn tags_are_no_part_of_a_description() {
    let xml = "<best_practices>\n  <practice>\n    <title>Read first</title>\n    \
               <description>Read the whole issue.</description>\n  </practice>\n</best_practices>\n";
    assert_eq!(described(xml).as_deref(), Some("Read the whole issue."));
    assert_eq!(described("<a_b>\n  <c>Read first</c>\n</a_b>").as_deref(), Some("Read first"));
    let indented = "<a_b>\n  <overview>\n    Use the CLI.\n  </overview>\n</a_b>\n";
    assert_eq!(described(indented).as_deref(), Some("Use the CLI."));
    let listed = "<a_b>\n  <c_d>\n    1. Reproduce it\n    2. Fix it\n  </c_d>\n</a_b>";
    assert_eq!(described(listed).as_deref(), Some("Reproduce it"));
    assert_eq!(
        described("<tool_use>ls</tool_use> `<a_b>` a < b").as_deref(),
        Some("ls <a_b> a < b")
    );
    assert_eq!(described("<a_b>\n</a_b>"), None);
    assert_eq!(described("See <https://x.y>."), Some("See https://x.y.".to_owned()));
}

#[test]
fn an_introduction_describes_but_says_nothing_next_to_an_id() {
    let text = "# Digest\n\nRules for the digest:\n\n- a\n\nIt is sent daily. Twice.\n";
    assert_eq!(described(text).as_deref(), Some("Rules for the digest: a"));
    assert_eq!(gist(text).as_deref(), Some("It is sent daily."));
    assert_eq!(described("Do **these:**\n\nThen rest.").as_deref(), Some("Then rest."));
    let rule = "Never do these things in a digest:";
    let text = format!("# Digest\n\nSo:\n\n{rule}\n\n- a\n");
    assert_eq!(gist(&text), Some(format!("{rule} a")));
    let text = format!("# Digest\n\n{rule}\n\n| a |\n|---|\n| b |\n\nIt is sent daily.\n");
    assert_eq!(gist(&text).as_deref(), Some("It is sent daily."));
    assert_eq!(described(&text).as_deref(), Some("It is sent daily."));
    assert_eq!(described("Run these:\n\n```\na\n```\n").as_deref(), Some("Run these"));
    assert_eq!(described(""), None);
}

#[test]
fn an_introduction_comes_with_its_list_or_the_beginning_of_it() {
    let text = "# Down\n\n## Meaning\n\n[The API][a] has these:\n\n* Many **failures**, or\n* slow\n  requests.\n\n[a]: x\n";
    let said = "Down: The API has these: Many failures, or; slow requests";
    assert_eq!(described(text).as_deref(), Some(said));
    let items = "- Ask first. Then wait.\n- Tell all.\n".repeat(8);
    let said = described(&format!("Before you start with it:\n\n{items}")).unwrap();
    assert!(
        said.starts_with("Before you start with it: Ask first; Tell all; Ask first;"),
        "{said}"
    );
    assert!(said.ends_with("; …") && said.len() < 160, "{said}");
}

#[test]
fn a_description_says_what_a_reader_of_the_text_sees() {
    for (text, expected) in [
        ("// Who you are\n\nYou sum up debates.\n", "You sum up debates."),
        ("// Rules\n// For tests\nUse Jest.\n", "Rules: Use Jest."),
        ("// Rules\n", "Rules"),
        ("The form is [type]: [text].\n", "The form is [type]: [text]."),
        ("See [it][a] and [b].\n\n[a]: x\n[b]: y\n", "See it and b."),
        ("コード分\u{200b}\u{200b}析です。\n", "コード分析です。"),
    ] {
        assert_eq!(described(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn lines_about_a_document_are_no_description() {
    for empty in [
        "Date: 2024-01-15",
        "Last updated: 2026-04-23",
        "Last reviewed on 3 May",
        "**Status:** Accepted",
        "✅ Accepted",
        "Superseded by [0019](0019-go.md)",
        "Hello!",
        "Welcome to the team!",
        "Thanks for contributing to this project!",
        "No modules.",
        "{Please write here}",
        "**Impact: HIGH**",
        "Version 1.0",
        "Full docs: https://x.y/z",
        "!!! warning \"Tech Preview\"\n\n    This is not stable.",
        "??? note\n    Folded.\n\n    More.",
        ":::tip Title\n\nUse it.\n\n:::",
        "Matches:\n\n- `a`",
        "TBD: write this",
    ] {
        let text = format!("# Title\n\n{empty}\n\n## Context\n\nTwo teams share it.\n");
        assert_eq!(described(&text).as_deref(), Some("Title: Two teams share it."), "{empty}");
        assert_eq!(described(&format!("# Title\n\n{empty}\n")).as_deref(), Some("Title"));
    }
    for said in ["Hi-res images are cached.", "No secrets in logs.", "Version control: use git."] {
        assert_eq!(described(&format!("# Title\n\n{said}\n")).as_deref(), Some(said));
    }
    let text = "# Title\n\nHello! Welcome to the documentation for the compiler.\n";
    assert_eq!(described(text).as_deref(), Some("Welcome to the documentation for the compiler."));
}

#[test]
fn a_title_comes_before_a_heading_and_after_a_sentence() {
    let titled = |body: &str| description(body, Some("SQL")).unwrap();
    assert_eq!(titled("<page-title/>\n\n# はじめに\n\n本書は規約です。\n"), "本書は規約です。");
    assert_eq!(titled("<a_b>\n# はじめに\n本書は規約です。\n</a_b>\n"), "本書は規約です。");
    assert_eq!(titled("<a_b>\n# Scope\n\nAll tables\n</a_b>\n"), "All tables");
    assert_eq!(titled("# Introduction\n\nDate: 2024-01-15\n"), "SQL");
    assert_eq!(titled("# Introduction\n\n| a |\n|---|\n| b |\n"), "SQL");
}

#[test]
fn a_sentence_of_a_section_is_a_description_only_with_the_title() {
    let api = "# ChEMBL REST API\n\n## Base URL\n\n`https://x.y`\n\n## Auth\n\nNo API key required. Free.\n";
    for (text, expected) in [
        (api, "ChEMBL REST API: No API key required."),
        ("# Is it free?\n\n## Answer\n\nYes, it is.\n", "Is it free? Yes, it is."),
        ("# Carts\n\n## About\n\nCarts hold items.\n", "Carts hold items."),
        ("# cart\n\n## 1.0\n\n- [#1](x) Thanks @a! - Add it.\n", "cart"),
        ("# Do not touch\n\n!!!\n", "Do not touch"),
        ("A tool.\n\n## Install\n\nRun it.\n", "A tool."),
        ("## Names\n\n- Use snake case.\n", "Use snake case."),
    ] {
        assert_eq!(described(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_title_is_said_once_and_only_where_the_sentence_does_not_say_it() {
    let text = "## Avoid FINAL\n\n**Cause:** it merges.\n";
    let said = description(text, Some("Avoid FINAL"));
    assert_eq!(said.as_deref(), Some("Avoid FINAL: Cause: it merges."));
    let text = "# Dedupe (`cache()`)\n\n## Why\n\nIt is slow.\n";
    assert_eq!(described(text).as_deref(), Some("Dedupe (cache()): It is slow."));
    let aws = "Sign in to the AWS console.";
    assert_eq!(
        titled("Raise a ticket with AWS", "ticket", aws),
        format!("Raise a ticket with AWS: {aws}")
    );
    for (title, name) in [("AWS consoles", "x"), ("Raise tickets", "console"), ("Log in", "log-in")]
    {
        assert_eq!(titled(title, name, aws), aws);
    }
}

#[test]
fn what_to_avoid_is_no_description() {
    let xml = "<a_b>\n  <avoid>\n    Use any.\n  </avoid>\n  <phrase>I will help.</phrase>\n  \
               <rule>Use strict types.</rule>\n</a_b>\n";
    assert_eq!(described(xml).as_deref(), Some("Use strict types."));
    assert_eq!(
        described("<a_b>\n\"k\": \"A b.\"\n\nWrite it.\n</a_b>").as_deref(),
        Some("Write it.")
    );
}

#[test]
fn a_label_below_a_subheading_comes_with_it() {
    let text = "# Build guide\n\n## Choose\n\n### For testing\n\n**Use: Default (Debug)**\n\nIt is fast.\n";
    assert_eq!(located(text), Some((6, "For testing: **Use: Default (Debug)**".to_owned())));
    assert_eq!(described(text).as_deref(), Some("Build guide, For testing: Use: Default (Debug)"));
    let text = "# Rules\n\n**Repository**: x\n**Owner**: us\n\n## Push\n\n- Never force `main`.\n";
    assert_eq!(gist(text).as_deref(), Some("Never force `main`."));
    assert_eq!(described(text).as_deref(), Some("Rules"));
}

#[test]
fn a_gist_is_from_a_line_of_the_text() {
    let xml = "<a_b>\n  <bad_example>\n  Push it.\n  </bad_example>\n\n  <c>Use `x`.</c>\n</a_b>\n";
    assert_eq!(located(xml), Some((5, "Use `x`.".to_owned())));
    assert_eq!(located("Hello!\n"), Some((0, "Hello!".to_owned())));
    assert_eq!(located("<a_b>\n</a_b>").unwrap().0, 0);
    assert_eq!(located(":\n"), Some((0, ":".to_owned())));
    assert_eq!(located("# Rust\n\nNo panics.\n"), Some((2, "No panics.".to_owned())));
}
