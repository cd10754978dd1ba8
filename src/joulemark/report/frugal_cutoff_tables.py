"""The tables beside the published cut-off, the same in the terminal and on the page."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.frugal.published.criteria import Criterion
from joulemark.frugal.published.loss import Loss
from joulemark.frugal.published.study import Study
from joulemark.report.frugal_cutoff_words import amount, loss_unit, p_text, percent, points, with_unit
from joulemark.report.wording import DASH, number, printable

_FRAME_COLUMNS = ("frame", "of all", "cut-off", "±", "p", "loss", "formula")
_STEP_COLUMNS = ("items", "left", "of all", "cut-off", "p", "loss", "formula")
_CRITERION_COLUMNS = ("criterion", "all items", "at cut-off", "saved", "own cut-off", "kind")


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table with its heading; each of ``rows`` has a cell a column, ``notes`` are to be read below it."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: list[str]


def study_tables(found: Study) -> list[StudyTable]:
    """Return the criteria where there are any, and what was asked for beside them."""
    tables = []
    if found.outcomes.costs or found.projected:
        rows = [*_criterion_rows(found), *_projection_rows(found)]
        tables.append(StudyTable("Cost, latency, carbon", _CRITERION_COLUMNS, rows, _criterion_notes(found)))
    if found.frame_study is not None:
        notes = [f"* a share of all items, as published. Loss and formula in {loss_unit(found)}."]
        tables.append(StudyTable("By the length of frames", _FRAME_COLUMNS, _frame_rows(found), notes))
    if found.self_application is not None:
        tables.append(StudyTable("Applied to itself", _STEP_COLUMNS, _step_rows(found), _step_notes(found)))
    return tables


def _frame_rows(found: Study) -> list[tuple[str, ...]]:
    """Return the study of frames: length, share, cut-off, deviation, p, loss and formula."""
    rows: list[tuple[str, ...]] = []
    for one in found.frame_study or ():
        length = f"{one.length:,}"
        share = percent(one.length / len(found.outcomes)) + (" *" if one.share is not None else "")
        if one.fraction is None or one.sd is None or one.loss is None:
            rows.append((length, share, DASH, DASH, DASH, DASH, DASH))
            continue
        p = DASH if one.ks_p is None else p_text(one.ks_p)
        cut = percent(one.fraction)
        rows.append((length, share, cut, number(100 * one.sd, 1), p, *_losses(one.loss)))
    return rows


def _step_rows(found: Study) -> list[tuple[str, ...]]:
    """Return the steps of the self-application."""
    if found.self_application is None:
        return []
    return [
        (
            f"{step.n_items:,}",
            f"{step.n_left:,}" + (" rejected" if step.rejected else ""),
            percent(step.n_left / len(found.outcomes)),
            percent(step.fraction),
            DASH if step.ks_p is None else p_text(step.ks_p),
            *_losses(step.loss),
        )
        for step in found.self_application.steps
    ]


def _step_notes(found: Study) -> list[str]:
    """Say why it ended and what that means."""
    if found.self_application is None:
        return []
    why = "The sizes fall by the same constant at every step; the loss against all items is that of a random "
    return [f"Ended: {found.self_application.ended}. {why}sample of the size, as the formula says."]


def _criterion_rows(found: Study) -> list[tuple[str, ...]]:
    """Return the published criteria and other columns that there are."""
    return [_criterion_row(one) for one in found.criteria if one.total is not None]


def _criterion_notes(found: Study) -> list[str]:
    """Say why a criterion has no figures."""
    lines = [f"{printable(one.title)}: {printable(one.why)}" for one in found.criteria if one.why]
    lines += [
        f"{printable(other.name)}, {row.title}: {row.why}"
        for other, rows in found.projected
        for row in rows
        if row.why
    ]
    if any(one.saved is not None for one in found.criteria):
        lines.append("saved ± 95 %: which items are asked is chance")
    if any(one.fraction is not None for one in found.criteria):
        lines.append("own cut-off: that of the same method on this column alone, and as much a constant")
    return lines


def _projection_rows(found: Study) -> list[tuple[str, ...]]:
    """Return what other models would take, all of it modelled."""
    return [
        (
            f"{printable(other.name)}: {with_unit(row.title, row.name)}",
            amount(row.total),
            DASH if row.saved is None else amount(row.total - row.saved),
            DASH if row.saved is None else amount(row.saved),
            DASH,
            "modelled",
        )
        for other, rows in found.projected
        for row in rows
        if row.total is not None
    ]


def _criterion_row(one: Criterion) -> tuple[str, ...]:
    name = with_unit(one.title, one.name)
    own = DASH if one.fraction is None else percent(one.fraction)
    if one.total is None or one.spent is None or one.saved is None:
        return (name, DASH, DASH, DASH, own, DASH)
    half = "" if one.saved_half is None else f" ± {amount(one.saved_half)}"
    return (name, amount(one.total), amount(one.spent), f"{amount(one.saved)}{half}", own, one.kind)


def _losses(loss: Loss) -> tuple[str, str]:
    return points(loss.absolute), points(loss.formula)
