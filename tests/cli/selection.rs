use crate::pelican::{bundle, entry, ids, pelican, reasons};
use crate::project::TestProject;

const STANDARDS: [&str; 3] = ["standard/boards", "standard/privacy", "standard/titles"];

#[test]
fn without_a_request_only_required_contexts_load() {
    let data = bundle(&pelican(), &[]);
    let mut expected = vec!["platform/ticketyard", "reference/glossary"];
    expected.extend(STANDARDS);
    expected.push("playbook/strike");
    assert_eq!(ids(&data, "contexts"), expected);
    assert_eq!(data["platform"], "ticketyard");
    assert_eq!(data["team"], "routing");
}

#[test]
fn specialists_with_more_keywords_come_first_in_every_layer() {
    let text = |keywords| format!("---\nkeywords: [{keywords}]\n---\nAbout {keywords}.\n");
    let project = TestProject::with_role()
        .file("contexts/specialists/specialist-ops.md", &text("deploy"))
        .file("roles/clerk/contexts/specialists/specialist-pods.md", &text("deploy, helm"));
    let data = project.json(&["assemble", "--format", "json", "--request", "deploy with helm"]);
    assert_eq!(ids(&data, "contexts"), ["specialist/pods", "specialist/ops"]);
}

#[test]
fn keywords_of_the_prompt_and_of_front_matter() {
    let project = pelican();
    let data = bundle(&project, &["--request", "Two refunds, one VAT"]);
    let billing = entry(&data, "contexts", "specialist/billing");
    let of = |at: usize| &billing["reasons"][at];
    assert_eq!(of(0)["kind"], "keyword");
    assert_eq!((&of(0)["start"], &of(0)["end"]), (&4.into(), &11.into()));
    assert_eq!(of(0)["declared_at"], "roles/issue-manager/prompt.md:9");
    assert_eq!(billing["reasons"].as_array().unwrap().len(), 2);
    for request in ["the vat of wine", "private", "innovate"] {
        let data = bundle(&project, &["--request", request]);
        if ids(&data, "contexts").contains(&"specialist/billing") {
            assert_eq!(reasons(&data, "specialist/billing"), ["semantic"], "{request}");
        }
    }
    let data = bundle(&project, &["--request", "TARIFFS?"]);
    assert_eq!(reasons(&data, "specialist/customs"), ["keyword"]);
}

#[test]
fn errors_however_they_are_written() {
    let project = pelican();
    for error in ["RateLimitError: slow down", "rate limit error", "E  rate_limit_error\n  at x"] {
        for flag in ["--error", "--request"] {
            let data = bundle(&project, &[flag, error]);
            assert_eq!(reasons(&data, "troubleshooting/rate-limits"), ["error"], "{flag} {error}");
        }
    }
    let run = project.run_with_input(
        &["assemble", "issue-manager", "--error", "-", "--format", "json"],
        "Traceback\nRateLimitError\n",
    );
    assert!(run.stdout.contains("\"troubleshooting/rate-limits\""), "{}", run.stderr);
}

#[test]
fn files_at_hand() {
    let project = pelican().dir("db/2026");
    let data = bundle(&project, &["--file", "db/2026/add.sql"]);
    assert_eq!(reasons(&data, "pattern/migrations"), ["files"]);
    let data = bundle(&project, &["--file", "src/add.rs"]);
    assert!(ids(&data, "catalogued").contains(&"pattern/migrations"));
    for (folder, file) in [("db", "2026/add.sql"), ("contexts", "../db/./add.sql")] {
        let mut command = project.faber(&["assemble", "issue-manager", "--file", file]);
        let output = command.current_dir(project.path(folder)).output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().contains("# Migrations"), "{file}");
    }
    let absolute = project.path("db").canonicalize().unwrap().join("add.sql");
    if cfg!(unix) {
        let data = bundle(&project, &["--file", absolute.to_str().unwrap()]);
        assert_eq!(reasons(&data, "pattern/migrations"), ["files"]);
    }
}

#[test]
fn files_that_git_says_have_changed() {
    let project = pelican();
    project.git(&["init", "-q"]);
    let data = bundle(&project, &["--changed"]);
    assert!(!ids(&data, "contexts").contains(&"pattern/migrations"));
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "first"]);
    let data = bundle(&project, &["--changed"]);
    assert!(!ids(&data, "contexts").contains(&"pattern/migrations"));
    let project = project.file("db/new.sql", "select 1;\n");
    let data = bundle(&project, &["--changed"]);
    assert_eq!(reasons(&data, "pattern/migrations"), ["files"]);
    project
        .run(&["assemble", "issue-manager", "--changed", "no-such-revision"])
        .refused(2, &["no-such-revision"]);
}

