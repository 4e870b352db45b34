use super::{Case, bad, good};

const FILE: (&str, &str) = ("contexts/standards/standards-a.md", "# A\n\nX.\n");
const EVIDENCE: &str = ".faber/evidence.json";

const SHOWN: &str = r#"{"schema": "faber.evidence/1", "contexts": {
  "standard/a": {"date": "2026-01-15", "text": "81080325d3ee3cbf", "cases": 6, "runs": 12, "with": 0.25, "without": 0.75, "difference": -0.5, "low": -0.75, "high": -0.25, "tokens": 100.0, "gain": -5.0},
  "standard/base": {"date": "2026-01-15", "text": "964acd70475f4f8c", "cases": 6, "runs": 12, "with": 0.75, "without": 0.75, "difference": 0.0, "low": -0.25, "high": 0.25, "tokens": 100.0, "gain": 0.0}}}
"#;
const LITTLE: &str = r#"{"schema": "faber.evidence/1", "contexts": {
  "standard/a": {"date": "2026-01-15", "text": "81080325d3ee3cbf", "cases": 2, "runs": 4, "with": 0.0, "without": 1.0, "difference": -1.0, "low": -1.0, "high": -1.0, "tokens": 100.0, "gain": -10.0}}}
"#;

pub(super) const CASES: &[Case] = &[
    bad(
        "no-evidence",
        &[FILE, (EVIDENCE, SHOWN), ("contexts/standards/standards-b.md", "# B\n\nX.\n")],
        &["contexts/standards/standards-b.md:1:1"],
    ),
    // Overlays count as text.
    bad(
        "no-evidence",
        &[
            FILE,
            (EVIDENCE, SHOWN),
            (
                ".faber/overlays/organization/contexts/standards/standards-a.md",
                "---\nstrategy: append\n---\nMore.\n",
            ),
        ],
        &["contexts/standards/standards-a.md:1:1"],
    ),
    good("no-evidence", &[FILE]),
    bad("harmful", &[FILE, (EVIDENCE, SHOWN)], &["contexts/standards/standards-a.md:1:1"]),
    good("harmful", &[FILE, (EVIDENCE, LITTLE)]),
    good("harmful", &[("contexts/standards/standards-a.md", "# A\n\nY.\n"), (EVIDENCE, SHOWN)]),
    bad(
        "invalid-evidence",
        &[(EVIDENCE, "{\"schema\": \"faber.evidence/9\", \"contexts\": {}}\n")],
        &[".faber/evidence.json:1:1"],
    ),
    good("invalid-evidence", &[(EVIDENCE, LITTLE)]),
];
