use super::{Case, bad, good};

const FILE: &str = "contexts/standards/standards-a.md";

pub(super) const CASES: &[Case] = &[
    bad("not-utf8", &[], &["contexts/standards/standards-a.md:3:4"])
        .prepared(|project| project.bytes(FILE, b"# A\n\ncaf\xe9\n")),
    bad("not-utf8", &[], &["contexts/standards/standards-a.md:1:1"])
        .prepared(|project| project.bytes(FILE, b"#\0 \0A\0\n\0")),
    good("not-utf8", &[(FILE, "caf\u{e9}\n")]),
    bad(
        "merge-conflict",
        &[
            (
                FILE,
                "---\n<<<<<<< HEAD\nowner: a\n=======\nowner: b\n>>>>>>> x\n---\n# A\n\n<<<<<<< HEAD\r\nX.\n||||||| 1a2b\n=======\r\nY.\n>>>>>>> x\n",
            ),
            (
                ".faber/config.yml",
                "<<<<<<< HEAD\nbudget: { total: 10k }\n=======\nbudget: { total: 20k }\n>>>>>>> x\n",
            ),
        ],
        &[
            ".faber/config.yml:1:1",
            "contexts/standards/standards-a.md:2:1",
            "contexts/standards/standards-a.md:10:1",
        ],
    ),
    good(
        "merge-conflict",
        &[(
            FILE,
            "# A\n\n```\n<<<<<<< HEAD\nX.\n=======\nY.\n>>>>>>> x\n```\n\nTitle\n=======\n\n>>>>>>> quoted\n\n<<<<<<< SEARCH\nX.\n=======\nY.\n>>>>>>> REPLACE\n\n<<<<<<< HEAD\n",
        )],
    ),
    bad(
        "mixed-line-endings",
        &[(FILE, "# A\r\n\r\nX.\nY.\r\n")],
        &["contexts/standards/standards-a.md:3:3"],
    ),
    good("mixed-line-endings", &[(FILE, "# A\r\n\r\nX.\r\n")]),
    bad(
        "invalid-message",
        &[(".faber/history/talk.jsonl", "{\"role\":\"user\",\"content\":\"x\"}\n\n{\"role\":\n")],
        &[".faber/history/talk.jsonl:3:1"],
    ),
    bad(
        "invalid-message",
        &[(".faber/history/talk.jsonl", "{\"content\":\"x\",\"visibility\":\"privat\"}\n")],
        &[".faber/history/talk.jsonl:1:1"],
    ),
    good(
        "invalid-message",
        &[(
            ".faber/history/talk.jsonl",
            "{\"content\":\"x\",\"visibility\":\"private\",\"owner\":\"ann\"}\n",
        )],
    ),
    bad("oversized-file", &[], &["contexts/standards/standards-a.md:1:1"])
        .prepared(|project| project.file(FILE, &"x\n".repeat(5 << 20))),
    good("oversized-file", &[(FILE, "x\n")]),
    bad("special-file", &[], &["contexts/standards/standards-a.md:1:1"])
        .prepared(|project| project.dir(FILE)),
    good("special-file", &[("contexts/standards/more/standards-a.md", "X.\n")]),
    #[cfg(unix)]
    bad("symlink", &[], &["contexts/standards/standards-a.md:1:1"])
        .prepared(|project| project.symlink(FILE, "/etc/hosts")),
    #[cfg(unix)]
    bad("symlink", &[], &["contexts/standards/loop:1:1"])
        .prepared(|project| project.symlink("contexts/standards/loop", "../../contexts")),
    #[cfg(unix)]
    good("symlink", &[]).prepared(|project| project.symlink(FILE, "standards-base.md")),
    #[cfg(unix)]
    bad("unreadable", &[], &["contexts/standards/standards-a.md:1:1"])
        .prepared(|project| project.symlink(FILE, "nowhere.md")),
    good("unreadable", &[(FILE, "")]),
    // Needs a case-sensitive file system.
    #[cfg(target_os = "linux")]
    bad(
        "case-collision",
        &[
            (FILE, "X.\n"),
            ("contexts/standards/standards-A.md", "X.\n"),
            ("contexts/standards/standards-\u{e9}.md", "X.\n"),
            ("contexts/standards/standards-e\u{301}.md", "X.\n"),
            ("roles/r/prompt.md", "X.\n"),
            ("roles/r/README.md", "X.\n"),
            ("roles/R/prompt.md", "X.\n"),
            ("roles/R/README.md", "X.\n"),
        ],
        &[
            "contexts/standards/standards-a.md:1:1",
            "contexts/standards/standards-\u{e9}.md:1:1",
            "roles/r/README.md:1:1",
        ],
    ),
    good(
        "case-collision",
        &[
            (FILE, "X.\n"),
            ("contexts/patterns/Standards-A.md", "X.\n"),
            ("roles/r/prompt.md", "X.\n"),
        ],
    ),
    bad(
        "unclosed-fence",
        &[(FILE, "# A\n\n```sh\nls\n\n## B\n\nX.\n")],
        &["contexts/standards/standards-a.md:3:1"],
    ),
    bad(
        "unclosed-fence",
        &[(FILE, "# A\n\nX.\n\n```\n")],
        &["contexts/standards/standards-a.md:5:1"],
    ),
    bad(
        "unclosed-fence",
        &[(FILE, "# A\n\n```md\n# Notes\n\n```sh\nls\n```\n\nMore.\n```\n\n## B\n\nX.\n")],
        &["contexts/standards/standards-a.md:3:1"],
    ),
    good("unclosed-fence", &[(FILE, "# A\n\n````md\n```sh\nls\n````\n")]),
    bad(
        "template-text",
        &[
            (FILE, "# A\n\n- A rule that can be checked, with its limit as a number.\n"),
            ("roles/r/agent.yml", "description: \"R: what this role is responsible for\"\n"),
            ("roles/r/prompt.md", "X.\n"),
        ],
        &["contexts/standards/standards-a.md:3:3", "roles/r/agent.yml:1:16"],
    ),
    good("template-text", &[(FILE, "# A\n\n- A rule that can be checked, with its limits.\n")]),
];
