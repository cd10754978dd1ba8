"""The tier of a measurement, derived from the sources that were believed; never claimed."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Literal

from joulemark.metrics.definition import MetricDefinition
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.record.simulated import is_simulated_board, is_simulated_kind
from joulemark.record.telemetry import Quantity

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView

Tier = Literal["A", "B", "C"]

TIER = MetricDefinition(
    "measurement_tier",
    "Tier of the measurement",
    "A, B or C",
    r"\text{A: analyzer; B: device and wall meter; C: device alone}",
    ("meters.qualification", "headline_scope"),
    (
        "there are no joules",
        "the joules were replayed from a recorded trace",
        "the engine is a simulation, or the joules are those of a simulated board",
        "a wall meter alone measured",
    ),
    "the published async-energy methodology; derived from the sources that were believed, never claimed",
)
DEFINITIONS = (TIER,)

DEVICE_KINDS = frozenset({"gpu", "module", "package", "soc"})
_ENERGY = frozenset({Quantity.ENERGY_J.value, Quantity.POWER_W.value, Quantity.POWER_AVERAGE_W.value})
_REPLAY = "replay"
_ANALYZER = "analyzer"
_WALL = "wall"  # what a supply unit or the firmware reports of itself is no meter at the wall


def tier(
    sources: Iterable[QualifiedSource], headline: MeasuredOrWithheld
) -> tuple[Tier | None, Reason | None]:
    """Return the tier and, where there is none, the reason.

    A: an external analyzer measured; B: device telemetry and a wall meter; C: device telemetry alone. Only
    qualified sources of energy or power count, and ``sources`` are to be those whose figures survived. A
    replayed trace or a simulated board is no measurement of this run and gives no tier; a wall meter without
    device telemetry is no tier of the published ladder either.
    """
    if isinstance(headline, Withheld):
        return None, headline.reason
    believed = [
        source.info
        for source in sources
        if source.qualification.trust is Trust.QUALIFIED and _ENERGY.intersection(source.info.quantities)
    ]
    live = [info for info in believed if info.kind != _REPLAY and not is_simulated_board(info)]
    if any(info.kind == _ANALYZER for info in live):
        return "A", None
    device = any(info.scope.kind in DEVICE_KINDS for info in live)
    wall = any(info.scope.kind == _WALL for info in live)
    if device:
        return ("B" if wall else "C"), None
    if believed and not live:
        return None, Reason.NOT_APPLICABLE
    return None, Reason.NOT_APPLICABLE if wall else Reason.METER_NOT_QUALIFIED


def tier_of(run: RunView) -> tuple[Tier | None, Reason | None]:
    """Return the tier of a run by the sources whose figures survived beside its headline."""
    energy = run.headline_energy
    if is_simulated_kind(run.manifest.engine.kind):
        return None, energy.reason if isinstance(energy, Withheld) else Reason.NOT_APPLICABLE
    leading = energy.source.split("+") if isinstance(energy, MeasuredEnergy) else []
    kept = []
    for source in run.sources:
        name, label = source.info.name, source.info.scope.label
        ways = (f"{name} · {label}", f"{name} (power) · {label}")
        found = [run.other_energy[way] for way in ways if way in run.other_energy]
        if name in leading or not found or survived(found):
            kept.append(source)
    return tier(kept, energy)


def survived(figures: Iterable[MeasuredOrWithheld]) -> bool:
    """Tell whether a source measured by one of its ways, and by none of them less than a part of it did."""
    found = list(figures)
    measured = any(isinstance(figure, MeasuredEnergy) for figure in found)
    return measured and not any(
        isinstance(figure, Withheld) and figure.reason is Reason.LESS_THAN_ITS_PART for figure in found
    )


def is_trace(source: QualifiedSource) -> bool:
    """Tell whether a source plays back a recorded trace."""
    return source.info.kind == _REPLAY or source.info.name.startswith(f"{_REPLAY}:")


def is_replayed(sources: Iterable[QualifiedSource], headline: MeasuredOrWithheld) -> bool:
    """Tell whether the joules come from a recorded trace instead of a live meter.

    Where the headline is withheld: whether a trace took part at all.
    """
    return _comes_from({source.info.name for source in sources if is_trace(source)}, headline)


def is_simulated(sources: Iterable[QualifiedSource], headline: MeasuredOrWithheld) -> bool:
    """Tell whether the joules come from a simulated board; where they are withheld, as of `is_replayed`."""
    return _comes_from({source.info.name for source in sources if is_simulated_board(source.info)}, headline)


def _comes_from(names: Set[str], headline: MeasuredOrWithheld) -> bool:
    if isinstance(headline, Withheld):
        return bool(names)
    return not names.isdisjoint(headline.source.split("+"))
