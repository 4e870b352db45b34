"""Adds a token to requests of clients that have no option for it.

Usage: proxy.py SERVER_PORT TOKEN. Prints its port. Only the first head is parsed: each connection has
one request.
"""

import socket
import sys
import threading


def head_of(client):
    """The head, and bytes after it."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        if not more:
            return None, data
        data += more
    return data.split(b"\r\n\r\n", 1)


def pump(source, target):
    """Copies until one end is closed."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    finally:
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def forward(client, own_port, port, token):
    head, rest = head_of(client)
    if head is None:
        client.close()
        return
    lines = head.split(b"\r\n")
    kept = [lines[0]]
    for line in lines[1:]:
        name = line.split(b":", 1)[0].lower()
        if name == b"connection":
            continue
        if name in (b"host", b"origin"):
            line = line.replace(b":%d" % own_port, b":%d" % port)
        kept.append(line)
    kept += [b"Authorization: Bearer " + token.encode(), b"Connection: close"]
    server = socket.create_connection(("127.0.0.1", port))
    server.sendall(b"\r\n".join(kept) + b"\r\n\r\n" + rest)
    threading.Thread(target=pump, args=(client, server), daemon=True).start()
    pump(server, client)


def main():
    port, token = int(sys.argv[1]), sys.argv[2]
    listener = socket.create_server(("127.0.0.1", 0))
    own_port = listener.getsockname()[1]
    print(own_port, flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=forward, args=(client, own_port, port, token), daemon=True).start()


if __name__ == "__main__":
    main()
