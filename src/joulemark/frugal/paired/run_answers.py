"""The answers of a run by their place in its order of asking, also while they are still being written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson
from pydantic import TypeAdapter

from joulemark.files.locks import is_held
from joulemark.metrics.accuracy import is_graded_later
from joulemark.metrics.item_value import item_value
from joulemark.record.errors import InputError
from joulemark.record.item import Item, ItemRow, Phase
from joulemark.record.simulated import is_simulated_kind
from joulemark.runs.grades import Grades, read_grades, with_grades
from joulemark.runs.layout import RunLayout
from joulemark.runs.sound_manifest import require_sound
from joulemark.tasks.subset import order_key, rank

_ITEM = TypeAdapter(Item)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the answers to an item are worth in the mean of its repeats; null where nobody can say."""

    item_id: str
    value: float | None


class RunAnswers:
    """Follows a run directory, finished or growing.

    Each item counts once, with the mean of its repeats: while the run grows all of them have to be there.
    ``prefix`` holds the answers in the order of asking, up to the first that is not there yet: what lies
    beyond came early because it was short. Raises `InputError` where there is no run, or one of
    conversations, and where the journal has a question twice.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._layout = RunLayout(root)
        self.manifest = self._layout.read_manifest()
        require_sound(self.manifest)
        self.prefix: list[Answer] = []
        self.over = False
        self._offset = 0
        self._items: dict[int, dict[int, Item]] = {}
        self._ids: set[str] = set()
        self._in_order, self._last = True, b""
        self._grades: Grades = {}

    @property
    def real(self) -> bool:
        """Whether answers have a real-valued score."""
        return self.manifest.task.score_range is not None

    @property
    def is_simulated(self) -> bool:
        """Whether a simulation answered."""
        return is_simulated_kind(self.manifest.engine.kind)

    @property
    def is_listed(self) -> bool:
        """Whether a list named its items, so that they are no random ones."""
        return self.manifest.task.is_listed

    @property
    def repeated(self) -> bool:
        """Whether items are asked more than once, so that right and wrong have means."""
        return self.manifest.repeats > 1

    @property
    def n_items(self) -> int:
        """How many items the run asks."""
        wanted = self.manifest.load.n_requests
        return min(wanted or self.manifest.task.n_items, self.manifest.task.n_items)

    @property
    def n_drawn_from(self) -> int:
        """How many questions those that the run asks are a random part of: itself, or of a limit the task."""
        n_whole = self.manifest.task.n_drawn_from
        return n_whole if n_whole > self.manifest.task.n_items else self.n_items

    @property
    def order(self) -> tuple[str, str | None] | None:
        """What fixed the order of asking, null where it is not a keyed random one, or no longer that."""
        task = self.manifest.task
        return (task.subset_key, task.nonce) if self._in_order and task.subset_key is not None else None

    def poll(self) -> None:
        """Read what was added since the last time."""
        # Asked before the journal is read: what was stored before the writer let go is then read below.
        self.over = not is_held(self._layout.lock)
        self._read()
        if any(is_graded_later(item) for one in self._items.values() for item in one.values()):
            self._grades, _ = read_grades(self._layout.grades_journal)
        while (repeats := self._items.get(len(self.prefix))) is not None:
            graded = [one.item for one in with_grades(map(ItemRow, repeats.values()), self._grades)]
            unfinished = len(graded) < self.manifest.repeats or any(map(is_graded_later, graded))
            if unfinished and not self.over:
                return
            self._place(graded[0].item_id, {one.item_id for one in graded})
            self.prefix.append(Answer(graded[0].item_id, item_value(graded, real=self.real)))

    def _place(self, item_id: str, ids: set[str]) -> None:
        """Note whether a question stands where its key puts it; raises `InputError` for one asked before."""
        if len(ids) > 1 or item_id in self._ids:
            raise InputError(
                f"the journal of {self.root} was edited",
                why=f"question {len(self.prefix) + 1} is two, or was asked before: {min(ids)!r}",
                fix="measure again into another directory with --out DIR",
            )
        self._ids.add(item_id)
        task = self.manifest.task
        place = rank(item_id, order_key(task.subset_key or "", task.nonce))
        self._in_order, self._last = self._in_order and place > self._last, place

    def _read(self) -> None:
        """Take the answers among the whole lines that were added."""
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
            if item is None or item.phase != Phase.MEASURE or not 0 <= item.repeat < self.manifest.repeats:
                continue
            if item.session is not None:
                raise InputError(
                    f"{self.root} asked conversations",
                    why="the turns of one are not drawn at random, and this test needs items that are",
                    fix=f"joulemark compare {self.root} OTHER, without --stream",
                )
            self._items.setdefault(item.index, {}).setdefault(item.repeat, item)


def _item(line: bytes) -> Item | None:
    """Return the item of a journal's line, null for a torn one."""
    try:
        return _ITEM.validate_python(orjson.loads(line)["item"])
    except (ValueError, TypeError, KeyError):
        return None
