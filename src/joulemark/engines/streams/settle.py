"""From what a stream said to what is believed: counts reconciled, thinking taken apart, outcome judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

from joulemark.engines.streams.decode import join
from joulemark.engines.streams.draft import ChoiceDraft, Draft
from joulemark.engines.streams.tally import CountSource
from joulemark.engines.streams.thinking import split_thinking
from joulemark.engines.streams.usage import Usage

ESTIMATE = "none: count with tokenizer, mark as estimate"


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one choice; ``answer_event`` is the event that brought the first word of the answer."""

    text: str
    reasoning: str
    answer_event: int | None


def words_of(choice: ChoiceDraft) -> Words:
    """Join the pieces of a choice and take inline thinking off its text."""
    content, reasoning = "".join(choice.texts), join(choice.reasoning)
    split = split_thinking(content, reasoning_known=bool(reasoning))
    if split is None:
        return Words(join([content]), reasoning, choice.text_events[0] if choice.text_events else None)
    answer_event, seen = None, 0
    for piece, event in zip(choice.texts, choice.text_events, strict=True):
        seen += len(piece)
        if seen > split.start:
            answer_event = event
            break
    return Words(join([content[split.start :]]), reasoning or join([split.reasoning]), answer_event)


@dataclass(frozen=True, slots=True)
class Counts:
    """The token counts that are believed, and where they came from."""

    usage: Usage | None
    visible: int | None
    per_event: tuple[int, ...] | None
    per_event_source: CountSource | None
    source: str | None


def counts_of(draft: Draft, n_events: int, *, streamed: bool) -> Counts:
    """Reconcile what the stream says of tokens; disagreements are flagged in ``draft.suspect``.

    Order of trust for the total: usage, native counts, the sum of the events' counts.
    """
    exact = draft.tally.per_event(n_events, draft.outputs) if streamed else None
    if draft.tally.fell:
        draft.complain("a running token count fell")
    usage, source, visible = draft.usage, "usage", None
    if draft.native is not None and (usage is None or usage.completion is None):
        source, native = str(draft.native[0]), draft.native[1]
        prompt = native.prompt if usage is None or usage.prompt is None else usage.prompt
        usage = replace(native, prompt=prompt)
    if usage is not None:
        stated = usage
        usage, visible = _reconciled(_without_false_zeros(usage, draft), draft)
        _cross_check(stated, draft, exact)
        if usage.completion is None:
            source = ""
        elif exact and exact[0] is CountSource.RUNNING_USAGE and visible is None:
            source = str(exact[0])
    if usage is None or not source:
        source = str(exact[0]) if exact else ESTIMATE if draft.outputs else ""
    return Counts(usage, visible, exact[1] if exact else None, exact[0] if exact else None, source or None)


def _without_false_zeros(usage: Usage, draft: Draft) -> Usage:
    """A server that does not know its counts may say 0; beside output that is no count but unknown."""
    if usage.completion == 0 and draft.outputs:
        draft.complain("0 completion tokens although there was output")
        usage = replace(usage, completion=None, total=None)
    if usage.prompt == 0:
        draft.complain("0 prompt tokens")
        usage = replace(usage, prompt=None, total=None)
    return usage


def _reconciled(usage: Usage, draft: Draft) -> tuple[Usage, int | None]:
    """Return the usage with hidden thinking counted in, and the visible count where there was any."""
    prompt, completion, total = usage.prompt, usage.completion, usage.total
    visible = None
    if prompt is not None and completion is not None and total is not None:
        hidden = total - prompt - completion
        if hidden == usage.cached and hidden:
            draft.complain("total_tokens counts the cached prompt, prompt_tokens does not")
        elif abs(hidden) == 1:
            draft.complain("total_tokens differs by one from prompt and completion")
        elif hidden < 0:
            draft.complain("total_tokens is less than prompt and completion")
        elif hidden > 0:
            if usage.reasoning not in (None, 0, hidden):
                draft.complain("reasoning_tokens differs from what total_tokens leaves for thinking")
            usage = replace(usage, completion=total - prompt, reasoning=usage.reasoning or hidden)
            visible = completion
    if usage.reasoning is not None and usage.completion is not None and usage.reasoning > usage.completion:
        draft.complain("reasoning_tokens exceeds completion_tokens")
    if usage.cached is not None and usage.prompt is not None and usage.cached > usage.prompt:
        draft.complain("cached_tokens exceeds prompt_tokens")
    return usage.summed(), visible


def _cross_check(usage: Usage, draft: Draft, exact: tuple[CountSource, tuple[int, ...]] | None) -> None:
    """Flag a stated total that something else in the stream contradicts."""
    total = usage.completion
    if total is None:
        return
    others = {"stats": draft.stats_count, "timings.predicted_n": draft.tally.last(CountSource.TIMINGS)}
    if exact:
        others[str(exact[0])] = sum(exact[1])
    for name, count in others.items():
        if count is not None and count != total:
            by_one = " by one" if abs(count - total) == 1 else ""
            draft.complain(f"{name} counts {count} tokens, usage {total}: they differ{by_one}")
    # A text chunk holds one token at least; parts of a tool call may come from one token.
    if not draft.tool_events and 0 < total < len(draft.outputs):
        draft.complain(f"{len(draft.outputs)} events with output, but only {total} completion tokens")
