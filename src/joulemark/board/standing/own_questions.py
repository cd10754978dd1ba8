"""Whether a run asked the questions that it names, where its task comes with us.

Rows are ranked by what they say they asked. Who leaves hard questions out, or asks easy ones in their place,
would stand among those who asked all, and every answer of his could be opened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from joulemark.record.errors import InputError
from joulemark.runs.plan import items_hash
from joulemark.tasks.registry import built_in_tasks, load_task
from joulemark.tasks.subset import DEFAULT_KEY

if TYPE_CHECKING:
    from joulemark.record.item import Item
    from joulemark.record.manifest import Manifest

OTHERS = "It did not ask the questions that it names, all of them and no others."
NONCE = "Its nonce is none that a board made, so which questions it picks is its submitter's word."
OTHERWISE_ASKED = frozenset({OTHERS, NONCE})
"""Reasons for which a run's accuracy is of nobody else's questions: nothing is picked by it either."""
_KEYS = (DEFAULT_KEY, "")  # a bundle tells no other: whose part of a task that is, it does not say
_OF_A_BOARD = re.compile(r"board-[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Named:
    """The questions of a task: the digest of where they come from, of what is asked, and their names.

    ``n_whole``: how many there are, of which a limit left these.
    """

    revision: str
    items_hash: str
    names: frozenset[str]
    n_whole: int | None


def why_not_its_questions(manifest: Manifest, items: Sequence[Item]) -> str:
    """Return why the answers of a whole run are not to the questions that it names, or nothing.

    Nothing too where the questions are not here, or are named as ones that nobody else asked.
    """
    task = manifest.task
    if task.nonce is not None and not _OF_A_BOARD.fullmatch(task.nonce):
        return NONCE
    if task.items_hash is None or task.subset_key not in _KEYS:
        return ""
    named = _named(task.name, task.preset, task.split, task.n_shot, task.subset_key, task.nonce, task.n_items)
    if named is None or named.revision != task.revision:
        return ""
    asked = Counter(item.item_id for item in items)
    uneven = max(asked.values(), default=0) - min(asked.values(), default=0) > (
        manifest.load.n_requests is not None
    )
    # of a part that calls itself the whole the intervals are too narrow
    is_part_of = (task.n_items if task.n_whole is None else task.n_whole) == named.n_whole
    is_its_own = named.items_hash == task.items_hash and named.names == asked.keys()
    return "" if is_its_own and is_part_of and not uneven else OTHERS


def comes_with_us(name: str) -> bool:
    """Tell whether the questions of a task are part of Joulemark: to read them nobody else is asked."""
    definition = built_in_tasks().get(name)
    return definition is not None and definition.built_in and definition.data.file is not None


@lru_cache(maxsize=64)
def _named(
    name: str, preset: str, split: str, n_shot: int, subset_key: str, nonce: str | None, n_items: int
) -> Named | None:
    """Return the questions that a task's settings name; null where there are none such here."""
    if not comes_with_us(name):
        return None
    try:
        found = load_task(
            name,
            limit=n_items,
            n_shot=n_shot,
            split=split,
            preset=preset,
            subset_key=subset_key,
            nonce=nonce,
        )
    except InputError:
        return None
    names = frozenset(one.item_id for one in found.questions)
    return Named(found.revision, items_hash(found.questions), names, found.n_whole)
