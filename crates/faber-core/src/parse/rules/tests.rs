//! The reader on whole prompts.

mod forms;

use super::*;
use crate::line::{join, lines_of};
use crate::source::SourceMap;

/// `kind: term, term → target`, `Load → target`, and the remaining text.
fn read_prompt(text: &str) -> (Vec<String>, String) {
    let mut sources = SourceMap::default();
    let file = sources.add("prompt.md".into(), text.to_owned());
    let lines = lines_of(&sources, file, 0..text.len());
    let found = read(&sources, &lines);
    let shown = found.rules.iter().map(|rule| {
        for part in rule.terms.iter().chain([&rule.target]) {
            assert_eq!(sources.text(part.span), part.value, "a span covers exactly its text");
        }
        let words = |terms: &[Spanned<String>]| {
            terms.iter().map(|term| &*term.value).collect::<Vec<_>>().join(", ")
        };
        let except = match &rule.except[..] {
            [] => String::new(),
            except => format!(", not {}", words(except)),
        };
        format!("{:?}: {}{except} → {}", rule.kind, words(&rule.terms), rule.target.value)
    });
    let loads = found.loads.iter().map(|load| format!("Load → {}", load.target.value));
    let shown = shown.chain(loads).collect();
    (shown, join(&sources, &emitted(&lines, &found, |_| true, &sources)))
}

fn rules(text: &str) -> Vec<String> {
    read_prompt(text).0
}

fn unread(text: &str) -> usize {
    let mut sources = SourceMap::default();
    let file = sources.add("prompt.md".into(), text.to_owned());
    read(&sources, &lines_of(&sources, file, 0..text.len())).unread.len()
}

fn left(text: &str) -> String {
    read_prompt(text).1
}

#[test]
fn a_prompt_of_directives_keeps_only_its_own_words() {
    let text = "\
# Release Keeper

You keep releases in order.

## Loading

### 1. Platform
**CRITICAL - Load First**
- Check config: `.faber/config.yml -> platforms.{role-name}`
- Load: `/contexts/platforms/platform-{detected}.md`
- If not configured, use default: github

### 2. Organization (Overlay)
**Always load if present**
- Load all: `/.faber/overlays/organization/contexts/standards/*.md`
- Load all: `/.faber/overlays/organization/contexts/references/*.md`

### 3. Standards
**Load default standards**

- Load all: `/contexts/standards/*.md`

### 4. Specialists
**Load based on user request**
- Keywords → Specialist mapping in table below

### 5. Custom
**Load additional contexts**
- Read: `/.faber/overlays/roles/{role-name}/config.yml -> custom_contexts[]`
- Load each specified context

## Mapping

| Keywords | Specialist Context |
|----------|--------------------|
| changelog, release notes | specialist-changelog.md |
| `ci`, **pipeline** | Load [this](/contexts/specialists/specialist-ci.md) |

Also, in words:

- \"speed\" | \"latency\" → Load `/contexts/specialists/specialist-speed.md`

## Trouble

On error, load relevant troubleshooting:

| Error Type | Troubleshooting Context |
|---|---|
| TagExistsError | troubleshooting-tags.md |

On permission error:
1. Load `/contexts/troubleshooting/troubleshooting-permissions.md`
2. Tell the user what is missing

## Tasks

- [tag](/tasks/tag.md)
";
    let (rules, left) = read_prompt(text);
    assert_eq!(
        rules,
        [
            "Keyword: changelog, release notes → specialist-changelog.md",
            "Keyword: ci, pipeline → /contexts/specialists/specialist-ci.md",
            "Keyword: speed, latency → /contexts/specialists/specialist-speed.md",
            "Error: TagExistsError → troubleshooting-tags.md",
            "Error: permission error → /contexts/troubleshooting/troubleshooting-permissions.md",
            "Load → /contexts/platforms/platform-{detected}.md",
            "Load → /.faber/overlays/organization/contexts/standards/*.md",
            "Load → /.faber/overlays/organization/contexts/references/*.md",
            "Load → /contexts/standards/*.md",
        ]
    );
    assert_eq!(
        left,
        "\
# Release Keeper

You keep releases in order.

## Trouble

On permission error:

1. Tell the user what is missing

## Tasks

- [tag](/tasks/tag.md)
",
        "what is left of a list is numbered again"
    );
}

