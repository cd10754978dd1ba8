"""The answers of a run by their place in its order of asking, also while they are still being written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson
from pydantic import TypeAdapter

from joulemark.files.locks import is_held
from joulemark.metrics.accuracy import is_correct, is_graded_later, is_scored
from joulemark.metrics.score import score_of
from joulemark.record.errors import InputError
from joulemark.record.item import Item, ItemRow, Phase
from joulemark.runs.grades import Grades, read_grades, with_grades
from joulemark.runs.layout import RunLayout
from joulemark.runs.sound_manifest import require_sound

_ITEM = TypeAdapter(Item)


def value_of(item: Item, *, real: bool) -> float | None:
    """Return what an answer is worth, null where nobody can say.

    1 or 0 for right or not, where a failed request is not right; the score of a real-valued task, where it
    has none.
    """
    if real:
        return score_of(item)
    return float(is_correct(item)) if is_scored(item) else None


@dataclass(frozen=True, slots=True)
class Answer:
    """The first answer to an item; its value is null where it has none."""

    item_id: str
    value: float | None


class RunAnswers:
    """Follows a run directory, finished or growing.

    Each item counts with its first answer; those of later repeats are left out. ``prefix`` holds the answers
    in the order of asking, up to the first that is not there yet: what lies beyond came early because it was
    short. Raises `InputError` where there is no run, or one of conversations.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._layout = RunLayout(root)
        self.manifest = self._layout.read_manifest()
        require_sound(self.manifest)
        self.prefix: list[Answer] = []
        self.over = False
        self._offset = 0
        self._items: dict[int, Item] = {}
        self._grades: Grades = {}

    @property
    def real(self) -> bool:
        """Whether answers have a real-valued score."""
        return self.manifest.task.score_range is not None

    @property
    def n_items(self) -> int:
        """How many items the run asks."""
        wanted = self.manifest.load.n_requests
        return min(wanted or self.manifest.task.n_items, self.manifest.task.n_items)

    @property
    def order(self) -> tuple[str, str | None] | None:
        """What fixed the order of asking, null where it is not a keyed random one."""
        task = self.manifest.task
        return None if task.subset_key is None else (task.subset_key, task.nonce)

    def poll(self) -> None:
        """Read what was added since the last time."""
        # Asked before the journal is read: what was stored before the writer let go is then read below.
        self.over = not is_held(self._layout.lock)
        self._read()
        if any(is_graded_later(item) for item in self._items.values()):
            self._grades, _ = read_grades(self._layout.grades_journal)
        while (item := self._items.get(len(self.prefix))) is not None:
            graded = with_grades([ItemRow(item)], self._grades)[0].item
            if is_graded_later(graded) and not self.over:
                return
            self.prefix.append(Answer(item.item_id, value_of(graded, real=self.real)))

    def _read(self) -> None:
        """Take the first answers among the whole lines that were added."""
        try:
            with self._layout.items_journal.open("rb") as journal:
                journal.seek(self._offset)
                added = journal.read()
        except FileNotFoundError:
            return
        whole = added.rfind(b"\n") + 1
        self._offset += whole
        for line in added[:whole].splitlines():
            item = _item(line)
            if item is None or item.phase != Phase.MEASURE or item.repeat or item.index in self._items:
                continue
            if item.session is not None:
                raise InputError(
                    f"{self.root} asked conversations",
                    why="the turns of one are not drawn at random, and this test needs items that are",
                    fix=f"joulemark compare {self.root} OTHER, without --stream",
                )
            self._items[item.index] = item


def _item(line: bytes) -> Item | None:
    """Return the item of a journal's line, null for a torn one."""
    try:
        return _ITEM.validate_python(orjson.loads(line)["item"])
    except (ValueError, TypeError, KeyError):
        return None
