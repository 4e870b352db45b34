use super::{Case, bad, good};

const FILE: &str = "tests/a.yml";
const TEST: &[&str] = &["test"];
const OTHER: (&str, &str) =
    ("tests/b.yml", "- name: A\n  request: x\n  selected: [standard/base]\n");
const GOOD: (&str, &str) =
    (FILE, "cases:\n  - name: A\n    request: x\n    selected: [standard/base]\n");

pub(super) const CASES: &[Case] = &[
    bad("invalid-test", &[(FILE, "cases: all\n")], &["tests/a.yml:1:8"]).by(TEST),
    bad(
        "invalid-test",
        &[(FILE, "- request: x\n- name: A\n  budget: 1\n  within: 2\n- name: B\n  as: ':'\n- a\n")],
        &["tests/a.yml:1:3", "tests/a.yml:4:3", "tests/a.yml:6:7", "tests/a.yml:7:3"],
    )
    .by(TEST),
    good("invalid-test", &[GOOD]).by(TEST),
    bad(
        "unknown-test-key",
        &[(FILE, "case: 1\ncases:\n  - name: A\n    slected: [x]\n")],
        &["tests/a.yml:1:1", "tests/a.yml:4:5"],
    )
    .by(TEST),
    good("unknown-test-key", &[GOOD]).by(TEST),
    bad(
        "duplicate-test",
        &[(FILE, "- name: A\n  request: x\n- name: A\n  request: y\n")],
        &["tests/a.yml:3:9"],
    )
    .by(TEST),
    good("duplicate-test", &[(FILE, "- name: A\n  request: x\n- name: B\n  request: x\n")])
        .by(TEST),
    bad("not-a-test", &[(FILE, "version: 2\n"), OTHER], &["tests/a.yml:1:1"]).by(TEST),
    good("not-a-test", &[(FILE, ""), OTHER]).by(TEST),
];
