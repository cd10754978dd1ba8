"""What a board says of a submission that it took, for the terminal of whoever sent it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LONGEST = 300


def answered(facts: Mapping[str, Any]) -> str:
    """Return the board's answer in words; a board that says nothing has taken it: ``arrived``.

    The answer is a stranger's: only short printable text of it is shown.
    """
    status, page = _text(facts.get("status")), _text(facts.get("page"))
    if not status:
        return "arrived"
    rung = _text(facts.get("rung_title"))
    said = f"{status}{f' as {rung.lower()}' if rung and status == 'accepted' else ''}"
    grounds = facts.get("grounds")
    told = (
        [_text(one.get("why")) for one in grounds if isinstance(one, dict)]
        if isinstance(grounds, list)
        else []
    )
    why = "; ".join(one for one in told[:5] if one)
    lines = [said + (f": {page}" if page else "")]
    if status != "accepted":
        lines += [f"  why: {why}"] if why else []
        lines += [f"  appeal: {_text(facts.get('appeal'))}"] if _text(facts.get("appeal")) else []
    return "\n".join(lines)


def _text(found: object) -> str:
    return "".join(c for c in found if c.isprintable())[:_LONGEST] if isinstance(found, str) else ""
