"""An engine that is started here, as an `Engine`: its servers, until they answer, and their end."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from joulemark.engines.child import Child, ChildFailed
from joulemark.engines.engine import Progress, silent
from joulemark.engines.exchange import Endpoint
from joulemark.engines.launch.command import HOST, Command, Launcher
from joulemark.engines.launch.guard import Order, Server, Started
from joulemark.engines.launch.program import find_program, free_port
from joulemark.engines.launch.settings import LaunchSettings
from joulemark.engines.launch.started import StartedEndpoint, published_line
from joulemark.engines.log_folder import LogFolder, log_tail
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.engines.probe import Prober
from joulemark.engines.request_style import RequestWriter
from joulemark.meters.process_tree import children_of
from joulemark.record.errors import InputError

if TYPE_CHECKING:
    from joulemark.record import manifest

_POLL_S = 0.2
_GUARD_S = 30.0  # for the guard, which imports little, to start the servers
_MAIN_LOG = "engine.log"
LOG_FOLLOWS = "; the end of its log"
"""What stands before the log in the message of a start that failed, here and for the embedded engine."""


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """How a server is started, beside its settings.

    ``program`` and ``router`` are the first words of the commands, null: as the engine is usually called.
    ``start_deadline_s`` is how long it may take to load its model, ``grace_s`` to end when it is asked to.
    """

    program: tuple[str, ...] | None = None
    router: tuple[str, ...] | None = None
    start_deadline_s: float = 900.0
    grace_s: float = 15.0


class LaunchedEngine:
    """Servers started by a `Launcher`, on ports of 127.0.0.1 that were free.

    ``log_dir`` gets ``engine.log``, of split instances also a log each; null: a temporary folder, which a
    clean `stop` removes.
    """

    def __init__(
        self,
        launcher: Launcher,
        settings: LaunchSettings,
        options: LaunchOptions | None = None,
        *,
        log_dir: Path | None = None,
        progress: Progress = silent,
    ) -> None:
        self._launcher, self._settings = launcher, settings
        self._options = options or LaunchOptions()
        self._folder, self._progress = LogFolder(log_dir), progress
        self._guard: Child | None = None
        self._logs: list[Path] = []
        self._commands: tuple[Command, ...] = ()
        self._pids: list[int] = []
        self._url: UrlEngine | None = None

    async def start(self) -> None:
        """Start the servers, wait until they are healthy, and ask once for a few tokens."""
        options, launcher = self._options, self._launcher
        # what it cannot do is told before a program is looked for
        launcher.commands(self._settings, launcher.program, lambda: 0, options.router)
        program = options.program or find_program(launcher.kind, launcher.program)
        self._commands = launcher.commands(self._settings, program, free_port, options.router)
        folder = self._folder.open()
        self._logs = [folder / name for name in _log_names(self._commands)]
        for log in self._logs:
            log.write_bytes(b"")
        self._progress(f"Starting {launcher.kind}", None)
        try:
            await self._start_guard(folder)
            deadline = time.monotonic() + options.start_deadline_s
            for number in range(len(self._commands)):
                await self._until_healthy(number, deadline)
        except ChildFailed as failure:
            raise await self._start_error(str(failure)) from None
        except BaseException:
            await self.stop()
            raise
        url = UrlEngine(UrlOptions(f"http://{HOST}:{self._commands[-1].port}"), progress=self._progress)
        try:
            await url.start()
            self._require_ours(url)
        except InputError as error:
            what = f"{launcher.kind} was started and cannot be asked"
            raise await self._start_error(f"{error.what}: {error.why}", what) from None
        except BaseException:
            await self.stop()
            raise
        self._url = url

    async def stop(self) -> None:
        """End all that `start` started. The logs of servers that died by themselves are kept."""
        crashed = self.died()
        guard, self._guard = self._guard, None
        self._url = None
        if guard is not None:
            # the guard has its own grace, and kills then
            await guard.stop(grace_s=self._options.grace_s + 8.0)
        self._folder.close(keep=crashed)

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go; only after `start`."""
        found = self._require_url().endpoint
        return StartedEndpoint(
            found.scheme, found.host, found.port, found.path, found.headers, published_line(self._commands)
        )

    @property
    def request_body(self) -> RequestWriter:
        """How requests are written, as the engine is known to want them."""
        return self._require_url().request_body

    def pid(self) -> int | None:
        """Return the process above all that the engine started, null where it is not known or not running.

        Of split instances it is the guard, which has them all below it. A program that only hands its work
        to another (a container's, for instance) has none of its own: the listener's is returned then.
        """
        if self._guard is None or self._guard.pid is None or self._url is None:
            return None
        listener = self._url.pid()
        if listener is not None and listener not in self._tree():
            return listener
        if listener is None:
            return None
        return self._pids[0] if len(self._pids) == 1 else self._guard.pid

    def died(self) -> bool:
        """Tell whether a server was started and is gone without `stop`."""
        return self._guard is not None and bool(self._pids) and self._guard.pid is None

    @property
    def log_path(self) -> Path | None:
        """The log of the server that answers, null before `start`."""
        return self._logs[-1] if self._logs else None

    def describe(self) -> manifest.Engine:
        """Return the manifest's entry: what the engine says of itself, and what it was started with."""
        facts, settings = self._require_url().describe(), self._settings
        flags = {**facts.flags, **settings.asked, "launch": published_line(self._commands)}
        for role in ("prefill", "decode"):
            devices = ["+".join(one.devices) for one in self._commands if one.role == role]
            if devices:
                flags[f"{role}_devices"] = ",".join(devices)
        changes: dict[str, object] = {"flags": flags, "pid": self.pid()}
        reasons = dict(facts.reasons)
        if settings.quantization is not None:
            changes["quantization"] = settings.quantization
            reasons.pop("quantization", None)
        return facts.model_copy(update={**changes, "reasons": reasons})

    async def _start_guard(self, folder: Path) -> None:
        order = Order(
            os.getpid(),
            self._options.grace_s,
            [
                Server(list(command.argv), str(log), dict(command.env))
                for command, log in zip(self._commands, self._logs, strict=True)
            ],
        )
        argv = [sys.executable, "-P", "-m", "joulemark.engines.launch.guard"]
        self._guard = Child(argv, folder / "guard.log")
        answer = await self._guard.start(orjson.dumps(asdict(order)), deadline_s=_GUARD_S)
        started = Started(**orjson.loads(answer))
        if started.error:
            raise ChildFailed(f"it could not be run ({started.error})")
        self._pids = started.pids

    async def _until_healthy(self, number: int, deadline: float) -> None:
        """Wait for a server; raises `ChildFailed` when one of them ends, or none is ready in time."""
        command = self._commands[number]
        async with Prober(Endpoint("http", HOST, command.port), timeout_s=2.0) as prober:
            while True:
                if self._guard is None or self._guard.pid is None:
                    raise ChildFailed("it ended before it was ready")
                exchange = await prober.get(command.health_path)
                if exchange.error is None and exchange.status == 200:
                    return
                if time.monotonic() > deadline:
                    after = f"it was not healthy after {self._options.start_deadline_s:.0f} s"
                    said = exchange.error or f"status {exchange.status}"
                    raise ChildFailed(f"{after} ({command.health_path}: {said})")
                await asyncio.sleep(_POLL_S)

    def _require_ours(self, url: UrlEngine) -> None:
        """Raise `InputError` where somebody else took the port meanwhile.

        A program of the user's may well hand the work to a container, whose processes are not below ours.
        """
        listener = url.pid()
        if listener is not None and self._options.program is None and listener not in self._tree():
            raise InputError(
                f"the port {self._commands[-1].port} is served by somebody else",
                why=f"process {listener} listens there, which is not what was started",
            )

    def _tree(self) -> set[int]:
        return {*self._pids, *children_of(self._pids)}

    async def _start_error(self, why: str, what: str | None = None) -> InputError:
        tails = [f"({log}):\n{log_tail(log)}" for log in reversed(self._logs)]
        self._folder.close(keep=True)
        await self.stop()
        return InputError(
            what or f"{self._launcher.kind} did not start",
            why=f"{why}{LOG_FOLLOWS} " + "\nand of another ".join(tails),
            fix=f"try the command by hand: {self._commands[-1].shown()}",
        )

    def _require_url(self) -> UrlEngine:
        if self._url is None:
            raise RuntimeError("the engine has not been started")
        return self._url


def _log_names(commands: Sequence[Command]) -> list[str]:
    """Return a file name for each; the one that answers has the engine's."""
    names: list[str] = []
    for command in commands[:-1]:
        names.append(f"{command.role}-{sum(name.startswith(command.role) for name in names)}.log")
    return [*names, _MAIN_LOG]
