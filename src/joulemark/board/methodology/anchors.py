"""Where on the methodology page a figure is defined."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from joulemark.board.standing.figure_names import NAMES
from joulemark.metrics.catalogue import all_definitions

_STATISTIC = re.compile(r"_(?:mean|p[0-9]{1,2}(?:_[0-9]+)?)$")


def anchor(name: str) -> str:
    """Return the fragment of the page that defines a figure; of a statistic of a latency the latency's.

    Raises ``KeyError`` for what is defined nowhere.
    """
    known = {one.name for one in all_definitions()}
    if name in known:
        return name
    base = _STATISTIC.sub("", name)
    if base in known:
        return base
    raise KeyError(name)


@cache
def aliases() -> Mapping[str, tuple[str, ...]]:
    """Return the further fragments of each definition: what the board calls statistics of it."""
    found: dict[str, list[str]] = {}
    for name in NAMES:
        base = anchor(name)
        if base != name:
            found.setdefault(base, []).append(name)
    return MappingProxyType({base: tuple(names) for base, names in found.items()})
