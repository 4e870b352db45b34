//! Packs of the user's configuration.

use super::remote::{ASSEMBLE, Remote, STYLE, project, remote};
use crate::project::TestProject;

const CONFIG: &str = "../home/.config/faber/config.yml";
const LOCK: &str = "../home/.config/faber/faber.lock";

fn add(project: &TestProject, remote: &Remote, reference: &str) -> String {
    let url = remote.url();
    project.stdout(&["pack", "add", "acme", &url, "--ref", reference, "--user"])
}

#[test]
fn a_pack_of_the_user_is_pinned_and_holds_in_every_workspace() {
    let remote = remote();
    let mut project = project();
    let said = add(&project, &remote, "v1");
    assert!(said.contains("acme: new, v1") && said.contains("\n  standard/style\n"), "{said}");
    assert!(said.contains(".config/faber/faber.lock and "), "{said}");
    assert!(project.text(LOCK).contains(&format!("    commit: {}\n", remote.commit_of("v1"))));
    assert!(!project.path("faber.lock").exists() && !project.path(".faber/config.yml").exists());
    remote.vanish();
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    let other = ["-C", "other", "assemble", "clerk", "--request", "x"];
    project = project.file("other/roles/clerk/prompt.md", "# Clerk\n\nYou.\n").dir("other/.faber");
    assert!(project.stdout(&other).contains("Long names."));
    let layers = project.json(&["list", "layers", "--format", "json"]);
    let layers = layers["layers"].as_array().unwrap();
    let layer = layers.iter().find(|row| row["pack"]["name"] == "acme").unwrap();
    assert_eq!(layer["layer"], "user");
    assert!(layer["pack"]["version"].as_str().unwrap().starts_with("v1 ("), "{layer}");
    let blame = project.stdout(&["show", "standard/style", "--blame"]);
    assert!(blame.contains("user") && blame.contains("acme@v1:contexts/"), "{blame}");
    let explained = project.stdout(&["explain", "--role", "clerk", "--request", "x"]);
    assert!(explained.contains("user of acme"), "{explained}");
    assert!(project.stdout(&["pack", "verify", "--user"]).contains("acme: 2 files match"));
    let list = project.json(&["pack", "list", "--format", "json"]);
    assert_eq!(
        (&list["packs"][0]["user"], &list["packs"][0]["available"]),
        (&true.into(), &true.into())
    );
    let without = project.stdout(&["assemble", "clerk", "--request", "x", "--no-user"]);
    assert!(!without.contains("Long names."), "{without}");
    let project = project.env("CI", "1");
    assert!(!project.stdout(&ASSEMBLE).contains("Long names."));
    assert_eq!(project.stdout(&["pack", "list"]), "");
    assert_eq!(project.stdout(&["pack", "update", "--user"]), "", "as the lock has it");
}

