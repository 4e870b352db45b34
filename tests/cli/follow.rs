//! Files named by others.

use serde_json::Value;

use crate::pelican::{ids, reasons};
use crate::project::TestProject;

const SAY: [&str; 4] = ["assemble", "clerk", "--request", "Sort the letters"];

#[track_caller]
fn bundle(project: &TestProject, arguments: &[&str]) -> Value {
    project.json(&[&SAY[..], &["--format", "json"], arguments].concat())
}

fn documents(custom: &str) -> TestProject {
    TestProject::with_role()
        .file(".faber/config.yml", &format!("custom_contexts: [{custom}]\n"))
        .file("docs/one.md", "# One\n\nFirst document.\n")
        .file("docs/two.md", "---\nstatus: draft\n---\n# Two\n\nSecond document.\n")
        .file("docs/deep/three.md", "# Three\n\nThird document.\n")
        .file("docs/notes.txt", "Plain notes.\n")
        .file("docs/private.md", "# Private\n\nHidden document.\n")
        .file(".gitignore", "private.md\n")
        .file("roles/clerk/guide.md", "# Guide\n\nGuide of the role.\n")
}

fn roles(prompt: &str) -> TestProject {
    TestProject::new()
        .file("roles/clerk/prompt.md", prompt)
        .file("roles/courier/prompt.md", "# Courier\n")
        .file(
            "roles/courier/contexts/playbooks/playbook-tour.md",
            "---\nname: round\nkeywords: [letters]\nrelated: [playbook-van.md]\n---\n# Round\n\nDrive round.\n\n<!-- faber: include /contexts/partials/fuel.md -->\n",
        )
        .file("roles/courier/contexts/playbooks/playbook-van.md", "# Van\n\nWash the van.\n")
        .file("roles/courier/contexts/partials/fuel.md", "Mind the fuel.\n")
        .file(
            "roles/courier/contexts/standards/standards-secret.md",
            "---\nvisibility: private\nowner: eve\n---\n# Secret\n\nHidden rule.\n",
        )
        .file(
            "roles/courier/contexts/standards/standards-draft.md",
            "---\nstatus: draft\n---\n# Draft\n\nUnfinished rule.\n",
        )
}

#[test]
fn any_text_file_can_be_a_custom_context() {
    let data = documents("docs/one.md, /docs/notes.txt, guide.md")
        .json(&[&SAY[..], &["--format", "json"]].concat());
    assert_eq!(
        ids(&data, "contexts"),
        ["reference/docs/notes.txt", "reference/docs/one", "reference/roles/clerk/guide"]
    );
    assert_eq!(reasons(&data, "reference/docs/one"), ["custom"]);
    let project = documents("docs/one.md");
    assert!(project.stdout(&["show", "reference/docs/one"]).contains("First document."));
    assert_eq!(project.run(&["validate"]).code, 0);
}

#[test]
fn a_glob_names_all_that_git_does_not_ignore() {
    let data = documents("'docs/**/*.md'").json(&[&SAY[..], &["--format", "json"]].concat());
    assert_eq!(ids(&data, "contexts"), ["reference/docs/deep/three", "reference/docs/one"]);
    assert_eq!(data["excluded"][0]["id"], "reference/docs/two");
    let run = documents("docs/*.rst").run(&SAY);
    run.said(&["`docs/*.rst` matches no file"]);
    let run = documents("'docs/[.md'").run(&["validate"]);
    assert!(run.stdout.contains("invalid glob"), "{}", run.stdout);
}

#[test]
fn missing_targets_are_reported_with_a_suggestion() {
    for (custom, close) in [
        ("docs/noe.md", "did you mean `docs/one.md`?"),
        ("/docs/notse.txt", "did you mean `/docs/notes.txt`?"),
    ] {
        let run = documents(custom).run(&["validate"]);
        assert_eq!(run.code, 1);
        assert!(run.stdout.contains(close), "{}", run.stdout);
    }
}

