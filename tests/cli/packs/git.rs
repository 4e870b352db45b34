//! Locked packs from git.

use std::process::Command;

use super::remote::{ASSEMBLE, Remote, STYLE, project, remote};
use crate::formats::conforms;
use crate::project::TestProject;

#[test]
fn a_pack_is_added_pinned_and_used_offline() {
    let (remote, project) = (remote(), project());
    let said = project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    assert!(said.contains("acme: new, v1") && said.contains("\n  standard/style\n"), "{said}");
    let lock = project.text("faber.lock");
    let commit = remote.commit_of("v1");
    assert!(lock.contains(&format!("    path: .\n    ref: v1\n    commit: {commit}\n")), "{lock}");
    assert!(lock.contains("      contexts/standards/standards-style.md: sha256:"), "{lock}");
    assert!(project.text(".faber/config.yml").contains("acme: { git: "));
    remote.vanish();
    for _ in 0..2 {
        assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    }
    project.stdout(&["pack", "verify"]);
    let listed = project.json(&["pack", "list", "--format", "json"]);
    let listed = &listed["packs"][0];
    assert_eq!(listed["version"], format!("v1 ({})", &commit[..12]));
    assert!(listed["ref"] == "v1" && listed["commit"] == commit.as_str(), "{listed}");
    let layers = project.json(&["list", "layers", "--format", "json"]);
    assert_eq!(layers["layers"][0]["pack"]["name"], "acme");
    project.stdout(&["pack", "remove", "acme"]);
    assert!(!project.text(".faber/config.yml").contains("acme"));
    let empty = project.text("faber.lock");
    assert_eq!(empty.lines().last(), Some("packs: {}"));
    let project = project.file("faber.lock", &lock);
    project.stdout(&["pack", "remove", "acme"]);
    assert_eq!(project.text("faber.lock"), empty, "an interrupted removal is completed");
    project.run(&["pack", "remove", "acme"]).refused(2, &["unknown pack `acme`"]);
    assert!(!project.stdout(&ASSEMBLE).contains("Long names."));
}

#[test]
fn adding_a_pack_makes_a_workspace_where_there_is_none() {
    let (remote, folder) = (remote(), TestProject::empty().dir("app"));
    let add = ["-C", "app", "pack", "add", "acme", &remote.url(), "--ref", "v1"];
    let tried = folder.stdout(&[&add[..], &["--dry-run"]].concat());
    assert!(tried.ends_with("\nnothing is written\n"), "{tried}");
    assert_eq!(folder.files(), []);
    let said = folder.stdout(&add);
    assert!(said.ends_with("\nwrote faber.lock and .faber/config.yml\n"), "{said}");
    assert!(folder.stdout(&["-C", "app", "show", "standard/style"]).contains("Long names."));
}

#[test]
fn what_is_written_conforms_to_its_schema() {
    let (remote, project) = (remote(), project());
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    let data = |text: &str| serde_yaml::from_str::<serde_json::Value>(text).unwrap();
    let lock = project.text("faber.lock");
    conforms(&project, "lock", &data(&lock));
    conforms(&project, "config-file", &data(&project.text(".faber/config.yml")));
    let schema = project.json(&["schema", "lock"]);
    for (from, to) in [
        ("version: 1", "version: 2"),
        ("    tree: ", "    tre: "),
        ("sha256:", "sha512:"),
        ("  acme:", "  ACME:"),
        ("commit: ", "commit: x"),
    ] {
        assert!(!jsonschema::is_valid(&schema, &data(&lock.replacen(from, to, 1))), "{to}");
    }
    project.stdout(&["pack", "remove", "acme"]);
    conforms(&project, "lock", &data(&project.text("faber.lock")));
}

