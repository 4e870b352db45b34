//! Conventions of this repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use faber_core::rules::RULES;

use crate::project::{TestProject, faber_in};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// No module uses a later one. Manifests enforce the order of crates.
const STEPS: [&str; 6] = ["parse", "resolve", "select", "budget", "render", "assemble"];

#[test]
fn the_steps_have_one_direction() {
    let mut found = std::collections::BTreeSet::new();
    for (at, step) in STEPS.iter().enumerate() {
        let closed: Vec<String> =
            STEPS[at + 1..].iter().map(|step| format!("crate::{step}::")).collect();
        for path in sources(&repository().join("crates/faber-core/src").join(step)) {
            let text = std::fs::read_to_string(&path).unwrap();
            let shown =
                path.strip_prefix(repository()).unwrap().to_str().unwrap().replace('\\', "/");
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                let doors = closed.iter().filter(|door| line.contains(door.as_str()));
                found.extend(doors.map(|door| format!("{shown}: {door}")));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    let rust = files
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let rust: Vec<PathBuf> = rust.collect();
    assert!(!rust.is_empty(), "{} is gone", folder.display());
    rust
}

#[test]
fn schemas_are_the_committed_files() {
    let project = TestProject::empty();
    let folder = repository().join("docs/schemas");
    let mut expected = Vec::new();
    for name in project.stdout(&["schema"]).lines() {
        let path = folder.join(format!("{name}.json"));
        let committed = std::fs::read_to_string(&path).unwrap();
        assert_eq!(project.stdout(&["schema", name]), committed);
        expected.push(path);
    }
    let mut found: Vec<PathBuf> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn this_repository_assembles_its_own_workspace() {
    for role in ["rust-engineer", "reviewer"] {
        let arguments = ["assemble", role, "--strict", "--request", "Add a rule about tables"];
        let output = faber_in(repository()).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{role}:\n{said}");
    }
}

#[test]
fn this_repository_passes_the_tests_of_its_own_workspace() {
    let output = faber_in(repository()).arg("test").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let outcome = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.is_empty(), "{said}{outcome}");
}

#[test]
fn this_repository_has_no_findings() {
    let output = faber_in(repository()).args(["validate", "--deny", "warnings"]).output().unwrap();
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && found.is_empty(), "{found}");
}

#[test]
fn the_hook_before_commits_runs() {
    let text = std::fs::read_to_string(repository().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let hook = &hooks[0];
    let command = hook["entry"].as_str().unwrap().strip_prefix("faber ").unwrap();
    let project = crate::project::TestProject::new()
        .file("contexts/standards/standards-a.md", "---\nupdated: 2026-02-30\n---\n# A\n");
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "one"]);
    let run = project.run(&command.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, 1, "a clean checkout, as in CI: {}", run.stderr);
    assert!(hook["args"].is_null());
    assert_eq!(hook["id"], "faber-validate");
}

#[test]
fn the_committed_completions_are_those_of_the_program() {
    let project = TestProject::empty();
    let folder = repository().join("completions");
    let made: [(&str, &[&str]); 5] = [
        ("_faber", &["completions", "zsh"]),
        ("_faber.ps1", &["completions", "powershell"]),
        ("faber.1", &["man"]),
        ("faber.bash", &["completions", "bash"]),
        ("faber.fish", &["completions", "fish"]),
    ];
    for (name, arguments) in made {
        let (path, text) = (folder.join(name), project.stdout(arguments));
        if std::env::var_os("UPDATE_COMPLETIONS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        assert!(committed == text, "{} is old: run with UPDATE_COMPLETIONS=1", path.display());
        assert!(!text.contains("_users") && !text.contains("hostnames"), "{name}: a mark is left");
        assert_eq!(text.contains("__complete"), name != "faber.1", "{name}");
    }
    let found: std::collections::BTreeSet<_> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(found.iter().eq(made.map(|(name, _)| name).iter()), "{found:?}");
}

#[test]
fn the_committed_reference_of_rules_is_that_of_the_program() {
    let path = repository().join("docs/rules.md");
    let text = faber::commands::rules::reference();
    if std::env::var_os("UPDATE_RULES").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(committed == text, "docs/rules.md is old: run with UPDATE_RULES=1");
}

#[test]
fn every_rule_is_registered_and_raised() {
    let folder = repository().join("crates/faber-core/src/rules");
    let files: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().replace('_', "-"))
        .collect();
    let registered: BTreeSet<String> = RULES.iter().map(|rule| rule.code.to_owned()).collect();
    assert_eq!(files, registered);
    let mut quiet: BTreeSet<String> = files.iter().map(|name| name.replace('-', "_")).collect();
    let code = ["src", "crates"].into_iter().flat_map(|folder| sources(&repository().join(folder)));
    for path in code.filter(|path| !path.starts_with(&folder)) {
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        let makes = |name: &String| {
            text.contains(&format!("{name}::RULE")) || text.contains(&format!("{name} as "))
        };
        quiet.retain(|name| !makes(name));
    }
    assert!(quiet.is_empty(), "nothing makes findings of {quiet:?}");
}

/// In `docs/` and help texts.
const BANNED: [&str; 12] = [
    "mend",
    "mends",
    "mended",
    "anew",
    "whoever",
    "somebody",
    "nobody",
    "slip",
    "slips",
    "beside",
    "is no name",
    "there is no such",
];

#[test]
fn pages_and_help_use_plain_words() {
    let mut found = Vec::new();
    let folders =
        ["docs", "completions"].map(|folder| walkdir::WalkDir::new(repository().join(folder)));
    let pages = folders.into_iter().flatten().map(|entry| entry.unwrap().into_path());
    let pages =
        pages.filter(|path| path.is_file() && path.extension().is_none_or(|it| it != "json"));
    let own =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| repository().join(name));
    for path in pages.chain(own) {
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, at) in text.lines().zip(1..) {
            let words: Vec<&str> = line
                .split(|c: char| !c.is_alphanumeric() && c != '-')
                .filter(|it| !it.is_empty())
                .collect();
            let line = format!(" {} ", words.join(" ").to_lowercase());
            for banned in BANNED.iter().filter(|banned| line.contains(&format!(" {banned} "))) {
                found.push(format!("{}:{at}: {banned}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
