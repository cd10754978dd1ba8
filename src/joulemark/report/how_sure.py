"""How sure the headline is, in sentences that are made from the figures themselves."""

from __future__ import annotations

from joulemark.metrics.bootstrap import MIN_SCORED_ITEMS
from joulemark.metrics.catalogue import definition
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value, scaled
from joulemark.record.reason import Reason
from joulemark.report.headline import BOUND, ENERGY, leading, leads_with_energy
from joulemark.report.loaded_words import leading_loaded, plain_title
from joulemark.report.of_load import is_loaded
from joulemark.report.repeats import n_repeats, spread_text
from joulemark.report.wording import (
    decimals,
    figure_texts,
    number,
    tier_sentence,
    why,
    why_no_interval,
)

STEADY_BOUND = "steady_joules_per_request_bound"
TOLD = frozenset({"single_run"})  # caveats that these sentences say already
_ALIKE = 1.5  # widths whose ratio is below this weigh alike


def how_sure(summary: Summary) -> list[str]:
    """Return the paragraph for a reader who knows no statistics."""
    if not _answered(summary):
        told = [
            "No request was answered: no figure of an answer is known, so there is nothing to be sure of."
        ]
        joules = summary.figures["total_joules"]
        return told if joules.value is None else [*told, _meter(joules)]
    return [*what_it_means(summary), *what_weighs(summary)]


def what_it_means(summary: Summary) -> list[str]:
    """Return what the headline's interval and the meter's bound say."""
    name = leading_loaded(summary) if _is_steady(summary) else leading(summary)
    value = summary.figures[name]
    title, (text, interval) = _title(name, summary), figure_texts(name, value)
    told = [_questions(summary, name, title, text, interval, value)]
    if beside := _quality(summary, name):
        told.append(beside)
    joules = summary.figures["total_joules"]
    if joules.value is None:
        told.append(f"Energy was not measured: {why(joules)}")
    elif joules.lo is not None and joules.hi is not None:
        told += [_steady_meter(summary) or _meter(joules), _checked(summary)]
    return [sentence for sentence in told if sentence]


def what_weighs(summary: Summary) -> list[str]:
    """Return what the largest doubt is, what one run cannot tell, and how far the meter was checked."""
    if not _answered(summary):
        return []
    found = [_larger(summary), _repeated(summary), _tier(summary)]
    if any(caveat.loud and caveat.code != "no_joules" for caveat in summary.caveats):
        found.append("The warnings at the top weigh more than any interval.")
    return [sentence for sentence in found if sentence]


def _answered(summary: Summary) -> int:
    return summary.n_requests - summary.verdicts["failed"]


def _asked(n: int) -> str:
    return f"{n:,} questions" if n != 1 else "one question"


def _questions(summary: Summary, name: str, title: str, text: str, interval: str, value: Value) -> str:
    n = _asked(summary.n_items)
    if value.value is None:
        return f"{title} is not known: {why(value)}"
    if value.interval == "ci95":
        span = interval.removeprefix("95 % interval ")
        made = f" (by {value.interval_method})" if value.interval_method else ""
        return (
            f"{title} is {text} for the {n} asked. Other questions of the same kind would give another "
            f"figure: {span} is the 95 % interval{made}, a range that holds the true one in 19 of 20 such "
            "runs."
        )
    few = value.interval_reason is Reason.TOO_FEW_ITEMS
    lack = (
        f"no interval can be given for so few (the least is {MIN_SCORED_ITEMS})"
        if few
        else f"without an interval: {why_no_interval(value).rstrip('.')}"
        if value.interval_reason
        else "how far other questions would move it is not computed"
    )
    return f"{title} is {text} for the {n} asked; {lack}."


def _quality(summary: Summary, name: str) -> str:
    """Return how sure the answers' own quality is, unless it leads."""
    for quality in ("accuracy", "mean_score"):
        value = summary.figures[quality]
        if quality != name and value.value is not None and value.interval == "ci95":
            text, interval = figure_texts(quality, value)
            span = interval.removeprefix("95 % interval ")
            told = "likewise" if summary.figures[name].interval == "ci95" else "by its 95 % interval"
            return f"{definition(quality).title} is {text}, {told} {span}."
    return ""


