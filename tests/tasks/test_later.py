"""Questions whose answers are programs: no verdict while they are asked, and never beside other kinds."""

from __future__ import annotations

import pytest

from joulemark.record.errors import InputError
from joulemark.record.item import Verdict
from joulemark.tasks.definition import parse_definition
from joulemark.tasks.kinds import require_reference, score_range, scorer_of
from joulemark.tasks.references import ProblemReference, parse_problem_reference
from joulemark.tasks.scorers import CODE, LATER
from joulemark.tasks.task import Question

GOLD = ProblemReference("HumanEval/0", "ab12").to_json()
QUESTION = Question("HumanEval/0", (("user", "def f():"),), GOLD, CODE)


def test_an_answer_gets_its_verdict_later() -> None:
    score = scorer_of(CODE).score(QUESTION, "```python\nx\n```", finish_reason="stop", refusal=False)
    assert (score.verdict, score.correct, score.score, score.rule) == (None, None, None, LATER)
    assert score_range(CODE) is None  # right or wrong it will be


@pytest.mark.parametrize(("finish", "refusal"), [("content_filter", False), ("stop", True)])
def test_what_only_the_engine_knows_is_decided_at_once(finish: str, refusal: bool) -> None:
    score = scorer_of(CODE).score(QUESTION, "", finish_reason=finish, refusal=refusal)
    assert (score.verdict, score.correct, score.score) == (Verdict.REFUSED, False, 0.0)


def test_a_reference_names_its_problem() -> None:
    assert parse_problem_reference(GOLD) == ProblemReference("HumanEval/0", "ab12")
    require_reference(CODE, GOLD)


@pytest.mark.parametrize(
    "gold", ["4", "{}", "[]", '{"problem": "", "digest": "a"}', '{"problem": 3, "digest": "a"}', "{"]
)
def test_what_names_no_problem_is_no_reference(gold: str) -> None:
    with pytest.raises(ValueError, match="names no problem"):
        require_reference(CODE, gold)


def test_programs_are_not_asked_for_beside_other_answers() -> None:
    text = (
        'name = "mixed"\ntitle = "t"\nkinds = ["code", "numeric"]\n'
        '[data]\nrow = "{}"\n[items]\nquestion = "{{ q }}"\ngold = "a"\n'
    )
    with pytest.raises(InputError, match="graded later"):
        parse_definition(text, "mixed.toml")
