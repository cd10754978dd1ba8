"""A recommendation in words and digits, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.metrics.comparable import GROUND_CODES
from joulemark.metrics.limits import Checked
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.recommendation import NearMiss, Recommendation
from joulemark.metrics.value import Value
from joulemark.metrics.why_none import why_none
from joulemark.report.simulated_points import simulated_words
from joulemark.report.wording import figure_texts, number, printable

_OF = {"request": "a request", "image": "an image", "video": "a video"}
_LATENCY = {
    "tpot": "time per output token",
    "ttft": "time to first token",
    "ttfa": "time to first answer token",
    "itl": "inter-token latency",
    "icl": "gap between chunks",
    "e2el": "end-to-end latency",
    "ttft_scheduled": "time to first token from when due",
    "e2el_scheduled": "end-to-end latency from when due",
}
_SHORT_LATENCY = {"tpot": "a token", "ttft": "to the first token", "e2el": "for the whole answer"}
_FIGURE = {
    "energy_j": "energy",
    "joules_per_correct": "energy per correct answer",
    "accuracy": "accuracy",
    "usd": "cost",
    "gco2e": "CO2e",
    "throughput": "throughput",
    "tokens_per_second": "output tokens per second",
    "throughput_per_watt": "throughput per watt",
    "mean_power_w": "mean power",
    "tdp_energy_j": "estimate by rated power (modelled)",
    "tdp_ratio": "rated power over measured",
}
_KINDS = {
    "measured": "measured by this program",
    "published": "as others published it",
    "simulated": "simulated, not measured",
}


def figure_title(name: str) -> str:
    """Return what a figure is called, for instance ``time per output token, p99``."""
    if name in _FIGURE:
        return _FIGURE[name]
    latency, _, statistic = name.rpartition("_")
    iteration = latency.removesuffix("_iteration")
    title = _LATENCY.get(iteration, iteration.replace("_", " "))
    return f"{title}{' as published' if iteration != latency else ''}, {statistic}"


def objective_title(found: Recommendation) -> str:
    """Return what is made small, with its unit."""
    if found.wish.objective == "joules_per_correct":
        return "J per correct answer"
    return f"J per {found.ranked[0].unit}" if found.ranked else "J"


def title(found: Recommendation) -> str:
    """Return what was asked: the model or how many of them, and the task; where none is ranked, of all."""
    points = found.ranked or tuple(one.point for one in found.left_out)
    models = sorted({printable(point.model) for point in points})
    tasks = sorted({printable(point.task) for point in points})
    who = models[0] if len(models) == 1 else f"{len(models) or 'no'} models"
    return f"What to run: {who}" + (f", {', '.join(tasks)}" if tasks else "")


def leads(found: Recommendation) -> list[str]:
    """Return the answer in one or two sentences."""
    pick = found.pick
    if pick is None:
        nearest = [_nearest(miss, found) for miss in found.near_misses[:1]]
        return [printable(why_none(found)), *nearest]
    energy = figure_texts("energy", figure_of(pick, found.wish.objective))[0]
    of = "a correct answer" if found.wish.objective == "joules_per_correct" else _OF[pick.unit]
    said = f"Run {named(pick, found)}{_among(found)}: {energy} {of}{_at(pick, found.latency)}."
    return [said, *_savings(found)]


def _among(found: Recommendation) -> str:
    """Say that the pick is what was left over, where half of the configurations could not be judged."""
    lacking = {id(one.point) for one in found.left_out if one.code not in GROUND_CODES}
    judged = sum(id(point) not in lacking for point in found.ranked)
    n = len(lacking | {id(point) for point in found.ranked})
    if 2 * judged > n:
        return ""  # the line below the answer says how many
    if judged == 1:
        return f", the only one of {n} that could be judged"
    return f", the best of the {judged} of {n} that could be judged"


def _at(point: OperatingPoint, latency: str) -> str:
    value = figure_of(point, latency)
    if value.value is None:
        return ""
    name, _, statistic = latency.rpartition("_")
    short = _SHORT_LATENCY.get(name, f"({figure_title(latency)})")
    if name == "e2el" and point.unit != "request":
        short = f"for {'a batch' if point.settings.get('max_batch') not in (None, 1) else _OF[point.unit]}"
    return f" at {figure_texts('latency', value)[0]} {short}" + (
        f" ({statistic})" if statistic != "mean" else ""
    )


def _savings(found: Recommendation) -> list[str]:
    said = []
    for name, other, what in (
        ("fastest", found.fastest, "the fastest"),
        ("default", found.default, "the default"),
        ("least_energy", found.least_energy, "the least energy without limits"),
    ):
        value = found.savings[name]
        if other is None or value.value is None or other is found.pick:
            continue
        said.append(_saving(value, f"{what} ({named(other, found)})"))
    if not said:
        fastest = found.fastest is found.pick and found.pick is not None
        return ["It is the fastest as well."] if fastest else []
    return [f"Energy: {'; '.join(said)}."]


def _saving(value: Value, other: str) -> str:
    """Return what the pick saves against ``other``; its interval in the words and the order of the figure."""
    assert value.value is not None
    share, interval = 100 * value.value, ""
    if value.lo is not None and value.hi is not None:
        low, high = 100 * value.lo, 100 * value.hi
        if low <= 0 <= high:
            between = f"between {number(-low, 1)} % more and {number(high, 1)} % less"
            return f"cannot be told apart from {other}: {between}"
        least, most = sorted((abs(low), abs(high)))
        interval = f" ({number(least, 1)} … {number(most, 1)} %)"
    return f"{number(abs(share), 1)} %{interval} {'less' if share >= 0 else 'more'} than {other}"


def _nearest(miss: NearMiss, found: Recommendation) -> str:
    return f"The nearest is {named(miss.point, found)}: {'; '.join(missed(miss))}."


def missed(miss: NearMiss) -> list[str]:
    """Return which limits a point misses, and by how much."""
    return [miss_words(check) for check in miss.checks if not check.met]


def miss_words(check: Checked) -> str:
    """Return how a figure stands to its limit."""
    limit = check.limit
    have = figure_texts(limit.name, check.value)[0]
    bound = figure_texts(limit.name, Value(limit.bound, check.value.unit))[0]
    least = "at least" if limit.at_least else "at most"
    said = f"{figure_title(limit.name)} {have}, {least} {bound} is asked for"
    if check.met or check.missed_share is None:
        return said
    return f"{said} ({number(100 * check.missed_share, 1)} % beyond it)"


def limit_lines(found: Recommendation) -> list[str]:
    """Return the limits and how the pick stands to each."""
    if found.pick is None:
        return []
    lines = []
    for check in found.checks(found.pick):
        noise = "; noise decides whether it is met" if check.within_noise else ""
        lines.append(miss_words(check) + noise)
    return lines


def evidence(found: Recommendation) -> str:
    """Return what the ranked figures are."""
    kinds = [kind for kind in _KINDS if any(point.kind == kind for point in found.ranked)]
    said = "; ".join(_KINDS[kind] for kind in kinds)
    n, front = len(found.ranked), len(found.front.on)
    counted = f"{n} configurations, {front} of them on the front; {len(found.met)} meet the limits."
    return f"{counted} {said.capitalize()}."


def simulated_line(found: Recommendation) -> str:
    """Return the warning that it is all simulated, or nothing."""
    return simulated_words(found.ranked or tuple(one.point for one in found.left_out))


def left_out_first(found: Recommendation) -> list[str]:
    """Return what to know beside the answer: how many were left out, a line a kind of reason."""
    if not found.ranked:
        return []  # the answer itself says why
    texts: dict[str, list[str]] = {}
    for one in found.left_out:
        texts.setdefault(one.code, []).append(one.text)
    n = len({id(point) for point in (*found.ranked, *(one.point for one in found.left_out))})
    return [f"Left out: {len(of)} of {n} configurations. {printable(of[0])}" for of in texts.values()]


def left_out_lines(found: Recommendation) -> list[str]:
    """Return why points take no part, each reason once with how many it leaves out."""
    by_text: dict[str, list[str]] = {}
    for one in found.left_out:
        by_text.setdefault(one.text, []).append(printable(one.point.label))
    return [_line(labels, text) for text, labels in by_text.items()]


def _line(labels: Sequence[str], text: str) -> str:
    who = labels[0] if len(labels) == 1 else f"{len(labels)} configurations"
    return f"Left out: {who}. {printable(text)}"


def note_lines(found: Recommendation) -> list[str]:
    """Return what is to be known beside the figures."""
    return [printable(note) for note in found.notes]


def named(point: OperatingPoint, found: Recommendation) -> str:
    """Return a point's label, with its model where there are several."""
    label = printable(point.label)
    if len({one.model for one in found.ranked}) > 1:
        return f"{printable(point.model).rpartition('/')[2]} on {label}"
    return label


ROLE_WORDS: Mapping[str, str] = {
    "pick": "the pick",
    "fastest": "the fastest",
    "default": "the default",
    "front": "on the front",
    "tied": "within noise of it",
    "off": "off the front",
}
