"""A board with a few configurations of several runs, one published source and a hostile name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from doubles.board_runs import Rig, bundle_of, content_of
from doubles.boards import BoardDouble, board, key, publish
from joulemark.bundles.submission.content import Content
from joulemark.record.published import PublishedRow

HOSTILE = "<script>alert(1)</script>"
SMALL = Rig(model="org/small-1b", tokens_per_s=300.0, busy_w=300.0, mean_tokens=40.0, n=20)
RIGS = (
    (SMALL, 3),
    (Rig(model="org/large-8b", mean_tokens=40.0, n=20), 1),
    (Rig(model="org/metered-8b", mean_tokens=40.0, n=20, plug=True), 1),
    (Rig(model="org/silent-8b", mean_tokens=40.0, n=20, has_counter=False, has_gauge=False), 1),
)
"""What runs, and how many submitters sent it."""


@dataclass(slots=True)
class ReadBoard:
    """A board with its bundles, in the order in which they were sent."""

    board: BoardDouble
    bundles: tuple[bytes, ...]
    published: tuple[PublishedRow, ...]


@cache
def bundles() -> tuple[bytes, ...]:
    """The bundles of `RIGS`, made once."""
    return tuple(
        bundle_of(ranked(rig, 10 * place + k + 1), key(k))
        for place, (rig, n) in enumerate(RIGS)
        for k in range(n)
    )


def ranked(rig: Rig, seed: int) -> Content:
    """A run that was asked as its task is: one of ours, with data from the hub."""
    made = content_of(rig, seed=seed)
    manifest = made.manifest.model_copy(deep=True)
    manifest.may_rank = True
    manifest.task.name, manifest.task.source = "gsm8k", "hub:openai/gsm8k@0123456789abcdef"
    return replace(made, manifest=manifest)


def published(n: int = 30) -> tuple[PublishedRow, ...]:
    """Rows that others published, with a name that no page may believe."""
    return tuple(
        PublishedRow(
            model=HOSTILE if k == 0 else f"org/published-{k}b",
            device="NVIDIA H100 80GB HBM3",
            n_devices=1,
            task="chat",
            unit="request",
            energy_j=100.0 + 7.0 * (k % 9) + k,
            latency_s={"tpot_mean": 0.02 + 0.001 * ((5 * k) % n)},
            mean_completion_tokens=250.0,
            settings={"max_batch": 2**k if k < 12 else k},
            source="A paper; table.csv, sha256 0123456789ab",
            licence="Apache-2.0",
        )
        for k in range(n)
    )


@contextmanager
def read_board(folder: Path) -> Iterator[ReadBoard]:
    """Open a board with all of it."""
    with board(folder, bundles()) as made:
        rows = published()
        publish(made.engine, rows)
        yield ReadBoard(made, bundles(), rows)
