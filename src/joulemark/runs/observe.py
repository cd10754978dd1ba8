"""From a reply to an item: observations with a reason for every null."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from joulemark.engines.ask import Asked
from joulemark.engines.streams import Reply
from joulemark.record.item import Item, ItemRow, LocalTexts, Phase, Verdict
from joulemark.record.reason import Reason
from joulemark.runs.commitment import commit
from joulemark.runs.token_budget import over_budget
from joulemark.tasks.scorers import LATER, UNGRADED
from joulemark.tasks.task import Question, Score, Scorer

_FILTERED = "content_filter"
# Rows that are no answer must not share the key of one: their repeat is negative, one range a phase.
_WARMUP_REPEAT, _ABANDONED_REPEAT = -1, -1_000_000
_ROUND, _ABANDONED_LEAD = -1000, -500_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request stands in its run.

    ``repeat`` of a warm-up tells apart those of one question. ``t_scheduled`` (monotonic ns) is when it was
    due, null where nothing said so.
    """

    index: int
    repeat: int
    segment: int
    phase: str
    t_scheduled: int | None = None

    @property
    def key_repeat(self) -> int:
        """The repeat that the row is stored under."""
        if self.phase == Phase.WARMUP:
            return _WARMUP_REPEAT - self.segment + _ROUND * self.repeat
        return self.repeat

    @property
    def abandoned_repeat(self) -> int:
        """The repeat that the row is stored under when the request is cut off."""
        lead = _ABANDONED_LEAD if self.phase == Phase.WARMUP else 0
        return _ABANDONED_REPEAT * (self.segment + 1) + lead - self.repeat


@dataclass(frozen=True, slots=True)
class Recorder:
    """Grades replies and makes their rows; it holds no state, so that any thread may call it.

    ``conceal`` takes the secrets out of a server's words (`Endpoint.conceal`).
    """

    scorer: Scorer
    commitment_key: bytes
    conceal: Callable[[str], str]

    def row(self, question: Question, place: Place, asked: Asked, budget: int) -> ItemRow:
        """Make the row of an answered (or failed) question; a warm-up is not graded.

        ``budget`` is the number of tokens that was allowed: a count beyond it is doubted.
        """
        exchange, reply = asked.exchange, asked.reply
        score = self._grade(question, reply) if place.phase == Phase.MEASURE else None
        usage = reply.usage
        values: dict[str, object] = {
            "t_scheduled": place.t_scheduled,
            "session": question.session,
            "turn": question.turn,
            "t_first": reply.t_first,
            "t_first_answer": reply.t_first_answer,
            "prompt_tokens": usage.prompt if usage else None,
            "cached_tokens": usage.cached if usage else None,
            "reasoning_tokens": usage.reasoning if usage else None,
            "completion_tokens": usage.completion if usage else None,
            "token_source": reply.token_source,
            "media_units": reply.media_units,
            "finish_reason": reply.finish_reason,
            **{f"engine_{part}_ns": reply.engine_ns.get(part) for part in ("load", "prefill", "decode")},
            "correct": score.correct if score else None,
            "score": score.score if score else None,
            "rule": score.rule if score and score.rule != LATER else None,
            "span": score.span if score else None,
        }
        item = Item(
            item_id=question.item_id,
            index=place.index,
            repeat=place.key_repeat,
            segment=place.segment,
            phase=place.phase,
            t_sent=exchange.t_sent,
            t_end=exchange.t_end,
            streamed=reply.streamed,
            attempts=asked.attempts,
            verdict=score.verdict if score else None,
            suspect=(*reply.suspect, *over_budget(usage.completion if usage else None, budget)),
            answer_commitment=commit(self.commitment_key, question.item_id, place.repeat, reply.text),
            reasons=_reasons(values, reply, score, question),
            **values,  # type: ignore[arg-type]
        )
        texts = LocalTexts(
            prompt=_prompt(question),
            answer=reply.text,
            reasoning=reply.reasoning,
            value=score.value if score else None,
            gold=question.gold,
            errors=tuple(self.conceal(sentence) for sentence in asked.sentences),
        )
        return ItemRow(item, reply.chunks, texts)

    def abandoned(self, question: Question, place: Place, t_begin: int, t_end: int) -> ItemRow:
        """Make the row of a request that was in flight when the run was ended: two stamps, nothing else."""
        known = {"t_scheduled": place.t_scheduled, "session": question.session, "turn": question.turn}
        missing = {name: Reason.ABANDONED.value for name in _NULLABLE if known.get(name) is None}
        item = Item(
            item_id=question.item_id,
            index=place.index,
            repeat=place.abandoned_repeat,
            segment=place.segment,
            phase=Phase.ABANDONED,
            t_sent=t_begin,
            t_end=t_end,
            t_scheduled=place.t_scheduled,
            session=question.session,
            turn=question.turn,
            reasons=missing,
        )
        return ItemRow(item, (), LocalTexts(_prompt(question), "", "", gold=question.gold))

    def _grade(self, question: Question, reply: Reply) -> Score:
        """Return the score; a failed request is `failed`, without one, whatever text came before."""
        if not reply.ok:
            correct = None if question.kind == UNGRADED else False
            return Score(Verdict.FAILED, correct, None, None, None, None)
        refused = bool(reply.refusal) or reply.finish_reason == _FILTERED
        return self.scorer.score(question, reply.text, finish_reason=reply.finish_reason, refusal=refused)


