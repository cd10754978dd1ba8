"""Data sets through the hub's own library, from a hub on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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


PNG = b"\x89PNG\r\n\x1a\n"
LOADED = """
import json, sys
from joulemark.record.content import pictures, words
from joulemark.tasks.registry import load_task
task = load_task(sys.argv[1], for_media=True, revision=sys.argv[2] or None)
def told(text):
    return [words(text), [p.data[8:].decode() for p in pictures(text)]]
asked = [[told(text) for _, text in question.messages] for question in task.questions]
print(json.dumps({"source": task.source, "asked": sorted(asked)}))
"""


def loaded(task: str, endpoint: str, home: Path, revision: str = "") -> dict[str, object]:
    environment = {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LOADED, task, revision],
        env={**{k: v for k, v in os.environ.items() if not k.startswith("HF_")}, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def picture(name: str) -> dict[str, object]:
    return {"bytes": PNG + name.encode(), "path": None}


def write_loads(root: Path) -> None:
    """Write the data sets that are loads by default, two rows each, laid out as they are on the hub."""
    preferences = [{"prompt": f"a red {n}", "image_quality_dev": picture(n)} for n in ("boat", "barn")]
    write_parquet(preferences, root / "preferences" / "data" / "cleaned-00000-of-00024.parquet")
    write_parquet(preferences[:1], root / "preferences" / "data" / "cleaned-00001-of-00024.parquet")
    for n, prompt in enumerate(("a dog runs", "rain falls")):
        path = root / "evalcrafter" / "prompts" / f"000{n}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{prompt}\n", encoding="utf-8")
    arena = [
        {"turns": [[{"role": "user", "content": f"What is {n}?"}]], "images": [picture(n)]}
        for n in ("this", "that")
    ]
    write_parquet(arena, root / "arena" / "data" / "train-00000-of-00001.parquet")
    benches = root / "mt_bench" / "raw" / "question.jsonl"
    benches.parent.mkdir(parents=True)
    rows = [{"prompt_id": n, "category": "writing", "prompt": [f"Write {n}.", "Shorter."]} for n in (1, 2)]
    benches.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize(
    ("task", "folder", "asked"),
    [
        ("text-to-image", "preferences", [[["a red barn", []]], [["a red boat", []]]]),
        ("image-to-video", "preferences", [[["a red barn", ["barn"]]], [["a red boat", ["boat"]]]]),
        ("text-to-video", "evalcrafter", [[["a dog runs", []]], [["rain falls", []]]]),
        ("vision_arena", "arena", [[["What is that?", ["that"]]], [["What is this?", ["this"]]]]),
        ("mtbench", "mt_bench", [[["Shorter.", []]]] * 2 + [[[f"Write {n}.", []]] for n in (1, 2)]),
    ],
)
def test_the_default_loads_are_read_at_the_commit_that_is_theirs(
    task: str, folder: str, asked: list[object], tmp_path: Path
) -> None:
    place = built_in_tasks()[task].data.hub
    assert place is not None
    assert place.revision is not None
    write_loads(tmp_path)
    with hub({place.repo: tmp_path / folder}) as endpoint:
        found = loaded(task, endpoint, tmp_path / "home")
        other = loaded(task, endpoint, tmp_path / "home", "b" * 40)
    assert found == {"source": f"hub:{place.repo}@{place.revision}", "asked": asked}
    assert other == {"source": f"hub:{place.repo}@{'b' * 40}", "asked": asked}
