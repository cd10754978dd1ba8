"""Why joules per token are no headline: three made-up models, by the code that computes a run's figures."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.energy_per import (
    joules_per_correct_answer_bound,
    joules_per_request,
    joules_per_token,
)
from joulemark.metrics.value import Value
from joulemark.record.energy import MeasuredEnergy, Method
from joulemark.record.item import Item, Verdict
from joulemark.record.scope import Scope

N = 100


@dataclass(frozen=True, slots=True)
class Example:
    """A made-up model's answers to the same questions, and what three figures say of it."""

    name: str
    accuracy: float
    tokens: int
    per_token: Value
    per_request: Value
    per_correct: Value


def examples() -> tuple[Example, ...]:
    """Return a terse model, a wordy one and one that is mostly wrong."""
    return (
        _example("terse", right=80, tokens=40, joules_a_token=2.0),
        _example("wordy", right=80, tokens=400, joules_a_token=1.0),
        _example("mostly wrong", right=8, tokens=40, joules_a_token=1.0),
    )


def _example(name: str, *, right: int, tokens: int, joules_a_token: float) -> Example:
    items = [
        Item(
            f"q{k}",
            k,
            0,
            0,
            "measure",
            k,
            k + 1,
            completion_tokens=tokens,
            token_source="usage",
            verdict=Verdict.CORRECT if k < right else Verdict.WRONG,
            correct=k < right,
            score=float(k < right),
        )
        for k in range(N)
    ]
    joules = N * tokens * joules_a_token
    energy = MeasuredEnergy(joules, joules, joules, "made up", (Scope.gpu(0),), Method.COUNTER)
    return Example(
        name,
        right / N,
        tokens,
        joules_per_token(energy, items),
        joules_per_request(energy, items),
        joules_per_correct_answer_bound(energy, items),
    )
