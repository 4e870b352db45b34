"""Measures searches in a running server, and its memory.

Usage: latency.py FABER WORKSPACE [CALLS]. Repeats 200 questions of four words from the workspace over
standard input. Prints percentiles by nearest rank.
"""

import json
import math
import random
import subprocess
import sys
import time
from pathlib import Path


def questions(workspace):
    """Equal in every run."""
    dice = random.Random(1)
    files = sorted(Path(workspace).glob("contexts/**/*.md"))
    texts = (file.read_text(errors="replace") for file in dice.sample(files, min(40, len(files))))
    words = sorted({word for text in texts for word in text.split() if word.isalpha() and len(word) > 3})
    return [" ".join(dice.sample(words, 4)) for _ in range(200)]


def resident(process):
    """Kilobytes in memory; None if unknown."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main():
    faber, workspace = str(Path(sys.argv[1]).resolve()), sys.argv[2]
    calls = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    server = subprocess.Popen(
        [faber, "serve"], cwd=workspace, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def ask(method, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        return server.stdout.readline()

    client = {"name": "latency", "version": "1"}
    ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
    search = lambda query: ask(
        "tools/call", {"name": "search_context", "arguments": {"query": query}}
    )
    asked = questions(workspace)
    for question in asked:
        search(question)
    before, times = resident(server), []
    for at in range(calls):
        begun = time.perf_counter()
        search(asked[at % len(asked)])
        times.append((time.perf_counter() - begun) * 1000)
    after = resident(server)
    times.sort()
    rank = lambda share: times[max(math.ceil(share * len(times)) - 1, 0)]
    print(f"{calls} searches: P50 {rank(0.5):.2f} ms, P99 {rank(0.99):.2f} ms, longest {times[-1]:.1f} ms")
    if before and after:
        print(f"memory: {before / 1000:.0f} MB before, {after / 1000:.0f} MB after")
    server.stdin.close()
    server.wait()


if __name__ == "__main__":
    main()
