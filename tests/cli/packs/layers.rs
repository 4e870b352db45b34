//! Packs as layers.

use crate::project::TestProject;

const A: &str = "contexts/standards/standards-style.md";

fn project() -> TestProject {
    TestProject::with_role()
        .file(
            ".faber/config.yml",
            "packs:\n  acme: { path: shared/acme }\n  house: { path: shared/house }\n",
        )
        .file(
            "shared/acme/contexts/standards/standards-style.md",
            "# Style\n\n## Names\n\nLong names.\n\n## Length\n\nShort.\n",
        )
        .file("shared/acme/contexts/patterns/pattern-retry.md", "# Retry\n\nRetry thrice.\n")
        .file("shared/house/contexts/standards/standards-house.md", "# House\n\nWipe your feet.\n")
}

fn assembled(project: &TestProject) -> String {
    project.stdout(&["assemble", "clerk", "--request", "x"])
}

#[test]
fn contexts_of_packs_are_layers_below_those_of_the_workspace() {
    let project = project();
    let bundle = assembled(&project);
    for text in ["Long names.", "Short.", "Wipe your feet."] {
        assert!(bundle.contains(text), "{bundle}");
    }
    let layers = project.json(&["list", "layers", "--format", "json"]);
    let rows: Vec<_> = layers["layers"].as_array().unwrap().iter().take(3).collect();
    let packs: Vec<_> = rows.iter().map(|row| row["pack"]["name"].as_str()).collect();
    assert_eq!(packs, [Some("acme"), Some("house"), None]);
    assert!(rows.iter().all(|row| row["layer"] == "project"));
    assert_eq!(rows[0]["path"], ".faber/packs/acme");
    assert_eq!(rows[0]["documents"], 2);
    let blame = project.stdout(&["show", "standard/style", "--blame"]);
    assert!(blame.contains("shared/acme/contexts/standards/standards-style.md:3"), "{blame}");
    let explained = project.stdout(&["explain", "--role", "clerk", "--request", "x"]);
    assert!(explained.contains("project of acme"), "{explained}");
    let show = project.stdout(&["config", "show", "--origin"]);
    assert!(show.contains("acme") && show.contains(".faber/config.yml:2"), "{show}");
}

#[test]
fn overlays_of_the_workspace_work_on_sections_of_packs() {
    let project = project().file(
        ".faber/overlays/organization/contexts/standards/standards-style.md",
        "---\nstrategy: merge\nsections: { Names: override }\n---\n## Names\n\nBrief names.\n",
    );
    let shown = project.stdout(&["show", "standard/style"]);
    assert!(shown.contains("Brief names.") && shown.contains("Short."), "{shown}");
    assert!(!shown.contains("Long names."), "{shown}");
    let own = project.file(A, "# Style\n\nOurs.\n");
    let shown = own.stdout(&["show", "standard/style"]);
    assert!(shown.contains("Ours.") || shown.contains("Brief names."), "{shown}");
    assert!(!shown.contains("Short."), "the library of the workspace wins: {shown}");
}

#[test]
fn overlays_of_packs_come_before_those_of_the_workspace() {
    let project = project()
        .file(
            "shared/acme/overlays/organization/contexts/standards/standards-house.md",
            "---\nstrategy: append\n---\n- of the pack\n",
        )
        .file(
            ".faber/overlays/organization/contexts/standards/standards-house.md",
            "---\nstrategy: append\n---\n- of the workspace\n",
        );
    let shown = project.stdout(&["show", "standard/house"]);
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}"));
    assert!(at("Wipe") < at("of the pack") && at("of the pack") < at("of the workspace"));
}

#[test]
fn the_later_of_two_packs_wins_and_a_finding_says_so() {
    let project =
        project().file("shared/house/contexts/standards/standards-style.md", "# Style\n\nBlue.\n");
    let bundle = assembled(&project);
    assert!(bundle.contains("Blue.") && !bundle.contains("Long names."), "{bundle}");
    let data = project.run(&["validate", "--format", "json"]);
    let data: serde_json::Value = serde_json::from_str(&data.stdout).unwrap();
    let found = data["findings"].as_array().unwrap();
    let found: Vec<_> = found.iter().filter(|it| it["rule"] == "pack-collision").collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["path"], ".faber/packs/house/contexts/standards/standards-style.md");
}

#[test]
fn a_path_of_a_file_that_is_in_a_pack_is_corrected() {
    let project = project().file(
        "roles/clerk/prompt.md",
        "# Clerk\n\n- \"again\" → Load `/contexts/patterns/pattern-retry.md`\n",
    );
    let run = project.run(&["validate"]);
    let help = "`pattern/retry` is in the pack `acme`: write `pattern-retry.md`";
    run_said_in_output(&run.stdout, &["dangling-reference", help]);
}

