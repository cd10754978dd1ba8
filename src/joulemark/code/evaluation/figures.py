"""The figures of an evaluation, from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.code.evaluation.journal import Recorded
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.metrics.code.by_group import Tags
from joulemark.metrics.code.dps import Cluster
from joulemark.metrics.code.summary import CodeSummary, summarize_code


def summary_of_evaluation(
    record: EvaluationRecord,
    recorded: Recorded,
    *,
    known_s: Mapping[str, Sequence[float]] | None = None,
    clusters: Mapping[str, Sequence[Cluster]] | None = None,
) -> CodeSummary:
    """Return every figure of an evaluation; problems that could not be used are in none.

    ``known_s`` and ``clusters``: what is known of other programs to the same problems (`known`).
    """
    facts = record.problems
    return summarize_code(
        recorded.all_runs(),
        tags={name: Tags(tuple(one.algorithms), one.difficulty) for name, one in facts.items()},
        known_s=known_s,
        clusters=clusters,
        scalable={name for name, one in facts.items() if one.is_scalable or one.is_scalable is None},
        level_weights={
            name: dict(enumerate(one.level_weights)) for name, one in facts.items() if one.level_weights
        },
    )
