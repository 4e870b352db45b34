//! The check itself.

use super::{Case, bad, good};

const FILE: &str = "contexts/standards/standards-a.md";
const BASELINE: &str = r#"{ "schema": "faber.baseline/1", "findings": [
{ "rule": "stale", "path": "contexts/standards/standards-a.md", "hash": "00", "count": 1 }
] }"#;

pub(super) const CASES: &[Case] = &[
    bad(
        "unused-allow",
        &[(FILE, "# A\n\n<!-- faber: allow dead-anchor: a tool makes it -->\nX.\n")],
        &["contexts/standards/standards-a.md:3:1"],
    ),
    bad(
        "unused-allow",
        &[(FILE, "---\n# faber: allow no-such-rule: why\nowner: a\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:1"],
    ),
    good(
        "unused-allow",
        &[(
            FILE,
            "# A\n\n<!-- faber: allow dead-anchor: a tool makes it -->\nSee [x](#x).\n\n```\n<!-- faber: allow stale: y -->\n```\n",
        )],
    ),
    bad(
        "allow-without-reason",
        &[(FILE, "# A\n\n<!-- faber: allow dead-anchor -->\nSee [x](#x).\n")],
        &["contexts/standards/standards-a.md:3:1"],
    ),
    good(
        "allow-without-reason",
        &[(FILE, "# A\n\n<!-- faber: allow dead-anchor: a tool makes it -->\nSee [x](#x).\n")],
    ),
    bad("stale-baseline", &[("b.json", BASELINE)], &["b.json:2:1"]).with(&["--baseline", "b.json"]),
    good("stale-baseline", &[("b.json", BASELINE)]),
];