#[test]
fn a_qualified_id_names_the_context_of_a_pack() {
    let project =
        project().file("shared/house/contexts/standards/standards-style.md", "# Style\n\nBlue.\n");
    assert!(project.stdout(&["show", "house:standard/style"]).contains("Blue."));
    assert!(project.stdout(&["show", "acme:pattern/retry"]).contains("thrice"));
    project.run(&["show", "house:pattern/retry"]).refused(2, &["unknown context"]);
    let project = project.file(
        "contexts/standards/standards-own.md",
        "---\nrelated: [acme:pattern/retry, acme:pattern/no]\n---\n# Own\n\nOurs.\n",
    );
    assert!(assembled(&project).contains("Retry thrice."));
    let run = project.run(&["validate"]);
    run_said_in_output(&run.stdout, &["dangling-related", "acme:pattern/no"]);
}

#[test]
fn a_qualified_id_means_the_pack_even_if_another_pack_wins() {
    let project = project()
        .file("shared/house/contexts/standards/standards-style.md", "# Style\n\nBlue.\n")
        .file(
            ".faber/overlays/organization/contexts/standards/standards-style.md",
            "---\nstrategy: append\n---\n- ours\n",
        );
    let shown = project.stdout(&["show", "acme:standard/style"]);
    assert!(shown.contains("Long names.") && shown.contains("- ours"), "{shown}");
    assert!(!shown.contains("Blue."), "{shown}");
    let with = ["assemble", "clerk", "--request", "x", "--with", "acme:standard/style"];
    let bundle = project.stdout(&with);
    assert!(bundle.contains("Long names.") && !bundle.contains("Blue."), "{bundle}");
    let data = project.json(&[&with[..], &["--format", "json"]].concat());
    let excluded = data["excluded"].as_array().unwrap();
    let excluded: Vec<_> = excluded.iter().filter(|it| it["id"] == "standard/style").collect();
    assert_eq!(excluded.len(), 1, "{excluded:?}");
    assert_eq!(excluded[0]["path"], ".faber/packs/house/contexts/standards/standards-style.md");
    let without = ["assemble", "clerk", "--request", "x", "--without", "acme:standard/style"];
    project.run(&without).refused(2, &["`acme:standard/style` is not in use", "faber show"]);
    assert!(project.stdout(&["expand", "house:standard/style"]).contains("Blue."));
    let retry = project.stdout(&["expand", "acme:pattern/retry"]);
    assert!(retry.contains("thrice"), "{retry}");
    project
        .run(&["expand", "acme:standard/style"])
        .refused(2, &["`acme:standard/style` is not in use", "faber show acme:standard/style"]);
    project.run(&["expand", "acme:standard/no"]).refused(2, &["unknown id"]);
}

#[test]
fn texts_of_packs_are_found_again() {
    let project = project();
    let is_known = || project.stdout(&["search", "thrice"]).contains("Retry thrice.");
    assert!(is_known());
    // Views are cached once files are older than the clock's resolution.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!((0..3).all(|_| is_known()));
    assert!(project.stdout(&["expand", "pattern/retry"]).contains("thrice"));
}

#[test]
fn roles_of_packs_are_used_and_extended() {
    let project = project()
        .file("shared/acme/roles/reviewer/prompt.md", "# Reviewer\n\nYou review.\n")
        .file(
            "shared/acme/roles/reviewer/contexts/standards/standards-review.md",
            "# Review\n\nBe kind.\n",
        )
        .file("roles/clerk/agent.yml", "name: clerk\nextends: \"@acme:reviewer\"\n");
    assert!(assembled(&project).contains("Be kind."));
    let roles = project.json(&["list", "roles", "--format", "json"]);
    let names: Vec<_> =
        roles["roles"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["clerk", "reviewer"]);
    for name in ["reviewer", "@acme:reviewer"] {
        let bundle = project.stdout(&["assemble", name, "--request", "x"]);
        assert!(bundle.contains("You review.") && bundle.contains("Be kind."), "{bundle}");
    }
    let project = project
        .file("roles/reviewer/prompt.md", "# Ours\n\nWe review.\n")
        .file("roles/reviewer/agent.yml", "name: reviewer\nextends: \"@acme:reviewer\"\n");
    let own = project.stdout(&["assemble", "reviewer", "--request", "x"]);
    assert!(own.contains("We review.") && own.contains("Be kind."), "{own}");
    let theirs = project.stdout(&["assemble", "@acme:reviewer", "--request", "x"]);
    assert!(theirs.contains("You review."), "{theirs}");
}

#[test]
fn references_of_a_pack_stay_in_it() {
    let project = project()
        .file("secret.md", "# Secret\n\nOf the workspace.\n")
        .file("shared/acme/contexts/standards/partials/p.md", "Included.\n")
        .file(
            "shared/acme/contexts/standards/standards-in.md",
            "# In\n\n<!-- faber: include ./partials/p.md -->\n",
        )
        .file(
            "shared/house/contexts/standards/standards-out.md",
            "# Out\n\n<!-- faber: include ../../../../../secret.md -->\n",
        );
    let shown = project.stdout(&["show", "standard/in"]);
    assert!(shown.contains("Included."), "{shown}");
    let run = project.run(&["assemble", "clerk", "--request", "x"]);
    assert!(!run.stdout.contains("Of the workspace."));
    run.said(&["path-escape"]);
}

