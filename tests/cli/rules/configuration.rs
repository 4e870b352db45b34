//! Configuration.

use super::{Case, bad, good};

const CONFIG: &str = ".faber/config.yml";

pub(super) const CASES: &[Case] = &[
    bad(
        "invalid-config",
        &[(CONFIG, "budget: { total: plenty }\nvalidate: { rules: { stale: of } }\n")],
        &[".faber/config.yml:1:18", ".faber/config.yml:2:29"],
    ),
    bad(
        "invalid-config",
        &[(CONFIG, "search: { weights: { semantic: 0, keyword: 0 } }\n")],
        &[".faber/config.yml:1:44"],
    ),
    good("invalid-config", &[(CONFIG, "budget: { total: 60% }\n")]),
    bad(
        "unknown-config-key",
        &[(CONFIG, "settings: { teem: x }\nvalidate: { rules: { stael: off } }\n")],
        &[".faber/config.yml:1:13", ".faber/config.yml:2:22"],
    ),
    good(
        "unknown-config-key",
        &[(
            CONFIG,
            "platform_config: { linear: { anything: 1 } }\nvalidate: { rules: { stale: off } }\n",
        )],
    ),
    bad(
        "variable-not-allowed",
        &[(CONFIG, "settings: { organization: \"${HOME}\" }\nplatforms: { r: \"${HOME}\" }\n")],
        &[".faber/config.yml:1:28", ".faber/config.yml:2:18"],
    ),
    bad(
        "lowered-security-rule",
        &[(
            CONFIG,
            "validate: { rules: { secret: off, mixed-script: hint, lowered-security-rule: off } }\n",
        )],
        &[".faber/config.yml:1:22", ".faber/config.yml:1:35"],
    ),
    good(
        "lowered-security-rule",
        &[(CONFIG, "validate: { rules: { stale: off, mixed-script: error } }\n")],
    ),
    good(
        "variable-not-allowed",
        &[(CONFIG, "mcp_servers: { x: { command: c, env: { HOME: \"${HOME}\" } } }\n")],
    ),
];
