//! Configurations, locks and addresses that packs cannot use.

use super::remote::{ASSEMBLE, Remote, STYLE, project, remote};
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
    let words = "`two` is the same repository and folder as `acme`";
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

#[test]
fn settings_of_a_pack_that_are_not_used_are_named() {
    let (remote, project) = (remote(), project());
    remote.commit(&[(CONFIG, "budget: { total: 9000 }\nvalidate: { rules: { secret: error } }\n")]);
    let words = "note: `budget` in `.faber/config.yml` of the pack is not used";
    project.run(&["pack", "add", "acme", &remote.url()]).said(&[words]);
}

#[test]
fn what_policy_does_not_allow_is_not_fetched() {
    let (remote, project) = (remote(), project());
    let project = project.file(
        ".faber/overlays/organization/config.yml",
        "packs:\n  allow: [\"https://git.example.com/*\"]\n",
    );
    project.run(&["pack", "add", "acme", &remote.url()]).refused(
        2,
        &["`packs.allow` does not allow", "set in .faber/overlays/organization/config.yml:2"],
    );
    assert!(!project.path("faber.lock").exists());
    let config = "packs:\n  one: { git: \"https://evil.example/x\" }\n";
    let project = project.file(".faber/config.yml", config);
    let run = project.run(&["pack", "add", "two", &remote.url()]);
    run.refused(2, &["does not allow `https://evil.example/x` (one), `", "remote.git` (two)"]);
}

#[test]
fn a_missing_lock_is_named() {
    let (remote, project) = (remote(), project());
    let nothing = project.run(&["pack", "verify"]);
    assert_eq!((nothing.code, &*nothing.stderr), (0, "no packs declared\n"));
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    std::fs::remove_file(project.path("faber.lock")).unwrap();
    for arguments in [&["pack", "verify"][..], &["pack", "verify", "acme"]] {
        let words = [".faber/config.yml:", "not in faber.lock", "faber pack update acme"];
        project.run(arguments).refused(2, &words);
    }
    project
        .run(&["pack", "update", "--locked"])
        .refused(2, &["no faber.lock: the pack `acme` is not"]);
}

#[test]
fn addresses_that_git_replaces_by_paths_are_explained() {
    let rewritten = "[url \"file:///srv/\"]\n\tinsteadOf = https://git.example.com/\n";
    let project = project().file("../home/.gitconfig", rewritten);
    let run = project.run(&["pack", "add", "acme", "https://git.example.com/x.git"]);
    run.refused(2, &["transport 'file' not allowed", "over https and ssh only"]);
}

#[test]
fn false_is_not_ci() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    let mut project = project;
    for (value, words) in [("1", "pack matches"), ("false", "+New names."), ("0", "no changes")] {
        project = project.env("CI", value);
        let run = project.run(&["pack", "update"]);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code == 0 && said.contains(words), "{value}: {said}");
    }
}

#[test]
fn tests_report_a_missing_pack_once() {
    let (remote, project) = (remote(), project());
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let case = |name: &str| {
        format!("- name: {name}\n  role: clerk\n  request: x\n  selected: [pattern/own]\n")
    };
    let project = project.file("tests/t.yml", &[case("a"), case("b")].concat());
    project.forget_packs();
    let run = project.run(&["test"]);
    run.refused(2, &["unavailable-pack", "run `faber pack update --locked acme` to fetch them"]);
    assert_eq!(run.stderr.matches("unavailable-pack").count(), 1, "{}", run.stderr);
}

#[test]
fn without_a_cache_folder_the_help_says_so() {
    let (remote, project) = (remote(), project());
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let project = project.env("XDG_CACHE_HOME", "relative");
    project.run(&ASSEMBLE).refused(2, &["not downloaded", "set `XDG_CACHE_HOME`"]);
}

#[test]
fn an_overlay_of_a_pack_does_not_restrict_sources() {
    let (remote, project) = (remote(), project());
    remote.commit(&[("overlays/organization/config.yml", "packs: { allow: [\"https://x/*\"] }\n")]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--accept"]);
    let found = project.run(&["validate", "--format", "concise"]).stdout;
    assert!(found.contains("an overlay of a pack may not set `packs`"), "{found}");
    let shown = project.run(&["config", "show", "--origin"]).stdout;
    assert!(!shown.contains("https://x/*"), "{shown}");
}

#[test]
fn a_repository_without_files_is_named() {
    let (remote, project) = (Remote::new(), project());
    remote.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    let words = format!("is empty at {}", &remote.commit_of("main")[..12]);
    project.run(&["pack", "add", "acme", &remote.url()]).refused(2, &[&words]);
}

#[test]
fn errors_of_git_keep_their_lines() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    remote.vanish();
    let run = project.run(&["pack", "update"]);
    let line = "\n    fatal: Could not read from remote repository.\n";
    assert!(run.code == 2 && run.stderr.contains(line), "{}", run.stderr);
}
