use super::*;

const RECORD: &str =
    "# 1. Use Go\n\nDate: 2024-01-15\n\n## Status\n\nSTATUS\n\n## Context\n\nTwo teams.\n";

#[test]
fn documents_of_no_known_format_can_be_imported_all_the_same() {
    let project = TestProject::empty()
        .file("docs/a.md", "# A\n\nText.\n")
        .file("docs/b.md", "# B\n\nText.\n")
        .file("docs/c/_index.md", "---\ntitle: C\n---\n\n# C\n");
    let help = "to import the 3 Markdown files as documents, run `faber import markdown docs`";
    let formats = "; other formats: agents-md, ";
    let run = project.run(&["import", "docs"]);
    run.refused(2, &["no files of a known format", help, formats]);
    assert!(!run.stderr.contains(", markdown"), "{}", run.stderr);
    let run = project.run(&["-v", "import", "markdown", "docs"]);
    run.said(&[
        "docs/c/_index.md:1:1: hint[import-omitted] this document has no text; not imported",
    ]);
    run.said(&["2 files imported\n"]);
    assert_eq!(project.stdout(&["list"]).lines().count(), 3);
    let run = project.run(&["import", "markdown", "docs/c/_index.md"]);
    run.said(&["this document has no text; not imported", "0 files imported"]);
}

#[test]
fn a_part_of_a_document_names_neither_it_nor_what_it_is_about() {
    let page = "---\nlast_modified: 2025-01-01\n---\n\nA tool.\n\n## Install\n\nRun it.\n";
    let project = TestProject::empty()
        .file("docs/tool.md", page)
        .file("docs/demo.md", "## zh-CN\n\nText.\n\n## en-US\n\nText.\n")
        .file("docs/names.md", "## Names\n\n- Short.\n\n### Of files\n\nLong.\n")
        .file("docs/index.en-US.md", "# Button\n\n## When\n\nTo start it.\n")
        .file("docs/index.zh-CN.md", "# Button\n\n## 何时\n\n开始。\n");
    let run = project.run(&["import", "markdown", "docs"]);
    run.said(&["4 files imported\n", "1 translation left out"]);
    for (name, front) in [
        ("tool", "description: A tool.\nlast_modified: \"2025-01-01\"\n"),
        ("demo", "description: Text.\n"),
        ("names", "title: Names\ndescription: \"Names: Short.\"\n"),
        ("index.en-US", "title: Button\ndescription: \"Button: To start it.\"\n"),
    ] {
        let text = project.text(&format!("contexts/references/reference-{name}.md"));
        assert!(text.starts_with(&format!("---\n{front}---\n")), "{text}");
    }
}

#[test]
fn documents_in_other_forms_and_folders_without_documents_are_reported() {
    let project = TestProject::empty()
        .file("a/x.md", "# X\n\nText.\n")
        .file("b/y.rst", "Y\n")
        .file("b/z.html.md.erb", "# Z\n");
    let run = project.run(&["import", "markdown", "a", "b"]);
    run.said(&[
        "b:1:1: warning[import-omitted] no files to import here\n1 file imported, 1 warning\n",
        "1 `.md.erb` file left out; documents end in `.md`, `.mdx` or `.markdown`\n1 `.rst` file left",
    ]);
    project.run(&["import", "--update"]).said(&["0 files imported, 1 unchanged\n"]);
    project
        .run(&["import", "markdown", "b"])
        .refused(2, &["names that end in `.md`, `.mdx` or `.markdown`"]);
}

#[test]
fn documents_in_mdx_lose_only_their_modules() {
    let text = "---\ntitle: Use SSE\n---\n\nimport { Badge } from \"/badge.mdx\"\n\n\
        <Badge version=\"1\" />\n\nA stream is [one-way](b.md). See [more](guide/).\n";
    let project = TestProject::with_role()
        .file("docs/a.mdx", text)
        .file("docs/b.md", "# One way\n\nThe client [reads](a.mdx#use).\n")
        .file("docs/badge.mdx", "export const Badge = ({version}) => {\n\n  return version\n}\n")
        .file("docs/guide/index.mdx", "# Guide\n\nRead this.\n")
        .file("CLAUDE.md", "Read @docs/guide/index.mdx\n");
    let help = "to import the 4 Markdown files as documents, run `faber import markdown docs`";
    project.run(&["import", "docs"]).refused(2, &[help]);
    let run = project.run(&["-v", "import", "markdown", "docs"]);
    run.said(&["docs/badge.mdx:1:1: hint[import-omitted] this document has no text"]);
    run.said(&["3 files imported\n"]);
    let document = |name: &str| project.text(&format!("contexts/references/reference-{name}.md"));
    let a = "---\ntitle: Use SSE\ndescription: A stream is one-way.\n---\n\n<Badge version=\"1\" />\n\n\
        A stream is [one-way](./reference-b.md). See [more](./reference-guide.md).\n";
    assert_eq!(document("a"), a);
    assert!(document("b").contains("[reads](./reference-a.md#use)"));
    project.stdout(&["import", "CLAUDE.md"]);
    let claude = project.text("contexts/standards/standards-claude.md");
    assert!(claude.contains("reference-guide.md"), "{claude}");
    assert_eq!(project.run(&["import", "--check"]).code, 0);
    let project = project.file("docs/a.mdx", &text.replace("one-way]", "simple]"));
    assert_eq!(project.run(&["import", "--check"]).code, 1);
    project.run(&["import", "--update"]).said(&["0 files imported, 1 updated, 3 unchanged\n"]);
    let text = project.text("contexts/references/reference-a.md");
    assert!(text.contains("[simple](./reference-b.md)"), "{text}");
}

