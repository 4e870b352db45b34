use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::remote::Remote;
use crate::project::TestProject;

const PUBLISH: [&str; 4] = ["pack", "publish", "--output", "dist"];
const CHECK: [&str; 5] = ["pack", "publish", "--output", "dist", "--check"];

fn pack() -> TestProject {
    TestProject::new()
        .file(
            ".faber/config.yml",
            "settings: { organization: Acme Corp }\npublish:\n  name: acme\n  description: What Acme knows\n  \
             owner: Acme\n  license: MIT\n  keywords: [acme, letters]\n",
        )
        .file("roles/clerk/prompt.md", "# Clerk\n\nYou sort letters. See [letters](../../contexts/standards/standards-letters.md).\n")
        .file("roles/clerk/agent.yml", "name: clerk\ndescription: Sorts letters\n")
        .file("roles/clerk/contexts/specialists/specialist-stamps.md", "---\ndescription: Stamps\n---\n# Stamps\n\nAn own one.\n")
        .file("roles/boss/prompt.md", "# Boss\n\nYou decide.\n")
        .file("roles/boss/agent.yml", "name: boss\nvisibility: internal\n")
        .file("roles/boss/contexts/specialists/specialist-plans.md", "# Plans\n\nHOUSE plans.\n")
        .file(
            "contexts/standards/standards-letters.md",
            "---\ndescription: \"How letters: are sorted\"\nlicense: MIT\ninternal_note: never leaves\n---\n# Letters\n\n\
             Sort by town, then [pack](../playbooks/playbook-packing.md#boxes).\n",
        )
        .file("contexts/playbooks/playbook-packing.md", PACKING)
        .file("contexts/playbooks/resources/packing/scripts/weigh.sh", "#!/bin/sh\necho 1\n")
        .file("contexts/playbooks/resources/packing/.env", "SECRET_OF_HOUSE=1\n")
        .bytes("contexts/playbooks/resources/packing/form.bin", &[0, 255, 1, 254])
        .file("contexts/patterns/pattern-globs.md", "---\nload: files\nglobs: ['**/*.ts']\n---\n# Globs\n\nFor scripts.\n")
        .file("contexts/references/reference-a.md", "---\nvisibility: private\nowner: ada\n---\n# A\n\nHOUSE secret a.\n")
        .file("contexts/references/reference-b.md", "---\nvisibility: internal\n---\n# B\n\nHOUSE secret b.\n")
        .file("contexts/references/reference-c.md", "---\nstatus: draft\n---\n# C\n\nHOUSE secret c.\n")
        .file("contexts/references/reference-d.md", "---\ngroups: [board]\n---\n# D\n\nHOUSE secret d.\n")
        .file(".faber/overlays/users/ada/contexts/standards/standards-letters.md", "---\nstrategy: append\n---\n## Mine\n\nHOUSE of ada.\n")
}

const PACKING: &str = "---\ndescription: Packs boxes\n---\n# Packing\n\n## Boxes\n\nRun [this](resources/packing/scripts/weigh.sh).\n";

