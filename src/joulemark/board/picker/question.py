"""A question to the picker, from the words of a form: the same words as `joulemark pick` reads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, get_args

from joulemark.board.judging.rung import Rung
from joulemark.bundles.like import Example, example_in
from joulemark.metrics.limits import Limit
from joulemark.metrics.picking import OBJECTIVES, Wanted, Workload, declared, sampled
from joulemark.metrics.picking.asked import (
    MAX_TOKENS,
    constraints_of,
    read_budget,
    read_length,
    read_limit_seconds,
)
from joulemark.metrics.picking.pick import Objective
from joulemark.metrics.point_figures import LARGER_IS_BETTER, LATENCY, PLAIN
from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.rates.number import plain_number
from joulemark.record import ranges
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates

PERCENTILES = ("", "_p50", "_p90", "_p95", "_p99")
LATENCIES = {"max_ttft": "ttft", "max_tpot": "tpot", "max_latency": "e2el"}
NAMES = ("hardware", "model", "task")
FIELDS = (
    "prompt_tokens",
    "completion_tokens",
    "sample",
    "characters_per_token",
    "requests_per_day",
    *NAMES,
    "min_accuracy",
    *(f"{name}{percentile}" for name in LATENCIES for percentile in PERCENTILES),
    "limit",
    "budget",
    "budget_of",
    "by",
    "zone",
    "usd_per_kwh",
    "gco2e_per_kwh",
    "pue",
    "rung",
)
"""What a question is made of; every field is a text, and may be absent or empty."""
LONGEST = {"sample": 200_000}
_LONGEST = 200
MOST_REQUESTS = 20_000
DECLARED = "declared by the reader"
_NEEDS = "say how long it is: 1200, or 1200±400 where it varies"
_NO_TEXTS = (
    "runs are kept here without their texts, so no model's tokens can be counted: say how many characters a "
    "token has (English is near 4, source code near 3), or give numbers of tokens"
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """A question that can be answered. ``rung`` is the lowest trust of what may answer."""

    workload: Workload
    wanted: Wanted
    rates: Rates
    rung: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed, and what it says: a question, or by field what is wrong with it."""

    typed: Mapping[str, str]
    question: Question | None
    errors: Mapping[str, str]


class _Reader:
    """Takes fields one by one and keeps what is wrong with each."""

    def __init__(self, typed: Mapping[str, str]) -> None:
        self.typed = typed
        self.errors: dict[str, str] = {}

    def take(self, name: str, read: Callable[[str], T]) -> T | None:
        """Return what a field says; null where it is empty or wrong."""
        text = self.typed.get(name, "").strip()
        if not text or name in self.errors:
            return None
        try:
            return read(text)
        except (ValueError, OverflowError) as error:
            self.errors[name] = str(error)
        return None


def read_question(given: Mapping[str, str]) -> Asked:
    """Read a form. Every field is looked at, so that all errors are told at once; none echoes what it got."""
    typed = {name: given[name] for name in FIELDS if given.get(name, "").strip()}
    reader = _Reader(typed)
    for name, text in typed.items():
        most = LONGEST.get(name, _LONGEST)
        if len(text) > most:
            reader.errors[name] = f"it is longer than {most:,} characters"
        elif name != "sample" and not text.isprintable():
            reader.errors[name] = "it holds control characters"
    for name in sorted(set(given) - set(FIELDS)):
        if given[name].strip():
            reader.errors.setdefault("", "there are fields that no question has")
    a_day = reader.take("requests_per_day", lambda text: number(text, 0, 1e12, open_=True))
    workload = _workload(reader, a_day)
    rates = _rates(reader)
    wanted = _wanted(reader, a_day)
    rung = reader.take("rung", _rung) or 0
    if reader.errors or workload is None or wanted is None or rates is None:
        return Asked(typed, None, reader.errors)
    return Asked(typed, Question(workload, wanted, rates, rung), {})


def number(text: str, least: float, most: float, *, open_: bool = False) -> float:
    """Return a number between two others, above the first where it is ``open_``; raises ``ValueError``."""
    try:
        found = plain_number(text.replace(",", ""))
    except ValueError as error:
        raise ValueError("it is no number") from error
    if not (math.isfinite(found) and least <= found <= most) or (open_ and found == least):
        raise ValueError(
            f"it lies {'above' if open_ else 'at'} {least:g}{' and' if open_ else ' to'} {most:g}"
        )
    return found


def _workload(reader: _Reader, a_day: float | None) -> Workload | None:
    prompt = reader.take("prompt_tokens", read_length)
    completion = reader.take("completion_tokens", read_length)
    sample = reader.take("sample", _example)
    per_token = reader.take("characters_per_token", lambda text: number(text, 0.1, 100))
    if "sample" in reader.errors:
        return None
    if sample is None:
        for name, found in (("prompt_tokens", prompt), ("completion_tokens", completion)):
            if found is None:
                reader.errors.setdefault(name, _NEEDS)
        if prompt is None or completion is None or reader.errors.get("requests_per_day"):
            return None
        return declared(prompt, completion, a_day)
    if prompt is not None:
        reader.errors["prompt_tokens"] = "the sample says how long prompts are: leave one of them out"
    lacking = any(answer is None for _, answer in (*sample.counts, *sample.texts))
    if lacking and completion is None:
        reader.errors.setdefault("completion_tokens", "the sample holds no answers: say how long they are")
    elif not lacking and completion is not None:
        reader.errors["completion_tokens"] = "the sample holds answers of its own: leave it out"
    elif completion is not None and completion.sd:
        reader.errors["completion_tokens"] = "answers of a sample without any have one length here"
    if sample.texts and per_token is None:
        reader.errors.setdefault("characters_per_token", _NO_TEXTS)
    if reader.errors:
        return None
    per, mean = (per_token or 1.0) if sample.texts else 1.0, 0.0 if completion is None else completion.mean
    pairs = [(p / per, mean if c is None else c / per) for p, c in sample.counts or sample.texts]
    told = sample.told + (f", {per:g} characters a token" if sample.texts else "")
    return sampled(pairs, a_day, told)


