"""Which sources see the part that runs the model: the choice that a run makes, before there is a run."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from joulemark.live.device import Headline, boards_of, choose_headline
from joulemark.live.engine_place import MeteredBoard, metered_boards
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason


def choose_device(
    sources: Sequence[QualifiedSource],
    *,
    engine_pid: int | None,
    engine_local: bool | None,
    on_processor: bool,
    declared: Collection[int] = (),
) -> tuple[Headline, str]:
    """Return the headline that a run of this engine would have, and where there is none why, in words.

    ``declared`` are NVML indices of boards; the rest is as of `choose_headline`.
    """
    boards = metered_boards((source.info for source in sources), engine_pid)
    headline = choose_headline(
        sources,
        engine_local=engine_local,
        on_board={one.scope.path: one.place.engine_on_device for one in boards},
        declared={one.scope.path for one in boards if one.board.index in declared},
        on_processor=on_processor,
    )
    return headline, "" if headline.sources else _why(headline, sources, boards)


def _why(headline: Headline, sources: Sequence[QualifiedSource], boards: Sequence[MeteredBoard]) -> str:
    reason = headline.reason or Reason.NO_METER
    if reason is not Reason.ENGINE_NOT_VISIBLE:
        return " ".join(filter(None, (reason.text, headline.detail)))
    looked_at = {one.scope.path: one for one in boards}
    said = [reason.text]
    for source in boards_of(sources):
        board = looked_at.get(source.info.scope.path)
        if board is None:
            said.append(f"Nobody says who uses {source.info.scope.label}.")
        elif board.place.engine_on_device is None:
            way = f"; `--board {board.board.index}` declares it" if board.board.index >= 0 else ""
            said.append(f"{source.info.scope.label}: {board.place.why}{way}.")
    return " ".join(said)