#[test]
fn lists_keep_numbers_that_the_text_refers_to() {
    let steps = |end: &str| format!("1. Load `x.md`\n2. Test\n3. Ship\n\n{end}\n");
    for end in ["Never skip step 2.", "Repeat **Steps 2-3**.", "(See point #3.)"] {
        let kept = format!("2. Test\n3. Ship\n\n{end}\n");
        assert_eq!(left(&steps(end)), kept);
    }
    for end in ["Do the next step. 3 tests suffice.", "Be kind."] {
        assert_eq!(left(&steps(end)), format!("1. Test\n2. Ship\n\n{end}\n"));
    }
}

#[test]
fn list_items_and_lines_with_arrows_are_rules() {
    for (line, rule) in [
        ("- \"a\", \"b c\" → specialist-x.md", "Keyword: a, b c → specialist-x.md"),
        ("* “a” or 'b' -> `notes.md`", "Keyword: a, b → notes.md"),
        (
            "1. Sprint planning => Load `specialist/planning`",
            "Keyword: Sprint planning → specialist/planning",
        ),
        ("- a | b, c or d → Load the specialist context: ./x.md", "Keyword: a, b, c, d → ./x.md"),
        ("\"a\" → Load x.md", "Keyword: a → x.md"),
        (
            "- If \"linear\" → Load `/contexts/platforms/platform-linear.md`",
            "Platform: linear → /contexts/platforms/platform-linear.md",
        ),
        ("- On AuthenticationError → Load x.md", "Error: AuthenticationError → x.md"),
        ("- On an API failure, load x.md", "Error: API failure → x.md"),
        ("- \"denied\" → troubleshooting-auth.md", "Error: denied → troubleshooting-auth.md"),
        (
            "- When the user says \"ship\", load `playbook-release.md`.",
            "Keyword: ship → playbook-release.md",
        ),
        (
            "- **Security**: audit, review → specialist-security.md",
            "Keyword: audit, review → specialist-security.md",
        ),
        (
            "- [ ] \"C++\" → @role:other/contexts/specialists/cpp.md",
            "Keyword: C++ → @role:other/contexts/specialists/cpp.md",
        ),
    ] {
        assert_eq!(read_prompt(line), (vec![rule.to_owned()], String::new()), "{line}");
    }
    assert_eq!(
        rules("- \"a\" → x.md + `y.md` and z.md"),
        ["Keyword: a → x.md", "Keyword: a → y.md", "Keyword: a → z.md",]
    );
}

#[test]
fn the_columns_of_a_table_are_found_by_what_they_hold() {
    let expected = ["Keyword: a, b → specialist-x.md"];
    for text in [
        "| Context | Keywords |\n|---|---|\n| specialist-x.md | a, b |\n",
        "| # | Keywords | File | Note |\n|--|--|--|--|\n| 1 | a / b | specialist-x.md | see Eve first |\n",
        "| Load | If the request mentions |\n|---|---|\n| [x](specialist-x.md) | the user asks about a or b |\n",
        "| Area | Guide |\n|---|---|\n| a (b) | `specialist-x.md` |\n",
        "| Topic | Skill |\n|---|---|\n| a (e.g. b), etc. | Load specialist-x.md |\n",
        "| Keywords | Skill |\n|---|---|\n| • a • b | specialist-x.md |\n",
        "| Specialist | Keywords | File |\n|---|---|---|\n| X | \"a\" \"b\" | specialist-x.md |\n",
    ] {
        assert_eq!(rules(text), expected, "{text}");
    }
    assert_eq!(
        rules("| HTTP status | Context |\n|---|---|\n| 401 | x.md |\n"),
        ["Error: 401 → x.md"]
    );
    for text in [
        "| Context | Description |\n|---|---|\n| x.md | slow logins |\n",
        "| Context | Contents |\n|---|---|\n| x.md | All that we know of slow logins |\n",
        "| Context | Status |\n|---|---|\n| x.md | approved |\n",
        "| File | Owner |\n|---|---|\n| x.md | Eve |\n",
    ] {
        assert_eq!(rules(text), [""; 0], "{text}");
    }
}

