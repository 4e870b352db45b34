use super::{Case, bad, good};

const CONFIG: &str = ".faber/config.yml";

pub(super) const CASES: &[Case] = &[
    bad("invalid-config", &[(CONFIG, "tokenizer: { model: nope }\n")], &[".faber/config.yml:1:21"]),
    good("invalid-config", &[(CONFIG, "tokenizer: { model: gpt-4o }\n")]),
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
    bad(
        "unavailable-pack",
        &[(CONFIG, "packs:\n  a: { path: gone }\n  b: { git: \"https://git.example.com/b\" }\n")],
        &[".faber/config.yml:2:3", ".faber/config.yml:3:3"],
    ),
    good(
        "unavailable-pack",
        &[
            (CONFIG, "packs: { a: { path: shared } }\n"),
            ("shared/contexts/standards/standards-s.md", "# S\n\nX.\n"),
        ],
    ),
    bad(
        "untrusted-pack",
        &[
            (CONFIG, VENDORED),
            (
                ".faber/packs/acme/contexts/standards/standards-s.md",
                "---\nrequired: true\n---\n# S\n\nX.\n",
            ),
            (
                "faber.lock",
                "version: 1\npacks:\n  acme:\n    source: https://git.example.com/a\n    path: .\n    ref: HEAD\n    commit: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    tree: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n    digest: sha256:2bdb115e0f01dbd2402cfbecb5a054f94a8f4b05d9382ade366391dea37be108\n    files:\n      contexts/standards/standards-s.md: sha256:858eea39701cb18d3c8fcf39356fe7eb9790ddf366274db0580af2cc472acfa8\n",
            ),
        ],
        &[".faber/config.yml:1:10"],
    ),
    good(
        "untrusted-pack",
        &[
            (CONFIG, VENDORED),
            (".faber/packs/acme/contexts/standards/standards-s.md", "# S\n\nX.\n"),
            (
                "faber.lock",
                "version: 1\npacks:\n  acme:\n    source: https://git.example.com/a\n    path: .\n    ref: HEAD\n    commit: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    tree: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n    digest: sha256:bf195d7d5253c0eac7c51cf1d947da42c2d35cb9136c3a26950e8482a4ec3dbd\n    files:\n      contexts/standards/standards-s.md: sha256:89b06fb1fb003921e6bb385cf869b8dfad2e78faacf789b651e5534c6e979ae3\n",
            ),
        ],
    ),
];

const VENDORED: &str = "packs: { acme: { git: \"https://git.example.com/a\" } }\n";
