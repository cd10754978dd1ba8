"""Marks that parent and sampler hand over in shared memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import pytest

from joulemark.telemetry.look_page import BYTES, LATEST_LOOK_NS, LookPage

NOW_NS = 10**12


@pytest.fixture
def sides() -> Iterator[tuple[LookPage, LookPage]]:
    """Parent and sampler, each with a mapping of its own of one file."""
    with tempfile.TemporaryFile() as file:
        file.truncate(BYTES)
        yield LookPage(file.fileno()), LookPage(file.fileno())


def test_a_sampler_that_said_nothing_is_woken_once(sides: tuple[LookPage, LookPage]) -> None:
    parent, sampler = sides
    assert not sampler.marked
    assert parent.mark(NOW_NS)
    assert not parent.mark(NOW_NS + 1)  # it is being woken
    assert sampler.marked
    assert sampler.take_mark()
    assert not sampler.take_mark()
    sampler.say_when(0)
    assert parent.mark(NOW_NS + 2)


def test_a_sampler_that_looks_soon_is_left_alone_and_finds_the_mark(
    sides: tuple[LookPage, LookPage],
) -> None:
    parent, sampler = sides
    sampler.say_when(NOW_NS + LATEST_LOOK_NS)
    assert not parent.mark(NOW_NS)
    assert sampler.take_mark()
    sampler.say_when(NOW_NS + LATEST_LOOK_NS + 1)
    assert parent.mark(NOW_NS)
