use insta_cmd::assert_cmd_snapshot;
use serde_json::Value;

use crate::pelican::{DATE, bundle, entry, ids, pelican};
use crate::project::TestProject;

const HEAD: [&str; 3] = ["explain", "--at", DATE];

fn fates() -> TestProject {
    pelican()
        .file(
            "contexts/standards/standards-old.md",
            "---\nvalid_to: 2025-12-31\n---\n# Old\n\nNo longer so.\n",
        )
        .file(
            ".faber/overlays/teams/routing/contexts/standards/standards-more-titles.md",
            "---\nextends: standards-titles.md\nstatus: draft\n---\n# Titles\n\n- Later.\n",
        )
        .file(
            ".faber/overlays/teams/routing/contexts/standards/standards-lost.md",
            "---\nextends: standards-nowhere.md\nvalid_from: 2099-01-01\n---\n# Lost\n",
        )
        .file("contexts/patterns/pattern-hidden.md", "---\nload: never\n---\n# Hidden\n")
        .file(
            "contexts/references/reference-secret.md",
            "---\nvisibility: private\nowner: rafa\nvalid_to: 2020-01-01\n---\n# Secret\n",
        )
}

#[track_caller]
fn explained(project: &TestProject, arguments: &[&str]) -> Value {
    project.json(&[&HEAD, arguments, &["--json"]].concat())
}