#[test]
fn packs_of_the_user_are_updated_and_removed() {
    let remote = remote();
    let project = project();
    add(&project, &remote, "main");
    assert_eq!(project.run(&["pack", "outdated", "--user"]).code, 0);
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    assert_eq!(project.run(&["pack", "outdated", "--user"]).code, 1);
    assert_eq!(project.run(&["pack", "outdated"]).code, 0, "none of the workspace");
    assert!(project.stdout(&ASSEMBLE).contains("Long names."), "pinned");
    let lock = project.text(LOCK);
    let tried = project.stdout(&["pack", "update", "--user", "--dry-run"]);
    assert!(tried.contains("-Long names.") && tried.contains("+New names."), "{tried}");
    assert_eq!(project.text(LOCK), lock);
    project.forget_packs();
    project.run(&ASSEMBLE).refused(2, &["run `faber pack update --locked --user acme`"]);
    project.stdout(&["pack", "update", "--locked", "--user", "acme"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."), "an older commit of the branch");
    project.stdout(&["pack", "update", "--user"]);
    assert!(project.stdout(&ASSEMBLE).contains("New names."));
    project.stdout(&["pack", "remove", "acme", "--user"]);
    assert!(!project.stdout(&ASSEMBLE).contains("New names."));
    assert_eq!(project.text(LOCK).lines().last(), Some("packs: {}"));
}

#[test]
fn packs_of_the_user_need_no_workspace_and_no_trust() {
    let remote = remote();
    let project = TestProject::empty();
    remote.commit(&[(STYLE, "---\nrequired: true\n---\n# Style\n\nLong names.\n")]);
    let said = add(&project, &remote, "main");
    assert!(said.contains("standard/style"), "{said}");
    assert_eq!(project.files(), []);
    assert!(project.stdout(&["pack", "list", "--user"]).contains("acme"));
    remote.commit(&[(STYLE, "---\nrequired: true\n---\n# Style\n\nNew names.\n")]);
    project.stdout(&["pack", "update", "--user"]);
    project.forget_packs();
    project.stdout(&["pack", "update", "--user", "--locked"]);
    let project = project.file("roles/clerk/prompt.md", "# Clerk\n\nYou sort.\n").dir(".faber");
    let run = project.run(&ASSEMBLE);
    assert!(
        run.stdout.contains("New names.") && !run.stderr.contains("untrusted"),
        "{}",
        run.stderr
    );
}

#[test]
fn errors_of_security_stop_a_pack_of_the_user() {
    let remote = remote();
    remote.commit(&[(STYLE, "# Style\n\nNames\u{202e}semaN.\n")]);
    let project = TestProject::empty();
    let arguments = ["pack", "add", "acme", &remote.url(), "--user"];
    let run = project.run(&arguments);
    assert_eq!(run.code, 2, "{}", run.stdout);
    run.said(&["new security errors"]);
    assert!(run.stdout.contains("bidi-control"), "{}", run.stdout);
    assert!(!project.path(LOCK).exists() && !project.path(CONFIG).exists());
    project.stdout(&[&arguments[..], &["--accept"]].concat());
}

#[test]
fn paths_of_the_user_count_from_where_they_are_typed() {
    let remote = remote();
    let project = project().dir("deep/er");
    let temporary = tempfile::TempDir::new_in(project.path("../home")).unwrap();
    let clone = temporary.path().join("pack.git");
    std::fs::rename(remote.work(), &clone).unwrap();
    let name = temporary.path().file_name().unwrap().to_str().unwrap().to_owned();
    let typed = format!("../../../home/{name}/pack.git");
    project.stdout(&["-C", "deep/er", "pack", "add", "acme", &typed, "--user"]);
    let config = project.text(CONFIG);
    assert!(config.contains(&format!("acme: {{ git: \"~/{name}/pack.git\" }}")), "{config}");
    project.stdout(&["-C", "deep/er", "pack", "add", "own", &typed]);
    let config = project.text(".faber/config.yml");
    assert!(config.contains(&format!("own: {{ git: \"../home/{name}/pack.git\" }}")), "{config}");
}

#[test]
fn a_pack_of_the_user_takes_no_place_of_one_of_the_workspace() {
    let (theirs, base) = (remote(), Remote::new());
    base.commit(&[("contexts/standards/standards-base.md", "# Base\n\nOf the base.\n")]);
    let mine = Remote::new();
    mine.commit(&[("contexts/standards/standards-base.md", "# Base\n\nOf mine.\n")]);
    let nested = format!("packs:\n  base: {{ git: \"{}\" }}\n", base.url());
    let project = project().file("shared/.faber/config.yml", &nested.replace("git:", "path:"));
    let project = project
        .file("shared/base/contexts/standards/standards-base.md", "# Base\n\nOf theirs.\n")
        .file("shared/.faber/config.yml", "packs:\n  base: { path: base }\n")
        .file(".faber/config.yml", "packs:\n  house: { path: shared }\n");
    project.stdout(&["pack", "add", "base", &mine.url(), "--user"]);
    let bundle = project.stdout(&ASSEMBLE);
    assert!(bundle.contains("Of theirs.") && !bundle.contains("Of mine."), "{bundle}");
    project.stdout(&["pack", "add", "acme", &theirs.url()]);
    assert!(!project.text("faber.lock").contains("  base:"));
    let list = project.json(&["pack", "list", "--user", "--format", "json"]);
    assert_eq!(list["packs"][0]["available"], false);
}

#[test]
fn the_lock_of_the_user_is_as_strict_as_that_of_a_workspace() {
    let remote = remote();
    let project = project();
    add(&project, &remote, "v1");
    let lock = project.text(LOCK);
    let project = project.file(LOCK, &lock.replace("  acme:", "<<<<<<< a\n  acme:"));
    project
        .run(&ASSEMBLE)
        .refused(2, &["faber.lock has conflict markers", "faber pack update --user"]);
    let project = project.file(LOCK, "version: 1\npacks: {}\n");
    project
        .run(&ASSEMBLE)
        .refused(2, &["not in faber.lock", "run `faber pack update --user acme`"]);
    project
        .run(&["pack", "update", "--locked", "--user"])
        .refused(2, &["the pack `acme` is not in faber.lock", "outside of CI"]);
    let project = project.file(LOCK, &lock);
    std::fs::write(project.stored(STYLE), "# Style\n\nForged.\n").unwrap();
    project
        .run(&ASSEMBLE)
        .refused(2, &["differs from faber.lock", "faber pack verify --user acme"]);
    let run = project.run(&["pack", "verify", "--user"]);
    assert!(run.code == 1 && run.stdout.contains("update --locked --user acme"), "{}", run.stdout);
    project.stdout(&["pack", "update", "--locked", "--user"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    let config = project.text(CONFIG).replace("packs:\n", "packs:\n  allow: [\"https://x/*\"]\n");
    let project = project.file(CONFIG, &config);
    project.run(&["pack", "update", "--user"]).refused(2, &["`packs.allow` does not allow"]);
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_link_stays_one() {
    let remote = remote();
    let project = project().file("../dotfiles/faber.yml", "# mine\nsettings: { team: a }\n");
    let project = project.symlink(CONFIG, "../../../dotfiles/faber.yml");
    add(&project, &remote, "v1");
    let text = project.text("../dotfiles/faber.yml");
    assert!(text.starts_with("# mine\nsettings: { team: a }\npacks:\n  acme: "), "{text}");
    assert!(project.path(CONFIG).is_symlink());
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
}
