"""One row of somebody else's file, read with distrust: every error names file, place and column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.rates.number import plain_number
from joulemark.record.errors import InputError

_SHOWN = 40  # characters of a cell in an error
_LARGEST_WHOLE = 10**9


@dataclass(frozen=True, slots=True)
class ForeignRow:
    """Cells by column: texts of a CSV file, or the plain values of a JSON record.

    ``file`` is the file's name, ``place`` says where in it the row stands (``line 7``, ``record 3``). An
    absent, null or empty cell is not there.
    """

    file: str
    place: str
    cells: Mapping[str, object]

    def refused(self, column: str | None, why: str, fix: str = "") -> InputError:
        """Return the error about a cell, or about the whole row where no column is named."""
        where = self.place if column is None else f"{self.place}, column {column!r}"
        default = "correct the cell, or take the file as it was published"
        return InputError(f"{self.file} cannot be imported", why=f"{where}: {why}", fix=fix or default)

    def text(self, column: str) -> str:
        """Return a text that must be there."""
        value = self._cell(column)
        if value is None:
            raise self.refused(column, "it is empty")
        if not isinstance(value, str):
            raise self.refused(column, f"{_shown(value)} is no text")
        if not value.isprintable():
            raise self.refused(column, "it holds control characters")
        return value.strip()

    def number(self, column: str, *, positive: bool = True) -> float:
        """Return a finite number that must be there; above zero, or at least zero."""
        found = self.optional_number(column, positive=positive)
        if found is None:
            raise self.refused(column, "it is empty")
        return found

    def optional_number(self, column: str, *, positive: bool = True) -> float | None:
        """Return a finite number, or null where there is none."""
        value = self._cell(column)
        if value is None:
            return None
        number = self._as_number(column, value)
        if not math.isfinite(number):
            raise self.refused(column, f"{_shown(value)} is no finite number")
        if number < 0 or (positive and number == 0):
            raise self.refused(
                column, f"{_shown(value)} is not {'above zero' if positive else 'zero or more'}"
            )
        return number

    def whole(self, column: str) -> int:
        """Return a whole number of one or more that must be there."""
        found = self.optional_whole(column)
        if found is None:
            raise self.refused(column, "it is empty")
        return found

    def optional_whole(self, column: str) -> int | None:
        """Return a whole number of one or more, or null where there is none."""
        number = self.optional_number(column)
        if number is None:
            return None
        if number != int(number) or number > _LARGEST_WHOLE:
            raise self.refused(column, f"{_shown(self.cells[column])} is no count")
        return int(number)

    def derived(self, column: str, number: float) -> float:
        """Return a number computed from ``column`` and others; raises `InputError` where none can hold it."""
        if not math.isfinite(number):
            raise self.refused(column, "with the other cells it gives no finite number")
        return number

    def _cell(self, column: str) -> object:
        value = self.cells.get(column)
        return None if value is None or (isinstance(value, str) and not value.strip()) else value

    def _as_number(self, column: str, value: object) -> float:
        if isinstance(value, str):
            try:
                return plain_number(value)
            except ValueError as error:
                raise self.refused(column, str(error)) from error
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refused(column, f"{_shown(value)} is no number")
        try:
            return float(value)
        except OverflowError as error:
            raise self.refused(column, "it is larger than a number can be") from error


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
