"""The largest bundle that is taken at all: 100,000 answers, within the time and memory of its process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from doubles.board_rows import counts
from doubles.boards import board, content, key
from doubles.hostile_bundles import WORDS
from doubles.run_views import T0, S
from joulemark.board.apart import Apart
from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.archive import write_archive
from joulemark.bundles.submission.content import Content, cleaned
from joulemark.bundles.submission.signed_members import members_of, sign_members
from joulemark.bundles.submission.source_hash import software_here
from joulemark.record.item import Attempt, ItemRow
from joulemark.record.telemetry import Reading


def _large() -> Content:
    base, rng = content(16), np.random.default_rng(1)
    manifest = base.manifest.model_copy(deep=True)
    manifest.task.n_items = m.MAX_ITEMS
    rows, at = [], T0 + S
    for index in range(m.MAX_ITEMS):
        ns = int(rng.integers(50_000_000, 90_000_000))
        first = at + ns // 4
        item = replace(
            base.rows[index % 16].item,
            item_id=f"q{index:06d}",
            index=index,
            t_sent=at,
            t_end=at + ns,
            t_first=first,
            t_first_answer=first,
            attempts=(Attempt(at, at + ns),),
        )
        rows.append(ItemRow(item))
        at += ns + 1_000_000
    manifest.segments[0].t1 = at + S
    for window in manifest.windows:
        window.t1 = at
    return cleaned(manifest, rows, _readings(at + 3 * S, rng), WORDS)


def _readings(end: int, rng: np.random.Generator) -> Iterator[Reading]:
    joules = 0.0
    for at in range(T0 - 2 * S, end, S // 2):
        watts = 200 * (1 + 0.05 * float(rng.normal()))
        joules += 0.5 * watts
        values = {"energy_j": round(joules, 3), "power_w": round(watts, 3)}
        yield Reading(0, at, "nvml:0", "", values, 150_000, at // 1000)


@pytest.mark.slow
def test_a_hundred_thousand_answers_are_examined_in_time(tmp_path: Path) -> None:
    # its figures are left out, so that making it does not cost what examining it does; that is the last check
    data = write_archive(sign_members(members_of(_large(), {}, software_here()), key(0)))
    assert len(data) <= m.MAX_PACKED
    with board(tmp_path) as where:
        where.app.state.worker = Apart()
        before = counts(where.engine)
        answer = where.submit(data)
        assert answer.status_code == 422, answer.text
        assert "(figures)" in answer.json()["what"]
        assert counts(where.engine) == before