#[test]
fn a_pack_in_a_pack_is_below_it_and_a_conflict_shows_both_chains() {
    let project = project()
        .file("shared/acme/.faber/config.yml", "packs:\n  base: { path: ../base }\n")
        .file("shared/base/contexts/standards/standards-style.md", "# Style\n\nBase.\n")
        .file("shared/base/contexts/standards/standards-base.md", "# Base\n\nOf the base.\n");
    let bundle = assembled(&project);
    assert!(bundle.contains("Of the base.") && bundle.contains("Long names."), "{bundle}");
    let project = project
        .file("shared/house/.faber/config.yml", "packs:\n  base: { path: ../other }\n")
        .file("shared/other/contexts/standards/standards-base.md", "# Base\n\nOf the other.\n");
    let run = project.run(&["validate"]);
    run_said_in_output(&run.stdout, &["acme → base", "house → base", "conflicting declarations"]);
    let project = project.file(
        ".faber/config.yml",
        "packs:\n  base: { path: shared/other }\n  acme: { path: shared/acme }\n  house: { path: shared/house }\n",
    );
    assert!(assembled(&project).contains("Of the other."));
}

fn run_said_in_output(output: &str, words: &[&str]) {
    let output: String = output.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(output.contains(word), "{word}: {output}");
    }
}

#[test]
fn what_is_stored_knows_of_changes_in_a_pack() {
    let project = project();
    for _ in 0..3 {
        assert!(assembled(&project).contains("Long names."));
    }
    let project =
        project.file("shared/acme/contexts/standards/standards-style.md", "# Style\n\nNew.\n");
    assert!(assembled(&project).contains("New."));
    let project =
        project.file("shared/acme/contexts/standards/standards-more.md", "# More\n\nAdded.\n");
    assert!(assembled(&project).contains("Added."));
    let project = project.file(".faber/config.yml", "packs:\n  house: { path: shared/house }\n");
    assert!(!assembled(&project).contains("New."));
}

#[test]
fn files_of_packs_are_not_fixed_here() {
    let text = "---\ncategory: pattern\n---\n# Style\n\nX.\n";
    let project = project().file("shared/acme/contexts/standards/standards-style.md", text);
    let before = project.files();
    let run = project.run(&["validate", "--fix"]);
    run_said_in_output(&run.stdout, &["category-mismatch", "in the pack `acme`"]);
    assert_eq!(project.files(), before);
}

#[test]
fn the_users_own_packs_hold_everywhere_and_are_left_out_with_the_user() {
    let mut project = project()
        .file("home-config/faber/config.yml", "packs:\n  mine: { path: rules }\n")
        .file("home-config/faber/rules/contexts/standards/standards-mine.md", "# Mine\n\nTabs.\n");
    let config = project.path("home-config").to_str().unwrap().to_owned();
    project.set_env(vec![("XDG_CONFIG_HOME".to_owned(), config)]);
    assert!(assembled(&project).contains("Tabs."));
    let layers = project.json(&["list", "layers", "--format", "json"]);
    let row = layers["layers"].as_array().unwrap().iter().find(|it| it["pack"]["name"] == "mine");
    assert_eq!(row.unwrap()["layer"], "user");
    let without = project.stdout(&["assemble", "clerk", "--request", "x", "--no-user"]);
    assert!(!without.contains("Tabs."), "{without}");
}

#[test]
fn mistakes_in_packs_are_findings() {
    for (packs, words) in [
        ("a: {}", "the pack `a` has no source"),
        ("A: { path: x }", "invalid pack name `A`"),
        ("a: { skills: \"https://x\", ref: v1 }", "`ref` cannot be used with `skills`"),
        ("a: { git: \"ext::id\" }", "not an address of a repository"),
        ("a: { git: \"http://x/y\" }", "not fetched over `http`"),
        ("a: { git: \"https://x/y\", path: ../z }", "leads out of the repository"),
        ("a: { git: \"https://x/y\", ref: -x }", "invalid ref `-x`"),
        ("a: { path: gone }", "is not a directory"),
        ("a: { git: \"https://x/y\" }", "it is not in faber.lock"),
        ("allow: [\"https://x/*\"], a: { path: gone }", "`packs.allow` does not allow `gone`"),
    ] {
        let project =
            TestProject::with_role().file(".faber/config.yml", &format!("packs: {{ {packs} }}\n"));
        let run = project.run(&["validate"]);
        assert_ne!(run.code, 0, "{packs}");
        run_said_in_output(&run.stdout, &[words]);
    }
}