#[test]
fn every_candidate_has_a_row() {
    let request = "A refund needs the VAT number, then the tariff";
    let project = fates();
    assert_cmd_snapshot!(project.faber(&[&HEAD[..], &["--request", request]].concat()), @r#"
    success: true
    exit_code: 0
    ----- stdout -----
    issue-manager on ticketyard (platforms.issue-manager in .faber/config.yml:1)
    2026-03-01, for noor in engineering, routing, o200k_base

    654 of 16 000 tokens (4.1 %), 4 000 more reserved for the answer
    [█▓▓▒░=····························································································]
    █  role prompt      25
    ▓  contexts        458
    ▒  related          28
    ░  catalog         129
    =  request          14
    ·  free         15 346

    context               layer         why                      tokens  level
    platform/ticketyard   organization  platform                    121  detailed
    reference/glossary    organization  always                       39  detailed
    standard/boards       platform      always                       38  detailed
    standard/privacy      project       always                       22  detailed
    standard/titles       user          always                      132  detailed
    specialist/billing    role          keyword "refund", "VAT"      31  detailed
    specialist/customs    role          keyword "tariff"             29  detailed
    playbook/strike       custom        custom                       24  detailed
    reference/depots      project       related                      24  detailed
    standard/lost         team                                        0  left out: not yet valid
                                                                         (valid_from 2099-01-01)
    standard/more-titles  team                                        0  left out: status draft
    standard/old          project                                     0  left out: expired (valid_to
                                                                         2025-12-31)
    pattern/hidden        project                                0 / ~2  left out: load: never

    4 not loaded, listed in the catalog; `-v` lists them

    ----- stderr -----
    "#);
}

#[test]
fn verbose_lists_contexts_that_are_otherwise_counted() {
    let project = fates();
    let text = project.stdout(&[&HEAD[..], &["-v"]].concat());
    assert!(text.contains("not loaded"), "{text}");
    assert!(text.contains("pattern/migrations") && !text.contains("lists them"), "{text}");
    let text = project.stdout(&[&HEAD[..], &["-v", "--request", "A refund"]].concat());
    assert!(text.contains("\"refund\" 2–8"), "{text}");
    assert!(!text.contains("secret"), "what may not be seen is mentioned nowhere: {text}");
    let refused = |id: &str| project.run(&["explain", id]).stderr.replace(id, "ID");
    let secret = refused("reference/secret");
    assert!(secret.contains("unknown context `ID`") && secret.contains("--as USER:GROUP"));
    assert_eq!(secret, refused("reference/absent"), "no difference tells that it exists");
}

#[test]
fn contexts_that_do_not_load_have_a_line_each_with_their_relevance() {
    let long = "---\ndescription: Boxes\n---\n\n# Boxes\n\nHow to pack them for the long way.\n";
    let project = fates()
        .file("contexts/playbooks/playbook-packing-of-boxes-for-a-long-way.md", long)
        .file("contexts/specialists/specialist-ships.md", "---\nkeywords: [ship]\n---\n# Ships\n");
    let run = project.run(&[&HEAD[..], &["-v", "--request", "Which tea do they drink?"]].concat());
    let rows = run.stdout.split(" not loaded:\n").nth(1).unwrap();
    assert!(rows.starts_with("  context "), "{rows}");
    for row in rows.lines().skip(1) {
        assert!(row.starts_with("  ") && !row.starts_with("   "), "one line each: {rows}");
    }
    let relevance = |row: &str| row.split_whitespace().rev().nth(2)?.parse::<f64>().ok();
    let figures: Vec<f64> = rows.lines().skip(1).filter_map(relevance).collect();
    assert!(figures.len() > 1 && figures.is_sorted_by(|a, b| a >= b), "{rows}");
    let row = rows.lines().find(|row| row.contains("packing-of-boxes-for-a-long-way")).unwrap();
    assert!(row.contains("0.3") && row.ends_with("yes"), "{row}");
    assert!(!run.stderr.contains("hint["), "{}", run.stderr);
    let verdict = |id: &str| {
        let arguments = [&HEAD[..], &[id, "--request", "Which tea do they drink?"]].concat();
        project.stdout(&arguments)
    };
    let text = verdict("playbook/packing-of-boxes-for-a-long-way");
    assert!(
        text.contains(": not loaded: relevance 0") && text.contains(" of 0.3 needed"),
        "{text}"
    );
    assert!(verdict("specialist/ships").contains("no keyword, file or error matched"));
}

#[test]
fn rows_are_the_states_of_the_bundle() {
    let long = "---\nmax_tokens: 60\n---\n# Long\n\n".to_owned() + &"One more line.\n\n".repeat(40);
    let project = fates().file("contexts/standards/standards-long.md", &long);
    for (budget, order) in [("300", "cache"), ("400", "sequence"), ("8000", "cache")] {
        rows_are_states(&project, budget, order);
    }
    let greedy = project.env("FABER_BUDGET_PACKING", "greedy");
    for (budget, order) in [("300", "sequence"), ("500", "cache"), ("8000", "sequence")] {
        rows_are_states(&greedy, budget, order);
    }
}

#[track_caller]
fn rows_are_states(project: &TestProject, budget: &str, order: &str) {
    let request = ["--request", "refund, VAT and tariff", "--budget", budget, "--order", order];
    let (bundle, data) = (bundle(project, &request), explained(project, &request));
    let rows = data["candidates"].as_array().unwrap();
    let of = |state: &str| -> Vec<&str> {
        let rows = rows.iter().filter(|row| row["state"] == state);
        rows.map(|row| row["id"].as_str().unwrap()).collect()
    };
    assert_eq!(of("selected"), ids(&bundle, "contexts"), "{budget}");
    assert_eq!(of("catalogued").len(), ids(&bundle, "catalogued").len(), "{budget}");
    assert_eq!(data["report"], bundle["report"], "{budget}");
    for id in ids(&bundle, "excluded") {
        assert!(rows.iter().any(|row| row["id"] == id), "{budget}: no row for {id}");
    }
    for row in rows.iter().filter(|row| row["state"] == "selected") {
        let loaded = entry(&bundle, "contexts", row["id"].as_str().unwrap());
        for key in ["level", "tokens", "full_tokens", "reasons"] {
            assert_eq!(row[key], loaded[key], "{budget} {key}");
        }
        let offers = row["packing"]["offers"].as_array().unwrap();
        assert!(!offers.is_empty());
        assert_eq!(offers.iter().filter(|offer| offer["taken"] == true).count(), 1);
    }
    let utility: f64 = rows.iter().filter_map(|row| row["packing"]["utility"].as_f64()).sum();
    assert!((utility - data["report"]["utility"].as_f64().unwrap()).abs() < 0.01);
}

#[test]
fn contexts_that_did_not_fit_keep_their_reasons() {
    let project = fates();
    let data = explained(&project, &["--request", "refund, VAT and tariff", "--budget", "300"]);
    let rows = data["candidates"].as_array().unwrap();
    let missing: Vec<&Value> = rows
        .iter()
        .filter(|row| row["state"] != "selected" && row["packing"] != Value::Null)
        .collect();
    assert!(!missing.is_empty(), "{data:#}");
    for row in missing {
        assert!(!row["reasons"].as_array().unwrap().is_empty(), "{row:#}");
        assert!(row["verdict"].as_str().unwrap().contains("fit"), "{row:#}");
    }
}

#[test]
fn one_context_in_full() {
    let project = fates();
    let arguments = ["specialist/billing", "--request", "Two refunds, one VAT"];
    assert_cmd_snapshot!(project.faber(&[&HEAD[..], &arguments].concat()), @r#"
    success: true
    exit_code: 0
    ----- stdout -----
    issue-manager on ticketyard (platforms.issue-manager in .faber/config.yml:1)
    2026-03-01, for noor in engineering, routing, o200k_base

    specialist/billing: included in full
    31 of 31 tokens
    relevance to the request 0.487

    Reasons
      keyword
        `refunds` in     "refund" 4–11  declared at roles/issue-manager/prompt.md:9
        the request
      keyword
        `VAT` in the     "VAT" 17–20    declared at
        request                         roles/issue-manager/contexts/specialists/specialist-billing.md:2

    Layers, lowest first
      role  roles/issue-manager/contexts/specialists/specialist-billing.md

    Loads on
      keyword `"VAT"`    roles/issue-manager/contexts/specialists/specialist-billing.md:2  matched
      keyword `invoice`  roles/issue-manager/prompt.md:9
      keyword `refund`   roles/issue-manager/prompt.md:9                                   matched

    Relevant front matter
      load         keyword  by default
      priority     2        by default
      required     false    by default
      truncatable  true     by default
      max_tokens   none     by default

    Packing
      level     tokens  value  worth
      detailed      31      1  1.015  taken
      weight 8 × (11 − priority 2) × (0.1 + relevance 0.487)⁸ × value 1 in section location: worth 1.015

    ----- stderr -----
    "#);
}

#[test]
fn layers_and_what_was_overridden() {
    let project = pelican().file(
        ".faber/overlays/teams/routing/contexts/references/reference-depots.md",
        "---\npriority: 2\n---\n# Depots\n\nThere are four.\n",
    );
    let arguments = ["reference-depots.md", "--request", "tea"];
    assert_cmd_snapshot!(project.faber(&[&HEAD[..], &arguments].concat()), @r"
    success: true
    exit_code: 0
    ----- stdout -----
    issue-manager on ticketyard (platforms.issue-manager in .faber/config.yml:1)
    2026-03-01, for noor in engineering, routing, o200k_base

    reference/depots: not loaded: relevance 0.013 of 0.3 needed; listed in the catalog
    about 6 tokens
    relevance to the request 0.013, below the threshold of 0.3

    Layers, lowest first
      team  .faber/overlays/teams/routing/contexts/references/reference-depots.md  override

    Left out
      contexts/references/reference-depots.md
        overridden by .faber/overlays/teams/routing/contexts/references/reference-depots.md

    Loads on
      specialist/billing, which is related
      a request that resembles it

    Relevant front matter
      load         on-demand  by default
      priority     2          .faber/overlays/teams/routing/contexts/references/reference-depots.md:2
      required     false      by default
      truncatable  true       by default
      max_tokens   none       by default

    ----- stderr -----
    ");
}

#[test]
fn contexts_that_are_not_selected_say_how_to_select_them() {
    let project = fates();
    let text = project.stdout(&[&HEAD[..], &["standard/old"]].concat());
    assert!(text.contains("standard/old: left out: expired (valid_to 2025-12-31)"), "{text}");
    assert!(text.contains("contexts/standards/standards-old.md:2"), "{text}");
    assert!(!text.contains("Would be selected by"), "{text}");
    let text = project.stdout(&[&HEAD[..], &["platform/github"]].concat());
    assert!(text.contains("the platform github") && !text.contains("resembles"), "{text}");
    let text = project.stdout(&[&HEAD[..], &["pattern/hidden"]].concat());
    assert!(text.contains("nothing but `--with`"), "{text}");
    let text = project.stdout(&[&HEAD[..], &["pattern/migrations"]].concat());
    assert!(text.contains("files like `db/**/*.sql`"), "{text}");
    let text = project.stdout(&[&HEAD[..], &["troubleshooting/rate-limits"]].concat());
    assert!(text.contains("error `RateLimitError`"), "{text}");
    assert!(text.contains("roles/issue-manager/prompt.md:17"), "{text}");
    let text = project.stdout(&[&HEAD[..], &["reference/depots"]].concat());
    assert!(text.contains("specialist/billing, which is related"), "{text}");
}

#[test]
fn a_role_is_no_context() {
    let run = pelican().run(&["explain", "issue-manager"]);
    run.refused(2, &["`issue-manager` is a role", "faber explain --role issue-manager"]);
}

#[test]
fn colour_is_for_those_who_want_it() {
    let project = fates();
    let text = project.stdout(&[&HEAD[..], &["--color", "always"]].concat());
    assert!(text.contains("\u{1b}[32m▓"), "{text}");
    let text = project.stdout(&HEAD);
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn every_line_of_a_bundle_has_a_place_or_is_fabers_own() {
    let project = pelican().file("note.txt", "mind the gap\n");
    let request = ["--request", "Refund\nit", "--input", "note.txt", "--task", "triage"];
    let bundle = bundle(&project, &request);
    let data = explained(&project, &[&request[..], &["--line", "1-9999"]].concat());
    let lines = data["lines"].as_array().unwrap();
    let text: Vec<&str> = lines.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(text.join("\n") + "\n", bundle["bundle"].as_str().unwrap());
    for line in lines {
        let shown = line["text"].as_str().unwrap();
        let Some(origin) = line["origin"].as_object() else { continue };
        let file = project.text(origin["path"].as_str().unwrap());
        let number = usize::try_from(origin["line"].as_u64().unwrap()).unwrap();
        let there = file.lines().nth(number - 1).unwrap();
        let same = there == shown || shown.is_empty() || there.contains("{detected}");
        assert!(same, "{origin:?}: `{there}` is not `{shown}`");
    }
    for context in bundle["contexts"].as_array().unwrap() {
        let [first, last] = [0, 1]
            .map(|at| usize::try_from(context["bundle_lines"][at].as_u64().unwrap()).unwrap());
        let all = &lines[first - 1..last];
        assert!(all.iter().all(|line| line["context"] == context["id"]), "{}", context["id"]);
    }
}

#[test]
fn lines_of_shortened_texts_have_their_places() {
    let item = "- One of the many things that are in the long list of this text.\n";
    let text = format!(
        "# Deploys\n\n## When\n\nDeploy before noon. Wait.\n\n{}- You must ask.\n{}",
        item.repeat(20),
        item.repeat(20)
    );
    let project = TestProject::with_role().file("contexts/standards/standards-x.md", &text);
    for (budget, shown, line) in [
        ("70", "Deploy before noon. Wait.", Some(5)),
        ("200", "- You must ask.", Some(27)),
        ("200", "[…]", None),
    ] {
        let data = explained(&project, &["--request", "hi", "--budget", budget, "--line", "1-99"]);
        let lines = data["lines"].as_array().unwrap();
        let found = lines.iter().find(|line| line["text"] == shown);
        let found = found.unwrap_or_else(|| panic!("{data:#}"));
        assert_eq!(found["origin"]["line"].as_u64(), line, "{shown}");
    }
}

#[test]
fn a_range_of_lines_for_people() {
    let project = pelican();
    let text = project.stdout(&["assemble", "issue-manager", "--request", "VAT"]);
    let number = 1 + text.lines().position(|line| line == "- Name the run.").unwrap();
    let range = format!("{}-{}", number - 4, number + 3);
    let arguments = ["explain", "--request", "VAT", "--line", &range];
    assert_cmd_snapshot!(project.faber(&arguments), @r#"
    success: true
    exit_code: 0
    ----- stdout -----
    50  project       contexts/standards/standards-titles.md:1                                      │ # Titles
    51  project       contexts/standards/standards-titles.md:2                                      │
    52  project       contexts/standards/standards-titles.md:3                                      │ - Use the imperative.
    53  role-overlay  .faber/overlays/roles/issue-manager/contexts/standards/standards-titles.md:7  │ - Name the depot.
    54  team          .faber/overlays/teams/routing/contexts/standards/standards-titles.md:6        │ - Name the run.
    55  workflow      .faber/overlays/workflows/release/contexts/standards/standards-titles.md:6    │ - Name the release.
    56  user          .faber/overlays/users/noor/contexts/standards/standards-titles.md:6           │ - Sign with N.
    57  -             faber, about standard/titles                                                  │

    ----- stderr -----
    "#);
    let last = text.lines().count();
    let shown = project.stdout(&["explain", "--request", "VAT", "--line", &last.to_string()]);
    assert_eq!(shown, format!("{last}  -  request  │ VAT\n"));
    let beyond = (last + 1).to_string();
    project
        .run(&["explain", "--request", "VAT", "--line", &beyond])
        .refused(2, &["the bundle has no line", &format!("has {last} lines")]);
    for bad in ["0", "3-2", "x", "1-"] {
        project.run(&["explain", "--line", bad]).refused(2, &["counted from 1"]);
    }
}

#[test]
fn what_if_compares_bundles() {
    let project = fates();
    let what_if = ["--what-if", "platform=github,date=2025-06-01,budget=2000"];
    let arguments = [&HEAD[..], &["--request", "refund"], &what_if].concat();
    assert_cmd_snapshot!(project.faber(&arguments), @r"
    success: true
    exit_code: 0
    ----- stdout -----
    issue-manager on ticketyard (platforms.issue-manager in .faber/config.yml:1)
    2026-03-01, for noor in engineering, routing, o200k_base

    What if platform=github, date=2025-06-01, budget=2000?

    run             tokens   worth  platform    date
    now      641 of 16 000  34.958  ticketyard  2026-03-01
    what if   537 of 2 000  34.935  github      2025-06-01

    change   context              now                             then                            tokens
    removed  platform/ticketyard  included in full                not loaded: no keyword, file   121 → 0
                                                                  or error matched; listed in
                                                                  the catalog
    removed  standard/boards      included in full                does not exist                  38 → 0
    added    standard/old         left out: expired (valid_to     included in full                0 → 22
                                  2025-12-31)
    added    platform/github      not loaded: no keyword, file    included in full                0 → 25
                                  or error matched; listed in
                                  the catalog

    13 others unchanged

    ----- stderr -----
    ");
}

#[test]
fn a_shorter_catalog_is_a_difference() {
    let reference =
        |n| (format!("contexts/references/reference-{n}.md"), format!("# R {n}\n\n{n} stamps.\n"));
    let project = (0..9)
        .map(reference)
        .fold(TestProject::with_role(), |project, (path, text)| project.file(&path, &text));
    let explain = |more: &[&str]| project.stdout(&[&["explain", "-r", "Hello"], more].concat());
    let compared = explain(&["--what-if", "budget=120"]);
    assert!(compared.contains("9 contexts unchanged; the catalog lists "), "{compared}");
    assert!(compared.ends_with(" instead of 9\n"), "{compared}");
    let none = explain(&["--budget", "68"]);
    assert!(none.contains("\n\nno contexts selected\n\n"), "{none}");
    let room = "9 not loaded; the catalog has no room to list them; `-v` lists them\n";
    assert!(none.ends_with(room), "{none}");
}

#[test]
fn a_second_run_is_that_of_its_own_flags() {
    let project = pelican();
    for (what_if, flags) in [
        ("budget=300", ["--budget", "300"]),
        ("platform=github", ["--platform", "github"]),
        ("team=none", ["--team", "none"]),
        ("workflow=none", ["--workflow", "none"]),
        ("environment=production", ["--environment", "production"]),
        ("date=2030-01-01", ["--at", "2030-01-01"]),
        ("model=claude", ["--model", "claude"]),
    ] {
        let request = ["--request", "refund, VAT and tariff"];
        let plain = ["explain", "--json"];
        let data = project.json(&[&plain[..], &request, &["--what-if", what_if]].concat());
        let run = project.json(&[&plain[..], &request, &flags].concat());
        assert_eq!(data["what_if"]["after"]["digest"], run["report"]["digest"], "{what_if}");
        assert_eq!(data["what_if"]["asked"][0], what_if);
    }
    let same = project.stdout(&["explain", "--what-if", "team=routing"]);
    assert!(same.contains("13 contexts unchanged"), "{same}");
}

#[test]
fn invalid_what_if_is_refused() {
    let project = pelican();
    project.run(&["explain", "--what-if", "bugdet=3"]).refused(2, &["unknown key `bugdet`"]);
    let twice = project.run(&["explain", "--what-if", "budget=300,date=2026-01-01,budget=500"]);
    twice.refused(2, &["`--what-if budget=500` changes what another `--what-if` changes"]);
    project.run(&["explain", "--what-if", "budget=many"]).refused(2, &["write tokens"]);
    project.run(&["explain", "--what-if", "date"]).refused(2, &["KEY=VALUE"]);
    project.run(&["explain", "--what-if", "platform=x"]).refused(2, &["unknown platform `x`"]);
    project.run(&["explain", "--what-if", "budget=3"]).refused(3, &["is too small"]);
}

#[test]
fn the_advice_names_max_tokens_if_it_is_the_limit() {
    let long = "---\nload: always\nmax_tokens: 0.06k\n---\n# Long\n\n".to_owned()
        + &"One more line.\n\n".repeat(40);
    let project = TestProject::with_role().file("contexts/playbooks/playbook-long.md", &long);
    let text = project.stdout(&["explain", "playbook/long"]);
    assert!(text.contains("`max_tokens` in its front matter limits it to 60 tokens"), "{text}");
    assert!(!text.contains("--budget") && text.contains(": worth 4.8e-7"), "{text}");
    let text = project.stdout(&["explain", "playbook/long", "--budget", "68"]);
    assert!(text.contains("The next longer form has 58") && !text.contains("limits it"), "{text}");
}

#[test]
fn the_advice_names_the_room_that_a_longer_form_lacks() {
    let long = "---\nglobs: [\"src/**\"]\n---\n# Long\n\nFirst of all.\n\n".to_owned()
        + &"One more line with some words.\n\n".repeat(60);
    let project = TestProject::with_role().file("contexts/standards/standards-long.md", &long);
    let explain = ["explain", "standard/long", "--request", "fix it", "--file", "src/a.rs"];
    let text = project.stdout(&[&explain[..], &["--budget", "400"]].concat());
    assert!(text.contains("The next longer form has 4"), "{text}");
    assert!(text.contains(" more than this; ") && !text.contains("worth more"), "{text}");
}
