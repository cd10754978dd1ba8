"""Conversations: each turn is asked after the real answers to the ones before, also after a resume."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from doubles.engine_server import EngineServer
from doubles.loaded import carried_out, plan_of, task_of
from joulemark.load.arrivals import Arrivals
from joulemark.load.shape import LoadShape
from joulemark.metrics.summary import summarize
from joulemark.record.item import Item, Phase
from joulemark.runs.observer import Observer
from joulemark.runs.view import view_of
from joulemark.tasks.registry import load_task
from joulemark.tasks.task import Question, TaskSet

CHAT = "POST /v1/chat/completions"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def conversations(n: int, turns: int) -> TaskSet:
    """``n`` conversations of ``turns`` turns; the first has a system message."""
    questions = [
        Question(
            f"s{s}-{t}",
            ((("system", "Be brief."),) if t == 0 else ()) + (("user", f"say {s}.{t}"),),
            None,
            "ungraded",
            session=f"s{s}",
            turn=t,
        )
        for s in range(n)
        for t in range(turns)
    ]
    from joulemark.tasks.scorers import UngradedScorer

    return task_of(0, questions=tuple(questions), scorer=UngradedScorer())


def stream(text: str) -> str:
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}},
    ]
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


@pytest.fixture
def chat() -> Iterator[Callable[..., EngineServer]]:
    """Make a server that answers ``said X`` to ``say X``, never twice the same."""
    opened: list[EngineServer] = []

    def make(fails: str | None = None, delay_s: float = 0.02) -> EngineServer:
        counter = iter(range(10_000))
        lock = threading.Lock()

        def answer(body: dict[str, Any]) -> tuple[int, Any]:
            time.sleep(delay_s)
            last = body["messages"][-1]["content"]
            if last == fails:
                return 400, {"error": {"message": "no"}}
            with lock:
                return 200, stream(f"said {last.removeprefix('say ')} ({next(counter)})")

        models = {"object": "list", "data": [{"id": "m", "object": "model"}]}
        server = EngineServer({"GET /v1/models": models, CHAT: answer})
        opened.append(server)
        return server.__enter__()

    yield make
    for server in opened:
        server.__exit__()


def asked(server: EngineServer) -> list[list[tuple[str, str]]]:
    return [
        [(message["role"], message["content"]) for message in body["messages"]]
        for route, _, body in server.seen
        if route == CHAT and body["messages"][-1]["content"].startswith("say ")
    ]


def test_each_turn_carries_the_answers_before_it(tmp_path: Path, chat: Callable[..., EngineServer]) -> None:
    server = chat()
    plan = plan_of(server.url, conversations(6, 3), LoadShape.closed(4), tmp_path / "run")
    _, run = carried_out(plan)
    items = {item.item_id: item for item in run.items if item.phase == Phase.MEASURE}
    assert len(items) == 18
    answers = {
        row.item.item_id: row.texts.answer for row in run.rows if row.texts and row.item.phase == "measure"
    }
    for messages in asked(server)[1:]:  # the first is the warm-up's
        session, turn = map(int, messages[-1][1].removeprefix("say ").split("."))
        expected = [("system", "Be brief.")]
        for earlier in range(turn):
            expected += [
                ("user", f"say {session}.{earlier}"),
                ("assistant", answers[f"s{session}-{earlier}"]),
            ]
        assert messages == [*expected, ("user", f"say {session}.{turn}")]
    for s in range(6):
        turns = [items[f"s{s}-{t}"] for t in range(3)]
        assert [(item.session, item.turn) for item in turns] == [(f"s{s}", t) for t in range(3)]
        assert turns[0].t_end <= turns[1].t_begin
        assert turns[1].t_end <= turns[2].t_begin


def test_nothing_is_graded_and_all_else_is_told(tmp_path: Path, chat: Callable[..., EngineServer]) -> None:
    plan = plan_of(chat(fails="say 1.0").url, conversations(5, 2), LoadShape.closed(2), tmp_path / "run")
    _, run = carried_out(plan)
    items = [item for item in run.items if item.phase == Phase.MEASURE]
    failed = [item for item in items if item.verdict == "failed"]
    assert [item.item_id for item in failed] == ["s1-0"]
    for item in items:
        assert item.correct is None
        assert item.score is None
        assert item.reasons["correct"] == item.reasons["score"] == "not_graded"
        assert (item.verdict is None) == (item.reasons.get("verdict") == "not_graded")
    summary = summarize(view_of(run))
    for name in ("accuracy", "joules_per_correct_answer", "mean_score", "cpu_seconds_per_correct_answer"):
        value = summary.figures[name]
        assert value.value is None
        assert value.reason is not None
        assert value.reason in ("not_graded", "no_meter_asked_for"), name
    assert summary.figures["accuracy"].reason == "not_graded"
    assert summary.n_scored == 0
    assert summary.n_requests == 10
    assert summary.latency["e2el"].answered[50].value is not None


def test_a_turn_that_failed_is_left_out_of_what_follows(
    tmp_path: Path, chat: Callable[..., EngineServer]
) -> None:
    server = chat(fails="say 0.1")
    plan = plan_of(server.url, conversations(1, 3), LoadShape.closed(1), tmp_path / "run")
    carried_out(plan)
    last = asked(server)[-1]
    assert [message for role, message in last if role != "assistant"] == ["Be brief.", "say 0.0", "say 0.2"]
    assert [role for role, _ in last] == ["system", "user", "assistant", "user"]


class Ends(Observer):
    """Ends the run from within after some answers."""

    def __init__(self, after: int) -> None:
        self.left = after

    def item(self, item: Item) -> None:
        self.left -= 1
        if not self.left:
            import os

            os.kill(os.getpid(), 2)


def test_a_conversation_that_was_cut_goes_on_with_what_was_said(
    tmp_path: Path, chat: Callable[..., EngineServer]
) -> None:
    server = chat()
    plan = plan_of(server.url, conversations(2, 4), LoadShape.closed(1), tmp_path / "run")
    first, run = carried_out(plan, Ends(6))  # in the middle of the second conversation
    assert first.end == "interrupted"
    assert first.completed < 8
    done = first.completed
    answers = {
        row.item.item_id: row.texts.answer for row in run.rows if row.texts and row.item.phase == "measure"
    }
    before = len(asked(server))
    second, _ = carried_out(plan_of(server.url, conversations(2, 4), LoadShape.closed(1), tmp_path / "run"))
    assert second.completed == 8
    resumed = [messages for messages in asked(server)[before:] if messages[-1][1] != "say 0.0"]
    assert len(resumed) == 8 - done
    said = [text for role, text in resumed[0] if role == "assistant"]
    assert said == [answers[f"s1-{t}"] for t in range(done - 4)] != []


def test_open_loop_turns_are_due_when_the_one_before_was_answered(
    tmp_path: Path, chat: Callable[..., EngineServer]
) -> None:
    """Four requests a second, two a conversation: a conversation begins each half second."""
    shape = LoadShape.open(Arrivals("constant", 4.0), n_requests=6)
    _, run = carried_out(plan_of(chat().url, conversations(3, 2), shape, tmp_path / "run"))
    sessions: dict[str, list[Item]] = defaultdict(list)
    for item in run.items:
        if item.phase == Phase.MEASURE:
            sessions[item.session or ""].append(item)
    starts = sorted(turns[0].t_scheduled or 0 for turns in sessions.values())
    assert [t - starts[0] for t in starts] == [0, 500_000_000, 1_000_000_000]
    for turns in sessions.values():
        assert turns[1].t_scheduled == turns[0].t_end


def test_the_conversations_of_mtbench(data_dir: Path) -> None:
    task = load_task("mtbench", data=data_dir / "tasks" / "mtbench" / "question.jsonl")
    assert len(task.questions) == 160
    assert {question.turn for question in task.questions} == {0, 1}
    for first, second in zip(task.questions[::2], task.questions[1::2], strict=True):
        assert first.session == second.session == first.item_id
        assert (first.turn, second.turn) == (0, 1)
        assert len(second.messages) == 1
        assert first.kind == second.kind == "ungraded"