#[test]
fn renovate_finds_packs_in_the_lock() {
    let (remote, project) = (remote(), project());
    remote.write(&[("sub/contexts/standards/standards-sub.md", "# Sub\n\nX.\n")]);
    remote.commit(&[]);
    remote.git(&["tag", "v2"]);
    project.stdout(&["trust"]);
    let url = remote.url();
    project.stdout(&["pack", "add", "acme", &url, "--ref", "main"]);
    project.stdout(&["pack", "add", "sub", &url, "--ref", "v2", "--path", "sub"]);
    remote.git(&["tag", "1.0.0"]);
    for (name, reference) in [("tag", "1.0.0"), ("range", "^1.0")] {
        project.stdout(&["pack", "add", name, &url, "--ref", reference, "--path", "sub"]);
    }
    let page = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/publishing.md"),
    );
    let page = page.unwrap();
    let start = page.find("{\n  \"customManagers\"").unwrap();
    let end = start + page[start..].find("\n}\n").unwrap() + 2;
    let manager: serde_json::Value = serde_json::from_str(&page[start..end]).unwrap();
    let manager = &manager["customManagers"][0];
    let expression = manager["matchStrings"][0].as_str().unwrap().replace("(?<", "(?P<");
    let expression = regex::Regex::new(&expression).unwrap();
    let lock = project.text("faber.lock");
    let found: Vec<[String; 3]> = expression
        .captures_iter(&lock)
        .map(|found| {
            ["packageName", "currentValue", "currentDigest"].map(|it| found[it].to_owned())
        })
        .collect();
    let expected = [("main", "main"), ("^1.0", "1.0.0"), ("v2", "v2"), ("1.0.0", "1.0.0")]
        .map(|(value, commit)| [url.clone(), value.to_owned(), remote.commit_of(commit)]);
    assert_eq!(found, expected);
    let name = manager["managerFilePatterns"][0].as_str().unwrap().trim_matches('/').to_owned();
    assert!(regex::Regex::new(&name).unwrap().is_match("apps/web/faber.lock"));
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    let new = lock.replacen(&found[0][2], &remote.commit_of("main"), 1);
    let project = project.file("faber.lock", &new);
    project.run(&["pack", "update", "--locked"]).refused(2, &["faber pack relock acme"]);
    project.stdout(&["pack", "relock"]);
    project.stdout(&["pack", "update", "--locked"]);
    assert!(project.stdout(&ASSEMBLE).contains("New names."));
}

#[test]
fn digests_are_those_of_sha256sum() {
    let (remote, project) = (remote(), project());
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let lock = project.text("faber.lock");
    let field = |name: &str| {
        let line = lock.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.rsplit_once("sha256:").unwrap().1.to_owned()
    };
    let script = "find . -type f -not -path './.git/*' | sed 's|^./||' | LC_ALL=C sort | xargs sha256sum | sha256sum";
    let output =
        Command::new("sh").args(["-c", script]).current_dir(remote.work()).output().unwrap();
    let expected = String::from_utf8(output.stdout).unwrap();
    assert_eq!(Some(&*field("digest")), expected.split_whitespace().next());
}

