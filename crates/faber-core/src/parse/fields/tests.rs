use super::*;
use crate::parse::rules::RuleKind;
use crate::source::SourceMap;

struct Outcome {
    fields: Fields,
    found: Vec<Diagnostic>,
    sources: SourceMap,
}

impl Outcome {
    fn rules(&self) -> Vec<(&'static str, &str)> {
        let place = |found: &Diagnostic| self.sources.text(found.primary.span);
        self.found.iter().map(|found| (found.code(), place(found))).collect()
    }
}

fn read(kind: FrontKind, text: &str) -> Outcome {
    let mut sources = SourceMap::default();
    let file = sources.add("x.md".into(), text.to_owned());
    let node = crate::yaml::parse_text(text, file).expect("well-formed");
    let mut found = Vec::new();
    let fields = fields(&node, kind, &sources, &mut found);
    Outcome { fields, found, sources }
}

fn context(text: &str) -> Outcome {
    read(FrontKind::Context, text)
}

fn texts(list: &[Spanned<String>]) -> Vec<&str> {
    list.iter().map(|item| &*item.value).collect()
}

#[test]
fn sound_fields_are_read_without_findings() {
    let outcome = context(
        "category: standards\nname: 2024\nversion: 1.10\ndescription: |\n  two\n  lines\n\
         tags: [a, 1]\nfallback: cli\nload: on-demand\nstrategy: merge\npriority: 2\n\
         required: true\ntruncatable: false\nmax_tokens: 300\nupdated: 2026-01-15\n\
         status: draft\nvisibility: private\nconfidence: { source: 0.5, age: 1 }\n",
    );
    let fields = &outcome.fields;
    assert_eq!(outcome.rules(), []);
    assert_eq!(fields.name.as_ref().unwrap().value, "2024");
    assert_eq!(fields.version.as_ref().unwrap().value, "1.10");
    assert_eq!(fields.description.as_ref().unwrap().value, "two\nlines");
    assert_eq!(texts(&fields.tags), ["a", "1"]);
    assert_eq!(fields.fallback.as_ref().unwrap().value, Fallback::Cli);
    assert_eq!(fields.load.as_ref().unwrap().value, Load::OnDemand);
    assert_eq!(fields.priority.as_ref().unwrap().value, 2);
    assert!(fields.required && fields.fixed && !fields.sealed);
    assert_eq!(fields.max_tokens.as_ref().unwrap().value, 300);
    assert_eq!(fields.updated.as_ref().unwrap().value, jiff::civil::date(2026, 1, 15));
    assert_eq!(fields.status.as_ref().unwrap().value, ContextStatus::Draft);
    let components = [("source", 0.5), ("age", 1.0)].map(|(name, value)| (name.to_owned(), value));
    assert_eq!(fields.confidence, Some(Confidence::Components(components.into())));
}

#[test]
fn null_is_absence_for_every_field() {
    let names: Vec<_> = KNOWN.iter().map(|row| row.name).collect();
    let text = names.join(": null\n") + ": null\n";
    let outcome = read(FrontKind::Prompt, &text);
    assert_eq!(outcome.rules(), []);
    assert_eq!(outcome.fields, Fields::default());
}

#[test]
fn every_field_reports_a_value_of_the_wrong_type() {
    for KnownField { name, .. } in KNOWN {
        let wrong = if matches!(*name, "when" | "sections" | "confidence" | "budget") {
            "[x]"
        } else {
            "{ x: y }"
        };
        let kind = if *name == "budget" { FrontKind::Prompt } else { FrontKind::Context };
        let outcome = read(kind, &format!("{name}: {wrong}\n"));
        assert_eq!(outcome.rules().len(), 1, "{name}");
        assert_eq!(outcome.rules()[0].0, "wrong-field-type", "{name}");
        let use_unclear = ["status", "valid_from", "valid_to", "when", "superseded_by"];
        let expected = Fields {
            access_unclear: matches!(*name, "visibility" | "groups"),
            use_unclear: use_unclear.into_iter().find(|decides| decides == name),
            strategy_unclear: OVERLAY_KEYS.into_iter().find(|decides| decides == name),
            sealed: *name == "sealed",
            ..Fields::default()
        };
        assert_eq!(outcome.fields, expected, "{name}");
    }
}

