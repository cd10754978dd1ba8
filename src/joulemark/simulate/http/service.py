"""The simulated server behind HTTP: which request goes where, and everything of one simulation together."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Self

import orjson

from joulemark.simulate.http.answers import AnswerBook
from joulemark.simulate.http.asked import read_ollama, read_openai
from joulemark.simulate.http.chat_requests import ChatRequests
from joulemark.simulate.http.connection import Connection, Request
from joulemark.simulate.http.listening import Listening
from joulemark.simulate.http.live import LiveServer
from joulemark.simulate.http.metric_pages import CONTENT_TYPE, Exporter, Gauges, engine_page
from joulemark.simulate.http.pages import Facts, Page, pages_of
from joulemark.simulate.http.profile import HEADER
from joulemark.simulate.http.refusal import Refusal, error_body
from joulemark.simulate.http.simulation import Simulation
from joulemark.simulate.http.truth import Truth
from joulemark.simulate.server import SimulatedServer

_JSON = "application/json"


class Service:
    """Serves a `Simulation`; use as an asynchronous context manager, within which ``port`` is known.

    ``on_step`` is called after each look at the clock, for who shows the energy elsewhere. Raises
    ``InputError`` for an address that is taken.
    """

    def __init__(
        self,
        simulation: Simulation,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        on_step: Callable[[SimulatedServer], None] | None = None,
    ) -> None:
        self.simulation, self._on_step = simulation, on_step
        profile = simulation.profile
        self.model_id = profile.model_id(simulation.config.model.name)
        headers = {HEADER: profile.name}
        if profile.server_header is not None:
            headers["Server"] = profile.server_header
        self._listening = Listening(self._handle, headers, host, port, simulation.faults.outages)
        self._created = int(time.time())

    async def __aenter__(self) -> Self:
        simulation = self.simulation
        self.live = LiveServer(simulation.config, speed=simulation.speed, on_step=self._on_step)
        self.exporter = Exporter(self.live, interval_s=simulation.meter_interval_s)
        style = simulation.profile.style
        wraps = style.thinking == "tags"
        self.book = AnswerBook(
            simulation.known, simulation.manner, counts_stop=style.counts_stop, wraps=wraps
        )
        self.truth = Truth(self.live, self.book, self.exporter)
        self._chats = ChatRequests(
            simulation, self.live, self.book, self.truth, model_id=self.model_id, created=self._created
        )
        self._pages = pages_of(
            Facts(
                profile=simulation.profile,
                model=simulation.config.model,
                model_id=self.model_id,
                context=simulation.context,
                max_batch=simulation.config.max_batch,
                caches=simulation.config.prefix_cache,
                thinks=simulation.manner.thinking_share > 0,
                created=self._created,
            )
        )
        await self._listening.open()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._listening.close()
        self.live.close()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._listening.port

    @property
    def url(self) -> str:
        """The address to give to a client."""
        return self._listening.url

    # -- which request goes where ---------------------------------------------------------------------------

    def _handle(self, request: Request, line: Connection) -> None:
        profile = self.simulation.profile
        try:
            if request.method == "POST" and request.path in profile.chat_paths:
                self._chats.take(read_openai(request.body), request.path, line)
            elif request.method == "POST" and request.path == profile.native_path:
                self._chats.take(read_ollama(request.body), request.path, line)
            elif request.method == "GET" and request.path == "/simulation/truth":
                line.reply(200, _JSON, orjson.dumps(self.truth.answer(request.query)))
            elif request.method == "GET" and request.path == "/dcgm/metrics":
                line.reply(200, CONTENT_TYPE, self.exporter.page().encode())
            elif request.method == "GET" and request.path == "/metrics" and (page := self._metrics()):
                line.reply(200, CONTENT_TYPE, page.encode())
            elif (found := self._pages.get(f"{request.method} {request.path}")) is not None:
                line.reply(200, *_written(found))
            elif profile.unknown_ok:
                body = {"error": f"Unexpected endpoint or method. ({request.method} {request.path})"}
                line.reply(200, _JSON, orjson.dumps(body))
            else:
                raise Refusal(404, f"there is no page {request.method} {request.path}")
        except Refusal as refusal:
            body = error_body(profile.errors, refusal.status, refusal.message)
            line.reply(refusal.status, _JSON, orjson.dumps(body), refusal.headers)

    def _metrics(self) -> str | None:
        live, server = self.live, self.live.server
        live.catch_up()
        gauges = Gauges(
            running=server.running,
            waiting=server.waiting,
            kv_used_share=server.kv_used_share,
            preemptions=server.preemptions,
            prompt_tokens=live.prompt_tokens,
            generated_tokens=live.generated_tokens,
            finished=self.truth.answered,
            steps=live.steps,
        )
        simulation = self.simulation
        caches = simulation.config.prefix_cache
        return engine_page(
            simulation.profile.name, gauges, self.model_id, caches=caches, pages=server.kv_pages
        )


def _written(page: Page) -> tuple[str, bytes]:
    if isinstance(page, str):
        return "text/plain; charset=utf-8", page.encode()
    return _JSON, orjson.dumps(page)