#[test]
fn an_update_shows_its_effects_before_it_writes() {
    let (remote, project) = (remote(), project());
    let project = project.file(
        ".faber/overlays/organization/contexts/standards/standards-style.md",
        "---\nstrategy: merge\nsections: { Names: override }\n---\n## Names\n\nOurs.\n",
    );
    remote.commit(&[(STYLE, "# Style\n\nIntro.\n\n## Names\n\nLong.\n")]);
    let project = project.file(
        "tests/t.yml",
        "- name: retry\n  role: clerk\n  request: x\n  selected: [standard/extra]\n",
    );
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "main"]);
    let lock = project.text("faber.lock");
    let config = project.text(".faber/config.yml");
    remote.commit(&[
        (STYLE, "# Style\n\nOther intro.\n"),
        ("contexts/standards/standards-extra.md", "# Extra\n\nMore.\n"),
    ]);
    let outdated = project.run(&["pack", "outdated"]);
    assert_eq!(outdated.code, 1, "{}", outdated.stderr);
    let data = project.json(&["pack", "update", "--dry-run", "--format", "json"]);
    assert_eq!(project.text("faber.lock"), lock);
    assert_eq!(data["written"], false);
    assert_eq!(data["packs"][0]["changed"], 1);
    let contexts = data["contexts"].as_array().unwrap();
    let kinds: Vec<_> = contexts
        .iter()
        .map(|it| (it["id"].as_str().unwrap(), it["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, [("standard/extra", "added"), ("standard/style", "changed")]);
    assert!(contexts[1]["unified"].as_str().unwrap().contains("+Other intro."));
    assert_eq!(data["tests"][0]["passes"], true);
    let vanished =
        data["findings"].as_array().unwrap().iter().filter(|it| it["vanished_section"] == true);
    assert_eq!(vanished.count(), 1, "{}", data["findings"]);
    let said = project.stdout(&["pack", "update", "--dry-run"]);
    assert!(said.contains("\nadded standard/extra") && said.contains("\n  +More.\n"), "{said}");
    let markdown = project.stdout(&["pack", "update", "--format", "markdown"]);
    assert!(
        markdown.contains("| `acme` | `main (") && markdown.contains("  ```diff"),
        "{markdown}"
    );
    assert_ne!(project.text("faber.lock"), lock);
    assert_eq!(project.text(".faber/config.yml"), config);
    assert!(project.stdout(&ASSEMBLE).contains("More."));
    assert_eq!(project.run(&["pack", "outdated"]).code, 0);
    assert_eq!(project.stdout(&["pack", "update"]), "no changes\n");
}

#[test]
fn requests_of_the_audit_log_show_what_an_update_selects_otherwise() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let call = r#"{"schema":"faber.audit/1","time":"2026-01-01T00:00:00.000Z","session":"s","principal":null,"tool":"assemble_prompt","arguments":{"role":"clerk","request":"retry the upload"},"results":[],"tokens":1,"milliseconds":1.0,"outcome":"ok"}"#;
    let project = project.file(".faber/state/audit.jsonl", &format!("{call}\n"));
    remote.commit(&[(
        "contexts/patterns/pattern-retry.md",
        "---\nkeywords: [retry]\n---\n# Retry\n\nThrice.\n",
    )]);
    let data = project.json(&["pack", "update", "--dry-run", "--format", "json"]);
    assert_eq!(data["requests"][0]["added"], serde_json::json!(["pattern/retry"]), "{data}");
}

#[test]
fn an_update_with_new_security_errors_is_not_written_unless_accepted() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let lock = project.text("faber.lock");
    remote.commit(&[(STYLE, "# Style\n\nNames\u{202e}semaN.\n")]);
    let run = project.run(&["pack", "update"]);
    assert_eq!(run.code, 2);
    run.said(&["new security errors"]);
    assert!(run.stdout.contains("bidi-control"), "{}", run.stdout);
    assert!(run.stdout.contains(": `Names\\u{202e}semaN.`\n"), "{}", run.stdout);
    assert_eq!(project.text("faber.lock"), lock);
    project.stdout(&["pack", "update", "--accept"]);
    assert_ne!(project.text("faber.lock"), lock);
}

#[test]
fn a_moved_tag_and_a_foreign_commit_are_told_apart() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    let lock = project.text("faber.lock");
    remote.commit(&[(STYLE, "# Style\n\nMoved.\n")]);
    remote.git(&["tag", "-f", "v1"]);
    project.forget_packs();
    project.stdout(&["pack", "update", "--locked"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."), "the old commit is an ancestor");
    let outdated = project.run(&["pack", "outdated"]).stdout;
    assert!(outdated.contains("  the tag `v1` was moved  "), "{outdated}");
    remote.git(&["checkout", "-q", "--orphan", "other"]);
    remote.commit(&[(STYLE, "# Style\n\nRewritten.\n")]);
    remote.git(&["tag", "-f", "v1"]);
    project.forget_packs();
    let run = project.run(&["pack", "update", "--locked"]);
    run.refused(2, &["is not in the history of `v1`"]);
    assert_eq!(project.text("faber.lock"), lock);
    let said = project.stdout(&["pack", "update"]);
    assert!(said.contains("effects unknown, because the former files") && said.contains("→"));
    assert!(said.contains(" changed\n  warning: the tag `v1` was moved\n"), "{said}");
    assert!(!said.contains("standard/style"), "{said}");
}

#[test]
fn a_changed_commit_needs_relock() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "main"]);
    let (lock, old) = (project.text("faber.lock"), remote.commit_of("main"));
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    let changed = lock.replace(&old, &remote.commit_of("main"));
    let mut project = project;
    for command in ["relock", "update"] {
        project = project.file("faber.lock", &changed);
        let verify = project.run(&["pack", "verify"]);
        assert!(verify.code == 1, "{}", verify.stdout);
        assert!(verify.stdout.contains("its commit was not checked"), "{}", verify.stdout);
        let run = project.run(&["pack", "update", "--locked"]);
        run.refused(2, &["differ from faber.lock", "faber pack relock acme"]);
        project.forget_packs();
        let run = project.run(&["pack", "update", "--locked"]);
        run.refused(2, &["differ from faber.lock", "faber pack relock acme"]);
        project.forget_packs();
        let said = project.stdout(&["pack", command]);
        assert!(said.contains("-Long names."), "{said}");
        assert!(project.stdout(&ASSEMBLE).contains("New names."));
    }
}

