"""The engine's batch on a page of metrics: which series count, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from joulemark.meters.engine_gauges.dialect import Dialect, Shown
from joulemark.meters.prometheus.exposition import Exposition, Sample

_FULL = 1.01  # of a share; by so much rounding may pass the whole
_MODEL, _PRIORITY = "model_name", "priority"
_OTHER_MODEL, _AMBIGUOUS = "other_model", "ambiguous"


@dataclass(frozen=True, slots=True)
class Account:
    """What an engine said of itself: values by quantity, and ``quantity:why`` of what cannot be used."""

    values: dict[str, float] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    @property
    def is_of_others(self) -> bool:
        """Whether all that the page shows is of other models, or may be."""
        told = {fault.rpartition(":")[2] for fault in self.faults}
        return not self.values and bool(told) and told <= {_OTHER_MODEL, _AMBIGUOUS}


def account_of(
    exposition: Exposition, dialect: Dialect, model: str, aliases: Collection[str] = ()
) -> Account:
    """Return the engine's account of ``model``, or where the page does not name it of one of its ``aliases``.

    A quantity that the page does not show is in neither. One that it shows and that cannot be used is a
    fault: ``not_finite``, ``negative``, ``implausible`` (a share above 1), ``other_model`` (a model that is
    neither), ``ambiguous`` (several models, and which one is meant cannot be told).
    """
    values: dict[str, float] = {}
    faults: list[str] = []
    for shown in dialect.shown:
        samples = _samples(exposition, shown.names)
        if not samples:
            if shown.zero_beside is not None and exposition.of(shown.zero_beside):
                values[shown.quantity.value] = 0.0
            continue
        mine = _of_model(samples, model, aliases)
        found = mine if isinstance(mine, str) else _value(mine, shown, dialect.ranks)
        if isinstance(found, str):
            faults.append(f"{shown.quantity.value}:{found}")
        else:
            values[shown.quantity.value] = found
    return Account(values, tuple(faults))


def _samples(exposition: Exposition, names: Sequence[str]) -> list[Sample]:
    """Return the samples of the first name that has some, without SGLang's breakdown by priority."""
    for name in names:
        samples = [one for one in exposition.of(name) if not one.labels.get(_PRIORITY)]
        if samples:
            return samples
    return []


def _of_model(samples: Sequence[Sample], model: str, aliases: Collection[str]) -> Sequence[Sample] | str:
    """Return the samples of ``model``, or why there are none; a page that names no model has but one."""
    named = {sample.labels.get(_MODEL) for sample in samples}
    if named == {None}:
        return samples
    mine = {model} & named or named.intersection(aliases)
    if len(mine) != 1:
        return _OTHER_MODEL if len(named) == 1 else _AMBIGUOUS
    return [sample for sample in samples if sample.labels.get(_MODEL) in mine]


def _value(samples: Sequence[Sample], shown: Shown, ranks: Collection[str]) -> float | str:
    """Return the value, or why there is none."""
    if not all(math.isfinite(sample.value) for sample in samples):
        return "not_finite"
    if any(sample.value < 0 for sample in samples):
        return "negative"
    batches: dict[frozenset[tuple[str, str]], float] = {}
    for sample in samples:
        batch = frozenset(pair for pair in sample.labels.items() if pair[0] not in ranks)
        batches[batch] = max(sample.value, batches.get(batch, 0.0))
    total = math.fsum(batches.values())
    if not shown.is_share:
        return total
    share = total / len(batches)
    return "implausible" if share > _FULL else min(share, 1.0)
