"""Programs that are wrong because a module is missing: the sandbox has no third-party packages, by design."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence

from joulemark.metrics.code.wrong import Wrong
from joulemark.record.code_run import Outcome
from joulemark.report.wording import printable

_MISSING = re.compile(r"No module named '([A-Za-z_][A-Za-z0-9_]{0,60})")
_N_NAMED = 5


def missing_modules_note(wrong: Sequence[Wrong]) -> str | None:
    """Say how many programs failed for a package that is not there, and for which; null for none."""
    named = [name for one in wrong if (name := _missing(one)) is not None]
    if not named:
        return None
    counts = Counter(named).most_common()
    said = ", ".join(printable(name) for name, _ in counts[:_N_NAMED])
    more = f" and {len(counts) - _N_NAMED} more" if len(counts) > _N_NAMED else ""
    subject = "of these programs is" if len(named) == 1 else "of these programs are"
    return (
        f"{len(named)} {subject} wrong for a module that is not there ({said}{more}): third-party packages "
        "are not in the sandbox, by design. A model may be asked for programs of the standard library alone."
    )


def _missing(one: Wrong) -> str | None:
    """Return the package without which a program failed; null where it failed otherwise."""
    if one.run is None or one.run.outcome is Outcome.RETURNED:
        return None
    found = _MISSING.search(one.run.detail)
    return found[1] if found is not None and found[1] not in sys.stdlib_module_names else None
