"""The lengths and verdicts of some answers: with the same settings everybody's are nearly the same.

Without a temperature the same weights in the same engine give the same answers, but for ties that rounding
breaks. So of each run a sample of its answers is kept, the same questions of everybody, and held against
those of other signers with the same settings, device and engine version.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joulemark.board.judging.facts import RunFacts
from joulemark.board.judging.ground import Ground

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView

MOST_ANSWERS = 64
LEAST_ANSWERS = 20
MIN_SIGNERS = 5
AGREED, STRANGE = 0.8, 0.2
"""Share of answers whose length is that of most others: of the others' own (median), of a strange run."""
EDITED, EDITED_SHARE = 5, 0.15
"""Answers of the very length of the others' that they all have wrong and it has right, and their share."""
_ONE = re.compile(r"([0-9a-f]{8})=([0-9]{1,10})([-+?])")


@dataclass(frozen=True, slots=True)
class _Answer:
    tokens: int
    is_correct: bool | None


def fingerprint_of(view: RunView) -> str | None:
    """Return a sample of the answers of the first repeat as text; null where counts are not known.

    ``HASH=TOKENSverdict`` in the order of the hashes of the questions' names, the smallest `MOST_ANSWERS`;
    the verdict is ``+``, ``-``, or ``?`` where it is neither correct nor wrong.
    """
    told = {
        hashlib.sha256(item.item_id.encode()).hexdigest()[
            :8
        ]: f"{item.completion_tokens}{_sign(item.correct)}"
        for item in view.measured_items
        if item.repeat == 0 and not item.failed and item.completion_tokens is not None
    }
    return " ".join(f"{name}={told[name]}" for name in sorted(told)[:MOST_ANSWERS]) or None


def fingerprint_grounds(facts: RunFacts, peers: Sequence[RunFacts]) -> Iterator[Ground]:
    """Yield what of a run's answers cannot be the same model's; ``peers`` are others' runs of its make."""
    own = _answers(facts.answers)
    others = _one_a_signer(
        [
            peer
            for peer in peers
            if peer.config_hash == facts.config_hash and peer.engine_version == facts.engine_version
        ]
    )
    if len(own) < LEAST_ANSWERS or len(others) < MIN_SIGNERS:
        return
    usual = _usual_lengths(others)
    if len(usual.keys() & own.keys()) < LEAST_ANSWERS:
        return
    theirs = sorted(_agreement(one, usual) for one in others)[len(others) // 2]
    agreement = _agreement(own, usual)
    if theirs >= AGREED and agreement <= STRANGE:
        yield Ground(
            "answers_unlike",
            f"{100 * agreement:.0f} % of its answers are as long as those of {len(others)} other signers "
            f"with the same settings, device and engine, who agree in {100 * theirs:.0f} % of theirs: "
            "another model answered, or none.",
        )
    yield from _edited(own, others, usual)


def _edited(
    own: Mapping[str, _Answer], others: Sequence[Mapping[str, _Answer]], usual: Mapping[str, int]
) -> Iterator[Ground]:
    """Tell answers that have the length of everybody's, who have them wrong, and are called right."""
    wrong = [
        name
        for name in own
        if usual.get(name) == own[name].tokens
        and len(known := [one[name] for one in others if name in one]) >= MIN_SIGNERS
        and all(one.is_correct is False for one in known)
    ]
    right = sum(own[name].is_correct is True for name in wrong)
    if right >= EDITED and right >= EDITED_SHARE * len(wrong):
        yield Ground(
            "verdicts_unlike",
            f"{right} of {len(wrong)} answers that all {len(others)} other signers with the same settings "
            "have wrong, and that are as long as theirs, it calls right: its verdicts are for a challenge.",
        )


def _usual_lengths(others: Sequence[Mapping[str, _Answer]]) -> dict[str, int]:
    """Return of each answer the length that more than half of the signers have."""
    lengths: dict[str, Counter[int]] = {}
    for one in others:
        for name, answer in one.items():
            lengths.setdefault(name, Counter())[answer.tokens] += 1
    commonest = {name: counts.most_common(1)[0] for name, counts in lengths.items()}
    return {name: tokens for name, (tokens, n) in commonest.items() if 2 * n > len(others)}


def _agreement(one: Mapping[str, _Answer], usual: Mapping[str, int]) -> float:
    common = usual.keys() & one.keys()
    return sum(one[name].tokens == usual[name] for name in common) / len(common) if common else 0.0


def _one_a_signer(peers: Sequence[RunFacts]) -> list[Mapping[str, _Answer]]:
    """Return the answers of one run a signer: the one that comes first."""
    found: dict[str, Mapping[str, _Answer]] = {}
    for peer in peers:
        answers = _answers(peer.answers)
        if len(answers) >= LEAST_ANSWERS:
            found.setdefault(peer.signer, answers)
    return list(found.values())


def _answers(text: str | None) -> dict[str, _Answer]:
    """Return the answers of a fingerprint; what is none is left out."""
    found = [_ONE.fullmatch(word) for word in (text or "").split(" ")[:MOST_ANSWERS]]
    return {
        one[1]: _Answer(int(one[2]), {"+": True, "-": False}.get(one[3])) for one in found if one is not None
    }


def _sign(is_correct: bool | None) -> str:
    return "?" if is_correct is None else "+" if is_correct else "-"
