use insta_cmd::assert_cmd_snapshot;

use crate::pelican::pelican;
use crate::project::{Run, TestProject};

fn pack(cases: &str) -> TestProject {
    TestProject::with_role()
        .file("contexts/standards/standards-tone.md", "# Tone\n\nBe kind.\n")
        .file(
            "contexts/specialists/specialist-stamps.md",
            "---\nkeywords: [stamp, postage]\nessence: What stamps cost.\n---\n# Stamps\n\nA letter takes one.\n",
        )
        .file("tests/letters.yml", cases)
}

#[track_caller]
fn fails(project: &TestProject, words: &[&str]) -> Run {
    let run = project.run(&["test"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    for words in words {
        assert!(run.stdout.contains(words), "nothing says `{words}`:\n{}", run.stdout);
    }
    run
}

#[test]
fn each_case_has_a_line_and_failures_have_reasons() {
    let project = pack(
        "- name: stamps are known\n  request: How much postage?\n  selected: [stamps, standard/tone]\n\
         \x20 order: [tone, stamps]\n  levels: { stamps: detailed }\n  contains: A letter takes one.\n\
         \x20 max_tokens: 200\n\
         - name: letters need no stamps\n  request: Buy a stamp for the letter\n  selected: tone\n\
         \x20 not_selected: [stamps]\n\
         - name: parcels need stamps\n  request: Send a parcel\n  selected: [stamps]\n",
    );
    assert_cmd_snapshot!(project.faber(&["test"]), @r#"
    success: false
    exit_code: 1
    ----- stdout -----
    ✓ tests/letters.yml: stamps are known

    ✗ tests/letters.yml: letters need no stamps
      tests/letters.yml:11:18: `stamps` is in the bundle
        specialist/stamps: included in full
          Reasons
            keyword  `stamp` in the request  "stamp" 6–11  declared at
                                                           contexts/specialists/specialist-stamps.md:2

    ✗ tests/letters.yml: parcels need stamps
      tests/letters.yml:14:14: `stamps` is not in the bundle
        specialist/stamps: not loaded: no keyword, file or error matched; listed in the catalog
          Loads on
            keyword `stamp`              contexts/specialists/specialist-stamps.md:2
            keyword `postage`            contexts/specialists/specialist-stamps.md:2
            a request that resembles it

    1 passed, 2 failed

    ----- stderr -----
    "#);
}

#[test]
fn every_expectation_can_fail() {
    let project = pack(
        "- name: all\n  request: stamp\n  catalogued: [stamps]\n  levels: { stamps: essence }\n\
         \x20 order: [stamps, tone]\n  max_tokens: 10\n  contains: [Be rude.]\n  not_contains: Be kind.\n\
         \x20 fails: budget\n",
    );
    fails(&project, &["1 error in test files"]);
    let project = pack(
        "- name: all\n  request: stamp\n  catalogued: [stamps]\n  levels: { stamps: essence }\n\
         \x20 order: [stamps, tone]\n  max_tokens: 10\n  contains: [Be rude.]\n  not_contains: Be kind.\n\
         - { name: sound, fails: 3 }\n- { name: other, fails: budget, role: clerc }\n\
         - { name: none, with: nobody }\n",
    );
    let run = fails(
        &project,
        &[
            "letters.yml:3:16: `stamps` is not in the catalog",
            "letters.yml:4:13: `stamps` is detailed, not essence",
            "letters.yml:5:19: `tone` comes before `stamps`",
            "help: the bundle has standard/tone, specialist/stamps",
            "letters.yml:6:15: the bundle has ",
            "tokens; the maximum is 10",
            "letters.yml:7:14: the bundle does not contain `Be rude.`",
            "letters.yml:8:17: the bundle contains `Be kind.` in line ",
            "contexts/standards/standards-tone.md:3  │ Be kind.",
            "letters.yml:9:25: expected to fail with `3`, but it was assembled",
            "letters.yml:10:25: failed, but not with `budget`: unknown role `clerc`",
            "help: did you mean `clerk`?",
            "letters.yml:11:11: cannot be assembled: unknown context `nobody`",
            "\n4 failed\n",
        ],
    );
    assert_eq!(run.stdout.matches("included in full").count(), 1, "{}", run.stdout);
}

#[test]
fn failing_can_be_what_is_expected() {
    let project = pack(
        "- { name: a, fails: budget, budget: 5 }\n- { name: b, fails: 3, budget: 5 }\n\
         - { name: c, fails: unknown, role: nobody }\n- { name: d, fails: 2, with: nobody }\n\
         - { name: e, fails: usage, without: tone }\n",
    )
    .file("contexts/standards/standards-tone.md", "---\nrequired: true\n---\n# Tone\n");
    assert!(project.stdout(&["test"]).ends_with("\n5 passed\n"));
    let project = pack("- { name: a, fails: findings }\n- { name: b }\n")
        .file(".faber/config.yml", "budget: { total: -1 }\n");
    let words = ["error[invalid-config] `budget.total` takes", "1 passed, 1 failed"];
    fails(&project, &words);
}

#[test]
fn unknown_names_are_errors_in_not_selected_too() {
    let project = pack(
        "- { name: a, not_selected: [stmps, salaries, platform/tram, specialist/salaries] }\n",
    )
    .file("roles/cashier/prompt.md", "# Cashier\n")
    .file("roles/cashier/contexts/references/reference-salaries.md", "# Salaries\n")
    .file(".faber/overlays/platforms/tram/contexts/platform-tram.md", "# Tram\n")
    .file(".faber/config.yml", "settings: { role: clerk }\n");
    let run = fails(&project, &["unknown context `stmps`", "did you mean `stamps`?"]);
    assert!(run.stdout.contains("unknown context `specialist/salaries`"), "{}", run.stdout);
    assert!(!run.stdout.contains("`salaries`") && !run.stdout.contains("tram"), "{}", run.stdout);
    let project = project.file("tests/letters.yml", "- { name: a, selected: salaries }\n");
    fails(&project, &["`salaries` is not among the contexts of this case"]);
}

#[test]
fn bare_names_must_mean_one_context() {
    let project =
        pack("- { name: a, selected: [tone] }\n- { name: b, selected: standards-tone.md }\n")
            .file("contexts/references/reference-tone.md", "# Tone\n");
    let words = ["several contexts are called `tone`", "write `standard/tone` or `reference/tone`"];
    let run = fails(&project, &words);
    assert!(run.stdout.contains("✓ tests/letters.yml: b"), "{}", run.stdout);
}

#[test]
fn overlays_and_excluded_contexts_have_names_too() {
    let project = pack(
        "- { name: a, selected: [standard/mild, mild], order: [standard/mild, lone] }\n\
         - { name: b, selected: [old], not_selected: standard/old }\n\
         - { name: c, order: [tone, mild] }\n",
    )
    .file("contexts/standards/standards-lone.md", "# Lone\n")
    .file("contexts/standards/standards-old.md", "---\nstatus: deprecated\n---\n# Old\n")
    .file(
        ".faber/overlays/organization/contexts/standards/standards-mild.md",
        "---\nextends: standards-tone.md\n---\n# Tone\n\nBe mild.\n",
    );
    let words = [
        "letters.yml:2:25: `old` is not in the bundle",
        "standard/old: left out: status deprecated",
        "`tone` and `mild` are the same context",
    ];
    let run = fails(&project, &words);
    assert!(run.stdout.contains("`lone` comes before `standard/mild`"), "{}", run.stdout);
    assert_eq!(run.stdout.matches("tests/letters.yml:").count(), 6, "{}", run.stdout);
}

#[test]
fn a_case_does_not_depend_on_the_user() {
    let secret = "---\nvisibility: private\nowner: rafa\n---\n# Secret\n";
    let cases = "- { name: nobody, not_selected: [secret, mine] }\n\
                 - { name: rafa, as: 'rafa:post', selected: [secret, mine, grouped] }\n";
    let project = pack(cases)
        .file("contexts/standards/standards-secret.md", secret)
        .file("contexts/standards/standards-grouped.md", "---\ngroups: [post]\n---\n# Grouped\n")
        .file(".faber/overlays/users/rafa/contexts/standards/standards-mine.md", "# Mine\n")
        .env("FABER_ACCESS_USER", "rafa")
        .env("FABER_ROLE", "nobody")
        .env("CI", "true");
    assert!(project.stdout(&["test"]).ends_with("\n2 passed\n"));
}

#[test]
fn the_view_is_that_of_the_case() {
    let project = pelican()
        .file("contexts/standards/standards-old.md", "---\nvalid_to: 2025-12-31\n---\n# Old\n")
        .file(
            "tests/views.yml",
            "defaults: { role: issue-manager, date: 2026-03-01, not_selected: old }\n\
             cases:\n\
             - { name: now }\n\
             - { name: then, date: 2025-12-31, selected: [standard/old], not_selected: [] }\n\
             - { name: elsewhere, platform: github, selected: platform/github }\n\
             - { name: at home, not_selected: platform/github, selected: platform/ticketyard }\n\
             - { name: a failure, error: RateLimitError, selected: troubleshooting/rate-limits }\n\
             - { name: a task, task: triage, selected: playbook/triage, contains: Sort the inbox. }\n\
             - { name: a flow, flow: week, contains: 2. Plan }\n\
             - { name: a file, files: ./db/a.sql, selected: pattern/migrations }\n\
             - { name: a folder, files: tests, selected: pattern/tests }\n\
             - { name: nothing, selected: [] }\n",
        );
    let turns = "turns: [{ prompt: x, files: a.md, not_selected: pattern/tests }]";
    let project = project
        .file("tests/turn.yml", &format!("- {{ name: t, role: issue-manager, {turns} }}\n"))
        .file("contexts/patterns/pattern-tests.md", "---\nglobs: tests/**\n---\n# Tests\n");
    let run = project.run(&["test", "-C", "tests"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    run.said(&["`selected` is empty, so it checks nothing"]);
    assert!(run.stdout.ends_with("\n10 passed, 1 error in test files\n"), "{}", run.stdout);
}

#[test]
fn cases_without_a_date_are_judged_by_that_of_the_run() {
    let project = pack("- { name: a, selected: old }\n")
        .file("contexts/standards/standards-old.md", "---\nvalid_to: 2025-12-31\n---\n# Old\n");
    project.stdout(&["test", "--at", "2025-12-31"]);
    let run = project.run(&["test", "--at", "2026-01-01"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("expired"), "{}", run.stdout);
}

#[test]
fn the_role_is_that_of_the_folder() {
    let project = pack("- { name: a, role: cashier, contains: '# Cashier' }\n")
        .file("roles/cashier/prompt.md", "# Cashier\n")
        .file("roles/cashier/tests/till.yaml", "- { name: b, contains: '# Cashier' }\n")
        .file(".faber/roles/driver/prompt.md", "# Driver\n")
        .file(".faber/roles/driver/tests/road.yml", "- { name: c, contains: '# Driver' }\n");
    assert_eq!(
        project.stdout(&["test"]),
        "✓ tests/letters.yml: a\n✓ roles/cashier/tests/till.yaml: b\n\
         ✓ .faber/roles/driver/tests/road.yml: c\n\n3 passed\n"
    );
}

#[test]
fn a_misspelled_key_is_an_error_and_other_cases_run() {
    let project = pack("- name: a\n  selectd: [tone]\n- name: b\n  selected: [tone]\n")
        .file("tests/broken.yml", "- name: [\n")
        .file("tests/compose.yml", "services: { db: {} }\n")
        .bytes("tests/bytes.yml", b"- name: \xff\n")
        .file("tests/.hidden.yml", "x")
        .file("tests/deeper/more.yml", "x")
        .dir("tests/folder.yml");
    let run = fails(&project, &["✓ tests/letters.yml: b\n\n1 passed, 3 errors in test files\n"]);
    run.said(&[
        "unknown key `selectd`",
        "[tests/letters.yml:2:3]",
        "did you mean `selected`?",
        "the cases cannot be read",
        "not UTF-8",
        "this file has no `cases`",
    ]);
    let quiet = project.run(&["-q", "test"]);
    quiet.said(&["unknown key `selectd`"]);
    assert!(!quiet.stderr.contains("compose.yml"), "{}", quiet.stderr);
}

#[test]
fn nothing_to_run_is_no_success() {
    let project = TestProject::with_role();
    project.run(&["test"]).refused(2, &["no tests found", "tests/NAME.yml"]);
    let project = pack("- { name: a }\n");
    project.run(&["test", "zebra"]).refused(2, &["no test file or name contains `zebra`"]);
    TestProject::empty().run(&["test"]).refused(2, &["no faber workspace"]);
    let run = pack("- { nam: a }\n").run(&["test"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "1 error in test files\n"));
}

#[test]
fn words_choose_among_the_cases() {
    let project = pack("- { name: The first }\n- { name: The second }\n- { name: The third }\n")
        .file("tests/parcels.yml", "- { name: Another }\n");
    assert_eq!(
        project.stdout(&["test", "FIRST", "parcels"]),
        "✓ tests/letters.yml: The first\n✓ tests/parcels.yml: Another\n\n2 passed\n"
    );
}

#[test]
fn the_first_failure_can_be_the_last() {
    let project = pack("- { name: a }\n- { name: b, fails: 2 }\n- { name: c, fails: 2 }\n");
    let run = project.run(&["test", "--fail-fast"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("- tests/letters.yml: c (not run)\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("1 passed, 1 failed, 1 not run\n"), "{}", run.stdout);
}

#[test]
fn snapshots_are_written_on_request_only() {
    let cases = "- { name: 'A stamp, please!', request: stamp, snapshot: true }\n\
                 - { name: b, snapshot: plain }\n- { name: c, snapshot: c, not_selected: tone }\n";
    let project = pack(cases);
    let path = "tests/snapshots/letters/a-stamp-please.md";
    fails(&project, &["snapshot `tests/snapshots/letters/a-stamp-please.md` does not exist yet"]);
    assert!(!project.path("tests/snapshots").exists());
    let update = project.run(&["test", "--update"]);
    assert!(update.stdout.contains("A stamp, please! (snapshot written)\n"), "{}", update.stdout);
    assert!(update.stdout.ends_with("2 passed, 1 failed, 2 snapshots written\n"));
    assert!(project.path("tests/snapshots/letters/plain.md").exists());
    assert!(!project.path("tests/snapshots/letters/c.md").exists());
    let bundle = project.stdout(&["assemble", "--request", "stamp"]);
    assert_eq!(project.text(path), bundle);

    let project = project.file(path, &bundle.replace("Be kind.", "Be rude.").replace('\n', "\r\n"));
    fails(&project, &["the bundle differs from `tests/snapshots", "-Be rude.", "+Be kind."]);
    let project = project.file(path, &bundle.replace('\n', "\r\n"));
    let again = project.run(&["test", "--update"]);
    assert!(again.stdout.ends_with("2 passed, 1 failed\n"), "{}", again.stdout);
}

#[test]
fn two_cases_never_share_a_snapshot() {
    let project = pack("- { name: a b, snapshot: true }\n- { name: A-B, snapshot: true }\n").file(
        "tests/names.yml",
        "- { name: '?!', snapshot: true }\n- { name: x, snapshot: ../x }\n",
    );
    let run = project.run(&["test", "--update"]);
    run.said(&[
        "two cases have the snapshot `tests/snapshots/letters/a-b.md`",
        "the case's name cannot be a file name",
        "invalid file name `../x`",
    ]);
    assert!(run.stdout.ends_with("1 passed, 3 errors in test files, 1 snapshot written\n"));
}

#[cfg(unix)]
#[test]
fn no_snapshot_is_written_through_a_link_out_of_the_workspace() {
    let project = pack("- { name: a, snapshot: true }\n");
    let outside = tempfile::tempdir().unwrap();
    let project = project.symlink("tests/snapshots", outside.path().to_str().unwrap());
    project.run(&["test", "--update"]).refused(2, &["leads out of the workspace"]);
    assert_eq!(outside.path().read_dir().unwrap().count(), 0);
}

#[test]
fn tests_are_no_contexts() {
    let project = pack("- { name: a, snapshot: true, selected: tone }\n")
        .file("roles/clerk/tests/b.yml", "- { name: b, selected: tone }\n");
    project.stdout(&["test", "--update"]);
    let listed = project.json(&["list", "contexts", "--format", "json"]);
    assert_eq!(listed["contexts"].as_array().unwrap().len(), 2);
    let run = project.run(&["-v", "assemble", "--strict"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn outcomes_as_data() {
    let project =
        pack("- { name: a, selected: [tone, stamps] }\n- { name: b, selectd: x }\n- { name: c }\n");
    let run = project.run(&["test", "--format", "json"]);
    assert_eq!(run.code, 1);
    let data: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    crate::formats::conforms(&project, "test", &data);
    assert_eq!(data["schema"], "faber.test/1");
    let failure = &data["tests"][0]["failures"][0];
    assert_eq!((&failure["line"], &failure["column"]), (&1.into(), &31.into()));
    assert_eq!(failure["expectation"], "selected");
    assert_eq!(failure["explanation"]["id"], "specialist/stamps");
    assert_eq!(failure["explanation"]["selectors"]["keywords"][0]["term"], "stamp");
    assert_eq!(data["tests"][1]["status"], "passed");
    assert_eq!(data["findings"][0]["rule"], "unknown-test-key");
    assert_eq!(data["summary"]["errors"], 1);
}

#[test]
fn outcomes_as_junit() {
    let project = pack(
        "- { name: 'a & <b>', selected: [stamps] }\n- { name: c, selectd: x }\n- { name: d }\n",
    );
    assert_cmd_snapshot!(project.faber(&["-q", "test", "--format", "junit"]), @r#"
    success: false
    exit_code: 1
    ----- stdout -----
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="faber test" tests="3" failures="1" errors="1" skipped="0">
      <testsuite name="tests/letters.yml" tests="3" failures="1" errors="1" skipped="0">
        <testcase classname="tests/letters.yml" name="a &amp; &lt;b&gt;" file="tests/letters.yml" line="1">
          <failure type="selected" message="`stamps` is not in the bundle">selected: `stamps` is not in the bundle
    specialist/stamps: not loaded: no keyword, file or error matched; listed in the catalog
      Loads on
        keyword `stamp`    contexts/specialists/specialist-stamps.md:2
        keyword `postage`  contexts/specialists/specialist-stamps.md:2
    </failure>
        </testcase>
        <testcase classname="tests/letters.yml" name="unknown-test-key: unknown key `selectd` in a case" file="tests/letters.yml" line="2">
          <error type="unknown-test-key" message="unknown key `selectd` in a case">did you mean `selected`?</error>
        </testcase>
        <testcase classname="tests/letters.yml" name="d" file="tests/letters.yml" line="3"/>
      </testsuite>
    </testsuites>

    ----- stderr -----
    unknown-test-key

      × unknown key `selectd` in a case
       ╭─[tests/letters.yml:2:14]
     1 │ - { name: 'a & <b>', selected: [stamps] }
     2 │ - { name: c, selectd: x }
       ·              ───────
     3 │ - { name: d }
       ╰────
      help: did you mean `selected`?
    "#);
}

#[test]
fn a_hostile_case_is_shown_harmlessly() {
    let project = pack("- name: \"a\\e[31mb\"\n  contains: \"\\e]0;x\\a\"\n");
    let run = fails(&project, &["a\\u{1b}[31mb"]);
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
}

#[test]
fn the_same_outcome_at_any_number_of_threads() {
    let case = |n| format!("{{ name: {n}, request: stamp, catalogued: [stamps, none{n}] }}");
    let cases = "- ".to_owned() + &(0..40).map(case).collect::<Vec<_>>().join("\n- ");
    let project = pack(&cases);
    let run = |threads: &str| {
        let output = project.faber(&["test"]).env("RAYON_NUM_THREADS", threads).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let one = run("1");
    assert!(one.ends_with("\n40 failed\n"), "{one}");
    assert_eq!(one, run("8"));
}

#[test]
fn the_workspaces_of_init_pass_their_tests() {
    for template in ["default", "minimal"] {
        let project = TestProject::empty();
        project.stdout(&["init", "--template", template]);
        let run = project.run(&["test"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    }
}

fn long_pack(cases: &str) -> TestProject {
    let text = "A letter takes one stamp, and a parcel takes three.\n\n".repeat(80);
    pack(cases).file(
        "contexts/specialists/specialist-parcels.md",
        &format!("---\nkeywords: [parcel]\nsummary: Three stamps.\n---\n# Parcels\n\n{text}"),
    )
}

#[test]
fn contexts_must_be_whole_within_a_budget() {
    let project = long_pack(
        "- { name: a, request: Send a parcel, full: [parcels, tone], within: 4k }\n\
         - { name: b, request: Send a parcel, full: [parcels, stmps], within: 400 }\n\
         - { name: c, request: Send a parcel, selected: parcels, budget: 400 }\n\
         - { name: d, request: Hello, full: parcels, within: 90%, model: gpt-4o }\n\
         - { name: e, within: 5 }\n",
    );
    fails(
        &project,
        &[
            "letters.yml:2:45: `parcels` is not in full: level summary, 43 of 982 tokens",
            "letters.yml:2:54: unknown context `stmps`",
            "did you mean `stamps`?",
            "letters.yml:4:36: `parcels` is not in the bundle",
            "letters.yml:5:22: the budget of 5 tokens is too small",
            "\n2 passed, 3 failed\n",
        ],
    );
}

#[test]
fn a_case_has_one_budget() {
    let project = pack(
        "defaults: { budget: 5 }\ncases:\n- { name: a, within: 4k, selected: tone }\n\
         - { name: b, budget: 60%, model: gpt-4o, selected: tone }\n\
         - { name: c, within: 400, budget: 400 }\n- { name: d, within: 5 k }\n\
         - { name: e, within: 5, fails: budget }\n- { name: f, budget: 0 }\n",
    );
    let run = fails(&project, &["\n2 passed, 4 errors in test files\n"]);
    run.said(&[
        "`budget` and `within` cannot be used together",
        "`within` takes tokens (`8000` or `32k`) or a share",
        "a case with `fails`",
        "`budget` takes tokens",
    ]);
}

#[test]
fn relevance_is_a_number_or_an_order() {
    let project = long_pack(
        "- { name: a, request: Send a parcel, relevance: { parcels: 0.1 } }\n\
         - { name: b, request: Send a parcel, relevance: [parcels, tone] }\n\
         - { name: c, request: Send a parcel, relevance: { tone: 0.9, nobody: 0.1 } }\n\
         - { name: d, request: Send a parcel, relevance: [tone, parcels] }\n\
         - { name: e, relevance: [tone, standard/tone] }\n",
    );
    fails(
        &project,
        &[
            "letters.yml:3:51: `tone` has relevance 0",
            ", less than 0.9",
            "letters.yml:3:62: unknown context `nobody`",
            "letters.yml:4:56: `tone` has relevance 0",
            ", not more than `parcels` with 0.",
            "letters.yml:5:32: `tone` and `standard/tone` are the same context",
            "\n2 passed, 3 failed\n",
        ],
    );
    let project = pack(
        "- { name: a, relevance: 1 }\n- { name: b, relevance: { tone: 2 } }\n\
         - { name: c, relevance: { tone: 0 } }\n- { name: d, relevance: [tone] }\n",
    );
    fails(&project, &["4 errors in test files\n"]).said(&[
        "`relevance` takes a list of contexts, or a map of them to numbers",
        "`tone` takes a number from 0 to 1",
        "every context has a relevance of at least 0",
        "name two contexts or more, or write `relevance: { ID: 0.5 }`",
    ]);
}

fn call(day: u32, arguments: &serde_json::Value, results: &[&str]) -> String {
    let line = serde_json::json!({
        "schema": "faber.audit/1", "time": format!("2026-01-{day:02}T10:00:00.000Z"),
        "session": "s", "tool": "assemble_prompt", "arguments": arguments, "results": results,
        "tokens": 100, "milliseconds": 20.0, "outcome": "ok",
    });
    format!("{line}\n")
}

#[test]
fn cases_are_suggested_from_the_log_of_calls() {
    let stamps = &["standard/tone", "specialist/stamps", "specialist/gone"][..];
    let key = ["AKIA", "Q3EGR7WXAZ5KPLMN"].concat();
    let ask = |request: &str| serde_json::json!({ "request": request });
    let log = [
        call(1, &ask("A stamp: which?"), stamps),
        call(2, &ask("How much postage?"), stamps),
        call(3, &ask(" How much postage?\n"), stamps),
        call(3, &ask("Buy a stamp with *** and a card"), stamps),
        call(3, &ask(&format!("Buy a stamp with {key}")), stamps),
        call(3, &ask("Buy a stamp that is too long…"), stamps),
        call(3, &ask("Hello"), stamps),
        call(3, &ask("No stamp was selected then"), &["standard/tone"]),
        call(4, &serde_json::json!({ "error": "no postage\nat x", "budget": 900 }), stamps),
        call(4, &ask("A stamp:\twhich?"), stamps),
        call(4, &serde_json::json!("70000 bytes …"), stamps),
    ];
    let project = pack("").file(".faber/state/audit.jsonl", &log.concat());
    let files = || {
        let mut files = project.files();
        files.retain(|(path, _)| path != ".faber/state/audit.lock");
        files
    };
    let before = files();
    let suggested = project.stdout(&["test", "--suggest"]);
    assert!(files() == before, "something is written");
    insta::assert_snapshot!(suggested, @r#"
    # 2 calls
    - name: "How much postage?"
      request: "How much postage?"
      selected: [specialist/stamps]
    # 1 call
    - name: no postage at x
      error: "no postage\nat x"
      budget: 900
      selected: [specialist/stamps]
    # 1 call
    - name: "A stamp: which?"
      request: "A stamp:\twhich?"
      selected: [specialist/stamps]
    # 1 call
    - name: "A stamp: which? (2)"
      request: "A stamp: which?"
      selected: [specialist/stamps]
    "#);
    let later = project.stdout(&["test", "--suggest", "--since", "2026-01-04"]);
    assert_eq!(later.matches("- name:").count(), 2, "{later}");
    let project = project.file("tests/letters.yml", &suggested);
    assert!(project.stdout(&["test"]).ends_with("\n4 passed\n"));
}

#[test]
fn without_calls_no_cases_are_suggested() {
    let project = pack("");
    let run = project.run(&["test", "--suggest"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.ends_with("`faber serve` writes them\n"), "{}", run.stderr);
    let run = project.run(&["test", "--suggest", "--since", "2026-01-04"]);
    assert_eq!(
        run.stderr,
        "no calls of `assemble_prompt` in the audit log since 2026-01-04T00:00:00.000Z\n"
    );
    let log = call(1, &serde_json::json!({ "request": "Hello" }), &["specialist/stamps"]);
    let run = project.file(".faber/state/audit.jsonl", &log).run(&["test", "--suggest"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    run.said(&["none of the 1 calls of `assemble_prompt` in the audit log has a complete request"]);
    TestProject::empty().run(&["test", "--suggest"]).refused(2, &["no faber workspace"]);
    let project = pack("");
    project.run(&["test", "--suggest", "--update"]).refused(2, &["--update"]);
    project.run(&["test", "--since", "7d"]).refused(2, &["--suggest"]);
    project.run(&["watch", "test", "--suggest"]).refused(2, &["nothing to watch"]);
}
