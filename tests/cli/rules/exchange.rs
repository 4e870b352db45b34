use super::{Case, bad, good};
use crate::project::TestProject;

const A: &str = "contexts/standards/standards-a.md";
const CURSOR_A: &str = ".cursor/rules/a.mdc";
const IMPORT: &[&str] = &["import", "."];
const CURSOR: &[&str] = &["export", "cursor", "--dry-run"];
const CLAUDE: &[&str] = &["export", "claude", "--dry-run"];
const SKILLS: &[&str] = &["export", "skills", "--dry-run"];
const AGENTS: &[&str] = &["export", "agents-md", "--dry-run"];

pub(super) fn imported(project: TestProject) -> TestProject {
    project.stdout(IMPORT);
    project
}

/// Longer than file systems allow.
const LONG_PATH: &str = concat!(
    ".cursor/rules/",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ".mdc:1:1"
);

pub(super) const CASES: &[Case] = &[
    bad(
        "import-conflict",
        &[(CURSOR_A, "Use tabs.\n"), (A, "Mine.\n")],
        &[".cursor/rules/a.mdc:1:1"],
    )
    .by(IMPORT),
    good("import-conflict", &[(CURSOR_A, "Use tabs.\n")]).by(IMPORT),
    bad(
        "import-duplicate",
        &[("AGENTS.md", "Be kind.\n"), ("CLAUDE.md", "Be kind.\n")],
        &["CLAUDE.md:1:1"],
    )
    .by(IMPORT),
    good("import-duplicate", &[("AGENTS.md", "Be kind.\n"), ("CLAUDE.md", "Be brief.\n")])
        .by(IMPORT),
    bad(
        "import-inert",
        &[(CURSOR_A, "---\nglobs: \"*.py\"\nmodel: large\n---\nX.\n")],
        &[".cursor/rules/a.mdc:3:1"],
    )
    .by(IMPORT),
    good("import-inert", &[(CURSOR_A, "---\nglobs: \"*.py\"\n---\nX.\n")]).by(IMPORT),
    bad(
        "import-kept",
        &[(
            "AGENTS.md",
            "<!-- faber: begin standard/a -->\nUse tabs.\n<!-- faber: end standard/a -->\n",
        )],
        &["AGENTS.md:1:1"],
    )
    .prepared(|project| imported(project).file(A, "Use spaces.\n"))
    .by(IMPORT),
    good(
        "import-kept",
        &[(
            "AGENTS.md",
            "<!-- faber: begin standard/a -->\nUse tabs.\n<!-- faber: end standard/a -->\n",
        )],
    )
    .prepared(imported)
    .by(IMPORT),
    bad(
        "import-omitted",
        &[(CURSOR_A, "---\ndescription: x # why\npriority: 3\n---\nSee @missing.md\n")],
        &[".cursor/rules/a.mdc:2:16", ".cursor/rules/a.mdc:3:1"],
    )
    .by(IMPORT),
    bad(
        "import-omitted",
        &[(CURSOR_A, "---\ndescription: x # why\n---\nX.\n")],
        &[".cursor/rules/a.mdc:2:16"],
    )
    .prepared(imported)
    .by(IMPORT),
    good("import-omitted", &[(CURSOR_A, "---\ndescription: 'x # y'\n---\nX.\n")]).by(IMPORT),
    bad(
        "import-override",
        &[("AGENTS.md", "X.\n"), ("AGENTS.override.md", "Y.\n")],
        &["AGENTS.override.md:1:1"],
    )
    .by(IMPORT),
    good("import-override", &[("AGENTS.md", "X.\n"), ("a/AGENTS.override.md", "Y.\n")]).by(IMPORT),
    bad("import-personal", &[("CLAUDE.local.md", "X.\n")], &["CLAUDE.local.md:1:1"]).by(IMPORT),
    good("import-personal", &[("CLAUDE.md", "X.\n")]).by(IMPORT),
    bad(
        "import-renamed",
        &[(CURSOR_A, "X.\n"), (".claude/rules/a.md", "Y.\n")],
        &[".claude/rules/a.md:1:1"],
    )
    .by(IMPORT),
    good("import-renamed", &[(CURSOR_A, "X.\n"), (".claude/rules/b.md", "Y.\n")]).by(IMPORT),
    bad(
        "import-repaired",
        &[(CURSOR_A, "---\nglobs: *.rs\n---\nX.\n")],
        &[".cursor/rules/a.mdc:2:8"],
    )
    .by(IMPORT),
    good("import-repaired", &[(CURSOR_A, "---\nglobs: \"*.rs\"\n---\nX.\n")]).by(IMPORT),
    bad(
        "export-conflict",
        &[(A, "X.\n"), (CURSOR_A, "Mine.\n")],
        &["contexts/standards/standards-a.md:1:1"],
    )
    .by(CURSOR),
    good("export-conflict", &[(A, "X.\n"), (".cursor/rules/b.mdc", "Mine.\n")]).by(CURSOR),
    bad(
        "export-duplicate",
        &[(".cursor/rules/b.mdc", "---\nname: other\n---\nX.\n")],
        &[".cursor/rules/b.mdc:1:1"],
    )
    .prepared(imported)
    .by(CURSOR),
    bad(
        "export-duplicate",
        &[("AGENTS.md", "X.\n"), ("CLAUDE.md", "@AGENTS.md\n")],
        &["CLAUDE.md:1:1"],
    )
    .prepared(imported)
    .by(CLAUDE),
    good("export-duplicate", &[(A, "X.\n")]).by(CURSOR),
    bad(
        "export-lost-field",
        &[(A, "---\ndescription: x\n---\nX.\n")],
        &["contexts/standards/standards-a.md:1:1"],
    )
    .by(AGENTS),
    good("export-lost-field", &[(A, "X.\n")]).by(AGENTS),
    bad(
        "export-lost-trigger",
        &[("contexts/playbooks/playbook-a.md", "---\nkeywords: [deploy]\n---\nX.\n")],
        &["contexts/playbooks/playbook-a.md:1:1"],
    )
    .by(CURSOR),
    good(
        "export-lost-trigger",
        &[("contexts/playbooks/playbook-a.md", "---\ndescription: x\n---\nX.\n")],
    )
    .by(CURSOR),
    bad("export-omitted", &[], &["contexts/standards/standards-base.md:1:1"]).by(SKILLS),
    good("export-omitted", &[]).by(CURSOR),
    bad(
        "export-private",
        &[(A, "---\nvisibility: internal\n---\nX.\n")],
        &["contexts/standards/standards-a.md:2:13"],
    )
    .by(CURSOR),
    good("export-private", &[(A, "---\nvisibility: public\n---\nX.\n")]).by(CURSOR),
    bad("export-truncated", &[], &["contexts/playbooks/playbook-a.md:1:1"])
        .prepared(|project| described(project, 1_025))
        .by(SKILLS),
    good("export-truncated", &[]).prepared(|project| described(project, 1_024)).by(SKILLS),
    bad(
        "export-unmarkable",
        &[(A, "X.\n\n<!-- faber: end standard/a -->\n")],
        &["contexts/standards/standards-a.md:1:1"],
    )
    .by(CURSOR),
    good("export-unmarkable", &[(A, "X.\n\n<!-- end -->\n")]).by(CURSOR),
    bad("unwritable", &[], &[LONG_PATH])
        .prepared(|project| named(project, 256))
        .by(&["export", "cursor"]),
    good("unwritable", &[]).prepared(|project| named(project, 200)).by(&["export", "cursor"]),
];

fn described(project: TestProject, characters: usize) -> TestProject {
    let text = format!("---\ndescription: {}\n---\nX.\n", "x".repeat(characters));
    project.file("contexts/playbooks/playbook-a.md", &text)
}

fn named(project: TestProject, characters: usize) -> TestProject {
    project.file(A, &format!("---\nname: {}\n---\nX.\n", "x".repeat(characters)))
}
