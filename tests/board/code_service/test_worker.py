"""A worker as an operator starts it: a process that holds the database, and one without rights beside it."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

import joulemark
from doubles.boards import BoardDouble
from joulemark.board.code_service import unprivileged
from joulemark.board.code_service.unprivileged import User, environment, identity, ordinary_user
from joulemark.board.database.tables import code_jobs
from joulemark.code.contain.containment import probe
from joulemark.code.problems.problem import Problem
from joulemark.record.errors import InputError

JOBS = "/api/v1/code/jobs"
_REMEMBER = """
from joulemark.code.contain.containment import probe
from joulemark.code.evaluation.environment import environment_of
from joulemark.code.selftest.passed import remember
remember(environment_of(probe()).environment_id, passed=bool(int(__import__("sys").argv[1])))
"""
LOOP = "while True:\n    pass\n"
ESCAPES = {
    "leaves": "import os\nos._exit(0)\n",
    "loops": LOOP,
    "forks": "import os\nwhile True:\n    os.fork()\n",
    "kills": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)\n",
    "floods": "while True:\n    print('x' * 10**6)\n",
    "eats": "held = []\nwhile True:\n    held.append(bytearray(10**7))\n",
    "reads": "raise SystemExit(open('/etc/shadow').read() or open('code.json').read())\n",
    "writes": "open('/tmp/joulemark-was-here', 'w').write('x')\nopen('upload.jsonl', 'w').write('x')\n",
    "answers": """import os
for n in range(3, 64):
    try:
        os.write(n, b'{"event": "result"}')
    except OSError:
        pass
