"""The energy of the devices together: nothing twice, nothing missing, or the reason why there is no sum."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.live.contradictions import uncontradicted
from joulemark.live.device import by_belief, is_module_sensor, told_twice
from joulemark.live.source_energy import SourceEnergy
from joulemark.metrics.tier import DEVICE_KINDS, is_trace
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld, sum_over_scopes
from joulemark.record.reason import Reason
from joulemark.record.scope import WALL_KINDS, Scope, disjoint
from joulemark.record.simulated import is_simulated_board


def total_of(energies: Sequence[SourceEnergy]) -> MeasuredOrWithheld:
    """Return the energy of the devices together, see `joulemark.live.stretch.Stretch.total`.

    A recorded trace is taken at its word and never added to a live meter. Of simulated boards nothing is told
    where another meter is believed.
    """
    if not energies:
        return Withheld(Reason.NO_METER)
    if not any(map(_is_believed, energies)):
        return _not_believed(energies)
    real = [one for one in energies if not is_simulated_board(one.source.info)]
    if any(map(_is_believed, real)):
        energies = real
    else:
        energies = [one for one in energies if is_simulated_board(one.source.info)]
    energies = [one.believed for one in uncontradicted(energies)]
    traces = [e for e in energies if is_trace(e.source)]
    if any(map(_is_believed, traces)):
        return _together([e for e in traces if _scope(e).kind not in WALL_KINDS] or traces)
    live = [e for e in energies if not is_trace(e.source)]
    devices = [e for e in live if _scope(e).kind in DEVICE_KINDS and not is_module_sensor(e.source.info)]
    if any(map(_is_believed, devices)):
        return _together(devices)
    platform = [e for e in live if _scope(e).kind == "psys" and _is_believed(e)]
    if platform and not _outside(devices, platform):
        return _together(platform)
    outside = [e for e in live if _scope(e).kind in WALL_KINDS and _is_believed(e)]
    if outside:
        return _added([min(outside, key=lambda e: (_is_contradicted(e), by_belief(e.source)))])
    if devices:
        return _not_believed(devices)
    return Withheld(Reason.NOT_APPLICABLE, "No meter covers a board, a package or the machine by itself.")


def _together(energies: Sequence[SourceEnergy]) -> MeasuredOrWithheld:
    """Add what no other one holds; of two that see the same, one that gave joules is kept."""
    by_use = sorted(energies, key=lambda one: (isinstance(one.best, Withheld), one.source.info.name))
    kept = disjoint(by_use, _scope)
    if left := _outside(energies, kept):
        beside = next(one for one in kept if _scope(one).overlaps(_scope(left[0])))
        names = f"{left[0].source.info.name} and {beside.source.info.name}"
        return Withheld(Reason.NOT_APPLICABLE, f"{names} may see the same joules: they are not added.")
    if doubt := told_twice(one.source.info for one in kept):
        return Withheld(Reason.NOT_APPLICABLE, f"They are not added: {doubt}.")
    return _added(kept)


def _outside(energies: Sequence[SourceEnergy], kept: Sequence[SourceEnergy]) -> list[SourceEnergy]:
    """Return those of ``energies`` that none of ``kept`` holds."""
    return [one for one in energies if not any(_scope(other).holds(_scope(one)) for other in kept)]


def _added(energies: Sequence[SourceEnergy]) -> MeasuredOrWithheld:
    """Add the counters' figures, or the integrals where one has no counter; two methods do not add."""
    for parts in ([e.counter for e in energies], [e.integrated for e in energies]):
        measured = [part for part in parts if isinstance(part, MeasuredEnergy)]
        if len(measured) == len(parts) and len({part.method for part in measured}) == 1:
            return sum_over_scopes(measured)
    for one in energies:
        if isinstance(one.best, Withheld):
            return Withheld(
                one.best.reason, f"{one.source.info.name}: {one.best.detail or one.best.reason.text}"
            )
    return Withheld(Reason.NOT_APPLICABLE, "The devices' figures came about by different methods.")


def _not_believed(energies: Sequence[SourceEnergy]) -> Withheld:
    told = [f"{e.source.info.name}: {e.source.qualification.reason}" for e in energies]
    return Withheld(Reason.METER_NOT_QUALIFIED, "; ".join(told))


def _is_believed(one: SourceEnergy) -> bool:
    return one.source.qualification.counter_ok or one.source.qualification.gauge_ok


def _is_contradicted(one: SourceEnergy) -> bool:
    return isinstance(one.best, Withheld) and one.best.reason is Reason.LESS_THAN_ITS_PART


def _scope(one: SourceEnergy) -> Scope:
    return one.source.info.scope