#[test]
fn what_a_ref_or_path_cannot_mean_is_said() {
    let (remote, project) = (remote(), project());
    remote.git(&["tag", "v1.2.0"]);
    for (flag, value, words) in [
        ("--ref", "^9", "has no tag in the range `^9`"),
        ("--ref", "^x", "`^x` is not a range of versions"),
        ("--ref", "v9", "has no branch, tag or commit `v9`"),
        ("--path", "../x", "`../x` leads out of the repository"),
        ("--path", "x", "has no directory `x`"),
    ] {
        let run = project.run(&["pack", "add", "acme", &remote.url(), flag, value]);
        run.refused(2, &[words]);
        assert!(!project.path(".faber/config.yml").exists(), "{value}");
    }
    let run = project.run(&["pack", "add", "acme", &Remote::new().url()]);
    run.refused(2, &["has no commit on its default branch"]);
    // Tags take precedence over branches.
    remote.git(&["branch", "v1.2.0"]);
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    remote.git(&["branch", "-f", "v1.2.0", "HEAD"]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1.2.0"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
}

#[test]
fn a_pack_that_changes_what_is_there_shows_how() {
    let (remote, project) = (remote(), project());
    let project = project.file(
        ".faber/overlays/organization/contexts/standards/standards-style.md",
        "---\nstrategy: append\n---\n- ours\n",
    );
    let said = project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    assert!(said.contains("+Long names."), "{said}");
    project.stdout(&["trust"]);
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    let said = project.stdout(&["pack", "add", "other", &remote.url(), "--ref", "main"]);
    assert!(said.contains("pack-collision"), "{said}");
}

#[test]
fn ci_takes_the_lock_as_it_is() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let lock = project.text("faber.lock");
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    project.forget_packs();
    let overlay = "---\nstrategy: append\n---\n- ours\n";
    let project = project
        .file("roles/clerk/agent.yml", "name: clerk\nextends: \"@acme:reviewer\"\n")
        .file(".faber/overlays/organization/contexts/standards/standards-style.md", overlay)
        .env("CI", "1");
    project.run(&ASSEMBLE).refused(2, &["not downloaded", "faber pack update --locked acme"]);
    let found = project.run(&["validate", "--format", "concise"]).stdout;
    let hints = found.matches(": hint[").count();
    assert_eq!(found.lines().count(), hints + 1, "nothing follows from it: {found}");
    project.stdout(&["pack", "update"]);
    assert_eq!(project.text("faber.lock"), lock);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    let end = |key: &str| lock.find(key).unwrap() + key.len();
    let [tree, file] = ["tree: ", "style.md: sha256:"].map(|key| &lock[end(key)..end(key) + 40]);
    let entry = &lock[lock.find("  acme:").unwrap()..];
    let surplus = format!("{entry}{}", entry.replacen("acme", "zzz", 1));
    let mut project = project;
    for (from, to, words) in [
        (tree, &*"0".repeat(40), "tree or files of the pack `acme`"),
        (file, &"0".repeat(40), "are inconsistent"),
        (entry, &surplus, "has the pack `zzz`, which is not declared"),
    ] {
        project = project.file("faber.lock", &lock.replacen(from, to, 1));
        project.run(&["pack", "update"]).refused(2, &[words]);
    }
    let report = project.run(&["pack", "report", "."]);
    assert!(report.code == 1 && report.stdout.contains("not declared"), "{}", report.stdout);
    let config = project.text(".faber/config.yml").replace("git:", "ref: v1, git:");
    let project = project.file("faber.lock", &lock).file(".faber/config.yml", &config);
    project.run(&["pack", "update"]).refused(2, &["faber.lock does not match"]);
}