""",
}


@dataclass(frozen=True)
class Operator:
    """Starts workers on a board's database; ``work`` is theirs."""

    service: BoardDouble
    interpreter: str
    work: Path
    user: User

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        database = self.service.settings.database_url
        command = ["board", "worker", "--database", database, "--work", str(self.work), "--json"]
        return subprocess.Popen(
            [self.interpreter, "-m", "joulemark.cli", *command, *arguments],
            env={**os.environ, **_paths()},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        return process.returncode, [json.loads(line) for line in out.splitlines()], err

    def remembers(self, *, passed: bool) -> None:
        """Have the machine remember a self-test: the test itself takes a minute, and has its own tests."""
        subprocess.run(
            [self.interpreter, "-c", _REMEMBER, str(int(passed))],
            env={**environment(self.work), **_paths()},
            cwd=self.work,
            check=True,
            **identity(self.user),  # type: ignore[call-overload]
        )

    def evaluating(self, called: bytes = b"") -> list[int]:
        """The processes that evaluate for this worker, of those with ``called`` in their command."""
        mark = f"HOME={self.work}".encode()
        found = []
        for one in Path("/proc").glob("[0-9]*"):
            try:
                is_ours = mark in (one / "environ").read_bytes().split(b"\0")
                if is_ours and called in (one / "cmdline").read_bytes():
                    found.append(int(one.name))
            except OSError:
                continue
        return found


def _paths() -> dict[str, str]:
    packages = [path for path in sys.path if path.endswith("site-packages")]
    source = str(Path(joulemark.__file__).parents[1])
    return {"PYTHONPATH": os.pathsep.join([source, *packages]), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def operator(service: BoardDouble, monkeypatch: pytest.MonkeyPatch) -> Iterator[Operator]:
    if not probe().is_whole:
        pytest.skip("no whole containment on this machine")
    user = ordinary_user(None)
    place = Path(tempfile.mkdtemp(prefix="joulemark-worker-"))
    place.chmod(0o755)
    work = unprivileged.working_folder(place / "work", user)
    monkeypatch.setenv("PYTHONPATH", _paths()["PYTHONPATH"])
    made = Operator(service, _interpreter(user, work, monkeypatch), work, user)
    made.remembers(passed=True)
    yield made
    for pid in made.evaluating():
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(place, ignore_errors=True)


def _interpreter(user: User, work: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A Python of this version that the user may start: that of these tests may lie in root's home."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for one in (sys.executable, *(f"{folder}/{name}" for folder in ("/usr/bin", "/usr/local/bin"))):
        monkeypatch.setattr(unprivileged.sys, "executable", one)
        try:
            unprivileged.require_start(user, work)
        except InputError:
            continue
        finally:
            monkeypatch.undo()
            monkeypatch.setenv("PYTHONPATH", _paths()["PYTHONPATH"])
        return one
    pytest.skip(f"no {name} that an ordinary user may start and that can read the source")


def upload(service: BoardDouble, rows: Sequence[dict[str, str]], **options: Any) -> dict[str, Any]:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    fields = {"model": "acme/one", "n_tests": 3, "timeout_s": 0.5, "measured": "nothing", **options}
    answer = service.client.post(JOBS, data=fields, files={"file": ("x", data)})
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    return found


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.1)


def job(service: BoardDouble, job_id: str) -> dict[str, Any]:
    found: dict[str, Any] = service.client.get(f"{JOBS}/{job_id}").json()
    return found


def ended(events: Sequence[dict[str, Any]]) -> list[str]:
    """How jobs ended for good: a machine that is very busy may take an attempt more."""
    return [one["event"] for one in events if one["event"] in ("done", "failed", "cancelled")]


def right(problem: Problem) -> dict[str, str]:
    return {"task_id": problem.problem_id, "solution": f"{problem.prelude}\n{problem.canonical}"}


@pytest.mark.slow
def test_hostile_programs_harm_neither_the_worker_nor_what_comes_after(
    operator: Operator, problems: Sequence[Problem]
) -> None:
    rows = [right(one) for one in problems[:2]]
    names = [one.problem_id for one in problems[2 : 2 + len(ESCAPES)]]
    rows += [{"task_id": name, "solution": text} for name, text in zip(names, ESCAPES.values(), strict=True)]
    first = upload(operator.service, rows, timeout_s=1)  # also of wall time, on a machine that is busy
    second = upload(operator.service, rows[:2], timeout_s=1)
    code, events, err = operator.run("--once")
    assert code == 0, err
    assert ended(events) == ["done", "done"], events
    assert events[0]["user"] == operator.user.name != "root"
    result = job(operator.service, first["id"])["result"]
    assert result["summary"]["counts"]["n_right"] == 2
    assert {one["problem"] for one in result["summary"]["wrong"]} == set(names)
    assert job(operator.service, second["id"])["result"]["summary"]["pass_at_1"] == 1.0
    assert not Path("/tmp/joulemark-was-here").exists()
    assert operator.evaluating() == []
    assert list((operator.work / "jobs").iterdir()) == []
    text = operator.service.client.get(f"/code/jobs/{first['id']}").text
    assert "root:" not in text


@pytest.mark.slow
def test_a_killed_worker_loses_no_job_and_leaves_no_process(
    operator: Operator, problems: Sequence[Problem]
) -> None:
    rows = [right(problems[0]), *({"task_id": one.problem_id, "solution": LOOP} for one in problems[1:9])]
    made = upload(operator.service, rows)
    worker = operator.start("--workers", "1")
    until(lambda: job(operator.service, made["id"])["progress"]["n_done"] > 0)
    os.kill(worker.pid, signal.SIGKILL)
    worker.communicate()
    until(lambda: operator.evaluating() == [])
    assert job(operator.service, made["id"])["state"] == "running"
    (folder,) = (operator.work / "jobs").iterdir()
    before = (folder / "code.jsonl").read_bytes().rpartition(b"\n")[0]
    assert before.count(b'"done"') > 0
    with operator.service.engine.begin() as connection:  # the time in which it would have had to beat
        connection.execute(update(code_jobs).values(beat_at="2020-01-01T00:00:00.000000+00:00"))
    code, events, err = operator.run("--once")
    assert code == 0, err
    assert ended(events) == ["done"], events
    done = job(operator.service, made["id"])
    assert (done["state"], done["progress"]["n_done"]) == ("done", 9)
    assert done["attempts"] >= 2
    secret = {"Authorization": f"Bearer {made['secret']}"}
    rows_of = operator.service.client.get(f"{JOBS}/{made['id']}/files", headers=secret)
    with zipfile.ZipFile(io.BytesIO(rows_of.content)) as archive:
        assert archive.read("code.jsonl").startswith(before)  # it went on where it was ended


@pytest.mark.slow
def test_a_grading_process_that_is_killed_is_an_attempt_and_no_verdict(
    operator: Operator, problems: Sequence[Problem]
) -> None:
    rows = [{"task_id": one.problem_id, "solution": LOOP} for one in problems[:4]]
    made = upload(operator.service, rows)
    worker = operator.start("--once", "--workers", "1")

    def grading() -> list[int]:
        return operator.evaluating(b"spawn_main")

    until(lambda: grading() != [])
    for pid in grading():
        os.kill(pid, signal.SIGKILL)
    out, err = worker.communicate(timeout=100)
    assert worker.returncode == 0, err
    events = [json.loads(line)["event"] for line in out.splitlines()]
    assert events[:3] == ["ready", "begun", "died"]
    done = job(operator.service, made["id"])
    assert done["state"] == "done"
    assert done["attempts"] >= 2
    assert done["result"]["summary"]["counts"]["n_wrong"] == 4
    assert done["result"]["failures"] == {}


@pytest.mark.slow
def test_a_cancelled_job_ends_and_a_worker_that_is_told_to_stop_gives_back(
    operator: Operator, problems: Sequence[Problem]
) -> None:
    rows = [{"task_id": one.problem_id, "solution": LOOP} for one in problems[:20]]
    first, second = (upload(operator.service, rows, timeout_s=5) for _ in range(2))
    worker = operator.start("--workers", "1")
    until(lambda: job(operator.service, first["id"])["state"] == "running")
    secret = {"Authorization": f"Bearer {first['secret']}"}
    assert operator.service.client.delete(f"{JOBS}/{first['id']}", headers=secret).status_code == 200
    until(lambda: job(operator.service, second["id"])["state"] == "running")
    code, _, err = operator.run("--once")
    assert (code, "there is a worker on this machine" in err) == (2, True)
    worker.terminate()
    out, err = worker.communicate(timeout=30)
    assert worker.returncode == 0, err
    events = [json.loads(line)["event"] for line in out.splitlines()]
    assert events == ["ready", "begun", "cancelled", "begun", "given back"]
    assert job(operator.service, first["id"])["state"] == "cancelled"
    back = job(operator.service, second["id"])
    assert (back["state"], back["attempts"]) == ("waiting", 0)
    assert operator.evaluating() == []


@pytest.mark.slow
def test_a_worker_refuses_what_is_not_safe(operator: Operator, problems: Sequence[Problem]) -> None:
    made = upload(operator.service, [right(problems[0])])
    operator.remembers(passed=False)
    code, _, err = operator.run("--once")
    assert code == 3
    assert "self-test was not passed" in err
    assert job(operator.service, made["id"])["state"] == "waiting"
    code, _, err = operator.run("--once", "--user", "root")
    assert (code, "error:" in err) == (2, True)
    assert "Traceback" not in err


def test_root_is_nobody_who_evaluates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(InputError, match="not evaluated by root"):
        ordinary_user("root")
    with pytest.raises(InputError, match="there is no user"):
        ordinary_user("no-such-user-here")
    found = ordinary_user(None)
    assert found.uid != 0
    assert found.changes
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(InputError, match="cannot become"):
        ordinary_user("daemon")
    assert not ordinary_user(None).changes
    (tmp_path / "theirs").symlink_to(tmp_path)
    with pytest.raises(InputError, match="not a folder of"):
        unprivileged.working_folder(tmp_path / "theirs", User(os.getuid(), os.getgid(), "me", changes=False))
