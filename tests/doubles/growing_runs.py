"""Run directories that are written answer by answer, in any order, as a run at work writes them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from doubles.run_views import item, manifest
from joulemark.files.locks import FileLock
from joulemark.record.item import Item, ItemRow, Verdict
from joulemark.record.manifest import Task
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.tasks.subset import DEFAULT_KEY, permuted

N = 400
IDS = permuted([f"q{k}" for k in range(3 * N)], DEFAULT_KEY, str)
"""Of the questions in the order of asking."""


def answer(index: int, right: bool | None, *, item_id: str | None = None, **fields: object) -> Item:
    """An answer that is right or wrong; null for a request that failed."""
    verdict = Verdict.FAILED if right is None else Verdict.CORRECT if right else Verdict.WRONG
    return item(
        index,
        verdict=verdict,
        item_id=item_id or IDS[index],
        start_s=float(index),
        **fields,  # type: ignore[arg-type]
    )


class GrowingRun:
    """A run that holds its lock until `end`."""

    def __init__(
        self,
        root: Path,
        *,
        n_items: int = N,
        key: str | None = "joulemark",
        name: str = "sums",
        repeats: int = 1,
        **task: object,
    ) -> None:
        self.root = root
        layout = RunLayout(root)
        layout.create()
        facts = Task(name=name, revision="1", n_items=n_items, template_hash="t", subset_key=key, **task)  # type: ignore[arg-type]
        layout.write_manifest(manifest(task=facts, run_id=root.name, state="partial", repeats=repeats))
        self._lock = FileLock(layout.lock)
        self._journal = ItemJournal(layout.items_journal)

    def add(self, items: Iterable[Item]) -> None:
        """Store answers, in the order in which they come."""
        self._journal.extend([ItemRow(one) for one in items])

    def end(self) -> None:
        """Let go of the run."""
        self._journal.close()
        self._lock.release()


def finished(root: Path, items: Iterable[Item], **fields: object) -> Path:
    """A run that is over."""
    run = GrowingRun(root, **fields)  # type: ignore[arg-type]
    run.add(items)
    run.end()
    return root
