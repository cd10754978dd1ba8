"""Beyond and DPS come from what is known of other programs, as times in a file or as other evaluations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.made_up_evaluations import record_of, rows_of, write_evaluation
from doubles.user import joulemark
from joulemark.code.evaluation.figures import summary_of_evaluation
from joulemark.code.evaluation.known import WIDTH, clusters_of, known_of, read_known_times
from joulemark.metrics.code.dps import performance_scores
from joulemark.record.errors import InputError

pytestmark = pytest.mark.hypothesis
MINE, OTHERS = rows_of([1.0, 4.0, 0.5, 1.5]), [rows_of([1.0, 0.5, 2.0, 1.0]), rows_of([3.0, 8.0, 1.0, 4.0])]


def test_evaluations_of_others_give_both_scores() -> None:
    record = record_of("A")
    others = [(f"o{k}", record_of("B", answers=(str(k),)), rows) for k, rows in enumerate(OTHERS)]
    known = known_of(record, others)
    assert sorted(known.times_s["p01"]) == pytest.approx([0.25, 4.0])
    figures = summary_of_evaluation(record, MINE, known_s=known.times_s, clusters=known.clusters).figures
    # p00 is as fast as the fastest, p01 half way, p02 faster than the fastest, p03 nearly as fast
    assert figures["beyond"].value == pytest.approx((1.0 + 2 / 3.75 + 1.0 + 1.25 / 1.5) / 4)
    assert figures["beyond"].n == 4
    # one of both known programs is slower than p01, p02 and p03; of p00 it is chance with the fastest
    assert figures["dps"].value == pytest.approx(100 * (1.0 + 0.5 + 1.0 + 0.5) / 4, abs=13)
    assert summary_of_evaluation(record, MINE).figures["dps"].value is None


def test_programs_that_ran_otherwise_are_not_known_ones() -> None:
    for said, other in {
        "other settings": record_of("B", n_tests=10),
        "other problems": record_of("B", n_problems=3),
    }.items():
        with pytest.raises(InputError, match=said):
            known_of(record_of("A"), [("o", other, OTHERS[0])])
    with pytest.raises(InputError, match="itself"):
        known_of(record_of("A"), [("o", record_of("A"), MINE)])


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=20))
def test_clusters_hold_every_program_once_and_are_no_wider_than_they_may(ratios: list[float]) -> None:
    found = clusters_of(ratios)
    assert sum(one.n for one in found) == len(ratios)
    assert found[-1].ratio == max(ratios)
    slowest_before = 0.0
    for one in found:
        fastest = min(r for r in ratios if r > slowest_before)
        assert one.ratio <= fastest * (1 + WIDTH)
        assert all(r <= one.ratio or r > fastest * (1 + WIDTH) for r in ratios if r > fastest)
        slowest_before = one.ratio


def test_a_chain_of_small_gaps_is_no_cluster() -> None:
    """Forty programs from 1 to 20 times the reference: at 15 times, one in ten is slower."""
    clusters = clusters_of([20 ** (k / 39) for k in range(40)])
    assert performance_scores(15.0, clusters)[0] == pytest.approx(10, abs=5)
    assert performance_scores(5.0, clusters)[0] == pytest.approx(47.5, abs=5)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"p00": 3}', '{"p00": []}', '{"p00": [0]}', '{"p00": ["1"]}', '{"other": [1]}']
)
def test_a_file_that_tells_no_times_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "times.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_known_times(path, {"p00"})
    assert "--known-times" in str(error.value.fix)


def test_a_command_prints_beyond(tmp_path: Path) -> None:
    mine = write_evaluation(tmp_path / "mine", record_of("A"), MINE)
    other = write_evaluation(tmp_path / "other", record_of("B", answers=("1",)), OTHERS[1])
    times = tmp_path / "times.json"
    times.write_text(json.dumps({"p00": [0.25, 1.0], "p01": [1.0, 3.0], "elsewhere": [1.0]}))
    without = joulemark("code", "report", mine, "--json")
    assert without.code == 0, without.err
    assert "--known-times" in without.json["reasons"]["beyond"]["detail"]
    done = joulemark("code", "report", mine, "--json", "--known-times", times, "--known", other)
    assert done.code == 0, done.err
    assert done.json["beyond"] is not None
    assert done.json["dps"] is not None
    assert "Beyond" in joulemark("code", "report", mine, "--known-times", times).out
    bad = joulemark("code", "report", mine, "--known-times", tmp_path / "none.json")
    assert bad.code == 2
