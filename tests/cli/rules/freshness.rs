use super::{Case, bad, good};
use crate::project::TestProject;

const FILE: &str = "contexts/standards/standards-a.md";
const OLD: (&str, &str) = (FILE, "---\nupdated: 2025-01-15\n---\nX.\n");
const ENDS: (&str, &str) = (FILE, "---\nvalid_to: 2025-06-30\n---\nX.\n");
const CONFIG: &str = ".faber/config.yml";

pub(crate) fn tracked(project: TestProject) -> TestProject {
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project
}

const PARSER: (&str, &str) = ("crates/core/src/parser.rs", "//! X.\n");
const MAKEFILE: (&str, &str) = (
    "Makefile",
    "include more.mk\nOUT = bin\n\n.PHONY: check fmt\ncheck: fmt ## all\n\tcargo test\n$(OUT)/x.o: x.c\n",
);
const MORE: (&str, &str) = ("more.mk", "release:\n\techo\n");
const PACKAGE: (&str, &str) = (
    "web/package.json",
    "{\"scripts\": {\"build:web\": \"vite\", \"test\": \"vitest\"}, \"dependencies\": {\"vite\": \"5\"}}\n",
);
const CARGO: (&str, &str) =
    ("crates/core/Cargo.toml", "[package]\nname = \"core\"\n\n[[bin]]\nname = \"gateway\"\n");
const NVMRC: (&str, &str) = (".nvmrc", "v20.11\n");
const PYPROJECT: (&str, &str) = ("pyproject.toml", "[project]\nrequires-python = \">=3.10,<4\"\n");

const SUCCESSOR: (&str, &str) =
    ("contexts/references/reference-adr-009-postgresql.md", "# ADR 9\n\nPostgreSQL.\n");
const OTHER: (&str, &str) =
    ("contexts/references/reference-2-9.md", "Status: rejected\n\n# 2\n\nX.\n");

