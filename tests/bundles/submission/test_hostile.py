"""A bundle from anybody: each trick ends in its own check, and none in a traceback."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.hostile_bundles import NONE, VERIFIED, Case, Forger, cases
from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.refusal import NotABundle
from joulemark.bundles.submission.verify import verify

SLOWEST_S = 60.0  # far above what any takes, and far below what a pattern that explodes would


@pytest.fixture(scope="session")
def corpus(forger: Forger) -> dict[str, Case]:
    """Every case by its name."""
    found = list(cases(forger))
    assert len({case.name for case in found}) == len(found)
    return {case.name: case for case in found}


def outcome(data: bytes) -> set[str]:
    """What came of a bundle: the checks that failed."""
    try:
        found = verify(data)
    except NotABundle:
        return {NONE}
    assert found.verified is not bool(found.findings)
    return {finding.check for finding in found.findings} or {VERIFIED}


def test_there_are_enough_of_them(corpus: dict[str, Case]) -> None:
    assert len(corpus) >= 100


def test_each_ends_as_it_has_to(corpus: dict[str, Case]) -> None:
    wrong = []
    for case in corpus.values():
        began = time.monotonic()
        found = outcome(case.data)
        if case.expected not in found:
            wrong.append((case.name, case.expected, found))
        assert time.monotonic() - began < SLOWEST_S, case.name
    assert not wrong, "\n".join(map(str, wrong))


def test_an_honest_bundle_verifies(forger: Forger) -> None:
    assert outcome(forger.packed.data) == {VERIFIED}


def test_another_signer_than_the_one_asked_for_is_told(forger: Forger) -> None:
    assert verify(forger.packed.data, signer=forger.key.public).verified
    found = verify(forger.packed.data, signer="0" * 64)
    assert [finding.check for finding in found.findings] == ["signature"]
    assert found.summary is not None


def test_what_does_not_verify_shows_no_figures_that_were_not_recomputed(corpus: dict[str, Case]) -> None:
    found = verify(corpus["forged joules per correct answer"].data)
    place = "figures.joules_per_correct_answer.value"
    told = {one.place: one for one in found.differences}
    assert told.keys() == {place}
    assert found.summary is not None
    assert told[place].recomputed == found.summary.figures["joules_per_correct_answer"].value
    assert told[place].stated == pytest.approx(told[place].recomputed / 2)


@settings(max_examples=80)
@given(st.data())
def test_flipped_bytes_never_crash_it(forger: Forger, data: st.DataObject) -> None:
    bundle = bytearray(forger.packed.data)
    for _ in range(data.draw(st.integers(1, 4))):
        bundle[data.draw(st.integers(0, len(bundle) - 1))] ^= data.draw(st.integers(1, 255))
    assert outcome(bytes(bundle))


@settings(max_examples=80)
@given(st.sampled_from([*m.SIGNED, m.BUNDLE, m.SIGNATURE]), st.data())
def test_flipped_bytes_of_members_never_crash_it(forger: Forger, name: str, data: st.DataObject) -> None:
    """Hashed and signed anew, so that what lies behind these two checks is reached."""
    member = bytearray(forger.packed.members[name])
    for _ in range(data.draw(st.integers(1, 3))):
        member[data.draw(st.integers(0, len(member) - 1))] ^= data.draw(st.integers(1, 255))
    made = forger.resigned if name in m.SIGNED else forger.stale
    assert outcome(made({name: bytes(member)}))


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcxyz"), inner, max_size=4),
    max_leaves=6,
)


def _places(document: object, at: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    if isinstance(document, dict):
        for key, value in document.items():
            yield (*at, key)
            yield from _places(value, (*at, key))
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield (*at, number)
            yield from _places(value, (*at, number))


@settings(max_examples=100)
@given(st.sampled_from([m.RUN, m.ENVIRONMENT, m.QUALIFICATION, m.BASELINES, m.FIGURES]), st.data())
def test_any_value_anywhere_never_crashes_it(forger: Forger, name: str, data: st.DataObject) -> None:
    value = data.draw(_JSON)

    def edit(document: object) -> None:
        *way, last = data.draw(st.sampled_from(list(_places(document))))
        for step in way:
            document = document[step]  # type: ignore[index]
        document[last] = value  # type: ignore[index]

    try:
        bundle = forger.document(name, edit)
    except ValueError:
        return  # has no canonical form
    assert outcome(bundle)
