"""Marks on what the clock or the processor told of a run on a busy machine."""

from __future__ import annotations

from joulemark.metrics.catalogue import definition
from joulemark.metrics.summary import Summary

DAGGER = "†"
NOTE = f"{DAGGER} on a busy machine: not comparable"
_TIMED_UNITS = frozenset({"s", "tokens/s"})


def is_busy(summary: Summary) -> bool:
    """Tell whether other processes or the hypervisor took more of the machine than a quiet one allows."""
    return bool(busy_reason(summary))


def busy_reason(summary: Summary) -> str:
    """Return why times and processor time of a run stand beside no other's, or nothing."""
    return next((caveat.text for caveat in summary.caveats if caveat.code == "busy_machine"), "")


def marked(name: str, title: str, summary: Summary) -> str:
    """Return the title of a figure, with a dagger where it is a time and the machine was busy."""
    return timed(title, summary) if definition(name).unit in _TIMED_UNITS else title


def timed(title: str, summary: Summary) -> str:
    """Return the title of a time or a speed, with a dagger where the machine was busy."""
    return f"{title} {DAGGER}" if is_busy(summary) else title
