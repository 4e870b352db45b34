use proptest::prelude::*;

use super::*;

struct Outcome {
    parsed: Parsed,
    found: Vec<Diagnostic>,
    sources: SourceMap,
}

impl Outcome {
    fn rules(&self) -> Vec<(&'static str, &str)> {
        let place = |found: &Diagnostic| self.sources.text(found.primary.span);
        self.found.iter().map(|found| (found.code(), place(found))).collect()
    }

    fn json(&self) -> String {
        self.parsed.front.node.to_json().to_string()
    }

    fn body(&self) -> &str {
        let file = self.parsed.front.node.span.file;
        &self.sources.get(file).text[self.parsed.body..]
    }
}

fn read_text(text: &str) -> Outcome {
    let mut sources = SourceMap::default();
    let file = sources.add("x.md".into(), text.to_owned());
    let reported = read(&sources, file, FrontKind::Context);
    Outcome { parsed: reported.value, found: reported.diagnostics, sources }
}

fn front(yaml: &str) -> Outcome {
    let outcome = read_text(&format!("---\n{yaml}---\nbody\n"));
    assert_eq!(outcome.body(), "body\n");
    outcome
}

fn stairs(depth: usize) -> String {
    let lines: Vec<_> = (0..depth).map(|at| " ".repeat(at) + "k:\n").collect();
    lines.concat()
}

fn quoted(outcome: &Outcome, text: &str) -> String {
    let mut text = text.to_owned();
    let findings = outcome.found.iter().filter(|found| found.code() == "invalid-frontmatter");
    let mut edits: Vec<_> = findings.flat_map(|found| &found.fix).collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    for edit in edits.iter().rev() {
        text.replace_range(edit.span.range(), &edit.replacement);
    }
    text
}

#[test]
fn no_front_matter_and_empty_front_matter_are_fine() {
    for text in ["", "body", "\u{feff}body", "---\n---\nbody", "---\n# c\n\n---\nbody"] {
        let outcome = read_text(text);
        assert_eq!((outcome.rules(), outcome.json()), (vec![], "{}".to_owned()), "{text:?}");
        assert_eq!(outcome.body(), if text.is_empty() { "" } else { "body" });
        assert!(!outcome.parsed.front.repaired);
    }
}

#[test]
fn only_values_that_fail_on_their_own_are_quoted() {
    let outcome = front("globs: **/*.py\nalwaysApply: true\ndescription: a: b # c\n");
    let expected = [("invalid-frontmatter", "**/*.py"), ("invalid-frontmatter", "a: b")];
    assert_eq!(outcome.rules(), expected);
    let fields = &outcome.parsed.front.fields;
    assert!(fields.always_apply && outcome.parsed.front.repaired);
    assert_eq!(outcome.sources.text(fields.globs[0].span), "**/*.py");
    assert_eq!(outcome.found[0].help.as_deref(), Some("quote it: `globs: '**/*.py'`"));
    assert_eq!(outcome.found[0].message, "this value needs quotes: `*` begins an alias");
}

