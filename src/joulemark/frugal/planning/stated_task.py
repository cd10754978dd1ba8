"""A task as a user states it: ``NAME=N:p[:COST,…]``, as ``gsm8k=1319:0.57:12±4J,1.3s``.

N items, p the share that is expected to be right, and what an item costs with its standard deviation: J, kJ,
Wh, s, ms, usd, g (CO2e), tok.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from joulemark.frugal.planning.known_task import COST_OF, KnownCost, KnownTask
from joulemark.frugal.sample_size import NORMAL, Moments, kurtosis_of_share
from joulemark.record.errors import InputError

_FIX = "--task NAME=N:p[:COST,…], as gsm8k=1319:0.57 or gsm8k=1319:0.57:12±4J,1.3s"
_COST = re.compile(r"\s*([0-9.eE+-]*?[0-9.])\s*(?:(?:±|\+/?-)\s*([0-9.eE-]+))?\s*([A-Za-z$]+)\s*")
_UNITS = {
    "J": ("energy_j", 1.0),
    "kJ": ("energy_j", 1e3),
    "Wh": ("energy_j", 3600.0),
    "s": ("e2el_s", 1.0),
    "ms": ("e2el_s", 1e-3),
    "usd": ("usd", 1.0),
    "USD": ("usd", 1.0),
    "g": ("gco2e", 1.0),
    "gCO2e": ("gco2e", 1.0),
    "tok": ("completion_tokens", 1.0),
    "tokens": ("completion_tokens", 1.0),
}
_INDEPENDENT = "cost and correctness of an item are taken to be independent, as only their means were stated"
_ONE_AT_A_TIME = "the time is that of asking one item at a time"
_NO_SPREAD = "its deviation was not stated (write 12±4J)"
_MOST_ITEMS = 10**12
_LARGEST = 1e100


def parse_task(text: str) -> KnownTask:
    """Return the task that ``text`` states; raises `InputError`."""
    name, _, rest = text.partition("=")
    parts = rest.split(":", 2)
    if not name.strip() or len(parts) < 2:
        raise InputError(f"{text!r} states no task", why="it is not NAME=N:p", fix=_FIX)
    n_items, share = _whole(parts[0], text), _share(parts[1], text)
    costs: dict[str, KnownCost] = {}
    for part in parts[2].split(",") if len(parts) > 2 else ():
        cost, known = _cost(part, text)
        if cost in costs:
            raise InputError(f"{text!r} states {cost} twice", fix=_FIX)
        costs[cost] = known
    deviation = math.sqrt(share * (1 - share))
    of_shares = Moments(share, deviation, n_items, kurtosis_of_share(share), max(share, 1 - share))
    spreads = {"accuracy": Moments(share, deviation, n_items), "score": of_shares}
    reasons: dict[str, str] = {}
    notes: list[str] = []
    for column, cost in COST_OF.items():
        stated = costs.get(cost)
        if stated is None:
            continue
        if stated.sd is None:
            reasons[column.value] = reasons[f"{column.value}_per_correct"] = f"{cost}: {_NO_SPREAD}"
            continue
        spreads[column.value] = Moments(stated.mean, stated.sd, n_items)
        if share > 0:
            ratio = stated.mean / share
            # of cost − ratio·correct, the two being independent
            spread = math.hypot(stated.sd, ratio * deviation) / share
            tails = _kurtosis_of_sum(stated.sd, ratio * deviation, kurtosis_of_share(share))
            spreads[f"{column.value}_per_correct"] = Moments(ratio, spread, n_items, tails)
            notes.append(_INDEPENDENT)
        else:
            reasons[f"{column.value}_per_correct"] = "no answer is expected to be right"
    if "e2el_s" in costs:
        costs["wall_s"] = costs["e2el_s"]
        notes.append(_ONE_AT_A_TIME)
    return KnownTask(name.strip(), n_items, spreads, costs, reasons, tuple(dict.fromkeys(notes)))


def with_size(task: KnownTask, n_items: int) -> KnownTask:
    """Return a task with another number of items; raises `InputError` below those that are known."""
    if n_items < task.n_items:
        raise InputError(
            f"{task.name} cannot have {n_items} items",
            why=f"outcomes of {task.n_items} are known",
            fix="--of says how many items the whole task has",
        )
    return replace(task, n_items=n_items)


def _kurtosis_of_sum(normal_sd: float, other_sd: float, kurtosis: float) -> float:
    """Return the kurtosis of the sum of two independent values, one of them normal."""
    variance = normal_sd**2 + other_sd**2
    if not variance > 0:
        return NORMAL
    return NORMAL + (kurtosis - NORMAL) * (other_sd**2 / variance) ** 2


def _whole(text: str, of: str) -> int:
    digits = text.strip().replace(",", "").replace("_", "")
    if not digits.isdecimal() or not 1 <= int(digits) <= _MOST_ITEMS:
        raise InputError(f"{of!r} states no task", why=f"{text!r} is no number of items", fix=_FIX)
    return int(digits)


def _share(text: str, of: str) -> float:
    percent = text.strip().endswith("%")
    try:
        share = float(text.strip().removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise InputError(f"{of!r} states no task", why=f"{text!r} is no share of right answers", fix=_FIX)
    return share


def _cost(text: str, of: str) -> tuple[str, KnownCost]:
    form = _COST.fullmatch(text)
    try:
        if form is None or form.group(3) not in _UNITS:
            raise ValueError
        name, factor = _UNITS[form.group(3)]
        mean = float(form.group(1)) * factor
        sd = None if form.group(2) is None else float(form.group(2)) * factor
    except ValueError:
        mean, sd, name = math.nan, None, ""
    if not (0 <= mean <= _LARGEST and (sd is None or 0 <= sd <= _LARGEST)):
        units = ", ".join(_UNITS)
        raise InputError(
            f"{of!r} states no cost {text.strip()!r}", why=f"a cost is a number with one of {units}", fix=_FIX
        )
    return name, KnownCost(mean, sd, None, "stated")
