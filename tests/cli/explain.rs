//! `faber explain`: why a bundle is as it is.

use insta_cmd::assert_cmd_snapshot;
use serde_json::Value;

use crate::pelican::{DATE, bundle, entry, ids, pelican};
use crate::project::TestProject;

const HEAD: [&str; 3] = ["explain", "--at", DATE];

/// Pelican Post with a context of every fate.
fn fates() -> TestProject {
    pelican()
        .file(
            "contexts/standards/standards-old.md",
            "---\nvalid_to: 2025-12-31\n---\n# Old\n\nNo longer so.\n",
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
    2026-03-01, for noor in engineering, o200k_base

    627 of 8 000 tokens (7.8%), 2 000 more reserved for the answer
    [█▓▓▓▓▓▒░=·························································································]
    █  system       25  guaranteed 500
    #  profile       0  guaranteed 300
    ▓  location    458  guaranteed 1 000
    ▒  related      28  guaranteed 500
    ░  catalog     102  guaranteed 1 000
    =  message      14
    ·  free      7 373

    context              layer         reasons   matched             tokens  level     verdict
    platform/ticketyard  organization  platform                         121  detailed  in, whole
    reference/glossary   organization  always                            39  detailed  in, whole
    standard/boards      platform      always                            38  detailed  in, whole
    standard/privacy     project       always                            22  detailed  in, whole
    standard/titles      user          always                           132  detailed  in, whole
    specialist/billing   role          keyword   "refund" 2–8,           31  detailed  in, whole
                                                 "VAT" 19–22
    specialist/customs   role          keyword   "tariff" 40–46          29  detailed  in, whole
    playbook/strike      custom        custom                            24  detailed  in, whole
    reference/depots     project       related                           24  detailed  in, whole
    standard/old         project                                          0  dropped   out: expired,
                                                                                       valid_to
                                                                                       2025-12-31
    pattern/hidden       project                                     0 / ~2  dropped   out: load: never

    4 catalogued, `-v` lists them

    ----- stderr -----
    "#);
}

#[test]
fn what_is_only_counted_is_listed_when_everything_is_asked_for() {
    let project = fates();
    let text = project.stdout(&[&HEAD[..], &["-v"]].concat());
    assert!(text.contains("named in the"), "{text}");
    assert!(text.contains("pattern/migrations") && !text.contains("lists them"), "{text}");
    assert!(!text.contains("secret"), "what may not be seen is mentioned nowhere: {text}");
    project
        .run(&["explain", "reference/secret"])
        .refused(2, &["unknown context `reference/secret`"]);
}

#[test]
fn rows_are_the_states_of_the_bundle() {
    let project = fates();
    for budget in ["300", "400", "8000"] {
        let request = ["--request", "refund, VAT and tariff", "--budget", budget];
        let (bundle, data) = (bundle(&project, &request), explained(&project, &request));
        let rows = data["candidates"].as_array().unwrap();
        let of = |state: &str| -> Vec<&str> {
            let rows = rows.iter().filter(|row| row["state"] == state);
            rows.map(|row| row["id"].as_str().unwrap()).collect()
        };
        assert_eq!(of("selected"), ids(&bundle, "contexts"), "{budget}");
        assert_eq!(of("catalogued").len(), ids(&bundle, "catalogued").len(), "{budget}");
        assert_eq!(data["report"], bundle["report"], "{budget}");
        for row in rows.iter().filter(|row| row["state"] == "selected") {
            let loaded = entry(&bundle, "contexts", row["id"].as_str().unwrap());
            for key in ["level", "tokens", "full_tokens", "reasons"] {
                assert_eq!(row[key], loaded[key], "{budget} {key}");
            }
            let offers = row["packing"]["offers"].as_array().unwrap();
            assert!(offers.len() >= 4, "{offers:?}");
            assert_eq!(offers.iter().filter(|offer| offer["taken"] == true).count(), 1);
        }
        let utility: f64 = rows.iter().filter_map(|row| row["packing"]["utility"].as_f64()).sum();
        assert!((utility - data["report"]["utility"].as_f64().unwrap()).abs() < 0.01);
    }
}

#[test]
fn what_did_not_fit_keeps_its_reasons() {
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
    2026-03-01, for noor in engineering, o200k_base

    specialist/billing: in, whole
    31 of 31 tokens

    Reasons
      keyword  `refunds` in the request  "refund" 4–11  declared at roles/issue-manager/prompt.md:9
      keyword  `VAT` in the request      "VAT" 17–20    declared at
                                                        roles/issue-manager/contexts/specialists/special
                                                        ist-billing.md:2

    Layers, lowest first
      role  roles/issue-manager/contexts/specialists/specialist-billing.md

    What selects it
      keyword `"VAT"`    roles/issue-manager/contexts/specialists/specialist-billing.md:2
      keyword `invoice`  roles/issue-manager/prompt.md:9
      keyword `refund`   roles/issue-manager/prompt.md:9

    Front matter that decides
      load         keyword  by default
      priority     3        by default
      required     false    by default
      truncatable  true     by default
      max_tokens   none     by default

    Packing
      level         tokens  utility
      detailed          31       64  taken
      summary           45     38.4
      essence           49     19.2
      catalog line      14      6.4
      weight 8 × (11 − priority 3) in section location: utility 64

    ----- stderr -----
    "#);
}

#[test]
fn layers_and_what_was_overridden() {
    let project = pelican().file(
        ".faber/overlays/teams/routing/contexts/references/reference-depots.md",
        "---\npriority: 2\n---\n# Depots\n\nThere are four.\n",
    );
    let arguments = ["reference-depots.md", "--request", "x"];
    assert_cmd_snapshot!(project.faber(&[&HEAD[..], &arguments].concat()), @r#"
    success: true
    exit_code: 0
    ----- stdout -----
    issue-manager on ticketyard (platforms.issue-manager in .faber/config.yml:1)
    2026-03-01, for noor in engineering, o200k_base

    reference/depots: named in the catalog: nothing asks for it
    about 6 tokens, none of them loaded

    Layers, lowest first
      team  .faber/overlays/teams/routing/contexts/references/reference-depots.md  override

    Left out
      contexts/references/reference-depots.md  overridden, by
                                               .faber/overlays/teams/routing/contexts/references/referen
                                               ce-depots.md

    What would select it
      specialist/billing, which is related

    Front matter that decides
      load         on-demand  by default
      priority     2          .faber/overlays/teams/routing/contexts/references/reference-depots.md:2
      required     false      by default
      truncatable  true       by default
      max_tokens   none       by default

    ----- stderr -----
    "#);
}

#[test]
fn what_is_out_says_what_would_bring_it_in() {
    let project = fates();
    let text = project.stdout(&[&HEAD[..], &["standard/old"]].concat());
    assert!(text.contains("standard/old: out: expired, valid_to 2025-12-31"), "{text}");
    assert!(text.contains("contexts/standards/standards-old.md:2"), "{text}");
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
fn a_narrow_terminal_folds_and_colour_paints() {
    let project = fates();
    let text = project.stdout(&[&HEAD[..], &["--color", "always"]].concat());
    assert!(text.contains("\u{1b}[32m▓"), "{text}");
    let text = project.stdout(&HEAD);
    assert!(!text.contains('\u{1b}'), "{text}");
}
