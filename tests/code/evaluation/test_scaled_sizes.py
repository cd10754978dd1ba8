from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from doubles.small_problems import TOTAL_TWICE, scripted_problem, total_problem
from joulemark.code.evaluation.scaled_sizes import ScaledSizes


def test_a_size_is_kept_for_a_problem_and_an_environment(tmp_path: Path) -> None:
    sizes = ScaledSizes("here", tmp_path)
    assert sizes.of(total_problem()) is None
    sizes.keep(total_problem(), 1234)
    assert ScaledSizes("here", tmp_path).of(total_problem()) == 1234
    assert ScaledSizes("there", tmp_path).of(total_problem()) is None
    assert sizes.of(total_problem(canonical=TOTAL_TWICE)) is None
    generator = total_problem().generator
    assert generator is not None
    assert sizes.of(total_problem(generator=replace(generator, shapes=("plain",)))) is None
    assert sizes.of(scripted_problem()) is None


def test_what_cannot_be_read_or_kept_is_looked_for_anew(tmp_path: Path) -> None:
    sizes = ScaledSizes("here", tmp_path)
    sizes.keep(total_problem(), 5)
    (file,) = (tmp_path / "here").iterdir()
    for text in ("", "{}", '{"size": true}', '{"size": -1}', "[]"):
        file.write_text(text)
        assert sizes.of(total_problem()) is None
    blocked = tmp_path / "file"
    blocked.write_text("")
    ScaledSizes("here", blocked).keep(total_problem(), 5)
