mod styles;

use insta_cmd::assert_cmd_snapshot;

use crate::pelican::{DATE, bundle, ids, pelican};
use crate::project::TestProject;

const REQUEST: [&str; 6] =
    ["assemble", "issue-manager", "--at", DATE, "--request", "A refund for the tariff"];

#[test]
fn a_bundle_in_markdown() {
    assert_cmd_snapshot!(pelican().faber(&REQUEST), @"
    success: true
    exit_code: 0
    ----- stdout -----
    # Issue manager

    You look after the issues of Pelican Post on ticketyard.

    ## Answers

    Number every step.

    # Platform

    <!-- platform/ticketyard: roles/issue-manager/contexts/platforms/platform-ticketyard.md + .faber/overlays/organization/contexts/platforms/platform-ticketyard.md -->
    # Ticketyard

    Cards lie on boards.

    ## Labels

    - **bug**: a parcel goes astray
    - **idea**: something could be better
    - **customer**: a customer waits

    ## Columns

    Inbox, Doing, Done.

    MCP server `ticketyard-server` with `create_card`, `move_card`, `archive_card`; the fallback is `cli`.

    # Organization

    <!-- reference/glossary: .faber/overlays/organization/contexts/references/reference-glossary.md -->
    # Glossary

    A *run* is one tour of a van.

    # Platform overlay

    <!-- standard/boards: .faber/overlays/platforms/ticketyard/contexts/standards/standards-boards.md -->
    # Boards

    One board for each depot.

    # Standards

    <!-- standard/privacy: contexts/standards/standards-privacy.md -->
    # Privacy

    Never copy addresses.

    <!-- standard/titles: contexts/standards/standards-titles.md + .faber/overlays/roles/issue-manager/contexts/standards/standards-titles.md + .faber/overlays/teams/routing/contexts/standards/standards-titles.md + .faber/overlays/workflows/release/contexts/standards/standards-titles.md + .faber/overlays/users/noor/contexts/standards/standards-titles.md -->
    # Titles

    - Use the imperative.
    - Name the depot.
    - Name the run.
    - Name the release.
    - Sign with N.

    # Specialists and procedures

    <!-- specialist/billing: roles/issue-manager/contexts/specialists/specialist-billing.md -->
    # Billing

    A refund needs the invoice number.

    <!-- specialist/customs: roles/issue-manager/contexts/specialists/specialist-customs.md -->
    # Customs

    Name the tariff code.

    # Custom contexts

    <!-- playbook/strike: .faber/custom/playbook-strike.md -->
    # Strike

    Tell the depots.

    # Related contexts

    <!-- reference/depots: contexts/references/reference-depots.md -->
    # Depots

    There are three depots.

    # Catalog

    Available, not loaded. `faber search WORDS` searches all contexts and reference files, `faber expand ID` prints one.

    - Role (issue-manager): 1 platform, 1 playbook, 1 troubleshooting guide; topics: github, limits, rate, triage
    - Workspace: 1 pattern; topics: migrations

    - `troubleshooting/rate-limits`: Wait when the tracker refuses. (on: RateLimitError)
    - `pattern/migrations`: One change a file.
    - `playbook/triage`: Triage by hand
    - `platform/github`: Use `gh`.

    # Request

    A refund for the tariff

    ----- stderr -----
    ");
}

#[test]
fn the_report_goes_to_standard_error() {
    let run = pelican().run(&[&REQUEST[..], &["--report"]].concat());
    assert_eq!(run.stdout, pelican().stdout(&REQUEST));
    run.said(&[
        "platform/ticketyard",
        "platforms.issue-manager in .faber/config.yml:1",
        "`refund` in the request",
        "related to specialist/billing",
        "not loaded, ",
        "blake3:",
        DATE,
    ]);
}

#[test]
fn a_json_report_is_alone_on_standard_error() {
    let project = pelican()
        .file("contexts/patterns/pattern-x.md", "---\nkeywrds: [x]\n---\n# X\n")
        .file("contexts/standards/standards-x.md", "---\nkeywrds: [x]\n---\n# X\n")
        .file("contexts/standards/standards-y.md", "---\nname: [a\n---\n# Y\n")
        .file("bundle.md", "old\n");
    for more in [&["--budget", "2000"][..], &["--input", "-"], &["--check", "bundle.md"]] {
        let run = project.run(&[&REQUEST[..], &["--report", "json"], more].concat());
        let report: serde_json::Value = serde_json::from_str(&run.stderr)
            .unwrap_or_else(|error| panic!("{more:?}: {error}\n{}", run.stderr));
        assert!(report["summary"]["limit"].is_u64());
    }
    let strict = project.run(&[&REQUEST[..], &["--report", "json", "--strict"]].concat());
    strict.refused(2, &["invalid-frontmatter"]);
}

#[test]
fn a_report_file_is_json_when_it_is_named_so() {
    let project = pelican();
    project.stdout(&[&REQUEST[..], &["--report-file", "report.json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&project.text("report.json")).unwrap();
    assert_eq!(report["reference_date"], DATE);
    project.stdout(&[&REQUEST[..], &["--report-file", "report.txt"]].concat());
    assert!(project.text("report.txt").contains("9 selected"));
    project.stdout(&[&REQUEST[..], &["--report", "json", "--report-file", "report.txt"]].concat());
    assert_eq!(project.text("report.txt"), project.text("report.json"));
}

#[test]
fn bundle_and_report_have_places_of_their_own() {
    let project = pelican().dir("out");
    let ask = |more: &[&str]| project.run(&[&REQUEST[..], more].concat());
    for (bundle, report) in [("a.out", "a.out"), ("./a.out", "a.out"), ("out/../a.out", "a.out")] {
        ask(&["-o", bundle, "--report-file", report]).refused(2, &["name the same file"]);
        assert!(!project.path("a.out").exists());
    }
    ask(&["--report-file", "-"]).refused(2, &["would both be on standard output"]);
    let run = ask(&["-o", "bundle.md", "--report-file", "-"]);
    assert!(run.code == 0 && run.stdout.contains("9 selected"), "{}", run.stderr);
    assert!(project.path("bundle.md").exists() && !project.path("-").exists());
}

#[test]
fn the_digest_and_the_figures_are_those_of_the_bundle() {
    let project = pelican();
    let printed = project.stdout(&REQUEST);
    let data = bundle(&project, &["--request", "A refund for the tariff"]);
    assert_eq!(data["bundle"], printed.as_str());
    let digest = format!("blake3:{}", blake3::hash(printed.as_bytes()).to_hex());
    assert_eq!(data["report"]["digest"], digest.as_str());
    let tokens = tiktoken_rs::o200k_base_singleton().encode_ordinary(&printed).len();
    assert_eq!(data["report"]["summary"]["total_used"], tokens);
}

#[test]
fn every_context_is_at_its_bundle_lines() {
    let data = bundle(&pelican(), &["--request", "A refund for the tariff"]);
    let lines: Vec<&str> = data["bundle"].as_str().unwrap().lines().collect();
    for context in data["contexts"].as_array().unwrap() {
        let place = |at: usize| usize::try_from(context["bundle_lines"][at].as_u64().unwrap());
        let shown = lines[place(0).unwrap() - 1..place(1).unwrap()].join("\n");
        let text = context["text"].as_str().unwrap().trim_end();
        assert!(shown.contains(text), "{shown}\nshould hold\n{text}");
        let head = format!("<!-- {}: ", context["id"].as_str().unwrap());
        assert!(shown.starts_with(&head), "{shown}");
    }
}

#[test]
fn an_output_file_holds_what_standard_output_would() {
    let project = pelican().file("out.md", "old");
    let printed = project.stdout(&REQUEST);
    for file in ["new.md", "out.md"] {
        assert_eq!(project.stdout(&[&REQUEST[..], &["-o", file]].concat()), "");
        assert_eq!(project.text(file), printed);
    }
    let left =
        project.files().into_iter().filter(|(path, _)| path.to_string_lossy().contains(".faber-"));
    assert_eq!(left.count(), 0, "temporary files are left behind");
}

#[test]
fn an_output_file_stays_as_it_is_when_faber_refuses() {
    let project = pelican().file("out.md", "old");
    project.run(&["assemble", "issue-manager", "--budget", "10", "-o", "out.md"]).refused(3, &[]);
    assert_eq!(project.text("out.md"), "old");
}

#[cfg(unix)]
#[test]
fn an_output_file_may_be_a_device_or_a_link() {
    let project = pelican().file("real.md", "old").symlink("link.md", "real.md");
    let printed = project.stdout(&REQUEST);
    assert_eq!(project.stdout(&[&REQUEST[..], &["-o", "/dev/stdout"]].concat()), printed);
    project.stdout(&[&REQUEST[..], &["-o", "link.md"]].concat());
    assert_eq!(project.text("real.md"), printed);
    assert!(project.path("link.md").is_symlink());
}

#[test]
fn an_output_file_in_no_folder_is_a_failure() {
    let run = pelican().run(&[&REQUEST[..], &["-o", "no/where.md"]].concat());
    run.refused(2, &["cannot write", "where.md", "help:"]);
    assert!(!run.stderr.contains("os error") && !run.stderr.contains(".faber-"), "{}", run.stderr);
}

#[test]
fn a_budget_that_cannot_hold_what_is_required_is_status_3() {
    assert_cmd_snapshot!(pelican().faber(&[&REQUEST[..], &["--budget", "30"]].concat()), @r"
    success: false
    exit_code: 3
    ----- stdout -----

    ----- stderr -----
    error: the budget of 30 tokens is too small: 34 required
      help: largest required parts: the role's prompt (25), the request (9); raise the budget to at least 34
    ");
}

#[test]
fn no_budget_is_ever_exceeded() {
    let project = pelican();
    for budget in ["40", "60", "90", "130", "200", "300", "450", "600", "700"] {
        let run = project.run(&[&REQUEST[..], &["--budget", budget]].concat());
        if run.code == 3 {
            run.refused(3, &["budget"]);
            continue;
        }
        assert_eq!(run.code, 0, "{}", run.stderr);
        let tokens = tiktoken_rs::o200k_base_singleton().encode_ordinary(&run.stdout).len();
        assert!(tokens <= budget.parse().unwrap(), "{tokens} tokens at a budget of {budget}");
        assert!(run.stdout.starts_with("# Issue manager"), "{}", run.stdout);
        assert!(run.stdout.ends_with("A refund for the tariff\n"), "{}", run.stdout);
    }
}

#[test]
fn names_that_are_unknown_are_answered_with_close_ones() {
    let project = pelican();
    let refused = |arguments: &[&str], words: &[&str]| project.run(arguments).refused(2, words);
    refused(
        &["assemble", "isue-manager"],
        &["unknown role `isue-manager`", "did you mean `issue-manager`?"],
    );
    let assemble = |more: &[&'static str]| [&["assemble", "issue-manager"], more].concat();
    refused(
        &assemble(&["--platform", "tickteyard"]),
        &["unknown platform", "did you mean `ticketyard`?"],
    );
    refused(&assemble(&["--task", "triag"]), &["unknown task", "did you mean `triage`?"]);
    refused(&assemble(&["--flow", "weak"]), &["unknown flow", "did you mean `week`?"]);
    refused(
        &assemble(&["--with", "reference/depot"]),
        &["unknown context", "did you mean `reference/depots`?"],
    );
    refused(
        &assemble(&["--without", "standard/title"]),
        &["unknown context", "did you mean `standard/titles`?"],
    );
    refused(
        &assemble(&["--encoding", "o200k_bas"]),
        &["unknown encoding", "did you mean `o200k_base`?"],
    );
    refused(&assemble(&["--model", "gpt-99"]), &["unknown model"]);
    refused(&assemble(&["--formt", "xml"]), &["--format"]);
}

#[test]
fn without_a_workspace_there_is_nothing_to_do() {
    TestProject::empty().run(&["assemble"]).refused(2, &["no faber workspace", "faber init"]);
    let project = TestProject::empty();
    project.run(&["-C", "nowhere", "assemble"]).refused(2, &["cannot read", "nowhere"]);
}

#[test]
fn a_workspace_is_found_from_below_and_by_name() {
    let project = pelican().dir("db/old/2020");
    let printed = project.stdout(&REQUEST);
    for root in ["db/old/2020", "contexts", ".faber/overlays"] {
        assert_eq!(project.stdout(&[&["-C", root], &REQUEST[..]].concat()), printed);
        let project = project.faber(&REQUEST).env("FABER_ROOT", root).output().unwrap();
        assert_eq!(String::from_utf8(project.stdout).unwrap(), printed);
    }
}

#[test]
fn the_nearest_workspace_wins() {
    let project = TestProject::with_role()
        .dir("part/.faber")
        .file("part/roles/porter/prompt.md", "# Porter\n");
    assert!(project.stdout(&["-C", "part", "assemble"]).starts_with("# Porter"));
    assert!(project.stdout(&["assemble"]).starts_with("# Clerk"));
}

#[test]
fn the_role_may_be_left_out() {
    let project = TestProject::with_role();
    assert!(project.stdout(&["assemble"]).starts_with("# Clerk"));
    let project = project.file("roles/porter/prompt.md", "# Porter\n");
    project.run(&["assemble"]).refused(2, &["several roles", "`clerk`, `porter`", "settings.role"]);
    let project = project.env("FABER_ROLE", "porter");
    assert!(project.stdout(&["assemble"]).starts_with("# Porter"));
    let project = TestProject::with_role()
        .file("roles/porter/prompt.md", "# Porter\n")
        .file(".faber/config.yml", "settings: { role: porter }\n");
    assert!(project.stdout(&["assemble"]).starts_with("# Porter"));
}

#[test]
fn strict_refuses_on_errors_and_not_on_warnings() {
    let project = TestProject::with_role().file("contexts/standards/standards-a.md", "# A\n");
    project.stdout(&["assemble", "--strict"]);
    let project = project.file("contexts/notes/b.md", "# B\n").file("contexts/c.md", "# C\n");
    let run = project.run(&["assemble", "-v"]);
    assert!(run.stdout.contains("# A"), "{}", run.stderr);
    run.said(&["unknown category `notes`", "has no category", "contexts/c.md"]);
    project.run(&["assemble", "--strict"]).refused(2, &["error", "must be fixed"]);
    project.run(&["assemble", "--strict", "-q"]).refused(2, &["contexts/c.md", "must be fixed"]);
}

#[test]
fn links_out_of_the_workspace_are_refused() {
    for target in ["../../../outside.md", "../../../../../../../../etc/passwd", "/etc/passwd"] {
        let project = TestProject::with_role().file(
            "contexts/standards/standards-a.md",
            &format!("# A\n\n<!-- faber: include {target} -->\n"),
        );
        let run = project.run(&["assemble"]);
        run.refused(2, &["contexts/standards/standards-a.md:3", "workspace", "copy the file"]);
    }
    for config in [
        "roles: [../../roles]",
        "overlays: { paths: [/etc] }",
        "custom_contexts: [../../outside.md]",
        "custom_contexts: [/etc/passwd]",
        "custom_contexts: [../../../../etc/passwd]",
    ] {
        let project = TestProject::with_role().file(".faber/config.yml", &format!("{config}\n"));
        project.run(&["assemble"]).refused(2, &[".faber/config.yml:1", "workspace"]);
    }
}

#[test]
fn cycles_are_refused_with_their_chain() {
    let include = |path: &str| format!("# X\n\n<!-- faber: include ./{path} -->\n");
    let project = TestProject::with_role()
        .file("contexts/standards/standards-a.md", &include("standards-b.md"))
        .file("contexts/standards/standards-b.md", &include("standards-a.md"));
    project.run(&["assemble"]).refused(2, &["cycle", "standards-a.md", "standards-b.md", "→"]);
    let project = TestProject::with_role()
        .file("roles/clerk/agent.yml", "name: clerk\nextends: porter\n")
        .file("roles/porter/agent.yml", "name: porter\nextends: clerk\n")
        .file("roles/porter/prompt.md", "# Porter\n");
    project.run(&["assemble", "clerk"]).refused(2, &["cycle", "clerk → porter → clerk"]);
}

#[test]
fn an_unreadable_configuration_is_refused() {
    for (config, words) in [
        ("settings: [", ".faber/config.yml"),
        ("settings: { team: { a: 1 } }", ".faber/config.yml:1"),
        ("a: &a 1\nb: *a\n", ".faber/config.yml"),
    ] {
        let project = TestProject::with_role().file(".faber/config.yml", config);
        project.run(&["assemble"]).refused(2, &[words]);
    }
    let project = TestProject::with_role().bytes(".faber/config.yml", b"settings: \xff\n");
    project.run(&["assemble"]).refused(2, &[".faber/config.yml", "UTF-8"]);
}

#[test]
fn a_role_takes_contexts_and_rules_of_its_ancestor_but_not_its_prompt() {
    let project = TestProject::with_role()
        .file("roles/clerk/agent.yml", "name: clerk\nextends: porter\n")
        .file(
            "roles/porter/prompt.md",
            "# Porter\n\nYou carry.\n\n- \"stairs\" → specialist-lifts.md\n",
        )
        .file("roles/porter/contexts/specialists/specialist-lifts.md", "# Lifts\n")
        .file("roles/porter/contexts/standards/standards-shoes.md", "# Shoes\n");
    let data = project.json(&["assemble", "clerk", "-r", "no stairs", "--format", "json"]);
    assert_eq!(ids(&data, "contexts"), ["standard/shoes", "specialist/lifts"]);
    assert!(!data["bundle"].as_str().unwrap().contains("You carry"));
}

#[test]
fn line_endings_and_byte_order_marks_leave_no_trace() {
    let unix = TestProject::with_role()
        .file("contexts/standards/standards-a.md", "---\npriority: 1\n---\n# A\n\n- one\n- two\n");
    let windows = TestProject::with_role().file(
        "contexts/standards/standards-a.md",
        "\u{feff}---\r\npriority: 1\r\n---\r\n# A\r\n\r\n- one\r\n- two\r\n",
    );
    assert_eq!(windows.stdout(&["assemble"]), unix.stdout(&["assemble"]));
}

#[test]
fn a_check_says_whether_a_file_is_what_would_be_assembled() {
    let project = pelican();
    let check = |request: &'static str| {
        let assemble = ["assemble", "issue-manager", "--request", request];
        [&assemble[..], &["--check", "bundle.md"]].concat()
    };
    project.stdout(&["assemble", "issue-manager", "--request", "refund", "--output", "bundle.md"]);
    assert_eq!(project.stdout(&check("refund")), "");
    let windows = project.text("bundle.md").replace('\n', "\r\n");
    let project = project.file("bundle.md", &windows);
    assert_eq!(project.stdout(&check("refund")), "");
    let run = project.run(&check("tariff"));
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("--- bundle.md\n+++ "), "{}", run.stdout);
    assert!(run.stdout.contains("\n-refund\n+tariff\n"), "{}", run.stdout);
    run.said(&["`bundle.md` is out of date"]);
    let missing = ["assemble", "issue-manager", "--check", "no.md"];
    let run = project.run(&missing);
    assert_eq!((run.code, &*run.stdout), (1, ""));
    run.said(&["`no.md` does not exist; write it with `--output`"]);
    let piped = ["assemble", "issue-manager", "--check", "-"];
    project.run(&piped).refused(2, &["`--check` does not read standard input"]);
}

#[test]
fn bundles_for_a_prompt_cache_begin_alike() {
    let project = pelican();
    let requests = ["A refund", "The tariff, after RateLimitError", ""];
    let assembled = requests.map(|request| {
        let arguments = ["--order", "cache", "--request", request];
        let data = bundle(&project, &arguments);
        let stable = data["report"]["stable_prefix_tokens"].as_u64().unwrap();
        (data["bundle"].as_str().unwrap().to_owned(), usize::try_from(stable).unwrap())
    });
    let [(first, tokens), others @ ..] = &assembled;
    let stable = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
    for (other, same) in others {
        assert_eq!(same, tokens);
        let pairs = first.lines().zip(other.lines()).take_while(|(a, b)| a == b);
        let shared: String = pairs.flat_map(|(line, _)| [line, "\n"]).collect();
        assert!(stable(&shared) >= *tokens, "{} < {tokens}", stable(&shared));
        assert!(shared.contains("# Strike"), "what does not depend on the request is in front");
    }
}