#[test]
fn each_kind_of_value_is_quoted_and_the_fix_reads_the_same() {
    for (yaml, json, place) in [
        ("x: @a\n", r#"{"x":"@a"}"#, "@a"),
        ("x: `a`\n", r#"{"x":"`a`"}"#, "`a`"),
        ("x: %a\n", r#"{"x":"%a"}"#, "%a"),
        ("x: {{ a }}\n", r#"{"x":"{{ a }}"}"#, "{{ a }}"),
        ("x: [a](b)\n", r#"{"x":"[a](b)"}"#, "[a](b)"),
        ("x: \"a\n", r#"{"x":"a"}"#, "\"a"),
        ("x: 'a' b'c\n", r#"{"x":"'a' b'c"}"#, "'a' b'c"),
        ("x: \"\\.ts$\"\n", r#"{"x":"\\.ts$"}"#, "\"\\.ts$\""),
        ("x: - a\n", r#"{"x":"- a"}"#, "- a"),
        ("x: *a\n", r#"{"x":"*a"}"#, "*a"),
        ("x: &amp; a\n", r#"{"x":"&amp; a"}"#, "&amp; a"),
        ("x: a: b:\n", r#"{"x":"a: b:"}"#, "a: b:"),
        ("x:\n  - *.a\n  - b\n", r#"{"x":["*.a","b"]}"#, "*.a"),
        ("x:\n- a: *.a\n  b: 1\n- 2\n", r#"{"x":[{"a":"*.a","b":1},2]}"#, "*.a"),
        ("x:\n  y:\n    z: @a\n", r#"{"x":{"y":{"z":"@a"}}}"#, "@a"),
        ("x:\n  - - @a\n    - 1\n", r#"{"x":[["@a",1]]}"#, "@a"),
        ("x: [**/*.{ts,tsx}, b, 1]\n", r#"{"x":["**/*.{ts,tsx}","b",1]}"#, "**/*.{ts,tsx}"),
        ("x: [\n  *.js,\n  b,\n]\n", r#"{"x":["*.js","b"]}"#, "*.js"),
        ("x: { a: @b, c: [1] }\n", r#"{"x":{"a":"@b","c":[1]}}"#, "@b"),
        ("  x: @a\n  y: 1\n", r#"{"x":"@a","y":1}"#, "@a"),
        ("y: |\n  a: b: c\n  *d\nx: @a\n", r#"{"y":"a: b: c\n*d\n","x":"@a"}"#, "@a"),
        ("x: 'a\nb' # c\ny: 1\n", r#"{"x":"a b","y":1}"#, "'a\nb' # c"),
        ("y:\n  x: \"a\n  \\\"b\n\n#c\"\n", r#"{"y":{"x":"a \"b\n#c"}}"#, "\"a\n  \\\"b\n\n#c\""),
    ] {
        let outcome = front(yaml);
        assert_eq!(outcome.json(), json, "{yaml}");
        let invalid: Vec<_> =
            outcome.rules().into_iter().filter(|(rule, _)| *rule != "unknown-field").collect();
        assert_eq!(invalid, [("invalid-frontmatter", place)], "{yaml}");
        let again = read_text(&quoted(&outcome, &format!("---\n{yaml}---\nbody\n")));
        assert_eq!((again.json(), again.parsed.front.repaired), (json.to_owned(), false), "{yaml}");
    }
}

#[test]
fn what_quotes_do_not_fix_is_left_out_once() {
    let outcome = front("name: x\ndescription: a: b\n  c: d\ntags: [a]\n");
    assert_eq!(outcome.json(), r#"{"name":"x","tags":["a"]}"#);
    assert_eq!(outcome.found.len(), 1);
    let outcome = front("name: x\nprose\nmore prose, a line\nstill\ntags: [a]\n");
    assert_eq!(outcome.rules(), [("invalid-frontmatter", "prose")]);
    assert_eq!(outcome.json(), r#"{"name":"x","tags":["a"]}"#);
    let outcome = front("a:\n    b: 1\n  c: 2\n");
    assert!(outcome.rules().iter().any(|(rule, _)| *rule == "invalid-frontmatter"));
}

#[test]
fn what_is_not_closed_ends_with_its_lines_and_is_not_quoted() {
    for (yaml, json) in [
        (
            "keywords: [release, deploy\nname: x\n",
            r#"{"keywords":["release","deploy"],"name":"x"}"#,
        ),
        ("globs: [\n", r#"{"globs":[]}"#),
        ("tags: [a,\n  b\nname: x\n", r#"{"tags":["a","b"],"name":"x"}"#),
        ("when: { team: a\n", r#"{"when":{"team":"a"}}"#),
    ] {
        let outcome = front(yaml);
        assert_eq!(outcome.json(), json, "{yaml}");
        let place = if yaml.contains('{') { "{" } else { "[" };
        assert_eq!(outcome.rules(), [("invalid-frontmatter", place)], "{yaml}");
        assert_eq!(outcome.found[0].fix, []);
    }
    let keys = front("description: \"a\nb: c\"\ny: 1\n");
    assert_eq!(keys.json(), r#"{"description":"\"a","b":"c\"","y":1}"#);
    assert_eq!(keys.found[0].fix, []);
    let text = front("description: [see below\n");
    assert_eq!(text.json(), r#"{"description":"[see below"}"#);
}

#[test]
fn examples_below_a_description_belong_to_it() {
    let example =
        "<example>\nuser: \"Why?\"\n# So\n\n<commentary>\nIt asks.\n</commentary>\n</example>";
    for (before, after) in [("\n\n", ""), ("\n", "\n"), (" ", ""), ("\n  ", "\n\n")] {
        let text = format!("Use it: always. Examples:{before}{example}");
        let yaml = format!("name: a\ndescription: {text}\n{after}model: opus\n");
        for yaml in [yaml.replace('\n', "\r\n"), yaml] {
            let outcome = read_text(&format!("---\n{yaml}---\nbody\n"));
            let node = &outcome.parsed.front.node;
            let keys: Vec<&str> = node.entries().iter().map(|entry| &*entry.key).collect();
            assert_eq!(keys, ["name", "description", "model"]);
            assert_eq!(node.get("description").and_then(Node::as_str), Some(&*text));
            let rules: Vec<_> = outcome.found.iter().map(Diagnostic::code).collect();
            assert_eq!(rules, ["invalid-frontmatter"]);
            let fixed = read_text(&quoted(&outcome, &format!("---\n{yaml}---\nbody\n")));
            assert_eq!((fixed.json(), fixed.rules()), (outcome.json(), vec![]));
        }
    }
    let other = front("name: <example>\na: b\n</example>\n");
    assert_eq!(other.json(), r#"{"name":"<example>","a":"b"}"#);
}

#[test]
fn a_quoted_value_is_not_reported_for_its_type_too() {
    assert_eq!(front("load: @x\n").rules(), [("invalid-frontmatter", "@x")]);
}

#[test]
fn the_first_of_two_equal_keys_counts() {
    let outcome = front("name: a\ntags: [x]\nname: b\nwhen:\n  team: c\n  team: d\n");
    assert_eq!(outcome.json(), r#"{"name":"a","tags":["x"],"when":{"team":"c"}}"#);
    assert_eq!(outcome.rules(), [("duplicate-key", "name"), ("duplicate-key", "team")]);
    assert_eq!(outcome.sources.place(outcome.found[0].related[0].span), "x.md:2");
    assert_eq!(front("when: {team: a, team: b}\n").rules(), [("duplicate-key", "team")]);
}

#[test]
fn findings_say_that_a_context_is_not_used() {
    for yaml in ["status: draft\nstatus: approved\n", "visibility: team\n", "valid_to: soon\n"] {
        let mut sources = SourceMap::default();
        let file = sources.add("x.md".into(), format!("---\n{yaml}---\n"));
        for (kind, is_said) in [(FrontKind::Context, true), (FrontKind::Prompt, false)] {
            let message = &read(&sources, file, kind).diagnostics[0].message;
            assert_eq!(message.ends_with(FILE_UNUSED), is_said, "{message}");
        }
    }
    assert!(!front("tags: a\ntags: b\n").found[0].message.ends_with(FILE_UNUSED));
}

#[test]
fn anchors_are_reported_and_globs_are_not_taken_for_them() {
    let outcome = front("tags: &t [a]\ngroups: *t\nname: &n x\n");
    let expected = [("yaml-anchor", "&t"), ("yaml-anchor", "*t"), ("yaml-anchor", "&n")];
    assert_eq!(outcome.rules(), expected);
    assert_eq!(outcome.json(), r#"{"tags":["a"],"name":"x"}"#);
    assert_eq!(front("tags:\n  - &a b\n  - [*a]\n").rules().len(), 2);
}

#[test]
fn front_matter_over_a_limit_is_ignored() {
    let deep = format!("name: x\na: {}{}\n", "[".repeat(17), "]".repeat(17));
    let deeper = format!("b: @x\na: {}{}\n", "[".repeat(17), "]".repeat(17));
    let nested = format!("z: @x\n{}", stairs(20));
    let long = format!("name: {}\n", "x".repeat(70_000));
    for yaml in [&*deep, &*deeper, &*nested, &*long, "name: x\n--- a\n"] {
        let outcome = front(yaml);
        let rules: Vec<_> = outcome.found.iter().map(Diagnostic::code).collect();
        assert_eq!((rules, outcome.json()), (vec!["frontmatter-limit"], "{}".to_owned()));
    }
    for end in ["...\nb\n", "--- # end\nb\n"] {
        let help = front(&format!("name: x\n{end}")).found[0].help.clone();
        assert!(help.is_some_and(|help| help.contains("`---`")), "{end}");
    }
}

#[test]
fn front_matter_that_is_no_map() {
    for yaml in ["- a\n", "- @a\n", "\nprose\n", "a\n"] {
        let outcome = front(yaml);
        let rules: Vec<_> = outcome.found.iter().map(Diagnostic::code).collect();
        assert_eq!(rules, ["frontmatter-not-a-mapping"], "{yaml:?}");
        assert_eq!(outcome.json(), "{}");
    }
}

#[test]
fn front_matter_that_is_not_closed_is_never_body() {
    for text in [
        "---\nname: x\n\n# T\n",
        "---\nname: x\nprose\n\n# T\n",
        "---\r\nname: x\r\n# T\n",
        "---\nname: x",
    ] {
        let outcome = read_text(text);
        assert_eq!(outcome.rules(), [("unclosed-frontmatter", "---")], "{text:?}");
        assert!(!outcome.body().contains("name"), "{text:?}");
        let mut fixed = text.to_owned();
        let edit = &outcome.found[0].fix[0];
        fixed.insert_str(edit.span.range().start, &edit.replacement);
        assert_eq!(read_text(&fixed).body(), outcome.body());
    }
    let outcome = read_text("---\nname: x\n");
    assert_eq!(outcome.json(), r#"{"name":"x"}"#);
}

#[test]
fn a_map_in_braces_beside_other_keys_is_a_finding() {
    let outcome = read_text("---\nname: @x\n{}\n{ a: b }\n---\n");
    let rules: Vec<_> = outcome.found.iter().map(Diagnostic::code).collect();
    assert_eq!(rules, ["invalid-frontmatter", "invalid-frontmatter"]);
    assert_eq!(outcome.json(), r#"{"name":"@x"}"#);
}

#[test]
fn hostile_front_matter_is_read_with_findings() {
    let fill = |unit: &str| unit.repeat(60_000 / unit.len());
    let cases = [
        fill("a: b: c\n"),
        (0..6_000).fold(String::new(), |text, at| text + &format!("k{at}: @x\n")),
        format!("x: @y\na: [{}]\n", fill("*.x,")),
        format!("x: @y\na: {{{}}}\n", fill("a: @,")),
        format!("x: @y\na: {}\n", fill("&a ")),
        format!("x: @y\na: {}\n", fill("'")),
        format!("x: @y\n{}", fill("- ")),
        format!("x: @y\n{}", fill("-\n")),
        format!("x: @y\na:\n{}", fill(" - &a\n")),
        format!("x: @y\n{}{}", stairs(15), fill("               - *.x\n")),
        format!("x: @y\na: {}\n", fill("[")),
        format!("x: @y\na: {}", fill("[*,")),
        format!("x: @y\n{}: x\n", fill("k")),
    ];
    for yaml in cases {
        let outcome = front(&format!("{yaml}\n"));
        assert!(!outcome.found.is_empty(), "{:?}…", &yaml[..40]);
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = vec![
        "---", "\n", "\n", "\n", " ", "  ", "- ", ": ", ":", "a", "b: ", "'", "\"", "[", "]", "{",
        "}", ", ", "#", " # ", "*", "&x ", "*x", "|", ">", "%", "@", "!", "?", "\t", "\\", "é",
        "\u{feff}", "name: ", "tags: ", "when:\n", "globs: ", "null", "1", "...", "\u{1}", "\r",
    ];
    let text = prop::collection::vec(prop::sample::select(pieces), 0..30);
    text.prop_map(|parts| format!("---\n{}\n---\nbody", parts.concat()))
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_every_place_is_a_place(text in prop_oneof![hostile(), "\\PC{0,40}"]) {
        let outcome = read_text(&text);
        for found in &outcome.found {
            outcome.sources.text(found.primary.span);
            for edit in &found.fix {
                outcome.sources.text(edit.span);
            }
        }
        prop_assert!(!outcome.parsed.front.repaired || !outcome.found.is_empty());
        prop_assert!(matches!(outcome.parsed.front.node.value, Value::Map(_)));
    }

    /// A lone carriage return is a line break only in YAML.
    #[test]
    fn line_endings_and_a_byte_order_mark_change_nothing(text in hostile()) {
        let text = text.replace('\r', "");
        let plain = read_text(&text);
        for variant in [text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            let other = read_text(&variant);
            prop_assert_eq!(plain.json(), other.json());
            prop_assert_eq!(plain.body().replace('\r', ""), other.body().replace('\r', ""));
            let rules = |outcome: &Outcome| -> Vec<_> {
                outcome.found.iter().map(Diagnostic::code).collect()
            };
            prop_assert_eq!(rules(&plain), rules(&other));
        }
    }

    #[test]
    fn fixes_fix_and_mean_the_same(text in hostile()) {
        let text = text.replace('\r', "");
        let outcome = read_text(&text);
        let all_fixable = outcome.found.iter().all(|found| {
            !found.fix.is_empty() || matches!(found.code(), "unknown-field" | "wrong-field-type")
        });
        if all_fixable {
            let fixed = quoted(&outcome, &text);
            let again = read_text(&fixed);
            prop_assert_eq!(again.json(), outcome.json(), "{}", fixed);
            prop_assert!(!again.parsed.front.repaired, "{}", fixed);
        }
    }

    /// Without what parsers read differently, such as YAML 1.1 booleans.
    #[test]
    fn values_are_those_of_serde_yaml(value in json_map()) {
        let yaml = serde_yaml::to_string(&value).unwrap();
        let outcome = read_text(&format!("---\n{yaml}---\nbody"));
        prop_assert!(!outcome.parsed.front.repaired, "{}", yaml);
        prop_assert_eq!(outcome.parsed.front.node.to_json(), value, "{}", yaml);
    }
}

fn json_map() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value as Json;
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        "[ -^`-~]{0,12}".prop_map(Json::from),
        "[a-zé\n:#]{0,12}".prop_map(Json::from),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map("[a-z]{3,8}", inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<Json>()),
        ]
    });
    prop::collection::btree_map("[a-z]{3,8}", value, 0..5)
        .prop_map(|map| map.into_iter().collect::<Json>())
}
