"""The journal of grades that come after the answers: append-only JSON lines, synced before they count.

Answers stay as they were written. A grade is joined to its answer when a run is read; of two for one answer
the later counts (it was judged again), and one for another answer counts for nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType

import orjson
from pydantic import TypeAdapter

from joulemark.record.errors import InputError
from joulemark.record.item import ItemRow
from joulemark.record.late_grade import LateGrade
from joulemark.runs.layout import permissions
from joulemark.telemetry.line_file import LineFile

_GRADE = TypeAdapter(LateGrade)

Grades = Mapping[tuple[str, int, str], LateGrade]
"""The latest grade of each answer, by item, repeat and commitment."""


class GradeJournal:
    """Appends grades to a file: a context manager. `extend` returns after they are on the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._lines = LineFile(path, permissions=permissions(path))
        except OSError as error:
            raise self._refused(error) from error

    def extend(self, grades: Sequence[LateGrade]) -> None:
        """Write grades and wait for the disk once; raises `InputError`, and then none of them counts."""
        if not grades:
            return
        try:
            self._lines.append(b"".join(map(_line, grades)))
            self._lines.sync()
        except OSError as error:
            self._lines.give_up()
            raise self._refused(error) from error

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(OSError):
            self._lines.close()

    def __enter__(self) -> GradeJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refused(self, error: OSError) -> InputError:
        return InputError(
            f"{self._path} cannot be written",
            why=error.strerror or str(error),
            fix="free some space, then grade again: it goes on after the last stored grade",
        )


def read_grades(path: Path) -> tuple[Grades, int]:
    """Return the grades of a journal and the number of lines that could not be read."""
    found: dict[tuple[str, int, str], LateGrade] = {}
    unreadable = 0
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}, 0
    for line in data.split(b"\n"):
        if not line:
            continue
        try:
            grade = _GRADE.validate_python(orjson.loads(line))
        except (ValueError, TypeError):
            unreadable += 1
            continue
        found[*grade.key, grade.answer_commitment] = grade
    return found, unreadable


def with_grades(rows: Iterable[ItemRow], grades: Grades) -> list[ItemRow]:
    """Return rows of answers, those that wait for a grade with theirs where there is one."""
    return [_graded(row, grades) for row in rows] if grades else list(rows)


def _line(grade: LateGrade) -> bytes:
    """Return a grade as its line; ``correct`` and ``score`` are for other readers, ours works them out."""
    said = {**asdict(grade), "correct": grade.correct, "score": grade.score}
    return orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE)


def _graded(row: ItemRow, grades: Grades) -> ItemRow:
    item = row.item
    grade = grades.get((*item.key, item.answer_commitment or ""))
    if grade is None or not grade.is_of(item):
        return row
    return replace(row, item=grade.put_on(item))
