use super::exchange::imported;
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
    good(
        "dangling-reference",
        &[(FILE, "# A\n\nSee [b](../../docs/a%20b.md#x).\n"), ("docs/a b.md", "# X\n")],
    ),
    bad(
        "dangling-reference",
        &[(".faber/config.yml", "custom_contexts: [/GUIDE.md]\n")],
        &[".faber/config.yml:1:19"],
    ),
    bad(
        "glob-matches-nothing",
        &[(".faber/config.yml", "custom_contexts: [docs/*.md]\n")],
        &[".faber/config.yml:1:19"],
    ),
    bad(
        "path-escape",
        &[(".faber/config.yml", "custom_contexts: [/etc/passwd]\n")],
        &[".faber/config.yml:1:19"],
    ),
    good(
        "dangling-reference",
        &[
            (
                PROMPT,
                "# R\n\nSee [guide](./README.md), `NOTES.md` and [c](../../CONTRIBUTING.md).\n\n\
                 Read [a](README.md) when you deploy.\n",
            ),
            ("roles/r/README.md", "# R\n"),
            ("CONTRIBUTING.md", "# C\n"),
        ],
    ),
    bad(
        "dangling-reference",
        &[
            (PROMPT, "# R\n\nSee `./no.md`.\n\nLoad `./README.md`.\n\nRead `standards-no.md`.\n"),
            ("roles/r/README.md", "# R\n"),
        ],
        &["roles/r/prompt.md:3:6", "roles/r/prompt.md:5:7", "roles/r/prompt.md:7:7"],
    ),
    bad(
        "dangling-reference",
        &[(FILE, "# A\n\nSee [b](../../docs/a%20b.md).\n")],
        &["contexts/standards/standards-a.md:3:9"],
    ),
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
    bad(
        "dangling-related",
        &[(
            FILE,
            "---\nrelated: [base, no/x, standard/base#Nope]\nsuperseded_by: standard/bse\n---\nX.\n",
        )],
        &[
            "contexts/standards/standards-a.md:2:11",
            "contexts/standards/standards-a.md:2:17",
            "contexts/standards/standards-a.md:2:23",
            "contexts/standards/standards-a.md:3:16",
        ],
    ),
    good(
        "dangling-related",
        &[(FILE, "---\nrelated: [standard/base#base, ./standards-base.md, '']\nsuperseded_by: ''\n---\nX.\n")],
    ),
    bad(
        "path-escape",
        &[(".faber/config.yml", "custom_contexts: [../../x.md]\n")],
        &[".faber/config.yml:1:19"],
    ),
    good("path-escape", &[(FILE, "See `../../../elsewhere.md`.\n")]),
    bad(
        "forbidden-file",
        &[
            (
                ".faber/config.yml",
                "custom_contexts: [notes/secret.md, .faber/state/log.md, data.csv]\n",
            ),
            (".gitignore", "secret.md\n"),
            ("notes/secret.md", "X.\n"),
            (".faber/state/log.md", "X.\n"),
            ("data.csv", "x\n"),
            (FILE, "# A\n\n<!-- faber: include /.faber/config.yml -->\n"),
        ],
        &[
            ".faber/config.yml:1:19",
            ".faber/config.yml:1:36",
            ".faber/config.yml:1:57",
            "contexts/standards/standards-a.md:3:21",
        ],
    ),
    good(
        "forbidden-file",
        &[
            (".faber/config.yml", "custom_contexts: [docs/a.md, docs/b.txt]\n"),
            ("docs/a.md", "X.\n"),
            ("docs/b.txt", "X.\n"),
        ],
    ),
    bad(
        "unknown-directive",
        &[
            (
                FILE,
                "# A\n\n<!-- faber: inclde ./x.md -->\n\nX.\n\n  <!-- faber:allow secret: no -->\n",
            ),
            (
                PROMPT,
                "# R\n\n<!-- faber: if production -->\n\n> <!-- faber: include ./x.md -->\n\n- <!-- faber: include ./x.md -->\n\nSee <!-- faber: include ./x.md --> here.\n",
            ),
        ],
        &[
            "contexts/standards/standards-a.md:3:1",
            "contexts/standards/standards-a.md:7:3",
            "roles/r/prompt.md:3:1",
            "roles/r/prompt.md:5:3",
            "roles/r/prompt.md:7:3",
            "roles/r/prompt.md:9:5",
        ],
    ),
    good(
        "unknown-directive",
        &[(
            FILE,
            "# A\n\n<!-- faber is a tool -->\n\n```\n<!-- faber: inclde ./x.md -->\n```\n\n<!-- note: faber: x -->\n\nWrite `<!-- faber: include ./x.md -->`.\n\n- ```\n  <!-- faber: inclde ./x.md -->\n  ```\n\n:::note\n~~~\n<!-- faber: inclde ./x.md -->\n~~~\n:::\n",
        )],
    ),
    bad(
        "dangling-reference",
        &[(
            FILE,
            "# A\n\nSee [b](./nope.md), `standards-no.md` and `@role:r/contexts/no.md`.\n\nSee also: `./x.md`\n",
        )],
        &[
            "contexts/standards/standards-a.md:3:9",
            "contexts/standards/standards-a.md:3:22",
            "contexts/standards/standards-a.md:3:44",
            "contexts/standards/standards-a.md:5:12",
        ],
    ),
    good(
        "dangling-reference",
        &[
            (
                FILE,
                "# A\n\nSee [b](./notes.md), `../../docs/x.md`, `README.md`, [c](https://e.org/x.md), `standards-base.md`.\n\nWrite the outcome to `./outcome.md`.\n\n```\n`./nope.md`\n```\n\n## If present\n\n- `./nope.md`\n",
            ),
            ("contexts/standards/notes.md", "X.\n"),
            ("docs/x.md", "X.\n"),
        ],
    ),
    good(
        "dangling-reference",
        &[(
            FILE,
            "# A\n\n- Longer samples → `references/samples.md`\n- At most 20 lines; the rest → references/rest.md.\n\n| Say | Not |\n|---|---|\n| The pattern/trick of this code | A platform/tool |\n",
        )],
    ),
    bad(
        "dangling-reference",
        &[(
            FILE,
            "# A\n\nLoad `references/rest.md`. See `pattern/trick`; load specialist/no.\n\n| Topic | Context |\n|---|---|\n| Tricks | pattern/trick |\n",
        )],
        &[
            "contexts/standards/standards-a.md:3:7",
            "contexts/standards/standards-a.md:3:33",
            "contexts/standards/standards-a.md:3:54",
            "contexts/standards/standards-a.md:7:12",
        ],
    ),
    bad(
        "dangling-reference",
        &[(PROMPT, "# R\n\n- boards → specialist/boards\n- limits → references/limits.md\n")],
        &["roles/r/prompt.md:3:12", "roles/r/prompt.md:4:12"],
    ),
    // Imported files have moved.
    good(
        "dangling-reference",
        &[
            (
                ".claude/skills/pdf/SKILL.md",
                "---\nname: pdf\ndescription: Reads PDF.\n---\nLoad `references/forms.md`.\n\nSee `../../../lib/AGENTS.md`.\n",
            ),
            (".claude/skills/pdf/references/forms.md", "# Forms\n"),
            ("lib/AGENTS.md", "# Library\n\nKeep it small.\n"),
        ],
    )
    .prepared(imported),
    good(
        "dangling-reference",
        &[
            ("contexts/playbooks/playbook-pdf.md", "# PDF\n\nLoad `references/forms.md`.\n"),
            ("contexts/playbooks/resources/pdf/references/forms.md", "# Forms\n"),
        ],
    ),
    bad(
        "dangling-reference",
        &[
            ("contexts/playbooks/playbook-pdf.md", "# PDF\n\nLoad `references/form.md`.\n"),
            ("contexts/playbooks/resources/pdf/references/forms.md", "# Forms\n"),
        ],
        &["contexts/playbooks/playbook-pdf.md:3:7"],
    ),
    // Words, or files of other projects.
    good(
        "dangling-reference",
        &[(FILE, "# A\n\n- `platform-comparison.md`: by price\n- `pattern/trick` of this code\n")],
    ),
    bad(
        "dangling-reference",
        &[(FILE, "# A\n\n- `standards-bsae.md`: all\n- `standard/bsae`\n")],
        &["contexts/standards/standards-a.md:3:4", "contexts/standards/standards-a.md:4:4"],
    ),
    good(
        "dangling-reference",
        &[
            ("contexts/playbooks/playbook-pdf.md", "# PDF\n\nSee `patterns-forms.md`.\n"),
            ("contexts/playbooks/resources/pdf/references/patterns-forms.md", "# Forms\n"),
        ],
    )
    .prepared(super::freshness::tracked),
    // Roles may refer to each other's contexts.
    good(
        "dangling-reference",
        &[
            (
                PROMPT,
                "# R\n\n| Keywords | Context |\n|---|---|\n| x | @role:s/contexts/playbooks/playbook-x.md |\n\n- Load `@role:s/playbook/x`\n",
            ),
            (FILE, "---\nrelated: [\"@role:s/playbook/x\"]\n---\nX.\n"),
            ("roles/s/prompt.md", "X.\n"),
            (
                "roles/s/contexts/playbooks/playbook-x.md",
                "---\nrelated: [playbook-y.md]\n---\nX.\n",
            ),
            ("roles/s/contexts/playbooks/playbook-y.md", "X.\n"),
        ],
    ),
    bad(
        "reference-case",
        &[
            (
                PROMPT,
                "# R\n\nSee `/contexts/standards/Standards-base.md`.\n\n| Keywords | Context |\n|---|---|\n| x | playbook-Deploy.md |\n",
            ),
            ("contexts/playbooks/playbook-deploy.md", "X.\n"),
            ("roles/r/tasks/t.md", "See `/contexts/Standards/standards-base.md#base`.\n"),
            (".faber/config.yml", "custom_contexts: [\"/contexts/standards/standards-BASE.md\"]\n"),
        ],
        &[
            ".faber/config.yml:1:19",
            "roles/r/prompt.md:3:6",
            "roles/r/prompt.md:7:7",
            "roles/r/tasks/t.md:1:6",
        ],
    ),
    bad(
        "reference-case",
        &[(FILE, "---\nrelated: [standard/Base, Standard/base]\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:11", "contexts/standards/standards-a.md:2:26"],
    ),
    good(
        "reference-case",
        &[(
            PROMPT,
            "See `/contexts/standards/standards-base.md` and `/contexts/standards/Standards-No.md`.\n",
        )],
    ),
    good(
        "reference-case",
        &[
            (PROMPT, "See `playbook-Deploy.md`.\n"),
            ("roles/s/prompt.md", "X.\n"),
            ("roles/s/contexts/playbooks/playbook-deploy.md", "X.\n"),
        ],
    ),
    good("dangling-reference", &[(PROMPT, "See `/contexts/standards/Standards-base.md`.\n")]),
    bad(
        "glob-matches-nothing",
        &[
            ("src/a.py", "X\n"),
            (FILE, "---\nglobs: [\"srv/**\", \"~/p/**\", \"src/**\", 'src\\**']\n---\nX.\n"),
        ],
        &[
            "contexts/standards/standards-a.md:2:10",
            "contexts/standards/standards-a.md:2:20",
            "contexts/standards/standards-a.md:2:40",
        ],
    )
    .prepared(super::freshness::tracked),
    // Contexts for other projects.
    good(
        "glob-matches-nothing",
        &[
            ("src/a.py", "X\n"),
            (FILE, "---\nglobs: [\"**/*.ts\", \"web/**\", \"!src/x/**\"]\n---\nX.\n"),
        ],
    )
    .prepared(super::freshness::tracked),
    bad(
        "glob-matches-nothing",
        &[
            (
                PROMPT,
                "# R\n\n- Load all: `/contexts/standrds/*.md`\n- Load: ./contexts/patterns/*.md\n- Load: `troubleshooting-*.md`\n",
            ),
            ("tasks/t.md", "Read `/contexts/playbooks/**/*.md`.\n"),
        ],
        &[
            "roles/r/prompt.md:3:14",
            "roles/r/prompt.md:4:9",
            "roles/r/prompt.md:5:10",
            "tasks/t.md:1:7",
        ],
    ),
    good(
        "glob-matches-nothing",
        &[
            (
                PROMPT,
                "# R\n\n- Load all: `/contexts/standards/*.md`, `standards-*.md`\n- Load: `/.faber/overlays/platforms/{detected}/contexts/*.md`\n- `./docs/*.md`, `src/*.md`, `/.faber/history/*.md` and `*.md` are yours\n\n## Overlays\n**Always load if present**\n- Load all: `/.faber/overlays/organization/contexts/*.md`\n\n## More (if exists)\n- Load all: `/contexts/patterns/*.md`\n\n## Own\n- Load: `/contexts/playbooks/*.md`\n\n```\nLoad: `/contexts/references/*.md`\n```\n",
            ),
            ("roles/r/agent.yml", "extends: s\n"),
            ("roles/s/prompt.md", "X.\n"),
            ("roles/s/contexts/playbooks/playbook-a.md", "X.\n"),
        ],
    ),
    bad(
        "ambiguous-name",
        &[
            (PROMPT, "# R\n\n- Load `deploy.md`\n"),
            ("contexts/playbooks/deploy.md", "X.\n"),
            ("contexts/patterns/deploy.md", "X.\n"),
        ],
        &["roles/r/prompt.md:3:9"],
    ),
    bad(
        "ambiguous-name",
        &[
            (FILE, "---\nrelated: [deploy.md]\n---\nX.\n"),
            ("contexts/playbooks/playbook-deploy.md", "X.\n"),
            ("contexts/patterns/pattern-deploy.md", "X.\n"),
        ],
        &["contexts/standards/standards-a.md:2:11"],
    ),
    good(
        "ambiguous-name",
        &[
            (PROMPT, "# R\n\n- Load `deploy.md`, `playbook/deploy`, `playbook-x.md` and `x.md`\n"),
            // Layers of one context, a draft, and a literal file name.
            ("contexts/playbooks/deploy.md", "X.\n"),
            (".faber/overlays/organization/contexts/playbooks/deploy.md", "X.\n"),
            ("contexts/patterns/deploy.md", "---\nstatus: draft\n---\nX.\n"),
            ("contexts/playbooks/playbook-x.md", "X.\n"),
            ("contexts/patterns/x.md", "X.\n"),
        ],
    ),
    bad(
        "unknown-placeholder",
        &[
            (
                PROMPT,
                "# R\n\n- Load: `/contexts/platforms/platform-{detectd}.md`\n- Load: `/contexts/platforms/platform-{tracker}.md`\n\nYou are {role_name}, and open with {title}.\n",
            ),
            ("roles/r/tasks/t.md", "See `/contexts/platforms/platform-{detect}.md`.\n"),
        ],
        &[
            "roles/r/prompt.md:3:39",
            "roles/r/prompt.md:4:39",
            "roles/r/prompt.md:6:9",
            "roles/r/prompt.md:6:36",
            "roles/r/tasks/t.md:1:35",
        ],
    ),
    good(
        "unknown-placeholder",
        &[
            (
                PROMPT,
                "# R\n\n- Load: `/contexts/platforms/platform-{detected}.md`\n- `.faber/config.yml -> platforms.{role-name}`, {configured}, {platform} or {configured-platform}, and ${detectd} or {{detectd}}.\n\n```\n{detectd}\n```\n",
            ),
            (
                "roles/r/tasks/t.md",
                "Say {detect}: {name}.\n\nAnswer with `{title}: {summary}` in `./notes/{date}.md`.\n",
            ),
        ],
    ),
    bad(
        "include-cycle",
        &[(FILE, "<!-- faber: include ./standards-a.md -->\n")],
        &["contexts/standards/standards-a.md:1:21"],
    ),
    bad(
        "include-cycle",
        &[
            ("roles/r/prompt.md", "X.\n"),
            ("roles/r/tasks/t.md", "# T\n\n<!-- faber: include ./t.md -->\n"),
        ],
        &["roles/r/tasks/t.md:3:21"],
    ),
    bad(
        "dangling-reference",
        &[
            ("roles/r/prompt.md", "X.\n"),
            ("roles/r/tasks/t.md", "# T\n\n<!-- faber: include ./nope.md -->\n\n<!-- faber: include o.md -->\n"),
            ("roles/r/tasks/o.md", "O.\n"),
            (
                "roles/r/flows/f.md",
                "<!-- faber: include /contexts/standards/standards-base.md#Nope -->\n\n<!-- faber: include /contexts/standards/standards-base.md -->\n",
            ),
        ],
        &["roles/r/flows/f.md:1:21", "roles/r/tasks/t.md:3:21", "roles/r/tasks/t.md:5:21"],
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
    // Few levels, exponentially many includes.
    bad(
        "include-depth",
        &[(FILE, "<!-- faber: include ../partials/p0.md -->\n")],
        &["contexts/partials/p14.md:8:21"],
    )
    .prepared(|mut project| {
        for n in 0..15 {
            let text = format!("<!-- faber: include ./p{}.md -->\n", n + 1).repeat(20);
            project = project.file(&format!("contexts/partials/p{n}.md"), &text);
        }
        project.file("contexts/partials/p15.md", "X.\n")
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
        "dead-anchor",
        &[(FILE, "# A\n\n[b](#%C3%A9t) [c](#%C3%A9t%C3%A9)\n\n## Été\n\nX.\n")],
        &["contexts/standards/standards-a.md:3:6"],
    ),
    bad(
        "dead-anchor",
        &[(FILE, "# A\n\n[b](#short) [c](#in-short-short) [d](#b)\n\n## In short? { #short }\n\nX.\n")],
        &["contexts/standards/standards-a.md:3:18", "contexts/standards/standards-a.md:3:39"],
    ),
    good(
        "dead-anchor",
        &[(
            FILE,
            "# A\n\n[b](#short) [c](#in-brief) [d](#own) [e](#word)\n\n## In short? { #short }\n\nX.\n\n## In brief {: .wide #own }\n\nA [word]{#word}.\n",
        )],
    ),
    good(
        "dead-anchor",
        &[(
            FILE,
            "# A\n\n[b](#gov-uk-teams) [c](#-dockerignore)\n\n## GOV.UK teams\n\nX.\n\n## `.dockerignore`\n\nX.\n",
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
    // Once for all roles.
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
