"""A board whose runs can be priced: prompts of several lengths, and rows that others published."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from doubles import boards
from doubles.hostile_bundles import WORDS
from joulemark.bundles.submission.content import Content
from joulemark.bundles.submission.pack import pack_content
from joulemark.record.item import ItemRow
from joulemark.record.published import PublishedRow

MODELS = ("org/small-1b", "org/middle-7b", "org/large-70b")


@cache
def bundle(number: int = 0) -> bytes:
    """A run of thirty questions whose prompts differ in length; each number is a model and a power."""
    made = boards.content(30, seed=number + 1, model=MODELS[number % 3], watts=(0.7, 1.0, 1.5)[number % 3])
    rng = np.random.default_rng(number)
    rows = tuple(_prompted(row, int(tokens)) for row, tokens in zip(made.rows, rng.integers(20, 900, 30)))  # noqa: B905
    return pack_content(Content(made.manifest, rows, made.readings), boards.key(number), WORDS).data


def _prompted(row: ItemRow, tokens: int) -> ItemRow:
    return ItemRow(replace(row.item, prompt_tokens=tokens), row.chunks, row.texts)


def published(**fields: Any) -> PublishedRow:
    """A row of somebody else's table."""
    given: dict[str, Any] = {
        "model": "org/other-8b",
        "device": "NVIDIA H100 80GB HBM3",
        "n_devices": 1,
        "task": "chat",
        "unit": "request",
        "energy_j": 60.0,
        "mean_completion_tokens": 200.0,
        "source": "A table; file.csv, sha256 0123456789ab",
        **fields,
    }
    return PublishedRow(**given)


@cache
def bundles(n: int = 3) -> tuple[bytes, ...]:
    """Return n of them."""
    return tuple(bundle(number) for number in range(n))


def folder(path: Path) -> Path:
    """Return a folder that there is."""
    path.mkdir(parents=True, exist_ok=True)
    return path
