"""What the simulated model answers: the same to the same question, right with a chance that is known."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from joulemark.record.errors import InputError
from joulemark.simulate.http.sayings import KINDS, Known, Outcome, filler, words_of

THINK_OPEN, THINK_CLOSE = "<think>", "</think>"
_UNIT = 2.0**-64


@dataclass(frozen=True, slots=True)
class Manner:
    """How the model answers.

    ``accuracy``, ``unparsed`` and ``refused`` are chances; what they leave is answered wrongly. An answer has
    ``mean_tokens`` on average, ``fixed`` ones all of them and ``exponential`` ones that many in the mean,
    but never fewer than its point needs. ``thinking_share`` of an answer's tokens are spent on thinking.
    Raises ``InputError`` for chances that cannot be.
    """

    accuracy: float = 0.7
    unparsed: float = 0.0
    refused: float = 0.0
    mean_tokens: int = 24
    lengths: Literal["fixed", "exponential"] = "fixed"
    thinking_share: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        chances = (self.accuracy, self.unparsed, self.refused)
        if min(chances) < 0 or sum(chances) > 1 + 1e-9:
            raise InputError(
                "accuracy, unparsed and refused do not go together",
                why=f"{' + '.join(f'{chance:g}' for chance in chances)} is more than 1, or one is below 0",
                fix="lower them; what they leave is answered wrongly",
            )
        if not 0 <= self.thinking_share < 1:
            raise InputError("a thinking share lies between 0 and 1", fix="give for example 0.5")
        if self.mean_tokens < 1:
            raise InputError("an answer has at least one token", fix="give 1 or more")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, a text a token: the first ``thinking`` are thought, the others said.

    ``stops``: it ends by itself and is not cut at the limit. ``outcome`` is what it would be graded as if it
    were whole, null where the question is none that is known.
    """

    texts: tuple[str, ...]
    thinking: int
    stops: bool
    outcome: Outcome | None

    @property
    def tokens(self) -> int:
        """Tokens in all."""
        return len(self.texts)

    @property
    def verdict(self) -> str | None:
        """What a scorer has to say of it: ``truncated`` where it was cut before its end."""
        return self.outcome if self.stops or self.outcome is None else "truncated"


class AnswerBook:
    """Answers to the questions that are known, by their text, and words for all others.

    ``counts_stop``: an answer that ends by itself has a last token without text. ``wraps``: thinking stands
    in tags within the content. Raises ``InputError`` for an item of a kind that cannot be answered.
    """

    def __init__(
        self, known: Mapping[str, Known], manner: Manner, *, counts_stop: bool = True, wraps: bool = False
    ) -> None:
        for item in known.values():
            if item.kind not in KINDS:
                raise InputError(
                    f"questions of kind {item.kind!r} cannot be answered here",
                    why=f"there are right and wrong answers to {', '.join(sorted(KINDS))}",
                    fix="name another task, such as quick",
                )
        self.manner = manner
        self._known = {question.strip(): item for question, item in known.items()}
        self._counts_stop, self._wraps = counts_stop, wraps

    def answer(self, question: str, limit: int, *, exact: bool = False, least: int = 0) -> Answer:
        """Return the answer to ``question`` in at most ``limit`` tokens, in just so many where ``exact``."""
        manner, key = self.manner, question.strip()
        item = self._known.get(key)
        outcome = None if item is None else self._outcome(key)
        said = [] if item is None or outcome is None else words_of(item, outcome, self._bits("wrong", key))
        stop = [""] if self._counts_stop else []
        length = max(self._length(key), least)
        thinking = round(manner.thinking_share * length)
        if self._wraps and thinking:
            thinking = max(2, thinking)
        idle = max(0 if said else 1, length - thinking - len(said) - len(stop))
        if stop and not exact and thinking + idle + len(said) == limit:
            idle += 1  # else the cut would take the stop alone, and whether that cuts an answer is arguable
        thought = filler(thinking)
        if self._wraps and thinking:
            thought[0], thought[-1] = THINK_OPEN, THINK_CLOSE
        # a refusal is one where it opens the answer; any other point comes last, so that a cut takes it away
        whole = [*said, *filler(idle)] if outcome == "refused" else [*filler(idle), *said]
        if exact:
            whole += filler(max(0, limit - thinking - len(whole)))
            stop = []
        texts = [*_spaced(thought), *_spaced(whole), *stop]
        stops = not exact and len(texts) <= limit
        return Answer(tuple(texts[:limit]), min(thinking, limit), stops, outcome)

    def truth(self) -> dict[str, Any]:
        """Return what becomes of the known questions within the budgets of their task, each asked once."""
        verdicts: Counter[str] = Counter()
        for key, item in self._known.items():
            verdict = self.answer(key, item.max_tokens or 1 << 30).verdict
            verdicts[str(verdict)] += 1
        n = len(self._known)
        names = ("correct", "wrong", "unparsed", "refused", "truncated")
        return {
            "n_items": n,
            **{f"n_{name}": verdicts[name] for name in names},
            "accuracy": verdicts["correct"] / n if n else None,
        }

    def _outcome(self, key: str) -> Outcome:
        manner, drawn = self.manner, self._bits("outcome", key) * _UNIT
        for chance, outcome in (
            (manner.accuracy, "correct"),
            (manner.unparsed, "unparsed"),
            (manner.refused, "refused"),
        ):
            if drawn < chance:
                return outcome  # type: ignore[return-value]
            drawn -= chance
        return "wrong"

    def _length(self, key: str) -> int:
        """Return the tokens of a whole answer; exponential ones on whole tokens from 1 on."""
        mean = self.manner.mean_tokens
        if self.manner.lengths == "fixed" or mean == 1:
            return mean
        drawn = self._bits("length", key) * _UNIT
        return max(1, math.ceil(math.log1p(-drawn) / math.log1p(-1 / mean)))

    def _bits(self, what: str, key: str) -> int:
        digest = hashlib.blake2b(f"{self.manner.seed}\0{what}\0{key}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big")


def _spaced(words: list[str]) -> list[str]:
    """Return words as the texts of tokens: each but the first brings the blank before it."""
    return [word if at == 0 else f" {word}" for at, word in enumerate(words)]
