"""Where a comparison of two models stands, as it is told."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from joulemark.frugal.paired.decision import Decider, PairedTest, PairVerdict
from joulemark.frugal.paired.refusals import Refusals
from joulemark.metrics.plain import JsonValue

Order = Literal["asked", "keyed"]
SpeaksOf = Literal["questions_of_the_kind", "these_questions"]
_LARGEST = math.log(1.7e308)


@dataclass(frozen=True, slots=True)
class Streamed:
    """Where a comparison stands after the items read so far.

    ``n_read`` items were read of both; ``all_read`` is what they say together, where they are more than the
    decision took. ``interval`` is that of the difference B - A at the decision. ``left_out``: items without
    an outcome in (A, B). ``growing``: a run was still being written. ``order``: ``asked`` for the order in
    which a run asks, ``keyed`` for one made of the item ids. ``withheld`` is a decision that does not stand
    if what A or B ``lacks`` of the other's items counts as not right: nobody wins by refusing. ``models`` are
    their names where they are known, ``simulated`` which of (A, B) is a simulation, ``listed`` whose items a
    list named: these were not drawn, so nothing is said of others.
    """

    names: tuple[str, str]
    metric: str
    question: PairedTest
    decision: PairVerdict
    interval: tuple[float, float]
    n_read: int
    all_read: PairVerdict | None
    left_out: tuple[int, int]
    growing: bool
    order: Order
    withheld: PairVerdict | None = None
    lacks: tuple[int, int] = (0, 0)
    models: tuple[str | None, str | None] = (None, None)
    simulated: tuple[bool, bool] = (False, False)
    listed: tuple[bool, bool] = (False, False)

    @classmethod
    def of(
        cls,
        decider: Decider,
        *,
        names: tuple[str, str],
        metric: str,
        left_out: tuple[int, int],
        growing: bool,
        order: Order,
        refusals: Refusals | None = None,
        models: tuple[str | None, str | None] = (None, None),
        simulated: tuple[bool, bool] = (False, False),
        listed: tuple[bool, bool] = (False, False),
    ) -> Streamed:
        """Return where a decider stands."""
        decision, n_read = decider.now(), len(decider.differences)
        withheld = None
        if refusals is not None and not refusals.holds(decision, decider.question.epsilon):
            withheld, decision = decision, replace(decision, kind="undecided", winner=None)
        return cls(
            names=names,
            metric=metric,
            question=decider.question,
            decision=decision,
            interval=decider.interval(),
            n_read=n_read,
            all_read=decider.all_fed() if n_read > decision.n else None,
            left_out=left_out,
            growing=growing,
            order=order,
            withheld=withheld,
            lacks=(0, 0) if refusals is None else (int(refusals.lacks[0, 1]), int(refusals.lacks[1, 0])),
            models=models,
            simulated=simulated,
            listed=listed,
        )

    @property
    def speaks_of(self) -> SpeaksOf:
        """Of what the decision is true.

        Signs of right and wrong name a winner among questions of the kind, of which these are a sample,
        unless a list named them. Bets on sizes, and every tie, speak of these questions alone: after the last
        of them they are certain.
        """
        is_by_sign = self.decision.kind != "tie" and not self.question.real
        return "questions_of_the_kind" if is_by_sign and not any(self.listed) else "these_questions"

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain JSON values, unrounded; differences are B - A in the unit of the values."""
        lo, hi = self.interval
        found: dict[str, JsonValue] = {
            "a": self.names[0],
            "b": self.names[1],
            "metric": self.metric,
            "decision": self.decision.kind,
            "winner": self.decision.winner,
            "speaks_of": self.speaks_of,
            "n": self.decision.n,
            "n_items": self.decision.n_items,
            **evidence_json(self.decision),
            "interval": {"lo": lo, "hi": hi, "kind": "cs95" if self.question.alpha == 0.05 else "cs"},
            "alpha": self.question.alpha,
            "epsilon": self.question.epsilon,
            "n_read": self.n_read,
            "left_out": {"a": self.left_out[0], "b": self.left_out[1]},
            "withheld": None if self.withheld is None else _withheld_json(self.withheld, self.lacks),
            "models": {"a": self.models[0], "b": self.models[1]},
            "simulated": {"a": self.simulated[0], "b": self.simulated[1]},
            "listed": {"a": self.listed[0], "b": self.listed[1]},
            "growing": self.growing,
            "order": self.order,
        }
        if self.all_read is not None:
            found["all_read"] = {"n": self.all_read.n, **evidence_json(self.all_read)}
        else:
            found["all_read"] = None
        return found


def _withheld_json(decision: PairVerdict, lacks: tuple[int, int]) -> dict[str, JsonValue]:
    return {
        "decision": decision.kind,
        "winner": decision.winner,
        "reason": "what A or B has no outcome of would turn it round if it counted as not right",
        "lacks": {"a": lacks[0], "b": lacks[1]},
    }


def evidence_json(decision: PairVerdict) -> dict[str, JsonValue]:
    """Return the e-value, its logarithm and the difference of a decision; each null with its reason."""
    reasons: dict[str, JsonValue] = {}
    e_value = math.exp(decision.log_e) if decision.log_e < _LARGEST else None
    log10 = decision.log_e / math.log(10) if math.isfinite(decision.log_e) else None
    if e_value is None:
        reasons["e_value"] = "it is larger than a floating-point number can be"
    if log10 is None:
        reasons["log10_e_value"] = "it is infinite: every item was read"
    if decision.difference is None:
        reasons["difference"] = "no item was read"
    return {
        "e_value": e_value,
        "log10_e_value": log10,
        "difference": decision.difference,
        "reasons": reasons,
    }
