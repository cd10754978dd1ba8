"""Which of two models is better, and after how many questions that was known, in words."""

from __future__ import annotations

import math

from rich.console import Console
from rich.text import Text

from joulemark.frugal.paired.decision import PairVerdict
from joulemark.frugal.paired.streamed import Streamed
from joulemark.report.wording import printable

_TOO_LARGE = (
    "The difference at the moment of deciding is rather too large, as the lead ended the asking; "
    "the interval is not."
)


def print_streamed(told: Streamed, console: Console) -> None:
    """Print the answer, what it rests on, and what the rest of the questions say."""
    for label, name in zip("AB", told.names, strict=True):
        console.print(Text.assemble((f"{label}  ", "bold"), printable(name)))
    lead, *more = sentences(told)
    console.print()
    console.print(Text(lead, style="bold green" if told.decision.kind != "undecided" else "bold"))
    for sentence in more:
        console.print(Text(sentence))


def sentences(told: Streamed) -> list[str]:
    """Return what there is to say, the answer first."""
    found = [_lead(told), _evidence(told)]
    if told.decision.kind == "winner":
        found.append(_TOO_LARGE)
    if told.all_read is not None:
        found.append(_rest(told, told.all_read))
    if told.decision.kind == "undecided" and not told.growing and told.n_read == told.decision.n_items:
        found.append(
            "All questions were read, so on these the difference is exact; whether it holds for other "
            "questions of this kind is not decided."
        )
    if any(told.left_out):
        a, b = told.left_out
        found.append(f"Left out are questions without an outcome: {a:,} in A, {b:,} in B.")
    if told.growing and told.decision.kind != "undecided":
        found.append("A run is still growing: it may be ended now, what it answered stays valid.")
    return found


def standing_line(told: Streamed) -> str:
    """Return on one line where a comparison of growing runs stands."""
    now = told.decision
    return f"{now.n:,} questions in both: {_difference(told, now)}, {_e_value(now)}"


def _lead(told: Streamed) -> str:
    now = told.decision
    share = f"{now.n:,} of {now.n_items:,} questions ({now.n / max(1, now.n_items):.1%})"
    if now.kind == "winner":
        what = "has the higher mean score" if _scored(told) else "is right more often"
        where = "On these questions " if told.speaks_of == "these_questions" else ""
        return f"{where}{now.winner} {what}: known after {share}."
    if now.kind == "tie":
        return f"On these questions A and B are a tie within {_width(told)}: known after {share}."
    if told.growing and now.n < now.n_items:
        return f"Not decided yet after {share}."
    return f"Not decided by {share}."


def _evidence(told: Streamed) -> str:
    now = told.decision
    lo, hi = (_signed(end, told) for end in told.interval)
    needed = 1 / told.question.alpha
    interval = f"{1 - told.question.alpha:.0%} interval {lo} to {hi}, good at every look"
    return f"B - A is {_difference(told, now)} ({interval}); {_e_value(now)}, {needed:.3g} name a winner."


def _rest(told: Streamed, rest: PairVerdict) -> str:
    more = f"The other {rest.n - told.decision.n:,} questions"
    says = f"with them B - A is {_difference(told, rest)}, {_e_value(rest)}"
    if told.decision.kind == "tie":
        holds = abs(rest.difference or 0.0) <= told.question.epsilon
    else:
        holds = (rest.difference or 0.0) * (1 if told.decision.winner == "B" else -1) > 0
    return f"{more} {'change nothing' if holds else 'TURN THE ANSWER ROUND'}: {says}."


def _scored(told: Streamed) -> bool:
    """Tell whether values are scores; means of repeats of right and wrong are shares."""
    return told.question.real and told.metric != "accuracy"


def _difference(told: Streamed, decision: PairVerdict) -> str:
    return "unknown" if decision.difference is None else _signed(decision.difference, told)


def _signed(value: float, told: Streamed) -> str:
    # 0.0 + -0.0 is 0.0
    return f"{0.0 + value:+.3g}" if _scored(told) else f"{0.0 + 100 * value:+.2f} pp"


def _width(told: Streamed) -> str:
    epsilon = told.question.epsilon
    return f"{epsilon:g}" if _scored(told) else f"{100 * epsilon:g} pp"


def _e_value(decision: PairVerdict) -> str:
    if math.isinf(decision.log_e):
        return "no doubt is left"
    power = decision.log_e / math.log(10)
    return f"e-value {10**power:.3g}" if abs(power) < 6 else f"e-value 10^{power:.0f}"