fn tree(project: &TestProject, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let root = project.path(folder);
    let all = walkdir::WalkDir::new(&root).into_iter().flatten();
    all.filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path =
                entry.path().strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            (path, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

fn read(files: &BTreeMap<String, Vec<u8>>, path: &str) -> Value {
    serde_json::from_slice(&files[path]).unwrap()
}

fn skill(files: &BTreeMap<String, Vec<u8>>, name: &str) -> (Value, String) {
    let text = String::from_utf8(files[&format!("skills/{name}/SKILL.md")].clone()).unwrap();
    let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    (serde_yaml::from_str(front).unwrap(), body.to_owned())
}

#[test]
fn a_pack_becomes_skills_plugin_marketplace_and_index() {
    let project = pack();
    let said = project.run(&PUBLISH);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let files = tree(&project, "dist");
    let names: Vec<&str> = files
        .keys()
        .filter_map(|path| path.strip_prefix("skills/")?.strip_suffix("/SKILL.md"))
        .collect();
    let expected = ["clerk-specialist-stamps", "letters", "packing", "pattern-globs", "role-clerk"];
    assert_eq!(names, expected);
    for name in names {
        let (front, _) = skill(&files, name);
        assert_eq!(front["name"], name);
        let known = ["name", "description", "license"];
        assert!(front.as_object().unwrap().keys().all(|key| known.contains(&&**key)), "{front}");
        assert!((1..=1024).contains(&front["description"].as_str().unwrap().chars().count()));
    }
    let (front, body) = skill(&files, "letters");
    assert_eq!(
        front,
        json!({"name": "letters", "description": "How letters: are sorted", "license": "MIT"})
    );
    assert!(body.contains("[pack](../packing/SKILL.md#boxes)"), "{body}");
    assert!(skill(&files, "packing").1.contains("[this](./scripts/weigh.sh)"));
    assert!(skill(&files, "pattern-globs").1.contains("For files that match `**/*.ts`:"));
    let (front, body) = skill(&files, "role-clerk");
    assert_eq!(front["description"], "Sorts letters");
    assert!(
        body.contains("[letters](../letters/SKILL.md)") && body.contains("always apply: `letters`"),
        "{body}"
    );
    assert_eq!(files["skills/packing/form.bin"], [0, 255, 1, 254]);
    for (path, bytes) in &files {
        let text = String::from_utf8_lossy(bytes);
        assert!(
            !text.contains("HOUSE") && !text.contains("never leaves") && !path.contains(".env"),
            "{path}"
        );
    }
}

#[test]
fn manifests_keep_the_rules_of_their_formats() {
    let project = pack();
    project.stdout(&PUBLISH);
    let files = tree(&project, "dist");
    let about = json!({"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme",
        "description": "What Acme knows", "author": {"name": "Acme"}, "license": "MIT", "keywords": ["acme", "letters"]});
    assert_eq!(read(&files, "plugin.json"), about);
    assert_eq!(files["plugins/acme/plugin.json"], files["plugin.json"]);
    let client = read(&files, "plugins/acme/.claude-plugin/plugin.json");
    assert_eq!(
        (&client["name"], &client["skills"], client.get("version")),
        (&json!("acme"), &json!("./skills/"), None)
    );
    let market = read(&files, ".claude-plugin/marketplace.json");
    assert_eq!((&market["name"], &market["owner"]["name"]), (&json!("acme"), &json!("Acme")));
    let entry = &market["plugins"][0];
    assert_eq!((&entry["name"], &entry["source"]), (&json!("acme"), &json!("./plugins/acme")));
    assert_eq!(
        entry["policy"],
        json!({"installation": "AVAILABLE", "authentication": "ON_INSTALL"})
    );
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with("skills/")) {
        assert_eq!(files[&format!("plugins/acme/{path}")], *bytes);
    }
    let index = read(&files, ".well-known/agent-skills/index.json");
    assert_eq!(index["$schema"], "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    let skills = index["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 5);
    for entry in skills {
        let bytes = &files[&format!(".well-known/agent-skills/{}", entry["url"].as_str().unwrap())];
        assert_eq!(entry["digest"], format!("sha256:{}", sha256(bytes)));
        let (front, _) = skill(&files, entry["name"].as_str().unwrap());
        assert_eq!(entry["description"], front["description"]);
        let has_more = entry["name"] == "packing";
        assert_eq!(entry["type"], if has_more { "archive" } else { "skill-md" });
        assert_eq!(bytes.starts_with(b"PK\x03\x04"), has_more);
    }
    let list = String::from_utf8(files[".faber-files"].clone()).unwrap();
    let listed: Vec<(&str, &str)> =
        list.lines().map(|line| line.split_once("  ").unwrap()).collect();
    assert_eq!(listed.len(), files.len() - 1);
    assert!(listed.iter().all(|(hash, path)| *hash == sha256(&files[*path])));
    let data = project.json(&["pack", "publish", "--output", "dist", "--format", "json"]);
    assert_eq!((&data["schema"], &data["name"]), (&json!("faber.pack-publish/1"), &json!("acme")));
    assert!(data["files"].as_array().unwrap().iter().all(|file| file["state"] == "unchanged"));
}

#[test]
fn a_folder_is_kept_up_to_date_and_what_others_put_there_stays() {
    let project = pack().file("dist/README.md", "Mine.\n");
    assert_eq!(project.run(&CHECK).code, 1);
    assert_eq!(tree(&project, "dist").len(), 1, "a check writes nothing");
    project.stdout(&PUBLISH);
    assert_eq!(project.stdout(&CHECK), "");
    let before = tree(&project, "dist");
    let project = project
        .file("contexts/playbooks/playbook-packing.md", &PACKING.replace("boxes", "big boxes"));
    let check = project.run(&CHECK);
    assert_eq!(check.code, 1);
    assert!(
        check.stdout.contains("-description: Packs boxes\n+description: Packs big boxes"),
        "{}",
        check.stdout
    );
    assert_eq!(tree(&project, "dist"), before);
    project.stdout(&PUBLISH);
    assert_eq!(project.stdout(&CHECK), "");
    std::fs::remove_file(project.path("contexts/patterns/pattern-globs.md")).unwrap();
    std::fs::remove_file(project.path("contexts/playbooks/playbook-packing.md")).unwrap();
    let project = project.file("dist/skills/packing/SKILL.md", "Mine now.\n");
    project.stdout(&PUBLISH);
    let after = tree(&project, "dist");
    assert!(!project.path("dist/skills/pattern-globs").exists(), "no empty folder stays");
    assert!(!after.contains_key(".well-known/agent-skills/packing.zip"));
    assert_eq!(
        (&*after["skills/packing/SKILL.md"], &*after["README.md"]),
        (&b"Mine now.\n"[..], &b"Mine.\n"[..])
    );
    assert!(!after.contains_key("skills/packing/form.bin"));
}

#[test]
fn what_faber_did_not_write_is_not_overwritten() {
    for path in ["plugin.json", "skills/letters/SKILL.md", ".claude-plugin"] {
        let project = pack().file(&format!("dist/{path}"), "{}\n");
        let run = project.run(&PUBLISH);
        assert_eq!(run.code, 1);
        run.said(&["export-conflict", "nothing written"]);
        assert_eq!(tree(&project, "dist").len(), 1, "{path}");
    }
    // Lists name no outside files.
    let hash = sha256(b"Mine.\n");
    let list = format!("{hash}  ../mine.md\n{hash}  .git/x\n{hash}  skills/x\n");
    let project = pack()
        .file("mine.md", "Mine.\n")
        .file("dist/.git/x", "Mine.\n")
        .file("dist/.faber-files", &list);
    project.stdout(&PUBLISH);
    assert!(project.path("mine.md").exists() && project.path("dist/.git/x").exists());
    pack().run(&["pack", "publish", "--output", ""]).refused(2, &["`--output` is empty"]);
    for to in ["contexts/dist", ".git/x", ".faber", "roles", "mine.md"] {
        let run = project.run(&["pack", "publish", "--output", to]);
        run.refused(2, &["cannot publish to"]);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links_and_none_is_published() {
    let project = pack().file("../outside/x", "1").symlink("dist/skills", "../../outside");
    let run = project.run(&PUBLISH);
    assert_eq!(run.code, 1);
    run.said(&["is reached through a link"]);
    assert_eq!(std::fs::read_dir(project.path("../outside")).unwrap().count(), 1);
    let project = pack().file("../outside/x", "1").symlink("dist", "../outside");
    assert_ne!(project.run(&PUBLISH).code, 0);
    assert_eq!(std::fs::read_dir(project.path("../outside")).unwrap().count(), 1);
    let project = pack()
        .file("../outside/key", "private")
        .symlink("contexts/playbooks/resources/packing/key", "../../../../../outside/key");
    project.stdout(&PUBLISH);
    assert!(!project.path("dist/skills/packing/key").exists());
    let project = pack()
        .file("keys/key", "private")
        .file("contexts/patterns/pattern-linked.md", "# Linked\n\nText.\n")
        .symlink("contexts/patterns/resources/linked", "../../../keys");
    project.stdout(&PUBLISH);
    assert!(!project.path("dist/skills/pattern-linked/key").exists());
    project.stdout(&["pack", "publish", "--output", "../public"]);
    assert!(project.path("../public/plugin.json").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn files_whose_names_other_systems_read_differently_are_left_out() {
    let beside = "contexts/playbooks/resources/packing";
    let names = ["a:b.txt", "..\\x.sh", "Skill.md", "Form.bin", "con.txt"];
    let project =
        names.iter().fold(pack(), |project, name| project.file(&format!("{beside}/{name}"), "x"));
    let run = project.run(&PUBLISH);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&["`Skill.md` is not published: another file has its name on some systems"]);
    let dist = tree(&project, "dist/skills/packing");
    let dist: Vec<&str> = dist.keys().map(String::as_str).collect();
    assert_eq!(dist, ["Form.bin", "SKILL.md", "scripts/weigh.sh"]);
}

#[test]
fn secrets_are_an_error_wherever_they_are() {
    let key = ["AKIA", "Q3EGRZXVWN5TPLMB"].concat();
    let utf16: Vec<u8> = format!("id {key}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16 = [vec![0xff, 0xfe], utf16].concat();
    let beside = "contexts/playbooks/resources/packing";
    for project in [
        pack().file("contexts/standards/standards-key.md", &format!("# Key\n\nUse {key}.\n")),
        pack().file(&format!("{beside}/config.ini"), &format!("id = {key}\n")),
        pack().bytes(&format!("{beside}/config.bin"), &utf16),
        pack()
            .file(".faber/config.yml", &format!("publish: {{ name: acme, description: {key} }}\n")),
    ] {
        let run = project.run(&PUBLISH);
        assert_eq!(run.code, 1, "{}", run.stderr);
        run.said(&["secret"]);
        assert_eq!(run.stdout, "", "nothing is created");
        assert!(!run.stderr.contains(&key) && !run.stdout.contains(&key), "{}", run.stderr);
        assert!(!project.path("dist").exists());
    }
    let off = "validate: { rules: { secret: off } }\n";
    let text = format!("# Key\n\nUse {key}.\n");
    let project = || pack().file("contexts/standards/standards-key.md", &text);
    let overlay = project().file(".faber/overlays/organization/config.yml", off);
    overlay.run(&PUBLISH).refused(2, &["validate"]);
    project().file("../home/.config/faber/config.yml", off).stdout(&PUBLISH);
}

#[test]
fn names_are_valid_in_every_format_and_collisions_are_said() {
    let long = "l".repeat(90);
    let project = TestProject::with_role()
        .file("contexts/standards/standards-Über_Größe.md", "# Big\n\nBig letters.\n")
        .file("contexts/playbooks/playbook-letters.md", "# L\n\nOne.\n")
        .file("contexts/standards/standards-letters.md", "# L\n\nTwo.\n")
        .file(&format!("contexts/standards/standards-{long}.md"), "# Long\n\nLong.\n")
        .file(".faber/config.yml", "settings: { organization: Acme Corp. }\n");
    let run = project.run(&PUBLISH);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&[
        "becomes the skill `letters-2`: another skill is called `letters`",
        "skill names have at most 64",
    ]);
    let files = tree(&project, "dist");
    assert_eq!(read(&files, "plugin.json")["name"], "acme-corp");
    for name in
        files.keys().filter_map(|path| path.strip_prefix("skills/")?.strip_suffix("/SKILL.md"))
    {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.len() <= 64 && name.chars().all(plain) && !name.contains("--"), "{name}");
        assert_eq!(skill(&files, name).0["name"], name);
    }
    for bad in ["Acme", "a--b", "a.b", "agent-skills"] {
        let project = TestProject::with_role()
            .file(".faber/config.yml", &format!("publish: {{ name: {bad} }}\n"));
        project.run(&PUBLISH).refused(2, &["publish.name"]);
    }
    TestProject::new().run(&PUBLISH).refused(2, &["nothing to publish"]);
}

#[test]
fn what_roles_share_is_one_skill_and_their_prompts_name_what_they_load() {
    let prompt =
        "# Clerk\n\n## Context loading\n\n- Load: `/contexts/standards/standards-letters.md`\n";
    let letters = "---\nload: on-demand\n---\n# Letters\n\nBy town.\n";
    let shared = ".faber/overlays/platforms/github/contexts/specialists/specialist-same.md";
    let project = TestProject::new()
        .file(".faber/config.yml", "platforms: { boss: github, clerk: github }\n")
        .file("contexts/platforms/platform-github.md", "# GitHub\n\nIssues.\n")
        .file("roles/clerk/prompt.md", prompt)
        .file("roles/boss/prompt.md", "# Boss\n\nYou decide.\n")
        .file(shared, "---\nload: always\n---\n# Same\n\nFor both.\n")
        .file("contexts/standards/standards-letters.md", letters);
    project.stdout(&PUBLISH);
    let files = tree(&project, "dist");
    let names: Vec<&str> = files
        .keys()
        .filter_map(|path| path.strip_prefix("skills/")?.strip_suffix("/SKILL.md"))
        .collect();
    let expected = ["letters", "platform-github", "role-boss", "role-clerk", "specialist-same"];
    assert_eq!(names, expected);
    let body = skill(&files, "role-clerk").1;
    assert!(body.contains("skills always apply: ") && body.contains("`letters`"), "{body}");
    assert!(body.contains("`specialist-same`") && !body.contains("Load:"), "{body}");
    assert!(skill(&files, "role-boss").1.contains("`specialist-same`"));
}

#[test]
fn limits_of_skills_are_errors() {
    let folder = "contexts/playbooks/resources/packing";
    let many =
        (0..512).fold(pack(), |project, at| project.file(&format!("{folder}/{at}.txt"), "x"));
    many.run(&PUBLISH)
        .refused(2, &["the skill `packing` has 515 files, and a skill has at most 512"]);
    let large = vec![255; 6 * 1024 * 1024];
    let large = ["a", "b", "c"]
        .iter()
        .fold(pack(), |project, name| project.bytes(&format!("{folder}/{name}"), &large));
    large.run(&PUBLISH).refused(2, &["a skill has at most 16 MiB"]);
}

#[test]
fn the_bytes_depend_on_the_workspace_alone() {
    let project = pack().file(
        "../home/.config/faber/config.yml",
        "access: { user: ada }\nsettings: { role: clerk }\nmcp_servers: { x: { command: mine } }\n",
    );
    project.stdout(&PUBLISH);
    let first = tree(&project, "dist");
    let other = pack().env("FABER_ROLE", "clerk").env("FABER_TEAM", "x");
    other.stdout(&PUBLISH);
    assert_eq!(tree(&other, "dist"), first);
    let own = ["pack", "publish", "--output", "own", "--role", "clerk"];
    other.stdout(&own);
    assert!(other.path("own/skills/specialist-stamps/SKILL.md").exists());
    other
        .run(&["pack", "publish", "--output", "x", "--role", "missing"])
        .refused(2, &["unknown role"]);
}

#[test]
fn servers_that_contexts_need_are_published_if_the_format_can_have_them() {
    let needs = |name: &str| format!("---\nmcp_server: {name}\n---\n# {name}\n\nUse it.\n");
    let project = pack()
        .file("contexts/patterns/pattern-a.md", &needs("tracker"))
        .file("contexts/patterns/pattern-b.md", &needs("local"))
        .file("contexts/patterns/pattern-c.md", &needs("keyed"))
        .file(
            ".faber/config.yml",
            "publish: { name: acme }\nmcp_servers:\n  tracker: { url: 'https://t.example.com/mcp' }\n  \
             local: { source: local, path: tools/x.py }\n  unused: { command: u }\n  \
             keyed: { url: 'https://k.example.com', headers: { Authorization: 'Bearer ${K}' } }\n",
        );
    let run = project.run(&PUBLISH);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.said(&[
        "`local` is not published: its program",
        "`keyed` is not published: it needs a variable",
    ]);
    let files = tree(&project, "dist");
    let expected = json!({
        "$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
        "mcpServers": {"tracker": {"type": "streamable-http", "url": "https://t.example.com/mcp"}},
    });
    assert_eq!(read(&files, "mcp.json"), expected);
    assert_eq!(read(&files, "plugins/acme/.claude-plugin/plugin.json")["mcpServers"], "./mcp.json");
}

#[test]
fn runs_at_the_same_time_and_interrupted_ones_end_in_a_whole_publication() {
    let project = pack();
    let all: Vec<_> = (0..4)
        .map(|_| project.faber(&PUBLISH).stdout(std::process::Stdio::null()).spawn().unwrap())
        .collect();
    assert!(all.into_iter().all(|mut child| child.wait().unwrap().success()));
    let whole = tree(&project, "dist");
    // As after a kill: new list, old files.
    let project = project
        .file("contexts/playbooks/playbook-packing.md", &PACKING.replace("boxes", "big boxes"));
    project.stdout(&PUBLISH);
    let new = tree(&project, "dist");
    let [old_list, new_list] =
        [&whole, &new].map(|files| String::from_utf8(files[".faber-files"].clone()).unwrap());
    let old_text = String::from_utf8(whole["skills/packing/SKILL.md"].clone()).unwrap();
    let project = project
        .file("dist/.faber-files", &format!("{old_list}{new_list}"))
        .file("dist/skills/packing/SKILL.md", &old_text);
    std::fs::remove_file(project.path("dist/plugin.json")).unwrap();
    project.stdout(&PUBLISH);
    assert_eq!(tree(&project, "dist"), new);
}

#[cfg(unix)]
#[test]
fn scripts_stay_executable() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o111;
    let project = pack();
    let script = "contexts/playbooks/resources/packing/scripts/weigh.sh";
    let set = |path: &str, mode: u32| {
        std::fs::set_permissions(project.path(path), std::fs::Permissions::from_mode(mode))
            .unwrap();
    };
    project.stdout(&PUBLISH);
    let published = project.path("dist/skills/packing/scripts/weigh.sh");
    assert_eq!(mode(&published), 0);
    set(script, 0o755);
    assert_eq!(project.run(&CHECK).code, 1);
    project.stdout(&PUBLISH);
    assert_ne!(mode(&published), 0);
    assert_eq!(mode(&project.path("dist/skills/packing/SKILL.md")), 0);
    assert_eq!(project.run(&CHECK).code, 0);
    set("dist/skills/packing/scripts/weigh.sh", 0o644);
    assert_eq!(project.run(&CHECK).code, 1, "it was changed by hand");
}

#[test]
fn a_skill_that_only_the_user_calls_is_reported() {
    let text = "---\ndescription: d\ndisable-model-invocation: true\n---\nDo.\n";
    let run = pack().file("contexts/playbooks/playbook-do.md", text).run(&PUBLISH);
    run.said(&["playbook-do.md:3:1: warning[export-lost-trigger] `playbook/do`: skills have no"]);
}

#[test]
fn skills_of_a_pack_have_their_files() {
    let remote = Remote::new();
    let pdf = "---\nname: pdf\ndescription: Reads PDF\n---\n# PDF\n\nRun [it](scripts/x.py), then [zip](../zip/SKILL.md).\n";
    let skills = [
        ("skills/pdf/SKILL.md", pdf),
        ("skills/pdf/scripts/x.py", "print(1)\n"),
        ("skills/zip/SKILL.md", "---\nname: zip\ndescription: Zips\n---\n# Zip\n"),
    ];
    remote.commit(&skills);
    let expected = "Run [it](./scripts/x.py), then [zip](../zip/SKILL.md).\n";
    let publish = |project: &TestProject| {
        let run = project.run(&PUBLISH);
        assert!(run.code == 0 && !run.stderr.contains("export-omitted"), "{}", run.stderr);
        let files = tree(project, "dist");
        assert!(skill(&files, "pdf").1.ends_with(expected), "{}", skill(&files, "pdf").1);
        assert!(files.contains_key("skills/pdf/scripts/x.py"));
        assert!(!files.contains_key("skills/pdf/skills/pdf/SKILL.md"));
    };
    let project = pack();
    project.stdout(&["pack", "add", "house", &remote.url()]);
    publish(&project);
    project.stdout(&["pack", "vendor"]);
    publish(&project);
    let project = skills.iter().fold(pack(), |it, (path, text)| it.file(path, text));
    project.stdout(&["import", "--in-place", "skills"]);
    publish(&project);
}
