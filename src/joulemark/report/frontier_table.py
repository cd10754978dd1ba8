"""The tables of a recommendation: configurations worth a line, and the pick's figures."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.recommendation import Recommendation
from joulemark.report.frontier_words import figure_title, named
from joulemark.report.wording import DASH, figure_texts, number, why

_DETAILS = (
    "energy_j",
    "joules_per_correct",
    "accuracy",
    "mean_power_w",
    "throughput",
    "tokens_per_second",
    "throughput_per_watt",
    "usd",
    "gco2e",
    "tdp_energy_j",
)


@dataclass(frozen=True, slots=True)
class PointRow:
    """A line of the table of configurations. ``role`` says why it stands there."""

    label: str
    energy: str
    latency: str
    tdp: str
    role: str


def point_rows(found: Recommendation) -> list[PointRow]:
    """Return the configurations worth a line: the front, the pick, what it is compared with, and ties."""
    roles: dict[int, list[str]] = {}
    order: list[OperatingPoint] = []

    def add(point: OperatingPoint | None, role: str) -> None:
        if point is None:
            return
        if id(point) not in roles:
            order.append(point)
        roles.setdefault(id(point), []).append(role)

    for point in found.front.front:
        add(point, "front")
    add(found.pick, "pick")
    add(found.fastest, "fastest")
    add(found.default, "default")
    add(found.least_energy, "least energy")
    for point in found.ties:
        add(point, "tie")
    for k in found.front.tied:
        add(found.front.points[k], "within noise of the front")
    return [
        PointRow(
            named(point, found),
            figure_texts("energy", figure_of(point, found.wish.objective))[0],
            figure_texts("latency", figure_of(point, found.latency))[0],
            ratio_text(point),
            ", ".join(role for role in roles[id(point)] if role != "front") or "front",
        )
        for point in order
    ]


def ratio_text(point: OperatingPoint) -> str:
    """Return how many times the measured energy the estimate by rated power is."""
    ratio = figure_of(point, "tdp_ratio")
    return DASH if ratio.value is None else f"{number(ratio.value, 2)} ×"


def detail_rows(found: Recommendation) -> list[tuple[str, str, str]]:
    """Return the pick's figures: title, text, and for a dash why."""
    if found.pick is None:
        return []
    rows = []
    for name in (*_DETAILS, *sorted(found.pick.latencies_s)):
        value = figure_of(found.pick, name)
        text, interval = figure_texts(name, value)
        known = interval if value.lo is not None else ""
        rows.append((figure_title(name), f"{text} {known}".strip(), why(value)))
    ratio = figure_of(found.pick, "tdp_ratio")
    if ratio.value is not None:
        rows.append(("rated power × time over measured", ratio_text(found.pick), ""))
    return rows
