"""Answers: graded as they were meant by our own scorers, as long as asked, the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.record.errors import InputError
from joulemark.simulate.http.answers import Answer, AnswerBook, Manner
from joulemark.simulate.http.sayings import KINDS, Known, words_of
from joulemark.tasks.registry import load_task
from joulemark.tasks.scorers import SCORERS
from joulemark.tasks.task import Question

ITEMS = {
    "numeric": Known("numeric", "42"),
    "math": Known("math", "\\frac{3}{4}"),
    "choice": Known("choice", "B", ("A", "B", "C", "D")),
    "label": Known("label", "Yes", ("Yes", "No")),
    "text": Known("text", "cold|icy", ()),
}


def graded(known: Known, answer: Answer, text: str | None = None) -> str:
    """The verdict of our scorer on an answer."""
    options = tuple((choice, f"option number {n}") for n, choice in enumerate(known.choices))
    question = Question("q", [("user", "?")], known.gold, known.kind, options)
    said = "".join(answer.texts[answer.thinking :]) if text is None else text
    reason = "stop" if answer.stops else "length"
    verdict = SCORERS[known.kind].score(question, said, finish_reason=reason, refusal=False).verdict
    return str(verdict)


def book(known: Known, **manner: float) -> AnswerBook:
    return AnswerBook({"?": known}, Manner(**manner))  # type: ignore[arg-type]


def test_every_kind_that_can_be_answered_has_an_item_here() -> None:
    assert ITEMS.keys() == KINDS


@pytest.mark.parametrize("mean_tokens", [1, 16, 60])
@pytest.mark.parametrize(
    ("outcome", "manner"),
    [
        ("correct", {"accuracy": 1.0}),
        ("wrong", {"accuracy": 0.0}),
        ("unparsed", {"accuracy": 0.0, "unparsed": 1.0}),
        ("refused", {"accuracy": 0.0, "refused": 1.0}),
    ],
)
@pytest.mark.parametrize("kind", sorted(ITEMS))
def test_an_answer_is_graded_as_it_was_meant(
    kind: str, outcome: str, manner: dict[str, float], mean_tokens: int
) -> None:
    known = ITEMS[kind]
    answer = book(known, **manner, mean_tokens=mean_tokens).answer("?", 1000)
    assert answer.verdict == outcome
    assert graded(known, answer) == outcome


@pytest.mark.parametrize("kind", sorted(ITEMS))
def test_every_wrong_answer_is_wrong(kind: str) -> None:
    known = ITEMS[kind]
    whole = book(known, accuracy=0.0).answer("?", 1000)
    for draw in range(200):
        assert graded(known, whole, " ".join(words_of(known, "wrong", draw))) == "wrong"


@pytest.mark.parametrize("manner", [{"accuracy": 1.0}, {"accuracy": 0.0}, {"accuracy": 0.0, "unparsed": 1.0}])
@pytest.mark.parametrize("kind", sorted(ITEMS))
def test_an_answer_that_was_cut_is_truncated_wherever_it_was_cut(kind: str, manner: dict[str, float]) -> None:
    known, made = ITEMS[kind], book(ITEMS[kind], **manner, mean_tokens=20)
    whole = made.answer("?", 1000).tokens
    for limit in range(1, whole):
        answer = made.answer("?", limit)
        assert answer.tokens == limit
        assert answer.verdict == "truncated"
        assert graded(known, answer) == "truncated"


def test_thinking_does_not_change_what_is_answered() -> None:
    known = ITEMS["numeric"]
    for wraps in (False, True):
        thoughtful = AnswerBook(
            {"?": known}, Manner(accuracy=1.0, thinking_share=0.5, mean_tokens=30), wraps=wraps
        )
        answer = thoughtful.answer("?", 1000)
        assert answer.thinking == 15
        assert graded(known, answer) == "correct"
        begin = 0 if wraps else answer.thinking
        assert graded(known, answer, "".join(answer.texts[begin:])) == "correct"
        if wraps:
            assert (answer.texts[0], answer.texts[14].strip()) == ("<think>", "</think>")


def test_the_quick_task_is_answered_with_the_accuracy_that_the_truth_tells() -> None:
    task = load_task("quick")
    known = {
        q.messages[-1][1]: Known(q.kind, str(q.gold), q.choices, q.max_tokens or task.max_tokens)
        for q in task.questions
    }
    manner = Manner(accuracy=0.6, unparsed=0.1, refused=0.1, mean_tokens=24, lengths="exponential", seed=4)
    made = AnswerBook(known, manner)
    verdicts = []
    for question in task.questions:
        text = question.messages[-1][1]
        answer = made.answer(text, known[text].max_tokens or 0)
        reason = "stop" if answer.stops else "length"
        score = task.scorer.score(question, "".join(answer.texts), finish_reason=reason, refusal=False)
        verdicts.append(str(score.verdict))
        assert verdicts[-1] == answer.verdict
    truth = made.truth()
    assert truth["n_items"] == len(task.questions)
    assert truth["accuracy"] == verdicts.count("correct") / len(verdicts)
    assert truth["n_truncated"] == verdicts.count("truncated") > 0
    assert truth["n_refused"] == verdicts.count("refused") > 0


def test_chances_are_met_over_many_questions() -> None:
    n = 4000
    known = {f"question {i}": ITEMS["numeric"] for i in range(n)}
    truth = AnswerBook(known, Manner(accuracy=0.7, unparsed=0.05, refused=0.1)).truth()
    for name, chance in (("correct", 0.7), ("wrong", 0.15), ("unparsed", 0.05), ("refused", 0.1)):
        sigma = (chance * (1 - chance) * n) ** 0.5
        assert abs(truth[f"n_{name}"] - chance * n) < 4 * sigma


def test_exponential_lengths_have_the_mean() -> None:
    made = AnswerBook({}, Manner(mean_tokens=50, lengths="exponential"), counts_stop=False)
    lengths = [made.answer(f"question {i}", 10_000).tokens for i in range(4000)]
    assert abs(sum(lengths) / len(lengths) - 50) < 4 * 50 / len(lengths) ** 0.5
    assert len(set(lengths)) > 100


@given(
    question=st.text(max_size=40),
    limit=st.integers(1, 300),
    exact=st.booleans(),
    least=st.integers(0, 50),
    share=st.floats(0, 0.95),
    mean=st.integers(1, 200),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
@settings(deadline=None)
def test_lengths_are_what_was_asked(
    question: str,
    limit: int,
    exact: bool,
    least: int,
    share: float,
    mean: int,
    flags: tuple[bool, bool, bool],
) -> None:
    counts_stop, wraps, drawn = flags
    manner = Manner(thinking_share=share, mean_tokens=mean, lengths="exponential" if drawn else "fixed")
    made = AnswerBook({"": ITEMS["numeric"]}, manner, counts_stop=counts_stop, wraps=wraps)
    answer = made.answer(question, limit, exact=exact, least=least)
    assert 1 <= answer.tokens <= limit
    assert 0 <= answer.thinking <= answer.tokens
    assert answer == made.answer(question, limit, exact=exact, least=least)
    if exact:
        assert answer.tokens == limit
        assert not answer.stops
    elif not answer.stops:
        assert answer.tokens == limit
    else:
        assert answer.tokens >= min(least, limit)
        assert (answer.texts[-1] == "") == counts_stop


def test_another_seed_gives_other_answers_and_the_same_seed_the_same() -> None:
    known = {f"question {i}": ITEMS["numeric"] for i in range(100)}
    outcomes = [
        [AnswerBook(known, Manner(accuracy=0.5, seed=seed)).answer(q, 100).outcome for q in known]
        for seed in (1, 1, 2)
    ]
    assert outcomes[0] == outcomes[1] != outcomes[2]


@pytest.mark.parametrize(
    "manner", [{"accuracy": 0.9, "refused": 0.2}, {"accuracy": -0.1}, {"thinking_share": 1.0}]
)
def test_chances_that_cannot_be_are_refused(manner: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Manner(**manner)  # type: ignore[arg-type]


def test_a_task_that_cannot_be_answered_is_refused() -> None:
    with pytest.raises(InputError, match="rouge_l"):
        AnswerBook({"?": Known("rouge_l", "a summary")}, Manner())