#[test]
fn conditions_are_read_before_and_behind_what_they_select() {
    for (text, rule) in [
        ("- **a, b**: Load x.md", "Keyword: a, b → x.md"),
        ("- Load `x.md` when the request mentions a, b or c", "Keyword: a, b, c → x.md"),
        ("When the user asks about a or b,\nload `x.md`.", "Keyword: a, b → x.md"),
        ("- For security requests, consult `x.md`", "Keyword: security → x.md"),
        ("- If security-related → `x.md`", "Keyword: security → x.md"),
        ("- `x.md` — for code reviews", "Keyword: code reviews → x.md"),
        ("- If authentication fails, see `x.md`", "Error: authentication fails → x.md"),
        (
            "- When permission is denied, load troubleshooting-x.md",
            "Error: permission is denied → troubleshooting-x.md",
        ),
        ("- In case of a rate limit error, load `x.md`", "Error: rate limit error → x.md"),
        ("- AuthError (401) ⇒ `x.md`", "Error: AuthError, 401 → x.md"),
        ("- Load `x.md` for a, not for b", "Keyword: a, not b → x.md"),
        ("### A (\"a\", \"b\")\n\n- Load `x.md`", "Keyword: a, b → x.md"),
        ("**Keywords**: a, b\n**Load**: `x.md`", "Keyword: a, b → x.md"),
        ("**Keywords**: a, b\n\nIn short:\n\n- Load: `x.md`", "Keyword: a, b → x.md"),
        ("- a, b\n  - Load `x.md`", "Keyword: a, b → x.md"),
        ("If the user says \"a\", load:\n- `x.md`", "Keyword: a → x.md"),
        ("## When planning a sprint\n\nLoad `x.md`", "Keyword: sprint → x.md"),
    ] {
        assert_eq!(rules(text), [rule], "{text}");
    }
    for (text, other) in [
        ("**Keywords**: a\n**Load**: `x.md`\n\nAlways load `y.md`", "Load → y.md"),
        ("**Keywords**: a\n\n- Load `x.md`\n\nLoad `y.md`", "Load → y.md"),
        ("Keywords: a\nLoad: `x.md`\n\n- rota\n  - Load `y.md`", "Keyword: rota → y.md"),
        ("Load `x.md` for a. When the user asks about b, load `y.md`.", "Keyword: b → y.md"),
    ] {
        assert_eq!(rules(text), ["Keyword: a → x.md", other], "{text}");
    }
}

#[test]
fn only_a_verb_that_opens_the_sentence_is_an_order() {
    for text in [
        "- Always load `x.md`",
        "Read `x.md`.",
        "- For every request, load `x.md`",
        "Always load:\n- `x.md`",
    ] {
        assert_eq!(rules(text), ["Load → x.md"], "{text}");
    }
    for text in [
        "Load balancing and latency are explained in `x.md`.",
        "- Never load `x.md`",
        "- Do not load `x.md`",
        "- Load `x.md` if needed",
        "- Use `x.md` as a model",
        "Rules look like `\"a\" → Load x.md`.",
        "<!--\n- Load `x.md`\n-->",
    ] {
        assert_eq!(rules(text), [""; 0], "{text}");
    }
}

#[test]
fn conditions_that_are_not_understood_are_reported() {
    for text in [
        "- Before you deploy, load `x.md`",
        "Before you deploy:\n\n1. Load `x.md`",
        "- If the user seems to be in a hurry today → Load x.md",
        "- Load `x.md` if needed",
        "Load (`x.md`) on every request, except when the user asks for poetry.",
        "See `x.md` if you must.",
        "When the request is not about docs, load `x.md`.",
        "You MUST read `x.md` before reviewing payments.",
        "Only load `x.md`.",
        "When the user is not asking for code, load `x.md`.",
        "Load `x.md` when these go wrong badly.",
        "Load parts of `x.md` when the user asks about audits.",
        "Load section \"Text\" of `x.md`.",
        "- Read the section on audits from x.md",
        "Use `x.md` (audits).",
        "For audits, `x.md` applies.",
        "Questions about prices go to `x.md`.",
        "| Keywords | Context |\n|---|---|\n| whatever has to do with people and money | x.md |",
        "| Keywords | Context |\n|---|---|\n| csrf x.md |\n| xss | y.md |",
    ] {
        assert_eq!(unread(text), 1, "{text}");
    }
    for text in [
        "`x.md` was written when Eve left.",
        "- Never load `x.md`",
        "See `x.md`.",
        "Load balancing and the number of replicas are explained in `x.md`.",
        "For example, `x.md` has a table.",
        "For audits, `x.md` does not apply.",
        "New decisions go to `x.md`.",
        "Is it done? `x.md` has the list.",
    ] {
        assert_eq!(unread(text), 0, "{text}");
    }
}

