"""Ctrl-C more than once: the first ends what is on in good order, and no other takes anything of it away."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from joulemark.runs import interruption
from joulemark.runs.interruption import Interrupts


@pytest.fixture(autouse=True)
def _hears() -> Iterator[None]:
    """Of a background job's children nobody hears Ctrl-C, and they inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_is_cancelled_once_and_never_while_it_closes(number: signal.Signals) -> None:
    steps: list[str] = []

    async def run(interrupts: Interrupts) -> None:
        interrupts.tell(asyncio.current_task())
        try:
            os.kill(os.getpid(), number)
            press()
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            steps.append("cancelled")
        press()
        await asyncio.sleep(0.01)
        interrupts.tell(None)
        press()
        await asyncio.sleep(0.01)
        steps.append("closed")

    with Interrupts() as interrupts, interrupts.during_a_run():
        asyncio.run(run(interrupts))
    assert steps == ["cancelled", "closed"]
    assert interrupts.came == [number, signal.SIGINT, signal.SIGINT, signal.SIGINT]


def test_what_comes_while_a_run_closes_is_kept_for_afterwards() -> None:
    async def close(interrupts: Interrupts) -> str:
        interrupts.tell(asyncio.current_task())
        interrupts.tell(None)
        press()
        await asyncio.sleep(0.01)
        return "closed"

    with Interrupts() as interrupts, interrupts.during_a_run():
        assert asyncio.run(close(interrupts)) == "closed"
    assert interrupts.came == [signal.SIGINT]


def test_between_two_runs_it_raises_once_and_is_left_as_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt):
            press()
        press()  # nothing is raised on the way out
    assert len(interrupts.came) == 2


def test_who_waits_for_long_can_end_it_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(interruption.os, "_exit", ended.append)
    with Interrupts() as interrupts, interrupts.during_a_run():
        press()
        press()
        assert not ended
        monkeypatch.setattr(interruption, "PATIENCE_S", -1.0)
        press()
    assert ended == [interruption.ENDED]
