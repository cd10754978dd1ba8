"""A run on a machine without any meter: its page gives the reason once, at the top."""

from __future__ import annotations

from joulemark.metrics.summary import Summary
from joulemark.record.reason import Reason

BRIEF = "No meter."


def has_no_meter(summary: Summary) -> bool:
    """Tell whether no meter at all was read, so that one reason holds of every joule."""
    return summary.figures["total_joules"].reason is Reason.NO_METER and not summary.other_energy


def brief(sentence: str, summary: Summary) -> str:
    """Return a sentence with that reason cut to two words, where the top of the page has it in full."""
    return sentence.replace(Reason.NO_METER.text, BRIEF) if has_no_meter(summary) else sentence
