"""The listening socket, which faults may close for a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from joulemark.record.errors import InputError
from joulemark.simulate.http.connection import Connection, Request
from joulemark.simulate.http.faults import Fault

_BACKLOG = 1024


class Listening:
    """Accepts connections at one address.

    ``outages`` are times, in seconds after `open`, in which nobody listens and no connection lives.
    """

    def __init__(
        self,
        handle: Callable[[Request, Connection], None],
        headers: Mapping[str, str],
        host: str,
        port: int,
        outages: Sequence[Fault] = (),
    ) -> None:
        self._handle, self._headers = handle, headers
        self._host, self.port = host, port
        self._outages = outages
        self._open: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def url(self) -> str:
        """The address as a client writes it."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}"

    async def open(self) -> None:
        """Begin to listen; raises ``InputError`` where the address cannot be had."""
        try:
            await self._listen()
        except OSError as error:
            raise InputError(
                f"{self._host}:{self.port} cannot be listened at",
                why=error.strerror or str(error),
                fix="--port 0 takes a free port; --host 127.0.0.1 is this machine's own",
            ) from error
        self._tasks = [asyncio.ensure_future(self._outage(fault)) for fault in self._outages]

    async def close(self) -> None:
        """End all connections and listen no more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._shut()

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self._handle, self._headers, self._open.add, self._open.discard),
            self._host,
            self.port,
            backlog=_BACKLOG,
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _shut(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for connection in tuple(self._open):
            connection.hang_up()
        if server is not None:
            await server.wait_closed()

    async def _outage(self, fault: Fault) -> None:
        await asyncio.sleep(fault.from_s)
        await self._shut()
        await asyncio.sleep(fault.to_s - fault.from_s)
        await self._listen()
