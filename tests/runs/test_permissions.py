"""Who may read a run: words of questions and answers are the user's alone, figures are for passing on."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.loaded import carried_out, plan_of, task_of
from doubles.working_engine import WorkingEngine
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.load.shape import LoadShape
from joulemark.runs.layout import RunLayout, permissions

WITH_WORDS = {"items.jsonl", "engine.log"}


class Logging(UrlEngine):
    """An engine whose log lies somewhere, for everybody to read."""

    log: Path

    @property
    def log_path(self) -> Path:  # type: ignore[override]
        return self.log


@pytest.fixture(params=[0o022, 0o077, 0o000], ids=["022", "077", "000"])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_words_are_the_users_alone_and_all_else_is_as_the_umask_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umask: int
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    log = tmp_path / "engine.log"
    log.write_text("prompt: What is 0?\n")
    root = tmp_path / "run"
    with WorkingEngine(lambda _: "ok", tokens=2, gap_s=0.001) as working:
        engine = Logging(UrlOptions(working.url))
        engine.log = log
        plan = plan_of(working.url, task_of(2), LoadShape(), root, engine=engine)
        carried_out(plan)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in root.iterdir()}
    assert modes.keys() >= {*WITH_WORDS, "manifest.json", "items.parquet", "telemetry.jsonl", ".lock"}
    assert (root / "engine.log").read_text() == log.read_text()
    private = {name for name, mode in modes.items() if mode == 0o600}
    if umask == 0o077:
        assert private == modes.keys()
    else:
        # whoever could open the lock could hold it
        assert private == {*WITH_WORDS, ".lock"}
    for name in modes.keys() - {".lock"}:
        assert permissions(root / name) == (0o600 if name in WITH_WORDS else 0o666)


def test_only_the_named_files_hold_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is readable for others has no word of a question, an answer or a gold answer in it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    root = tmp_path / "run"
    with WorkingEngine(lambda _: "zanzibar", tokens=2, gap_s=0.001) as working:
        carried_out(plan_of(working.url, task_of(2), LoadShape(), root))
    words = (b"What is 0?", b"zanzibar")
    journal = RunLayout(root).items_journal
    assert all(word in journal.read_bytes() for word in words)
    others = [path for path in root.iterdir() if permissions(path) != 0o600]
    assert others
    assert not [path.name for path in others if any(word in path.read_bytes() for word in words)]
