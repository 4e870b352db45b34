use super::{Case, bad, good};

const FILE: &str = "contexts/playbooks/playbook-a.md";
const OTHER: &str = "contexts/playbooks/playbook-b.md";
const PROMPT: (&str, &str) = ("roles/r/prompt.md", "# R\n\nX.\n");
/// 8 000 tokens for a bundle, 1 000 for `location`.
const SMALL: (&str, &str) = (".faber/config.yml", "budget: { total: 10k }\n");

pub(super) const CASES: &[Case] = &[
    bad(
        "unread-rule",
        &[
            ("roles/r/prompt.md", "# R\n\nX.\n\n- Before a launch, load `playbook-a.md`\n"),
            (FILE, "---\nkeywords: [disk / volume]\n---\nX.\n"),
        ],
        &["contexts/playbooks/playbook-a.md:2:12", "roles/r/prompt.md:5:26"],
    ),
    good(
        "unread-rule",
        &[
            (
                "roles/r/prompt.md",
                "# R\n\nWhen `playbook-a.md` was written, the load was high.\n\n- Never load `playbook-a.md`\n\n\
                For details see CHANGELOG.md.\n\n\
                | File | Description |\n|---|---|\n| playbook-a.md | What we did in the year of the flood |\n",
            ),
            (FILE, "---\nkeywords: [ci/cd]\n---\nX.\n"),
        ],
    ),
    bad(
        "load-without-effect",
        &[
            (
                "roles/r/prompt.md",
                "# R\n\nX.\n\n- Load `playbook-a.md`\n- \"b\" → Load `playbook-b.md`\n",
            ),
            (FILE, "---\nload: never\n---\nX.\n"),
            (OTHER, "---\nstatus: draft\n---\nX.\n"),
        ],
        &["roles/r/prompt.md:5:9", "roles/r/prompt.md:6:15"],
    ),
    good(
        "load-without-effect",
        &[
            (
                "roles/r/prompt.md",
                "# R\n\nX.\n\n- Load `playbook-a.md`\n- Load all: `/contexts/playbooks/*.md`\n",
            ),
            (FILE, "X.\n"),
            (OTHER, "---\nload: never\n---\nX.\n"),
        ],
    ),
    bad(
        "unreachable-keyword",
        &[(FILE, "---\nkeywords: ['???']\n---\nX.\n")],
        &["contexts/playbooks/playbook-a.md:2:12"],
    ),
    good("unreachable-keyword", &[(FILE, "---\nkeywords: ['c#', '?a']\n---\nX.\n")]),
    bad(
        "unreachable-keyword",
        &[
            (FILE, "---\nkeywords: [audit, audits, Audit]\nerrors: [audit]\n---\nX.\n"),
            (
                "roles/r/prompt.md",
                "# R\n\n| Keywords | Context |\n|---|---|\n| audited, late | playbook-a.md |\n| auditing | playbook-a.md |\n",
            ),
        ],
        &[
            "contexts/playbooks/playbook-a.md:2:19",
            "contexts/playbooks/playbook-a.md:2:27",
            "roles/r/prompt.md:6:3",
        ],
    ),
    good(
        "unreachable-keyword",
        &[
            (
                FILE,
                "---\nkeywords: [deploy, deploy pipeline, '\"Deploy\"']\nerrors: [deploy]\n---\nX.\n",
            ),
            (
                "roles/r/prompt.md",
                "# R\n\n| Keywords | Context |\n|---|---|\n| deploy, late | playbook-a.md |\n| latest | playbook-a.md |\n",
            ),
        ],
    ),
    bad(
        "keyword-collision",
        &[
            (FILE, "---\nkeywords: [release, roll back]\n---\nX.\n"),
            (OTHER, "---\nkeywords: [tag, Releases]\n---\nX.\n"),
        ],
        &["contexts/playbooks/playbook-b.md:2:17"],
    ),
    bad(
        "keyword-collision",
        &[
            (FILE, "---\nkeywords: [release]\n---\nX.\n"),
            (OTHER, "X.\n"),
            ("contexts/playbooks/playbook-c.md", "X.\n"),
            (
                "roles/r/prompt.md",
                "# R\n\n| Keywords | Context |\n|---|---|\n| release | playbook-b.md |\n| a tag, release | playbook-c.md |\n",
            ),
        ],
        &["roles/r/prompt.md:6:10"],
    ),
    good(
        "keyword-collision",
        &[
            (
                FILE,
                "---\nkeywords: [release, tag]\nerrors: [conflict]\nrelated: [playbook/b]\n---\nX.\n",
            ),
            (OTHER, "---\nkeywords: [release, conflict]\n---\nX.\n"),
            ("contexts/specialists/specialist-a.md", "---\nkeywords: [release]\n---\nX.\n"),
            (
                "contexts/playbooks/playbook-c.md",
                "---\nkeywords: [release]\nload: always\n---\nX.\n",
            ),
            PROMPT,
            ("roles/r/contexts/playbooks/playbook-d.md", "---\nkeywords: [draft]\n---\nX.\n"),
            ("roles/s/prompt.md", "X.\n"),
            ("roles/s/contexts/playbooks/playbook-e.md", "---\nkeywords: [draft]\n---\nX.\n"),
            (
                ".faber/overlays/organization/contexts/playbooks/playbook-a.md",
                "---\nstrategy: merge\nkeywords: [release]\n---\nY.\n",
            ),
        ],
    ),
    bad(
        "broad-keyword",
        &[
            (FILE, "---\nkeywords: [IT, r, using, use case]\nerrors: [Error]\n---\nX.\n"),
            ("roles/r/prompt.md", "# R\n\n- \"the\" | \"board\" → Load `playbook-a.md`\n"),
        ],
        &[
            "contexts/playbooks/playbook-a.md:2:12",
            "contexts/playbooks/playbook-a.md:2:16",
            "contexts/playbooks/playbook-a.md:2:19",
            "contexts/playbooks/playbook-a.md:3:10",
            "roles/r/prompt.md:3:4",
        ],
    ),
    good(
        "broad-keyword",
        &[
            (
                FILE,
                "---\nkeywords: ['\"IT\"', ci, C#, how to, error, code, 税]\nerrors: ['404']\n---\nX.\n",
            ),
            ("contexts/standards/standards-a.md", "---\nkeywords: [the]\n---\nX.\n"),
        ],
    ),
    bad(
        "dead-context",
        &[
            (FILE, "---\nload: never\n---\nX.\n"),
            (OTHER, "---\nvisibility: private\n---\nX.\n"),
            ("contexts/partials/labels.md", "Labels.\n"),
        ],
        &[
            "contexts/partials/labels.md:1:1",
            "contexts/playbooks/playbook-a.md:2:7",
            "contexts/playbooks/playbook-b.md:2:13",
        ],
    ),
    bad(
        "dead-context",
        &[
            (FILE, "---\nload: keyword\nerrors: [E1]\n---\nX.\n"),
            (OTHER, "---\nload: files\nkeywords: [a]\n---\nX.\n"),
        ],
        &["contexts/playbooks/playbook-a.md:2:7", "contexts/playbooks/playbook-b.md:2:7"],
    ),
    bad(
        "dead-context",
        &[
            ("contexts/playbooks/deploy-x.md", "---\nload: never\n---\nX.\n"),
            ("contexts/playbooks/deploy-y.md", "---\nload: never\n---\nX.\n"),
            PROMPT,
            ("roles/r/tasks/t.md", "Run deploy-x-y, and load `playbook-deploy-y`.\n"),
        ],
        &["contexts/playbooks/deploy-x.md:2:7"],
    ),
    good(
        "dead-context",
        &[
            (FILE, "---\nload: keyword\nkeywords: [a]\n---\nX.\n"),
            (OTHER, "---\nload: error\n---\nX.\n"),
            PROMPT,
            ("roles/r/tasks/t.md", "Load `playbook-b.md`.\n"),
        ],
    ),
    good(
        "dead-context",
        &[
            (FILE, "---\nload: never\n---\nX.\n"),
            (OTHER, "---\nvisibility: private\nowner: alice\n---\nPin playbook/a.\n"),
            ("contexts/partials/labels.md", "Labels.\n"),
            ("contexts/partials/README.md", "What is here.\n"),
            (
                "contexts/standards/standards-l.md",
                "<!-- faber: include ../partials/labels.md -->\n",
            ),
            ("contexts/playbooks/playbook-c.md", "---\nload: never\n---\nX.\n"),
            (
                ".faber/overlays/organization/contexts/playbooks/playbook-c.md",
                "---\nstrategy: merge\nload: on-demand\n---\nY.\n",
            ),
            ("contexts/playbooks/playbook-d.md", "---\nstatus: draft\n---\nX.\n"),
        ],
    ),
    bad(
        "condition-never-true",
        &[
            PROMPT,
            ("roles/r/agent.yml", "platforms: [linear]\n"),
            (FILE, "---\nwhen:\n  platform: liner\n---\nX.\n"),
            (OTHER, "---\nwhen: { role: [q, s], team: back }\n---\nX.\n"),
            (
                "contexts/playbooks/playbook-c.md",
                "---\nwhen: { team: a, not: { team: [a, b] } }\n---\nX.\n",
            ),
            ("contexts/playbooks/playbook-d.md", "---\nwhen: { not: { role: r } }\n---\nX.\n"),
            ("contexts/playbooks/playbook-e.md", "---\nwhen: { workflow: [] }\n---\nX.\n"),
            ("contexts/playbooks/playbook-f.md", "---\nwhen: { environment: Prod }\n---\nX.\n"),
            (".faber/config.yml", "settings: { environment: prod }\n"),
            (
                ".faber/overlays/teams/a/contexts/playbooks/playbook-g.md",
                "---\nwhen: { team: b }\n---\nX.\n",
            ),
            (".faber/overlays/teams/b/contexts/playbooks/playbook-h.md", "X.\n"),
            ("contexts/playbooks/playbook-i.md", "---\nwhen: { team: c }\n---\nX.\n"),
        ],
        &[
            ".faber/overlays/teams/a/contexts/playbooks/playbook-g.md:2:15",
            "contexts/playbooks/playbook-a.md:3:13",
            "contexts/playbooks/playbook-b.md:2:15",
            "contexts/playbooks/playbook-c.md:2:15",
            "contexts/playbooks/playbook-d.md:2:22",
            "contexts/playbooks/playbook-e.md:2:9",
            "contexts/playbooks/playbook-f.md:2:22",
            "contexts/playbooks/playbook-i.md:2:15",
        ],
    ),
    bad(
        "condition-never-true",
        &[("contexts/playbooks/playbook-a.md", "---\nwhen: { tema: core }\n---\nX.\n")],
        &["contexts/playbooks/playbook-a.md:2:9"],
    ),
    good(
        "condition-never-true",
        &[
            PROMPT,
            ("roles/r/agent.yml", "extends: base\nplatforms: [linear]\n"),
            ("roles/base/prompt.md", "X.\n"),
            ("roles/base/contexts/playbooks/playbook-r.md", "---\nwhen: { role: r }\n---\nX.\n"),
            (
                FILE,
                "---\nwhen: { platform: [linear, jira], team: any, environment: staging }\n---\nX.\n",
            ),
            (OTHER, "---\nwhen: { workflow: w, not: { workflow: v, team: t } }\n---\nX.\n"),
            ("contexts/playbooks/playbook-c.md", "---\nwhen: { not: { role: base } }\n---\nX.\n"),
            (".faber/config.yml", "settings: { environment: production }\n"),
        ],
    ),
    bad(
        "glob-invalid",
        &[(FILE, "---\nglobs: ['src/[a-z', '!src/b/**']\n---\nX.\n")],
        &["contexts/playbooks/playbook-a.md:2:10", "contexts/playbooks/playbook-a.md:2:22"],
    ),
    good("glob-invalid", &[(FILE, "---\nglobs: ['src/[!a-z]*', '{a,b}/**', '\\!a']\n---\nX.\n")]),
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
    good(
        "empty-context",
        &[
            (FILE, "<!-- a --> <b>X</b>\n"),
            ("contexts/playbooks/playbook-open.md", "---\nkeywords: [a]\nX.\n"),
            ("contexts/playbooks/playbook-returns.md", "# A\r\rX.\r"),
            (OTHER, "---\nstatus: draft\n---\n# To come\n"),
            ("contexts/playbooks/playbook-c.md", "---\nload: never\n---\n"),
            ("contexts/platforms/platform-p.md", "---\nmcp_server: p\nfallback: cli\n---\n"),
        ],
    ),
    bad(
        "oversized-context",
        &[SMALL],
        &["contexts/playbooks/playbook-a.md:1:1", "contexts/playbooks/playbook-b.md:1:1"],
    )
    .prepared(|project| {
        let whole = format!("---\ntruncatable: false\n---\n{}", prose(9000));
        project.file(FILE, &headings(400)).file(OTHER, &whole)
    }),
    // Many bytes, few tokens.
    good("oversized-context", &[SMALL]).prepared(|project| {
        let summary = format!("---\nsummary: {}\n---\nX.\n", "internationalization ".repeat(300));
        let own = format!("---\nsummary: Short.\n---\n{}", headings(400));
        let capped = format!("---\nmax_tokens: 500\n---\n{}", headings(400));
        project
            .file(FILE, &headings(40))
            .file(OTHER, &own)
            .file("contexts/playbooks/playbook-c.md", &capped)
            .file("contexts/playbooks/playbook-d.md", &summary)
    }),
    bad("required-over-budget", &[PROMPT, SMALL], &["contexts/playbooks/playbook-a.md:3:1"])
        .prepared(|project| {
            let text = format!("---\ntruncatable: false\nrequired: true\n---\n{}", prose(9000));
            project.file(FILE, &text)
        }),
    bad("required-over-budget", &[PROMPT, SMALL], &["contexts/playbooks/playbook-a.md:3:1"; 2])
        .prepared(|project| {
            let text = format!("---\ntruncatable: false\nrequired: true\n---\n{}", prose(9000));
            project.file(FILE, &text).file("roles/s/prompt.md", "# S\n\nX.\n")
        }),
    bad(
        "required-over-budget",
        &[(
            "roles/r/prompt.md",
            "---\nbudget: { context: 20, conversation: 0 }\n---\n# R\n\nA clerk who sorts letters by the day on which they came, and answers them all.\n",
        )],
        &["roles/r/prompt.md:1:1"],
    ),
    good("required-over-budget", &[PROMPT, SMALL]).prepared(|project| {
        let text = format!("---\nrequired: true\n---\n{}", prose(9000));
        let whole = format!("---\ntruncatable: false\nrequired: true\n---\n{}", prose(7000));
        project.file(FILE, &text).file(OTHER, &whole)
    }),
    bad("always-over-budget", &[PROMPT, SMALL], &["contexts/standards/standards-a.md:1:1"; 2])
        .prepared(|project| {
            project
                .file("contexts/standards/standards-a.md", &prose(5000))
                .file("contexts/standards/standards-b.md", &prose(4000))
                .file("roles/s/prompt.md", "# S\n\nX.\n")
        }),
    good("always-over-budget", &[PROMPT, SMALL]).prepared(|project| {
        let capped = format!("---\nmax_tokens: 500\n---\n{}", prose(9000));
        project
            .file("contexts/standards/standards-a.md", &prose(7000))
            .file("contexts/standards/standards-b.md", &capped)
            .file(FILE, &prose(9000))
    }),
    bad(
        "section-too-large",
        &[SMALL],
        &["contexts/playbooks/playbook-a.md:5:1", "contexts/playbooks/playbook-b.md:1:1"],
    )
    .prepared(|project| {
        let text = format!("---\nowner: a\n---\n\n## A `b`\n\n{}\n## C\n\nX.\n", prose(2000));
        project.file(FILE, &text).file(OTHER, &prose(2000))
    }),
    good("section-too-large", &[SMALL]).prepared(|project| {
        let code = format!("# A\n\n```\n{}```\n", "let a = b;\n".repeat(2000));
        project.file(FILE, &code).file(OTHER, &headings(400))
    }),
];

fn prose(tokens: usize) -> String {
    "Sort every letter by the day on which it came.\n\n".repeat(tokens / 12)
}

fn headings(count: usize) -> String {
    let say = format!("Answer {} at once. ", "each of the letters ".repeat(6));
    let part = format!("## Letter\n\n{}\n\n", say.repeat(3));
    part.repeat(count)
}
