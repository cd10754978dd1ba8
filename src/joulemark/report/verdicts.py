"""What became of the answers, and what each kind of them cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value
from joulemark.metrics.verdict_energy import VerdictCost, VerdictCosts
from joulemark.record.item import Verdict
from joulemark.report.cells import Cell, cell, notes
from joulemark.report.theme import FAINT, INK, LINE, VERDICTS, Picture, Rows, named
from joulemark.report.wording import DASH, why

NO_REQUEST, NOT_APART = "no request", "not told apart"
_MEANS = {
    "correct": "the right answer",
    "wrong": "an answer, but not the right one",
    "unparsed": "no answer could be read from the reply",
    "truncated": "ended by the token limit",
    "refused": "the model declined",
    "failed": "the request broke",
    "scored": "has a score instead of right or wrong",
    "unscored": "could not be judged",
}
_UNIT_NAME = {"joules": "joules_per_request", "cpu_seconds": "cpu_seconds", None: "total_joules"}


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A verdict: how many requests, and what they cost together and in the mean."""

    verdict: str
    means: str
    n: str
    share: str
    cost: Cell
    share_of_cost: Cell
    mean_cost: Cell


def cost_title(costs: VerdictCosts) -> str:
    """Return what is counted, as a column's title."""
    return "Processor time" if costs.resource == "cpu_seconds" else "Energy"


def verdict_rows(summary: Summary) -> list[VerdictRow]:
    """Return the six verdicts, and what is none of them where it occurs; of scored tasks what occurs."""
    costs = summary.by_verdict
    graded = {verdict.value for verdict in Verdict} if not summary.verdicts["scored"] else set()
    return [_row(row, costs) for row in costs.rows if row.n or row.verdict in graded]


def verdict_notes(rows: Sequence[VerdictRow], title: str) -> list[str]:
    """Return why costs in the table are dashes, one line a reason; ``title`` is their column's."""
    return notes((f"{title} of {row.verdict}", cell) for row in rows for cell in (row.cost, row.mean_cost))


def rest_row(summary: Summary) -> VerdictRow | None:
    """Return what belongs to no request, or null where nothing is counted."""
    costs = summary.by_verdict
    if costs.total.value is None:
        return None
    name, who = _UNIT_NAME[costs.resource], NO_REQUEST
    means = "the time between requests, and what could not be told apart"
    if inside := [row.verdict for row in costs.rows if row.n and row.cost.value is None]:
        who, means = NOT_APART, f"of {', '.join(inside)} and of no request together: it could not be split"
    share = _share(costs.share_unattributed)
    return VerdictRow(who, means, "", "", cell(name, costs.unattributed), share, Cell(""))


def _row(row: VerdictCost, costs: VerdictCosts) -> VerdictRow:
    share = "" if row.share_of_requests is None else _percent(row.share_of_requests)
    if not row.n:
        empty = Cell("")
        return VerdictRow(row.verdict, _MEANS[row.verdict], "0", "", empty, empty, empty)
    name = _UNIT_NAME[costs.resource]
    return VerdictRow(
        row.verdict,
        _MEANS[row.verdict],
        f"{row.n:,}",
        share,
        cell(name, row.cost),
        _share(row.share_of_cost),
        cell(name, row.mean_cost),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.{0 if share >= 0.1 or not share else 1}f} %"


def _share(value: Value) -> Cell:
    return Cell(DASH, why(value)) if value.value is None else Cell(_percent(value.value))


def lost(summary: Summary) -> str:
    """Say how much went into answers that were not correct, or nothing where that is not known."""
    costs = summary.by_verdict
    if summary.verdicts["scored"] or not summary.n_requests:
        return ""
    rows = [row for row in costs.rows if row.n and row.verdict != "correct"]
    if not rows:
        return "Every answer was correct."
    shares = [row.share_of_cost.value for row in rows]
    if any(share is None for share in shares):
        return ""
    what = "processor time" if costs.resource == "cpu_seconds" else "energy"
    total = sum(share for share in shares if share is not None)
    names = ", ".join(row.verdict for row in rows)
    return f"{_percent(total)} of the {what} went into answers that were not correct ({names})."


def verdict_chart(summary: Summary, width: int) -> Picture:
    """Draw two bars of one length: the shares of requests, and below it the shares of what they cost."""
    costs = summary.by_verdict
    bars: Rows = _pieces("requests", [(r.verdict, r.share_of_requests or 0.0) for r in costs.rows if r.n])
    shares = [(r.verdict, r.share_of_cost.value) for r in costs.rows if r.n]
    known = [(verdict, share) for verdict, share in shares if share is not None]
    if known and len(known) == len(shares) and costs.total.value:
        rest = costs.share_unattributed.value or 0.0
        what = "processor time" if costs.resource == "cpu_seconds" else "energy"
        bars += _pieces(what, [*known, (NO_REQUEST, max(0.0, rest))])
    names = [name for name in (*VERDICTS, NO_REQUEST) if any(row["verdict"] == name for row in bars)]
    scale = alt.Scale(domain=names, range=[LINE if n == NO_REQUEST else f"var(--{n})" for n in names])
    legend = alt.Legend(title=None, orient="top", columns=max(2, width // 95))
    drawn = (
        alt.Chart(named("bars"), width=width, height=alt.Step(34))
        .mark_bar(height=24, stroke=FAINT, strokeWidth=0.5)
        .encode(
            x=alt.X("a:Q", title="share", scale=alt.Scale(domain=[0, 1]), axis=_per_cent_axis()),
            x2="b:Q",
            y=alt.Y("of:N", sort=None, title=None, axis=alt.Axis(labelColor=INK, ticks=False, domain=False)),
            color=alt.Color("verdict:N", scale=scale, legend=legend),
        )
    )
    return Picture(drawn, {"bars": bars})


def _per_cent_axis() -> alt.Axis:
    return alt.Axis(format=".0%", grid=False, tickCount=5)


def _pieces(of: str, shares: list[tuple[str, float]]) -> Rows:
    """Set shares end to end; what rounding has them exceed one by is scaled away."""
    total = max(1.0, sum(share for _, share in shares))
    at, found = 0.0, []
    for verdict, share in shares:
        if share > 0:
            found.append({"of": of, "verdict": verdict, "a": at / total, "b": (at + share) / total})
            at += share
    return found


def verdict_words(summary: Summary) -> str:
    """Describe the picture for a reader who does not see it."""
    counts = ", ".join(f"{count} {name}" for name, count in summary.verdicts.items() if count)
    return f"Of {summary.n_requests} requests: {counts}. {lost(summary)}".strip()
