//! Packs over HTTPS and SSH from local servers.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::remote::{ASSEMBLE, Remote, STYLE, project, remote};
use crate::project::TestProject;

fn has(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

struct Server {
    process: Child,
    port: String,
    certificate: PathBuf,
}

impl Server {
    fn start(remote: &Remote) -> Option<Self> {
        let [certificate, key] =
            ["certificate.pem", "key.pem"].map(|name| remote.folder().join(name));
        let [shown, hidden] = [&certificate, &key].map(|path| path.to_str().unwrap());
        let name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
        let made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-out", shown];
        let is_made = has("openssl", &[&made[..], &["-keyout", hidden], &name].concat());
        // Fails without a request, but shows that it exists.
        let backend = Command::new("git").args(["http-backend"]).stderr(Stdio::null()).output();
        let is_there = backend.is_ok_and(|it| it.stdout.starts_with(b"Status:"));
        if !is_made || !is_there || !has("python3", &["-c", "import ssl"]) {
            eprintln!("skipped: openssl, python3 or git http-backend is not installed");
            return None;
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/packs/https.py");
        let mut command = Command::new("python3");
        command.args([script, remote.folder().to_str().unwrap(), shown, hidden]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Some(Self { process, port: port.trim().to_owned(), certificate })
    }

    fn url(&self, behaviour: &str) -> String {
        format!("https://127.0.0.1:{}/{behaviour}/remote.git", self.port)
    }

    fn project(&self) -> TestProject {
        project()
            .env("GIT_SSL_CAINFO", self.certificate.to_str().unwrap())
            .env("GIT_ASKPASS", "false")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn packs_come_over_https() {
    let remote = remote();
    remote.git(&["tag", "-am", "x", "v1.0.0"]);
    let Some(server) = Server::start(&remote) else { return };
    let project = server.project();
    project.stdout(&["pack", "add", "acme", &server.url("ok"), "--ref", "^1"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    remote.git(&["tag", "v1.1.0"]);
    project.forget_packs();
    project.stdout(&["pack", "update", "--locked"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."), "an old commit of the range");
    project.stdout(&["pack", "update"]);
    assert!(project.stdout(&ASSEMBLE).contains("New names."));
    assert_eq!(project.run(&["pack", "outdated"]).code, 0);
    let own = super::remote::project();
    own.run(&["pack", "add", "acme", &server.url("ok")]).refused(2, &["certificate"]);
}

#[test]
fn what_a_server_of_https_does_wrong_is_an_error() {
    let remote = remote();
    // Incompressible: half of the bytes are half of a pack.
    let mut state = 1_u64;
    let text = (0..4000).fold(String::new(), |mut text, _| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ = write!(text, "{state:016x}");
        text
    });
    remote.commit(&[("contexts/standards/standards-large.md", &format!("# Large\n\n{text}\n"))]);
    let Some(server) = Server::start(&remote) else { return };
    for (behaviour, words) in [
        ("login", "unable to get password"),
        ("plain", "not supported or disabled"),
        ("file", "not supported or disabled"),
        ("half", "failed"),
        ("error", "500"),
        ("ok/no", "not found"),
    ] {
        let project = server.project();
        let run = project.run(&["pack", "add", "acme", &server.url(behaviour)]);
        assert_eq!(run.code, 2, "{behaviour}: {}", run.stdout);
        run.said(&[words]);
        assert!(!project.path("faber.lock").exists(), "{behaviour}");
        let stored = fs::read_dir(project.store()).unwrap();
        let names = stored.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(names.into_iter().all(|name| name.len() < 64), "{behaviour}");
    }
}

/// Most OpenSSH servers drop `GIT_PROTOCOL`, so git speaks v0.
#[test]
fn servers_of_protocol_v0_give_only_refs() {
    let remote = remote();
    let old = remote.commit_of("main");
    remote.commit(&[(STYLE, "# Style\n\nTagged names.\n")]);
    remote.git(&["tag", "-am", "x", "v2.0.0"]);
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    remote.git(&["tag", "-am", "x", "v3.0.0"]);
    remote.git(&["reset", "-q", "--hard", "v1"]);
    let script = remote.folder().join("connect");
    fs::write(
        &script,
        "#!/bin/sh\nfor last; do :; done\nunset GIT_PROTOCOL\nexec sh -c \"$last\"\n",
    )
    .unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let project = project().env("GIT_SSH_COMMAND", script.to_str().unwrap());
    let url = format!("ssh://host{}", remote.url());
    let in_branch = remote.commit_of("v2.0.0");
    for (reference, text) in [
        ("^2", "Tagged names."),
        ("v3.0.0", "New names."),
        (&*old, "Long names."),
        (&*in_branch, "Tagged names."),
    ] {
        project.stdout(&["pack", "add", "acme", &url, "--ref", reference]);
        assert!(project.stdout(&ASSEMBLE).contains(text), "{reference}");
        project.forget_packs();
        project.stdout(&["pack", "update", "--locked"]);
    }
}

#[test]
fn the_ssh_command_of_the_users_git_configuration_is_used() {
    let remote = remote();
    let script = remote.folder().join("connect");
    fs::write(&script, "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!("[core]\nsshCommand = {}\n", script.display());
    let project = project().file("../home/.gitconfig", &config);
    project.stdout(&["pack", "add", "acme", &format!("ssh://host{}", remote.url()), "--ref", "v1"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
}

#[test]
fn no_program_of_the_users_configuration_runs_for_a_path() {
    let (remote, project) = (remote(), project());
    let [ran, hook] = ["ran", "hook"].map(|name| remote.folder().join(name));
    fs::write(&hook, format!("#!/bin/sh\ntouch {}\nexec \"$@\"\n", ran.display())).unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!("[uploadpack]\npackObjectsHook = {}\n", hook.display());
    let project = project.file("../home/.gitconfig", &config);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    let commit = remote.commit_of("v1");
    project.stdout(&["pack", "add", "two", &remote.url(), "--ref", &commit]);
    assert!(!ran.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn packs_come_over_ssh() {
    let remote = remote();
    let sshd = "/usr/sbin/sshd";
    if !std::path::Path::new(sshd).exists() {
        eprintln!("skipped: sshd is not installed");
        return;
    }
    let path = |name: &str| remote.folder().join(name).to_str().unwrap().to_owned();
    for name in ["host", "user"] {
        assert!(has("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &path(name)]));
    }
    fs::copy(path("user.pub"), path("authorized")).unwrap();
    let config = format!(
        "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nPidFile none\nUsePAM no\nLogLevel QUIET\n\
         AcceptEnv GIT_PROTOCOL\n",
        path("host"),
        path("authorized")
    );
    fs::write(path("sshd_config"), config).unwrap();
    let server = format!("#!/bin/sh\nexec {sshd} -i -f {}\n", path("sshd_config"));
    fs::write(path("sshd.sh"), server).unwrap();
    fs::set_permissions(path("sshd.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let ssh = |key: &str| {
        format!(
            "ssh -F none -oBatchMode=yes -oIdentitiesOnly=yes -oStrictHostKeyChecking=no \
             -oUserKnownHostsFile=/dev/null -oLogLevel=ERROR -i {} -oProxyCommand={}",
            path(key),
            path("sshd.sh")
        )
    };
    let user = Command::new("id").arg("-un").output().unwrap().stdout;
    let user = String::from_utf8(user).unwrap().trim().to_owned();
    let project = project().env("GIT_SSH_COMMAND", &ssh("user"));
    for (name, url) in [
        ("a", format!("ssh://{user}@127.0.0.1{}", remote.url())),
        ("b", format!("{user}@127.0.0.1:{}", remote.url())),
    ] {
        project.stdout(&["pack", "add", name, &url, "--ref", "v1"]);
        assert!(project.text("faber.lock").contains(&format!("    source: {url}\n")));
    }
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    let stranger = super::remote::project().env("GIT_SSH_COMMAND", &ssh("host"));
    let url = format!("ssh://{user}@127.0.0.1{}", remote.url());
    stranger.run(&["pack", "add", "a", &url]).refused(2, &["Permission denied"]);
}
