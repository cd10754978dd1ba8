"""A process that evaluates one upload: it has no rights, and knows no database.

It is asked on standard input: one line of JSON, then the upload's bytes. It answers on standard output with
a line of JSON an event. It ends when its standard input does: then the worker that started it is gone.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from base64 import b64encode
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from joulemark.board.code_service.evaluated import outcome
from joulemark.board.code_service.job_options import JobOptions
from joulemark.code.answers.answered import answers_of
from joulemark.code.answers.samples import read_samples
from joulemark.code.contain.containment import Containment, probe
from joulemark.code.evaluation.environment import environment_of
from joulemark.code.evaluation.evaluate import evaluate
from joulemark.code.evaluation.executor import LocalExecutor
from joulemark.code.evaluation.job import Done
from joulemark.code.evaluation.record import PROCEDURE
from joulemark.code.problems.registry import load_problems
from joulemark.code.selftest.passed import has_passed, remember
from joulemark.code.selftest.selftest import run_selftest
from joulemark.record.errors import InputError

MAX_FILES_BYTES = 64 << 20
_KEPT_FOLDERS_S = 7 * 86_400.0
_UPLOAD = "upload.jsonl"


def main() -> None:
    """Do what standard input asks for."""
    os.umask(0o077)
    asked: dict[str, Any] = orjson.loads(_line())
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed meanwhile is no answer
    try:
        if asked["do"] == "selftest":
            _end_with_parent()
            _selftest(_Said(answers))
        else:
            upload = _exactly(asked["n_bytes"])
            kept = _end_with_parent()
            _evaluate(_Said(answers), asked, upload, kept)
    except InputError as error:
        _Said(answers)("refused", what=error.what, why=error.why, fix=error.fix)


def _line() -> bytes:
    """Read a line of standard input, and nothing after it: the file object would read on."""
    line = b""
    while not line.endswith(b"\n") and (sign := os.read(0, 1)):
        line += sign
    return line


def _exactly(n_bytes: int) -> bytes:
    data = bytearray()
    while len(data) < n_bytes and (more := os.read(0, min(1 << 20, n_bytes - len(data)))):
        data += more
    if len(data) < n_bytes:
        os._exit(1)  # the worker is gone
    return bytes(data)


class _Said:
    """Says what happens, a line an event. A worker that no longer listens has ended us already."""

    def __init__(self, to: BinaryIO) -> None:
        self._to = to

    def __call__(self, event: str, **facts: Any) -> None:
        self._to.write(orjson.dumps({"event": event, **facts}, option=orjson.OPT_APPEND_NEWLINE))
        self._to.flush()

    def started(self, n_problems: int, n_done: int) -> None:
        """Say of how many problems how many are done."""
        self("started", n_problems=n_problems, n_done=n_done)

    def finished(self, done: Done) -> None:
        """Say that one is done."""
        self("finished")


def _end_with_parent() -> threading.Event:
    """Watch the worker from a thread; the event is set when it says that the result is stored."""
    kept = threading.Event()

    def watch() -> None:
        while os.read(0, 64):
            kept.set()
        if not kept.is_set():
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    return kept


def _selftest(say: _Said) -> None:
    containment = probe()
    environment = environment_of(containment).environment_id
    passed, failed = has_passed(environment), []
    if passed is None:
        say("testing")
        failed = [case.name for case in run_selftest(containment) if not case.passed]
        passed = not failed
        remember(environment, passed=passed)
    say("selftest", passed=passed, failed=failed, missing=list(containment.missing))


def _evaluate(say: _Said, asked: dict[str, Any], upload: bytes, kept: threading.Event) -> None:
    options = JobOptions.model_validate(asked["options"])
    containment = _tested()
    jobs = Path("jobs")
    _forget_old(jobs)
    # rows of another machine or procedure are of another evaluation
    folder = jobs / f"{asked['job_id']}-{environment_of(containment).environment_id}-{PROCEDURE}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _UPLOAD).write_bytes(upload)
    problems = list(load_problems(asked["problems"]))
    answers = answers_of(read_samples(folder / _UPLOAD, problems), problems)
    executor = LocalExecutor(asked["n_workers"])
    try:
        record, recorded = evaluate(
            folder, options.model, problems, answers, options.settings(), containment, executor, say
        )
    except InputError as error:  # of this machine and this hour: the upload itself was read
        say("ended", what=error.what, why=error.why)
        return
    say("figures")
    found = outcome(record, recorded, folder, options.dataset)
    files = found.pop("files")
    packed = b64encode(files).decode() if len(files) <= MAX_FILES_BYTES else None
    say("result", files=packed, **found)
    if kept.wait(60):
        shutil.rmtree(folder, ignore_errors=True)


def _tested() -> Containment:
    """Return what holds programs here. Raises `InputError` where it was not tested, or did not pass."""
    containment = probe()
    if has_passed(environment_of(containment).environment_id) is not True:
        raise InputError(
            "generated programs cannot be scored here",
            why="the self-test was not passed",
            fix="joulemark code selftest   # says which cases, and what would mend them",
        )
    return containment


def _forget_old(jobs: Path) -> None:
    """Remove what jobs have left that were cancelled, or went to another machine."""
    if not jobs.is_dir():
        return
    for one in jobs.iterdir():
        if time.time() - one.stat().st_mtime > _KEPT_FOLDERS_S:
            shutil.rmtree(one, ignore_errors=True)


if __name__ == "__main__":
    main()
