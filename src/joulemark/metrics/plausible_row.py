"""Whether a published row can be physical: a batch within its largest, a power that its devices can draw.

Nor may its figures contradict each other: its power its energy, its own time per token that of Little's law,
nor what it says to be computed by that law its batch and rate.
A row that is wrong by one factor in all of them alike is not found out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from joulemark.record.rated import rated_between

if TYPE_CHECKING:
    from joulemark.record.published import PublishedRow

MOST_OF_RATED = 1.5
LEAST_OF_RATED = 0.03
"""Of the rated power: boards that answer requests draw 15 % of it and more."""
ANY_DEVICE_W = (0.1, 30_000.0)
"""What one device may draw whose rated power is not on file: from a stick to a wafer."""
OVER_BATCH = 1.05
"""How far rounding may lift a mean batch over the largest."""
MOST_DEVICES = 1000
"""How many there may be where a row does not say it."""
POWERS_APART = 0.15
"""How far the power that a row gives and the one that its energy and rate come to may differ."""
TPOT_OF_LITTLE = (0.3, 1.1)
"""An iteration's mean time per token, of the batch over the tokens a second. Full batches are slow: a mean
over iterations counts them no more than small ones. Of 356 published rows it is 0.34 to 1.04 of it."""

BY_LITTLE, BY_TOKENS = "tpot_mean = average batch / token throughput", "e2el_mean = tpot_mean"
"""How a row's ``tpot_definition`` says that its latencies were computed."""
COMPUTED_APART = 0.01
"""How far a latency may be off what its definition comes to."""


def why_implausible(row: PublishedRow, units_per_s: float | None) -> str:
    """Return why a row cannot be physical, in sentences that name it; empty where nothing speaks against it.

    ``units_per_s``: the requests (images, videos) a second that the row comes to, null where it does not say.
    """
    largest, ranks = row.settings.get("max_batch"), row.settings.get("data_parallel")
    batch = row.mean_batch
    if isinstance(largest, int | float) and batch is not None:
        most = largest * (ranks if isinstance(ranks, int | float) else 1)  # each rank has a batch of its own
        if batch > OVER_BATCH * most:
            return _told(row, f"its mean batch is {batch:g}, of {most:g} at most")
    rated = rated_between(row.device)
    least_w, most_w = ANY_DEVICE_W
    if rated is not None:
        least_w, most_w = LEAST_OF_RATED * rated[0], MOST_OF_RATED * rated[1]
    least_w, most_w = least_w * (row.n_devices or 1), most_w * (row.n_devices or MOST_DEVICES)
    spent_w = None if row.energy_j is None or units_per_s is None else row.energy_j * units_per_s
    for watts in (row.mean_power_w, spent_w):
        if watts is not None and not least_w <= watts <= most_w:
            does = (
                "less than its devices draw at work" if watts < least_w else "more than its devices can draw"
            )
            return _told(row, f"it comes to {watts:,.4g} W, {does} ({least_w:,.4g} … {most_w:,.4g} W)")
    return _contradiction(row, spent_w)


def _contradiction(row: PublishedRow, spent_w: float | None) -> str:
    stated_w = row.mean_power_w
    if stated_w and spent_w and not 1 - POWERS_APART <= spent_w / stated_w <= 1 + POWERS_APART:
        return _told(row, f"its power is {stated_w:,.4g} W, and its energy and rate come to {spent_w:,.4g} W")
    own_s = row.latency_s.get("tpot_iteration_mean")
    if own_s is not None and row.mean_batch and row.tokens_per_second:
        little_s = row.mean_batch / row.tokens_per_second
        least, most = TPOT_OF_LITTLE
        if not least * little_s <= own_s <= most * little_s:
            told = f"its time per token is {own_s * 1e3:,.4g} ms, and batch and tokens a second come to"
            return _told(row, f"{told} {little_s * 1e3:,.4g} ms")
    return _not_as_defined(row)


def _not_as_defined(row: PublishedRow) -> str:
    """Return why a latency is not what the row's own definition of it comes to."""
    definition, latency_s = row.tpot_definition or "", row.latency_s
    tpot_s, whole_s = latency_s.get("tpot_mean"), latency_s.get("e2el_mean")
    if tpot_s is None:
        return ""
    if BY_LITTLE in definition and row.mean_batch and row.tokens_per_second:
        little_s = row.mean_batch / row.tokens_per_second
        if not math.isclose(tpot_s, little_s, rel_tol=COMPUTED_APART):
            told = (
                f"its time per token is {tpot_s * 1e3:,.4g} ms, and batch over tokens a second, which it is"
            )
            return _told(row, f"{told} said to be, is {little_s * 1e3:,.4g} ms")
    if BY_TOKENS in definition and whole_s is not None and row.mean_completion_tokens:
        tokens_s = tpot_s * row.mean_completion_tokens
        if not math.isclose(whole_s, tokens_s, rel_tol=COMPUTED_APART):
            told = f"its whole answer takes {whole_s:,.4g} s, and its time per token times its tokens"
            return _told(row, f"{told} is {tokens_s:,.4g} s")
    return ""


def _told(row: PublishedRow, why: str) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in row.settings.items() if value is not None)
    count = row.device if row.n_devices in (None, 1) else f"{row.n_devices} × {row.device}"
    who = ", ".join(filter(None, (row.model, count, settings)))
    return f"It cannot be physical: {why}. The row: {who}; {row.source}."
