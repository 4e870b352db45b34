"""Runs faber in hostile clones.

Usage: clone.py FABER [TRICK…]

The tricks are in `clone_tricks.py`. faber may start git only, open no connection, and neither read nor
write outside of the clone. With strace, all processes and files are checked; without it, only what they
leave. Exits with 1 if a trick works.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clone_tricks import CANARY, COMMANDS, PROMPT, STANDARD, TRICKS, World

PATIENCE = 60
CALLS = "execve,execveat,connect,open,openat,openat2,creat,rename,renameat,renameat2,mkdir,mkdirat," \
    "unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat"


def protocol_messages(world):
    """Messages of a hostile MCP client and a hostile editor."""
    def message(method, params, number=None):
        asked = {} if number is None else {"id": number}
        return {"jsonrpc": "2.0", **asked, "method": method, "params": params}

    outside = [str(world.outside / "secret.md"), "../outside/secret.md", f"file://{world.outside}/secret.md",
               "standard/../../../outside/secret", "/etc/passwd"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    mcp = [message("initialize", hello, 0), message("notifications/initialized", {})]
    for at, path in enumerate(outside):
        tools = [
            ("get_context_details", {"ids": [path]}), ("expand_context", {"id": path}),
            ("search_context", {"query": "canary", "scope": path}), ("search_context", {"query": "canary"}),
            ("assemble_prompt", {"request": "letters", "files": [path], "role": path}),
            ("assemble_prompt", {"request": "letters", "files": [path]}), ("list_contexts", {"role": path}),
        ]
        mcp += [message("tools/call", {"name": name, "arguments": arguments}, at * 100 + number)
                for number, (name, arguments) in enumerate(tools, 10)]
        mcp.append(message("resources/read", {"uri": f"faber://context/{path}"}, at * 100 + 50))
        mcp.append(message("resources/read", {"uri": path}, at * 100 + 51))
    lines = "".join(json.dumps(each) + "\n" for each in mcp)

    root = f"file://{world.clone}"
    lsp = [message("initialize", {"processId": None, "rootUri": root, "capabilities": {}}, 0),
           message("initialized", {})]
    for at, uri in enumerate([f"{root}/{STANDARD}", f"{root}/{PROMPT}", f"file://{world.outside}/secret.md"]):
        text = f"See [x](../../../outside/secret.md) and `{world.outside}/secret.md`.\n" \
               "<!-- faber: include ../../../outside/secret.md -->\n"
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        lsp.append(message("textDocument/didOpen", {"textDocument": document}))
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 10}}
        for number, method in enumerate(["hover", "definition", "references", "completion", "documentLink"]):
            lsp.append(message(f"textDocument/{method}", {**place, "context": {"includeDeclaration": True}},
                               at * 10 + number + 1))
    lsp += [message("shutdown", None, 99), message("exit", None)]
    bodies = [json.dumps(each) for each in lsp]
    framed = "".join(f"Content-Length: {len(body.encode())}\r\n\r\n{body}" for body in bodies)
    return [(["serve", "--role", "clerk"], lines), (["lsp"], framed)]


def digest(folder):
    state = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        state.update(str(path).encode())
        if path.is_file():
            state.update(path.read_bytes())
    return state.hexdigest()


OPENED = re.compile(r"\b(?:open|openat|openat2|creat)\(.*= (\d+)<([^>]*)>")
RAN = re.compile(r'\bexecve(?:at)?\((?:AT_FDCWD[^,]*, )?"([^"]+)".* = 0$')
NAMED = re.compile(r'"((?:[^"\\]|\\.)*)"')
CHANGES = re.compile(r"\b(rename|renameat|renameat2|mkdir|mkdirat|unlink|unlinkat|rmdir|link|linkat|symlink|"
                     r"symlinkat|truncate|chmod|fchmodat)\(.*= 0$")


def watch(log, world, programs):
    """Violations in a trace."""
    inside = [world.clone, world.home / ".cache", world.home / ".local"]
    own = lambda path: any(Path(path).is_relative_to(place) for place in inside)
    held = {}
    for line in log.read_text(errors="replace").splitlines():
        if ran := RAN.search(line):
            if os.path.realpath(world.clone / ran[1]) not in programs:
                yield f"runs {ran[1]}"
        elif " connect(" in f" {line}" and "AF_INET" in line:
            yield f"connects: {line}"
        elif opened := OPENED.search(line):
            held[opened[1]] = path = opened[2]
            writes = re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)|\bcreat\(", line)
            if writes and not own(path) and not path.startswith("/dev/"):
                yield f"opens {path} to write"
            hidden = Path(path).is_relative_to(world.outside) or path.startswith(str(world.home / ".aws"))
            if hidden and "O_DIRECTORY" not in line and not Path(path).is_dir():
                yield f"reads {path}"
        elif changed := CHANGES.search(line):
            # The last path is the result of the call.
            name = (NAMED.findall(line) or [""])[-1]
            # An open folder.
            name = re.sub(r"^/proc/self/fd/(\d+)", lambda number: held.get(number[1], number[0]), name)
            path = world.clone / name
            if not own(Path(os.path.realpath(path.parent)) / path.name):
                yield f"{changed[1]} {path}"


def run(faber, world, command, text=""):
    """Runs one command; returns violations."""
    log = world.folder / "trace"
    log.unlink(missing_ok=True)
    traced = ["strace", "-f", "-y", "-s", "4096", "-qq", "-e", f"trace={CALLS}", "-o", str(log)] if STRACE else []
    environment = {**os.environ, "HOME": str(world.home), "GIT_CONFIG_NOSYSTEM": "1",
                   "SECRET_TOKEN": CANARY, **world.variables}
    for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"]:
        if name not in world.variables:
            environment.pop(name, None)
    over = threading.Event()

    def other_process():
        while world.meanwhile and not over.is_set():
            world.meanwhile()

    other = threading.Thread(target=other_process)
    other.start()
    try:
        done = subprocess.run([*traced, faber, *command], cwd=world.clone, env=environment, input=text.encode(),
                              capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return [f"does not end within {PATIENCE} seconds"]
    finally:
        over.set()
        other.join()
    wrong = []
    if done.returncode not in (0, 1, 2, 3):
        wrong.append(f"exit status {done.returncode}: {done.stderr[-300:]!r}")
    if CANARY.encode() in done.stdout + done.stderr:
        wrong.append("prints what lies outside")
    if any(text.encode() in done.stdout + done.stderr for text in world.unseen):
        wrong.append("prints what readers do not see")
    if STRACE:
        programs = {os.path.realpath(faber), os.path.realpath(shutil.which("git"))}
        wrong += sorted(set(watch(log, world, programs)))
    return wrong


def attempt(faber, trick, folder):
    """Runs all commands in the clone of a trick; returns their number, and failures."""
    world = World(folder)
    after = trick(world)
    world.make()
    if after:
        after()
    before = digest(world.outside)
    runs = [(command, "") for command in [*COMMANDS, *world.commands]] + protocol_messages(world)
    failures = []
    for command, text in runs:
        failures += [f"`faber {' '.join(command)}` {wrong}" for wrong in run(faber, world, command, text)]
    ran = sorted(path.name for path in (world.outside / "ran").iterdir())
    if ran:
        failures.append(f"ran: {', '.join(ran)}")
    elif digest(world.outside) != before:
        failures.append("something outside was changed")
    return len(runs), failures


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    faber = os.path.realpath(sys.argv[1])
    chosen = [trick for trick in TRICKS if not sys.argv[2:] or trick.__name__ in sys.argv[2:]]
    if os.name != "posix" or not shutil.which("git"):
        print("skipped: hostile clones need git and a system with symbolic links")
        return
    if not STRACE:
        print("skipped: strace is missing, so processes and files are not watched, only what they leave behind")

    def tried(trick):
        with tempfile.TemporaryDirectory(prefix="faber-hostile-") as folder:
            return attempt(faber, trick, Path(folder).resolve())

    failed = 0
    # Some wait until faber stops a git that hangs.
    with ThreadPoolExecutor(4) as pool:
        for trick, (count, failures) in zip(chosen, pool.map(tried, chosen)):
            print(f"{'FAILED' if failures else 'ok':6} {trick.__name__}: {count} commands", flush=True)
            for failure in failures:
                print(f"       {failure}")
            failed += bool(failures)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


STRACE = bool(shutil.which("strace")) and subprocess.run(
    ["strace", "-qq", "-e", "trace=none", "true"], capture_output=True).returncode == 0

if __name__ == "__main__":
    main()
