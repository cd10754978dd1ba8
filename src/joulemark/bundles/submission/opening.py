"""Open a few answers of a submitted run for a board that challenges it: words leave only here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.bundles.submission.canonical import canonical
from joulemark.bundles.submission.signing import SigningKey
from joulemark.record.errors import InputError
from joulemark.record.item import Phase
from joulemark.runs.commitment import answer_key, commit
from joulemark.runs.recorded import read_run

OPENINGS = "joulemark-openings"
CHALLENGES = "/api/v1/challenges"


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer with the key of its own commitment (hex): of no other answer that key tells anything."""

    item_id: str
    repeat: int
    key: str
    answer: str


def open_answers(root: Path, asked: Sequence[tuple[str, int]], key: bytes) -> tuple[OpenAnswer, ...]:
    """Return the answers of the run at ``root`` that are asked for, by item and repeat.

    ``key`` is this machine's (`joulemark.runs.commitment.commitment_key`). Raises `InputError` where one is
    not there, or is not the answer that was committed to.
    """
    rows = {row.item.key: row for row in read_run(root).rows if row.item.phase == Phase.MEASURE}
    found = []
    for item_id, repeat in asked:
        row = rows.get((item_id, repeat))
        if row is None or row.texts is None:
            raise InputError(
                f"the run at {root} has no answer to {item_id}",
                why="its journal was changed, or another run is asked for",
                fix="name the run that was submitted: --run DIR",
            )
        if commit(key, item_id, repeat, row.texts.answer) != row.item.answer_commitment:
            raise InputError(
                f"the answer to {item_id} cannot be opened",
                why="it was committed to with another key: on another machine, before the local salt was"
                " deleted, or by an older version",
                fix="open it where the run was made",
            )
        found.append(OpenAnswer(item_id, repeat, answer_key(key, item_id, repeat).hex(), row.texts.answer))
    return tuple(found)


def openings(challenge: str, bundle: str, answers: Sequence[OpenAnswer], key: SigningKey) -> bytes:
    """Return the signed statement that opens ``answers``; only the bundle's own signer can make it.

    Raises `InputError` for an answer that no JSON can hold.
    """
    statement: dict[str, Any] = {
        "answers": [
            {"answer": one.answer, "item_id": one.item_id, "key": one.key, "repeat": one.repeat}
            for one in answers
        ],
        "bundle": bundle,
        "challenge": challenge,
        "format": OPENINGS,
        "schema_version": "1",
    }
    try:
        signature = key.sign("openings", canonical(statement))
        return canonical({**statement, "public_key": key.public, "signature": signature})
    except ValueError as error:
        raise InputError("an answer cannot be sent", why=f"it is no text: {error}") from error
