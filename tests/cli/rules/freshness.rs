//! Freshness.

use super::{Case, bad, good};

const FILE: &str = "contexts/standards/standards-a.md";
const OLD: (&str, &str) = (FILE, "---\nupdated: 2025-01-15\n---\nX.\n");
const ENDS: (&str, &str) = (FILE, "---\nvalid_to: 2025-06-30\n---\nX.\n");
const CONFIG: &str = ".faber/config.yml";

pub(super) const CASES: &[Case] = &[
    bad(
        "stale",
        &[OLD, (CONFIG, "validate: { stale_after_days: 364 }\n")],
        &["contexts/standards/standards-a.md:2:10"],
    )
    .with(&["--at", "2026-01-15"]),
    good("stale", &[OLD, (CONFIG, "validate: { stale_after_days: 365 }\n")])
        .with(&["--at", "2026-01-15"]),
    good("stale", &[OLD]),
    bad("future-date", &[OLD], &["contexts/standards/standards-a.md:2:10"])
        .with(&["--at", "2025-01-14"]),
    bad(
        "future-date",
        &[("roles/r/prompt.md", "X.\n"), ("roles/r/agent.yml", "created: 2206-01-15\n")],
        &["roles/r/agent.yml:1:10"],
    ),
    good(
        "future-date",
        &[OLD, ("contexts/standards/standards-b.md", "---\nvalid_from: 2031-01-01\n---\nX.\n")],
    )
    .with(&["--at", "2025-01-15"]),
    bad("expired", &[ENDS], &["contexts/standards/standards-a.md:2:11"])
        .with(&["--at", "2025-07-01"]),
    good("expired", &[ENDS]).with(&["--at", "2025-06-30"]),
    good("expired", &[(FILE, "---\nvalid_to: 2025-06-30\nstatus: deprecated\n---\nX.\n")]),
    good("expired", &[(FILE, "---\nvalid_from: 2025-07-01\nvalid_to: 2025-06-30\n---\nX.\n")]),
    bad(
        "valid-range-empty",
        &[(FILE, "---\nvalid_from: 2025-07-01\nvalid_to: 2025-06-30\n---\nX.\n")],
        &["contexts/standards/standards-a.md:3:11"],
    ),
    // One day is a range.
    good(
        "valid-range-empty",
        &[(FILE, "---\nvalid_from: 2025-06-30\nvalid_to: 2025-06-30\n---\nX.\n")],
    ),
];
