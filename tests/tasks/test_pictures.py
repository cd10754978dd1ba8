"""Questions about pictures: where they may be read from, and that they are part of what is asked."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from joulemark.record.content import Illustrated, pictures
from joulemark.record.errors import InputError
from joulemark.record.manifest import Sampling
from joulemark.runs.plan import RunPlan
from joulemark.tasks.found_picture import MAX_BYTES, find_picture
from joulemark.tasks.registry import load_task
from joulemark.tasks.rows import RowFault
from joulemark.tasks.task import TaskSet

PNG = b"\x89PNG\r\n\x1a\n"
TASK = """
name = "seen"
title = "questions about pictures"
kinds = ["text"]
[data]
row = '{"question": "…", "image": "a.png", "answer": "…"}'
[items]
question = "{{ question }}"
gold = "answer"
image = "image"
"""


def task_of(folder: Path, **row: Any) -> TaskSet:
    folder.mkdir(exist_ok=True)
    (folder / "seen.toml").write_text(TASK)
    data = folder / "rows.jsonl"
    data.write_text(json.dumps({"question": "What is it?", "answer": "cat", **row}))
    return load_task(str(folder / "seen.toml"), data=data)


def test_a_picture_stands_beside_the_words(tmp_path: Path) -> None:
    (tmp_path / "d" / "pics").mkdir(parents=True)
    (tmp_path / "d" / "pics" / "a.png").write_bytes(PNG + b"1")
    ((_, content),) = task_of(tmp_path / "d", image="pics/a.png").questions[0].messages
    assert isinstance(content, Illustrated)
    assert content.text == "What is it?"
    assert [(p.media_type, p.data) for p in content.pictures] == [("image/png", PNG + b"1")]
    assert content.pictures[0].digest in str(content)


def test_another_picture_is_another_item(tmp_path: Path) -> None:
    found = []
    for k in range(2):
        (tmp_path / f"{k}").mkdir()
        (tmp_path / f"{k}" / "a.png").write_bytes(PNG + bytes([k]))
        task = task_of(tmp_path / f"{k}", image="a.png")
        plan = RunPlan(task, None, Sampling(max_tokens=8))  # type: ignore[arg-type]
        found.append((task.questions[0].item_id, plan.task_facts.items_hash, task.revision))
    (id_0, hash_0, revision_0), (id_1, hash_1, revision_1) = found
    assert revision_0 == revision_1, "the data file is the same"
    assert id_0 != id_1
    assert hash_0 != hash_1


def test_a_named_item_with_another_picture_is_still_another_task(tmp_path: Path) -> None:
    hashes = []
    for k in range(2):
        folder = tmp_path / f"{k}"
        folder.mkdir()
        (folder / "a.png").write_bytes(PNG + bytes([k]))
        (folder / "seen.toml").write_text(TASK + "id = \"'one'\"\n")
        (folder / "rows.jsonl").write_text('{"question": "?", "answer": "x", "image": "a.png"}')
        task = load_task(str(folder / "seen.toml"), data=folder / "rows.jsonl")
        assert task.questions[0].item_id == "one"
        hashes.append(RunPlan(task, None, Sampling(max_tokens=8)).task_facts.items_hash)  # type: ignore[arg-type]
    assert hashes[0] != hashes[1]


def test_a_row_without_a_picture_is_asked_in_words(tmp_path: Path) -> None:
    ((_, content),) = task_of(tmp_path / "d", image=None).questions[0].messages
    assert content == "What is it?"
    assert pictures(content) == ()


@pytest.mark.parametrize("outside", ["../secret.png", "/etc/hostname", "pics/../../secret.png", "link.png"])
def test_no_path_leads_out_of_the_folder_of_the_data(tmp_path: Path, outside: str) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    (tmp_path / "d" / "pics").mkdir(parents=True)
    (tmp_path / "d" / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(InputError, match=r"rows.jsonl, line 1") as caught:
        task_of(tmp_path / "d", image=outside)
    assert "outside the folder" in str(caught.value)


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("https://example.org/a.png", "is an address"),
        ("none.png", "no picture"),
        ("data:image/png;base64,?", "not base64"),
        ("data:image/png,xyz", "not base64"),
        ("a\0b", "cannot be a path|no picture"),
        (7, "no path"),
        (b"GIF90", "no PNG"),
        (PNG + bytes(MAX_BYTES), "larger than"),
        ("text.png", "no PNG"),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path: Path, named: object, why: str) -> None:
    (tmp_path / "text.png").write_text("words")
    with pytest.raises(RowFault, match=why):
        find_picture(named, tmp_path)


@pytest.mark.parametrize(
    ("data", "kind"),
    [(PNG, "png"), (b"\xff\xd8\xff\xe0", "jpeg"), (b"GIF89a", "gif"), (b"RIFF0000WEBPVP8 ", "webp")],
)
def test_pictures_are_told_by_their_bytes(data: bytes, kind: str) -> None:
    url = "data:text/plain;base64," + base64.b64encode(data).decode()
    for named in (url, data, {"bytes": data, "path": "x.txt"}):
        found = find_picture(named, None)
        assert found is not None
        assert found.load().media_type == f"image/{kind}"


def test_a_picture_that_changes_is_not_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    found = find_picture("a.png", tmp_path)
    path.write_bytes(PNG + b"2")
    assert found is not None
    with pytest.raises(RowFault, match="changed"):
        found.load()
