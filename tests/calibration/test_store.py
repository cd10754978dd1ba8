"""Calibrations on the disk: whole, private, and proof against what else lies there."""

from __future__ import annotations

import json
import os
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doubles.calibrations import stretch
from joulemark.calibration.store import calibrations_home, held, remove, save
from joulemark.record.errors import InputError


def test_what_is_saved_is_read_again(calibration):
    stored = save(calibration())
    (read,) = held().stored
    assert read == stored
    assert stat.S_IMODE(stored.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(calibrations_home().stat().st_mode) == 0o700
    assert [path.name for path in calibrations_home().iterdir()] == [stored.path.name]


def test_the_latest_comes_first(calibration):
    for day in ("05", "21", "13"):
        save(calibration(id=day, created_utc=f"2026-11-{day}T10:00:00+00:00"))
    assert [one.calibration.id for one in held().stored] == ["21", "13", "05"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "torn"),
        ('{"format": "joulemark-calibration", "schema_ver', "torn"),
        ("[]", "no calibration"),
        ('{"format": "something else"}', "no calibration"),
        ('{"format": "joulemark-calibration", "schema_version": 2}', "form 2"),
        ('{"format": "joulemark-calibration", "schema_version": 1}', "Field required"),
    ],
)
def test_torn_and_foreign_files_are_reported_and_left_alone(calibration, text, words):
    save(calibration())
    path = calibrations_home() / "x.json"
    path.write_text(text)
    there = held()
    assert len(there.stored) == 1
    (other,) = there.unreadable
    assert words in other.why
    assert path.read_text() == text


def test_a_number_that_is_none_is_no_calibration(calibration):
    stored = save(calibration())
    document = json.loads(stored.path.read_text())
    document["loaded"]["powers"][0]["mean_w"] = "NaN"
    stored.path.write_text(json.dumps(document))
    assert not held().stored
    assert held().unreadable


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 10_000), flip=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_no_damage_makes_reading_fail(calibration, cut, flip, byte):
    data = bytearray(calibration().model_dump_json().encode())
    data[flip % len(data)] = byte
    calibrations_home().mkdir(parents=True, exist_ok=True)
    (calibrations_home() / "damaged.json").write_bytes(data[: cut % (2 * len(data))])
    there = held()
    assert len(there.stored) + len(there.unreadable) == 1


def test_removing_takes_the_page_with_it(calibration):
    first = save(calibration(id="aa11"))
    save(calibration(id="ab22"))
    first.page.write_text("<p>")
    (calibrations_home() / "torn.json").write_text("{")
    with pytest.raises(InputError, match="several"):
        remove(["a"])
    with pytest.raises(InputError, match="no calibration"):
        remove(["zz"])
    assert remove(["aa"]) == [first.path]
    assert not first.page.exists()
    assert len(remove(["all"])) == 2
    assert not list(calibrations_home().iterdir())


def test_a_place_that_cannot_be_written_is_told(calibration, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError, match="cannot be written"):
        save(calibration())


def test_a_folder_named_like_one_is_left_aside(calibration):
    save(calibration(loaded=stretch(1.0)))
    os.mkdir(calibrations_home() / "folder.json")
    assert len(held().unreadable) == 1
    assert len(held().stored) == 1
