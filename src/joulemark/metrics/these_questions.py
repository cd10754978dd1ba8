"""What a run tells of its own questions alone, beside what its figures tell of questions of the kind.

A figure's interval speaks of the model: of any number of questions of the kind, drawn and asked anew, whether
a rule ended the run or not. Narrower is what is known of the N questions that those asked were drawn from, as
they were answered and measured in this run: there ``1 - n/N`` is all that is left, and nothing once all were
asked. What would come anew if the same questions were asked again stays (`joulemark.metrics.asked_again`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from joulemark.metrics.accuracy import accuracy
from joulemark.metrics.asked_again import ALL, cost_within, is_sampled, variance_of_mean, within_share
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.finite_ratio import Units
from joulemark.metrics.item_value import item_value
from joulemark.metrics.metered_units import metered_units
from joulemark.metrics.money import by_tokens
from joulemark.metrics.plain import JsonValue
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value
from joulemark.record.item import Item

THESE_QUESTIONS = MetricDefinition(
    "these_questions",
    "Interval of the run's own questions",
    "as the figure",
    r"\bar x \pm h \sqrt{1 - n / N + w n / N}",
    ("manifest.task", "manifest.sampling", "items"),
    (
        "the answers are not those of the first questions of the order",
        "answers were drawn at a temperature, and each question once",
    ),
    "h: half of the figure's own interval, which speaks of questions of the kind (of an accuracy Wilson's, "
    "corrected). W. Cochran, Sampling Techniques (1977), 2.6 and 10.3: w is the part of the variance that "
    "comes anew when a question is asked again, 0 of what was answered without a temperature; with one it is "
    "told by repeats. Of joules it is at most what a line through answers and tokens leaves",
)
DEFINITIONS = (THESE_QUESTIONS,)
_OF_JOULES = ("joules_per_correct_answer", "usd_per_correct_answer", "gco2e_per_correct_answer")
OF_THESE = ("accuracy", "mean_score", *_OF_JOULES)
"""Figures that have such an interval, where it is known."""


@dataclass(frozen=True, slots=True)
class TheseQuestions:
    """``asked`` of ``questions`` were asked, a random part; ``intervals`` (lo, hi) of these, by figure.

    ``temperature``: answers were drawn at it, each question ``once`` or more; 0 where they were not.
    """

    questions: int
    asked: int
    intervals: Mapping[str, tuple[float, float]]
    temperature: float = 0.0
    once: bool = True

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "questions": self.questions,
            "questions_asked": self.asked,
            "speaks_of": "these questions, as they were answered in this run; costs as if metered again",
            "figures_speak_of": "any number of questions of the kind",
            "drawn_at_temperature": self.temperature,
            "intervals": {name: {"lo": lo, "hi": hi} for name, (lo, hi) in self.intervals.items()},
        }


def is_prefix(run: RunView, asked: int) -> bool:
    """Tell whether the answers are those of the first ``asked`` questions of the order, all of them."""
    return {item.index for item in run.measured_items} == set(range(asked))


def these_questions(run: RunView, figures: Mapping[str, Value]) -> TheseQuestions | None:
    """Return what is known of the questions that the run's were drawn from; null where they are no sample.

    With a limit these are all of the split, as far as the run knows of them.
    """
    asked = len({item.item_id for item in run.measured_items})
    of = run.manifest.task.n_drawn_from
    if not asked or asked > of or not is_prefix(run, asked):
        return None
    questions: dict[str, list[Item]] = {}
    for item in run.measured_items:
        questions.setdefault(item.item_id, []).append(item)
    found: dict[str, tuple[float, float]] = {}
    for name, within in _withins(run, list(questions.values()), figures):
        value = figures[name]
        if within >= ALL or value.interval != "ci95" or None in (value.value, value.lo, value.hi):
            continue
        if name == "accuracy":
            own = accuracy(run.measured_items, real_valued=run.real_valued, population=of, within=within)
        else:
            own = _narrowed(value, math.sqrt(1 - asked / of * (1 - within)))
        assert own.lo is not None
        assert own.hi is not None
        found[name] = (own.lo, own.hi)
    sampling = run.manifest.sampling
    once = max(map(len, questions.values())) == 1
    return TheseQuestions(of, asked, found, sampling.temperature if is_sampled(sampling) else 0.0, once)


def _narrowed(value: Value, left: float) -> Value:
    """Return a figure with ``left`` of its interval to either side."""
    assert value.value is not None
    assert value.lo is not None
    assert value.hi is not None
    lo, hi = (value.value + (end - value.value) * left for end in (value.lo, value.hi))
    return replace(value, lo=lo, hi=hi)


def _withins(
    run: RunView, questions: Sequence[Sequence[Item]], figures: Mapping[str, Value]
) -> Iterable[tuple[str, float]]:
    """Yield the part of each figure's variance that would come anew if the same questions were asked."""
    sampled = is_sampled(run.manifest.sampling)
    for name, real in (("accuracy", False), ("mean_score", True)):
        if figures[name].value is not None:
            yield name, _of_answers(questions, real=real) if sampled else 0.0
    if sampled or figures["joules_per_correct_answer"].value is None:
        of_joules = ALL
    else:
        of_joules = _of_joules(run, questions)
    for name in _OF_JOULES:
        tokens = name.startswith("usd") and by_tokens(run.rates, local=run.manifest.engine.local)
        yield name, of_joules if not tokens or sampled else 0.0


def _of_answers(questions: Sequence[Sequence[Item]], *, real: bool) -> float:
    values = [
        [one for item in repeats if (one := item_value((item,), real=real)) is not None]
        for repeats in questions
    ]
    means = np.array([math.fsum(each) / len(each) for each in values if each])
    share = float(means.mean()) if len(means) else 0.0
    # as the interval has it: of right and wrong what single answers would have
    spread = float(means.var(ddof=1)) if real and len(means) > 1 else share * (1 - share)
    return within_share(np.array([variance_of_mean(each) for each in values]), spread)


def _of_joules(run: RunView, questions: Sequence[Sequence[Item]]) -> float:
    right = [item_value(repeats, real=False) or 0.0 for repeats in questions]
    columns = (
        [value * len(repeats) for value, repeats in zip(right, questions, strict=True)],
        [float(len(repeats)) for repeats in questions],
        [_tokens(item.prompt_tokens for item in repeats) for repeats in questions],
        [_tokens(item.completion_tokens for item in repeats) for repeats in questions],
    )
    found: list[Units] = []
    for column in columns:
        units = metered_units(run, questions, column)
        if isinstance(units, Value):
            return ALL
        found.append(units)
    units, *others = found
    divisor = float(units.divisor.sum())
    if not divisor > 0:
        return ALL
    errors = units.cost - float(units.cost.sum()) / divisor * units.divisor
    return cost_within(units.cost, np.stack([one.divisor for one in others], axis=1), errors)


def _tokens(counts: Iterable[int | None]) -> float:
    return math.fsum(math.nan if count is None else count for count in counts)
