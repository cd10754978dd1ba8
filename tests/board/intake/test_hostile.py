"""Every hostile bundle over HTTP: a clear answer below 500, nothing stored or echoed of what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.board_rows import counts
from doubles.boards import board, content, key
from doubles.hostile_bundles import NONE, VERIFIED, WORDS, Forger, cases
from joulemark.bundles.submission.pack import pack_content


@pytest.fixture(scope="session")
def forger() -> Forger:
    """Somebody with an honest bundle and a key."""
    mine = content()
    return Forger(pack_content(mine, key(0), WORDS), mine, key(0))


def test_every_case_of_the_corpus(forger: Forger, tmp_path: Path) -> None:
    n_refused = 0
    with board(tmp_path) as where:
        for case in cases(forger):
            before = counts(where.engine)
            answer = where.submit(case.data)
            told = f"{case.name}: {answer.status_code} {answer.text[:300]}"
            assert answer.headers["content-type"] == "application/json", told
            if case.expected == VERIFIED:
                assert answer.status_code in (201, 202), told
                continue
            n_refused += 1
            assert answer.status_code in (413, 422), told
            assert counts(where.engine) == before, told
            found = answer.json()
            assert found.keys() == {"detail", "what", "why", "fix"}, told
            if case.expected not in (NONE, "limits"):
                assert f"({case.expected})" in found["what"], told
            for word in ("<", "/etc", "Traceback", str(tmp_path), "10.0.0.1", "bob"):
                assert word not in answer.text, told
    assert n_refused > 60
