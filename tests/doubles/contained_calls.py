"""Calls of a program in a contained process, each in a fresh one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from joulemark.code.contain.called import Called
from joulemark.code.contain.containment import WHOLE
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import Plain, encode
from joulemark.record.errors import InputError


@contextmanager
def whole_sandbox(limits: Limits, *, cpu: int | None = None) -> Iterator[Sandbox]:
    """Start a sandbox that lacks nothing; the test is skipped where this machine has none."""
    try:
        box = Sandbox(WHOLE, limits, cpu=cpu)
    except InputError as error:
        pytest.skip(f"no whole containment on this machine: {error.why}")
    with box:
        yield box


def called(sandbox: Sandbox, source: str, *arguments: Plain) -> Called:
    """Load a program that defines ``f`` and call that."""
    with sandbox.cell() as cell:
        cell.load(source, "f")
        return cell.call([encode(arguments)])


def ended(sandbox: Sandbox, source: str, *arguments: Plain) -> Ended:
    """Do the same with a program that comes to no answer; return how it ended."""
    with pytest.raises(Ended) as caught:
        called(sandbox, source, *arguments)
    return caught.value
