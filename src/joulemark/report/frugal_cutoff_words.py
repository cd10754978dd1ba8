"""The published cut-off in words, the same in the terminal and on the page."""

from __future__ import annotations

from joulemark.frugal.outcomes.formats.columns import is_cost
from joulemark.frugal.published.cutoff import FEW_ITEMS, Cutoff, no_p
from joulemark.frugal.published.frames import Reading
from joulemark.frugal.published.honest import whole_of
from joulemark.frugal.published.normality import NO_EVIDENCE
from joulemark.frugal.published.study import Null, NullResult, Study
from joulemark.frugal.target import QUANTITIES, Precision
from joulemark.report.wording import decimals, number, printable

FORMULA = "√(2/π) · s · √(1/q − 1/N)"
FORMULA_BINARY = "√(2/π) · √(p(1 − p)/q · (1 − q/N))"
_NULLS = {Null.BROWNIAN: "Brownian motion", Null.BERNOULLI: "thrown coins"}
_UNITS = {"usd": "USD", "gco2e": "gCO2e"}
_ENDS = {"_s": "s", "_j": "J", "_usd": "USD", "_gco2e": "gCO2e", "_tokens": "tokens", "_chars": "characters"}


def title(found: Study) -> str:
    """Return what was cut."""
    task = f" on {printable(found.outcomes.task)}" if found.outcomes.task else ""
    return f"{printable(found.outcomes.name)}{task}: {printable(found.outcomes.metric)} of {_items(found)}"


def is_in_part(found: Study) -> bool:
    """Tell whether the task has more items than were asked."""
    return whole_of(found.outcomes) != len(found.outcomes)


def null_title(found: NullResult) -> str:
    """Return what was cut, where it was nothing."""
    return f"Random numbers ({_NULLS[found.kind]}): {found.cutoff.frames.n_items:,} items that nobody asked"


def cutoff_text(cutoff: Cutoff, *, in_part: bool = False) -> str:
    """Return the cut-off in a sentence; ``in_part``: of a task of which only these items were asked."""
    items = "items asked" if in_part else "items"
    return (
        f"Published cut-off: {percent(cutoff.mean)} of the {items} ({cutoff.n_items:,} of "
        f"{cutoff.frames.n_items:,}), ± {number(100 * cutoff.sd, 1)} between shuffles"
    )


def constant_text(found: Study) -> str:
    """Say what the number is, and what random numbers give."""
    null, smoother = found.null, _smoother(found.cutoff)
    given = f"{_NULLS[null.kind]} with no data in it gives {_null_text(null)} through {_pipeline(found)}"
    if not found.leaves_constant:
        return f"This is a constant of {smoother}, not a property of the model or the task: {given}."
    apart = 100 * (found.cutoff.mean - null.cutoff.mean)
    why = (
        "as frames with so few of the rarer answers have slopes of few sizes"
        if found.is_coarse
        else "as where a few items outweigh all others"
    )
    return (
        f"The constant of {smoother} is another number: {given}. This cut-off lies {number(abs(apart), 1)} "
        f"points {'above' if apart > 0 else 'below'} it, {why}, and says as little of how many are enough."
    )


def null_lines(found: NullResult) -> list[str]:
    """Say what random numbers alone gave."""
    same = (
        "there is no data in this at all, and the number comes out as for every model and task with more "
        "than a few of the rarer answers in a frame"
    )
    return [
        cutoff_text(found.cutoff),
        f"This is a constant of {_smoother(found.cutoff)}: {same}.",
        "It cannot say how many items are enough; `joulemark frugal plan` does.",
    ]


def loss_text(found: Study) -> str:
    """Say what the loss is, with the formula beside it."""
    loss, binary = found.loss, found.outcomes.is_binary
    unit = loss_unit(found)
    relative = "" if loss.relative is None else f" ({number(100 * loss.relative, 2)} % of the baseline)"
    beside = loss.n_items - found.cutoff.n_items
    nearest = " (the curves' point next to the cut-off)" if beside else ""
    return (
        f"The loss, {points(loss.absolute)} {unit}{relative} over {len(found.cutoff.curves):,} shuffles, is "
        f"the error of plain random sampling: {FORMULA_BINARY if binary else FORMULA} = "
        f"{points(loss.formula)} {unit}, for any {loss.n_items:,} items{nearest} drawn at random."
    )


def truth_text(found: Study) -> str:
    """Say the interval at the cut-off's size and the items that the target takes."""
    lo, hi = found.interval
    said = f"What that size does tell: a 95 % interval of {_interval(lo, hi, found)}."
    if found.needed_n is None:
        return f"{said} The target {printable(found.wanted.text)} is nothing of a mean of 0."
    whole = whole_of(found.outcomes)
    of = f"all {whole:,} items of the task" if is_in_part(found) else f"{whole:,} items"
    share = percent(found.needed_n / whole)
    return f"{said} The target {printable(found.wanted.text)} takes {found.needed_n:,} of {of} ({share})."


def instead_text(found: Study) -> str:
    """Name the commands that say how many items are enough, and the run that ends there."""
    text = _target_text(found)
    if text is None:
        return "Instead: `joulemark frugal plan RUN|FILE --target …` says how many items are enough."
    return (
        f'Instead: `joulemark frugal plan RUN|FILE --target "{text}"` says how many items are enough, '
        f'`joulemark bench run TASK --stop "{text}"` asks until they are.'
    )


