"""What the meters say of one stretch of time: by source, by scope, in all, and what else it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from joulemark.live.contradictions import uncontradicted
from joulemark.live.source_energy import SourceEnergy
from joulemark.live.total import total_of
from joulemark.live.unanswered import no_meter
from joulemark.live.used import Used
from joulemark.metrics.carbon import gco2e
from joulemark.metrics.embodied import embodied_gco2e
from joulemark.metrics.money import usd_per_request
from joulemark.metrics.plain import JsonValue, intervals_json, reason_json, reasons_json
from joulemark.metrics.tier import Tier, is_replayed, is_simulated, survived, tier
from joulemark.metrics.value import Value, energy_value, withheld
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.manifest import Rates
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.simulated import is_simulated_board


@dataclass(frozen=True)
class Stretch:
    """The figures of a block of code or of a program.

    ``sources`` are the meters' figures by name, ``absent`` the meters that gave none, with the reason;
    ``used`` is what needs no meter; ``notes`` say how the sampling fared. Of the ``sources`` those of a whole
    that say less than a part of it are withheld.
    """

    duration_s: float
    sources: Mapping[str, SourceEnergy]
    absent: Sequence[tuple[str, str]]
    used: Used
    rates: Rates | None = None
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        kept = dict(zip(self.sources, uncontradicted(self.sources.values()), strict=True))
        object.__setattr__(self, "sources", kept)

    @cached_property
    def energies(self) -> dict[str, MeasuredOrWithheld]:
        """The best figure of each scope, by its path: a counter's, else an integral, else the reason."""
        found: dict[str, MeasuredOrWithheld] = {}
        for one in self.sources.values():
            path = one.source.info.scope.path
            if not isinstance(found.get(path), MeasuredEnergy):
                found[path] = one.best
        return dict(sorted(found.items()))

    def energy(self, name: str) -> MeasuredOrWithheld:
        """Return the energy of a scope (``wall/psu/gpu:0``, or its end ``gpu:0``) or of a source by its name.

        Withheld where there is no meter of that name.
        """
        if name in self.energies:
            return self.energies[name]
        if name in self.sources:
            return self.sources[name].best
        ending = [energy for path, energy in self.energies.items() if Scope(path).label == name]
        if len(ending) == 1:
            return ending[0]
        there = ", ".join(self.energies) or "none"
        which = "several scopes end in" if ending else "no meter measures"
        return Withheld(Reason.NO_METER, f"{which} {name!r}; measured scopes: {there}.")

    @cached_property
    def total(self) -> MeasuredOrWithheld:
        """The energy of the devices (boards, packages, modules) together.

        Where no meter of a device is believed, that of the whole machine. No scope is counted twice; where
        one of the devices is withheld or not believed, so is the sum.
        """
        return total_of(list(self.sources.values())) if self.sources else no_meter(self.absent)

    @property
    def tier(self) -> tuple[Tier | None, Reason | None]:
        """The tier of the measurement, or why it has none."""
        kept = [one.source for one in self.sources.values() if survived((one.counter, one.integrated))]
        return tier(kept, self.total)

    @property
    def replayed(self) -> bool:
        """Whether the joules come from a recorded trace."""
        return is_replayed(self._tested, self.total)

    @property
    def simulated(self) -> bool:
        """Whether the joules come from a simulated board."""
        return is_simulated(self._tested, self.total)

    @property
    def gco2e(self) -> Value:
        """Grams of CO2e that the total stands for; null without a grid intensity."""
        if self.rates is None:
            return withheld("gCO2e", Reason.NO_GRID_INTENSITY)
        return gco2e(energy_value(self.total), self.rates)

    @property
    def usd(self) -> Value:
        """What the total cost by the electricity's price; null without one."""
        if self.rates is None:
            return withheld("USD", Reason.NO_PRICE)
        return usd_per_request(energy_value(self.total), (), self.rates, local=True)

    @property
    def embodied_gco2e(self) -> Value:
        """Grams that making the machine emitted, by this time's share of its lifetime; apart from `gco2e`."""
        if self.rates is None:
            return withheld("gCO2e", Reason.NO_EMBODIED)
        return embodied_gco2e(self.rates, self.duration_s)

    @property
    def figures(self) -> dict[str, Value]:
        """Every single figure by its name."""
        return {
            "total_joules": energy_value(self.total),
            "cpu_seconds": self.used.cpu_seconds,
            "peak_memory_mib": self.used.peak_memory,
            "gco2e": self.gco2e,
            "embodied_gco2e": self.embodied_gco2e,
            "usd": self.usd,
            "foreign_cpu_share": self.used.foreign_share,
            "stolen_cpu_share": self.used.stolen_share,
        }

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain JSON values, unrounded; each null figure has its entry under ``reasons``."""
        total, figures = self.total, self.figures
        boards = {f"board_memory_mib.{name}": value for name, value in self.used.board_memory.items()}
        measured = total if isinstance(total, MeasuredEnergy) else None
        found, why = self.tier
        reasons = reasons_json({**figures, **boards})
        if why is not None:
            reasons["measurement_tier"] = reason_json(why)
        return {
            "duration_s": self.duration_s,
            **{name: value.value for name, value in figures.items()},
            "measurement_tier": found,
            "headline_source": measured.source if measured else None,
            "headline_scope": [scope.path for scope in measured.scopes] if measured else None,
            "energy_source": measured.method.value if measured else None,
            "replayed": self.replayed,
            "simulated": self.simulated,
            "energies": {path: energy_json(energy) for path, energy in self.energies.items()},
            "sources": [source_json(one) for one in self.sources.values()],
            "board_memory_mib": {name: value.value for name, value in self.used.board_memory.items()},
            "intervals": intervals_json(figures),
            "units": {name: value.unit for name, value in figures.items()},
            "reasons": reasons,
            "rates": self.rates.model_dump(mode="json") if self.rates is not None else None,
            "absent": [{"source": name, "why": told} for name, told in self.absent],
            "notes": list(self.notes),
        }

    @property
    def _tested(self) -> list[QualifiedSource]:
        return [one.source for one in self.sources.values()]


def energy_json(energy: MeasuredOrWithheld) -> JsonValue:
    """Return an energy with its bound, or why there is none."""
    if isinstance(energy, Withheld):
        return {"joules": None, "lo": None, "hi": None, "reason": reason_json(energy.reason, energy.detail)}
    return {
        "joules": energy.joules,
        "lo": energy.lo,
        "hi": energy.hi,
        "method": energy.method.value,
        "source": energy.source,
        "flags": list(energy.flags),
        "reason": None,
    }


def source_json(one: SourceEnergy) -> JsonValue:
    """Return a meter with its two figures and how far it is believed."""
    info, test = one.source.info, one.source.qualification
    return {
        "source": info.name,
        "kind": info.kind,
        "scope": info.scope.path,
        "trust": test.trust.value,
        "trust_reason": test.reason,
        "simulated": is_simulated_board(info),
        "uncertainty_pct": info.uncertainty_pct,
        "counter": energy_json(one.counter),
        "integrated": energy_json(one.integrated),
    }
