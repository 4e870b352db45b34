//! Selection and budgets.

use super::{Case, bad, good};

const FILE: &str = "contexts/playbooks/playbook-a.md";

pub(super) const CASES: &[Case] = &[
    bad(
        "unreachable-keyword",
        &[(FILE, "---\nkeywords: ['???']\n---\nX.\n")],
        &["contexts/playbooks/playbook-a.md:2:12"],
    ),
    good("unreachable-keyword", &[(FILE, "---\nkeywords: ['c#', '?a']\n---\nX.\n")]),
    bad(
        "glob-invalid",
        &[(FILE, "---\nglobs: ['src/[a-z']\n---\nX.\n")],
        &["contexts/playbooks/playbook-a.md:2:10"],
    ),
    good("glob-invalid", &[(FILE, "---\nglobs: ['src/[a-z]*', '{a,b}/**']\n---\nX.\n")]),
    bad(
        "empty-context",
        &[(FILE, "# A\n\n<!-- to come -->\n\n## B\n")],
        &["contexts/playbooks/playbook-a.md:1:1"],
    ),
    good(
        "empty-context",
        &[
            (FILE, "# A\n\n```\nx\n```\n"),
            (
                ".faber/overlays/organization/contexts/playbooks/playbook-a.md",
                "---\nstrategy: merge\nsections: { A: remove }\n---\n",
            ),
        ],
    ),
];
