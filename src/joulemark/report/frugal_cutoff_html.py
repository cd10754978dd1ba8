"""The published cut-off as one page: a single file, offline, without scripts."""

from __future__ import annotations

from pathlib import Path

from joulemark import __version__
from joulemark.frugal.published.cutoff import Cutoff
from joulemark.frugal.published.study import NullResult, Study
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.frugal_cutoff_chart import (
    distribution_chart,
    slopes_chart,
    steps_chart,
    tracking_chart,
)
from joulemark.report.frugal_cutoff_tables import study_tables
from joulemark.report.frugal_cutoff_words import (
    constant_text,
    cutoff_text,
    instead_text,
    is_in_part,
    loss_text,
    loss_unit,
    method_notes,
    note_lines,
    null_lines,
    null_title,
    percent,
    title,
    truth_text,
    warning_lines,
)
from joulemark.report.page_file import write_page
from joulemark.report.templates import template

_TRACKING = (
    "Some shuffles, one of them in colour; the band holds 95 % of all. It narrows as 1/√q and ends in a "
    "point only because the baseline is the same sample: there is no plateau."
)
_SLOPES = (
    "Slopes fall as one over the items asked, whatever the data; lowess's windows leave the steep beginning "
    "at half of frac, and each robust pass moves that elbow to the right."
)


def render_cutoff(found: Study) -> str:
    """Return the page as text. Only the charts' own SVG is trusted markup; all else is escaped."""
    page = {
        "title": title(found),
        "cutoff": cutoff_text(found.cutoff, in_part=is_in_part(found)),
        "plain": [constant_text(found), loss_text(found)],
        "truth": truth_text(found),
        "warnings": warning_lines(found),
        "charts": [_tracking(found), *_charts(found.cutoff), *_steps(found)],
        "tables": study_tables(found),
        "notes": [*note_lines(found), instead_text(found)],
        "version": __version__,
    }
    return template("frugal_cutoff").render(page=page)


def render_null(found: NullResult) -> str:
    """Return the page of random numbers."""
    first, *rest = null_lines(found)
    page = {
        "title": null_title(found),
        "cutoff": first,
        "plain": rest,
        "truth": "",
        "warnings": [],
        "charts": _charts(found.cutoff),
        "tables": [],
        "notes": method_notes(found.cutoff, found.ks_p),
        "version": __version__,
    }
    return template("frugal_cutoff").render(page=page)


def write_cutoff(found: Study, path: Path, *, fix: str) -> None:
    """Write the page to ``path``; raises `InputError` (``fix`` by the caller) when that fails."""
    write_page(path, render_cutoff(found), fix=fix)


def write_null(found: NullResult, path: Path, *, fix: str) -> None:
    """Write the page of random numbers, as `write_cutoff` does."""
    write_page(path, render_null(found), fix=fix)


def _tracking(found: Study) -> Drawing:
    words = f"Running means of shuffles over the items asked; the cut-off at {percent(found.cutoff.mean)}."
    return drawn(lambda px: tracking_chart(found, px), "Tracking curve", words, _TRACKING)


def _charts(cutoff: Cutoff) -> list[Drawing]:
    knee = cutoff.example.knee
    at = "no knee" if knee is None else f"a knee at {percent(knee / cutoff.frames.n_items)}"
    words = f"Absolute slopes of one shuffle with lowess through them, and {at}."
    slopes = drawn(
        lambda px: slopes_chart(cutoff, px), "Slopes, lowess and the knee of one shuffle", words, _SLOPES
    )
    n = len(cutoff.fractions)
    words = f"Histogram of {n:,} cut-offs about {percent(cutoff.mean)}, with a normal curve."
    note = f"n = {n:,} shuffles; the line is a normal curve of their mean and deviation."
    if not cutoff.is_exact:
        note += " Fast mode: a bar is one anchor of lowess."
    return [slopes, drawn(lambda px: distribution_chart(cutoff, px), "Cut-offs of all shuffles", words, note)]


def _steps(found: Study) -> list[Drawing]:
    applied = found.self_application
    if applied is None or not applied.steps:
        return []
    words = "; ".join(
        f"{step.n_left} items left, {100 * step.loss.absolute:.2f} lost" for step in applied.steps
    )
    note = f"Dashed: the error of plain random sampling, by formula. Ended: {applied.ended}."
    unit = loss_unit(found)
    of = len(found.outcomes)
    return [drawn(lambda px: steps_chart(applied, of, unit, px), "Applied to itself", words, note)]
