"""A comparison in words and digits, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.metrics.compare import NEUTRAL, Comparison
from joulemark.metrics.compare_definitions import (
    ACCURACY,
    CPU_PER_CORRECT,
    PER_CORRECT,
    PER_CORRECT_BOUND,
    PER_REQUEST,
    PER_TOKEN,
    POINTS,
    SCORES,
    TOKENS_EACH,
)
from joulemark.metrics.value import Value
from joulemark.report.setting_titles import in_a_sentence
from joulemark.report.wording import DASH, decimals, number, printable

_SURE = "95\N{NO-BREAK SPACE}%"
_LED = {
    PER_CORRECT.name: ("the energy", "a correct answer"),
    PER_REQUEST.name: ("the energy", "a request"),
    CPU_PER_CORRECT.name: ("the processor time", "a correct answer"),
}


def why(value: Value) -> str:
    """Return the sentence that says why a figure of a comparison is null; it names the run."""
    return "" if value.reason is None else printable(value.detail or value.reason.text)


def texts(name: str, value: Value) -> tuple[str, str]:
    """Return a figure and its interval as texts without a unit; a dash and nothing when withheld."""
    if value.value is None:
        return DASH, ""
    signed = name in NEUTRAL
    width = None if value.lo is None or value.hi is None else value.hi - value.lo
    places = min(4, decimals(value.value, width) if width else 2 if signed else 3)
    if value.unit == POINTS:
        places = max(1, places)
    if value.lo is None or value.hi is None:
        return _number(value.value, places, signed), ""
    lo, hi = (_number(x, places, signed) for x in (value.lo, value.hi))
    return _number(value.value, places, signed), f"{lo} to {hi}"


def _number(value: float, places: int, signed: bool) -> str:
    text = number(value, places)
    return text if not signed or text.startswith("-") else f"+{text}"


def headline(a: str, b: str, comparison: Comparison) -> str:
    """Return the sentence a comparison leads with: how much more or less B needs, or that nobody can tell."""
    if leads_with_accuracy(comparison):
        return _difference(a, b, ACCURACY.name, "right", comparison)
    name = comparison.headline
    value = comparison.figures[name]
    what, each = _LED[name]
    if value.value is None:
        return f"The energy of {a} and {b} for {each} is not compared: {why(value)}"
    point, interval = texts(name, value)
    sure = f" ({_SURE}: {interval})" if interval else ""
    needs = f"{b} needs {point} times {what} of {a} for {each}{sure}"
    apart = comparison.told_apart(name)
    if apart:
        return f"{needs}."
    if apart is None:
        return f"{needs}. How sure that is cannot be said: {unsure(value, comparison)}"
    tie = f"{a} and {b} cannot be told apart at 95 %: {needs}"
    needed = comparison.items_needed(name)
    if needed is not None:
        return f"{tie}. About {needed:,} items would tell a ratio of this size."
    if value.lo is not None and value.hi is not None and value.lo <= 1 <= value.hi:
        return f"{tie}."
    bound = texts(PER_CORRECT_BOUND.name, comparison.figures[PER_CORRECT_BOUND.name])[1]
    return f"{tie}, but the meters' own bounds ({bound}) leave room for no difference."


def leads_with_accuracy(comparison: Comparison) -> bool:
    """Tell whether accuracy leads: no joules in both runs, and processor time refused for a busy machine."""
    figures = comparison.figures
    if figures[PER_REQUEST.name].value is not None or figures[PER_CORRECT.name].value is not None:
        return False
    no_energy_refused = not any(PER_CORRECT.name in one.figures for one in comparison.refusals)
    return no_energy_refused and is_busy(comparison) and figures[ACCURACY.name].value is not None


def is_busy(comparison: Comparison) -> bool:
    """Tell whether times are not compared because the machine of a run was busy."""
    return any(one.code == "busy_machine" for one in comparison.refusals)


def findings(a: str, b: str, comparison: Comparison) -> Iterator[str]:
    """Yield the sentences below the headline: what was compared, right and wrong, where energy went."""
    led_by_accuracy = leads_with_accuracy(comparison)
    if comparison.headline == CPU_PER_CORRECT.name or led_by_accuracy:
        yield f"No joules are compared: {why(comparison.figures[PER_CORRECT.name])}"
    yield _pairing(a, b, comparison)
    if comparison.figures[ACCURACY.name].value is not None and not led_by_accuracy:
        yield _difference(a, b, ACCURACY.name, "right", comparison)
    elif has_scores(comparison):
        yield _difference(a, b, SCORES.name, "", comparison)
    counts = comparison.outcomes
    if counts is not None:
        p = "" if counts.p_value is None else f"; exact McNemar p = {counts.p_value:.2g}"
        only = f"only in {a} {counts.only_a:,}, only in {b} {counts.only_b:,}"
        yield f"Right in both {counts.both:,}, {only}, in neither {counts.neither:,}{p}."
    yield from _split(b, comparison)
    yield from _transfer(a, b, comparison)


def has_scores(comparison: Comparison) -> bool:
    """Tell whether answers were scored in place of right and wrong; a right one's score of 1 says no more."""
    figures = comparison.figures
    return figures[SCORES.name].value is not None and figures[ACCURACY.name].value is None


