//! Scripts of the GitHub Action.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::book::repository;
use crate::project::TestProject;

pub(crate) fn yaml(path: &str) -> Value {
    serde_yaml::from_str(&std::fs::read_to_string(repository().join(path)).unwrap()).unwrap()
}

fn script(name: &str) -> String {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["name"] == name).unwrap();
    step["run"].as_str().unwrap().to_owned()
}

struct Runner {
    folder: TempDir,
}

impl Runner {
    fn new() -> Self {
        let runner = Self { folder: TempDir::with_prefix("faber-runner-").unwrap() };
        std::fs::create_dir(runner.path("temp")).unwrap();
        runner
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn release(&self, version: &str, target: &str) -> PathBuf {
        let name = format!("faber-v{version}-{target}");
        let folder = self.path(&format!("releases/v{version}"));
        let program = folder.join(&name).join("faber");
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::write(&program, format!("#!/bin/sh\necho faber {version}\n")).unwrap();
        let script = "chmod +x \"$0/faber\" && tar -czf \"$0.tar.gz\" \"$0\" && rm -r \"$0\" && \
             (sha256sum \"$0.tar.gz\" || shasum -a 256 \"$0.tar.gz\") >\"$0.tar.gz.sha256\"";
        let mut command = Command::new("bash");
        let status = command.args(["-c", script, &name]).current_dir(&folder).status().unwrap();
        assert!(status.success());
        folder.join(format!("{name}.tar.gz"))
    }

    fn install(&self, system: (&str, &str), version: &str) -> Output {
        let mut command = self.bash(&script("Install faber"));
        command.env("RUNNER_OS", system.0).env("RUNNER_ARCH", system.1).env("VERSION", version);
        command.env("RELEASES", format!("file://{}", self.path("releases").display()));
        command.output().unwrap()
    }

    fn bash(&self, script: &str) -> Command {
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        command.env("GITHUB_ACTION_PATH", repository()).env("RUNNER_TEMP", self.path("temp"));
        command.env("GITHUB_PATH", self.path("path")).env("GITHUB_OUTPUT", self.path("output"));
        command
    }

    fn installed(&self) -> Option<String> {
        let output = Command::new(self.path("temp/faber/bin/faber")).output().ok()?;
        Some(String::from_utf8(output.stdout).unwrap())
    }

    #[track_caller]
    fn refuses(&self, system: (&str, &str), version: &str, words: &str) {
        let output = self.install(system, version);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("::error title=faber::"), "{said}");
        assert!(said.contains(words), "{said}");
        assert_eq!(self.installed(), None);
    }
}

const LINUX: (&str, &str) = ("Linux", "X64");
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn a_release_is_installed_when_its_sum_is_right() {
    let runner = Runner::new();
    let archive = runner.release(VERSION, "x86_64-unknown-linux-musl");
    let output = runner.install(LINUX, "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(runner.installed(), Some(format!("faber {VERSION}\n")));
    let path = std::fs::read_to_string(runner.path("path")).unwrap();
    assert_eq!(path.trim(), runner.path("temp/faber/bin").to_str().unwrap());
    let other = Runner::new();
    let sum = archive.with_extension("gz.sha256");
    let forged = std::fs::read_to_string(&sum).unwrap().replacen(|c: char| c != '0', "0", 1);
    other.release(VERSION, "x86_64-unknown-linux-musl");
    let place = other.path(&format!("releases/v{VERSION}"));
    std::fs::write(place.join(sum.file_name().unwrap()), forged).unwrap();
    other.refuses(LINUX, VERSION, "does not have the SHA-256 sum");
    std::fs::write(place.join(sum.file_name().unwrap()), "").unwrap();
    other.refuses(LINUX, VERSION, "does not have the SHA-256 sum");
    std::fs::remove_file(place.join(sum.file_name().unwrap())).unwrap();
    other.refuses(LINUX, VERSION, "cannot download");
}

#[test]
fn a_version_is_one_of_a_release() {
    let runner = Runner::new();
    runner.release("7.0.0-rc.1", "aarch64-apple-darwin");
    for version in ["7.0.0-rc.1", "v7.0.0-rc.1"] {
        let output = runner.install(("macOS", "ARM64"), version);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(runner.installed().unwrap(), "faber 7.0.0-rc.1\n");
    }
    let runner = Runner::new();
    runner.refuses(LINUX, "7.0.0", "is there a release 7.0.0?");
    for version in ["../../evil", "latest", "1.0", "1.0.0; id", "1.0.0-$(id)"] {
        runner.refuses(LINUX, version, "invalid version");
    }
    runner.refuses(("Linux", "ARM"), VERSION, "`version: source` builds faber with cargo");
}

#[test]
fn the_source_is_built_when_it_is_asked_for() {
    let runner = Runner::new();
    let stub = runner.path("stub");
    std::fs::create_dir(&stub).unwrap();
    let script = "#!/bin/sh\nfor last; do :; done\nmkdir -p \"$last/bin\"\n\
         printf '#!/bin/sh\\necho %s' \"'$*'\" >\"$last/bin/faber\"\nchmod +x \"$last/bin/faber\"\n";
    std::fs::write(stub.join("cargo"), script).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(stub.join("cargo")).status().unwrap().success());
    let path = format!("{}:{}", stub.display(), std::env::var("PATH").unwrap());
    let mut command = runner.bash(&self::script("Install faber"));
    let output = command.env("VERSION", "source").env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = format!("install --locked --path {} ", repository().display());
    assert!(runner.installed().unwrap().starts_with(&expected));
}

#[test]
fn every_target_of_a_release_can_be_installed() {
    let release = yaml(".github/workflows/release.yml");
    let targets = release["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    let script = std::fs::read_to_string(repository().join(".github/install")).unwrap();
    for target in targets {
        let target = target["target"].as_str().unwrap();
        assert_eq!(script.matches(&format!("target={target}")).count(), 1, "{target}");
    }
    assert_eq!(script.matches("target=").count(), targets.len());
}

#[test]
fn the_action_validates_with_what_is_installed() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-a.md", "---\ncategory: Nonsense\n---\n# A\n\nText.\n");
    let runner = Runner::new();
    for (arguments, status) in
        [("--deny warnings", 1), ("--deny\nwarnings\n", 1), ("", 0), ("--no-such-option", 2)]
    {
        let _ = std::fs::remove_file(runner.path("output"));
        let mut command = runner.bash(&script("Validate"));
        command
            .env("FABER_BINARY", env!("CARGO_BIN_EXE_faber"))
            .env("FABER_ROOT", project.path(""));
        command
            .env("FABER_ARGS", arguments)
            .env("FABER_SARIF", "false")
            .env("HOME", runner.path("home"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let written = std::fs::read_to_string(runner.path("output")).unwrap_or_default();
        if status == 2 {
            assert_eq!((output.status.code(), &*written), (Some(2), ""));
        } else {
            assert_eq!(written, format!("status={status}\n"), "{said}");
            assert!(said.contains("::warning"), "{said}");
        }
    }
}

#[test]
fn inputs_are_used_and_described() {
    let action = yaml("action.yml");
    let text = std::fs::read_to_string(repository().join("action.yml")).unwrap();
    for (name, input) in action["inputs"].as_object().unwrap() {
        assert!(input["description"].is_string() && input["default"].is_string(), "{name}");
        assert!(text.contains(&format!("inputs.{name}")), "{name} is not used");
    }
    assert!(Path::new(&repository().join(".github/install")).is_file());
}
