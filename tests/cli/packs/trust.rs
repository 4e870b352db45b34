//! What counts only after `faber trust`.

use crate::project::TestProject;

/// A workspace in a repository of its own with a pack next to it.
fn project() -> TestProject {
    TestProject::empty()
        .dir("ws/.git")
        .dir("ws/.faber")
        .file("ws/roles/clerk/prompt.md", "# Clerk\n\nYou sort.\n")
        .file("ws/.faber/config.yml", "packs:\n  house: { path: ../house }\n")
        .file("house/contexts/standards/standards-house.md", "# House\n\nWipe your feet.\n")
}

const ASSEMBLE: [&str; 6] = ["-C", "ws", "assemble", "clerk", "--request", "x"];

#[test]
fn a_folder_outside_of_the_repository_counts_when_the_workspace_is_trusted() {
    let project = project();
    project.run(&ASSEMBLE).refused(2, &["unavailable-pack", "run `faber trust`"]);
    let said = project.stdout(&["-C", "ws", "trust"]);
    assert!(said.contains("house") && said.contains("../house"), "{said}");
    for _ in 0..2 {
        assert!(project.stdout(&ASSEMBLE).contains("Wipe your feet."));
    }
    let list = project.stdout(&["trust", "--list"]);
    assert!(list.trim().ends_with("ws"), "{list}");
    // What is declared is another now.
    let project = project.file("ws/.faber/config.yml", "packs:\n  other: { path: ../house }\n");
    project.run(&ASSEMBLE).refused(2, &["run `faber trust`"]);
    project.stdout(&["-C", "ws", "trust"]);
    assert!(project.stdout(&ASSEMBLE).contains("Wipe your feet."));
    project.stdout(&["-C", "ws", "trust", "--revoke"]);
    project.run(&ASSEMBLE).refused(2, &["run `faber trust`"]);
    assert_eq!(project.stdout(&["trust", "--list"]), "");
}

#[test]
fn a_nested_workspace_uses_the_root_of_its_repository_without_trust() {
    let project = TestProject::empty()
        .dir(".git")
        .file(".faber/config.yml", "")
        .file(
            "overlays/organization/contexts/standards/standards-root.md",
            "---\nsealed: true\n---\n# Root\n\nOf the root.\n",
        )
        .file("apps/web/.faber/config.yml", "packs:\n  root: { path: ../.. }\n")
        .file("apps/web/roles/clerk/prompt.md", "# Clerk\n\nYou sort.\n")
        .file(
            "apps/web/.faber/overlays/teams/a/contexts/standards/standards-root.md",
            "# Root\n\nOurs.\n",
        );
    let arguments = ["-C", "apps/web", "assemble", "clerk", "--request", "x", "--team", "a"];
    let run = project.run(&arguments);
    run.said(&["sealed-overridden"]);
    let arguments = &arguments[..6];
    assert!(project.stdout(arguments).contains("Of the root."));
}

#[test]
fn sealed_counts_for_packs_of_a_trusted_workspace_alone() {
    let project = project()
        .file(
            "house/contexts/standards/standards-house.md",
            "---\nsealed: true\n---\n# House\n\nFeet.\n",
        )
        .file("ws/contexts/standards/standards-house.md", "# House\n\nOurs.\n");
    project.stdout(&["-C", "ws", "trust"]);
    project.run(&ASSEMBLE).said(&["sealed-overridden"]);
}