#[test]
fn changed_outside_of_a_repository_is_a_failure() {
    let run = pelican().run(&["assemble", "issue-manager", "--changed"]);
    run.refused(2, &["git", "--changed", "name the files instead"]);
    let run = pelican().run(&["validate", "--changed"]);
    run.refused(2, &["git", "--changed", "name the files instead"]);
}

#[test]
fn a_platform_context_of_another_platform_is_catalogued() {
    let project = pelican();
    let data = bundle(&project, &["--platform", "github"]);
    assert_eq!(reasons(&data, "platform/github"), ["platform"]);
    assert!(ids(&data, "catalogued").contains(&"platform/ticketyard"));
    assert!(!ids(&data, "contexts").contains(&"standard/boards"), "overlay of another platform");
    assert!(data["bundle"].as_str().unwrap().contains("on github."));
    let mcp = bundle(&project, &[])["mcp"].clone();
    assert_eq!(mcp[0]["server"], "ticketyard-server");
    assert_eq!(mcp[0]["fallback"], "cli");
}

#[test]
fn custom_contexts_come_from_configuration() {
    let data = bundle(&pelican(), &[]);
    assert_eq!(reasons(&data, "playbook/strike"), ["custom"]);
    assert_eq!(entry(&data, "contexts", "playbook/strike")["layers"][0], "custom");
}

#[test]
fn related_contexts_are_one_step_away() {
    let project = pelican().file(
        "contexts/references/reference-depots.md",
        "---\nrelated: [pattern-migrations.md]\n---\n# Depots\n",
    );
    let data = bundle(&project, &["--request", "refund"]);
    assert_eq!(reasons(&data, "reference/depots"), ["related"]);
    assert!(!ids(&data, "contexts").contains(&"pattern/migrations"));
}

#[test]
fn pins_and_what_is_left_out() {
    let project = pelican();
    let data = bundle(&project, &["--with", "reference/depots", "--without", "standard/titles"]);
    assert_eq!(reasons(&data, "reference/depots"), ["pinned"]);
    assert_eq!(entry(&data, "excluded", "standard/titles")["reason"], "without");
    assert!(!data["bundle"].as_str().unwrap().contains("Name the depot"));
    let project = project
        .file("contexts/standards/standards-law.md", "---\nrequired: true\n---\n# Law\n")
        .file("contexts/references/reference-old.md", "---\nload: never\n---\n# Old\n");
    project
        .run(&["assemble", "issue-manager", "--without", "standard/law"])
        .refused(2, &["standard/law", "required"]);
    let data = bundle(&project, &[]);
    assert!(!ids(&data, "contexts").contains(&"reference/old"));
    for name in ["reference-old.md", "reference/old", "old"] {
        let data = bundle(&project, &["--with", name]);
        assert_eq!(reasons(&data, "reference/old"), ["pinned"]);
    }
}

#[test]
fn a_pin_without_effect_is_a_note() {
    let project = pelican().file(
        "contexts/standards/standards-draft.md",
        "---\nstatus: draft\n---\n# Draft\n\nUnfinished.\n",
    );
    for (arguments, id, reason) in [
        (
            &["--with", "standard/titles", "--without", "standard/titles"][..],
            "standard/titles",
            "without",
        ),
        (&["--with", "standard/draft"], "standard/draft", "status"),
        (&["--without", "standard/draft"], "standard/draft", "status"),
    ] {
        let data = bundle(&project, arguments);
        assert_eq!(entry(&data, "excluded", id)["reason"], reason, "{arguments:?}");
        assert!(!ids(&data, "contexts").contains(&id), "{arguments:?}");
        let run = project.run(&[&["assemble", "issue-manager"], arguments].concat());
        let is_told = run.stderr.contains("note: `--with");
        assert_eq!((run.code, is_told), (0, arguments[0] == "--with"), "{}", run.stderr);
    }
}

