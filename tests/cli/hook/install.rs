use serde_json::Value;

use crate::project::TestProject;

const FILES: [(&str, &str, &str); 5] = [
    ("claude", ".claude/settings.json", include_str!("schemas/claude.file.json")),
    ("codex", ".codex/hooks.json", include_str!("schemas/codex.file.json")),
    ("cursor", ".cursor/hooks.json", include_str!("schemas/cursor.file.json")),
    ("copilot", ".github/hooks/faber.json", include_str!("schemas/copilot.file.json")),
    ("gemini", ".gemini/settings.json", include_str!("schemas/gemini.file.json")),
];

#[test]
fn each_client_gets_a_file_that_it_takes_once() {
    let project = TestProject::new();
    for (client, path, schema) in FILES {
        assert_eq!(project.run(&["hook", "install", client, "--check"]).code, 1);
        assert!(!project.path(path).exists());
        project.stdout(&["hook", "install", client]);
        let text = project.text(path);
        let file: Value = serde_json::from_str(&text).unwrap();
        let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
        assert!(validator.is_valid(&file), "{client}: {text}");
        insta::assert_snapshot!(format!("file_{client}"), text);
        let again = project.stdout(&["hook", "install", client]);
        assert_eq!(again, format!("`{path}` is up to date\n"));
        assert_eq!(project.text(path), text);
        assert_eq!(project.run(&["hook", "install", client, "--check"]).code, 0);
        let removed = project.stdout(&["hook", "uninstall", client]);
        assert_eq!(removed, format!("removed `{path}`: it had only faber's hooks\n"));
        let folder = path.split('/').next().unwrap();
        assert!(!project.path(folder).exists());
    }
}

#[test]
fn opencode_gets_a_plugin() {
    let (project, path) = (TestProject::new(), ".opencode/plugins/faber.ts");
    project.stdout(&["hook", "install", "opencode", "--events", "prompt,tool,prompt"]);
    let plugin = project.text(path);
    let events = "const EVENTS = [\"chat.message\", \"tool.execute.after\"]\n";
    assert!(plugin.contains(events), "{plugin}");
    let status = project.stdout(&["hook", "status"]);
    assert!(status.contains("installed  chat.message, tool.execute.after"), "{status}");
    project.stdout(&["hook", "install", "opencode"]);
    assert!(project.text(path).contains("[\"session.created\", \"chat.message\","));
    assert_eq!(project.run(&["hook", "install", "opencode", "--check"]).code, 0);
    project.stdout(&["hook", "uninstall", "opencode"]);
    assert!(!project.path(path).exists());
    let project = project.file(path, "export const Mine = async () => ({})\n");
    let refused = project.run(&["hook", "install", "opencode"]);
    refused.refused(2, &["cannot be changed", "faber did not write it"]);
}

#[test]
fn what_else_is_in_a_file_stays_as_it_is() {
    let mine = "{\n    // my model\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [\n            \
        {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n        ]\n    }, // end\n    \
        \"permissions\": {\"allow\": []}\n}\n";
    let project = TestProject::new().file(".claude/settings.json", mine);
    let dry = project.stdout(&["hook", "install", "claude", "--dry-run"]);
    assert!(dry.contains("+        \"SessionStart\": ["), "{dry}");
    assert_eq!(project.text(".claude/settings.json"), mine);
    project.stdout(&["hook", "install", "claude", "--events", "prompt"]);
    insta::assert_snapshot!("one_event", project.text(".claude/settings.json"));
    let status = project.stdout(&["hook", "status"]);
    assert!(status.contains("installed  UserPromptSubmit"), "{status}");
    let removed = project.stdout(&["hook", "uninstall", "claude"]);
    assert_eq!(removed, "removed faber's hooks from `.claude/settings.json`\n");
    assert_eq!(project.text(".claude/settings.json"), mine);
}

#[test]
fn an_outdated_entry_is_replaced_and_drift_is_found() {
    let old = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"faber hook run"}]}]}}"#;
    let project = TestProject::new().file(".codex/hooks.json", old);
    let status = project.json(&["hook", "status", "--format", "json"]);
    let file = |status: &Value| -> Value {
        let files = status["files"].as_array().unwrap();
        files
            .iter()
            .find(|file| file["client"] == "codex" && file["scope"] == "project")
            .unwrap()
            .clone()
    };
    assert_eq!(file(&status)["state"], "outdated");
    project.stdout(&["hook", "install", "codex"]);
    let status = project.json(&["hook", "status", "--format", "json"]);
    assert_eq!(file(&status)["state"], "installed");
    assert_eq!(project.text(".codex/hooks.json").matches("faber hook run").count(), 3);
}

#[test]
fn files_of_the_user_are_below_the_home_folder() {
    let project = TestProject::new();
    project.stdout(&["hook", "install", "claude", "--scope", "user"]);
    assert!(project.path("../home/.claude/settings.json").exists());
    project.stdout(&["hook", "install", "claude", "--scope", "local"]);
    assert!(project.path(".claude/settings.local.json").exists());
    let run = project.run(&["hook", "install", "codex", "--scope", "local"]);
    run.refused(2, &["Codex has no hook file for `local`", "`--scope project` or `--scope user`"]);
    let run = project.run(&["hook", "install", "codex", "--events", "tool-failure"]);
    run.refused(2, &["Codex has no event for `tool-failure`"]);
    project.stdout(&["hook", "install", "codex", "--events", "before-tool,tool,session-end"]);
    let hooks: Value = serde_json::from_str(&project.text(".codex/hooks.json")).unwrap();
    let timeout = |event: &str| hooks["hooks"][event][0]["hooks"][0]["timeout"].as_u64();
    let timeouts = ["PreToolUse", "PostToolUse", "SessionEnd"].map(timeout);
    assert_eq!(timeouts, [Some(10), Some(10), Some(3)]);
    let run = TestProject::empty().run(&["hook", "install", "claude"]);
    run.refused(2, &["no faber workspace"]);
}