def _example(text: str) -> Example:
    try:
        found = example_in(text, "the sample", "the form")
    except (InputError, RecursionError) as error:
        # what the reader of examples says may hold a piece of the text
        raise ValueError(
            'it is no sample: give lines like {"prompt_tokens": 1200, "completion_tokens": 300} or '
            '{"prompt": "…", "answer": "…"}, all of one kind, or one plain prompt'
        ) from error
    if max(len(found.counts), len(found.texts)) > MOST_REQUESTS:
        raise ValueError(f"it holds more than {MOST_REQUESTS:,} requests")
    if any(length is not None and length > MAX_TOKENS for pair in found.counts for length in pair):
        raise ValueError(f"a request is longer than {MAX_TOKENS:,} tokens")
    return found


def _rates(reader: _Reader) -> Rates | None:
    usd = reader.take("usd_per_kwh", lambda text: number(text, *ranges.USD_PER_KWH))
    grams = reader.take("gco2e_per_kwh", lambda text: number(text, *ranges.GCO2E_PER_KWH))
    pue = reader.take("pue", lambda text: number(text, *ranges.PUE))
    zone = reader.typed.get("zone", "").strip() or None
    if zone is not None and grams is not None:
        reader.errors["gco2e_per_kwh"] = "the zone says it too: leave one of them out"
        return None
    try:
        return rates_of(DeclaredRates(usd, None, grams, zone, pue, label=DECLARED), spans=())
    except InputError as error:
        near = f": {error.why}" if error.why.startswith("did you mean") else ""
        reader.errors.setdefault("zone", f"its intensity is not known here{near}")
        return None


def _wanted(reader: _Reader, a_day: float | None) -> Wanted | None:
    by = reader.take("by", _objective) or "joules_per_correct"
    limits = [
        Limit(f"{latency}{percentile or '_mean'}", bound)
        for name, latency in LATENCIES.items()
        for percentile in PERCENTILES
        if (bound := reader.take(name + percentile, read_limit_seconds)) is not None
    ]
    least = reader.take("min_accuracy", lambda text: number(text, 0, 1))
    if least is not None:
        limits.append(Limit("accuracy", least, at_least=True))
    limits += reader.take("limit", _limits) or []
    budgets = reader.take("budget", _budgets) or []
    of_requests = (reader.take("budget_of", _budget_of) or "day") == "requests"
    quantities = {by.removesuffix("_per_correct"), *(quantity for quantity, _ in budgets)}
    if "usd" in quantities and not reader.typed.get("usd_per_kwh"):
        reader.errors.setdefault("usd_per_kwh", "dollars need a price of electricity")
    if "gco2e" in quantities and not (reader.typed.get("zone") or reader.typed.get("gco2e_per_kwh")):
        reader.errors.setdefault("zone", "CO2e needs the grid's zone, or its grams a kWh")
    named = {name: reader.typed.get(name, "").strip() or None for name in NAMES}
    try:
        found = constraints_of(named, limits, budgets, a_day, of_requests=of_requests)
    except ValueError as error:
        reader.errors.setdefault("requests_per_day", str(error))
        return None
    return Wanted(by, found)


def _objective(text: str) -> Objective:
    for one in OBJECTIVES:
        if text == one:
            return one
    raise ValueError(f"one of {', '.join(get_args(Objective))}")


def _budget_of(text: str) -> str:
    if text not in ("day", "requests"):
        raise ValueError("it is day or requests")
    return text


def _budgets(text: str) -> list[tuple[str, float]]:
    parts = [part for part in text.split(";") if part.strip()]
    if len(parts) > 3:
        raise ValueError("three budgets are the most: dollars, energy, CO2e")
    return [read_budget(part) for part in parts]


def _limits(text: str) -> list[Limit]:
    """Return ``itl_p99=50ms; tokens_per_second=500`` as limits."""
    found = []
    for part in text.split(";"):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if not (name or value):
            continue
        larger = name in LARGER_IS_BETTER
        if not (sign and value and (name in PLAIN or larger or LATENCY.fullmatch(name))):
            raise ValueError(f"write FIGURE=VALUE, for instance itl_p99=50ms; figures: {', '.join(PLAIN)}")
        bound = number(value, 0, 1e15) if name in PLAIN or larger else read_limit_seconds(value)
        found.append(Limit(name, bound, at_least=larger))
    return found


def _rung(text: str) -> int:
    if text not in {str(int(rung)) for rung in Rung}:
        raise ValueError("it is a rung of trust: 0 to 6")
    return int(text)
