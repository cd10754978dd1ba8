"""Replies that are judged as a whole, not by an answer found in them."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.record.item import Verdict
from joulemark.tasks.extract import refuses
from joulemark.tasks.extract.visible import kept_ranges
from joulemark.tasks.scorers.grade import REFUSING, TRUNCATING


@dataclass(frozen=True, slots=True)
class WholeReply:
    """The reply as it was written, thinking taken out and white space stripped from both ends.

    ``span`` is its [start, end) in the answer, null where there is none; ``verdict`` says why it is no
    complete reply, null where it is one.
    """

    text: str
    span: tuple[int, int] | None
    verdict: Verdict | None


def whole_reply(answer: str, *, finish_reason: str | None, refusal: bool) -> WholeReply:
    """Read a reply; the order is that of `grade`.

    That is: a flagged refusal, truncated (or thinking left open), a refusal in words, unparsed.
    """
    ranges, is_thinking = kept_ranges(answer)
    text = "".join(answer[start:end] for start, end in ranges).strip()
    reason = (finish_reason or "").lower()
    if refusal or reason in REFUSING:
        verdict = Verdict.REFUSED
    elif reason in TRUNCATING or is_thinking:
        verdict = Verdict.TRUNCATED
    elif refuses(answer):
        verdict = Verdict.REFUSED
    elif not text:
        verdict = Verdict.UNPARSED
    else:
        return WholeReply(text, _span(answer, ranges), None)
    return WholeReply(text, _span(answer, ranges), verdict)


def _span(answer: str, ranges: list[tuple[int, int]]) -> tuple[int, int] | None:
    said = [(start, end) for start, end in ranges if answer[start:end].strip()]
    if not said:
        return None
    first, last = said[0], said[-1]
    head, tail = answer[slice(*first)], answer[slice(*last)]
    return first[1] - len(head.lstrip()), last[0] + len(tail.rstrip())
