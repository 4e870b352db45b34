"""Chromium by chromedriver, with the standard library alone."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# No network, no user interface.
ARGUMENTS = [
    "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
]
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015"}


def programs():
    """Browser and driver, or None."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """One window. The end of the `with` closes it and removes its files."""

    def __init__(self, programs, sandboxed):
        browser, driver = programs
        self.folder = tempfile.TemporaryDirectory(prefix="faber-browser-")
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.base = self.address()
        arguments = [*ARGUMENTS, f"--user-data-dir={self.folder.name}"]
        if not sandboxed:
            arguments.append("--no-sandbox")
        options = {"binary": browser, "args": arguments}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + answer["sessionId"]

    def address(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return "http://127.0.0.1:" + line.split("port")[-1].strip(" .\n")
        raise RuntimeError("chromedriver does not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass  # It is terminated below.
        self.driver.terminate()
        self.driver.wait()
        try:
            self.folder.cleanup()
        except OSError:
            time.sleep(1)  # The browser may still write into its folder.
            shutil.rmtree(self.folder.name, ignore_errors=True)

    def call(self, method, path, body=None):
        text = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, text, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Returns the result of a script."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def tool(self, command, parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def press(self, *names):
        """Presses keys in order; `Shift+` before a name holds Shift."""
        actions = []
        for name in names:
            shift = name.startswith("Shift+")
            key = KEYS.get(name.removeprefix("Shift+"), name)
            strokes = [("keyDown", key), ("keyUp", key)]
            if shift:
                strokes = [("keyDown", "\ue008"), *strokes, ("keyUp", "\ue008")]
            actions += [{"type": kind, "value": value} for kind, value in strokes]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def size(self, width, height):
        self.tool("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, medium="", **features):
        """Emulates media features of style sheets."""
        named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.tool("Emulation.setEmulatedMedia", {"media": medium, "features": named})

    def log(self):
        """New messages of the console."""
        return self.call("POST", "/se/log", {"type": "browser"})

    def picture(self, path, whole=False):
        parameters = {"captureBeyondViewport": True} if whole else {}
        if whole:
            size = self.tool("Page.getLayoutMetrics", {})["cssContentSize"]
            parameters["clip"] = {**size, "scale": 1}
        shot = self.tool("Page.captureScreenshot", parameters)
        path.write_bytes(base64.b64decode(shot["data"]))

    def paper(self, path):
        printed = self.tool("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True})
        path.write_bytes(base64.b64decode(printed["data"]))