#[test]
fn a_program_that_hooks_do_not_find_is_reported() {
    let warning = "warning: `faber` is not on `PATH`; hooks have no effect until it is\n";
    let without = TestProject::new().env("PATH", "/nowhere");
    let install = without.run(&["hook", "install", "claude", "--scope", "user"]);
    assert_eq!((install.code, &*install.stderr), (0, warning));
    assert_eq!(without.run(&["hook", "status"]).stderr, warning);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_faber"));
    let folder = program.parent().unwrap().to_str().unwrap();
    let with = TestProject::new().env("PATH", folder);
    assert_eq!(with.run(&["hook", "install", "claude", "--scope", "user"]).stderr, "");
    assert_eq!(with.run(&["hook", "status"]).stderr, "");
}

#[cfg(unix)]
#[test]
fn links_of_the_user_are_followed() {
    let project = TestProject::new();
    let home = project.path("../home");
    std::fs::create_dir_all(home.join("dotfiles")).unwrap();
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    let target = home.join("dotfiles/claude.json");
    std::fs::write(&target, "{\n  \"model\": \"x\"\n}\n").unwrap();
    let link = home.join(".claude/settings.json");
    std::os::unix::fs::symlink("../dotfiles/claude.json", &link).unwrap();
    let before = std::fs::read_to_string(&target).unwrap();
    project.stdout(&["hook", "install", "claude", "--scope", "user"]);
    assert!(std::fs::read_to_string(&target).unwrap().contains("faber hook run"));
    project.stdout(&["hook", "install", "claude", "--scope", "user", "--check"]);
    project.stdout(&["hook", "uninstall", "claude", "--scope", "user"]);
    assert_eq!(std::fs::read_to_string(&target).unwrap(), before);
    assert!(link.is_symlink());
    std::fs::write(&target, "{}\n").unwrap();
    project.stdout(&["hook", "install", "claude", "--scope", "user"]);
    project.stdout(&["hook", "uninstall", "claude", "--scope", "user"]);
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "{}\n");
    let project = project
        .file("shared/settings.json", "{}\n")
        .symlink(".claude/settings.json", "../shared/settings.json");
    project.stdout(&["hook", "install", "claude"]);
    project.stdout(&["hook", "uninstall", "claude"]);
    assert_eq!(project.text("shared/settings.json"), "{}\n");
    assert!(project.path(".claude/settings.json").is_symlink());
    std::fs::remove_file(project.path("shared/settings.json")).unwrap();
    project.run(&["hook", "install", "claude"]).refused(2, &["is a link that leads nowhere"]);
}

#[test]
fn files_of_the_user_are_where_the_client_has_them() {
    for (client, variable, path) in [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("copilot", "COPILOT_HOME", "hooks/faber.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/faber.ts"),
    ] {
        let project = TestProject::new();
        let folder = project.path("../home/elsewhere");
        let project = project.env(variable, folder.to_str().unwrap());
        let install = ["hook", "install", client, "--scope", "user"];
        let said = project.stdout(&install);
        assert!(said.contains(folder.join(path).to_str().unwrap()), "{said}");
        assert!(folder.join(path).exists(), "{client}");
        assert!(project.stdout(&install).contains("is up to date"));
        let files = project.json(&["hook", "status", "--format", "json"]);
        let has = |file: &serde_json::Value| {
            file["client"] == client && file["scope"] == "user" && file["state"] == "installed"
        };
        assert!(files["files"].as_array().unwrap().iter().any(has), "{files}");
        project.stdout(&["hook", "uninstall", client, "--scope", "user"]);
        let unset = project.env(variable, "");
        assert!(unset.stdout(&install).contains("`~/."), "an empty variable is none");
    }
}

#[test]
fn a_file_that_cannot_be_changed_is_left_alone() {
    for (text, words) in [
        ("{\"hooks\": ", "expected value after colon in object property at 1:11"),
        ("{\"hooks\": []}", "`hooks` has an unexpected type"),
        ("{\"a\": 1, \"a\": 2}", "the key `a` occurs twice"),
        ("[]", "the file is not a JSON object"),
    ] {
        let project = TestProject::new().file(".claude/settings.json", text);
        for command in ["install", "uninstall"] {
            project.run(&["hook", command, "claude"]).refused(2, &["cannot be changed", words]);
        }
        assert_eq!(project.text(".claude/settings.json"), text);
        let status = project.stdout(&["hook", "status"]);
        assert!(status.contains("unreadable"), "{status}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_decides_where_a_file_is_written() {
    let project = TestProject::new().symlink(".claude", "../home");
    let run = project.run(&["hook", "install", "claude"]);
    run.refused(2, &["leads out of the workspace"]);
    assert!(!project.path("../home/settings.json").exists());
    let project = TestProject::new()
        .file("../home/s.json", "{}")
        .symlink(".cursor/hooks.json", "../../home/s.json");
    assert_eq!(project.run(&["hook", "install", "cursor"]).code, 2);
    assert_eq!(project.text("../home/s.json"), "{}");
}
