"""A real browser without a window, spoken to over its debugging pipe."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Chromium wants its pipe at descriptors 3 and 4
_AT_3_AND_4 = "import os, sys; os.dup2({}, 3); os.dup2({}, 4); os.execv(sys.argv[1], sys.argv[1:])"


def find() -> str | None:
    """Return the path of an installed browser, null where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """The one page of a browser. ``events`` are all that it reported, in order."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def attach(self) -> None:
        """Take the page that the browser opened with, and listen to it."""
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command and return its result; what happens meanwhile is kept in ``events``."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, page: Path) -> None:
        """Load a file and wait until it is there."""
        seen = len(self.events)
        self.ask("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events[seen:]):
            self.events.append(self._next())

    def width(self, pixels: int, height: int = 900) -> None:
        """Make the window so wide."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=pixels,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def value(self, expression: str) -> Any:
        """Return what a script expression gives in the page."""
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def screenshot(self) -> bytes:
        """Return the whole page as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._from, 1 << 20)
            if not data:
                raise RuntimeError("the browser has gone")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message


@contextmanager
def browser(program: str, home: Path) -> Iterator[Tab]:
    """Run a browser with a profile of its own below ``home``."""
    theirs_r, ours_w = os.pipe()
    ours_r, theirs_w = os.pipe()
    theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (theirs_r, theirs_w)]  # clear of 3 and 4
    os.close(theirs_r)
    os.close(theirs_w)
    command = [sys.executable, "-c", _AT_3_AND_4.format(*theirs), program]
    command += ["--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run"]
    command += ["--disable-dev-shm-usage", f"--user-data-dir={home / 'profile'}"]
    if os.geteuid() == 0:
        command.append("--no-sandbox")  # it refuses to run as root otherwise
    process = subprocess.Popen(
        [*command, "about:blank"],
        pass_fds=theirs,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(home)},
    )
    for fd in theirs:
        os.close(fd)
    try:
        tab = Tab(ours_w, ours_r)
        tab.attach()
        yield tab
    finally:
        process.terminate()
        process.wait(20)
        os.close(ours_w)
        os.close(ours_r)
