use crate::project::TestProject;

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
    let project = project.file("ws/.faber/config.yml", "packs:\n  other: { path: ../house }\n");
    let changed = "`packs` changed since the workspace was trusted";
    project.run(&ASSEMBLE).refused(2, &[changed, "run `faber trust`"]);
    let list = project.stdout(&["trust", "--list"]);
    assert!(list.ends_with("ws  `packs` changed; run `faber trust` there\n"), "{list}");
    std::fs::rename(project.path("ws"), project.path("gone")).unwrap();
    let list = project.stdout(&["trust", "--list"]);
    assert!(list.ends_with("ws  does not exist\n"), "{list}");
    std::fs::rename(project.path("gone"), project.path("ws")).unwrap();
    project.stdout(&["-C", "ws", "trust"]);
    assert!(project.stdout(&ASSEMBLE).contains("Wipe your feet."));
    project.stdout(&["-C", "ws", "trust", "--revoke"]);
    project.run(&ASSEMBLE).refused(2, &["run `faber trust`"]);
    assert_eq!(project.stdout(&["trust", "--list"]), "");
}

#[test]
fn a_folder_without_contexts_is_added_too() {
    let project = TestProject::with_role().dir("sub/contexts");
    let said = project.stdout(&["pack", "add", "house", "./sub"]);
    assert_eq!(said, "wrote .faber/config.yml\n");
    assert!(project.text(".faber/config.yml").contains("house: { path:"));
}

#[test]
fn a_folder_is_declared_and_not_locked() {
    let project = project()
        .file("ws/.faber/config.yml", "")
        .file("ws/shared/contexts/standards/standards-b.md", "# B\n\nB.\n");
    let add = |source: &str| project.run(&["-C", "ws", "pack", "add", "shared", source]);
    add("shared").refused(2, &["`shared` is not an address of a repository", "`./DIR`"]);
    let said = add("./shared").stdout;
    assert!(said.ends_with("\nwrote .faber/config.yml\n"), "{said}");
    assert!(!project.path("ws/faber.lock").exists());
    let config = project.text("ws/.faber/config.yml");
    add("./gone").refused(2, &["`./gone` is not a directory"]);
    let run = project.run(&["-C", "ws", "pack", "add", "b", "./shared", "--path", "x"]);
    run.refused(2, &["`--path` needs a repository", "use `./shared/x`"]);
    assert_eq!(project.text("ws/.faber/config.yml"), config);
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

/// Workspaces share the root as a pack.
fn monorepo() -> TestProject {
    TestProject::empty()
        .dir(".git")
        .file(".faber/config.yml", "")
        .file(
            "overlays/organization/contexts/standards/standards-root.md",
            "# Root\n\nOf the root.\n",
        )
        .file("contexts/standards/standards-shared.md", "# Shared\n\nOf all.\n")
        .file("roles/reviewer/prompt.md", "# Reviewer\n\nYou review.\n")
        .file("apps/web/.faber/config.yml", "packs:\n  root: { path: ../.. }\n")
        .file("apps/web/roles/clerk/prompt.md", "# Clerk\n\nYou sort.\n")
        .file("apps/web/contexts/standards/standards-shared.md", "# Shared\n\nOf the web.\n")
}

#[test]
fn workspaces_of_a_monorepo_inherit_from_its_root() {
    let project = monorepo();
    let assemble = ["-C", "apps/web", "assemble", "clerk", "--request", "x"];
    let bundle = project.stdout(&assemble);
    assert!(bundle.contains("Of the root.") && bundle.contains("Of the web."), "{bundle}");
    assert!(!bundle.contains("Of all."), "{bundle}");
    let reviewer = project.stdout(&["-C", "apps/web", "assemble", "reviewer", "--request", "x"]);
    assert!(reviewer.contains("You review."), "{reviewer}");
    let project = project.dir("apps/web/src");
    assert_eq!(
        project.stdout(&["-C", "apps/web/src", "assemble", "clerk", "--request", "x"]),
        bundle
    );
    let project =
        project.file("apps/web/.faber/config.yml", "packs:\n  root: { path: ../../.. }\n");
    project.run(&assemble).refused(2, &["is outside the repository", "run `faber trust`"]);
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let submodule = |project: TestProject| {
        project
            .file("vendor/context/.git", "gitdir: ../../.git/modules/context\n")
            .file("vendor/context/contexts/standards/standards-sub.md", "# Sub\n\nOf the module.\n")
    };
    let project = submodule(monorepo());
    let config = "packs:\n  context: { path: ../../vendor/context }\n";
    let project = project.file("apps/web/.faber/config.yml", config);
    let assemble = ["-C", "apps/web", "assemble", "clerk", "--request", "x"];
    project.run(&assemble).refused(2, &["is outside the repository"]);
    project.stdout(&["-C", "apps/web", "trust"]);
    assert!(project.stdout(&assemble).contains("Of the module."));
    let project = project
        .file("vendor/context/.faber/config.yml", "packs:\n  root: { path: ../.. }\n")
        .file("vendor/context/roles/clerk/prompt.md", "# Clerk\n\nYou sort.\n");
    let run = project.run(&["-C", "vendor/context", "assemble", "clerk", "--request", "x"]);
    run.refused(2, &["is outside the repository"]);
}

#[test]
fn a_folder_outside_is_added_only_where_the_workspace_is_trusted() {
    let project =
        monorepo().file("../shared/contexts/standards/standards-far.md", "# Far\n\nOf afar.\n");
    let add = ["-C", "apps/web", "pack", "add", "far", "../../../shared"];
    let before = project.text("apps/web/.faber/config.yml");
    project.run(&add).refused(2, &["outside of the repository", "run `faber trust`, then add it"]);
    assert_eq!(project.text("apps/web/.faber/config.yml"), before);
    project.stdout(&["-C", "apps/web", "trust"]);
    let told = project.stdout(&add);
    assert!(told.contains("standard/far") && !told.contains("unavailable-pack"), "{told}");
    let bundle = project.stdout(&["-C", "apps/web", "assemble", "clerk", "--request", "x"]);
    assert!(bundle.contains("Of afar."), "{bundle}");
}
