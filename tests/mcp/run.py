"""Runs `faber serve` with the official SDKs and conformance suite.

Usage: run.py FABER. Installs them into target/mcp, or prints that it skips them. Exits with 1 if
something fails.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKSPACE = HERE.parent.parent
HOME = WORKSPACE / "target" / "mcp"
PYTHON_SDK = "mcp==2.3.0"
NODE_SDKS = ["@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/conformance@0.1.13"]
TOKEN = "a-token-of-this-test"


def quietly(*command, **options):
    """Runs a command; returns whether it succeeded."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return run.returncode == 0


def python_with_sdk():
    """A Python with the SDK; None if it cannot be installed."""
    folder = HOME / "python"
    python = folder / "bin" / "python"
    has_sdk = lambda: quietly(str(python), "-c", "import mcp")
    if not has_sdk():
        quietly(sys.executable, "-m", "venv", str(folder))
        quietly(str(python), "-m", "pip", "install", "--quiet", PYTHON_SDK)
    return python if has_sdk() else None


def node_with_sdks():
    """A folder with the SDKs; None if they cannot be installed."""
    folder = HOME / "node"
    wanted = folder / "node_modules" / "@modelcontextprotocol" / "conformance"
    if shutil.which("node") and shutil.which("npm") and not wanted.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        quietly("npm", "install", "--no-audit", "--no-fund", *NODE_SDKS, cwd=folder)
    return folder if wanted.exists() else None


class Port:
    """A server on a port, and a second port that adds the token."""

    def __init__(self, faber):
        environment = {**os.environ, "FABER_HTTP_TOKEN": TOKEN}
        command = [faber, "serve", "--http", "127.0.0.1:0"]
        self.server = subprocess.Popen(
            command, cwd=WORKSPACE, env=environment, stderr=subprocess.PIPE, text=True
        )
        self.url = self.server.stderr.readline().split()[1]
        port = self.url.rsplit(":", 1)[1].split("/")[0]
        self.proxy = subprocess.Popen(
            [sys.executable, str(HERE / "proxy.py"), port, TOKEN], stdout=subprocess.PIPE, text=True
        )
        self.open_url = f"http://localhost:{self.proxy.stdout.readline().strip()}/mcp"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.server, self.proxy):
            process.terminate()
            process.wait()


def conforms(node, url):
    """Runs every scenario of the suite; returns failures."""
    program = node / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    listing = subprocess.run(["node", program, "list", "--server"], capture_output=True, text=True)
    known = json.loads((HERE / "conformance.json").read_text())
    scenarios = [line.split()[1] for line in listing.stdout.splitlines() if line.startswith("  - ")]
    wrong = [f"{name} is not in conformance.json" for name in scenarios if name not in known]
    wrong += [f"{name} is not a scenario" for name in known if name not in scenarios]
    passed = 0
    for name in scenarios:
        command = ["node", str(program), "server", "--url", url, "--scenario", name]
        does = quietly(*command)
        passed += does
        expected = known.get(name, "")
        if does != (expected == "passes"):
            wrong.append(f"{name}: " + ("fails" if expected == "passes" else f"passes, but {expected}"))
    print(f"the conformance suite: {passed} of {len(scenarios)} scenarios apply, and pass")
    return wrong


def main():
    faber = str(Path(sys.argv[1]).resolve())
    python, node = python_with_sdk(), node_with_sdks()
    wrong = []

    def client(*command, **options):
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
        print(run.stdout, end="")
        if run.returncode != 0:
            wrong.append(run.stderr)

    for what, found in [("the Python SDK", python), ("the TypeScript SDK and the suite", node)]:
        if not found:
            print(f"skipped: {what} cannot be installed here")
    with Port(faber) as port:
        if python:
            client(python, HERE / "client.py", "stdio", faber, WORKSPACE)
            client(python, HERE / "client.py", "http", port.url, TOKEN)
        if node:
            script = HERE / "client.mjs"
            client("node", script, "stdio", faber, WORKSPACE, cwd=node)
            client("node", script, "http", port.url, TOKEN, cwd=node)
            wrong += conforms(node, port.open_url)
    for one in wrong:
        print(one, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
