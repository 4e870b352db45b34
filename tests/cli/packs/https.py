"""Serves git repositories over HTTPS: https.py ROOT CERTIFICATE KEY

Prints the port. The first part of a path is the behaviour: `/ok` serves ROOT, `/login` asks for a password, `/plain`
and `/file` redirect to another protocol, `/half` ends in the middle of an answer, `/error` fails.
"""

import http.server
import os
import ssl
import subprocess
import sys

ROOT, CERTIFICATE, KEY = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(b"")

    def do_POST(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(body)

    def answer(self, body):
        path, _, query = self.path.partition("?")
        _, behaviour, path = path.split("/", 2)
        if behaviour == "login":
            return self.head(401, [("WWW-Authenticate", 'Basic realm="x"')])
        if behaviour in ("plain", "file"):
            place = {"plain": "http://127.0.0.1:1/", "file": f"file://{ROOT}/"}[behaviour] + path
            return self.head(302, [("Location", f"{place}?{query}")])
        if behaviour == "error":
            return self.head(500, [])
        variables = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": ROOT,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "PATH_INFO": "/" + path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            # In a container, another user may own the repository.
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
        said = subprocess.run(["git", "http-backend"], input=body, env=variables, capture_output=True).stdout
        head, _, data = said.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        fields = [(name, value) for name, value in fields if name != "Status"]
        size = len(data)
        if behaviour == "half" and self.command == "POST" and size > 2000:
            data = data[: size // 2]
            self.close_connection = True
        self.head(status, fields, size)
        self.wfile.write(data)

    def head(self, status, fields, size=0):
        self.send_response(status)
        for name, value in fields + [("Content-Length", str(size))]:
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE, KEY)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
