"""Rows count as they were written, of the programs that the record names, or are made again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from doubles.made_up_evaluations import done_of, record_of, rows_of, write_evaluation
from doubles.small_problems import total_problem
from doubles.user import joulemark
from joulemark.code.evaluation.job import Answer, Done
from joulemark.code.evaluation.journal import CHANGED, FILE, CodeJournal, read_journal
from joulemark.code.evaluation.record import EvaluationRecord, new_record, read_record, write_record
from joulemark.code.evaluation.settings import Settings
from joulemark.code.evaluation.sound import held_against, read_rows

PROBLEMS = {"p00", "p01", "p02", "p03"}
RATIOS = [1.0, 4.0, 0.5, 1.5]


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, EvaluationRecord]:
    record = record_of()
    return write_evaluation(tmp_path / "e", record, rows_of(RATIOS)), record


def lines_of(directory: Path) -> list[bytes]:
    return (directory / FILE).read_bytes().splitlines(keepends=True)


def test_what_was_written_is_sound(written: tuple[Path, EvaluationRecord]) -> None:
    directory, record = written
    found = read_rows(directory, record)
    assert set(found.runs) == PROBLEMS
    assert found.unsound == {}


def test_a_word_without_rows_hides_no_problem(written: tuple[Path, EvaluationRecord]) -> None:
    directory, record = written
    word = {"done": "p01", "n_runs": 0, "failure": None, "not_measured": None, "is_control": False}
    with (directory / FILE).open("ab") as file:
        file.write(orjson.dumps(word) + b"\n")
    found = read_rows(directory, record)
    assert set(found.runs) == PROBLEMS
    # nor does one in place of the problem's own
    lines = [line for line in lines_of(directory) if b'"p01"' not in line]
    (directory / FILE).write_bytes(b"".join([*lines, orjson.dumps(word), b"\n"]))
    found = read_rows(directory, record)
    assert set(found.runs) == PROBLEMS - {"p01"}
    assert found.unsound == {"p01": CHANGED}
    assert "p01" not in found.done


def test_an_edited_row_takes_its_problem_out(written: tuple[Path, EvaluationRecord]) -> None:
    directory, record = written
    lines = lines_of(directory)
    k = next(k for k, line in enumerate(lines) if b'"problem":"p01"' in line and b"cpu_ns" in line)
    row = orjson.loads(lines[k])
    row["run"]["cpu_ns"] = 1
    (directory / FILE).write_bytes(b"".join([*lines[:k], orjson.dumps(row) + b"\n", *lines[k + 1 :]]))
    found = read_rows(directory, record)
    assert found.unsound == {"p01": CHANGED}
    done = joulemark("code", "report", directory, "--json")
    assert "does it again" in done.json["failures"]["p01"]
    assert done.json["counts"]["n_problems"] == 3


def test_rows_without_their_digests_are_not_as_they_were_written(tmp_path: Path) -> None:
    directory, record = tmp_path / "e", record_of()
    write_record(directory, record)
    journal = CodeJournal(directory)
    for done in done_of(record, rows_of(RATIOS)):
        journal.append(done)
    journal.close()
    assert read_rows(directory, record).unsound == {}
    bare = [orjson.loads(line) for line in (directory / FILE).read_bytes().splitlines()]
    for word in bare:
        word.pop("sha256", None)
    (directory / FILE).write_bytes(b"".join(orjson.dumps(word) + b"\n" for word in bare))
    found = read_rows(directory, record)
    assert found.runs == {}
    assert set(found.unsound) >= PROBLEMS
    assert read_rows(directory, record.model_copy(update={"procedure": 1})).unsound == {}


def test_rows_of_other_programs_are_none_of_this_evaluation(tmp_path: Path) -> None:
    record, other = record_of(), record_of(answers=("1",))
    directory = tmp_path / "e"
    write_record(directory, record)
    journal = CodeJournal(directory)
    for done in done_of(other, rows_of(RATIOS)):
        journal.append(done)
    journal.close()
    found = read_rows(directory, record)
    assert found.runs == {}
    assert set(found.unsound) == PROBLEMS
    assert all("other programs" in why for why in found.unsound.values())


def test_every_sample_and_only_this_problems_rows() -> None:
    record = record_of(answers=("sum(values)", "1"))
    rows = rows_of(RATIOS)
    found = held_against(record, replace(rows, runs={"p00": done_of(record, rows)[1].runs}))
    assert "no rows of 1 samples" in found.unsound["p00"]
    one = record_of()
    runs = {done.problem_id: done.runs for done in done_of(one, rows) if not done.is_control}
    assert set(held_against(one, replace(rows, runs=runs)).runs) == PROBLEMS
    mixed = {"p00": runs["p00"] + runs["p01"], "elsewhere": runs["p02"]}
    said = held_against(one, replace(rows, runs=mixed)).unsound
    assert "another problem" in said["p00"]
    assert "no problem of this evaluation" in said["elsewhere"]


def test_half_a_character_in_a_program_ends_nothing(tmp_path: Path) -> None:
    source = "def total(values):\n    return '\ud800'\n"
    known = record_of()
    record = new_record(
        "a\udcff model",
        [total_problem()],
        {"total": [Answer(0, source)]},
        Settings(),
        known.environment,
    )
    write_record(tmp_path, record)
    (digest,) = read_record(tmp_path).problems["total"].programs.values()
    assert "\\ud800" in read_record(tmp_path).sources[digest]
    (run, *_) = rows_of([1.0]).runs["p00"]
    journal = CodeJournal(tmp_path)
    journal.append(Done("total", (replace(run, problem="total", program=digest, detail="\ud800!"),)))
    journal.close()
    (row,) = read_journal(tmp_path).runs["total"]
    assert row.detail == "\\ud800!"
