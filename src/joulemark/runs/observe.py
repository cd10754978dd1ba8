"""From a reply to an item: observations with a reason for every null."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.engines.exchange import Exchange
from joulemark.engines.streams import Reply
from joulemark.record.item import Attempt, Item, ItemRow, LocalTexts, Verdict
from joulemark.record.reason import Reason
from joulemark.runs.commitment import commit
from joulemark.tasks.task import Question, Score, Scorer

_FILTERED = "content_filter"


def grade(scorer: Scorer, question: Question, reply: Reply) -> Score:
    """Return the score of a reply; a failed request is `failed` whatever text came before the failure."""
    if not reply.ok:
        return Score(Verdict.FAILED, False, 0.0, None, None, None)
    refused = bool(reply.refusal) or reply.finish_reason == _FILTERED
    return scorer.score(question, reply.text, finish_reason=reply.finish_reason, refusal=refused)


def item_row(
    question: Question,
    exchange: Exchange,
    reply: Reply,
    attempts: Sequence[Attempt],
    score: Score | None,
    *,
    index: int,
    repeat: int,
    segment: int,
    phase: str,
    commitment_key: bytes,
) -> ItemRow:
    """Make the row of one answered (or failed) question.

    ``score`` is null for a phase that is not graded (warm-up).
    """
    usage = reply.usage
    values: dict[str, object] = {
        "t_first": reply.t_first,
        "t_first_answer": reply.t_first_answer,
        "prompt_tokens": usage.prompt if usage else None,
        "cached_tokens": usage.cached if usage else None,
        "reasoning_tokens": usage.reasoning if usage else None,
        "completion_tokens": usage.completion if usage else None,
        "token_source": reply.token_source,
        "finish_reason": reply.finish_reason,
        "correct": score.correct if score else None,
        "score": score.score if score else None,
        "rule": score.rule if score else None,
        "span": score.span if score else None,
        "answer_commitment": commit(commitment_key, question.item_id, repeat, reply.text),
    }
    item = Item(
        item_id=question.item_id,
        index=index,
        repeat=repeat,
        segment=segment,
        phase=phase,
        t_sent=exchange.t_sent,
        t_end=exchange.t_end,
        streamed=reply.streamed,
        attempts=tuple(attempts),
        verdict=score.verdict if score else None,
        suspect=tuple(reply.suspect),
        reasons=_reasons(values, reply, score, question),
        **values,  # type: ignore[arg-type]
    )
    texts = LocalTexts(
        prompt="\n\n".join(f"{role}: {content}" for role, content in question.messages),
        answer=reply.text,
        reasoning=reply.reasoning,
        value=score.value if score else None,
        gold=question.gold,
    )
    return ItemRow(item, reply.chunks, texts)


def _reasons(
    values: dict[str, object], reply: Reply, score: Score | None, question: Question
) -> dict[str, str]:
    """Give each null of the row its reason."""
    streamed = reply.streamed
    failed = not reply.ok
    why: dict[str, Reason] = {
        "t_scheduled": Reason.NOT_SCHEDULED,
        "session": Reason.NOT_APPLICABLE,
        "turn": Reason.NOT_APPLICABLE,
        "media_units": Reason.NOT_APPLICABLE,
    }
    default = {
        "t_first": Reason.NO_TOKEN_SEEN if streamed else Reason.NOT_STREAMED,
        "t_first_answer": Reason.NO_ANSWER_TOKEN_SEEN if streamed else Reason.NOT_STREAMED,
        "correct": Reason.NOT_APPLICABLE if score is None else Reason.REAL_VALUED_SCORE,
        "score": Reason.NOT_APPLICABLE if question.gold is not None else Reason.NO_GOLD,
        "rule": Reason.NOT_APPLICABLE if score is None else Reason.NO_ANSWER,
        "span": Reason.NOT_APPLICABLE if score is None else Reason.NO_ANSWER,
    }
    for name, value in values.items():
        if value is None:
            why[name] = Reason.REQUEST_FAILED if failed else default.get(name, Reason.NOT_REPORTED)
    if score is None:
        why["verdict"] = Reason.NOT_APPLICABLE
    return {name: reason.value for name, reason in why.items()}
