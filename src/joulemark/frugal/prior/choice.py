"""Which items to ask, and what is needed afterwards to make an estimate of their outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from joulemark.frugal.prior.anchors import WARNING as ANCHORS_WARNING
from joulemark.record.errors import InputError

KIND = "joulemark.frugal.choice"
VERSION = 1
_LARGEST = 1e100
Method = Literal["strata", "random", "anchors"]
METHODS: tuple[Method, ...] = ("strata", "random", "anchors")


@dataclass(frozen=True, slots=True)
class ChosenStratum:
    """A stratum of ``size`` items, of which ``item_ids`` are asked; ``prior_mean`` of other models in it."""

    size: int
    item_ids: tuple[str, ...]
    prior_mean: float | None = None


@dataclass(frozen=True, slots=True)
class Control:
    """The control variate of a plain sample: x by item id, its mean over all items, and the slope.

    ``slope`` is null where one model is too few to tell it; it is fitted to the sample then.
    """

    x: Mapping[str, float]
    x_of_all: float
    slope: float | None


@dataclass(frozen=True, slots=True)
class Choice:
    """The items (``item_ids``, in random order) to ask of a task's ``n_items``, and how they were chosen.

    ``key`` seeds the choice. ``models`` are those that it was learned from, ``best`` the largest of their
    means. ``strata``, ``control`` and ``weights`` (by id) belong to the methods strata, random and anchors.
    """

    method: Method
    task: str
    n_items: int
    key: str
    item_ids: tuple[str, ...]
    models: tuple[str, ...] = ()
    best: float | None = None
    allocation: str | None = None
    strata: tuple[ChosenStratum, ...] = ()
    control: Control | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What an estimate by these items has to be read with."""
        return (ANCHORS_WARNING,) if self.method == "anchors" else ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, which `read_choice` reads and ``bench run --items`` takes."""
        return {
            "kind": KIND,
            "version": VERSION,
            "method": self.method,
            "task": self.task,
            "n_items": self.n_items,
            "key": self.key,
            "allocation": self.allocation,
            "models": list(self.models),
            "best_prior_mean": self.best,
            "item_ids": list(self.item_ids),
            "strata": [
                {"n_items": one.size, "prior_mean": one.prior_mean, "item_ids": list(one.item_ids)}
                for one in self.strata
            ],
            "control": None
            if self.control is None
            else {"mean": self.control.x_of_all, "slope": self.control.slope, "x": dict(self.control.x)},
            "weights": dict(self.weights),
            "warnings": list(self.warnings),
        }


def read_choice(path: Path) -> Choice:
    """Read a choice that was written. Raises `InputError` where it is none, or contradicts itself."""
    try:
        document = orjson.loads(path.read_bytes())
        if document["kind"] != KIND or document["version"] != VERSION or document["method"] not in METHODS:
            raise ValueError("it is no choice of items of this version")
        choice = _of(document)
        _require_sound(choice)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{path} is no choice of items",
            why=why or type(error).__name__,
            fix="joulemark frugal choose … --out FILE",
        ) from error
    return choice


def _of(document: Mapping[str, Any]) -> Choice:
    control = document["control"]
    return Choice(
        method=document["method"],
        task=str(document["task"]),
        n_items=int(document["n_items"]),
        key=str(document["key"]),
        item_ids=_ids(document["item_ids"]),
        models=_ids(document["models"]),
        best=_number(document["best_prior_mean"]),
        allocation=document["allocation"],
        strata=tuple(
            ChosenStratum(int(one["n_items"]), _ids(one["item_ids"]), _number(one["prior_mean"]))
            for one in document["strata"]
        ),
        control=None
        if control is None
        else Control(
            {str(item): float(x) for item, x in control["x"].items()},
            float(control["mean"]),
            None if control["slope"] is None else float(control["slope"]),
        ),
        weights={str(item): float(weight) for item, weight in document["weights"].items()},
    )


def _number(of: Any) -> float | None:
    return None if of is None else float(of)


def _ids(of: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(str, of))


def _require_sound(choice: Choice) -> None:
    ids = set(choice.item_ids)
    if not ids or len(ids) < len(choice.item_ids) or len(ids) > choice.n_items:
        raise ValueError("its items are none, stand twice, or are more than there are")
    drawn = [item for stratum in choice.strata for item in stratum.item_ids]
    sizes = sum(stratum.size for stratum in choice.strata)
    if choice.method == "strata" and (sorted(drawn) != sorted(ids) or sizes != choice.n_items):
        raise ValueError("its strata are not its items")
    if any(not one.item_ids or len(one.item_ids) > one.size for one in choice.strata):
        raise ValueError("a stratum has no items, or more than it is large")
    if choice.method == "anchors" and choice.weights.keys() != ids:
        raise ValueError("its weights are not those of its items")
    if not all(0 < weight <= 1 for weight in choice.weights.values()):
        raise ValueError("a weight is no share of all items")
    if choice.method == "random" and choice.control is not None and not ids <= choice.control.x.keys():
        raise ValueError("its control variate lacks items")
    control = choice.control
    numbers = [] if control is None else [*control.x.values(), control.x_of_all, control.slope or 0.0]
    if not all(abs(one) <= _LARGEST for one in (*numbers, *choice.weights.values(), choice.best or 0.0)):
        raise ValueError("it has numbers that nothing can be computed with")