def _is_steady(summary: Summary) -> bool:
    """Tell whether the headline is of a steady state: then so is all that is said of it here."""
    return is_loaded(summary) and isinstance(summary.steady.window, SteadyWindow)


def _title(name: str, summary: Summary) -> str:
    return f"{plain_title(name)} under load" if _is_steady(summary) else definition(name).title


def _steady_meter(summary: Summary) -> str:
    """Return the meter's bound of a steady state as a share of its energy; nothing where there is none."""
    bound = summary.figures[STEADY_BOUND]
    if not _is_steady(summary) or not bound.value or bound.lo is None or bound.hi is None:
        return ""
    share = 100 * max(bound.value - bound.lo, bound.hi - bound.value) / bound.value
    return (
        f"The meter can have missed at most {share:.2g} % of the steady state's energy: that is its bound, "
        "which is no statistics but a limit, to hold in 99 of 100 measurements."
    )


def _meter(joules: Value) -> str:
    assert joules.value is not None
    assert joules.lo is not None
    assert joules.hi is not None
    off = max(joules.value - joules.lo, joules.hi - joules.value)
    share = f" ({100 * off / joules.value:.2g} %)" if joules.value > 0 else ""
    text, most = figure_texts("total_joules", joules)[0], number(off, decimals(off, off))
    return (
        f"The meter can have missed at most {most} J of {text}{share}: that is its bound, which is no "
        "statistics but a limit, to hold in 99 of 100 measurements."
    )


def _larger(summary: Summary) -> str:
    """Compare the interval over items with the meter's bound, both of the energy that leads."""
    items, bound = summary.figures[ENERGY], summary.figures[BOUND]
    if _is_steady(summary):
        items, bound = summary.figures[leading_loaded(summary)], summary.figures[STEADY_BOUND]
        if items.value and bound.value:  # one energy over the window stands in both
            bound = scaled(bound, items.value / bound.value, "J")
    if None in (items.lo, items.hi, bound.lo, bound.hi):
        return ""
    assert items.lo is not None
    assert items.hi is not None
    assert bound.lo is not None
    assert bound.hi is not None
    of_items, of_meter = items.hi - items.lo, bound.hi - bound.lo
    if of_items >= _ALIKE * of_meter:
        times = f", {number(of_items / of_meter, 0)} times the meter's bound" if of_meter > 0 else ""
        return f"The questions are the larger doubt{times}: more of them narrow it, a better meter does not."
    if of_meter >= _ALIKE * of_items:
        return "The meter is the larger doubt: a longer run or a better meter narrows it."
    return "Questions and meter weigh about alike: a longer run narrows both."


def _checked(summary: Summary) -> str:
    drift = summary.figures["counter_vs_integration_pct_diff"].value
    if drift is None or summary.replayed:
        return ""
    return f"The device's power readings, added up over time, give {drift:+.1f} % against its counter."


def _repeated(summary: Summary) -> str:
    name, n = leading(summary), n_repeats(summary)
    if is_loaded(summary):
        asked = f", in which each question was asked {n} times" if n > 1 else ""
        return (
            f"It is one run{asked}: how far a second one would differ (a warmer device, other clocks) is not "
            "known; the same command with another `--out`, and `joulemark runs --spread`, tell."
        )
    if n < 2:
        return (
            "It is one run: how far a second one would differ (a warmer device, other clocks) is not known; "
            "`--repeat 3` tells."
        )
    spread = summary.repeats.get(name)
    if spread is None or spread.sigma is None:
        return f"Everything was asked {n} times; the spread stands below."
    title = definition(name).title.lower()
    spread_of_it = f"{spread_text(name, spread)}, mean ± standard deviation of the {title}"
    return f"Everything was asked {n} times: {spread_of_it}."


def _tier(summary: Summary) -> str:
    if summary.replayed:
        return "The joules were replayed from a recording: they say nothing of this run."
    if not leads_with_energy(summary):
        return ""
    if summary.measurement_tier is None:
        return f"It has no tier: {tier_sentence(summary)}"
    outside = {
        "A": "",
        "B": "",
        "C": "; no meter outside the device checked it",
    }[summary.measurement_tier]
    return f"Tier {summary.measurement_tier}: {tier_sentence(summary)}{outside}."
