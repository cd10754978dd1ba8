"""One test: an input as it is sent, and the result that is expected. The latter never leaves this process."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from joulemark.code.inside.packed import Packed
from joulemark.code.inside.plain import Plain


class Kind(StrEnum):
    """Where an input came from."""

    EXAMPLE = "example"
    EDGE = "edge"
    GIVEN = "given"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class Case:
    """A test. ``sent``: the arguments as `packed.pack` writes them; ``size`` and ``shape`` as asked for."""

    number: int
    kind: Kind
    args: tuple[Plain, ...]
    sent: Packed
    expected: Plain
    size: int | None = None
    shape: str | None = None
    level: int | None = None
