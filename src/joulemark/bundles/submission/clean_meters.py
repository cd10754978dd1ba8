"""Meters, their self-tests and what was calibrated with them, as they may leave."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from joulemark.bundles.submission.source_names import KINDS, LABEL, SourceNames
from joulemark.bundles.submission.vocabulary import OTHER, Vocabulary, codes, one_of
from joulemark.meters import notes
from joulemark.record.manifest import Baselines, Meter, WallFit
from joulemark.record.meter import Qualification, SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity

_FAULTS = (
    "counter was reset",
    "counter went backwards",
    "counter stopped moving",
    "counter",
    "the power gauge reads 0 W",
    "a virtual machine",
)
_CAVEATS = frozenset(
    value for name, value in vars(notes).items() if name.isupper() and isinstance(value, str)
)


def clean_meter(one: Meter, words: Vocabulary, names: SourceNames) -> Meter:
    """Return what may leave of a meter and its self-test."""
    info, test = one.source, one.qualification
    return Meter(
        segment=one.segment,
        source=SourceInfo(
            name=names.given[info.name],
            kind=one_of(info.kind, KINDS) or OTHER,
            scope=Scope(names.scope(info.scope.path)),
            quantities=tuple(name for name in info.quantities if name in _quantities()),
            counter_modulus_j=info.counter_modulus_j,
            counter_wraps=info.counter_wraps,
            counter_quantum_j=info.counter_quantum_j,
            power_window_s=info.power_window_s,
            power_max_w=info.power_max_w,
            is_register=info.is_register,
            value_age_s=info.value_age_s,
            read_period_s=info.read_period_s,
            uncertainty_pct=info.uncertainty_pct,
            device_id=words.digest(info.device_id),
            device_name=words.product(info.device_name),
            notes=tuple(code for note in info.notes if (code := note.partition(":")[0]) in _CAVEATS),
        ),
        scope=names.scope(one.scope),
        qualification=replace(test, reason=_fault(test)),
    )


def _fault(test: Qualification) -> str | None:
    # whether it begins with "counter" decides what of a source may be believed
    return (
        None if test.reason is None else next((one for one in _FAULTS if test.reason.startswith(one)), OTHER)
    )


def clean_baselines(one: Baselines, words: Vocabulary) -> Baselines:
    """Return what may leave of idle powers and the wall fit."""
    return Baselines(
        empty_idle_w=one.empty_idle_w,
        empty_idle_bound_w=one.empty_idle_bound_w,
        loaded_idle_w=one.loaded_idle_w,
        loaded_idle_bound_w=one.loaded_idle_bound_w,
        scope=None if one.scope is None else _label(one.scope),
        empty_measured_utc=words.instant(one.empty_measured_utc),
        loaded_measured_utc=words.instant(one.loaded_measured_utc),
        wall_fit=None if one.wall_fit is None else _wall_fit(one.wall_fit, words),
        reasons=codes(one.reasons, Baselines.model_fields),
    )


def _label(scope: str) -> str:
    """Return the short name of scopes (``gpu:0+gpu:1``), which a baseline is compared by."""
    return scope if re.fullmatch(rf"(?:{LABEL})(?:[+/](?:{LABEL})){{0,15}}", scope) else OTHER


def _wall_fit(fit: WallFit, words: Vocabulary) -> WallFit:
    terms = ("base", "gpu", "module", "package", "soc", "psys", "dram")
    return fit.model_copy(
        update={
            "terms": [one_of(term, terms) for term in fit.terms],
            "lowest_w": {name: w for name, w in fit.lowest_w.items() if name in terms},
            "highest_w": {name: w for name, w in fit.highest_w.items() if name in terms},
            "wall_source": one_of(fit.wall_source, KINDS),
            "measured_utc": words.instant(fit.measured_utc) or "unknown",
        }
    )


@cache
def _quantities() -> frozenset[str]:
    return frozenset(Quantity)
