//! Verifies `signed_by` with the declared key only.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use super::Git;
use super::remote::{Remote, Tag};
use crate::discover::failed;
use crate::discover::program::{self, ProgramLimits};
use faber_core::error::Error;
use faber_core::packs::declare::is_gpg_key;
use faber_core::packs::lock::is_commit;

const IMPORT: ProgramLimits =
    ProgramLimits { timeout: Duration::from_secs(30), max_bytes: 1024 * 1024 };

struct SignerKey {
    _folder: TempDir,
    git: Git,
    settings: Vec<String>,
    program: &'static str,
}

impl Remote {
    /// # Errors
    ///
    /// Unless the commit, or a tag object of it, has a signature of `key`.
    pub fn verify(&self, commit: &str, reference: &str, key: &str) -> Result<(), Error> {
        let has_tags = !reference.is_empty() && !is_commit(reference);
        let mut tags = if has_tags { self.tags(reference)? } else { Vec::new() };
        tags.retain(|tag| tag.commit == commit && tag.object != commit);
        let objects: Vec<&str> = tags.iter().map(|tag| &*tag.object).chain([commit]).collect();
        self.prepare()?;
        self.fetch_objects(&["--depth=1"], &objects)?;
        let key = SignerKey::new(&self.git, key)?;
        let count = tags.len();
        tags.retain(|tag| self.is_tag(tag));
        let has_other_name = tags.len() < count;
        let why = if has_other_name { "the tag has another name" } else { "neither is signed" };
        let mut why = why.to_owned();
        let checks = tags.iter().map(|tag| ("verify-tag", &*tag.object));
        for (command, object) in checks.chain([("verify-commit", commit)]) {
            match key.check(command, object) {
                Ok(()) => return Ok(()),
                Err(error) if self.is_signed(object) => why = reason(&error.cause(), key.program),
                Err(_) => {}
            }
        }
        let message = format!(
            "`{}` is refused: `signed_by` did not sign {commit}, nor its tag: {why}",
            self.url
        );
        Err(Error::usage(message, "ask who publishes the pack"))
    }

    fn is_signed(&self, object: &str) -> bool {
        let text = self.git.output(&["cat-file", "-p", object]).unwrap_or_default();
        String::from_utf8_lossy(&text).contains(" SIGNATURE-----")
    }

    fn is_tag(&self, tag: &Tag) -> bool {
        let text = self.git.output(&["cat-file", "tag", &tag.object]).unwrap_or_default();
        let head = format!("object {}\ntype commit\ntag {}\n", tag.commit, tag.name);
        text.starts_with(head.as_bytes())
    }
}

impl SignerKey {
    fn new(git: &Git, key: &str) -> Result<Self, Error> {
        let made = tempfile::Builder::new().prefix("faber-key-").tempdir().and_then(|folder| {
            let path = Utf8PathBuf::from_path_buf(folder.path().to_owned());
            let path = path.map_err(|_| std::io::Error::other("its name is not UTF-8"))?;
            Ok((folder, path))
        });
        let (folder, path) = made.map_err(failed("create", "a temporary directory".into()))?;
        let is_gpg = is_gpg_key(key);
        let mut settings = vec!["gpg.x509.program=false".to_owned()];
        let program = if is_gpg { "gpg" } else { "ssh-keygen" };
        if is_gpg {
            import(&path, key)?;
            let own = ["gpg.program=gpg", "gpg.ssh.program=false", "gpg.minTrustLevel=undefined"];
            settings.extend(own.map(str::to_owned));
        } else {
            let signers = path.join("signers");
            std::fs::write(&signers, format!("* {key}\n")).map_err(failed("write", &signers))?;
            let own = ["gpg.program=false", "gpg.ssh.program=ssh-keygen"];
            settings.extend(own.map(str::to_owned));
            settings.push(format!("gpg.ssh.allowedSignersFile={signers}"));
        }
        let git = Git { keys: Some(path), ..git.clone() };
        Ok(Self { _folder: folder, git, settings, program })
    }

    fn check(&self, command: &str, object: &str) -> Result<(), Error> {
        let settings = self.settings.iter().flat_map(|setting| ["-c", setting]);
        let arguments: Vec<&str> = settings.chain([command, object]).collect();
        self.git.output(&arguments).map(drop)
    }
}

fn reason(said: &str, program: &str) -> String {
    let key = said.split_once("with ").or_else(|| said.split_once("using "));
    let key = key.and_then(|(_, rest)| rest.split_once(" key ")?.1.split_whitespace().next());
    key.map_or_else(
        || format!("`{program}` cannot check the signature, or is not installed"),
        |key| format!("the signature is of the key {key}"),
    )
}

fn import(folder: &Utf8Path, key: &str) -> Result<(), Error> {
    let mut command = program::command("gpg");
    command.args(["--batch", "--quiet", "--no-autostart", "--import", "--homedir"]).arg(folder);
    let help = "write the output of `gpg --armor --export KEY`; `gpg` has to be installed";
    match program::run(&mut command, key.into(), IMPORT) {
        Ok(answer) if answer.status.success() => Ok(()),
        _ => Err(Error::usage("gpg cannot read the key in `signed_by`", help)),
    }
}
