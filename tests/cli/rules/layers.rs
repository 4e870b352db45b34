//! Layers and what they combine to.

use super::{Case, bad, good};

const A: &str = "contexts/standards/standards-a.md";
const TEAM_A: &str = ".faber/overlays/teams/core/contexts/standards/standards-a.md";
const CONFIG: &str = ".faber/config.yml";

pub(super) const CASES: &[Case] = &[
    bad(
        "duplicate-context",
        &[("contexts/standards/standard-base.md", "X.\n")],
        &["contexts/standards/standards-base.md:1:1"],
    ),
    good("duplicate-context", &[("contexts/patterns/pattern-base.md", "X.\n")]),
    bad(
        "strategy-without-base",
        &[(TEAM_A, "---\nstrategy: merge\n---\nX.\n")],
        &[".faber/overlays/teams/core/contexts/standards/standards-a.md:2:11"],
    ),
    good("strategy-without-base", &[(TEAM_A, "---\nstrategy: merge\n---\nX.\n"), (A, "X.\n")]),
    // One role has the base, the other only lacks it.
    good(
        "strategy-without-base",
        &[
            ("roles/r/prompt.md", "X.\n"),
            ("roles/s/prompt.md", "X.\n"),
            ("roles/s/contexts/standards/standards-a.md", "X.\n"),
            (TEAM_A, "---\nstrategy: merge\n---\nX.\n"),
        ],
    ),
    bad(
        "section-without-base",
        &[
            (A, "# A\n\n## One\n\nX.\n"),
            (TEAM_A, "---\nstrategy: merge\nsections: { Onne: override }\n---\n## One\n\nY.\n"),
        ],
        &[".faber/overlays/teams/core/contexts/standards/standards-a.md:3:13"],
    ),
    good(
        "section-without-base",
        &[
            (A, "# A\n\n## One\n\nX.\n"),
            (TEAM_A, "---\nsections: { one: override }\n---\n## One\n\nY.\n"),
        ],
    ),
    bad(
        "superseded-loop",
        &[
            (A, "---\nsuperseded_by: standard/b\n---\nX.\n"),
            ("contexts/standards/standards-b.md", "---\nsuperseded_by: standard/a\n---\nX.\n"),
        ],
        &["contexts/standards/standards-a.md:2:16", "contexts/standards/standards-b.md:2:16"],
    ),
    good("superseded-loop", &[(A, "---\nsuperseded_by: standard/base\n---\nX.\n")]),
    bad("unknown-directory", &[("contexts/standrds/x.md", "X.\n")], &["contexts/standrds:1:1"]),
    good("unknown-directory", &[("contexts/partials/x.md", "X.\n")]),
    bad(
        "config-key-not-allowed",
        &[(
            ".faber/overlays/teams/core/config.yml",
            "settings: { team: core }\nvalidate: { rules: { stale: off } }\n",
        )],
        &[".faber/overlays/teams/core/config.yml:1:1", ".faber/overlays/teams/core/config.yml:2:1"],
    ),
    good(
        "config-key-not-allowed",
        &[(CONFIG, "settings: { team: core }\nvalidate: { rules: { stale: off } }\n")],
    ),
    bad(
        "sealed-overridden",
        &[
            (A, "---\nsealed: true\n---\nX.\n"),
            (TEAM_A, "Y.\n"),
            (".faber/overlays/teams/other/contexts/standards/standards-a.md", "Z.\n"),
        ],
        &[
            ".faber/overlays/teams/core/contexts/standards/standards-a.md:1:1",
            ".faber/overlays/teams/other/contexts/standards/standards-a.md:1:1",
        ],
    ),
    good(
        "sealed-overridden",
        &[(A, "---\nsealed: true\n---\nX.\n"), (TEAM_A, "---\nstrategy: append\n---\nY.\n")],
    ),
    bad(
        "unknown-overlay",
        &[(CONFIG, "settings: { team: croe }\n"), (TEAM_A, "X.\n")],
        &[".faber/config.yml:1:19"],
    ),
    good("unknown-overlay", &[(CONFIG, "settings: { team: core }\n"), (TEAM_A, "X.\n")]),
];