#[test]
fn a_rule_that_asks_more_is_read_and_stays() {
    for text in [
        "- \"a\" → Load x.md and follow its checklist\n",
        "- \"a\" → x.md\n  - but only on Mondays\n",
        "- \"a\" → x.md\n  and greet the user\n",
        "| Keywords | Context | Notes |\n|---|---|---|\n| a | x.md | ask first |\n",
    ] {
        assert_eq!(read_prompt(text), (vec!["Keyword: a → x.md".to_owned()], text.to_owned()));
    }
}

#[test]
fn unclear_directives_stay_text() {
    for text in [
        "- Design → review → ship\n",
        "- `src/a.md` → `src/b.md`\n",
        "- If the user seems to be in a hurry → Load x.md\n",
        "- Unless \"urgent\" → Load x.md\n",
        "- Load `package.json`\n",
        "- Load the truck\n",
        "Before you deploy:\n\n1. Load `/contexts/playbooks/playbook-deploy.md`\n",
        "When in doubt about a thing,\nLoad `/contexts/standards/x.md`\n",
        "- If not configured, ask the user; there is no default\n",
        "```\n- \"a\" → x.md\n```\n",
        "    - \"a\" → x.md\n",
        "> - \"a\" → x.md\n",
        "| Keywords | Context |\n|---|---|\n",
        "- Keywords → see the table below\n",
    ] {
        assert_eq!(read_prompt(text), (vec![], text.to_owned()));
    }
}

#[test]
fn errors_may_be_named_by_headings_items_and_paragraphs() {
    let expected = ["Error: timeout error → x.md"];
    for text in [
        "On timeout error:\n1. Load x.md\n",
        "- When a timeout error occurs:\n  - Load `x.md`\n",
        "## On timeout error\n\n- Load `x.md`\n",
    ] {
        let (rules, left) = read_prompt(text);
        assert_eq!((rules.as_slice(), &*left), (expected.map(str::to_owned).as_slice(), ""));
    }
    assert_eq!(left("On timeout error:\n\n- Load x.md\n- Wait\n"), "On timeout error:\n\n- Wait\n");
}

#[test]
fn lines_of_a_paragraph_are_directives_among_their_like() {
    let all =
        "**Load First**\nLoad: `/contexts/standards/x.md`\nLoad `standards-y.md` (if present)\n";
    let loads = ["Load → /contexts/standards/x.md", "Load → standards-y.md"].map(str::to_owned);
    assert_eq!(read_prompt(all), (loads.to_vec(), String::new()));
    let mixed = "Be kind.\n\"a\" → x.md\nLoad `standards-y.md`\n";
    let rest = "Be kind.\nLoad `standards-y.md`\n";
    let found = ["Keyword: a → x.md", "Load → standards-y.md"].map(str::to_owned);
    assert_eq!(read_prompt(mixed), (found.to_vec(), rest.to_owned()));
}

#[test]
fn cells_lose_their_syntax_and_keep_their_places() {
    let text = "| Trigger words | File |\n|:-:|---|\n\
        | \"a, b\", c \\| d, `e`, node.js, — | x.md, `y.md` |\n| ü&amp;f<br>g | specialist/z#Part |\n";
    let mut sources = SourceMap::default();
    let file = sources.add("prompt.md".into(), text.to_owned());
    let found = read(&sources, &lines_of(&sources, file, 0..text.len()));
    let terms = |rule: usize| -> Vec<&str> {
        found.rules[rule].terms.iter().map(|term| &*term.value).collect()
    };
    assert_eq!(terms(0), ["a, b", "c", "d", "e", "node.js"]);
    assert_eq!(terms(2), ["ü&f", "g"]);
    let places: Vec<_> = found.rules[2].terms.iter().map(|term| sources.text(term.span)).collect();
    assert_eq!(places, ["ü&amp;f", "g"]);
    let targets: Vec<_> = found.rules.iter().map(|rule| &*rule.target.value).collect();
    assert_eq!(targets, ["x.md", "y.md", "specialist/z#Part"]);
    assert_eq!(found.directives.len(), 3, "the rows, and the header over them");
}

