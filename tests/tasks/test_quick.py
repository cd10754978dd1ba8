"""The built-in suite: right references, no doubles, and graded for a small model."""

from __future__ import annotations

import ast
import json
import operator
import os
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from joulemark.tasks.extract.number import canonical
from joulemark.tasks.registry import load_task


@dataclass(frozen=True)
class QuickItem:
    item_id: str
    kind: str
    level: int
    question: str
    answer: str
    options: tuple[str, ...]
    working: str | None


def written(fields: dict[str, Any]) -> QuickItem:
    options = tuple(fields.get("options", ()))
    names = ("id", "kind", "level", "question", "answer")
    return QuickItem(*(fields[name] for name in names), options, fields.get("working"))


DATA = resources.files("joulemark.tasks").joinpath("data/quick.jsonl").read_text(encoding="utf-8")
ITEMS = [written(json.loads(line)) for line in DATA.splitlines()]
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def value_of(node: ast.expr) -> Fraction:
    if isinstance(node, ast.BinOp):
        return Fraction(OPERATORS[type(node.op)](value_of(node.left), value_of(node.right)))
    assert isinstance(node, ast.Constant)
    return Fraction(node.value)


@pytest.mark.parametrize("item", [i for i in ITEMS if i.working], ids=lambda i: i.item_id)
def test_the_reference_is_what_its_working_gives(item: QuickItem) -> None:
    assert item.working is not None
    assert canonical(value_of(ast.parse(item.working, mode="eval").body)) == item.answer


def test_the_suite_has_all_kinds_and_levels_and_no_doubles() -> None:
    assert 40 <= len(ITEMS) <= 60
    for texts in ([i.item_id for i in ITEMS], [i.question for i in ITEMS]):
        assert max(Counter(texts).values()) == 1
    assert {(i.kind, i.level) for i in ITEMS} >= {
        (kind, level) for kind in ("numeric", "text", "choice") for level in (1, 2, 3)
    }
    assert {i.level for i in ITEMS} == {1, 2, 3, 4}


def test_the_right_letter_is_no_habit() -> None:
    letters = Counter(i.answer for i in ITEMS if i.kind == "choice")
    assert set(letters) == set("ABCD")
    assert max(letters.values()) <= 2 * min(letters.values())


def test_options_of_a_choice_differ() -> None:
    for item in ITEMS:
        if item.options:
            assert len(set(item.options)) == len(item.options)


def test_every_reference_grades_as_correct_and_another_items_does_not() -> None:
    task = load_task("quick")
    for question in task.questions:
        assert question.gold is not None
        for form in question.gold.split("|"):
            for reply in (form, f"The answer is {form}.", f"**{form}**"):
                score = task.scorer.score(question, reply, finish_reason="stop", refusal=False)
                assert score.correct, (question, reply)
    numeric = [q for q in task.questions if q.kind == "numeric"]
    for question in numeric:
        wrong = str(int(question.gold or "0") + 1)
        assert not task.scorer.score(question, wrong, finish_reason="stop", refusal=False).correct


def test_a_limit_takes_a_part_of_the_suite() -> None:
    whole, part = load_task("quick"), load_task("quick", limit=12)
    assert part.questions == whole.questions[:12]
    assert len({q.kind for q in part.questions}) > 1


@pytest.fixture
def engine() -> Iterator[str]:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    model = cache / "joulemark" / "models"
    found = sorted(model.rglob("SmolLM2-135M-Instruct*.gguf")) if model.exists() else []
    if not found:
        pytest.skip(f"SmolLM2-135M-Instruct is not in {model}; `make quick` fetches it")
    xllamacpp = pytest.importorskip("xllamacpp", reason="the embedded engine is not installed")
    params = xllamacpp.CommonParams()
    params.model.path = str(found[0])
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.verbosity = 0
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_small_model_gets_neither_nothing_nor_everything(engine: str) -> None:
    task = load_task("quick")
    verdicts: Counter[str] = Counter()
    for question in task.questions:
        body = {
            "messages": [{"role": role, "content": text} for role, text in question.messages],
            "temperature": 0,
            "cache_prompt": False,
            "max_tokens": question.max_tokens,
        }
        request = urllib.request.Request(
            f"{engine}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as response:
            choice = json.load(response)["choices"][0]
        score = task.scorer.score(
            question, choice["message"]["content"], finish_reason=choice["finish_reason"], refusal=False
        )
        verdicts[score.verdict] += 1
    accuracy = verdicts["correct"] / verdicts.total()
    print(dict(verdicts))
    assert 0.1 < accuracy < 0.9
