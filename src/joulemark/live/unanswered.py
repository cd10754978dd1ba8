"""Meters that the user counts on, kept on file or named, and that did not answer: the reason to be told."""

from __future__ import annotations

from collections.abc import Iterable

from joulemark.meters.discovery import ADDRESSED
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason


def no_meter(absent: Iterable[tuple[str, str]], *, asked_for: bool = True) -> Withheld:
    """Return why nothing was metered; ``absent`` are names of sources, each with why it gave nothing.

    ``asked_for`` false: the user said that no meter was to be read.
    One that has to be told where it is was told so by the user: then it is what is missing, and not any.
    """
    if not asked_for:
        return Withheld(Reason.NO_METER_ASKED_FOR)
    missed = [(name, why) for name, why in absent if name.partition(":")[0] in ADDRESSED]
    if not missed:
        return Withheld(Reason.NO_METER)
    return Withheld(Reason.METER_SILENT, " ".join(f"{name}: {why}." for name, why in dict.fromkeys(missed)))
