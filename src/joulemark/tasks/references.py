"""References that are more than a text, written as their scorers read them; definitions call these."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass


def instructions(ids: Sequence[str], arguments: Sequence[Mapping[str, object]]) -> str:
    """Pair instructions with their arguments, as the scorer of kind ``instructions`` reads them."""
    paired = [
        {"id": name, "kwargs": {key: value for key, value in given.items() if value is not None}}
        for name, given in zip(ids, arguments, strict=True)
    ]
    return json.dumps(paired, ensure_ascii=False)


def shares(options: Sequence[str], shares: Sequence[float], positions: Sequence[float] | None = None) -> str:
    """Give each option's letter its share and place, as the scorer of kind ``distribution`` reads them."""
    letters = string.ascii_uppercase[: len(options)]
    by_letter = dict(zip(letters, map(float, shares), strict=True))
    places = range(len(letters)) if positions is None else positions
    return json.dumps({"shares": by_letter, "positions": dict(zip(letters, map(float, places), strict=True))})


@dataclass(frozen=True, slots=True)
class ProblemReference:
    """Which problem judges an answer: its id, and the SHA-256 (hex) of all that it consists of."""

    problem: str
    digest: str

    def to_json(self) -> str:
        """Return it as the scorer of kind ``code`` reads it."""
        return json.dumps(asdict(self), ensure_ascii=False)


def parse_problem_reference(gold: str) -> ProblemReference:
    """Return the problem that a reference names; raises ``ValueError`` where it names none."""
    try:
        fields = json.loads(gold)
        problem, digest = fields["problem"], fields["digest"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"the reference {gold[:40]!r} names no problem") from error
    if not (isinstance(problem, str) and problem and isinstance(digest, str) and digest):
        raise ValueError(f"the reference {gold[:40]!r} names no problem")
    return ProblemReference(problem, digest)
