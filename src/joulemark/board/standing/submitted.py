"""A submission as readers see it: how it stands, and what the board made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, select

from joulemark.board.database.tables import runs
from joulemark.board.database.tables import submissions as subs
from joulemark.board.judging.rung import Rung
from joulemark.board.refusal import Refused
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.row_json import row_of_json
from joulemark.board.standing.run_columns import ROW
from joulemark.bundles.submission.verification import CHECKS

GONE = "withdrawn"


@dataclass(frozen=True, slots=True)
class Submitted:
    """``figures`` and ``configuration`` are null of one that is refused; ``row`` is the run by itself."""

    digest: str
    status: str
    rung: Rung
    grounds: tuple[Mapping[str, str], ...]
    received_at: str
    measured_at: str | None
    signer: str
    joulemark_version: str | None
    size_bytes: int
    configuration: str | None
    figures: Mapping[str, Any] | None

    @property
    def row(self) -> BoardRow | None:
        """The run as a row of its own, where it was kept with one."""
        return None if self.figures is None or ROW not in self.figures else row_of_json(self.figures[ROW])

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        recomputed = None if self.figures is None else {k: v for k, v in self.figures.items() if k != ROW}
        return {
            "digest": self.digest,
            "status": self.status,
            "rung": int(self.rung),
            "rung_title": self.rung.title,
            "rung_shows": self.rung.shown,
            "grounds": [{"code": one.get("code", ""), "why": one.get("why", "")} for one in self.grounds],
            "received_at": self.received_at,
            "measured_at": self.measured_at,
            "signer": self.signer,
            "joulemark_version": self.joulemark_version,
            "configuration": self.configuration,
            "checks_passed": list(CHECKS),  # nothing is stored of which one failed
            "row": None if self.figures is None else self.figures.get(ROW),
            "recomputed": recomputed,
        }


def submitted(engine: Engine, digest: str) -> Submitted:
    """Return a submission; raises `Refused`, 404 for none and 410 for one that was withdrawn."""
    asked = (
        select(
            subs.c.digest,
            subs.c.status,
            subs.c.rung,
            subs.c.grounds,
            subs.c.received_at,
            subs.c.signer,
            subs.c.joulemark_version,
            subs.c.size_bytes,
            runs.c.measured_at,
            runs.c.configuration,
            runs.c.figures,
        )
        .join(runs, runs.c.digest == subs.c.digest, isouter=True)
        .where(subs.c.digest == digest)
    )
    with engine.connect() as connection:
        found = connection.execute(asked).first()
    if found is None:
        raise Refused(404, "there is no such run", "no bundle with this digest was taken here")
    if found.status == GONE:
        raise Refused(410, "this run was withdrawn", "its submitter took it back, and its bundle was deleted")
    return Submitted(
        digest=found.digest,
        status=found.status,
        rung=Rung(found.rung),
        grounds=tuple(found.grounds),
        received_at=found.received_at,
        measured_at=found.measured_at,
        signer=found.signer,
        joulemark_version=found.joulemark_version,
        size_bytes=found.size_bytes,
        configuration=found.configuration,
        figures=found.figures,
    )
