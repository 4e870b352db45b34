//! Further forms of rules.

use super::{left, read_prompt, rules, unread};

#[test]
fn questions_and_further_forms_are_read() {
    for (text, rule) in [
        ("- Releasing? See `x.md`.", "Keyword: Releasing → x.md"),
        ("Need to ship? Read `x.md` first.", "Keyword: ship → x.md"),
        ("Slow queries? See `x.md`.", "Keyword: Slow queries → x.md"),
        ("When the request is about things like a or b, load `x.md`.", "Keyword: a, b → x.md"),
        ("- `x.md`: load when the task touches a, b", "Keyword: a, b → x.md"),
        ("`x.md` should be loaded for x b and c d.", "Keyword: x b, c d → x.md"),
        ("Refer to `x.md` if you need to call the a API.", "Keyword: call the a API → x.md"),
        ("For code work, refer to `x.md`", "Keyword: code → x.md"),
        ("Do not read `x.md` unless the task is about a.", "Keyword: a → x.md"),
        ("When the request mentions a, e.g. B or C, load `x.md`.", "Keyword: a, B, C → x.md"),
        ("If you work on a, first read @contexts/x.md.", "Keyword: a → @contexts/x.md"),
        ("Triggers for `x.md`: a, b", "Keyword: a, b → x.md"),
        ("1. **A** (keywords: b, c): `x.md`", "Keyword: A, b, c → x.md"),
        ("- Security: `x.md`", "Keyword: Security → x.md"),
        ("If (and only if) the user wants an a, consult `x.md`.", "Keyword: a → x.md"),
        ("Load `x.md` if and only if the user asks about a.", "Keyword: a → x.md"),
        ("- Any mention of A? Load `x.md`", "Keyword: A → x.md"),
        ("- If there is any mention of A, load `x.md`.", "Keyword: A → x.md"),
        ("- For questions on a → see `x.md`", "Keyword: a → x.md"),
        ("- Questions on a or b → `x.md`", "Keyword: a, b → x.md"),
        ("- Bills, fees & prices: `x.md`", "Keyword: Bills, fees, prices → x.md"),
        ("- b & c → `x.md`", "Keyword: b & c → x.md"),
        ("- R & D, tests → `x.md`", "Keyword: R & D, tests → x.md"),
        (
            "| Situation | Read |\n|---|---|\n| Adding a database table | x.md |\n",
            "Keyword: Adding a database table → x.md",
        ),
        ("<rules>\n- \"a\" → Load x.md\n</rules>", "Keyword: a → x.md"),
        ("<section>\n- \"a\" → Load x.md\n</section>", "Keyword: a → x.md"),
    ] {
        assert_eq!(rules(text), [rule], "{text}");
    }
    assert_eq!(rules("a -> `x.md`\nb -> `y.md`\n"), ["Keyword: a → x.md", "Keyword: b → y.md"]);
    for text in [
        "Please **always** consult `x.md` when you answer.",
        "When starting a task, load `x.md`.",
        "Before you answer, load `x.md`.",
        "Before writing any code, load `x.md`.",
        "IMPORTANT: You MUST read `x.md` before any task.",
        "Load these:\n\n| What | File |\n|---|---|\n| a | `x.md` |\n",
    ] {
        assert_eq!(rules(text), ["Load → x.md"], "{text}");
    }
    for text in [
        "<example>\n- \"a\" → Load x.md\n</example>",
        "<example>\n```\na\n\n- \"a\" → Load x.md\n```\n</example>",
        "- Source: `x.md`",
    ] {
        assert_eq!(rules(text), [""; 0], "{text}");
    }
}

