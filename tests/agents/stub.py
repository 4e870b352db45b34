"""A stub model: answers the APIs of three vendors with given tool calls.

Each step is the name of a tool and its arguments. After the last step, the answer is a text.
"""

import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = "Done."
# Tokens of a conversation with tool calls, which makes a client with a low limit compact it.
USED = 50_000


def anthropic(body, call):
    """Of the Messages API; events if the client wants a stream."""
    usage = {"input_tokens": 10, "output_tokens": 10}
    message = {
        "id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": body["model"], "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }
    if call:
        block = {"type": "tool_use", "id": call[2], "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": ANSWER}
    reason = "tool_use" if call else "end_turn"
    if not body.get("stream"):
        whole = {**block, "input": call[1]} if call else {**block, "text": ANSWER}
        return {**message, "content": [whole], "stop_reason": reason}
    end = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    ]


def openai(_, call):
    """Of the Responses API."""
    if call and isinstance(call[1], str):
        item = {"type": "custom_tool_call", "call_id": call[2], "name": call[0], "input": call[1]}
    elif call:
        arguments = json.dumps(call[1])
        item = {"type": "function_call", "call_id": call[2], "name": call[0], "arguments": arguments}
    else:
        content = [{"type": "output_text", "text": ANSWER}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}
    used = USED if call else 10
    usage = {"input_tokens": used, "output_tokens": 10, "total_tokens": used + 10}
    return [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "output": [item], "usage": usage}},
    ]


def gemini(_, call):
    """Of generateContent, also as the only event of a stream."""
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": ANSWER}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": {"totalTokenCount": 10}}


def tools_of(body):
    for tool in body.get("tools") or []:
        yield tool.get("name")
        yield from (one["name"] for one in tool.get("functionDeclarations", []))


class Stub:
    """A server on a free port; keeps the bodies of requests."""

    def __init__(self, steps):
        self.steps = steps
        self.calls = 0
        self.bodies = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers.get("content-length") or 0)
                text = self.rfile.read(length).decode()
                stub.bodies.append(text)
                self.answer(stub.reply(self.path, json.loads(text or "{}")))

            def do_GET(self):
                self.answer({"data": [], "models": []})

            def answer(self, reply):
                if isinstance(reply, list):
                    named = lambda it: f"event: {it['type']}\n" if "type" in it else ""
                    events = [f"{named(it)}data: {json.dumps(it)}\n\n" for it in reply]
                    data, kind = "".join(events), "text/event-stream"
                else:
                    data, kind = json.dumps(reply), "application/json"
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data.encode())

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def call(self, body):
        """The next step with an id, if the request may call its tool."""
        if self.calls == len(self.steps) or self.steps[self.calls][0] not in tools_of(body):
            return None
        self.calls += 1
        return *self.steps[self.calls - 1], f"call_{self.calls}"

    def reply(self, path, body):
        if "count_tokens" in path:
            return {"input_tokens": 10}
        if "streamGenerateContent" in path:
            return [gemini(body, self.call(body))]
        apis = [("generateContent", gemini), ("/responses", openai), ("/messages", anthropic)]
        api = next((api for part, api in apis if part in path), None)
        return api(body, self.call(body)) if api else {}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
