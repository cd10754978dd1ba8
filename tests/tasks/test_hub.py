"""Data sets through the hub's own library, from a hub on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from doubles.hub_server import COMMIT, hub
from doubles.task_rows import ROWS, write_csv, write_parquet
from doubles.user import Finished, joulemark
from joulemark.tasks.registry import built_in_tasks

PARQUET = sorted(ROWS.keys() - {"gpqa_diamond", "opinionqa"})


def show(task: str, endpoint: str, home: Path, *more: str, **env: str) -> Finished:
    environment = {
        **os.environ,
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_XET": "1",
        **env,
    }
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
        if name not in env:
            environment.pop(name, None)
    return joulemark("task", "show", task, "--limit", "2", "--json", *more, env=environment)


@pytest.mark.parametrize("task", PARQUET)
def test_a_task_is_read_from_the_hubs_parquet_copy(task: str, tmp_path: Path) -> None:
    place = built_in_tasks()[task].data.hub
    assert place is not None
    config = "everyday_things" if place.config == "*" else place.config
    for split in place.splits:
        rows = ROWS[task].get(split) or next(iter(ROWS[task].values()))
        write_parquet(rows, tmp_path / "repo" / config / split / "0000.parquet")
    with hub({place.repo: tmp_path / "repo"}) as endpoint:
        shown = show(task, endpoint, tmp_path / "home")
    assert shown.code == 0, shown.err
    assert len(shown.json) == 2
    assert all(question["gold"] for question in shown.json)


def test_a_gated_data_set_says_how_to_get_in(tmp_path: Path) -> None:
    write_csv(ROWS["gpqa_diamond"]["train"], tmp_path / "repo" / "gpqa_diamond.csv")
    with hub({"Idavidrein/gpqa": tmp_path / "repo"}, gated=("Idavidrein/gpqa",)) as endpoint:
        refused = show("gpqa_diamond", endpoint, tmp_path / "home")
        let_in = show("gpqa_diamond", endpoint, tmp_path / "home", HF_TOKEN="hf_made_up")
    assert (refused.code, let_in.code) == (2, 0), (refused.err, let_in.err)
    assert "HF_TOKEN" in refused.err
    assert "Traceback" not in refused.err


def test_another_layout_and_no_hub_at_all_are_told(tmp_path: Path) -> None:
    write_parquet(ROWS["billsum"]["test"], tmp_path / "repo" / "elsewhere" / "0000.parquet")
    with hub({"FiscalNote/billsum": tmp_path / "repo"}) as endpoint:
        moved = show("billsum", endpoint, tmp_path / "home")
        unknown = show("hellaswag", endpoint, tmp_path / "home")
    gone = show("billsum", endpoint, tmp_path / "home")
    for done in (moved, unknown, gone):
        assert done.code == 2
        assert "--data FILE" in done.err
        assert "Traceback" not in done.err
    assert "layout" in moved.err


def test_a_commit_can_be_pinned(tmp_path: Path) -> None:
    write_parquet(ROWS["billsum"]["test"], tmp_path / "repo" / "default" / "train" / "0000.parquet")
    for split in ("test", "ca_test"):
        write_parquet(ROWS["billsum"]["test"], tmp_path / "repo" / "default" / split / "0000.parquet")
    with hub({"FiscalNote/billsum": tmp_path / "repo"}) as endpoint:
        pinned = show("billsum", endpoint, tmp_path / "home", "--revision", COMMIT)
        missing = show("billsum", endpoint, tmp_path / "home", "--revision", "0" * 40)
    assert pinned.code == 0, pinned.err
    assert missing.code == 2
    assert "Traceback" not in missing.err