def _pairing(a: str, b: str, comparison: Comparison) -> str:
    n_a, n_b = comparison.n_items
    if comparison.paired:
        left = [f"{n:,} only in {label}" for n, label in zip(comparison.left_out, (a, b), strict=True) if n]
        rest = f" {' and '.join(left)}: left out." if left else ""
        return f"Paired: the same {n_a:,} items in both.{rest}"
    why_not = (
        f"they were not asked the same ({in_a_sentence(comparison.questions)})"
        if comparison.questions
        else "they have no item in common"
    )
    return f"Not paired, for {why_not}: taken as independent samples of {n_a:,} and {n_b:,} items."


def _difference(a: str, b: str, name: str, what: str, comparison: Comparison) -> str:
    point, interval = texts(name, comparison.figures[name])
    sure = f" ({_SURE}: {interval})" if interval else ""
    tie = "" if comparison.told_apart(name) is not False else f": {a} and {b} cannot be told apart in that"
    if what:
        return f"Accuracy of {b} against {a}: {point} percentage points{sure}{tie}."
    return f"Mean score of {b} against {a}: {point}{sure}{tie}."


def _split(b: str, comparison: Comparison) -> Iterator[str]:
    split = comparison.split
    if split.per_request is None:
        return
    whole, token, tokens = (
        texts(name, comparison.figures[name])[0]
        for name in (PER_REQUEST.name, PER_TOKEN.name, TOKENS_EACH.name)
    )
    shares = ""
    if split.share_per_token is not None and split.share_tokens is not None:
        price, count = (number(100 * share, 0) for share in (split.share_per_token, split.share_tokens))
        shares = f" Of the change (in logarithms), {price} % is the token's price and {count} % their number."
    yield (
        f"A request of {b} takes {whole} times the energy = {token} times the energy of a token × {tokens} "
        f"times the tokens.{shares}"
    )


def _transfer(a: str, b: str, comparison: Comparison) -> Iterator[str]:
    """Yield how well the cost model of one prices the other; nothing where it does not apply."""
    error = comparison.transfer
    if error.value is None or error.lo is None or error.hi is None:
        return
    places = decimals(error.value, error.hi - error.lo)
    off, lo, hi = (_number(x, places, signed=True) for x in (error.value, error.lo, error.hi))
    told = f"The cost model of {a} misses what was metered of {b} by {off} %"
    carries = "" if error.lo <= 0 <= error.hi else ": it does not carry over"
    yield f"{told} ({_SURE}: {lo} to {hi}){carries}."


def unsure(value: Value, comparison: Comparison) -> str:
    """Return why it cannot be said whether two runs differ in a figure: no interval, or no meter's bound."""
    bound = comparison.figures.get(PER_CORRECT_BOUND.name)
    reason = value.interval_reason or (bound.interval_reason if bound else None)
    return reason.text if reason else "There is no interval."
