"""Lets the time of a fake library follow a virtual clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml
from joulemark.record.clock import VirtualClock


class FakeClock(VirtualClock):
    """A virtual clock that the fake library follows."""

    def __init__(self, fake: FakeNvml) -> None:
        super().__init__(fake.start_ns)
        self._fake = fake

    def advance_to_ns(self, t_ns: int) -> None:
        super().advance_to_ns(t_ns)
        self._fake.set_now_ns(t_ns)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Callable[..., tuple[FakeNvml, FakeClock]]]:
    """Make a machine with these boards on virtual time, seen by this process."""
    with ExitStack() as stack:

        def make(*boards: FakeBoard, **settings: object) -> tuple[FakeNvml, FakeClock]:
            fake = FakeNvml(tmp_path, boards, virtual=True, **settings)  # type: ignore[arg-type]
            stack.enter_context(fake.in_process())
            return fake, FakeClock(fake)

        yield make
