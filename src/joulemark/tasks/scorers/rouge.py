"""Overlap with reference texts: ROUGE-L."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from joulemark.record.item import Verdict
from joulemark.tasks.scorers.grade import gold_of
from joulemark.tasks.scorers.whole_reply import whole_reply
from joulemark.tasks.task import Question, Score

RULE = "rouge_l"
MAX_TOKENS = 50_000
"""Of a text, only so many leading tokens are compared; two texts of this length take about a second."""

_TOKEN = re.compile(r"[^\W_]+")


def tokens(text: str) -> tuple[str, ...]:
    """Return the lower-cased runs of letters and digits, not stemmed; for languages written with spaces."""
    return tuple(_TOKEN.findall(text.lower())[:MAX_TOKENS])


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of a longest common subsequence.

    Bit-parallel (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"): a zero bit i in ``row`` means
    that the length grows at token i of the shorter text. Each token of the longer one costs a few operations
    on an integer with a bit for each token of the shorter.
    """
    short, long = sorted((left, right), key=len)
    places: dict[str, int] = {}
    for i, token in enumerate(short):
        places[token] = places.get(token, 0) | 1 << i
    full = (1 << len(short)) - 1
    row = full
    for token in long:
        if matches := places.get(token):
            both = row & matches
            row = (row + both | row - both) & full
    return len(short) - row.bit_count()


def rouge_l(reply: str, references: Sequence[str]) -> float:
    """Return the best F1 of the longest common subsequence over the references, in [0, 1].

    F1 = 2 LCS / (m + n) for m and n tokens (Lin 2004, "ROUGE: A Package for Automatic Evaluation of
    Summaries", with beta 1); the texts are compared as wholes, not sentence by sentence.
    """
    said = tokens(reply)
    return max(
        (
            2 * lcs_length(said, wanted) / (len(said) + len(wanted))
            for wanted in map(tokens, references)
            if wanted
        ),
        default=0.0,
    )


@lru_cache(maxsize=256)
def references_of(gold: str) -> tuple[str, ...]:
    """Return the reference texts: those of a JSON list of texts, else the whole as one.

    Raises ``ValueError`` where none of them has a word.
    """
    try:
        stated = json.loads(gold)
    except (ValueError, RecursionError):
        stated = None
    is_list = isinstance(stated, list) and stated and all(isinstance(text, str) for text in stated)
    references = tuple(stated) if is_list and isinstance(stated, list) else (gold,)
    if not any(map(tokens, references)):
        raise ValueError("the reference text has no word")
    return references


@dataclass(frozen=True, slots=True)
class RougeLScorer:
    """ROUGE-L F1 as a real-valued score; ``correct`` is null.

    The verdict is null for a complete reply. A reply that was cut keeps the score of what it says and is
    ``truncated``; a refusal is worth 0 and is ``refused``; an empty reply is worth 0 and is ``unparsed``.
    """

    score_range = (0.0, 1.0)

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a reference text."""
        references = references_of(gold_of(question))
        reply = whole_reply(answer, finish_reason=finish_reason, refusal=refusal)
        if reply.verdict in (Verdict.REFUSED, Verdict.UNPARSED) or reply.span is None:
            return Score(reply.verdict, None, 0.0, None, None, None)
        return Score(reply.verdict, None, rouge_l(reply.text, references), None, RULE, reply.span)
