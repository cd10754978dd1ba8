"""What an evaluation is identified by: facts and a number of its procedure, no words and no places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from doubles.made_up_evaluations import NO_LANDLOCK, record_of
from joulemark.code.contain import remedy
from joulemark.code.contain.containment import WHOLE
from joulemark.code.evaluation import record
from joulemark.code.evaluation.environment import Environment, environment_of
from joulemark.record.errors import InputError


def test_words_about_what_is_missing_are_no_part_of_the_environment() -> None:
    first, second = (
        environment_of(replace(NO_LANDLOCK, missing=(f"own namespaces: /tmp/joulemark-trial-{place}",)))
        for place in ("a1b2", "c3d4")
    )
    assert first.environment_id == second.environment_id
    assert first.environment_id != environment_of(WHOLE).environment_id


@pytest.mark.parametrize("part", ["namespaces", "landlock", "seccomp", "per_run"])
def test_each_part_of_the_containment_is(part: str) -> None:
    held = replace(WHOLE, **{part: False})
    assert environment_of(held).environment_id != environment_of(WHOLE).environment_id


def test_the_path_of_bubblewrap_is_not_kept() -> None:
    ways = [environment_of(replace(WHOLE, bubblewrap=path)) for path in ("/usr/bin/bwrap", "/opt/bwrap")]
    assert ways[0].environment_id == ways[1].environment_id
    assert "/usr/bin" not in ways[0].model_dump_json()
    held_before = {**ways[0].model_dump(), "bubblewrap": "/usr/bin/bwrap"}
    assert Environment.model_validate(held_before) == ways[0]


def test_rows_of_two_procedures_are_two_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    now = record_of()
    monkeypatch.setattr(record, "PROCEDURE", record.PROCEDURE + 1)
    later = record_of()
    assert now.evaluation_id != later.evaluation_id
    assert later.procedure == now.procedure + 1


def test_a_record_of_before_is_read_as_the_first_procedure(tmp_path: Path) -> None:
    record.write_record(tmp_path, record_of())
    text = (tmp_path / record.FILE).read_text()
    old = "\n".join(line for line in text.split("\n") if '"procedure"' not in line)
    (tmp_path / record.FILE).write_text(old)
    assert record.read_record(tmp_path).procedure == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"model": "', '"model": "better-'),
        ('"n_tests": ', '"n_tests": 9'),
        ('"seed": ', '"seed": 9'),
        ("return sum(values)", "return  sum(values)"),
        ('"sha256": "', '"sha256": "0'),
    ],
)
def test_a_record_that_was_changed_is_refused(tmp_path: Path, before: str, after: str) -> None:
    record.write_record(tmp_path, record_of(answers=("sum(values)",)))
    text = (tmp_path / record.FILE).read_text()
    assert before in text
    assert record.read_record(tmp_path).sha256
    (tmp_path / record.FILE).write_text(text.replace(before, after, 1))
    with pytest.raises(InputError, match="not as it was written"):
        record.read_record(tmp_path)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("[Errno 13] denied: '/tmp/joulemark-trial-x7f/root'", "[Errno 13] denied: 'a directory of its own'"),
        ('File "/home/ann/env/lib/joulemark/trial.py"', 'File "…/trial.py"'),
        ("cannot write /proc/self/uid_map", "cannot write /proc/self/uid_map"),
        ("needs x86_64/aarch64", "needs x86_64/aarch64"),
    ],
)
def test_what_is_missing_names_no_place_and_no_machine(said: str, kept: str) -> None:
    for words in (remedy.landlock(said), remedy.seccomp(said), remedy.namespaces(said, said)):
        assert kept in words
        assert "ann" not in words.replace("cannot", "")
