"""What a user may type as a target, and what is refused with a way out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.target import QUANTITIES, Bound, Precision, parse_target, parse_targets
from joulemark.record.errors import InputError


@pytest.mark.parametrize(
    ("text", "kept", "half_width", "relative"),
    [
        ("accuracy ±1pp", "accuracy ±1pp", 0.01, False),
        ("accuracy ±0.01", "accuracy ±1pp", 0.01, False),
        ("accuracy+-1.5pp", "accuracy ±1.5pp", 0.015, False),
        ("Accuracy +/- 2 pp", "accuracy ±2pp", 0.02, False),
        ("joules_per_correct ±5%", "joules_per_correct ±5%", 0.05, True),
        ("joules_per_correct_answer ±2J", "joules_per_correct ±2J", 2.0, False),
        ("usd ±10%", "usd ±10%", 0.1, True),
        ("e2el ±50ms", "latency ±0.05s", 0.05, False),
        ("score ±0.02", "score ±0.02", 0.02, False),
    ],
)
def test_a_precision_is_read_and_kept_in_one_way(
    text: str, kept: str, half_width: float, relative: bool
) -> None:
    target = parse_target(text)
    assert isinstance(target, Precision)
    assert target.text == kept
    assert target.half_width == pytest.approx(half_width)
    assert target.relative is relative
    assert parse_target(target.text) == target


@pytest.mark.parametrize(
    ("text", "threshold", "above"),
    [("accuracy > 0.7", 0.7, True), ("accuracy<70%", 0.7, False), ("score >= 55", 55.0, True)],
)
def test_a_decision_is_read(text: str, threshold: float, above: bool) -> None:
    target = parse_target(text)
    assert isinstance(target, Bound)
    assert (target.threshold, target.above) == (pytest.approx(threshold), above)
    assert parse_target(target.text) == target


@pytest.mark.parametrize(
    "text",
    [
        "",
        "accuracy",
        "accuracy ±",
        "accuracy ±0pp",
        "accuracy ±-1pp",
        "accuracy ±nan",
        "accuracy ±inf",
        "accuracy ±60pp",
        "accuracy ±1%",
        "accuracy ±1J",
        "accuracy > 1.5",
        "nonsense ±1%",
        "latency ±5",
        "joules ±2",
        "usd_per_correct ±0.1",
        "joules_per_correct > 5",
        "joules_per_correct ±5pp",
        "joules_per_correct ±100%",
        "score ±1pp",
        "accuracy ±1pp and joules ±5%",
    ],
)
def test_what_is_no_target_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_target(text)
    assert refused.value.fix


def test_a_target_is_given_once() -> None:
    with pytest.raises(InputError, match="twice"):
        parse_targets(["accuracy ±1pp", "accuracy ±0.01"])


@given(st.sampled_from(sorted(set(QUANTITIES) - {"accuracy"})), st.floats(0.001, 99.0))
def test_any_relative_width_reads_back(name: str, percent: float) -> None:
    target = parse_target(f"{name} ±{percent:.6g}%")
    assert parse_target(target.text) == target


@pytest.mark.parametrize(("text", "said"), [("accuracy +-1", True), ("accuracy ±100pp", False)])
def test_a_share_that_was_meant_as_points_is_told_as_what_it_was_read(text: str, said: bool) -> None:
    with pytest.raises(InputError, match="asks for nothing") as error:
        parse_target(text)
    assert ("without a unit 1 is a share, 100 pp (for 1 pp say ±1pp)" in (error.value.why or "")) is said
