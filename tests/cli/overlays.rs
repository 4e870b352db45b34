//! Precedence, merging and origins of lines.

use insta_cmd::assert_cmd_snapshot;

use crate::pelican::{bundle, entry, pelican};
use crate::project::TestProject;

fn nine(front: &str) -> TestProject {
    let layers = [
        ("contexts", "project"),
        ("roles/clerk/contexts", "role"),
        (".faber/overlays/organization/contexts", "organization"),
        (".faber/overlays/platforms/desk/contexts", "platform"),
        (".faber/overlays/roles/clerk/contexts", "role overlay"),
        (".faber/overlays/teams/night/contexts", "team"),
        (".faber/overlays/workflows/rush/contexts", "workflow"),
        (".faber/overlays/users/ada/contexts", "user"),
        (".faber/custom", "custom"),
    ];
    let project = TestProject::with_role()
        .file(
            ".faber/config.yml",
            "settings: { team: night, workflow: rush }\n\
             access: { user: ada }\n\
             platforms: { clerk: desk }\n\
             custom_contexts: [.faber/custom/standards-order.md]\n",
        )
        .file("roles/clerk/agent.yml", "name: clerk\nplatforms: [desk]\n");
    layers.iter().fold(project, |project, (folder, name)| {
        let folder =
            if name == &"custom" { (*folder).to_owned() } else { format!("{folder}/standards") };
        let text = format!("---\n{front}\n---\n# Order\n\n- {name}\n");
        project.file(&format!("{folder}/standards-order.md"), &text)
    })
}

