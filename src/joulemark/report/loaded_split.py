"""Where the energy of a load went: prompts, output and idle power, as one bar."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt

from joulemark.metrics.summary import Summary
from joulemark.record.reason import Reason
from joulemark.report.theme import ACCENT, INK, Picture, named
from joulemark.report.wording import figure_texts, number, printable, why

_HEIGHT_PX = 34
_COLOURS = {"prompts": "var(--truncated)", "output": ACCENT, "idle power": "var(--unscored)"}
_IDLE = {"gaps": "its pauses without a request", "baseline": "the calibration of this machine"}


@dataclass(frozen=True, slots=True)
class Split:
    """Parts of the energy (0..1, they sum to 1) in the order of the bar.

    ``lo`` and ``hi`` are the 95 % interval of the prompts' part, which is where prompts end in the bar; what
    output takes is open by as much, the other way.
    """

    parts: tuple[tuple[str, float], ...]
    lo: float | None
    hi: float | None


def split_of(summary: Summary) -> Split | None:
    """Return the parts; null where the load does not tell them apart."""
    fit = summary.steady.input_aware
    prompt, output, idle = fit.prompt_share, fit.output_share, fit.idle_share
    if prompt is None or output is None or idle is None:
        return None
    parts = [("prompts", prompt), ("output", output)]
    if fit.idle_source is not None:
        parts.append(("idle power", idle))
    share = summary.figures["loaded_prompt_share"]
    return Split(tuple(parts), share.lo, share.hi)


def split_words(summary: Summary) -> list[str]:
    """Say the parts, what a token costs and what that rests on; or why the load does not tell."""
    found, fit = split_of(summary), summary.steady.input_aware
    prompt_j = summary.figures["loaded_joules_per_prompt_token"]
    output_j = summary.figures["loaded_joules_per_output_token"]
    if found is None:
        return [f"Prompts and output are not told apart: {why(prompt_j)}"]
    shares = [f"{name} {100 * share:.0f} %" for name, share in found.parts]
    if found.lo is not None and found.hi is not None:
        shares[0] += f" (95 % interval {100 * found.lo:.0f} … {100 * found.hi:.0f} %)"
    text, interval = figure_texts("loaded_joules_per_prompt_token", prompt_j)
    beside = f" ({interval})" if interval else ""
    token = figure_texts("loaded_joules_per_output_token", output_j)[0]
    fitted = "" if fit.r2 is None else f", which explain {100 * fit.r2:.0f} % of the variance"
    told = ", ".join(shares)
    first = f"{told[0].upper()}{told[1:]} of the energy while requests were at work."
    costs = f"A prompt token costs {text}{beside}, an output token after the first {token}."
    return [first, f"{costs} Fitted to {fit.n:,} stretches of time{fitted}; {_idle(summary)}"]


def _idle(summary: Summary) -> str:
    fit = summary.steady.input_aware
    if fit.idle_source is None:
        return "no idle power is known, so what time costs is inside the other two."
    watts = "" if fit.weights is None else f" of {number(fit.weights[0], 1)} W"
    return f"the idle power{watts} is from {_IDLE.get(fit.idle_source, printable(fit.idle_source))}."


def is_told(summary: Summary) -> bool:
    """Tell whether the split has anything to say: a run without load or without joules has not."""
    unsaid = (Reason.NOT_LOADED, Reason.NO_METER, Reason.NO_METER_ASKED_FOR)
    return summary.steady.input_aware.reason not in unsaid


def split_chart(split: Split, width: int) -> Picture:
    """Draw the parts as one bar, and the interval of where prompts end across it."""
    rows, begin = [], 0.0
    for name, share in split.parts:
        rows.append({"part": name, "a": 100 * begin, "b": 100 * (begin + share)})
        begin += share
    present = {name: _COLOURS[name] for name, _ in split.parts}
    scale = alt.Scale(domain=list(present), range=list(present.values()))
    colour = alt.Color("part:N", scale=scale, legend=alt.Legend(title=None, orient="top", columns=3))
    across = alt.Scale(domain=[0, 100], nice=False)
    axis = alt.Axis(title="% of the energy", grid=False, tickCount=5, labelOverlap=True)
    bar = alt.Chart(named("parts")).mark_rect(height=_HEIGHT_PX - 12, opacity=0.85)
    drawn = [bar.encode(x=alt.X("a:Q", scale=across, axis=axis), x2="b:Q", y=alt.value(_HEIGHT_PX / 2),
                        color=colour)]  # fmt: skip
    data = {"parts": rows}
    if split.lo is not None and split.hi is not None:
        data["interval"] = [{"lo": 100 * split.lo, "hi": 100 * split.hi}]
        base = alt.Chart(named("interval"))
        middle = alt.value(_HEIGHT_PX / 2)
        drawn.append(
            base.mark_rule(color=INK, strokeWidth=2).encode(
                x=alt.X("lo:Q", scale=across, axis=axis), x2="hi:Q", y=middle
            )
        )
        for end in ("lo", "hi"):
            tick = base.mark_tick(orient="vertical", color=INK, thickness=2, size=14)
            drawn.append(tick.encode(x=alt.X(f"{end}:Q", scale=across, axis=axis), y=middle))
    return Picture(alt.layer(*drawn, width=width, height=_HEIGHT_PX), data)
