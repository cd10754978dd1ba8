"""Two drivers that show the same device: only one of them is read, for adding both would count it twice.

Two devices that would have one place in the machine are no such pair; of them too only the first is read,
because sums are made over places, and the other one asks for a place of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

from joulemark.meters.source import SHOWS, Finding
from joulemark.record.errors import InputError
from joulemark.record.replayed import REPLAY
from joulemark.record.scope import WALL_KINDS

# Witnesses from outside stand beside each other: a plug and an analyzer on one wire are two opinions.
_WITNESSED = frozenset({*WALL_KINDS, REPLAY})
BY_UUID = frozenset({"nvml", "dcgm"})
"""Drivers that know a board by the same name: the same name is one board, whatever its scope."""
_ANOTHER = "it is another board than"


def without_duplicates(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings with each device once: the first source that shows it is kept.

    Two sources show the same device when they have the same identity, read one value in common, or have the
    same scope inside the machine.
    The one that is left out stays in the list, without a way to open it and with the reason; no more is it
    a ``meter`` that somebody counts on, unless it is another board. Raises `InputError` where one device was
    named twice for two places: only one of them can be true, and each would be charged with its energy.
    """
    kept: list[Finding] = []
    result: list[Finding] = []
    for finding in findings:
        twin = _first(kept, finding, _same_identity)
        if twin is not None:
            _require_one_place(finding, twin)
        twin = twin or _first(kept, finding, _same_place)
        if twin is not None:
            finding = _left_out(finding, twin)
        elif finding.spec is not None:
            kept.append(finding)
        result.append(finding)
    return result


def _first(
    kept: Sequence[Finding], one: Finding, is_same: Callable[[Finding, Finding], bool]
) -> Finding | None:
    if one.info is None or one.spec is None:
        return None
    return next((k for k in kept if is_same(one, k)), None)


def _require_one_place(finding: Finding, twin: Finding) -> None:
    a, b = finding.info, twin.info
    if a is None or b is None or finding.meter is None or twin.meter is None:
        return
    if a.scope != b.scope and a.kind not in BY_UUID:
        raise InputError(
            f"one meter was named for two places: {twin.meter} and {finding.meter}",
            why=f"both read the same device, and its energy would count as {b.scope}'s and as {a.scope}'s",
            fix="name it once, with the scope of what hangs on it; what is on file goes with "
            f"joulemark doctor --forget {shlex.quote(finding.meter)}",
        )


def _left_out(finding: Finding, twin: Finding) -> Finding:
    if _are_two(finding, twin):
        why = f"{_ANOTHER} {twin.name}, and has the same scope"
        fix = (
            "leave out the one that does not run the engine; where both are boards of this machine, number "
            "this one: &scope=wall/psu/gpu:1"
        )
        return replace(finding, spec=None, info=None, why=why, fix=fix)
    why, fix = f"it shows the same device as {twin.name}, which is read instead", "nothing has to be done"
    return replace(finding, spec=None, info=None, why=why, fix=fix, meter=None)


def is_another_board(finding: Finding) -> bool:
    """Tell whether a finding was left out although it shows a board that no other one does."""
    return finding.spec is None and finding.why.startswith(_ANOTHER)


def _same_identity(one: Finding, other: Finding) -> bool:
    a, b = one.info, other.info
    if a is None or b is None:
        return False
    if _shown(one) & _shown(other):
        return True
    # Drivers of this machine give the parts of one device scopes of their own; the user's scopes are claims.
    by_uuid, named = {a.kind, b.kind} <= BY_UUID, one.meter is not None and other.meter is not None
    same_id = a.device_id is not None and a.device_id == b.device_id
    return same_id and (by_uuid or named or a.kind != b.kind or a.scope == b.scope)


def _shown(finding: Finding) -> frozenset[str]:
    """Return what a meter reads, as far as it is known."""
    args = {} if finding.spec is None else finding.spec.args
    return frozenset(str(args.get(SHOWS) or "").split())


def _same_place(one: Finding, other: Finding) -> bool:
    a, b = one.info, other.info
    return a is not None and b is not None and a.scope == b.scope and a.scope.kind not in _WITNESSED


def _are_two(one: Finding, other: Finding) -> bool:
    """Tell whether two sources of one place are known to be two devices."""
    a, b = one.info, other.info
    return a is not None and b is not None and {a.kind, b.kind} <= BY_UUID and a.device_id != b.device_id
