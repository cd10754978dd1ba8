"""From runs of programs to verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doubles.run_views import item
from joulemark.code.evaluation.journal import Recorded
from joulemark.code.joined.programs import Submission
from joulemark.code.joined.verdicts import UNUSABLE, grades_of
from joulemark.code.problems.problem import program_id
from joulemark.record.code_run import CANDIDATE, CodeRun, Outcome, Purpose
from joulemark.record.item import Item, Verdict
from joulemark.record.reason import Reason
from joulemark.tasks.references import ProblemReference

SOURCE = "def f():\n    return 1\n"


def waiting(**facts: object) -> Item:
    known = item(item_id="a", verdict=None)
    return replace(
        known,
        answer_commitment="c",
        correct=None,
        score=None,
        reasons={**known.reasons, "verdict": Reason.GRADED_LATER.value},
        **facts,  # type: ignore[arg-type]
    )


def submitted(source: str | None = SOURCE, text: str = "", finish: str = "stop") -> Submission:
    reference = ProblemReference("p", "digest")
    return Submission(waiting(finish_reason=finish), reference, 0, source, source and "fenced", text)


def ran(
    outcome: Outcome = Outcome.RETURNED, correct: bool | None = True, purpose: Purpose = Purpose.TEST
) -> CodeRun:
    return CodeRun("p", program_id(SOURCE), CANDIDATE, purpose, outcome, correct, sample=0)


GOOD, BAD, ENDLESS = ran(), ran(correct=False), ran(Outcome.TIMED_OUT, None)


@pytest.mark.parametrize(
    ("one", "runs", "verdict", "outcome"),
    [
        (submitted(), (GOOD, GOOD), Verdict.CORRECT, "returned"),
        (submitted(), (GOOD, BAD), Verdict.WRONG, "returned"),
        (submitted(), (GOOD, ENDLESS), Verdict.WRONG, "timed_out"),
        (submitted(), (ran(Outcome.EXITED, None),), Verdict.WRONG, "exited"),
        (submitted(finish="length"), (GOOD,), Verdict.CORRECT, "returned"),
        (submitted(finish="length"), (BAD,), Verdict.TRUNCATED, "returned"),
        (submitted(None, "```python\ndef f(", "max_tokens"), (), Verdict.TRUNCATED, None),
        (submitted(None, "<think>let me see"), (), Verdict.TRUNCATED, None),
        (submitted(None, "You return one."), (), Verdict.UNPARSED, None),
        (submitted(None, "I'm sorry, but I can't help with that."), (), Verdict.REFUSED, None),
        # the tests alone decide: the verdict is the same whatever else is measured
        (submitted(), (GOOD, ran(correct=False, purpose=Purpose.PAIRED)), Verdict.CORRECT, "returned"),
        (submitted(), (GOOD, ran(correct=False, purpose=Purpose.SAME)), Verdict.CORRECT, "returned"),
        (submitted(), (GOOD, ran(Outcome.TIMED_OUT, None, Purpose.PAIRED)), Verdict.CORRECT, "returned"),
    ],
)
def test_an_answer_is_judged_by_its_own_runs(
    one: Submission, runs: tuple[CodeRun, ...], verdict: Verdict, outcome: str | None
) -> None:
    others = (replace(BAD, sample=1), replace(GOOD, role="reference", sample=None))
    (grade,) = grades_of([one], Recorded({"p": (*others, *runs)}, {}), "e")
    assert (grade.verdict, grade.outcome) == (verdict, outcome)
    assert grade.is_of(one.item)
    assert grade.rule == one.rule


def test_what_is_not_done_has_no_grade_and_what_is_decided_keeps_its_verdict() -> None:
    assert grades_of([submitted()], Recorded({}, {}), "e") == []
    failed = replace(submitted(), item=replace(waiting(), verdict=Verdict.FAILED))
    assert grades_of([failed], Recorded({"p": (BAD,)}, {}), "e") == []


def test_a_problem_that_cannot_judge_makes_no_answer_wrong() -> None:
    (grade,) = grades_of([submitted()], Recorded({}, {"p": "its generator fails"}), "e")
    assert (grade.verdict, grade.correct, grade.score, grade.outcome) == (None, None, None, UNUSABLE)
    assert grade.put_on(waiting()).reasons["verdict"] == Reason.NO_GOLD