#[test]
fn hostile_prompts_are_read_in_linear_time() {
    for text in [
        "- ".repeat(100_000),
        "> ".repeat(50_000),
        "\"a\" ".repeat(200_000) + "→ x.md",
        "| a | b |\n|---|---|\n".to_owned() + &"| \"x\", y | `z.md` |\n".repeat(20_000),
        "On error:\n- Load x.md\n\n".repeat(20_000),
        "**a**\n".repeat(100_000),
        "For a load `x.md`".to_owned() + &", and".repeat(100_000),
        "for a load `x.md`, ".repeat(30_000),
    ] {
        let lines = text.lines().count();
        let mut sources = SourceMap::default();
        let file = sources.add("prompt.md".into(), text);
        let all = lines_of(&sources, file, 0..sources.get(file).text.len());
        let found = read(&sources, &all);
        assert!(emitted(&all, &found, |_| true, &sources).len() <= lines);
    }
}

#[test]
fn an_error_text_is_read_word_for_word() {
    let table = |cell: &str| format!("| Error | Context |\n|---|---|\n| {cell} | x.md |\n");
    for (cell, terms) in [
        ("Module not found, ENOENT", "Module not found, ENOENT"),
        ("Build does not start", "Build does not start"),
        ("Error: Cannot find module", "Error: Cannot find module"),
        ("TypeError: undefined is not a function", "TypeError: undefined is not a function"),
        ("No such file or directory", "No such file or directory, No such file"),
        ("timeout or crash", "timeout, crash"),
        ("Requests are throttled", "Requests are throttled"),
        ("Never resolved promise", "Never resolved promise"),
        ("the server returns 503", "503"),
        ("timeout, but not in tests", "timeout, not tests"),
    ] {
        assert_eq!(rules(&table(cell)), [format!("Error: {terms} → x.md")], "{cell}");
    }
    for (text, rule) in [
        ("- On module not found: read x.md", "Error: module not found → x.md"),
        ("If you cannot log in, load x.md.", "Error: cannot log in → x.md"),
        ("If a command is not found, load x.md.", "Error: command is not found → x.md"),
        ("When the tests are failing, load x.md.", "Error: tests are failing → x.md"),
        ("If the server is down, load x.md.", "Keyword: server is down → x.md"),
    ] {
        assert_eq!(rules(text), [rule], "{text}");
    }
}

#[test]
fn only_what_says_so_is_an_exception() {
    for (text, rule) in [
        (
            "| Keywords | Context |\n|---|---|\n| non-root, not docs | x.md |\n",
            "Keyword: non-root, not docs → x.md",
        ),
        ("When the user asks about a (except for b), load x.md.", "Keyword: a, not b → x.md"),
        ("Load x.md for a but never for b.", "Keyword: a, not b → x.md"),
    ] {
        assert_eq!(rules(text), [rule], "{text}");
    }
}

#[test]
fn an_order_to_load_a_task_is_a_directive() {
    for text in ["- Load `/tasks/tag.md`\n", "Then load the flow: /flows/tag.md.\n"] {
        assert_eq!(read_prompt(text), (vec![], String::new()), "{text}");
    }
    for text in ["- [tag](/tasks/tag.md)\n", "- Load `/tasks/tag.md` and follow its steps\n"] {
        assert_eq!(read_prompt(text), (vec![], text.to_owned()));
    }
}

#[test]
fn an_exclusion_may_come_first() {
    for (text, rule) in [
        ("- not docs, a → x.md", "Keyword: a, not docs → x.md"),
        ("- not for docs, a, not tests → x.md", "Keyword: a, not docs, tests → x.md"),
        ("- except docs; a → x.md", "Keyword: a, not docs → x.md"),
        ("- not found, a → x.md", "Keyword: not found, a → x.md"),
        ("- not docs, a\n  - Load x.md", "Keyword: a, not docs → x.md"),
        ("Load `x.md` when the request mentions:\n- not docs\n- a", "Keyword: a, not docs → x.md"),
        ("Load `x.md` when:\n- not logged in\n- a", "Keyword: not logged in, a → x.md"),
        ("When the request mentions any of: not docs, a, load x.md", "Keyword: a, not docs → x.md"),
        ("Keywords: not docs, a\nLoad: x.md", "Keyword: a, not docs → x.md"),
        ("- Keywords: a, not docs\n- Load: x.md", "Keyword: a, not docs → x.md"),
    ] {
        assert_eq!(rules(text), [rule], "{text}");
    }
    for text in ["Keywords: not docs, a\nLoad: x.md\n", "- Keywords: a, not docs\n- Load: x.md\n"] {
        assert_eq!(left(text), text);
    }
    for text in ["- not docs → x.md", "Load `x.md` when the request mentions:\n- not docs"] {
        assert_eq!(unread(text), 1, "{text}");
        assert_eq!(rules(text), [""; 0], "{text}");
    }
}

