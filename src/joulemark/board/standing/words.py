"""What a table of the leaderboard is called, and what its tier and kind mean."""

from __future__ import annotations

from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.configuration import is_loaded
from joulemark.report.wording import TIERS

KINDS = {
    "measured": "measured by Joulemark",
    "published": "as others published it",
    "simulated": "simulated, not measured",
}
_NO_METER = "no meter, so accuracy and times alone"
_SCOPES = {
    "gpu": "the boards",
    "module": "whole modules",
    "package": "processor packages",
    "soc": "systems on a chip",
    "wall": "the wall",
}


def task_words(row: BoardRow) -> str:
    """Return the task of a table, with the digest of its questions where there is one."""
    asked = f" · questions {row.questions}" if row.questions else ""
    if row.questions and row.n_questions is not None:
        asked = f" · {row.n_questions:,} question{'' if row.n_questions == 1 else 's'}, {row.questions}"
    load = " · under load" if is_loaded(row.load) and row.kind != "published" else ""
    kind = "" if row.kind == "measured" else f" · {KINDS[row.kind]}"
    name = "a task of a user's own" if row.task.partition(":")[0] == "own" else row.task
    return f"{name}{asked}{load}{kind}"


def tier_words(row: BoardRow) -> str:
    """Return the tier and what the joules cover."""
    told = f"Tier {row.tier}: {TIERS[row.tier]}" if row.tier else ""
    if row.kind == "published":
        told = f"Published: {row.source.partition(';')[0] if row.source else 'elsewhere'}"
    if row.kind == "simulated":
        told = "Simulated"
    if not told:
        told = f"No tier: {_NO_METER}" if row.scope is None else "No tier"
    return told if row.scope is None else f"{told}; joules of {scope_words(row.scope)}"


def scope_words(scope: str) -> str:
    """Return what was metered."""
    return " and ".join(_SCOPES.get(part, part) for part in scope.split("+"))
