"""The figures of an evaluation, from its rows."""

from __future__ import annotations

from joulemark.code.evaluation.journal import Recorded
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.metrics.code.by_group import Tags
from joulemark.metrics.code.summary import CodeSummary, summarize_code


def summary_of_evaluation(record: EvaluationRecord, recorded: Recorded) -> CodeSummary:
    """Return every figure of an evaluation; problems that could not be used are in none."""
    tags = {name: Tags(tuple(facts.algorithms), facts.difficulty) for name, facts in record.problems.items()}
    return summarize_code(recorded.all_runs(), tags=tags)
