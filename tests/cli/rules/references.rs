//! References between files.

use super::{Case, bad, good};

const FILE: &str = "contexts/standards/standards-a.md";
const PROMPT: &str = "roles/r/prompt.md";

pub(super) const CASES: &[Case] = &[
    bad(
        "dangling-reference",
        &[
            (
                PROMPT,
                "# R\n\n| Keywords | Context |\n|---|---|\n| sprint | specialist-sprnt.md |\n\nSee `/tasks/no.md`.\n",
            ),
            ("roles/r/tasks/t.md", "# T\n\n- Load `standards-no.md`\n"),
        ],
        &["roles/r/prompt.md:5:12", "roles/r/prompt.md:7:6", "roles/r/tasks/t.md:3:9"],
    ),
    bad(
        "dangling-reference",
        &[(".faber/config.yml", "custom_contexts: [/contexts/x.md]\n")],
        &[".faber/config.yml:1:19"],
    ),
    good(
        "dangling-reference",
        &[
            (
                PROMPT,
                "# R\n\nSee `/tasks/t.md`, `/contexts/standards/standards-base.md`, src/main and `README.md`.\n\n## More (if present)\n\n- `/contexts/standards/standards-no.md`\n\n```\nLoad `standards-no.md`\n```\n",
            ),
            ("roles/r/tasks/t.md", "# T\n\n- Load `/contexts/standards/*.md` and `/notes.txt`\n"),
        ],
    ),
    // What only one platform has is there for it.
    good(
        "dangling-reference",
        &[
            (PROMPT, "# R\n\n| Keywords | Context |\n|---|---|\n| board | playbook-board.md |\n"),
            ("roles/r/agent.yml", "platforms: [one, two]\ndefault_platform: one\n"),
            (".faber/overlays/platforms/two/contexts/playbooks/playbook-board.md", "X.\n"),
        ],
    ),
    bad(
        "dangling-related",
        &[(FILE, "---\nrelated: [standard/no]\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:11"],
    ),
    good(
        "dangling-related",
        &[(FILE, "---\nrelated: [standard/base, ./standards-base.md]\n---\nX.\n")],
    ),
    bad(
        "path-escape",
        &[(".faber/config.yml", "custom_contexts: [../../x.md]\n")],
        &[".faber/config.yml:1:19"],
    ),
    good("path-escape", &[(FILE, "See `../../../elsewhere.md`.\n")]),
    bad(
        "include-cycle",
        &[(FILE, "<!-- faber: include ./standards-a.md -->\n")],
        &["contexts/standards/standards-a.md:1:21"],
    ),
    good("include-cycle", &[(FILE, "<!-- faber: include ./standards-base.md -->\n")]),
    bad(
        "include-depth",
        &[(FILE, "<!-- faber: include ../partials/p0.md -->\n")],
        &["contexts/partials/p15.md:1:21"],
    )
    .prepared(|mut project| {
        for n in 0..17 {
            let text = format!("<!-- faber: include ./p{}.md -->\n", n + 1);
            project = project.file(&format!("contexts/partials/p{n}.md"), &text);
        }
        project.file("contexts/partials/p17.md", "X.\n")
    }),
    good(
        "include-depth",
        &[(FILE, "<!-- faber: include ../partials/p.md -->\n"), ("contexts/partials/p.md", "X.\n")],
    ),
    bad(
        "dead-anchor",
        &[(FILE, "# A\n\nSee [b](#bb) and [base](./standards-base.md#none).\n\n## B\n\nX.\n")],
        &["contexts/standards/standards-a.md:3:10", "contexts/standards/standards-a.md:3:45"],
    ),
    good(
        "dead-anchor",
        &[(
            FILE,
            "# A\n\n[b](#b-c) [b](<#B c>) [d](#d) [x](https://x.y/#z) [base](standards-base.md#base)\n\n<a id=\"d\"></a>\n\n```\n[b](#bb)\n```\n\n## B c\n\nX.\n",
        )],
    ),
    bad(
        "role-cycle",
        &[
            (PROMPT, "X.\n"),
            ("roles/r/agent.yml", "extends: s\n"),
            ("roles/s/prompt.md", "X.\n"),
            ("roles/s/agent.yml", "extends: r\n"),
        ],
        &["roles/r/agent.yml:1:10"],
    ),
    // The circle is one, however many roles lead into it.
    bad(
        "role-cycle",
        &[
            (PROMPT, "X.\n"),
            ("roles/r/agent.yml", "extends: t\n"),
            ("roles/a/prompt.md", "X.\n"),
            ("roles/a/agent.yml", "extends: t\n"),
            ("roles/s/prompt.md", "X.\n"),
            ("roles/s/agent.yml", "extends: t\n"),
            ("roles/t/prompt.md", "X.\n"),
            ("roles/t/agent.yml", "extends: s\n"),
        ],
        &["roles/s/agent.yml:1:10"],
    ),
    good(
        "role-cycle",
        &[(PROMPT, "X.\n"), ("roles/r/agent.yml", "extends: s\n"), ("roles/s/prompt.md", "X.\n")],
    ),
    bad(
        "extends-cycle",
        &[
            (FILE, "---\nextends: standard/b\n---\nX.\n"),
            ("contexts/standards/standards-b.md", "---\nextends: standard/a\n---\nX.\n"),
        ],
        &["contexts/standards/standards-a.md:2:10"],
    ),
    bad(
        "extends-cycle",
        &[
            (FILE, "---\nextends: standard/c\n---\nX.\n"),
            ("contexts/standards/standards-b.md", "---\nextends: standard/c\n---\nX.\n"),
            ("contexts/standards/standards-c.md", "---\nextends: standard/d\n---\nX.\n"),
            ("contexts/standards/standards-d.md", "---\nextends: standard/b\n---\nX.\n"),
        ],
        &["contexts/standards/standards-b.md:2:10"],
    ),
    good("extends-cycle", &[(FILE, "---\nextends: standard/base\n---\nX.\n")]),
];
