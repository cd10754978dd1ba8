"""``joulemark code problems`` in terminals of any width: an id is for copying, so it is never broken."""

from __future__ import annotations

import pytest

from joulemark.cli.__main__ import main
from joulemark.code.problems.registry import built_in


@pytest.mark.parametrize("width", [20, 40, 80, 120, 140, 200])
def test_ids_are_never_broken(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    main(["code", "problems"])
    lines = capsys.readouterr().out.splitlines()
    begins = {line.split(" ")[0] for line in lines}
    ids = {one.problem_id for one in built_in()}
    assert ids <= begins
    assert not any("…" in line for line in lines)
    assert all(len(line.rstrip()) <= max(width, *map(len, ids)) for line in lines)