#[test]
fn a_sentence_may_have_two_rules() {
    let expected = ["Keyword: a → x.md", "Keyword: b → y.md"].map(str::to_owned);
    for text in [
        "For a load `x.md`, for b load `y.md`.",
        "Load `x.md` for a; for b, see `y.md`.",
        "If the user mentions a, load `x.md`; if the user mentions b, load `y.md`.",
        "When asked about a, load `x.md`, and when asked about b, load `y.md`.",
        "When asked about a, load `x.md`, and\nWhen asked about b, load `y.md`.",
        "If the user mentions a, load `x.md`, else if the user mentions b, load `y.md`",
        "- a → Load `x.md`, b → Load `y.md`",
        "- \"a\" → x.md and \"b\" → y.md",
        "- a: `x.md`; b: `y.md`",
        "- \"a\" — `x.md`, \"b\" — `y.md`",
    ] {
        assert_eq!(read_prompt(text), (expected.to_vec(), String::new()), "{text}");
        assert_eq!(unread(text), 0, "{text}");
    }
    for text in [
        "If the user mentions a, load `x.md`, else `y.md`.",
        "When the user mentions a, load `x.md`; if it exists, load `y.md`.",
        "- a → `x.md`, but first load the essentials of `y.md`",
    ] {
        assert_eq!((&rules(text)[..], unread(text)), (&expected[..1], 1), "{text}");
    }
    for text in [
        "When the user mentions a, load `x.md` instead of loading `y.md`.",
        "When the user mentions a, load `x.md`, not `y.md`.",
        "When the user mentions a, load `x.md` (see also `y.md`).",
    ] {
        assert_eq!((&rules(text)[..], unread(text)), (&expected[..1], 0), "{text}");
    }
}

#[test]
fn an_error_is_a_trigger_in_each_form() {
    for (text, rule) in [
        ("- If the error is AuthenticationError, load `x.md`.", "AuthenticationError"),
        ("Errors: AuthenticationError\n\nLoad `x.md`", "AuthenticationError"),
        (
            "- Errors: AuthenticationError, rate limit\n  - Load `x.md`",
            "AuthenticationError, rate limit",
        ),
        ("### AuthenticationError\n\nLoad `x.md`", "AuthenticationError"),
        ("### `rate_limit_exceeded_error`\n\n- Load `x.md`", "rate_limit_exceeded_error"),
    ] {
        let (found, left) = read_prompt(text);
        assert_eq!(found, [format!("Error: {rule} → x.md")], "{text}");
        assert!(!left.contains("Load"), "{text}: {left}");
    }
    for text in ["### Errors\n\nLoad `x.md`", "Errors: be careful here\n\nLoad `x.md`"] {
        assert_eq!(rules(text), ["Load → x.md"], "{text}");
    }
    assert_eq!(left("The error is final.\n"), "The error is final.\n");
}

#[test]
fn cells_and_labels_are_read_in_each_spelling() {
    let table = |key: &str, target: &str| {
        format!("| Keywords | Context |\n|---|---|\n| {key} | {target} |\n")
    };
    for (text, terms, target) in [
        (table("security (e.g., audit)", "x.md"), "security, audit", "x.md"),
        (table("security (i.e. audit)", "x.md"), "security, audit", "x.md"),
        (table("- audit - csrf", "x.md"), "audit, csrf", "x.md"),
        (table("audit - csrf", "x.md"), "audit - csrf", "x.md"),
        (table("audit", "→ specialist-sec.md"), "audit", "specialist-sec.md"),
        ("- audit, csrf → specialist-sec\n".to_owned(), "audit, csrf", "specialist-sec"),
        ("Keywords: audit\n\nContext: `x.md`\n".to_owned(), "audit", "x.md"),
        ("- Should the user ask for an audit, load `x.md`\n".to_owned(), "audit", "x.md"),
    ] {
        let (found, left) = read_prompt(&text);
        assert_eq!(found, [format!("Keyword: {terms} → {target}")], "{text}");
        assert_eq!((left.trim(), unread(&text)), ("", 0), "{text}");
    }
    for text in ["Old → standard-compliant code\n", "You should load `x.md` tests.\n"] {
        assert!(rules(text).iter().all(|rule| !rule.starts_with("Keyword")), "{text}");
    }
}
