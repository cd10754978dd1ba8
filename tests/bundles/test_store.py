"""Imported rows on disk: nothing counts twice, nothing broken is believed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from doubles.published_files import TEXT_HEADER, TEXT_ROW, Write
from joulemark.bundles.kinds import import_file
from joulemark.bundles.store import read_stored, stored_files
from joulemark.record.errors import InputError


def test_the_same_file_twice_changes_nothing(write: Write, tmp_path: Path) -> None:
    into = tmp_path / "into"
    first = import_file("mlenergy", write(), into)
    before = first.path.read_bytes()
    second = import_file("mlenergy", write(), into)
    assert (first.state, second.state) == ("new", "unchanged")
    assert stored_files(into) == [first.path]
    assert first.path.read_bytes() == before


def test_the_same_bytes_under_another_name_are_not_stored_again(write: Write, tmp_path: Path) -> None:
    into = tmp_path / "into"
    first = import_file("mlenergy", write(), into)
    copy = tmp_path / "copy.csv"
    shutil.copy(write(), copy)
    second = import_file("mlenergy", copy, into, task="chat")
    assert (second.state, second.path) == ("unchanged", first.path)
    assert len(stored_files(into)) == 1


def test_another_version_of_the_file_is_refused_or_takes_its_place(write: Write, tmp_path: Path) -> None:
    into = tmp_path / "into"
    first = import_file("mlenergy", write(), into)
    newer = (TEXT_HEADER, TEXT_ROW.replace("100.5", "90.5"))
    with pytest.raises(InputError, match="already holds") as refused:
        import_file("mlenergy", write(*newer), into)
    assert "--replace" in refused.value.fix
    assert stored_files(into) == [first.path]
    second = import_file("mlenergy", write(*newer), into, replace=True)
    assert (second.state, second.replaced) == ("replaced", (first.path,))
    assert stored_files(into) == [second.path]
    assert read_stored(second.path).rows[0].energy_j == 90.5


def test_other_configurations_stand_beside(write: Write, tmp_path: Path) -> None:
    into = tmp_path / "into"
    import_file("mlenergy", write(), into)
    import_file("mlenergy", write(name="llm_text_generation__code.csv"), into)
    assert len(stored_files(into)) == 2


def test_a_hostile_name_stays_in_the_folder(write: Write, tmp_path: Path) -> None:
    path = write(name="llm_text_generation__chat ..; $(x).csv")
    stored = import_file("mlenergy", path, tmp_path / "into")
    assert stored.path.parent == tmp_path / "into"
    assert not set(stored.path.name) & set(" $();/")


def test_a_place_that_cannot_be_written(write: Write, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(InputError, match="--into"):
        import_file("mlenergy", write(), blocked / "into")


@pytest.mark.parametrize(
    "change",
    [
        lambda d: "no json",
        lambda d: json.dumps({**d, "rows": "none"}),
        lambda d: json.dumps({**d, "more": 1}),
        lambda d: json.dumps({**d, "schema_version": "9.0"}),
        lambda d: json.dumps({**d, "rows": [{**d["rows"][0], "energy_j": -1}]}),
        lambda d: json.dumps({**d, "rows": [{**d["rows"][0], "energy_j": float("nan")}]}),
        lambda d: json.dumps(d)[:-20],
    ],
)
def test_a_file_that_holds_no_rows_is_refused(write: Write, tmp_path: Path, change) -> None:
    stored = import_file("mlenergy", write(), tmp_path / "into")
    stored.path.write_text(change(json.loads(stored.path.read_text())))
    with pytest.raises(InputError) as refused:
        read_stored(stored.path)
    assert refused.value.fix
