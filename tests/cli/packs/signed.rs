//! `signed_by` of packs.

use std::path::Path;
use std::process::{Command, Stdio};

use super::remote::{ASSEMBLE, Remote, STYLE, project};
use crate::project::TestProject;

fn ssh_key(remote: &Remote, name: &str) -> Option<String> {
    let key = remote.folder().join(name);
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: ssh-keygen is not installed");
        return None;
    }
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    remote.git(&["config", "gpg.format", "ssh"]);
    remote.git(&["config", "user.signingkey", key.to_str().unwrap()]);
    Some(public.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

fn requiring(remote: &Remote, reference: &str, key: &str) -> TestProject {
    let (url, key) = (remote.url(), serde_json::Value::from(key));
    let config =
        format!("packs:\n  acme: {{ git: \"{url}\", ref: \"{reference}\", signed_by: {key} }}\n");
    let project = project().file(".faber/config.yml", &config);
    project.stdout(&["trust"]);
    project
}

fn commit(remote: &Remote, text: &str, options: &[&str]) {
    remote.write(&[(STYLE, &format!("# Style\n\n{text}\n"))]);
    remote.git(&["add", "-A"]);
    remote.git(&[&["commit", "-q", "-m", "change"], options].concat());
}

const REFUSED: &[&str] = &["`signed_by` did not sign"];

#[test]
fn a_commit_is_signed_by_the_declared_key() {
    let remote = Remote::new();
    let Some(key) = ssh_key(&remote, "key") else { return };
    commit(&remote, "Unsigned.", &[]);
    let project = requiring(&remote, "main", &key);
    project.run(&["pack", "update"]).refused(2, REFUSED);
    commit(&remote, "Signed.", &["-S"]);
    project.stdout(&["pack", "update"]);
    assert!(project.stdout(&ASSEMBLE).contains("Signed."));
    let fingerprint =
        requiring(&remote, "main", "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU");
    fingerprint
        .run(&["pack", "update"])
        .refused(2, &["is not a public key", "gpg --armor --export"]);
    ssh_key(&remote, "other").unwrap();
    commit(&remote, "Signed by another.", &["-S"]);
    let words = "nor its tag: the signature is of the key SHA256:";
    project.run(&["pack", "update"]).refused(2, &[words]);
}

#[test]
fn a_key_that_is_declared_later_is_asked_for() {
    let remote = Remote::new();
    let Some(key) = ssh_key(&remote, "key") else { return };
    commit(&remote, "Unsigned.", &[]);
    let project = project();
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let config =
        project.text(".faber/config.yml").replace(" }", &format!(", signed_by: \"{key}\" }}"));
    let project = project.file(".faber/config.yml", &config);
    project.stdout(&["trust"]);
    let verify = project.run(&["pack", "verify"]);
    let words = "acme: its commit or signature was not checked on this machine; run `faber";
    assert!(verify.code == 1 && verify.stdout.starts_with(words), "{}", verify.stdout);
    project.run(&["pack", "update"]).refused(2, &["nor its tag: neither is signed"]);
}

#[test]
fn a_tag_is_signed_also_one_of_a_range() {
    let remote = Remote::new();
    let Some(key) = ssh_key(&remote, "key") else { return };
    commit(&remote, "One.", &[]);
    remote.git(&["tag", "-s", "-m", "x", "v1.0.0"]);
    for reference in ["v1.0.0", "^1.0"] {
        let project = requiring(&remote, reference, &key);
        project.stdout(&["pack", "update"]);
        assert!(project.stdout(&ASSEMBLE).contains("One."));
    }
    let project = requiring(&remote, "^1.0", &key);
    project.stdout(&["pack", "update"]);
    let lock = project.text("faber.lock");
    commit(&remote, "Two.", &[]);
    remote.git(&["tag", "-am", "x", "v1.1.0"]);
    project.run(&["pack", "update"]).refused(2, REFUSED);
    assert_eq!(project.text("faber.lock"), lock);
}

#[test]
fn a_signed_tag_counts_under_its_own_name_only() {
    let remote = Remote::new();
    let Some(key) = ssh_key(&remote, "key") else { return };
    commit(&remote, "One.", &[]);
    remote.git(&["tag", "-s", "-m", "x", "v1.0.0"]);
    // A rollback: an old signed commit under a newer tag.
    let old = remote.git(&["rev-parse", "v1.0.0"]);
    remote.git(&["update-ref", "refs/tags/v1.9.0", &old]);
    let project = requiring(&remote, "v1.9.0", &key);
    project.run(&["pack", "update"]).refused(2, REFUSED);
    // Only the inner tag is signed.
    commit(&remote, "Two.", &[]);
    remote.git(&["tag", "-am", "x", "v2.0.0", "v1.0.0"]);
    let project = requiring(&remote, "v2.0.0", &key);
    project.run(&["pack", "update"]).refused(2, REFUSED);
}

struct Gpg<'a> {
    home: &'a Path,
}

impl Gpg<'_> {
    fn run(&self, arguments: &[&str]) -> Option<String> {
        let mut command = Command::new("gpg");
        command.args(["--batch", "--quiet", "--homedir"]).arg(self.home).args(arguments);
        let output = command.stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    }

    fn key(&self, name: &str) -> Option<String> {
        let pinentry = ["--pinentry-mode", "loopback", "--passphrase", ""];
        self.run(
            &[&pinentry[..], &["--quick-gen-key", name, "ed25519", "sign", "never"]].concat(),
        )?;
        self.run(&["--armor", "--export", name])
    }
}

impl Drop for Gpg<'_> {
    fn drop(&mut self) {
        // Otherwise it ends when its folder is gone.
        let mut command = Command::new("gpgconf");
        let _ = command.arg("--homedir").arg(self.home).args(["--kill", "all"]).status();
    }
}

#[test]
fn keys_of_gpg_sign_tags_and_commits() {
    let remote = Remote::new();
    // Socket paths must be short.
    let home = tempfile::Builder::new().prefix("gpg-").tempdir().unwrap();
    let gpg = Gpg { home: home.path() };
    let (Some(key), Some(other)) = (gpg.key("acme"), gpg.key("other")) else {
        eprintln!("skipped: gpg is not installed, or makes no keys here");
        return;
    };
    let program = remote.folder().join("gpg.sh");
    let script = format!("#!/bin/sh\nexec gpg --homedir '{}' \"$@\"\n", home.path().display());
    std::fs::write(&program, script).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    remote.git(&["config", "gpg.program", program.to_str().unwrap()]);
    remote.git(&["config", "user.signingkey", "acme"]);
    commit(&remote, "One.", &[]);
    remote.git(&["tag", "-s", "-m", "x", "v1.0.0"]);
    commit(&remote, "Two.", &["-S"]);
    for (reference, text) in [("^1", "One."), ("main", "Two.")] {
        let project = requiring(&remote, reference, &key);
        project.stdout(&["pack", "update"]);
        assert!(project.stdout(&ASSEMBLE).contains(text));
        let project = requiring(&remote, reference, &other);
        project
            .run(&["pack", "update"])
            .refused(2, &["did not sign", "the signature is of the key"]);
    }
    commit(&remote, "Three.", &[]);
    requiring(&remote, "main", &key).run(&["pack", "update"]).refused(2, REFUSED);
    if let Some(ssh) = ssh_key(&Remote::new(), "key") {
        requiring(&remote, "^1", &ssh).run(&["pack", "update"]).refused(2, REFUSED);
    }
    let torn = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n";
    let project = requiring(&remote, "^1", torn);
    project.run(&["pack", "update"]).refused(2, &["cannot read the key", "gpg --armor --export"]);
}
