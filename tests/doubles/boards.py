"""A board on SQLite in a temporary directory, with bundles that it took: for tests of every room of it.

The bundles are verified, judged and stored by the board's own code; only the process in which that is done is
this one, for speed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from doubles.hostile_bundles import WORDS
from doubles.noisy_runs import later, noisy
from doubles.submitted_runs import answers, described, readings
from joulemark.board.apart import Here
from joulemark.board.app import create_app
from joulemark.board.imports.rows import row_id, take_rows
from joulemark.board.serving.server import BoardServer, listen
from joulemark.board.settings import BoardSettings
from joulemark.bundles.submission.content import Content, cleaned
from joulemark.bundles.submission.pack import Packed, pack_content
from joulemark.bundles.submission.signing import SigningKey
from joulemark.record.published import PublishedRow

MODERATOR_KEY = "a-moderator-of-these-tests"


@dataclass(slots=True)
class BoardDouble:
    """A board: its application, a client without and the digests of what it was given."""

    app: FastAPI
    client: TestClient
    settings: BoardSettings
    digests: list[str] = field(default_factory=list)

    @property
    def engine(self) -> Engine:
        """Its database."""
        engine: Engine = self.app.state.engine
        return engine

    def submit(self, data: bytes) -> Any:
        """Send a bundle as the client does; returns the answer."""
        import hashlib

        digest = hashlib.sha256(data).hexdigest()
        headers = {"Content-Type": "application/zip", "Idempotency-Key": digest}
        answer = self.client.post("/api/v1/submissions", content=data, headers=headers)
        if answer.is_success and digest not in self.digests:
            self.digests.append(digest)
        return answer


@contextmanager
def board(folder: Path, given: Iterable[bytes] = (), **settings: Any) -> Iterator[BoardDouble]:
    """Open a board on ``folder/board.sqlite`` (``database_url`` names another) and submit ``given`` to it."""
    url = settings.pop("database_url", str(folder / "board.sqlite"))
    settings = {
        "moderator_key": MODERATOR_KEY,
        "submissions_per_hour": 100_000,
        "requests_per_minute": 100_000,
        **settings,
    }
    made = BoardSettings(database_url=url, **settings)
    app = create_app(made)
    app.state.worker = app.state.drawer = Here()
    with TestClient(app, raise_server_exceptions=True) as client:
        double = BoardDouble(app, client, made)
        for data in given:
            answer = double.submit(data)
            assert answer.is_success, answer.text
        yield double


@contextmanager
def served(where: BoardDouble) -> Iterator[str]:
    """Serve a board on a port of this machine, as `joulemark board serve` does; returns its address."""
    began = threading.Event()
    listening = listen("127.0.0.1", 0)
    server = BoardServer(where.app, listening, behind_proxy=where.settings.behind_proxy, began=began.set)
    thread = threading.Thread(target=server.serve_here, daemon=True)
    thread.start()
    try:
        assert began.wait(30)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


def publish(engine: Engine, rows: Iterable[PublishedRow]) -> list[str]:
    """Put rows on a board as an import does; return their ids."""
    given = list(rows)
    take_rows(engine, given)
    return [row_id(row) for row in given]


def key(number: int = 0) -> SigningKey:
    """The key of a submitter; the same number is the same one within a session of tests."""
    return _key(number)


@cache
def _key(_: int) -> SigningKey:
    return SigningKey.new()


def content(
    n: int = 16, *, seed: int = 5, model: str | None = None, watts: float = 1.0, **fields: Any
) -> Content:
    """A run of ``n`` answers with a board and a plug, cleaned. ``watts`` scales what the meters read."""
    rng = np.random.default_rng(seed)
    manifest = described(n, **fields)
    manifest.run_id = f"{seed:08d}{n:016d}"
    for segment in manifest.segments:
        segment.wall_anchor_ns += seed * 3_600 * 10**9
    if model is not None:
        manifest.engine.model = model
    rows = [later(row, int(rng.integers(0, 500_000_000))) for row in answers(n, seed)]
    return cleaned(manifest, rows, noisy(readings(n), rng, watts), WORDS)


def bundle(
    n: int = 16,
    *,
    seed: int = 5,
    signer: int = 0,
    model: str | None = None,
    watts: float = 1.0,
    **fields: Any,
) -> Packed:
    """The bundle of such a run, signed by submitter number ``signer``."""
    return pack_content(content(n, seed=seed, model=model, watts=watts, **fields), key(signer), WORDS)
