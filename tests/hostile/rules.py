"""Measures `faber validate` with findings of one rule in thousands of files.

Usage: rules.py FABER [RULE…]

Each rule has files with findings; `{}` is a number. Twice as many copies may take 2.5 times as long. Every role is
checked with all shared contexts, so the files multiply either roles or contexts. Each rule of the registry must be
here, in a text of cost.py, or in `OTHERWISE` with the reason. Exits with 1 if one takes longer or is missing.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cost

COPIES = [800, 1600]
CONFIG = cost.CONFIG
A = "contexts/standards/standards-a{}.md"
B = "contexts/standards/standards-b{}.md"
TEAM = ".faber/overlays/organization/contexts/standards/standards-a{}.md"
P = "contexts/playbooks/playbook-a{}.md"
ROLE = {"roles/r{}/prompt.md": "# R\n\nX.\n", "roles/r{}/agent.yml": "platforms: [linear]\n"}
LINEAR = "roles/r{}/contexts/platforms/platform-linear.md"
WORDS = "".join(f"word{at}" + ("\n" if at % 10 == 9 else " ") for at in range(300))


def front(fields, body="X.\n"):
    return f"---\n{fields}\n---\n{body}"


FILES = {
    "frontmatter-not-a-mapping": {A: front("- a")},
    "wrong-field-type": {A: front("load: [a]")},
    "missing-description": {P: "# A\n\n```sh\nrun\n```\n"},
    "category-mismatch": {A: front("category: playbook")},
    "missing-category": {"contexts/x{}.md": "X.\n"},
    "unknown-category": {A: front("category: stuff")},
    "file-prefix": {"contexts/standards/playbook-a{}.md": "X.\n"},
    "ambiguous-scalar": {A: front("description: yes")},
    "frontmatter-limit": {A: front("x: " + "[" * 20 + "]" * 20)},
    "path-escape": {A: "<!-- faber: include ../../../x{}.md -->\n"},
    "forbidden-file": {A: "<!-- faber: include ../../.git/config -->\n"},
    "reference-case": {A: "See [x](./STANDARDS-A{}.md).\n"},
    "include-cycle": {A: "<!-- faber: include ./standards-b{}.md -->\n",
                      B: "<!-- faber: include ./standards-a{}.md -->\n"},
    "ambiguous-name": {"contexts/standards/same{}.md": "X.\n", "contexts/patterns/same{}.md": "X.\n",
                       "roles/r{}/prompt.md": "# R\n\n- Load `same{}.md`\n"},
    "unknown-placeholder": {
        "roles/r{}/prompt.md": "# R\n\n- Load: `/contexts/platforms/platform-{detectd}.md`\n"},
    "glob-matches-nothing": {"roles/r{}/prompt.md": "# R\n\n- Load all: `/contexts/nothing/*.md`\n"},
    "extends-cycle": {A: front("extends: standard/b{}"), B: front("extends: standard/a{}")},
    "role-cycle": {"roles/r{}/prompt.md": "X.\n", "roles/r{}/agent.yml": "extends: r{}\n"},
    "empty-prompt": {"roles/r{}/prompt.md": "\n"},
    "missing-readme": {"roles/r{}/prompt.md": "X.\n"},
    "role-without-task": {"roles/r{}/prompt.md": "X.\n"},
    "default-platform-not-declared": {"roles/r{}/prompt.md": "X.\n",
                                      "roles/r{}/agent.yml": "platforms: [a]\ndefault_platform: b\n"},
    "bad-date": {A: front("updated: 2026-02-30")},
    "invalid-agent": {"roles/r{}/prompt.md": "X.\n", "roles/r{}/agent.yml": "[\n"},
    "flow-task-missing": {"roles/r{}/prompt.md": "X.\n", "roles/r{}/flows/f.md": "1. `/tasks/none.md`\n"},
    "duplicate-role": {"roles/r{}/prompt.md": "X.\n", ".faber/roles/r{}/prompt.md": "X.\n"},
    "duplicate-context": {A: "X.\n", "contexts/standards/standard-a{}.md": "X.\n"},
    "silent-override": {A: "X.\n", TEAM: "Y.\n"},
    "strategy-without-base": {TEAM: front("strategy: merge")},
    "section-without-base": {A: "# A\n\n## One\n\nX.\n",
                             TEAM: front("strategy: merge\nsections: {Two: override}", "## One\n\nY.\n")},
    "overlay-clash": {A: "# A\n\n## One\n\nX.\n", TEAM: front("sections: {One: remove}", "## One\n\nY.\n")},
    "merge-type-clash": {A: front("owners: {a: [x]}"), TEAM: front("strategy: merge\nowners: {a: y}", "Y.\n")},
    "identical-overlay": {A: "# A\n\n- x\n", TEAM: "# A\n\n- x\n"},
    "near-duplicate": {A: WORDS.replace("word150", "x{}")},
    "deprecated-base": {A: front("status: deprecated"), B: front("extends: standard/a{}")},
    "superseded-loop": {A: front("superseded_by: standard/b{}"), B: front("superseded_by: standard/a{}")},
    "unknown-directory": {"contexts/things{}/x.md": "X.\n"},
    "invalid-message": {".faber/history/c{}.jsonl": "no object\n"},
    "overlay-for-nobody": {".faber/overlays/roles/q{}/config.yml": "{}\n".replace("{}", "a: b")},
    "config-key-not-allowed": {".faber/overlays/teams/t{}/config.yml": "settings: {team: a}\n"},
    "sealed-overridden": {A: front("sealed: true"), TEAM: "Y.\n"},
    "contradiction": {A: front("contradicts: [standard/b{}]\nload: always"), B: front("load: always")},
    "keyword-collision": {P: front("keywords: [release]")},
    "unreachable-keyword": {A: front("keywords: ['???']")},
    "broad-keyword": {P: front("keywords: [use case, IT, r]")},
    "load-without-effect": {"contexts/standards/standards-a.md": front("load: never"),
                            "roles/r{}/prompt.md": "# R\n\n- Load `standards-a.md`\n"},
    "dead-context": {A: front("load: never")},
    "condition-never-true": {P: front("when: {tema: core}")},
    "glob-invalid": {A: front("globs: ['src/[a-z']")},
    "stale": {A: front("updated: 2001-01-01"), CONFIG: "validate: {stale_after_days: 364}\n"},
    "future-date": {A: front("updated: 2999-01-01")},
    "expired": {A: front("valid_to: 2001-01-01")},
    "valid-range-empty": {A: front("valid_from: 2002-01-01\nvalid_to: 2001-01-01")},
    "variation-selector-run": {A: "a" + "\ufe01" * 8 + "\n"},
    "invalid-name": {A: front('name: "a/{}\\tb"')},
    "mixed-line-endings": {A: "a\r\nb\n"},
    "case-collision": {A: "X.\n", "contexts/standards/STANDARDS-a{}.md": "X.\n"},
    "allow-without-reason": {A: "<!-- faber: allow stale -->\n\nX.\n"},
    "undeclared-tool": {**ROLE, LINEAR: front("mcp_server: tracker\nfallback: api", "mcp__tracker__note\n")},
    "unused-tool": {**ROLE, LINEAR: front("required_tools: [linear_get_issue, linear_get]", "`linear_get_issue`.\n")},
    "unresolved-mcp-server": {**ROLE, LINEAR: front("mcp_server: tool:tracker\nfallback: null")},
    "missing-fallback": {**ROLE, LINEAR: front("mcp_server: tracker"),
                         CONFIG: "mcp_servers: {tracker: {command: x}}\n"},
    "platform-name-mismatch": {"contexts/platforms/platform-p{}.md": front("platform: q{}")},
}
# Neither more nor larger files give more findings of these.
OTHERWISE = {
    "the length of one chain": ["include-depth"],
    "the name or kind of a file, without its text": [
        "invalid-role-name", "special-file", "symlink", "unreadable", "not-utf8", "oversized-file"],
    "the configuration, which has at most 64 KiB": [
        "invalid-config", "lowered-security-rule", "unset-variable", "mcp-server-shape", "mcp-server-mismatch",
        "unknown-overlay", "unknown-role"],
    "a budget, once for each role": ["oversized-context", "required-over-budget", "always-over-budget"],
    "another command": [
        "summarizer-failed", "stale-baseline", "unwritable", "invalid-test", "unknown-test-key", "duplicate-test",
        "not-a-test"],
}


def measure(faber, workspace, files, copies):
    """CPU seconds and JSON of `faber validate`."""
    for at in range(copies):
        for path, text in files.items():
            path = workspace / path.replace("{}", str(at))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("{}", str(at)), newline="")
    return cost.validate(faber, workspace)


def rules_of(answer):
    return {found["rule"] for found in json.loads(answer)["findings"]}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    faber, chosen, failed = os.path.realpath(sys.argv[1]), sys.argv[2:], 0
    names = json.loads(subprocess.run([faber, "rules", "--format", "json"], check=True, capture_output=True).stdout)
    known = {rule["rule"] for rule in names["rules"] if rule["group"] != "exchange"}
    found = set(FILES) | {rule for rules in OTHERWISE.values() for rule in rules}
    for rule, files in FILES.items():
        if chosen and rule not in chosen:
            continue
        best = [float("inf")] * len(COPIES)
        for _ in range(cost.TRIES):
            for at, copies in enumerate(COPIES):
                with tempfile.TemporaryDirectory(prefix="faber-rules-") as folder:
                    workspace = Path(folder) / "workspace"
                    subprocess.run([faber, "init", str(workspace)], check=True, capture_output=True)
                    seconds, answer = measure(faber, workspace, files, copies)
                    best[at] = min(best[at], seconds)
            if best[-1] < cost.SHORT or best[-1] <= cost.RATIO * best[0]:
                break
        slow = best[-1] >= cost.SHORT and not best[-1] <= cost.RATIO * best[0]
        if slow or rule not in rules_of(answer):
            failed += 1
            why = f"{best[0]:.2f} s, {best[1]:.2f} s" if slow else f"finds nothing: {sorted(rules_of(answer))}"
            print(f"FAILED {rule}: {why}", flush=True)
    print(f"{len(chosen or FILES) - failed} passed, {failed} failed")
    if not chosen:
        with tempfile.TemporaryDirectory(prefix="faber-rules-") as folder:
            found |= cost.found_by_texts(faber, Path(folder))
    missing = sorted(known - found) if not chosen else []
    for rule in missing:
        print(f"FAILED {rule}: no files and no text are for it")
    sys.exit(failed + len(missing) > 0)


if __name__ == "__main__":
    main()
