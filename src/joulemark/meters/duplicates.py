"""Two drivers that show the same device: only one of them is read, for adding both would count it twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from joulemark.meters.source import Finding
from joulemark.record.scope import WALL_KINDS

# Witnesses from outside stand beside each other: a plug and an analyzer on one wire are two opinions.
_WITNESSED = frozenset({*WALL_KINDS, "replay"})


def without_duplicates(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings with each device once: the first source that shows it is kept.

    Two sources show the same device when they have the same identity, or the same scope inside the machine.
    The one that is left out stays in the list, without a way to open it and with the reason.
    """
    kept: list[Finding] = []
    result: list[Finding] = []
    for finding in findings:
        twin = next((other for other in kept if _same_device(finding, other)), None)
        if twin is not None:
            why = f"it shows the same device as {twin.name}, which is read instead"
            finding = replace(finding, spec=None, info=None, why=why, fix="nothing has to be done")
        elif finding.spec is not None:
            kept.append(finding)
        result.append(finding)
    return result


def _same_device(one: Finding, other: Finding) -> bool:
    if one.info is None or other.info is None or one.spec is None:
        return False
    a, b = one.info, other.info
    same_id = a.device_id is not None and a.device_id == b.device_id
    if same_id and (a.kind != b.kind or a.scope == b.scope):
        return True
    return a.scope == b.scope and a.scope.kind not in _WITNESSED
