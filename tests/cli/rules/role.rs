//! Roles.

use super::{Case, bad, good};

const PROMPT: (&str, &str) = ("roles/r/prompt.md", "# R\n\nX.\n");
const AGENT: &str = "roles/r/agent.yml";

pub(super) const CASES: &[Case] = &[
    bad(
        "invalid-role-name",
        &[PROMPT, (AGENT, "name: Issue Manager\n")],
        &["roles/r/agent.yml:1:7"],
    ),
    good("invalid-role-name", &[PROMPT, (AGENT, "name: issue-manager-2\n")]),
    bad("missing-readme", &[PROMPT], &["roles/r/prompt.md:1:1"]),
    good("missing-readme", &[PROMPT, ("roles/r/README.md", "# R\n")]),
    bad("role-without-task", &[PROMPT], &["roles/r/prompt.md:1:1"]),
    good("role-without-task", &[PROMPT, ("roles/r/tasks/t.md", "# T\n")]),
    good(
        "role-without-task",
        &[
            PROMPT,
            (AGENT, "extends: s\n"),
            ("roles/s/prompt.md", "X.\n"),
            ("roles/s/tasks/t.md", "# T\n"),
        ],
    ),
    bad("unknown-role-field", &[PROMPT, (AGENT, "platform: [a]\n")], &["roles/r/agent.yml:1:1"]),
    good("unknown-role-field", &[PROMPT, (AGENT, "platforms: [a]\n")]),
    bad("bad-date", &[PROMPT, (AGENT, "updated: 2026-02-30\n")], &["roles/r/agent.yml:1:10"]),
    good("bad-date", &[PROMPT, (AGENT, "updated: 2024-02-29\n")]),
    bad("invalid-agent", &[PROMPT, (AGENT, "- a\n")], &["roles/r/agent.yml:1:1"]),
    good("invalid-agent", &[PROMPT, (AGENT, "# nothing yet\n")]),
    bad(
        "duplicate-role",
        &[PROMPT, (".faber/roles/r/prompt.md", "X.\n")],
        &["roles/r/prompt.md:1:1"],
    ),
    good("duplicate-role", &[PROMPT, (".faber/roles/s/prompt.md", "X.\n")]),
];
