"""The ladder of trust: what each rung demands, and that more evidence never lowers a row."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.board.judging import Evidence, Rung, rung_of

EVIDENCE = st.builds(
    Evidence,
    is_imported=st.just(False),
    is_verified=st.booleans(),
    challenge_passed=st.booleans(),
    is_reproduced=st.booleans(),
    tier=st.sampled_from([None, "C", "B", "A"]),
    is_audited=st.booleans(),
)
MORE = [
    {"is_verified": True},
    {"challenge_passed": True},
    {"is_reproduced": True},
    {"tier": "B"},
    {"tier": "A"},
    {"is_audited": True},
]


@pytest.mark.parametrize(
    ("evidence", "rung"),
    [
        (Evidence(is_imported=True, is_verified=True), Rung.PUBLISHED),
        (Evidence(), Rung.SELF_REPORTED),
        (Evidence(tier="A", challenge_passed=True, is_audited=True), Rung.SELF_REPORTED),
        (Evidence(is_verified=True), Rung.RECOMPUTED),
        (Evidence(is_verified=True, tier="A"), Rung.RECOMPUTED),
        (Evidence(is_verified=True, is_reproduced=True), Rung.RECOMPUTED),
        (Evidence(is_verified=True, challenge_passed=True, tier="C"), Rung.CHALLENGED),
        (Evidence(is_verified=True, challenge_passed=True, is_reproduced=True), Rung.REPRODUCED),
        (Evidence(is_verified=True, challenge_passed=True, tier="B"), Rung.METERED),
        (Evidence(is_verified=True, is_audited=True), Rung.AUDITED),
    ],
)
def test_each_rung_has_its_demands(evidence: Evidence, rung: Rung) -> None:
    assert rung_of(evidence) is rung


@given(EVIDENCE, st.sampled_from(MORE))
def test_more_evidence_never_lowers_a_row(evidence: Evidence, more: dict[str, object]) -> None:
    if "tier" in more and evidence.tier == "A":
        return
    assert rung_of(replace(evidence, **more)) >= rung_of(evidence)


def test_every_rung_says_what_was_shown() -> None:
    assert [int(rung) for rung in Rung] == list(range(7))
    assert len({rung.title for rung in Rung}) == len({rung.shown for rung in Rung}) == 7
    assert all(rung.shown.endswith(".") for rung in Rung)
