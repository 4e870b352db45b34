//! Workflows in the book.

use std::path::PathBuf;
use std::process::Command;

use clap::Parser;
use faber::cli::args::Cli;
use serde_json::Value;
use tempfile::TempDir;

use crate::action::yaml;
use crate::book::repository;

fn workflows(page: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(repository().join(page)).unwrap();
    let blocks = text.split("```yaml\n").skip(1).map(|rest| rest.split("\n```").next().unwrap());
    let parsed = blocks.map(|block| serde_yaml::from_str::<Value>(block).unwrap());
    parsed.filter(|block| block.get("jobs").is_some()).collect()
}

fn steps(workflow: &Value) -> Vec<Value> {
    let jobs = workflow["jobs"].as_object().unwrap().values();
    let has_steps = |job: &&Value| !job["uses"].is_string();
    jobs.filter(has_steps).flat_map(|job| job["steps"].as_array().unwrap().clone()).collect()
}

fn calls(script: &str) -> Vec<Vec<String>> {
    let script = script.replace("xargs -d '\\n' faber pack report", "faber pack report x");
    let commands =
        script.split(['\n', '|', ';', '&']).map(|it| it.split(['>', '<']).next().unwrap().trim());
    let calls = commands.filter(|command| command.starts_with("faber "));
    calls.map(|call| call.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn workflows_of_the_book_name_what_exists() {
    let inputs = yaml("action.yml")["inputs"].as_object().unwrap().clone();
    let own = format!("OWNER/faber@v{}", env!("CARGO_PKG_VERSION"));
    let mut count = 0;
    for page in ["docs/publishing.md", "docs/tutorial.md"] {
        for workflow in workflows(page) {
            assert!(workflow["name"].is_string() && workflow.get("on").is_some(), "{workflow}");
            for step in steps(&workflow) {
                if step["uses"].as_str().is_some_and(|uses| uses.starts_with("OWNER/faber")) {
                    assert_eq!(step["uses"], own);
                    for (name, value) in step["with"].as_object().into_iter().flatten() {
                        assert!(inputs.contains_key(name) && value.is_string(), "{name}: {value}");
                    }
                }
                let Some(script) = step["run"].as_str() else { continue };
                let checked = Command::new("bash").args(["-n", "-c", script]).status();
                assert!(checked.is_ok_and(|status| status.success()), "{script}");
                for call in calls(script) {
                    assert!(Cli::try_parse_from(&call).is_ok(), "{call:?}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 8, "{count} calls");
}

struct Organization {
    folder: TempDir,
}

/// Lists and clones local repositories; records other calls.
const GH: &str = r#"#!/bin/sh
case "$1 $2" in
  "search code") cd "$ORGANIZATION" && for it in *.git; do
    if git -C "$it" cat-file -e HEAD:faber.lock 2>/dev/null; then echo "acme/${it%.git}"; fi
  done ;;
  "repo clone") git clone -q "$ORGANIZATION/${3#*/}.git" "$4" ;;
  *) echo "$*" >>"$ORGANIZATION/gh.txt" ;;
esac
"#;

impl Organization {
    fn new() -> Self {
        let this = Self { folder: TempDir::with_prefix("faber-fleet-").unwrap() };
        for name in ["home", "bin", "temp", "acme"] {
            std::fs::create_dir(this.path(name)).unwrap();
        }
        std::fs::write(this.path("bin/gh"), GH).unwrap();
        std::fs::write(this.path("home/.gitconfig"), "[user]\nname = a\nemail = a@example.com\n")
            .unwrap();
        this.bash("home", "chmod +x ../bin/gh");
        this
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[track_caller]
    fn bash(&self, folder: &str, script: &str) -> String {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_faber"));
        let folders = [self.path("bin"), program.parent().unwrap().to_owned()];
        let paths = std::env::var_os("PATH").unwrap();
        let paths = folders.into_iter().chain(std::env::split_paths(&paths));
        let mut command = Command::new("bash");
        command.args(["-e", "-c", script]).current_dir(self.path(folder));
        for name in
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "XDG_CACHE_HOME", "XDG_STATE_HOME"]
        {
            command.env_remove(name);
        }
        command.env("PATH", std::env::join_paths(paths).unwrap()).env("HOME", self.path("home"));
        command.env("RUNNER_TEMP", self.path("temp")).env("ORGANIZATION", self.path("acme"));
        command.env("GITHUB_STEP_SUMMARY", self.path("summary.md")).env("CI", "true");
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn pack_and_user(&self) {
        let script = "mkdir -p context/contexts/standards shop/roles/clerk shop/.faber\n\
            printf -- '---\\nsealed: true\\n---\\n# Style\\n\\nLong names.\\n' >context/contexts/standards/standards-style.md\n\
            printf '# Clerk\\n\\nYou sort.\\n' >shop/roles/clerk/prompt.md\n\
            mkdir shop/tests; printf -- '- name: x\\n  role: clerk\\n  request: x\\n  selected: [standard/style]\\n' >shop/tests/t.yml\n\
            for it in context shop; do (cd $it; git init -q -b main; git add -A; git commit -q --allow-empty -m first\n\
              git clone -q --bare . ../acme/$it.git; git remote add origin ../acme/$it.git); done\n\
            cd context; git tag v1.0.0; git push -q origin v1.0.0; cd ../shop\n\
            faber pack add acme ../acme/context.git --ref ^1; faber trust\n\
            git add -A; git commit -qm 'Use the pack'; git push -q origin main";
        self.bash("", script);
    }

    fn new_version(&self) {
        let script = "printf '# Style\\n\\nShort names.\\n' >contexts/standards/standards-style.md\n\
            git commit -qam second; git tag v1.1.0; git push -q origin main v1.1.0";
        self.bash("context", script);
    }

    #[track_caller]
    fn run(&self, folder: &str, name: &str) {
        let all = workflows("docs/publishing.md");
        let workflow = all.iter().find(|workflow| workflow["name"] == name).unwrap();
        assert!(!steps(workflow).is_empty());
        for step in steps(workflow) {
            if let Some(script) = step["run"].as_str() {
                self.bash(folder, script);
            }
        }
    }
}

#[test]
fn workflows_check_update_and_report() {
    let organization = Organization::new();
    organization.pack_and_user();
    organization.bash("shop", "faber trust --revoke");
    organization.run("shop", "faber");
    organization.run("shop", "packs");
    assert!(!organization.path("acme/gh.txt").exists(), "there is nothing to update");
    organization.new_version();
    organization.run("shop", "faber");
    organization.run("shop", "packs");
    let said = std::fs::read_to_string(organization.path("acme/gh.txt")).unwrap();
    assert!(said.starts_with("pr create --title Update packs --body-file "), "{said}");
    let effects = std::fs::read_to_string(organization.path("temp/effects.md")).unwrap();
    assert!(effects.contains("+Short names."), "{effects}");
    let changed = organization.bash("acme/shop.git", "git diff --name-only main packs");
    assert_eq!(changed, "faber.lock\n");
    let nested = "git clone -q --bare shop.git other.git; git clone -q shop.git tree; cd tree\n\
        mkdir -p apps/web/roles; cp -r .faber faber.lock apps/web/; git add -A; git commit -qm mono\n\
        git push -q; cd ..; rm -rf tree";
    organization.bash("acme", nested);
    std::fs::create_dir(organization.path("report")).unwrap();
    organization.run("report", "report");
    let summary = std::fs::read_to_string(organization.path("summary.md")).unwrap();
    assert!(summary.contains("checkouts/shop/apps/web"), "{summary}");
    assert!(summary.contains("checkouts/shop") && summary.contains("^1 ("), "{summary}");
    assert!(summary.contains("+Short names."), "the effects are on the page of the run");
}

#[test]
fn a_workflow_completes_what_renovate_changed() {
    let organization = Organization::new();
    organization.pack_and_user();
    organization.new_version();
    let script = "new=$(git -C ../context rev-parse HEAD)\n\
        git switch -q -c renovate/packs\n\
        sed -i.bak \"s/^    commit: .*/    commit: $new/\" faber.lock; rm faber.lock.bak\n\
        git commit -qam renovate; git push -q -u origin renovate/packs";
    organization.bash("shop", script);
    organization.run("shop", "relock");
    let pushed = organization.bash("acme/shop.git", "git log --format=%s renovate/packs");
    assert!(pushed.starts_with("Lock the packs\n"), "{pushed}");
    organization.run("shop", "faber");
}
