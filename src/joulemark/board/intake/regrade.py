"""Open commitments and grade the answers again. Pure but for reading the built-in tasks."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from joulemark.board.intake.questions import questions_here
from joulemark.board.standing.own_questions import why_not_its_questions
from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.archive import read_archive
from joulemark.bundles.submission.canonical import parse
from joulemark.bundles.submission.documents import manifest_of, starts_of
from joulemark.bundles.submission.item_lines import row_of
from joulemark.record.item import Item, Phase, Verdict
from joulemark.record.manifest import Manifest
from joulemark.runs.commitment import KEY_BYTES, committed
from joulemark.tasks.scorers import SCORERS
from joulemark.tasks.task import Question

Outcome = Literal["same", "commitment", "verdict"]
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Opening:
    """An answer with the key of its commitment."""

    item_id: str
    repeat: int
    key: bytes
    answer: str


@dataclass(frozen=True, slots=True)
class Opened:
    """What came of an opening: as stated, another answer than the one committed to, or graded otherwise."""

    item_id: str
    repeat: int
    outcome: Outcome


def openable(bundle: bytes) -> list[tuple[str, int]] | str:
    """Return the answers of a verified bundle that can be asked for, by name and repeat, or why none can.

    A request that failed has none. What counts in a run's favour must be among them: whoever could keep
    an answer from being asked for would open the others.
    """
    manifest, items = _read(bundle)
    questions = questions_here(manifest.task)
    if questions is None:
        return "its task does not come with Joulemark"
    if why := why_not_its_questions(manifest, list(items.values())):
        return f"{why[:1].lower()}{why[1:].rstrip('.')}"
    found = [key for key, item in items.items() if key[0] in questions and _is_openable(item)]
    hidden = sum(1 for key, item in items.items() if item.correct or item.score) - sum(
        1 for key in found if items[key].correct or items[key].score
    )
    if hidden:
        return f"{hidden} of its answers that count as right cannot be asked for"
    return found or "it has none that was graded"


def regrade(bundle: bytes, openings: Sequence[Opening]) -> list[Opened]:
    """Check openings of a verified bundle. Raises ``KeyError`` for an answer that it does not have."""
    manifest, items = _read(bundle)
    questions = questions_here(manifest.task) or {}
    return [
        Opened(one.item_id, one.repeat, _outcome(one, items[one.item_id, one.repeat], questions[one.item_id]))
        for one in openings
    ]


def _outcome(opening: Opening, item: Item, question: Question) -> Outcome:
    found = committed(opening.key, opening.answer) if len(opening.key) == KEY_BYTES else ""
    if not hmac.compare_digest(found, item.answer_commitment or ""):
        return "commitment"
    # That an engine flagged a refusal is its word, and nobody gains by saying so.
    refusal = item.verdict == Verdict.REFUSED
    scorer = SCORERS[question.kind]
    score = scorer.score(question, opening.answer, finish_reason=item.finish_reason, refusal=refusal)
    if score.correct != item.correct or abs((score.score or 0.0) - (item.score or 0.0)) > _CLOSE:
        return "verdict"
    return "same"


def _is_openable(item: Item) -> bool:
    graded = item.correct is not None or item.score is not None
    return item.answer_commitment is not None and graded and not item.failed


def _read(bundle: bytes) -> tuple[Manifest, Mapping[tuple[str, int], Item]]:
    """Return manifest and answers of a bundle that was verified before."""
    members = read_archive(bundle)
    found = {name: parse(members[name]) for name in (m.RUN, m.ENVIRONMENT, m.QUALIFICATION, m.BASELINES)}
    manifest, _ = manifest_of(found)
    starts = starts_of(manifest)
    items = (row_of(line, starts).item for line in members[m.ITEMS].splitlines())
    return manifest, {one.key: one for one in items if one.phase == Phase.MEASURE}