pub(super) const CASES: &[Case] = &[
    bad(
        "unmarked-status",
        &[
            SUCCESSOR,
            OTHER,
            (
                "contexts/references/reference-adr-002-oracle.md",
                "---\nowner: a\n---\n# ADR 2\n\nOracle.\n\n## Status\n\nSuperseded by ADR 9.\n",
            ),
            (
                "contexts/references/reference-adr-003-db2.md",
                "# ADR 3\n\n* Status: abgelöst durch [PostgreSQL](reference-adr-009-postgresql.md)\n",
            ),
        ],
        &[
            "contexts/references/reference-2-9.md:1:1",
            "contexts/references/reference-adr-002-oracle.md:10:1",
            "contexts/references/reference-adr-003-db2.md:3:1",
        ],
    ),
    good(
        "unmarked-status",
        &[
            (
                "contexts/references/reference-adr-009-postgresql.md",
                "# ADR 9\n\nPostgreSQL.\n\n## Status\n\nAccepted. Replaces ADR 2.\n",
            ),
            (
                "contexts/references/reference-adr-002-oracle.md",
                "---\nsuperseded_by: adr-009-postgresql\n---\n# ADR 2\n\n## Status\n\nSuperseded by ADR 9.\n",
            ),
            (FILE, "# Answers\n\n## Status codes\n\nDeprecated ones are below.\n"),
        ],
    ),
    bad(
        "stale",
        &[OLD, (CONFIG, "validate: { stale_after_days: 364 }\n")],
        &["contexts/standards/standards-a.md:2:10"],
    )
    .with(&["--at", "2026-01-15"]),
    good("stale", &[OLD, (CONFIG, "validate: { stale_after_days: 365 }\n")])
        .with(&["--at", "2026-01-15"]),
    good("stale", &[OLD]),
    bad("future-date", &[OLD], &["contexts/standards/standards-a.md:2:10"])
        .with(&["--at", "2025-01-14"]),
    bad(
        "future-date",
        &[("roles/r/prompt.md", "X.\n"), ("roles/r/agent.yml", "created: 2206-01-15\n")],
        &["roles/r/agent.yml:1:10"],
    ),
    good(
        "future-date",
        &[OLD, ("contexts/standards/standards-b.md", "---\nvalid_from: 2031-01-01\n---\nX.\n")],
    )
    .with(&["--at", "2025-01-15"]),
    bad("expired", &[ENDS], &["contexts/standards/standards-a.md:2:11"])
        .with(&["--at", "2025-07-01"]),
    good("expired", &[ENDS]).with(&["--at", "2025-06-30"]),
    good("expired", &[(FILE, "---\nvalid_to: 2025-06-30\nstatus: deprecated\n---\nX.\n")]),
    good("expired", &[(FILE, "---\nvalid_from: 2025-07-01\nvalid_to: 2025-06-30\n---\nX.\n")]),
    bad(
        "valid-range-empty",
        &[(FILE, "---\nvalid_from: 2025-07-01\nvalid_to: 2025-06-30\n---\nX.\n")],
        &["contexts/standards/standards-a.md:3:11"],
    ),
    good(
        "valid-range-empty",
        &[(FILE, "---\nvalid_from: 2025-06-30\nvalid_to: 2025-06-30\n---\nX.\n")],
    ),
    bad(
        "missing-path",
        &[
            PARSER,
            ("scripts/build.py", "X\n"),
            (
                FILE,
                "The lexer is in `crates/core/src/lexer.rs:10`, see [it](../../crates/core/src/lexer.txt).\n\n```sh\nbash scripts/build.sh\n```\n",
            ),
        ],
        &[
            "contexts/standards/standards-a.md:1:18",
            "contexts/standards/standards-a.md:1:57",
            "contexts/standards/standards-a.md:4:6",
        ],
    )
    .prepared(tracked),
    good(
        "missing-path",
        &[
            PARSER,
            (".gitignore", "*.log\n"),
            (
                FILE,
                "See `crates/core/src/parser.rs`, `src/parser.rs` and `crates/core/src/run.log`.\n\nCreate `crates/core/src/new.rs`, \
                 or e.g. `crates/core/src/lexer.rs`.\n\nThe old `crates/core/src/old.rs` was removed. `src/other.rs` is `crates/core/src/*.rs`.\n\n\
                 ## Example\n\nIn `crates/core/src/shown.rs`, `and/or`, `crates/core/src/<name>.rs`:\n\n```rust\nuse crates/core/src/no.rs\n```\n",
            ),
        ],
    )
    .prepared(tracked),
    good("missing-path", &[PARSER, (FILE, "See `crates/core/src/lexer.rs`.\n")]),
    bad(
        "missing-path",
        &[PARSER, ("src/a.py", "X\n"), (FILE, "See `src/lexer.py` and `crates/core/src/parser.rs`.\n")],
        &["contexts/standards/standards-a.md:1:6"],
    )
    .prepared(tracked),
    good("missing-path", &[("src/a.py", "X\n"), (FILE, "See `src/lexer.py`.\n")]).prepared(tracked),
    good(
        "missing-path",
        &[
            PARSER,
            (
                "contexts/references/reference-changelog.md",
                "# Changes\n\n- Faster `crates/core/src/lexer.rs`.\n",
            ),
            (
                "contexts/references/reference-core.md",
                "# Core\n\n## 1.1.0\n\n- Faster `crates/core/src/lexer.rs`.\n\n## 1.0.0 (2026-01-15)\n\n- First.\n",
            ),
        ],
    )
    .prepared(tracked),
    bad(
        "missing-path",
        &[
            PARSER,
            (
                "contexts/references/reference-history.md",
                "# History of a chat\n\n## 1.1 Lexer\n\nIt is in `crates/core/src/lexer.rs`.\n\n## 1.2 Rest\n\nX.\n",
            ),
        ],
        &["contexts/references/reference-history.md:5:11"],
    )
    .prepared(tracked),
    // Each link, and output of a script that is gone.
    bad(
        "missing-path",
        &[
            PARSER,
            (FILE, "[a](no.md) [b](no.ts) [c](docs/no.md#gone)\n\n`crates/core/src/make.rs` generates the tables.\n"),
        ],
        &[
            "contexts/standards/standards-a.md:1:5",
            "contexts/standards/standards-a.md:1:16",
            "contexts/standards/standards-a.md:1:27",
            "contexts/standards/standards-a.md:3:2",
        ],
    )
    .prepared(tracked),
    bad(
        "missing-make-target",
        &[MAKEFILE, MORE, (FILE, "Run `make lint`.\n\n```console\n$ make -j 2 chekc fmt\nmake: no\n```\n")],
        &["contexts/standards/standards-a.md:1:11", "contexts/standards/standards-a.md:4:13"],
    )
    .prepared(tracked),
    good(
        "missing-make-target",
        &[
            MAKEFILE,
            MORE,
            (FILE, "Run `make check`, `make release`, `make bin/x.o`, `make contexts` or `make sure-not <target>`.\n"),
            ("sub/Makefile", "sure-not:\n"),
        ],
    )
    .prepared(tracked),
    good("missing-make-target", &[("Makefile", "$(TARGETS):\n\techo\n"), (FILE, "`make x-y z`\n")])
        .prepared(tracked),
    bad(
        "missing-package-script",
        &[PACKAGE, (FILE, "`npm run build:wbe` and `npm start`.\n")],
        &["contexts/standards/standards-a.md:1:10", "contexts/standards/standards-a.md:1:30"],
    )
    .prepared(tracked),
    good(
        "missing-package-script",
        &[
            PACKAGE,
            (FILE, "`npm test`, `pnpm run build:web`, `yarn run vite`, `bun run eslint`, `npm run lint --if-present`.\n\n```sh\ncd other && npm run x-y\n```\n"),
        ],
    )
    .prepared(tracked),
    bad(
        "missing-cargo-target",
        &[CARGO, PARSER, (FILE, "```sh\ncargo run --bin server\ncargo test -p cor\n```\n")],
        &["contexts/standards/standards-a.md:2:17", "contexts/standards/standards-a.md:3:15"],
    )
    .prepared(tracked),
    good(
        "missing-cargo-target",
        &[
            CARGO,
            ("Cargo.lock", "[[package]]\nname = \"serde\"\n"),
            ("crates/core/src/bin/tool.rs", "fn main() {}\n"),
            (FILE, "`cargo run --bin gateway`, `cargo run --bin tool`, `cargo build -p core -p serde`, `cargo run --bin NAME`\n"),
        ],
    )
    .prepared(tracked),
    bad(
        "tool-version-mismatch",
        &[NVMRC, PYPROJECT, (FILE, "Requires Node.js 18 and Python 3.9+.\n\n```sh\nnvm install 16\n```\n")],
        &[
            "contexts/standards/standards-a.md:1:10",
            "contexts/standards/standards-a.md:1:25",
            "contexts/standards/standards-a.md:4:13",
        ],
    )
    .prepared(tracked),
    // The folder of the globs precedes the root.
    good(
        "tool-version-mismatch",
        &[
            PYPROJECT,
            ("old/pyproject.toml", "[project]\nrequires-python = \">=3.8\"\n"),
            (FILE, "---\nglobs: [\"old/app/**\"]\n---\nRequires Python 3.8.\n"),
        ],
    )
    .prepared(tracked),
    good(
        "tool-version-mismatch",
        &[
            NVMRC,
            PYPROJECT,
            (".tool-versions", "ruby 2.7.1 3.3.0 # old\n"),
            (".python-version", "3.11\n3.12\n"),
            (FILE, "Requires Node.js 18+ and Python 3.12.\n\nIn Node 16 it was new, and Python 3.8 had it.\n\nUse Node 16, 18 or 20. Requires Ruby 2.\n"),
        ],
    )
    .prepared(tracked),
];