#[test]
fn readmes_and_evals_of_plugins_are_no_documents() {
    let project = TestProject::with_role()
        .file("lint/.claude-plugin/plugin.json", "{}")
        .file("lint/README.md", "# Lint\n\nInstall it.\n")
        .file("lint/docs/README.md", "# Rules\n\nName all.\n")
        .file("lint/evals/case/prompt.md", "# Case\n\nFind it.\n")
        .file("other/README.md", "# Other\n\nText.\n");
    let left = "2 files of plugins left out (READMEs and `evals`)\n";
    let run = project.run(&["-v", "import", "markdown", "."]);
    let listed = "plugin  lint/README.md\nplugin  lint/evals/case/prompt.md\n";
    run.said(&["2 files imported\n", listed, left]);
    assert!(project.text("contexts/references/reference-other.md").contains("Text."));
    assert!(project.text("contexts/references/reference-docs.md").contains("Name all."));
    let run = project.run(&["import", "--update"]);
    run.said(&["0 files imported, 2 unchanged\n"]);
    project.run(&["import", "markdown", "lint/evals"]).said(&["1 file imported\n"]);
}

#[test]
fn a_decision_that_is_not_valid_is_left_out() {
    let front = format!("---\nstatus: superseded by 1\n---\n{}", RECORD.replace("Go", "Perl"));
    let project = TestProject::with_role()
        .file("adr/1.md", &RECORD.replace("STATUS", "✅ Accepted"))
        .file("adr/2.md", &RECORD.replace("STATUS", "Superseded by [1](1.md)").replace("Go", "C"))
        .file("adr/3.md", &front);
    let run = project.run(&["import", "markdown", "adr"]);
    let note =
        "warning[import-omitted] this decision is outdated; imported with `status: deprecated`";
    run.said(&[&format!("adr/2.md:1:1: {note}"), &format!("adr/3.md:1:1: {note}"), "2 warnings\n"]);
    let text = project.text("contexts/references/reference-1.md");
    assert!(
        text.starts_with(
            "---\ntitle: \"1. Use Go\"\ndescription: \"1. Use Go: Two teams.\"\n---\n"
        ),
        "{text}"
    );
    let text = project.text("contexts/references/reference-2.md");
    assert!(text.contains("\nstatus: deprecated\n---\n"), "{text}");
    let found = project.stdout(&["search", "use"]);
    assert!(found.contains("reference/1") && !found.contains("reference/2"), "{found}");
    assert_eq!(project.run(&["import", "--check"]).code, 0);
    assert_eq!(project.run(&["validate", "--deny", "warnings"]).code, 0);
}

#[test]
fn a_document_that_no_bundle_will_have_is_reported_once() {
    let project = TestProject::with_role()
        .file("docs/a.md", "# Leaving\n\nText.\n\nWrite to pay\u{200b}\u{200b}@example.com.\n")
        .file("docs/b.md", "# Other\n\nWrite to pay@example.com.\n");
    let note = "docs/a.md:5:13: warning[zero-width] no bundle will have this line: 2 invisible";
    let again = ["import", "markdown", "docs"];
    project.run(&again).said(&[note, "2 files imported, 1 warning\n"]);
    assert_eq!(project.run(&again).stderr, "0 files imported, 2 unchanged\n");
    let own = project.path("own");
    let project = project
        .env("XDG_CONFIG_HOME", own.to_str().unwrap())
        .file("own/faber/config.yml", "validate:\n  rules:\n    zero-width: off\n")
        .file("docs/a.md", "Write to pay\u{200b}\u{200b}@example.com.\n");
    project.run(&again).said(&["0 files imported, 1 updated, 1 unchanged\n"]);
}

#[test]
fn the_title_describes_a_document_without_sentences() {
    let tag = "---\ntitle: SQL\n---\n\n<page-title/>\n\n";
    let project = TestProject::with_role()
        .file("docs/a.md", &format!("{tag}本書は規約です。\n\n# はじめに\n"))
        .file("docs/b.md", &format!("{tag}# はじめに\n\n| a |\n|---|\n"));
    project.stdout(&["import", "markdown", "docs"]);
    for (name, expected) in [("a", "\"本書は規約です。\""), ("b", "SQL")] {
        let text = project.text(&format!("contexts/references/reference-{name}.md"));
        assert!(text.contains(&format!("description: {expected}\n---\n")), "{text}");
    }
}