#[test]
fn private_files_are_refused() {
    let secret = "custom_contexts: [docs/private.md]\n";
    let include = "# Clerk\n\n<!-- faber: include ../../.git/config -->\n";
    for (path, text) in [(".faber/config.yml", secret), ("roles/clerk/prompt.md", include)] {
        let project = documents("docs/one.md").file(".git/config", "[token] x\n").file(path, text);
        let run = project.run(&SAY);
        run.refused(2, &["is not read"]);
        assert!(!run.stderr.contains("[token]"), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_workspace_is_refused() {
    let outside = TestProject::empty().file("x.md", "# Outside\n");
    let target = outside.path("x.md");
    let project = documents("docs/link.md").symlink("docs/link.md", target.to_str().unwrap());
    project.run(&SAY).refused(2, &["outside the workspace"]);
}

#[test]
fn a_context_of_another_role_comes_where_it_is_named() {
    let table = "# Clerk\n\n| Keywords | Context |\n|---|---|\n| letters | @role:courier/contexts/playbooks/playbook-tour.md |\n";
    let errors =
        "# Clerk\n\n| Error | Context |\n|---|---|\n| letters | @role:courier/playbook/round |\n";
    let id = "@role:courier/playbook/round";
    for prompt in [table, errors] {
        let project = roles(prompt);
        let json = [&SAY[..], &["--format", "json"]].concat();
        let data = project.json(&json);
        assert_eq!(ids(&data, "contexts"), [id], "{prompt}");
        let text = data["bundle"].as_str().unwrap();
        assert!(text.contains("Mind the fuel.") && !text.contains("Wash the van."), "{text}");
        assert_eq!(data["contexts"][0]["layers"][0], "role");
        let other = project.json(&["assemble", "clerk", "--request", "Rest", "--format", "json"]);
        assert_eq!((ids(&other, "contexts").len(), ids(&other, "catalogued")), (0, vec![id]));
        assert_eq!(project.run(&["validate", "--select", "dangling-reference"]).code, 0);
        assert!(project.stdout(&["show", id, "--role", "clerk"]).contains("Drive round."));
        let run = project.run(&["expand", id, "--role", "clerk"]);
        assert!(run.stdout.contains("Drive round."), "{} {}", run.stdout, run.stderr);
    }
}

#[test]
fn a_context_of_another_role_is_related_custom_or_pinned() {
    let related =
        "---\nrelated: [\"@role:courier/contexts/playbooks/playbook-tour.md\"]\n---\n# A\n";
    let id = "@role:courier/playbook/round";
    let data = bundle(&roles("# Clerk\n").file("contexts/standards/standards-a.md", related), &[]);
    assert_eq!(reasons(&data, id), ["related"]);
    let config = "custom_contexts: [roles/courier/contexts/playbooks/playbook-tour.md]\n";
    let data = bundle(&roles("# Clerk\n").file(".faber/config.yml", config), &[]);
    assert_eq!(reasons(&data, id), ["custom"]);
    let data = bundle(&roles("# Clerk\n"), &["--with", id]);
    assert_eq!(reasons(&data, id), ["pinned"]);
    let task = "# T\n\n- Load `@role:courier/contexts/playbooks/playbook-tour.md`\n";
    let project = roles("# Clerk\n").file("roles/clerk/tasks/t.md", task);
    assert_eq!(reasons(&bundle(&project, &["--task", "t"]), id), ["task"]);
}

#[test]
fn status_and_access_of_another_role_hold() {
    let custom =
        "custom_contexts: [\"@role:courier/standard/secret\", \"@role:courier/standard/draft\"]\n";
    let project = roles("# Clerk\n").file(".faber/config.yml", custom);
    let data = bundle(&project, &[]);
    assert_eq!(ids(&data, "contexts").len(), 0);
    assert_eq!(ids(&data, "excluded"), ["@role:courier/standard/draft"]);
    assert!(!data.to_string().contains("Hidden rule"));
    assert_eq!(
        ids(&bundle(&project, &["--as", "eve"]), "contexts"),
        ["@role:courier/standard/secret"]
    );
}

#[test]
fn names_alone_never_mean_another_role() {
    let table = "# Clerk\n\n| Keywords | Context |\n|---|---|\n| letters | playbook-tour.md |\n| x | @role:courier/playbook/round |\n";
    let run = roles(table).run(&SAY);
    run.said(&["playbook-tour.md"]);
    assert!(!run.stdout.contains("# Round"));
}

#[test]
fn a_request_body_names_no_command() {
    let project = TestProject::with_role()
        .file("contexts/playbooks/playbook-move.md", "# Move\n\nPack boxes.\n")
        .file(
            "contexts/standards/standards-long.md",
            &format!("# Long\n\n{}", "One sentence more.\n\n".repeat(200)),
        );
    for format in ["anthropic", "openai"] {
        let text = project.stdout(
            &[&SAY[..], &["--format", format, "--budget", "300", "--model", "gpt-4o"]].concat(),
        );
        assert!(text.contains("playbook/move") && !text.contains("faber "), "{text}");
    }
}

#[test]
fn the_organization_says_that_it_wins_over_the_base() {
    let project = TestProject::with_role()
        .file("contexts/standards/standards-review.md", "# Review\n\nOne approval.\n");
    let line = "take precedence";
    assert!(!project.stdout(&SAY).contains(line));
    let project = project.file(
        ".faber/overlays/organization/contexts/standards/company-review.md",
        "# Review\n\nTwo approvals.\n",
    );
    let text = project.stdout(&SAY);
    let places: Vec<_> = ["# Organization", line, "Two approvals.", "One approval."]
        .iter()
        .map(|part| text.find(part).unwrap())
        .collect();
    assert!(places.is_sorted(), "{text}");
}

fn platform(servers: &str) -> TestProject {
    TestProject::with_role()
        .file("roles/clerk/agent.yml", "platforms: [tracker]\n")
        .file(
            "roles/clerk/contexts/platforms/platform-tracker.md",
            "---\nfallback: api\n---\n# Tracker\n\n**MCP Server**: Use `mcp-server-tracker`\n",
        )
        .file(".faber/config.yml", servers)
}

#[test]
fn a_server_that_a_text_names_is_needed() {
    let config = "mcp_servers:\n  mcp-server-tracker: { source: npm, package: \"@acme/t\", version: 1.2.0, config: { key: \"${TRACKER_KEY}\" }ENABLED }\nmcp_config: { timeout_ms: 500 }\n";
    let project = platform(&config.replace("ENABLED", "")).env("TRACKER_KEY", "s3cr3t");
    let data = bundle(&project, &[]);
    let mcp = &data["mcp"][0];
    assert_eq!(
        (mcp["server"].as_str(), mcp["enabled"].as_bool()),
        (Some("mcp-server-tracker"), Some(true))
    );
    let launch = &mcp["launch"];
    assert_eq!(
        (launch["package"].as_str(), launch["timeout_ms"].as_u64()),
        (Some("@acme/t"), Some(500))
    );
    assert_eq!(launch["env"]["TRACKER_KEY"], "${TRACKER_KEY}");
    assert!(!data.to_string().contains("s3cr3t"));
    let disabled = platform(&config.replace("ENABLED", ", enabled: false"));
    assert!(disabled.stdout(&SAY).contains("is configured but disabled: use the API instead."));
    let absent = platform("{}\n");
    assert!(absent.stdout(&SAY).contains("is not configured: use the API instead."));
}

#[test]
fn servers_are_exported() {
    let config = "mcp_servers:\n  mcp-server-tracker: { command: serve, args: [--stdio], env: { KEY: \"${TRACKER_KEY}\" } }\n  other: { command: x }\n";
    let project = platform(config).env("TRACKER_KEY", "s3cr3t");
    let mcp = ["export", "mcp", "--role", "clerk"];
    assert_eq!(project.run(&[&mcp[..], &["--check"]].concat()).code, 1);
    assert!(project.stdout(&[&mcp[..], &["--dry-run"]].concat()).contains("create  .mcp.json"));
    assert!(!project.path(".mcp.json").exists());
    project.stdout(&mcp);
    insta::assert_snapshot!(project.text(".mcp.json"), @r#"
    {
      "mcpServers": {
        "mcp-server-tracker": {
          "command": "serve",
          "args": [
            "--stdio"
          ],
          "env": {
            "KEY": "${TRACKER_KEY}"
          }
        }
      },
      "x-faber": {
        "mcp-server-tracker": "e5bfd5f9530040fc"
      }
    }
    "#);
    assert_eq!(project.run(&[&mcp[..], &["--check"]].concat()).code, 0);
    let none = project.file(".faber/config.yml", "{}\n");
    none.stdout(&mcp);
    assert_eq!(none.text(".mcp.json"), "{\n  \"mcpServers\": {}\n}\n");
    let theirs = "{\"mcpServers\": {\"mcp-server-tracker\": {\"command\": \"m\"}}}\n";
    let project = none.file(".faber/config.yml", config).file(".mcp.json", theirs);
    let run = project.run(&mcp);
    run.said(&["error[export-conflict]", "`mcp-server-tracker` was not written by faber"]);
    assert_eq!((run.code, &*run.stdout), (1, "refuse  .mcp.json\n"));
    assert_eq!(project.text(".mcp.json"), theirs);
    let own = "{\"mcpServers\": {\"mine\": {\"command\": \"m\"}}}\n";
    let project = project.file("sub/mcp.json", own);
    project.stdout(&[&mcp[..], &["--output", "sub/mcp.json"]].concat());
    let text = project.text("sub/mcp.json");
    assert!(text.contains("\"mine\"") && text.contains("mcp-server-tracker"), "{text}");
    let project = project.file("sub/mcp.json", "{ broken");
    project
        .run(&[&mcp[..], &["--output", "sub/mcp.json"]].concat())
        .refused(2, &["not valid JSON"]);
    assert_eq!(project.text("sub/mcp.json"), "{ broken");
    project.run(&["export", "claude", "--output", "x"]).refused(2, &["--out"]);
}

#[test]
fn a_server_that_may_not_be_used_is_not_exported() {
    let project = platform("mcp_servers: { mcp-server-tracker: { command: x, enabled: false } }\n");
    let run = project.run(&["export", "mcp"]);
    run.said(&["`mcp-server-tracker` is disabled and not exported"]);
    assert_eq!(run.code, 0);
    assert!(!project.path(".mcp.json").exists());
}

#[test]
fn a_platform_without_its_context_is_reported() {
    let project = TestProject::with_role()
        .file("roles/clerk/agent.yml", "platforms: [tracker]\n")
        .file(".faber/config.yml", "platforms: { clrk: tracker }\n");
    for command in [&["assemble", "clerk"][..], &["explain", "--role", "clerk"]] {
        let run = project.run(&[command, &["--request", "x"]].concat());
        run.said(&[
            "no context describes the platform `tracker` of `clerk`",
            "did you mean `clerk`?",
        ]);
        assert_eq!(run.code, 0);
    }
    let project =
        project.file(".faber/config.yml", "platforms: { clerk: { tracker: { a: 1 } } }\n");
    project.run(&SAY).refused(2, &["platforms.clerk", "write `clerk: tracker`", "platform_config"]);
}
