"""The benchmark of ENAMEL's published figures tells which of them is missed."""

from __future__ import annotations

import pytest

from doubles.benchmark_scripts import script

enamel_scores = script("enamel_scores")


@pytest.mark.parametrize(
    ("eff", "passed", "n", "misses"),
    [
        (0.481, 0.915, 142, []),
        (0.408, 0.888, 142, []),
        (0.509, 0.915, 142, ["eff_at_1 within 0.05 of 0.458"]),
        (0.481, 0.929, 142, ["level_pass_at_1 within 0.02 of 0.908"]),
        (0.458, 0.908, 141, ["eff_at_1 of 141", "level_pass_at_1 of 141"]),
        (None, None, 0, ["eff_at_1 of 0", "level_pass_at_1 of 0"]),
    ],
)
def test_a_published_figure_that_is_missed_is_named(
    eff: float | None, passed: float | None, n: int, misses: list[str]
) -> None:
    told = {"eff_at_1": eff, "level_pass_at_1": passed, "n": {"eff_at_1": n, "level_pass_at_1": n}}
    found = enamel_scores.missed(enamel_scores.FILES[0], told)
    assert len(found) == len(misses)
    assert all(word in what for word, what in zip(misses, found, strict=True))
