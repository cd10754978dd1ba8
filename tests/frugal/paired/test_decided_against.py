"""The rule that ends a run when it is decided against a reference."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from doubles.growing_runs import IDS, GrowingRun, N, answer, finished
from joulemark.frugal.paired import decision
from joulemark.frugal.paired.against_text import against_rule, is_against
from joulemark.frugal.paired.decided_against import EVERY, LEAST, DecidedAgainst
from joulemark.frugal.paired.reference import read_reference
from joulemark.frugal.paired.run_answers import RunAnswers
from joulemark.frugal.paired.stream import stream
from joulemark.record.errors import InputError
from joulemark.record.item import Item
from joulemark.runs.finished import Finished
from joulemark.runs.stop import StopDecision, StopRule
from joulemark.tasks.scorers.by_kind import KindScorer
from joulemark.tasks.task import Question, TaskSet


def sums(
    n: int, *, first: int = 0, name: str = "sums", session: str | None = None, **fields: object
) -> TaskSet:
    """A task of ``n`` questions."""
    questions = tuple(Question(IDS[first + k], (), None, session=session) for k in range(n))
    asked = TaskSet(name, "1", "test", 0, "", questions, KindScorer({}), 8, subset_key="joulemark")
    return dataclasses.replace(asked, **fields)  # type: ignore[arg-type]


RNG = np.random.default_rng(4)
REFERENCE = (RNG.random(N) < 0.4).tolist()
BETTER = (RNG.random(N) < 0.65).tolist()


def decide(rule: StopRule, right: list[bool], upto: int) -> StopDecision | None:
    questions = [(answer(k, one),) for k, one in enumerate(right[:upto])]
    return rule.decide(Finished(questions, N, lambda _n: None))


def ended(rule: StopRule, right: list[bool], step: int) -> StopDecision | None:
    for upto in range(step, N + 1, step):
        if upto >= rule.next_look and (found := decide(rule, right, upto)) is not None:
            return found
    return None


@pytest.mark.parametrize("step", [1, 7, 64])
def test_it_ends_when_decided_however_many_answers_come_at_once(tmp_path: Path, step: int) -> None:
    reference = read_reference(
        finished(tmp_path / "reference", [answer(k, r) for k, r in enumerate(REFERENCE)])
    )
    rule: StopRule = DecidedAgainst(reference)
    assert rule.facts.targets == ["decided against reference (tie ±1pp)"]
    assert (rule.facts.least, rule.facts.every, rule.next_look) == (LEAST, EVERY, LEAST)
    assert not rule.needs_energy
    assert rule.told() == ()
    found = ended(rule, BETTER, step)
    assert found is not None
    whole = decide(DecidedAgainst(reference), BETTER, N)
    assert found.at == whole.at if whole else False
    assert found.at < N / 2
    assert "better than reference by" in rule.told()[0]


def test_a_reference_whose_questions_a_list_named_is_told(tmp_path: Path) -> None:
    reference = read_reference(
        finished(tmp_path / "r", [answer(k, r) for k, r in enumerate(REFERENCE)], is_listed=True)
    )
    rule = DecidedAgainst(reference)
    assert ended(rule, BETTER, 5) is not None
    assert rule.told()[0].endswith("on questions that a list named (`--items`): nothing of others")


def test_the_same_answers_never_end_it_as_a_winner(tmp_path: Path) -> None:
    reference = read_reference(finished(tmp_path / "r", [answer(k, r) for k, r in enumerate(REFERENCE)]))
    rule = DecidedAgainst(reference, question=decision.PairedTest(epsilon=0.02))
    assert ended(rule, REFERENCE, 5) is not None
    assert "a tie with r" in rule.told()[0]
    # who named it by its directory is told that, beside the id that the record keeps
    named = dataclasses.replace(reference, name="609998af29191253")
    rule = DecidedAgainst(named, question=decision.PairedTest(epsilon=0.02))
    assert ended(rule, REFERENCE, 5) is not None
    assert "a tie with r (609998af29191253) after" in rule.told()[0]
    assert rule.facts.targets == ["decided against 609998af29191253 (tie ±2pp)"]


def test_a_file_is_a_reference_too_and_what_it_lacks_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "known.csv"
    rows = [f"{IDS[k]},{int(right)}" for k, right in enumerate(REFERENCE) if k % 2]
    file.write_text("\n".join(["item_id,correct", *rows]))
    rule = DecidedAgainst(read_reference(file))
    assert decide(rule, BETTER, 21) is None
    assert rule.left_out == 11
    assert "not decided against known" in rule.told()[0]
    bare = tmp_path / "bare.csv"
    bare.write_text("correct\n1\n0\n")
    with pytest.raises(InputError, match="have no ids"):
        read_reference(bare)


def test_other_questions_are_told(tmp_path: Path) -> None:
    rule = DecidedAgainst(read_reference(finished(tmp_path / "r", [answer(0, True, item_id="other")])))
    assert decide(rule, BETTER, 20) is None
    assert rule.told() == ("none of 20 questions has an outcome in r",)


def test_a_growing_run_is_no_reference(tmp_path: Path) -> None:
    run = GrowingRun(tmp_path / "a")
    with pytest.raises(InputError, match="still growing"):
        read_reference(run.root)
    run.end()
    with pytest.raises(InputError, match="has an outcome"):
        read_reference(run.root)


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [("decided against {}", 0.01), ("decided  against {} ±2pp", 0.02), ("decided against {} +-0.03", 0.03)],
)
def test_the_words_of_stop(tmp_path: Path, text: str, epsilon: float) -> None:
    root = finished(tmp_path / "a run", [answer(k, True) for k in range(5)])
    words = text.format(root)
    assert is_against(words)
    rule = against_rule([words], sums(5))
    assert rule.reference.name == "a run"
    assert rule.question.epsilon == pytest.approx(epsilon)


def test_words_that_cannot_be(tmp_path: Path) -> None:
    root = finished(tmp_path / "a", [answer(k, True) for k in range(5)])
    assert not is_against("accuracy ±1pp")
    with pytest.raises(InputError, match="no other target"):
        against_rule(["accuracy ±1pp", f"decided against {root}"], sums(5))
    with pytest.raises(InputError, match="that was asked sums"):
        against_rule([f"decided against {root}"], sums(5, name="products"))
    with pytest.raises(InputError, match="share no question"):
        against_rule([f"decided against {root}"], sums(5, first=100))
    with pytest.raises(InputError, match="there is no file or run"):
        against_rule([f"decided against {tmp_path / 'nowhere'}"], sums(5))
    with pytest.raises(InputError, match="no width of a tie"):
        against_rule([f"decided against {root} ±no"], sums(5))
    with pytest.raises(InputError, match="turns of a conversation"):
        against_rule([f"decided against {root}"], sums(5, session="s"))
    with pytest.raises(InputError, match="graded after the last"):
        against_rule([f"decided against {root}"], sums(5, problems=b"{}"))
    with pytest.raises(InputError, match="not asked in random order"):
        against_rule([f"decided against {root}"], sums(5, subset_key=None))


def repeated(right: list[list[bool]]) -> list[Item]:
    return [answer(k, one, repeat=r) for k, both in enumerate(right) for r, one in enumerate(both)]


def test_both_commands_take_the_mean_of_repeats_that_disagree(tmp_path: Path) -> None:
    """By first answers alone the other model would lead."""
    a = [[True, False]] * (N // 2) + [[False, False]] * (N // 2)
    b = [[False, True]] * (N // 4) + [[True, True]] * (N // 4) + [[False, True]] * (N // 2)
    order = np.random.default_rng(9).permutation(N).tolist()
    of_a, of_b = repeated([a[k] for k in order]), repeated([b[k] for k in order])
    root_a, root_b = (
        finished(tmp_path / name, items, repeats=2) for name, items in (("a", of_a), ("b", of_b))
    )
    told = list(stream(root_a, root_b))[-1]
    rule = DecidedAgainst(read_reference(root_a))
    found = None
    for upto in range(5, N + 1, 5):
        questions = [tuple(of_b[2 * k : 2 * k + 2]) for k in range(upto)]
        if found := rule.decide(Finished(questions, N, lambda _n: None)):
            break
    assert found is not None
    assert (told.decision.kind, told.decision.winner, told.metric) == ("winner", "B", "accuracy")
    assert found.at == told.decision.n
    by = 100 * (told.decision.difference or 0.0)
    assert f"better than a by {by:.3g} pp" in rule.told()[0]


def test_of_a_growing_run_an_item_counts_once_all_its_repeats_are_there(tmp_path: Path) -> None:
    run = GrowingRun(tmp_path / "a", repeats=2)
    run.add([answer(0, True), answer(1, False), answer(0, False, repeat=1)])
    answers = RunAnswers(run.root)
    answers.poll()
    assert [one.value for one in answers.prefix] == [0.5]
    run.end()
    answers.poll()
    assert [one.value for one in answers.prefix] == [0.5, 0.0]


def test_outcomes_on_another_scale_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "percent.csv"
    file.write_text(
        "\n".join(["item_id,correct", *(f"{IDS[k]},{100 * int(r)}" for k, r in enumerate(REFERENCE))])
    )
    with pytest.raises(InputError, match="cannot be decided against"):
        against_rule([f"decided against {file}"], sums(N))
    file.write_text("\n".join(["item_id,correct", *(f"{IDS[k]},{int(r)}" for k, r in enumerate(REFERENCE))]))
    with pytest.raises(InputError, match="cannot be decided against"):
        against_rule([f"decided against {file}"], sums(N, score_range=(0.0, 100.0)))
    against_rule([f"decided against {file}"], sums(N))


def test_asking_ends_with_the_last_question_that_the_reference_knows(tmp_path: Path) -> None:
    """A reference that was stopped early itself has no outcome of the others: they would be asked in vain."""
    root = finished(tmp_path / "r", [answer(k, r) for k, r in enumerate(REFERENCE[:30])])
    rule = against_rule([f"decided against {root}"], sums(N))
    near = REFERENCE[:25] + [not one for one in REFERENCE[25:30]] + [True] * (N - 30)
    assert ended(rule, near, 5) == StopDecision(30, (rule.text,))
    assert "not decided against r" in rule.told()[0]
    assert f"r has outcomes of 30 of {N} questions" in rule.told()[0]