_NULLABLE = (
    "t_scheduled",
    "t_first",
    "t_first_answer",
    "session",
    "turn",
    "prompt_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "completion_tokens",
    "token_source",
    "media_units",
    "finish_reason",
    "streamed",
    "verdict",
    "correct",
    "score",
    "rule",
    "span",
    "answer_commitment",
    "engine_load_ns",
    "engine_prefill_ns",
    "engine_decode_ns",
)
# what a grade consists of, but for the verdict: a failed request has one in any case
_GRADED = ("correct", "score", "rule", "span")


def _prompt(question: Question) -> str:
    if question.shown is not None:
        return question.shown
    return "\n\n".join(f"{role}: {content}" for role, content in question.messages)


def _reasons(
    values: dict[str, object], reply: Reply, score: Score | None, question: Question
) -> dict[str, str]:
    """Give each null of the row its reason."""
    streamed = reply.streamed
    failed = not reply.ok
    graded = question.kind != UNGRADED
    later = score is not None and score.rule == LATER
    why: dict[str, Reason] = {}
    default = {
        "t_first": Reason.NO_TOKEN_SEEN if streamed else Reason.NOT_STREAMED,
        "t_first_answer": Reason.NO_ANSWER_TOKEN_SEEN if streamed else Reason.NOT_STREAMED,
        "correct": Reason.NOT_APPLICABLE if score is None else Reason.REAL_VALUED_SCORE,
        "score": Reason.NOT_APPLICABLE if question.gold is not None else Reason.NO_GOLD,
        "rule": Reason.NOT_APPLICABLE if score is None else Reason.NO_ANSWER,
        "span": Reason.NOT_APPLICABLE if score is None else Reason.NO_ANSWER,
    }
    asked = {
        "t_scheduled": Reason.NOT_SCHEDULED,
        "session": Reason.NOT_APPLICABLE,
        "turn": Reason.NOT_APPLICABLE,
        **({"media_units": Reason.NOT_APPLICABLE} if question.media_units is None else {}),
        **({} if graded else dict.fromkeys(_GRADED, Reason.NOT_GRADED)),
        **(dict.fromkeys(_GRADED, Reason.GRADED_LATER) if later else {}),
    }
    for name, value in values.items():
        if value is None:
            missing = Reason.REQUEST_FAILED if failed else default.get(name, Reason.NOT_REPORTED)
            why[name] = asked.get(name, missing)
    if score is None or score.verdict is None:
        judged = Reason.GRADED_LATER if later else Reason.NOT_APPLICABLE
        why["verdict"] = judged if graded else Reason.NOT_GRADED
    return {name: reason.value for name, reason in why.items()}
