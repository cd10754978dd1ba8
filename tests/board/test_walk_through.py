"""A new user, from opting in to a pick: every command in a process of its own, the board served for real."""

from __future__ import annotations

import json
import os
import re
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.user import adds, joulemark, start
from doubles.working_engine import WorkingEngine

N = 24


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))
    monkeypatch.delenv("JOULEMARK_BOARD", raising=False)


@pytest.fixture
def card(tmp_path: Path) -> FakeNvml:
    made = FakeBoard(power=(Piece(1.0, 60.0),), counter_period_s=0.05, compute_pids=(os.getpid(),))
    return FakeNvml(tmp_path, [made])


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    path = tmp_path / "sums.jsonl"
    pad = "Please think about it. "
    lines = [
        {"question": f"{pad * (1 + i % 7)}What is {i} + 100?", "answer": f"Add.\n#### {i + 100}"}
        for i in range(N)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A board of its own, served by `joulemark board serve`."""
    process = start("board", "serve", "--port", "0", "--database", tmp_path / "board.sqlite")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found is not None, line
        yield found.group()
    finally:
        process.terminate()
        process.communicate(timeout=30)


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.read().decode())


@pytest.mark.slow
def test_opt_in_run_see_the_row_open_its_evidence_pick(
    card: FakeNvml, sums: Path, address: str, tmp_path: Path
) -> None:
    opted = joulemark("bench", "opt-in", "--server", address)
    assert opted.code == 0, opted.err
    assert "CC BY 4.0" in opted.out + opted.err
    out = tmp_path / "run"
    with WorkingEngine(adds, card) as engine:

        def vary(number: int) -> None:
            """Lengths of both kinds, and work for both, which a cost model needs."""
            engine.tokens, engine.prompt_tokens = 4 + 5 * number % 23, 20 + 7 * number % 31
            time.sleep(0.005 * engine.prompt_tokens)

        engine.on_request = vary
        ran = joulemark(
            *("bench", "run", "gsm8k", "--data", sums, "--engine", engine.url, "--out", out, "--json"),
            *("--meter", "nvml", "--usd-per-kwh", "0.30"),
            env=card.env,
        )
    assert ran.code == 0, ran.err
    assert f"accepted as recomputed: {address}/runs/" in ran.err

    board = json.loads(read(f"{address}/api/v1/leaderboard"))
    (row,) = board["rows"]
    mine = ran.json["figures"]["joules_per_correct_answer"] if "figures" in ran.json else None
    shown = row["figures"]["joules_per_correct_answer"]
    assert shown["value"] == pytest.approx(ran.json["joules_per_correct_answer"] if mine is None else mine)
    assert row["model"] in read(f"{address}/")

    digest = row["runs"][0]
    evidence = read(f"{address}/runs/{digest}")
    assert "What is" not in evidence  # no word of a question
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(urllib.request.urlopen(f"{address}/api/v1/submissions/{digest}/bundle").read())
    verified = joulemark("verify", bundle, "--json")
    assert verified.code == 0, verified.out
    assert verified.json["digest"] == digest

    picked = json.loads(
        read(f"{address}/api/v1/pick?prompt_tokens=40&completion_tokens=6&requests_per_day=10")
    )
    priced = [one["model"] for table in picked["tables"] for one in table["rows"]]
    # on a machine so busy that the client was late the run is told of, and enters no ranking
    late = [one["model"] for one in picked["not_priced"] if one["code"] == "client_invalid"]
    assert priced + late == [row["model"]], json.dumps(picked)
