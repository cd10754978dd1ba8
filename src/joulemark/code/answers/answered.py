"""From the samples of a file to the programs that are evaluated, by problem."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.code.answers.samples import Samples, by_problem, extract
from joulemark.code.evaluation.job import Answer
from joulemark.code.problems.problem import Problem


def answers_of(samples: Samples, problems: Sequence[Problem]) -> dict[str, tuple[Answer, ...]]:
    """Return the program in each sample. One that holds none is its text, which will not run: it is wrong."""
    known = {problem.problem_id: problem for problem in problems}
    return {
        name: tuple(Answer(sample.number, extract(sample, known[name]).program) for sample in mine)
        for name, mine in by_problem(samples).items()
    }
