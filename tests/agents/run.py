"""Runs real clients with hooks of faber and a stub model.

Usage: run.py FABER [--required] [CLIENT…]. Installs the clients into target/agents, or prints that it skips them.
Exits with 1 if something fails; with --required, also if a client cannot run.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stub import Stub

HERE = Path(__file__).resolve().parent
HOME = HERE.parent.parent / "target" / "agents"
SECONDS = 60

# One context per kind of event; only faber can give its last sentence to the model.
FILES = {
    ".faber/config.yml": "settings: { role: engineer }\n",
    "roles/engineer/prompt.md": "# Engineer\n",
    "contexts/standards/standards-prices.md": "# Prices\n\nAbout it.\n\nPrices are whole cents.\n",
    "contexts/specialists/specialist-refunds.md":
        "---\nkeywords: [refund]\n---\n\n# Refunds\n\nAbout it.\n\nRefunds need a second approval.\n",
    "contexts/patterns/pattern-sql.md":
        "---\nglobs: [\"db/*.sql\"]\n---\n\n# SQL\n\nAbout it.\n\nNever edit an old migration.\n",
    "contexts/troubleshooting/troubleshooting-database.md":
        "---\nerrors: [connection refused, does not exist]\n---\n\n# Database\n\nAbout it.\n\nStart the database first.\n",
    "db/one.sql": "select 1;\n",
}
TEXTS = {
    "start": "Prices are whole cents.",
    "prompt": "Refunds need a second approval.",
    "tool": "Never edit an old migration.",
    "failure": "Start the database first.",
}
PROMPT = "why does the refund of this order fail?"
# These files block a prompt about refunds.
BLOCKING = {
    ".faber/config.yml": "settings: { role: engineer }\nhook: { block: security }\n",
    "contexts/specialists/specialist-refunds.md": "---\nkeywords: [refund]\n---\n\n# Refunds\n\nNever \u202eever.\n",
}
BLOCKED = "and the refund of the other order?"
FAILS = "echo connection refused >&2; exit 1"
PATCH = "*** Begin Patch\n*** Add File: db/two.sql\n+select 2;\n*** End Patch\n"


def claude(folder, url):
    return {
        "steps": [
            ("Read", {"file_path": str(folder / "db/one.sql")}),
            ("Bash", {"command": FAILS, "description": "fail"}),
        ],
        "env": {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "stub",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        "commands": [
            ["-p", PROMPT, "--allowedTools", "Read,Bash"],
            ["-p", "--continue", "and now?"],
            ["-p", "--continue", "/compact"],
        ],
        "expected": ["start", "prompt", "tool", "failure"],
        # After the compaction, the session starts again, with all contexts.
        "events": {"SessionStart": 2},
        "blocks": True,
    }


def codex(folder, url):
    config = folder / "home" / ".codex" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        "model = \"gpt-5.5\"\nmodel_provider = \"stub\"\nmodel_auto_compact_token_limit = 40000\n"
        f"[model_providers.stub]\nname = \"stub\"\nbase_url = \"{url}/v1\"\nenv_key = \"STUB_KEY\"\n"
        "wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
        f"[projects.\"{folder}\"]\ntrust_level = \"trusted\"\n"
    )
    flags = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
    return {
        "steps": [("apply_patch", PATCH)],
        "env": {"STUB_KEY": "stub"},
        "commands": [["exec", *flags, "--skip-git-repo-check", PROMPT]],
        "expected": ["start", "prompt", "tool"],
        "events": {"SessionStart": 2},
        "blocks": True,
    }


def gemini(folder, url):
    settings = folder / "home" / ".gemini" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n')
    return {
        "steps": [("read_file", {"file_path": str(folder / "db/one.sql")})],
        "env": {
            "GEMINI_API_KEY": "stub",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        "commands": [["-m", "gemini-2.5-flash", "-p", PROMPT]],
        "expected": ["start", "prompt", "tool"],
        "events": {},
        "blocks": True,
    }


def copilot(folder, url):
    return {
        "steps": [
            ("view", {"path": str(folder / "db/one.sql")}),
            ("view", {"path": str(folder / "db/none")}),
        ],
        "env": {
            "COPILOT_OFFLINE": "true",
            "COPILOT_ALLOW_ALL": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_BASE_URL": url,
            "COPILOT_PROVIDER_API_KEY": "stub",
            "COPILOT_MODEL": "claude-sonnet-4",
        },
        "commands": [["-p", PROMPT]],
        "expected": ["start", "prompt", "tool", "failure"],
        "events": {},
        "blocks": False,
    }


def opencode(folder, url):
    provider = {"options": {"baseURL": f"{url}/v1", "apiKey": "stub"}, "models": {"claude-sonnet-4-5": {}}}
    model = "anthropic/claude-sonnet-4-5"
    config = {"provider": {"anthropic": provider}, "model": model, "small_model": model, "share": "disabled"}
    (folder / "opencode.json").write_text(json.dumps(config))
    return {
        "steps": [("read", {"filePath": str(folder / "db/one.sql")})],
        "env": {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        },
        "commands": [["run", PROMPT], ["run", "--continue", "and now?"]],
        "expected": ["start", "prompt", "tool"],
        "events": {},
        "blocks": False,
    }


# Client, package, program in it, scenario.
REQUIRED = "--required"

CLIENTS = [
    ("claude", "@anthropic-ai/claude-code@2.1.197", "claude", claude),
    ("codex", "@openai/codex@0.169.0", "codex", codex),
    ("gemini", "@google/gemini-cli@0.61.0", "gemini", gemini),
    ("copilot", "@github/copilot@1.0.102", "copilot", copilot),
    ("opencode", "opencode-ai@1.18.33", "opencode", opencode),
]


def program(name, package, binary):
    """The program of a client; None if it cannot be installed."""
    folder = HOME / name
    found = folder / "node_modules" / ".bin" / binary
    if shutil.which("node") and shutil.which("npm") and not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", package]
        try:
            subprocess.run(command, cwd=folder, capture_output=True, timeout=300)
        except (OSError, subprocess.TimeoutExpired):
            return None
    # Without install scripts, the program is only in the package of the platform.
    places = {"claude": "@anthropic-ai/claude-code-*/claude", "opencode": "opencode-*-*/bin/opencode"}
    if name in places:
        natives = sorted(folder.glob(f"node_modules/{places[name]}"))
        return natives[0] if natives else None
    return found if found.exists() else None


def write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def run(faber, name, program, scenario):
    """Returns the logged calls, or None if the client did not run, and problems."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        write(folder, FILES)
        (folder / "bin").mkdir()
        (folder / "bin" / "faber").symlink_to(faber)
        stub = Stub([])
        scene = scenario(folder, stub.url)
        stub.steps = scene["steps"]
        # The rest of the environment may have accounts of the user.
        env = {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(folder / "home"),
            "NO_COLOR": "1",
            "TERM": "dumb",
            **scene["env"],
        }
        (folder / "home").mkdir(exist_ok=True)

        def call(*command, seconds=SECONDS):
            try:
                return subprocess.run(
                    command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                    text=True, timeout=seconds,
                )
            except subprocess.TimeoutExpired as error:
                return subprocess.CompletedProcess(command, 1, "", f"no end after {error.timeout} s")

        installed = call(faber, "hook", "install", name)
        outputs = [installed.stderr]
        for command in scene["commands"]:
            ended = call(str(program), *command)
            outputs += [ended.stdout, ended.stderr]
        status = lambda: json.loads(call(faber, "hook", "status", "--format", "json").stdout)
        calls = status()["calls"]
        # Without a request to the model, hooks were not tested.
        if not stub.bodies:
            stub.close()
            return None, outputs
        sent = "\n".join(stub.bodies)
        wrong = [f"{kind} did not reach the model" for kind in scene["expected"] if TEXTS[kind] not in sent]
        failed = [one for one in calls if one["outcome"] == "failed" or one["client"] != name]
        wrong += [f"a call failed: {one}" for one in failed]
        for event, count in scene["events"].items():
            given = sum(one["event"] == event and one["outcome"] == "given" for one in calls)
            if given < count:
                wrong.append(f"{event} was answered {given} times in place of {count}")
        if scene["blocks"]:
            write(folder, BLOCKING)
            command = [BLOCKED if word == PROMPT else word for word in scene["commands"][0]]
            ended = call(str(program), *command)
            outputs += [ended.stdout, ended.stderr]
            if any(BLOCKED in body for body in stub.bodies):
                wrong.append("a blocked prompt reached the model")
            if not any("bidi-control" in one["message"] for one in status()["calls"][len(calls):]):
                wrong.append("no prompt was blocked")
        stub.close()
        if wrong:
            seen = [(one["event"], one["outcome"]) for one in calls]
            wrong.append(f"calls: {seen}; requests: {len(stub.bodies)}\n" + "\n".join(outputs)[-3000:])
        return calls, wrong


def main():
    faber = Path(sys.argv[1]).resolve()
    wanted = [word for word in sys.argv[2:] if word != REQUIRED]
    is_required = REQUIRED in sys.argv
    is_wrong = False
    pool = ThreadPoolExecutor()
    runs = []
    for name, package, binary, scenario in CLIENTS:
        if wanted and name not in wanted:
            continue
        found = program(name, package, binary)
        if not found:
            print(f"skipped: {package} cannot be installed here")
            is_wrong = is_wrong or is_required
            continue
        runs.append((package, pool.submit(run, faber, name, found, scenario)))
    for package, ended in runs:
        calls, wrong = ended.result()
        if calls is None:
            print(f"skipped: {package} does not run here")
            if is_required:
                print("\n".join(wrong)[-3000:], file=sys.stderr)
            is_wrong = is_wrong or is_required
            continue
        given = [one["event"] for one in calls if one["outcome"] == "given"]
        for one in wrong:
            print(f"{package}: {one}", file=sys.stderr)
        if not wrong:
            print(f"{package}: hooks give at {', '.join(given)}")
        is_wrong = is_wrong or bool(wrong)
    sys.exit(1 if is_wrong else 0)


if __name__ == "__main__":
    main()
