"""Noise and delays of a run's own: two honest runs never keep the same time and never draw the same power."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from joulemark.record.item import ItemRow
from joulemark.record.telemetry import Reading


def later(row: ItemRow, ns: int) -> ItemRow:
    """The same answer so many ns later: no two runs keep the same time."""
    item = row.item
    stamps = {name: getattr(item, name) for name in ("t_sent", "t_end", "t_first", "t_first_answer")}
    moved = replace(
        item,
        attempts=tuple(replace(one, t_sent=one.t_sent + ns, t_end=one.t_end + ns) for one in item.attempts),
        **{name: stamp + ns for name, stamp in stamps.items() if stamp is not None},
    )
    return ItemRow(moved, tuple(replace(one, t_ns=one.t_ns + ns) for one in row.chunks), row.texts)


def noisy(told: Iterable[Reading], rng: np.random.Generator, watts: float = 1.0) -> Iterator[Reading]:
    """The same meters with noise of their own: no two runs draw the same power."""
    joules: dict[str, float] = {}
    for one in told:
        if "power_w" not in one.values:
            yield one
            continue
        power = watts * one.values["power_w"] * (1 + 0.03 * float(rng.normal()))
        joules[one.source] = joules.get(one.source, 1000.0) + 0.1 * power
        yield replace(one, values={"energy_j": joules[one.source], "power_w": power})
