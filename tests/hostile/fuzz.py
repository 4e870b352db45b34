"""Runs faber with randomly broken files.

Usage: fuzz.py FABER [--inputs N] [--seconds N] [--seed N]

Each round breaks some files of a small workspace and a conversation, and runs a few commands. faber may
exit with 0 to 3; it may not panic, hang, exit otherwise, or print something else the second time. Equal
seeds give equal files. Exits with 1 at the first failure, and keeps its files.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PATIENCE = 20
REQUEST = "Sort the letters of ticket 7 by day; error E1001 in `post.sql`"

CONTEXT = b"""---
name: Letters
description: "How letters are sorted: by day"
load: on-demand
keywords: [letters, 'mail', "E1001"]
globs: ["**/*.sql"]
tags: [post]
related: [standard/parcels]
requires:
  - standard/parcels
updated: 2026-01-15
valid_from: 2025-01-01
status: approved
sections:
  Inland: remove
---
# Letters

Always sort letters by day. Never sort them by weight, see `standards-parcels.md`.

## Inland

- "inland" -> the left box
- [abroad](#abroad)

<!-- faber: allow dead-anchor: it is made later -->

| box | day |
|---|---|
| 1 | Monday |

```sql
select 1; -- {{ placeholder }} ${HOME}
```

<!-- faber: include ./part.md -->
"""
PROMPT = b"""# Clerk

You sort {{ what }}.

## Loading

- "letters", "mail" -> Load `/contexts/standards/standards-letters.md`
- If the request mentions parcels, load `standards-parcels.md`.

| When | Load |
|---|---|
| E1001 | standards-letters.md |

When using github: load `platform-github.md` unless the user asks for text.
"""
AGENT = b"""name: clerk
description: Sorts letters
extends: base
platforms: [github, linear]
tags: [post]
tools: [read, write]
custom_contexts: [standard/parcels]
"""
CONFIG = b"""settings:
  role: clerk
  platform: github
budget:
  tokens: 4000
  history: {share: 0.3}
models:
  own: {context_window: 32000}
mcp_servers:
  post: {command: post, args: ["--x"], env: {TOKEN: "${TOKEN}"}}
validate:
  rules: {dead-anchor: off}
search:
  synonyms: [[letter, mail]]
custom_contexts: [contexts/standards/standards-parcels.md]
"""
TESTS = b"""cases:
  - name: letters
    role: clerk
    request: sort letters
    expect: {loads: [standard/letters], not_loads: [standard/none]}
    max_tokens: 4000
"""
HISTORY = b"""{"role": "user", "content": "Sort my letters"}
{"role": "assistant", "content": [{"type": "text", "text": "Which?"}, {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}}]}
{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "E1001"}]}
"""
BASELINE = json.dumps({"schema": "faber.baseline/1", "entries": [{"file": "a.md", "rule": "stale", "count": 1}]}).encode()

SEEDS = {
    "contexts/standards/standards-letters.md": CONTEXT,
    "contexts/standards/standards-parcels.md": CONTEXT.replace(b"Letters", b"Parcels"),
    "contexts/standards/part.md": b"# Part\n\nMore of it.\n",
    "contexts/platforms/platform-github.md": CONTEXT,
    "contexts/playbooks/playbook-mail.md": CONTEXT,
    "contexts/references/reference-post.md": CONTEXT,
    "contexts/troubleshooting/troubleshooting-e1001.md": CONTEXT,
    "roles/clerk/contexts/standards/standards-letters.md": b"---\nstrategy: merge\n---\n" + CONTEXT,
    ".faber/overlays/organization/contexts/standards/standards-letters.md":
        b"---\nstrategy: append\noverrides: standard/letters\n---\n# Letters\n\n## Inland\n\nOther.\n",
    "roles/clerk/prompt.md": PROMPT,
    "roles/clerk/tasks/sort.md": PROMPT,
    "roles/base/prompt.md": PROMPT,
    "roles/clerk/agent.yml": AGENT,
    "roles/base/agent.yml": b"name: base\n",
    ".faber/overlays/organization/config.yml": b"budget: {tokens: 3000}\n",
    ".faber/overlays/platforms/github/config.yml": b"custom_contexts: [standard/parcels]\n",
    ".faber/config.yml": CONFIG,
    "tests/requests.yml": TESTS,
    "roles/clerk/tests/a.yml": TESTS,
    "history.jsonl": HISTORY,
    "baseline.json": BASELINE,
}
# More inputs per process.
SEEDS |= {f"contexts/patterns/pattern-{at}.md": CONTEXT for at in range(20)}
# Errors in these stop most commands, so they are broken less often.
DECIDE = {".faber/config.yml", "roles/clerk/agent.yml", "roles/base/agent.yml"}

PIECES = [piece.encode("utf-8", "surrogatepass") for piece in [
    "---\n", "\n---\n", "...\n", "\r\n", "\r", "\0", "\t", "\ufeff", "\u200b", "\u202e", "\U000e0041", "\x1b[2J",
    "\ud800", "\u0301" * 40, "\u2028", "😀", "ß", "İ", "ﬁ", "'", '"', "`", "```\n", "~~~\n", "<!--", "-->",
    "<!-- faber: include ./part.md -->\n", "<!-- faber: include ../../x -->", "<!-- faber: allow x: y -->\n",
    "<!-- faber: delete -->", "{{", "}}", "{{ x", "${", "${A", "[", "]", "{", "}", "[[[[[[", "{{{{{{", "- - - - ",
    ": ", ":\n", "? ", "& ", "&a ", "*a", "!!binary ", "!x ", "|\n", ">-\n", "|9\n", "<<: ", "%YAML 9\n", "@", "\\",
    "\\x", "\\u12", "\\U00110000", "null", "~", "true", "1e999", "-0", "0x", "99999999999999999999", ".inf", "NaN",
    "2026-02-30", "9999-99-99", "-1", "**", "?*[", "[!", "../", "/", "//", "C:\\", "file:///x", "#" * 9, "# \n",
    ">" * 300, "| a |\n|---|\n", "[x]: #\n", "[a](#b)", "* " * 50, "If ", "Load ", "load `standards-letters.md` ",
    " unless ", " and ", " or ", "not ", "when the request mentions ", "(" * 50, "\n" * 50, " " * 5000, "a" * 9000,
    '{"role": "tool"', '"content": null', '{"role":"user","content":[[]]}\n', "[]\n", "ghp_" + "a1" * 18 + "\n",
]] + [b"\xff", b"\xc3", b"\xf0\x9f", b"\xed\xa0\x80", b"\x80" * 9]

LATER = [
    ["explain", "--request", REQUEST, "--role", "clerk", "--format", "json"], ["list", "contexts", "--format", "json"],
    ["list", "triggers"], ["graph", "--format", "json"], ["graph", "--format", "mermaid"], ["search", "letters", "--no-cache"],
    ["query", "How are letters sorted?", "--no-cache"], ["catalog", "--request", REQUEST], ["test"], ["config", "show"],
    ["show", "standard/letters", "--blame"], ["expand", "standard/letters"], ["list", "layers"], ["tokens", "history.jsonl"],
    ["validate", "--format", "sarif"], ["validate", "--fix", "--diff"], ["validate", "--baseline", "baseline.json"],
    ["export", "claude", "--dry-run"], ["diff", "clerk", "base"], ["validate", "--format", "github"],
]
FORMATS = ["markdown", "xml", "json", "text", "anthropic", "openai"]


def broken(dice, data):
    """Breaks a file in a few places."""
    data = bytearray(data)
    for _ in range(dice.choice([1, 1, 2, 3, 8])):
        at = dice.randrange(len(data) + 1)
        until = min(len(data), at + dice.choice([1, 2, 8, 40, 400]))
        kind = dice.randrange(8)
        if kind == 0:
            del data[at:until]
        elif kind == 1:
            data[at:at] = data[at:until] * dice.choice([1, 2, 30])
        elif kind == 2 and at < len(data):
            data[at] ^= 1 << dice.randrange(8)
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            start = data.rfind(b"\n", 0, at) + 1
            line = data[start:until]
            place = data.rfind(b"\n", 0, dice.randrange(len(data) + 1)) + 1
            data[place:place] = line
        else:
            data[at:at] = dice.choice(PIECES) * dice.choice([1, 1, 1, 3])
    return bytes(data)


class Failure(Exception):
    """faber broke a rule of this test."""


def run(faber, folder, command, threads):
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "RAYON_NUM_THREADS": threads, "RUST_BACKTRACE": "1"}
    try:
        done = subprocess.run([faber, *command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Failure(f"takes more than {PATIENCE} seconds") from None
    if done.returncode not in (0, 1, 2, 3) or b"panicked" in done.stderr:
        raise Failure(f"exit status {done.returncode}\n{done.stderr[-3000:].decode(errors='replace')}")
    return done.returncode, done.stdout, done.stderr


def attempt(faber, folder, seed):
    """Runs one round; returns the number of broken files."""
    dice = random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    count = 0
    for path, data in SEEDS.items():
        if dice.random() < (0.15 if path in DECIDE else 0.9):
            data = broken(dice, data)
            count += 1
        path = folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assemble = ["assemble", "clerk", "--request", REQUEST, "--history", "history.jsonl", "--no-cache",
                "--format", dice.choice(FORMATS), "--budget", str(dice.choice([200, 900, 4000, 20000]))]
    for number, command in enumerate([["validate", "--no-cache", "--format", "json"], assemble, dice.choice(LATER)]):
        try:
            first = run(faber, folder, command, "1")
            if number == seed % 3 and run(faber, folder, command, "3") != first:
                raise Failure("prints something else the second time")
        except Failure as failure:
            raise Failure(f"round {seed}, in {folder}\nfaber {' '.join(command)}\n{failure}") from None
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("faber")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=170)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    faber = os.path.realpath(args.faber)
    end = time.monotonic() + args.seconds
    base = Path(tempfile.mkdtemp(prefix="faber-fuzz-"))
    lock, state = threading.Lock(), {"round": args.seed * 1_000_000, "inputs": 0, "failure": None}

    def work(number):
        folder = base / str(number) / "workspace"
        while True:
            with lock:
                if state["failure"] or state["inputs"] >= args.inputs or time.monotonic() > end:
                    return
                seed = state["round"]
                state["round"] += 1
            try:
                count = attempt(faber, folder, seed)
            except Failure as failure:
                with lock:
                    state["failure"] = state["failure"] or str(failure)
                return
            with lock:
                state["inputs"] += count

    threads = [threading.Thread(target=work, args=(number,)) for number in range(os.cpu_count() or 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{state['inputs']} broken inputs in {state['round'] - args.seed * 1_000_000} rounds")
    if state["failure"]:
        sys.exit(f"error: {state['failure']}")
    shutil.rmtree(base)
    if state["inputs"] < args.inputs:
        print(f"stopped after {args.seconds} seconds")


if __name__ == "__main__":
    main()
