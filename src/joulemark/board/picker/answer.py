"""The answer to a question: the shortlist of the candidates that are trusted enough."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.board.picker.candidates import Among, Candidates
from joulemark.board.picker.question import Question
from joulemark.metrics.picking import Shortlist, shortlist

MOST_ROWS, MOST_TABLES = 24, 6


@dataclass(frozen=True, slots=True)
class Answer:
    """``n_less_trusted`` candidates are below the rung that was asked for and were not looked at."""

    shortlist: Shortlist
    among: Among
    version: int
    n_less_trusted: int


def answer(known: Candidates, question: Question, most: int = MOST_ROWS) -> Answer:
    """Return the answer among candidates: tens of milliseconds for thousands of them."""
    among = known.among(question.rung)
    found = shortlist(
        among.columns,
        question.workload,
        question.wanted,
        question.rates,
        most=most,
        most_tables=MOST_TABLES,
        draws=among.draws,
    )
    return Answer(found, among, known.version, len(known.by_id) - len(among.ids))
