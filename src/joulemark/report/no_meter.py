"""A run without any meter, or whose meter was silent: its page gives the reason once, at the top."""

from __future__ import annotations

from joulemark.metrics.summary import Summary
from joulemark.record.reason import Reason
from joulemark.report.wording import why

BRIEF = "No meter."


def has_no_meter(summary: Summary) -> bool:
    """Tell whether no meter at all was read, so that one reason holds of every joule."""
    reason = summary.figures["total_joules"].reason
    return (
        reason in (Reason.NO_METER, Reason.NO_METER_ASKED_FOR, Reason.METER_SILENT)
        and not summary.other_energy
    )


def brief(sentence: str, summary: Summary) -> str:
    """Return a sentence with that reason cut to two words, where the top of the page has it in full."""
    if not has_no_meter(summary):
        return sentence
    return sentence.replace(why(summary.figures["total_joules"]), BRIEF)
