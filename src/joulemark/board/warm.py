"""What the first reader would have to wait for, done while the board starts."""

from __future__ import annotations

import logging

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from joulemark.board.picker.answer import answer
from joulemark.board.picker.candidates import candidates
from joulemark.board.picker.question import read_question
from joulemark.board.standing.snapshot import snapshot

_ANY = {"prompt_tokens": "500", "completion_tokens": "200"}
_log = logging.getLogger(__name__)


def warm(engine: Engine) -> None:
    """Read what readers are shown and price a workload once: arrays, draws and imports are then there."""
    try:
        snapshot(engine)
        question = read_question(_ANY).question
        assert question is not None
        answer(candidates(engine), question)
    except SQLAlchemyError as error:  # whoever asks next is told
        _log.warning("the database cannot be read yet: %s", type(error).__name__)
