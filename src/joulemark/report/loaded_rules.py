"""The sensitivity table: what other rules for a steady state make of the same run."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.published_windows import OURS, RuleFigures
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value
from joulemark.report.cells import Cell, cell
from joulemark.report.wording import DASH, number, printable, why

_NONE = Cell(DASH)


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule's line; ``why`` is the sentence where it finds no window, and then there are no cells."""

    title: str
    ours: bool
    why: str = ""
    window: str = DASH
    share: str = DASH
    tokens: Cell = _NONE
    per_token: Cell = _NONE
    per_request: Cell = _NONE
    beside: str = ""


def rule_rows(summary: Summary) -> list[RuleRow]:
    """Return ours first, then the published rules; a run without load has none."""
    rules = summary.steady.rules
    ours = next((rule.joules_per_request for rule in rules if rule.rule == OURS), None)
    return [_row(rule, ours) for rule in rules]


def _row(rule: RuleFigures, ours: Value | None) -> RuleRow:
    title, is_ours = printable(rule.title), rule.rule == OURS
    title = title[0].upper() + title[1:]
    if rule.t0_s.value is None or rule.t1_s.value is None:
        return RuleRow(title, is_ours, why=why(rule.t0_s))
    share = rule.share_of_run.value
    return RuleRow(
        title,
        is_ours,
        window=f"{rule.t0_s.value:,.1f} … {rule.t1_s.value:,.1f} s",
        share=DASH if share is None else f"{100 * share:.0f} %",
        tokens=_count(rule.tokens),
        per_token=cell("steady_joules_per_token", rule.joules_per_token),
        per_request=cell("steady_joules_per_request", rule.joules_per_request),
        beside="" if is_ours else _beside(rule.joules_per_request, ours),
    )


def _count(tokens: Value) -> Cell:
    return Cell(DASH, why(tokens)) if tokens.value is None else Cell(f"{tokens.value:,.0f}")


def _beside(value: Value, ours: Value | None) -> str:
    """Return how far a rule's energy per request is from ours."""
    if ours is None or not ours.value or value.value is None:
        return DASH
    change = 100 * (value.value / ours.value - 1)
    return f"{'+' if change > 0 else ''}{number(change, 1)} %"
