"""A browser for tests: headless Chromium, driven over a pipe (Chrome DevTools Protocol); nothing else has to
be installed.

SPDX-License-Identifier: BSD-3-Clause
"""
import base64
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path


def chromium():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page. `requests` and `complaints` fill up while it is used."""
    PATIENCE = 60  # seconds for one answer: test machines are busy

    def __init__(self, width=1280, height=900):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        switches = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                    "--disable-component-update", "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars",
                    f"--user-data-dir={self._profile.name}", "--remote-debugging-pipe", "about:blank"]
        # The browser reads from descriptor 3 and writes to 4.
        redirect = f"exec 3<&{to_browser} 4>&{from_browser}; exec \"$0\" \"$@\""
        self._process = subprocess.Popen(["bash", "-c", redirect, chromium(), *switches], stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL, pass_fds=(to_browser, from_browser),
                                         env=os.environ | {"TMPDIR": self._profile.name})
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._session = None
        self.requests, self.complaints = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.size(width, height)

    def close(self):
        os.close(self._write)
        self._process.terminate()
        self._process.wait(20)
        os.close(self._read)
        self._profile.cleanup()

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        limit = time.monotonic() + self.PATIENCE
        while True:
            answer = self._next(limit)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _next(self, limit):
        while b"\0" not in self._buffer:
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has ended")
            self._buffer += chunk
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"])[:500])
        elif method == "Log.entryAdded":
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(parameters["args"])[:500])

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        """Sets light or dark, as the system would."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path, link="", ready="window.waitprof"):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=Path(path).resolve().as_uri() + link)
        self.wait(ready)

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:500])
        return result["result"].get("value")

    def wait(self, condition):
        limit = time.monotonic() + self.PATIENCE
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > limit:
                raise TimeoutError(f"never: {condition}")
            time.sleep(0.02)

    def drawn(self):
        """Waits until the timeline has drawn the last change."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def screenshot(self, path, box=None, whole=False):
        """PNG of the visible part, of a box (left, top, width, height on the page), or of the whole page."""
        clip = {"clip": dict(zip(("x", "y", "width", "height"), box)) | {"scale": 1}} if box else {}
        Path(path).write_bytes(self._picture(captureBeyondViewport=whole or box is not None, **clip))

    def picture(self, path, selector):
        """PNG of one element with a margin, without the bar that stays at the top."""
        self.run("document.querySelector('nav').style.position = 'static'")
        self.drawn()
        box = self.run(f"(r => [r.left + scrollX - 8, r.top + scrollY - 8, r.width + 16, r.height + 16])(document.querySelector({selector!r}).getBoundingClientRect())")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.screenshot(path, box)

    def pixel(self, x, y):
        """(red, green, blue) of that pixel."""
        return first_pixel(self._picture(clip={"x": int(x), "y": int(y), "width": 1, "height": 1, "scale": 1}))

    def _picture(self, **how):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **how)["data"])


class BrowserTest(unittest.TestCase):
    """A browser and a directory for the tests of a class; without a browser they skip."""
    @classmethod
    def setUpClass(cls):
        if not chromium():
            raise unittest.SkipTest("no chromium here")
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)


def first_pixel(png):
    """The first pixel of an 8-bit RGB or RGBA picture, as browsers write them: no pixel is left of it or
    above it, so no filter changes it."""
    place, packed = 8, b""
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        if kind == b"IDAT":
            packed += png[place + 8:place + 8 + length]
        place += length + 12
    return tuple(zlib.decompress(packed)[1:4])