#[test]
fn damage_is_found_and_repaired() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let lock = project.text("faber.lock");
    let stored = project.stored(STYLE);
    std::fs::write(&stored, "# Style\n\nForged.\n").unwrap();
    let run = project.run(&ASSEMBLE);
    assert!(!run.stdout.contains("Forged."), "{}", run.stdout);
    assert_eq!(run.code, 2);
    run.said(&["differs from faber.lock", "faber pack verify acme"]);
    assert!(!run.stderr.contains("change it there"), "{}", run.stderr);
    for at in 0..11 {
        std::fs::write(stored.with_file_name(format!("{at}.md")), "x").unwrap();
    }
    let verify = project.run(&["pack", "verify"]);
    assert_eq!(verify.code, 1);
    assert!(verify.stdout.contains("differs from faber.lock"), "{}", verify.stdout);
    assert!(verify.stdout.contains("\nacme: … 2 more\nacme: run `faber"), "{}", verify.stdout);
    project.stdout(&["pack", "update", "--locked"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    let project = project.file("faber.lock", &lock.replace("  acme:", "<<<<<<< a\n  acme:"));
    project.run(&ASSEMBLE).refused(2, &["conflict markers"]);
    let report = project.run(&["pack", "report", "."]).stdout;
    assert!(report.contains("conflict markers") && !report.contains("; "), "{report}");
    let project = project.file("faber.lock", &lock.replace("version: 1", "version: 2"));
    project.run(&ASSEMBLE).refused(2, &["unknown version"]);
    std::fs::remove_file(project.path("faber.lock")).unwrap();
    project.stdout(&["pack", "update"]);
    assert_eq!(project.text("faber.lock"), lock);
}

#[test]
fn a_lock_that_cannot_be_read_is_not_overwritten() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    let lock = project.text("faber.lock");
    let digest = lock.split("digest: sha256:").nth(1).unwrap()[..64].to_owned();
    let mut project = project;
    for (from, to, words) in [
        ("version: 1", "version: 99", ["unknown version", "update faber"]),
        ("  acme:", "<<<<<<< a\n  acme:", ["conflict markers", "take one side"]),
        (
            "    tree: ",
            "    tre: ",
            ["damaged in line 9: expected `tree`, found `tre`", "delete it"],
        ),
        (&*digest, &"0".repeat(64), ["inconsistent", "faber pack relock acme"]),
    ] {
        let other = lock.replacen(from, to, 1);
        project = project.file("faber.lock", &other);
        for arguments in [&["pack", "update"][..], &["pack", "update", "acme"]] {
            project.run(arguments).refused(2, &words);
        }
        project.run(&["pack", "add", "two", &remote.url(), "--ref", "v1"]).refused(2, &words);
        assert_eq!(project.text("faber.lock"), other);
    }
}

