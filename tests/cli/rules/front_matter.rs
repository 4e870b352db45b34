use super::{Case, bad, good};

const FILE: &str = "contexts/standards/standards-a.md";

pub(super) const CASES: &[Case] = &[
    bad(
        "invalid-frontmatter",
        &[(FILE, "---\ndescription: a: b\n---\n# A\n\nX.\n")],
        &["contexts/standards/standards-a.md:2:14"],
    ),
    good("invalid-frontmatter", &[(FILE, "---\ndescription: 'a: b'\n---\n# A\n\nX.\n")]),
    bad(
        "unclosed-frontmatter",
        &[(FILE, "---\nname: a\n\n# A\n\nX.\n")],
        &["contexts/standards/standards-a.md:1:1"],
    ),
    good("unclosed-frontmatter", &[(FILE, "---\n\nA thematic break opened this.\n")]),
    bad(
        "misplaced-frontmatter",
        &[
            (FILE, "\n---\nglobs: [src/**]\n---\n\n# A\n\nX.\n"),
            (
                "roles/r/prompt.md",
                "<!-- Copyright -->\n<!-- X -->\n\n---\ntitle: A\ndescription: B\n---\n# R\n\nX.\n",
            ),
        ],
        &["contexts/standards/standards-a.md:2:1", "roles/r/prompt.md:4:1"],
    ),
    bad(
        "misplaced-frontmatter",
        &[(FILE, "----\ngroups: [board]\n---\n# A\n\nX.\n")],
        &["contexts/standards/standards-a.md:1:1"],
    ),
    bad(
        "misplaced-frontmatter",
        &[(FILE, "tags: [a]\nstrategy: append\n---\n# A\n\nX.\n")],
        &["contexts/standards/standards-a.md:1:1"],
    ),
    good(
        "misplaced-frontmatter",
        &[
            (FILE, "---\nglobs: [src/**]\n---\n\n---\nowner: a\n---\n\nX.\n"),
            (
                "contexts/standards/standards-b.md",
                "<!-- X -->\n\n---\n\nNote: a break above.\n\n---\n\nX.\n",
            ),
            ("contexts/standards/standards-c.md", "# A\n\n---\nowner: a\n---\n"),
            ("contexts/standards/standards-d.md", "Note: x\n---\n\nX.\n"),
            ("contexts/standards/standards-e.md", "title: x\n\n---\n\nX.\n"),
        ],
    ),
    bad(
        "frontmatter-not-a-mapping",
        &[(FILE, "---\n- a\n- b\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:1"],
    ),
    good("frontmatter-not-a-mapping", &[(FILE, "---\n---\nX.\n")]),
    bad(
        "duplicate-key",
        &[(FILE, "---\nowner: a\nowner: b\n---\nX.\n")],
        &["contexts/standards/standards-a.md:3:1"],
    ),
    good("duplicate-key", &[(FILE, "---\nowner: a\nwhen: { role: a }\nx: { role: a }\n---\nX.\n")]),
    bad(
        "unknown-field",
        &[(FILE, "---\nkeyword: [a]\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:1"],
    ),
    bad(
        "unknown-field",
        &[(FILE, "---\ngruops: board\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:1"],
    ),
    // Not a typo of `sections`: its value does not fit.
    bad(
        "unknown-field",
        &[(FILE, "---\nsection: Databases\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:1"],
    ),
    good("unknown-field", &[(FILE, "---\nkeywords: [a]\napplyTo: '*.rs'\n---\nX.\n")]),
    good(
        "unknown-field",
        &[(
            FILE,
            "---\nlicense: MIT\nmetadata: { team: core }\nallowed-tools: Read\nmodel: small\ntools: [Read]\nargument-hint: FILE\n---\nX.\n",
        )],
    ),
    // When a file loads is written differently here.
    bad(
        "unknown-field",
        &[(FILE, "---\ntrigger: always_on\ntool: Read\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:1", "contexts/standards/standards-a.md:3:1"],
    ),
    bad(
        "wrong-field-type",
        &[(FILE, "---\ntags: agile\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:7"],
    ),
    good("wrong-field-type", &[(FILE, "---\ntags: [agile]\nversion: 1.5\n---\nX.\n")]),
    bad(
        "missing-description",
        &[("contexts/playbooks/playbook-a.md", "# A\n\n```sh\nrun\n```\n")],
        &["contexts/playbooks/playbook-a.md:1:1"],
    ),
    good(
        "missing-description",
        &[("contexts/playbooks/playbook-a.md", "# A\n\nRun it.\n"), (FILE, "# A\n\n- x\n")],
    ),
    bad(
        "category-mismatch",
        &[(FILE, "---\ncategory: pattern\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:11"],
    ),
    good("category-mismatch", &[(FILE, "---\ncategory: standards\n---\nX.\n")]),
    bad("missing-category", &[("contexts/a.md", "X.\n")], &["contexts/a.md:1:1"]),
    good("missing-category", &[("contexts/playbook-a.md", "X.\n")]),
    bad(
        "unknown-category",
        &[("contexts/a.md", "---\ncategory: guide\n---\nX.\n")],
        &["contexts/a.md:2:11"],
    ),
    bad(
        "unknown-category",
        &[(FILE, "---\ncategory: guide\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:11"],
    ),
    good("unknown-category", &[("contexts/a.md", "---\ncategory: playbook\n---\nX.\n")]),
    bad(
        "file-prefix",
        &[("contexts/standards/playbook-a.md", "X.\n")],
        &["contexts/standards/playbook-a.md:1:1"],
    ),
    bad(
        "file-prefix",
        &[
            (FILE, "X.\n"),
            ("contexts/standards/standards-b.md", "X.\n"),
            ("contexts/standards/c.md", "X.\n"),
        ],
        &["contexts/standards/c.md:1:1"],
    ),
    good(
        "file-prefix",
        &[("contexts/patterns/a.md", "X.\n"), ("contexts/standards/standard-b.md", "X.\n")],
    ),
    bad(
        "ambiguous-scalar",
        &[(FILE, "---\nversion: 1.10\ntags: [no, 012]\n---\nX.\n")],
        &[
            "contexts/standards/standards-a.md:2:10",
            "contexts/standards/standards-a.md:3:8",
            "contexts/standards/standards-a.md:3:12",
        ],
    ),
    bad(
        "ambiguous-scalar",
        &[("roles/r/prompt.md", "X.\n"), ("roles/r/agent.yml", "org: on\n")],
        &["roles/r/agent.yml:1:6"],
    ),
    good(
        "ambiguous-scalar",
        &[(
            FILE,
            "---\nversion: \"1.10\"\nowner: nobody\nconfidence: 0.90\nrequired: yes\n---\nX.\n",
        )],
    ),
    bad(
        "yaml-anchor",
        &[(FILE, "---\ntags: &t [a]\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:7"],
    ),
    good("yaml-anchor", &[(FILE, "---\nglobs: '*.py'\n---\nX.\n")]),
    bad(
        "frontmatter-limit",
        &[(FILE, "---\na: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:19"],
    ),
    good("frontmatter-limit", &[(FILE, "---\na: [[[[1]]]]\n---\nX.\n")]),
];
