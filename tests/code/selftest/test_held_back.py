"""Cheats that no case of the self-test names, really run; and the goals of the benchmark beside others."""

from __future__ import annotations

import pytest

from doubles.benchmark_scripts import script
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.selftest.selftest import all_cases

bench, harness = script("code_held_back"), script("code_harness")
_NAMES = [one.name for one in bench.HELD_BACK]


def test_there_are_enough_and_none_is_a_case_of_the_self_test() -> None:
    cheats = [name for name in _NAMES if not name.startswith("honest")]
    assert len(set(cheats)) == len(cheats) >= 10
    assert not set(cheats) & {getattr(case, "name", getattr(case, "__name__", "")) for case in all_cases()}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("cheat", bench.HELD_BACK, ids=_NAMES)
def test_each_is_not_right_or_its_figures_show_its_work(sandbox: Sandbox, cheat: object) -> None:
    with Sandbox(sandbox.containment, Limits(wall_s=30, cpu_s=5)) as roomy:
        (held,) = bench.graded(roomy, [cheat])
    assert held.caught, held.given


@pytest.mark.parametrize(
    ("changes", "right", "figures", "caught"),
    [
        ({}, False, {}, True),
        ({}, True, {}, False),
        ({"least": {"net_corrected": 2.0}}, True, {"net_corrected": 2.1}, True),
        ({"least": {"net_corrected": 2.0}}, True, {"net_corrected": 0.1}, False),
        ({"least": {"net_corrected": 2.0}}, True, {"net_corrected": None}, False),
        ({"least": {"net_corrected": 2.0}, "may_fail": False}, False, {}, False),
        ({"most": {"net_corrected": 2.0}}, True, {"net_corrected": 9.0}, False),
        ({"withheld": ("net_corrected",)}, True, {"net_corrected": None}, True),
        ({"withheld": ("net_corrected",)}, True, {"net_corrected": 1.0}, False),
    ],
)
def test_what_gains_is_told(
    changes: dict[str, object], right: bool, figures: dict[str, float | None], caught: bool
) -> None:
    held = bench.HeldBack("x", "", **changes)._held(right, figures)
    assert held.caught is caught
    assert held.given


OURS = ("ours", 30.0, [1.01, 0.98, 1.02, 1.0], 0.1)
MPROF = ("mprof", 20.0, [1.5, 0.6, 1.4, 1.0], 0.1)
NONE = {"ours": (27, set())}
CAUGHT = [bench.Held("one", True, "")]


@pytest.mark.parametrize(
    ("rows", "missed", "held", "unmet"),
    [
        ([OURS], NONE, CAUGHT, []),
        ([OURS, MPROF], NONE, CAUGHT, []),
        ([("ours", 30.0, [1.2, 0.8, 1.2, 1.0], 0.1)], NONE, CAUGHT, ["A/A error"]),
        ([("ours", 30.0, [1.0, 1.0], 0.1)], NONE, CAUGHT, ["a ratio of each"]),
        ([OURS], {"ours": (27, {"sleep"})}, CAUGHT, ["all cheats caught"]),
        ([OURS], NONE, [bench.Held("one", False, "")], ["held back"]),
        ([OURS], NONE, [], ["held back"]),
        ([("ours", 60.0, *OURS[2:]), MPROF], NONE, CAUGHT, ["wall time"]),
        ([OURS, ("mprof", 20.0, [1.0, 1.0, 1.01], 0.1)], NONE, CAUGHT, ["mprof's A/A error"]),
    ],
)
def test_a_missed_goal_is_named(
    rows: list[object], missed: dict[str, object], held: list[object], unmet: list[str]
) -> None:
    found = [what for what, is_met in harness.goals(rows, 4, missed, held) if not is_met]
    assert len(found) == len(unmet)
    assert all(word in what for word, what in zip(unmet, found, strict=True))
