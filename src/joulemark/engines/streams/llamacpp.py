"""llama.cpp: its native ``/completion`` stream, and the timings it adds to OpenAI's."""

from __future__ import annotations

from joulemark.engines.streams.decode import Json, join
from joulemark.engines.streams.draft import Draft
from joulemark.engines.streams.tally import CountSource
from joulemark.engines.streams.usage import Usage, measure, token_count

_STOP_TYPES = {"eos": "stop", "word": "stop", "limit": "length"}


def read_native(obj: Json, draft: Draft) -> None:
    """Read an event of ``/completion``: no choices; ``stop: true`` closes."""
    choice = draft.choice(obj.get("index"))
    draft.empty_text_counts = True
    draft.add_text(choice, obj.get("content"))
    predicted = token_count(obj.get("tokens_predicted"), CountSource.PREDICTED, draft.complain)
    if predicted is not None:
        draft.tally.state(CountSource.PREDICTED, draft.event, predicted)
        prompt = token_count(obj.get("tokens_evaluated"), "tokens_evaluated", draft.complain)
        draft.native = (CountSource.PREDICTED, Usage(prompt, predicted))
    timings = obj.get("timings")
    if isinstance(timings, dict):
        read_timings(timings, draft)
    if obj.get("stop") is True:
        stop_type = obj.get("stop_type")
        if isinstance(stop_type, str) and stop_type in _STOP_TYPES:
            draft.end(choice, _STOP_TYPES[stop_type])
        else:
            # Releases before ``stop_type`` had three flags.
            draft.end(choice, "length" if obj.get("stopped_limit") is True else "stop")


def read_timings(timings: Json, draft: Draft) -> None:
    """Take a ``timings`` object. Its ``prompt_n`` leaves out what came from the cache (``cache_n``)."""
    figures = {join([name]): measure(value) for name, value in timings.items()}
    draft.timings = {name: value for name, value in figures.items() if value is not None} or None
    predicted = token_count(timings.get("predicted_n"), CountSource.TIMINGS, draft.complain)
    if predicted is None:
        return
    draft.tally.state(CountSource.TIMINGS, draft.event, predicted)
    if draft.native is None or draft.native[0] == CountSource.TIMINGS:
        fresh = token_count(timings.get("prompt_n"), "timings.prompt_n", draft.complain)
        cached = token_count(timings.get("cache_n"), "timings.cache_n", draft.complain)
        prompt = None if fresh is None else fresh + (cached or 0)
        draft.native = (CountSource.TIMINGS, Usage(prompt, predicted, cached))
