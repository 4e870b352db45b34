//! Configurations that cannot be read, and packs that are declared again.

use super::remote::{Remote, STYLE, project, remote};
use crate::project::TestProject;

const CONFIG: &str = ".faber/config.yml";
const USER: &str = "../home/.config/faber/config.yml";

#[test]
fn an_error_in_the_configuration_leaves_the_lock_as_it_is() {
    let (remote, mut project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    let (lock, config) = (project.text("faber.lock"), project.text(CONFIG));
    let url = remote.url();
    for (text, words) in [
        (config.replace("\"v1\"", "\"^1 <2\""), "invalid ref `^1 <2` (.faber/config.yml:2)"),
        (format!("{config}settings: [\n"), "the configuration cannot be read: "),
        (config.replace("packs:", "pakcs:"), "unknown key `pakcs` in the configuration"),
        (config.replace("packs:\n", "packs:\n  b: 3\n"), "(.faber/config.yml:2)"),
    ] {
        project = project.file(CONFIG, &text);
        for arguments in [
            &["update"][..],
            &["update", "--locked"],
            &["add", "two", &url, "--ref", "v1"],
            &["relock"],
            &["list"],
            &["outdated"],
            &["verify"],
            &["vendor"],
        ] {
            project.run(&[&["pack"], arguments].concat()).refused(2, &[words]);
        }
        let texts = (project.text("faber.lock"), project.text(CONFIG));
        assert_eq!(texts, (lock.clone(), text), "{words}");
    }
    let other = format!("{config}budget: {{ total: much }}\n");
    project = project.file(CONFIG, &other);
    project.run(&["pack", "remove", "acme"]).refused(2, &["(.faber/config.yml:3)"]);
    // A removal may correct the error.
    project = project.file(CONFIG, &config.replace("\"v1\"", "\"^1 <2\""));
    project.stdout(&["pack", "remove", "acme"]);
    assert_eq!(project.text(CONFIG), "");
}

#[test]
fn the_configuration_of_the_user_is_checked_for_their_packs() {
    let (remote, project) = (remote(), project().file(CONFIG, "settings: [\n"));
    project.stdout(&["pack", "add", "acme", &remote.url(), "--user"]);
    let text = project.text(USER).replace("git:", "gt:");
    let project = project.file(USER, &text);
    for command in ["update", "verify", "list", "outdated"] {
        let run = project.run(&["pack", command, "--user"]);
        run.refused(2, &["faber/config.yml:2)"]);
    }
}

#[test]
fn verify_refuses_packs_that_are_only_in_the_lock() {
    let (remote, project) = (remote(), project());
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let project = project.file(CONFIG, "");
    let run = project.run(&["pack", "verify"]);
    run.refused(2, &["faber.lock has the pack `acme`, which is not declared"]);
}

#[test]
fn a_pack_that_is_added_again_keeps_its_ref_and_folder() {
    let (remote, project) = (Remote::new(), project());
    let style = format!("base/{STYLE}");
    remote.commit(&[(&style, "# Style\n\nLong names.\n")]);
    remote.git(&["tag", "v1.0.0"]);
    let url = remote.url();
    let add = ["pack", "add", "acme", &url];
    project.stdout(&[&add[..], &["--ref", "^1.0", "--path", "base"]].concat());
    let (lock, config) = (project.text("faber.lock"), project.text(CONFIG));
    remote.commit(&[(&style, "# Style\n\nNew names.\n")]);
    project.stdout(&add);
    assert_eq!((project.text("faber.lock"), project.text(CONFIG)), (lock, config));
    project.stdout(&[&add[..], &["--ref", "main"]].concat());
    assert!(project.text(CONFIG).contains("ref: \"main\", path: \"base\""));
}

#[test]
fn a_repository_that_is_added_twice_is_named() {
    let (remote, project) = (remote(), project());
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    let words = "`two` has the repository and folder of `acme`";
    project.run(&["pack", "add", "two", &remote.url(), "--ref", "v1"]).said(&[words]);
}

#[test]
fn own_packs_are_not_those_of_the_workspace() {
    let (remote, project): (Remote, TestProject) = (remote(), project());
    project.stdout(&["pack", "add", "mine", &remote.url(), "--user"]);
    for command in ["verify", "outdated", "vendor", "update"] {
        let run = project.run(&["pack", command]);
        let note = "no packs in the workspace; 1 in your own configuration (`--user`)\n";
        assert_eq!((run.code, &*run.stdout, &*run.stderr), (0, "", note), "{command}");
    }
}
