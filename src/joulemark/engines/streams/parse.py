"""From stamped reads to a reply: the one parser for all engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from joulemark.engines.streams.decode import join
from joulemark.engines.streams.draft import Draft
from joulemark.engines.streams.outcome import Ending, judge
from joulemark.engines.streams.reader import Reader
from joulemark.engines.streams.reply import Event, Reply
from joulemark.engines.streams.settle import Counts, Words, counts_of, words_of
from joulemark.engines.streams.tally import CountSource

_EXACT = frozenset({CountSource.TOKEN_IDS, CountSource.LOGPROBS, CountSource.LEGACY_LOGPROBS})


def parse(
    reads: Sequence[tuple[int, bytes]],
    *,
    content_type: str | None,
    status: int | None,
    transport_error: str | None = None,
    t_end: int,
) -> Reply:
    """Read a response body of any engine. Never raises, whatever the bytes are.

    ``reads`` are (stamp in ns, body bytes) in order; how the bytes are cut into reads changes the stamps
    and nothing else. ``transport_error`` is the code of a failed exchange, ``status`` that of HTTP.
    ``t_end`` is when the exchange ended; the reply's own is the read with ``[DONE]`` where there was one.
    """
    reader = Reader(reads, content_type)
    draft, streamed = reader.draft, reader.streamed
    ending = Ending(status, transport_error, reader.done_t is not None, reader.cut, reader.blank, reader.head)
    fault = judge(draft, ending, n_events=len(reader.stamps), streamed=streamed)
    words = {index: words_of(choice) for index, choice in sorted(draft.choices.items())}
    counts = counts_of(draft, len(reader.stamps), streamed=streamed)
    first_token, events = _events(reader, counts)
    first_output = _first_output(draft, words) if streamed else None
    lead = draft.choices[min(draft.choices)] if draft.choices else None
    answer = next(iter(words.values()), Words("", "", None))
    return Reply(
        text=answer.text,
        reasoning=answer.reasoning,
        tool_calls=lead.tools.calls() if lead is not None and lead.tools is not None else (),
        choices=tuple(word.text for word in words.values()) if len(words) > 1 else (),
        refusal=join(lead.refusal) if lead is not None and lead.refusal else None,
        finish_reason=None if lead is None else lead.finish,
        done_marker=reader.done_t is not None,
        ok=fault is None,
        error=fault,
        usage=counts.usage,
        token_source=counts.source,
        first_token_event=first_token,
        first_output_event=first_output,
        tokens_per_event=counts.per_event,
        suspect=tuple(draft.suspect),
        visible_completion=counts.visible,
        timings=draft.timings,
        server_ns=draft.server_ns,
        server_s=draft.server_s,
        cost=draft.cost,
        media_units=draft.media_units,
        streamed=streamed,
        events=events,
        t_first=None if first_token is None else events[first_token].t_ns,
        t_first_answer=None if first_output is None else events[first_output].t_ns,
        t_end=t_end if reader.done_t is None else reader.done_t,
    )


def _first_output(draft: Draft, words: dict[int, Words]) -> int | None:
    candidates = [word.answer_event for word in words.values()] + [draft.first_deed]
    return min((event for event in candidates if event is not None), default=None)


def _events(reader: Reader, counts: Counts) -> tuple[int | None, tuple[Event, ...]]:
    """Return the index of the first event with a generated token, and all events."""
    if not reader.streamed:
        return None, ()
    draft, n_events = reader.draft, len(reader.stamps)
    first = draft.outputs[0] if draft.outputs else None
    output = [False] * n_events
    for index in draft.outputs:
        output[index] = True
    tokens: Sequence[int | None] = counts.per_event or [None] * n_events
    if counts.per_event is not None:
        # A token may have no text of its own (a special one, a part of a character, the end).
        silent = [i for i, n in enumerate(tokens) if n and not output[i] and i not in draft.hollow]
        for index in silent:
            output[index] = True
        # In a chat an empty text whose running count rises is the stop token; elsewhere it is like others.
        if silent and (draft.empty_text_counts or counts.per_event_source in _EXACT):
            first = silent[0] if first is None else min(first, silent[0])
    rows = zip(reader.stamps, reader.coalesced, tokens, output, strict=True)
    return first, tuple(map(_EVENT_OF, rows))


# As Event._make, without its check of the length, which is a call of its own for each event.
_EVENT_OF: Callable[[tuple[int, bool, int | None, bool]], Event] = partial(tuple.__new__, Event)
