"""The meters that gave nothing, in lines."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.meters.discovery import LOCAL
from joulemark.report.wording import gathered, printable


def absent_lines(absent: Sequence[tuple[str, str]], *, works: bool) -> list[str]:
    """Return why meters are absent, each reason once; ``absent`` holds names and reasons.

    Where another one ``works``, kinds of which this machine has none are only named.
    """
    unmissed = [name for name, _ in absent if works and name in LOCAL]
    told = gathered((name, why) for name, why in absent if name not in unmissed)
    lines = [f"{', '.join(dict.fromkeys(names))}: {why}" for why, names in told.items()]
    if unmissed:
        lines.append(f"{', '.join(unmissed)}: none here; `joulemark doctor` says why")
    return [printable(line) for line in lines]
