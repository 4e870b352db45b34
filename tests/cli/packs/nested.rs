//! Packs of packs.

use super::remote::{ASSEMBLE, Remote, STYLE, project};

#[test]
fn packs_of_packs_are_locked_too() {
    let (base, top, project) = (Remote::new(), Remote::new(), project());
    base.commit(&[
        ("x/contexts/standards/standards-base.md", "# Base\n\nOf the base.\n"),
        ("y/contexts/standards/standards-base.md", "# Base\n\nOther.\n"),
    ]);
    top.commit(&[
        (STYLE, "# Style\n\nLong names.\n"),
        (".faber/config.yml", "packs:\n  base: { path: sub/base }\n"),
        ("sub/base/contexts/standards/standards-base.md", "# Base\n\nOf the base.\n"),
    ]);
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &top.url()]);
    let bundle = project.stdout(&ASSEMBLE);
    assert!(bundle.contains("Of the base.") && bundle.contains("Long names."), "{bundle}");
    assert!(project.text("faber.lock").contains("  base:\n"));
    let other = Remote::new();
    other.commit(&[
        (STYLE, "# Style\n\nZ.\n"),
        (".faber/config.yml", "packs:\n  base: { path: p }\n"),
        ("p/contexts/standards/standards-base.md", "# Base\n\nQ.\n"),
    ]);
    let run = project.run(&["pack", "add", "other", &other.url()]);
    run.refused(2, &["conflicting declarations of the pack `base`", "acme → base", "other → base"]);
    project.stdout(&["pack", "add", "base", &base.url(), "--path", "x"]);
    project.stdout(&["pack", "add", "other", &other.url()]);
}

fn nested() -> Remote {
    let top = Remote::new();
    top.commit(&[
        (STYLE, "# Style\n\nLong names.\n"),
        (".faber/config.yml", "packs:\n  base: { path: sub/base }\n"),
        (BASE, "---\nsealed: true\n---\n# Base\n\nOf the base.\n"),
    ]);
    top
}

const BASE: &str = "sub/base/contexts/standards/standards-base.md";

#[test]
fn commands_take_the_names_of_packs_in_packs() {
    let (top, project) = (nested(), project());
    project.stdout(&["trust"]);
    let added = project.run(&["pack", "add", "acme", &top.url()]);
    added.said(&["2 contexts always load"]);
    let old = top.commit_of("main");
    top.commit(&[(BASE, "# Base\n\nOf the new base.\n")]);
    let outdated = project.run(&["pack", "outdated"]);
    let names: Vec<_> = outdated.stdout.lines().map(|line| &line[..4]).collect();
    assert_eq!((outdated.code, names), (1, vec!["pack", "acme", "base"]));
    project.stdout(&["pack", "update", "base"]);
    let lock = project.text("faber.lock");
    assert!(lock.contains(&old) && lock.contains(&top.commit_of("main")), "{lock}");
    for arguments in [&["pack", "update", "--locked", "base"][..], &["pack", "relock", "base"]] {
        project.stdout(arguments);
    }
    project.run(&["pack", "update", "bas"]).refused(2, &["did you mean `base`"]);
    let (start, end) = (lock.find("  base:\n").unwrap(), lock.len());
    let project = project.file("faber.lock", &lock.replace(&lock[start..end], ""));
    let words =
        [".faber/config.yml:2", "`base`, a part of `acme`,", "run `faber pack update acme`"];
    project.run(&ASSEMBLE).refused(2, &words);
    project.stdout(&["pack", "update", "acme"]);
}

#[test]
fn a_removed_pack_that_another_pack_needs_is_that_of_the_other_pack() {
    let (top, project) = (nested(), project());
    top.git(&["tag", "v1"]);
    top.commit(&[(BASE, "# Base\n\nOf the new base.\n")]);
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &top.url(), "--ref", "main"]);
    project.stdout(&["pack", "add", "base", &top.url(), "--ref", "v1", "--path", "sub/base"]);
    assert!(project.stdout(&ASSEMBLE).contains("Of the base."));
    let removed = project.run(&["pack", "remove", "base"]);
    removed.said(&["another pack still needs `base`"]);
    let (old, new) = (top.commit_of("v1"), top.commit_of("main"));
    let head = format!("base: v1 ({}) → main ({}): 0 files added", &old[..12], &new[..12]);
    assert!(removed.stdout.starts_with(&head), "{}", removed.stdout);
    assert!(project.stdout(&ASSEMBLE).contains("Of the new base."));
    project.stdout(&["pack", "update", "--locked"]);
    project.stdout(&["pack", "add", "base", &top.url(), "--ref", "main", "--path", "sub/base"]);
    top.vanish();
    let said = project.stdout(&["pack", "remove", "base"]);
    assert!(said.ends_with("wrote faber.lock and .faber/config.yml\n"), "{said}");
    assert!(project.stdout(&ASSEMBLE).contains("Of the new base."));
}

#[test]
fn trust_in_packs_of_packs_is_a_matter_of_the_workspace() {
    let (top, project) = (nested(), project());
    let project =
        project.file("contexts/standards/standards-base.md", "# Base\n\nOf the workspace.\n");
    let added = project.run(&["pack", "add", "acme", &top.url()]);
    added.said(&["no update is fetched from", "`required` and `sealed` in packs have no effect"]);
    let validate = ["validate", "--deny", "warnings", "--format", "concise"];
    let run = project.run(&validate);
    assert!(
        run.stdout.contains(".faber/config.yml:2:3: warning[untrusted-pack]"),
        "{}",
        run.stdout
    );
    assert_eq!(run.code, 1);
    project.stdout(&["trust"]);
    let run = project.run(&validate);
    assert!(!run.stdout.contains("untrusted-pack"), "{}", run.stdout);
    assert!(run.stdout.contains("error[sealed-overridden]"), "{}", run.stdout);
}

#[test]
fn a_path_of_this_machine_in_a_pack_is_used_if_the_workspace_declares_it() {
    let (base, top, project) = (Remote::new(), Remote::new(), project());
    base.commit(&[("contexts/standards/standards-base.md", "# Base\n\nOf the base.\n")]);
    let config = format!("packs:\n  base: {{ git: \"{}\" }}\n", base.url());
    top.commit(&[(STYLE, "# Style\n\nLong names.\n"), (".faber/config.yml", &config)]);
    project.stdout(&["trust"]);
    let add = ["pack", "add", "acme", &top.url()];
    project.run(&add).refused(2, &["depends on `base` at `", "declare `base` in your own"]);
    project.stdout(&["pack", "add", "base", &base.url()]);
    project.stdout(&add);
    let bundle = project.stdout(&ASSEMBLE);
    assert!(bundle.contains("Of the base.") && bundle.contains("Long names."), "{bundle}");
}