#[test]
fn a_lone_carriage_return_ends_a_line() {
    let project = pelican().file("h.json", r#"[{"role":"user","content":"x\ry"}]"#);
    let asked = ["--request", "a\rb", "--error", "c\rd", "--history", "h.json"];
    let bundle = bundle(&project, &asked)["bundle"].as_str().unwrap().to_owned();
    assert!(["a\nb", "c\nd", "x\ny"].iter().all(|text| bundle.contains(text)), "{bundle}");
    assert!(!bundle.contains('\r'));
}

#[test]
fn references_that_the_organization_changes_always_load() {
    let folder = ".faber/overlays/organization/contexts/references";
    for strategy in ["", "---\nstrategy: merge\n---\n"] {
        let project = pelican()
            .file("contexts/references/reference-a.md", "# A\n\nOld.\n")
            .file("contexts/references/reference-b.md", "# B\n\nOnly named.\n")
            .file(&format!("{folder}/reference-a.md"), &format!("{strategy}# A\n\nNew.\n"));
        let data = bundle(&project, &[]);
        assert_eq!(reasons(&data, "reference/a"), ["always"]);
        assert!(!ids(&data, "contexts").contains(&"reference/b"));
    }
}

#[test]
fn damaged_access_hides_a_text_from_bundles_and_search() {
    for front in [
        "groups: [board]\n  owner: alice",
        "status:draft\ntags: [a]",
        "team: &b [board]\ngroups: *b",
        "<<: *b",
        "visibility: !private",
    ] {
        let text = format!("---\n{front}\n---\n# Marsh\n\nZanzibar only.\n");
        let project = pelican().file("contexts/standards/standards-marsh.md", &text);
        assert!(!bundle(&project, &[])["bundle"].as_str().unwrap().contains("Zanzibar"), "{front}");
        let found = project.run(&["search", "Zanzibar", "--format", "json"]).stdout;
        assert!(!found.contains("only."), "{front}: {found}");
        assert_eq!(project.run(&["validate"]).code, 1, "{front}");
    }
}

#[test]
fn a_task_joins_the_bundle_with_what_it_loads() {
    let project = pelican();
    let data = bundle(&project, &["--task", "triage"]);
    assert_eq!(reasons(&data, "playbook/triage"), ["task"]);
    assert!(data["bundle"].as_str().unwrap().contains("Sort the inbox."));
    let data = bundle(&project, &["--flow", "week"]);
    assert!(data["bundle"].as_str().unwrap().contains("# Week\n\n1. Triage\n2. Plan\n"));
}

#[test]
fn inputs_are_material_and_match_nothing() {
    let project = pelican().file("change.diff", "-refund\n+tariff\n```\n");
    let data = bundle(&project, &["--input", "change.diff", "--request", "Look"]);
    assert!(!ids(&data, "contexts").contains(&"specialist/billing"));
    let bundle = data["bundle"].as_str().unwrap();
    let (input, request) = (bundle.find("+tariff").unwrap(), bundle.find("# Request").unwrap());
    assert!(input < request);
    assert!(bundle.contains("````\n-refund"), "{bundle}");
    project
        .run(&["assemble", "issue-manager", "--input", "no.diff"])
        .refused(2, &["cannot read", "no.diff"]);
}

#[test]
fn files_of_a_diff_are_files_at_hand() {
    let rule = "---\nglobs: [\"src/**/*.m\"]\n---\nCheck locks.\n";
    let diff = "diff --git a/src/hub/h.m b/src/hub/h.m\n--- a/src/hub/h.m\n+++ b/src/hub/h.m\n@@ -1 +1 @@\n-a\n+b\n";
    let project = pelican()
        .file("contexts/standards/standards-locks.md", rule)
        .file("change.diff", diff)
        .file("note.txt", &format!("Look:\n{diff}"));
    let arguments = ["--input", "change.diff", "--request", "Look"];
    let data = bundle(&project, &arguments);
    let mut chosen = data["contexts"].as_array().unwrap().iter();
    let locks = chosen.find(|it| it["id"] == "standard/locks").unwrap();
    let detail = "src/hub/h.m (diff in change.diff) matches `src/**/*.m`";
    assert_eq!(locks["reasons"][0]["detail"], detail);
    let outside = diff.replace("src/hub", "../src/hub");
    let project = project.file("outside.diff", &outside);
    let data = bundle(&project, &["--input", "outside.diff", "--request", "Look"]);
    assert!(!ids(&data, "contexts").contains(&"standard/locks"));
    let data = bundle(&project, &["--input", "note.txt", "--request", "Look"]);
    assert!(!ids(&data, "contexts").contains(&"standard/locks"));
}

#[test]
fn directives_that_are_carried_out_are_not_asked_of_the_model() {
    let project = pelican();
    let text = project.stdout(&["assemble", "issue-manager"]);
    assert!(!text.contains("specialist-billing.md"), "{text}");
    assert!(!text.contains("## Specialists") && !text.contains("## Failures"), "{text}");
    let text = project.stdout(&["assemble", "issue-manager", "--keep-directives"]);
    assert!(text.contains("| invoice, refund | specialist-billing.md |"), "{text}");
}

#[test]
fn hidden_contexts_leave_no_trace() {
    let open = pelican();
    let hidden = pelican()
        .file(
            "contexts/standards/standards-salaries.md",
            "---\nvisibility: private\nowner: rafa\nkeywords: [refund]\n---\n# Zanzibar\n",
        )
        .file(
            "contexts/references/reference-wages.md",
            "---\ngroups: [board]\nstrategy: bogus\n---\n# Zanzibar\n",
        )
        .file("contexts/mystery.md", "---\ngroups: [board]\n---\n# Zanzibar\n")
        .file(
            "contexts/standards/standards-a-twin.md",
            "---\nname: titles\ngroups: [board]\nrelated: [none.md]\n---\n# Zanzibar\n",
        )
        .file(
            ".faber/overlays/organization/contexts/standards/standards-titles.md",
            "---\nstrategy: append\ngroups: [board]\n---\n# Titles\n\n- Zanzibar\n",
        );
    for format in ["markdown", "json", "xml", "text"] {
        let arguments =
            ["assemble", "issue-manager", "-r", "refund", "--format", format, "--report"];
        let (a, b) = (open.run(&arguments), hidden.run(&arguments));
        assert_eq!((a.stdout, a.stderr), (b.stdout, b.stderr), "{format}");
    }
    for what in ["contexts", "layers", "roles"] {
        assert_eq!(open.stdout(&["list", what]), hidden.stdout(&["list", what]), "{what}");
    }
    let (a, b) = (
        open.run(&["show", "standard/salaries"]).stderr,
        hidden.run(&["show", "standard/salaries"]).stderr,
    );
    assert_eq!(a, b);
    let seen = hidden.stdout(&["assemble", "issue-manager", "-r", "refund", "--as", "rafa:board"]);
    assert_eq!(seen.matches("Zanzibar").count(), 2, "{seen}");
}

#[test]
fn life_cycle() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-new.md", "---\nvalid_from: 2026-02-01\n---\n# New\n")
        .file("contexts/standards/standards-old.md", "---\nvalid_to: 2026-01-31\n---\n# Old\n")
        .file("contexts/standards/standards-idea.md", "---\nstatus: draft\n---\n# Idea\n")
        .file(
            "contexts/standards/standards-first.md",
            "---\nsuperseded_by: standards-second.md\n---\n# First\n",
        )
        .file("contexts/standards/standards-second.md", "# Second\n")
        .file(
            "contexts/standards/standards-night.md",
            "---\nwhen: { environment: production, not: { team: day } }\n---\n# Night\n",
        );
    let at = |date: &str, more: &[&str]| {
        let arguments = ["assemble", "--at", date, "--format", "json"];
        project.json(&[&arguments, more].concat())
    };
    let january = at("2026-01-31", &[]);
    assert_eq!(ids(&january, "contexts"), ["standard/old", "standard/second"]);
    let why = |id| entry(&january, "excluded", id)["reason"].clone();
    assert_eq!(why("standard/new"), "not-yet-valid");
    assert_eq!(why("standard/idea"), "status");
    assert_eq!(why("standard/first"), "superseded");
    assert_eq!(why("standard/night"), "when");
    let february = at("2026-02-01", &["--environment", "production"]);
    assert_eq!(ids(&february, "contexts"), ["standard/new", "standard/night", "standard/second"]);
    assert_eq!(entry(&february, "excluded", "standard/old")["reason"], "expired");
    let day = at("2026-02-01", &["--environment", "production", "--team", "day"]);
    assert_eq!(ids(&day, "contexts"), ["standard/new", "standard/second"]);
}

#[test]
fn every_context_is_in_exactly_one_state() {
    let project = pelican();
    let data = bundle(&project, &["--request", "refund", "--without", "standard/boards"]);
    let mut all =
        [ids(&data, "contexts"), ids(&data, "catalogued"), ids(&data, "excluded")].concat();
    all.sort_unstable();
    let listed = project.json(&["list", "contexts", "--role", "issue-manager", "--format", "json"]);
    let mut listed = ids(&listed, "contexts");
    listed.sort_unstable();
    assert_eq!(all, listed);
}
