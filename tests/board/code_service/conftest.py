"""A board that takes generated programs, and files of programs for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from doubles.boards import BoardDouble, board
from doubles.made_up_evaluations import record_of, rows_of, write_evaluation
from doubles.private_postgres import Server
from joulemark.board.code_service.evaluated import outcome
from joulemark.board.code_service.job_options import JobOptions
from joulemark.board.code_service.job_queue import add, claim, finish
from joulemark.board.code_service.secret import Identity, new_identity
from joulemark.board.code_service.uploads import Upload
from joulemark.code.evaluation.sound import read_rows
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.registry import built_in
from joulemark.record.code_run import CodeRun


@pytest.fixture
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BoardDouble]:
    """A board on SQLite, or on what a test names."""
    url = str(tmp_path / "board.sqlite")
    if getattr(request, "param", "sqlite") == "postgresql":
        server: Server = request.getfixturevalue("postgres_server")
        url = server.database()
    with board(tmp_path, code_service=True, database_url=url) as made:
        yield made


@pytest.fixture(scope="session")
def problems() -> Sequence[Problem]:
    return tuple(built_in())


@pytest.fixture(scope="session")
def programs(problems: Sequence[Problem]) -> bytes:
    """The reference of three built-in problems, as EvalPlus-style JSON lines."""
    return lines(*({"task_id": one.problem_id, "solution": source(one)} for one in problems[:3]))


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def source(problem: Problem) -> str:
    return "\n".join(filter(None, (problem.prelude, problem.canonical)))


@pytest.fixture
def finish_one(service: BoardDouble, tmp_path: Path) -> Callable[..., Identity]:
    """Put an evaluation on the board as a worker would: its runs are made up, all else is real."""

    def finished(
        model: str,
        ratios: Sequence[float],
        *,
        answers: Sequence[str] = ("sum(values)",),
        change: Callable[[CodeRun], CodeRun] = lambda run: run,
        keep: Callable[[CodeRun], bool] = lambda _: True,
        **settings: Any,
    ) -> Identity:
        record = record_of(model, answers=answers, n_problems=len(ratios), **settings)
        rows = rows_of(ratios)
        rows = replace(
            rows, runs={name: tuple(map(change, filter(keep, mine))) for name, mine in rows.runs.items()}
        )
        folder = write_evaluation(tmp_path / f"{model}-evaluation", record, rows)
        found = outcome(record, read_rows(folder, record), folder, "built_in")
        identity = new_identity()
        upload = Upload(b"{}\n", len(ratios), len(ratios), 0)
        add(service.engine, identity, JobOptions(model=model), upload, "0" * 64)
        held = claim(service.engine, "w", {"built_in"})
        assert held is not None
        progress = held.progress.model_copy(update={"n_done": len(ratios)})
        standing, result = (json.loads(json.dumps(found[name])) for name in ("standing", "result"))
        assert finish(service.engine, held, progress, standing, result, found["files"])
        return identity

    return finished
