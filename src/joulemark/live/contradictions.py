"""A meter of a whole that says less than a part of it does is not believed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from joulemark.live.source_energy import SourceEnergy
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.reason import Reason
from joulemark.record.replayed import is_trace_name
from joulemark.record.simulated import is_simulated_board


def without_contradictions(
    others: Mapping[str, MeasuredOrWithheld],
    headline: MeasuredOrWithheld,
    simulated: Set[str] = frozenset(),
) -> dict[str, MeasuredOrWithheld]:
    """Return ``others`` without the energies of a whole that lie below that of one of its parts.

    Bounds decide: a whole is withheld only where even the most that it can have been is less than the least
    that the part was. A recorded trace, a simulated board (``simulated``: their sources' names) and a live
    meter say nothing of each other.
    """
    parts = _measured((*others.values(), headline))
    return {name: _contradicted(energy, parts, simulated) or energy for name, energy in others.items()}


def uncontradicted(energies: Iterable[SourceEnergy]) -> list[SourceEnergy]:
    """Return the same for both ways of each source; only a way that passed its self-test contradicts."""
    energies = list(energies)
    simulated = {one.source.info.name for one in energies if is_simulated_board(one.source.info)}
    believed = [one.believed for one in energies]
    parts = _measured(figure for one in believed for figure in (one.counter, one.integrated))
    return [
        replace(
            one,
            counter=_contradicted(one.counter, parts, simulated) or one.counter,
            integrated=_contradicted(one.integrated, parts, simulated) or one.integrated,
        )
        for one in energies
    ]


def _measured(energies: Iterable[MeasuredOrWithheld]) -> list[MeasuredEnergy]:
    return [energy for energy in energies if isinstance(energy, MeasuredEnergy)]


def _contradicted(
    whole: MeasuredOrWithheld, parts: Sequence[MeasuredEnergy], simulated: Set[str]
) -> Withheld | None:
    if isinstance(whole, Withheld):
        return None
    for part in parts:
        inside = all(any(w.contains(p) and w != p for w in whole.scopes) for p in part.scopes)
        if inside and whole.hi < part.lo and _origin(whole, simulated) == _origin(part, simulated):
            detail = f"{whole.source} says at most {whole.hi:,.4g} J, {part.source} at least {part.lo:,.4g} J"
            return Withheld(Reason.LESS_THAN_ITS_PART, detail)
    return None


def _origin(energy: MeasuredEnergy, simulated: Set[str]) -> tuple[bool, bool]:
    return is_trace_name(energy.source), not simulated.isdisjoint(energy.source.split("+"))
