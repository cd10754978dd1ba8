"""The worker: takes jobs from the queue and has each evaluated by a process without rights.

It holds the database and reads no upload; the process it starts reads the upload and has no database.
"""

from __future__ import annotations

import secrets
import threading
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from joulemark.board.code_service.child import Child, Event
from joulemark.board.code_service.datasets import Dataset, announce
from joulemark.board.code_service.job_queue import LEASE_S, Claim, beat, claim, fail, finish, give_back
from joulemark.board.code_service.job_state import Progress
from joulemark.board.code_service.unprivileged import User
from joulemark.code.problems.registry import BUILT_IN
from joulemark.record.errors import InputError

_IDLE_S = 2.0
_BEAT_S = 2.0
_ANNOUNCE_S = 600.0
_PATIENCE_S = 300.0
_ASK_S = 0.5
T = TypeVar("T")


class SelfTestFailed(InputError):
    """What holds programs here does not hold what it must."""

    exit_code = 3


@dataclass
class Worker:
    """Evaluates what waits. ``place``: a folder of ``user``'s; ``n_workers``: programs at a time, null for
    one a physical core; ``job_limit_s``: wall time after which a job is given up.

    ``say`` is told what happens: an event's name and its facts.
    """

    engine: Engine
    sets: Mapping[str, Dataset]
    place: Path
    user: User
    n_workers: int | None = None
    job_limit_s: float = 12 * 3600.0
    lease_s: float = LEASE_S
    say: Callable[..., None] = lambda *_, **__: None
    ended: Counter[str] = field(default_factory=Counter)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Give back what is under way, and end."""
        self._stopped.set()

    def require_selftest(self) -> None:
        """Have the containment tested, once a machine and version. Raises `SelfTestFailed`."""
        with Child(self.place, self.user, {"do": "selftest"}) as child:
            try:
                while (event := child.next(_IDLE_S)) is None or event["event"] == "testing":
                    if event is not None:
                        self.say("testing")
                    if self._stopped.is_set():
                        return
            except EOFError as error:
                raise SelfTestFailed("the self-test could not be made", why=str(error)) from error
        if event["event"] == "refused":
            raise SelfTestFailed(event["what"], why=event["why"], fix=event["fix"])
        if not event["passed"]:
            missing = "; ".join(event["missing"]) or ", ".join(event["failed"])
            raise SelfTestFailed(
                "generated programs cannot be scored here",
                why=f"the self-test was not passed: {missing or 'it is remembered to have failed'}",
                fix="joulemark code selftest   # says which cases, and what would mend them",
            )

    def run(self, *, once: bool = False) -> None:
        """Evaluate jobs until it is stopped; ``once``: until none waits."""
        announced_s: float | None = None
        while not self._stopped.is_set():
            if announced_s is None or time.monotonic() - announced_s > _ANNOUNCE_S:
                self._patiently(lambda: announce(self.engine, self.sets))
                announced_s = time.monotonic()
            held = self._patiently(
                lambda: claim(self.engine, secrets.token_hex(16), self.sets.keys(), self.lease_s)
            )
            if held is not None:
                self._do(held)
            elif once:
                return
            else:
                self._stopped.wait(_IDLE_S)

    def _do(self, held: Claim) -> None:
        asked = {
            "do": "evaluate",
            "job_id": held.job_id,
            "options": held.options.model_dump(mode="json"),
            "problems": str(self.sets[held.options.dataset].path or BUILT_IN),
            "n_workers": self.n_workers,
        }
        self.say("begun", job=held.job_id)
        with Child(self.place, self.user, asked, held.upload) as child:
            how, facts = self._watched(child, held)
        self.ended[how] += 1
        self.say(how, job=held.job_id, **facts)

    def _watched(self, child: Child, held: Claim) -> tuple[str, dict[str, Any]]:
        """Follow a job to its end, and return how it ended."""
        progress, beaten_s, begun_s = held.progress, time.monotonic(), time.monotonic()
        while True:
            try:
                event = child.next(_ASK_S)
            except EOFError as error:
                self.say("crashed", job=held.job_id, why=str(error))
                return self._died(held)
            if event is not None and event["event"] in ("result", "refused"):
                return self._stored(child, held, progress, event)
            if event is not None and event["event"] == "ended":
                return self._died(held, _sentence(event))
            if event is not None:
                progress = _advanced(progress, event)
            now_s = time.monotonic()
            if self._stopped.is_set():
                self._patiently(lambda: give_back(self.engine, held))
                return "given back", {}
            if now_s - begun_s > self.job_limit_s:
                return self._failed(held, f"it took more than {self.job_limit_s / 3600:g} hours")
            if now_s - beaten_s >= _BEAT_S:
                beaten_s = now_s
                if not self._beat(held, progress):
                    return "cancelled", {}

    def _stored(
        self, child: Child, held: Claim, progress: Progress, event: Event
    ) -> tuple[str, dict[str, Any]]:
        if event["event"] == "refused":
            return self._failed(held, _sentence(event))
        files = None if event["files"] is None else b64decode(event["files"])
        kept = self._patiently(
            lambda: finish(self.engine, held, progress, event["standing"], event["result"], files)
        )
        if not kept:
            return "cancelled", {}
        child.confirm()
        return "done", {}

    def _failed(self, held: Claim, why: str) -> tuple[str, dict[str, Any]]:
        self._patiently(lambda: fail(self.engine, held, why))
        return "failed", {"why": why}

    def _died(self, held: Claim, why: str = "its evaluation ended early") -> tuple[str, dict[str, Any]]:
        self._patiently(lambda: give_back(self.engine, held, counts=True, why=why))
        return "died", {"why": why}

    def _beat(self, held: Claim, progress: Progress) -> bool:
        try:
            return beat(self.engine, held, progress)
        except DBAPIError as error:  # a database that comes back soon is no reason to lose an evaluation
            self.say("database", why=type(error).__name__)
            return True

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Do something with the database, again where that fails for now."""
        until_s = time.monotonic() + _PATIENCE_S
        while True:
            try:
                return ask()
            except DBAPIError as error:
                if self._stopped.is_set() or time.monotonic() > until_s:
                    raise InputError(
                        "the database cannot be used",
                        why=str(error.orig)[:300],
                        fix="start the worker again when it can be: no job is lost",
                    ) from error
                self.say("database", why=type(error).__name__)
                self._stopped.wait(_IDLE_S)


def _sentence(event: Event) -> str:
    return ": ".join(filter(None, (str(event["what"]), str(event["why"]))))


def _advanced(progress: Progress, event: Event) -> Progress:
    if event["event"] == "started":
        return progress.model_copy(
            update={"n_problems": int(event["n_problems"]), "n_done": int(event["n_done"])}
        )
    if event["event"] == "finished":
        return progress.model_copy(update={"n_done": progress.n_done + 1})
    return progress