#[test]
fn a_prompt_declares_rules_by_target() {
    let outcome = read(FrontKind::Prompt, "keywords:\n  x.md: [a, b]\nerrors: { y.md: c }\n");
    let [first, second] = &outcome.fields.rules[..] else { panic!("two rules") };
    assert_eq!((first.kind, first.target.value.as_str()), (RuleKind::Keyword, "x.md"));
    assert_eq!(texts(&first.terms), ["a", "b"]);
    assert_eq!((second.kind, texts(&second.terms)), (RuleKind::Error, vec!["c"]));
    assert_eq!(read(FrontKind::Prompt, "keywords: [a]\n").rules()[0].0, "wrong-field-type");
}

#[test]
fn mistakes_are_placed_and_left_out() {
    let outcome = context(
        "load: alway\npriority: 0\nmax_tokens: -1\nupdated: 2026-1-5\nvalid_to: 2026-02-30\n\
         confidence: 1.5\nrequired: yes\n",
    );
    let expected = [
        ("wrong-field-type", "alway"),
        ("wrong-field-type", "0"),
        ("wrong-field-type", "-1"),
        ("bad-date", "2026-1-5"),
        ("bad-date", "2026-02-30"),
        ("wrong-field-type", "1.5"),
        ("wrong-field-type", "yes"),
    ];
    assert_eq!(outcome.rules(), expected);
    assert_eq!(outcome.fields, Fields { use_unclear: Some("valid_to"), ..Fields::default() });
    assert!(outcome.found[0].help.as_ref().unwrap().starts_with("did you mean `always`?"));
    assert_eq!(outcome.found[6].fix[0].replacement, "true");
    let found = context("priority: 11\n").found;
    assert_eq!(found[0].message, "`priority` takes a whole number from 1 to 10, not `11`");
    assert_eq!(context("priority: 10\n").fields.priority.unwrap().value, 10);
}

#[test]
fn tokens_are_those_of_the_configuration() {
    let tokens = |text: &str| context(&format!("max_tokens: {text}\n")).fields.max_tokens;
    assert_eq!(tokens("1.5k").map(|tokens| tokens.value), Some(1500));
    assert_eq!(tokens("5%"), None);
}

fn apply_fixes(text: &str) -> (String, Outcome) {
    let outcome = context(text);
    assert_eq!(outcome.found.len(), 1, "{text}");
    let mut fixed = text.to_owned();
    for edit in outcome.found[0].fix.iter().rev() {
        fixed.replace_range(edit.span.range(), &edit.replacement);
    }
    let again = context(&fixed);
    assert_eq!(texts(&again.fields.tags), texts(&outcome.fields.tags));
    (fixed, again)
}

#[test]
fn a_text_for_a_list_is_a_list_of_one_and_the_fix_says_the_same() {
    for (text, fixed) in [
        ("tags: agile\n", "tags: [agile]\n"),
        ("tags: 'a b' # c\n", "tags: ['a b'] # c\n"),
        ("tags: 2024\n", "tags: [2024]\n"),
    ] {
        let (text, again) = apply_fixes(text);
        assert_eq!(text, fixed);
        assert_eq!(again.rules(), []);
    }
    let folded = context("tags: >\n  a\n  b\n");
    assert_eq!(texts(&folded.fields.tags), ["a b"]);
    assert!(folded.found[0].fix.is_empty());
}

#[test]
fn globs_are_split_at_commas_outside_of_braces() {
    let outcome = context(
        "globs: '*.{ts,tsx}, src/[a,b]/**,, '\napplyTo: [\"a,b\", \"c\\\\,d\"]\npaths: x\n",
    );
    assert_eq!(outcome.rules(), []);
    let globs = &outcome.fields.globs;
    assert_eq!(texts(globs), ["*.{ts,tsx}", "src/[a,b]/**", "a", "b", "c\\,d", "x"]);
    let places: Vec<_> = globs.iter().map(|glob| outcome.sources.text(glob.span)).collect();
    assert_eq!(places, ["*.{ts,tsx}", "src/[a,b]/**", "a", "b", "\"c\\\\,d\"", "x"]);
}

