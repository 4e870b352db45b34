use super::{Case, bad, good};

const PROMPT: (&str, &str) = ("roles/r/prompt.md", "# R\n\nX.\n");
const AGENT: &str = "roles/r/agent.yml";

pub(super) const CASES: &[Case] = &[
    bad(
        "invalid-role-name",
        &[PROMPT, (AGENT, "name: Issue Manager\n")],
        &["roles/r/agent.yml:1:7"],
    ),
    bad("invalid-role-name", &[PROMPT, (AGENT, "description: R\n")], &["roles/r/agent.yml:1:1"]),
    bad("invalid-role-name", &[PROMPT, (AGENT, "name: s\n")], &["roles/r/agent.yml:1:7"]),
    bad(
        "invalid-role-name",
        &[("roles/Bad_Name/prompt.md", "X.\n")],
        &["roles/Bad_Name/prompt.md:1:1"],
    ),
    good(
        "invalid-role-name",
        &[
            ("roles/issue-manager-2/prompt.md", "X.\n"),
            ("roles/issue-manager-2/agent.yml", "name: issue-manager-2\n"),
        ],
    ),
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
    bad("invalid-agent", &[PROMPT, (AGENT, "description: a: b\n")], &["roles/r/agent.yml:1:14"]),
    good("invalid-frontmatter", &[PROMPT, (AGENT, "description: a: b\n")]),
    good("invalid-agent", &[PROMPT, (AGENT, "# nothing yet\n")]),
    bad("invalid-agent", &[PROMPT, (AGENT, "name: [\n")], &["roles/r/agent.yml:1:7"]),
    good("invalid-role-name", &[PROMPT, (AGENT, "name: [\n")]),
    good("wrong-field-type", &[PROMPT, (AGENT, "name: [\n")]),
    bad(
        "duplicate-role",
        &[PROMPT, (".faber/roles/r/prompt.md", "X.\n")],
        &["roles/r/prompt.md:1:1"],
    ),
    good("duplicate-role", &[PROMPT, (".faber/roles/s/prompt.md", "X.\n")]),
    bad(
        "empty-prompt",
        &[("roles/r/prompt.md", "---\nkeywords: {}\n---\n# R\n\n<!-- later -->\n")],
        &["roles/r/prompt.md:1:1"],
    ),
    good("empty-prompt", &[("roles/r/prompt.md", "# R\n\n- X\n")]),
    good(
        "empty-prompt",
        &[
            ("roles/r/prompt.md", "<!-- faber: include ./partials/p.md -->\n"),
            ("roles/r/partials/p.md", "X.\n"),
        ],
    ),
    bad(
        "default-platform-not-declared",
        &[PROMPT, (AGENT, "platforms: [linear]\ndefault_platform: linaer\n")],
        &["roles/r/agent.yml:2:19"],
    ),
    bad(
        "default-platform-not-declared",
        &[PROMPT, (AGENT, "default_platform: linear\n")],
        &["roles/r/agent.yml:1:19"],
    ),
    good(
        "default-platform-not-declared",
        &[PROMPT, (AGENT, "platforms: [github, linear]\ndefault_platform: linear\n")],
    ),
    bad(
        "flow-task-missing",
        &[
            PROMPT,
            ("roles/r/tasks/review.md", "# T\n"),
            (
                "roles/r/flows/f.md",
                "# F\n\n- **Task**: `/tasks/reveiw.md`\n- **Task**: `plan-work`\n* **Task:** `../tasks/gone.md`\n- **Task**: reveiw\n",
            ),
        ],
        &[
            "roles/r/flows/f.md:3:14",
            "roles/r/flows/f.md:4:14",
            "roles/r/flows/f.md:5:14",
            "roles/r/flows/f.md:6:13",
        ],
    ),
    good(
        "flow-task-missing",
        &[
            PROMPT,
            ("roles/r/tasks/review.md", "# T\n"),
            ("tasks/plan-work.md", "# T\n"),
            (
                "roles/r/flows/f.md",
                "# F\n\n- **Task**: N/A\n- **Task**: `/tasks/review.md`\n- **Task**: `review`, `plan-work`\n- **Task**: `plan-work`\n- **Task**: `make`\n- **Task**: review\n- **Task**: None\n- Task: re-run\n- **Task**: review twice\n- Tasks: `cargo-x`\n\n```\n- **Task**: `no-such`\n```\n",
            ),
        ],
    ),
    good(
        "dangling-reference",
        &[PROMPT, ("roles/r/flows/f.md", "- **Task**: `/tasks/reveiw.md`\n")],
    ),
];