#[test]
fn an_edited_ref_shows_its_effects_too() {
    const GONE: &str = "contexts/standards/standards-gone.md";
    let (remote, project) = (remote(), project());
    remote.commit(&[(GONE, "# Gone\n\nOld rule.\n")]);
    remote.git(&["tag", "v2"]);
    remote.git(&["rm", "-q", GONE]);
    remote.commit(&[(STYLE, "# Style\n\nShort names.\n")]);
    remote.git(&["tag", "v3"]);
    let case = "- name: gone\n  role: clerk\n  request: x\n  selected: [standard/gone]\n";
    let project = project.file("tests/t.yml", case);
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v2"]);
    let config = project.text(".faber/config.yml").replace("\"v2\"", "\"v3\"");
    let project = project.file(".faber/config.yml", &config);
    project.stdout(&["trust"]);
    for _ in 0..2 {
        let data = project.json(&["pack", "update", "--dry-run", "--format", "json"]);
        let contexts = data["contexts"].as_array().unwrap();
        let kinds: Vec<_> = contexts.iter().map(|it| &it["kind"]).collect();
        assert_eq!(kinds, ["removed", "changed"], "{data}");
        assert!(contexts[1]["unified"].as_str().unwrap().contains("-Long names."));
        assert_eq!(data["tests"][0]["passes"], false);
        project.forget_packs();
    }
}

#[test]
fn vendored_packs_need_no_store() {
    let (remote, project) = (remote(), project());
    project.stdout(&["trust"]);
    project.stdout(&["pack", "add", "acme", &remote.url()]);
    project.stdout(&["pack", "vendor"]);
    assert!(project.stdout(&["pack", "list"]).contains("  vendored  "));
    let vendored = format!(".faber/packs/acme/{STYLE}");
    let project = project.file(&vendored, "# Style\n\nPlanted.\n");
    project.run(&ASSEMBLE).refused(2, &["unavailable-pack", "differs from faber.lock"]);
    let run = project.run(&["pack", "verify"]);
    assert_eq!(run.code, 1, "the store is whole: {}", run.stderr);
    let expected =
        format!("acme: `{vendored}` differs from faber.lock\nacme: run `faber pack vendor acme`");
    assert!(run.stdout.starts_with(&expected), "{}", run.stdout);
    project.stdout(&["pack", "vendor"]);
    project.forget_packs();
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    project.stdout(&["pack", "verify"]);
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    let said = project.stdout(&["pack", "update"]);
    assert!(said.ends_with("\nwrote faber.lock and .faber/packs/acme\n"), "{said}");
    assert!(project.text(&vendored).contains("New names."));
    let tried = project.stdout(&["pack", "remove", "acme", "--dry-run"]);
    assert!(tried.contains("removed 1 context") && tried.contains("  standard/style\n"), "{tried}");
    assert!(project.path(&vendored).exists());
    project.run(&["pack", "remove", "acme"]).said(&["removed `.faber/packs/acme`"]);
    assert!(!project.path(".faber/packs/acme").exists());
}

#[test]
fn ranges_take_the_highest_tag() {
    let (remote, project) = (remote(), project());
    for (tag, text) in
        [("v1.2.0", "one"), ("v1.10.0", "ten"), ("v2.0.0", "two"), ("v1.11.0-rc", "candidate")]
    {
        remote.commit(&[(STYLE, &format!("# Style\n\nIs {text}.\n"))]);
        remote.git(&["tag", "-am", "x", tag]);
    }
    project.stdout(&["trust"]);
    let said = project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "^1.2"]);
    assert!(said.starts_with("acme: new, v1.10.0 ("), "{said}");
    assert!(project.stdout(&ASSEMBLE).contains("Is ten."));
    remote.git(&["tag", "v1.12.0", "main"]);
    let outdated = project.run(&["pack", "outdated"]).stdout;
    assert!(outdated.contains(") → v1.12.0 ("), "{outdated}");
    let said = project.stdout(&["pack", "update"]);
    assert!(said.starts_with("acme: v1.10.0 (") && said.contains(") → v1.12.0 ("), "{said}");
    for (reference, from, to) in [
        ("v1.10.0", "v1.12.0", "v1.10.0"),
        ("~1.12", "v1.10.0", "v1.12.0"),
        ("v1.12.0", "~1.12", "v1.12.0"),
        ("main", "v1.12.0", "main"),
    ] {
        let said = project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", reference]);
        let change = said.starts_with(&format!("acme: {from} ("));
        assert!(change && said.contains(&format!(" → {to} (")), "{reference}: {said}");
    }
    for (reference, words) in [
        ("^3", "has no tag in the range `^3`"),
        ("^1.0.0-rc.1", "is not a range of versions"),
        (">=1.0", "is not a range of versions"),
        ("1.x", "has no branch, tag or commit `1.x`"),
    ] {
        let run = project.run(&["pack", "add", "other", &remote.url(), "--ref", reference]);
        run.refused(2, &[words]);
    }
}

