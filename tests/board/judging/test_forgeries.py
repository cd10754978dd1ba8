"""Whoever makes a run up with care: each forgery verifies, and ends as its case says."""

from __future__ import annotations

import pytest

from doubles import submitted_runs
from doubles.board_runs import Rig, content_of, peers_of, verified
from doubles.forgeries import ACCEPTED, Forgery, forgeries
from doubles.hostile_bundles import VERIFIED, WORDS, Forger, cases
from joulemark.board.judging import (
    Evidence,
    RunFacts,
    Rung,
    facts_of,
    judge,
    marks_of,
    rung_of,
    share_of_marks,
)
from joulemark.bundles.submission.content import cleaned
from joulemark.bundles.submission.pack import pack_content
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.verify import verify

CASES = list(forgeries())


@pytest.fixture(scope="module")
def honest() -> dict[Rig, tuple[RunFacts, tuple[int, ...]]]:
    """Facts and marks of the honest runs that forgeries are made of, by their rig; made once each."""
    return {}


def original(
    rig: Rig, honest: dict[Rig, tuple[RunFacts, tuple[int, ...]]]
) -> tuple[RunFacts, tuple[int, ...]]:
    if rig not in honest:
        found = verified(content_of(rig))
        honest[rig] = (facts_of(found), marks_of(found))
    return honest[rig]


def test_there_are_enough_of_them() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 40
    assert all(case.why for case in CASES if case.expected == ACCEPTED)
    assert not any(case.why for case in CASES if case.expected != ACCEPTED)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_ends_as_it_has_to(case: Forgery, honest: dict[Rig, tuple[RunFacts, tuple[int, ...]]]) -> None:
    forged = verified(case.content)
    facts, marks = facts_of(forged), marks_of(forged)
    first, first_marks = original(case.rig, honest)
    peers = peers_of(first) if case.among_peers else []
    copies = {first.digest: share_of_marks(marks, first_marks)} if case.beside_original else {}
    found = judge(facts, peers, copies)
    codes = {ground.code for ground in found.grounds}
    if case.expected == ACCEPTED:
        assert found.status == ACCEPTED, found.grounds
        assert facts.energy_j is not None
        assert rung_of(Evidence(is_verified=True, tier=facts.tier)) == Rung.RECOMPUTED
    else:
        assert case.expected in codes, (codes, facts)
        assert found.status == "quarantined"
    if case.expected == "duplicate_telemetry":
        assert first.digest in found.grounds[0].why


def test_forgeries_of_the_hostile_corpus_that_verify_end_so_too() -> None:
    """Those of `doubles.hostile_bundles` that are consistent in themselves, on a board that nobody knows."""
    content = cleaned(
        submitted_runs.described(16), submitted_runs.answers(16), submitted_runs.readings(16), WORDS
    )
    key = SigningKey.new()
    forger = Forger(pack_content(content, key, WORDS), content, key)
    first = verify(forger.packed.data)
    expected = {
        "energy scaled, figures restated": "duplicate_telemetry",
        "verdicts edited, figures restated": "duplicate_telemetry",
        "signed by whoever": "duplicate_telemetry",
    }
    found = {}
    for case in cases(forger, only_forgeries=True):
        if case.expected == VERIFIED:
            sent = verify(case.data)
            facts = facts_of(sent)
            assert judge(facts, [], {}).status == ACCEPTED, case.name
            share = share_of_marks(marks_of(sent), marks_of(first))
            found[case.name] = judge(facts, [], {first.digest: share}).grounds[0].code
    assert found == expected