#[test]
fn conditions_and_sections() {
    let outcome = context(
        "when:\n  environment: [staging, production]\n  tema: x\n  not:\n    role: y\n\
         sections:\n  Approvals: override\n  Old: remove\n  Bad: drop\n",
    );
    let when = outcome.fields.when.as_ref().unwrap();
    assert_eq!(when.all[0].values, ["staging", "production"]);
    assert_eq!((&*when.all[1].key.value, &*when.none[0].key.value), ("tema", "role"));
    assert_eq!(outcome.rules(), [("condition-never-true", "tema"), ("wrong-field-type", "drop")]);
    assert_eq!(outcome.found[0].help.as_deref(), Some("did you mean `team`?"));
    let sections = &outcome.fields.sections;
    assert_eq!(sections.len(), 2);
    assert_eq!(sections[1].action, crate::strategy::SectionAction::Remove);
}

#[test]
fn a_condition_that_cannot_be_read_holds_for_nothing() {
    let outcome = context("when: { team: { a: b } }\n");
    assert_eq!(outcome.rules().len(), 1);
    assert_eq!(outcome.fields.when.unwrap().all[0].values, [""; 0]);
}

#[test]
fn unknown_fields_are_hints_and_a_budget_is_for_prompts() {
    let outcome = context("keyword: [a]\ndepartment: a\nbudget: { total: 1 }\n");
    let expected = ["keyword", "department", "budget"].map(|key| ("unknown-field", key));
    assert_eq!(outcome.rules(), expected);
    assert_eq!(outcome.found[0].help.as_deref(), Some("did you mean `keywords`?"));
    assert_eq!(outcome.found[1].help, None);
    let outcome = read(FrontKind::Prompt, "budget: { total: 1 }\n");
    assert_eq!(outcome.rules(), []);
    assert!(outcome.fields.budget.is_some());
    let outcome = read(
        FrontKind::Prompt,
        "budget: { total: abc, context: 5, foo: 1, response: '${N}', summarizer: x }\n",
    );
    let wrong = [("invalid-config", "abc"), ("unknown-config-key", "foo")];
    let refused = [("invalid-config", "'${N}'"), ("config-key-not-allowed", "summarizer")];
    assert_eq!(outcome.rules(), [wrong, refused].concat());
    let kept = outcome.fields.budget.unwrap();
    assert!(kept.get("context").is_some() && kept.get("summarizer").is_none());
}

#[test]
fn fields_of_other_tools_are_no_typos() {
    assert!(super::FOREIGN.is_sorted());
    assert!(super::FOREIGN.iter().all(|name| !super::is_known(name)));
    let outcome = context("license: MIT\ntools: [a]\nmodel: b\nlicence: MIT\n");
    assert_eq!(outcome.rules(), [("unknown-field", "licence")]);
}

#[test]
fn keywords_may_be_text_with_commas() {
    let outcome = context("keywords: security, audit log\nerrors: 'HTTP 429'\n");
    assert!(outcome.found.is_empty());
    assert_eq!(texts(&outcome.fields.keywords), ["security", "audit log"]);
    assert_eq!(texts(&outcome.fields.errors), ["HTTP 429"]);
    let places = outcome.fields.keywords.iter().map(|word| outcome.sources.text(word.span));
    assert_eq!(places.collect::<Vec<_>>(), ["security", "audit log"]);
}

#[test]
fn words_between_commas_become_items_where_no_item_has_commas() {
    for (line, expected) in [
        ("tags: deploy, release train", Some("tags: [deploy, release train]")),
        ("tags: c++,v1.2", Some("tags: [c++,v1.2]")),
        ("tags: déjà vu, timed-out", Some("tags: [déjà vu, timed-out]")),
        ("tags: deploy", Some("tags: [deploy]")),
        ("tags: \"deploy\"", Some("tags: [\"deploy\"]")),
        ("tags: \"deploy, release\"", Some("tags: [\"deploy, release\"]")),
        ("tags: deploy, null", None),
        ("tags: deploy, *", None),
        ("tags: deploy,", None),
        ("required_tools: Bash(git add, git push)", None),
        ("derived_from: a talk, later a paper", None),
        ("groups: staff, guests", None),
    ] {
        let outcome = context(&format!("{line}\n"));
        assert_eq!(outcome.rules()[0].0, "wrong-field-type", "{line}");
        let found = &outcome.found[0];
        let help = found.help.as_deref().unwrap_or_default();
        match expected {
            Some(list) => assert_eq!(help, format!("write `{list}`")),
            None => assert!(found.fix.is_empty() && help.contains("with quotes"), "{line}: {help}"),
        }
    }
}