#[test]
fn a_folder_of_a_repository_is_a_pack_alone() {
    let (remote, project) = (Remote::new(), project());
    remote.commit(&[
        ("packs/base/contexts/standards/standards-style.md", "# Style\n\nLong names.\n"),
        ("big.bin", "x"),
    ]);
    project.stdout(&["pack", "add", "acme", &remote.url(), "--path", "packs/base"]);
    let lock = project.text("faber.lock");
    assert!(lock.contains("    path: packs/base\n") && !lock.contains("big.bin"), "{lock}");
    let listed = project.stdout(&["pack", "list"]);
    assert!(listed.ends_with("remote.git, packs/base\n"), "{listed}");
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
    project
        .run(&["pack", "add", "b", &remote.url(), "--path", "nothing"])
        .refused(2, &["has no directory `nothing`"]);
}

#[test]
fn paths_of_this_machine_are_asked_only_when_typed_or_trusted() {
    let (remote, project) = (remote(), project());
    let config = format!("packs:\n  acme: {{ git: \"{}\" }}\n", remote.url());
    let project = project.file(".faber/config.yml", &config);
    project.run(&["pack", "update"]).refused(2, &["is a path on this machine", "faber trust"]);
    project.stdout(&["trust"]);
    project.stdout(&["pack", "update"]);
    assert!(project.stdout(&ASSEMBLE).contains("Long names."));
}

#[test]
fn a_report_shows_which_checkout_has_which_version() {
    let remote = remote();
    let project = ["a", "b", "c", "d"].iter().fold(TestProject::empty(), |project, name| {
        project
            .dir(&format!("{name}/.faber"))
            .file(&format!("{name}/roles/clerk/prompt.md"), "# Clerk\n\nYou sort.\n")
    });
    let add = |name: &str| project.stdout(&["-C", name, "pack", "add", "acme", &remote.url()]);
    add("a");
    remote.commit(&[(STYLE, "# Style\n\nNew names.\n")]);
    add("b");
    add("c");
    let project = project.file("c/contexts/standards/standards-style.md", "# Style\n\nOurs.\n");
    let run = project.run(&["pack", "report", "a", "b", "c", "d", "--format", "json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let data: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let packs = data["packs"].as_array().unwrap();
    let overlays: Vec<_> = packs.iter().map(|pack| pack["overlays"].as_u64()).collect();
    assert_eq!(overlays, [Some(0), Some(0), Some(1), None]);
    let drift: Vec<_> = packs.iter().map(|pack| pack["drift"].as_array().unwrap().len()).collect();
    assert_eq!(drift, [1, 0, 0, 0], "{data}");
    assert!(packs[3]["pack"].is_null());
    let human = project.run(&["pack", "report", "b", "c"]);
    assert_eq!(human.code, 0);
    assert!(human.stdout.contains("1 context changed"), "{}", human.stdout);
    let run = project.run(&["pack", "report", "missing", "b", "c"]);
    assert_eq!((run.code, &run.stdout), (2, &human.stdout));
    run.said(&["missing"]);
    project.forget_packs();
    let fresh = project.stdout(&["pack", "report", "b", "c"]);
    assert_eq!(fresh.matches("changes unknown").count(), 2, "{fresh}");
}

#[test]
fn lines_and_layers_of_a_pack_name_its_version() {
    let (remote, project) = (remote(), project());
    project.stdout(&["pack", "add", "acme", &remote.url(), "--ref", "v1"]);
    let blame = project.stdout(&["show", "standard/style", "--blame"]);
    assert!(blame.contains("acme@v1:contexts/standards/standards-style.md:1"), "{blame}");
    let layers = project.stdout(&["list", "layers"]);
    assert!(!layers.contains(".faber/packs") && layers.contains("acme@v1\n"), "{layers}");
}
