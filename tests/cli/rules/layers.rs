use super::{Case, bad, good};

const A: &str = "contexts/standards/standards-a.md";
const TEAM_A: &str = ".faber/overlays/teams/core/contexts/standards/standards-a.md";
const ROLE_A: &str = "roles/r/contexts/standards/standards-a.md";
const ORGANIZATION_A: &str = ".faber/overlays/organization/contexts/standards/standards-a.md";
const USER_A: &str = ".faber/overlays/users/ann/contexts/standards/standards-a.md";
const B: &str = "contexts/standards/standards-b.md";
const PROMPT: (&str, &str) = ("roles/r/prompt.md", "X.\n");
const LIST: &str = "# A\n\n## One\n\n- x\n- y\n";
const COPY: &str = "---\nstrategy: override\n---\n# A\n\n## One\n\n- x\n- y\n";
const CONTACTS: &str = "# A\n\n## Contacts\n\n| Name | Phone |\n|---|---|\n| Ann | 1 |\n\n\
     ### Night\n\nX.\n\n### Notes\n\nX.\n\n## Steps\n\n### Notes\n\nX.\n";
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
    // Only one role lacks the base.
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
    bad(
        "section-without-base",
        &[
            (A, "# A\n\n## Approvals\n\nX.\n"),
            (TEAM_A, "---\nstrategy: merge\n---\n## Aprovals\n\nY.\n"),
        ],
        &[".faber/overlays/teams/core/contexts/standards/standards-a.md:4:1"],
    ),
    bad(
        "section-without-base",
        &[
            (A, CONTACTS),
            (TEAM_A, "---\nstrategy: append\n---\n### Contacts\n\nX.\n\n## Night\n\nY.\n"),
            (ROLE_A, "---\nstrategy: merge\n---\n# Contacts\n\nX.\n"),
            (
                USER_A,
                "---\nstrategy: merge\n---\n## Contacts\n\n| name | Phone | Mail |\n|---|---|---|\n| Bob | 1 | x |\n| ann | 9 | x |\n",
            ),
            PROMPT,
        ],
        &[
            ".faber/overlays/teams/core/contexts/standards/standards-a.md:4:1",
            ".faber/overlays/teams/core/contexts/standards/standards-a.md:8:1",
            ".faber/overlays/users/ann/contexts/standards/standards-a.md:9:1",
            "roles/r/contexts/standards/standards-a.md:4:1",
        ],
    ),
    bad(
        "section-without-base",
        &[
            (A, "Always:\n\n- **Tests**: all\n\nNever:\n\n- **Friday**: deploy\n"),
            (TEAM_A, "---\nstrategy: merge\n---\n- **Ask**: Ann\n- **Friday**: at noon\n"),
        ],
        &[".faber/overlays/teams/core/contexts/standards/standards-a.md:5:1"],
    ),
    good(
        "section-without-base",
        &[
            (A, "- **Friday**: ask\n\nNever:\n\n- **Friday**: deploy\n- **Monday**: no\n"),
            (
                TEAM_A,
                "---\nstrategy: merge\n---\n- **Friday**: at noon\n- **Monday**: no\n\nAlways:\n\n- **Monday**: x\n",
            ),
        ],
    ),
    // Other facts, in a part that the overlay adds, and one of several.
    good(
        "section-without-base",
        &[
            (A, CONTACTS),
            (
                TEAM_A,
                "---\nstrategy: merge\n---\n# A\n\n## Contacts\n\n| Name | Room |\n|---|---|\n| Ann | 9 |\n\n## More\n\n### Night\n\nY.\n\n### Steps\n\nY.\n\n## Notes\n\nY.\n",
            ),
        ],
    ),
    good(
        "section-without-base",
        &[
            (A, "# A\n\n## Testing\n\nX.\n"),
            (TEAM_A, "---\nstrategy: merge\n---\n## Linting\n\nY.\n"),
        ],
    ),
    good(
        "section-without-base",
        &[
            (A, "# A\n\n## One\n\nX.\n"),
            (TEAM_A, "---\nsections: { one: override }\n---\n## One\n\nY.\n"),
        ],
    ),
    bad(
        "overlay-clash",
        &[
            (A, "# A\n\n## One\n\nX.\n\n## Two\n\n### One\n\nX.\n"),
            (TEAM_A, "---\nsections: { One: remove }\n---\n## One\n\nY.\n"),
        ],
        &[
            ".faber/overlays/teams/core/contexts/standards/standards-a.md:2:13",
            ".faber/overlays/teams/core/contexts/standards/standards-a.md:4:1",
        ],
    ),
    bad(
        "overlay-clash",
        &[
            (A, "# A\n\n[X] and [y].\n\n[x]: /base\n[y]: /y\n"),
            (TEAM_A, "---\nstrategy: append\n---\n[x] and [y].\n\n[x]: /ours\n[y]:  /y\n"),
        ],
        &[".faber/overlays/teams/core/contexts/standards/standards-a.md:6:1"],
    ),
    good(
        "overlay-clash",
        &[
            (A, "# A\n\n## One\n\nX.\n\n## Two\n\n### One\n\nX.\n"),
            (TEAM_A, "---\nsections: { Two/One: remove }\n---\n## One\n\nY.\n"),
        ],
    ),
    bad(
        "overlay-clash",
        &[
            (A, "- **a**: 1\n- **b**: 1\n"),
            ("contexts/standards/x.md", "---\nextends: standard/a\n---\n- **a**: 2\n- x\n"),
            ("contexts/standards/y.md", "---\nextends: standard/a\n---\n- **a**: 3\n"),
        ],
        &["contexts/standards/y.md:2:10"],
    ),
    good(
        "overlay-clash",
        &[
            (A, "- **a**: 1\n- **b**: 1\n"),
            (
                "contexts/standards/x.md",
                "---\nextends: standard/a\ntags: [x]\n---\n- **a**: 2\n- x\n",
            ),
            (
                "contexts/standards/y.md",
                "---\nextends: standard/a\ntags: [y]\n---\n- **b**: 2\n- y\n",
            ),
            ("contexts/standards/z.md", "---\nextends: x.md\n---\n- **a**: 3\n"),
        ],
    ),
    bad(
        "superseded-loop",
        &[
            (A, "---\nsuperseded_by: standard/b\n---\nX.\n"),
            ("contexts/standards/standards-b.md", "---\nsuperseded_by: standard/a\n---\nX.\n"),
        ],
        &["contexts/standards/standards-a.md:2:16"],
    ),
    bad(
        "superseded-loop",
        &[(A, "---\nsuperseded_by: standards-a.md\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:16"],
    ),
    good("superseded-loop", &[(A, "---\nsuperseded_by: standard/base\n---\nX.\n")]),
    bad("unknown-directory", &[("contexts/standrds/x.md", "X.\n")], &["contexts/standrds:1:1"]),
    good("unknown-directory", &[("contexts/partials/x.md", "X.\n")]),
    bad(
        "unknown-directory",
        &[
            (".faber/config.yaml", "budget: { total: 10 }\n"),
            (".faber/overlays/team/core/contexts/standards/standards-a.md", "X.\n"),
            (".faber/overlays/teams2/x.md", "X.\n"),
            (".faber/overlays/users/ann/context/standards-a.md", "X.\n"),
            ("roles/s/Prompt.md", "X.\n"),
        ],
        &[
            ".faber/config.yaml:1:1",
            ".faber/overlays/team:1:1",
            ".faber/overlays/teams2:1:1",
            ".faber/overlays/users/ann/context:1:1",
            "roles/s/Prompt.md:1:1",
        ],
    ),
    good(
        "unknown-directory",
        &[
            (".faber/config.yml", "{}\n"),
            (".faber/config2.yml", "{}\n"),
            (".faber/overlays/README.md", "X.\n"),
            (".faber/notes/x.md", "X.\n"),
            (".faber/overlays/users/ann/contents.txt", "X.\n"),
            ("roles/r/prompt.md", "X.\n"),
            ("roles/r/notes.md", "X.\n"),
            ("roles/r/prompt2.md", "X.\n"),
            ("roles/shared/notes.md", "X.\n"),
        ],
    ),
    bad(
        "unknown-directory",
        &[
            (".faber/config.yml", "{}\n"),
            (".faber/config.yaml", "{}\n"),
            (".faber/overlays/foo/x.md", "X.\n"),
            (".faber/overlays/team/web/contexts/standards/standards-a.md", "X.\n"),
            (TEAM_A, "X.\n"),
            ("roles/s/agent.yml", "name: s\n"),
        ],
        &[
            ".faber/config.yaml:1:1",
            ".faber/overlays/foo:1:1",
            ".faber/overlays/team:1:1",
            "roles/s:1:1",
        ],
    ),
    bad(
        "config-key-not-allowed",
        &[(
            ".faber/overlays/teams/core/config.yml",
            "settings: { team: core }\nvalidate: { rules: { stale: off } }\n",
        )],
        &[".faber/overlays/teams/core/config.yml:1:1", ".faber/overlays/teams/core/config.yml:2:1"],
    ),
    bad(
        "config-key-not-allowed",
        &[(CONFIG, "budget: { summarizer: cat }\n")],
        &[".faber/config.yml:1:11"],
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
    bad(
        "silent-override",
        &[(A, "X.\n"), (TEAM_A, "---\nname: a\n---\nY.\n"), (ROLE_A, "Z.\n"), PROMPT],
        &[".faber/overlays/teams/core/contexts/standards/standards-a.md:2:7"],
    ),
    // Explicit, harmless or without effect.
    good("silent-override", &[(A, "X.\n"), (ROLE_A, "Z.\n"), PROMPT]),
    good("silent-override", &[(A, "X.\n"), (TEAM_A, "---\nstrategy: override\n---\nY.\n")]),
    good("silent-override", &[(A, "X.\n"), (TEAM_A, "---\nsections: { B: remove }\n---\n")]),
    good("silent-override", &[(TEAM_A, "Y.\n")]),
    good("silent-override", &[(A, "---\nsealed: true\n---\nX.\n"), (TEAM_A, "Y.\n")]),
    good("silent-override", &[(A, "X.\n"), (TEAM_A, "X.\n")]),
    bad(
        "merge-type-clash",
        &[
            (A, "---\nlabels: \"a.rs\"\nowners: { a: [x], b: 1 }\n---\nX.\n"),
            (TEAM_A, "---\nstrategy: merge\nlabels: [b.rs]\nowners: { a: y, b: z }\n---\nY.\n"),
        ],
        &[
            ".faber/overlays/teams/core/contexts/standards/standards-a.md:3:1",
            ".faber/overlays/teams/core/contexts/standards/standards-a.md:4:11",
        ],
    ),
    good(
        "merge-type-clash",
        &[
            (
                A,
                "---\nglobs: [a.rs]\nversion: 1.10\nwhen: { team: core }\nextra:\ntags: x\n---\nX.\n",
            ),
            (
                TEAM_A,
                "---\nstrategy: merge\nglobs: [b.rs]\nversion: two\nwhen: { team: [core] }\nextra: [x]\ntags: [y]\n---\nY.\n",
            ),
        ],
    ),
    good(
        "merge-type-clash",
        &[
            (A, "---\nglobs: \"a.rs\"\nkeywords: [a]\n---\nX.\n"),
            (TEAM_A, "---\nstrategy: merge\nglobs: [b.rs]\nkeywords: b, c\n---\nY.\n"),
        ],
    ),
    good(
        "merge-type-clash",
        &[
            (A, "---\nglobs: \"a.rs\"\n---\nX.\n"),
            (TEAM_A, "---\nstrategy: override\nglobs: [b.rs]\n---\nY.\n"),
        ],
    ),
    bad(
        "identical-overlay",
        &[(A, LIST), (TEAM_A, "# Team\n\n## One\n\n- x\n"), (USER_A, COPY), (ROLE_A, LIST), PROMPT],
        &["roles/r/contexts/standards/standards-a.md:1:1"],
    ),
    bad(
        "identical-overlay",
        &[(A, LIST), (TEAM_A, "---\nstrategy: merge\n---\n# Team\n\n## One\n\n- x\n")],
        &[".faber/overlays/teams/core/contexts/standards/standards-a.md:1:1"],
    ),
    bad(
        "identical-overlay",
        &[(A, LIST), (TEAM_A, COPY)],
        &[".faber/overlays/teams/core/contexts/standards/standards-a.md:1:1"],
    ),
    // Small differences, or effects elsewhere.
    good("identical-overlay", &[(A, LIST), (TEAM_A, "# A\n\n## One\n\n- y\n- x\n")]),
    good("identical-overlay", &[(A, LIST), (TEAM_A, "---\nstrategy: append\n---\n- x\n")]),
    good(
        "identical-overlay",
        &[(A, LIST), (TEAM_A, "---\nstrategy: append\ntags: [a]\n---\n## One\n\n- x\n")],
    ),
    good("identical-overlay", &[(A, LIST), (TEAM_A, "---\nstrategy: append\nsealed: true\n---\n")]),
    // Undoes another overlay, or adds to one role.
    good("identical-overlay", &[(A, LIST), (ORGANIZATION_A, "Y.\n"), (TEAM_A, LIST)]),
    good(
        "identical-overlay",
        &[
            (A, "X.\n"),
            PROMPT,
            (ROLE_A, LIST),
            ("roles/s/prompt.md", "X.\n"),
            (ORGANIZATION_A, "---\nstrategy: override\n---\n# A\n\n## One\n\n- x\n- y\n"),
        ],
    ),
    bad("near-duplicate", &[], &["contexts/standards/standards-b.md:1:1"])
        .prepared(|project| project.file(A, &words(300, "x")).file(B, &words(300, "y"))),
    // Unrelated roles.
    bad(
        "near-duplicate",
        &[PROMPT, ("roles/s/prompt.md", "X.\n")],
        &["roles/s/contexts/standards/standards-a.md:1:1"],
    )
    .prepared(|project| {
        let other = "roles/s/contexts/standards/standards-a.md";
        project.file(ROLE_A, &words(300, "x")).file(other, &words(300, "x"))
    }),
    // Too short, too different, an overlay, or unused.
    good("near-duplicate", &[]).prepared(|project| {
        let project = project.file(A, &words(50, "x")).file(B, &words(50, "x"));
        let third = "contexts/standards/standards-c.md";
        project
            .file(third, &words(80, "x"))
            .file("contexts/standards/standards-d.md", &words(80, "y"))
    }),
    good("near-duplicate", &[]).prepared(|project| {
        let retired = format!("---\nstatus: deprecated\n---\n{}", words(300, "x"));
        project.file(A, &words(300, "x")).file(TEAM_A, &words(300, "y")).file(B, &retired)
    }),
    bad(
        "deprecated-base",
        &[
            (A, "---\nstatus: deprecated\n---\nX.\n"),
            (TEAM_A, "---\nstrategy: append\n---\nY.\n"),
            (B, "---\nextends: standard/a\n---\nY.\n"),
        ],
        &[
            ".faber/overlays/teams/core/contexts/standards/standards-a.md:2:11",
            "contexts/standards/standards-b.md:2:10",
        ],
    ),
    good(
        "deprecated-base",
        &[
            (A, "---\nstatus: deprecated\n---\nX.\n"),
            (TEAM_A, "---\nstrategy: override\n---\nY.\n"),
        ],
    ),
    good(
        "deprecated-base",
        &[
            (A, "---\nstatus: deprecated\n---\nX.\n"),
            (ORGANIZATION_A, "Z.\n"),
            (TEAM_A, "---\nstrategy: append\n---\nY.\n"),
        ],
    ),
    good(
        "strategy-without-base",
        &[(A, "---\nstatus: deprecated\n---\nX.\n"), (TEAM_A, "---\nstrategy: append\n---\nY.\n")],
    ),
    bad(
        "overlay-for-nobody",
        &[
            PROMPT,
            (".faber/overlays/roles/q/config.yml", ""),
            (".faber/overlays/roles/q/contexts/standards/standards-q.md", "X.\n"),
            (".faber/overlays/platforms/linera/contexts/company.md", "X.\n"),
        ],
        &[
            ".faber/overlays/platforms/linera/contexts/company.md:1:1",
            ".faber/overlays/roles/q/config.yml:1:1",
        ],
    ),
    good(
        "overlay-for-nobody",
        &[
            PROMPT,
            ("roles/r/agent.yml", "platforms: [linear]\ndefault_platform: linear\n"),
            (CONFIG, "platforms: { r: github }\n"),
            ("contexts/platforms/platform-jira.md", "X.\n"),
            (".faber/overlays/roles/r/contexts/standards/standards-q.md", "X.\n"),
            (".faber/overlays/platforms/linear/contexts/company-linear.md", "X.\n"),
            (".faber/overlays/platforms/github/contexts/company-github.md", "X.\n"),
            (".faber/overlays/platforms/jira/contexts/company-jira.md", "X.\n"),
            (".faber/overlays/platforms/trac/contexts/platform-trac.md", "X.\n"),
            (".faber/overlays/teams/any/contexts/standards/standards-t.md", "X.\n"),
        ],
    ),
    bad(
        "contradiction",
        &[
            (A, "---\ncontradicts: [spaces are better, standard/b]\n---\nX.\n"),
            (B, "---\ncontradicts: [standard/a]\n---\nY.\n"),
        ],
        &["contexts/standards/standards-a.md:2:34"],
    ),
    good(
        "contradiction",
        &[
            (A, "---\ncontradicts: [standard/b, standard/no, standard/a]\n---\nX.\n"),
            (B, "---\nload: on-demand\n---\nY.\n"),
        ],
    ),
    bad(
        "pack-collision",
        &[
            (CONFIG, "packs: { a: { path: a }, b: { path: b } }\n"),
            ("a/contexts/standards/standards-s.md", "# S\n\nX.\n"),
            ("b/contexts/standards/standards-s.md", "# S\n\nY.\n"),
        ],
        &[".faber/packs/b/contexts/standards/standards-s.md:1:1"],
    ),
    good(
        "pack-collision",
        &[
            (CONFIG, "packs: { a: { path: a }, b: { path: b } }\n"),
            ("a/contexts/standards/standards-s.md", "# S\n\nX.\n"),
            ("b/contexts/standards/standards-s.md", "---\nstrategy: append\n---\nY.\n"),
            ("b/contexts/standards/standards-t.md", "# T\n\nZ.\n"),
        ],
    ),
    good("pack-collision", SAME_PACK),
    good("identical-overlay", SAME_PACK),
];

const SAME_PACK: &[(&str, &str)] = &[
    (CONFIG, "packs: { a: { path: a }, b: { path: b } }\n"),
    ("a/contexts/standards/standards-s.md", LIST),
    ("b/contexts/standards/standards-s.md", LIST),
];

fn words(count: usize, odd: &str) -> String {
    let word = |n| if n == count / 2 { odd.to_owned() } else { format!("word{n}") };
    let words: Vec<String> = (0..count).map(word).collect();
    words.chunks(10).map(|line| line.join(" ") + "\n").collect::<Vec<_>>().concat()
}
