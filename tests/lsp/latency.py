#!/usr/bin/env python3
"""Measures the time from an edit to the findings of `faber lsp`.

usage: latency.py FABER WORKSPACE [FILE] [--edits N]

FILE is a prompt, task or flow. Every second edit names a missing context, so that each edit changes
the findings. Nothing is written.
"""
import argparse, json, pathlib, queue, subprocess, threading, time


class Client:
    def __init__(self, faber, workspace):
        self.process = subprocess.Popen(
            [faber, "lsp"], cwd=workspace, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.process.stdout
        while line := out.readline():
            length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else None
            if length is None:
                continue
            while out.readline().strip():
                pass
            self.messages.put((time.perf_counter(), json.loads(out.read(length))))

    def send(self, method, params, id=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if id is not None:
            message["id"] = id
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def wait(self, wanted, seconds=60):
        while True:
            at, message = self.messages.get(timeout=seconds)
            if wanted(message):
                return at


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faber")
    parser.add_argument("workspace", type=pathlib.Path)
    parser.add_argument("file", nargs="?", default="roles/platform-engineer/tasks/review-change.md")
    parser.add_argument("--edits", type=int, default=100)
    a = parser.parse_args()
    root = a.workspace.resolve()
    uri = (root / a.file).as_uri()
    text = (root / a.file).read_text() + "\nSee `specialist-nobody.md`.\n"
    line = text.count("\n") - 1
    client = Client(str(pathlib.Path(a.faber).resolve()), root)
    client.send("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}}, 1)
    client.wait(lambda it: it.get("id") == 1)
    client.send("initialized", {})

    def published(there):
        def wanted(message):
            if message.get("method") != "textDocument/publishDiagnostics" or message["params"]["uri"] != uri:
                return False
            found = [it for it in message["params"]["diagnostics"] if "nobody" in it["message"]]
            return bool(found) == there
        return wanted

    started = time.perf_counter()
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
    client.send("textDocument/didOpen", {"textDocument": item})
    first = client.wait(published(True)) - started
    times = []
    for edit in range(a.edits):
        there = edit % 2 == 1
        place = {"start": {"line": line, "character": 4}, "end": {"line": line, "character": 5}}
        change = {"range": place, "text": "`" if there else "'"}
        started = time.perf_counter()
        client.send("textDocument/didChange",
                    {"textDocument": {"uri": uri, "version": edit + 2}, "contentChanges": [change]})
        times.append(client.wait(published(there)) - started)
        time.sleep(0.05)
    client.send("shutdown", None, 2)
    client.wait(lambda it: it.get("id") == 2)
    client.send("exit", None)
    times.sort()
    at = lambda share: 1000 * times[min(len(times) - 1, int(share * len(times)))]
    print(f"first {1000 * first:.0f} ms; {a.edits} edits: P50 {at(.5):.1f} ms, P90 {at(.9):.1f} ms, "
          f"P99 {at(.99):.1f} ms, longest {1000 * times[-1]:.1f} ms")


main()
