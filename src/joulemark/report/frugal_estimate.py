"""A choice of items, and what their outcomes say of the whole task, in a terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.frugal.prior.anchors import WARNING
from joulemark.frugal.prior.choice import Choice
from joulemark.frugal.prior.control_variate import MIN_MODELS
from joulemark.frugal.prior.estimate import Estimate
from joulemark.frugal.prior.expected_gain import ExpectedGain
from joulemark.frugal.prior.judge import Judgement
from joulemark.report.wording import DASH, decimals, number, printable

_HOW = {
    "strata": "drawn within {k} strata of difficulty",
    "random": "drawn plainly at random, corrected by regression on other models",
    "anchors": "anchor points",
}
_PERCENT = 100.0
_TOLD = 1.005  # of fewer two decimals show nothing
_MODELLED = " (modelled)"


def print_choice(
    choice: Choice, gain: ExpectedGain | None, place: Path, console: Console, *, levels: int | None = None
) -> None:
    """Print what was chosen, what it gains and the commands that come next.

    ``levels``: how many different means over the earlier models the items have.
    """
    console.print(
        Text(
            f"{len(choice.item_ids):,} of {choice.n_items:,} items of {printable(choice.task)}, "
            f"{_how(choice)}",
            style="bold",
        )
    )
    console.print(
        Text(
            f"learned from {len(choice.models):,} {_models(choice)}; key {printable(choice.key)}", style="dim"
        )
    )
    if choice.method == "anchors":
        console.print(Text(f"! {WARNING}", style="bold red"))
    if levels is not None and choice.strata and levels < len(choice.strata):
        console.print(
            Text(
                f"! the models tell {levels:,} {'level' if levels == 1 else 'levels'} of difficulty apart, "
                f"not {len(choice.strata)}: strata of one level differ by the order of the items alone",
                style="bold red",
            )
        )
    if gain is None and choice.method != "anchors":
        console.print(Text(f"No expected gain: {_no_gain(choice)}"))
    if gain is not None:
        n = len(choice.item_ids)
        console.print(
            Text(
                f"Expected: a variance {_times(gain.median)} that of {n:,} plain items "
                f"(÷ {gain.least:.2f} … {gain.largest:.2f} over {gain.n} earlier models, each judged by "
                "the others)"
            )
        )
    console.print(Text(f"written to {place}"))
    console.print(Text(f"  joulemark bench run TASK --items {place}", style="dim"))
    console.print(Text(f"  joulemark frugal estimate RUN --choice {place}", style="dim"))


def print_judgement(judged: Judgement, console: Console) -> None:
    """Print the figure with its interval, what the prior knowledge gained, and costs."""
    figure, choice = judged.figure, judged.choice
    console.print(
        Text(
            f"{printable(judged.outcomes.name)} on {printable(choice.task)}: {figure.n:,} of {figure.of:,} "
            f"items, {_how(choice)}",
            style="bold",
        )
    )
    for warning in judged.warnings:
        console.print(Text(f"! {printable(warning)}", style="bold red"))
    share = judged.outcomes.metric == "accuracy"
    name = (
        "accuracy" if share else "mean score" if judged.outcomes.metric == "score" else judged.outcomes.metric
    )
    console.print(Text(f"{printable(name)} {_with_interval(figure, share=share)}", style="bold green"))
    if figure.why_no_interval and choice.method != "anchors":
        console.print(Text(f"no interval: {figure.why_no_interval}"))
    if figure.gain is not None and figure.worth is not None:
        console.print(Text(_gain_text(figure.gain, figure.worth, figure.n)))
    if judged.costs:
        console.print(Padding(_costs(judged), (1, 0, 0, 0)))
    if share and not 0 <= figure.value <= 1:
        beyond = number(_PERCENT * figure.value, 1)
        console.print(
            Text(f"* the unbiased estimate is {beyond} %, beyond what can be: the nearest end is shown")
        )
    for note in judged.notes:
        console.print(Text(f"* {printable(note)}", style="dim"))


def _gain_text(gain: float, worth: float, n: int) -> str:
    """Say whether the prior knowledge made the variance smaller or larger, and what to do of it."""
    said = f"variance {_times(gain)} that of {n:,} plain items: worth {worth:,.0f} of these"
    worse = "; worse than plain sampling: leave the prior out" if _is_worse(gain) else ""
    return f"{said} (itself estimated from the sample{worse})"


def _times(gain: float) -> str:
    """Say by how much a variance is smaller than, or larger than, another; ``gain`` is that one over it."""
    if _is_worse(gain):
        return f"×{1 / gain:.2f} larger than"
    return f"×{gain:.2f} smaller than" if gain >= _TOLD else "no smaller than"


def _is_worse(gain: float) -> bool:
    return gain <= 1 / _TOLD


def _no_gain(choice: Choice) -> str:
    needed = MIN_MODELS if choice.method == "strata" else MIN_MODELS + 1
    if len(choice.models) < needed:
        return (
            f"each earlier model is judged by the others, which takes {needed}; there "
            f"{'is' if len(choice.models) == 1 else 'are'} {len(choice.models)}"
        )
    if not 1 < len(choice.item_ids) < choice.n_items:
        return "it is that of more than one item and fewer than all"
    return "too few of the earlier models were asked all items, or all of their answers are alike"


def _costs(judged: Judgement) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Cost")
    table.add_column("an item", justify="right", overflow="fold")
    table.add_column("a correct answer", justify="right", overflow="fold")
    for name, of in judged.costs.items():
        title = printable(name) + (_MODELLED if name in judged.outcomes.modelled else "")
        each = judged.per_correct.get(name)
        table.add_row(
            Text(title), Text(_with_interval(of)), Text(DASH if each is None else _with_interval(each))
        )
    return table


def _with_interval(of: Estimate, *, share: bool = False) -> str:
    factor, unit = (_PERCENT, " %") if share else (1.0, "")
    if of.lo is None or of.hi is None:
        return number(of.value * factor, decimals(of.value * factor)) + unit
    if of.n == of.of:
        return f"{number(of.value * factor, decimals(of.value * factor))}{unit} (of all items)"
    width = (of.hi - of.lo) * factor
    places = max(decimals(of.value * factor, width or None), 1 if share else 0)
    shown = min(max(of.value, 0.0), 1.0) if share else of.value
    lo, value, hi = (number(x * factor, places) for x in (of.lo, shown, of.hi))
    return f"{value} ({lo} … {hi}){unit}"


def _how(choice: Choice) -> str:
    how = _HOW[choice.method].format(k=len(choice.strata))
    return f"{how}, {choice.allocation} allocation" if choice.allocation else how


def _models(choice: Choice) -> str:
    return "model" if len(choice.models) == 1 else "models"
