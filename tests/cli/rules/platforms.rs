//! Platforms and MCP servers.

use super::{Case, bad, good};

const PROMPT: (&str, &str) = ("roles/r/prompt.md", "# R\n\nX.\n");
const AGENT: (&str, &str) = ("roles/r/agent.yml", "platforms: [linear]\n");
const LINEAR: &str = "roles/r/contexts/platforms/platform-linear.md";
const SERVER: &str = "---\nmcp_server: tool:tracker\nfallback: null\n---\nX.\n";
const CONFIG: &str = ".faber/config.yml";

pub(super) const CASES: &[Case] = &[
    bad("missing-platform-context", &[PROMPT, AGENT], &["roles/r/agent.yml:1:13"]),
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
];
