"""One of several names that a file holds, as a user names it."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.record.errors import InputError

_SHOWN = 12


def chosen(there: Sequence[str], wanted: str | None, origin: str, *, option: str = "--model") -> int:
    """Return the place of ``wanted`` among names: the same, a number from 0, or the only one with it.

    Null is the only one there is. Raises `InputError`.
    """
    if wanted is None:
        if len(there) == 1:
            return 0
        why = f"there are {len(there)}: {_listed(there)}"
        raise InputError(f"{origin} holds several; which one?", why=why, fix=f"name one with {option} NAME")
    if wanted in there:
        return list(there).index(wanted)
    if wanted.isdecimal() and int(wanted) < len(there):
        return int(wanted)
    words = wanted.casefold()
    holding = [place for place, one in enumerate(there) if words in one.casefold()]
    same = [place for place in holding if there[place].casefold() == words]
    if len(same) == 1 or len(holding) == 1:
        return (same or holding)[0]
    listed = [there[place] for place in holding] or there
    raise InputError(
        f"{origin} has {'several' if holding else 'no'} {wanted!r}",
        why=f"there are {len(listed)}: {_listed(listed)}",
        fix=f"name one with {option} NAME",
    )


def _listed(names: Sequence[str]) -> str:
    more = "" if len(names) <= _SHOWN else f" and {len(names) - _SHOWN} more"
    return ", ".join(names[:_SHOWN]) + more
