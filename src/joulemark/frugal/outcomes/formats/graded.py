"""What cells say of answers: right, wrong, a score, or a word for one that failed, which is not right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.frugal.outcomes.formats.columns import RIGHT_OR_WRONG, SAID, number_of
from joulemark.frugal.outcomes.outcomes import Floats, Graded
from joulemark.record.errors import InputError

NOT_RIGHT = frozenset(
    (
        *("refused", "refusal", "truncated", "cut", "unparsed", "unparsable", "unparseable", "invalid"),
        *("failed", "failure", "error", "errored", "crashed", "timeout", "timed out", "timed_out"),
        *("cancelled", "canceled", "aborted", "no answer", "no_answer", "noanswer"),
    )
)
"""Words for an answer that is none: it was asked for and is not right, as a failed request never is."""
_NOTHING = frozenset({"", "na", "n/a", "nan", "none", "null", "-"})
_NO_ERROR = _NOTHING | {"false", "0", "no", "ok"}
VERDICTS, ERRORS = ("verdict", "status"), ("error",)
"""Columns that say of an item without an outcome what became of it."""


@dataclass(frozen=True, slots=True)
class GradedCells:
    """``values`` (n,), nan where nothing was said; ``n_failed`` of them are 0 for a word of `NOT_RIGHT`."""

    values: Floats
    graded: Graded | None
    n_failed: int

    @property
    def notes(self) -> list[str]:
        """What a reader should know of them."""
        if not self.n_failed:
            return []
        return [f"{self.n_failed:,} answers that were refused, cut off or failed count as not right"]


def graded_cells(
    cells: Sequence[object],
    *,
    origin: str,
    column: str,
    verdicts: Sequence[object] = (),
    errors: Sequence[object] = (),
) -> GradedCells:
    """Return what the cells of ``column`` are worth; ``verdicts`` and ``errors`` of the same items, or none.

    An answer that failed is worth 0 beside values within 0 and 1, else nothing is known of its worth: on
    another scale 0 may be the middle. Raises `InputError` for a cell that says nothing of these.
    """
    found = np.array([number_of(cell) for cell in cells], dtype=np.float64)
    silent = ~np.isfinite(found)
    failed = np.zeros(len(found), dtype=np.bool_)
    unread = []
    for place in np.flatnonzero(silent).tolist():
        word = _word(cells[place])
        if word in NOT_RIGHT or (word in _NOTHING and _failed(place, verdicts, errors)):
            failed[place] = True
        elif word not in _NOTHING:
            unread.append(cells[place])
    if unread:
        raise InputError(
            f"{origin} cannot be read: {str(unread[0])[:60]!r} is no {column}",
            why=f"{len(unread):,} of {len(cells):,} cells say neither right nor wrong, nor a number",
            fix="say 1 or 0, right or wrong, refused or failed; leave a cell empty where nobody knows",
        )
    known = found[~silent]
    is_share = bool(((known >= 0) & (known <= 1)).all())
    found[silent] = np.where(failed[silent] & is_share, 0.0, np.nan)
    in_words = any(isinstance(cell, bool) or _word(cell) in SAID for cell in cells)
    return GradedCells(
        found, graded_as(known, column, in_words=in_words), int(failed.sum()) if is_share else 0
    )


def graded_as(known: Floats, column: str, *, in_words: bool = False) -> Graded | None:
    """Tell whether values say right or wrong, by their column's name or by their words, or are scores."""
    is_share = bool(((known >= 0) & (known <= 1)).all())
    if is_share and (in_words or column.casefold() in RIGHT_OR_WRONG):
        return "right or wrong"
    return None if np.isin(known, (0.0, 1.0)).all() else "score"


def _failed(place: int, verdicts: Sequence[object], errors: Sequence[object]) -> bool:
    said = bool(verdicts) and _word(verdicts[place]) in NOT_RIGHT
    return said or (bool(errors) and _word(errors[place]) not in _NO_ERROR)


def _word(cell: object) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return str(cell).strip().casefold()
