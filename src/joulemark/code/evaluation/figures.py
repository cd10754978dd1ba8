"""The figures of an evaluation, from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.code.evaluation.journal import Recorded
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.code.evaluation.remarks import NO_SIZES
from joulemark.code.evaluation.settings import FigureSet
from joulemark.code.evaluation.sound import open_problems
from joulemark.metrics.code.by_group import Tags
from joulemark.metrics.code.dps import Cluster
from joulemark.metrics.code.shares import Told
from joulemark.metrics.code.summary import CodeSummary, summarize_code


def not_measured(record: EvaluationRecord, recorded: Recorded) -> dict[str, str]:
    """Return why some of what was wanted of a problem was not measured, also where it never could be."""
    if not record.settings.wants(FigureSet.CORRECTED):
        return dict(recorded.not_measured)
    never = {
        name: NO_SIZES
        for name, facts in record.problems.items()
        if facts.is_scalable is False and name in recorded.runs
    }
    return {**never, **recorded.not_measured}


def summary_of_evaluation(
    record: EvaluationRecord,
    recorded: Recorded,
    *,
    known_s: Mapping[str, Sequence[float]] | None = None,
    clusters: Mapping[str, Sequence[Cluster]] | None = None,
    known: Mapping[str, Sequence[Told]] | None = None,
) -> CodeSummary:
    """Return every figure of an evaluation; problems that could not be used are in none.

    ``known_s``, ``clusters`` and ``known``: what is known of other programs to the same problems (`known`).
    """
    facts = record.problems
    return summarize_code(
        recorded.all_runs(),
        tags={name: Tags(tuple(one.algorithms), one.difficulty) for name, one in facts.items()},
        known_s=known_s,
        clusters=clusters,
        known=known,
        scalable={name for name, one in facts.items() if one.is_scalable or one.is_scalable is None},
        level_weights={
            name: dict(enumerate(one.level_weights)) for name, one in facts.items() if one.level_weights
        },
        open_problems=open_problems(record, recorded),
    )
