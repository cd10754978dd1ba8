"""The table of items: what each request was, took and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.metrics.run_view import RunView
from joulemark.record.item import Item
from joulemark.record.reason import Reason
from joulemark.report.cells import Cell, notes
from joulemark.report.item_cost import ItemCost
from joulemark.report.theme import verdict_name
from joulemark.report.wording import DASH, decimals, number, printable

MAX_ITEM_ROWS = 500
_REASONS = {reason.value: reason.text for reason in Reason}


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A line of the table of items."""

    name: str
    verdict: str
    prompt: Cell
    output: Cell
    time: str
    cost: Cell
    bound: Cell


def item_rows(run: RunView, costs: ItemCost) -> list[ItemRow]:
    """Return the first items as rows."""
    by_order = {point["order"]: point for point in costs.points}
    found = []
    for order, item in enumerate(run.measured_items[:MAX_ITEM_ROWS], 1):
        point = by_order.get(order)
        cost = bound = Cell(DASH, costs.reasons.get(order, Reason.NOT_MEASURED.text))
        if point:
            width = None if point["lo"] is None else point["hi"] - point["lo"]
            places = decimals(point["cost"], width)
            cost = Cell(number(point["cost"], places))
            bound = Cell(DASH, costs.no_bound)
            if point["lo"] is not None:
                bound = Cell(f"{number(point['lo'], places)} … {number(point['hi'], places)}")
        repeat = f" #{item.repeat + 1}" if run.manifest.repeats > 1 else ""
        found.append(
            ItemRow(
                printable(item.item_id) + repeat,
                verdict_name(item),
                _count(item, "prompt_tokens"),
                _count(item, "completion_tokens"),
                f"{(item.t_end - item.t_begin) / 1e9:,.2f} s",
                cost,
                bound,
            )
        )
    return found


def item_notes(rows: Sequence[ItemRow], cost_title: str, *, with_bounds: bool = True) -> list[str]:
    """Return why cells of the table are dashes; without bounds where the table leaves them out."""
    cells = []
    for row in rows:
        cells += [("Prompt tokens", row.prompt), ("Output tokens", row.output)]
        cells.append((cost_title, row.cost))
        if with_bounds:
            cells.append(("Meter's bound", row.bound))
    return notes(cells)


def _count(item: Item, name: str) -> Cell:
    tokens = item.prompt_tokens if name == "prompt_tokens" else item.completion_tokens
    if tokens is not None:
        return Cell(f"{tokens:,}")
    code = item.reasons.get(name, Reason.NOT_REPORTED.value)
    return Cell(DASH, _REASONS.get(code) or printable(code))