#[test]
fn nine_layers_append_in_order() {
    let project = nine("strategy: append");
    assert_cmd_snapshot!(project.faber(&["show", "standard/order", "--blame"]), @r"
    success: true
    exit_code: 0
    ----- stdout -----
    project       contexts/standards/standards-order.md:4                                │ # Order
    project       contexts/standards/standards-order.md:5                                │
    project       contexts/standards/standards-order.md:6                                │ - project
    role          roles/clerk/contexts/standards/standards-order.md:6                    │ - role
    organization  .faber/overlays/organization/contexts/standards/standards-order.md:6   │ - organization
    platform      .faber/overlays/platforms/desk/contexts/standards/standards-order.md:6 │ - platform
    role-overlay  .faber/overlays/roles/clerk/contexts/standards/standards-order.md:6    │ - role overlay
    team          .faber/overlays/teams/night/contexts/standards/standards-order.md:6    │ - team
    workflow      .faber/overlays/workflows/rush/contexts/standards/standards-order.md:6 │ - workflow
    user          .faber/overlays/users/ada/contexts/standards/standards-order.md:6      │ - user
    custom        .faber/custom/standards-order.md:6                                     │ - custom

    ----- stderr -----
    strategy-without-base

      ⚠ no layer below defines `standard/order`
       ╭─[contexts/standards/standards-order.md:2:11]
     1 │ ---
     2 │ strategy: append
       ·           ───┬──
       ·              ╰── has no base
     3 │ ---
       ╰────
      help: rename this file to match its base, or remove `strategy`
    ");
}

#[test]
fn the_highest_layer_wins_an_override() {
    let project = nine("strategy: override");
    assert_eq!(project.stdout(&["show", "standard/order"]), "# Order\n\n- custom\n");
    let data = project.json(&["assemble", "--format", "json"]);
    let overridden: Vec<&str> = data["excluded"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["reason"] == "overridden")
        .map(|entry| entry["path"].as_str().unwrap())
        .collect();
    assert_eq!(overridden.len(), 8, "{overridden:?}");
}

#[test]
fn layers_can_be_left_out_and_chosen() {
    let project = nine("strategy: append");
    let lines = |arguments: &[&str]| {
        let text = project.stdout(&[&["show", "standard/order"], arguments].concat());
        text.lines()
            .filter_map(|line| Some(line.strip_prefix("- ")?.to_owned()))
            .collect::<Vec<_>>()
    };
    let all = lines(&[]);
    assert_eq!(all.len(), 9, "{all:?}");
    let without = |names: &[&str]| {
        all.iter().filter(|line| !names.contains(&line.as_str())).cloned().collect::<Vec<_>>()
    };
    assert_eq!(lines(&["--no-user"]), without(&["user"]));
    assert_eq!(lines(&["--as", "bob"]), without(&["user"]));
    assert_eq!(lines(&["--team", "day"]), without(&["team"]));
    assert_eq!(lines(&["--workflow", "calm"]), without(&["workflow"]));
    let ci = project.faber(&["show", "standard/order"]).env("CI", "true").output().unwrap();
    assert!(!String::from_utf8(ci.stdout).unwrap().contains("- user"));
}

#[test]
fn overlays_can_be_switched_off() {
    let project = nine("strategy: append").env("FABER_OVERLAYS_ENABLED", "false");
    assert_eq!(
        project.stdout(&["show", "standard/order"]),
        "# Order\n\n- project\n- role\n- custom\n"
    );
}

const BASE: &str = "# Approvals\n\n\
     ## Who\n\n\
     - **reviewers**: 1\n\
     - **from**: anybody\n\n\
     ## Checks\n\n\
     - unit tests\n\n\
     | Step | Minutes |\n\
     |---|---|\n\
     | build | 10 |\n";

fn overlaid(front: &str, body: &str) -> TestProject {
    TestProject::with_role().file("contexts/standards/standards-approvals.md", BASE).file(
        ".faber/overlays/organization/contexts/standards/standards-approvals.md",
        &format!("---\n{front}\n---\n{body}"),
    )
}

const OVERLAY: &str = "## Who\n\n- **reviewers**: 2\n\n\
     ## Checks\n\n- unit tests\n- load test\n\n\
     | Step | Minutes |\n|---|---|\n| build | 5 |\n| deploy | 3 |\n";

#[test]
fn override_replaces_all() {
    let project = overlaid("strategy: override", OVERLAY);
    assert_eq!(project.stdout(&["show", "standard/approvals"]), OVERLAY);
    let project = overlaid("priority: 1", OVERLAY);
    assert_eq!(project.stdout(&["show", "standard/approvals"]), OVERLAY);
}

#[test]
fn append_keeps_every_line_of_the_base() {
    let project = overlaid("strategy: append", OVERLAY);
    assert_cmd_snapshot!(project.faber(&["show", "standard/approvals", "--blame"]), @"
    success: true
    exit_code: 0
    ----- stdout -----
    project       contexts/standards/standards-approvals.md:1                               │ # Approvals
    project       contexts/standards/standards-approvals.md:2                               │
    project       contexts/standards/standards-approvals.md:3                               │ ## Who
    project       contexts/standards/standards-approvals.md:4                               │
    project       contexts/standards/standards-approvals.md:5                               │ - **reviewers**: 1
    project       contexts/standards/standards-approvals.md:6                               │ - **from**: anybody
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:6  │ - **reviewers**: 2
    project       contexts/standards/standards-approvals.md:7                               │
    project       contexts/standards/standards-approvals.md:8                               │ ## Checks
    project       contexts/standards/standards-approvals.md:9                               │
    project       contexts/standards/standards-approvals.md:10                              │ - unit tests
    project       contexts/standards/standards-approvals.md:11                              │
    project       contexts/standards/standards-approvals.md:12                              │ | Step | Minutes |
    project       contexts/standards/standards-approvals.md:13                              │ |---|---|
    project       contexts/standards/standards-approvals.md:14                              │ | build | 10 |
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:15 │ | build | 5 |
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:16 │ | deploy | 3 |
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:11 │
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:11 │ - load test

    ----- stderr -----
    ");
}

#[test]
fn merge_replaces_what_has_the_same_key() {
    let project = overlaid("strategy: merge", OVERLAY);
    assert_cmd_snapshot!(project.faber(&["show", "standard/approvals", "--blame"]), @"
    success: true
    exit_code: 0
    ----- stdout -----
    project       contexts/standards/standards-approvals.md:1                               │ # Approvals
    project       contexts/standards/standards-approvals.md:2                               │
    project       contexts/standards/standards-approvals.md:3                               │ ## Who
    project       contexts/standards/standards-approvals.md:4                               │
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:6  │ - **reviewers**: 2
    project       contexts/standards/standards-approvals.md:6                               │ - **from**: anybody
    project       contexts/standards/standards-approvals.md:7                               │
    project       contexts/standards/standards-approvals.md:8                               │ ## Checks
    project       contexts/standards/standards-approvals.md:9                               │
    project       contexts/standards/standards-approvals.md:10                              │ - unit tests
    project       contexts/standards/standards-approvals.md:11                              │
    project       contexts/standards/standards-approvals.md:12                              │ | Step | Minutes |
    project       contexts/standards/standards-approvals.md:13                              │ |---|---|
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:15 │ | build | 5 |
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:16 │ | deploy | 3 |
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:11 │
    organization  .faber/overlays/organization/contexts/standards/standards-approvals.md:11 │ - load test

    ----- stderr -----
    ");
}

#[test]
fn sections_have_strategies_of_their_own() {
    let front = "strategy: append\nsections: { Who: override, checks: remove }";
    let project = overlaid(front, "## Who\n\nTwo seniors.\n\n## When\n\nAlways.\n");
    assert_eq!(
        project.stdout(&["show", "standard/approvals"]),
        "# Approvals\n\n## Who\n\nTwo seniors.\n\n## When\n\nAlways.\n"
    );
}

#[test]
fn a_difference_is_shown_as_a_patch() {
    let project = overlaid("strategy: merge", OVERLAY);
    assert_cmd_snapshot!(project.faber(&["diff", "standard/approvals"]), @"
    success: true
    exit_code: 0
    ----- stdout -----
    --- contexts/standards/standards-approvals.md
    +++ standard/approvals (.faber/overlays/organization/contexts/standards/standards-approvals.md)
    @@ -2,7 +2,7 @@
     
     ## Who
     
    -- **reviewers**: 1
    +- **reviewers**: 2
     - **from**: anybody
     
     ## Checks
    @@ -11,4 +11,7 @@
     
     | Step | Minutes |
     |---|---|
    -| build | 10 |
    +| build | 5 |
    +| deploy | 3 |
    +
    +- load test

    ----- stderr -----
    ");
    let data = project.json(&["diff", "standard/approvals", "--format", "json"]);
    assert_eq!(data["contexts"][0]["before"], BASE);
    let project = TestProject::with_role().file("contexts/standards/standards-a.md", "# A\n");
    assert_cmd_snapshot!(project.faber(&["diff", "clerk"]), @r"
    success: true
    exit_code: 0
    ----- stdout -----

    ----- stderr -----
    no overlay changes a context of `clerk`
    ");
}

#[test]
fn sealed_contexts_only_take_additions() {
    let sealed = |strategy: &str| {
        TestProject::with_role()
            .file(
                "contexts/standards/standards-law.md",
                "---\nsealed: true\n---\n# Law\n\nNever.\n",
            )
            .file(
                ".faber/overlays/organization/contexts/standards/standards-law.md",
                &format!("---\nstrategy: {strategy}\n---\n# Law\n\nSometimes.\n"),
            )
    };
    for strategy in ["override", "merge"] {
        let project = sealed(strategy);
        let run = project.run(&["show", "standard/law"]);
        assert_eq!(run.stdout, "# Law\n\nNever.\n");
        run.said(&["sealed", "organization/contexts/standards/standards-law.md"]);
        project.run(&["assemble", "--strict"]).refused(2, &["sealed"]);
    }
    let team = (".faber/overlays/teams/t/contexts/standards/standards-law.md", "Never mind.\n");
    let project = TestProject::with_role()
        .file("contexts/standards/standards-law.md", "# Law\n\nNever.\n")
        .file(
            ".faber/overlays/organization/contexts/standards/standards-law.md",
            "---\nstrategy: append\nsealed: true\n---\nSometimes.\n",
        )
        .file(team.0, team.1);
    let run = project.run(&["show", "standard/law", "--team", "t"]);
    assert_eq!(run.stdout, "# Law\n\nNever.\n\nSometimes.\n");
    run.said(&["sealed here", "organization/contexts/standards/standards-law.md:3:1"]);
    assert_eq!(
        sealed("append").stdout(&["show", "standard/law"]),
        "# Law\n\nNever.\n\nSometimes.\n"
    );
}

#[test]
fn an_overlay_may_extend_a_context_of_another_name() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-law.md", "# Law\n\nNever.\n")
        .file(
            ".faber/overlays/organization/contexts/standards/standards-pelican.md",
            "---\nextends: standards-law.md\n---\n\nNot even then.\n",
        );
    let text = "# Law\n\nNever.\n\nNot even then.\n";
    assert_eq!(project.stdout(&["show", "standard/law"]), text);
    assert_eq!(project.stdout(&["show", "standard/pelican"]), text);
    let data = project.json(&["assemble", "--format", "json"]);
    assert_eq!(data["contexts"].as_array().unwrap().len(), 1);
    assert_eq!(data["contexts"][0]["sources"][1]["strategy"], "merge");
}

#[test]
fn includes_keep_their_origin() {
    let project = TestProject::with_role()
        .file(
            "contexts/standards/standards-law.md",
            "# Law\n\n<!-- faber: include ../partials/words.md#Second -->\n\nThe end.\n",
        )
        .file("contexts/partials/words.md", "# Words\n\n## First\n\none\n\n## Second\n\ntwo\n");
    assert_cmd_snapshot!(project.faber(&["show", "standard/law", "--blame"]), @"
    success: true
    exit_code: 0
    ----- stdout -----
    project  contexts/standards/standards-law.md:1 │ # Law
    project  contexts/standards/standards-law.md:2 │
    project  contexts/partials/words.md:7          │ ## Second
    project  contexts/partials/words.md:8          │
    project  contexts/partials/words.md:9          │ two
    project  contexts/standards/standards-law.md:4 │
    project  contexts/standards/standards-law.md:5 │ The end.

    ----- stderr -----
    ");
    let project = project.file("contexts/partials/words.md", "# Words\n");
    let run = project.run(&["assemble"]);
    assert!(run.stdout.contains("The end."), "{}", run.stdout);
    run.said(&["contexts/standards/standards-law.md:3", "Second"]);
}

#[test]
fn lines_of_a_bundle_that_are_shown_as_data_agree_with_blame() {
    let project = pelican();
    let data = project.json(&["show", "standard/titles", "--format", "json"]);
    let text = data["text"].as_str().unwrap();
    let lines = data["lines"].as_array().unwrap();
    assert_eq!(text.lines().count(), lines.len());
    for (line, origin) in text.lines().zip(lines) {
        let file = project.text(origin["path"].as_str().unwrap());
        let number = usize::try_from(origin["line"].as_u64().unwrap()).unwrap();
        assert_eq!(file.lines().nth(number - 1), Some(line));
    }
    let blame = project.stdout(&["show", "standard/titles", "--blame"]);
    for (row, origin) in blame.lines().zip(lines) {
        assert!(row.starts_with(origin["layer"].as_str().unwrap()), "{row}");
    }
}

#[test]
fn a_draft_overlay_does_not_take_its_base_with_it() {
    let path = ".faber/overlays/teams/routing/contexts/standards/standards-titles.md";
    let project = pelican().file(path, "---\nstatus: draft\n---\n# Titles\n\n- Draft\n");
    let data = bundle(&project, &[]);
    let text = entry(&data, "contexts", "standard/titles")["text"].as_str().unwrap();
    assert!(text.contains("Name the depot") && !text.contains("Draft"), "{text}");
    assert_eq!(entry(&data, "excluded", "standard/titles")["path"], path);
}

#[test]
fn overlays_may_not_say_who_may_see_what() {
    for key in [
        "access: { trust: { rafa: 1 } }",
        "access: { user: rafa }",
        "settings: { team: x }",
        "roles: [x]",
        "platforms: { a: b }",
    ] {
        let project = TestProject::with_role()
            .file(".faber/overlays/organization/config.yml", &format!("{key}\n"));
        let run = project.run(&["assemble"]);
        run.said(&[".faber/overlays/organization/config.yml:1", key.split(':').next().unwrap()]);
    }
}

#[test]
fn configuration_of_a_platform_is_below_its_context_without_secrets() {
    let project = pelican().file(
        ".faber/overlays/organization/config.yml",
        "platform_config:\n  ticketyard: { workspace: pelican, api_key: hunter2 }\n",
    );
    let text = project.stdout(&["assemble", "issue-manager"]);
    assert!(text.contains("workspace: pelican"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn overlays_hide_no_errors_of_what_is_below_them() {
    let handbook = "One sentence about letters and depots.\n".repeat(400);
    for overlay in ["teams/night", "workflows/rush", "users/ada"] {
        let above = format!(".faber/overlays/{overlay}/contexts/standards/");
        let replaced = "---\nstrategy: override\n---\n# Short\n\nShort.\n";
        let project = TestProject::with_role()
            .file(".faber/config.yml", "budget: { total: 2000 }\n")
            .file(
                "contexts/standards/standards-handbook.md",
                &format!("---\nrequired: true\ntruncatable: false\n---\n# Handbook\n\n{handbook}"),
            )
            .file(
                "contexts/standards/standards-globs.md",
                "---\nglobs: ['[']\n---\n# Globs\n\nX.\n",
            )
            .file(&format!("{above}standards-handbook.md"), replaced)
            .file(&format!("{above}standards-globs.md"), replaced);
        let run = project.run(&["validate"]);
        assert_eq!(run.code, 1, "{overlay}");
        for rule in ["required-over-budget", "glob-invalid"] {
            assert!(run.stdout.contains(rule), "{overlay}: {}", run.stdout);
        }
    }
}

#[test]
fn references_to_contexts_of_overlays_are_no_errors() {
    let project = TestProject::with_role()
        .file(
            "contexts/standards/standards-a.md",
            "---\nrelated: [standard/b]\n---\n# A\n\nSee standard/b.\n",
        )
        .file(".faber/overlays/teams/night/contexts/standards/standards-b.md", "# B\n\nText.\n");
    let run = project.run(&["validate"]);
    assert!(!run.stdout.contains("dangling"), "{}", run.stdout);
}

#[test]
fn a_principal_with_groups_gets_the_teams_among_them() {
    let team = |project: TestProject, name: &str| {
        let path = format!(".faber/overlays/teams/{name}/contexts/standards/standards-open.md");
        project.file(&path, &format!("---\nstrategy: append\n---\n- of {name}\n"))
    };
    let project =
        TestProject::with_role().file("contexts/standards/standards-open.md", "# Open\n\n- base\n");
    let project = team(team(project, "core"), "two");
    let shown = |project: &TestProject, arguments: &[&str]| {
        let shown = project.stdout(&[&["show", "standard/open"][..], arguments].concat());
        ["core", "two"].map(|team| shown.contains(&format!("of {team}")))
    };
    for teams in [&["--team", "core", "--team", "two"][..], &["--team", "core,two"]] {
        assert_eq!(shown(&project, teams), [true, true], "{teams:?}");
    }
    let project = project.file(".faber/config.yml", "settings: { team: [core, two] }\n");
    assert_eq!(shown(&project, &[]), [true, true]);
    assert_eq!(shown(&project, &["--team", "two"]), [false, true]);
    for (principal, teams) in
        [("bob", [true, true]), ("bob:two,x", [false, true]), ("bob:other", [false, false])]
    {
        assert_eq!(shown(&project, &["--as", principal]), teams, "{principal}");
    }
    let searched = project.stdout(&["search", "of core", "--as", "bob:other"]);
    assert!(!searched.contains("of core"), "{searched}");
    let run = project.run(&["validate"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
}

fn closed(access: &str) -> TestProject {
    let core = ".faber/overlays/teams/core/";
    let context = |name: &str| format!("{core}contexts/standards/standards-{name}.md");
    TestProject::with_role()
        .file(".faber/config.yml", "custom_contexts: [.faber/overlays/teams/core/notes.md]\n")
        .file(
            "contexts/standards/standards-open.md",
            "# Open\n\n<!-- faber: include /.faber/overlays/teams/core/part.md -->\n",
        )
        .file(&format!("{core}config.yml"), access)
        .file(&format!("{core}part.md"), "Marmots of the part.\n")
        .file(&format!("{core}notes.md"), "# Notes\n\nMarmots of the notes.\n")
        .file(&context("plain"), "# Plain\n\nMarmots of the plain text.\n")
        .file(&context("lead"), "---\ngroups: [lead]\n---\n# Lead\n\nMarmots of the lead.\n")
        .file(&context("broken"), "---\ngroups: {}\nstatus: odd\n---\n# X\n\nMarmots of x.\n")
}

#[test]
fn an_overlay_restricts_access_to_all_its_files() {
    let config = "access: { groups: [core] }\ncustom_contexts: [/docs/extra.md]\n";
    let project = closed(config).file("docs/extra.md", "# Extra\n\nMarmots of the extra.\n");
    let run = project.run(&["validate", "--select", "config-key-not-allowed,invalid-config"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    let seen = |principal: &str, team: &[&str]| {
        let arguments = ["assemble", "clerk", "--request", "marmots", "--as", principal, "-v"];
        let assembled = project.run(&[&arguments[..], team].concat());
        let searched = project.stdout(
            &[&["search", "marmots", "--limit", "50", "--as", principal][..], team].concat(),
        );
        let all = format!("{}{}", assembled.stdout, assembled.stderr);
        let texts = ["the part", "the notes", "the plain text", "the lead", "the extra"];
        let found = texts.map(|text| all.contains(&format!("Marmots of {text}")));
        for text in texts.iter().zip(found).filter(|(_, found)| !found) {
            assert!(
                !searched.contains(&format!("Marmots of {}", text.0)),
                "{principal}: {searched}"
            );
        }
        assert!(!all.contains("standards-broken") || principal.contains("core"), "{all}");
        found
    };
    let team: &[&str] = &["--team", "core"];
    assert_eq!(seen("ann:core,lead", team), [true; 5]);
    assert_eq!(seen("ann:core", team), [true, true, true, false, true]);
    for principal in ["ann", "ann:lead", "ann:other"] {
        assert_eq!(seen(principal, team), [false; 5], "{principal}");
        assert_eq!(seen(principal, &[]), [false; 5], "{principal}");
    }
}

#[test]
fn access_that_an_overlay_says_unreadably_is_no_access() {
    for access in [
        "access: { groups: core }\n",
        "access: { groups: [{}] }\n",
        "access: { group: [core] }\n",
        "access: core\n",
        "access: { groups: [core\n",
    ] {
        let project = closed(access);
        let run = project.run(&["validate"]);
        assert!(run.stdout.contains("overlays/teams/core/config.yml"), "{access}: {}", run.stdout);
        let shown = project.run(&["show", "standard/plain", "--team", "core", "--as", "ann:core"]);
        assert!(!shown.stdout.contains("Marmots"), "{access}: {}", shown.stdout);
        let included = project.run(&["show", "standard/open", "--as", "ann:core"]);
        assert!(!included.stdout.contains("Marmots"), "{access}: {}", included.stdout);
    }
}

#[test]
fn groups_of_an_overlay_are_not_those_of_the_principal() {
    let project = closed("access: { groups: [lead] }\n").file(
        "contexts/standards/standards-secret.md",
        "---\ngroups: [lead]\n---\n# Secret\n\nHidden marmots.\n",
    );
    let run = project.run(&["show", "standard/secret", "--team", "core"]);
    assert!(!run.stdout.contains("Hidden marmots"), "{}", run.stdout);
    let shown = project.stdout(&["config", "show", "--team", "core"]);
    assert!(!shown.contains("lead"), "{shown}");
}

fn access(project: &TestProject, view: &[&str]) -> String {
    let text = project.stdout(&[&["config", "show"], view].concat());
    let (_, access) = text.split_once("\naccess:\n").unwrap_or_default();
    let lines = access.lines().take_while(|line| line.starts_with(' '));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_repository_says_who_asks_only_if_the_user_does_not() {
    let project = TestProject::with_role()
        .file(".faber/config.yml", "access: { user: bob, groups: [eng], trust: { ann: 0.9 } }\n")
        .file(".faber/overlays/users/bob/contexts/standards/standards-b.md", "# B\n\n- bob's\n");
    assert_eq!(access(&project, &[]), "user: bob groups: - eng trust: ann: 0.9");
    assert_eq!(access(&project, &["--as", "zoe"]), "trust: ann: 0.9 user: zoe");
    let project = project.env("FABER_ACCESS_USER", "zoe");
    assert_eq!(access(&project, &[]), "trust: ann: 0.9 user: zoe");
    let project = project
        .env("FABER_ACCESS_USER", "")
        .file("../home/.config/faber/config.yml", "access: { groups: [ops] }\n");
    assert_eq!(access(&project, &[]), "groups: - ops trust: ann: 0.9");
    assert!(!project.stdout(&["assemble"]).contains("bob's"));
    let as_zoe = access(&project, &["--as", "zoe:eng"]);
    assert_eq!(as_zoe, "trust: ann: 0.9 user: zoe groups: - eng");
}

#[test]
fn an_overlay_goes_with_its_base() {
    let overlay = ".faber/overlays/organization/contexts/standards/standards-a.md";
    let by_name = ".faber/overlays/organization/contexts/standards/standards-b.md";
    let further = ".faber/overlays/users/alice/contexts/standards/standards-b.md";
    for (field, reason) in [
        ("groups: [ops]", None),
        ("owner: bob\nvisibility: private", None),
        ("status: draft", Some("status draft")),
        ("valid_to: 2020-01-01", Some("valid_to 2020-01-01")),
        ("when: { environment: staging }", Some("environment is not set, expected staging")),
    ] {
        let project = TestProject::with_role()
            .file(
                "contexts/standards/standards-a.md",
                &format!("---\n{field}\n---\n# A\n\n- base\n"),
            )
            .file(overlay, "---\nstrategy: append\n---\n- for all\n")
            .file(by_name, "---\nextends: standard/a\n---\n- for all\n")
            .file(further, "---\nstrategy: merge\n---\n- for all\n");
        let run = project.run(&["assemble", "--as", "alice"]);
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(
            !["for all", "base", "standard"].iter().any(|it| all.contains(it)),
            "{field} {all}"
        );
        for name in ["standard/a", "standard/b"] {
            let run = project.run(&["show", name, "--as", "alice"]);
            match reason {
                Some(reason) => run.refused(2, &["is left out", reason]),
                None => run.refused(2, &["unknown context"]),
            }
            let run = project.run(&["explain", name, "--as", "alice"]);
            if reason.is_none() {
                run.refused(2, &["unknown context"]);
            }
        }
        let data = project.json(&["assemble", "--as", "alice", "--format", "json"]);
        let excluded = data["excluded"].as_array().unwrap();
        assert_eq!(excluded.len(), if reason.is_some() { 4 } else { 0 }, "{excluded:?}");
        let project = project.file(overlay, "---\nstrategy: override\n---\n- for all\n");
        assert_eq!(project.stdout(&["show", "standard/a", "--as", "alice"]), "- for all\n");
    }
    let alone = TestProject::with_role().file(overlay, "---\nstrategy: append\n---\n- for all\n");
    alone.run(&["assemble"]).said(&["strategy-without-base"]);
}

#[test]
fn names_with_spaces_are_references_in_fields() {
    let config =
        "custom_contexts: [\"docs/mit leer.md\", \"docs/a*.md\", \"reference/zwei wege\"]\n";
    let project = TestProject::with_role()
        .file(".faber/config.yml", config)
        .file("docs/mit leer.md", "# L\n\nFirst kiwi.\n")
        .file("docs/a b.md", "# B\n\nSecond kiwi.\n")
        .file("contexts/references/reference-zwei wege.md", "# W\n\nThird kiwi.\n")
        .file("contexts/references/reference-vier rad.md", "# V\n\nFourth kiwi.\n")
        .file(
            "contexts/standards/standards-a.md",
            "---\nrelated: [reference/vier rad, reference/nicht da, see the wiki]\n---\n# A\n\nx\n",
        );
    let run = project.run(&["assemble"]);
    assert_eq!(run.stdout.matches("kiwi").count(), 4, "{}", run.stdout);
    run.said(&["dangling-related", "unknown context `reference/nicht da`", "`see the wiki`"]);
}

#[test]
fn misspelt_teams_are_reported_by_all_commands() {
    let project = TestProject::with_role()
        .file("contexts/playbooks/playbook-sorting.md", "# Sorting\n\nSort letters.\n")
        .file(".faber/overlays/teams/night/contexts/standards/standards-a.md", "# A\n\nX.\n");
    let what_if: &[&str] = &["explain", "--what-if", "team=nigth"];
    for command in [
        &["search", "letters"][..],
        &["query", "letters"],
        &["catalog"],
        &["expand", "playbook/sorting"],
        &["suggest", "keywords"],
        &["search", "letters"],
    ] {
        let run = project.run(&[command, &["--team", "nigth"]].concat());
        let said = "warning[unknown-overlay] unknown team `nigth`\n  help: did you mean `night`?\n";
        assert!(run.code == 0 && run.stderr.contains(said), "{command:?}: {}", run.stderr);
    }
    project.run(what_if).said(&["unknown team `nigth`"]);
    let show: &[&str] = &["show", "playbook/sorting", "--team", "night", "--as"];
    let run = project.run(&[show, &["ann:day"]].concat());
    run.said(&["`night` is not one of your groups", "so this team has no effect"]);
    let run = project.run(&["show", "playbook/sorting", "--team", "nigth", "--as", "ann:night"]);
    run.said(&["`nigth` is not one of your groups", "did you mean `night`?"]);
    assert_eq!(project.run(&[show, &["ann:night"]].concat()).stderr, "");
    let production = "---\nwhen: { environment: production }\n---\n# C\n\nOf letters.\n";
    let project = project.file("contexts/standards/standards-c.md", production);
    let environment = |name: &str| project.run(&["assemble", "--environment", name]);
    environment("prodution").said(&["did you mean `production`?"]);
    for name in ["production", "staging"] {
        assert_eq!(environment(name).stderr, "", "{name}");
    }
    let when = "---\nwhen: { team: nigth }\n---\n# B\n\nOf letters.\n";
    let project = project
        .file("roles/other/prompt.md", "# Other\n")
        .file("roles/other/contexts/standards/standards-b.md", when);
    for role in ["clerk", "other"] {
        let run = project.run(&["search", "letters", "--team", "nigth", "--role", role]);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{role}");
    }
}