#[test]
fn a_word_above_a_load_is_a_keyword_unless_it_is_a_title() {
    for text in [
        "- audit\n  - Load `x.md`\n",
        "- audit:\n  1. Read `x.md`\n",
        "- L\n  - audit\n    - Load x.md\n",
    ] {
        assert_eq!(rules(text), ["Keyword: audit → x.md"], "{text}");
    }
    for text in [
        "- Standards\n  - Load `x.md`\n",
        "- Setup:\n  - Load `x.md`\n",
        "- Otherwise\n  - Load `x.md`\n",
        "- **audit**\n  - Load `x.md`\n",
        "1. audit\n   - Load `x.md`\n",
        "Always load:\n- audit\n  - Load `x.md`\n",
    ] {
        assert_eq!(rules(text), ["Load → x.md"], "{text}");
    }
    assert_eq!(left("- audit\n  - Load `x.md`\n"), "");
    let more = "- audit\n  - Load `x.md`\n  - Tell the user\n";
    assert_eq!(left(more), "- audit\n  - Tell the user\n");
}

#[test]
fn the_keywords_may_be_a_list_below() {
    for text in [
        "If the user mentions any of the following, load `x.md`:\n\n- a\n- b\n",
        "Load `x.md` if the request mentions:\n\n- a\n- b\n",
        "When working on any of these, read `x.md`:\n- a\n- b\n",
        "Read `x.md` when:\n\n* the user asks about a\n* b\n",
        "Load `x.md` for:\n- a\n- b\n",
        "Load `x.md` whenever one of these topics comes up:\n- a\n- b\n",
        "- `x.md` — load when:\n  - a\n  - b\n",
        "Triggers for `x.md`:\n- a\n- b\n",
    ] {
        let expected = vec!["Keyword: a, b → x.md".to_owned()];
        assert_eq!(read_prompt(text), (expected, String::new()), "{text}");
    }
    let half = "Read `x.md` when:\n\n- a\n- people come in who have to do with something else\n";
    assert_eq!(read_prompt(half), (vec!["Keyword: a → x.md".to_owned()], half.to_owned()));
    for text in ["Read `x.md` when:\n\nThe rest.\n", "Load `x.md` if the user mentions:\n"] {
        assert_eq!(read_prompt(text), (vec![], text.to_owned()), "{text}");
    }
}

#[test]
fn a_slash_parts_words_and_no_names() {
    for (words, terms) in [
        ("audit/CVE", "audit, CVE"),
        ("slow, laggy/janky", "slow, laggy, janky"),
        ("CI/CD, TCP/IP, I/O", "CI/CD, TCP/IP, I/O"),
        ("src/auth", "src/auth"),
        ("24/7 on call", "24/7 on call"),
    ] {
        assert_eq!(rules(&format!("- {words} → x.md")), [format!("Keyword: {terms} → x.md")]);
    }
    assert_eq!(
        rules("When the request mentions a1b/cdef, load `x.md`."),
        ["Keyword: a1b, cdef → x.md"]
    );
    let warned = |value: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add("prompt.md".into(), value.to_owned());
        let span = crate::source::Span::start_of(file);
        unmatchable(&Spanned { value: value.to_owned(), span }).is_some()
    };
    assert!(warned("audit/CVE reports") && warned("a / b"));
    assert!(!warned("CI/CD pipeline") && !warned("audit/CVE"));
}

#[test]
fn patterns_for_files_are_no_keywords() {
    for (text, expected) in [
        ("When editing `*.sql` files, load `x.md`.", vec!["Files: *.sql → x.md"]),
        ("When the diff touches `migrations/`, load `x.md`.", vec!["Files: migrations/ → x.md"]),
        ("- \"a\", `src/**/*.rs` → x.md", vec!["Keyword: a → x.md", "Files: src/**/*.rs → x.md"]),
    ] {
        assert_eq!(rules(text), expected, "{text}");
    }
}
