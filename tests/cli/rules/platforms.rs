use super::{Case, bad, good};

const PROMPT: (&str, &str) = ("roles/r/prompt.md", "# R\n\nX.\n");
const AGENT: (&str, &str) = ("roles/r/agent.yml", "platforms: [linear]\n");
const LINEAR: &str = "roles/r/contexts/platforms/platform-linear.md";
const SERVER: &str = "---\nmcp_server: tool:tracker\nfallback: null\n---\nX.\n";
const TOOLS: &str = "---
mcp_server: mcp-server-linear
required_tools: [linear_create_issue]
fallback: api
---
# Linear

1. `linear_create_issue`
2. Then see `linear_list_issues`, `linear_list_issues`

```
linear_get_issue(id)
```
";
const CONFIG: &str = ".faber/config.yml";

pub(super) const CASES: &[Case] = &[
    bad("missing-platform-context", &[PROMPT, AGENT], &["roles/r/agent.yml:1:13"]),
    bad(
        "missing-platform-context",
        &[PROMPT, (LINEAR, "# Linear\n\nX.\n"), (CONFIG, "platforms: { r: linaer }\n")],
        &[".faber/config.yml:1:17"],
    ),
    bad(
        "missing-platform-context",
        &[
            PROMPT,
            ("roles/r/agent.yml", "platforms: [linaer]\n"),
            (LINEAR, "# Linear\n\nX.\n"),
            (CONFIG, "platforms: { r: linaer }\n"),
        ],
        &["roles/r/agent.yml:1:13"],
    ),
    good(
        "missing-platform-context",
        &[PROMPT, (LINEAR, "# Linear\n\nX.\n"), (CONFIG, "platforms: { r: linear }\n")],
    ),
    bad(
        "missing-platform-context",
        &[
            PROMPT,
            AGENT,
            (LINEAR, "---\nstatus: draft\n---\nX.\n"),
            ("roles/s/contexts/platforms/linear.md", "X.\n"),
            ("roles/s/prompt.md", "X.\n"),
        ],
        &["roles/r/agent.yml:1:13"],
    ),
    bad(
        "unknown-role",
        &[
            PROMPT,
            (
                CONFIG,
                "platforms:\n  r: linear\n  q: linear\n  key: linear\nsettings: { role: rr }\n",
            ),
        ],
        &[".faber/config.yml:3:3", ".faber/config.yml:4:3", ".faber/config.yml:5:19"],
    ),
    good(
        "unknown-role",
        &[
            PROMPT,
            ("roles/r/agent.yml", "platform_config_key: key\n"),
            (CONFIG, "platforms: { r: linear, key: linear }\n"),
        ],
    ),
    bad(
        "mcp-server-mismatch",
        &[
            PROMPT,
            AGENT,
            (
                LINEAR,
                "---\nmcp_server: mcp-server-github\nfallback: api\n---\n**MCP Server**: Use `mcp-server-linear`\n",
            ),
        ],
        &["roles/r/contexts/platforms/platform-linear.md:5:22"],
    ),
    good(
        "mcp-server-mismatch",
        &[
            PROMPT,
            AGENT,
            (
                LINEAR,
                "---\nmcp_server: tool:mcp-server-linear\nfallback: api\n---\n**MCP Server**: Use `mcp-server-linear`, not the MCP server of\n\n````\n```\nMCP server `mcp-server-github`\n````\n",
            ),
        ],
    ),
    bad(
        "unresolved-mcp-server",
        &[PROMPT, AGENT, (LINEAR, "## MCP server\n\nUse `mcp-server-linear`.\n")],
        &["roles/r/contexts/platforms/platform-linear.md:3:6"],
    ),
    bad(
        "unresolved-mcp-server",
        &[("contexts/standards/standards-a.md", "# A\n\nUse the MCP server `mcp-server-board`.\n")],
        &["contexts/standards/standards-a.md:3:21"],
    ),
    good(
        "unresolved-mcp-server",
        &[(
            "contexts/standards/standards-a.md",
            "# A\n\n- MCP server starter: `mcp-server-http`\n\n## MCP server\n\nAdd the dependency `mcp-server-http`.\n",
        )],
    ),
    good(
        "missing-platform-context",
        &[PROMPT, AGENT, (".faber/overlays/platforms/linear/contexts/acme.md", "X.\n")],
    ),
    bad(
        "unresolved-mcp-server",
        &[PROMPT, AGENT, (LINEAR, SERVER)],
        &["roles/r/contexts/platforms/platform-linear.md:2:13"],
    ),
    bad(
        "unresolved-mcp-server",
        &[
            PROMPT,
            AGENT,
            (LINEAR, SERVER),
            (CONFIG, "mcp_servers: { tracker: { command: x, enabled: false } }\n"),
        ],
        &["roles/r/contexts/platforms/platform-linear.md:2:13"],
    ),
    good(
        "unresolved-mcp-server",
        &[
            PROMPT,
            AGENT,
            (LINEAR, SERVER),
            (
                ".faber/overlays/platforms/linear/config.yml",
                "mcp_servers: { tracker: { command: x } }\n",
            ),
        ],
    ),
    good(
        "unresolved-mcp-server",
        &[PROMPT, AGENT, (LINEAR, "---\nmcp_server: tracker\nfallback: cli\n---\nX.\n")],
    ),
    bad(
        "unset-variable",
        &[(CONFIG, "mcp_servers: { t: { command: \"${NOT_SET_AT_ALL}\" } }\n")],
        &[".faber/config.yml:1:31"],
    ),
    good("unset-variable", &[(CONFIG, "mcp_servers: { t: { command: \"${SET}\" } }\n")])
        .prepared(|project| project.env("SET", "x")),
    bad(
        "mcp-server-shape",
        &[(CONFIG, "mcp_servers: { t: { enabled: true } }\n")],
        &[".faber/config.yml:1:16"],
    ),
    good("mcp-server-shape", &[(CONFIG, "mcp_servers: { t: { url: 'http://localhost' } }\n")]),
    bad(
        "no-platform",
        &[PROMPT, ("roles/r/agent.yml", "platforms: [a, b]\n")],
        &["roles/r/agent.yml:1:13"],
    ),
    good(
        "no-platform",
        &[PROMPT, ("roles/r/agent.yml", "platforms: [a, b]\n"), (CONFIG, "platforms: { r: b }\n")],
    ),
    bad(
        "undeclared-tool",
        &[PROMPT, AGENT, (LINEAR, TOOLS)],
        &[
            "roles/r/contexts/platforms/platform-linear.md:9:14",
            "roles/r/contexts/platforms/platform-linear.md:12:1",
        ],
    ),
    bad(
        "undeclared-tool",
        &[
            PROMPT,
            AGENT,
            (
                LINEAR,
                "---\nmcp_server: tracker\nfallback: api\n---\nmcp__tracker__note, tracker_get_x\n",
            ),
        ],
        &["roles/r/contexts/platforms/platform-linear.md:5:1"],
    ),
    bad(
        "undeclared-tool",
        &[
            PROMPT,
            AGENT,
            (LINEAR, TOOLS),
            (
                ".faber/overlays/teams/web/contexts/platforms/platform-linear.md",
                "---\nmcp_server: tracker\nfallback: api\nstrategy: override\n---\nNothing.\n",
            ),
        ],
        &[
            "roles/r/contexts/platforms/platform-linear.md:9:14",
            "roles/r/contexts/platforms/platform-linear.md:12:1",
        ],
    ),
    good(
        "undeclared-tool",
        &[
            PROMPT,
            AGENT,
            (
                LINEAR,
                "---\nmcp_server: mcp-server-linear\nrequired_tools: [linear_get_issue]\nfallback: api\n---\n`mcp__linear__get_issue`, `linear_api_key`, `github_get_issue`, linear_list_x.py\n\nDo not use `linear_delete_issue`.\n\n`linear_list_issues`\n",
            ),
            (
                ".faber/overlays/organization/contexts/platforms/platform-linear.md",
                "---\nstrategy: merge\nrequired_tools: [linear_list_issues]\n---\n",
            ),
        ],
    ),
    bad(
        "unused-tool",
        &[
            PROMPT,
            AGENT,
            (
                LINEAR,
                "---\nrequired_tools: [linear_get_issue, linear_get]\n---\n`linear_get_issue`, by MCP.\n",
            ),
        ],
        &["roles/r/contexts/platforms/platform-linear.md:2:36"],
    ),
    good(
        "unused-tool",
        &[
            PROMPT,
            AGENT,
            (
                LINEAR,
                "---\nrequired_tools: [linear_get_issue, mcp__linear__list, gh]\n---\n`linear_get_issue`, `gh pr`\n",
            ),
            ("roles/r/tasks/t.md", "Call `linear_list`.\n"),
        ],
    ),
    good(
        "unused-tool",
        &[
            PROMPT,
            AGENT,
            (
                LINEAR,
                "---\nmcp_server: tracker\nrequired_tools: [get]\n---\nUse the tools of tracker.\n",
            ),
        ],
    ),
    bad(
        "missing-fallback",
        &[
            PROMPT,
            AGENT,
            (LINEAR, "---\nmcp_server: tracker\n---\nX.\n"),
            (CONFIG, "mcp_servers: { tracker: { command: x } }\n"),
        ],
        &["roles/r/contexts/platforms/platform-linear.md:2:13"],
    ),
    good(
        "missing-fallback",
        &[
            PROMPT,
            AGENT,
            (LINEAR, "---\nmcp_server: tracker\nfallback: null\n---\nX.\n"),
            (CONFIG, "mcp_servers: { tracker: { command: x } }\n"),
        ],
    ),
    // Reported as missing server.
    good("missing-fallback", &[PROMPT, AGENT, (LINEAR, "---\nmcp_server: tracker\n---\nX.\n")]),
    bad(
        "platform-name-mismatch",
        &[PROMPT, AGENT, (LINEAR, "---\nplatform: github\n---\nX.\n")],
        &["roles/r/contexts/platforms/platform-linear.md:2:11"],
    ),
    bad(
        "platform-name-mismatch",
        &[
            (
                ".faber/overlays/platforms/linear/contexts/acme.md",
                "---\nplatform: github\n---\nX.\n",
            ),
            PROMPT,
            AGENT,
            (CONFIG, "platforms: { r: jira }\n"),
        ],
        &[".faber/config.yml:1:17", ".faber/overlays/platforms/linear/contexts/acme.md:2:11"],
    ),
    good(
        "platform-name-mismatch",
        &[
            PROMPT,
            AGENT,
            (LINEAR, "---\nplatform: linear\n---\nX.\n"),
            ("contexts/platforms/platform-acme-linear.md", "---\nplatform: linear\n---\nX.\n"),
            ("contexts/platforms/platform-boards.md", "---\nplatform: linear\n---\nX.\n"),
            (
                ".faber/overlays/platforms/linear/contexts/acme.md",
                "---\nplatform: linear\n---\nX.\n",
            ),
            (CONFIG, "platforms: { r: linear }\n"),
        ],
    ),
];
