"""Answers and readings as they may leave: counts, stamps, verdicts and codes; no words of anybody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache

from joulemark.bundles.submission.source_names import SourceNames
from joulemark.bundles.submission.vocabulary import OTHER, Vocabulary, codes, one_of
from joulemark.code.answers.program import Found
from joulemark.engines.streams.tally import CountSource
from joulemark.meters.fault_flags import OVERLOAD, RESET_MARKER
from joulemark.metrics.token_doubt import is_token_doubt
from joulemark.record.item import CLOSED, Attempt, Item, Phase
from joulemark.record.telemetry import Quantity, Reading
from joulemark.tasks.extract.found import Rule
from joulemark.tasks.scorers import LATER, SCORERS
from joulemark.telemetry.row_flags import GAP, LOST, SLEPT
from joulemark.telemetry.wire import SAMPLER_LOST

TOKEN_DOUBT = "token counts are contradicted"
OTHER_DOUBT = "something is contradicted"
_ERRORS = frozenset(
    {CLOSED, "refused", "reset", "cut", "stall", "timeout", "tls", "dns", "bad_http", "answer", "connect"}
)
_STATUS = re.compile(r"http_\d{3}")
_FINISHES = frozenset(
    {
        "stop",
        "length",
        "content_filter",
        "tool_calls",
        "function_call",
        "error",
        "abort",
        "cancelled",
        "repetition",
    }
)
_TOKEN_SOURCES = frozenset(CountSource) | {"usage", "estimate", "counted"}
_FLAGS = frozenset({GAP, SLEPT, RESET_MARKER, OVERLOAD, SAMPLER_LOST, "replayed", "lost"})
_PUBLIC_ID = re.compile(r"[A-Za-z0-9][\w.:#/-]{0,79}", re.ASCII)
_ITEM_FIELDS = tuple(one.name for one in fields(Item))


@dataclass(slots=True)
class ItemNames:
    """Gives questions the name by which they leave: their own where a public task has it, else a number.

    Numbers go by the order of the names, so that whatever is sorted by name stays in its order.
    """

    given: Mapping[str, str]
    sessions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Iterable[Item], vocabulary: Vocabulary, *, public: bool) -> ItemNames:
        """Name the questions of a run, and its conversations."""
        items = list(items)
        ids = {item.item_id for item in items}
        sessions = {item.session for item in items if item.session is not None}
        if public and all(_is_plain(one, vocabulary) for one in ids | sessions):
            return cls({one: one for one in ids}, {one: one for one in sessions})
        return cls(_numbered(ids, "q"), _numbered(sessions, "s"))


def _is_plain(name: str, vocabulary: Vocabulary) -> bool:
    return vocabulary.matching(_PUBLIC_ID.pattern, name) is not None


def _numbered(names: Iterable[str], letter: str) -> dict[str, str]:
    return {name: f"{letter}{number:06d}" for number, name in enumerate(sorted(names))}


def clean_item(item: Item, names: ItemNames, words: Vocabulary) -> Item:
    """Return what may leave of an answer. The same again changes nothing."""
    return replace(
        item,
        item_id=names.given[item.item_id],
        phase=one_of(item.phase, Phase) or OTHER,
        session=None if item.session is None else names.sessions[item.session],
        token_source=one_of(item.token_source, _TOKEN_SOURCES),
        finish_reason=one_of(item.finish_reason, _FINISHES),
        attempts=tuple(_attempt(one) for one in item.attempts),
        rule=one_of(item.rule, _rules()),
        answer_commitment=words.digest(item.answer_commitment),
        suspect=tuple(TOKEN_DOUBT if is_token_doubt(one) else OTHER_DOUBT for one in item.suspect),
        reasons=codes(item.reasons, _ITEM_FIELDS),
    )


def clean_reading(reading: Reading, names: SourceNames) -> Reading | None:
    """Return what may leave of a reading; null for a source that is no part of the run."""
    source = names.of_track(reading.source)
    if source is None:
        return None
    return Reading(
        segment=reading.segment,
        t_ns=reading.t_ns,
        source=source,
        scope="",
        values={name: value for name, value in reading.values.items() if name in _quantities()},
        read_ns=reading.read_ns,
        flags=tuple(dict.fromkeys(flag for one in reading.flags if (flag := _flag(one)) is not None)),
    )


def _attempt(one: Attempt) -> Attempt:
    known = one.error is None or one.error in _ERRORS or _STATUS.fullmatch(one.error)
    return one if known else replace(one, error=OTHER)


def _flag(flag: str) -> str | None:
    name, separator, _ = flag.partition(":")
    if name == LOST:
        return f"{LOST}:{OTHER}" if separator else LOST
    if separator:
        return f"{name}:{OTHER}" if name in _quantities() else None
    return name if name in _FLAGS else None


@cache
def _rules() -> frozenset[str]:
    return frozenset((*Rule, *Found, *SCORERS, LATER, OTHER))


@cache
def _quantities() -> frozenset[str]:
    return frozenset(Quantity)
