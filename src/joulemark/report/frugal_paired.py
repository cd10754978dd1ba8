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
    for label, name, model, simulated in zip("AB", told.names, told.models, told.simulated, strict=True):
        known = "" if model is None or model == name else f"  {printable(model)}"
        console.print(
            Text.assemble(
                (f"{label}  ", "bold"),
                printable(name),
                (f"{known}{'  simulated' if simulated else ''}", "dim"),
            )
        )
    lead, *more = sentences(told)
    console.print()
    if listed := listed_sentence(told):
        console.print(Text(f"! {listed}", style="bold red"))
    console.print(Text(lead, style="bold green" if told.decision.kind != "undecided" else "bold"))
    for sentence in more:
        console.print(Text(sentence))


def listed_sentence(told: Streamed) -> str:
    """Say of what nothing is said where a list named the questions; else nothing."""
    if not any(told.listed):
        return ""
    whose = " and ".join(label for label, listed in zip("AB", told.listed, strict=True) if listed)
    return (
        f"The questions of {whose} were named by a list (`--items`), not drawn: what follows holds on these "
        "questions and says nothing of the task. A list can be picked for one of the two."
    )


def sentences(told: Streamed) -> list[str]:
    """Return what there is to say, the answer first."""
    found = [_lead(told), _evidence(told)]
    if told.decision.kind == "winner":
        found.append(_TOO_LARGE)
    if told.simulated[0] is not told.simulated[1]:
        which = "A" if told.simulated[0] else "B"
        found.append(f"{which} is a SIMULATION and the other is not: this ranks no model against another.")
    if told.withheld is not None:
        found.append(_withheld(told, told.withheld))
    elif told.all_read is not None:
        found.append(_rest(told, told.all_read))
    if told.decision.kind == "undecided" and told.withheld is None and not told.growing:
        found += _on_these(told)
    if any(told.left_out):
        a, b = told.left_out
        found.append(f"Left out are questions without an outcome: {a:,} in A, {b:,} in B.")
    if told.growing and told.decision.kind != "undecided":
        found.append("A run is still growing: it may be ended now, what it answered stays valid.")
    return found


def _withheld(told: Streamed, withheld: PairVerdict) -> str:
    """Say which decision does not stand, for what a model has no outcome of."""
    a, b = told.lacks
    what = "the two are a tie" if withheld.winner is None else f"{withheld.winner} is ahead"
    lacked = " and ".join(
        f"{one} has none of {n:,} that {other} has" for one, other, n in (("A", "B", a), ("B", "A", b)) if n
    )
    return (
        f"On the questions that both have an outcome of {what}, but {lacked}: if those counted as not right, "
        "that would not hold. Nobody wins by refusing."
    )


def _on_these(told: Streamed) -> list[str]:
    """Say of what the difference is known where no winner is named."""
    now, (lo, hi) = told.decision, told.interval
    elsewhere = "on other questions of this kind is not decided."
    if told.n_read == now.n_items and any(told.listed):
        return ["All questions were read, so on these the difference is exact."]
    if told.n_read == now.n_items:
        return [f"All questions were read, so on these the difference is exact; whether it holds {elsewhere}"]
    if lo > 0 or hi < 0:
        ahead = f"on them {'B' if lo > 0 else 'A'} is ahead"
        left = f"The interval is clear of 0, as few of these {now.n_items:,} questions are left"
        return [f"{left}: {ahead}. Whether it is {elsewhere}"]
    return []


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
    more = f"the other {rest.n - told.decision.n:,} questions"
    says = f"with them B - A is {_difference(told, rest)}, {_e_value(rest)}"
    if told.decision.kind == "tie":
        holds = abs(rest.difference or 0.0) <= told.question.epsilon
    else:
        holds = (rest.difference or 0.0) * (1 if told.decision.winner == "B" else -1) > 0
    if not holds:
        return f"{more.capitalize()} TURN THE ANSWER ROUND: {says}."
    stays = "The tie stays a tie" if told.decision.kind == "tie" else f"{told.decision.winner} stays ahead"
    # an e-value falls again where what comes later says less; that it reached 20 once is what counts
    once = "" if told.decision.kind == "tie" else "; it is enough that the e-value was reached once"
    return f"{stays} with {more}: {says}{once}."


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
