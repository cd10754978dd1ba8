"""Runs of an engine that answers with programs: right, wrong, endless, prose only, cut off, or none."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from doubles.engine_server import EngineServer
from doubles.loaded import carried_out, plan_of
from doubles.small_problems import TOTAL, TOTAL_TWICE, total_problem
from joulemark.code.joined.task import load_any_task
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.registry import write_problems
from joulemark.load.shape import LoadShape
from joulemark.runs.recorded import RecordedRun
from joulemark.tasks.task import TaskSet

CHAT = "POST /v1/chat/completions"
_CASE = re.compile(r"Case (\w+)\.")
ENDLESS = "def total(values):\n    while True:\n        pass\n"
WRONG = "def total(values):\n    return 0\n"


def fenced(program: str, before: str = "Here it is:") -> str:
    return f"{before}\n\n```python\n{program.strip()}\n```\n\nIt runs in linear time."


ANSWERS: Mapping[str, tuple[str, str]] = {
    "right": (fenced(TOTAL), "stop"),
    "slower": (fenced(TOTAL_TWICE), "stop"),
    "wrong": (fenced(WRONG), "stop"),
    "endless": (fenced(ENDLESS), "stop"),
    "prose": ("You add up the values one by one, and that is their sum.", "stop"),
    "cut": (f"```python\n{TOTAL.strip()[:40]}", "length"),
    "cut_behind": (fenced(TOTAL), "length"),
    "thinking": ("<think>Let me see: the sum", "stop"),
    "declined": ("I'm sorry, but I can't help with that.", "stop"),
    "filtered": ("", "content_filter"),
}
"""What the engine says to the problem of each case, and how it says that it ended."""


def problems_of(cases: Sequence[str]) -> list[Problem]:
    """The same small problem for each case, told apart by its statement."""
    return [
        total_problem(problem_id=f"total-{case}", statement=f"Return the sum of the values. Case {case}.")
        for case in cases
    ]


def task_of_cases(folder: Path, cases: Sequence[str]) -> TaskSet:
    """A task of programs that asks for these cases, loaded as ``bench run code --data FILE`` does."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"problems-{hashlib.sha256(' '.join(cases).encode()).hexdigest()[:8]}.jsonl"
    file.write_text(write_problems(problems_of(cases)))
    return load_any_task("code", data=file)


def stream(text: str, finish: str) -> str:
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}},
    ]
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def programming_engine(answers: Mapping[str, tuple[str, str]] = ANSWERS) -> EngineServer:
    """A server that answers by the case in the prompt; a case that it does not know gets HTTP 400."""

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        found = _CASE.search(body["messages"][-1]["content"])
        if found is None:
            return 200, stream("Hello.", "stop")  # the client's trial
        if found[1] not in answers:
            return 400, {"error": {"message": "no"}}
        return 200, stream(*answers[found[1]])

    models = {"object": "list", "data": [{"id": "programmer", "object": "model"}]}
    return EngineServer({"GET /v1/models": models, CHAT: answer})


def asked_run(
    out: Path, cases: Sequence[str], answers: Mapping[str, tuple[str, str]] = ANSWERS, repeats: int = 1
) -> RecordedRun:
    """A run in ``out`` in which these cases were asked; no program of it was run."""
    task = task_of_cases(out.parent / "data", cases)
    with programming_engine(answers) as server:
        plan = plan_of(server.url, task, LoadShape.closed(1), out, repeats=repeats, warmups=0)
        _, run = carried_out(plan)
    return run
