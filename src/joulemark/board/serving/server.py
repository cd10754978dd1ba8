"""Serve a board until it is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn
from fastapi import FastAPI

from joulemark.board.apart import Worker
from joulemark.board.serving.protocol import Patience, patient
from joulemark.engines.client.loop import new_event_loop
from joulemark.record.errors import InputError

_KEEP_ALIVE_S = 15
_GRACE_S = 60  # for what is being taken in when the board is told to end
_MOST_CONNECTIONS = 1000


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one. Raises `InputError` where that cannot be."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InputError(
            f"{host} is no address of this machine", why=str(error), fix="name one, such as --host 127.0.0.1"
        ) from error
    family, kind, protocol, _, address = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(512)
    except OSError as error:
        made.close()
        raise _cannot_listen(host, port, error) from error
    return made


def _cannot_listen(host: str, port: int, error: OSError) -> InputError:
    """Return an error that names what is wrong: the host, or the port."""
    what = f"the board cannot listen on {host}:{port}"
    other_port = f"--port {port + 1 if 0 < port < 65535 else 8765}, or --port 0 for a free one"
    if error.errno == errno.EADDRINUSE:
        return InputError(what, why="another program does", fix=f"name another: {other_port}")
    if error.errno in (errno.EACCES, errno.EPERM) and 0 < port < 1024:
        why = "ports below 1024 are for root"
        return InputError(what, why=why, fix="--port 8765, and a proxy before it: see docs/board.md")
    return InputError(
        what,
        why=f"{host} is no address of this machine ({error.strerror or error})",
        fix="--host 127.0.0.1 for this machine alone, or --host 0.0.0.0 for all that reach it",
    )


class BoardServer(uvicorn.Server):
    """Serves until SIGINT or SIGTERM, or until ``should_exit`` is set; what is under way is answered first.

    To be told to end is no failure: the signal is not raised again.
    """

    def __init__(
        self, app: FastAPI, listening: socket.socket, *, behind_proxy: bool, began: Callable[[], None]
    ) -> None:
        """``began`` is called once it is up."""
        patience = Patience(
            body_s=app.state.settings.body_deadline_s + 15, connections=None if behind_proxy else 100
        )
        config = uvicorn.Config(
            app,
            http=patient(patience),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=_GRACE_S,
        )
        super().__init__(config)
        self._began, self._listening = began, listening
        self._worker: Worker = app.state.worker

    def serve_here(self) -> None:
        """Serve in this thread, until the end."""
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(self.serve(sockets=[self._listening]))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        if not self.should_exit:
            self._began()
            threading.Thread(target=self._warm_up, daemon=True).start()

    def _warm_up(self) -> None:
        """Have the process that bundles are examined in import what it needs before the first one comes."""
        with contextlib.suppress(Exception):  # who submits meets whatever is wrong, and is told
            self._worker.run(abs, -1)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on a signal; a second one ends without waiting for answers."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self._told) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _told(self, _: int, frame: FrameType | None) -> None:
        self.force_exit, self.should_exit = self.should_exit, True