def _target_text(found: Study) -> str | None:
    """Return what was wanted as a target of `frugal plan`; null of a column that no target names."""
    wanted = found.wanted
    quantity = next((one for one in QUANTITIES.values() if one.column is wanted.column), None)
    # three digits do: a hundredth of a score's range may have many
    width = float(f"{wanted.half_width:.3g}")
    return None if quantity is None else Precision(quantity, width, wanted.relative).text


def warning_lines(found: Study) -> list[str]:
    """Return what speaks against the figures."""
    lines = []
    if found.is_small:
        lines.append(f"{_items(found)}: below {FEW_ITEMS:,} the published method is not meant to be used")
    if found.is_coarse:
        lines.append(
            f"a frame of {found.cutoff.frames.length:,} items holds {number(found.rarer_in_frame or 0.0, 1)} "
            "of the rarer answers in the mean, which is coarse: for that alone the cut-off leaves the "
            "smoother's constant, in the published method as here"
        )
    if found.cutoff.n_without_knee:
        lines.append(f"{found.cutoff.n_without_knee} shuffles have no knee and are left out of the mean")
    return [*lines, *map(printable, found.outcomes.warnings)]


def note_lines(found: Study) -> list[str]:
    """Return what is to be read with the figures."""
    lines = method_notes(found.cutoff, found.ks_p)
    if found.stratified:
        lines.append(
            "Stratified shuffles keep the domains' proportions; formula and interval are those of plain "
            "ones, which err as much or more."
        )
    if is_in_part(found):
        lines.append(
            f"{len(found.outcomes):,} of the task's {whole_of(found.outcomes):,} questions were asked. The "
            "interval, and the items that the target takes, are of all of them; the cut-off, its loss and "
            "the costs are of those asked."
        )
    return [*lines, *map(printable, found.outcomes.notes)]


def method_notes(cutoff: Cutoff, ks_p: float | None) -> list[str]:
    """Return what was done, and what the p is worth."""
    method, laid = cutoff.method, cutoff.frames
    disjoint = method.reading is Reading.DISJOINT
    done = (
        f"Reading {method.reading} of the paper's text: "
        f"{'disjoint frames' if disjoint else 'overlapping windows'} of {laid.length:,} items, "
        f"{len(laid.starts):,} slopes ({method.slope_of(laid.n_items)}), lowess with "
        f"frac {method.frac:.3g} and {method.passes} robust passes, kneedle with S = {method.sensitivity:g}, "
        f"{method.shuffles:,} shuffles, seed {method.seed}."
    )
    lines = [done]
    if ks_p is None:
        lines.append(f"No p of normality: {no_p(cutoff)}.")
    else:
        verdict = "is not told from a normal one" if ks_p >= 0.05 else "is no normal one"
        lines.append(
            f"Kolmogorov–Smirnov p = {p_text(ks_p)} (median over 25 normal samples): the distribution of the "
            f"cut-offs {verdict}. That is {NO_EVIDENCE}."
        )
    if disjoint:
        lines.append(
            "Disjoint frames are what the text says; the published figures come from overlapping ones."
        )
    return lines


def percent(share: float) -> str:
    """Return a share of the items."""
    return f"{number(100 * share, 1)} %"


def points(share: float) -> str:
    """Return a loss in points of 100, to three digits."""
    return number(100 * share, max(2, min(6, decimals(100 * share) - 1)))


def loss_unit(found: Study) -> str:
    """Return the unit of a loss: percentage points, or points of the metric's range brought to 0..100."""
    return "pp" if found.outcomes.is_binary else "of 100 points"


def p_text(p: float) -> str:
    """Return a p."""
    return number(p, 2) if p >= 0.01 else f"{p:.1g}"


def amount(value: float) -> str:
    """Return an amount of a cost, to four digits or to the whole."""
    return number(value, min(decimals(value), 4) if abs(value) < 10_000 else 0)


def with_unit(title: str, name: str) -> str:
    """Return a column's title and unit; a column without a title is called by its name less the unit."""
    end = next((end for end in sorted(_ENDS, key=len, reverse=True) if name.endswith(end)), "")
    unit = _UNITS.get(name) or _ENDS.get(end, "")
    told = name.removesuffix(end).replace("_", " ") if title == name and end else title
    return f"{printable(told)}, {unit}" if unit else printable(told)


def _items(found: Study) -> str:
    return f"{len(found.outcomes):,} items"


def _smoother(cutoff: Cutoff) -> str:
    method = cutoff.method
    return (
        f"the smoother (lowess with frac {method.frac:.3g}, {method.passes} robust passes, frames of "
        f"{percent(cutoff.frames.length / cutoff.frames.n_items)})"
    )


def _pipeline(found: Study) -> str:
    """Name what random numbers went through: the same, or its fast mode beside an exact study."""
    if found.cutoff.is_exact == found.null.cutoff.is_exact:
        return "the same pipeline"
    return "the same pipeline in fast mode (--null runs it exactly)"


def _null_text(found: NullResult) -> str:
    return f"{percent(found.cutoff.mean)} ± {number(100 * found.cutoff.sd, 1)}"


def _interval(lo: float, hi: float, found: Study) -> str:
    if found.outcomes.is_binary:
        return f"{number(100 * lo, 2)} to {number(100 * hi, 2)} % (± {number(50 * (hi - lo), 2)} pp)"
    places = min(decimals(hi, hi - lo) + 1, 6)
    metric = found.outcomes.metric
    unit = with_unit("", metric).removeprefix(",") if is_cost(metric) else ""
    return f"{number(lo, places)} to {number(hi, places)}{unit} (± {number((hi - lo) / 2, places)})"
